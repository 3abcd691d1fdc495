"""Bradley–Terry ratings by maximum likelihood, ties as half wins (CHECKLIST P53, P54, X7).

Model i beats model j with probability σ(θ_i - θ_j). With W_ij the games that i won
against j, ties counted half on both sides, the strengths θ maximise ::

    L(θ) = Σ_ij W_ij log σ(θ_i - θ_j) + (g / 2) Σ_i [log σ(θ_i) + log σ(-θ_i)]

The second term is the prior: g tied games of every model against a fixed player of average
strength. It is used only where it is needed (g = 0 elsewhere): without it no finite maximum
exists when some models never lost a point to the others. Ratings are 1500 + (400 / ln 10) θ,
with θ centred on 0, so that 400 points are odds of 10 to 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Prior = Literal["when_needed", "always", "never"]

SCALE = 400 / np.log(10)
"""Points per unit of θ."""
CENTRE = 1500.0
"""Mean rating of the models of one fit."""

_STEPS, _HALVINGS = 200, 40
_SETTLED = 1e-10
_ENDLESS = "Newton's steps did not settle: the games have no finite maximum"


class Unconnected(ValueError):
    """Some models never met others, not even through third ones: no common scale exists.

    ``groups`` holds the places of the models of each island, the largest first.
    """

    def __init__(self, groups: tuple[tuple[int, ...], ...]) -> None:
        self.groups = groups
        super().__init__(f"{len(groups)} groups of models are joined by no game: {groups}")


class NoMaximum(ValueError):
    """Some models never lost a point to the others: the likelihood grows without end.

    ``groups`` holds the models that do have finite strengths among themselves.
    """

    def __init__(self, groups: tuple[tuple[int, ...], ...]) -> None:
        self.groups = groups
        super().__init__(
            f"no finite ratings without a prior: all points went one way between {groups}"
        )


@dataclass(frozen=True)
class Fit:
    """Strengths of one set of games, and how they were found."""

    strengths: Floats
    """θ, shape (n,), mean 0, in natural-log odds."""
    prior_games: float
    """g of the prior that was used; 0 where none was."""
    has_maximum: bool
    """Whether finite strengths exist without a prior."""

    @property
    def ratings(self) -> Floats:
        """1500 + (400 / ln 10) θ, shape (n,)."""
        return to_ratings(self.strengths)


def to_ratings(strengths: Floats) -> Floats:
    """Return 1500 + (400 / ln 10) θ.

    >>> to_ratings(np.array([0.0, np.log(10)])).round(6).tolist()
    [1500.0, 1900.0]
    """
    points: Floats = CENTRE + SCALE * strengths
    return points


def win_matrix(
    left: ArrayLike, right: ArrayLike, share: ArrayLike, models: int, weights: ArrayLike = 1.0
) -> Floats:
    """Return W, shape (models, models): games won by the row against the column.

    Args:
        left: place of the first model of each game, shape (games,).
        right: place of the second one.
        share: what the first model won of the game: 1, 0.5 for a tie, or 0.
        models: number of models.
        weights: how often each game counts, one number or shape (games,).

    Raises:
        ValueError: the lengths differ, a place or share is out of range, or a model meets itself.

    >>> win_matrix([0, 0], [1, 1], [1, 0.5], 2).tolist()
    [[0.0, 1.5], [0.5, 0.0]]
    """
    first, second, won = check_games(left, right, share, models)
    counted = np.broadcast_to(np.asarray(weights, dtype=np.float64), won.shape)
    there, back = first * models + second, second * models + first
    cells: Floats = np.zeros(models * models)
    cells += np.bincount(there, counted * won, minlength=cells.size)
    cells += np.bincount(back, counted * (1 - won), minlength=cells.size)
    return cells.reshape(models, models)


def check_games(
    left: ArrayLike, right: ArrayLike, share: ArrayLike, models: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], Floats]:
    """Return the three columns as arrays; see :func:`win_matrix` for what is refused."""
    first = np.asarray(left, dtype=np.int64).reshape(-1)
    second = np.asarray(right, dtype=np.int64).reshape(-1)
    won = np.asarray(share, dtype=np.float64).reshape(-1)
    if not first.shape == second.shape == won.shape:
        raise ValueError(
            f"{first.size} first models, {second.size} second ones and {won.size} shares: "
            "one of each belongs to a game"
        )
    if not won.size:
        return first, second, won
    if min(first.min(), second.min()) < 0 or max(first.max(), second.max()) >= models:
        raise ValueError(f"places of models lie in 0 .. {models - 1}")
    if not np.all((won >= 0) & (won <= 1)):
        raise ValueError("what the first model won of a game lies in [0, 1]")
    if np.any(first == second):
        raise ValueError(f"game {int(np.argmax(first == second))}: a model meets itself")
    return first, second, won


def islands(wins: Floats) -> tuple[tuple[int, ...], ...]:
    """Return the groups of models that games join, the largest first, each in order.

    Ratings of different islands have no common scale.

    >>> islands(win_matrix([0, 2], [1, 3], [1, 0.5], 5))
    ((0, 1), (2, 3), (4,))
    """
    return _components(wins + wins.T)


def strong_groups(wins: Floats) -> tuple[tuple[int, ...], ...]:
    """Return the groups within which every model won points, through others, off every other.

    One group: finite strengths exist without a prior (Ford's condition). Between two groups
    that met, all points went one way.

    >>> strong_groups(win_matrix([0, 0, 1], [1, 2, 2], [1, 1, 0.5], 3))
    ((1, 2), (0,))
    """
    return _components(wins)


def _components(wins: Floats) -> tuple[tuple[int, ...], ...]:
    reach = reachable(wins[None])[0]
    both = reach & reach.T
    groups = {tuple(np.flatnonzero(row).tolist()) for row in both}
    return tuple(sorted(groups, key=lambda group: (-len(group), group)))


def reachable(wins: Floats) -> NDArray[np.bool_]:
    """Return who won points off whom, directly or through others, for each matrix of a batch.

    Args:
        wins: shape (batch, n, n).

    >>> reachable(np.array([[[0, 1, 0], [0, 0, 1], [0, 0, 0]]]))[0, 0].tolist()
    [True, True, True]
    """
    size = wins.shape[-1]
    reach = (wins > 0) | np.eye(size, dtype=bool)
    for _ in range(max(size - 1, 1).bit_length()):
        wider = reach.astype(np.float32)
        reach = (wider @ wider) > 0
    return reach


def fit_ratings(wins: ArrayLike, prior: Prior = "when_needed", prior_games: float = 1.0) -> Fit:
    """Return the strengths that make a win matrix most likely.

    Args:
        wins: W of :func:`win_matrix`, shape (n, n), n ≥ 1.
        prior: whether the prior takes part. "when_needed" leaves ordinary data to plain maximum
            likelihood, and gives a model that won 10 of 10 games a finite rating; "always" pulls
            every fit a little towards the mean; "never" refuses data without a finite maximum.
        prior_games: g, tied games of each model against a player of average strength; above 0.

    Raises:
        Unconnected: games do not join all models.
        NoMaximum: no finite maximum exists, and ``prior`` is "never".
        ValueError: ``wins`` is no square table of finite numbers from 0 on with an empty
            diagonal, or ``prior_games`` is not above 0.

    Source: PIPBench section 4.2 and appendix B; CHECKLIST P53.

    >>> fit_ratings([[0, 3], [1, 0]]).ratings.round(2).tolist()
    [1595.42, 1404.58]
    >>> fit_ratings([[0, 10], [0, 0]]).has_maximum
    False
    """
    table = _checked(wins)
    if not prior_games > 0:
        raise ValueError(f"a prior of {prior_games} games: it must be above 0")
    apart = islands(table)
    if len(apart) > 1:
        raise Unconnected(apart)
    groups = strong_groups(table)
    if len(groups) > 1 and prior == "never":
        raise NoMaximum(groups)
    needed = prior == "always" or (prior == "when_needed" and len(groups) > 1)
    used = prior_games if needed else 0.0
    strengths = fit_strengths(table[None], np.array([used]))[0]
    return Fit(strengths, used, len(groups) == 1)


def _checked(wins: ArrayLike) -> Floats:
    table = np.asarray(wins, dtype=np.float64)
    if table.ndim != 2 or table.shape[0] != table.shape[1] or not table.size:
        raise ValueError(f"a win matrix is square, and this one has shape {table.shape}")
    if not np.all(np.isfinite(table)) or np.any(table < 0):
        raise ValueError("a win matrix holds finite numbers from 0 on")
    if np.any(np.diagonal(table)):
        raise ValueError("a win matrix has zeros on its diagonal: no model meets itself")
    return table


def fit_strengths(wins: Floats, prior_games: Floats) -> Floats:
    """Return θ for every win matrix of a batch, each centred on 0, by Newton's method.

    A matrix without a finite maximum needs a prior above 0; :func:`fit_ratings` sees to that.

    Args:
        wins: shape (batch, n, n).
        prior_games: g of each matrix, shape (batch,).

    Returns:
        Shape (batch, n).

    Raises:
        ArithmeticError: the steps did not come to rest, as happens without a finite maximum.
    """
    theta = np.zeros(wins.shape[:2])
    at_work = np.arange(len(wins))
    for _ in range(_STEPS):
        if not at_work.size:
            middle: Floats = theta.mean(axis=1, keepdims=True)
            return theta - middle
        part, prior, start = wins[at_work], prior_games[at_work], theta[at_work]
        step = _newton_step(part, prior, start)
        theta[at_work] = start + _damped(part, prior, start, step)
        at_work = at_work[np.abs(step).max(axis=1) > _SETTLED]
    raise ArithmeticError(_ENDLESS)


def _newton_step(wins: Floats, prior: Floats, theta: Floats) -> Floats:
    chances = _sigmoid(theta[:, :, None] - theta[:, None, :])
    average = _sigmoid(theta)
    games = wins + wins.transpose(0, 2, 1)
    gradient = (wins - games * chances).sum(axis=2) + prior[:, None] * (0.5 - average)
    curvature = _curvature(games * chances * (1 - chances), prior, average)
    try:
        step: Floats = np.linalg.solve(curvature, gradient[:, :, None])[:, :, 0]
    except np.linalg.LinAlgError as error:
        raise ArithmeticError(_ENDLESS) from error
    return step


def _curvature(weights: Floats, prior: Floats, average: Floats) -> Floats:
    """Return minus the second derivative of L, with something on the flat direction.

    Without a prior nothing depends on the mean of θ; a constant added to every entry makes
    the matrix invertible and changes no step whose entries sum to 0.
    """
    size = weights.shape[-1]
    whole = -weights
    places = np.arange(size)
    whole[:, places, places] = weights.sum(axis=2) + prior[:, None] * average * (1 - average)
    flat = np.trace(whole, axis1=1, axis2=2) / size**2
    # A single model has no game: any number does.
    flat = np.where(prior > 0, 0.0, np.where(flat > 0, flat, 1.0))
    whole += flat[:, None, None]
    return whole


def _damped(wins: Floats, prior: Floats, start: Floats, step: Floats) -> Floats:
    """Return the steps, each halved until it no longer makes its games less likely."""
    before = _objective(wins, prior, start)
    taken = step
    slack = 1e-12 * (1 + np.abs(before))
    for _ in range(_HALVINGS):
        worse = _objective(wins, prior, start + taken) < before - slack
        if not worse.any():
            return taken
        taken = np.where(worse[:, None], taken / 2, taken)
    return taken


def _objective(wins: Floats, prior: Floats, theta: Floats) -> Floats:
    pull = _log_sigmoid(theta) + _log_sigmoid(-theta)
    value: Floats = _log_likelihood(wins, theta) + prior / 2 * pull.sum(axis=-1)
    return value


def _log_likelihood(wins: Floats, theta: Floats) -> Floats:
    gaps = theta[..., :, None] - theta[..., None, :]
    value: Floats = (wins * _log_sigmoid(gaps)).sum(axis=(-1, -2))
    return value


def _sigmoid(x: Floats) -> Floats:
    # tanh neither overflows nor needs two branches.
    value: Floats = 0.5 * (1 + np.tanh(0.5 * x))
    return value


def _log_sigmoid(x: Floats) -> Floats:
    value: Floats = np.minimum(x, 0.0) - np.log1p(np.exp(-np.abs(x)))
    return value


def fisher_covariance(wins: Floats, fit: Fit) -> Floats:
    """Return the covariance of the centred θ by Fisher's information, shape (n, n).

    It takes every game for independent, and a tie for half of two games; games of one person
    hang together (too narrow) and ties scatter less than wins and losses (too wide): see
    :func:`eyeprint.maths.rating_errors.sandwich_covariance`.

    >>> fisher_covariance(np.array([[0.0, 2.0], [2.0, 0.0]]), fit_ratings([[0, 2], [2, 0]]))
    array([[ 0.25, -0.25],
           [-0.25,  0.25]])
    """
    theta = fit.strengths
    chances = _sigmoid(theta[:, None] - theta[None, :])
    weights = (wins + wins.T) * chances * (1 - chances)
    prior = np.array([fit.prior_games])
    inverse = np.linalg.inv(_curvature(weights[None], prior, _sigmoid(theta)[None])[0])
    return centred(inverse)


def centred(covariance: Floats) -> Floats:
    """Return the covariance of θ - mean θ from that of θ.

    >>> centred(np.eye(2)).tolist()
    [[0.5, -0.5], [-0.5, 0.5]]
    """
    rows: Floats = covariance - covariance.mean(axis=0, keepdims=True)
    both: Floats = rows - rows.mean(axis=1, keepdims=True)
    return both


def chance(strengths: Floats, left: Sequence[int] | NDArray[np.int64], right: ArrayLike) -> Floats:
    """Return σ(θ_left - θ_right) for pairs of places.

    >>> chance(np.array([np.log(3), 0.0]), [0], [1]).round(12).tolist()
    [0.75]
    """
    return _sigmoid(strengths[np.asarray(left)] - strengths[np.asarray(right)])
