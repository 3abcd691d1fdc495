"""Whether one picture is another once more: same pixels, or the same look at a glance."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from eyeprint.records.pictures import Picture

HASH_SIDE, GLANCE_SIDE = 8, 32
FLAT = 3.0
"""Deviation of luma, in levels of 255, under which a picture shows nothing to compare."""


class Glance(NamedTuple):
    """What is kept of a picture to see whether another looks like it; about 4 KB."""

    sha256: str
    bits: NDArray[np.bool_]
    """Average hash, shape (64,): where the 8 × 8 luma lies above its mean."""
    luma: NDArray[np.float32]
    """32 × 32 luma without its mean, of length 1, shape (32, 32); zeros for a flat picture."""


def glance_at(picture: Picture) -> Glance:
    """Return the glance of a picture, whatever its size and shape.

    >>> glance_at(Picture.of(np.zeros((4, 4, 3), np.uint8))).luma.any()
    np.False_
    """
    image = Image.fromarray(picture.pixels).convert("L")
    small = np.asarray(image.resize((HASH_SIDE, HASH_SIDE), Image.Resampling.BOX), np.float32)
    seen = np.asarray(image.resize((GLANCE_SIDE, GLANCE_SIDE), Image.Resampling.BOX), np.float32)
    centred = seen - seen.mean()
    flat = float(seen.std()) < FLAT
    unit = np.zeros_like(centred) if flat else centred / np.linalg.norm(centred)
    return Glance(picture.sha256, (small > small.mean()).ravel(), unit)


def near_copy(
    first: Glance, second: Glance, most_bits: int = 10, least_correlation: float = 0.95
) -> str | None:
    """Say how the first picture is the second once more, or ``None``.

    "same pixels"; "looks alike": average hashes differ in at most ``most_bits`` of 64 places,
    and the small lumas correlate by at least ``least_correlation``, which a change of
    brightness, contrast, size or colour leaves high; "looks alike mirrored": the same of the
    first picture turned left to right. Flat pictures look like nothing.

    >>> rng = np.random.default_rng(1)
    >>> coarse = rng.integers(0, 200, (6, 6, 3), dtype=np.uint8)
    >>> one = np.kron(coarse, np.ones((20, 20, 1), np.uint8))
    >>> a, b, c = (glance_at(Picture.of(x)) for x in (one, one // 2 + 40, one[:, ::-1].copy()))
    >>> near_copy(a, a), near_copy(a, b), near_copy(a, c)
    ('same pixels', 'looks alike', 'looks alike mirrored')
    """
    if first.sha256 == second.sha256:
        return "same pixels"
    turned = first.bits.reshape(HASH_SIDE, HASH_SIDE)[:, ::-1].ravel()
    for bits, luma, words in (
        (first.bits, first.luma, "looks alike"),
        (turned, first.luma[:, ::-1], "looks alike mirrored"),
    ):
        apart = int((bits != second.bits).sum())
        if apart <= most_bits and float((luma * second.luma).sum()) >= least_correlation:
            return words
    return None
