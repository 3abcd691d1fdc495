"""Near-twins among many people, found without comparing all pairs.

**Copies** share text: the Jaccard similarity J of their sets of runs of six words, over
all captions, is at least :attr:`TwinSettings.jaccard`. (Trigrams would not do: people of
one grammar share a fifth of them, and only a twelfth of their runs of six.) Their MinHash
signatures are cut into b bands of r places; two people become candidates when one band is
equal, which happens with probability 1 - (1 - J^r)^b (:func:`text_recall`). With b = 42,
r = 3 that is 0.996 at J = 0.5, 0.99996 at 0.6 and 0.02 at 0.08. Candidates whose
signatures agree far less than the limit are dropped, the others are verified on their
real runs.

**Look-alikes** show the same things in other words: the cosine c of their mean caption
vectors, taken as deviations from the average person, is at least
:attr:`TwinSettings.cosine`. Without that deviation everybody lies in one narrow cone, and
a cosine says little. T tables of k random hyperplanes each: candidates fall on the same
side of all k in one table, with probability 1 - (1 - (1 - arccos(c)/π)^k)^T
(:func:`vector_recall`; Charikar 2002). With k = 14, T = 24 that is 0.998 at c = 0.95 and
0.0015 at c = 0. Candidates are verified on their vectors.

Work and memory grow with the number of people and of candidates, not with its square.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from eyeprint.config import Settings
from eyeprint.maths.diversity import unit_rows
from eyeprint.people.audit_shingles import Keys, jaccard_of_keys
from eyeprint.randomness import stream

Pairs = NDArray[np.int64]
"""Shape (pairs, 2): places of two people, the smaller first, sorted, without repeats."""

_CHUNK = 1 << 16


class TwinSettings(Settings):
    """What counts as a twin, and how hard they are looked for."""

    jaccard: float = Field(default=0.5, gt=0, le=1)
    """People whose sets of runs are at least this similar are copies."""
    run: int = Field(default=6, ge=1)
    """Words in a run."""
    bands: int = Field(default=42, ge=1)
    rows: int = Field(default=3, ge=1)
    slack: float = Field(default=0.2, ge=0)
    """Candidates are verified when their signatures agree in at least ``jaccard - slack``
    of all places: 4.5 standard errors at 126 places, so that nearly none is lost."""
    cosine: float = Field(default=0.95, gt=0, le=1)
    """People whose deviations from the average person are at least this close look alike."""
    bits: int = Field(default=14, ge=1, le=60)
    tables: int = Field(default=24, ge=1)
    centre_from: int = Field(default=20, ge=3)
    """With fewer people there is no average to deviate from: vectors are taken as they are."""
    most_pairs: int = Field(default=5000, ge=1)
    """At most so many pairs of each kind are verified and reported, the likeliest first."""
    bucket: int = Field(default=500, ge=2)
    """In a bucket with more people, each is paired with its next only, which still joins
    them all into one group."""
    seed: int = 7


class Found(NamedTuple):
    """Verified pairs with their similarity, most similar first."""

    pairs: Pairs
    similarity: NDArray[np.float64]
    candidates: int
    """How many different pairs were looked at."""
    left_out: int
    """How many likely pairs were beyond ``most_pairs`` and were not verified."""


def text_recall(jaccard: float, settings: TwinSettings | None = None) -> float:
    """Return the probability that two people of this Jaccard similarity become candidates.

    >>> round(text_recall(0.5), 3), round(text_recall(0.05), 3)
    (0.996, 0.005)
    """
    known = settings or TwinSettings()
    return float(1 - (1 - jaccard**known.rows) ** known.bands)


def vector_recall(cosine: float, settings: TwinSettings | None = None) -> float:
    """Return the probability that two vectors of this cosine become candidates.

    >>> round(vector_recall(0.95), 3), round(vector_recall(0.0), 4)
    (0.998, 0.0015)
    """
    known = settings or TwinSettings()
    side = 1 - np.arccos(np.clip(cosine, -1, 1)) / np.pi
    return float(1 - (1 - side**known.bits) ** known.tables)


def text_candidates(
    signatures: NDArray[np.uint32], has_text: NDArray[np.bool_], settings: TwinSettings
) -> tuple[Pairs, NDArray[np.float64], int]:
    """Return likely copies with the share of agreeing places, and how many were looked at.

    Args:
        signatures: shape (people, bands · rows).
        has_text: shape (people,): a person without a run is nobody's copy.
        settings: bands, rows and limits.
    """
    people = np.flatnonzero(has_text)
    floor = settings.jaccard - settings.slack
    kept, looked = [], 0
    for band in range(settings.bands):
        columns = signatures[people, band * settings.rows : (band + 1) * settings.rows]
        bucket = np.unique(columns, axis=0, return_inverse=True)[1].reshape(-1)
        for pairs in _bucket_pairs(people, bucket, settings.bucket):
            share, first = _agreement(signatures, pairs, settings)
            looked += int(np.count_nonzero(first == band))
            kept.append(pairs[share >= floor])
        kept = [_distinct(kept)]
    pairs = _distinct(kept)
    return pairs, _agreement(signatures, pairs, settings)[0], looked


def verified_copies(
    pairs: Pairs,
    likely: NDArray[np.float64],
    keys_of: Callable[[int], Keys],
    settings: TwinSettings,
    looked: int | None = None,
) -> Found:
    """Verify likely copies on their runs of words, the likeliest first.

    Args:
        pairs: shape (pairs, 2).
        likely: the share of agreeing places, shape (pairs,).
        keys_of: place of a person -> the distinct keys of runs, sorted.
        settings: the limits.
        looked: how many pairs were candidates before; the number of ``pairs`` without it.
    """
    order = np.argsort(-likely, kind="stable")[: settings.most_pairs]
    chosen = pairs[np.sort(order)]
    similar = np.zeros(len(chosen))
    last, keys = -1, np.zeros(0, dtype=np.uint64)
    for at, (one, other) in enumerate(chosen.tolist()):
        # Pairs are sorted, so a person's runs are asked for once for all their pairs.
        if one != last:
            last, keys = one, keys_of(one)
        similar[at] = jaccard_of_keys(keys, keys_of(other))
    found = similar >= settings.jaccard
    told = len(pairs) if looked is None else looked
    return _ordered(chosen[found], similar[found], told, len(pairs) - len(chosen))


def lookalikes(means: NDArray[np.floating], settings: TwinSettings | None = None) -> Found:
    """Find people whose mean caption vectors deviate alike from the average person.

    Args:
        means: mean caption vectors, shape (people, dim); a zero row is nobody's twin.
        settings: the limits.

    >>> rows = np.eye(4)[[0, 1, 2, 0]]
    >>> lookalikes(rows).pairs.tolist()
    [[0, 3]]
    """
    known = settings or TwinSettings()
    people = np.flatnonzero(np.any(means != 0, axis=1))
    rows = unit_rows(means[people])
    if len(people) >= known.centre_from:
        rows = unit_rows(rows - rows.mean(axis=0))
    rows = rows.astype(np.float32)
    planes = stream(known.seed, "audit planes", means.shape[1]).numpy()
    weights = 1 << np.arange(known.bits, dtype=np.int64)
    kept, close, looked = [], [], 0
    buckets = np.zeros((len(people), known.tables), dtype=np.int64)
    for table in range(known.tables):
        sides = rows @ planes.standard_normal((rows.shape[1], known.bits), dtype=np.float32) > 0
        buckets[:, table] = sides @ weights
        for pairs in _bucket_pairs(np.arange(len(people)), buckets[:, table], known.bucket):
            earlier = buckets[pairs[:, 0], :table] == buckets[pairs[:, 1], :table]
            looked += int(np.count_nonzero(~earlier.any(axis=1)))
            cosine = np.einsum("ij,ij->i", rows[pairs[:, 0]], rows[pairs[:, 1]])
            kept.append(pairs[cosine >= known.cosine])
        kept = [_distinct(kept)]
    pairs = _distinct(kept)
    if len(pairs):
        exact = rows.astype(np.float64)
        for start in range(0, len(pairs), _CHUNK):
            part = pairs[start : start + _CHUNK]
            close.append(np.einsum("ij,ij->i", exact[part[:, 0]], exact[part[:, 1]]))
    cosine = np.concatenate(close) if close else np.zeros(0)
    found = _ordered(people[pairs].reshape(-1, 2), cosine, looked, 0)
    cut = known.most_pairs
    return Found(found.pairs[:cut], found.similarity[:cut], looked, max(len(pairs) - cut, 0))


def groups(pairs: Pairs) -> list[list[int]]:
    """Return the groups that pairs join together, largest first, then in order of place.

    >>> groups(np.array([[0, 3], [3, 5], [1, 2]]))
    [[0, 3, 5], [1, 2]]
    """
    head: dict[int, int] = {}

    def first(person: int) -> int:
        while head.setdefault(person, person) != person:
            head[person] = head[head[person]]
            person = head[person]
        return person

    for one, other in pairs.tolist():
        a, b = first(one), first(other)
        head[max(a, b)] = min(a, b)
    joined: dict[int, list[int]] = {}
    for person in sorted(head):
        joined.setdefault(first(person), []).append(person)
    return sorted(joined.values(), key=lambda group: (-len(group), group))


def _bucket_pairs(
    people: NDArray[np.int64], bucket: NDArray[np.int64], limit: int
) -> Iterator[Pairs]:
    """Yield the pairs of people who share a bucket, in pieces of bounded size."""
    order = np.argsort(bucket, kind="stable")
    _, starts, sizes = np.unique(bucket[order], return_index=True, return_counts=True)
    piece: list[Pairs] = []
    held = 0
    for start, size in zip(starts[sizes > 1].tolist(), sizes[sizes > 1].tolist(), strict=True):
        members = np.sort(people[order[start : start + size]])
        if size > limit:
            pairs = np.stack([members[:-1], members[1:]], axis=1)
        else:
            one, other = np.triu_indices(size, k=1)
            pairs = np.stack([members[one], members[other]], axis=1)
        piece.append(pairs)
        held += len(pairs)
        if held >= _CHUNK:
            yield np.concatenate(piece)
            piece, held = [], 0
    if piece:
        yield np.concatenate(piece)


def _agreement(
    signatures: NDArray[np.uint32], pairs: Pairs, settings: TwinSettings
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the share of agreeing places of each pair, and its first agreeing band."""
    share, first = np.zeros(len(pairs)), np.zeros(len(pairs), dtype=np.int64)
    for start in range(0, len(pairs), _CHUNK):
        part = pairs[start : start + _CHUNK]
        equal = signatures[part[:, 0]] == signatures[part[:, 1]]
        share[start : start + _CHUNK] = equal.mean(axis=1)
        bands = equal.reshape(len(part), settings.bands, settings.rows).all(axis=2)
        first[start : start + _CHUNK] = bands.argmax(axis=1)
    return share, first


def _distinct(pieces: Sequence[Pairs]) -> Pairs:
    filled = [piece for piece in pieces if len(piece)]
    if not filled:
        return np.zeros((0, 2), dtype=np.int64)
    return np.unique(np.concatenate(filled), axis=0)


def _ordered(pairs: Pairs, similarity: NDArray[np.float64], looked: int, left_out: int) -> Found:
    order = np.argsort(-similarity, kind="stable")
    return Found(pairs[order], similarity[order], looked, left_out)
