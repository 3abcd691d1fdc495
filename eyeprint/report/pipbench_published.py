"""The paper's Tables 1-3 and 7 beside a run that has their columns (CHECKLIST X14, P80).

Only numbers are kept, in ``data/pipbench_published.json``. A row is joined with a model of
the run by method, writer and painter, or by the name of pictures that were made elsewhere.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from pydantic import Field

from eyeprint.report.grids import Cell, Grid
from eyeprint.report.pipbench_columns import Model, digits, models_of, split_title
from eyeprint.report.pipbench_grids import split_id
from eyeprint.report.pipbench_table_views import ImageTableView
from eyeprint.report.pipbench_view import FinishedPipbench
from eyeprint.report.run_files import View
from eyeprint.report.words import NONE, number

PLACE = Path(__file__).parent / "data" / "pipbench_published.json"
CAUTION = (
    "As published. The paper’s data, weights, judges and pictures are not those of this run: "
    "read orders and distances, not single numbers. Ratings of different tables have pools of "
    "their own."
)


class HereView(View):
    """Which model of a run is the published one."""

    method: str
    writer: str = ""
    painter: str = ""


class PublishedRow(View):
    """One row of a published table."""

    model: str
    group: str = ""
    here: HereView | None = None
    synthetic: dict[str, float] = Field(default_factory=dict)
    real: dict[str, float] = Field(default_factory=dict)

    def values(self, split: str) -> Mapping[str, float]:
        """Return column -> value of one split; none of a split that was not published."""
        return {"synthetic": self.synthetic, "real": self.real}.get(split, {})


class PublishedTable(View):
    """One published table."""

    id: str
    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[PublishedRow, ...]


@cache
def published_tables() -> tuple[PublishedTable, ...]:
    """Return the published tables.

    >>> [(table.name, len(table.rows)) for table in published_tables()]
    [('Table 1', 10), ('Table 2', 3), ('Table 3', 7), ('Table 7', 10)]
    """
    value = json.loads(PLACE.read_text(encoding="utf-8"))
    return tuple(PublishedTable.model_validate(table) for table in value["tables"])


def published_grids(run: FinishedPipbench, table: ImageTableView) -> list[Grid]:
    """Return the published tables of one split that share reference columns with it."""
    own = {column.name for column in table.columns}
    found = []
    for published in published_tables():
        shared = [name for name in published.columns if name in own]
        if not any(name.endswith(("-R", "-G")) for name in shared):
            continue
        if not any(row.values(table.split) for row in published.rows):
            continue
        found.append(_grid(run, table, published))
    return found


def _grid(run: FinishedPipbench, table: ImageTableView, published: PublishedTable) -> Grid:
    models = models_of(run)
    names = [
        n for n in published.columns if any(n in r.values(table.split) for r in published.rows)
    ]
    rows = []
    for row in published.rows:
        model = matching(row, models)
        cells = [Cell(row.model, method=model.label if model else "")]
        for name in names:
            value = row.values(table.split).get(name)
            cells.append(Cell(_shown(name, value), _here(run, table, model, name)))
        rows.append(tuple(cells))
    return Grid(
        split_id(f"published-{published.id}", table),
        f"The paper’s {published.name}, {split_title(table.split).lower()}: {published.title}",
        ("Published model", *("Rating" if name == "Elo" else name for name in names)),
        tuple(rows),
        note=CAUTION,
    )


def _shown(name: str, value: float | None) -> str:
    if value is None:
        return NONE
    return number(value, 0 if name == "Elo" else 4 if name.startswith("LPIPS") else 3)


def _here(run: FinishedPipbench, table: ImageTableView, model: Model | None, name: str) -> str:
    """Say what this run found where the published number stands."""
    if model is None:
        return ""
    if name == "Elo":
        found = [j.arena for j in run.judged if j.arena and j.splits == {table.split}]
        row = found[0].rated(model.label) if found else None
        return "" if row is None else f"here {row.rating:.0f}"
    column, measure = table.column(name), table.measure(model.label, name)
    if column is None or measure is None or measure.mean is None:
        return ""
    return f"here {number(measure.mean, digits(column))}"


def matching(row: PublishedRow, models: tuple[Model, ...]) -> Model | None:
    """Return the run's model that a published row is about, or ``None``.

    A dated or an instruct version of a writer is that writer; a smaller sibling is not.
    """
    for model in models:
        if _plain(model.label) == _plain(row.model):
            return model
    here = row.here
    if here is None:
        return None
    for model in models:
        if model.method != here.method or here.painter not in model.painter.lower():
            continue
        ending = rf"{re.escape(here.writer)}(-instruct)?(-\d{{4}}.*)?$"
        if not here.writer or re.search(ending, model.writer.lower()):
            return model
    return None


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())
