"""The main colours of a picture: few groups of like pixels in CIELAB, with names and shares.

Pixels are counted in cells of CIELAB. The fullest cell starts a group, then the fullest one
far enough from all groups so far, and so on; a few rounds of k-means over the cells' means
settle the groups. No draw is made: the same pixels always give the same colours.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from eyeprint.maths.colour import Floats, chroma_of, rgb_of
from eyeprint.models.colour_names import Rgb, nearest_names
from eyeprint.records.pictures import Picture, Pixels

MOST_COLOURS = 6
LEAST_SHARE = 0.03
"""Groups with less of the picture are counted to the group nearest to them."""

_CELL = np.array([8.0, 10.0, 10.0])
_APART = 22.0
_ROUNDS = 6
_VIVID = 0.05
"""How much a unit of chroma counts above a gray one when groups are started: a small red
boat on a wide gray sea is a main colour of its picture."""


class MainColour(NamedTuple):
    """One colour of a picture."""

    name: str
    family: str
    """black, gray, white, red, pink, orange, yellow, brown, green, cyan, blue or purple."""
    rgb: Rgb
    share: float
    """Of the picture's area, (0, 1]."""


def reduced(picture: Picture, width: int, height: int) -> Pixels:
    """Return the picture's pixels at another size; each new pixel is the mean of its area.

    Pillow's box filter works in whole numbers, so that it is the same on every machine.
    """
    from PIL import Image

    if (picture.width, picture.height) == (width, height):
        return picture.pixels
    image = Image.fromarray(picture.pixels)
    return np.asarray(image.resize((width, height), Image.Resampling.BOX))


def main_colours(lab: Floats) -> tuple[MainColour, ...]:
    """Return up to :data:`MOST_COLOURS` colours, largest share first; shares sum to 1.

    Two groups of one name are told as one.

    Args:
        lab: CIELAB of the pixels, shape (n, 3).

    >>> from eyeprint.maths.colour import lab_of
    >>> half = np.zeros((8, 8, 3), np.uint8); half[:4] = 255
    >>> [(c.name, c.share) for c in main_colours(lab_of(half).reshape(-1, 3))]
    [('black', 0.5), ('white', 0.5)]
    """
    cells = np.floor(lab / _CELL).astype(np.int64) + 64
    keys = (cells[:, 0] * 128 + cells[:, 1]) * 128 + cells[:, 2]
    _, place, counts = np.unique(keys, return_inverse=True, return_counts=True)
    sums = [np.bincount(place, weights=lab[:, k], minlength=len(counts)) for k in range(3)]
    means = np.stack(sums, axis=1) / counts[:, None]
    shares = counts / counts.sum()
    centres = _settled(_starts(means, shares), means, shares)
    nearest = _nearest(means, centres)
    held = np.bincount(nearest, weights=shares, minlength=len(centres))
    kept = np.flatnonzero(held >= min(LEAST_SHARE, held.max()))
    nearest = _nearest(means, centres[kept])
    found: dict[str, MainColour] = {}
    held = np.bincount(nearest, weights=shares, minlength=len(kept))
    order = np.argsort(-held, kind="stable")
    pixels = rgb_of(centres[kept])
    for k in order.tolist():
        entry = nearest_names(centres[kept][k : k + 1])[0]
        rgb = (int(pixels[k, 0]), int(pixels[k, 1]), int(pixels[k, 2]))
        before = found.get(entry.name)
        share = float(held[k]) + (before.share if before else 0.0)
        found[entry.name] = MainColour(
            entry.name, entry.family, before.rgb if before else rgb, share
        )
    return tuple(sorted(found.values(), key=lambda colour: -colour.share))


def _starts(means: Floats, shares: Floats) -> Floats:
    """Return the means that groups start from: the fullest, each far from those before it."""
    fullness = shares * (1 + _VIVID * chroma_of(means))
    chosen: list[int] = []
    far = np.ones(len(means), dtype=bool)
    while far.any() and len(chosen) < MOST_COLOURS:
        best = int(np.where(far, fullness, -1.0).argmax())
        chosen.append(best)
        far &= ((means - means[best]) ** 2).sum(axis=1) > _APART**2
    return means[chosen]


def _nearest(means: Floats, centres: Floats) -> NDArray[np.intp]:
    apart = ((means[:, None] - centres[None]) ** 2).sum(axis=2)
    nearest: NDArray[np.intp] = apart.argmin(axis=1)
    return nearest


def _settled(centres: Floats, means: Floats, shares: Floats) -> Floats:
    """Return the centres after a few rounds of k-means; a group never becomes empty."""
    for _ in range(_ROUNDS):
        nearest = _nearest(means, centres)
        held = np.bincount(nearest, weights=shares, minlength=len(centres))
        full = held > 0
        moved = centres.copy()
        for k in range(3):
            sums = np.bincount(nearest, weights=shares * means[:, k], minlength=len(centres))
            moved[full, k] = sums[full] / held[full]
        centres = moved
    return centres


def at_most(picture: Picture, most: int) -> Pixels:
    """Return the pixels with the longer side reduced to ``most``; smaller pictures keep theirs."""
    longer = max(picture.width, picture.height)
    scale = min(1.0, most / longer)
    size = max(1, round(picture.width * scale)), max(1, round(picture.height * scale))
    return reduced(picture, *size)
