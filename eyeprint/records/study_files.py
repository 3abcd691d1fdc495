"""What people said, and metrics, in files: verdicts of raters, best-of-four picks, tables.

CHECKLIST P56 (verdicts of raters), P57 (picks) and P58 (metric columns).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from eyeprint.errors import BadRecord, DataError, shown
from eyeprint.records.csv_rows import read_csv_rows
from eyeprint.records.verdict_files import read_verdicts
from eyeprint.records.verdicts import Choice, Comparison, Verdict
from eyeprint.records.work import Work

ID_NAMES = ("comparison_id", "id")
RATER_NAMES = ("rater", "judge", "annotator", "participant")
CHOICE_NAMES = ("choice", "preferred", "preferred_image", "verdict", "answer")
CASE_NAMES = ("case_id", "case", "id")
PICK_NAMES = ("picked", "model", "choice", "pick")
MODEL_NAMES = ("model", "method", "name")
"""Columns under which each thing is looked for; the first that a row has counts."""

TABLES = (".csv", ".tsv", ".txt")
"""Endings of files that are read as tables."""
YES, NO = ("true", "1", "1.0", "yes"), ("", "false", "0", "0.0", "no")
"""What a column ``flipped`` may hold."""

BY_SIDE: Mapping[str, bool] = {"img1": True, "first": True, "left": True} | {
    "img2": False,
    "second": False,
    "right": False,
}
"""A choice by place -> whether it is what was shown first."""


class HumanVerdicts(NamedTuple):
    """Verdicts of raters, and the rows that could not be read."""

    verdicts: tuple[Verdict, ...]
    faults: tuple[BadRecord, ...]


class Pick(Work):
    """The picture that somebody chose among several for one case."""

    case_id: str
    model: str
    rater: str = ""


class Picks(NamedTuple):
    """Picks, and the rows that could not be read."""

    picks: tuple[Pick, ...]
    faults: tuple[BadRecord, ...]


class MetricTable(NamedTuple):
    """Columns of numbers by model; ``None`` where a cell is empty."""

    columns: dict[str, dict[str, float | None]]
    """Column -> model -> value."""
    faults: tuple[BadRecord, ...]


def read_human_verdicts(path: str | Path, comparisons: Iterable[Comparison]) -> HumanVerdicts:
    """Read verdicts of raters: JSONL as for judges, or a table (.csv, .tsv or .txt).

    A table has a column ``comparison_id`` (or ``id``), one ``rater``, and one ``choice``: a,
    b or tie; or img1 or img2 (first or second shown; a column ``flipped`` says whether
    ``model_b`` was first); or a model's name. A rater's second verdict on a comparison is a
    fault; rows that name no rater may be of several.

    Raises:
        DataError: the file cannot be read, or holds not one verdict.
    """
    path = Path(path)
    known = {comparison.id: comparison for comparison in comparisons}
    if path.suffix.lower() not in TABLES:
        found = read_verdicts([path])
        return HumanVerdicts(found.verdicts, found.faults)
    verdicts: list[Verdict] = []
    faults: list[BadRecord] = []
    lines: dict[tuple[str, str], int] = {}
    for line, row in read_csv_rows(path):
        if isinstance(row, BadRecord):
            faults.append(row)
            continue
        fault = _human(row, known, verdicts)
        rater = _first(row, RATER_NAMES)
        if fault is None and rater:
            earlier = lines.setdefault((verdicts[-1].comparison_id, rater), line)
            if earlier != line:
                del verdicts[-1]
                fault = (
                    "rater",
                    f"'{shown(rater)}' judged this comparison at line {earlier} already",
                )
        if fault is not None:
            faults.append(BadRecord(str(path), line, *fault))
    if not verdicts:
        raise DataError(_nothing(path, "verdict; columns comparison_id, rater, choice", faults))
    return HumanVerdicts(tuple(verdicts), tuple(faults))


def _human(
    row: dict[str, str], known: Mapping[str, Comparison], verdicts: list[Verdict]
) -> tuple[str, str] | None:
    """Add the verdict of a row, or return the field that cannot be read and why."""
    number = _first(row, ID_NAMES)
    comparison = known.get(number)
    if comparison is None:
        return "comparison_id", f"'{shown(number)}' is in no comparison"
    said = row.get("flipped", "").lower()
    if said not in YES + NO:
        # Taken for no, it would turn the verdict round.
        return "flipped", f"'{shown(said)}' is neither true nor false"
    flipped = said in YES
    choice = _choice(_first(row, CHOICE_NAMES), comparison, flipped)
    if choice is None:
        told = shown(_first(row, CHOICE_NAMES))
        return "choice", f"'{told}' is none of a, b, tie, img1, img2 and the two models' names"
    verdicts.append(
        Verdict(
            comparison_id=comparison.id,
            case_id=comparison.case_id,
            person_id=comparison.person_id,
            judge=_first(row, RATER_NAMES) or "rater",
            model_a=comparison.model_a,
            model_b=comparison.model_b,
            flipped=flipped,
            choice=choice,
            stated=choice,
            tie="explicit" if choice == "tie" else None,
        )
    )
    return None


def _choice(told: str, comparison: Comparison, flipped: bool) -> Choice | None:
    # A model may be called "a", so names come first.
    by_name: dict[str, Choice] = {comparison.model_a: "a", comparison.model_b: "b"}
    if told in by_name:
        return by_name[told]
    text = told.lower()
    if text in BY_SIDE:
        return "a" if BY_SIDE[text] != flipped else "b"
    letters: dict[str, Choice] = {"a": "a", "b": "b", "tie": "tie"}
    return letters.get(text)


def read_picks(path: str | Path) -> Picks:
    """Read a CSV of picks: a column ``case_id``, one ``picked`` (a model), optionally ``rater``.

    Raises:
        DataError: the file cannot be read, or holds not one pick.
    """
    picks: list[Pick] = []
    faults: list[BadRecord] = []
    for line, row in read_csv_rows(path):
        if isinstance(row, BadRecord):
            faults.append(row)
        elif not _first(row, PICK_NAMES):
            faults.append(BadRecord(str(path), line, "picked", "is empty"))
        else:
            picks.append(
                Pick(
                    case_id=_first(row, CASE_NAMES),
                    model=_first(row, PICK_NAMES),
                    rater=_first(row, RATER_NAMES),
                )
            )
    if not picks:
        raise DataError(_nothing(Path(path), "pick; columns case_id, picked", faults))
    return Picks(tuple(picks), tuple(faults))


def read_metric_table(path: str | Path) -> MetricTable:
    """Read a CSV with a column ``model`` and columns of numbers; columns of words are left out.

    Raises:
        DataError: the file cannot be read, has no column of models, none of numbers, or two rows
            of one model.
    """
    rows: dict[str, dict[str, str]] = {}
    faults: list[BadRecord] = []
    named = ""
    for line, row in read_csv_rows(path):
        if isinstance(row, BadRecord):
            faults.append(row)
            continue
        named = named or next((name for name in MODEL_NAMES if name in row), "")
        model = row.get(named, "")
        if not model:
            faults.append(BadRecord(str(path), line, "model", "no model is named"))
        elif model in rows:
            raise DataError(f"{path}:{line}: model '{shown(model)}' has a row already.")
        else:
            rows[model] = row
    if not rows:
        raise DataError(_nothing(Path(path), "model; columns model and metrics", faults))
    columns: dict[str, dict[str, float | None]] = {}
    for name in dict.fromkeys(name for row in rows.values() for name in row if name != named):
        cells = {model: row.get(name, "") for model, row in rows.items()}
        numbers = {model: _number(cell) for model, cell in cells.items()}
        if any(number is not None for number in numbers.values()):
            columns[name] = numbers
            odd = [m for m, cell in cells.items() if cell and numbers[m] is None]
            faults += [
                BadRecord(str(path), None, name, f"'{shown(cells[m])}' of {shown(m)} is no number")
                for m in odd
            ]
    if not columns:
        raise DataError(
            f"{path}: holds no column of numbers beside '{shown(named)}'. Numbers have a point, "
            "not a comma, before their decimals."
        )
    return MetricTable(columns, tuple(faults))


def _number(cell: str) -> float | None:
    try:
        value = float(cell)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _first(row: Mapping[str, str], names: Iterable[str]) -> str:
    return next((row[name] for name in names if row.get(name)), "")


def _nothing(path: Path, what: str, faults: list[BadRecord]) -> str:
    told = "".join(f"\n  {fault}" for fault in faults[:5])
    return f"{path}: holds not one {what} are needed.{told}"
