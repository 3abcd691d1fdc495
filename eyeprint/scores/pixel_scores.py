"""MSE, MAE and PSNR of an output against its target: the columns PIX."""

from __future__ import annotations

from math import log10
from typing import NamedTuple

import numpy as np
from PIL import Image

from eyeprint.records.pictures import Picture


class PixelScores(NamedTuple):
    """Pixels in [0, 1] compared one by one."""

    mse: float
    """Mean squared difference, 0 to 1, lower is nearer."""
    mae: float
    """Mean absolute difference, 0 to 1, lower is nearer."""
    psnr: float | None
    """10 log10(1 / MSE) in dB, higher is nearer; ``None`` for identical pixels: infinite."""


def pixel_scores(output: Picture, target: Picture) -> PixelScores:
    """Compare an output with its target; one of another size is resized first (bicubic).

    A pixel's three channels count alike. Source: the released evaluator's "pixel" metrics.

    >>> black, gray = (Picture.of(np.full((2, 2, 3), v, np.uint8)) for v in (0, 51))
    >>> found = pixel_scores(gray, black)
    >>> round(found.mse, 4), round(found.mae, 4), round(found.psnr, 4)
    (0.04, 0.2, 13.9794)
    >>> pixel_scores(black, black).psnr is None
    True
    """
    pixels = output.pixels
    if (output.width, output.height) != (target.width, target.height):
        size = (target.width, target.height)
        pixels = np.asarray(Image.fromarray(pixels).resize(size, Image.Resampling.BICUBIC))
    gap = pixels.astype(np.int32) - target.pixels
    # Sums of whole numbers are exact: the mean of a huge picture loses nothing.
    mse = float((gap * gap).sum(dtype=np.int64)) / gap.size / 255**2
    mae = float(np.abs(gap).sum(dtype=np.int64)) / gap.size / 255
    return PixelScores(mse, mae, 10 * log10(1 / mse) if mse else None)
