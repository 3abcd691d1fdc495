"""Image scores of many outputs, pivoted: cases down, models across."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from eyeprint.errors import DataError
from eyeprint.scores.image_columns import ImageColumn

Values = NDArray[np.float64]


@dataclass(frozen=True)
class ImageRow:
    """The scores of one output, with whose and whereof they are."""

    case_id: str
    person_id: str
    split: str
    model: str
    """The label that tables show: :func:`eyeprint.records.cases.model_label`."""
    values: Mapping[str, float | None]
    """Column -> value; a column that is not there counts as unscored."""
    unscored: Mapping[str, str] = field(default_factory=dict)
    """Column -> why it has no value."""
    cut: Sequence[str] = ()
    """Prefixes of the encoders that read only the start of the prompt."""
    method: str = ""
    """The method alone, without writer and painter; empty takes ``model``."""
    painter: str = ""


@dataclass(frozen=True, eq=False)
class ImageCells:
    """Rows of one table; shapes are (cases,), (models,) and (cases, models)."""

    cases: tuple[str, ...]
    """Sorted by person and case, whatever order the rows had."""
    persons: tuple[str, ...]
    """Whose case it is."""
    models: tuple[str, ...]
    """Sorted."""
    methods: dict[str, str]
    """Model -> method."""
    painters: dict[str, str]
    """Model -> painter."""
    values: dict[str, Values]
    """Column -> value, NaN where unscored or where there is no row."""
    rows: NDArray[np.bool_]
    """Where there is a row, scored or not."""
    reasons: dict[tuple[str, str], dict[str, int]]
    """(column, model) -> reason -> how many rows have it, most frequent first."""
    cut_prompts: dict[str, int]
    """Prefix -> cases whose prompt was cut."""


def image_cells(rows: Sequence[ImageRow], columns: Sequence[ImageColumn]) -> ImageCells:
    """Put the models of each case side by side.

    Raises:
        DataError: two rows have the same case and model, or one case two persons.

    >>> rows = [ImageRow("c", "p", "real", m, {"CLS-R": v}) for m, v in (("b", 1.0), ("a", 2.0))]
    >>> from eyeprint.scores.image_columns import IMAGE_COLUMNS
    >>> image_cells(rows, [IMAGE_COLUMNS["CLS-R"]]).values["CLS-R"].tolist()
    [[2.0, 1.0]]
    """
    owner: dict[str, str] = {}
    for row in rows:
        if owner.setdefault(row.case_id, row.person_id) != row.person_id:
            raise DataError(
                f"The case '{row.case_id}' belongs to '{owner[row.case_id]}' in one row and to "
                f"'{row.person_id}' in another. Give every case an id of its own."
            )
    cases = sorted(owner, key=lambda case: (owner[case], case))
    models = sorted({row.model for row in rows})
    down = {case: i for i, case in enumerate(cases)}
    across = {model: j for j, model in enumerate(models)}
    shape = (len(cases), len(models))
    present = np.zeros(shape, dtype=bool)
    values = {column.name: np.full(shape, np.nan) for column in columns}
    reasons: dict[tuple[str, str], Counter[str]] = {}
    cut: dict[str, set[str]] = {}
    for row in rows:
        spot = down[row.case_id], across[row.model]
        if present[spot]:
            raise DataError(
                f"Two rows of scores have the case '{row.case_id}' and the model '{row.model}'. "
                "Score each output once."
            )
        present[spot] = True
        for column in columns:
            value = row.values.get(column.name)
            if value is None or not math.isfinite(value):
                fallback = "not computed" if value is None else f"not a finite number ({value})"
                reason = row.unscored.get(column.name, fallback)
                reasons.setdefault((column.name, row.model), Counter())[reason] += 1
            else:
                values[column.name][spot] = value
        for prefix in row.cut:
            cut.setdefault(prefix, set()).add(row.case_id)
    return ImageCells(
        tuple(cases),
        tuple(owner[case] for case in cases),
        tuple(models),
        {row.model: row.method or row.model for row in rows},
        {row.model: row.painter for row in rows},
        values,
        present,
        {
            key: dict(sorted(each.items(), key=lambda t: (-t[1], t[0])))
            for key, each in reasons.items()
        },
        {prefix: len(each) for prefix, each in sorted(cut.items())},
    )


def person_means(table: Values, persons: Sequence[str]) -> tuple[Values, list[str]]:
    """Return each person's mean over own cases, shape (persons, models), NaN where none.

    >>> person_means(np.array([[1.0], [3.0], [5.0]]), ["a", "a", "b"])[0].tolist()
    [[2.0], [5.0]]
    """
    names = sorted(set(persons))
    place = {name: i for i, name in enumerate(names)}
    owner = np.array([place[person] for person in persons], dtype=np.int64)
    scored = ~np.isnan(table)
    sums, counts = np.zeros((len(names), table.shape[1])), np.zeros((len(names), table.shape[1]))
    np.add.at(sums, owner, np.where(scored, table, 0.0))
    np.add.at(counts, owner, scored.astype(np.float64))
    means = np.full(sums.shape, np.nan)
    np.divide(sums, counts, out=means, where=counts > 0)
    return means, names
