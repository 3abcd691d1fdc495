"""The result of a run on a terminal: headline first, in at most 100 columns."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from eyeprint.report.grids import Cell, Grid
from eyeprint.report.run_folder_view import FinishedRun
from eyeprint.report.vptt_grids import compact_grid, overview_grid, rankings_grid
from eyeprint.report.words import counted, headline, method_title, writer_title

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

WIDTH = 100
STYLES = {"best": "bold green", "second": "underline", "": ""}
ELSEWHERE = 6
"""Methods from which on a table of one column per method would not fit."""


def print_summary(console: Console, run: FinishedRun) -> None:
    """Print headline, tables and what was left out of a finished run."""
    from rich.text import Text

    width = min(WIDTH, console.width)
    said = headline(run)
    console.print(Text(said[0], style="bold"), width=width)
    for line in said[1:]:
        console.print(Text(line), width=width)
    print_grid(console, _narrow(overview_grid(run)), width)
    compact = compact_grid(run)
    if compact is not None and len(compact.columns) < ELSEWHERE + 2:
        print_grid(console, compact, width)
    print_grid(console, rankings_grid(run), width)
    for line in _left_out(run):
        console.print(Text(line, style="yellow"), width=width)
    writers = ", ".join(writer_title(name) for name in run.settings.writers)
    console.print(
        Text(
            f"{counted(run.summary.overall.persons, 'person', 'people')}; encoder "
            f"{run.summary.encoder.name or run.settings.encoder_name}; written by {writers}.",
            style="dim",
        ),
        width=width,
    )


def _narrow(grid: Grid) -> Grid:
    """Keep what fits: the intervals of score and lift, the means of the rest."""
    kept = ((0, False), (1, True), (2, False), (3, False), (5, True), (6, False))
    return replace(
        grid,
        columns=tuple(grid.columns[place] for place, _ in kept),
        rows=tuple(
            tuple(row[p] if whole else replace(row[p], aside="") for p, whole in kept)
            for row in grid.rows
        ),
    )


def print_grid(
    console: Console, grid: Grid, width: int, numbers: Collection[int] | None = None
) -> None:
    """Print a grid as a table, without its note.

    Args:
        console: where to.
        grid: the table.
        width: characters of a line.
        numbers: places of the columns that stand to the right; by default all but the labels.
    """
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(
        box=SIMPLE_HEAD,
        title=Text(grid.title, style="bold"),
        title_justify="left",
        padding=(0, 1, 0, 0),
        pad_edge=False,
    )
    right = range(grid.labels, len(grid.columns)) if numbers is None else numbers
    for place, name in enumerate(grid.columns):
        side: Literal["left", "right"] = "right" if place in right else "left"
        table.add_column(Text(name), justify=side, overflow="fold")
    for place, row in enumerate(grid.rows):
        table.add_row(*(_text(cell) for cell in row), end_section=place + 1 in grid.breaks)
    console.print(table, width=width)


def _text(cell: Cell) -> Text:
    from rich.text import Text

    text = Text(cell.printed, style=STYLES[cell.mark])
    if cell.aside:
        text.append(" " + cell.aside, style="dim")
    return text


def _left_out(run: FinishedRun) -> list[str]:
    lines = []
    counts = run.summary.counts
    if counts.failures:
        kinds = ", ".join(f"{kind} {n:,}" for kind, n in sorted(counts.failures.items()))
        total = sum(counts.failures.values())
        lines.append(
            f"{counted(total, 'prompt')} could not be written ({kinds}). "
            "The same command tries just those again."
        )
    lines += [
        f"{method_title(row.method)}: {counted(row.score_c.unscored, 'prompt')} of "
        f"{row.rows:,} without a score-c; means leave them out."
        for row in run.summary.overall.methods
        if row.score_c.unscored
    ]
    if run.summary.people.faults:
        lines.append(
            f"{counted(len(run.summary.people.faults), 'record')} of the people files could not "
            "be used; report.html names them."
        )
    lines += run.summary.encoder.notes
    return lines
