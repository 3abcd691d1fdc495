"""How an MMPB report is laid out: which settings come first, what is folded away, whose colour.

A run may have one model in thirty settings or 23 models in four; what is compared then stands in
rows, and what there is less of in columns.
"""

from __future__ import annotations

from collections.abc import Iterable

from eyeprint.report.grids import Cell
from eyeprint.report.mmpb_found_views import DifferenceView, MeanView, ShareView
from eyeprint.report.mmpb_summary_views import ResultsView
from eyeprint.report.mmpb_words import ends, percent
from eyeprint.report.words import NONE

MAIN_SETTINGS = 4
"""Settings that figures show: the paper compares four."""
PAPER = ("text:moderate · 0 turns", "image:2 · 0 turns", "text:moderate · 10 turns",
         "image:2 · 10 turns")  # fmt: skip
MOST_OPEN = 12
"""Rows up to which a figure or table is shown at once; longer ones are folded."""


def tones_of(results: ResultsView) -> dict[str, int]:
    """Return model -> colour; from eight models on colours come again, and names tell."""
    return {model.model: (place + 1) % 8 for place, model in enumerate(results.models)}


def own_settings(results: ResultsView) -> list[str]:
    """Return labels of the settings with their own concept and visible pictures, in grid order."""
    return [
        one.label
        for one in results.settings
        if one.setting.control == "own" and not one.setting.blind
    ]


def main_settings(results: ResultsView) -> list[str]:
    """Return the settings that speak first: the paper's four, else the plain ones, else any."""
    there = {one.label: one.setting for one in results.settings}
    paper = [label for label in PAPER if label in there]
    plain = [label for label, setting in there.items() if setting.plain and label not in paper]
    found = [*paper, *plain] or own_settings(results) or list(there)
    return found[:MAIN_SETTINGS]


def share_cell(share: ShareView | MeanView | None, mark: str = "") -> Cell:
    """Return a share in per cent with its interval."""
    if share is None or share.value is None:
        return Cell(NONE)
    return Cell(percent(share.value), ends(share), mark)


def difference_cell(difference: DifferenceView | None) -> Cell:
    """Return a difference in points with its sign and interval."""
    if difference is None or difference.value is None:
        return Cell(NONE)
    return Cell(percent(difference.value, sign=True), ends(difference, sign=True))


def model_cell(model: str | None, together: str = "All models") -> Cell:
    """Return a model's name, in its colour."""
    return Cell(together) if model is None else Cell(model, method=model)


def unrepeated(rows: Iterable[tuple[Cell, ...]], labels: int = 1) -> tuple[tuple[Cell, ...], ...]:
    """Mark label cells that say what the row above says, so that what is printed leaves them out.

    >>> rows = unrepeated([(Cell("a"), Cell("1")), (Cell("a"), Cell("1"))])
    >>> [(row[0].printed, row[1].printed) for row in rows]
    [('a', '1'), ('', '1')]
    """
    found: list[tuple[Cell, ...]] = []
    before: tuple[str, ...] = ()
    for row in rows:
        names = tuple(cell.text for cell in row[:labels])
        shown = [
            Cell(c.text, c.aside, c.mark, same=True) if names[: k + 1] == before[: k + 1] else c
            for k, c in enumerate(row[:labels])
        ]
        found.append((*shown, *row[labels:]))
        before = names
    return tuple(found)


def breaks_of(rows: Iterable[tuple[Cell, ...]]) -> frozenset[int]:
    """Return the rows at which the first column changes, but for the first row."""
    return frozenset(place for place, row in enumerate(rows) if place and row and not row[0].same)


def p_text(p: float | None) -> str:
    """Return a p-value.

    >>> p_text(0.0321), p_text(0.00004), p_text(None)
    ('0.032', '< 0.001', '—')
    """
    if p is None:
        return NONE
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def strategy_title(name: str) -> str:
    """Return how a question is put, as settings' labels name it.

    >>> strategy_title("few_shot_cot")
    'few shot cot'
    """
    return name.replace("_", " ")
