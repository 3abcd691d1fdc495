"""The end of a PIPBench run: scores into ``results.jsonl``, tables into ``summary.json``.

``gallery.jsonl`` holds small pictures of some cases, so that a report can be made from the
run's folder alone, wherever the data are.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from sys import intern
from typing import Any

from eyeprint.errors import BadRecord
from eyeprint.protocols.display import Display
from eyeprint.protocols.pipbench_album import Album
from eyeprint.protocols.pipbench_bands import alarm_of
from eyeprint.protocols.pipbench_gallery import gallery_rows
from eyeprint.protocols.pipbench_plan import PipbenchPlan
from eyeprint.protocols.pipbench_scoring import (
    Gallery,
    encode_all,
    picture_vectors,
    score_cases,
    scorer_of,
)
from eyeprint.protocols.run_digests import digest_of, remove_other_tables, still_whole
from eyeprint.records.cases import Painting
from eyeprint.records.json_lines import read_json_lines
from eyeprint.records.json_text import json_line
from eyeprint.records.whole_files import write_whole
from eyeprint.scores.image_claims import (
    Beaten,
    Means,
    beaten_reference,
    rank_moves,
    split_gaps,
)
from eyeprint.scores.image_columns import column_named
from eyeprint.scores.image_lift import ImageLift, lift_of
from eyeprint.scores.image_rows import ImageRow
from eyeprint.scores.image_table import ImageTable, image_tables
from eyeprint.store.picture_files import PictureFiles
from eyeprint.store.run_folder import RunFolder
from eyeprint.store.work import WorkSummary

MADE_OF = ("results.jsonl", "cases.jsonl", "gallery.jsonl")
"""Files that a report reads beside ``summary.json``, which holds their digests."""
RESULTS = "results.jsonl"


def score_and_summarise(
    plan: PipbenchPlan,
    run: RunFolder,
    album: Album,
    files: PictureFiles,
    paintings: Iterable[Painting],
    display: Display,
) -> WorkSummary | None:
    """Score what was painted and write results, gallery and summary; nothing is done twice.

    ``paintings`` is walked several times. Returns how the scoring ended, ``None`` where all
    was there; results and summary are written only where nothing has stopped it.
    """
    table = run.table("paintings")
    digest = digest_of(table.merged_path, table.failures_path)
    if still_whole(run.path, digest, MADE_OF):
        return None
    name = f"scores-{digest[:12]}"
    remove_other_tables(run.path, "scores-", name)
    gallery = Gallery(album, files)
    settings = plan.run.score.images
    vectors = picture_vectors(plan, run.path)
    encode_all(plan, gallery, paintings, vectors, settings, display)
    alarm = alarm_of(plan, album, vectors)
    scorer = scorer_of(plan, gallery, vectors, settings, alarm)
    end = score_cases(plan, run, scorer, paintings, name, display)
    if end.stopped is not None:
        return end
    display.stage("making tables", None)
    _flatten(run.table(name).merged_path, run.path / RESULTS)
    rows = KeptRows(run.path / RESULTS)
    write_whole(run.path / "gallery.jsonl", map(json_line, gallery_rows(plan, gallery, rows)))
    summary = summary_of(plan, rows)
    summary["bands"] = [bands.model_dump(mode="json") for _, bands in alarm.metrics]
    summary["pictures"] = {
        "faults": dict(sorted((album.faults | gallery.faults).items())),
        "gate": {path: list(done) for path, done in sorted(album.done.items())},
    }
    summary["encoders"] = {
        name: {"column": encoder.column, "fingerprint": encoder.fingerprint}
        for name, encoder in plan.encoders.items()
    }
    if plan.distance is not None:
        summary["encoders"]["lpips"] = {
            "column": plan.distance.column,
            "fingerprint": plan.distance.fingerprint,
        }
    summary["notes"] = list(plan.notes)
    summary["faults"] = [str(fault) for fault in plan.cases.faults[:200]]
    summary["made_from"] = digest
    summary["digests"] = {name: digest_of(run.path / name) for name in MADE_OF}
    text = json.dumps(summary, ensure_ascii=False, indent=1, allow_nan=False)
    write_whole(run.path / "summary.json", [text.encode("utf-8", "surrogatepass"), b"\n"])
    remove_other_tables(run.path, "scores-", None)
    return end


class KeptRows:
    """The rows of ``results.jsonl``, read anew at each walk: prompts and notes are never held.

    Raises:
        BadRecord: while walking, a line is cut or is no JSON object.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return read_rows(self._path)


def read_rows(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the rows of ``results.jsonl``.

    Raises:
        BadRecord: a line is cut or is no JSON object.
    """
    for _, value in read_json_lines(path):
        if isinstance(value, BadRecord):
            raise value
        yield value


def image_rows(rows: Iterable[Mapping[str, Any]]) -> list[ImageRow]:
    """Return what tables are made of: numbers, and names that all rows share.

    All of them are held at once, about 75 bytes for each number (:func:`_shared`).
    """
    return [
        ImageRow(
            case_id=intern(row["case"]),
            person_id=intern(row["person"]),
            split=intern(row["split"]),
            model=intern(row["model"]),
            values=_shared(row["scores"]),
            unscored=_shared(row["unscored"]),
            cut=row["cut"],
            method=intern(row["method"]),
            painter=intern(row["painter"]),
        )
        for row in rows
    ]


def _shared(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values under keys that all rows share: a parser makes new ones for each line."""
    return {
        intern(key): intern(value) if isinstance(value, str) else value
        for key, value in values.items()
    }


def summary_of(plan: PipbenchPlan, rows: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return tables, lifts, claims and counts as plain values; ``rows`` is walked three times."""
    scored = image_rows(rows)
    chance = {"draws": plan.run.bootstraps, "seed": plan.run.seed}
    settings = plan.run.score.tables.model_copy(update=chance)
    tables = image_tables(scored, by=("split",), settings=settings)
    whole = image_tables(scored, by=(), settings=settings)[0]
    return {
        "tables": [table.model_dump(mode="json") for table in tables],
        "overall": whole.model_dump(mode="json"),
        "lifts": [lift.model_dump(mode="json") for lift in lifts_of(plan, rows)],
        "claims": claims_of(tables),
        "counts": counts_of(rows),
        "paradigms": {spec.label: spec.paradigm for spec in plan.run.models},
        "data": [split._asdict() | {"told": split.told()} for split in plan.cases.counts()],
    }


def lifts_of(plan: PipbenchPlan, rows: Iterable[Mapping[str, Any]]) -> list[ImageLift]:
    """Return the lift over strangers of every model in every encoder."""
    persons = {case.id: case.person_id for case in plan.cases}
    pairs: dict[tuple[str, str], dict[str, tuple[float, float]]] = {}
    for row in rows:
        for prefix, stranger in row["strangers"].items():
            own = row["scores"].get(f"{prefix}-R")
            if own is not None:
                pairs.setdefault((row["model"], prefix), {})[row["case"]] = (own, stranger)
    return [
        lift_of(model, prefix, found, persons, plan.run.bootstraps, plan.run.seed)
        for (model, prefix), found in pairs.items()
    ]


def claims_of(tables: Sequence[ImageTable]) -> dict[str, Any]:
    """Return what the tables say about the paper's claims (P48, P65), as numbers."""
    gray: list[dict[str, Any]] = []
    beaten: list[dict[str, Any]] = []
    for table in tables:
        means = table.means()
        for colour in means:
            other = colour[:-2] + "-G" if colour.endswith("-R") else colour + "G"
            if other in means and other != colour:
                moves = rank_moves(means[colour], means[other], column_named(colour).better)
                gray.append(
                    table.group | {"colour": colour, "gray": other} | moves.model_dump(mode="json")
                )
        beaten += [table.group | each.model_dump(mode="json") for each in _beaten(table, means)]
    gaps: list[dict[str, Any]] = []
    by_split = {table.group.get("split"): table for table in tables}
    if "synthetic" in by_split and "real" in by_split:
        first, second = by_split["synthetic"], by_split["real"]
        for reference, models in _compared(first).items():
            left, right = _only(first.means(), models), _only(second.means(), models)
            gaps += [gap.model_dump(mode="json") for gap in split_gaps(left, right, reference)]
    return {"gray": gray, "beaten": beaten, "gaps": gaps}


def _compared(table: ImageTable) -> dict[str | None, list[str]]:
    """Return unconditioned model -> itself and the models that are held against it.

    Each is held against the one with its own painter. Where there is only one, as in the
    paper, all are; else those of other painters stand under ``None``.
    """
    plain = [row.model for row in table.models if row.method == table.settings.reference]
    found: dict[str | None, list[str]] = {model: [model] for model in plain}
    for row in table.models:
        if row.model not in plain:
            own = plain[0] if len(plain) == 1 else row.reference
            found.setdefault(own, []).append(row.model)
    return found


def _only(means: Means, models: Sequence[str]) -> dict[str, dict[str, float | None]]:
    return {
        column: {model: each[model] for model in models if model in each}
        for column, each in means.items()
    }


def _beaten(table: ImageTable, means: Means) -> list[Beaten]:
    """Return, for each column against references, who does better than the unconditioned model."""
    told: dict[str, list[Beaten]] = {}
    for reference, models in _compared(table).items():
        if reference is not None:
            for each in beaten_reference(_only(means, models), reference):
                if each.column.endswith("-R"):
                    told.setdefault(each.column, []).append(each)
    return [
        Beaten(
            column=column,
            better=tuple(model for each in found for model in each.better),
            not_better=tuple(model for each in found for model in each.not_better),
        )
        for column, found in told.items()
    ]


def counts_of(rows: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return pictures, missing ones by reason, and copy flags, for each model."""
    made: Counter[str] = Counter()
    missing: dict[str, Counter[str]] = {}
    copies: Counter[str] = Counter()
    for row in rows:
        made[row["model"]] += row["picture"] is not None
        if row["picture"] is None:
            missing.setdefault(row["model"], Counter())[row["fault"] or "missing"] += 1
        copies[row["model"]] += row["copy"] is not None
    return {
        "pictures": dict(made),
        "missing": {model: dict(sorted(kinds.items())) for model, kinds in missing.items()},
        "copies": {model: count for model, count in copies.items() if count},
    }


def _flatten(scores: Path, results: Path) -> None:
    def lines() -> Iterator[bytes]:
        with scores.open(encoding="utf-8") as records:
            for record in records:
                yield from map(json_line, json.loads(record)["rows"])

    write_whole(results, lines())
