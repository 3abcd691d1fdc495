"""What a person looks like to the VPTT score: basis, centroids, description, trigrams.

A space is built once per person and then scores any number of prompts. The lowest
level takes plain arrays, so that 10,000 persons can stream through without records.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from eyeprint.config import Settings
from eyeprint.maths.clusters import kmeans
from eyeprint.maths.diversity import unit_rows
from eyeprint.maths.ngrams import TrigramIndex, index_captions
from eyeprint.maths.subspace import RANK_TOLERANCE, inner_products, orthonormal_bases
from eyeprint.randomness import stream

NvPolicy = Literal["measured", "published_zero", "one", "skip"]
"""How NV is had: ``measured`` by trigrams; ``published_zero``, 0 whatever the prompt, as the
paper gives methods that never saw captions (V66); ``one``, the alternative to that; ``skip``
leaves NV and the score unscored and costs nothing (controls compare score-c only)."""
CHUNK = 256
"""Persons whose bases and clusters are computed together: memory, never the numbers."""


class VpttSettings(Settings):
    """Every choice behind the VPTT score; the defaults are the paper's where it says.

    >>> VpttSettings().weights
    (0.2, 0.3, 0.3, 0.2)
    """

    weights: tuple[float, float, float, float] = (0.2, 0.3, 0.3, 0.2)
    """Weights of PA, GS, CP, NV in the score; not negative, sum 1 (V64)."""
    rank_tolerance: float = Field(default=RANK_TOLERANCE, ge=0, lt=1)
    """A direction belongs to the basis above this share of the largest singular value (V59)."""
    basis_captions: Literal["all"] | int = "all"
    """"all" captions span the basis, or the first n with words (a gallery, V59). NV always
    looks at all captions: copying one outside the gallery is copying too."""
    clusters: int = Field(default=5, ge=1, le=1000)
    """Clusters of captions in CP; fewer when there are fewer distinct captions (V60)."""
    kmeans_starts: int = Field(default=4, ge=1)
    """k-means++ starts; the one with the least inertia counts."""
    kmeans_iterations: int = Field(default=100, ge=1)
    """Most Lloyd steps of a start."""
    kmeans_seed: int = 0
    """Together with the person's id, the seed of the starts; not the run's seed, so that
    two runs score a prompt alike."""
    min_trigram_words: int = Field(default=3, ge=3)
    """A prompt with fewer words has no NV (V62)."""
    unconditioned_methods: tuple[str, ...] = ("baseline", "persona_only")
    """Methods that never see captions and so cannot copy one (V66)."""
    nv_unconditioned: NvPolicy = "published_zero"
    """What NV such methods get; see :data:`NvPolicy`."""

    def nv_policy(self, method: str) -> NvPolicy:
        """Return the NV policy for a method's prompts.

        >>> VpttSettings().nv_policy("baseline"), VpttSettings().nv_policy("vprag")
        ('published_zero', 'measured')
        """
        unconditioned = method.strip().casefold() in self.unconditioned_methods
        return self.nv_unconditioned if unconditioned else "measured"

    @model_validator(mode="after")
    def _weights_and_gallery(self) -> VpttSettings:
        if min(self.weights) < 0 or abs(sum(self.weights) - 1) > 1e-9:
            raise ValueError("weights of PA, GS, CP, NV must not be negative and must sum to 1")
        if self.basis_captions != "all" and self.basis_captions < 1:
            raise ValueError('basis_captions is "all" or a number from 1 on')
        return self


@dataclass(frozen=True, eq=False)
class PersonArrays:
    """One person as plain arrays: what the score needs and nothing else."""

    id: str
    captions: NDArray[np.floating]
    """Caption vectors in post order, shape (n, d); zero rows are blank captions."""
    texts: Sequence[str]
    """The caption texts, n of them; may be empty when NV is not wanted."""
    description: NDArray[np.floating]
    """The vector that PA compares with, shape (d,); zero when there is no description."""

    def __post_init__(self) -> None:
        if self.captions.ndim != 2 or self.captions.shape[1:] != self.description.shape:
            raise ValueError(
                f"person '{self.id}': captions of shape {self.captions.shape} do not fit a "
                f"description of shape {self.description.shape}"
            )
        if self.texts and len(self.texts) != len(self.captions):
            raise ValueError(
                f"person '{self.id}': {len(self.texts)} caption texts, "
                f"but {len(self.captions)} caption vectors"
            )


@dataclass(frozen=True, eq=False)
class PersonSpace:
    """One person, ready to score prompts."""

    id: str
    basis: NDArray[np.float64] | None
    """Orthonormal rows, shape (rank, d), rank ≤ min(n, d); ``None`` without captions."""
    centroids: NDArray[np.float64] | None
    """Cluster means in basis coordinates, not re-normalised, shape (≤ clusters, rank)."""
    description: NDArray[np.float64] | None
    """Unit vector, shape (d,), or ``None``."""
    trigrams: TrigramIndex | None
    """Of all captions with words; ``None`` without captions, or when texts were not given."""
    captions: int
    """Captions with words."""

    @property
    def rank(self) -> int:
        """Number of independent directions of the captions; 0 without captions."""
        return 0 if self.basis is None else len(self.basis)


def build_space(person: PersonArrays, settings: VpttSettings | None = None) -> PersonSpace:
    """Build one person's space.

    >>> space = build_space(PersonArrays("p", np.eye(3), ["a b c", "d e f", "g"], np.ones(3)))
    >>> space.rank, space.centroids.shape
    (3, (3, 3))
    """
    return next(build_spaces([person], settings))


def build_spaces(
    persons: Iterable[PersonArrays], settings: VpttSettings | None = None, chunk: int = CHUNK
) -> Iterator[PersonSpace]:
    """Build spaces in order, ``chunk`` persons at a time; the numbers do not depend on it.

    Caption order does not matter either: clustering puts captions into an order of its
    own, made from their vectors.

    Raises:
        ValueError: shapes do not fit, or a vector holds NaN.
    """
    settings = settings or VpttSettings()
    source = iter(persons)
    while batch := list(islice(source, chunk)):
        yield from _build_chunk(batch, settings)


def _build_chunk(persons: list[PersonArrays], settings: VpttSettings) -> list[PersonSpace]:
    rows: dict[int, NDArray[np.float64]] = {}
    by_size: dict[tuple[int, ...], list[int]] = {}
    for place, person in enumerate(persons):
        vectors = unit_rows(_with_words(person.captions))
        if settings.basis_captions != "all":
            vectors = vectors[: settings.basis_captions]
        rows[place] = _in_own_order(vectors)
        by_size.setdefault(vectors.shape, []).append(place)
    shapes: dict[int, tuple[NDArray[np.float64], NDArray[np.float64]]] = {}
    for size, places in by_size.items():
        if size[0]:
            ids = [persons[place].id for place in places]
            stack = np.stack([rows[place] for place in places])
            shapes |= zip(places, _shapes(stack, ids, settings), strict=True)
    return [_space(person, shapes.get(place)) for place, person in enumerate(persons)]


def _shapes(
    stack: NDArray[np.float64], ids: Sequence[str], settings: VpttSettings
) -> list[tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """Return basis and centroids of persons with equally many captions."""
    bases = orthonormal_bases(stack, settings.rank_tolerance)
    by_rank: dict[int, list[int]] = {}
    for i, basis in enumerate(bases):
        by_rank.setdefault(len(basis), []).append(i)
    found: dict[int, NDArray[np.float64]] = {}
    shape = (settings.kmeans_starts, settings.clusters)
    for members in by_rank.values():
        points = inner_products(stack[members], np.stack([bases[i] for i in members]))
        draws = np.stack(
            [
                stream(settings.kmeans_seed, "caption-clusters", ids[i]).numpy().random(shape)
                for i in members
            ]
        )
        for i, centres in zip(
            members, kmeans(points, draws, settings.kmeans_iterations).centres, strict=True
        ):
            found[i] = centres[np.isfinite(centres).all(axis=1)]
    return [(basis, found[i]) for i, basis in enumerate(bases)]


def _space(
    person: PersonArrays, shape: tuple[NDArray[np.float64], NDArray[np.float64]] | None
) -> PersonSpace:
    has_words = np.any(np.asarray(person.captions) != 0, axis=1)
    about = unit_rows(np.asarray(person.description)[None])[0]
    trigrams = None
    if person.texts and has_words.any():
        trigrams = index_captions(
            [text for text, has in zip(person.texts, has_words, strict=True) if has]
        )
    return PersonSpace(
        id=person.id,
        basis=shape[0] if shape else None,
        centroids=shape[1] if shape else None,
        description=about if np.any(about) else None,
        trigrams=trigrams,
        captions=int(has_words.sum()),
    )


def _with_words(captions: NDArray[np.floating]) -> NDArray[np.floating]:
    return captions[np.any(np.asarray(captions) != 0, axis=1)]


def _in_own_order(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    # The first coordinates decide between different captions; ties are equal captions
    # in practice, and their order does not matter.
    keys = vectors[:, :4].T[::-1]
    return vectors[np.lexsort(keys)] if keys.size else vectors
