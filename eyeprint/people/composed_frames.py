"""Frames of composed seeds, and what fits them: occupations, places, phrases (CHECKLIST V11).

A frame is a sentence with slots from ``data/seed_frames.toml``. Nothing here draws for a
single seed; the decks below are shuffled once, in the same way in every process.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from eyeprint.people.demographics import GENDERED_TRADE, has_climate
from eyeprint.people.grammar import parse_line, slots_of
from eyeprint.people.seed_reading import read_seed
from eyeprint.people.tables import Country, countries, domains, seed_frames
from eyeprint.randomness import stream

_VERB = re.compile(r"\[([^|\]]*)\|([^\]]*)\]")
NOT_AT_WORK = re.compile(
    r"retired|former|student|pupil|graduate|gap-year|doctoral|homemaker|elder|grand|parent|"
    r"stay-at-home|apprentice|trainee|cadet|volunteer|reservist|veteran"
)
PLACE_SLOTS = frozenset(
    ["town", "land", "demonym", "craft", "food", "festival", "landmark", "nature", "landscape"]
)


@dataclass(frozen=True, slots=True)
class SeedFrame:
    """One sentence with slots, and whom it fits."""

    singular: tuple[Any, ...]
    """Its parts with the verbs after "she" and "he"."""
    plural: tuple[Any, ...]
    """The same with the verbs after "they"."""
    slots: frozenset[str]
    working: bool
    """Whether it speaks of somebody who goes to work."""
    only: frozenset[str]
    """The domains that it is for; empty for all."""
    they: bool
    """Whether a singular "they" may stand for the person."""

    @property
    def gendered(self) -> bool:
        """Whether a pronoun or noun of it needs a gender."""
        return bool(self.slots & {"she", "her", "herself", "woman"})

    @property
    def placed(self) -> bool:
        """Whether it names a place, or something of a country."""
        return bool(self.slots & PLACE_SLOTS)

    def fits(self, domain: str, occupation: str) -> bool:
        """Tell whether it can be said of somebody with this occupation."""
        if self.only:
            return domain in self.only
        return not (self.working and NOT_AT_WORK.search(occupation))


@cache
def _frames() -> tuple[SeedFrame, ...]:
    found = []
    for group in seed_frames()["group"]:
        for line in group["lines"]:
            singular = parse_line(_VERB.sub(r"\1", line))
            slots = slots_of(singular)
            bare_verb = re.search(r"\{[Ss]he\} \{(?:quirk|photo|weekend)\}", line)
            found.append(
                SeedFrame(
                    singular,
                    parse_line(_VERB.sub(r"\2", line)),
                    slots,
                    bool(group.get("working")),
                    frozenset(group.get("only", ())),
                    "woman" not in slots and bare_verb is None,
                )
            )
    return tuple(found)


@cache
def occupations() -> tuple[tuple[str, str], ...]:
    """All (domain, occupation) that are said of women and men alike."""
    return tuple(
        (domain.name, occupation)
        for domain in domains().values()
        for occupation in domain.occupations
        if not GENDERED_TRADE.search(occupation)
    )


@lru_cache(8)
def deck(turn: int) -> list[tuple[str, str]]:
    """Return all (domain, occupation) in the order of one round."""
    return stream(0, "composed seeds/occupations", turn).shuffled(occupations())


@cache
def frames_for(domain: str, occupation: str) -> list[SeedFrame]:
    """Return the frames that fit an occupation, in the order in which its rounds take them."""
    fitting = [frame for frame in _frames() if frame.fits(domain, occupation)]
    return stream(0, "composed seeds/frames", f"{domain}/{occupation}").shuffled(fitting)


@cache
def _needs() -> list[tuple[re.Pattern[str], re.Pattern[str], bool]]:
    return [
        (re.compile(row["when"], re.I), re.compile(row["country"]), row.get("landlocked", True))
        for row in seed_frames()["need"]
    ]


@lru_cache(16384)
def _needs_of(text: str) -> tuple[int, ...]:
    return tuple(i for i, (when, _, _) in enumerate(_needs()) if when.search(text))


@cache
def _has(country: str, need: int) -> bool:
    _, pattern, landlocked = _needs()[need]
    if not landlocked and country in seed_frames()["places"]["landlocked"]:
        return False
    table = countries()[country]
    words = [p.text for phrases in table.phrases.values() for p in phrases] + table.faiths
    return bool(pattern.search(" \n".join(words).lower()))


def suits(country: Country, text: str) -> bool:
    """Tell whether a country's table knows what a phrase takes for granted.

    >>> suits(countries()["Mali"], "harbour master"), suits(countries()["Ghana"], "net mender")
    (False, True)
    """
    return has_climate(country, text) and all(_has(country.name, n) for n in _needs_of(text))


@cache
def readable(country: str) -> tuple[tuple[str, ...], str, str]:
    """The towns, the name and the demonym of a country that a reader takes for that country."""
    table = countries()[country]
    towns = [(city, read_seed(f"Somebody in {city}.")) for city in table.cities]
    kept = tuple(city for city, found in towns if (found.country, found.city) == (country, city))
    land = table.named if read_seed(f"Somebody in {table.named}.").country == country else ""
    adjective = read_seed(f"Some {table.demonym} person.")
    sure = adjective.country == country and adjective.confidence >= 0.5
    return kept, land, table.demonym if sure else ""


@cache
def weights(temper: float) -> tuple[list[str], list[float]]:
    """Return all countries and population^temper of each."""
    names = list(countries())
    return names, [math.pow(countries()[name].population, temper) for name in names]
