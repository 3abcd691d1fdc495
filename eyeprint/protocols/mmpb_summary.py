"""The end of an MMPB run: answers into ``results.jsonl``, tables into ``summary.json``."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from eyeprint import __version__
from eyeprint.errors import DataError
from eyeprint.methods.dialogues import dialogues_digest
from eyeprint.methods.injection import InjectionSettings
from eyeprint.protocols.display import Display
from eyeprint.protocols.mmpb_ask import Asker
from eyeprint.protocols.mmpb_examples import example_rows
from eyeprint.protocols.mmpb_plan import MmpbPlan
from eyeprint.protocols.mmpb_reading import (
    ANSWERS,
    GRADES,
    QUESTIONS,
    concept_answers,
    need_file,
    read_row,
)
from eyeprint.protocols.mmpb_settings import MmpbRun
from eyeprint.protocols.run_digests import digest_of, still_whole
from eyeprint.records.concept_counts import count_concepts
from eyeprint.records.concept_questions import ConceptAnswer
from eyeprint.records.json_lines import read_json_lines
from eyeprint.records.json_text import json_line
from eyeprint.records.whole_files import write_whole
from eyeprint.scores.mmpb_model_facts import ModelFacts
from eyeprint.scores.mmpb_published import compare_published
from eyeprint.scores.mmpb_results import MmpbTableSettings
from eyeprint.scores.mmpb_silence import answered_without
from eyeprint.scores.mmpb_tables import mmpb_results

RESULTS = "results.jsonl"
UNAIDED = "answered_without.jsonl"
"""Questions that a model answers right though it was told of no concept."""
EXAMPLES = "examples.jsonl"
"""Small pictures of some questions and their concepts, so that a report needs no data."""
FACTS = "data_facts.json"


def keep_data(plan: MmpbPlan, asker: Asker, folder: Path) -> None:
    """Keep beside the run what reading and reports need of the data; nothing decides a result."""
    questions = (question.model_dump(mode="json") for question in plan.data.questions)
    write_whole(folder / QUESTIONS, map(json_line, questions))
    write_whole(folder / EXAMPLES, map(json_line, example_rows(asker)))
    facts = {
        # The folder's name only: reports are passed on, and homes are nobody's business.
        "root": plan.data.root.resolve().name,
        "questions": len(plan.data.questions),
        "asked": asker.questions,
        "concepts": len({question.concept for question in plan.data.questions}),
        "counts": [each._asdict() for each in count_concepts(plan.data.concepts, asker.asked())],
        "notes": list(plan.notes),
        "faults": [str(fault) for fault in plan.data.faults[:200]],
        "pictures": dict(sorted(asker.pictures.faults.items())[:200]),
        "model_facts": {name: each.model_dump(mode="json") for name, each in plan.facts.items()},
    }
    write_whole(folder / FACTS, [json_line(facts)])


MADE_OF = (RESULTS, UNAIDED, EXAMPLES)
"""Files that a report reads beside ``summary.json``, which holds their digests."""


def read_and_summarise(run: MmpbRun, folder: Path, display: Display) -> None:
    """Read the raw answers of a run's folder, and write rows and tables; nothing is done twice.

    What has been read stays as it is: ``eyeprint reread`` reads it again.
    """
    if still_whole(folder, _answers_digest(folder), MADE_OF):
        return
    display.stage("reading answers", None)
    rows = (json_line(row.model_dump(mode="json")) for row in concept_answers(folder))
    write_whole(folder / RESULTS, rows)
    summarise(run, folder, display)


def summarise(run: MmpbRun, folder: Path, display: Display) -> None:
    """Write ``summary.json`` and its companions from ``results.jsonl``.

    Neither time nor what this session was charged is in it: equal runs have equal summaries.
    """
    display.stage("making tables", None)
    data = _kept_facts(folder)
    told = data["model_facts"]
    results = mmpb_results(
        result_rows(folder),
        run.settings,
        MmpbTableSettings(seed=run.seed, draws=run.bootstraps),
        facts={name: ModelFacts.model_validate(each) for name, each in told.items()},
    )
    unaided = answered_without(result_rows(folder), run.settings)
    write_whole(folder / UNAIDED, (json_line(each.model_dump(mode="json")) for each in unaided))
    changed = changed_from_released(run)
    summary: dict[str, Any] = {
        "version": __version__,
        "mmpb": results.model_dump(mode="json"),
        "published": [row.model_dump(mode="json") for row in compare_published(results, changed)],
        "data": {key: data[key] for key in ("root", "questions", "asked", "concepts", "counts")},
        "changed": changed,
        "notes": data["notes"],
        "faults": data["faults"],
        "pictures": data["pictures"],
        "made_from": _answers_digest(folder),
        "digests": {name: digest_of(folder / name) for name in MADE_OF},
    }
    text = json.dumps(summary, ensure_ascii=False, indent=1, allow_nan=False)
    write_whole(folder / "summary.json", [text.encode("utf-8", "surrogatepass"), b"\n"])


def _answers_digest(folder: Path) -> str:
    tables = (ANSWERS, GRADES)
    return digest_of(
        *(folder / f"{name}.{end}" for name in tables for end in ("jsonl", "failures.jsonl")),
        folder / FACTS,
    )


def changed_from_released(run: MmpbRun) -> list[str]:
    """Return what of a run's protocol is not as released, beyond what a setting's label says.

    >>> from eyeprint.records.concept_settings import ConceptSetting
    >>> plain = MmpbRun(data="", questions=0, models=(), settings=(ConceptSetting(),))
    >>> changed_from_released(plain.model_copy(update={"instruction": "short"}))
    ['instruction']
    """
    compared = ("instruction", "strip_dialogues", "talk", "temperature", "top_p", "model_seed")
    fields = MmpbRun.model_fields
    changed = [name for name in compared if getattr(run, name) != fields[name].default]
    injected = run.injection.model_dump()
    released = InjectionSettings().model_dump()
    changed += [f"injection.{name}" for name in injected if injected[name] != released[name]]
    if run.dialogues and run.dialogues != dialogues_digest():
        changed.append("dialogues")
    return changed


def result_rows(folder: Path) -> Iterator[ConceptAnswer]:
    """Yield the rows of ``results.jsonl``, one at a time.

    Raises:
        DataError: the file is missing, or a line is cut or is no answer.
    """
    path = need_file(folder / RESULTS)
    with path.open(encoding="utf-8", newline="\n") as lines:
        for number, line in enumerate(lines, start=1):
            yield read_row(ConceptAnswer, line, path, number)


def _kept_facts(folder: Path) -> Mapping[str, Any]:
    path = need_file(folder / FACTS)
    facts = next((value for _, value in read_json_lines(path)), None)
    if not isinstance(facts, dict) or "model_facts" not in facts:
        raise DataError(
            f"{path}: is cut or damaged. Run the same `eyeprint run mmpb` command again."
        )
    return facts
