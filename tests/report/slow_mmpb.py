"""A slow, obvious twin of MMPB's tables: every number out of ``results.jsonl``, row by row."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from statistics import mean
from typing import Any

from eyeprint.records.concept_settings import ConceptSetting
from eyeprint.report.grids import Grid
from eyeprint.report.words import NONE

TYPES = ("awareness", "appropriateness", "coherency")
GROUPS = ("recognition", "preference")
CATEGORIES = ("human", "animal", "object", "character")
Row = dict[str, Any]
Cell = tuple[str, str]


class SlowTables:
    """Answers of a run's folder, by model and setting."""

    def __init__(self, folder: Path) -> None:
        self.cells: dict[Cell, dict[str, Row]] = {}
        with (folder / "results.jsonl").open(encoding="utf-8") as lines:
            for line in lines:
                row = json.loads(line)
                self.cells.setdefault((row["model"], row["setting"]), {})[row["question"]] = row

    def of(self, cell: Cell, key: str = "all") -> list[Row]:
        """Return the answers of one part of a cell."""
        return [row for row in self.cells[cell].values() if is_of(row, key)]

    def share(self, cell: Cell, key: str = "all") -> float | None:
        """Return the share that is right, of all that was asked."""
        return share(self.of(cell, key))

    def macro(self, cell: Cell) -> float:
        """Return the mean of the accuracies in the tasks that there are."""
        tasks: dict[tuple[str, ...], list[Row]] = {}
        for row in self.of(cell):
            tasks.setdefault((row["type"], row["group"], row["category"]), []).append(row)
        return mean(share(rows) or 0.0 for rows in tasks.values())

    def both(self, left: Cell, right: Cell, key: str = "all") -> list[tuple[bool, bool]]:
        """Return, for each question that two cells have, whether each is right."""
        other = self.cells[right]
        return [
            (row["right"], other[row["question"]]["right"])
            for row in self.of(left, key)
            if row["question"] in other
        ]

    def questions(self, key: str = "all") -> dict[str, Row]:
        """Return every question of a part once."""
        found = {row["question"]: row for rows in self.cells.values() for row in rows.values()}
        return {name: row for name, row in found.items() if is_of(row, key)}

    def chance(self, key: str = "all") -> float:
        """Return what guessing gets in a part."""
        return mean(row["chance"] for row in self.questions(key).values())


def is_of(row: Row, key: str) -> bool:
    """Whether a row belongs to a part, such as ``awareness · recognition · animal``."""
    tests: list[bool] = []
    for word in key.split(" · ") if key != "all" else []:
        if word in ("negated", "not negated"):
            tests.append(row["negated"] == (word == "negated"))
            continue
        tests.append(word in (row["type"], row["group"], row["category"], row["entities"],
                              row["target"]))  # fmt: skip
    return all(tests)


def share(rows: Iterable[Row]) -> float | None:
    """Return the share of right answers; ``None`` of nothing."""
    found = [row["right"] for row in rows]
    return sum(found) / len(found) if found else None


def difference(pairs: Iterable[tuple[bool, bool]]) -> float | None:
    """Return the share of the left less that of the right."""
    found = list(pairs)
    return sum(a - b for a, b in found) / len(found) if found else None


def counted(rows: Iterable[Row], value: Callable[[Row], Any]) -> Counter[Any]:
    """Return how often each value is there."""
    return Counter(value(row) for row in rows)


def table(grid: Grid) -> list[dict[str, str]]:
    """Return a grid's rows as column -> text."""
    assert grid.rows
    return [dict(zip(grid.columns, (cell.text for cell in row), strict=True)) for row in grid.rows]


class Printed:
    """A number that equals what is printed of it, rounded whichever way."""

    def __init__(self, value: float | None, sign: bool = False) -> None:
        self.value, self.sign = value, sign

    def __eq__(self, other: object) -> bool:
        text = str(other)
        if self.value is None or text == NONE:
            return self.value is None and text == NONE
        found = float(text.replace("−", "-"))
        signed = text[0] in "+−" or not found
        return signed >= self.sign and abs(found - self.value) <= 0.0501

    def __repr__(self) -> str:
        return f"Printed({self.value})"


def percent(value: float | None) -> Printed:
    """Return a share as it is printed."""
    return Printed(None if value is None else 100 * value)


def points(value: float | None) -> Printed:
    """Return a difference as it is printed."""
    return Printed(None if value is None else 100 * value, sign=True)


def own(labels: dict[str, ConceptSetting]) -> list[str]:
    """Return the settings with their own concept and visible pictures."""
    return [name for name, one in labels.items() if one.control == "own" and not one.blind]
