"""A question as it was drafted, and how it becomes one of a data set (M16–M18)."""

from __future__ import annotations

from typing import Literal

from pydantic import ValidationError

from eyeprint.people.concept_issues import QuestionIssue
from eyeprint.people.concept_items import QuestionItem
from eyeprint.randomness import stream
from eyeprint.records.concept_questions import (
    LETTERS,
    NO,
    YES,
    ConceptQuestion,
    Entities,
    QuestionGroup,
    QuestionType,
    Target,
)
from eyeprint.records.concepts import ConceptCategory
from eyeprint.records.people import Texts
from eyeprint.records.work import Work

OptionRole = Literal["right", "concept_only", "image_only"]


class QuestionDraft(Work):
    """One drafted question; a row of the build.

    >>> draft = QuestionDraft(id="q-1", concept="Ana", category="human", type="coherency",
    ...     group="recognition", question="What is <sks> holding?", right="a cup",
    ...     concept_only="a camera", image_only=("a book", "a bag"), drafter="m")
    >>> made = question_of(draft, "pictures/a.png", seed=7)
    >>> made.options[made.answer], made.options[made.concept_only]
    ('a cup', 'a camera')
    """

    id: str
    concept: str
    category: ConceptCategory
    type: QuestionType
    group: QuestionGroup
    topic: str = ""
    target: Target | None = None
    entities: Entities | None = None
    negated: bool | None = None
    question: str
    answer: str = ""
    """"Yes" or "No"; empty for one with options."""
    right: str = ""
    concept_only: str = ""
    """The option that fits the concept but not the picture."""
    image_only: Texts = ()
    """The two that fit the picture but not the concept."""
    drafter: str
    issues: tuple[QuestionIssue, ...] = ()
    """What rules found. A draft with issues is no question before somebody has mended it."""
    asked_again: bool = False


class Layout(Work):
    """A draft's options in the order in which they are shown."""

    options: dict[str, str]
    answer: str
    concept_only: str = ""


def drafted(
    item: QuestionItem,
    question: str,
    drafter: str,
    *,
    right: str = "",
    concept_only: str = "",
    image_only: tuple[str, ...] = (),
    issues: tuple[QuestionIssue, ...] = (),
    asked_again: bool = False,
) -> QuestionDraft:
    """Return the draft of an item; a yes/no question gets its answer from type and form.

    The concept is there, or the taste is, in Awareness and not in Appropriateness; a question
    put in the negative turns yes and no around (M16, M17).
    """
    answer = ""
    if item.type != "coherency":
        holds = item.type == "awareness"
        answer = YES if holds != bool(item.negated) else NO
    return QuestionDraft(
        id=item.id,
        concept=item.concept,
        category=item.category,
        type=item.type,
        group=item.group,
        topic=item.topic,
        target=item.target,
        entities=item.entities,
        negated=item.negated,
        question=question,
        answer=answer,
        right=right,
        concept_only=concept_only,
        image_only=image_only,
        drafter=drafter,
        issues=issues,
        asked_again=asked_again,
    )


def laid_out(draft: QuestionDraft, seed: int = 7) -> Layout:
    """Return options with letters, shuffled by the item's own stream (M18)."""
    if draft.type != "coherency":
        return Layout(options={}, answer=draft.answer)
    roles: list[tuple[OptionRole, str]] = [
        ("right", draft.right),
        ("concept_only", draft.concept_only),
        *(("image_only", text) for text in draft.image_only),
    ]
    shown = [pair for pair in roles if pair[1].strip()][: len(LETTERS)]
    order = stream(seed, "options", draft.id).shuffled(shown)
    letters = {role: letter for letter, (role, _) in zip(LETTERS, order, strict=False)}
    return Layout(
        options={letter: text for letter, (_, text) in zip(LETTERS, order, strict=False)},
        answer=letters.get("right", ""),
        concept_only=letters.get("concept_only", ""),
    )


def question_of(draft: QuestionDraft, image: str, seed: int = 7) -> ConceptQuestion | None:
    """Return a draft as a question of a data set, or ``None`` where it cannot be one.

    A draft with issues is none: not one without the mix of F.4, for example.

    Args:
        draft: what was drafted.
        image: the picture, relative to the data root.
        seed: the run's seed, for the order of the options.
    """
    if draft.issues:
        return None
    try:
        return posed(draft, image, draft.question, laid_out(draft, seed), draft.negated)
    except ValidationError:
        return None


def posed(
    draft: QuestionDraft, image: str, question: str, layout: Layout, negated: bool | None
) -> ConceptQuestion:
    """Return the question of a data set that asks what a draft does, in these words and options.

    Raises:
        pydantic.ValidationError: answer and options do not go together.
    """
    return ConceptQuestion(
        id=draft.id,
        concept=draft.concept,
        category=draft.category,
        type=draft.type,
        group=draft.group,
        question=question,
        options=layout.options,
        answer=layout.answer,
        image=image,
        topic=draft.topic,
        target=draft.target,
        entities=draft.entities,
        negated=negated,
        concept_only=layout.concept_only,
    )
