"""Small pictures with a known look, for tests."""

import numpy as np

from eyeprint.records.pictures import Picture

WARM = ((235, 150, 70), (200, 80, 40))
COOL = ((60, 110, 180), (20, 50, 110))


def halves(top, bottom, side=48, seed=0):
    """Two colours with a level line between, and a little noise that tells pictures apart."""
    pixels = np.zeros((side, side, 3), np.int64)
    pixels[: side // 2], pixels[side // 2 :] = top, bottom
    noise = np.random.default_rng(seed).integers(-6, 7, pixels.shape)
    return Picture.of(np.clip(pixels + noise, 0, 255).astype(np.uint8))


def several(colours, count, start=0):
    return tuple(halves(*colours, seed=start + i) for i in range(count))
