"""How far raters agree: Kendall's W, Krippendorff's alpha, agreement rates (CHECKLIST P56, X7)."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from eyeprint.maths.effects import average_ranks

Level = Literal["nominal", "ordinal", "interval"]


def kendalls_w(scores: ArrayLike) -> float:
    """Return Kendall's W of several raters over the same items, ties at average ranks, in [0, 1].

    With R_i the sum of item i's ranks over m raters of n items, S = Σ (R_i - mean R)², and
    T_j = Σ (t³ - t) over rater j's groups of t tied items::

        W = 12 S / (m² (n³ - n) - m Σ_j T_j)

    1: all raters rank alike; 0: the ranks cancel out. NaN with under two raters or items, or
    when no rater tells any two items apart.

    Args:
        scores: shape (raters, items), in any unit; only their order counts. Items that some
            rater left out (NaN) are left out.

    Raises:
        ValueError: not a table.

    Source: CHECKLIST X7 (VPTT section 4.2).

    >>> kendalls_w([[1, 2, 3], [1, 2, 3]])
    1.0
    >>> kendalls_w([[1, 2, 3], [3, 2, 1]])
    0.0
    """
    table = np.asarray(scores, dtype=np.float64)
    if table.ndim != 2:
        raise ValueError(f"a table of raters by items is needed, not {table.ndim} axes")
    table = table[:, ~np.isnan(table).any(axis=0)]
    raters, items = table.shape
    if raters < 2 or items < 2:
        return float("nan")
    ranks = np.array([average_ranks(row) for row in table])
    sums = ranks.sum(axis=0)
    spread = float(((sums - sums.mean()) ** 2).sum())
    ties = 0.0
    for row in table:
        sizes = np.unique(row, return_counts=True)[1].astype(np.float64)
        ties += float((sizes**3 - sizes).sum())
    most = raters**2 * (items**3 - items) - raters * ties
    return 12 * spread / most if most > 0 else float("nan")


def krippendorff_alpha(ratings: ArrayLike, level: Level = "nominal") -> float:
    """Return Krippendorff's alpha = 1 - D_o / D_e of raters over units, missing values allowed.

    Of each unit with m_u ≥ 2 values every ordered pair of different raters' values counts
    1 / (m_u - 1). D_o is the mean of δ² over these pairs; D_e over all pairs of values,
    wherever they stand. δ² of values c, k:

    - nominal: 1 where they differ;
    - interval: (c - k)²;
    - ordinal: (n_c / 2 + Σ_{c<g<k} n_g + n_k / 2)², with n_g the number of values g.

    1: all agree; 0: as by chance; below 0: worse than chance. NaN when there is no pair, or
    all values are the same (agreement cannot be told from a constant).

    Args:
        ratings: shape (raters, units), numbers; NaN where a rater gave none. For nominal values
            any code per category.
        level: what distances between values mean.

    Raises:
        ValueError: not a table.

    Source: CHECKLIST X7; Krippendorff, "Content Analysis", chapter on reliability.

    >>> krippendorff_alpha([[0, 1, 1, 0], [0, 1, 1, 0]])
    1.0
    >>> round(krippendorff_alpha([[0, 1], [1, 0]]), 6)
    -0.5
    """
    table = np.asarray(ratings, dtype=np.float64)
    if table.ndim != 2:
        raise ValueError(f"a table of raters by units is needed, not {table.ndim} axes")
    present = ~np.isnan(table)
    values, code = np.unique(table[present], return_inverse=True)
    unit = np.nonzero(present)[1]
    counts = np.zeros((table.shape[1], len(values)))
    np.add.at(counts, (unit, code), 1.0)
    return alpha_of_counts(counts, values, level)


def alpha_of_counts(
    counts: ArrayLike, values: ArrayLike | None = None, level: Level = "nominal"
) -> float:
    """Return Krippendorff's alpha of how often each unit was given each value.

    Args:
        counts: shape (units, values).
        values: the values in ascending order; needed for "interval".
        level: see :func:`krippendorff_alpha`.

    Raises:
        ValueError: shapes that do not fit, or "interval" without values.

    >>> alpha_of_counts([[2, 0], [0, 2]])
    1.0
    """
    table = np.asarray(counts, dtype=np.float64)
    if table.ndim != 2:
        raise ValueError(f"a table of units by values is needed, not {table.ndim} axes")
    table = table[table.sum(axis=1) >= 2]
    if level == "interval" and values is None:
        raise ValueError("distances between values need the values")
    places = np.arange(table.shape[1]) if values is None else np.asarray(values, dtype=np.float64)
    if places.shape != (table.shape[1],):
        raise ValueError(f"{places.size} values do not fit {table.shape[1]} columns of counts")
    sizes = table.sum(axis=1)
    # Pairs within units: all ordered pairs of values, less each value with itself.
    pairs = (table / (sizes - 1)[:, None]).T @ table
    pairs -= np.diag((table / (sizes - 1)[:, None]).sum(axis=0))
    totals = table.sum(axis=0)
    n = totals.sum()
    apart = _squared_distances(places, totals, level)
    expected = float(totals @ apart @ totals)
    if n < 2 or expected == 0:
        return float("nan")
    observed = float((pairs * apart).sum())
    return 1 - observed * (float(n) - 1) / expected


def _squared_distances(
    values: NDArray[np.generic], totals: NDArray[np.float64], level: Level
) -> NDArray[np.float64]:
    if level == "nominal":
        return 1 - np.eye(len(totals))
    middles = np.cumsum(totals) - totals / 2 if level == "ordinal" else values.astype(np.float64)
    squared: NDArray[np.float64] = (middles[:, None] - middles[None, :]) ** 2
    return squared


@dataclass(frozen=True)
class Rate:
    """A share of yes among n answers with its interval; ``None`` where there is no answer."""

    share: float | None
    low: float | None
    high: float | None
    n: int
    clusters: int
    """Clusters (persons) that the answers belong to."""


def wilson(share: float, n: float, level: float = 0.95) -> tuple[float, float]:
    """Return Wilson's score interval of a share among n independent answers, n > 0.

    Unlike share ± error it never leaves [0, 1] and has a width at 0 and 1.

    >>> [round(end, 4) for end in wilson(1.0, 10)]
    [0.7225, 1.0]
    """
    from scipy.special import ndtri

    z2 = float(ndtri((1 + level) / 2)) ** 2
    middle = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = np.sqrt(z2 * (share * (1 - share) / n + z2 / (4 * n**2))) / (1 + z2 / n)
    return max(0.0, float(middle - half)), min(1.0, float(middle + half))


def clustered_rate(
    answers: ArrayLike, clusters: Sequence[Hashable] | None = None, level: float = 0.95
) -> Rate:
    """Return the share of answers with an interval that respects clusters.

    Wilson's interval with as many answers as would be worth these if they were independent:
    n* = p (1 - p) / v, with v = C / (C - 1) Σ_c (Σ_{i in c} (x_i - p))² / n², and never more
    than n. Where the clusters do not differ, as when all answers are alike, or there is one
    cluster only, n* is the number of clusters: answers of one cluster may all have one cause.

    Args:
        answers: 0, 1 or between (a half agreement), shape (n,).
        clusters: one label per answer; ``None``: every answer stands alone.
        level: share of intervals that hold the truth.

    Raises:
        ValueError: an answer outside [0, 1], or labels that do not fit.

    >>> clustered_rate([1, 1, 0, 1]).share
    0.75
    >>> clustered_rate([]).share is None
    True
    """
    values = np.asarray(answers, dtype=np.float64).reshape(-1)
    if not np.all((values >= 0) & (values <= 1)):
        raise ValueError("answers lie in [0, 1]")
    n = values.size
    labels = range(n) if clusters is None else clusters
    if len(labels) != n:
        raise ValueError(f"{len(labels)} labels of clusters do not fit {n} answers")
    numbers: dict[Hashable, int] = {}
    owner = [numbers.setdefault(label, len(numbers)) for label in labels]
    groups = len(numbers)
    if n == 0:
        return Rate(None, None, None, 0, 0)
    share = float(values.mean())
    worth = float(groups)
    if groups > 1:
        sums = np.bincount(owner, values - share)
        variance = float((sums**2).sum()) * groups / (groups - 1) / n**2
        if variance > 1e-15:
            worth = min(float(n), share * (1 - share) / variance)
    low, high = wilson(share, worth, level)
    return Rate(share, min(low, share), max(high, share), n, groups)
