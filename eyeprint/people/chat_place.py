"""Where a person lives, by the model's reading of the seed and our tables (V12, V13).

The model's confidence decides. A place it is sure of stays. An unsure place in an
over-represented region is moved to the remap pool with that region's override rate; an
unsure place elsewhere stays; where the model names none, one is drawn from the tables.
Gender counts only when words of the seed state it.
"""

from __future__ import annotations

import math
import re
from typing import Any, NamedTuple

from eyeprint.people.chat_schemas import PlaceAnswer
from eyeprint.people.demographics import DemographicSettings, place_of
from eyeprint.people.seed_reading import SeedReading, read_seed
from eyeprint.people.tables import Country, countries, senses
from eyeprint.randomness import Stream

PlaceNotes = dict[str, Any]
GENDERS = {
    "woman": "woman",
    "female": "woman",
    "girl": "woman",
    "man": "man",
    "male": "man",
    "boy": "man",
    "nonbinary": "nonbinary",
    "non-binary": "nonbinary",
}
GENDERED = {
    "woman": frozenset(["she", "her", "hers", "herself", "woman", "female", "girl", "lady"]),
    "man": frozenset(["he", "him", "his", "himself", "man", "male", "boy", "gentleman"]),
    "nonbinary": frozenset(["nonbinary", "non-binary", "genderqueer", "agender", "they", "them"]),
}
OTHER_NAMES = {
    "usa": "United States",
    "us": "United States",
    "u.s.": "United States",
    "united states of america": "United States",
    "america": "United States",
    "uk": "United Kingdom",
    "great britain": "United Kingdom",
    "england": "United Kingdom",
    "scotland": "United Kingdom",
    "wales": "United Kingdom",
    "korea": "South Korea",
    "republic of korea": "South Korea",
    "czechia": "Czech Republic",
    "türkiye": "Turkey",
    "burma": "Myanmar",
    "ivory coast": "Côte d'Ivoire",
    "people's republic of china": "China",
    "russian federation": "Russia",
}


class Place(NamedTuple):
    """Stage 1a settled."""

    country: str
    city: str
    ethnicity: str
    gender: str


def known_country(name: str) -> Country | None:
    """Return the table of a country by its name or a common other name.

    >>> known_country("USA").name, known_country("Atlantis") is None
    ('United States', True)
    """
    by_name = {key.lower(): table for key, table in countries().items()}
    wanted = name.lower().strip().removeprefix("the ")
    other = OTHER_NAMES.get(wanted, wanted).lower()
    return by_name.get(wanted) or by_name.get(other)


def settle_place(
    answer: PlaceAnswer, seed_text: str, settings: DemographicSettings, draw: Stream
) -> tuple[Place, PlaceNotes]:
    """Return the place and gender that count, and what a report says about them."""
    table = known_country(answer.country) if answer.country else None
    sure = bool(answer.country) and answer.confidence >= settings.confidence_threshold
    moved = drawn = False
    if not answer.country:
        # The model names no country, so neither do we read one: a draw from the tables.
        table, city, drawn, moved = place_of(SeedReading(), settings, draw)
        country, ethnicity = table.name, draw.pick(table.ethnicities)
    elif not sure and table is not None and draw.random() < settings.override_rate(table):
        table = _remapped(settings, draw)
        country, city, moved = table.name, draw.pick(table.cities), True
        ethnicity = draw.pick(table.ethnicities)
    else:
        country = table.name if table is not None else answer.country
        city, ethnicity = answer.city, answer.ethnicity
    gender, stated = _gender(answer, seed_text)
    notes = {
        "location_confidence": answer.confidence,
        "location_drawn": drawn,
        "location_overridden": moved,
        "country_in_table": table is not None,
        "gender_dropped": not stated,
    }
    return Place(country, city, ethnicity, gender), notes


def _remapped(settings: DemographicSettings, draw: Stream) -> Country:
    pool = [table for table in countries().values() if not settings.override_rate(table)]
    return draw.weighted(pool, [math.pow(t.population, settings.remap_temper) for t in pool])


def _gender(answer: PlaceAnswer, seed_text: str) -> tuple[str, bool]:
    """Return the gender, and False when the model named one that the seed does not state."""
    named = GENDERS.get(answer.gender.lower())
    if named is None:
        return "unknown", True
    evidence = _words(answer.gender_evidence)
    # Quoted words must stand in the seed, and be gendered: "engineer" states nothing.
    quoted = bool(evidence) and f" {' '.join(evidence)} " in f" {' '.join(_words(seed_text))} "
    if quoted and not GENDERED[named].isdisjoint(evidence):
        return named, True
    table = senses().gendered
    nouns = set() if named == "nonbinary" else {*table[named], *table[f"{named}_nouns"]}
    if quoted and not nouns.isdisjoint(evidence):
        return named, True
    if read_seed(seed_text).gender == named:
        return named, True
    return "unknown", False


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+(?:-[^\W_]+)*", text.lower())
