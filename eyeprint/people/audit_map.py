"""t-SNE maps of people, as coordinates (CHECKLIST V23, Figs. 10-11)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from eyeprint.config import Settings
from eyeprint.errors import MissingExtra
from eyeprint.randomness import stream

LEAST_POINTS = 5
"""Fewer people make no map."""


class MapSettings(Settings):
    """How the maps are drawn; the paper prints no setting of its own (V23)."""

    n_tsne: int = Field(default=1000, ge=0)
    """People on a map: the first so many. 0 draws none."""
    perplexity: float = Field(default=30, gt=0)
    """Lowered to (points - 1) / 3 when there are fewer."""
    seed: int = 7
    kinds: int = Field(default=9, ge=1)
    """Groups with their own colour; the rest are "other"."""


def tsne(vectors: NDArray[np.floating], settings: MapSettings) -> NDArray[np.float64]:
    """Return t-SNE coordinates, shape (n, 2), scaled to 0..1 in both directions.

    Started from the principal components, so that a run depends on the seed as little as
    can be; cosine distance, which is what the vectors are made for. Distances between
    far groups of such a map mean nothing.

    Args:
        vectors: shape (n, dim), n at least :data:`LEAST_POINTS`.
        settings: perplexity and seed.

    Raises:
        MissingExtra: scikit-learn is not installed.
        ValueError: too few rows.
    """
    if len(vectors) < LEAST_POINTS:
        raise ValueError(f"a map needs at least {LEAST_POINTS} people, and has {len(vectors)}")
    try:
        from sklearn.manifold import TSNE
        from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]
    except ImportError as error:
        raise MissingExtra("the t-SNE picture", "scikit-learn", "audit") from error
    rows = np.asarray(vectors, dtype=np.float64)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    # On unit rows the squared Euclidean distance is twice the cosine distance, and
    # "euclidean" allows the fast start from principal components.
    rows = rows / np.where(lengths > 0, lengths, 1)
    # One thread: on a busy machine the threads of t-SNE wait for each other most of the
    # time, and a thousand points take it a few seconds anyway.
    with threadpool_limits(limits=1):
        model = TSNE(
            n_components=2,
            perplexity=min(settings.perplexity, (len(rows) - 1) / 3),
            init=_principal(rows, settings.seed),
            random_state=settings.seed,
            method="barnes_hut" if len(rows) > 50 else "exact",
        )
        placed = np.asarray(model.fit_transform(rows), dtype=np.float64)
    low, high = placed.min(axis=0), placed.max(axis=0)
    scaled: NDArray[np.float64] = (placed - low) / np.where(high > low, high - low, 1)
    return scaled


def _principal(rows: NDArray[np.float64], seed: int) -> NDArray[np.float32]:
    """Return the first two principal components, small, as t-SNE wants them to start.

    Rows that are all equal have none; they start at random instead.
    """
    left, sizes, right = np.linalg.svd(rows - rows.mean(axis=0), full_matrices=False)
    left, sizes, right = left[:, :2], sizes[:2], right[:2]
    # A component may point either way: its largest weight is made positive.
    turn = np.sign(right[np.arange(len(right)), np.abs(right).argmax(axis=1)])
    placed = left * sizes * np.where(turn == 0, 1, turn)
    spread = placed[:, 0].std() if placed.shape[1] == 2 else 0.0
    if spread < 1e-9:
        draws = stream(seed, "audit map", len(rows)).numpy()
        placed, spread = draws.standard_normal((len(rows), 2)), 1.0
    return np.asarray(placed / spread * 1e-4, dtype=np.float32)


def coloured(labels: list[str], most: int) -> list[str]:
    """Return the labels with all but the ``most`` frequent ones replaced by "other".

    >>> coloured(["a", "a", "b", "c", "c", ""], 2)
    ['a', 'a', 'other', 'c', 'c', 'unknown']
    """
    told = [label or "unknown" for label in labels]
    counts = {label: told.count(label) for label in dict.fromkeys(told) if label != "unknown"}
    kept = set(sorted(counts, key=lambda label: (-counts[label], label))[:most])
    return [label if label in kept or label == "unknown" else "other" for label in told]
