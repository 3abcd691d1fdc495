"""Tables like PIPBench's Tables 1-3 and 7, with intervals, pairs and unscored counts (P46-P49).

A model is compared with others within cases. For every column of every model there are

- ``micro``: the mean over cases, as the released summary has it (default), and ``macro``: the
  mean over persons of their own means, each with an interval that resamples persons;
- how many outputs have no value, why, and between which bounds the mean would lie if all of
  those were the worst or the best there is (LPIPS and PSNR have a bound on one side only);
- the paired difference to the unconditioned method painted by the same painter;
- whether it is best or second best of its group, in the column's own direction (P49), by
  means over the cases that all candidates share: none gains by failing on hard cases.

The same rows in any order give the same numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from eyeprint.config import Settings
from eyeprint.errors import DataError, shown
from eyeprint.maths.intervals import ClusterBootstrap, Interval
from eyeprint.randomness import stream
from eyeprint.scores.image_columns import IMAGE_COLUMNS, ImageColumn, column_named
from eyeprint.scores.image_rows import ImageCells, ImageRow, Values, image_cells, person_means

Estimator = Literal["micro", "macro"]
GroupBy = Literal["split", "painter"]
Mark = Literal["best", "second"]
CONDITIONING = "conditioning"
"""The group of all models but the reference, when no groups are given."""


class ImageTableSettings(Settings):
    """How tables are made of image scores."""

    estimator: Estimator = "micro"
    """Mean over cases, as released, or over persons; the paper does not say (P47)."""
    reference: str = "no_preference"
    """The method that the others are compared with, and that takes no mark (P49)."""
    rank_on: Literal["common_cases", "all_cases"] = "common_cases"
    """Marks by means over the cases in which all candidates of a group have a value, or, as
    where there is none, over each one's own."""
    draws: int = Field(default=1000, ge=1)
    """Bootstrap resamples of persons."""
    level: float = Field(default=0.95, gt=0, lt=1)
    """Share of resamples inside an interval."""
    seed: int = 0
    """Seed of the resamples."""
    tie_tolerance: float = Field(default=1e-9, ge=0)
    """Means this close share a mark."""


class Frozen(BaseModel):
    """Base of the results: frozen and closed."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class ImageMeasure(Frozen):
    """One column of one model."""

    mean: float | None
    """By the estimator of the settings."""
    micro: Interval
    macro: Interval
    """``n`` counts persons here."""
    unscored: int
    reasons: dict[str, int]
    """Why outputs have no value -> how many, most frequent first."""
    mean_if_worst: float | None
    """The micro mean if every unscored output were the worst there is; ``None`` where there
    is no bound on that side."""
    mean_if_best: float | None
    minus_reference: Interval | None
    """Paired difference to the reference model; ``None`` for it, or without one."""
    mark: Mark | None = None
    ranked_cases: int | None = None
    """Cases that the mark, or its absence, rests on; ``None`` where no mark is given."""


class ImageModelRow(Frozen):
    """One model in one table."""

    model: str
    method: str
    painter: str
    reference: str | None
    """The model that it is compared with."""
    group: str | None
    """Whose best and second best it could be; ``None`` for none."""
    outputs: int
    """Outputs, scored or not."""
    columns: dict[str, ImageMeasure]


class ImageTable(Frozen):
    """All models over the cases of one group."""

    group: dict[str, str]
    """What the rows have in common, such as ``{"split": "real"}``."""
    cases: int
    persons: int
    columns: tuple[ImageColumn, ...]
    models: tuple[ImageModelRow, ...]
    """The reference models first, then by name."""
    cut_prompts: dict[str, int]
    """Prefix -> cases of whose prompt only the start was read (P46)."""
    settings: ImageTableSettings

    def row(self, model: str) -> ImageModelRow:
        """Return one model's row; KeyError when it is not in the table."""
        for row in self.models:
            if row.model == model:
                return row
        raise KeyError(model)

    def means(self) -> dict[str, dict[str, float | None]]:
        """Return column -> model -> mean, by the estimator of the settings."""
        return {
            column.name: {row.model: row.columns[column.name].mean for row in self.models}
            for column in self.columns
        }


def image_tables(
    rows: Sequence[ImageRow],
    columns: Sequence[ImageColumn] | None = None,
    by: Sequence[GroupBy] = ("split",),
    settings: ImageTableSettings | None = None,
    groups: Mapping[str, str] | None = None,
) -> list[ImageTable]:
    """Make one table per group of rows, groups in sorted order; ``by=()`` makes one of all.

    Args:
        rows: scores of outputs.
        columns: which columns, in order; ``None`` takes all that the rows have.
        by: what separates tables.
        settings: estimator, reference, intervals.
        groups: model -> name of the group in which it competes for marks; a model that is not
            named competes in none. ``None``: all but the reference in one group (P49).

    Raises:
        DataError: a case and model occur twice, a case belongs to two persons, or a column
            of the rows is none that image scores have.

    >>> rows = [ImageRow(c, c, "real", m, {"CLS-R": v}) for c, m, v in
    ...         [("1", "x", 60.0), ("1", "y", 70.0), ("2", "x", 62.0), ("2", "y", 66.0)]]
    >>> table = image_tables(rows)[0]
    >>> table.row("y").columns["CLS-R"].mean, table.row("y").columns["CLS-R"].mark
    (68.0, 'best')
    """
    settings = settings or ImageTableSettings()
    if columns is None:
        columns = [_column(name) for name in dict.fromkeys(n for r in rows for n in r.values)]
    parts: dict[tuple[str, ...], list[ImageRow]] = {} if by else {(): list(rows)}
    for row in rows if by else ():
        parts.setdefault(tuple(getattr(row, name) for name in by), []).append(row)
    return [
        _table(
            image_cells(parts[key], columns),
            columns,
            dict(zip(by, key, strict=True)),
            settings,
            groups,
        )
        for key in sorted(parts)
    ]


def _column(name: str) -> ImageColumn:
    try:
        return column_named(name)
    except KeyError as error:
        raise DataError(
            f"'{shown(name)}' is no column of image scores: those are {', '.join(IMAGE_COLUMNS)}, "
            "and a plug-in's prefix with one of their endings."
        ) from error


def _table(
    cells: ImageCells,
    columns: Sequence[ImageColumn],
    group: dict[str, str],
    settings: ImageTableSettings,
    groups: Mapping[str, str] | None,
) -> ImageTable:
    references = {model: _reference(model, cells, settings.reference) for model in cells.models}
    competing = {
        model: (
            groups.get(model)
            if groups is not None
            else (None if cells.methods[model] == settings.reference else CONDITIONING)
        )
        for model in cells.models
    }
    persons = sorted(set(cells.persons))
    key = "|".join(f"{name}={value}" for name, value in sorted(group.items()))
    boots = [
        ClusterBootstrap(
            labels,
            settings.draws,
            stream(settings.seed, "image-table", key).numpy(),
            settings.level,
        )
        # The same persons are drawn for both: sorted cases name them in the same order.
        for labels in (cells.persons, persons)
    ]
    measured: dict[str, dict[str, ImageMeasure]] = {model: {} for model in cells.models}
    for column in columns:
        found = _measures(column, cells, references, competing, boots, settings)
        for model, measure in zip(cells.models, found, strict=True):
            measured[model][column.name] = measure
    order = sorted(
        range(len(cells.models)),
        key=lambda j: (cells.methods[cells.models[j]] != settings.reference, cells.models[j]),
    )
    return ImageTable(
        group=group,
        cases=len(cells.cases),
        persons=len(persons),
        columns=tuple(columns),
        models=tuple(
            ImageModelRow(
                model=cells.models[j],
                method=cells.methods[cells.models[j]],
                painter=cells.painters[cells.models[j]],
                reference=references[cells.models[j]],
                group=competing[cells.models[j]],
                outputs=int(cells.rows[:, j].sum()),
                columns=measured[cells.models[j]],
            )
            for j in order
        ),
        cut_prompts=cells.cut_prompts,
        settings=settings,
    )


def _measures(
    column: ImageColumn,
    cells: ImageCells,
    references: Mapping[str, str | None],
    competing: Mapping[str, str | None],
    boots: Sequence[ClusterBootstrap],
    settings: ImageTableSettings,
) -> list[ImageMeasure]:
    """Measure one column of every model."""
    table = cells.values[column.name]
    place = {model: j for j, model in enumerate(cells.models)}
    against = [references[model] for model in cells.models]
    gaps = np.full(table.shape, np.nan)
    for j, reference in enumerate(against):
        if reference is not None:
            gaps[:, j] = table[:, j] - table[:, place[reference]]
    micro = boots[0].means(np.concatenate([table, gaps], axis=1))
    wide, _ = person_means(np.concatenate([table, gaps], axis=1), cells.persons)
    macro = boots[1].means(wide)
    chosen = micro if settings.estimator == "micro" else macro
    marks = _marks(column, cells, competing, settings)
    found = []
    for j, model in enumerate(cells.models):
        asked = int(cells.rows[:, j].sum())
        total, scored = float(np.nansum(table[:, j])), int((~np.isnan(table[:, j])).sum())
        missing = asked - scored
        mark, cases = marks.get(model, (None, None))
        found.append(
            ImageMeasure(
                mean=chosen[j].mean,
                micro=micro[j],
                macro=macro[j],
                unscored=missing,
                reasons=cells.reasons.get((column.name, model), {}),
                mean_if_worst=_bounded_mean(total, asked, missing, column.worst),
                mean_if_best=_bounded_mean(total, asked, missing, column.best),
                minus_reference=chosen[len(cells.models) + j] if against[j] is not None else None,
                mark=mark,
                ranked_cases=cases,
            )
        )
    return found


def _bounded_mean(total: float, asked: int, missing: int, bound: float | None) -> float | None:
    """Return the mean if all missing values were at the bound, or ``None`` without one."""
    if not missing:
        return total / asked if asked else None
    return None if bound is None else (total + missing * bound) / asked


def _reference(model: str, cells: ImageCells, reference: str) -> str | None:
    """Return the model of the reference method and the same painter, or ``None``."""
    if cells.methods[model] == reference:
        return None
    for other in cells.models:
        if cells.methods[other] == reference and cells.painters[other] == cells.painters[model]:
            return other
    return None


def _marks(
    column: ImageColumn,
    cells: ImageCells,
    competing: Mapping[str, str | None],
    settings: ImageTableSettings,
) -> dict[str, tuple[Mark | None, int]]:
    """Return model -> (mark, cases that it rests on), for models with a value."""
    table, found = cells.values[column.name], {}
    for group in sorted({name for name in competing.values() if name is not None}):
        members = [
            j
            for j, model in enumerate(cells.models)
            if competing[model] == group and not np.isnan(table[:, j]).all()
        ]
        part = table[:, members]
        shared = np.logical_not(np.isnan(part).any(axis=1))
        if settings.rank_on == "common_cases" and shared.any():
            part, owners = (
                part[shared],
                [p for p, s in zip(cells.persons, shared, strict=True) if s],
            )
        else:
            owners = list(cells.persons)
        means = _means(part, owners, settings.estimator)
        goodness = means if column.better == "higher" else -means
        for j, mark in zip(members, best_two(goodness, settings.tie_tolerance), strict=True):
            found[cells.models[j]] = (mark, len(part))
    return found


def _means(table: Values, persons: Sequence[str], estimator: Estimator) -> Values:
    rows = table if estimator == "micro" else person_means(table, persons)[0]
    if not rows.shape[1]:
        return np.zeros(0)
    means: Values = np.nanmean(rows, axis=0)
    return means


def best_two(goodness: Values, tolerance: float = 1e-9) -> list[Mark | None]:
    """Return who is best and who second best, larger is better.

    Equal ones share a mark; after two best there is no second.

    >>> best_two(np.array([3.0, 5.0, 4.0, 4.0])), best_two(np.array([5.0, 5.0, 4.0]))
    ([None, 'best', 'second', 'second'], ['best', 'best', None])
    """
    marks: list[Mark | None] = [None] * len(goodness)
    if not len(goodness):
        return marks
    best = goodness >= goodness.max() - tolerance
    rest = goodness[~best]
    second = ~best & (goodness >= (rest.max() if rest.size else np.inf) - tolerance)
    for j in range(len(goodness)):
        if best[j]:
            marks[j] = "best"
        elif second[j] and best.sum() == 1:
            marks[j] = "second"
    return marks
