"""Tests of paired answers: McNemar, flipped signs, Cochran's Q, Holm (CHECKLIST M40).

Questions about one concept are not independent. :func:`sign_flip_test` and
:func:`clustered_omnibus` therefore move whole clusters; McNemar's and Cochran's tests take
rows as independent, and stand beside them for comparison.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Labels = Sequence[Hashable] | NDArray[np.generic]
MOST_ENUMERATED = 12
"""Up to so many clusters that differ, all 2^12 = 4096 patterns of signs are gone through."""
_BLOCK = 1 << 22


@dataclass(frozen=True)
class Permuted:
    """A permutation test's verdict."""

    statistic: float
    p: float
    """Two-sided, in (0, 1]. Of draws: (1 + as extreme) / (1 + draws), never 0."""
    clusters: int
    """Clusters that have rows."""
    exact: bool
    """Whether all permutations were gone through."""


@dataclass(frozen=True)
class CochranQ:
    """Cochran's Q over k ways; chi-squared with k - 1 degrees where rows are independent."""

    q: float
    p: float
    rows: int
    ways: int


def mcnemar_exact(won: int, lost: int) -> float:
    """Return the exact two-sided p of discordant pairs: min(1, 2 P(X ≤ min)), X ~ Bin(n, 1/2).

    Args:
        won: pairs that only the left side got right.
        lost: pairs that only the right side got right.

    Raises:
        ValueError: a count is negative.

    >>> mcnemar_exact(5, 0), mcnemar_exact(3, 3), mcnemar_exact(0, 0)
    (0.0625, 1.0, 1.0)
    """
    if won < 0 or lost < 0:
        raise ValueError(f"counts of pairs are not negative: {won} and {lost}")
    from scipy.special import bdtr

    n = won + lost
    return 1.0 if n == 0 else min(1.0, 2 * float(bdtr(min(won, lost), n, 0.5)))


def sign_flip_test(
    differences: NDArray[np.floating],
    clusters: Labels,
    rng: np.random.Generator,
    draws: int = 4000,
) -> Permuted:
    """Test whether paired differences are centred on 0, by flipping signs of whole clusters.

    The statistic is the mean difference. If left and right could change places, a cluster's
    sum is as likely to have the other sign. NaN values are left out.

    Args:
        differences: shape (rows,), left minus right.
        clusters: one label per row.
        rng: draws signs where there are too many patterns to go through.
        draws: how many it draws.

    Raises:
        ValueError: the lengths differ, no value is there, or ``draws`` is under 1.

    >>> found = sign_flip_test(np.array([1.0, 1.0, 1.0]), "abc", np.random.default_rng(1))
    >>> found.p, found.exact
    (0.25, True)
    """
    values = np.asarray(differences, dtype=np.float64).reshape(-1)
    owner, count = _numbered(clusters, len(values))
    there = ~np.isnan(values)
    if not there.any():
        raise ValueError("no difference to test")
    sums = np.bincount(owner[there], values[there], minlength=count).astype(np.float64)
    p, exact = sign_flip_columns(sums[:, None], rng, draws)
    return Permuted(
        float(values[there].mean()), float(p[0]), len(np.unique(owner[there])), bool(exact[0])
    )


def sign_flip_columns(
    sums: NDArray[np.floating], rng: np.random.Generator, draws: int = 4000
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return the sign-flip p of many columns of cluster sums at once, and which are exact.

    Columns with up to :data:`MOST_ENUMERATED` clusters other than 0 are exact; the others share
    the same drawn signs.

    Args:
        sums: shape (clusters, columns): per cluster the sum of its differences.

    Raises:
        ValueError: ``sums`` is not a table, or ``draws`` is under 1.
    """
    table = np.asarray(sums, dtype=np.float64)
    if table.ndim != 2 or draws < 1:
        raise ValueError(f"need a table of cluster sums and draws ≥ 1, not {table.shape}, {draws}")
    totals = np.abs(table.sum(axis=0))
    slack = 1e-9 * np.abs(table).sum(axis=0)
    moving = np.count_nonzero(table, axis=0)
    exact = moving <= MOST_ENUMERATED
    p = np.ones(table.shape[1])
    for column in np.flatnonzero(exact & (moving > 0)):
        own = table[table[:, column] != 0, column]
        signs = np.array(list(itertools.product((1.0, -1.0), repeat=len(own) - 1)))
        # The first cluster's sign is free: both give the same absolute value.
        reached = np.abs(own[0] + signs.reshape(len(signs), -1) @ own[1:])
        p[column] = np.mean(reached >= totals[column] - slack[column])
    drawn = np.flatnonzero(~exact)
    if len(drawn):
        extreme = np.zeros(len(drawn))
        rows = max(1, _BLOCK // max(len(table), len(drawn)))
        for start in range(0, draws, rows):
            size = (min(start + rows, draws) - start, len(table))
            signs = rng.integers(0, 2, size=size, dtype=np.int8) * 2.0 - 1
            reached = np.abs(signs @ table[:, drawn])
            extreme += (reached >= totals[drawn] - slack[drawn]).sum(axis=0)
        p[drawn] = (1 + extreme) / (1 + draws)
    return p, exact


def cochrans_q(right: NDArray[np.generic]) -> CochranQ:
    """Test whether k ways get the same share right, on the same rows taken as independent.

    Q = (k - 1) (k Σ C_j² - N²) / (k N - Σ R_i²) with C the columns' and R the rows' sums. Rows
    that are all right or all wrong do not matter; without any other, Q = 0 and p = 1.

    Args:
        right: shape (rows, k), 0 or 1, k ≥ 2.

    Raises:
        ValueError: fewer than two columns, or something other than 0 and 1.

    Source: W. G. Cochran 1950.

    >>> found = cochrans_q(np.array([[1, 0, 0], [1, 1, 0], [1, 0, 0]]))
    >>> round(found.q, 6), found.ways
    (4.666667, 3)
    """
    table = _ways(right)
    k = table.shape[1]
    columns, rows = table.sum(axis=0), table.sum(axis=1)
    total = float(columns.sum())
    below = k * total - float(rows @ rows)
    if below == 0:
        return CochranQ(0.0, 1.0, len(table), k)
    from scipy.special import chdtrc

    q = (k - 1) * (k * float(columns @ columns) - total**2) / below
    return CochranQ(q, float(chdtrc(k - 1, q)), len(table), k)


def clustered_omnibus(
    right: NDArray[np.generic],
    clusters: Labels,
    rng: np.random.Generator,
    draws: int = 4000,
) -> Permuted:
    """Test whether k ways get the same share right, permuting the ways within whole clusters.

    The statistic is the sum of squared column sums around their mean: Cochran's Q but for a
    factor that no permutation changes. Exact where all permutations are at most 4096.

    Args:
        right: shape (rows, k), 0 or 1, k ≥ 2.
        clusters: one label per row.

    Raises:
        ValueError: as :func:`cochrans_q`; lengths differ, no row, or ``draws`` under 1.

    >>> clustered_omnibus(np.array([[1, 0], [1, 0]]), "ab", np.random.default_rng(1)).p
    0.5
    """
    table = _ways(right)
    if not len(table) or draws < 1:
        raise ValueError("need at least one row and one draw")
    owner, count = _numbered(clusters, len(table))
    sums = np.stack([np.bincount(owner, column, minlength=count) for column in table.T], axis=1)
    k = sums.shape[1]
    mean = float(sums.sum()) / k
    statistic = float(((sums.sum(axis=0) - mean) ** 2).sum())
    moving = sums[(sums != sums[:, :1]).any(axis=1)]
    still = sums.sum(axis=0) - moving.sum(axis=0)
    if not len(moving):
        return Permuted(statistic, 1.0, count, True)
    slack = 1e-9 * max(1.0, statistic)
    if math.factorial(k) ** (len(moving) - 1) <= 1 << MOST_ENUMERATED:
        orders = [list(order) for order in itertools.permutations(range(k))]
        # Naming the ways anew changes nothing: one cluster stays as it is.
        choices = itertools.product(orders, repeat=len(moving) - 1)
        reached = [
            still + moving[0] + sum(row[o] for row, o in zip(moving[1:], chosen, strict=True))
            for chosen in choices
        ]
        values = ((np.array(reached) - mean) ** 2).sum(axis=1)
        return Permuted(statistic, float(np.mean(values >= statistic - slack)), count, True)
    extreme = 0
    rows = max(1, _BLOCK // moving.size)
    for start in range(0, draws, rows):
        keys = rng.random((min(start + rows, draws) - start, *moving.shape))
        mixed = np.take_along_axis(moving[None], np.argsort(keys, axis=2), axis=2).sum(axis=1)
        values = ((mixed + still - mean) ** 2).sum(axis=1)
        extreme += int((values >= statistic - slack).sum())
    return Permuted(statistic, (1 + extreme) / (1 + draws), count, False)


def holm(p_values: Sequence[float] | NDArray[np.floating]) -> NDArray[np.float64]:
    """Return p-values after Holm's step-down correction, in the given order.

    Sorted ascending, the i-th of m (from 0) becomes max over j ≤ i of min(1, (m - j) p_j).

    Raises:
        ValueError: a value is not in [0, 1].

    Source: S. Holm 1979.

    >>> holm([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    """
    p = np.asarray(p_values, dtype=np.float64).reshape(-1)
    if not ((p >= 0) & (p <= 1)).all():
        raise ValueError("p-values lie between 0 and 1")
    order = np.argsort(p, kind="stable")
    stepped = np.minimum(1.0, p[order] * np.arange(len(p), 0, -1))
    adjusted = np.empty_like(p)
    adjusted[order] = np.maximum.accumulate(stepped)
    return adjusted


def _numbered(clusters: Labels, rows: int) -> tuple[NDArray[np.int64], int]:
    labels = clusters.tolist() if isinstance(clusters, np.ndarray) else clusters
    if len(labels) != rows:
        raise ValueError(f"{len(labels)} cluster labels do not fit {rows} rows")
    numbers: dict[Hashable, int] = {}
    owner = [numbers.setdefault(label, len(numbers)) for label in labels]
    return np.array(owner, dtype=np.int64), len(numbers)


def _ways(right: NDArray[np.generic]) -> NDArray[np.float64]:
    table = np.asarray(right, dtype=np.float64)
    if table.ndim != 2 or table.shape[1] < 2 or not np.isin(table, (0.0, 1.0)).all():
        raise ValueError("need a table of 0 and 1 with a column for each of two or more ways")
    return table
