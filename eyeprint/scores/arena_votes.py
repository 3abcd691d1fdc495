"""Verdicts as votes: which count, as what, and to which cluster they belong (CHECKLIST P51)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from typing import NamedTuple

from eyeprint.records.tie_rule import TieRule
from eyeprint.records.verdicts import Choice, TieKind, Verdict
from eyeprint.scores.arena_result import ClusterKind

SHARE: dict[Choice, float] = {"a": 1.0, "tie": 0.5, "b": 0.0}
"""What model a wins of a game."""
MAJORITY = "majority"


class Vote(NamedTuple):
    """A verdict that counts."""

    comparison: str
    judge: str
    model_a: str
    model_b: str
    choice: Choice
    tie: TieKind | None
    cluster: Hashable
    verdict: Verdict

    def for_model(self, model: str) -> Choice:
        """Return the choice as seen by one of the two models: "a" is a win, "b" a loss."""
        turned: dict[Choice, Choice] = {"a": "b", "b": "a", "tie": "tie"}
        return self.choice if model == self.model_a else turned[self.choice]


def votes_of(
    verdicts: Iterable[Verdict], rule: TieRule, cluster_by: ClusterKind = "person"
) -> list[Vote]:
    """Return the verdicts that say something, with ties by the rule at hand.

    What a judge stated is read anew under the rule; a verdict that holds a choice but no
    statement counts as it is.
    """
    votes = []
    for verdict in verdicts:
        if verdict.choice is None or verdict.outcome != "decided":
            continue
        choice, tie = verdict.choice, verdict.tie
        if verdict.stated in SHARE:
            # The keys of SHARE are all choices there are.
            choice, tie = rule.apply(_choice(verdict.stated), verdict.confidence)
        elif choice == "tie":
            tie = tie or "explicit"
        cluster = _cluster(verdict, cluster_by)
        models = (verdict.model_a, verdict.model_b)
        votes.append(
            Vote(verdict.comparison_id, verdict.judge, *models, choice, tie, cluster, verdict)
        )
    return votes


def _choice(stated: str | None) -> Choice:
    return "a" if stated == "a" else "b" if stated == "b" else "tie"


def _cluster(verdict: Verdict, cluster_by: ClusterKind) -> tuple[ClusterKind, str]:
    if cluster_by == "person" and verdict.person_id:
        return "person", verdict.person_id
    if cluster_by != "comparison" and verdict.case_id:
        return "case", verdict.case_id
    return "comparison", verdict.comparison_id


def most_said(choices: Sequence[Choice]) -> Choice:
    """Return what most say; where two are said most often, a tie.

    >>> most_said(["a", "b", "a"]), most_said(["a", "b", "tie"]), most_said(["a", "tie"])
    ('a', 'tie', 'tie')
    """
    ordered = Counter(choices).most_common(2)
    if len(ordered) > 1 and ordered[0][1] == ordered[1][1]:
        return "tie"
    return ordered[0][0]


def by_comparison(votes: Iterable[Vote]) -> dict[str, list[Vote]]:
    """Return the votes on each comparison, in order of appearance."""
    grouped: dict[str, list[Vote]] = {}
    for vote in votes:
        grouped.setdefault(vote.comparison, []).append(vote)
    return grouped


def majority_votes(votes: Iterable[Vote]) -> list[Vote]:
    """Return one vote per comparison: what most of its verdicts say.

    Verdicts may name the two models in either order; the first one's order is kept.
    """
    decided = []
    for group in by_comparison(votes).values():
        first = group[0]
        choice = most_said([vote.for_model(first.model_a) for vote in group])
        tie: TieKind | None = "explicit" if choice == "tie" else None
        decided.append(first._replace(judge=MAJORITY, choice=choice, tie=tie))
    return decided
