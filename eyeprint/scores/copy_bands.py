"""How near real pictures are to each other, within one person and between strangers.

What a score of an output against its references means depends on how near real pictures
of one person come to each other anyway. Two bands per metric tell it:

- real-real: pairs of distinct pictures of one person;
- stranger-stranger: pairs of pictures of two different people.

They work for any encoder (cosine × 100) and for a distance such as LPIPS.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from eyeprint.config import Settings
from eyeprint.maths.effects import average_ranks
from eyeprint.models.kinds import ImageEncoder
from eyeprint.randomness import Stream, stream
from eyeprint.records.pictures import Picture, distinct
from eyeprint.records.work import Work
from eyeprint.scores.image_columns import Direction
from eyeprint.scores.image_settings import PictureDistance, PictureRows

Pair = tuple[Picture, Picture]
MOST_REFERENCES = 10
"""Thresholds are given for up to so many references; cases have 2 to 5 (P44)."""


class Nearness(Protocol):
    """A metric on pairs of pictures."""

    @property
    def metric(self) -> str:
        """The prefix of its columns: CLS, DIS, LPIPS, PAL ..."""
        ...

    @property
    def nearer(self) -> Direction:
        """Whether higher or lower values are nearer."""
        ...

    def values(self, pairs: Sequence[Pair]) -> NDArray[np.float64]:
        """Return the value of each pair, shape (n,)."""
        ...


class EncoderNearness:
    """Cosines × 100 in one encoder, each distinct picture encoded once; higher is nearer.

    Args:
        encoder: names the metric by its ``column``.
        source: the encoder's rows, as the image scorer uses them.
    """

    nearer: Direction = "higher"

    def __init__(self, encoder: ImageEncoder, source: PictureRows) -> None:
        self.metric = encoder.column
        self._source = source

    def values(self, pairs: Sequence[Pair]) -> NDArray[np.float64]:
        """Return 100 · cos of each pair, shape (n,), in [-100, 100]."""
        if not pairs:
            return np.zeros(0)
        left, right = (self._source.rows(side) for side in zip(*pairs, strict=True))
        cosines: NDArray[np.float64] = np.einsum("nd,nd->n", left, right, dtype=np.float64)
        return 100 * cosines


class DistanceNearness:
    """A picture distance such as LPIPS; lower is nearer."""

    nearer: Direction = "lower"

    def __init__(self, distance: PictureDistance) -> None:
        self.metric = distance.column
        self._distance = distance

    def values(self, pairs: Sequence[Pair]) -> NDArray[np.float64]:
        """Return the distance of each pair, shape (n,); the first picture is the reference."""
        if not pairs:
            return np.zeros(0)
        left, right = (list(side) for side in zip(*pairs, strict=True))
        return self._distance.distances(left, right)


class BandSettings(Settings):
    """How bands are made."""

    quantile: float = Field(default=0.99, gt=0.5, le=1)
    """Nearer than this share of the pairs of one person's real pictures is suspicious."""
    per_output: bool = True
    """Whether the share is of outputs rather than of pairs: the nearest of K references is
    compared with the quantile ``quantile ** (1 / K)``, so that a real picture would be flagged
    with the chance 1 - quantile however many references there are (were they independent)."""
    pairs: int = Field(default=2000, ge=1)
    """Most pairs of each band; more are sampled down. LPIPS wants a few hundred: it takes a
    pass through a network for every picture of a pair."""
    few: int = Field(default=200, ge=1)
    """A band of fewer pairs is told to rest on too few."""
    seed: int = 0
    """Of the sampling."""


class Band(Work):
    """The values of one kind of pairs."""

    pairs: int
    persons: int
    """Persons whose pictures take part."""
    low: float | None
    """The 5 % quantile; ``None`` without pairs."""
    median: float | None
    high: float | None
    """The 95 % quantile."""
    few: str | None
    """In words, when the band rests on too few pairs."""


class Bands(Work):
    """Both bands of one metric."""

    metric: str
    nearer: Direction
    real: Band
    strangers: Band
    thresholds: tuple[float, ...]
    """Place K - 1: the nearest of K references is suspicious when its value is nearer than
    this; more references than places take the last. Empty without pairs."""
    separation: float | None
    """Probability that a pair of one person is nearer than a pair of strangers, ties half:
    0.5 says that the metric cannot tell people apart."""

    def threshold(self, references: int) -> float | None:
        """Return the threshold for the nearest of so many references, or ``None``."""
        if not self.thresholds or references < 1:
            return None
        return self.thresholds[min(references, len(self.thresholds)) - 1]


def copy_bands(
    nearness: Nearness,
    persons: Mapping[str, Sequence[Picture]],
    settings: BandSettings | None = None,
) -> Bands:
    """Make the bands of a metric from people's real pictures.

    A picture that occurs twice with one person counts once; a pair of strangers who share a
    picture is no pair of that picture.

    >>> from eyeprint.models.palette import PaletteEncoder
    >>> from eyeprint.store.picture_vectors import PictureVectors
    >>> encoder = PaletteEncoder()
    >>> def plain(*rgb): return Picture.of(np.full((8, 8, 3), rgb, np.uint8))
    >>> people = {"a": [plain(200, 60, 50), plain(215, 80, 60)], "b": [plain(30, 60, 160)]}
    >>> bands = copy_bands(EncoderNearness(encoder, PictureVectors(None, encoder)), people)
    >>> bands.real.pairs, bands.strangers.pairs, bands.separation, bands.real.few
    (1, 2, 1.0, 'rests on 1 pair, and 200 are asked for')
    """
    settings = settings or BandSettings()
    pools = {name: distinct(pictures) for name, pictures in sorted(persons.items())}
    inside = _inside(pools, settings.pairs, stream(settings.seed, "copy-bands", "real"))
    between = _between(pools, settings.pairs, stream(settings.seed, "copy-bands", "strangers"))
    real, far = (nearness.values([pair for _, pair in pairs]) for pairs in (inside, between))
    return Bands(
        metric=nearness.metric,
        nearer=nearness.nearer,
        real=_band(real, len({names for names, _ in inside}), settings.few),
        strangers=_band(far, len({n for names, _ in between for n in names}), settings.few),
        thresholds=_thresholds(real, nearness.nearer, settings),
        separation=_separation(real, far, nearness.nearer),
    )


def _thresholds(
    real: NDArray[np.float64], nearer: Direction, settings: BandSettings
) -> tuple[float, ...]:
    if not real.size:
        return ()
    counts = np.arange(1, MOST_REFERENCES + 1) if settings.per_output else np.ones(1)
    share = settings.quantile ** (1 / counts)
    near = share if nearer == "higher" else 1 - share
    return tuple(np.quantile(real, near).tolist())


def _inside(
    pools: Mapping[str, list[Picture]], most: int, draws: Stream
) -> list[tuple[tuple[str, ...], Pair]]:
    """Return pairs of one person, all of them or a sample, in order of person."""
    spots = [
        (name, i, j)
        for name, pool in pools.items()
        for i in range(len(pool))
        for j in range(i + 1, len(pool))
    ]
    kept = sorted(draws.sample(range(len(spots)), most)) if len(spots) > most else range(len(spots))
    chosen = [spots[k] for k in kept]
    return [((name,), (pools[name][i], pools[name][j])) for name, i, j in chosen]


def _between(
    pools: Mapping[str, list[Picture]], most: int, draws: Stream
) -> list[tuple[tuple[str, ...], Pair]]:
    """Return pairs of two people, all of them or a sample, in order of the first person."""
    owners = [(name, picture) for name, pool in pools.items() for picture in pool]
    total = (len(owners) ** 2 - sum(len(pool) ** 2 for pool in pools.values())) // 2
    spots: set[tuple[int, int]] = set()
    if total <= 4 * most:
        every = [
            (i, j)
            for i in range(len(owners))
            for j in range(i + 1, len(owners))
            if owners[i][0] != owners[j][0]
        ]
        spots = set(draws.sample(every, most))
    while total > 4 * most and len(spots) < most:
        # Every pair of strangers is drawn with equal chance; at most a quarter of them is
        # wanted, so that repeats are rare.
        i, j = sorted((draws.below(len(owners)), draws.below(len(owners))))
        if owners[i][0] != owners[j][0]:
            spots.add((i, j))
    return [
        ((owners[i][0], owners[j][0]), (owners[i][1], owners[j][1]))
        for i, j in sorted(spots)
        if owners[i][1] != owners[j][1]
    ]


def _band(values: NDArray[np.float64], persons: int, few: int) -> Band:
    n = len(values)
    marks = np.quantile(values, [0.05, 0.5, 0.95]).tolist() if n else [None] * 3
    words = f"rests on {n} pair{'' if n == 1 else 's'}, and {few} are asked for"
    return Band(
        pairs=n,
        persons=persons,
        low=marks[0],
        median=marks[1],
        high=marks[2],
        few=words if n < few else None,
    )


def _separation(
    real: NDArray[np.float64], far: NDArray[np.float64], nearer: Direction
) -> float | None:
    if not real.size or not far.size:
        return None
    ranks = average_ranks(np.concatenate([real, far]))[: real.size]
    share = (ranks.sum() - real.size * (real.size + 1) / 2) / (real.size * far.size)
    return float(share if nearer == "higher" else 1 - share)
