"""Words against pictures, for ``nearest``: colours that a text names, and things it could mean.

A colour word is compared with the colours of a region: each of the region's pixels is called
by the nearest of a dozen plain colours and the colours that are named. What other words look
like is imagined: the sketch painter draws what it knows of them, and the drawing is
compared with the picture like a reference. Words that it does not know say nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from eyeprint.maths.colour import Floats, colour_difference, lab_of
from eyeprint.models.colour_names import ColourName, colour_names, colours_by_word
from eyeprint.models.kinds import PaintRequest
from eyeprint.models.nearest_regions import Mask, Seen
from eyeprint.records.pictures import Picture

PRESENT = 0.015
"""A colour is in a region that it fills to this share."""
SEEN = 0.95
"""Probability with which a colour that something has is seen of it."""
_FARTHEST = 30.0
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_EMPTY = """a an the and or of in on at to with by for from is are was be it its this that there
their his her he she they who which what where when how some any one sks would do does did has have
as into like likes dislike dislikes"""
_SAY_NOTHING = frozenset(_EMPTY.split())
_HABITS = re.compile(r",?\s*(?:and\s+)?\b(?:often|usually|sometimes|mostly)\b[^.;\n]*", re.I)
"""What is told with these words does not belong to somebody's looks."""
_ENDINGS = ("ing", "ies", "es", "s", "ed")


def colours_named(text: str) -> tuple[ColourName, ...]:
    """Return the colours that a text names, each once, in order; longer names count first.

    >>> [colour.name for colour in colours_named("a dark red coat, Teal boots and red hair")]
    ['dark red', 'teal', 'red']
    """
    words = [word.lower() for word in _WORD.findall(text)]
    table, found, place = colours_by_word(), [], 0
    while place < len(words):
        for length in (3, 2, 1):
            entry = table.get(" ".join(words[place : place + length]))
            if entry is not None and place + length <= len(words):
                found.append(entry)
                place += length
                break
        else:
            place += 1
    return tuple(dict.fromkeys(found))


@cache
def plain_colours() -> tuple[ColourName, ...]:
    """Return the first colour of each family: black, gray, white, red ..."""
    return tuple({entry.family: entry for entry in reversed(colour_names())}.values())[::-1]


def colour_shares(
    seen: Seen, masks: Sequence[Mask], named: Sequence[ColourName]
) -> tuple[Floats, Floats]:
    """Return how much of each region has each colour.

    A pixel has the colour that is nearest to it (CIEDE2000) among ``named`` and the plain
    ones, if it lies within 30.

    Returns:
        Shares of the named colours, (regions, named), and of the plain ones that are not
        named, (regions, rest).
    """
    rest = [entry for entry in plain_colours() if entry not in named]
    table = lab_of(np.array([entry.rgb for entry in (*named, *rest)], np.uint8))
    apart = colour_difference(seen.looks.colours[:, None], table[None])
    called = np.where(apart.min(axis=1) <= _FARTHEST, apart.argmin(axis=1), len(table))
    shares = np.zeros((len(masks), len(table) + 1))
    for k, mask in enumerate(masks):
        counts = np.bincount(called[seen.looks.cell[mask]], minlength=len(table) + 1)
        shares[k] = counts / max(1, counts.sum())
    return shares[:, : len(named)], shares[:, len(named) : len(table)]


class Described(NamedTuple):
    """How far a description's colours are found together in one region."""

    place: int
    """The region; -1 where there is none."""
    found: float
    """Share of the named colours that are in it."""
    expected: float
    """Share of colours in it that a description of anything else would find."""
    holds: bool
    """Whether the description is the likelier reason for what is found."""


def described(text: str, seen: Seen) -> Described:
    """Return the region in which the colours that a text names are most surely together.

    A colour is in a region that it fills to 1.5 % or more. Of k named colours x are in it. Were
    it what the text is about, each would be seen with probability s = 0.95; were it anything
    else, with e = (plain colours in it that are not named + 1) / (all of these + 2). The text
    holds when

        x log(s / e) + (k - x) log((1 - s) / (1 - e)) > log(n) / 2

    in the best of n regions; the limit grows with n, for which the best is picked, and by half
    only, as regions overlap. A text without colours holds of nothing; what it says is "often"
    or "usually" so does not count.
    """
    named = colours_named(_HABITS.sub("", text))
    if not named or not seen.objects:
        return Described(-1, 0.0, 0.0, False)
    shares, rest = colour_shares(seen, seen.objects, named)
    found = (shares >= PRESENT).sum(axis=1)
    expected = ((rest >= PRESENT).sum(axis=1) + 1) / (rest.shape[1] + 2)
    chance = np.minimum(expected, SEEN)
    surer = found * np.log(SEEN / chance)
    surer += (len(named) - found) * np.log((1 - SEEN) / (1 - chance))
    # Of equal regions the one with more of the colours.
    best = int((surer + 1e-6 * shares.sum(axis=1)).argmax())
    holds = bool(surer[best] > np.log(len(seen.objects)) / 2)
    return Described(best, float(found[best] / len(named)), float(expected[best]), holds)


def content_words(text: str) -> frozenset[str]:
    """Return a text's words that say something, without common endings.

    >>> sorted(content_words("The red boats are sailing"))
    ['boat', 'red', 'sail']
    """
    return frozenset(
        _stem(word) for word in (w.lower() for w in _WORD.findall(text)) if word not in _SAY_NOTHING
    )


def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


def shared(text: str, things: Iterable[str]) -> float:
    """Return the largest share of one thing's words that a text has; 0 to 1.

    >>> shared("A cup of green tea", ["rock concerts", "tea"])
    1.0
    """
    own = content_words(text)
    best = 0.0
    for thing in things:
        words = content_words(thing)
        if words:
            best = max(best, len(words & own) / len(words))
    return best


def imagined(text: str, side: int = 128) -> Picture | None:
    """Return what the sketch painter draws for a text; ``None`` where it knows no word of it.

    >>> imagined("a red boat on the sea") is None, imagined("qwrtz") is None
    (False, True)
    """
    from eyeprint.models.sketch import SketchPainter
    from eyeprint.models.sketch_words import read_prompt

    plan = read_prompt(text)
    if not (plan.things or plan.settings or plan.time or plan.weather):
        return None
    pixels, _ = SketchPainter().pixels(PaintRequest(text, width=side, height=side), "text")
    return Picture.of(np.ascontiguousarray(pixels))


def standardised(values: Sequence[float | None]) -> NDArray[np.float64]:
    """Return the values less their mean, by their spread; those that are missing count as 0.

    >>> standardised([1.0, None, 3.0]).tolist()
    [-1.0, 0.0, 1.0]
    """
    known = [value for value in values if value is not None]
    if len(known) < 2 or max(known) - min(known) < 1e-9:
        return np.zeros(len(values))
    mean, spread = float(np.mean(known)), float(np.std(known))
    return np.array([0.0 if v is None else (v - mean) / spread for v in values])
