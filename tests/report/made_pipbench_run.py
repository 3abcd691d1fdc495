"""A small PIPBench run folder: drawn pictures, scores by lot, real tables, real ratings.

What a report reads is made by the functions that make it in a run (tables, lifts, claims,
arena); only the scores themselves are drawn, each model about its own level.
"""

from __future__ import annotations

import json
import random
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from eyeprint.protocols.pipbench_gallery import small
from eyeprint.protocols.pipbench_settings import ModelSpec, PipbenchRun
from eyeprint.protocols.pipbench_summary import claims_of, counts_of, image_rows
from eyeprint.records.case_counts import count_cases
from eyeprint.records.cases import Case
from eyeprint.records.pictures import Picture
from eyeprint.records.verdict_files import write_comparisons, write_verdicts
from eyeprint.records.verdicts import Comparison, Verdict
from eyeprint.scores.arena import ArenaSettings, arena
from eyeprint.scores.image_lift import lift_of
from eyeprint.scores.image_table import ImageTableSettings, image_tables
from eyeprint.scores.judge_certificate import Certificate, Probe

EVIL = "</script><script>alert(1)</script>"
PROMPT = f"A red door {EVIL} & a cat"
COLUMNS = {
    "CLS": ("CLS-T", "CLS-TG", "CLS-R", "CLS-G", "CLS-Y", "CLS-YG"),
    "DIS": ("DIS-R", "DIS-G", "DIS-Y", "DIS-YG"),
    "LPIPS": ("LPIPS-R", "LPIPS-G", "LPIPS-Y", "LPIPS-YG"),
    "PAL": ("PAL-R", "PAL-G", "PAL-Y", "PAL-YG"),
    "PIX": ("PIX-MSE", "PIX-MAE", "PIX-PSNR"),
}
BASE = {"CLS": 62.0, "DIS": 14.0, "LPIPS": 0.75, "PAL": 55.0}
PALETTE_ONLY = ("PAL", "PIX")
ALL = tuple(COLUMNS)


def specs(painters: tuple[str, ...] = ("sketch",)) -> list[ModelSpec]:
    """Return the models: the paper's paradigms, and pictures made elsewhere with an evil name."""
    chosen = [
        ("no_preference", "", "text", "No preference"),
        ("edit_1ref", "", "edit", "Joint conditioning"),
        ("edit_2ref", "", "edit", "Joint conditioning"),
        ("fusion", "offline", "text", "VLM conditioning fusion"),
        ("fusion", "openai/gpt-5", "text", "VLM conditioning fusion"),
        ("vprag_refs", "offline", "text", "Retrieval (VPRAG)"),
    ]
    found = [
        ModelSpec(
            method=method,
            writer=writer,
            painter=painter,
            painter_fingerprint="f" * 8,
            way=way,
            paradigm=paradigm,
        )
        for method, writer, way, paradigm in chosen
        for painter in painters
    ]
    found.append(
        ModelSpec(
            method="outputs:Ours_1 | <b>&%",
            painter="folder",
            painter_fingerprint="0" * 8,
            way="text",
        )
    )
    return found


def cases(people: int = 8, each: int = 2) -> list[Case]:
    """Return cases of synthetic and of real people, in turns."""
    return [
        Case(
            id=f"{2 * person + turn:03d}",
            person_id=f"p{person}",
            split="real" if person % 2 else "synthetic",
            prompt=PROMPT if person == turn == 0 else f"A door in a garden, number {person}",
            references=tuple(f"p{person}/{k}.png" for k in range(2 + person % 4)),
            target=None if person == 2 else f"p{person}/t{turn}.png",
        )
        for person in range(people)
        for turn in range(each)
    ]


def picture(key: str) -> Picture:
    """Return a picture that depends on a key: two colours, a horizon, a disc."""
    rng = np.random.default_rng(sum(map(ord, key)) + 97 * len(key))
    top, low, disc = rng.integers(30, 230, (3, 3))
    height, width = 96, int(rng.choice([72, 96, 128]))
    y, x = np.mgrid[0:height, 0:width]
    horizon = height * rng.uniform(0.4, 0.75)
    pixels = np.where((y < horizon)[..., None], top, low).astype(np.uint8)
    inside = (y - horizon * 0.6) ** 2 + (x - width * rng.uniform(0.3, 0.7)) ** 2 < 200
    pixels[inside] = disc
    return Picture.of(pixels)


def write_run(
    folder: Path,
    *,
    encoders: tuple[str, ...] = ALL,
    painters: tuple[str, ...] = ("sketch",),
    people: int = 8,
    spoil: bool = True,
    splits: tuple[str, ...] = ("synthetic", "real"),
) -> Path:
    """Write manifest, cases, rows, gallery and summary; ``spoil`` loses and flags pictures."""
    models = specs(painters)
    chosen = [case for case in cases(people) if case.split in splits]
    settings = PipbenchRun(
        data="d" * 64,
        cases=len(chosen),
        models=tuple(models),
        encoders={prefix.lower(): prefix * 4 for prefix in encoders if prefix != "PIX"},
        seed=3,
        bootstraps=200,
    )
    rng = random.Random(11)
    rows = [
        _row(case, spec, level, encoders, rng, spoil and _lost(case, spec), spoil)
        for case in chosen
        for level, spec in enumerate(models)
    ]
    tables = image_tables(image_rows(rows), settings=ImageTableSettings(draws=200))
    whole = image_tables(image_rows(rows), by=(), settings=ImageTableSettings(draws=200))[0]
    summary = {
        "tables": [table.model_dump(mode="json") for table in tables],
        "overall": whole.model_dump(mode="json"),
        "lifts": _lifts(rows, chosen),
        "claims": claims_of(tables),
        "counts": counts_of(rows),
        "paradigms": {spec.label: spec.paradigm for spec in models},
        "data": [each._asdict() for each in count_cases(chosen)],
        "bands": _bands(encoders),
        "pictures": {
            "faults": {"p2/1.png": "cut off after 3 KB"} if spoil else {},
            "gate": {"p1/0.png": ["turned by EXIF orientation 6"]} if spoil else {},
        },
        "encoders": {
            prefix.lower(): {"column": prefix, "fingerprint": prefix * 4}
            for prefix in encoders
            if prefix != "PIX"
        },
        "notes": ["A note on how far this encoder can be trusted."] if spoil else [],
        "faults": ["metadata.json, row 9, field 'prompt': is missing"] if spoil else [],
    }
    manifest = {
        "kind": "pipbench",
        "format": 1,
        "version": settings.version,
        "fingerprint": settings.fingerprint(),
        "settings": settings.model_dump(mode="json"),
    }
    folder.mkdir(parents=True, exist_ok=True)
    _write(folder / "manifest.json", [manifest])
    _write(folder / "cases.jsonl", [case.model_dump(mode="json") for case in chosen])
    _write(folder / "results.jsonl", rows)
    _write(folder / "gallery.jsonl", [_shown(case, rows) for case in chosen[:6]])
    _write(folder / "summary.json", [summary])
    return folder


def _lost(case: Case, spec: ModelSpec) -> bool:
    return spec.method == "edit_2ref" and case.id in ("000", "003")


def _copied(case: Case, spec: ModelSpec) -> bool:
    return spec.method == "edit_1ref" and case.id in ("000", "002")


def _row(
    case: Case,
    spec: ModelSpec,
    level: int,
    encoders: tuple[str, ...],
    rng: random.Random,
    lost: bool,
    spoil: bool,
) -> dict[str, Any]:
    scores: dict[str, float | None] = {}
    for prefix in encoders:
        for name in COLUMNS[prefix]:
            scores[name] = _score(name, prefix, level, case, rng)
    reason = "refused: I cannot <help> with that"
    unscored = dict.fromkeys(scores, reason) if lost else {}
    if case.target is None:
        unscored |= {
            name: "the case has no target"
            for name in scores
            if name.endswith(("-Y", "-YG")) or name.startswith("PIX")
        }
    scores = {name: None if name in unscored else value for name, value in scores.items()}
    copied = spoil and _copied(case, spec)
    return {
        "case": case.id,
        "person": case.person_id,
        "split": case.split,
        "model": spec.label,
        "method": spec.method,
        "writer": spec.writer,
        "painter": spec.painter,
        "paradigm": spec.paradigm,
        "prompt": case.prompt if not spec.writer else f"{case.prompt}, in dusk light {EVIL}",
        "picture": None if lost else picture(case.id + spec.label).sha256,
        "fault": "refused" if lost else None,
        "detail": "I cannot <help> with that" if lost else "",
        "used": [0] if spec.method == "edit_1ref" else [0, 1] if spec.way == "edit" else [],
        "notes": ["one caption was empty"] if spec.method == "vprag_refs" else [],
        "scores": scores,
        "unscored": unscored,
        "cut": ["CLS"] if "CLS" in encoders and case.id == "000" else [],
        "strangers": {
            prefix: round(BASE[prefix] + rng.gauss(0, 1), 6)
            for prefix in encoders
            if prefix not in ("PIX", "LPIPS") and not lost
        },
        "copy": _copy(case) if copied and not lost else None,
    }


def _score(name: str, prefix: str, level: int, case: Case, rng: random.Random) -> float:
    if name == "PIX-PSNR":
        return round(9 + rng.random(), 6)
    if prefix == "PIX":
        return round(0.1 + 0.05 * rng.random(), 6)
    if name in ("CLS-T", "CLS-TG"):
        return round(32 - 0.3 * level + rng.gauss(0, 0.5), 6)
    split = 0.5 if case.split == "real" else 0.0
    if prefix == "LPIPS":
        return round(BASE[prefix] - 0.01 * level + rng.gauss(0, 0.01), 6)
    return round(BASE[prefix] + split + 0.9 * level + rng.gauss(0, 1.5), 6)


def _copy(case: Case) -> dict[str, Any]:
    return {
        "reference": 1,
        "path": case.references[1],
        "by": ["PAL"],
        "figures": [
            {
                "metric": "PAL",
                "reference": 1,
                "value": 99.1,
                "thresholds": [97.25, 97.5],
                "beyond": True,
                "few": True,
            }
        ],
        "words": "Seems to copy reference 2: PAL 99.1, real pictures 97.25.",
    }


def _lifts(rows: list[dict[str, Any]], chosen: list[Case]) -> list[dict[str, Any]]:
    pairs: dict[tuple[str, str], dict[str, tuple[float, float]]] = {}
    for row in rows:
        for prefix, stranger in row["strangers"].items():
            own = row["scores"][f"{prefix}-R"]
            pairs.setdefault((row["model"], prefix), {})[row["case"]] = (own, stranger)
    persons = {case.id: case.person_id for case in chosen}
    return [
        lift_of(model, prefix, found, persons, 200, 0).model_dump(mode="json")
        for (model, prefix), found in pairs.items()
    ]


def _bands(encoders: tuple[str, ...]) -> list[dict[str, Any]]:
    found = []
    for prefix in encoders:
        if prefix == "PIX":
            continue
        lower = prefix == "LPIPS"
        middle = BASE[prefix]
        step = -0.05 if lower else 8.0
        found.append(
            {
                "metric": prefix,
                "nearer": "lower" if lower else "higher",
                "real": _band(middle + step, abs(step), 31),
                "strangers": _band(middle, abs(step), 400),
                "thresholds": [middle + 2.2 * step],
                "separation": 0.81,
            }
        )
    return found


def _band(middle: float, width: float, pairs: int) -> dict[str, Any]:
    few = f"rests on {pairs} pairs, and 50 are asked for" if pairs < 50 else None
    return {
        "pairs": pairs,
        "persons": 8,
        "low": middle - width,
        "median": middle,
        "high": middle + width,
        "few": few,
    }


def _shown(case: Case, rows: list[dict[str, Any]]) -> dict[str, Any]:
    outputs = [
        {
            "model": row["model"],
            "prompt": row["prompt"],
            "used": row["used"],
            "picture": row["picture"],
            "scores": row["scores"],
            "copy": row["copy"],
        }
        | small(picture(case.id + row["model"]) if row["picture"] else "refused: I cannot <help>")
        for row in rows
        if row["case"] == case.id
    ]
    return {
        "case": case.id,
        "person": case.person_id,
        "split": case.split,
        "prompt": case.prompt,
        "references": [{"path": path} | small(picture(path)) for path in case.references],
        "target": None
        if case.target is None
        else {"path": case.target} | small(picture(case.target)),
        "outputs": outputs,
    }


def write_judged(
    run: Path, name: str = "a1b2c3", *, splits: tuple[str, ...] = ("real",), judges: int = 2
) -> Path:
    """Write one judging: two judges, one of whom refuses now and then; real ratings of it."""
    rows = [json.loads(line) for line in (run / "results.jsonl").read_text().splitlines()]
    wanted = [row for row in rows if row["split"] in splits and row["picture"] is not None]
    models = list(dict.fromkeys(row["model"] for row in wanted))
    rng = random.Random(5)
    pairs, verdicts = [], []
    for case in dict.fromkeys(row["case"] for row in wanted):
        there = {row["model"]: row for row in wanted if row["case"] == case}
        for a, b in combinations([model for model in models if model in there], 2):
            first = there[a]
            pair = Comparison(
                id=f"{case}:{models.index(a)}:{models.index(b)}",
                case_id=case,
                person_id=first["person"],
                prompt="a door",
                model_a=a,
                model_b=b,
                picture_a=first["picture"],
                picture_b=there[b]["picture"],
            )
            pairs.append(pair)
            names = [f"judge_{place}|<i>" for place in range(judges)]
            verdicts += [_verdict(pair, name, models, rng) for name in names]
    metrics = {
        column: {
            row["model"]: row["columns"][column]["mean"]
            for row in json.loads((run / "summary.json").read_text())["overall"]["models"]
        }
        for column in json.loads((run / "summary.json").read_text())["overall"]["models"][0][
            "columns"
        ]
    }
    result = arena(verdicts, ArenaSettings(draws=200), models=models, metrics=metrics)
    folder = run / "judged" / name
    folder.mkdir(parents=True)
    write_comparisons(pairs, folder / "comparisons.jsonl")
    write_verdicts(verdicts, folder / "verdicts.jsonl")
    _write(folder / "arena.json", [result.model_dump(mode="json")])
    _write(
        folder / "certificates.jsonl",
        [certificate(f"judge_{place}|<i>", passed=place == 0) for place in range(judges)],
    )
    return folder


def _verdict(pair: Comparison, judge: str, models: list[str], rng: random.Random) -> Verdict:
    common = {
        "comparison_id": pair.id,
        "case_id": pair.case_id,
        "person_id": pair.person_id,
        "judge": judge,
        "model_a": pair.model_a,
        "model_b": pair.model_b,
        "flipped": rng.random() < 0.5,
    }
    if rng.random() < 0.04:
        return Verdict(**common, choice=None, outcome="refused", detail="I cannot judge this.")
    gap = models.index(pair.model_a) - models.index(pair.model_b)
    stated = "a" if rng.gauss(0.5 * gap, 1.5) > 0 else "b"
    sure = round(rng.uniform(0.55, 1.0), 2)
    return Verdict(
        **common,
        choice="tie" if sure < 0.7 else stated,
        stated=stated,
        tie="low_confidence" if sure < 0.7 else None,
        confidence=sure,
        reason=f"It has the dusk light this person keeps choosing. {EVIL}",
    )


def certificate(judge: str, passed: bool) -> dict[str, Any]:
    """Return a certificate of five probes; one that did not pass failed the position probe."""
    names = ("identical", "position", "length", "planted", "refusals")
    probes = tuple(
        Probe(
            name=name,
            asked=8,
            counted=8,
            share=0.9 if name == "position" and not passed else 0.125,
            limit=0.75 if name == "position" else 0.25,
            passed=passed or name != "position",
            detail="1 of 8 pairs",
        )
        for name in names
    )
    found = Certificate(judge=judge, fingerprint="j" * 8, probes=probes, passed=passed)
    return found.model_dump(mode="json")


def _write(path: Path, values: list[Any]) -> None:
    text = "".join(json.dumps(value, ensure_ascii=False) + "\n" for value in values)
    path.write_text(text, encoding="utf-8")
