"""Pictures that an encoder puts nearer together than it puts pictures of different people.

What strangers' pictures have in common says how near is near in an encoder: no cosine
means the same in two of them. The limit lies between the nearest strangers and identity.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from eyeprint.config import Settings
from eyeprint.models.kinds import Vectors
from eyeprint.people.leak_matching import Match

_BINS = 8192
_BLOCK = 1024


class NeighbourSettings(Settings):
    """From which cosine on two pictures are neighbours."""

    quantile: float = Field(default=0.999, gt=0, lt=1)
    """Of the cosines of pictures of different people: the near end of the strangers' band."""
    share: float = Field(default=0.25, gt=0, lt=1)
    """The limit leaves this share of the way from the band's end to identity."""
    least_pairs: int = Field(default=100, ge=1)
    """Pairs of strangers that a band takes; with fewer, embeddings say nothing."""


class Neighbours(NamedTuple):
    """The pairs found, and the limit they were found by."""

    matches: list[Match]
    limit: float | None
    """``None`` when there were too few strangers."""
    stranger_pairs: int


def neighbour_matches(
    vectors: Vectors,
    owners: Sequence[frozenset[str]],
    first: int,
    settings: NeighbourSettings | None = None,
) -> Neighbours:
    """Return the pairs beyond the strangers' band.

    Args:
        vectors: one row of length 1 for each picture; rows of zeros have no neighbour.
        owners: of the first ``first`` pictures, whose they are; two pictures are strangers
            when nobody owns both.
        first: how many pictures are the benchmark's.
        settings: the limit.
    """
    settings = settings or NeighbourSettings()
    mine = vectors[:first]
    people = {name: n for n, name in enumerate(sorted(set().union(*owners[:first])))}
    owned = np.zeros((first, len(people)), np.float32)
    for row, names in enumerate(owners[:first]):
        owned[row, [people[name] for name in names]] = 1
    counts = np.zeros(_BINS, np.int64)
    for start, likeness in _blocks(mine, mine):
        strangers = owned[start : start + len(likeness)] @ owned.T == 0
        strangers &= _after(start, likeness.shape)
        bins = ((np.clip(likeness[strangers], -1, 1) + 1) / 2 * (_BINS - 1)).astype(np.int64)
        counts += np.bincount(bins, minlength=_BINS)
    total = int(counts.sum())
    if total < settings.least_pairs:
        return Neighbours([], None, total)
    place = int(np.searchsorted(counts.cumsum(), settings.quantile * total))
    end = min(1.0, 2 * (place + 1) / (_BINS - 1) - 1)
    limit = 1 - settings.share * (1 - end)
    matches = []
    for start, likeness in _blocks(mine, vectors):
        near = (likeness >= limit) & _after(start, likeness.shape)
        for row, column in zip(*np.nonzero(near), strict=True):
            distance = max(0.0, 1 - float(likeness[row, column]))
            matches.append(Match(start + int(row), int(column), "embedding", distance))
    return Neighbours(matches, limit, total)


def _blocks(rows: Vectors, columns: Vectors) -> Iterator[tuple[int, NDArray[np.float32]]]:
    for start in range(0, len(rows), _BLOCK):
        yield start, rows[start : start + _BLOCK] @ columns.T


def _after(start: int, shape: tuple[int, ...]) -> NDArray[np.bool_]:
    """Return where the column's picture comes after the row's: each pair once."""
    return np.arange(shape[1])[None, :] > (start + np.arange(shape[0]))[:, None]
