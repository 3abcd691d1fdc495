"""Sizes of effects: Cohen's d, win shares with split ties, Spearman (CHECKLIST V73, V80, X7)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Floats = Sequence[float] | NDArray[np.floating]


def pooled_sd(a: Floats, b: Floats) -> float:
    """Return sqrt((s_a² + s_b²) / 2), with s² over n - 1; NaN under two values on a side.

    NaN values are left out. Source: CHECKLIST V80 (the paper does not print its formula).

    >>> pooled_sd([0.0, 2.0], [1.0, 3.0]) == 2**0.5
    True
    """
    first, second = _present(a), _present(b)
    if first.size < 2 or second.size < 2:
        return float("nan")
    return float(np.sqrt((first.var(ddof=1) + second.var(ddof=1)) / 2))


def cohens_d(a: Floats, b: Floats) -> float:
    """Return d = (mean a - mean b) / sqrt((s_a² + s_b²) / 2): signed, positive when a is larger.

    NaN values are left out. NaN when a side has under two values, or when both sides are
    constant at different values (the effect has no scale); 0 when both are the same
    constant. The paper prints |d|.

    Source: VPTT Table 3 caption and section 14; CHECKLIST V80.

    >>> round(cohens_d([1.0, 3.0], [0.0, 2.0]), 6)
    0.707107
    """
    first, second = _present(a), _present(b)
    spread = pooled_sd(first, second)
    if np.isnan(spread):
        return spread
    gap = float(first.mean() - second.mean())
    # Equal values leave a variance of rounding size (1e-34), not an exact zero.
    scale = max(float(np.abs(first).max()), float(np.abs(second).max()))
    if spread <= 1e-14 * scale:
        return 0.0 if abs(gap) <= 1e-14 * scale else float("nan")
    return gap / spread


def win_shares(scores: NDArray[np.floating], tolerance: float = 1e-9) -> NDArray[np.float64]:
    """Return the share of cells that each method wins, ties split evenly.

    In each row the methods within ``tolerance`` of the row's best share one win. NaN
    takes no part; a row of NaN only is no cell. The shares sum to 1 (NaN without cells).

    Args:
        scores: shape (cells, methods), higher is better.
        tolerance: absolute distance from the best that still ties.

    Returns:
        Shape (methods,), in [0, 1].

    Source: VPTT Tables 1-3, 7-10 "win %"; CHECKLIST V73.

    >>> win_shares(np.array([[0.9, 0.5], [0.7, 0.7]])).tolist()
    [0.75, 0.25]
    """
    values = np.asarray(scores, dtype=np.float64)
    if values.ndim != 2:
        raise ValueError(f"win shares need a table of cells by methods, not {values.ndim} axes")
    filled = np.where(np.isnan(values), -np.inf, values)
    filled = filled[np.isfinite(values).any(axis=1)]
    if not len(filled):
        return np.full(values.shape[1], np.nan)
    winners = filled >= filled.max(axis=1, keepdims=True) - tolerance
    shares: NDArray[np.float64] = (winners / winners.sum(axis=1, keepdims=True)).mean(axis=0)
    return shares


def average_ranks(values: Floats) -> NDArray[np.float64]:
    """Return ranks from 1 (smallest), equal values sharing the mean of their ranks.

    >>> average_ranks([10.0, 20.0, 20.0]).tolist()
    [1.0, 2.5, 2.5]
    """
    array = np.asarray(values, dtype=np.float64)
    _, inverse, counts = np.unique(array, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    ranks: NDArray[np.float64] = ((2 * last - counts + 1) / 2)[inverse]
    return ranks


def spearman(a: Floats, b: Floats) -> float:
    """Return Spearman's rank correlation, ties at average ranks, in [-1, 1].

    Pearson's correlation of the two rows of average ranks. Pairs with a NaN are left
    out. NaN with under two pairs, or when a side is constant.

    Raises:
        ValueError: the lengths differ.

    Source: CHECKLIST X7.

    >>> spearman([1, 2, 3], [10, 20, 15])
    0.5
    """
    first = np.asarray(a, dtype=np.float64).reshape(-1)
    second = np.asarray(b, dtype=np.float64).reshape(-1)
    if first.shape != second.shape:
        raise ValueError(f"{first.size} values cannot be paired with {second.size}")
    both = ~(np.isnan(first) | np.isnan(second))
    x, y = average_ranks(first[both]), average_ranks(second[both])
    if x.size < 2:
        return float("nan")
    x, y = x - x.mean(), y - y.mean()
    scale = float(np.sqrt((x @ x) * (y @ y)))
    return float(x @ y) / scale if scale > 0 else float("nan")


def _present(values: Floats) -> NDArray[np.float64]:
    array = np.asarray(values, dtype=np.float64).reshape(-1)
    return array[~np.isnan(array)]
