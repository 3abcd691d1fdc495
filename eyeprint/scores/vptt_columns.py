"""Scores of a run as columns: one row per (person, query, method, writer)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eyeprint.errors import DataError

Labels = NDArray[np.str_]
Values = NDArray[np.float64]

LABELS = ("person", "query", "method", "writer", "kind")
VALUES = ("pa", "gs", "cp", "nv", "wrong", "shuffled")


@dataclass(frozen=True, eq=False)
class ScoreColumns:
    """All rows of a run, each column of shape (rows,); NaN is unscored.

    A prompt that could not be written is a row whose values are all NaN: it is counted.
    """

    person: Labels
    query: Labels
    """Id of the query; a task of the paper."""
    method: Labels
    writer: Labels
    """"plain" or the chat model that wrote the prompt."""
    kind: Labels
    """"generation" or "editing"."""
    pa: Values
    gs: Values
    cp: Values
    nv: Values
    wrong: Values
    """score-c of the same prompt against the wrong person."""
    shuffled: Values
    """score-c of the same prompt against the shuffled profile."""

    def __post_init__(self) -> None:
        sizes = {name: len(getattr(self, name)) for name in LABELS + VALUES}
        if len(set(sizes.values())) > 1:
            raise DataError(f"columns of scores have different lengths: {sizes}.")

    def __len__(self) -> int:
        return len(self.person)

    @classmethod
    def from_rows(cls, rows: Iterable[Mapping[str, Any]]) -> ScoreColumns:
        """Build columns from rows with the field names above.

        Missing labels are "" (``kind``: "generation"), missing or ``None`` values unscored.

        >>> rows = [{"person": "a", "query": "q", "method": "brag", "pa": 0.5}]
        >>> ScoreColumns.from_rows(rows).pa.tolist()
        [0.5]
        """
        kept = list(rows)
        absent = {"kind": "generation"}
        columns: dict[str, Any] = {}
        for name in LABELS:
            labels = [str(row.get(name, absent.get(name, ""))) for row in kept]
            columns[name] = np.array(labels, dtype=np.str_)
        for name in VALUES:
            values = [np.nan if row.get(name) is None else row[name] for row in kept]
            columns[name] = np.array(values, dtype=np.float64)
        return cls(**columns)


@dataclass(frozen=True, eq=False)
class Cells:
    """Columns pivoted: a cell is one (person, query, writer), with a column per method."""

    person: Labels
    """Shape (cells,), as are the three below; sorted by person, query, writer, whatever
    order the rows had."""
    query: Labels
    writer: Labels
    kind: Labels
    methods: tuple[str, ...]
    values: dict[str, Values]
    """Name -> shape (cells, methods); NaN where unscored or where there is no row."""
    rows: NDArray[np.bool_]
    """Shape (cells, methods): where there is a row, scored or not."""

    def where(self, cells: NDArray[np.bool_]) -> Cells:
        """Return the cells where the mask is true."""
        return Cells(
            self.person[cells],
            self.query[cells],
            self.writer[cells],
            self.kind[cells],
            self.methods,
            {name: table[cells] for name, table in self.values.items()},
            self.rows[cells],
        )


def pivot(columns: ScoreColumns, methods: tuple[str, ...]) -> Cells:
    """Put the methods of each (person, query, writer) side by side.

    Raises:
        DataError: two rows have the same person, query, method and writer.

    >>> rows = [{"person": "a", "query": "q", "method": m, "pa": 0.5} for m in ("x", "y")]
    >>> pivot(ScoreColumns.from_rows(rows), ("x", "y")).values["pa"].tolist()
    [[0.5, 0.5]]
    """
    # Codes first: sorting whole numbers is far cheaper than sorting triples of text.
    cell = np.zeros(len(columns), dtype=np.int64)
    for column in (columns.person, columns.query, columns.writer):
        kinds, codes = np.unique(column, return_inverse=True)
        cell = cell * max(len(kinds), 1) + codes
    _, first, cells = np.unique(cell, return_index=True, return_inverse=True)
    place = {method: j for j, method in enumerate(methods)}
    spots = np.array([place[method] for method in columns.method.tolist()], dtype=np.int64)
    rows = np.zeros((len(first), len(methods)), dtype=bool)
    rows[cells, spots] = True
    if rows.sum() < len(columns):
        _reject_repeated(columns, cells * len(methods) + spots)
    values = {}
    for name in VALUES:
        values[name] = np.full(rows.shape, np.nan)
        values[name][cells, spots] = getattr(columns, name)
    return Cells(
        columns.person[first],
        columns.query[first],
        columns.writer[first],
        columns.kind[first],
        methods,
        values,
        rows,
    )


def _reject_repeated(columns: ScoreColumns, keys: NDArray[np.int64]) -> None:
    order = np.argsort(keys, kind="stable")
    again = order[1:][keys[order][1:] == keys[order][:-1]][0]
    named = ", ".join(f"{name} '{getattr(columns, name)[again]}'" for name in LABELS[:4])
    raise DataError(f"Two rows of scores have the same {named}. Score each prompt once.")
