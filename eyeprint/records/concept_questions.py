"""Questions about concepts, and what a model said to them (CHECKLIST M6, M16–M18, M23, M30)."""

from __future__ import annotations

from typing import Literal, get_args

from pydantic import Field, model_validator

from eyeprint.records.concepts import CATEGORIES, ConceptCategory
from eyeprint.records.work import Work

QuestionType = Literal["awareness", "appropriateness", "coherency"]
TYPES: tuple[QuestionType, ...] = get_args(QuestionType)
"""``l2-category`` of released rows: awareness, overconcept, inconsistency."""
QuestionGroup = Literal["recognition", "preference"]
GROUPS: tuple[QuestionGroup, ...] = get_args(QuestionGroup)
"""``category`` of released rows."""
LETTERS = "ABCD"
YES, NO = "Yes", "No"
Target = Literal["like", "dislike", "same_species", "different_species"]
"""``target`` of released rows: like, dislike, Homo, Hetro. The latter two say whether an animal
on a negative picture is of the concept's species: a hard negative (M17)."""
Entities = Literal["single", "multi"]
"""Whether others are in the picture beside the concept (M16)."""


class ConceptQuestion(Work):
    """One question about one picture and one concept.

    >>> ConceptQuestion(id="1", concept="Boo", category="animal", type="awareness",
    ...     group="recognition", question="Is <sks> in the image?", answer="Yes",
    ...     image="a.png").task
    'awareness · recognition · animal'
    """

    id: str = Field(min_length=1)
    """``index`` of released rows; unique within the data."""
    concept: str
    """Name of the concept."""
    category: ConceptCategory
    type: QuestionType
    group: QuestionGroup
    question: str
    """With ``<sks>`` for the name."""
    options: dict[str, str] = Field(default_factory=dict)
    """Letter -> text, A to D, for Coherency; empty where the answer is yes or no."""
    answer: str
    """A letter of the options, "Yes" or "No"."""
    image: str
    """The query picture, relative to the data root, with forward slashes."""
    topic: str = ""
    """``concept`` of released rows: the preference or attribute that is asked about."""
    target: Target | None = None
    entities: Entities | None = None
    negated: bool | None = None
    """Whether the question is put in the negative ("Is <sks> not in the image?"), where known."""
    concept_only: str = ""
    """Letter of the option that fits the concept but not the picture (M18), where known."""

    @model_validator(mode="after")
    def _answer_is_possible(self) -> ConceptQuestion:
        possible = tuple(self.options) or (YES, NO)
        if self.answer not in possible:
            raise ValueError(f"answer '{self.answer}' is none of {', '.join(possible)}")
        if any(len(letter) != 1 or letter not in LETTERS for letter in self.options):
            raise ValueError(f"options are lettered {LETTERS[0]} to {LETTERS[-1]}")
        if len(self.options) == 1:
            raise ValueError("one option alone leaves nothing to choose")
        blank = [letter for letter, text in self.options.items() if not text.strip()]
        if blank:
            raise ValueError(f"option {blank[0]} is empty")
        if self.concept_only and (
            self.concept_only not in self.options or self.concept_only == self.answer
        ):
            raise ValueError("concept_only is the letter of a wrong option")
        return self

    @property
    def task(self) -> str:
        """One of the 15 tasks: type, group and category (M6)."""
        return task_name(self.type, self.group, self.category)

    @property
    def chance(self) -> float:
        """The share that guessing gets right: 1 of the options, or 1/2."""
        return 1 / (len(self.options) or 2)


def task_name(type: str, group: str, category: str) -> str:
    """Return a task's name.

    >>> task_name("coherency", "preference", "human")
    'coherency · preference · human'
    """
    return f"{type} · {group} · {category}"


TASKS: tuple[str, ...] = (
    *(task_name(kind, "recognition", category) for kind in TYPES for category in CATEGORIES),
    *(task_name(kind, "preference", "human") for kind in TYPES),
)
"""The 15 tasks: 3 types of recognition on 4 categories, and of preference on people (M6)."""

AnswerOutcome = Literal["answered", "unread", "refused", "empty", "truncated", "failed"]
OUTCOMES: tuple[AnswerOutcome, ...] = get_args(AnswerOutcome)
"""What became of a question: read; not read; declined; no text; cut before an answer; no reply.
All but the first count as wrong, and are counted apart (M23, X9)."""


class ConceptAnswer(Work):
    """What one model said to one question in one setting; a row of ``results.jsonl``."""

    question: str
    concept: str
    category: ConceptCategory
    type: QuestionType
    group: QuestionGroup
    topic: str = ""
    target: Target | None = None
    entities: Entities | None = None
    negated: bool | None = None
    chance: float
    """What guessing gets right."""
    concept_only: str = ""
    model: str
    setting: str
    """Label of the setting (:attr:`eyeprint.records.concept_settings.ConceptSetting.label`)."""
    key: str
    """The right answer."""
    outcome: AnswerOutcome
    said: str | None = None
    """The answer that was read: a letter, "Yes" or "No"; ``None`` where ``outcome`` is another
    than "answered"."""
    right: bool = False
    rule: str = ""
    """What in the reply was read (:class:`eyeprint.scores.replies.Reading`)."""
    alternatives: tuple[str, ...] = ()
    """What else the reply could be read as."""
    refusal: str = ""
    """Id of the pattern by which a refusal was told."""
    reply: str = ""
    """The reply as it came."""
    detail: str = ""
    """Why there is no reply, or no reading."""
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None
    dialogue_tokens: int = 0
    """Estimated tokens between injection and question: the dialogue's length (M15, M44)."""
    shared_tokens: int = 0
    """Estimated tokens at the beginning that the call before it in the run's order had too."""
    prompt_tokens: int = 0
    """Estimated tokens of the whole request, on the same scale."""
