"""What a table of image scores says about claims: gray, splits, the model without references.

The paper claims that turning pictures gray leaves the ranks as they are (P48), and that real
users are easier to align with (P65). Each is a number here, and none is a yes or no; how
columns go with ratings (P58) is told by :func:`eyeprint.scores.arena.arena`. Means come as
column -> model -> mean, which :meth:`eyeprint.scores.image_table.ImageTable.means` gives; so
published tables can be read too.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from eyeprint.maths.effects import average_ranks, spearman
from eyeprint.records.work import Work
from eyeprint.scores.image_columns import Direction, column_named

Means = Mapping[str, Mapping[str, float | None]]
"""Column -> model -> mean, ``None`` where there is none."""


class RankMoves(Work):
    """What changes in the order of models from one column to another."""

    spearman: float | None
    models: int
    moved: int
    """Models whose rank is not the same."""
    best_before: str | None
    best_after: str | None


def rank_moves(
    before: Mapping[str, float | None],
    after: Mapping[str, float | None],
    better: Direction = "higher",
) -> RankMoves:
    """Compare two orders of the same models, such as LPIPS-R and LPIPS-G (P48).

    Ranks are average ranks: equal means share one.

    >>> rank_moves({"a": 1.0, "b": 2.0, "c": 3.0}, {"a": 1.0, "b": 3.0, "c": 2.0}).moved
    2
    """
    both = [m for m in sorted(before) if before[m] is not None and after.get(m) is not None]
    sign = 1 if better == "higher" else -1
    first, second = (sign * np.array(_values(each, both)) for each in (before, after))
    value = spearman(first, second)
    return RankMoves(
        spearman=None if np.isnan(value) else value,
        models=len(both),
        moved=int((average_ranks(first) != average_ranks(second)).sum()) if both else 0,
        best_before=both[int(first.argmax())] if both else None,
        best_after=both[int(second.argmax())] if both else None,
    )


class SplitGap(Work):
    """How one model's mean differs between two splits."""

    column: str
    model: str
    gap: float
    """Mean on the second split minus mean on the first."""
    beyond_reference: float | None
    """``gap`` minus the gap of a model that sees no references: what is left when the
    difference of the splits themselves is taken off."""
    reference: str | None = None
    """That model."""


def split_gaps(first: Means, second: Means, reference: str | None) -> list[SplitGap]:
    """Return every model's gap between two splits, beside that of an unconditioned one (P65).

    A model that never sees a reference can align with nobody: its gap is an offset of the
    split, and belongs to no method.

    >>> one = {"DIS-R": {"plain": 10.0, "fusion": 14.0}}
    >>> two = {"DIS-R": {"plain": 12.0, "fusion": 17.0}}
    >>> [(gap.model, gap.gap, gap.beyond_reference) for gap in split_gaps(one, two, "plain")]
    [('fusion', 3.0, 1.0), ('plain', 2.0, None)]
    """
    found = []
    for column in first:
        left, right = first[column], second.get(column, {})
        gaps = {}
        for model in sorted(left):
            a, b = left[model], right.get(model)
            if a is not None and b is not None:
                gaps[model] = b - a
        offset = gaps.get(reference) if reference is not None else None
        for model, gap in gaps.items():
            beyond = None if offset is None or model == reference else gap - offset
            taken_off = None if beyond is None else reference
            found.append(
                SplitGap(
                    column=column,
                    model=model,
                    gap=gap,
                    beyond_reference=beyond,
                    reference=taken_off,
                )
            )
    return found


class Beaten(Work):
    """Which models do better than the unconditioned one in a column."""

    column: str
    better: tuple[str, ...]
    not_better: tuple[str, ...]
    """Worse or equal."""


def beaten_reference(means: Means, reference: str) -> list[Beaten]:
    """Say, column by column, which models are better than the reference by their means (P65).

    >>> beaten_reference({"LPIPS-R": {"plain": 0.75, "a": 0.70, "b": 0.76}}, "plain")[0].better
    ('a',)
    """
    found = []
    for column, each in means.items():
        base = each.get(reference)
        others = {m: v for m, v in sorted(each.items()) if m != reference and v is not None}
        if base is None:
            continue
        sign = 1 if column_named(column).better == "higher" else -1
        better = tuple(m for m, v in others.items() if sign * (v - base) > 0)
        rest = tuple(m for m in others if m not in better)
        found.append(Beaten(column=column, better=better, not_better=rest))
    return found


def _values(each: Mapping[str, float | None], models: list[str]) -> list[float]:
    return [value for value in (each[model] for model in models) if value is not None]
