"""What may be wrong with a description of a concept: told to humans, who decide (M7, C.1.2).

The paper's annotators mended three faults: a missing <sks>, text that holds for one picture
only, and a wrong concept. The first two are found here, as are names, and levels that have
another shape than asked for; the third needs eyes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Literal

from eyeprint.people.tables import read_table
from eyeprint.records.concept_masking import names_in
from eyeprint.records.concepts import LEVELS, SKS, Level
from eyeprint.records.work import Work

WORDS_FILE = "concept_words.toml"
DescriptionFault = Literal["missing", "no_sks", "name_leak", "shape", "one_picture", "order"]
KEYWORDS = 3
"""Keywords of the level "simple"."""
MOST_KEYWORD_WORDS = 4
_LEAD = re.compile(rf"^\s*{SKS}\s*(?::|,|-|–|—|(?:is|has|wears|looks)\b(?:\s+(?:an?|the)\b)?)?\s*")
_SENTENCE = re.compile(r"(?<=[.!?])[\"”')\]]*\s+(?=[\"“'(\[]?[<A-Z0-9])")
_ABBREVIATED = re.compile(r"\b(?:e\.g|i\.e|approx|Mr|Mrs|Dr|St|vs|etc)\.\s", re.IGNORECASE)
_HELD = "\ue000"
"""Stands for a space after an abbreviation while sentences are parted."""
_PARAGRAPH = re.compile(r"\n\s*\n")
_COUNTED = re.compile(r"[^\W_]")


class DescriptionIssue(Work):
    """One thing to look at in one level of a description."""

    level: Level
    fault: DescriptionFault
    detail: str


@cache
def scene_phrases() -> tuple[str, ...]:
    """Return phrases that speak of one picture, in lower case."""
    return tuple(phrase.casefold() for phrase in read_table(WORDS_FILE)["one_picture"]["phrases"])


def keywords_in(text: str) -> tuple[str, ...]:
    """Return the keywords of a simple description, without <sks> and what joins them.

    >>> keywords_in("<sks>: blue, chipped, striped.")
    ('blue', 'chipped', 'striped')
    >>> keywords_in("<sks> is a blue, chipped, striped mug.")
    ('blue', 'chipped', 'striped mug')
    """
    rest = _LEAD.sub("", text).strip().rstrip(".")
    parts = re.split(r"\s*[,;]\s*(?:and\s+)?|\s+and\s+", rest)
    return tuple(part.strip() for part in parts if part.strip())


def sentences_in(text: str) -> tuple[str, ...]:
    """Return the sentences of a text.

    >>> len(sentences_in("<sks> has a tail, e.g. a long one. It curls."))
    2
    """
    plain = _ABBREVIATED.sub(lambda found: found.group()[:-1] + _HELD, text.strip())
    parts = (part.replace(_HELD, " ") for part in _SENTENCE.split(plain))
    return tuple(part for part in parts if part.strip())


def paragraphs_in(text: str) -> tuple[str, ...]:
    """Return the paragraphs of a text: what blank lines part."""
    return tuple(part.strip() for part in _PARAGRAPH.split(text.strip()) if part.strip())


def word_count(text: str) -> int:
    """Return how many words a text has."""
    return sum(_COUNTED.search(word) is not None for word in text.split())


def description_issues(
    descriptions: Mapping[Level, str], name: str, category: str
) -> tuple[DescriptionIssue, ...]:
    """Return what to look at in a concept's descriptions, level by level.

    Shapes: simple has three keywords; moderate is one sentence; detailed is one paragraph of
    two sentences or more; extended is two paragraphs or more. A level says more than the one
    before it.

    >>> found = description_issues({"simple": "<sks>: red, round"}, "Mo", "object")
    >>> [(issue.level, issue.fault) for issue in found][:2]
    [('simple', 'shape'), ('moderate', 'missing')]
    """
    issues: list[DescriptionIssue] = []

    def add(level: Level, fault: DescriptionFault, detail: str) -> None:
        issues.append(DescriptionIssue(level=level, fault=fault, detail=detail))

    longest = 0
    for level in LEVELS:
        text = descriptions.get(level, "")
        if not text.strip():
            add(level, "missing", "there is no text")
            continue
        if SKS not in text:
            add(level, "no_sks", f"{SKS} does not stand in it")
        names = names_in(text, name, category)
        if names:
            add(level, "name_leak", f"calls the concept by name: {', '.join(names)}")
        shape = shape_fault(level, text)
        if shape:
            add(level, "shape", shape)
        flat = " ".join(text.casefold().split())
        phrases = [p for p in scene_phrases() if re.search(rf"\b{re.escape(p)}\b", flat)]
        if phrases:
            add(level, "one_picture", f"may hold for one picture only: {', '.join(phrases)}")
        count = word_count(text)
        if count <= longest:
            add(level, "order", f"{count} words, and a shorter level has {longest}")
        longest = max(longest, count)
    return tuple(issues)


def shape_fault(level: Level, text: str) -> str:
    """Return how a text departs from its level's shape, or ``""``.

    >>> shape_fault("moderate", "<sks> is tall. <sks> is red.")
    'is 2 sentences, not one'
    """
    sentences, paragraphs = len(sentences_in(text)), len(paragraphs_in(text))
    if level == "simple":
        words = keywords_in(text)
        if len(words) != KEYWORDS:
            return f"has {len(words)} keywords, not {KEYWORDS}"
        long = [word for word in words if word_count(word) > MOST_KEYWORD_WORDS]
        return f"'{long[0]}' is no keyword" if long else ""
    if level == "moderate":
        return "" if sentences == 1 == paragraphs else f"is {sentences} sentences, not one"
    if level == "detailed":
        if paragraphs != 1:
            return f"is {paragraphs} paragraphs, not one"
        return "" if sentences > 1 else "is one sentence, not a paragraph of several"
    return "" if paragraphs > 1 else "is one paragraph, not several"
