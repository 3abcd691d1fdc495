"""The authored tables of ``people/data``, read once per process and indexed.

Nothing here is drawn at random: every phrase was written by a person, with its article,
as it stands in the middle of an English sentence.
"""

from __future__ import annotations

import json
import tomllib
from dataclasses import dataclass
from functools import cache, cached_property
from hashlib import sha256
from importlib import resources
from typing import Any

from eyeprint.errors import DataError
from eyeprint.people.grammar import Frame, frames_of
from eyeprint.people.phrases import ANY_HOUR, HOUR_BIT, Phrase, Senses, bare

_WORN_AND_MADE = ("dress", "craft", "food", "object", "material", "texture", "palette")
_PLACES = ("landscape", "building", "landmark", "nature", "light", "time", "festival")
COUNTRY_SLOTS = (*_WORN_AND_MADE, *_PLACES, "people", "action", "mood")
"""Kinds of phrases of a country's table; each is a slot of the grammars."""
_GRAMMARS = ("openings", "light", "setting", "things", "person", "finish")
_COUNTRY_FILES = ("africa", "americas", "asia_oceania", "europe")
_BACKSTORY_FILES = ("africa", "asia_oceania", "europe_americas")
DOMAIN_SLOTS = {
    "d_subject": "subjects",
    "d_object": "objects",
    "d_action": "actions",
    "d_place": "places",
    "d_material": "materials",
}


def _data(name: str) -> bytes:
    return (resources.files("eyeprint.people") / "data" / name).read_bytes()


def _toml(name: str) -> dict[str, Any]:
    try:
        return tomllib.loads(_data(name).decode())
    except (tomllib.TOMLDecodeError, FileNotFoundError) as error:
        raise DataError(f"eyeprint/people/data/{name}: {error}. Reinstall eyeprint.") from error


def read_table(name: str) -> dict[str, Any]:
    """Return one TOML file of ``people/data`` as it is; the caller keeps what it makes of it.

    Raises:
        DataError: the file is damaged or missing.

    >>> len(read_table("questionnaire.toml")["question"])
    19
    """
    return _toml(name)


def table_digest(*names: str) -> str:
    """Return the SHA-256 (64 hex digits) over the bytes of some files of ``people/data``."""
    state = sha256()
    for name in names:
        state.update(sha256(_data(name)).digest())
    return state.hexdigest()


class Country:
    """One country's table; phrases are read for their sense when first needed."""

    def __init__(self, row: dict[str, Any]) -> None:
        self.name: str = row["name"]
        self.demonym: str = row["demonym"]
        self.region: str = row["region"]
        self.population: float = row["population"]
        self.languages: list[str] = row["languages"]
        self.ethnicities: list[str] = row["ethnicities"]
        self.faiths: list[str] = row["faiths"]
        self.cities: list[str] = row["cities"]
        self._row = row

    @cached_property
    def phrases(self) -> dict[str, list[Phrase]]:
        """Slot -> phrases, in the order of the table."""
        common = " ".join(
            [self.name, self.demonym, self.region, *self.languages, *self.ethnicities, *self.faiths]
        )
        names = frozenset(common.lower().split())
        return {
            slot: [senses().phrase(slot, text, names) for text in self._row[slot]]
            for slot in COUNTRY_SLOTS
        }

    @cached_property
    def regional(self) -> frozenset[str]:
        """All phrases of the table without articles, lower-cased (V14's motifs)."""
        return frozenset(bare(t).lower() for slot in COUNTRY_SLOTS for t in self._row[slot])

    @cached_property
    def proper_names(self) -> tuple[str, ...]:
        """Country, demonym, cities and peoples, whose mention also makes a phrase regional."""
        return (self.name, self.demonym, *self.cities, *self.ethnicities)

    @property
    def named(self) -> str:
        """The name as it stands in a sentence: "the Gambia", "Ghana"."""
        return f"the {self.name}" if self.name in senses().countries_with_the else self.name

    @cached_property
    def offers(self) -> frozenset[str]:
        """What the country's own table knows: "cold", "monsoon", "seasonal", "fast"."""
        text = " ".join(t for slot in COUNTRY_SLOTS for t in self._row[slot]).lower()
        text += " ".join(self.faiths).lower()
        return frozenset(n for n, pattern in senses().offers.items() if pattern.search(text))

    def is_regional(self, entry: str) -> bool:
        """Tell whether an entry contains a phrase or a proper name of this country."""
        if entry.lower() in self.regional:
            return True
        return any(name in entry for name in self.proper_names)


class Domain:
    """One domain of work and life; its phrases carry no country."""

    def __init__(self, row: dict[str, Any]) -> None:
        self.name: str = row["name"]
        self.keywords: list[str] = row["keywords"]
        self.occupations: list[str] = row["occupations"]
        self.specialities: list[str] = row["specialities"]
        self.education: list[str] = row["education"]
        self.interests: list[str] = row["interests"]
        self.preferences: list[str] = row["preferences"]
        self._row = row

    @cached_property
    def phrases(self) -> dict[str, list[Phrase]]:
        """Slot (``d_object`` ...) -> phrases."""
        found = {}
        for slot, key in DOMAIN_SLOTS.items():
            found[slot] = [
                Phrase(
                    text=text,
                    slot=slot,
                    bare=bare(text),
                    hours=senses().hours(text) or ANY_HOUR,
                    weather=senses().weather(text),
                    place=senses().place(text) or ("in" if slot == "d_place" else ""),
                )
                for text in self._row[key]
            ]
        return found


@dataclass(frozen=True, slots=True)
class BankPhrase:
    """A phrase that belongs to no country, with where it fits."""

    text: str
    kinds: frozenset[str]
    place: str
    hours: int
    weather: int


@cache
def senses() -> Senses:
    """The reader of hours, weather, places and wearers."""
    return Senses(_toml("senses.toml"))


@cache
def countries() -> dict[str, Country]:
    """Country name -> table, in the order of the files.

    >>> len(countries()) >= 120
    True
    """
    found: dict[str, Country] = {}
    for file in _COUNTRY_FILES:
        for row in _toml(f"countries/{file}.toml")["country"]:
            found.setdefault(row["name"], Country(row))
    return found


@cache
def domains() -> dict[str, Domain]:
    """Domain name -> table."""
    return {row["name"]: Domain(row) for row in _toml("domains.toml")["domain"]}


@cache
def traits() -> dict[str, list[str]]:
    """Traits, tones, households, habits ..."""
    return _toml("traits.toml")


@cache
def preference_groups() -> dict[str, list[str]]:
    """Group -> preference statements, each a verb phrase in the third person."""
    return {row["name"]: row["preferences"] for row in _toml("preferences.toml")["group"]}


@cache
def scenarios() -> dict[str, Any]:
    """Scenario templates by kind of post, seasons, hours and social contexts."""
    return _toml("scenarios.toml")


@cache
def frames() -> dict[str, list[Frame]]:
    """Role -> sentence frames."""
    found: dict[str, list[Frame]] = {}
    for name in _GRAMMARS:
        for frame in frames_of(_toml(f"grammar_{name}.toml")["group"]):
            found.setdefault(frame.role, []).append(frame)
    return found


@cache
def structures() -> dict[str, list[tuple[tuple[str, bool], ...]]]:
    """ "people" or "places" -> orders of (role, required)."""
    return {
        key: [
            tuple((role.rstrip("?"), not role.endswith("?")) for role in line.split())
            for line in lines
        ]
        for key, lines in _toml("grammar_structures.toml").items()
    }


@cache
def wordbank() -> dict[str, list[BankPhrase]]:
    """Slot -> phrases without a country."""
    found: dict[str, list[BankPhrase]] = {}
    for group in _toml("wordbank.toml")["group"]:
        hours = sum(HOUR_BIT[h] for h in group.get("hours", ())) or ANY_HOUR
        kinds = frozenset(group.get("kinds", ()))
        place = group.get("place", "")
        found.setdefault(group["slot"], []).extend(
            BankPhrase(line, kinds, place, hours, senses().weather(line)) for line in group["lines"]
        )
    return found


@cache
def faces() -> dict[str, Any]:
    """Face attributes and modifiers."""
    return _toml("faces.toml")


@cache
def seed_frames() -> dict[str, Any]:
    """Frames and phrases of composed seeds: group, life, words, need, places, manners."""
    return _toml("seed_frames.toml")


@cache
def bundled_backstories() -> tuple[str, ...]:
    """The seed texts that come with the package.

    >>> len(bundled_backstories()) >= 400
    True
    """
    texts: list[str] = []
    for file in _BACKSTORY_FILES:
        lines = _data(f"backstories/{file}.jsonl").decode().splitlines()
        texts += [json.loads(line)["text"] for line in lines if line.strip()]
    return tuple(dict.fromkeys(texts))


@cache
def tables_fingerprint() -> str:
    """SHA-256 over all tables: people built from other tables never share a folder."""
    state = sha256()
    names = [f"countries/{n}.toml" for n in _COUNTRY_FILES]
    names += [f"grammar_{n}.toml" for n in (*_GRAMMARS, "structures")]
    names += ["domains.toml", "traits.toml", "preferences.toml", "scenarios.toml"]
    names += ["wordbank.toml", "senses.toml", "faces.toml", "seed_frames.toml"]
    for name in names:
        state.update(sha256(_data(name)).digest())
    return state.hexdigest()
