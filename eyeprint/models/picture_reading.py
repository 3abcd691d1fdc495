"""What a picture looks like, read from its pixels alone: palette, light, layout, surface.

No model with weights takes part: colours are counted in CIELAB, edges and halves are
compared. So a reading says nothing of what is shown, only of how it looks, and says the
same on every machine. Offline fusion, captions and the offline judge stand on it, and
the sketch painter moves towards readings of its references.

>>> sea = np.full((64, 64, 3), (20, 60, 130), np.uint8); sea[:40] = (250, 190, 120)
>>> reading = read_picture(Picture.of(sea))
>>> [colour.family for colour in reading.colours], reading.horizon
(['orange', 'blue'], 0.625)
"""

from __future__ import annotations

import numpy as np

from eyeprint.maths.colour import Floats, chroma_of, hue_of, lab_of, lightness_of
from eyeprint.models.picture_colours import at_most, main_colours
from eyeprint.models.picture_looks import Level, PictureLooks, Quality, Tint
from eyeprint.models.reading_words import caption_of, words_of
from eyeprint.records.pictures import Picture

_LONGER = 128
"""Pixels of the longer side for colour, light and layout."""
_FINE = 384
"""Pixels of the longer side for texture."""
_WARM_HUE = 60.0
_SYMMETRY_GRID = 24


class PictureReading(PictureLooks):
    """One picture's looks, and what can be said of them."""

    def words(self) -> tuple[str, ...]:
        """Return short phrases for all that stands out, the palette first; each is true of it.

        >>> night = Picture.of(np.full((64, 64, 3), (12, 14, 40), np.uint8))
        >>> read_picture(night).words()[0]
        'navy palette'
        """
        return words_of(self)

    def caption(self) -> str:
        """Return one sentence on palette, light, layout and surface.

        >>> read_picture(Picture.of(np.full((64, 64, 3), (12, 14, 40), np.uint8))).caption()
        'A plain, cool, muted picture all in navy, in dark soft blue light.'
        """
        return caption_of(self)


def read_picture(picture: Picture) -> PictureReading:
    """Return what a picture looks like, from its pixels alone. Takes a few milliseconds.

    >>> gray = Picture.of(np.full((10, 30, 3), 128, np.uint8))
    >>> read_picture(gray).warmth, read_picture(gray).symmetry, read_picture(gray).busyness
    (0.0, 1.0, 0.0)
    """
    lab = lab_of(at_most(picture, _LONGER))
    lightness, chroma = lab[..., 0], chroma_of(lab)
    low, high = np.percentile(lightness, [5, 95])
    steps = _steps(lightness)
    brightness, contrast = float(lightness.mean()) / 100, float(high - low) / 100
    weight = lightness + 1e-9
    saturation = np.sum(weight * chroma / np.hypot(chroma, weight)) / np.sum(weight)
    return PictureReading(
        colours=main_colours(lab.reshape(-1, 3)),
        warmth=_warmth(lab, chroma),
        brightness=brightness,
        saturation=float(saturation),
        colourfulness=colourfulness(picture),
        contrast=contrast,
        light_level=_level(brightness),
        light_quality=_quality(contrast, steps),
        light_tint=_tint(lab),
        horizon=horizon_of(lab),
        busyness=float((steps > 8).mean()),
        symmetry=symmetry_of(lab),
        texture=_texture(picture),
    )


def _warmth(lab: Floats, chroma: Floats) -> float:
    turn = np.radians(_WARM_HUE)
    along = lab[..., 1].mean() * np.cos(turn) + lab[..., 2].mean() * np.sin(turn)
    return round(float(along / (chroma.mean() + 5)), 6) + 0.0


def _steps(lightness: Floats) -> Floats:
    """Return the size of the step of L* at each pixel, by central differences."""
    padded = np.pad(lightness, 1, mode="edge")
    across = (padded[1:-1, 2:] - padded[1:-1, :-2]) / 2
    down = (padded[2:, 1:-1] - padded[:-2, 1:-1]) / 2
    return np.hypot(across, down)


def colourfulness(picture: Picture) -> float:
    """Return M of Hasler and Süsstrunk: spread plus 0.3 of the mean of two opponent colours.

    With rg = R - G and yb = (R + G) / 2 - B over all pixels: M = sqrt(var rg + var yb) +
    0.3 sqrt(mean² rg + mean² yb).

    Source: D. Hasler and S. Süsstrunk, "Measuring colourfulness in natural images", 2003.

    >>> colourfulness(Picture.of(np.full((2, 2, 3), 77, np.uint8)))
    0.0
    """
    red, green, blue = (picture.pixels[..., k].astype(np.int32) for k in range(3))
    one, two = red - green, red + green - 2 * blue
    spread = np.hypot(one.std(), two.std() / 2)
    return float(spread + 0.3 * np.hypot(one.mean(), two.mean() / 2))


def _level(brightness: float) -> Level:
    if brightness < 0.27:
        return "dark"
    if brightness < 0.42:
        return "dim"
    return "medium" if brightness < 0.62 else "bright"


def _quality(contrast: float, steps: Floats) -> Quality:
    if contrast < 0.30 or float((steps > 4).mean()) < 0.10:
        return "soft"
    hard = float((steps > 12).mean())
    return "harsh" if contrast > 0.72 and hard > 0.10 else "even"


def _tint(lab: Floats) -> Tint:
    flat = lab.reshape(-1, 3)
    brightest = flat[flat[:, 0] >= np.percentile(flat[:, 0], 90)].mean(axis=0)
    if float(chroma_of(brightest)) < 9:
        return "neutral"
    hue = float(hue_of(brightest))
    if 40 <= hue < 108:
        return "golden"
    if hue < 40 or hue >= 335:
        return "rosy"
    if hue >= 295:
        return "violet"
    return "blue" if hue >= 185 else "green"


def horizon_of(lab: Floats) -> float | None:
    """Return where a level line divides the picture, as a share from the top, or ``None``.

    For each row between 15 % and 85 %, bands of a tenth of the height above and below are
    compared column by column. A horizon is where their mean colours differ most, by 8 or
    more, and three columns in four change in that same direction, and at once.

    Args:
        lab: CIELAB, shape (h, w, 3).

    >>> flag = np.zeros((40, 40, 3)); flag[10:, :, 0] = 60.0
    >>> horizon_of(flag), horizon_of(flag.transpose(1, 0, 2)) is None
    (0.25, True)
    """
    height, width = lab.shape[:2]
    band = max(2, height // 10)
    if height < 12 or width < 4:
        return None
    total = np.concatenate([np.zeros((1, width, 3)), np.cumsum(lab, axis=0)])
    rows = np.arange(max(band, round(0.15 * height)), min(height - band, round(0.85 * height)) + 1)
    above = (total[rows] - total[rows - band]) / band
    below = (total[rows + band] - total[rows]) / band
    change = below - above
    mean = change.mean(axis=1)
    size = np.sqrt((mean**2).sum(axis=1))
    along = (change * mean[:, None]).sum(axis=2) / np.maximum(size[:, None], 1e-9)
    agreeing = (along > 0.35 * size[:, None]).mean(axis=1)
    merit = size * agreeing
    best = int(merit.argmax())
    if size[best] < 8 or agreeing[best] < 0.76:
        return None
    # A slow change from top to bottom is no line: much of it must happen close by.
    near = max(1, band // 3)
    step = lab[rows[best] : rows[best] + near].mean(axis=(0, 1)) - lab[
        rows[best] - near : rows[best]
    ].mean(axis=(0, 1))
    if float(np.sqrt((step**2).sum())) < 0.55 * size[best]:
        return None
    share: float = round(int(rows[best]) / height, 4)
    return share


def symmetry_of(lab: Floats) -> float:
    """Return how far the right half mirrors the left: 1 wholly, 0 no more than by chance.

    >>> row = np.arange(48.0)[None, :, None] * np.ones((48, 48, 3))
    >>> symmetry_of(row), symmetry_of(np.abs(row - 23.5))
    (0.0, 1.0)
    """
    grid = _grid(lab, _SYMMETRY_GRID)
    # The mirror image has a grid of its own: cells need not divide the width.
    mirrored = np.abs(grid - _grid(lab[:, ::-1], _SYMMETRY_GRID)).sum(axis=2).mean()
    # By chance: every cell of a row against every other cell of it, and rows against rows.
    pairs = np.mean(
        [np.abs(grid - np.roll(grid, k, axis=1)).sum(axis=2).mean() for k in (5, 9, 12)]
    )
    whole = np.abs(grid - grid.mean(axis=(0, 1))).sum(axis=2).mean()
    chance = max(float(pairs), 0.5 * float(whole))
    if chance < 0.5:
        return 1.0
    return round(min(1.0, max(0.0, 1 - float(mirrored) / chance)), 6)


def _grid(lab: Floats, cells: int) -> Floats:
    """Return the means of cells, shape (cells, cells, 3), for pictures of any size."""
    for axis in (0, 1):
        length = lab.shape[axis]
        edges = np.arange(cells) * length // cells
        ends = np.maximum(edges + 1, (np.arange(1, cells + 1) * length) // cells)
        total = np.concatenate(
            [np.zeros_like(np.take(lab, [0], axis=axis)), np.cumsum(lab, axis=axis)], axis=axis
        )
        counts = (ends - edges).reshape((-1, 1, 1) if axis == 0 else (1, -1, 1))
        lab = (np.take(total, ends, axis=axis) - np.take(total, edges, axis=axis)) / counts
    return lab


def _texture(picture: Picture) -> float:
    lightness = lightness_of(at_most(picture, _FINE))
    if min(lightness.shape) < 3:
        return 0.0
    inner = lightness[1:-1, 1:-1]
    around = (
        lightness[:-2, 1:-1] + lightness[2:, 1:-1] + lightness[1:-1, :-2] + lightness[1:-1, 2:]
    ) / 4
    return round(min(1.0, float(np.median(np.abs(inner - around))) / 10), 6)
