"""Whose concepts are injected, and how they stand in a message (CHECKLIST M3, M8, M11, M37).

The question's own concept, another one, or one put together from several others (the
controls); with it, when several are injected, distractors, the target in the middle.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Literal, NamedTuple

from pydantic import Field

from eyeprint.config import Settings
from eyeprint.errors import DataError, UsageError, shown
from eyeprint.models.kinds import ImagePart, Message
from eyeprint.randomness import stream
from eyeprint.records.concept_questions import ConceptQuestion
from eyeprint.records.concept_settings import ConceptSetting
from eyeprint.records.concepts import SKS, Concept

_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_CLAUSE = re.compile(r"(?<=[.,;:])\s+|\n+")
ACKNOWLEDGED = "I got it."
"""What the assistant says to an injection, as in the released code."""


class InjectionSettings(Settings):
    """What the paper leaves open about injections; fields are told in docs/fidelity.md."""

    order: Literal["description_first", "preference_first"] = "description_first"
    """Which of the two texts stands first; the released code has the description."""
    numbering: Literal["target_first", "by_place"] = "target_first"
    """Of several concepts: the target is ``<sks_0>`` wherever it stands, as released; or numbers
    go by place, so that the number says nothing."""
    draw: Literal["question", "concept"] = "question"
    """Distractors are drawn anew for each question, or once for each concept: then its questions
    share a prefix."""
    target_place: float = Field(default=0.5, ge=0, le=1)
    """Where the target stands among n concepts: at place floor(n * this), counted from 0; 0.5
    makes it the 6th of 10."""


class Shown(NamedTuple):
    """One concept as it is injected."""

    description: str
    preference: str
    images: tuple[str, ...]
    """Paths of its reference pictures."""


def name_of(number: int, concepts: int) -> str:
    """Return what a concept is called: ``<sks>``, or ``<sks_0>`` ... among several.

    >>> name_of(0, 1), name_of(3, 10)
    ('<sks>', '<sks_3>')
    """
    return SKS if concepts == 1 else f"<sks_{number}>"


def shown_concepts(
    question: ConceptQuestion,
    setting: ConceptSetting,
    concepts: Mapping[str, Concept],
    seed: int,
    settings: InjectionSettings | None = None,
) -> tuple[tuple[Shown, ...], int]:
    """Return the concepts that are injected, in order, and the place of the target among them.

    Raises:
        UsageError: there are not enough other concepts for a control or for distractors.
        DataError: a concept lacks the description or the pictures that the setting shows.
    """
    settings = settings or InjectionSettings()
    own = concepts[question.concept]
    if setting.control == "none":
        return (), 0
    target = _target(own, setting, concepts, seed)
    if setting.concepts == 1:
        return (target,), 0
    key = question.id if settings.draw == "question" else question.concept
    pool = [each for each in concepts.values() if each.name != own.name]
    if setting.distractors == "same_kind":
        pool = [each for each in pool if each.category == own.category]
    if len(pool) < setting.concepts - 1:
        raise UsageError(
            f"{setting.concepts} concepts need {setting.concepts - 1} others beside the target, "
            f"and the data have {len(pool)} for '{shown(own.name)}'. Take fewer"
            + (", or --distractors random." if setting.distractors == "same_kind" else ".")
        )
    draws = stream(seed, "distractors", f"{setting.concepts} {key}")
    pool = draws.shuffled(sorted(pool, key=_name))
    if setting.distractors == "same_kind":
        # Cats before other animals, where the data know which are cats.
        pool.sort(key=lambda each: not (own.kind and each.kind == own.kind))
    others = draws.shuffled(pool[: setting.concepts - 1])
    place = min(int(setting.concepts * settings.target_place), setting.concepts - 1)
    drawn = [_shown(each, setting) for each in others]
    return (*drawn[:place], target, *drawn[place:]), place


def _target(
    own: Concept, setting: ConceptSetting, concepts: Mapping[str, Concept], seed: int
) -> Shown:
    if setting.control == "own":
        return _shown(own, setting)
    others = other_concepts(own, concepts, seed)
    if not others:
        raise UsageError(
            f"The control '{setting.control}' needs another concept than '{shown(own.name)}', and "
            "the data have none. Use --controls ''."
        )
    if setting.control == "wrong":
        return _shown(others[0], setting)
    return _shuffled([_shown(each, setting) for each in others], setting.images)


def _shuffled(parts: Sequence[Shown], wanted: int) -> Shown:
    """Return what is true of nobody: each part from another concept, as far as there are enough.

    The i-th clause of the description is the i-th clause of the i-th other; likewise pictures,
    and the sentences of preferences. With a single other one, it is that one.
    """
    turned = [*parts[1:], parts[0]]
    pictures = [part.images[k % len(part.images)] for k, part in enumerate(turned) if part.images]
    images = tuple(pictures[k % len(pictures)] for k in range(wanted)) if wanted else ()
    description = _mixed([_CLAUSE.split(part.description) for part in turned])
    tastes = [_SENTENCE.split(part.preference) for part in turned if part.preference]
    return Shown(description, _mixed(tastes), images)


def _mixed(pieces: Sequence[Sequence[str]]) -> str:
    """Return one text: its i-th piece is the i-th piece of the i-th one that has so many."""
    if not pieces:
        return ""
    taken = []
    for k in range(len(pieces[0])):
        having = [each for each in pieces if k < len(each)]
        taken.append(having[k % len(having)][k])
    return " ".join(taken)


def other_concepts(own: Concept, concepts: Mapping[str, Concept], seed: int) -> list[Concept]:
    """Return all other concepts in drawn order, those of the same category first.

    >>> a, b, c = (Concept(name=n, category=k) for n, k in
    ...     (("a", "animal"), ("b", "object"), ("c", "animal")))
    >>> [each.name for each in other_concepts(a, {"a": a, "b": b, "c": c}, 0)]
    ['c', 'b']
    """
    pool = sorted((each for each in concepts.values() if each.name != own.name), key=_name)
    drawn = stream(seed, "wrong concept", own.name).shuffled(pool)
    return sorted(drawn, key=lambda each: each.category != own.category)


def _name(concept: Concept) -> str:
    return concept.name


def _shown(concept: Concept, setting: ConceptSetting) -> Shown:
    if setting.level is not None:
        description = concept.description(setting.level)
        if not description.strip():
            raise DataError(
                f"concept '{shown(concept.name)}' has no {setting.level} description. Inject "
                "another level, or leave its questions out."
            )
        return Shown(description, concept.preference, ())
    if len(concept.images) < setting.images:
        raise DataError(
            f"concept '{shown(concept.name)}' has {len(concept.images)} reference pictures, and "
            f"{setting.images} are to be injected. Inject fewer, or leave its questions out."
        )
    return Shown("", concept.preference, concept.images[: setting.images])


def injection(
    concepts: Sequence[Shown],
    place: int,
    part_of: Callable[[str], ImagePart],
    settings: InjectionSettings | None = None,
) -> tuple[Message, ...]:
    """Return the user's message that introduces concepts, and the assistant's acknowledgement.

    Args:
        concepts: in order.
        place: of the target.
        part_of: a picture of a path, as a part of a message.

    >>> told = injection([Shown("<sks> is a red mug.", "", ())], 0, lambda path: None)
    >>> [(each.role, each.text) for each in told]
    [('user', '<sks> is a red mug.'), ('assistant', 'I got it.')]
    """
    settings = settings or InjectionSettings()
    if not concepts:
        return ()
    names = names_of(len(concepts), place, settings)
    parts: list[str | ImagePart] = []
    for concept, name in zip(concepts, names, strict=True):
        parts += [part_of(path) for path in concept.images]
        parts.append(_told(concept, settings).replace(SKS, name))
    return (
        Message.of("user", *parts),
        Message(role="assistant", text=ACKNOWLEDGED),
    )


def names_of(count: int, place: int, settings: InjectionSettings) -> list[str]:
    """Return the concepts' names in order of place.

    >>> names_of(3, 1, InjectionSettings())
    ['<sks_1>', '<sks_0>', '<sks_2>']
    """
    if settings.numbering == "by_place":
        return [name_of(number, count) for number in range(count)]
    others = iter(range(1, count))
    numbers = [0 if at == place else next(others) for at in range(count)]
    return [name_of(number, count) for number in numbers]


def _told(concept: Shown, settings: InjectionSettings) -> str:
    if concept.images:
        seen = "This image shows" if len(concept.images) == 1 else "These images show"
        first = f"{seen} {SKS}."
    else:
        first = concept.description.strip()
    texts = [first, concept.preference.strip()]
    if settings.order == "preference_first":
        texts.reverse()
    return " ".join(text for text in texts if text)
