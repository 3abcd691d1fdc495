"""A small MMPB run folder: drawn pictures, answers by lot, real tables.

What a report reads is made by the functions that make it in a run (tables, published numbers,
unaided questions); only whether an answer is right is drawn, each model about its own level.
"""

from __future__ import annotations

import base64
import io
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from PIL import Image

from eyeprint.config import fingerprint_of
from eyeprint.protocols.mmpb_settings import MmpbRun, ModelAsked
from eyeprint.records.concept_questions import TASKS, ConceptAnswer
from eyeprint.records.concept_settings import ConceptSetting
from eyeprint.records.json_text import json_line
from eyeprint.scores.mmpb_model_facts import ModelFacts
from eyeprint.scores.mmpb_published import compare_published
from eyeprint.scores.mmpb_results import MmpbTableSettings
from eyeprint.scores.mmpb_silence import answered_without
from eyeprint.scores.mmpb_tables import mmpb_results
from tests.report.made_pipbench_run import picture

EVIL = "</script><script>alert(1)</script>"
EVIL_MODEL = "evil/<b>&|model_1"
MODELS = ("openai/gpt-5", "qwen2-vl-7b", EVIL_MODEL)
S = ConceptSetting
PAPER = tuple(S(inject=i, turns=t) for i in ("text:moderate", "image:2") for t in (0, 10))
CONTROLS = (
    S(inject="none", control="none"),
    *(S(control=c, turns=t) for c in ("wrong", "shuffled") for t in (0, 10)),
)
RICH = (
    *PAPER,
    *(S(inject=f"text:{level}") for level in ("simple", "detailed", "extended")),
    *(S(inject=f"image:{n}") for n in (1, 5)),
    *(S(turns=10, position=p, prompting=w)
      for w in ("zero_shot", "reminder") for p in (0, 3, 5, 8, 10) if p or w == "reminder"),
    *(S(prompting=w) for w in ("zero_shot_cot", "reminder", "few_shot", "few_shot_cot")),
    *(S(concepts=n) for n in (2, 5, 10, 20, 50)),
    *(S(turns=n) for n in (1, 5, 20, 50, 100)),
    *(S(turns=n, dialogue=k) for k in ("recognition", "preference") for n in (5, 10, 20)),
    S(blind=True),
    *CONTROLS,
)  # fmt: skip
FACTS = {
    MODELS[0]: ModelFacts(model=MODELS[0], access="closed", rank=1.5),
    MODELS[1]: ModelFacts(model=MODELS[1], access="open", size_b=7.0, rank=4.0),
    EVIL_MODEL: ModelFacts(model=EVIL_MODEL, access="open", size_b=2.5, rank=7.25),
    "human": ModelFacts(model="human", human=True),
}
_LOST = ("unread", "refused", "empty", "truncated", "failed")
_REPLIES = {
    "unread": f"It could be A or B {EVIL}",
    "refused": "I'm sorry, but I can't identify people.",
    "truncated": "Let me think about the picture step by step: first",
    "empty": "",
    "failed": "",
}


def facts_for(models: tuple[str, ...]) -> dict[str, ModelFacts]:
    """Return facts of many models: every fifth is closed."""
    return {
        name: FACTS.get(name)
        or ModelFacts(
            model=name, access="open" if k % 5 else "closed", size_b=1.0 + k, rank=1.0 + k
        )
        for k, name in enumerate(models)
    }


def write_run(
    folder: Path,
    *,
    models: tuple[str, ...] = MODELS,
    settings: tuple[ConceptSetting, ...] = RICH,
    concepts: int = 12,
    each: int = 2,
    people: bool = True,
    lost: bool = True,
    facts: bool = True,
    draws: int = 100,
) -> Path:
    """Write a finished run's files.

    Args:
        folder: where to.
        models: the run's models.
        settings: the grid.
        concepts: how many; their categories come in turns, people first.
        each: questions of each task about each concept of its category.
        people: whether people answered the first setting too.
        lost: whether answers are refused, unread, cut and so on.
        facts: whether ranks, access and sizes are known.
        draws: of the bootstrap.
    """
    folder.mkdir(parents=True)
    run = MmpbRun(
        data="d" * 64,
        questions=0,
        models=tuple(ModelAsked(name=name) for name in models),
        settings=settings,
        seed=3,
    )
    values = run.model_dump(mode="json")
    manifest = {
        "format": 1,
        "kind": "mmpb",
        "version": run.version,
        "fingerprint": fingerprint_of(values),
        "settings": values,
    }
    (folder / "manifest.json").write_text(json.dumps(manifest))
    asked = questions(concepts, each)
    rows = list(answers(asked, models, settings, lost))
    if people:
        rows += list(answers(asked, ("human",), settings[:1], False))
    results = mmpb_results(
        rows,
        settings,
        MmpbTableSettings(draws=draws, permutations=100),
        facts=facts_for(models) | {"human": FACTS["human"]} if facts else None,
    )
    _lines(folder / "results.jsonl", (row.model_dump(mode="json") for row in rows))
    unaided = answered_without(rows, settings)
    _lines(folder / "answered_without.jsonl", (each.model_dump(mode="json") for each in unaided))
    _lines(folder / "examples.jsonl", examples(asked))
    session = {
        "at": "2026-08-01T10:00:00.000+00:00",
        "seconds": 61.5,
        "models": [
            {"model": m, "calls": 100, "seconds": 50.0, "cost_usd": 0.5, "from_ledger": 3}
            for m in models
        ],
    }
    _lines(folder / "sessions.jsonl", [session])
    summary = {
        "version": run.version,
        "mmpb": results.model_dump(mode="json"),
        "published": [row.model_dump(mode="json") for row in compare_published(results)],
        "data": {"root": "toybox", "questions": len(asked), "asked": len(asked),
                 "concepts": concepts},
        "notes": [f"A note {EVIL}"] if lost else [],
        "faults": ["concepts.jsonl, line 3: cut"] if lost else [],
        "pictures": {"pictures/x.png": "cut off after 3 KB"} if lost else {},
        "made_from": "0" * 64,
        "digests": {},
    }  # fmt: skip
    (folder / "summary.json").write_text(json.dumps(summary))
    return folder


def questions(concepts: int, each: int) -> list[dict[str, Any]]:
    """Return questions as the fields that rows share, with ids in order."""
    kinds = ("human", "animal", "object", "character")
    found: list[dict[str, Any]] = []
    for task in TASKS:
        kind, group, category = task.split(" · ")
        for number in range(concepts):
            if kinds[number % 4] != category:
                continue
            for turn in range(each):
                choice = kind == "coherency"
                number_of = len(found)
                found.append(
                    {
                        "question": f"{number_of}",
                        "concept": f"Con<cept>{number}",
                        "category": category,
                        "type": kind,
                        "group": group,
                        "topic": "colour",
                        "target": _target(group, category, turn),
                        "entities": ("single", "multi")[turn % 2],
                        "negated": bool(number_of % 3 == 0),
                        "chance": 0.25 if choice else 0.5,
                        "concept_only": "ABCD"[(number_of + 1) % 4] if choice else "",
                        "key": "ABCD"[number_of % 4] if choice else ("Yes", "No")[number_of % 2],
                    }
                )
    return found


def _target(group: str, category: str, turn: int) -> str | None:
    if group == "preference":
        return ("like", "dislike")[turn % 2]
    return ("same_species", "different_species")[turn % 2] if category == "animal" else None


def answers(
    asked: list[dict[str, Any]],
    models: tuple[str, ...],
    settings: tuple[ConceptSetting, ...],
    lost: bool,
) -> Iterator[ConceptAnswer]:
    """Yield a row for every question in every cell; better models are right more often."""
    rng = random.Random(11)
    for place, model in enumerate(models):
        for setting in settings:
            level = _level(place, setting) if model != "human" else 0.93
            for fields in asked:
                yield _answer(fields, model, setting, level, rng, lost)


def _level(place: int, setting: ConceptSetting) -> float:
    level = 0.8 - 0.08 * (place % 5) - 0.003 * min(setting.turns, 60) - 0.003 * setting.concepts
    level -= 0.05 if setting.images else 0.0
    level += 0.04 if setting.prompting != "zero_shot" else 0.0
    if setting.control != "own":
        # The last model of three gains nothing from knowing the concept.
        level = level if place % 3 == 2 else 0.45
    return max(0.3, level)


def _answer(
    fields: dict[str, Any],
    model: str,
    setting: ConceptSetting,
    level: float,
    rng: random.Random,
    lost: bool,
) -> ConceptAnswer:
    common = dict(
        fields,
        model=model,
        setting=setting.label,
        prompt_tokens=400 + 60 * setting.turns,
        shared_tokens=300,
        dialogue_tokens=60 * setting.turns,
        input_tokens=420,
        output_tokens=9,
        cost_usd=0.0004,
    )
    if lost and rng.random() < 0.06:
        outcome = rng.choice(_LOST)
        refusal = "cannot-judge" if outcome == "refused" else ""
        detail = "HTTP 503" if outcome == "failed" else ""
        return ConceptAnswer(
            **common, outcome=outcome, reply=_REPLIES[outcome], refusal=refusal, detail=detail
        )
    key = fields["key"]
    others = [o for o in ("ABCD" if key in "ABCD" else ("Yes", "No")) if o != key]
    said = key if rng.random() < level else rng.choice(others)
    loose = rng.random() < 0.2
    return ConceptAnswer(
        **common,
        outcome="answered",
        said=said,
        right=said == key,
        rule="stated" if loose else "lone-letter",
        alternatives=(others[0],) if loose else (),
        reply=f"I would say {said}, but {others[0]} is near. {EVIL}" if loose else said,
    )


def examples(asked: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield two questions of each task, with small pictures."""
    seen: dict[str, int] = {}
    for fields in asked:
        task = f"{fields['type']} · {fields['group']} · {fields['category']}"
        seen[task] = seen.get(task, 0) + 1
        if seen[task] > 2:
            continue
        choice = fields["type"] == "coherency"
        yield {
            "task": task,
            "question": {
                "id": fields["question"],
                "concept": fields["concept"],
                "category": fields["category"],
                "type": fields["type"],
                "group": fields["group"],
                "question": f"Is <sks> here? {EVIL}",
                "options": dict(zip("ABCD", ("red", "blue", f"a{EVIL}", "none"), strict=True))
                if choice
                else {},
                "answer": fields["key"],
                "image": "pictures/1.png",
                "topic": fields["topic"],
                "target": fields["target"],
                "entities": fields["entities"],
                "negated": fields["negated"],
                "concept_only": fields["concept_only"],
            },
            "moderate": f"<sks> is a red thing {EVIL}",
            "preference": "<sks> likes tea." if fields["group"] == "preference" else "",
            "picture": _url(f"q{fields['question']}"),
            "references": [_url(f"r{fields['concept']}{k}") for k in range(2)],
        }


def _url(key: str) -> str:
    out = io.BytesIO()
    Image.fromarray(picture(key).pixels).save(out, format="JPEG", quality=60)
    return "data:image/jpeg;base64," + base64.b64encode(out.getvalue()).decode()


def _lines(path: Path, rows: Any) -> None:
    path.write_bytes(b"".join(json_line(row) for row in rows))
