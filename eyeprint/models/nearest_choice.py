"""How ``nearest`` picks one of several options, and tells likes in a picture.

Each option is held against the picture by three kinds of evidence, where its words allow:

- colour: the share that the colours it names have in the region taken for the concept, or
  beside or below it where the question asks of that, or, without one, in the whole picture;
- things: how alike the nearest object of the picture, or what is beside or below the concept,
  is to what the sketch painter draws for the option's words;
- scene: how alike the whole pictures are, by the encoder ``palette``.

Each is standardised over the options, so that only differences between them count, and they
are added up with weights. Where tastes are asked for, what the option shares with the words
of likes counts for it and with those of dislikes against it. In a picture without anything to see
nothing but the words told of the concept counts.
"""

from __future__ import annotations

import re
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from pydantic import Field

from eyeprint.config import Settings
from eyeprint.maths.colour import Floats
from eyeprint.models.nearest_messages import Asked, Injected
from eyeprint.models.nearest_regions import Mask, RegionSettings, Seen, see
from eyeprint.models.nearest_words import (
    colour_shares,
    colours_named,
    content_words,
    imagined,
    shared,
    standardised,
)
from eyeprint.models.palette import PaletteEncoder
from eyeprint.randomness import stable_hash
from eyeprint.records.pictures import Picture


class ChoiceSettings(Settings):
    """What each kind of evidence counts, in standard deviations over the options."""

    colour_weight: float = Field(default=1.0, ge=0)
    thing_weight: float = Field(default=1.0, ge=0)
    scene_weight: float = Field(default=0.5, ge=0)
    taste_weight: float = Field(default=1.5, ge=0)
    """For each option that shares all words of something liked, or of something disliked."""


class Idea(NamedTuple):
    """What words are imagined to look like."""

    rows: Floats
    """Vectors of the imagined objects, (n, dim)."""
    scene: Floats
    """Vector of the whole picture by the encoder ``palette``, (dim,)."""


class Imagination:
    """Draws what words mean, and keeps the last drawings' looks; safe between threads."""

    def __init__(self, settings: RegionSettings, most: int = 2048) -> None:
        self.settings = settings
        self._encoder, self._most = PaletteEncoder(), most
        self._kept: OrderedDict[str, Idea | None] = OrderedDict()
        self._lock = threading.Lock()

    def scene(self, picture: Picture) -> Floats:
        """Return the vector of a whole picture, (dim,)."""
        row: Floats = self._encoder.encode_pictures([picture])[0].astype(np.float64)
        return row

    def of(self, text: str) -> Idea | None:
        """Return what a text is imagined to look like; ``None`` where it says nothing known."""
        with self._lock:
            if text in self._kept:
                self._kept.move_to_end(text)
                return self._kept[text]
        drawn = imagined(text)
        idea = None
        if drawn is not None:
            seen = see(drawn, self.settings)
            idea = Idea(seen.rows, self.scene(seen.reduced))
        with self._lock:
            self._kept[text] = idea
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
        return idea


class Chosen(NamedTuple):
    """A letter, and why."""

    letter: str
    because: str


def choose(
    asked: Asked,
    concept: Injected,
    seen: Seen | None,
    region: Mask | None,
    imagination: Imagination,
    settings: ChoiceSettings,
) -> Chosen:
    """Return the option that fits best; of equal ones the first by a stable hash.

    Args:
        asked: the question, with options.
        concept: what was told.
        seen: the query picture; ``None`` where there is none, or nothing to see.
        region: the one taken for the concept, if any.
        imagination: what words look like.
        settings: weights.
    """
    texts = list(asked.options.values())
    merits = np.zeros(len(texts))
    reasons = []
    if seen is not None:
        near = around(seen, region, asked.question) if region is not None else None
        merits += settings.colour_weight * standardised(_colour(texts, seen, region, near))
        ideas = [imagination.of(text) for text in texts]
        rows = seen.rows if near is None else seen.looks.stacked([seen.looks.row(m) for m in near])
        merits += settings.thing_weight * standardised([_thing(idea, rows) for idea in ideas])
        scene = imagination.scene(seen.reduced)
        merits += settings.scene_weight * standardised(
            [None if idea is None else float(idea.scene @ scene) for idea in ideas]
        )
        reasons.append("the picture's colours and shapes were compared with the options")
    else:
        reasons.append("there is nothing to see in the picture")
    if asked.kind == "taste" or seen is None:
        told = [*_tastes(concept, asked.dislike)]
        merits += settings.taste_weight * np.array([_liked(text, *told) for text in texts])
        reasons.append("likes and dislikes were compared with the options")
    if seen is None:
        words = content_words(concept.description)
        own = [
            len(content_words(text) & words) / max(1, len(content_words(text))) for text in texts
        ]
        merits += np.array(own)
        reasons.append("so were the words told")
    order = sorted(
        zip(asked.options, texts, merits.tolist(), strict=True),
        key=lambda each: (-round(each[2], 9), stable_hash(asked.question, each[1])),
    )
    return Chosen(order[0][0], "; ".join(reasons))


_BELOW = re.compile(r"\b(?:under\w*|beneath|below|stand\w*|sit\w*|lie\w*|lying|on top)\b", re.I)
_ASIDE = re.compile(r"\b(?:hold\w*|carr\w+|hand\w*|beside|next to|near\w*|clos\w+|with)\b", re.I)


def around(seen: Seen, region: Mask, question: str) -> list[Mask] | None:
    """Return the foreground at the sides of a region, or at its foot, as a question asks.

    ``None`` where it asks of neither, or nothing is there.
    """
    below, aside = bool(_BELOW.search(question)), bool(_ASIDE.search(question))
    if not (below or aside) or not region.any():
        return None
    high, wide = np.nonzero(region)
    top, low, left, right = high.min(), high.max() + 1, wide.min(), wide.max() + 1
    tall, broad = low - top, right - left
    # The window of a thing has a little of what touches it.
    side, foot, in_side, in_foot = broad // 2, tall // 3, broad // 4, tall // 4
    boxes = []
    if below:
        boxes.append((low - in_foot, low + foot, left - side // 2, right + side // 2))
    if aside:
        boxes += [
            (top, low + foot // 2, left - side, left + in_side),
            (top, low + foot // 2, right - in_side, right + side),
        ]
    found = []
    for up, down, start, end in boxes:
        mask = np.zeros_like(seen.background)
        part = slice(max(0, up), down), slice(max(0, start), end)
        mask[part] = ~seen.background[part]
        if mask.sum() >= _LEAST_PIXELS:
            found.append(mask)
    return found or None


_LEAST_PIXELS = 12


def _colour(
    texts: Sequence[str], seen: Seen, region: Mask | None, near: list[Mask] | None
) -> list[float | None]:
    named = [colours_named(text) for text in texts]
    every = tuple(dict.fromkeys(colour for colours in named for colour in colours))
    if not every:
        return [None] * len(texts)
    whole = region if region is not None else np.ones(seen.background.shape, dtype=np.bool_)
    shares, _ = colour_shares(seen, near or [whole], every)
    share = dict(zip(every, np.sqrt(shares.max(axis=0)).tolist(), strict=True))
    return [
        float(np.mean([share[colour] for colour in colours])) if colours else None
        for colours in named
    ]


def _thing(idea: Idea | None, rows: Floats) -> float | None:
    if idea is None or not len(idea.rows) or not len(rows):
        return None
    return float((rows @ idea.rows.T).max())


def _tastes(concept: Injected, dislike: bool) -> tuple[tuple[str, ...], tuple[str, ...]]:
    own = concept.likes, concept.dislikes
    return own[::-1] if dislike else own


def _liked(text: str, wanted: Sequence[str], unwanted: Sequence[str]) -> float:
    return shared(text, wanted) - shared(text, unwanted)


def taste_shown(
    concept: Injected, dislike: bool, seen: Seen, idea_of: Callable[[str], Idea | None]
) -> tuple[bool, str]:
    """Return whether something liked (or disliked) is in a picture, and what comes closest.

    Every thing liked and disliked is imagined, and its likeness to the nearest object is taken
    less its mean likeness to the other things: some shapes are like everything. It is there when
    the closest of those asked for is the closest of all, and above their mean by their spread.
    """
    wanted, unwanted = _tastes(concept, dislike)
    ideas = {thing: idea_of(thing) for thing in (*wanted, *unwanted)}
    rows = {thing: idea.rows for thing, idea in ideas.items() if idea and len(idea.rows)}
    if len(rows) < 2 or not len(seen.rows):
        return False, ""
    values = {
        thing: float((seen.rows @ own.T).max())
        - float(np.mean([(other @ own.T).max() for name, other in rows.items() if name != thing]))
        for thing, own in rows.items()
    }
    best = max(values, key=lambda thing: values[thing])
    every = np.array(list(values.values()))
    return bool(best in wanted and values[best] > every.mean() + every.std()), best
