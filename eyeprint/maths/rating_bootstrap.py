"""Bootstraps of ratings by cluster, and what they say of ranks (CHECKLIST P53).

Whole clusters (persons) are drawn again, as many as there are. Clusters of one kind are
drawn together: how often a kind occurs among C draws is multinomial, so a resample costs as
much as there are different kinds, not games; and all resamples are fitted side by side.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from eyeprint.maths.rating_errors import ClusteredGames
from eyeprint.maths.ratings import (
    Fit,
    Floats,
    NoMaximum,
    Prior,
    Unconnected,
    fit_strengths,
    islands,
    reachable,
    strong_groups,
    to_ratings,
)

if TYPE_CHECKING:
    from scipy.sparse import csr_array

_BLOCK = 1 << 22
NEAR = 1e-6
"""Ratings this close, in points, share a rank: equal records differ by rounding only."""


@dataclass(frozen=True)
class Bootstrap:
    """Ratings of every resample."""

    ratings: Floats
    """Shape (draws, models), in points."""
    needed_prior: int
    """Resamples that only a prior made finite, though the games themselves need none."""


def bootstrap_ratings(
    games: ClusteredGames,
    draws: int,
    rng: np.random.Generator,
    prior: Prior = "when_needed",
    prior_games: float = 1.0,
) -> Bootstrap:
    """Return the ratings of resamples of whole clusters.

    With "when_needed" and "never", a resample in which some model never loses, or is not
    met, gets the prior; how many did is told.

    Args:
        games: see :func:`eyeprint.maths.rating_errors.clustered_games`.
        draws: number of resamples, at least 1.
        rng: the only chance there is.
        prior: see :func:`eyeprint.maths.ratings.fit_ratings`.
        prior_games: likewise.

    Raises:
        ValueError: ``draws`` is under 1, there are under 2 clusters, or ``prior_games`` is not
            above 0.
        Unconnected: games do not join all models.
        NoMaximum: no finite maximum exists for the games themselves, and ``prior`` is "never".

    >>> from eyeprint.maths.rating_errors import clustered_games
    >>> games = clustered_games([0] * 40, [1] * 40, [1, 1, 1, 0] * 10, 2)
    >>> found = bootstrap_ratings(games, 200, np.random.default_rng(1))
    >>> found.ratings.shape, float(found.ratings.mean().round(6))
    ((200, 2), 1500.0)
    """
    if draws < 1 or games.clusters < 2:
        raise ValueError(f"{draws} draws of {games.clusters} clusters: need at least 1 of 2")
    if not prior_games > 0:
        raise ValueError(f"a prior of {prior_games} games: it must be above 0")
    wins = games.wins
    apart = islands(wins)
    if len(apart) > 1:
        raise Unconnected(apart)
    if prior == "never" and len(groups := strong_groups(wins)) > 1:
        raise NoMaximum(groups)
    to_matrix = _cells_to_matrix(games)
    share = games.clusters_of_kind / games.clusters
    block = max(1, _BLOCK // max(games.models**2, len(share)))
    strengths, needed = [], 0
    for start in range(0, draws, block):
        size = min(block, draws - start)
        times = rng.multinomial(games.clusters, share, size=size).astype(np.float64)
        tables = ((times @ games.counts) @ to_matrix).reshape(size, games.models, games.models)
        endless = ~reachable(tables).all(axis=(1, 2))
        needed += int(endless.sum())
        pull = np.where(endless | (prior == "always"), prior_games, 0.0)
        strengths.append(fit_strengths(tables, pull))
    return Bootstrap(to_ratings(np.concatenate(strengths)), needed)


def _cells_to_matrix(games: ClusteredGames) -> csr_array:
    """Return the linear map from games per cell to the entries of the win matrix."""
    from scipy.sparse import csr_array

    cells = np.arange(len(games.share))
    there, back = games.left * games.models + games.right, games.right * games.models + games.left
    return csr_array(
        (
            np.concatenate([games.share, 1 - games.share]),
            (np.concatenate([cells, cells]), np.concatenate([there, back])),
        ),
        shape=(len(cells), games.models**2),
    )


def normal_ratings(fit: Fit, covariance: Floats, draws: int, rng: np.random.Generator) -> Floats:
    """Return ratings drawn around a fit with a covariance of θ, shape (draws, models).

    What takes the bootstrap's place where it would be blind: all resamples of a model that
    never lost have it never lose, and one cluster has no resamples.

    >>> from eyeprint.maths.ratings import fisher_covariance, fit_ratings
    >>> wins = np.array([[0.0, 10.0], [0.0, 0.0]])
    >>> fit = fit_ratings(wins)
    >>> drawn = normal_ratings(fit, fisher_covariance(wins, fit), 100, np.random.default_rng(1))
    >>> bool(drawn[:, 0].std() > 50)
    True
    """
    values, vectors = np.linalg.eigh(covariance)
    noise = rng.standard_normal((draws, len(values))) * np.sqrt(np.maximum(values, 0.0))
    return to_ratings(fit.strengths + noise @ vectors.T)


def percentile_interval(drawn: Floats, level: float = 0.95) -> tuple[Floats, Floats]:
    """Return the low and high ends of each model's ratings over draws.

    >>> low, high = percentile_interval(np.arange(101.0)[:, None], 0.9)
    >>> float(low[0].round(6)), float(high[0].round(6))
    (5.0, 95.0)
    """
    tail = (1 - level) / 2
    low, high = np.quantile(drawn, [tail, 1 - tail], axis=0)
    return low, high


def rank_ranges(drawn: Floats, level: float = 0.95) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the best and the worst rank of each model that the draws leave open; 1 is the top.

    In each draw a model's best rank counts who is above it, its worst who is not below it
    (within :data:`NEAR`). The range goes from the lower tail of the best ranks to the upper
    tail of the worst ones, never between two ranks.

    >>> drawn = np.array([[1600.0, 1500, 1400]] * 9 + [[1500.0, 1600, 1400]])
    >>> [ends.tolist() for ends in rank_ranges(drawn)]
    [[1, 1, 3], [2, 2, 3]]
    """
    above = (drawn[:, None, :] > drawn[:, :, None] + NEAR).sum(axis=2)
    level_or_above = (drawn[:, None, :] >= drawn[:, :, None] - NEAR).sum(axis=2)
    tail = (1 - level) / 2
    low = np.quantile(above + 1, tail, axis=0, method="lower")
    high = np.quantile(level_or_above, 1 - tail, axis=0, method="higher")
    return low.astype(np.int64), high.astype(np.int64)


def shares_above(drawn: Floats) -> Floats:
    """Return the share of draws in which the row's model is above the column's; a tie is half.

    Shape (models, models); 0.5 on the diagonal.

    >>> shares_above(np.array([[2.0, 1.0], [2.0, 3.0]])).tolist()
    [[0.5, 0.5], [0.5, 0.5]]
    """
    gaps = drawn[:, :, None] - drawn[:, None, :]
    shares: Floats = (gaps > NEAR).mean(axis=0) + (np.abs(gaps) <= NEAR).mean(axis=0) / 2
    return shares


def best_shares(drawn: Floats) -> Floats:
    """Return the share of draws in which each model is the best, ties split; they sum to 1.

    >>> best_shares(np.array([[2.0, 1.0], [1.0, 1.0]])).tolist()
    [0.75, 0.25]
    """
    top = drawn >= drawn.max(axis=1, keepdims=True) - NEAR
    shares: Floats = (top / top.sum(axis=1, keepdims=True)).mean(axis=0)
    return shares
