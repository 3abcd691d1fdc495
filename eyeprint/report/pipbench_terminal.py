"""The result of a PIPBench run on a terminal: headline first, in 80 columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from eyeprint.report.grids import Cell, Grid
from eyeprint.report.pipbench_arena_grids import arena_grids
from eyeprint.report.pipbench_columns import main_column
from eyeprint.report.pipbench_grids import lift_grid, score_grid
from eyeprint.report.pipbench_table_views import ImageTableView
from eyeprint.report.pipbench_view import FinishedPipbench, read_pipbench
from eyeprint.report.pipbench_words import headline, judges_text
from eyeprint.report.terminal import WIDTH, print_grid
from eyeprint.report.words import counted, listed

if TYPE_CHECKING:
    from rich.console import Console

MOST_NUMBERS = 6
"""Number columns of one table that have room beside a model's name."""


def print_pipbench(console: Console, run: str | Path | FinishedPipbench) -> None:
    """Print headline, scores by split, lifts, ratings, and what was left out.

    Args:
        console: where to.
        run: a finished run, or its folder.

    Raises:
        DataError: the folder holds no finished PIPBench run.
    """
    from rich.text import Text

    found = run if isinstance(run, FinishedPipbench) else read_pipbench(run)
    width = min(WIDTH, console.width)
    said = headline(found)
    console.print(Text(said[0], style="bold"), width=width)
    for line in said[1:]:
        console.print(Text(line), width=width)
    for table in found.summary.tables:
        print_grid(console, _scores(found, table), width)
    lifts = lift_grid(found)
    if lifts is not None:
        print_grid(console, _lifts(lifts), width)
    for judged in found.judged:
        grids = arena_grids(found, judged)
        if "ratings" in grids:
            print_grid(console, _columns(grids["ratings"], (0, 1, 2, 3, 5), {2}), width)
        if "certificates" in grids:
            print_grid(console, _columns(grids["certificates"], (0, 1, 2, 3, 4)), width)
    for line in _left_out(found):
        console.print(Text(line, style="yellow"), width=width)
    encoders = listed(list(found.summary.encoders)) or "none"
    overall = found.summary.overall
    judged_by = dict.fromkeys(filter(None, map(judges_text, found.judged)))
    judges = "".join(f"; judged by {who}" for who in judged_by)
    console.print(
        Text(
            f"{counted(overall.cases, 'case')} of {counted(overall.persons, 'person', 'people')}; "
            f"compared by {encoders}{judges}.",
            style="dim",
        ),
        width=width,
    )


def _columns(grid: Grid, kept: Sequence[int], with_ends: set[int] | None = None) -> Grid:
    """Keep some columns, and intervals of few of them."""

    def cell(row: Sequence[Cell], place: int) -> Cell:
        keep = with_ends is not None and place in with_ends
        return row[place] if keep else replace(row[place], aside="")

    return replace(
        grid,
        columns=tuple(grid.columns[place] for place in kept),
        rows=tuple(tuple(cell(row, place) for place in kept) for row in grid.rows),
        labels=sum(place < grid.labels for place in kept),
        prose=frozenset(),
    )


def _scores(run: FinishedPipbench, table: ImageTableView) -> Grid:
    """Keep models and means; the main column has its interval where there is room."""
    grid = score_grid(run, table)
    main = main_column(table.columns)
    numbers = list(range(2, len(grid.columns)))[:MOST_NUMBERS]
    named = {place for place in numbers if main and grid.columns[place].startswith(main.name)}
    ends = named if len(numbers) <= 3 else set()
    return _columns(grid, [0, *numbers], ends)


def _lifts(grid: Grid) -> Grid:
    """Keep the lift itself, with its interval where one or two encoders looked."""
    places = [place for place, name in enumerate(grid.columns) if name.endswith(" lift")]
    shown = places[:3]
    return _columns(grid, [0, *shown], set(shown) if len(shown) < 3 else None)


def _left_out(run: FinishedPipbench) -> list[str]:
    lines = []
    if run.summary.pictures.faults:
        bad = counted(len(run.summary.pictures.faults), "picture")
        lines.append(f"{bad} of the data could not be used; report.html names them.")
    if run.summary.faults:
        left = counted(len(run.summary.faults), "record")
        lines.append(f"{left} of the cases could not be used; report.html names them.")
    cut = {name: n for name, n in run.summary.overall.cut_prompts.items() if n}
    lines += [f"{name} read only the start of {counted(n, 'prompt')}." for name, n in cut.items()]
    return [*lines, *run.summary.notes]
