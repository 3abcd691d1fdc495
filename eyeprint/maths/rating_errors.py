"""Games by cluster, and standard errors that respect clusters (CHECKLIST P53).

Verdicts on one person's pictures hang together, and a tie scatters less than a win and a
loss do. The sandwich takes both as they are: it adds up, person by person, what the fit
leaves unexplained.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from eyeprint.maths.ratings import (
    Fit,
    Floats,
    centred,
    chance,
    check_games,
    fisher_covariance,
    win_matrix,
)

if TYPE_CHECKING:
    from scipy.sparse import csr_array


@dataclass(frozen=True, eq=False)
class ClusteredGames:
    """Games as counts: what each kind of cluster holds, and how many clusters are of a kind.

    A cell is one (first model, second model, share won); two clusters with the same number of
    games in every cell are of one kind, for no statistic here can tell them apart.
    """

    models: int
    left: NDArray[np.int64]
    """Place of the first model of each cell, shape (cells,)."""
    right: NDArray[np.int64]
    share: Floats
    """What the first model won: 1, 0.5 or 0."""
    counts: csr_array
    """Games of each kind of cluster in each cell, shape (kinds, cells)."""
    clusters_of_kind: NDArray[np.int64]
    """Shape (kinds,)."""

    @property
    def clusters(self) -> int:
        """Number of clusters."""
        return int(self.clusters_of_kind.sum())

    @property
    def games(self) -> int:
        """Number of games."""
        return int(self.totals.sum())

    @property
    def totals(self) -> Floats:
        """Games in each cell, shape (cells,)."""
        summed: Floats = self.clusters_of_kind.astype(np.float64) @ self.counts
        return summed

    @property
    def wins(self) -> Floats:
        """The win matrix of all games."""
        return win_matrix(self.left, self.right, self.share, self.models, self.totals)


def clustered_games(
    left: ArrayLike,
    right: ArrayLike,
    share: ArrayLike,
    models: int,
    clusters: Sequence[Hashable] | None = None,
) -> ClusteredGames:
    """Return games as counts by kind of cluster.

    Args:
        left: place of the first model of each game.
        right: place of the second one.
        share: what the first model won: 1, 0.5 or 0.
        models: number of models.
        clusters: one label per game, such as the person; ``None``: every game stands alone.

    Raises:
        ValueError: see :func:`eyeprint.maths.ratings.win_matrix`; or labels are missing.

    >>> games = clustered_games([0, 0, 1], [1, 1, 0], [1, 1, 0.5], 2, ["ann", "ben", "ann"])
    >>> games.clusters, games.games, games.wins.tolist()
    (2, 3, [[0.0, 2.5], [0.5, 0.0]])
    """
    from scipy.sparse import csr_array

    first, second, won = check_games(left, right, share, models)
    owner = _numbered(range(len(won)) if clusters is None else clusters)
    if len(owner) != len(won):
        raise ValueError(f"{len(owner)} labels of clusters do not fit {len(won)} games")
    # One pair has one direction, so that (a, b, won) and (b, a, lost) are one cell.
    turned = first > second
    low, high = np.where(turned, second, first), np.where(turned, first, second)
    kinds_of_share, share_code = np.unique(np.where(turned, 1 - won, won), return_inverse=True)
    code = (low * models + high) * max(len(kinds_of_share), 1) + share_code
    cells, cell = np.unique(code, return_inverse=True)
    pair, level = np.divmod(cells, max(len(kinds_of_share), 1))
    order = np.lexsort((cell, owner))
    sizes = np.bincount(owner, minlength=1) if len(owner) else np.zeros(0, dtype=np.int64)
    often: dict[bytes, int] = {}
    for part in np.split(cell[order], np.cumsum(sizes)[:-1]) if len(sizes) else []:
        key = part.tobytes()
        often[key] = often.get(key, 0) + 1
    # Sorted, so that the same games in another order give the same resamples.
    examples = [np.frombuffer(kind, dtype=cell.dtype) for kind in sorted(often)]
    numbers = [often[kind] for kind in sorted(often)]
    rows = np.repeat(np.arange(len(examples)), [len(part) for part in examples])
    columns = np.concatenate(examples) if examples else np.zeros(0, dtype=np.int64)
    shape = (len(examples), len(cells))
    return ClusteredGames(
        models=models,
        left=pair // models,
        right=pair % models,
        share=kinds_of_share[level] if len(kinds_of_share) else np.zeros(0),
        counts=csr_array((np.ones(len(rows)), (rows, columns)), shape=shape),
        clusters_of_kind=np.array(numbers, dtype=np.int64),
    )


def _numbered(labels: Sequence[Hashable]) -> NDArray[np.int64]:
    numbers: dict[Hashable, int] = {}
    return np.fromiter(
        (numbers.setdefault(label, len(numbers)) for label in labels),
        dtype=np.int64,
        count=len(labels),
    )


def sandwich_covariance(games: ClusteredGames, fit: Fit) -> Floats | None:
    """Return the covariance of the centred θ that is robust to clusters, shape (n, n).

    With H the information and s_c the sum over the games of cluster c of
    (share won - σ(θ_i - θ_j)) (e_i - e_j)::

        H⁻¹ [ C / (C - 1) Σ_c s_c s_cᵀ ] H⁻¹

    ``None`` with under two clusters. With few clusters, or where no model loses (the prior
    was needed), it is too small; take the larger of it and Fisher's there.

    >>> games = clustered_games([0] * 4, [1] * 4, [1, 1, 0, 0], 2)
    >>> from eyeprint.maths.ratings import fit_ratings
    >>> sandwich_covariance(games, fit_ratings(games.wins)).round(6).tolist()
    [[0.333333, -0.333333], [-0.333333, 0.333333]]
    """
    clusters = games.clusters
    if clusters < 2:
        return None
    residual = games.share - chance(fit.strengths, games.left, games.right)
    by_cell = np.zeros((len(residual), games.models))
    places = np.arange(len(residual))
    by_cell[places, games.left] = residual
    by_cell[places, games.right] = -residual
    scores = games.counts @ by_cell
    meat = (scores * games.clusters_of_kind[:, None]).T @ scores * (clusters / (clusters - 1))
    bread = fisher_covariance(games.wins, fit)
    return centred(bread @ meat @ bread)


def standard_errors(covariance: Floats) -> Floats:
    """Return the square roots of the diagonal, in rating points.

    >>> from eyeprint.maths.ratings import SCALE
    >>> (standard_errors(np.eye(1) * 4) / SCALE).tolist()
    [2.0]
    """
    from eyeprint.maths.ratings import SCALE

    # Rounding may leave -1e-20 where a variance is 0.
    points: Floats = SCALE * np.sqrt(np.maximum(np.diagonal(covariance), 0.0))
    return points
