"""Descriptions of a concept at four levels, without a model: colours and light only (M7).

Nothing offline sees what a picture shows. What can be said is said: which colours recur in the
reference pictures, and how they are lit. Such descriptions are called "offline", stand in the
review file with that word, and are there to be replaced.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from pydantic import Field

from eyeprint.models.picture_reading import PictureReading, read_picture
from eyeprint.people.concept_description_checks import KEYWORDS, DescriptionIssue
from eyeprint.records.concepts import SKS, Level
from eyeprint.records.pictures import Picture
from eyeprint.records.work import Work

OFFLINE = "offline"
_NAMED = 0.05
"""Share of a picture above which a colour is named."""


class DraftedDescriptions(Work):
    """One concept's descriptions as they were drafted; a row of the build."""

    concept: str
    descriptions: dict[Level, str]
    drafter: str
    """"offline", or the chat model's name."""
    issues: tuple[DescriptionIssue, ...] = ()
    """What to look at, for humans."""
    asked_again: bool = False
    notes: tuple[str, ...] = Field(default=())


def describe_offline(pictures: Sequence[Picture]) -> dict[Level, str]:
    """Return descriptions of what recurs in the pictures' colours and light.

    Args:
        pictures: reference pictures, one or more.

    >>> import numpy as np
    >>> sea = Picture.of(np.full((32, 32, 3), (20, 60, 130), np.uint8))
    >>> describe_offline([sea])["moderate"]
    '<sks> is shown mostly in cobalt, in dark soft blue light.'
    """
    readings = [read_picture(picture) for picture in pictures]
    colours = _colours(readings)
    light = Counter(reading.light for reading in readings).most_common(1)[0][0]
    keywords = [*colours, *(w for r in readings for w in r.words()[1:] if w not in colours)]
    simple = list(dict.fromkeys(keywords))[:KEYWORDS]
    named = _joined(colours[:KEYWORDS])
    captions = [_of_one(number, reading) for number, reading in enumerate(readings, start=1)]
    count = "The reference picture holds" if len(readings) == 1 else (
        f"The {len(readings)} reference pictures hold"
    )  # fmt: skip
    told = (
        f"{SKS} is shown mostly in {named}. Its pictures are mostly in {light}. {count} "
        f"{_joined(colours)} as main colours; shape and kind are not described."
    )
    return {
        "simple": f"{SKS}: {', '.join(simple)}",
        "moderate": f"{SKS} is shown mostly in {named}, in {light}.",
        "detailed": told,
        "extended": f"Overall: {told}\n\nPicture by picture: {' '.join(captions)}",
    }


def _colours(readings: Sequence[PictureReading]) -> list[str]:
    """Return colour names by how many pictures hold them, then by their share in all."""
    count: Counter[str] = Counter()
    share: Counter[str] = Counter()
    for reading in readings:
        for colour in reading.colours:
            if colour.share >= _NAMED:
                count[colour.name] += 1
                share[colour.name] += round(colour.share * 1e6)
    names = sorted(count, key=lambda name: (-count[name], -share[name], name))
    return names[:6] or [readings[0].colours[0].name]


def _of_one(number: int, reading: PictureReading) -> str:
    caption = reading.caption()
    return f"Reference {number} is {caption[0].lower()}{caption[1:]}"


def _joined(words: Sequence[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else words[0]
