"""Who a person is: a place and a gender from the seed, then 20+ attributes (V12, V13).

Stage 1a reads the seed. Where it does not name a place with confidence, a country is
drawn with weights population^temper; a draw that falls on an over-represented region is
moved to the remap pool with that region's override rate. Stage 1b completes the person.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Any

from pydantic import Field

from eyeprint.config import Settings
from eyeprint.people.seed_reading import SeedReading, age_limits, read_seed
from eyeprint.people.tables import Country, Domain, countries, domains, senses, traits
from eyeprint.randomness import Stream


class DemographicSettings(Settings):
    """Choices where section 9.2.2 of the paper is silent."""

    confidence_threshold: float = Field(default=0.5, ge=0, le=1)
    """Below this confidence in the seed's place, a place is drawn instead."""
    population_temper: float = Field(default=0.5, ge=0, le=1)
    """Countries are drawn with weight population^temper: 0 all alike, 1 by population."""
    override_south_asia: float = Field(default=0.70, ge=0, le=1)
    """Probability that a drawn place in India or South Asia is moved elsewhere."""
    override_united_states: float = Field(default=0.65, ge=0, le=1)
    """The same for the United States."""
    override_united_kingdom: float = Field(default=0.60, ge=0, le=1)
    """The same for the United Kingdom."""
    override_canada: float = Field(default=0.50, ge=0, le=1)
    """The same for Canada."""
    remap_temper: float = Field(default=0.0, ge=0, le=1)
    """Weights of the remap pool, population^temper over all other countries."""
    interests_low: int = Field(default=5, ge=1)
    interests_high: int = Field(default=8, ge=1)
    traits_low: int = Field(default=4, ge=1)
    traits_high: int = Field(default=7, ge=1)

    def override_rate(self, country: Country) -> float:
        """Return the probability that a drawn place in this country is moved."""
        if country.region == "South Asia":
            return self.override_south_asia
        return {
            "United States": self.override_united_states,
            "United Kingdom": self.override_united_kingdom,
            "Canada": self.override_canada,
        }.get(country.name, 0.0)


@dataclass(slots=True)
class Sketch:
    """A person in the making: what the later steps draw on."""

    id: str
    seed_text: str
    demographics: dict[str, Any]
    country: Country
    domain: Domain
    who: str
    """A short noun for the person, without article, such as "tram driver"."""
    vocabulary: dict[str, dict[str, list[str]]] = field(default_factory=dict)
    preferences: list[str] = field(default_factory=list)
    notes: dict[str, Any] = field(default_factory=dict)
    """What the build reports: confidence, override, regional shares ..."""


@cache
def _weights(temper: float) -> tuple[list[str], list[float]]:
    names = list(countries())
    return names, [math.pow(countries()[name].population, temper) for name in names]


@cache
def _remap_pool(settings: DemographicSettings) -> tuple[list[str], list[float]]:
    pool = [c for c in countries().values() if not settings.override_rate(c)]
    return [c.name for c in pool], [math.pow(c.population, settings.remap_temper) for c in pool]


def place_of(
    reading: SeedReading, settings: DemographicSettings, draw: Stream
) -> tuple[Country, str, bool, bool]:
    """Stage 1a: return (country, city, drawn, overridden)."""
    if reading.country and reading.confidence >= settings.confidence_threshold:
        country = countries()[reading.country]
        return country, reading.city or draw.pick(country.cities), False, False
    country = countries()[draw.weighted(*_weights(settings.population_temper))]
    overridden = draw.random() < settings.override_rate(country)
    if overridden:
        country = countries()[draw.weighted(*_remap_pool(settings))]
    return country, draw.pick(country.cities), True, overridden


def _fitting(items: list[str], low: int, high: int, draw: Stream, avoid: str = "") -> str:
    """Pick an entry whose words allow some age within low..high."""
    for _ in range(24):
        item = draw.pick(items)
        least, most = age_limits(item, 16, 95)
        if max(low, least) <= min(high, most) and not (avoid and re.search(avoid, item)):
            return item
    return draw.pick([item for item in items if age_limits(item, 16, 95) == (16, 95)] or items)


GENDERED_TRADE = re.compile(
    r"\b(?:woman|father|mother|grandmother|nun|seamstress|mistress|postmistress|forewoman|"
    r"fisherman|chambermaid|praise singer)\b|man\b(?<!human)"
)


def _occupation(reading: SeedReading, domain: Domain, draw: Stream) -> str:
    if reading.occupation:
        return reading.occupation
    low, high = reading.age_low, reading.age_high
    fitting = [
        trade
        for trade in domain.occupations
        if not GENDERED_TRADE.search(trade) and _overlaps(age_limits(trade, 16, 95), low, high)
    ]
    return draw.pick(fitting or [t for d in domains().values() for t in d.occupations[:3]])


def _overlaps(limits: tuple[int, int], low: int, high: int) -> bool:
    return max(low, limits[0]) <= min(high, limits[1])


def _stated(items: list[str], seed_text: str) -> str:
    """Return the entry that stands in the seed as it is, "" for none (V13)."""
    return next((item for item in items if item in seed_text), "")


def _education(domain: Domain, occupation: str, low: int, high: int, draw: Stream) -> str:
    stems = {w[:5] for w in re.findall(r"[a-z]{5,}", occupation.lower())}
    kin = [e for e in domain.education if stems & {w[:5] for w in re.findall(r"[a-z]{5,}", e)}]
    if kin and draw.random() < 0.7:
        return _fitting(kin, low, high, draw)
    return _fitting(domain.education, low, high, draw)


def _working_age(occupation: str, low: int, high: int) -> tuple[int, int]:
    """Trained people are 22 at least, and few work beyond 70; students and pensioners differ."""
    if not re.search(r"student|pupil|trainee|apprentice|undergraduate|cadet|graduate", occupation):
        low = max(low, min(22, high))
    if not re.search(r"retired|former|elder|veteran|grand", occupation):
        high = min(high, max(70, low))
    return low, high


def short_noun(occupation: str) -> str:
    """Return the noun that captions call the person by, from an occupation.

    >>> short_noun("engraver of presentation cups"), short_noun("retired signal-box keeper")
    ('engraver', 'signal-box keeper')
    """
    core = re.split(r",|\s(?:of|for|in|at|on|to|with|who|from|about|behind|by)\s", occupation)[0]
    core = core.split(" and ")[-1]
    words = [
        w for w in core.split() if w.lower() not in ("retired", "former", "part-time", "young")
    ]
    words = words or core.split()
    return " ".join(words[-3:] if len(words[-1]) + len(words[-2:][0]) < 16 else words[-2:])


def draw_demographics(
    identity: str, seed_text: str, settings: DemographicSettings, draw: Stream
) -> Sketch:
    """Stages 1a and 1b for one person.

    Age is drawn within what the seed, the occupation and the education allow; faith,
    languages and ethnicity come from the country's table; household, income and the
    like are redrawn until their words fit the age.
    """
    reading = read_seed(seed_text)
    country, city, drawn, overridden = place_of(reading, settings, draw)
    domain = domains()[reading.domain or draw.pick(list(domains()))]
    occupation = _occupation(reading, domain, draw)
    low, high = age_limits(occupation, reading.age_low, reading.age_high)
    low, high = _working_age(occupation, low, high)
    education = _education(domain, occupation, low, high, draw)
    low, high = age_limits(education, low, high)
    if reading.age is not None:
        age = reading.age
    else:
        # The sum of two draws: most people in the middle of the range, few at its ends.
        low = max(low, 18)
        age = min(high, low + int((draw.random() + draw.random()) / 2 * (high - low + 1)))
    table = traits()

    def one(name: str, avoid: str = "") -> str:
        return _fitting(table[name], age, age, draw, avoid)

    ethnicity = reading.ethnicity if reading.ethnicity in country.ethnicities else ""
    interests = draw.sample(
        domain.interests, draw.between(settings.interests_low, settings.interests_high)
    )
    if draw.random() < 0.8:
        other = draw.pick([d for d in domains().values() if d.name != domain.name])
        interests[-1] = draw.pick([i for i in other.interests if i not in interests])
    working = "retired|pension" if age < 58 else ""
    languages = list(country.languages[:1]) + draw.sample(
        country.languages[1:], draw.below(len(country.languages))
    )
    demographics: dict[str, Any] = {
        "age": age,
        "gender": reading.gender,
        "country": country.name,
        "city": city,
        "ethnicity": ethnicity or draw.pick(country.ethnicities),
        "occupation": occupation,
        "education": education,
        "household": one("households"),
        "languages": languages,
        "interests": interests,
        "traits": draw.sample(
            table["traits"], draw.between(settings.traits_low, settings.traits_high)
        ),
        "social_tone": one("social_tones"),
        "lifestyle": one("lifestyles", working),
        "income_band": one("income_bands", working + ("|student" if working and age > 30 else "")),
        "faith_or_none": draw.pick(country.faiths),
        "dwelling": one("dwellings"),
        "commute": "no commute any more" if "retired" in occupation else one("commutes"),
        "devices": one("devices"),
        "pets": one("pets"),
        "travel_habits": one("travel_habits"),
        "food_habits": one("food_habits"),
        "dress_habits": one("dress_habits"),
        "speciality": _stated(domain.specialities, seed_text) or draw.pick(domain.specialities),
        "photo_habit": _stated(table["photo_habits"], seed_text) or one("photo_habits"),
        "collection": _stated(table["collections"], seed_text) or one("collections"),
        "weekend_habit": _stated(table["weekend_habits"], seed_text) or one("weekend_habits"),
    }
    notes = {
        "location_confidence": reading.confidence,
        "location_drawn": drawn,
        "location_overridden": overridden,
        "domain": domain.name,
    }
    return Sketch(
        identity, seed_text, demographics, country, domain, short_noun(occupation), notes=notes
    )


def has_climate(country: Country, text: str) -> bool:
    """Tell whether a country knows what a text takes for granted (snow, monsoon, a fast).

    >>> has_climate(countries()["Ghana"], "the first snow, soon gone")
    False
    """
    return _climate_needs(text) <= country.offers


@lru_cache(8192)
def _climate_needs(text: str) -> frozenset[str]:
    low = text.lower()
    return frozenset(name for name, pattern in senses().needs.items() if pattern.search(low))
