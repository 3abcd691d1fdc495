"""Controls of the VPTT score: the same prompts against a wrong person, and a shuffled profile.

A method personalises when its prompts fit their own person better than somebody else.
The *lift* is score-c against the own person minus score-c against the control. NV is
left out: it asks about copying, not about fit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from eyeprint.errors import UnknownName, UsageError
from eyeprint.randomness import Stream, stream
from eyeprint.scores.person_space import PersonArrays

ONE_PERSON = "there is only one person: nobody else's profile to compare with"
NO_DONORS = "no other person has a caption with words"


@dataclass(frozen=True)
class WrongPersons:
    """Who stands in for whom."""

    of: Mapping[str, str] = field(default_factory=dict)
    """Person -> a different person; everyone occurs exactly once on each side."""
    reason: str | None = None
    """Why there is no pairing."""


def wrong_person(ids: Sequence[str], seed: int) -> WrongPersons:
    """Give each person another one: a random permutation without fixed point.

    Because everyone is somebody's wrong person exactly once, a prompt that is the same
    for all (Baseline) has the same mean over own and over wrong persons: its lift is 0
    by construction, and any other lift is the method's. The pairing depends on the set
    of ids and the seed, not on the order of ids. (Sattolo's algorithm: one big cycle.)

    Raises:
        UsageError: an id occurs twice.

    >>> sorted(wrong_person(["a", "b"], 7).of.items())
    [('a', 'b'), ('b', 'a')]
    >>> wrong_person(["a"], 7).reason
    "there is only one person: nobody else's profile to compare with"
    """
    known = sorted(ids)
    if len(set(known)) < len(known):
        twice = next(a for a, b in pairwise(known) if a == b)
        raise UsageError(f"Person '{twice}' occurs twice; ids must be unique. Rename one.")
    if len(known) < 2:
        return WrongPersons(reason=ONE_PERSON)
    source = stream(seed, "wrong-person", "all")
    stand_ins = list(known)
    for i in range(len(stand_ins) - 1, 0, -1):
        j = source.below(i)
        stand_ins[i], stand_ins[j] = stand_ins[j], stand_ins[i]
    return WrongPersons(of=dict(zip(known, stand_ins, strict=True)))


@dataclass(frozen=True)
class ShuffledSource:
    """Where the pieces of one person's shuffled profile come from."""

    person: str
    description: str = ""
    """The person whose description it takes; never the own one."""
    captions: tuple[tuple[str, int], ...] = ()
    """For each caption: whose it is, and its place among that person's captions with words."""
    reason: str | None = None
    """Why there is no such profile."""


class ShuffledProfiles:
    """For each person a profile of as many captions, each from somebody else.

    The donors of a person's captions are different people, drawn without replacement
    (again from all, when there are fewer other people than captions); each gives one of
    its captions, drawn uniformly. The description is that of another person. Such a
    profile has the variety of no single person: what a prompt gains on it is due to the
    collection as a whole. Draws are keyed by seed and person.

    Args:
        counts: person -> number of captions with words, for everybody.
        seed: the run's seed.

    >>> found = ShuffledProfiles({"a": 2, "b": 1, "c": 4}, 7).source("a")
    >>> len(found.captions), sorted(donor for donor, _ in found.captions)
    (2, ['b', 'c'])
    """

    def __init__(self, counts: Mapping[str, int], seed: int) -> None:
        self._counts = counts
        self._seed = seed
        self._everyone = sorted(counts)
        self._donors = [person for person in self._everyone if counts[person] > 0]
        self._place = {person: place for place, person in enumerate(self._donors)}
        self._rank = {person: place for place, person in enumerate(self._everyone)}

    def source(self, person: str) -> ShuffledSource:
        """Return where one person's shuffled profile comes from.

        Raises:
            UnknownName: the person is not among ``counts``.
        """
        if person not in self._counts:
            raise UnknownName("person", person, self._everyone)
        if len(self._everyone) < 2:
            return ShuffledSource(person, reason=ONE_PERSON)
        own = self._place.get(person)
        others = len(self._donors) - (own is not None)
        if others < 1:
            return ShuffledSource(person, reason=NO_DONORS)
        draw = stream(self._seed, "shuffled-profile", person)
        description = self._everyone[_skipping(self._rank[person], draw.below(self._rest))]
        captions: list[tuple[str, int]] = []
        while len(captions) < self._counts[person]:
            wanted = min(others, self._counts[person] - len(captions))
            for place in _distinct(draw, others, wanted):
                donor = self._donors[_skipping(own, place)]
                captions.append((donor, draw.below(self._counts[donor])))
        return ShuffledSource(person, description, tuple(captions))

    @property
    def _rest(self) -> int:
        return len(self._everyone) - 1


def shuffled_profile(
    source: ShuffledSource, look_up: Callable[[str], PersonArrays]
) -> PersonArrays | None:
    """Gather a shuffled profile's vectors and texts; ``None`` when there is none.

    Its id is the person's with "/shuffled" behind, so that its clusters are its own.

    Args:
        source: from :meth:`ShuffledProfiles.source`.
        look_up: person id -> that person's arrays.
    """
    if source.reason is not None:
        return None
    description = look_up(source.description).description
    vectors, texts = [], []
    for donor, place in source.captions:
        arrays = look_up(donor)
        row = int(np.flatnonzero(np.any(np.asarray(arrays.captions) != 0, axis=1))[place])
        vectors.append(arrays.captions[row])
        if arrays.texts:
            texts.append(arrays.texts[row])
    stack = np.stack(vectors) if vectors else np.zeros((0, len(description)))
    return PersonArrays(
        id=f"{source.person}/shuffled",
        captions=stack,
        texts=texts if len(texts) == len(vectors) else [],
        description=description,
    )


def _skipping(own: int | None, place: int) -> int:
    """Return the place in the whole list of a place in the list without ``own``."""
    return place if own is None or place < own else place + 1


def _distinct(draw: Stream, size: int, n: int) -> list[int]:
    """Return n different numbers below ``size`` in random order, without listing them all."""
    swapped: dict[int, int] = {}
    found = []
    for i in range(n):
        j = i + draw.below(size - i)
        found.append(swapped.get(j, j))
        swapped[j] = swapped.get(i, i)
    return found
