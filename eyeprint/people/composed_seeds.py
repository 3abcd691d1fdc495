"""Further seed texts, composed when people outnumber the backstories (CHECKLIST V11).

The paper draws from some 200,000 seeds; a few hundred come with the package. Seed number
i beyond them is put together from authored frames (``data/seed_frames.toml``) and the
tables of domains and countries. Its text follows from i alone, as the texts of a file do
from their line: other run seeds give other people to the same backstory.

Occupations go round like a deck of cards, and each meets another frame in every round.
A text counts only when :func:`seed_reading.read_seed` finds in it the place, gender, age
and occupation that were meant; else the next draw of the same number is tried.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from pydantic import Field

from eyeprint.config import Settings
from eyeprint.errors import DataError
from eyeprint.people.composed_frames import (
    NOT_AT_WORK,
    PLACE_SLOTS,
    SeedFrame,
    deck,
    frames_for,
    occupations,
    readable,
    suits,
    weights,
)
from eyeprint.people.grammar import Slot, render, with_articles
from eyeprint.people.seed_reading import age_limits, decade_of, number_in_words, read_seed
from eyeprint.people.tables import Domain, countries, domains, seed_frames, traits
from eyeprint.randomness import Stream, stream

_ATTEMPTS = 240
_PER_FRAME = 6
"""Draws with one frame before the occupation's next frame is tried."""
_QUALIFIED = re.compile(
    r"part-time|night|freelance|senior|junior|head|retired|former|student|trainee|apprentice|"
    r"volunteer|amateur|owner|second|third|chief|travelling|director|manager|judge| and "
)
_PRONOUNS = {
    "woman": {"she": "she", "her": "her", "herself": "herself", "woman": "woman"},
    "man": {"she": "he", "her": "his", "herself": "himself", "woman": "man"},
    "they": {"she": "they", "her": "their", "herself": "themself"},
}
_DOMAIN_SLOTS = {"subject": "d_subject", "object": "d_object", "spot": "d_place"}
_HABITS = {"photo": "photo_habits", "collection": "collections", "weekend": "weekend_habits"}
_OF_A_FAITH = re.compile(r"mosque|chapel|Sabbath|church|weekends|village")
_ANY_AGE = (16, 95)


class ComposedSeedSettings(Settings):
    """Choices of the composer. What it can say is in ``data/seed_frames.toml``."""

    population_temper: float = Field(default=0.5, ge=0, le=1)
    """A named country is drawn with weight population^temper."""
    they_share: float = Field(default=0.12, ge=0, le=1)
    """Share of a singular "they" among texts with a pronoun; the rest is she or he, evenly."""
    manner_share: float = Field(default=0.4, ge=0, le=1)
    """Share of occupations that carry a way of working, where one fits ("part-time")."""
    words_low: int = Field(default=18, ge=1)
    words_high: int = Field(default=45, ge=1)


class ComposedSeed(NamedTuple):
    """A composed text and what it is meant to say; "" and ``None`` where it says nothing."""

    text: str
    occupation: str
    domain: str
    country: str
    city: str
    gender: str
    """"woman", "man" or "unknown", as a reader of the text should find."""
    age: int | None


class _NoFit(Exception):
    """A slot has no phrase that fits what was drawn so far; the next draw is tried."""


@cache
def _ageless(items: tuple[str, ...]) -> list[str]:
    return [item for item in items if age_limits(item, *_ANY_AGE) == _ANY_AGE]


def _overlap(limits: tuple[int, int], low: int, high: int) -> bool:
    return max(limits[0], low) <= min(limits[1], high)


class _Filling:
    """Fills the slots of one frame for one draw, and remembers what was meant."""

    def __init__(self, domain: Domain, meant: ComposedSeed, draw: Stream) -> None:
        self.domain, self.meant, self.draw = domain, meant, draw
        self.country = countries().get(meant.country)
        self.pronouns: dict[str, str] = {}
        self.used: set[str] = set()
        low, high = age_limits(meant.occupation, 20, 74)
        if not NOT_AT_WORK.search(meant.occupation):
            low, high = max(low, 23), min(high, 66)
        self.ages = low, high
        self.decade = ""

    def fill(self, slot: Slot) -> str:
        name = slot.name
        if name in self.pronouns:
            return self.pronouns[name]
        if name == "occ":
            return self.meant.occupation
        if name == "life":
            return self._life()
        if name in ("age", "decade"):
            return self._age(name)
        if name in ("town", "land", "demonym"):
            return self._place(name)
        return self._phrase(name, self._table(name))

    def _table(self, name: str) -> tuple[str, ...]:
        if name in PLACE_SLOTS and self.country is not None:
            return tuple(phrase.text for phrase in self.country.phrases[name])
        if name in _DOMAIN_SLOTS:
            return tuple(phrase.text for phrase in self.domain.phrases[_DOMAIN_SLOTS[name]])
        if name == "speciality":
            return tuple(self.domain.specialities)
        if name == "interest":
            return tuple(self.domain.interests)
        if name == "hobby":
            other = self.draw.pick([d for d in domains().values() if d.name != self.domain.name])
            return tuple(other.interests)
        if name in _HABITS:
            return _habits(name)
        return tuple(seed_frames()["words"][name])

    def _phrase(self, name: str, items: tuple[str, ...]) -> str:
        # Ages are those of the occupation and the circumstance; other phrases bring none.
        ageless = _ageless(items)
        for _ in range(12):
            text = self.draw.pick(ageless) if ageless else ""
            if text and text not in self.used and self._suits(text):
                self.used.add(text)
                return text
        raise _NoFit(name)

    def _suits(self, text: str) -> bool:
        return self.country is None or suits(self.country, text)

    def _life(self) -> str:
        for _ in range(12):
            row = self.draw.pick(seed_frames()["life"])
            line: str = self.draw.pick(row["lines"])
            # Rows are of different lengths: every line should be as likely.
            if self.draw.random() * 44 > len(row["lines"]) or line in self.used:
                continue
            limits = row.get("low", 16), row.get("high", 95)
            if self.domain.name in row.get("never", ()) or not _overlap(limits, *self.ages):
                continue
            self.ages = max(limits[0], self.ages[0]), min(limits[1], self.ages[1])
            if self.meant.age is not None and not _overlap(limits, self.meant.age, self.meant.age):
                continue
            self.used.add(line)
            return line
        raise _NoFit("life")

    def _age(self, name: str) -> str:
        age = self.draw.between(*self.ages)
        self.ages = age, age
        if name == "age":
            self.meant = self.meant._replace(age=age)
            return number_in_words(age)
        self.decade = decade_of(age)
        part = ("early ", "", "late ")[min(2, age % 10 // 4)]
        return part + self.decade

    def _place(self, name: str) -> str:
        towns, land, demonym = readable(self.meant.country)
        if name == "town" and towns:
            town = self.meant.city or self.draw.pick(towns)
            self.meant = self.meant._replace(city=town)
            return town
        text = {"town": "", "land": land, "demonym": demonym}[name]
        if not text:
            raise _NoFit(name)
        return text


@cache
def _habits(name: str) -> tuple[str, ...]:
    items = traits()[_HABITS[name]]
    if name == "weekend":  # some name a day's programme instead of saying what somebody does
        items = [item for item in items if item.split()[0].endswith("s")]
    return tuple(item for item in items if not _OF_A_FAITH.search(item))


def compose_seed(number: int, settings: ComposedSeedSettings | None = None) -> ComposedSeed:
    """Compose the seed text with this number; the same number gives the same text.

    Raises:
        DataError: no draw gave a text that reads as it was meant, which only broken tables do.

    >>> seed = compose_seed(430)
    >>> seed == compose_seed(430), 18 <= len(seed.text.split()) <= 45
    (True, True)
    """
    chosen = settings or ComposedSeedSettings()
    turn, place = divmod(number, len(occupations()))
    domain, occupation = deck(turn)[place]
    frames = frames_for(domain, occupation)
    for attempt in range(_ATTEMPTS):
        draw = stream(0, "composed seeds", f"{number}/{attempt}")
        frame = frames[(turn + attempt // _PER_FRAME) % len(frames)]
        try:
            seed = _one(frame, domain, occupation, chosen, draw)
        except _NoFit:
            continue
        if seed is not None:
            return seed
    raise DataError(
        f"Seed number {number} ({occupation}) could not be composed from the tables of "
        "eyeprint/people/data. Reinstall eyeprint, or build with further_seeds='reuse'."
    )


def _one(
    frame: SeedFrame,
    domain: str,
    occupation: str,
    settings: ComposedSeedSettings,
    draw: Stream,
) -> ComposedSeed | None:
    manners = seed_frames()["manners"].get(domain, ())
    plain = "demonym" in frame.slots or _QUALIFIED.search(occupation) is not None
    if manners and draw.random() < settings.manner_share and not plain:
        occupation = f"{draw.pick(manners)} {occupation}"
    country = ""
    if frame.placed:
        country = draw.weighted(*weights(settings.population_temper))
        if not suits(countries()[country], occupation):
            raise _NoFit("country")
    gender = "unknown"
    if frame.gendered:
        they = frame.they and draw.random() < settings.they_share
        gender = "they" if they else draw.pick(("woman", "man"))
    stated = "unknown" if gender == "they" else gender
    filling = _Filling(
        domains()[domain], ComposedSeed("", occupation, domain, country, "", stated, None), draw
    )
    filling.pronouns = _PRONOUNS.get(gender, {})
    parts = frame.plural if gender == "they" else frame.singular
    text = render(parts, filling.fill, draw, lambda category, phrase: None)
    if text is None:
        return None
    text = with_articles(text)
    seed = filling.meant._replace(text=text[:1].upper() + text[1:])
    if not settings.words_low <= len(seed.text.split()) <= settings.words_high:
        return None
    return seed if _reads_as_meant(seed, filling) else None


def _reads_as_meant(seed: ComposedSeed, filling: _Filling) -> bool:
    found = read_seed(seed.text)
    if (found.occupation, found.domain) != (seed.occupation, seed.domain):
        return False
    if (found.gender, found.country, found.age) != (seed.gender, seed.country, seed.age):
        return False
    if seed.country and found.confidence < 0.5:
        return False
    if seed.city and found.city != seed.city:
        return False
    # Nobody in Oran passes a landmark of Constantine every morning.
    cities = filling.country.cities if filling.country and seed.city else ()
    if any(city in seed.text for city in cities if city not in seed.city):
        return False
    if filling.decade and decade_of(found.age_low) != filling.decade:
        return False
    limits = age_limits(seed.occupation, *_ANY_AGE)
    return _overlap(limits, found.age_low, found.age_high)
