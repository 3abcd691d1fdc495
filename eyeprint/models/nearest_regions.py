"""Regions of a picture and what each looks like, as unit vectors: the eyes of ``nearest``.

A picture is reduced to at most 96 pixels on a side (means of areas) and cut into smooth
regions: neighbouring pixels belong together where CIELAB changes little from one to the
next, so that a sky that fades from blue to rose is one region. Smooth regions that run along
the border are background; what is left, joined where it touches, are objects.

Each object becomes a vector of four blocks, like :mod:`eyeprint.models.palette` but over its
own pixels alone:

- colour: its shares of the points of CIELAB, square roots (their product is the
  Bhattacharyya coefficient);
- bands: the same of four bands from its top to its foot, one after the other;
- layout: mean colour of the 4 x 4 cells of its box, and how full each cell is of it;
- edges: the ways of the steps of lightness in 3 x 3 cells of its box, square roots.

With weights w, which sum to 1, v = (√w_k b_k / ‖b_k‖)_k, so that v·v' is a weighted mean of the
blocks' cosines: 1 for the same look.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from eyeprint.config import Settings
from eyeprint.maths.colour import Floats, lab_of
from eyeprint.models.palette import COLOUR_POINTS, LIGHTNESS_POINTS, WAYS, shared_out
from eyeprint.models.picture_colours import at_most
from eyeprint.records.pictures import Picture

Mask = NDArray[np.bool_]
Labels = NDArray[np.int64]
LAYOUT, EDGES, BANDS = 4, 3, 4
_CELL = np.array([4.0, 6.0, 6.0])
_BORDER_CELL = np.array([5.0, 6.0, 6.0])
_POINTS = len(LIGHTNESS_POINTS) * len(COLOUR_POINTS) ** 2


class RegionSettings(Settings):
    """How pictures are cut, and how the blocks weigh."""

    side: int = Field(default=96, ge=16, le=256)
    """Pixels of the longer side on which everything is done."""
    step: float = Field(default=3.0, gt=0)
    """Neighbouring pixels whose CIELAB differs by less belong to one smooth region; at least
    twice the picture's median step where that is more (grain)."""
    border_share: float = Field(default=0.04, gt=0, lt=1)
    """A smooth region that takes up this share of the border is background."""
    colour_share: float = Field(default=0.02, gt=0, lt=1)
    """A colour that fills this share of the border is one of the background's."""
    near: float = Field(default=7.0, gt=0)
    """CIELAB distance within which a pixel has such a colour."""
    least_share: float = Field(default=0.003, gt=0, lt=1)
    """Objects that fill less of the picture are not looked at."""
    most_objects: int = Field(default=12, ge=1)
    """So many of the largest objects are looked at."""
    rims: tuple[float, ...] = (0.02, 0.045)
    """What is taken off around objects to tell things that touch, as shares of the longer side."""
    colour_weight: float = Field(default=0.25, ge=0)
    bands_weight: float = Field(default=0.40, ge=0)
    layout_weight: float = Field(default=0.20, ge=0)
    edge_weight: float = Field(default=0.15, ge=0)
    edge_scale: float = Field(default=12.0, gt=0)
    """A step of this many L* per pixel counts as wholly an edge."""


@dataclass(frozen=True)
class Seen:
    """What a picture shows; what is not asked for is not reckoned."""

    lab: Floats
    """Of the reduced picture, (h, w, 3)."""
    background: Mask
    """What is background, (h, w)."""
    reduced: Picture
    settings: RegionSettings

    @property
    def blank(self) -> bool:
        """Whether there is nothing to be seen: every pixel is of nearly the same colour."""
        return bool(np.ptp(self.lab.reshape(-1, 3), axis=0).max() < _BLANK)

    @cached_property
    def objects(self) -> tuple[Mask, ...]:
        """Masks of objects, (h, w): what hangs together, then what it falls into, each largest
        first."""
        return objects_of(~self.background, self.settings)

    @cached_property
    def looks(self) -> Looks:
        """What describes its parts."""
        return Looks(self.lab, self.settings)

    @cached_property
    def rows(self) -> Floats:
        """Vectors of the objects, (n, dim)."""
        return self.looks.stacked([self.looks.row(mask) for mask in self.objects])


_BLANK = 3.0


def see(picture: Picture, settings: RegionSettings) -> Seen:
    """Return the objects of a picture and their looks.

    >>> scene = np.full((64, 64, 3), (120, 180, 230), np.uint8)
    >>> scene[20:44, 10:30] = (200, 30, 30)
    >>> seen = see(Picture.of(scene), RegionSettings())
    >>> len(seen.objects), int(seen.objects[0].sum()), seen.blank
    (1, 480, False)
    """
    pixels = np.array(at_most(picture, settings.side))
    lab = lab_of(pixels)
    return Seen(lab, background_of(lab, settings), Picture.of(pixels), settings)


def background_of(lab: Floats, settings: RegionSettings) -> Mask:
    """Return what hangs together with the border: smooth regions along it, and their colours.

    A smooth region with a share of the border is background, and so is what has a colour
    that fills a share of the border and hangs together with it: stripes of a curtain, the books
    of a shelf. Lines and specks before it (a horizon, the edge of a shelf) are none of the things.
    """
    from scipy import ndimage

    labels = smooth_regions(lab, settings.step)
    ring = np.ones(labels.shape, dtype=np.bool_)
    ring[1:-1, 1:-1] = False
    held = np.bincount(labels[ring], minlength=int(labels.max()) + 1)
    behind: Mask = (held >= settings.border_share * ring.sum())[labels]
    for colour in _border_colours(lab[ring], settings.colour_share):
        behind |= ((lab - colour) ** 2).sum(axis=2) < settings.near**2
    parts, _ = ndimage.label(behind, np.ones((3, 3)))
    touching = np.unique(parts[ring & behind])
    behind = np.isin(parts, touching[touching > 0])
    if min(labels.shape) < 8:
        return behind
    return ~ndimage.binary_opening(~behind, np.ones((3, 3), dtype=np.bool_))


def _border_colours(pixels: Floats, least: float) -> list[Floats]:
    """Return the mean colours of groups that fill a share of the border's pixels, (3,) each."""
    cells = np.floor(pixels / _BORDER_CELL).astype(np.int64)
    _, group, counts = np.unique(cells, axis=0, return_inverse=True, return_counts=True)
    group = group.ravel()
    return [pixels[group == k].mean(axis=0) for k in np.flatnonzero(counts >= least * len(pixels))]


def smooth_regions(lab: Floats, step: float) -> Labels:
    """Return a number for each pixel: equal where a path of small steps leads from one to another.

    >>> flag = np.zeros((2, 4, 3)); flag[:, 2:, 0] = 50.0
    >>> smooth_regions(flag, 5.0).tolist()
    [[0, 0, 1, 1], [0, 0, 1, 1]]
    """
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    height, width = lab.shape[:2]
    number = np.arange(height * width).reshape(height, width)
    across = np.sqrt(((lab[:, 1:] - lab[:, :-1]) ** 2).sum(axis=2))
    down = np.sqrt(((lab[1:] - lab[:-1]) ** 2).sum(axis=2))
    steps = np.concatenate([across.ravel(), down.ravel()])
    most = max(step, 2 * float(np.median(steps))) if steps.size else step
    one = np.concatenate([number[:, :-1][across < most], number[:-1][down < most]])
    other = np.concatenate([number[:, 1:][across < most], number[1:][down < most]])
    joins = coo_matrix((np.ones(len(one), np.int8), (one, other)), shape=(number.size,) * 2)
    _, labels = connected_components(joins, directed=False)
    found: Labels = labels.astype(np.int64).reshape(height, width)
    return found


def objects_of(front: Mask, settings: RegionSettings) -> tuple[Mask, ...]:
    """Return the parts of the foreground that hang together, and what they fall into.

    Things that touch hang together; where a part becomes several when its rim is taken off,
    those are looked at too, each with the rim nearest to it.
    """
    from scipy import ndimage

    least = settings.least_share * front.size
    found = _large(ndimage.label(front, np.ones((3, 3)))[0], least, settings.most_objects)
    if not found:
        return ()
    deep = ndimage.distance_transform_edt(np.pad(front, 1))[1:-1, 1:-1]
    pieces: list[Mask] = []
    for rim in settings.rims:
        cores, count = ndimage.label(deep > rim * max(front.shape), np.ones((3, 3)))
        if count < 2:
            continue
        place = ndimage.distance_transform_edt(
            cores == 0, return_distances=False, return_indices=True
        )
        grown = np.where(front, cores[place[0], place[1]], 0)
        pieces += _large(grown, least, settings.most_objects)
    whole = {mask.tobytes() for mask in found}
    fresh = {mask.tobytes(): mask for mask in pieces if mask.tobytes() not in whole}
    return (*found, *list(fresh.values())[: settings.most_objects])


def _large(labels: NDArray[np.signedinteger[Any]], least: float, most: int) -> list[Mask]:
    """Return the masks of the labels above 0 that are large enough, largest first."""
    sizes = np.bincount(labels.ravel())
    order = [k for k in np.argsort(-sizes, kind="stable").tolist() if k and sizes[k] >= least]
    return [labels == k for k in order[:most]]


class Looks:
    """Describes parts of one picture; what all parts need is reckoned once."""

    cell: Labels
    """Number of the group of like colours that each pixel is of, (h, w)."""
    colours: Floats
    """Mean CIELAB of each group, (k, 3)."""
    points: Floats
    """Each group's shares of the points of CIELAB, (k, 486)."""

    def __init__(self, lab: Floats, settings: RegionSettings) -> None:
        self.lab, self.settings = lab, settings
        flat = lab.reshape(-1, 3)
        cells = np.floor(flat / _CELL).astype(np.int64) + 64
        keys = (cells[:, 0] * 128 + cells[:, 1]) * 128 + cells[:, 2]
        _, place, counts = np.unique(keys, return_inverse=True, return_counts=True)
        sums = np.stack([np.bincount(place, flat[:, k], len(counts)) for k in range(3)], axis=1)
        self.cell = place.reshape(lab.shape[:2])
        self.colours = sums / counts[:, None]
        self.points = _on_points(self.colours)
        padded = np.pad(lab[..., 0], 1, mode="edge")
        across = (padded[1:-1, 2:] - padded[1:-1, :-2]) / 2
        down = (padded[2:, 1:-1] - padded[:-2, 1:-1]) / 2
        self.strength = np.minimum(1.0, np.hypot(across, down) / settings.edge_scale)
        turn = np.rint((np.arctan2(down, across) % np.pi) * (WAYS / np.pi)).astype(np.int64)
        self.way = turn % WAYS

    @property
    def dim(self) -> int:
        """Length of a vector."""
        return _POINTS * (1 + BANDS) + LAYOUT**2 * 4 + EDGES**2 * (WAYS + 1)

    def stacked(self, rows: list[Floats]) -> Floats:
        """Return rows as one array, (n, dim), of no rows too."""
        return np.stack(rows) if rows else np.zeros((0, self.dim))

    def row(self, mask: Mask) -> Floats:
        """Return the vector of one part."""
        high, wide = np.nonzero(mask)
        top, left = int(high.min()), int(wide.min())
        tall, broad = int(high.max()) - top + 1, int(wide.max()) - left + 1
        band = (high - top) * BANDS // tall
        size = len(self.points)
        counts = np.bincount(band * size + self.cell[high, wide], minlength=BANDS * size)
        bands = counts.reshape(BANDS, size) @ self.points / len(high)
        blocks = (
            np.sqrt(bands.sum(axis=0)),
            np.sqrt(bands.ravel()),
            self._layout(
                high,
                wide,
                (high - top) * LAYOUT // tall,
                (wide - left) * LAYOUT // broad,
                tall * broad,
            ),
            self._edges(high, wide, (high - top) * EDGES // tall, (wide - left) * EDGES // broad),
        )
        chosen = self.settings
        weights = np.array(
            [chosen.colour_weight, chosen.bands_weight, chosen.layout_weight, chosen.edge_weight]
        )
        return np.concatenate(
            [
                np.sqrt(weight) * block / max(float(np.sqrt(block @ block)), 1e-12)
                for weight, block in zip(weights / weights.sum(), blocks, strict=True)
            ]
        )

    def _layout(self, high: Labels, wide: Labels, row: Labels, column: Labels, box: int) -> Floats:
        cell = row * LAYOUT + column
        full = np.bincount(cell, minlength=LAYOUT**2)
        lab = self.lab[high, wide] - _MIDDLE
        sums = [np.bincount(cell, lab[:, k], LAYOUT**2) for k in range(3)]
        fill = full * LAYOUT**2 / box
        # Colour counts by how full the cell is, so that one stray pixel says little.
        means = np.stack(sums, axis=1) / np.maximum(full, 1)[:, None] * np.minimum(fill, 1)[:, None]
        return np.concatenate([means.ravel() / 50, (fill - 0.5)])

    def _edges(self, high: Labels, wide: Labels, row: Labels, column: Labels) -> Floats:
        start = (row * EDGES + column) * (WAYS + 1)
        strength = self.strength[high, wide]
        size = EDGES**2 * (WAYS + 1)
        found = np.bincount(start + self.way[high, wide], strength, size)
        found += np.bincount(start + WAYS, 1 - strength, size)
        return np.sqrt(found / len(high))


_MIDDLE = np.array([50.0, 0.0, 0.0])


def _on_points(lab: Floats) -> Floats:
    """Return each colour's shares of the points of CIELAB, shape (n, 486)."""
    size = len(COLOUR_POINTS)
    (l0, lw), (a0, aw), (b0, bw) = (
        shared_out(lab[:, k], points)
        for k, points in enumerate((LIGHTNESS_POINTS, COLOUR_POINTS, COLOUR_POINTS))
    )
    found = np.zeros((len(lab), _POINTS))
    rows = np.arange(len(lab))
    for dl in (0, 1):
        for da in (0, 1):
            for db in (0, 1):
                share = (lw if dl else 1 - lw) * (aw if da else 1 - aw) * (bw if db else 1 - bw)
                found[rows, ((l0 + dl) * size + a0 + da) * size + b0 + db] += share
    return found
