"""Pictures as the arrays that vision models read: framed with Pillow, no torchvision (P47).

The framing is the released evaluator's, step by step: the shorter side is brought to the
model's size with bicubic resampling, the longer one to ``int(size * long / short)``; the
centre is cut out, an odd margin's half rounded to the even number; bytes become float32 in
[0, 1], and channel means and deviations are taken off. Pillow's own bicubic filter differs
from torch's by up to 0.015 of the pixel range: this file uses Pillow throughout, and
:data:`FRAMING` is part of every fingerprint.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from eyeprint.records.pictures import Picture, Pixels

FRAMING = "Pillow bicubic, shorter side, int(size*long/short), centre crop rounded half to even; 1"
"""How pictures are framed; goes into fingerprints, and changes when a pixel could."""

SQUARING = "Pillow bicubic to a square, whatever the shape; 1"
"""How pictures are framed for LPIPS."""

CLIP_MEAN = (0.48145466, 0.4578275, 0.40821073)
CLIP_STD = (0.26862954, 0.26130258, 0.27577711)
IMAGENET_MEAN = (0.485, 0.456, 0.406)
IMAGENET_STD = (0.229, 0.224, 0.225)

_LONG = 16
"""Pictures longer than this many times their height are cut before they are resized."""


def pillow(picture: Picture, gray: bool = False) -> Image.Image:
    """Return a picture as Pillow's RGB image; with ``gray``, of its luma in all channels (P48).

    Luma is Pillow's conversion to "L": (299 R + 587 G + 114 B) / 1000.

    >>> red = Picture.of(np.full((1, 1, 3), (255, 0, 0), np.uint8))
    >>> pillow(red, gray=True).getpixel((0, 0))
    (76, 76, 76)
    """
    image = Image.fromarray(picture.pixels)
    return image.convert("L").convert("RGB") if gray else image


def shorter_side_size(width: int, height: int, size: int) -> tuple[int, int]:
    """Return (width, height) once the shorter side is ``size``; the longer one rounds down.

    >>> shorter_side_size(640, 480, 224), shorter_side_size(333, 500, 224)
    ((298, 224), (224, 336))
    """
    if width <= height:
        return size, int(size * height / width)
    return int(size * width / height), size


def centre_crop(image: Image.Image, size: int) -> Pixels:
    """Frame an image: shorter side to ``size``, then the centre, shape (size, size, 3).

    >>> centre_crop(Image.new("RGB", (640, 480)), 224).shape
    (224, 224, 3)
    """
    width, height = shorter_side_size(*image.size, size)
    left, top = round((width - size) / 2), round((height - size) / 2)
    if max(width, height) > _LONG * size:
        # A banner of 1 x 5000 pixels would become 224 x 1,120,000: resize the cut part only.
        across, down = image.width / width, image.height / height
        part = (left * across, top * down, (left + size) * across, (top + size) * down)
        return np.asarray(image.resize((size, size), Image.Resampling.BICUBIC, box=part))
    if image.size != (width, height):
        image = image.resize((width, height), Image.Resampling.BICUBIC)
    return np.asarray(image.crop((left, top, left + size, top + size)))


def squared(image: Image.Image, size: int, through: tuple[int, int] | None = None) -> Pixels:
    """Frame an image for LPIPS: resized to (size, size), shape (size, size, 3).

    Args:
        image: what is compared.
        size: pixels of each side.
        through: (width, height) that the image is resized to first: the size of the picture
            that it is compared with, as the released evaluator does.

    >>> squared(Image.new("RGB", (640, 480)), 64, through=(32, 32)).shape
    (64, 64, 3)
    """
    for wanted in ((through,) if through else ()) + ((size, size),):
        if image.size != wanted:
            image = image.resize(wanted, Image.Resampling.BICUBIC)
    return np.asarray(image)


def channels_first(frames: Sequence[Pixels]) -> NDArray[np.float32]:
    """Return frames of one size as float32 in [0, 1], shape (n, 3, height, width).

    >>> channels_first([np.full((2, 2, 3), 255, np.uint8)]).max()
    np.float32(1.0)
    """
    stacked = np.stack(frames).transpose(0, 3, 1, 2)
    return np.ascontiguousarray(stacked).astype(np.float32) / np.float32(255)


def normalised(
    frames: Sequence[Pixels], mean: tuple[float, ...], std: tuple[float, ...]
) -> NDArray[np.float32]:
    """Return (x - mean) / std per channel, x in [0, 1]; shape (n, 3, height, width).

    >>> normalised([np.zeros((1, 1, 3), np.uint8)], (0.5, 0.5, 0.5), (0.5, 0.5, 0.5)).ravel()
    array([-1., -1., -1.], dtype=float32)
    """
    values = channels_first(frames)
    values -= np.array(mean, np.float32)[:, None, None]
    values /= np.array(std, np.float32)[:, None, None]
    return values
