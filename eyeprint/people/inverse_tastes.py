"""What recurs in captions, said as preferences, and the vocabulary by facets (V16, V22).

A taste is a recurring kind of light, weather, composition, subject or surface
(``data/tastes.toml``), or a colour, material, place, subject or action that keeps coming
back. It counts once for each caption that shows it; a statement carries no number, the
numbers stand beside it as :class:`Evidence`.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from pydantic import Field

from eyeprint.config import Settings
from eyeprint.people.inverse_lexicon import Word, lexicon
from eyeprint.people.inverse_phrases import Phrase
from eyeprint.records.people import FACETS

OPEN_USUAL = 0.1
"""Usual share for colours, materials, places, subjects: those that are not in the table."""
WORD = re.compile(r"[^\W_]+(?:[’'\-][^\W_]+)*")


class TasteSettings(Settings):
    """How preferences and vocabulary are gathered; the paper gives no procedure (V22)."""

    most: int = Field(default=18, ge=1)
    """Most preferences of one person; the paper's people have 15–20 (V16)."""
    per_aspect: int = Field(default=4, ge=1)
    """Most preferences about one aspect, so that no person is all colours."""
    min_captions: int = Field(default=2, ge=1)
    """Captions that a taste needs; one is enough for a person with a single caption."""
    min_share: float = Field(default=0.08, ge=0, le=1)
    """Share of the captions that a taste needs."""
    facet_entries: int = Field(default=5, ge=1)
    """Entries of one group of a facet: 4 groups of 4–5 make the 15–20 of the paper (V14)."""


class Evidence(NamedTuple):
    """How often a preference shows."""

    statement: str
    aspect: str
    captions: int
    of: int


class _Taste(NamedTuple):
    aspect: str
    statement: str
    words: frozenset[str]
    phrases: re.Pattern[str] | None
    usual: float
    """Share of anybody's captions that show it."""


@cache
def _tastes() -> tuple[_Taste, ...]:
    text = files("eyeprint.people").joinpath("data/tastes.toml").read_text(encoding="utf-8")
    found = []
    for entry in tomllib.loads(text)["taste"]:
        phrases = [part for part in entry["phrases"].split("|") if part]
        pattern = re.compile(r"\b(?:" + "|".join(map(re.escape, phrases)) + r")\b")
        words = frozenset(entry["words"].split())
        taste = _Taste(
            entry["aspect"],
            entry["statement"],
            words,
            pattern if phrases else None,
            entry.get("usual", OPEN_USUAL),
        )
        found.append(taste)
    return tuple(found)


def find_preferences(
    captions: Sequence[str],
    phrases: Sequence[Sequence[Phrase]],
    settings: TasteSettings | None = None,
) -> list[Evidence]:
    """Return what recurs, most striking first, within a fair mix of aspects.

    Striking is what shows in more captions than usual: the rank is the share of this
    person's captions minus the usual share (measured on the mini personas).

    Args:
        captions: the captions that could be read.
        phrases: the phrases of each, from
            :func:`~eyeprint.people.inverse_phrases.find_phrases`.

    >>> find_preferences(["Fog over a red kite.", "A kite in the fog."], [[], []])[0]
    Evidence(statement='likes mist, haze and smoke in the air', aspect='lighting', captions=2, of=2)
    """
    settings = settings or TasteSettings()
    counts: Counter[tuple[str, str]] = Counter()
    for caption, found in zip(captions, phrases, strict=True):
        counts.update(set(_in_caption(caption, found)))
    least = max(min(settings.min_captions, len(captions)), settings.min_share * len(captions))
    usual = {taste.statement: taste.usual for taste in _tastes()}
    ranked = sorted(
        ((aspect, said, n) for (aspect, said), n in counts.items() if n >= least),
        key=lambda row: (
            usual.get(row[1], OPEN_USUAL) - row[2] / len(captions),
            row[0],
            row[1],
        ),
    )
    chosen: list[Evidence] = []
    taken: Counter[str] = Counter()
    for aspect, said, n in ranked:
        if taken[aspect] < settings.per_aspect and len(chosen) < settings.most:
            taken[aspect] += 1
            chosen.append(Evidence(said, aspect, n, len(captions)))
    return chosen


def _in_caption(caption: str, phrases: Sequence[Phrase]) -> Iterator[tuple[str, str]]:
    """Yield (aspect, statement) of everything that one caption shows."""
    lower = caption.lower()
    words = set(WORD.findall(lower))
    for taste in _tastes():
        if not words.isdisjoint(taste.words) or (taste.phrases and taste.phrases.search(lower)):
            yield taste.aspect, taste.statement
    table = lexicon()
    for text in words:
        word = table.look_up(text)
        if word.colour and not word.measure:
            yield "palette", f"comes back to {text}"
        if any(c == "materials" and w >= 3 for c, w in word.weights) and not word.colour:
            yield "material", f"likes {word.stem} as a surface or material"
    for phrase in phrases:
        if phrase.head.frame:
            continue
        if phrase.category == "environment" and _certain(phrase.head, "environment"):
            yield (
                "place",
                f"takes pictures in or near a {phrase.head.stem}".replace(" a a", " an a"),
            )
        elif phrase.category in ("objects", "foreground") and phrase.head.weights:
            yield "subject", f"often shows {_plural_of(phrase)}"


def _certain(word: Word, category: str) -> bool:
    return any(name == category and weight >= 3 for name, weight in word.weights)


def _plural_of(phrase: Phrase) -> str:
    stem = phrase.head.stem
    if stem.endswith(("s", "x", "ch", "sh")):
        return stem + "es"
    return stem[:-1] + "ies" if stem.endswith("y") and stem[-2:-1] not in "aeiou" else stem + "s"


def vocabulary_of(
    elements: Sequence[Mapping[str, Sequence[str]]], settings: TasteSettings | None = None
) -> dict[str, dict[str, list[str]]]:
    """Return the visual vocabulary: facet -> group -> the most typical phrases (V14).

    A phrase is typical when its words recur in other posts. Groups without a phrase are
    left out.

    Args:
        elements: category -> phrases, for each post.

    >>> vocabulary_of([{"lighting": ["low sun"], "actions": ["kneeling in mud"]}])
    {'foreground': {'poses': ['kneeling in mud']}, 'background': {'lighting': ['low sun']}}
    """
    settings = settings or TasteSettings()
    words_in: Counter[str] = Counter()
    for post in elements:
        words_in.update({w for phrases in post.values() for p in phrases for w in _open_words(p)})
    pools: dict[tuple[str, str], dict[str, float]] = {}
    for post in elements:
        for category, phrases in post.items():
            for phrase in phrases:
                for place in _places_of(category, phrase):
                    words = _open_words(phrase)
                    weight = sum(words_in[w] for w in words) / max(1, len(words))
                    pools.setdefault(place, {}).setdefault(phrase, weight)
    facets: dict[str, dict[str, list[str]]] = {}
    for facet, groups in FACETS.items():
        for group in groups:
            pool = pools.get((facet, group), {})
            # A bare noun says little of anybody's eye: phrases of several words go first.
            ranked = sorted(pool, key=lambda p: (len(_open_words(p)) < 2, -pool[p]))
            entries = _distinct(ranked, settings.facet_entries)
            if entries:
                facets.setdefault(facet, {})[group] = entries
    return facets


def _open_words(phrase: str) -> list[str]:
    found = ((word, lexicon().look_up(word)) for word in WORD.findall(phrase.lower()))
    return [known.stem for word, known in found if known.role == "open" and word != "of"]


def _distinct(ranked: Sequence[str], most: int) -> list[str]:
    """Return the first phrases whose last word is not there yet: five reds are one red."""
    kept: dict[str, str] = {}
    for phrase in ranked:
        words = _open_words(phrase)
        if words and words[-1] not in kept:
            kept[words[-1]] = phrase
        if len(kept) == most:
            break
    return list(kept.values())


def _places_of(category: str, phrase: str) -> Iterator[tuple[str, str]]:
    """Yield the (facet, group) pairs that a phrase of a category belongs to."""
    words = [lexicon().look_up(word) for word in WORD.findall(phrase.lower())]
    if category == "actions":
        yield "foreground", "poses" if any(word.pose for word in words) else "actions"
    elif category == "lighting":
        if any(word.time for word in words):
            yield "atmosphere", "time_of_day"
        else:
            yield "background", "lighting"
    elif category == "materials":
        yield "atmosphere", "materials"
        if any(c == "materials" for word in words for c, _ in word.modifier if not word.weights):
            yield "background", "textures"
    else:
        place = {
            "foreground": ("foreground", "subjects"),
            "appearance": ("foreground", "subjects"),
            "objects": ("foreground", "objects"),
            "environment": ("background", "environments"),
            "background": ("background", "landmarks"),
        }.get(category)
        if place is not None:
            yield place
    if any(word.colour for word in words):
        yield "atmosphere", "palette"
    if any(word.mood for word in words):
        yield "atmosphere", "mood"
