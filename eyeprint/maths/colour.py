"""Colour as eyes measure it: sRGB to CIELAB and back, and how far two colours are apart.

CIELAB under D65 (2° observer): L* is lightness, 0 to 100; a* runs from green to red, b*
from blue to yellow, both within about ±110 for colours of a screen. Hue is the angle of
(a*, b*): red 40°, yellow 103°, green 136°, blue 306°. Chroma is its length: 0 for grays.

Source: CIE 15 (CIELAB), IEC 61966-2-1 (sRGB), CIE 142 and its numerical notes (CIEDE2000).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_TO_XYZ = np.array(
    [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ]
)
# The rows' sums: the white of a screen comes out as L* = 100, a* = b* = 0, exactly.
_WHITE = _TO_XYZ.sum(axis=1)
_TO_RELATIVE = _TO_XYZ / _WHITE[:, None]
_FROM_RELATIVE = np.linalg.inv(_TO_RELATIVE)
_DELTA = 6 / 29
_LEVELS = np.arange(256) / 255
_LINEAR = np.where(_LEVELS <= 0.04045, _LEVELS / 12.92, ((_LEVELS + 0.055) / 1.055) ** 2.4)


def lab_of(rgb: NDArray[np.uint8]) -> Floats:
    """Return CIELAB of 8-bit sRGB.

    Args:
        rgb: shape (..., 3), uint8.

    Returns:
        Shape (..., 3): L* in [0, 100], a* and b*.

    >>> lab_of(np.array([255, 0, 0], np.uint8)).round(1).tolist()
    [53.2, 80.1, 67.2]
    """
    linear = _LINEAR[rgb]
    # Written out: a product of matrices would start BLAS threads for three columns, and its
    # sums could differ from one machine to the next.
    red, green, blue = linear[..., 0], linear[..., 1], linear[..., 2]
    x, y, z = (
        _bent(row[0] * red + row[1] * green + row[2] * blue) for row in _TO_RELATIVE.tolist()
    )
    return np.stack([116 * y - 16, 500 * (x - y), 200 * (y - z)], axis=-1)


def lightness_of(rgb: NDArray[np.uint8]) -> Floats:
    """Return L* alone, in [0, 100]; a third of the work of :func:`lab_of`.

    Shape (..., 3) to (...).

    >>> float(lightness_of(np.array([119, 119, 119], np.uint8)).round(1))
    50.0
    """
    linear = _LINEAR[rgb]
    red, green, blue = _TO_RELATIVE[1].tolist()
    y = red * linear[..., 0] + green * linear[..., 1] + blue * linear[..., 2]
    return 116 * _bent(y) - 16


def _bent(share: Floats) -> Floats:
    small = share / (3 * _DELTA**2) + 4 / 29
    return np.where(share > _DELTA**3, np.cbrt(share), small)


def rgb_of(lab: Floats) -> NDArray[np.uint8]:
    """Return 8-bit sRGB of CIELAB; what a screen cannot show is clipped channel by channel.

    Args:
        lab: shape (..., 3).

    >>> rgb_of(lab_of(np.array([12, 200, 99], np.uint8))).tolist()
    [12, 200, 99]
    """
    lab = np.asarray(lab, dtype=np.float64)
    y = (lab[..., 0] + 16) / 116
    bent = np.stack([y + lab[..., 1] / 500, y, y - lab[..., 2] / 200], axis=-1)
    share = np.where(bent > _DELTA, bent**3, 3 * _DELTA**2 * (bent - 4 / 29))
    linear = np.clip(
        np.stack([(share * row).sum(axis=-1) for row in _FROM_RELATIVE], axis=-1), 0, 1
    )
    level = np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)
    rounded: NDArray[np.uint8] = np.rint(level * 255).astype(np.uint8)
    return rounded


def chroma_of(lab: Floats) -> Floats:
    """Return chroma, the distance from gray: 0 to about 134. Shape (..., 3) to (...).

    >>> float(chroma_of(np.array([50.0, 3.0, 4.0])))
    5.0
    """
    return np.hypot(lab[..., 1], lab[..., 2])


def hue_of(lab: Floats) -> Floats:
    """Return hue in degrees, [0, 360). Shape (..., 3) to (...); 0 for grays.

    >>> float(hue_of(np.array([50.0, 0.0, 4.0])))
    90.0
    """
    return np.degrees(np.arctan2(lab[..., 2], lab[..., 1])) % 360


def colour_difference(left: Floats, right: Floats) -> Floats:
    """Return CIEDE2000 between colours: 1 is just seen, above 20 is another colour.

    Args:
        left: CIELAB, shape (..., 3).
        right: CIELAB, of a shape that broadcasts with ``left``.

    Returns:
        Shape (...), 0 or more; symmetric, but for exactly opposite hues, where the formula jumps.

    >>> a, b = np.array([50.0, 2.5, 0.0]), np.array([50.0, 0.0, -2.5])
    >>> round(float(colour_difference(a, b)), 4)
    4.3065
    """
    left, right = np.broadcast_arrays(np.float64(left), np.float64(right))
    mean_chroma = (chroma_of(left) + chroma_of(right)) / 2
    # Near gray, a* is stretched: there eyes see small differences of it.
    stretch = 1.5 - 0.5 * np.sqrt(mean_chroma**7 / (mean_chroma**7 + 25.0**7))
    a1, a2 = left[..., 1] * stretch, right[..., 1] * stretch
    c1, c2 = np.hypot(a1, left[..., 2]), np.hypot(a2, right[..., 2])
    h1 = np.degrees(np.arctan2(left[..., 2], a1)) % 360
    h2 = np.degrees(np.arctan2(right[..., 2], a2)) % 360
    gray = c1 * c2 == 0
    turn = np.where(gray, 0, (h2 - h1 + 180) % 360 - 180)
    hue_step = 2 * np.sqrt(c1 * c2) * np.sin(np.radians(turn) / 2)
    mean_hue = np.where(gray, h1 + h2, h1 + turn / 2)
    mean_l, mean_c = (left[..., 0] + right[..., 0]) / 2, (c1 + c2) / 2
    weight = (
        1
        - 0.17 * np.cos(np.radians(mean_hue - 30))
        + 0.24 * np.cos(np.radians(2 * mean_hue))
        + 0.32 * np.cos(np.radians(3 * mean_hue + 6))
        - 0.20 * np.cos(np.radians(4 * mean_hue - 63))
    )
    middle = (mean_l - 50) ** 2
    step_l = (right[..., 0] - left[..., 0]) / (1 + 0.015 * middle / np.sqrt(20 + middle))
    step_c = (c2 - c1) / (1 + 0.045 * mean_c)
    step_h = hue_step / (1 + 0.015 * mean_c * weight)
    lean = 60 * np.exp(-(((mean_hue % 360 - 275) / 25) ** 2))
    return _leaning(step_l, step_c, step_h, mean_c, lean)


def _leaning(
    step_l: Floats, step_c: Floats, step_h: Floats, mean_c: Floats, lean: Floats
) -> Floats:
    """Return the length of the step, with the lean of ellipses in the blue taken in."""
    strength = 2 * np.sqrt(mean_c**7 / (mean_c**7 + 25.0**7))
    cross = -np.sin(np.radians(lean)) * strength * step_c * step_h
    length: Floats = np.sqrt(np.maximum(step_l**2 + step_c**2 + step_h**2 + cross, 0))
    return length
