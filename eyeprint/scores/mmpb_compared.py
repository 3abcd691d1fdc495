"""Findings that hold cells against each other: lifts, drops, contrasts, prompting, ranks, curves.

Unless said otherwise, two cells are compared by the questions that both have.
"""

from __future__ import annotations

from typing import Literal

from eyeprint.records.concept_settings import Control
from eyeprint.scores.mmpb_found import Difference, Drop, Found, Mean, Quartiles, Share

Axis = Literal["position", "concepts", "turns"]
Contrast = Literal["entities", "species", "taste", "negation"]


class Lift(Found):
    """What the own concept brings over a control, by the same questions."""

    model: str
    setting: str | None
    """Label with the own concept; ``None``: over all settings that have this control."""
    control: Control
    control_setting: str | None
    parts: dict[str, Difference]
    """Own minus control; ``parts["all"]`` has a ``p``."""


class TurnDrop(Found):
    """One model after a shorter and a longer dialogue (M42)."""

    model: str
    shorter: str
    """Label of the setting with fewer turns."""
    longer: str
    turns: tuple[int, int]
    inject: str
    size_b: float | None
    """Billions of parameters, where facts tell."""
    parts: dict[str, Drop]
    """all, recognition, preference, and the types."""


class Modality(Found):
    """Text against pictures, all else equal (M27)."""

    model: str | None
    """``None``: the mean over models (people left out)."""
    text: str
    """Label of the setting."""
    image: str
    models: int
    parts: dict[str, Difference]
    """Text minus image."""


class AccessGap(Found):
    """Models with open weights against closed ones (M27, M28)."""

    setting: str | None
    """``None``: over all settings with own concepts that all these models ran, as in the
    paper's table, which averages over injections."""
    open: tuple[str, ...]
    closed: tuple[str, ...]
    open_means: dict[str, Mean]
    """Part -> mean over the models."""
    closed_means: dict[str, Mean]
    closed_minus_open: dict[str, Difference]


class Bias(Found):
    """Appropriateness minus Awareness of one cell (M32)."""

    model: str
    setting: str
    parts: dict[str, Difference]
    """all, recognition, preference: positive holds back what it knows, negative sees the
    concept where it is not. Not paired: questions differ."""


class BiasTable(Found):
    """Personalisation bias over cells with own concepts and visible pictures."""

    cells: tuple[Bias, ...]
    positive: int
    zero: int
    negative: int
    share_positive: float | None


class ContrastModel(Found):
    """One model on both sides of a contrast."""

    model: str
    left: Share
    right: Share
    difference: Difference


class ContrastFound(Found):
    """Two kinds of questions within one setting (M33, M16, M17)."""

    contrast: Contrast
    setting: str
    part: str
    """What both sides have in common."""
    left_key: str
    """Key of the left part: single, same_species, like, not negated."""
    right_key: str
    models: tuple[ContrastModel, ...]
    left: Quartiles
    """Over models, people left out."""
    right: Quartiles
    difference: Quartiles


class StrategyFound(Found):
    """One way to put the question against zero-shot (M40)."""

    strategy: str
    setting: str
    parts: dict[str, Difference]
    """Strategy minus zero-shot; each with a ``p`` by signs of whole concepts."""
    holm: dict[str, float]
    """Part -> p after Holm, over the strategies of this table."""
    mcnemar: dict[str, float]
    """Part -> exact McNemar p, which takes questions as independent; for comparison only."""


class PromptingTable(Found):
    """Ways to put the question, all else equal (M40)."""

    model: str | None
    """``None``: all models together, a question of each model a row."""
    base: str
    """Label of the zero-shot setting."""
    zero_shot: dict[str, Share]
    strategies: tuple[StrategyFound, ...]
    cochran_q: float | None
    """Over all strategies and zero-shot, on the questions that all have."""
    cochran_p: float | None
    """By the chi-squared distribution: questions taken as independent."""
    omnibus_p: float | None
    """By permuting the strategies of whole concepts."""
    n: int
    concepts: int


class HumanAgainst(Found):
    """A model on the questions that people answered."""

    model: str
    setting: str
    parts: dict[str, Difference]
    """People minus the model."""


class Human(Found):
    """People's accuracy (M26)."""

    model: str
    """The name under which people's answers stand."""
    setting: str
    parts: dict[str, Share]
    against: tuple[HumanAgainst, ...]
    """Models with the same questions in the same setting."""


class Correlation(Found):
    """Accuracy against a general leaderboard."""

    rho: float | None
    """Spearman's; positive: models that rank better in general are more accurate here."""
    p: float | None
    """Two-sided, by permuting models."""
    n: int
    """Models."""
    per_rank: float | None
    """Least-squares change of accuracy for one rank better."""
    reason: str | None = None


class RankedModel(Found):
    """One model's place on the leaderboard and its accuracies."""

    model: str
    rank: float
    """Mean rank over the benchmarks; 1 is the best."""
    parts: dict[str, float | None]


class RankTable(Found):
    """Models by their general rank (M25, M29, M46)."""

    setting: str | None
    """``None``: the mean over settings with own concepts that all ranked models ran."""
    models: tuple[RankedModel, ...]
    """By rank."""
    correlations: dict[str, Correlation]
    """By part: all, groups, categories, types."""


class Grain(Found):
    """One injection in a granularity table."""

    inject: str
    setting: str
    parts: dict[str, Share]
    """recognition (the paper's), all, preference."""


class Granularity(Found):
    """Injections of one model, all else equal (M34)."""

    model: str
    base: str
    """What is equal: label of the setting without its injection."""
    turns: int
    grains: tuple[Grain, ...]
    """Text levels from simple to extended, then pictures by count."""


class Point(Found):
    """One setting of a curve."""

    x: int
    setting: str
    dialogue_tokens: float | None
    """Mean tokens of the dialogue: the other axis of turn curves (M44)."""
    parts: dict[str, Share]
    """all, recognition, preference, and the types."""


class Curve(Found):
    """One model along one axis, all else equal (M36, M37, M38, M44)."""

    axis: Axis
    model: str
    series: str
    """What tells it from other curves of this axis: injection, prompting, talk ..."""
    inject: str
    dialogue: str
    """general, recognition or preference; of turn curves the point at 0 turns is shared."""
    prompting: str
    turns: int | None
    """``None`` on the axis of turns."""
    points: tuple[Point, ...]
    """Two or more, by rising ``x``."""
