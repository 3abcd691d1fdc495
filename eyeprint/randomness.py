"""Stable hashes, and one random stream per (run seed, step, item).

No draw in eyeprint comes from a shared stream or from Python's salted ``hash``:
a stream is keyed by what it is for, so a resumed run, a run with other workers
and a run over a subset of items all draw the same values for the same item
(CHECKLIST X6, V11). The algorithms below use only ``random.Random.random``,
whose values Python guarantees across versions, so that datasets keep their bytes.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    import numpy as np

T = TypeVar("T")


def stable_digest(*parts: object) -> bytes:
    """Return 32 bytes that depend on the parts' text and on nothing else.

    Each part is length-prefixed, so ``("ab", "c")`` and ``("a", "bc")`` differ.

    >>> stable_digest("ab", "c") != stable_digest("a", "bc")
    True
    """
    state = hashlib.sha256()
    for part in parts:
        text = str(part).encode()
        state.update(len(text).to_bytes(8, "little"))
        state.update(text)
    return state.digest()


def stable_hash(*parts: object) -> int:
    """Return a non-negative 64-bit integer that is the same in every process.

    >>> stable_hash("mini-03", 2)
    11834316890304907975
    """
    return int.from_bytes(stable_digest(*parts)[:8], "little")


class Stream:
    """A small random stream with exact, documented algorithms."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._source = random.Random(seed)
        self.random = self._source.random
        """``random()`` returns a float, uniform on [0, 1)."""

    def below(self, n: int) -> int:
        """Return an integer, uniform on 0 .. n-1."""
        return int(self.random() * n)

    def between(self, low: int, high: int) -> int:
        """Return an integer, uniform on low .. high, both included."""
        return low + int(self.random() * (high - low + 1))

    def pick(self, items: Sequence[T]) -> T:
        """Return one item, uniformly.

        >>> stream(7, "demo", 1).pick("abc") in "abc"
        True
        """
        if not items:
            raise IndexError("cannot pick from an empty sequence")
        return items[int(self.random() * len(items))]

    def weighted(self, items: Sequence[T], weights: Sequence[float]) -> T:
        """Return one item with probability in proportion to its weight."""
        mark = self.random() * sum(weights)
        for item, weight in zip(items, weights, strict=True):
            mark -= weight
            if mark < 0:
                return item
        return items[-1]

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """Return a new list in random order (Fisher–Yates, from the end)."""
        result = list(items)
        for i in range(len(result) - 1, 0, -1):
            j = int(self.random() * (i + 1))
            result[i], result[j] = result[j], result[i]
        return result

    def sample(self, items: Sequence[T], n: int) -> list[T]:
        """Return n distinct places' items in random order; all of them when n is larger."""
        pool = list(items)
        n = min(n, len(pool))
        for i in range(n):
            j = i + int(self.random() * (len(pool) - i))
            pool[i], pool[j] = pool[j], pool[i]
        return pool[:n]

    def numpy(self) -> np.random.Generator:
        """Return a NumPy generator keyed like this stream, for array draws."""
        import numpy

        return numpy.random.Generator(numpy.random.PCG64(self._seed))


def stream(run_seed: int, step: str, item_key: object) -> Stream:
    """Return the random stream of one item in one step of one run.

    >>> a = stream(7, "facets", "p-00001"); b = stream(7, "facets", "p-00001")
    >>> a.random() == b.random()
    True
    """
    return Stream(int.from_bytes(stable_digest(run_seed, step, item_key)[:16], "little"))
