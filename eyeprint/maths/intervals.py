"""Intervals of means by a bootstrap that resamples clusters, and paired differences.

Rows of one person are not independent: whole persons are resampled. The weights of all
resamples are drawn once and used for every column, so that intervals of differences see
the same persons on both sides.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_BLOCK = 1 << 22


@dataclass(frozen=True)
class Interval:
    """A mean with its percentile interval; ``None`` where it cannot be computed."""

    mean: float | None
    low: float | None
    high: float | None
    n: int
    """Values that took part."""
    clusters: int
    """Clusters (persons) that they belong to."""
    reason: str | None = None
    """Why mean or interval is ``None``."""


class ClusterBootstrap:
    """Resamples of a fixed set of clusters, shared by all means computed with it.

    Args:
        clusters: one label per row; rows with equal labels are resampled together.
        draws: number of resamples, at least 1.
        rng: the generator that draws them; the only chance there is.
        level: share of resamples inside the interval.

    Raises:
        ValueError: ``draws`` is under 1, or ``level`` is not between 0 and 1.

    >>> boot = ClusterBootstrap(["a", "a", "b"], 200, np.random.default_rng(1))
    >>> found = boot.mean(np.array([1.0, 1.0, 1.0]))
    >>> found.mean, found.low, found.high, found.clusters
    (1.0, 1.0, 1.0, 2)
    """

    def __init__(
        self,
        clusters: Sequence[Hashable] | NDArray[np.generic],
        draws: int,
        rng: np.random.Generator,
        level: float = 0.95,
    ) -> None:
        if draws < 1 or not 0 < level < 1:
            raise ValueError(f"{draws} draws at level {level}: need draws ≥ 1 and 0 < level < 1")
        numbers: dict[Hashable, int] = {}
        labels = clusters.tolist() if isinstance(clusters, np.ndarray) else clusters
        self._owner = np.fromiter(
            (numbers.setdefault(label, len(numbers)) for label in labels),
            dtype=np.int64,
            count=len(labels),
        )
        self._count = len(numbers)
        self._tail = (1 - level) / 2
        self._weights = resample_weights(self._count, draws, rng)

    def mean(self, values: NDArray[np.floating]) -> Interval:
        """Return the mean of one column with its interval; NaN values are left out.

        Args:
            values: shape (rows,), in the order of the labels given at construction.

        Raises:
            ValueError: the number of values is not the number of rows.
        """
        return self.means(np.asarray(values, dtype=np.float64)[:, None])[0]

    def means(self, columns: NDArray[np.floating]) -> list[Interval]:
        """Return the interval of each column, all from one pass over the resamples.

        Args:
            columns: shape (rows, c); NaN values are left out, column by column.

        Raises:
            ValueError: the number of values is not the number of rows.
        """
        table = np.asarray(columns, dtype=np.float64)
        if table.ndim != 2 or len(table) != len(self._owner):
            raise ValueError(f"values of shape {table.shape} do not fit {len(self._owner)} rows")
        wide = np.zeros((self._count, 2 * table.shape[1]))
        for j, column in enumerate(table.T):
            present = ~np.isnan(column)
            owner = self._owner[present]
            wide[:, 2 * j] = np.bincount(owner, column[present], minlength=self._count)
            wide[:, 2 * j + 1] = np.bincount(owner, minlength=self._count)
        drawn = self._weights @ wide
        return [
            self._interval(column, wide[:, 2 * j + 1], drawn[:, 2 * j], drawn[:, 2 * j + 1])
            for j, column in enumerate(table.T)
        ]

    def _interval(
        self,
        column: NDArray[np.float64],
        counts: NDArray[np.float64],
        totals: NDArray[np.float64],
        sizes: NDArray[np.float64],
    ) -> Interval:
        n, clusters = int(counts.sum()), int(np.count_nonzero(counts))
        if n == 0:
            return Interval(None, None, None, 0, 0, "no value was scored")
        mean = float(column[~np.isnan(column)].mean())
        if clusters < 2:
            reason = "all values belong to one cluster: no interval"
            return Interval(mean, None, None, n, clusters, reason)
        # A resample may miss every cluster that has values: it says nothing.
        means = totals[sizes > 0] / sizes[sizes > 0]
        low, high = np.quantile(means, [self._tail, 1 - self._tail])
        return Interval(mean, float(low), float(high), n, clusters)

    def difference(self, left: NDArray[np.floating], right: NDArray[np.floating]) -> Interval:
        """Return mean(left - right) over the rows where both are present, with its interval.

        >>> boot = ClusterBootstrap(["a", "b"], 100, np.random.default_rng(1))
        >>> boot.difference(np.array([0.5, 0.75]), np.array([0.25, 0.5])).low
        0.25
        """
        return self.mean(np.asarray(left, dtype=np.float64) - np.asarray(right, dtype=np.float64))


def resample_weights(clusters: int, draws: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Return how often each cluster occurs in each resample of as many clusters.

    Each row is a multinomial draw: ``clusters`` trials over equally likely clusters.

    Returns:
        Shape (draws, clusters), float64 whole numbers; every row sums to ``clusters``.

    >>> resample_weights(4, 2, np.random.default_rng(0)).sum(axis=1).tolist()
    [4.0, 4.0]
    """
    weights = np.zeros((draws, clusters))
    if clusters == 0:
        return weights
    rows = max(1, _BLOCK // clusters)
    for start in range(0, draws, rows):
        stop = min(start + rows, draws)
        # Counting uniform picks is the multinomial draw, at a tenth of its cost.
        picks = rng.integers(0, clusters, size=(stop - start, clusters))
        picks += np.arange(stop - start)[:, None] * clusters
        counted = np.bincount(picks.ravel(), minlength=(stop - start) * clusters)
        weights[start:stop] = counted.reshape(stop - start, clusters)
    return weights


def clustered_mean(
    values: NDArray[np.floating],
    clusters: Sequence[Hashable] | NDArray[np.generic],
    rng: np.random.Generator,
    draws: int = 1000,
    level: float = 0.95,
) -> Interval:
    """Return one mean with its interval; see :class:`ClusterBootstrap` for many.

    >>> clustered_mean(np.array([0.5]), ["a"], np.random.default_rng(1)).reason
    'all values belong to one cluster: no interval'
    """
    return ClusterBootstrap(clusters, draws, rng, level).mean(values)
