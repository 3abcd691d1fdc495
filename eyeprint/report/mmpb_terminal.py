"""The result of an MMPB run on a terminal: headline first, in at most 100 columns."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from eyeprint.report.grids import Cell, Grid
from eyeprint.report.mmpb_accuracy_grids import bias_sentence
from eyeprint.report.mmpb_html import time_sentence
from eyeprint.report.mmpb_layout import difference_cell, main_settings, model_cell, share_cell
from eyeprint.report.mmpb_summary_views import ResultsView
from eyeprint.report.mmpb_table_views import CellView
from eyeprint.report.mmpb_titles import titled
from eyeprint.report.mmpb_view import FinishedMmpb, read_mmpb
from eyeprint.report.mmpb_words import CONTROLS, headline, not_compared, ordered_lifts, percent
from eyeprint.report.terminal import WIDTH, print_grid
from eyeprint.report.words import counted, number

if TYPE_CHECKING:
    from rich.console import Console

MOST_ROWS = 40
"""Cells that are printed; report.html has all."""


def print_mmpb(console: Console, run: str | Path | FinishedMmpb) -> None:
    """Print headline, accuracy of every cell, lifts, the paper's numbers, and what was left out.

    Args:
        console: where to.
        run: a finished run, or its folder.

    Raises:
        DataError: the folder holds no finished MMPB run.
    """
    from rich.text import Text

    found = titled(run if isinstance(run, FinishedMmpb) else read_mmpb(run))
    results, width = found.results, min(WIDTH, console.width)
    said = headline(found)
    console.print(Text(said[0], style="bold"), width=width)
    for line in said[1:]:
        console.print(Text(line), width=width)
    print_grid(console, _cells(results), width)
    left_out = len(results.cells) - len(_printed(results))
    if left_out:
        left = counted(left_out, "more cell")
        console.print(Text(f"{left}: see report.html.", style="dim"), width=width)
    lifts = _lifts(results)
    if lifts is not None:
        print_grid(console, lifts, width)
    told = [one for one in found.summary.published if one.here is not None]
    if told:
        print_grid(console, _published(found), width)
    changed = not_compared(found.summary.changed)
    if changed:
        console.print(Text(changed), width=width)
    bias = bias_sentence(results)
    if bias:
        console.print(Text(f"Bias: {bias}"), width=width)
    for line in _left_out(found):
        console.print(Text(line, style="yellow"), width=width)
    console.print(
        Text(
            f"{counted(results.questions, 'question')} about {counted(results.concepts, 'concept')}"
            f"; {counted(len(results.settings), 'setting')}. {time_sentence(found)}",
            style="dim",
        ),
        width=width,
    )


def _printed(results: ResultsView) -> tuple[CellView, ...]:
    """Return all cells where they are few, else those of the main settings."""
    if len(results.cells) <= MOST_ROWS:
        return results.cells
    main = set(main_settings(results))
    return tuple(cell for cell in results.cells if cell.setting in main)[:MOST_ROWS]


def _cells(results: ResultsView) -> Grid:
    cells = _printed(results)
    several = len({cell.model for cell in cells}) > 1
    rows = [
        (
            *((model_cell(cell.model),) if several else ()),
            Cell(cell.setting),
            share_cell(cell.share()),
            replace(share_cell(cell.macro), aside=""),
            Cell(f"{cell.outcomes.refused:,}"),
            Cell(f"{cell.outcomes.asked - cell.outcomes.answered - cell.outcomes.refused:,}"),
        )
        for cell in cells
    ]
    first = ("Model", "Setting") if several else ("Setting",)
    names = ("Accuracy, %", "Mean over tasks", "Refused", "Otherwise lost")
    title = "Accuracy" if several else f"Accuracy of {cells[0].model}"
    return Grid("cells", title, (*first, *names), tuple(rows), labels=len(first))


def _lifts(results: ResultsView) -> Grid | None:
    lifts = ordered_lifts(results)
    if not lifts:
        return None
    return Grid(
        "lifts",
        "Lift, in points",
        ("Model", "Against", "Right concept", "Control", "Lift"),
        tuple(
            (
                model_cell(one.model),
                Cell(CONTROLS.get(one.control, one.control)),
                Cell(percent(one.whole.left)),
                Cell(percent(one.whole.right)),
                difference_cell(one.whole),
            )
            for one in lifts
        ),
        labels=2,
    )


def _published(run: FinishedMmpb) -> Grid:
    rows = tuple(
        (Cell(one.what), Cell(number(one.published, 1)), Cell(number(one.here, 1)))
        for one in run.summary.published
        if one.here is not None
    )
    comparable = all(one.full_data for one in run.summary.published)
    title = "The paper beside this run" + ("" if comparable else " (other data: not comparable)")
    return Grid("published", title, ("What", "Paper", "Here"), rows)


def _left_out(run: FinishedMmpb) -> list[str]:
    lines = []
    if run.summary.pictures:
        bad = counted(len(run.summary.pictures), "picture")
        lines.append(f"{bad} of the data could not be used; report.html names them.")
    if run.summary.faults:
        left = counted(len(run.summary.faults), "record")
        lines.append(f"{left} of the data could not be used; report.html names them.")
    return [*lines, *run.results.notes, *run.summary.notes]
