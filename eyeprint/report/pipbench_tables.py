"""Every table of a PIPBench run by what it is about, made once for the page and the exports."""

from __future__ import annotations

from typing import NamedTuple

from eyeprint.report.grids import Grid
from eyeprint.report.pipbench_arena_grids import arena_grids
from eyeprint.report.pipbench_claims import moves_grid
from eyeprint.report.pipbench_data_grids import (
    RowsFound,
    bands_grid,
    bounds_grid,
    copies_grid,
    data_grid,
    faults_grid,
    gate_grid,
    missing_grid,
    unscored_grid,
)
from eyeprint.report.pipbench_grids import (
    gray_grid,
    lift_grid,
    reference_grid,
    score_grid,
    target_grid,
)
from eyeprint.report.pipbench_painter_grid import painters_grid
from eyeprint.report.pipbench_published import published_grids
from eyeprint.report.pipbench_view import FinishedPipbench

Grids = tuple[Grid, ...]


class PipbenchTables(NamedTuple):
    """The tables, in the order of the report; what has no content is left out."""

    scores: Grids
    """One for each split, in the order of the summary's tables."""
    painters: Grids
    differences: Grids
    lifts: Grids
    judged: Grids
    """Of all judgings, one after the other."""
    gray: Grids
    moves: Grids
    target: Grids
    published: Grids
    bands: Grids
    copies: Grids
    missing: Grids
    unscored: Grids
    bounds: Grids
    faults: Grids
    gate: Grids
    data: Grids

    def in_order(self) -> list[Grid]:
        """Return all of them, one after the other."""
        return [grid for grids in self for grid in grids]


def pipbench_tables(run: FinishedPipbench, found: RowsFound) -> PipbenchTables:
    """Return every table of a run.

    Args:
        run: the finished run.
        found: what :func:`eyeprint.report.pipbench_data_grids.gather` took from its rows.
    """
    tables = run.summary.tables
    return PipbenchTables(
        scores=tuple(score_grid(run, table) for table in tables),
        painters=_some(*(painters_grid(run, table) for table in tables)),
        differences=_some(*(reference_grid(run, table) for table in tables)),
        lifts=_some(lift_grid(run)),
        judged=tuple(grid for one in run.judged for grid in arena_grids(run, one).values()),
        gray=_some(*(gray_grid(run, table) for table in tables)),
        moves=_some(moves_grid(run)),
        target=_some(*(target_grid(run, table) for table in tables)),
        published=tuple(grid for table in tables for grid in published_grids(run, table)),
        bands=_some(bands_grid(run)),
        copies=_some(copies_grid(run, found)),
        missing=_some(missing_grid(run, found)),
        unscored=_some(unscored_grid(run)),
        bounds=_some(bounds_grid(run)),
        faults=_some(faults_grid(run)),
        gate=_some(gate_grid(run)),
        data=_some(data_grid(run)),
    )


def _some(*grids: Grid | None) -> Grids:
    return tuple(grid for grid in grids if grid is not None)
