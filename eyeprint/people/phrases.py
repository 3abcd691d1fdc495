"""Phrases, and what their words say about hour, weather, place and wearer.

An offline caption is put together from phrases that were written apart. Each carries
what a reader would infer from it (night, snow, indoors, a named valley), so that two
phrases that contradict each other never meet in one caption.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

HOURS = ("dawn", "day", "dusk", "night")
HOUR_BIT = {name: 1 << i for i, name in enumerate(HOURS)}
ANY_HOUR = 15
WEATHER_BIT = {"cold": 1, "hot": 2, "wet": 4, "dry": 8, "mist": 16, "wind": 32}
_AT_ODDS = ((1, 2), (4, 8), (8, 16))
_ARTICLE = re.compile(r"^(?:a|an|the)\s+(?=\S)", re.IGNORECASE)
_NAME = re.compile(r"[^\W\d_a-zß-öø-ÿ][\w'’-]*")
_AT_A_PLACE = re.compile(
    r"\b(?:in|at|near|on|over|above|outside|off|beside|along|under|below)\s+(?:the\s+)?[A-ZÀ-ÞŠŽĐŁ]"
)
PORTABLE = frozenset(
    ["dress", "craft", "food", "people", "object", "material", "palette", "texture", "mood"]
)
"""Kinds of country phrases that may appear anywhere in the country, unless they say where."""


@dataclass(frozen=True, slots=True)
class Phrase:
    """One noun or gerund phrase with what it implies."""

    text: str
    """As it stands in the middle of a sentence, with its article."""
    slot: str
    bare: str
    """Without its leading article: the form in vocabularies and element lists."""
    hours: int = ANY_HOUR
    """Bits of :data:`HOUR_BIT` at which it can be true."""
    weather: int = 0
    place: str = ""
    """"in", "out" or "" for either."""
    anchors: frozenset[str] = frozenset()
    """Proper names that tie it to one spot; empty when it can appear anywhere."""
    dates: frozenset[str] = frozenset()
    big: bool = False
    """Too big for a table or a hand: a vehicle, a kiosk."""
    wearer: str = ""
    """For garments: "woman", "man" or "" for anyone."""


@lru_cache(32768)
def bare(text: str) -> str:
    """Return the phrase without a leading article.

    >>> bare("the Elmina castle walls"), bare("dry harmattan haze")
    ('Elmina castle walls', 'dry harmattan haze')
    """
    return _ARTICLE.sub("", text, count=1)


def weather_clash(a: int, b: int) -> bool:
    """Tell whether two sets of weather bits contradict each other (snow and heat).

    >>> weather_clash(WEATHER_BIT["cold"], WEATHER_BIT["hot"]), weather_clash(1, 4)
    (True, False)
    """
    both = a | b
    return any((both & one) and (both & other) for one, other in _AT_ODDS)


class Senses:
    """Reads hour, weather, place and wearer out of words, by ``data/senses.toml``."""

    def __init__(self, table: dict[str, Any]) -> None:
        # The same templates and preferences are read for every person.
        self.hours: Callable[[str], int] = lru_cache(8192)(self._read_hours)
        """Text -> the hours that it names, as bits; 0 when it names none."""
        self.weather: Callable[[str], int] = lru_cache(8192)(self._read_weather)
        """Text -> the weather that it names, as bits."""
        self.place: Callable[[str], str] = lru_cache(8192)(self._read_place)
        """Text -> "in", "out", or "" when the words say neither or both."""
        self._hours = [
            (re.compile(row["pattern"]), sum(HOUR_BIT[h] for h in row["hours"]))
            for row in table["hours"]
        ]
        self._weather = [
            (re.compile(pattern), WEATHER_BIT[name]) for name, pattern in table["weather"].items()
        ]
        self._in = re.compile(table["place"]["in"])
        self._out = re.compile(table["place"]["out"])
        self._big = re.compile(table["size"]["big"])
        self._feminine = re.compile(table["dress"]["feminine"])
        self._masculine = re.compile(table["dress"]["masculine"])
        self.needs = {name: re.compile(p) for name, p in table["needs"].items()}
        self.offers = {name: re.compile(p) for name, p in table["country"].items()}
        self.ages = [
            (re.compile(row["pattern"], re.IGNORECASE), int(row["low"]), int(row["high"]))
            for row in table["age"]
        ]
        self.gendered: dict[str, list[str]] = table["gendered"]
        self.trades: list[str] = table["seeds"]["trades"]
        """Nouns of occupation beyond those of the domains."""
        self.words = {name: frozenset(words) for name, words in table["words"].items()}
        """Small word lists: calendar, kin, vague_trades, not_modifiers."""
        self.ambiguous_names = frozenset(table["seeds"]["ambiguous_names"])
        """Place names that are ordinary words, or name many places."""
        self.countries_with_the = frozenset(table["seeds"]["with_article"])

    def _read_hours(self, text: str) -> int:
        low = text.lower()
        for pattern, bits in self._hours:
            if pattern.search(low):
                return bits
        return 0

    def _read_weather(self, text: str) -> int:
        low = text.lower()
        return sum(bit for pattern, bit in self._weather if pattern.search(low))

    def _read_place(self, text: str) -> str:
        low = text.lower()
        inside, outside = bool(self._in.search(low)), bool(self._out.search(low))
        return "" if inside == outside else ("in" if inside else "out")

    def wearer(self, text: str) -> str:
        """Return who would wear a garment: "woman", "man", or "" for anyone."""
        low = text.lower()
        if self._feminine.search(low):
            return "woman"
        return "man" if self._masculine.search(low) else ""

    def phrase(self, slot: str, text: str, common_names: frozenset[str]) -> Phrase:
        """Read one phrase of a country table. ``common_names`` name no single spot."""
        names = {name.lower() for name in _NAME.findall(text)}
        dates = frozenset(
            w for w in re.findall(r"\w+", text.lower()) if w in self.words["calendar"]
        )
        if slot in PORTABLE and not _AT_A_PLACE.search(text):
            names = set()
        hours, place = ANY_HOUR, ""
        if slot in ("light", "time", "action", "landscape", "festival"):
            hours = self.hours(text) or (7 if slot in ("light", "time") else ANY_HOUR)
        if slot in ("light", "landscape", "landmark", "nature"):
            place = "out"
        elif slot in ("building", "action"):
            place = self.place(text)
        return Phrase(
            text=text,
            slot=slot,
            bare=bare(text),
            hours=hours,
            weather=0 if slot in ("food", "mood") else self.weather(text),
            place=place,
            anchors=frozenset(names - common_names - self.words["calendar"]),
            dates=dates,
            big=slot == "object" and bool(self._big.search(text.lower())),
            wearer=self.wearer(text) if slot == "dress" else "",
        )
