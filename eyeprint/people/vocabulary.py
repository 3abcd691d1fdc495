"""Visual vocabulary and preferences of a person, before any post is written (V14, V16).

Three facets with 15–20 entries each over the groups of ``records.people.FACETS``; at
least 70 % of a facet's entries are regional: they are, or contain, a phrase or a proper
name of the table of the person's country.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from pydantic import Field

from eyeprint.config import Settings
from eyeprint.people.demographics import Sketch, has_climate
from eyeprint.people.phrases import Phrase, bare
from eyeprint.people.tables import Country, preference_groups, wordbank
from eyeprint.randomness import Stream
from eyeprint.records.people import FACETS


class VocabularySettings(Settings):
    """Sizes of facets and preference lists."""

    entries_low: int = Field(default=15, ge=1)
    entries_high: int = Field(default=20, ge=1)
    regional_share: float = Field(default=0.70, ge=0, le=1)
    """Least share of regional entries in each facet (V14)."""
    preferences_low: int = Field(default=15, ge=1)
    preferences_high: int = Field(default=20, ge=1)


# Facet -> (group, kinds of country phrases, weight among the regional entries)
_REGIONAL: dict[str, tuple[tuple[str, tuple[str, ...], float], ...]] = {
    "foreground": (
        ("subjects", ("people", "nature"), 0.35),
        ("actions", ("action",), 0.25),
        ("objects", ("craft", "food", "object", "dress"), 0.40),
    ),
    "background": (
        ("environments", ("landscape", "building", "festival"), 0.35),
        ("landmarks", ("landmark",), 0.20),
        ("lighting", ("light",), 0.25),
        ("textures", ("texture",), 0.20),
    ),
    "atmosphere": (
        ("materials", ("material",), 0.32),
        ("palette", ("palette",), 0.26),
        ("mood", ("mood",), 0.21),
        ("time_of_day", ("time",), 0.21),
    ),
}
# Facet -> (group, source) of the entries without a country, in this order; a "d_" source
# is the person's domain, any other is the word bank.
_OTHERS: dict[str, tuple[tuple[str, str], ...]] = {
    "foreground": (
        ("poses", "pose"),
        ("poses", "pose"),
        ("objects", "d_object"),
        ("poses", "pose"),
        ("subjects", "d_subject"),
        ("actions", "d_action"),
    ),
    "background": (
        ("environments", "d_place"),
        ("lighting", "xlight"),
        ("textures", "surface"),
        ("environments", "d_place"),
        ("lighting", "xlight"),
        ("textures", "surface"),
    ),
    "atmosphere": (
        ("materials", "d_material"),
        ("materials", "d_material"),
        ("materials", "surface"),
        ("materials", "d_material"),
        ("materials", "surface"),
        ("materials", "d_material"),
    ),
}


def draw_vocabulary(sketch: Sketch, settings: VocabularySettings, draw: Stream) -> None:
    """Fill ``sketch.vocabulary``; entries stand without article, none twice."""
    taken: set[str] = set()
    for facet, groups in FACETS.items():
        size = draw.between(settings.entries_low, settings.entries_high)
        local = _regional_entries(sketch.country, facet, size, settings, draw)
        entries: dict[str, list[str]] = {group: [] for group in groups}
        for group, text in local:
            if text not in taken:
                taken.add(text)
                entries[group].append(text)
        missing = size - sum(map(len, entries.values()))
        for group, source in (_OTHERS[facet] * 3)[: 3 * missing]:
            if missing <= 0:
                break
            text = draw.pick(_source(sketch, source))
            if text not in taken:
                taken.add(text)
                entries[group].append(text)
                missing -= 1
        sketch.vocabulary[facet] = entries


def _source(sketch: Sketch, name: str) -> list[str]:
    if name.startswith("d_"):
        return [phrase.bare for phrase in sketch.domain.phrases[name]]
    return [bare(phrase.text) for phrase in wordbank()[name]]


def _regional_entries(
    country: Country, facet: str, size: int, settings: VocabularySettings, draw: Stream
) -> list[tuple[str, str]]:
    wanted = math.ceil(settings.regional_share * size)
    wanted = min(size, max(wanted, size - draw.between(3, 4)))
    pools: dict[str, list[Phrase]] = {}
    for group, slots, _ in _REGIONAL[facet]:
        pools[group] = draw.shuffled([p for slot in slots for p in country.phrases[slot]])
    chosen: list[tuple[str, str]] = []
    for group, _, weight in _REGIONAL[facet]:
        share = round(weight * wanted)
        chosen += [(group, phrase.bare) for phrase in pools[group][:share]]
        pools[group] = pools[group][share:]
    rest = [(group, phrase.bare) for group, pool in pools.items() for phrase in pool]
    chosen = chosen[:wanted]
    return chosen + draw.sample(rest, wanted - len(chosen))


def regional_shares(
    vocabulary: Mapping[str, Mapping[str, Sequence[str]]], country: Country
) -> dict[str, float]:
    """Return, for each facet, the share of its entries that are regional (V14).

    >>> from eyeprint.people.tables import countries
    >>> regional_shares({"background": {"landmarks": ["Elmina castle walls", "a lamp"]}},
    ...                 countries()["Ghana"])
    {'background': 0.5}
    """
    shares = {}
    for facet, groups in vocabulary.items():
        entries = [entry for group in groups.values() for entry in group]
        local = sum(country.is_regional(entry) for entry in entries)
        shares[facet] = round(local / len(entries), 4) if entries else 0.0
    return shares


def draw_preferences(sketch: Sketch, settings: VocabularySettings, draw: Stream) -> None:
    """Fill ``sketch.preferences``: some of the domain, the rest spread over all groups.

    No two begin with the same three words, so that the list does not drone.
    """
    size = draw.between(settings.preferences_low, settings.preferences_high)
    queue = draw.sample(sketch.domain.preferences, 4)
    groups = [draw.shuffled(items) for items in preference_groups().values()]
    for row in range(max(map(len, groups))):
        queue += [g[row] for g in draw.shuffled(groups) if row < len(g)]
    chosen: list[str] = []
    openings: dict[str, int] = {}
    for text in queue:
        if len(chosen) == size:
            break
        words = text.split()
        first, opening = words[0], " ".join(words[:3])
        if (
            not has_climate(sketch.country, text)
            or text in chosen
            or openings.get(opening)
            or openings.get(first, 0) >= 3
        ):
            continue
        chosen.append(text)
        openings[opening] = 1
        openings[first] = openings.get(first, 0) + 1
    sketch.preferences = draw.shuffled(chosen)


def prune_vocabulary(
    vocabulary: Mapping[str, Mapping[str, Sequence[str]]], captions: Sequence[str]
) -> dict[str, dict[str, list[str]]]:
    """Drop the entries that no caption contains (without regard to case).

    >>> prune_vocabulary({"background": {"lighting": ["lamp", "sun"]}}, ["A Lamp burns."])
    {'background': {'lighting': ['lamp']}}
    """
    text = "\n".join(captions).lower()
    return {
        facet: {
            group: [entry for entry in entries if entry.lower() in text]
            for group, entries in groups.items()
        }
        for facet, groups in vocabulary.items()
    }


def count_entries(vocabulary: Mapping[str, Mapping[str, Sequence[str]]]) -> int:
    """Return the number of entries over all facets and groups.

    >>> count_entries({"a": {"x": ["1", "2"]}, "b": {"y": ["3"]}})
    3
    """
    return sum(len(entries) for groups in vocabulary.values() for entries in groups.values())


def entries_by_facet(vocabulary: Mapping[str, Mapping[str, Sequence[str]]]) -> dict[str, int]:
    """Return facet -> number of its entries over all groups (V14).

    >>> entries_by_facet({"a": {"x": ["1", "2"]}, "b": {"y": ["3"]}})
    {'a': 2, 'b': 1}
    """
    return {f: sum(len(entries) for entries in groups.values()) for f, groups in vocabulary.items()}
