"""How far apart persons' collections are: similarity within, entropy and silhouette between.

For the quality of preference data (PIPBench section 4.5 and appendix F, CHECKLIST P75, P76).
The paper prints numbers without definitions; the ones here are told at each function. All
vectors are taken as directions: rows are divided by their lengths first.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from eyeprint.maths.diversity import mean_pairwise_cosine, unit_rows

Floats = NDArray[np.float64]
Labels = NDArray[np.int64]
_TIE = 1e-12
# Products run over blocks of rows with so many multiplications each: too few for BLAS to
# start threads, which on a busy machine wait for each other far longer than they work.
_PRODUCT = 1 << 18


def owner_numbers(owners: Sequence[Hashable]) -> tuple[Labels, list[Hashable]]:
    """Return each row's person as a number from 0, and the persons in order of appearance.

    >>> owner_numbers(["b", "a", "b"])
    (array([0, 1, 0]), ['b', 'a'])
    """
    numbers: dict[Hashable, int] = {}
    rows = [numbers.setdefault(owner, len(numbers)) for owner in owners]
    return np.array(rows, dtype=np.int64), list(numbers)


def within_similarity(vectors: NDArray[np.floating], owners: Labels) -> Floats:
    """Return, for each person, 100 × the mean cosine over all pairs of their own vectors.

    In [-100, 100]; lower is more varied. NaN for a person with fewer than two directions.
    The mean over persons is the paper's intra-user similarity as read here (P75): persons
    count alike, however many pictures they have.

    Args:
        vectors: shape (n, d).
        owners: shape (n,), person numbers from 0.

    >>> within_similarity(np.array([[1.0, 0], [0, 1], [1, 0], [1, 0]]), np.array([0, 0, 1, 1]))
    array([  0., 100.])
    """
    rows = np.asarray(vectors)
    count = int(owners.max()) + 1 if len(owners) else 0
    order = np.argsort(owners, kind="stable")
    bounds = np.searchsorted(owners[order], np.arange(count + 1))
    found = [
        mean_pairwise_cosine(rows[order[start:stop]]) for start, stop in pairwise(bounds.tolist())
    ]
    return 100.0 * np.array(found, dtype=np.float64)


def person_means(vectors: NDArray[np.floating], owners: Labels) -> Floats:
    """Return the direction of each person's mean of unit vectors; shape (persons, d).

    >>> person_means(np.array([[2.0, 0], [1, 0], [0, 3]]), np.array([0, 0, 1])).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    rows = unit_rows(vectors)
    count = int(owners.max()) + 1 if len(owners) else 0
    sums = np.zeros((count, rows.shape[1]))
    np.add.at(sums, owners, rows)
    return unit_rows(sums)


class Partition(NamedTuple):
    """One k-means clustering: the best of its starts."""

    labels: Labels
    """Shape (n,)."""
    centres: Floats
    """Shape (k, d)."""
    inertia: float
    """Σ ‖x - c‖²."""


def partition(
    points: Floats,
    k: int,
    rng: np.random.Generator,
    starts: int = 4,
    iterations: int = 50,
    tolerance: float = 1e-4,
) -> Partition:
    """Return a k-means clustering of a large set of points: k-means++ starts, then Lloyd.

    By matrix products; :func:`eyeprint.maths.clusters.kmeans` is for many small sets. A
    cluster that loses all points takes the point farthest from its centre.

    Args:
        points: shape (n, d) with n ≥ k ≥ 1.
        k: clusters.
        rng: all the chance there is.
        starts: the one with the least inertia wins.
        iterations: most Lloyd steps of a start.
        tolerance: see :func:`lloyd`.

    Raises:
        ValueError: k or starts is under 1, or k is above n.

    >>> found = partition(np.array([[0.0], [0.2], [9.0]]), 2, np.random.default_rng(1))
    >>> bool(found.labels[0] == found.labels[1] != found.labels[2])
    True
    """
    if not 1 <= k <= len(points) or starts < 1:
        raise ValueError(f"{k} clusters of {len(points)} points from {starts} starts")
    lengths = np.einsum("nd,nd->n", points, points)
    best = lloyd(points, _plus_plus(points, lengths, k, rng), iterations, tolerance)
    for _ in range(1, starts):
        found = lloyd(points, _plus_plus(points, lengths, k, rng), iterations, tolerance)
        # A hair's breadth is rounding, not a better clustering.
        if found.inertia < best.inertia * (1 - _TIE):
            best = found
    return best


def _plus_plus(points: Floats, lengths: Floats, k: int, rng: np.random.Generator) -> Floats:
    chosen = [int(rng.integers(len(points)))]
    nearest = np.full(len(points), np.inf)
    for _ in range(1, k):
        seed = points[chosen[-1]]
        gaps = lengths + seed @ seed - 2 * np.einsum("nd,d->n", points, seed)
        nearest = np.minimum(nearest, np.maximum(gaps, 0.0))
        nearest[chosen] = 0.0
        mass = np.cumsum(nearest)
        if mass[-1] <= _TIE:
            # All points coincide with a seed: any further ones do.
            rest = np.setdiff1d(np.arange(len(points)), chosen)
            chosen.append(int(rest[0]))
            continue
        spot = int(np.searchsorted(mass, rng.random() * mass[-1], side="right"))
        chosen.append(min(spot, len(points) - 1))
    return points[chosen].copy()


def lloyd(
    points: Floats, centres: Floats, iterations: int = 50, tolerance: float = 0.0
) -> Partition:
    """Return the clustering that Lloyd's steps reach from given centres.

    Stops when no assignment changes, or when a step lessens the inertia by no more than
    ``tolerance`` times itself.

    >>> lloyd(np.array([[0.0], [1.0], [8.0]]), np.array([[0.0], [8.0]])).centres.tolist()
    [[0.5], [8.0]]
    """
    centres = centres.copy()
    k = len(centres)
    lengths = np.einsum("nd,nd->n", points, points)
    labels = np.full(len(points), -1, dtype=np.int64)
    before = np.inf
    for step in range(iterations + 1):
        own, gaps = _nearest(points, lengths, centres)
        now = float(np.maximum(gaps, 0.0).sum())
        settled = bool(np.array_equal(own, labels)) or before - now < tolerance * before
        labels, before = own, now
        if settled or step == iterations:
            break
        counts = np.bincount(labels, minlength=k)
        for empty in np.flatnonzero(counts == 0):
            # A point alone in its cluster stays: taking it would empty that one.
            far = int(np.argmax(np.where(counts[labels] > 1, gaps, -1.0)))
            counts[labels[far]] -= 1
            labels[far], counts[empty], gaps[far] = empty, 1, 0.0
        sums = np.zeros_like(centres)
        for block in _blocks(points, k):
            sums += _onehot(labels[block], k).T @ points[block]
        centres = sums / counts[:, None]
    return Partition(labels, centres, float(np.maximum(gaps, 0.0).sum()))


def nearest_centres(points: Floats, centres: Floats) -> Labels:
    """Return the number of the nearest centre of each point, ties to the earlier; shape (n,).

    >>> nearest_centres(np.array([[1.0], [7.0]]), np.array([[0.0], [8.0]]))
    array([0, 1])
    """
    return _nearest(points, np.zeros(len(points)), centres)[0]


def _nearest(points: Floats, lengths: Floats, centres: Floats) -> tuple[Labels, Floats]:
    own = np.empty(len(points), dtype=np.int64)
    gaps = np.empty(len(points))
    squares = np.einsum("kd,kd->k", centres, centres)
    turned = np.ascontiguousarray(centres.T)
    for block in _blocks(points, len(centres)):
        table = squares - 2 * (points[block] @ turned)
        chosen = np.argmin(table, axis=1)
        own[block] = chosen
        gaps[block] = table[np.arange(len(table)), chosen]
    return own, gaps + lengths


def _blocks(points: Floats, k: int) -> list[slice]:
    rows = max(1, _PRODUCT // max(1, points.shape[1] * k))
    return [slice(start, start + rows) for start in range(0, len(points), rows)]


def _onehot(labels: Labels, k: int) -> Floats:
    table = np.zeros((len(labels), k))
    table[np.arange(len(labels)), labels] = 1.0
    return table


def distances(points: Floats) -> Floats:
    """Return the Euclidean distances of all pairs of points, shape (n, n), zero diagonal."""
    lengths = np.einsum("nd,nd->n", points, points)
    gaps = lengths[:, None] + lengths[None, :] - 2 * (points @ points.T)
    np.maximum(gaps, 0.0, out=gaps)
    np.fill_diagonal(gaps, 0.0)
    found: Floats = np.sqrt(gaps)
    return found


def silhouettes(gaps: Floats, labels: Labels) -> Floats:
    """Return each point's silhouette (b - a) / max(a, b), shape (n,).

    a is the mean distance to the other points of its cluster, b the least mean distance to
    another cluster's points. In [-1, 1]; higher is better separated. 0 for a point that is
    alone in its cluster, as Rousseeuw has it; NaN when there is only one cluster.

    Args:
        gaps: shape (n, n), of :func:`distances`: computed once for all clusterings.
        labels: shape (n,), cluster numbers from 0.

    >>> gaps = distances(np.array([[0.0], [0.0], [4.0], [4.0]]))
    >>> silhouettes(gaps, np.array([0, 0, 1, 1])).tolist()
    [1.0, 1.0, 1.0, 1.0]
    """
    used, dense = np.unique(labels, return_inverse=True)
    k, n = len(used), len(labels)
    if k < 2:
        return np.full(n, np.nan)
    counts = np.bincount(dense, minlength=k).astype(np.float64)
    table = _onehot(dense, k)
    sums = np.concatenate([gaps[block] @ table for block in _blocks(gaps, k)])
    row = np.arange(n)
    own = counts[dense]
    inner = sums[row, dense] / np.maximum(own - 1, 1)
    means = sums / counts
    means[row, dense] = np.inf
    outer = means.min(axis=1)
    larger = np.maximum(inner, outer)
    score = np.divide(outer - inner, larger, out=np.zeros(n), where=larger > 0)
    return np.where(own > 1, score, 0.0)


def spread_over_clusters(
    labels: Labels, owners: Labels, k: int, *, reachable: bool = True
) -> Floats:
    """Return, for each person, the Shannon entropy of their vectors over k clusters, in [0, 1].

    H_u = -Σ_c p_uc ln p_uc, divided by its largest value: ln min(k, n_u) with ``reachable``,
    for n_u vectors cannot reach more than n_u clusters; else ln k. The base falls out. 0:
    all in one cluster; 1: as spread as can be. NaN for persons with fewer than two vectors.

    Args:
        labels: shape (n,), the cluster of each vector.
        owners: shape (n,), person numbers from 0.
        k: clusters, at least 2.

    Source: CHECKLIST P76 (the paper gives neither what the entropy is over nor its base).

    >>> spread_over_clusters(np.array([0, 1, 1, 1]), np.array([0, 0, 1, 1]), 2)
    array([1., 0.])
    """
    count = int(owners.max()) + 1 if len(owners) else 0
    cells = np.bincount(owners * k + labels, minlength=count * k).reshape(count, k)
    sizes = cells.sum(axis=1)
    shares = cells / np.maximum(sizes, 1)[:, None]
    logs = np.log(shares, out=np.zeros_like(shares), where=shares > 0)
    entropy = -(shares * logs).sum(axis=1)
    most = np.log(np.minimum(k, sizes) if reachable else np.full(count, k))
    with np.errstate(divide="ignore", invalid="ignore"):
        scaled = np.abs(entropy) / most
    return np.where(sizes >= 2, scaled, np.nan)


def rotated(points: Floats) -> Floats:
    """Return the same points in coordinates of their span: all distances stay, columns go.

    n points of d numbers become n × min(n, d): a QR of the transpose, no choice and no loss.

    >>> rotated(np.ones((2, 9))).shape
    (2, 2)
    """
    if points.shape[0] >= points.shape[1]:
        return points
    triangle: Floats = np.linalg.qr(points.T)[1]
    return triangle.T
