"""What an arena found, as frozen records: all that a table, a figure or a report needs."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from eyeprint.config import Settings
from eyeprint.maths.agreement import Rate
from eyeprint.records.tie_rule import TieRule

ClusterKind = Literal["person", "case", "comparison"]
HumanTies = Literal["exact", "decided", "half"]
IntervalKind = Literal["sandwich", "fisher", "wider"]


class ArenaSettings(Settings):
    """How verdicts become ratings.

    >>> ArenaSettings().rule.threshold
    0.7
    """

    threshold: float = Field(default=0.70, ge=0, le=1)
    """A stated confidence below this makes a tie (P51)."""
    tie_at_threshold: bool = False
    """Whether exactly the threshold is a tie too: no in the paper, yes in the released script."""
    majority: bool = False
    """Count one verdict per comparison, the judges' majority (no majority: a tie), instead of
    every judge's verdict by itself, as the paper does (P51)."""
    cluster_by: ClusterKind = "person"
    """What intervals resample whole. Where a person is unknown the case stands for it, and
    where that is unknown the comparison."""
    level: float = Field(default=0.95, gt=0, lt=1)
    """Share of intervals that hold the truth."""
    draws: int = Field(default=1000, ge=1)
    """Bootstrap resamples."""
    seed: int = 0
    """Of the resamples, and of nothing else."""
    prior: Literal["when_needed", "always", "never"] = "when_needed"
    """See :func:`eyeprint.maths.ratings.fit_ratings`."""
    prior_games: float = Field(default=1.0, gt=0)
    """Tied games of each model against an average player, where the prior takes part."""
    human_ties: HumanTies = "exact"
    """The agreement with people (P56) that is told first. exact: a tie is an answer like the
    others; decided: only comparisons that both sides decided; half: a tie on one side is half
    an agreement."""
    models: tuple[str, ...] = ()
    """Rate these models alone; empty for all."""

    @property
    def rule(self) -> TieRule:
        """When a verdict is a tie."""
        return TieRule(threshold=self.threshold, tie_at_threshold=self.tie_at_threshold)


class Found(BaseModel):
    """Base of the results here: frozen, and closed against misspelt fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class RateFound(Found):
    """A share in [0, 1] with its interval; ``None`` where nothing was asked."""

    share: float | None
    low: float | None
    high: float | None
    n: int
    clusters: int

    @classmethod
    def of(cls, rate: Rate) -> RateFound:
        """Return a rate of :func:`eyeprint.maths.agreement.clustered_rate` as a record."""
        return cls(share=rate.share, low=rate.low, high=rate.high, n=rate.n, clusters=rate.clusters)


class RatedModel(Found):
    """One model's place."""

    model: str
    rating: float
    """1500 + (400 / ln 10) θ; the mean of all rated models is 1500."""
    low: float
    high: float
    interval: IntervalKind
    """Where ``low`` and ``high`` come from: the clustered sandwich; Fisher's information where
    there is one cluster only; or the wider of both where the prior was needed, where there
    are fewer than ten clusters, or where no two differ in what they say of a model."""
    fisher_error: float
    """Standard error in points, every verdict taken as independent."""
    sandwich_error: float | None
    """Standard error in points that respects clusters and ties."""
    drawn_low: float
    """Percentile interval of the draws."""
    drawn_high: float
    rank: int
    """1 is the best; equal ratings share a rank."""
    rank_low: int
    """Best rank that the draws leave open."""
    rank_high: int
    best: float
    """Share of draws in which it is the best, ties split."""
    wins: int
    ties: int
    losses: int
    win_rate: float
    """(wins + ties / 2) / n, over all opponents."""


class WinMatrix(Found):
    """Pairs of models, both ways, in the order of the ratings (P54)."""

    models: tuple[str, ...]
    rates: tuple[tuple[float | None, ...], ...]
    """(wins + ties / 2) / n of the row against the column; ``None`` where they never met."""
    wins: tuple[tuple[int, ...], ...]
    ties: tuple[tuple[int, ...], ...]
    above: tuple[tuple[float, ...], ...]
    """Share of draws that rate the row above the column; a tie is half."""

    def games(self, row: int, column: int) -> int:
        """Return the number of verdicts between two models."""
        wins = self.wins[row][column] + self.wins[column][row]
        return wins + self.ties[row][column]


class JudgePair(Found):
    """What one judge said of one pair of models (P55)."""

    judge: str
    model: str
    """The one that is rated higher."""
    against: str
    wins: int
    ties: int
    losses: int
    ties_explicit: int
    ties_low_confidence: int


class JudgeFound(Found):
    """One judge's verdicts, ties, whims and failures."""

    judge: str
    verdicts: int
    counted: int
    ties_explicit: int
    ties_low_confidence: int
    excluded: dict[str, int]
    """Why others did not count -> how many: unread, empty, truncated, refused, failed."""
    without_confidence: int
    """Counted verdicts whose confidence is missing or no number."""
    first_shown: RateFound
    """Share of stated preferences, ties left out, for what was shown first: 0.5 is no bias."""
    same_both_ways: RateFound
    """Share of comparisons judged in both orders with the same outcome."""
    ratings: dict[str, float]
    """By this judge's verdicts alone; empty where they join no single group of models."""


class AgreementPair(Found):
    """How often two judges say the same (win, tie or loss) of a comparison."""

    judge: str
    other: str
    same: RateFound


class JudgesAgree(Found):
    """Agreement among judges, a comparison each unit."""

    comparisons: int
    """With verdicts of two or more judges."""
    alpha_nominal: float | None
    """Krippendorff's alpha over win, tie and loss as three names."""
    alpha_ordinal: float | None
    """The same with tie between win and loss."""
    kendalls_w: float | None
    """Of the judges' own ratings."""
    pairs: tuple[AgreementPair, ...]


class HumanAgreement(Found):
    """How often verdicts agree with the majority of raters (P56)."""

    judge: str
    """A judge; "all verdicts", each by itself; or "majority of judges"."""
    exact: RateFound
    decided: RateFound
    half: RateFound

    def told(self, ties: HumanTies) -> RateFound:
        """Return the agreement under one treatment of ties."""
        found: RateFound = getattr(self, ties)
        return found


class HumansFound(Found):
    """Raters' verdicts on comparisons, and agreement with them."""

    raters: int
    comparisons: int
    """Comparisons that raters judged."""
    shared: int
    """Of these, comparisons with a counted verdict of a judge."""
    ties: int
    """Comparisons on which the raters' majority is a tie, or there is none."""
    alpha: float | None
    """Krippendorff's nominal alpha among raters."""
    agreement: tuple[HumanAgreement, ...]


class PickFound(Found):
    """How often a model's picture was picked as the best of several (P57)."""

    model: str
    picked: int
    share: RateFound
    rank: int


class MetricFound(Found):
    """Rank correlation of a metric with the ratings (P58)."""

    metric: str
    spearman: float | None
    low: float | None
    """Percentile interval over draws of the ratings; the metric's values are held fixed."""
    high: float | None
    models: int


class ArenaResult(Found):
    """Everything that verdicts say of models and of judges."""

    settings: ArenaSettings
    fingerprint: str
    """Of the settings."""
    how: str
    """One sentence on how ratings and intervals were made."""
    verdicts: int
    """All that were read."""
    counted: int
    """Those that count in the ratings; the majority's under ``settings.majority``."""
    excluded: dict[str, int]
    comparisons: int
    persons: int
    """Known persons among the counted verdicts."""
    clusters: int
    cluster_kind: ClusterKind
    """What the clusters are, in truth: see ``ArenaSettings.cluster_by``."""
    prior_games: float
    """0 unless the prior took part."""
    draws_from: Literal["bootstrap", "normal"]
    """Normal draws (of the wider covariance) where a bootstrap would be blind: under two
    clusters, clusters that do not differ, or ratings that only the prior keeps finite."""
    draws_with_prior: int
    models: tuple[RatedModel, ...]
    """The best first."""
    unrated: tuple[str, ...]
    """Models without a counted verdict."""
    matrix: WinMatrix
    judges: tuple[JudgeFound, ...]
    judge_pairs: tuple[JudgePair, ...]
    judges_agree: JudgesAgree | None = None
    """``None`` with one judge."""
    humans: HumansFound | None = None
    picks: tuple[PickFound, ...] = ()
    metrics: tuple[MetricFound, ...] = ()
    notes: tuple[str, ...] = ()

    def rating(self, model: str) -> float:
        """Return a model's rating.

        Raises:
            KeyError: it was not rated.
        """
        return {row.model: row.rating for row in self.models}[model]
