"""The rules of the benchmark as a table, and who breaks them (CHECKLIST V10, V13-V19)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from pydantic import Field

from eyeprint.config import Settings
from eyeprint.maths.apportion import largest_remainder
from eyeprint.maths.ngrams import words
from eyeprint.people.audit_notes import drawn_by_facet, drawn_entries, regional_shares
from eyeprint.people.audit_shingles import WordRuns, shared_trigrams, trigrams, word_runs
from eyeprint.people.audit_tables import (
    AGES_OF_WORK,
    GENDER_WORDS,
    LEAST_WORKING_AGE,
    NO_GENDER,
    OTHER_WORDS,
    PUPIL_WORDS,
)
from eyeprint.records.people import FACETS, POST_KINDS, Demographics, Persona, Post


class RuleSettings(Settings):
    """What people must keep to; the defaults are the paper's."""

    posts: int = Field(default=30, ge=1)
    """Posts of a person (V10)."""
    least_valid_posts: int = Field(default=10, ge=0)
    """A person with fewer posts that have a caption is excluded by the paper (V19)."""
    kind_shares: tuple[float, float, float, float] = (0.35, 0.25, 0.25, 0.15)
    """Activity, appreciation, shared, selfie; turned into counts by largest remainder (V17)."""
    caption_words: tuple[int, int] = (150, 250)
    """Words of a caption, counted at white space (V18)."""
    facet_entries: tuple[int, int] = (15, 20)
    """Entries of a facet over its groups as drawn; as it stands where nothing is known of
    pruning (V14)."""
    preferences: tuple[int, int] = (15, 20)
    """Preferences of a person (V16)."""
    interests: tuple[int, int] = (5, 8)
    """Interests of a person (V13)."""
    least_attributes: int = Field(default=20, ge=0)
    """Demographic attributes that are set and not blank (V13)."""
    overlap: float = Field(default=0.12, gt=0, le=1)
    """Two captions of a person must share less than this share of word trigrams."""
    regional: float = Field(default=0.7, ge=0, le=1)
    """Least share of regional motifs in a facet (V14), where the record states it."""


class Rule(NamedTuple):
    """One rule: its name, what it asks for, where it comes from."""

    name: str
    asks: str
    source: str


RULES: tuple[Rule, ...] = (
    Rule("posts.count", "as many posts as the benchmark has", "V10"),
    Rule("posts.valid", "at least 10 posts with a caption", "V19"),
    Rule("posts.kinds", "kinds of posts in their quotas", "V17"),
    Rule("caption.blank", "every post has a caption", "V18"),
    Rule("caption.length", "captions of 150-250 words", "V18"),
    Rule("caption.repeated", "no caption twice in a person", "V18"),
    Rule("caption.overlap", "two captions share < 12 % of their trigrams", "V18"),
    Rule("elements.none", "every post has annotated elements", "V18"),
    Rule("elements.verbatim", "elements stand in their caption", "V18"),
    Rule("facets.missing", "all three facets are there", "V14"),
    Rule("facets.groups", "every group of a facet has entries", "V14"),
    Rule("facets.size", "15-20 entries in a facet", "V14"),
    Rule("facets.regional", "at least 70 % regional motifs in a facet", "V14"),
    Rule("preferences.count", "15-20 preferences", "V16"),
    Rule("interests.count", "5-8 interests", "V13"),
    Rule("attributes.count", "20 or more attributes", "V13"),
    Rule("gender.unstated", "gender only where the seed states it", "V13"),
    Rule("age.occupation", "an age that the occupation allows", "V13"),
)
"""All rules, in the order of reports."""


class Break(NamedTuple):
    """One broken rule."""

    rule: str
    person: str
    post: str | None
    """``None`` when the rule is about the whole person."""
    detail: str


class Checked(NamedTuple):
    """A person's broken rules, and whether the share of regional motifs was known."""

    breaks: tuple[Break, ...]
    regional_known: bool


def attributes(who: Demographics) -> tuple[str, ...]:
    """Return the names of the attributes that are set and not blank, extra ones included.

    >>> attributes(Demographics(age=30, city="", gender="unknown", pets="a goat"))
    ('age', 'gender', 'pets')
    """
    values = who.model_dump(exclude_unset=True)
    return tuple(k for k, v in values.items() if v is not None and v not in ("", [], (), {}))


def gender_is_stated(gender: str, seed: str) -> bool:
    """Tell whether a seed has a word that states this gender (V13).

    A list of words is no reader: "who photographs her husband" counts as stating both.
    What this finds are genders that no word of the seed supports.

    >>> gender_is_stated("woman", "A nurse and her bicycle."), gender_is_stated("man", "A nurse.")
    (True, False)
    """
    kind = gender.strip().lower()
    # "great-grandmother" is read apart, "non-binary" together.
    found = {*words(seed), *words(seed.replace("-", ""))}
    stated = GENDER_WORDS.get(kind)
    if stated is None:
        stated = OTHER_WORDS | set(words(kind.replace("-", "")))
    return not found.isdisjoint(stated)


def check_person(
    person: Persona, settings: RuleSettings | None = None, runs: WordRuns | None = None
) -> Checked:
    """Hold a person against every rule.

    Args:
        person: whom to check.
        settings: the limits; the paper's by default.
        runs: the words of all posts' captions in order, when they were read already.

    >>> found = check_person(Persona(id="a", preferences=["likes red"]))
    >>> [b.detail for b in found.breaks if b.rule == "preferences.count"]
    ['1 preferences, not 15-20']
    """
    limits = settings or RuleSettings()
    found: list[Break] = []
    faults = (
        _of_posts(person, limits),
        _of_captions(person, limits, runs),
        _of_vocabulary(person, limits),
        _of_demographics(person, limits),
    )
    for group in faults:
        found += [Break(rule, person.id, post, detail) for rule, post, detail in group]
    return Checked(tuple(found), bool(regional_shares(person)))


_Fault = tuple[str, str | None, str]


def _of_posts(person: Persona, limits: RuleSettings) -> Iterator[_Fault]:
    n = len(person.posts)
    if n != limits.posts:
        yield "posts.count", None, f"{n} posts, not {limits.posts}"
    valid = len(person.captions)
    if valid < limits.least_valid_posts:
        yield "posts.valid", None, f"{valid} posts with a caption, under {limits.least_valid_posts}"
    kinds = Counter(post.kind for post in person.posts)
    quotas = largest_remainder(limits.kind_shares, n).tolist()
    wrong = [
        f"{kinds[kind]} {kind}, not {quota}"
        for kind, quota in zip(POST_KINDS, quotas, strict=True)
        if kinds[kind] != quota
    ]
    if wrong:
        unknown = f"; {kinds[None]} without a kind" if kinds[None] else ""
        yield "posts.kinds", None, ", ".join(wrong) + unknown


def _of_captions(person: Persona, limits: RuleSettings, runs: WordRuns | None) -> Iterator[_Fault]:
    low, high = limits.caption_words
    for post in person.posts:
        if not post.caption.strip():
            yield "caption.blank", post.id, "no caption"
            continue
        length = len(post.caption.split())
        if not low <= length <= high:
            yield "caption.length", post.id, f"{length} words, not {low}-{high}"
        yield from _of_elements(post)
    runs = runs or word_runs([post.caption for post in person.posts])
    cut = trigrams(runs)
    first: dict[bytes, str] = {}
    for post, wording in zip(person.posts, runs.wordings, strict=True):
        if wording and wording in first:
            yield "caption.repeated", post.id, f"the words of post {first[wording]}"
        elif wording:
            first[wording] = post.id
    left, right, shared = shared_trigrams(cut)
    # Against the smaller set: a short caption that lies inside a long one is a copy too.
    share = shared / np.minimum(cut.sizes[left], cut.sizes[right])
    for at in np.flatnonzero(share >= limits.overlap).tolist():
        one, other = int(left[at]), int(right[at])
        if runs.wordings[one] != runs.wordings[other]:
            told = f"shares {share[at]:.0%} of its trigrams with post {person.posts[one].id}"
            yield "caption.overlap", person.posts[other].id, told


def _of_elements(post: Post) -> Iterator[_Fault]:
    phrases = [phrase for group in post.elements.values() for phrase in group]
    if not phrases:
        yield "elements.none", post.id, "no annotated element"
    # A phrase that opens a sentence of the caption is written there with a capital.
    lowered = post.caption.lower()
    for phrase in phrases:
        if phrase.lower() not in lowered:
            yield "elements.verbatim", post.id, f"'{phrase}' is not in the caption"


def _of_vocabulary(person: Persona, limits: RuleSettings) -> Iterator[_Fault]:
    low, high = limits.facet_entries
    drawn, by_facet = drawn_entries(person), drawn_by_facet(person)
    for facet, groups in FACETS.items():
        held = person.vocabulary.get(facet, {})
        entries = sum(len(group) for group in held.values())
        if not entries:
            yield "facets.missing", None, f"no {facet}"
            continue
        bare = [group for group in groups if not held.get(group)]
        # The numbers of V14 are of the vocabulary as drawn: after pruning fewer are right.
        if bare and drawn is None:
            yield "facets.groups", None, f"{facet} without {', '.join(bare)}"
        entries = by_facet.get(facet, entries)
        least = low if drawn is None or by_facet else 0
        if not least <= entries <= high:
            yield "facets.size", None, f"{facet} has {entries} entries, not {low}-{high}"
    n = len(FACETS)
    if drawn is not None and not by_facet and not low * n <= drawn <= high * n:
        yield "facets.size", None, f"{drawn} entries drawn, not {low * n}-{high * n}"
    for facet, share in regional_shares(person).items():
        if share < limits.regional:
            yield "facets.regional", None, f"{facet}: {100 * share:.1f} % regional"
    low, high = limits.preferences
    n = len(person.preferences)
    if not low <= n <= high:
        yield "preferences.count", None, f"{n} preferences, not {low}-{high}"


def _of_demographics(person: Persona, limits: RuleSettings) -> Iterator[_Fault]:
    who = person.demographics
    low, high = limits.interests
    if not low <= len(who.interests) <= high:
        yield "interests.count", None, f"{len(who.interests)} interests, not {low}-{high}"
    n = len(attributes(who))
    if n < limits.least_attributes:
        yield "attributes.count", None, f"{n} attributes, under {limits.least_attributes}"
    if who.gender.strip().lower() not in NO_GENDER and not gender_is_stated(
        who.gender, person.seed
    ):
        yield "gender.unstated", None, f"'{who.gender}', but no word of the seed states it"
    if who.age is not None and who.occupation:
        yield from _of_age(who.age, who.occupation)


def _of_age(age: int, occupation: str) -> Iterator[_Fault]:
    if age < LEAST_WORKING_AGE and not PUPIL_WORDS.search(occupation):
        yield "age.occupation", None, f"works as '{occupation}' at {age}"
        return
    for ages in AGES_OF_WORK:
        if ages.pattern.search(occupation) and not ages.least <= age <= ages.most:
            yield "age.occupation", None, f"{ages.says} at {age}: '{occupation}'"
            return
