"""The image encoder ``palette``: colour, edges and layout as one unit vector, without weights.

A picture is reduced to 64 x 64 pixels (means of areas) and described by three blocks:

- colour: how much of it lies near each of 6 x 9 x 9 points of CIELAB; every pixel is shared
  out between the eight points around it; then square roots, so that a product of two
  pictures is their Bhattacharyya coefficient;
- edges: in 3 x 3 cells, how much step of lightness runs each of 8 ways, shared out between
  neighbouring ways, beside how much is without a step; then square roots;
- layout: mean CIELAB of 4 x 4 cells.

From each block a fixed reference is taken away, the block of an average picture: its pixels
are spread as :class:`PaletteSettings` says, its edges are alike in all cells and ways. So
unrelated pictures come out near 0 rather than near 1. With blocks b_k, references m_k and
weights w_k, which are made to sum to 1::

    v = (√w_k · (b_k - m_k) / ‖b_k - m_k‖)_k        cos(v, v') = Σ_k w_k cos_k

A cosine lies between -1 and 1 and is 1 for equal pictures. Paintings and photographs that
have nothing to do with each other lie mostly within -0.1 and 0.5; those of one palette and
light above 0.5; a picture and its mirror image above 0.7. It knows looks, not things: its
columns are called PAL, never CLS or DIS (CHECKLIST X3, P46).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import erf, sqrt

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from eyeprint.config import Settings, fingerprint_of
from eyeprint.maths.colour import Floats, lab_of
from eyeprint.models.kinds import Vectors
from eyeprint.models.picture_colours import reduced
from eyeprint.records.pictures import Picture, Pixels

SIDE = 64
"""Pixels on a side after reduction; the shape of a picture is not kept."""
LIGHTNESS_POINTS = np.array([0.0, 20.0, 40.0, 60.0, 80.0, 100.0])
COLOUR_POINTS = np.array([-80.0, -50.0, -30.0, -14.0, 0.0, 14.0, 30.0, 50.0, 80.0])
"""Of a* and of b*, closer together near gray; colours beyond the ends count to the ends."""
EDGE_CELLS, WAYS, LAYOUT_CELLS = 3, 8, 4

_RECIPE = 1
"""Counted up when the same settings come to mean other vectors."""
_AT_ONCE = 32


class PaletteSettings(Settings):
    """Weights of the blocks, and the average picture that is taken away."""

    colour_weight: float = Field(default=0.50, ge=0)
    edge_weight: float = Field(default=0.20, ge=0)
    layout_weight: float = Field(default=0.30, gt=0)
    mean_lab: tuple[float, float, float] = (50.0, 3.0, 6.0)
    """CIELAB of the average picture: mid-gray, a little warm."""
    spread_lab: tuple[float, float, float] = (24.0, 16.0, 20.0)
    """Standard deviation of its pixels along L*, a* and b*."""
    quiet_share: float = Field(default=0.60, ge=0, le=1)
    """Share of it without any edge."""
    edge_scale: float = Field(default=12.0, gt=0)
    """A step of this many L* per pixel counts as wholly an edge; smaller ones in proportion."""


class PaletteEncoder:
    """The encoder ``palette``; safe to share between threads, for it keeps nothing.

    >>> encoder = PaletteEncoder()
    >>> shades = [(200, 60, 50), (215, 80, 60), (30, 60, 160)]
    >>> red, coral, blue = encoder.encode_pictures(
    ...     [Picture.of(np.full((8, 8, 3), rgb, np.uint8)) for rgb in shades])
    >>> bool(red @ coral > 0.9 and red @ blue < 0.5), encoder.column
    (True, 'PAL')
    """

    name = "palette"
    column = "PAL"

    def __init__(self, settings: PaletteSettings | None = None) -> None:
        self.settings = settings or PaletteSettings()

    @property
    def fingerprint(self) -> str:
        """SHA-256 over recipe and settings."""
        return fingerprint_of(
            {"encoder": "palette", "recipe": _RECIPE, "settings": self.settings.model_dump()}
        )

    @property
    def dim(self) -> int:
        """Length of a vector."""
        colours = len(LIGHTNESS_POINTS) * len(COLOUR_POINTS) ** 2
        return colours + EDGE_CELLS**2 * (WAYS + 1) + LAYOUT_CELLS**2 * 3

    def encode_pictures(self, pictures: Sequence[Picture]) -> Vectors:
        """Encode: row i belongs to picture i; shape (n, dim), rows of length 1.

        A row depends on its picture alone, not on the pictures beside it.
        """
        rows = np.empty((len(pictures), self.dim), dtype=np.float32)
        for start in range(0, len(pictures), _AT_ONCE):
            part = pictures[start : start + _AT_ONCE]
            rows[start : start + len(part)] = self._encoded(
                np.stack([reduced(picture, SIDE, SIDE) for picture in part])
            )
        return rows

    def _encoded(self, pixels: Pixels) -> Vectors:
        chosen = self.settings
        lab = lab_of(pixels)
        weights = np.array([chosen.colour_weight, chosen.edge_weight, chosen.layout_weight])
        blocks = (
            np.sqrt(colour_shares(lab)) - np.sqrt(_reference_colours(chosen)),
            np.sqrt(edge_shares(lab[..., 0], chosen.edge_scale))
            - np.sqrt(_reference_edges(chosen)),
            (cell_means(lab, LAYOUT_CELLS) - np.array(chosen.mean_lab)).reshape(len(lab), -1) / 100,
        )
        parts = [
            np.sqrt(weight) * _unit(block)
            for weight, block in zip(weights / weights.sum(), blocks, strict=True)
        ]
        return _unit(np.concatenate(parts, axis=1)).astype(np.float32)


def shared_out(values: Floats, points: Floats) -> tuple[NDArray[np.intp], Floats]:
    """Return, for each value, the point below it and the share that goes to the one above.

    Values beyond the ends belong wholly to the end points.

    >>> below, above = shared_out(np.array([-9.0, 0.25, 9.0]), np.array([0.0, 1.0, 3.0]))
    >>> below.tolist(), above.tolist()
    ([0, 0, 1], [0.0, 0.25, 1.0])
    """
    held = np.clip(values, points[0], points[-1])
    below = np.clip(np.searchsorted(points, held, side="right") - 1, 0, len(points) - 2)
    return below, (held - points[below]) / np.diff(points)[below]


def colour_shares(lab: Floats) -> Floats:
    """Return each picture's shares of the points of CIELAB.

    Args:
        lab: shape (n, h, w, 3).

    Returns:
        Shape (n, 486), rows that sum to 1; order L*, a*, b*, the last one fastest.
    """
    count, size = len(lab), len(COLOUR_POINTS)
    total = len(LIGHTNESS_POINTS) * size * size
    flat = lab.reshape(count, -1, 3)
    (l0, lw), (a0, aw), (b0, bw) = (
        shared_out(flat[..., k], points)
        for k, points in enumerate((LIGHTNESS_POINTS, COLOUR_POINTS, COLOUR_POINTS))
    )
    start = np.arange(count)[:, None] * total + (l0 * size + a0) * size + b0
    found = np.zeros(count * total)
    for dl in (0, 1):
        for da in (0, 1):
            share = (lw if dl else 1 - lw) * (aw if da else 1 - aw)
            corner = start + (dl * size + da) * size
            for db in (0, 1):
                found += np.bincount(
                    (corner + db).ravel(),
                    weights=(share * (bw if db else 1 - bw)).ravel(),
                    minlength=count * total,
                )
    return found.reshape(count, total) / flat.shape[1]


def edge_shares(lightness: Floats, scale: float) -> Floats:
    """Return, per cell, the shares of the eight ways of edges and of no edge.

    A step across (gx) and down (gy), by central differences, has strength
    min(1, ‖g‖ / scale) and, as a step and its reverse are one edge, a way in [0°, 180°).

    Args:
        lightness: L*, shape (n, h, w).
        scale: the step that counts wholly.

    Returns:
        Shape (n, 81), rows that sum to 1: cell after cell, eight ways and the rest.
    """
    count, height, width = lightness.shape
    padded = np.pad(lightness, ((0, 0), (1, 1), (1, 1)), mode="edge")
    across = (padded[:, 1:-1, 2:] - padded[:, 1:-1, :-2]) / 2
    down = (padded[:, 2:, 1:-1] - padded[:, :-2, 1:-1]) / 2
    strength = np.minimum(1.0, np.hypot(across, down) / scale)
    turn = (np.arctan2(down, across) % np.pi) * (WAYS / np.pi)
    below = np.floor(turn).astype(np.int64)
    part = turn - below
    below %= WAYS
    row = np.arange(height) * EDGE_CELLS // height
    column = np.arange(width) * EDGE_CELLS // width
    cell = (row[:, None] * EDGE_CELLS + column[None, :])[None]
    start = (np.arange(count)[:, None, None] * EDGE_CELLS**2 + cell) * (WAYS + 1)
    total = count * EDGE_CELLS**2 * (WAYS + 1)
    found = np.zeros(total)
    for place, share in (
        (start + below, strength * (1 - part)),
        (start + (below + 1) % WAYS, strength * part),
        (start + WAYS + 0 * below, 1 - strength),
    ):
        found += np.bincount(place.ravel(), weights=share.ravel(), minlength=total)
    shares: Floats = found.reshape(count, -1) / (height * width)
    return shares


def cell_means(lab: Floats, cells: int) -> Floats:
    """Return mean colours of cells x cells areas, shape (n, cells, cells, 3).

    Height and width must be multiples of ``cells``.
    """
    count, height, width = lab.shape[:3]
    shape = (count, cells, height // cells, cells, width // cells, 3)
    means: Floats = lab.reshape(shape).mean(axis=(2, 4))
    return means


@cache
def _reference_colours(settings: PaletteSettings) -> Floats:
    """Return the shares of a picture whose pixels are spread normally in CIELAB."""
    kinds = (LIGHTNESS_POINTS, COLOUR_POINTS, COLOUR_POINTS)
    shares = []
    for points, mean, spread in zip(kinds, settings.mean_lab, settings.spread_lab, strict=True):
        middles = (points[:-1] + points[1:]) / 2
        up_to = [0.0, *((1 + erf((m - mean) / (spread * sqrt(2)))) / 2 for m in middles), 1.0]
        shares.append(np.diff(up_to))
    products: Floats = np.einsum("l,a,b->lab", *shares).reshape(1, -1)
    return products


@cache
def _reference_edges(settings: PaletteSettings) -> Floats:
    one = [(1 - settings.quiet_share) / WAYS] * WAYS + [settings.quiet_share]
    return np.tile(np.array(one), EDGE_CELLS**2)[None] / EDGE_CELLS**2


def _unit(rows: Floats) -> Floats:
    lengths = np.sqrt(np.einsum("nd,nd->n", rows, rows))
    units: Floats = rows / np.maximum(lengths, 1e-12)[:, None]
    return units
