"""What verdicts say of the judges: ties, whims, agreement with each other and with people.

CHECKLIST P51 (ties by route), P55 (win, tie and loss by judge), P56 (people), X9 (what did
not count).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np

from eyeprint.maths.agreement import clustered_rate, kendalls_w, krippendorff_alpha
from eyeprint.records.verdicts import Choice, Verdict
from eyeprint.scores.arena_result import (
    AgreementPair,
    ArenaSettings,
    HumanAgreement,
    HumansFound,
    JudgeFound,
    JudgePair,
    JudgesAgree,
    RateFound,
)
from eyeprint.scores.arena_votes import SHARE, Vote, by_comparison, most_said

ALL_VERDICTS = "all verdicts"
MAJORITY_OF_JUDGES = "majority of judges"


def by_judge(votes: Sequence[Vote]) -> dict[str, list[Vote]]:
    """Return each judge's votes, judges by name."""
    grouped: dict[str, list[Vote]] = {}
    for vote in votes:
        grouped.setdefault(vote.judge, []).append(vote)
    return dict(sorted(grouped.items()))


def judge_found(
    judge: str,
    verdicts: Sequence[Verdict],
    votes: Sequence[Vote],
    ratings: Mapping[str, float],
    level: float,
) -> JudgeFound:
    """Return one judge's row.

    Args:
        judge: its name.
        verdicts: all of its verdicts.
        votes: those that count.
        ratings: by these votes alone; empty where they allow none.
        level: of the intervals.
    """
    ties = Counter(vote.tie for vote in votes if vote.choice == "tie")
    excluded = Counter(
        "unread" if v.outcome == "decided" else v.outcome
        for v in verdicts
        if v.choice is None or v.outcome != "decided"
    )
    firsts, owners = [], []
    for vote in votes:
        stated = vote.verdict.stated or vote.verdict.choice
        if stated in ("a", "b"):
            firsts.append(float((stated == "b") == vote.verdict.flipped))
            owners.append(vote.cluster)
    same, pairs = [], []
    for group in by_comparison(votes).values():
        orders = {v.verdict.flipped: v.for_model(group[0].model_a) for v in reversed(group)}
        if len(orders) == 2:
            same.append(float(orders[True] == orders[False]))
            pairs.append(group[0].cluster)
    return JudgeFound(
        judge=judge,
        verdicts=len(verdicts),
        counted=len(votes),
        ties_explicit=ties["explicit"],
        ties_low_confidence=ties["low_confidence"],
        excluded=dict(sorted(excluded.items())),
        without_confidence=sum(vote.verdict.confidence is None for vote in votes),
        first_shown=RateFound.of(clustered_rate(firsts, owners, level)),
        same_both_ways=RateFound.of(clustered_rate(same, pairs, level)),
        ratings=dict(ratings),
    )


def judge_pairs(votes: Sequence[Vote], order: Sequence[str]) -> list[JudgePair]:
    """Return every judge's wins, ties and losses of every pair that it judged (P55).

    Args:
        votes: of all judges.
        order: models, the best first; of each pair the better one stands in front.
    """
    place = {model: i for i, model in enumerate(order)}
    grouped: dict[tuple[int, int, str], list[Vote]] = {}
    for vote in votes:
        first, second = sorted((place[vote.model_a], place[vote.model_b]))
        grouped.setdefault((first, second, vote.judge), []).append(vote)
    rows = []
    for (first, second, judge), group in sorted(grouped.items()):
        told = Counter(vote.for_model(order[first]) for vote in group)
        ties = Counter(vote.tie for vote in group if vote.choice == "tie")
        rows.append(
            JudgePair(
                judge=judge,
                model=order[first],
                against=order[second],
                wins=told["a"],
                ties=told["tie"],
                losses=told["b"],
                ties_explicit=ties["explicit"],
                ties_low_confidence=ties["low_confidence"],
            )
        )
    return rows


def _answers(votes: Sequence[Vote]) -> dict[str, dict[str, Choice]]:
    """Return judge -> comparison -> what it says, in the order of the models' names.

    A judge with several verdicts on a comparison says what most of them do.
    """
    said: dict[str, dict[str, list[Choice]]] = {}
    for vote in votes:
        first = min(vote.model_a, vote.model_b)
        own = said.setdefault(vote.judge, {}).setdefault(vote.comparison, [])
        own.append(vote.for_model(first))
    return {
        judge: {name: most_said(choices) for name, choices in own.items()}
        for judge, own in sorted(said.items())
    }


def _table(answers: Mapping[str, Mapping[str, Choice]]) -> np.ndarray:
    """Return raters by comparisons, win 1, tie 0.5, loss 0, NaN where a rater said nothing."""
    names = dict.fromkeys(name for own in answers.values() for name in own)
    place = {name: i for i, name in enumerate(names)}
    table = np.full((len(answers), len(place)), np.nan)
    for row, own in enumerate(answers.values()):
        for name, choice in own.items():
            table[row, place[name]] = SHARE[choice]
    return table


def judges_agree(
    votes: Sequence[Vote], judges: Sequence[JudgeFound], level: float
) -> JudgesAgree | None:
    """Return how far judges agree; ``None`` with under two of them."""
    answers = _answers(votes)
    if len(answers) < 2:
        return None
    clusters = {vote.comparison: vote.cluster for vote in votes}
    pairs = []
    for one, other in combinations(answers, 2):
        both = [name for name in answers[one] if name in answers[other]]
        same = [float(answers[one][name] == answers[other][name]) for name in both]
        rate = clustered_rate(same, [clusters[name] for name in both], level)
        pairs.append(AgreementPair(judge=one, other=other, same=RateFound.of(rate)))
    table = _table(answers)
    rated = [judge.ratings for judge in judges if judge.ratings]
    shared = [model for model in rated[0] if all(model in own for own in rated)] if rated else []
    return JudgesAgree(
        comparisons=int(((~np.isnan(table)).sum(axis=0) >= 2).sum()),
        alpha_nominal=number(krippendorff_alpha(table)),
        alpha_ordinal=number(krippendorff_alpha(table, "ordinal")),
        kendalls_w=number(kendalls_w([[own[model] for model in shared] for own in rated]))
        if len(rated) > 1
        else None,
        pairs=tuple(pairs),
    )


def agreement_by(one: Choice, other: Choice) -> dict[str, float | None]:
    """Return how far two answers agree, by each treatment of ties; ``None``: not counted.

    >>> agreement_by("a", "tie")
    {'exact': 0.0, 'decided': None, 'half': 0.5}
    """
    decided = one != "tie" and other != "tie"
    same = float(one == other)
    return {
        "exact": same,
        "decided": same if decided else None,
        "half": same if decided or same else 0.5,
    }


def humans_found(
    votes: Sequence[Vote], humans: Sequence[Vote], settings: ArenaSettings
) -> HumansFound | None:
    """Return how verdicts agree with the majority of raters; ``None`` without raters (P56)."""
    if not humans:
        return None
    # Answers are in the order of the models' names, so that either order of them is one.
    raters = _answers(humans)
    said: dict[str, list[Choice]] = {}
    for own in raters.values():
        for name, choice in own.items():
            said.setdefault(name, []).append(choice)
    people = {name: most_said(choices) for name, choices in said.items()}
    shared = [vote for vote in votes if vote.comparison in people]
    rows = []

    def told(name: str, pairs: Sequence[tuple[Vote, Choice]]) -> None:
        rows.append(_human_row(name, pairs, people, settings.level))

    def own_order(vote: Vote) -> Choice:
        return vote.for_model(min(vote.model_a, vote.model_b))

    told(ALL_VERDICTS, [(vote, own_order(vote)) for vote in shared])
    groups = by_judge(shared)
    if len(groups) > 1:
        first = {vote.comparison: vote for vote in reversed(shared)}
        committee: dict[str, list[Choice]] = {}
        for own in _answers(shared).values():
            for name, choice in own.items():
                committee.setdefault(name, []).append(choice)
        told(MAJORITY_OF_JUDGES, [(first[name], most_said(c)) for name, c in committee.items()])
        for judge, own_votes in groups.items():
            told(judge, [(vote, own_order(vote)) for vote in own_votes])
    return HumansFound(
        raters=len(raters),
        comparisons=len(people),
        shared=len({vote.comparison for vote in shared}),
        ties=sum(choice == "tie" for choice in people.values()),
        alpha=number(krippendorff_alpha(_table(raters))) if len(raters) > 1 else None,
        agreement=tuple(rows),
    )


def _human_row(
    judge: str,
    pairs: Sequence[tuple[Vote, Choice]],
    people: Mapping[str, Choice],
    level: float,
) -> HumanAgreement:
    by_treatment = [(vote, agreement_by(said, people[vote.comparison])) for vote, said in pairs]

    def rate(ties: str) -> RateFound:
        values, owners = [], []
        for vote, found in by_treatment:
            value = found[ties]
            if value is not None:
                values.append(value)
                owners.append(vote.cluster)
        return RateFound.of(clustered_rate(values, owners, level))

    return HumanAgreement(
        judge=judge, exact=rate("exact"), decided=rate("decided"), half=rate("half")
    )


def number(value: float) -> float | None:
    """Return a number, or ``None`` for NaN.

    >>> number(float("nan")) is None
    True
    """
    return None if math.isnan(value) else value
