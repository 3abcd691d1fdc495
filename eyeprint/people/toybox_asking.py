"""Shares that hold exactly, and the texts of the toybox's questions.

What text, form and place of the right option could give away is dealt like cards over all
questions of a task, not thrown: exactly the set share is negated, and each letter is right
equally often, give or take one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple, TypeVar

from eyeprint.people.tables import read_table
from eyeprint.randomness import Stream
from eyeprint.records.concept_questions import LETTERS, NO, YES

T = TypeVar("T")
ANSWER_YES_OR_NO = " Answer Yes or No."
"""Behind the question mark: the open-ended form of the released code cuts there (M20)."""


def dealt(count: int, share: float, draw: Stream) -> list[bool]:
    """Return so many flags, ``share`` of them true to the nearest whole number, in random order.

    >>> from eyeprint.randomness import stream
    >>> sum(dealt(10, 0.3, stream(1, "deal", 1)))
    3
    """
    # Half a card goes to either side, so that many small hands are even in sum.
    true = int(share * count + (0.5 if (share * count) % 1 != 0.5 else draw.below(2)))
    return draw.shuffled([k < true for k in range(count)])


def dealt_of(items: Sequence[T], count: int, draw: Stream) -> list[T]:
    """Return so many items, each equally often give or take one, in random order.

    >>> from eyeprint.randomness import stream
    >>> sorted(dealt_of("ABCD", 8, stream(1, "deal", 1)))[::2]
    ['A', 'B', 'C', 'D']
    """
    order = draw.shuffled(items)
    return draw.shuffled([order[k % len(order)] for k in range(count)])


@cache
def question_forms() -> Mapping[str, Any]:
    """Return ``data/toybox_questions.toml``."""
    return read_table("toybox_questions.toml")


class Posed(NamedTuple):
    """A question's text with its options and answer."""

    question: str
    answer: str
    options: dict[str, str]
    concept_only: str = ""


def pose_yes_no(about: str, holds: bool, negated: bool, draw: Stream) -> Posed:
    """Return a question about presence, or about something liked or disliked.

    Args:
        about: "presence", "like" or "dislike".
        holds: whether it is so.
        negated: whether it is asked in the negative; the answer follows the form (M16).
        draw: of the item.

    >>> from eyeprint.randomness import stream
    >>> pose_yes_no("presence", True, True, stream(1, "item", 1)).answer
    'No'
    """
    text = draw.pick(question_forms()[about]["negated" if negated else "plain"])
    return Posed(text + ANSWER_YES_OR_NO, YES if holds != negated else NO, {})


def pose_choice(
    about: str, right: str, concept_only: str, image_only: Sequence[str], letter: str, draw: Stream
) -> Posed:
    """Return a question with four options, the right one at ``letter``, the others shuffled."""
    text = draw.pick(question_forms()["coherency"][about])
    others = draw.shuffled([concept_only, *image_only])
    options = {}
    for place in LETTERS:
        options[place] = right if place == letter else others.pop()
    found = next(place for place, option in options.items() if option == concept_only)
    return Posed(text, letter, options, found)
