"""The statistics of a people folder, gathered in one reading (CHECKLIST V14, V23)."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict

from eyeprint.maths.apportion import largest_remainder
from eyeprint.people.audit_notes import drawn_entries, place_notes, regional_shares
from eyeprint.people.audit_rules import RuleSettings, attributes
from eyeprint.people.audit_shingles import text_key
from eyeprint.records.people import FACETS, POST_KINDS, Persona

_AT_ONCE = 1 << 18


class Numbers(BaseModel):
    """What there is, in numbers. Means are per person unless they say otherwise.

    ``None`` stands where nothing could be counted. Names are compared without regard to
    case and outer white space, elements as they are written.
    """

    model_config = ConfigDict(frozen=True)

    people: int
    posts: int
    valid_posts: int
    """Posts with a caption."""
    posts_per_person: float | None
    countries: int
    ethnicities: int
    cities: int
    """Different names of cities."""
    occupations: int
    unique_interests: int
    seeds: int
    """Different seed texts that are not blank."""
    mean_interests: float | None
    mean_traits: float | None
    mean_preferences: float | None
    mean_attributes: float | None
    """Demographic attributes that are set."""
    mean_caption_words: float | None
    """Words per caption that is not blank, counted at white space."""
    mean_elements_before: float | None
    """Entries of the vocabulary as drawn, before unused ones were pruned: from the
    builder's notes (:mod:`eyeprint.people.audit_notes`), over the people who have them."""
    elements_before_known: int
    """People whose record says how many entries were drawn."""
    mean_elements_after: float | None
    """Entries in the vocabulary as it stands, all three facets, repeats included."""
    unique_elements: int
    """Different strings among the vocabulary entries of all people."""
    mean_phrases: float | None
    """Different phrases annotated in a person's posts (``Persona.elements``)."""
    unique_phrases: int
    """Different strings among the annotated phrases of all people."""
    ages: dict[str, int]
    """"20-29" -> people, groups of ten from the youngest to the oldest, "unknown" last."""
    genders: dict[str, int]
    """Gender as written -> people, "unknown" included."""
    kinds: dict[str, int]
    """Kind of post -> posts; "none" counts those without one."""
    kind_quotas: dict[str, int]
    """Kind of post -> posts that the quotas ask for, summed over people."""
    regional: dict[str, float]
    """Facet -> mean share of regional motifs over the people whose record states it."""
    regional_known: int
    """People whose record states the share of regional motifs."""
    places_known: int
    """People whose record says how their place came about (V12)."""
    places_drawn: int
    """Of them, those whose seed named no place that was sure enough, so that one was drawn."""
    places_moved: int
    """Of them, those whose place was then moved away from an over-represented region."""
    by_country: dict[str, int]
    by_ethnicity: dict[str, int]
    top_occupations: dict[str, int]
    top_interests: dict[str, int]
    """The 20 most frequent ones -> people."""


class DistinctTexts:
    """Counts different texts by 64-bit keys: 8 bytes each, however long they are.

    Among ten million texts the count is exact with a probability above 0.999997.

    >>> counter = DistinctTexts()
    >>> counter.add(["a", "b", "a"])
    >>> counter.count()
    2
    """

    def __init__(self) -> None:
        self._known: NDArray[np.uint64] = np.zeros(0, dtype=np.uint64)
        self._fresh: set[int] = set()

    def add(self, texts: Iterable[str]) -> None:
        """Take texts in."""
        self._fresh.update(map(text_key, texts))
        if len(self._fresh) >= _AT_ONCE:
            self._fold()

    def count(self) -> int:
        """Return how many different texts there were."""
        self._fold()
        return len(self._known)

    def _fold(self) -> None:
        fresh = np.fromiter(self._fresh, dtype=np.uint64, count=len(self._fresh))
        self._known = np.union1d(self._known, fresh)
        self._fresh.clear()


def age_group(age: int | None) -> str:
    """Return the group of ten years of an age.

    >>> age_group(37), age_group(9), age_group(None)
    ('30-39', '0-9', 'unknown')
    """
    if age is None:
        return "unknown"
    start = age // 10 * 10
    return f"{start}-{start + 9}"


def same_name(text: str | None) -> str:
    """Return the form in which names are compared.

    >>> same_name("  New   Delhi "), same_name(None)
    ('new delhi', '')
    """
    return " ".join((text or "").casefold().split())


class Tally:
    """Counts people one by one; nothing of them is kept but counts."""

    def __init__(self, settings: RuleSettings | None = None) -> None:
        self._limits = settings or RuleSettings()
        self._sums: Counter[str] = Counter()
        self._names: dict[str, Counter[str]] = {
            kind: Counter()
            for kind in ("country", "ethnicity", "city", "occupation", "interest", "gender")
        }
        self._ages: Counter[int | None] = Counter()
        self._kinds: Counter[str] = Counter()
        self._quotas = np.zeros(len(POST_KINDS), dtype=np.int64)
        self._elements, self._phrases = DistinctTexts(), DistinctTexts()
        self._seeds: set[bytes] = set()
        self._regional: Counter[str] = Counter()
        self._regional_known: Counter[str] = Counter()
        self._spelling: dict[str, str] = {}

    def add(self, person: Persona) -> None:
        """Count one person."""
        who, sums = person.demographics, self._sums
        captions = person.captions
        entries = [e for f in person.vocabulary.values() for group in f.values() for e in group]
        phrases = person.elements
        sums["people"] += 1
        sums["posts"] += len(person.posts)
        sums["valid_posts"] += len(captions)
        sums["words"] += sum(len(caption.split()) for caption in captions)
        sums["interests"] += len(who.interests)
        sums["traits"] += len(who.traits)
        sums["preferences"] += len(person.preferences)
        sums["attributes"] += len(attributes(who))
        sums["entries"] += len(entries)
        sums["phrases"] += len(phrases)
        drawn = drawn_entries(person)
        if drawn is not None:
            sums["drawn"] += drawn
            sums["drawn_known"] += 1
        place = place_notes(person)
        if place is not None:
            sums["places_known"] += 1
            sums["places_drawn"] += place[0]
            sums["places_moved"] += place[1]
        self._elements.add(entries)
        self._phrases.add(phrases)
        if person.seed.strip():
            self._seeds.add(hashlib.sha256(person.seed.strip().encode()).digest()[:16])
        self._ages[who.age] += 1
        named = {
            "country": who.country,
            "ethnicity": who.ethnicity,
            "city": who.city,
            "occupation": who.occupation,
            "gender": who.gender or "unknown",
        }
        for kind, text in named.items():
            self._count(kind, text)
        for interest in dict.fromkeys(map(same_name, who.interests)):
            self._count("interest", interest)
        self._kinds.update(post.kind or "none" for post in person.posts)
        self._quotas += largest_remainder(self._limits.kind_shares, len(person.posts))
        for facet, share in regional_shares(person).items():
            self._regional[facet] += share  # type: ignore[assignment]
            self._regional_known[facet] += 1

    def _count(self, kind: str, text: str | None) -> None:
        name = same_name(text)
        if name:
            self._names[kind][name] += 1
            self._spelling.setdefault(name, " ".join((text or "").split()))

    def _ranked(self, kind: str, most: int | None = None) -> dict[str, int]:
        ranked = sorted(self._names[kind].items(), key=lambda item: (-item[1], item[0]))
        return {self._spelling[name]: count for name, count in ranked[:most]}

    def numbers(self) -> Numbers:
        """Return the statistics over everybody counted so far."""
        sums, n = self._sums, self._sums["people"]
        kinds: dict[str, int] = {kind: self._kinds[kind] for kind in POST_KINDS}
        if self._kinds["none"]:
            kinds["none"] = self._kinds["none"]
        return Numbers(
            people=n,
            posts=sums["posts"],
            valid_posts=sums["valid_posts"],
            posts_per_person=_mean(sums["posts"], n),
            countries=len(self._names["country"]),
            ethnicities=len(self._names["ethnicity"]),
            cities=len(self._names["city"]),
            occupations=len(self._names["occupation"]),
            unique_interests=len(self._names["interest"]),
            seeds=len(self._seeds),
            mean_interests=_mean(sums["interests"], n),
            mean_traits=_mean(sums["traits"], n),
            mean_preferences=_mean(sums["preferences"], n),
            mean_attributes=_mean(sums["attributes"], n),
            mean_caption_words=_mean(sums["words"], sums["valid_posts"]),
            mean_elements_before=_mean(sums["drawn"], sums["drawn_known"]),
            elements_before_known=sums["drawn_known"],
            mean_elements_after=_mean(sums["entries"], n),
            unique_elements=self._elements.count(),
            mean_phrases=_mean(sums["phrases"], n),
            unique_phrases=self._phrases.count(),
            ages=_age_groups(self._ages),
            genders=self._ranked("gender"),
            kinds=kinds,
            kind_quotas=dict(zip(POST_KINDS, self._quotas.tolist(), strict=True)),
            regional={
                facet: self._regional[facet] / self._regional_known[facet]
                for facet in (*FACETS, *sorted(set(self._regional_known) - set(FACETS)))
                if self._regional_known[facet]
            },
            regional_known=max(self._regional_known.values(), default=0),
            places_known=sums["places_known"],
            places_drawn=sums["places_drawn"],
            places_moved=sums["places_moved"],
            by_country=self._ranked("country"),
            by_ethnicity=self._ranked("ethnicity"),
            top_occupations=self._ranked("occupation", 20),
            top_interests=self._ranked("interest", 20),
        )


def _mean(total: float, n: int) -> float | None:
    return total / n if n else None


def _age_groups(ages: Counter[int | None]) -> dict[str, int]:
    known = sorted(age for age in ages if age is not None)
    found: dict[str, int] = {}
    if known:
        for start in range(known[0] // 10 * 10, known[-1] + 1, 10):
            found[age_group(start)] = sum(ages[age] for age in range(start, start + 10))
    if ages[None]:
        found["unknown"] = ages[None]
    return found
