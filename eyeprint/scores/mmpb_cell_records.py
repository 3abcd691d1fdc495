"""Findings within one cell, a model in one setting: shares by part, letters, refusals, concepts.

A *part* is a selection of questions, told by its key: ``"all"``, a task such as
``"awareness · recognition · animal"``, or fewer of its words.
"""

from __future__ import annotations

from typing import Literal

from eyeprint.records.concept_questions import Entities, QuestionGroup, QuestionType, Target
from eyeprint.records.concept_settings import ConceptSetting
from eyeprint.records.concepts import ConceptCategory
from eyeprint.scores.mmpb_found import Found, Mean, Outcomes, Share

Access = Literal["open", "closed"]


class Part(Found):
    """A selection of questions."""

    key: str
    """``"all"``, or what is selected, joined by " · " in this order: type, group, category,
    entities, target, "negated" or "not negated"."""
    questions: int
    """Different questions of the run that belong to it."""
    chance: float
    """Mean share that guessing gets right."""
    task: bool = False
    """Whether it is one of the 15 tasks (M6)."""
    type: QuestionType | None = None
    group: QuestionGroup | None = None
    category: ConceptCategory | None = None
    entities: Entities | None = None
    target: Target | None = None
    negated: bool | None = None


class SettingFound(Found):
    """One setting of the grid."""

    label: str
    setting: ConceptSetting
    dialogue_tokens: float | None
    """Mean estimated tokens between injection and question (M44)."""
    prompt_tokens: float | None
    """Mean estimated tokens of a whole request."""


class PartFound(Found):
    """One part in one cell."""

    share: Share
    outcomes: Outcomes
    of_answered: float | None
    """Share of right answers among those read; ``None`` where none was."""
    if_all_right: float | None
    """The share if every question without a read answer had been right: with ``share.value``,
    the bounds."""


class Cell(Found):
    """One model in one setting."""

    model: str
    setting: str
    """Label."""
    macro: Mean
    """Mean over the tasks that occur, each the same weight; ``over`` says how many of 15."""
    parts: dict[str, PartFound]
    """By key of the part; parts without a question in this cell are left out."""


class LetterBias(Found):
    """What is said against what is right (M18: options are shuffled)."""

    model: str
    setting: str
    kind: Literal["letters", "yes_no"]
    n: int
    """Answers read."""
    said: dict[str, float]
    """Share of each answer among those read."""
    keys: dict[str, float]
    """Share of each right answer among the same questions."""
    largest: str | None
    """The answer that is said too often by most."""
    excess: float | None
    """By how much: its ``said`` minus its ``keys``."""


class Unaided(Found):
    """Questions that a model answers without any concept."""

    model: str
    setting: str
    """A setting without concept."""
    part: str
    share: Share
    chance: float
    corrected: float | None
    """``(share - chance) / (1 - chance)``: 0 is guessing, 1 needs no concept at all."""


class Refusals(Found):
    """Evasive answers of one cell (M30): a lower bound, told by patterns."""

    model: str
    setting: str
    asked: int
    refused: int
    share: Share
    """Share of refusals; ``right`` counts them."""
    parts: dict[str, tuple[int, int]]
    """Part (tasks, categories, groups, types) -> (refused, asked)."""
    patterns: dict[str, int]
    """Id of the pattern -> refusals, most frequent first; "" is told otherwise (say, by the
    server's filter)."""


class BlindPart(Found):
    """One group and type without the picture (M21)."""

    part: str
    type: QuestionType
    group: QuestionGroup
    share: Share
    optimum: float
    """0 for Awareness, 1 for Appropriateness, 0.5 for Coherency: a target, not a maximum."""
    distance: float | None
    """Absolute distance of the share from it."""
    seen: Share | None
    """The same setting with the picture, where it was run."""
    concept_only: Share | None
    """Share of the option that fits the concept alone, over the questions where it is known
    (``right`` counts it); ``None`` but for Coherency."""
    caveat: bool
    """Recognition Coherency: what is asked may stand in the injected text, so 0.5 holds only
    where the option that fits the concept alone says what the text says."""


class Blind(Found):
    """One model without pictures."""

    model: str
    setting: str
    parts: tuple[BlindPart, ...]


class ConceptGap(Found):
    """One concept against its category (M45)."""

    concept: str
    share: Share
    """Without interval: there is one concept only."""
    gap: float
    """Its accuracy minus that of its whole category, itself included."""
    low: float
    """Newcombe's interval, its questions taken as independent."""
    high: float
    p: float
    """Fisher's exact test against the rest of the category, two-sided."""
    holm: float
    """After Holm, over all concepts of the cell."""
    flagged: bool


class Fairness(Found):
    """Concepts of one category in one cell."""

    model: str
    setting: str
    category: ConceptCategory
    overall: Share
    concepts: tuple[ConceptGap, ...]
    """From the lowest gap to the highest."""
    largest: float
    """Largest absolute gap."""
    flagged: int
    threshold: float


class Cost(Found):
    """What one model took (M47)."""

    model: str
    questions: int
    input_tokens: int | None
    """Told by the server, over all rows; ``None`` where no row has it."""
    output_tokens: int | None
    cost_usd: float | None
    """Over the rows that tell it; ``None`` where none does."""
    rows_without_cost: int
    usd_per_1000: float | None
    """For 1,000 questions."""
    prompt_tokens: int
    """Estimated, over all requests."""
    shared_tokens: int
    """Of these, tokens at the beginning that the call before had too: what a prefix cache can
    save."""


class ModelFound(Found):
    """A model of the run, with what facts tell."""

    model: str
    human: bool
    access: Access | None
    size_b: float | None
    rank: float | None
    """Mean rank on the leaderboard, among the models that facts list."""
