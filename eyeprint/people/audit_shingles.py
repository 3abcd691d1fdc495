"""Runs of words of many people as 64-bit keys, and MinHash signatures of them.

A word becomes a 64-bit number by a stable hash, a run of words a mix of its numbers, so
that the keys of different people compare, in any process. Two different runs of a
collection of 50 million share a key with a probability below 1e-4: counts made of keys
are exact for every purpose here.

A signature holds, for each of many hash functions, the least value over a person's
keys. Two people agree in one place of it with probability J, the Jaccard similarity
of their sets of runs (Broder 1997), whatever the sizes of the sets.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eyeprint.maths.ngrams import words
from eyeprint.randomness import stream

Keys = NDArray[np.uint64]

_MOST_WORDS = 1 << 21
# 126 hash functions of so many keys stay in the processor's cache: four times as fast.
_BLOCK = 256
_ODD = np.uint64(0x9E3779B97F4A7C15)


class _WordNumbers(dict[str, int]):
    """Word -> stable 64-bit number; what was hashed is kept, up to two million words."""

    def __missing__(self, word: str) -> int:
        if len(self) >= _MOST_WORDS:
            self.clear()
        number = text_key(word)
        self[word] = number
        return number


_WORD_NUMBERS = _WordNumbers()


def text_key(text: str) -> int:
    """Return a stable 64-bit number of a text.

    >>> text_key("door") == text_key("door") != text_key("doors")
    True
    """
    raw = text.encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(raw, digest_size=8).digest(), "little")


@dataclass(frozen=True, eq=False)
class WordRuns:
    """The words of some captions as numbers, read once and cut in several ways."""

    numbers: Keys
    """All captions' words, one after the other, shape (words,)."""
    owners: NDArray[np.int32]
    """Which caption each word belongs to, shape (words,), ascending."""
    wordings: tuple[bytes, ...]
    """16 bytes per caption: equal when two captions are equal word for word, without
    regard to case and punctuation; empty for a caption without words."""

    def keys(self, length: int) -> tuple[Keys, NDArray[np.int32]]:
        """Return the keys of all runs of ``length`` words within a caption, and their owners."""
        n = len(self.numbers) - length + 1
        if n < 1:
            return np.zeros(0, dtype=np.uint64), np.zeros(0, dtype=np.int32)
        keys = self.numbers[:n]
        for step in range(1, length):
            keys = _mixed(keys * _ODD + self.numbers[step : step + n])
        whole = self.owners[:n] == self.owners[length - 1 :]
        return keys[whole], self.owners[:n][whole]

    def union(self, length: int) -> Keys:
        """Return the distinct keys of runs of ``length`` words over all captions, sorted."""
        return np.unique(self.keys(length)[0])


def word_runs(captions: Sequence[str]) -> WordRuns:
    """Read captions as words (:func:`eyeprint.maths.ngrams.words`).

    >>> word_runs(["One cup."]).wordings == word_runs(["one CUP"]).wordings
    True
    >>> len(word_runs(["a red door, a red door"]).union(3))
    3
    """
    flat: list[int] = []
    ends, wordings = [0], []
    number = _WORD_NUMBERS.__getitem__
    for caption in captions:
        run = words(caption)
        flat.extend(map(number, run))
        ends.append(len(flat))
        told = " ".join(run).encode("utf-8", "surrogatepass")
        wordings.append(hashlib.blake2b(told, digest_size=16).digest() if run else b"")
    owners = np.repeat(np.arange(len(captions), dtype=np.int32), np.diff(ends))
    numbers = np.fromiter(flat, dtype=np.uint64, count=len(flat))
    return WordRuns(numbers, owners, tuple(wordings))


@dataclass(frozen=True, eq=False)
class Shingles:
    """The word trigrams of some captions, each caption's set without repeats."""

    keys: Keys
    """All captions' distinct trigrams, sorted within a caption, shape (t,)."""
    owners: NDArray[np.int32]
    """Which caption each key belongs to, shape (t,), ascending."""
    captions: int
    """Number of captions, those under three words included."""

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Distinct trigrams per caption, shape (captions,)."""
        return np.bincount(self.owners, minlength=self.captions).astype(np.int64)


def trigrams(runs: WordRuns) -> Shingles:
    """Cut captions into word trigrams, each caption's without repeats.

    >>> found = trigrams(word_runs(["A red door, a red door", "Red!"]))
    >>> found.sizes.tolist(), found.captions
    ([3, 0], 2)
    """
    keys, owners = runs.keys(3)
    order = np.lexsort((keys, owners))
    keys, owners = keys[order], owners[order]
    fresh = np.ones(len(keys), dtype=bool)
    fresh[1:] = (keys[1:] != keys[:-1]) | (owners[1:] != owners[:-1])
    return Shingles(keys[fresh], owners[fresh], len(runs.wordings))


def _mixed(values: Keys) -> Keys:
    """Spread every bit over the whole number (the finaliser of splitmix64)."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


def jaccard_of_keys(left: Keys, right: Keys) -> float:
    """Return |A ∩ B| / |A ∪ B| of two sorted arrays without repeats; 0 when both are empty.

    Empty sets count as unlike here: two people without text are not twins.

    >>> jaccard_of_keys(np.array([1, 2, 3], np.uint64), np.array([2, 3, 4], np.uint64))
    0.5
    """
    both = np.intersect1d(left, right, assume_unique=True).size
    union = left.size + right.size - both
    return both / union if union else 0.0


class MinHash:
    """A family of ``size`` hash functions, the same for the same seed.

    Multiply-shift over keys that are well mixed already: (a·x + b) mod 2^64, its upper
    32 bits, with a odd.
    """

    def __init__(self, size: int, seed: int = 7) -> None:
        draws = stream(seed, "audit minhash", size).numpy()
        bounds = np.iinfo(np.uint64)
        self._a = draws.integers(0, bounds.max, (size, 1), dtype=np.uint64) | np.uint64(1)
        self._b = draws.integers(0, bounds.max, (size, 1), dtype=np.uint64)
        self.size = size

    def signature(self, keys: Keys) -> NDArray[np.uint32]:
        """Return the signature of a set of keys, shape (size,); all ones for an empty set.

        >>> family = MinHash(8)
        >>> keys = np.array([5, 9, 12], np.uint64)
        >>> bool((family.signature(keys) == family.signature(keys[::-1])).all())
        True
        """
        least = np.full(self.size, np.iinfo(np.uint64).max, dtype=np.uint64)
        for start in range(0, len(keys), _BLOCK):
            block = keys[None, start : start + _BLOCK]
            np.minimum(least, (self._a * block + self._b).min(axis=1), out=least)
        return (least >> np.uint64(32)).astype(np.uint32)


def shared_trigrams(found: Shingles) -> tuple[NDArray[np.int64], NDArray[np.int64], Keys]:
    """Return the pairs of captions of one person that share trigrams, and how many.

    Only keys that two captions have are looked at, so the work follows what is shared.

    Returns:
        (left, right, shared): left < right are places of captions; shape (pairs,) each.

    >>> found = trigrams(word_runs(["a red door here", "old", "a red door there"]))
    >>> [part.tolist() for part in shared_trigrams(found)]
    [[0], [2], [1]]
    """
    from scipy import sparse

    distinct, places, counts = np.unique(found.keys, return_inverse=True, return_counts=True)
    kept = counts[places] > 1
    columns = np.cumsum(counts > 1)[places[kept]] - 1
    shape = (found.captions, int(np.count_nonzero(counts > 1)))
    ones = np.ones(int(kept.sum()), dtype=np.int64)
    held = sparse.csr_array((ones, (found.owners[kept], columns)), shape=shape)
    pairs = sparse.triu(held @ held.T, k=1).tocoo()
    del distinct
    order = np.lexsort((pairs.col, pairs.row))
    return (
        pairs.row[order].astype(np.int64),
        pairs.col[order].astype(np.int64),
        pairs.data[order].astype(np.uint64),
    )
