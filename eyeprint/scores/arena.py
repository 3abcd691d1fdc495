"""From verdicts to ratings, matrices, rank ranges and all that is told of them (P51–P58).

Every verdict is an observation by itself (P51), unless the majority is asked for. Ratings
are Bradley–Terry by maximum likelihood; intervals respect that the verdicts on one person
hang together; models that no verdict joins to the others are refused by name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from eyeprint.errors import DataError, UnknownName
from eyeprint.maths.agreement import clustered_rate
from eyeprint.maths.effects import spearman
from eyeprint.maths.rating_bootstrap import (
    NEAR,
    best_shares,
    percentile_interval,
    rank_ranges,
    shares_above,
)
from eyeprint.maths.rating_errors import standard_errors
from eyeprint.maths.ratings import Floats
from eyeprint.records.study_files import Pick
from eyeprint.records.verdicts import Verdict
from eyeprint.scores.arena_fit import (
    Rated,
    cluster_kind,
    half_widths,
    how_rated,
    notes_on,
    rate_votes,
    ratings_alone,
)
from eyeprint.scores.arena_judges import (
    by_judge,
    humans_found,
    judge_found,
    judge_pairs,
    judges_agree,
    number,
)
from eyeprint.scores.arena_result import ArenaResult as ArenaResult
from eyeprint.scores.arena_result import ArenaSettings as ArenaSettings
from eyeprint.scores.arena_result import (
    MetricFound,
    PickFound,
    RatedModel,
    RateFound,
    WinMatrix,
)
from eyeprint.scores.arena_votes import Vote, majority_votes, votes_of

Metrics = Mapping[str, Mapping[str, float | None]]
"""Metric -> model -> value."""


def arena(
    verdicts: Sequence[Verdict],
    settings: ArenaSettings | None = None,
    *,
    models: Sequence[str] = (),
    humans: Sequence[Verdict] = (),
    picks: Sequence[Pick] = (),
    metrics: Metrics | None = None,
    notes: Sequence[str] = (),
) -> ArenaResult:
    """Return ratings, intervals, rank ranges and everything else that verdicts say.

    Args:
        verdicts: of judges; those without a choice are counted as such.
        settings: see :class:`ArenaSettings`.
        models: all models that were compared, so that one without a counted verdict is told.
        humans: verdicts of raters, for agreement (P56); they do not rate.
        picks: best-of-several choices (P57).
        metrics: values by model, for their rank correlation with the ratings (P58).
        notes: what is known already, told with the result.

    Raises:
        DataError: no verdict counts, or games do not join all models; the groups are named.
        UnknownName: ``settings.models`` holds a name that no verdict has.

    >>> verdicts = [
    ...     Verdict(comparison_id=str(i), case_id="c", person_id=str(i), judge="j", model_a="x",
    ...         model_b="y", choice="a" if i % 4 else "b")
    ...     for i in range(40)
    ... ]
    >>> found = arena(verdicts)
    >>> [(row.model, round(row.rating, 1)) for row in found.models]
    [('x', 1595.4), ('y', 1404.6)]
    """
    settings = settings or ArenaSettings()
    everyone = sorted({*models, *(m for v in verdicts for m in (v.model_a, v.model_b))})
    if settings.models:
        for name in settings.models:
            if name not in everyone:
                raise UnknownName("model", name, everyone)
        chosen = set(settings.models)
        everyone = [name for name in everyone if name in chosen]
        verdicts = [v for v in verdicts if v.model_a in chosen and v.model_b in chosen]
    votes = votes_of(verdicts, settings.rule, settings.cluster_by)
    counted = majority_votes(votes) if settings.majority else votes
    if not counted:
        told = f"None of {len(verdicts)} verdicts says anything"
        if settings.models and not verdicts:
            told = f"No verdict is between two of the chosen models ({', '.join(everyone)})"
        raise DataError(f"{told}: there is nothing to rate.")
    met = {name for vote in counted for name in (vote.model_a, vote.model_b)}
    names = [name for name in everyone if name in met]
    rated = rate_votes(counted, names, settings)
    order = sorted(
        range(len(names)), key=lambda i: (-round(float(rated.fit.ratings[i]) / NEAR), names[i])
    )
    ranked = [names[i] for i in order]
    own = by_judge(votes)
    by_name: dict[str, list[Verdict]] = {}
    for verdict in verdicts:
        by_name.setdefault(verdict.judge, []).append(verdict)
    judges = tuple(
        judge_found(
            judge,
            by_name[judge],
            own.get(judge, []),
            ratings_alone(own.get(judge, []), names, settings),
            settings.level,
        )
        for judge in sorted(by_name)
    )
    unrated = tuple(name for name in everyone if name not in met)
    kind = cluster_kind(counted)
    excluded = Counter[str]()
    for row in judges:
        excluded.update(row.excluded)
    return ArenaResult(
        settings=settings,
        fingerprint=settings.fingerprint(),
        how=how_rated(rated, settings, kind),
        verdicts=len(verdicts),
        counted=len(counted),
        excluded=dict(sorted(excluded.items())),
        comparisons=len({vote.comparison for vote in counted}),
        persons=len({vote.verdict.person_id for vote in counted} - {""}),
        clusters=rated.games.clusters,
        cluster_kind=kind,
        prior_games=rated.fit.prior_games,
        draws_from=rated.draws_from,
        draws_with_prior=rated.draws_with_prior,
        models=tuple(_models(counted, names, order, rated, settings.level)),
        unrated=unrated,
        matrix=_matrix(counted, names, order, rated.drawn),
        judges=judges,
        judge_pairs=tuple(judge_pairs(votes, ranked)),
        judges_agree=judges_agree(votes, judges, settings.level),
        humans=humans_found(votes, _human_votes(humans, votes, settings), settings),
        picks=tuple(_picks(picks, settings.level)),
        metrics=tuple(_metrics(metrics or {}, names, rated, settings.level)),
        notes=(*notes, *notes_on(rated, names, unrated, kind, settings)),
    )


def _models(
    votes: Sequence[Vote],
    names: Sequence[str],
    order: Sequence[int],
    rated: Rated,
    level: float,
) -> list[RatedModel]:
    told = {name: Counter[str]() for name in names}
    for vote in votes:
        for name in (vote.model_a, vote.model_b):
            told[name][vote.for_model(name)] += 1
    fisher = standard_errors(rated.fisher)
    sandwich = None if rated.sandwich is None else standard_errors(rated.sandwich)
    half, kind = half_widths(rated, fisher, sandwich, level)
    low, high = percentile_interval(rated.drawn, level)
    best_rank, worst_rank = rank_ranges(rated.drawn, level)
    best = best_shares(rated.drawn)
    ratings = rated.fit.ratings
    rows = []
    for i in order:
        won, tied, lost = (told[names[i]][choice] for choice in ("a", "tie", "b"))
        rank = 1 + int((ratings > ratings[i] + NEAR).sum())
        rows.append(
            RatedModel(
                model=names[i],
                rating=float(ratings[i]),
                low=float(ratings[i] - half[i]),
                high=float(ratings[i] + half[i]),
                interval=kind,
                fisher_error=float(fisher[i]),
                sandwich_error=None if sandwich is None else float(sandwich[i]),
                drawn_low=float(low[i]),
                drawn_high=float(high[i]),
                rank=rank,
                # The draws are finite: the rank that was found is never outside its range.
                rank_low=min(rank, int(best_rank[i])),
                rank_high=max(rank, int(worst_rank[i])),
                best=float(best[i]),
                wins=won,
                ties=tied,
                losses=lost,
                win_rate=(won + tied / 2) / (won + tied + lost),
            )
        )
    return rows


def _matrix(
    votes: Sequence[Vote], names: Sequence[str], order: Sequence[int], drawn: Floats
) -> WinMatrix:
    place = {names[i]: row for row, i in enumerate(order)}
    size = len(names)
    wins: NDArray[np.int64] = np.zeros((size, size), dtype=np.int64)
    ties: NDArray[np.int64] = np.zeros((size, size), dtype=np.int64)
    for vote in votes:
        a, b = place[vote.model_a], place[vote.model_b]
        if vote.choice == "tie":
            ties[a, b] += 1
            ties[b, a] += 1
        elif vote.choice == "a":
            wins[a, b] += 1
        else:
            wins[b, a] += 1
    games = wins + wins.T + ties
    above = shares_above(drawn)[np.ix_(order, order)]
    return WinMatrix(
        models=tuple(place),
        rates=tuple(
            tuple(
                float((wins[i, j] + ties[i, j] / 2) / games[i, j]) if games[i, j] else None
                for j in range(size)
            )
            for i in range(size)
        ),
        wins=tuple(map(tuple, wins.tolist())),
        ties=tuple(map(tuple, ties.tolist())),
        above=tuple(map(tuple, above.tolist())),
    )


def _human_votes(
    humans: Sequence[Verdict], votes: Sequence[Vote], settings: ArenaSettings
) -> list[Vote]:
    """Return raters' verdicts as votes; a rater's confidence makes no tie."""
    known = {vote.verdict.model_a for vote in votes} | {vote.verdict.model_b for vote in votes}
    rule = settings.rule.model_copy(update={"threshold": 0.0, "tie_at_threshold": False})
    found = votes_of(humans, rule, settings.cluster_by)
    return [vote for vote in found if {vote.model_a, vote.model_b} <= known]


def _picks(picks: Sequence[Pick], level: float) -> list[PickFound]:
    told = Counter(pick.model for pick in picks)
    rows = []
    for model, picked in sorted(told.items(), key=lambda item: (-item[1], item[0])):
        answers = [float(pick.model == model) for pick in picks]
        rate = clustered_rate(answers, [pick.case_id or i for i, pick in enumerate(picks)], level)
        rank = 1 + sum(other > picked for other in told.values())
        rows.append(PickFound(model=model, picked=picked, share=RateFound.of(rate), rank=rank))
    return rows


def _metrics(
    metrics: Metrics, names: Sequence[str], rated: Rated, level: float
) -> list[MetricFound]:
    rows = []
    for metric, values in metrics.items():
        places = [i for i, name in enumerate(names) if values.get(name) is not None]
        column = [values[names[i]] for i in places]
        known = np.array([value for value in column if value is not None], dtype=np.float64)
        found = number(spearman(known, rated.fit.ratings[places]))
        low = high = None
        if found is not None:
            each = [spearman(known, ratings[places]) for ratings in rated.drawn]
            tail = (1 - level) / 2
            low, high = map(float, np.nanquantile(each, [tail, 1 - tail]))
        rows.append(
            MetricFound(metric=metric, spearman=found, low=low, high=high, models=len(places))
        )
    return rows
