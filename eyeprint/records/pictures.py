"""A picture as every room sees it: upright 8-bit RGB, with what was done to get there.

Pixels enter through :mod:`eyeprint.models.pictures` and nowhere else, so a model, a
metric, a judge and a person look at the same ones (CHECKLIST X3, X4).
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray
from pydantic import ConfigDict

from eyeprint.records.people import Record

Pixels = NDArray[np.uint8]
"""Shape (height, width, 3), RGB, read-only."""


class PictureFacts(Record):
    """What is known of a picture besides its pixels: its file, and what the gate did to it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    source: str = ""
    """The path as it was given, or who made the picture; for messages, never part of identity."""
    format: str = ""
    """The real format, read from the bytes: PNG, JPEG, WEBP ... ; empty when made in memory."""
    mode: str = "RGB"
    """The mode of the file before conversion: RGB, RGBA, LA, P, CMYK, I;16 ..."""
    frames: int = 1
    """Frames in the file; the first one is used."""
    done: tuple[str, ...] = ()
    """What the gate did, in order: "turned upright (orientation 6)", "alpha on white" ..."""
    file_sha256: str = ""
    """Of the file's bytes; empty when made in memory."""


def pixel_hash(pixels: Pixels) -> str:
    """Return the SHA-256 (64 hex digits) of a picture's size and RGB bytes.

    Two files with the same pixels have one hash, whatever their format or metadata.

    >>> import numpy as np
    >>> pixel_hash(np.zeros((1, 2, 3), np.uint8)) == pixel_hash(np.zeros((2, 1, 3), np.uint8))
    False
    """
    height, width = pixels.shape[:2]
    state = hashlib.sha256(f"eyeprint pixels 1 {width}x{height}\n".encode())
    state.update(np.ascontiguousarray(pixels).tobytes())
    return state.hexdigest()


@dataclass(frozen=True, eq=False)
class Picture:
    """Upright 8-bit RGB pixels. Two pictures are equal when their pixels are.

    >>> red = Picture.of(np.full((2, 2, 3), (255, 0, 0), np.uint8))
    >>> red.width, red == Picture.of(red.pixels.copy())
    (2, True)
    """

    pixels: Pixels
    sha256: str
    """:func:`pixel_hash` of the pixels: the picture's identity in caches, ledgers and folders."""
    facts: PictureFacts = field(default_factory=PictureFacts)

    @classmethod
    def of(cls, pixels: Pixels, facts: PictureFacts | None = None) -> Self:
        """Return a picture of an array of shape (height, width, 3), dtype uint8.

        The array becomes read-only.

        Raises:
            ValueError: another shape or dtype, or no pixel at all.
        """
        if pixels.dtype != np.uint8 or pixels.ndim != 3 or pixels.shape[2] != 3 or not pixels.size:
            raise ValueError(
                f"a picture is a uint8 array of shape (height, width, 3), not {pixels.dtype} "
                f"{pixels.shape}"
            )
        pixels.flags.writeable = False
        return cls(pixels, pixel_hash(pixels), facts or PictureFacts())

    @property
    def width(self) -> int:
        """Pixels from left to right."""
        return int(self.pixels.shape[1])

    @property
    def height(self) -> int:
        """Pixels from top to bottom."""
        return int(self.pixels.shape[0])

    def named(self, source: str) -> Self:
        """Return the same pixels under another name, and without any trace of their file.

        What methods get to see: a path would lead them to the pictures beside it (P1, P3).
        """
        return replace(self, facts=PictureFacts(source=source))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Picture) and self.sha256 == other.sha256

    def __hash__(self) -> int:
        return hash(self.sha256)


def distinct(pictures: Sequence[Picture]) -> list[Picture]:
    """Return the pictures without repeats, in order of first appearance.

    >>> one = Picture.of(np.zeros((1, 1, 3), np.uint8))
    >>> len(distinct([one, one]))
    1
    """
    return list(dict.fromkeys(pictures))
