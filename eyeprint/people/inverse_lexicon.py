"""What single words show: the look-up table behind reading captions without a model (V22).

The table is ``data/lexicon.toml``, widened by the head nouns of the country and domain
tables, so that "a kulla tower house" is known to stand in the background. A word of the
lexicon is certain (:data:`CERTAIN`), a word of the tables weighs by how often it heads
entries of one kind, at most :data:`LEARNED`.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any, NamedTuple

from eyeprint.records.people import CATEGORIES

CERTAIN = 3.0
LEARNED = 1.5
MODIFIER = 1.2
FIELD_CATEGORIES = {
    "dress": "appearance",
    "craft": "objects",
    "food": "objects",
    "object": "objects",
    "objects": "objects",
    "material": "materials",
    "materials": "materials",
    "texture": "materials",
    "light": "lighting",
    "landscape": "background",
    "building": "background",
    "landmark": "background",
    "nature": "background",
    "places": "environment",
    "people": "foreground",
    "subjects": "foreground",
}
"""Field of a country or domain table -> the category its entries stand for."""

Weights = tuple[tuple[str, float], ...]
"""(category, weight) pairs of one word."""


class Word(NamedTuple):
    """What is known about one word, in whatever form it was asked for."""

    weights: Weights = ()
    """As the head of a phrase."""
    modifier: Weights = ()
    """As a word before the head."""
    role: str = "open"
    """determiner, preposition, conjunction, pronoun, verb, adverb, or open (all the rest)."""
    verb: str = ""
    """"ing", "ed" or "s" when it is that form of a verb of the lexicon, "base" when bare."""
    stem: str = ""
    """The singular form, to count by."""
    colour: bool = False
    measure: bool = False
    pose: bool = False
    mood: bool = False
    time: bool = False
    frame: bool = False
    """It names the picture or a part of it, not a thing in it."""


class Lexicon:
    """Looks words up; make one with :func:`lexicon`."""

    def __init__(self, table: dict[str, Any], heads: dict[str, Weights]) -> None:
        self._heads = heads
        self._nouns: dict[str, Weights] = {}
        self._modifiers: dict[str, Weights] = {}
        self._verbs: dict[str, str] = {}
        self._roles: dict[str, str] = {}
        for category in CATEGORIES:
            group = table[category]
            self._nouns |= dict.fromkeys(group["nouns"].split(), ((category, CERTAIN),))
            self._modifiers |= dict.fromkeys(group["modifiers"].split(), ((category, MODIFIER),))
            self._verbs |= dict.fromkeys(group["verbs"].split(), category)
        for role, words in table["function"].items():
            self._roles |= dict.fromkeys(words.split(), role.removesuffix("s"))
        self._colours = frozenset(table["colours"]["nouns"].split())
        self._measures = frozenset(table["measures"]["nouns"].split())
        self._pose = frozenset(table["pose"]["words"].split())
        self._mood = frozenset(table["mood"]["words"].split())
        self._time = frozenset(table["time"]["words"].split())
        self._frame = frozenset(table["frame"]["words"].split())
        self.cues = {
            word: category for category, words in table["cues"].items() for word in words.split()
        }
        self.look_up = lru_cache(maxsize=200_000)(self._look_up)

    def _look_up(self, word: str) -> Word:
        role = self._roles.get(word, "open")
        if role == "open" and word.endswith("ly") and len(word) > 4 and word not in self._nouns:
            role = "adverb"
        stem = self._singular(word)
        weights = next(
            (t[w] for t in (self._nouns, self._heads) for w in (word, stem) if w in t), ()
        )
        modifier = self._modifiers.get(word) or self._of_parts(word)
        return Word(
            weights=weights,
            modifier=modifier or tuple((c, w * 0.4) for c, w in weights),
            role=role,
            verb=self._verb_form(word, bool(weights)),
            stem=stem,
            colour=word in self._colours,
            measure=word in self._measures or stem in self._measures,
            pose=word in self._pose,
            mood=word in self._mood,
            time=word in self._time or stem in self._time,
            frame=word in self._frame or stem in self._frame,
        )

    def _of_parts(self, word: str) -> Weights:
        """Return what the parts of a hyphenated word say: "soot-blackened" is a material."""
        for part in reversed(word.split("-")) if "-" in word else ():
            found = self._modifiers.get(part) or self._nouns.get(part)
            if found:
                return tuple((category, MODIFIER) for category, _ in found)
        return ()

    def _singular(self, word: str) -> str:
        if word in self._nouns or len(word) < 4 or not word.endswith("s"):
            return word
        if word.endswith("ies"):
            return word[:-3] + "y"
        if word.endswith(("ches", "shes", "xes", "sses", "zes")):
            return word[:-2]
        return word[:-1] if not word.endswith(("ss", "us", "is")) else word

    def _verb_form(self, word: str, is_noun: bool) -> str:
        if word.endswith("ing") and len(word) > 4:
            known = self._is_verb(word[:-3], word[:-3] + "e", word[:-4])
            return "ing" if known or not is_noun else ""
        if word.endswith("ied"):
            return "ed" if self._is_verb(word[:-3] + "y") else ""
        if word.endswith("ed") and len(word) > 3:
            return "ed" if self._is_verb(word[:-2], word[:-1], word[:-3]) else ""
        if word.endswith("s") and len(word) > 3:
            return "s" if self._is_verb(word[:-1], word[:-2]) else ""
        return "base" if word in self._verbs else ""

    def _is_verb(self, *stems: str) -> bool:
        return any(stem in self._verbs for stem in stems)


def _head(phrase: str, measures: frozenset[str]) -> str:
    """Return the head noun of a table's entry: the last word before its first preposition.

    >>> _head("a tin of buttons on a sill", frozenset({"tin"}))
    'buttons'
    """
    words = phrase.lower().replace(",", " ").split()
    for place, word in enumerate(words):
        if place and word in (
            "of",
            "on",
            "in",
            "with",
            "at",
            "from",
            "for",
            "by",
            "under",
            "above",
        ):
            if word == "of" and words[place - 1] in measures:
                return _head(" ".join(words[place + 1 :]), measures)
            words = words[:place]
            break
    return words[-1] if words else ""


def _table_heads(measures: frozenset[str]) -> dict[str, Weights]:
    counts: dict[str, Counter[str]] = {}
    for entry in _table_entries():
        for field, category in FIELD_CATEGORIES.items():
            for phrase in entry.get(field, ()):
                head = _head(phrase, measures)
                if len(head) > 2:
                    counts.setdefault(head, Counter())[category] += 1
    found = {}
    for head, by_category in counts.items():
        total = by_category.total()
        found[head] = tuple(
            (category, LEARNED * n / total)
            for category, n in sorted(by_category.items())
            if n / total >= 0.4
        )
    return found


def _table_entries() -> list[dict[str, Any]]:
    data = files("eyeprint.people").joinpath("data")
    sources = [data.joinpath("domains.toml")]
    sources += sorted(
        (p for p in data.joinpath("countries").iterdir() if p.name.endswith(".toml")),
        key=lambda p: p.name,
    )
    entries: list[dict[str, Any]] = []
    for source in sources:
        for group in tomllib.loads(source.read_text(encoding="utf-8")).values():
            entries += group
    return entries


@cache
def lexicon() -> Lexicon:
    """Return the shipped lexicon, read once.

    >>> lexicon().look_up("lanterns").weights
    (('lighting', 3.0),)
    >>> lexicon().look_up("beneath").role
    'preposition'
    """
    text = files("eyeprint.people").joinpath("data/lexicon.toml").read_text(encoding="utf-8")
    table = tomllib.loads(text)
    return Lexicon(table, _table_heads(frozenset(table["measures"]["nouns"].split())))
