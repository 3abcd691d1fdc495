"""The finish of a sketch: light around lamps, fog, and the surface of a way of drawing.

Grain comes from raw bits, and blotches from small grids enlarged by Pillow's
whole-number filter, so that a finish does not depend on the machine.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from eyeprint.maths.colour import Floats, lab_of, rgb_of
from eyeprint.models.colour_names import Rgb
from eyeprint.models.sketch_brush import Glow

if TYPE_CHECKING:
    from PIL.Image import Image

    from eyeprint.models.sketch_references import Towards

Small = NDArray[np.float32]

STYLES = ("gouache", "flat", "outline", "watercolour", "oil", "pixel", "photo")
"""Ways of drawing; a prompt that names none gets gouache."""

_GRAIN = {
    "gouache": 3.0,
    "flat": 0.0,
    "outline": 2.0,
    "watercolour": 4.0,
    "oil": 5.0,
    "pixel": 0.0,
    "photo": 4.0,
}
_BLOTCH = {
    "gouache": 2.0,
    "flat": 0.0,
    "outline": 1.5,
    "watercolour": 5.0,
    "oil": 5.0,
    "pixel": 0.0,
    "photo": 0.0,
}
_STATISTICS = 96
"""Pixels on a side for means and spreads."""
_CUBE_SIDE = 18
_STEPS = np.arange(_CUBE_SIDE) * 15
# Red changes fastest, blue slowest: the order that Pillow's tables have.
_CUBE = np.stack(np.meshgrid(_STEPS, _STEPS, _STEPS, indexing="ij")[::-1], axis=-1).astype(np.uint8)
_PAPER = np.array([247.0, 242.0, 230.0], dtype=np.float32)


def finish(
    canvas: Image,
    width: int,
    height: int,
    style: str,
    glows: list[Glow],
    glow_strength: float,
    fog: tuple[float, float, Rgb] | None,
    rng: np.random.Generator,
    towards: Towards | None = None,
) -> NDArray[np.uint8]:
    """Return the picture's pixels, shape (height, width, 3).

    Args:
        canvas: the painted scene, larger than the picture.
        width: of the picture.
        height: of the picture.
        style: one of :data:`STYLES`.
        glows: places of light on the canvas.
        glow_strength: 0 (by day) to 1 (by night).
        fog: strength, height of the horizon as a share, colour; or none.
        rng: of the request, for the surface.
        towards: what the looks of references ask for, or none.
    """
    from PIL import Image

    scale = width / canvas.width
    pixels = np.asarray(canvas.resize((width, height), Image.Resampling.BOX)).astype(np.float32)
    if fog is not None:
        pixels = _fogged(pixels, *fog)
    for glow in glows:
        _add_glow(pixels, glow, scale, glow_strength)
    if style == "photo":
        pixels = _vignetted(pixels)
    if style == "watercolour":
        pixels = _washed(pixels)
    if style == "oil":
        pixels = _dragged(pixels, rng)
    grain, blotch = _GRAIN[style], _BLOTCH[style]
    if towards is not None:
        pixels = _moved(pixels, towards)
        grain = max(grain, towards.grain)
    if blotch:
        pixels += _blotches(rng, width, height, 12, blotch)[..., None]
    if grain:
        # Two even draws: a triangle, near enough to a bell and exact everywhere.
        draws = _even(rng, 2 * height * width).reshape(2, height, width)
        pixels += ((draws[0] + draws[1]) * np.float32(grain / 104))[..., None]
    if style == "pixel":
        return _pixelated(pixels, width, height)
    return np.rint(np.clip(pixels, 0, 255)).astype(np.uint8)


def _add_glow(pixels: Small, glow: Glow, scale: float, strength: float) -> None:
    x, y, radius = glow.x * scale, glow.y * scale, max(2.0, glow.radius * scale)
    height, width = pixels.shape[:2]
    left, right = max(0, int(x - radius)), min(width, int(x + radius) + 1)
    top, low = max(0, int(y - radius)), min(height, int(y + radius) + 1)
    if left >= right or top >= low:
        return
    rows = (np.arange(top, low, dtype=np.float32) - y)[:, None] / radius
    columns = (np.arange(left, right, dtype=np.float32) - x)[None] / radius
    fall = np.maximum(0, 1 - (rows**2 + columns**2)) ** 2 * np.float32(strength)
    part = pixels[top:low, left:right]
    # Light only adds: what is brighter than the glow stays as it is.
    more = np.maximum(0, np.array(glow.rgb, dtype=np.float32) - part)
    part += more * fall[..., None] * np.float32(0.6)


def _fogged(pixels: Small, strength: float, horizon: float, rgb: Rgb) -> Small:
    height = len(pixels)
    rows = np.arange(height, dtype=np.float32)[:, None, None] / height
    thick = np.float32(strength) * np.maximum(0.25, 1 - np.abs(rows - min(horizon, 0.8)) * 1.5)
    hidden: Small = pixels + (np.array(rgb, dtype=np.float32) - pixels) * thick
    return hidden


def _vignetted(pixels: Small) -> Small:
    height, width = pixels.shape[:2]
    rows = (np.arange(height, dtype=np.float32)[:, None] / height - 0.5) ** 2
    columns = (np.arange(width, dtype=np.float32)[None] / width - 0.5) ** 2
    darker: Small = pixels * (1 - 0.75 * np.maximum(0, rows + columns - 0.12))[..., None]
    return darker


def _washed(pixels: Small) -> Small:
    """Thin the colours towards the paper, and let them gather at their edges."""
    light = pixels.mean(axis=2)
    step = np.zeros_like(light)
    step[:, 1:] += np.abs(np.diff(light, axis=1))
    step[1:] += np.abs(np.diff(light, axis=0))
    gathered = np.minimum(step, 60) * np.float32(0.35)
    thin = pixels + (_PAPER - pixels) * np.float32(0.2)
    washed: Small = thin - gathered[..., None]
    return washed


def _even(rng: np.random.Generator, count: int) -> Small:
    """Return whole numbers, even over -128 .. 127.

    They are the generator's raw bits, which NumPy keeps the same in all versions.
    """
    raw = np.asarray(rng.bit_generator.random_raw((count + 7) // 8), dtype="<u8")
    return raw.view(np.int8)[:count].astype(np.float32)


def _blotches(rng: np.random.Generator, width: int, height: int, cells: int, size: float) -> Small:
    """Return a slowly changing field around 0, about ``size`` strong."""
    from PIL import Image

    grid = (_even(rng, cells * cells) + 128).astype(np.uint8).reshape(cells, cells)
    wide = Image.fromarray(grid).resize((width, height), Image.Resampling.BICUBIC)
    return (np.asarray(wide).astype(np.float32) - 127.5) * np.float32(size / 64)


def _dragged(pixels: Small, rng: np.random.Generator) -> Small:
    """Move the paint about in short strokes, and let the bristles show."""
    height, width = pixels.shape[:2]
    reach = max(1.0, min(width, height) / 300)
    across = _blotches(rng, width, height, 40, 1.0) * reach
    down = _blotches(rng, width, height, 40, 1.0) * reach
    rows = np.clip(np.arange(height)[:, None] + np.rint(down).astype(np.int64), 0, height - 1)
    columns = np.clip(np.arange(width)[None] + np.rint(across).astype(np.int64), 0, width - 1)
    moved = pixels[rows, columns]
    fine = _even(rng, height * width).reshape(height, width) / 2
    bristles = fine.copy()
    for k in range(1, 6):
        # Along the diagonal: each hair of the brush leaves a short line.
        bristles += np.roll(fine, (k, 2 * k), axis=(0, 1))
    brushed: Small = moved + (bristles / 15)[..., None]
    return brushed


def _pixelated(pixels: Small, width: int, height: int) -> NDArray[np.uint8]:
    from PIL import Image

    whole = Image.fromarray(np.rint(np.clip(pixels, 0, 255)).astype(np.uint8))
    side = 64 / min(width, height)
    size = max(1, round(width * side)), max(1, round(height * side))
    small = np.asarray(whole.resize(size, Image.Resampling.BOX)).astype(np.int64)
    levels = ((small + 8) // 17 * 17).clip(0, 255).astype(np.uint8)
    return np.asarray(Image.fromarray(levels).resize((width, height), Image.Resampling.NEAREST))


def _moved(pixels: Small, towards: Towards) -> Small:
    """Move lightness (mean and spread) and the means of a* and b* towards those asked for.

    The move is worked out for a grid of colours, and pixels are read off between its points.
    """
    from PIL import Image, ImageFilter

    whole = Image.fromarray(np.rint(np.clip(pixels, 0, 255)).astype(np.uint8))
    few = np.asarray(whole.resize((_STATISTICS, _STATISTICS), Image.Resampling.BOX))
    lab: Floats = lab_of(few)
    mean, spread = lab.mean(axis=(0, 1)), lab.std(axis=(0, 1))
    wanted = mean + (np.array(towards.mean) - mean) * towards.strength
    ratio = np.array(towards.spread) / np.maximum(spread, 1.0)
    ratio = 1 + (np.clip(ratio, 0.5, 1.8) - 1) * towards.strength
    moved = rgb_of((lab_of(_CUBE) - mean) * ratio + wanted)
    table = ImageFilter.Color3DLUT(_CUBE_SIDE, (moved.ravel() / 255).tolist())
    return np.asarray(whole.filter(table)).astype(np.float32)
