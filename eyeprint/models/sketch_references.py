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
from eyeprint.models.colour_names import Rgb
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
    looks = [_look(picture) for picture in references]
    for look in looks:
        for rgb, share in look.colours:
            shares[rgb] = shares.get(rgb, 0.0) + share
    largest = sorted(shares, key=lambda rgb: (-shares[rgb], rgb))[:_MOST_COLOURS]
    means = [sum(values) / len(looks) for values in zip(*(k.mean for k in looks), strict=True)]
    spreads = [sum(values) / len(looks) for values in zip(*(k.spread for k in looks), strict=True)]
    return Towards(
        palette=lab_of(np.array(largest, np.uint8)),
        mean=(means[0], means[1], means[2]),
        spread=(spreads[0], spreads[1], spreads[2]),
        grain=min(7.0, 40 * sum(look.texture for look in looks) / len(looks)),
        strength=strength,
    )


class _Look(NamedTuple):
    """One reference as it was read."""

    colours: tuple[tuple[Rgb, float], ...]
    mean: tuple[float, ...]
    spread: tuple[float, ...]
    texture: float


_LOOKS: dict[str, _Look] = {}
"""By pixel hash, so that no picture is kept alive by having been read."""
_LOOKS_KEPT = 4096


def _look(picture: Picture) -> _Look:
    """Read a picture, once: cases and methods share references."""
    found = _LOOKS.get(picture.sha256)
    if found is None:
        if len(_LOOKS) >= _LOOKS_KEPT:
            _LOOKS.clear()
        found = _LOOKS[picture.sha256] = _read(picture)
    return found


def _read(picture: Picture) -> _Look:
    reading = read_picture(picture)
    lab = lab_of(at_most(picture, _LONGER)).reshape(-1, 3)
    return _Look(
        colours=tuple((colour.rgb, colour.share) for colour in reading.colours),
        mean=tuple(lab.mean(axis=0).tolist()),
        spread=tuple(lab.std(axis=0).tolist()),
        texture=reading.texture,
    )
