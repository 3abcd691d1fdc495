"""Two shares held against each other, and ranks against values (CHECKLIST M29, M45)."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from eyeprint.maths.effects import Floats, average_ranks, spearman

MOST_RANKED = 7
"""Up to so many pairs, all 7! = 5040 orders are gone through."""


@dataclass(frozen=True)
class RankTest:
    """Spearman's rho with a permutation p; NaN where it is not defined."""

    rho: float
    p: float
    n: int
    exact: bool


@lru_cache(maxsize=1 << 16)
def fisher_exact(right: int, n: int, other_right: int, other_n: int) -> float:
    """Return the two-sided p of Fisher's exact test for two shares.

    With all margins held, the sum of the hypergeometric probabilities of tables that are no
    likelier than the one seen.

    Raises:
        ValueError: a count is not between 0 and its total.

    >>> round(fisher_exact(3, 3, 0, 3), 6), fisher_exact(0, 0, 1, 2)
    (0.1, 1.0)
    """
    if not (0 <= right <= n and 0 <= other_right <= other_n):
        raise ValueError(f"{right} of {n} and {other_right} of {other_n} are not shares")
    from scipy.special import gammaln

    both, all_right = n + other_n, right + other_right
    x = np.arange(max(0, all_right - other_n), min(n, all_right) + 1)

    def choose(m: int, k: NDArray[np.int64]) -> NDArray[np.float64]:
        ways: NDArray[np.float64] = gammaln(m + 1) - gammaln(k + 1) - gammaln(m - k + 1)
        return ways

    logs = choose(n, x) + choose(other_n, all_right - x) - choose(both, np.array(all_right))
    seen = logs[right - x[0]]
    # Equal probabilities differ by rounding: the customary tolerance is relative, 1e-7.
    return min(1.0, float(np.exp(logs[logs <= seen + 1e-7]).sum()))


def wilson(right: int, n: int, level: float = 0.95) -> tuple[float, float]:
    """Return Wilson's score interval of a share; (0, 1) of nothing.

    >>> [round(end, 4) for end in wilson(8, 10)]
    [0.4902, 0.9433]
    """
    if n == 0:
        return 0.0, 1.0
    from scipy.special import ndtri

    z2 = float(ndtri((1 + level) / 2)) ** 2
    share = right / n
    middle = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = (z2 * (share * (1 - share) / n + z2 / (4 * n * n))) ** 0.5 / (1 + z2 / n)
    # Both ends are exact where nothing, or everything, is right: rounding must not move them.
    return middle - half if right else 0.0, middle + half if right < n else 1.0


def newcombe(
    right: int, n: int, other_right: int, other_n: int, level: float = 0.95
) -> tuple[float, float]:
    """Return Newcombe's interval of the difference of two independent shares (first - second).

    Each side's distance to its Wilson limits, added in squares.

    Raises:
        ValueError: a side is empty.

    Source: R. G. Newcombe 1998, method 10 without continuity correction.

    >>> [round(end, 4) for end in newcombe(56, 70, 48, 80)]
    [0.0524, 0.3339]
    """
    if not n or not other_n:
        raise ValueError("an empty side has no share")
    share, other = right / n, other_right / other_n
    low, high = wilson(right, n, level)
    other_low, other_high = wilson(other_right, other_n, level)
    down = ((share - low) ** 2 + (other_high - other) ** 2) ** 0.5
    up = ((high - share) ** 2 + (other - other_low) ** 2) ** 0.5
    return share - other - down, share - other + up


def spearman_test(a: Floats, b: Floats, rng: np.random.Generator, draws: int = 4000) -> RankTest:
    """Return Spearman's rho with the two-sided p of permuting one side.

    Pairs with a NaN are left out. Exact up to :data:`MOST_RANKED` pairs, else of ``draws``
    orders: (1 + as extreme) / (1 + draws).

    Raises:
        ValueError: the lengths differ, or ``draws`` is under 1.

    >>> spearman_test([1, 2, 3], [10, 20, 30], np.random.default_rng(1)).p
    0.3333333333333333
    """
    if draws < 1:
        raise ValueError(f"{draws} draws: need at least 1")
    rho = spearman(a, b)
    first = np.asarray(a, dtype=np.float64).reshape(-1)
    second = np.asarray(b, dtype=np.float64).reshape(-1)
    both = ~(np.isnan(first) | np.isnan(second))
    n = int(both.sum())
    if np.isnan(rho):
        return RankTest(rho, float("nan"), n, False)
    x, y = average_ranks(first[both]), average_ranks(second[both])
    x, y = x - x.mean(), y - y.mean()
    bound = abs(float(x @ y)) - 1e-9
    if n <= MOST_RANKED:
        orders = np.array(list(itertools.permutations(range(n))))
        return RankTest(rho, float(np.mean(np.abs(x @ y[orders].T) >= bound)), n, True)
    mixed = rng.permuted(np.tile(y, (draws, 1)), axis=1)
    extreme = int((np.abs(mixed @ x) >= bound).sum())
    return RankTest(rho, (1 + extreme) / (1 + draws), n, False)
