"""The tables of a report as plain grids, which every format then prints in its own way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Cell:
    """One cell: its text, smaller text beside it, and whether it is best or second best."""

    text: str
    aside: str = ""
    mark: str = ""
    """ "", "best" or "second"."""
    method: str = ""
    """Set where the cell names a method, so that it can be shown in its colour."""
    same: bool = False
    """Whether the cell above says the same: what is printed leaves it out; Markdown, whose rows
    are copied one by one, says it again."""

    @property
    def printed(self) -> str:
        """The text, or nothing where the cell above says it already."""
        return "" if self.same else self.text


@dataclass(frozen=True)
class Grid:
    """One table: title, columns, rows, and what a reader must know."""

    id: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    labels: int = 1
    """How many columns at the left are labels, not numbers."""
    note: str = ""
    breaks: frozenset[int] = frozenset()
    """Rows above which a new group begins."""
    prose: frozenset[int] = frozenset()
    """Columns of running text, not numbers: they stand to the left, and wrap."""


def marks(values: Sequence[float | None]) -> list[str]:
    """Mark the best and the second best of some values, equal values alike.

    Values that print alike (three decimals) count as equal. Where all are equal, none has a mark.

    >>> marks([0.5, 0.7, None, 0.7, 0.1])
    ['second', 'best', '', 'best', '']
    """
    known = sorted({round(value, 3) for value in values if value is not None}, reverse=True)
    if len(known) < 2:
        return [""] * len(values)
    names = dict(zip(known, ("best", "second"), strict=False))
    return ["" if value is None else names.get(round(value, 3), "") for value in values]
