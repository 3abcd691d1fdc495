"""What reference pictures ask of a sketch: their palette, light and surface, averaged.

The prompt decides what is shown. References decide how: with several of them, the means
of lightness, colour and their spreads are taken over pictures, each counting alike, and
their main colours are pooled.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from eyeprint.maths.colour import Floats, lab_of
from eyeprint.models.picture_colours import at_most
from eyeprint.models.picture_reading import read_picture
from eyeprint.records.pictures import Picture

_LONGER = 96
_MOST_COLOURS = 8


class Towards(NamedTuple):
    """Where a sketch is moved."""

    palette: Floats
    """CIELAB, shape (k, 3): main colours, largest first."""
    mean: tuple[float, float, float]
    """Mean L*, a*, b*."""
    spread: tuple[float, float, float]
    """Standard deviations of L*, a*, b*."""
    grain: float
    """Strength of the surface's grain, in 8-bit steps."""
    strength: float
    """0 leaves the sketch as it is, 1 takes it all the way."""


def towards(references: Sequence[Picture], strength: float) -> Towards:
    """Return what the references ask for.

    >>> red = Picture.of(np.full((8, 8, 3), (200, 40, 40), np.uint8))
    >>> asked = towards([red], 0.7)
    >>> asked.palette.shape, asked.mean[1] > 50
    ((1, 3), True)
    """
    shares: dict[tuple[int, int, int], float] = {}
    means, spreads, grains = [], [], []
    for picture in references:
        reading = read_picture(picture)
        for colour in reading.colours:
            shares[colour.rgb] = shares.get(colour.rgb, 0.0) + colour.share
        lab = lab_of(at_most(picture, _LONGER)).reshape(-1, 3)
        means.append(lab.mean(axis=0))
        spreads.append(lab.std(axis=0))
        grains.append(reading.texture)
    largest = sorted(shares, key=lambda rgb: (-shares[rgb], rgb))[:_MOST_COLOURS]
    mean, spread = np.mean(means, axis=0), np.mean(spreads, axis=0)
    return Towards(
        palette=lab_of(np.array(largest, np.uint8)),
        mean=(float(mean[0]), float(mean[1]), float(mean[2])),
        spread=(float(spread[0]), float(spread[1]), float(spread[2])),
        grain=min(7.0, 40 * float(np.mean(grains))),
        strength=strength,
    )
