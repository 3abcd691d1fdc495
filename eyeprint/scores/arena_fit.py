"""Ratings of votes with their errors and draws, and how they were made (CHECKLIST P53)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from eyeprint.errors import DataError, shown
from eyeprint.maths.rating_bootstrap import bootstrap_ratings, normal_ratings
from eyeprint.maths.rating_errors import (
    ClusteredGames,
    clustered_games,
    sandwich_covariance,
)
from eyeprint.maths.ratings import (
    Fit,
    Floats,
    NoMaximum,
    Unconnected,
    fisher_covariance,
    fit_ratings,
    strong_groups,
    win_matrix,
)
from eyeprint.randomness import stream
from eyeprint.scores.arena_result import ArenaSettings, ClusterKind, IntervalKind
from eyeprint.scores.arena_votes import SHARE, Vote

FEW = 10
"""Fewer clusters than these leave a sandwich to chance."""
_NOTHING = 1e-9
LISTED = 8
"""Most models that a message names of one group."""


@dataclass(frozen=True)
class Rated:
    """A fit, its errors, and draws that stand for what the data leave open."""

    games: ClusteredGames
    fit: Fit
    fisher: Floats
    """Covariance of θ by Fisher's information, shape (models, models)."""
    sandwich: Floats | None
    """The same, robust to clusters; ``None`` with one cluster."""
    drawn: Floats
    """Ratings, shape (draws, models)."""
    draws_from: Literal["bootstrap", "normal"]
    draws_with_prior: int

    @property
    def scatters(self) -> bool:
        """Whether clusters differ in what they say of every model.

        Where they do not (all verdicts are ties), sandwich and resamples see no error at all.
        """
        return _scatters(self.sandwich, self.fisher)

    @property
    def trusts_sandwich(self) -> bool:
        """Whether the sandwich alone makes the intervals.

        From few clusters it may come out as next to nothing, by chance, and it knows no error
        of ratings that only the prior keeps finite: there the wider one counts.
        """
        return self.fit.has_maximum and self.scatters and self.games.clusters >= FEW


def _scatters(sandwich: Floats | None, fisher: Floats) -> bool:
    if sandwich is None:
        return False
    return bool(np.all(np.diagonal(sandwich) > _NOTHING * np.diagonal(fisher)))


def rate_votes(votes: Sequence[Vote], names: Sequence[str], settings: ArenaSettings) -> Rated:
    """Return ratings of votes, with both errors and the draws.

    Raises:
        DataError: games do not join all models, or finite ratings need the prior and
            ``settings.prior`` is "never"; the groups are named.
    """
    place = {name: i for i, name in enumerate(names)}
    games = clustered_games(
        [place[vote.model_a] for vote in votes],
        [place[vote.model_b] for vote in votes],
        [SHARE[vote.choice] for vote in votes],
        len(names),
        [vote.cluster for vote in votes],
    )
    wins = games.wins
    try:
        fit = fit_ratings(wins, settings.prior, settings.prior_games)
    except Unconnected as error:
        groups = "\n  ".join(_named(group, names) for group in error.groups)
        raise DataError(
            f"No verdict joins these {len(error.groups)} groups of models, so that they have no "
            f"common rating:\n  {groups}\nCompare models across the groups, or rate one group "
            "alone (--models)."
        ) from error
    except NoMaximum as error:
        groups = "\n  ".join(_named(group, names) for group in error.groups)
        raise DataError(
            "Between these groups of models all points went one way, so that no finite ratings "
            f"exist without a prior:\n  {groups}\nLet the prior be used when it is needed."
        ) from error
    fisher = fisher_covariance(wins, fit)
    sandwich = sandwich_covariance(games, fit)
    chance = stream(settings.seed, "arena bootstrap", "ratings").numpy()
    if fit.has_maximum and _scatters(sandwich, fisher):
        drawn = bootstrap_ratings(
            games, settings.draws, chance, settings.prior, settings.prior_games
        )
        return Rated(games, fit, fisher, sandwich, drawn.ratings, "bootstrap", drawn.needed_prior)
    wide = fisher
    if sandwich is not None and np.trace(sandwich) > np.trace(fisher):
        wide = sandwich
    normal = normal_ratings(fit, wide, settings.draws, chance)
    return Rated(games, fit, fisher, sandwich, normal, "normal", 0)


def half_widths(
    rated: Rated, fisher: Floats, sandwich: Floats | None, level: float
) -> tuple[Floats, IntervalKind]:
    """Return half widths of the intervals that are told first, and where they come from."""
    from scipy.special import ndtri, stdtrit

    normal = float(ndtri((1 + level) / 2)) * fisher
    if sandwich is None:
        return normal, "fisher"
    # Few clusters make the sandwich itself uncertain: Student's t with as many, less one.
    robust = float(stdtrit(rated.games.clusters - 1, (1 + level) / 2)) * sandwich
    if rated.trusts_sandwich:
        return robust, "sandwich"
    wider: Floats = np.maximum(normal, robust)
    return wider, "wider"


def ratings_alone(
    votes: Sequence[Vote], names: Sequence[str], settings: ArenaSettings
) -> dict[str, float]:
    """Return the ratings by one judge's votes, or nothing where they allow none."""
    met = [n for n in names if any(n in (vote.model_a, vote.model_b) for vote in votes)]
    if not met:
        return {}
    place = {name: i for i, name in enumerate(met)}
    wins = win_matrix(
        [place[vote.model_a] for vote in votes],
        [place[vote.model_b] for vote in votes],
        [SHARE[vote.choice] for vote in votes],
        len(met),
    )
    try:
        fit = fit_ratings(wins, settings.prior, settings.prior_games)
    except (Unconnected, NoMaximum):
        return {}
    return dict(zip(met, fit.ratings.tolist(), strict=True))


def cluster_kind(votes: Sequence[Vote]) -> ClusterKind:
    """Return the finest kind of cluster that occurs."""
    kinds = {str(vote.cluster[0]) for vote in votes if isinstance(vote.cluster, tuple)}
    return "comparison" if "comparison" in kinds else "case" if "case" in kinds else "person"


def how_rated(rated: Rated, settings: ArenaSettings, kind: ClusterKind) -> str:
    """Return one sentence on how ratings and intervals were made."""
    prior = rated.fit.prior_games
    told = "ties as half wins, 400 points are odds of 10 to 1, mean 1500"
    if prior:
        told += f", prior of {prior:g} tied games of each model against an average one"
    of = "the judges' majorities" if settings.majority else "independent verdicts"
    errors = {
        "bootstrap": f"rank ranges from {settings.draws} resamples of whole {kind}s",
        "normal": f"rank ranges from {settings.draws} normal draws",
    }[rated.draws_from]
    spread = (
        "by Fisher's information"
        if rated.sandwich is None
        else f"by a sandwich over {rated.games.clusters} {kind}s"
        if rated.trusts_sandwich
        else f"the wider of Fisher's and a sandwich over {rated.games.clusters} {kind}s"
    )
    return (
        f"Bradley–Terry by maximum likelihood on {rated.games.games} {of} ({told}); "
        f"{settings.level:.0%} intervals {spread}; {errors}."
    )


def notes_on(
    rated: Rated,
    names: Sequence[str],
    unrated: Sequence[str],
    kind: ClusterKind,
    settings: ArenaSettings,
) -> list[str]:
    """Return what a reader of the ratings should know."""
    notes = []
    if not rated.fit.has_maximum:
        groups = strong_groups(rated.games.wins)
        told = "; ".join(_named(group, names) for group in groups)
        notes.append(
            f"Between these groups all points went one way, so that a prior of "
            f"{rated.fit.prior_games:g} tied games keeps ratings finite: {told}."
        )
    if unrated:
        notes.append(f"Not rated, for no verdict on them counts: {_listed(unrated)}.")
    if kind != settings.cluster_by:
        notes.append(
            f"Not every verdict names its {settings.cluster_by}: the {kind} stands for it, and "
            "intervals may be too narrow."
        )
    if rated.games.clusters < 2:
        notes.append("All verdicts belong to one cluster: intervals take them as independent.")
    elif rated.games.clusters < FEW:
        notes.append(f"Only {rated.games.clusters} {kind}s: intervals are rough.")
    if rated.sandwich is not None and not rated.scatters:
        notes.append(
            f"All {kind}s say the same of some model: its interval takes verdicts as independent."
        )
    if rated.draws_with_prior:
        notes.append(
            f"{rated.draws_with_prior} of {settings.draws} resamples were made finite by the prior."
        )
    return notes


def _named(group: Sequence[int], names: Sequence[str]) -> str:
    return _listed([names[i] for i in group])


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - LISTED} more" if len(names) > LISTED else ""
    return ", ".join(shown(name) for name in names[:LISTED]) + more
