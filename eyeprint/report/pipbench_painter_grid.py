"""The same method painted by several painters, like the paper's Table 2 (P64)."""

from __future__ import annotations

from collections.abc import Sequence

from eyeprint.report.grids import Cell, Grid, marks
from eyeprint.report.pipbench_columns import Model, arrow, digits, split_title, table_columns
from eyeprint.report.pipbench_grids import measure_cell, present, split_id
from eyeprint.report.pipbench_table_views import ColumnView, ImageTableView
from eyeprint.report.pipbench_view import FinishedPipbench


def painters_grid(run: FinishedPipbench, table: ImageTableView) -> Grid | None:
    """Return methods that several painters painted, painter by painter, like Table 2 (P64)."""
    groups: dict[tuple[str, str], list[Model]] = {}
    for model in present(run, table):
        groups.setdefault((model.method, model.writer), []).append(model)
    several = [group for group in groups.values() if len({m.painter for m in group}) > 1]
    if not several:
        return None
    columns = table_columns(table.columns)
    rows: list[tuple[Cell, ...]] = []
    breaks = set()
    for group in several:
        if rows:
            breaks.add(len(rows))
        cells = [_marked_column(table, group, column) for column in columns]
        for place, model in enumerate(group):
            head = model.title.rpartition(" · ")[0] or model.title
            rows.append(
                (
                    Cell(model.painter, method=model.label),
                    Cell(head if place == 0 else ""),
                    *(column[place] for column in cells),
                )
            )
    return Grid(
        split_id("painters", table),
        f"By painter, {split_title(table.split).lower()}",
        ("Painter", "Method", *map(arrow, columns)),
        tuple(rows),
        2,
        "Best and second best are marked among the painters of one method.",
        frozenset(breaks),
    )


def _marked_column(table: ImageTableView, group: Sequence[Model], column: ColumnView) -> list[Cell]:
    cells = [measure_cell(table, model.label, column, mark=False) for model in group]
    found = [table.measure(model.label, column.name) for model in group]
    sign = 1 if column.better == "higher" else -1
    # Values that print alike share a mark: ``marks`` looks at three decimals.
    scale = sign * 10 ** (digits(column) - 3)
    means = [None if m is None or m.mean is None else scale * m.mean for m in found]
    return [
        Cell(cell.text, cell.aside, mark) for cell, mark in zip(cells, marks(means), strict=True)
    ]
