"""k-means for many small point sets at once: k-means++ starts, then Lloyd (CHECKLIST V60, X8)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

# All products here are einsum, not matmul: with thousands of points BLAS starts threads,
# which on a busy machine wait for each other far longer than they work.

# Squared distances below this share of the set's largest squared length count as zero:
# such points are the same point.
_SAME = 1e-12
# Centres, and starts, that differ by less than this share of the set's squared size tie;
# the earliest wins, so that rounding does not choose between equally good ones.
_TIE = 1e-9


class Clusters(NamedTuple):
    """The best of several starts, for each point set."""

    centres: NDArray[np.float64]
    """Shape (s, k, r); rows beyond a set's number of distinct points are NaN."""
    inertia: NDArray[np.float64]
    """Σ_i min_k ‖x_i - c_k‖², shape (s,)."""
    iterations: int
    """Lloyd steps until the last set stood still."""


def kmeans(
    points: NDArray[np.floating], draws: NDArray[np.float64], iterations: int = 100
) -> Clusters:
    """Cluster each point set into at most k clusters, by the best of several starts.

    k-means++: the first seed is a point drawn uniformly, each next one with probability
    in proportion to its squared distance to the nearest seed. Lloyd: assign each point
    to its nearest centre (ties to the earlier), move centres to the means; a cluster
    that loses all points takes the point farthest from its centre. Stops when no
    assignment changes. When a set has fewer than k distinct points, it gets one cluster
    for each. Same input, same output, whatever the other sets are.

    Args:
        points: shape (s, n, r) with n ≥ 1; each set is one person's captions.
        draws: shape (s, starts, k), numbers uniform on [0, 1): all the chance there is.
        iterations: most Lloyd steps of a start, at least 1.

    Returns:
        :class:`Clusters`.

    Raises:
        ValueError: shapes do not fit, or there is no point.

    Source: VPTT section 3.4 (3); CHECKLIST V60 (algorithm open in the paper).

    >>> found = kmeans(np.array([[[0.0], [0.2], [9.0]]]), np.array([[[0.1, 0.9]]]))
    >>> found.centres[0].tolist()
    [[0.1], [9.0]]
    """
    sets = np.asarray(points, dtype=np.float64)
    if sets.ndim != 3 or draws.ndim != 3 or len(sets) != len(draws):
        raise ValueError(f"points {sets.shape} and draws {draws.shape} do not fit")
    count, n, dim = sets.shape
    starts, k = draws.shape[1:]
    if n == 0 or k == 0 or starts == 0 or iterations < 1:
        raise ValueError("k-means needs a point, a cluster, a start and an iteration")
    if count == 0:
        return Clusters(np.zeros((0, k, dim)), np.zeros(0), 0)
    # Every (set, start) is a problem of its own from here on.
    repeated = np.repeat(sets, starts, axis=0)
    centres = _plus_plus(repeated, draws.reshape(count * starts, k))
    centres, inertia, steps = _lloyd(repeated, centres, iterations)
    by_start = inertia.reshape(count, starts)
    size = np.sum(sets**2, axis=(1, 2))[:, None]
    limit = by_start.min(axis=1, keepdims=True) + _TIE * size
    best = np.argmax(by_start <= limit, axis=1)
    row = np.arange(count)
    chosen = centres.reshape(count, starts, k, dim)[row, best]
    return Clusters(chosen, by_start[row, best], steps)


def _plus_plus(points: NDArray[np.float64], draws: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return k seeds per set, shape (s, k, r); NaN once no point is apart from the seeds."""
    count, n, dim = points.shape
    k = draws.shape[1]
    row = np.arange(count)
    lengths = np.sum(points**2, axis=2)
    zero = _SAME * lengths.max(axis=1, keepdims=True)
    centres = np.full((count, k, dim), np.nan)
    centres[:, 0] = points[row, np.minimum((draws[:, 0] * n).astype(np.int64), n - 1)]
    nearest = np.full((count, n), np.inf)
    for j in range(1, k):
        seed = centres[:, j - 1]
        gaps = lengths + np.sum(seed**2, axis=1)[:, None]
        gaps -= 2 * np.einsum("snr,sr->sn", points, seed)
        nearest = np.fmin(nearest, np.where(gaps <= zero, 0.0, gaps))
        mass = np.cumsum(nearest, axis=1)
        marks = draws[:, j, None] * mass[:, -1:]
        # The first point whose running mass passes the mark: it has mass of its own.
        spots = np.sum(mass <= marks, axis=1)
        apart = mass[:, -1] > 0
        last = n - 1 - np.argmax(nearest[:, ::-1] > 0, axis=1)
        spots = np.minimum(spots, last)
        centres[apart, j] = points[row[apart], spots[apart]]
    return centres


def _lloyd(
    points: NDArray[np.float64], centres: NDArray[np.float64], iterations: int
) -> tuple[NDArray[np.float64], NDArray[np.float64], int]:
    count, n, _ = points.shape
    k = centres.shape[1]
    centres = centres.copy()
    inertia = np.zeros(count)
    owners = np.full((count, n), -1)
    busy = np.arange(count)
    steps = 0
    while busy.size:
        own, nearest = _nearest(points[busy], centres[busy])
        inertia[busy] = nearest.sum(axis=1)
        moved = np.any(own != owners[busy], axis=1)
        own, nearest, busy = own[moved], nearest[moved], busy[moved]
        owners[busy] = own
        if steps == iterations or not busy.size:
            break
        steps += 1
        members = own[:, :, None] == np.arange(k)
        _fill_empty(members, nearest, np.isfinite(centres[busy, :, 0]))
        sizes = members.sum(axis=1)
        taken, weights = points[busy], members.astype(np.float64)
        sums = np.stack(
            [np.einsum("sn,snr->sr", weights[:, :, j], taken) for j in range(k)], axis=1
        )
        means = sums / np.maximum(sizes, 1)[:, :, None]
        centres[busy] = np.where(sizes[:, :, None] > 0, means, centres[busy])
    return centres, inertia, steps


def _nearest(
    points: NDArray[np.float64], centres: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the nearest centre of each point and the squared distance to it."""
    lengths = np.sum(points**2, axis=2)
    gaps = np.sum(centres**2, axis=2)[:, None] - 2 * np.einsum("snr,skr->snk", points, centres)
    gaps = np.where(np.isnan(gaps), np.inf, gaps + lengths[:, :, None])
    least = gaps.min(axis=2, keepdims=True)
    # A point halfway between two centres goes to the earlier one, whatever rounding says.
    own = np.argmax(gaps <= least + _TIE * lengths.max(axis=1)[:, None, None], axis=2)
    return own, np.maximum(least[:, :, 0], 0.0)


def _fill_empty(
    members: NDArray[np.bool_], nearest: NDArray[np.float64], real: NDArray[np.bool_]
) -> None:
    """Give each real cluster without points the farthest point, in place."""
    empty = real & ~members.any(axis=1)
    for i in np.flatnonzero(empty.any(axis=1)):
        far = nearest[i].copy()
        for j in np.flatnonzero(empty[i]):
            # A point that is alone in its cluster stays: taking it would empty that one.
            alone = members[i].sum(axis=0)[members[i].argmax(axis=1)] == 1
            spot = int(np.argmax(np.where(alone, -1.0, far)))
            members[i, spot] = False
            members[i, spot, j] = True
            far[spot] = -1.0
