"""What is kept of a picture to find its copies: hashes and one small gray image.

A picture's *upright form* is one of its eight turns and mirrorings, chosen from its
pixels alone, so that a flipped copy has the same upright form, found by one hash and not
by eight. The thumbnail is for copies that were saved again, scaled or cut.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eyeprint.models.pictures import gray
from eyeprint.records.pictures import Picture, Pixels, pixel_hash

THUMB = 64
"""Side of the thumbnail, in cells: the whole picture squeezed to a square."""
FLAT = 3.0
"""Standard deviation of a thumbnail, in gray levels of 255, under which it shows nothing."""

Thumb = NDArray[np.uint8]
"""Shape (64, 64): mean luma of each cell."""


@dataclass(frozen=True, eq=False)
class PictureMarks:
    """The marks of one picture; about 5 KB."""

    file: str
    """SHA-256 of the file's bytes; empty for a picture made in memory."""
    pixels: str
    """Pixel hash."""
    upright: str
    """Pixel hash of the upright form: equal for turned and mirrored copies."""
    gray_upright: str
    """Pixel hash of the upright form of the gray picture."""
    turned: bool
    """Whether the gray upright form is not the picture as it stands."""
    thumb: Thumb

    @property
    def flat(self) -> bool:
        """Whether there is nothing to compare but its bytes: one tone all over."""
        return float(self.thumb.std()) < FLAT


def marks_of(picture: Picture) -> PictureMarks:
    """Return a picture's marks; a megapixel takes a few hundredths of a second.

    >>> ramp = np.arange(48, dtype=np.uint8).reshape(4, 4, 3)
    >>> one, two = Picture.of(ramp), Picture.of(ramp[:, ::-1].copy())
    >>> marks_of(one).pixels == marks_of(two).pixels, marks_of(one).upright == marks_of(two).upright
    (False, True)
    """
    luma = gray(picture).pixels
    shape = _upright(luma)
    return PictureMarks(
        file=picture.facts.file_sha256,
        pixels=picture.sha256,
        upright=pixel_hash(_upright(picture.pixels)),
        gray_upright=pixel_hash(shape),
        turned=shape.shape != luma.shape or not np.array_equal(shape, luma),
        thumb=thumbnail(luma[..., 0]),
    )


def _upright(pixels: Pixels) -> Pixels:
    """Return the one of a picture's eight turns and mirrorings that its sums choose.

    Sums over rows read smaller from the top than from the bottom, sums over columns from
    the left; the picture is transposed when its columns' sums come first. Where sums do not
    decide, the pixels' bytes do.
    """
    rows = pixels.reshape(pixels.shape[0], -1).sum(axis=1).tolist()
    columns = pixels.sum(axis=0).sum(axis=1).tolist()
    forms = []
    best_rows, best_columns = min(rows, rows[::-1]), min(columns, columns[::-1])
    by_rows = (len(best_rows), best_rows)
    by_columns = (len(best_columns), best_columns)
    for down in (False, True) if rows == rows[::-1] else (rows != best_rows,):
        for across in (False, True) if columns == columns[::-1] else (columns != best_columns,):
            turned = pixels[::-1] if down else pixels
            turned = turned[:, ::-1] if across else turned
            if by_rows <= by_columns:
                forms.append(turned)
            if by_columns <= by_rows:
                forms.append(turned.transpose(1, 0, 2))
    if len(forms) == 1:
        return np.ascontiguousarray(forms[0])
    return min((np.ascontiguousarray(form) for form in forms), key=lambda form: form.tobytes())


def thumbnail(luma: NDArray[np.uint8]) -> Thumb:
    """Return the mean luma of 64 × 64 cells; a picture is at least stretched to that size.

    >>> thumbnail(np.full((10, 300), 7, np.uint8)).shape
    (64, 64)
    """
    rows = _averaging(luma.shape[0])
    columns = _averaging(luma.shape[1])
    small = rows @ luma.astype(np.float32) @ columns.T
    return np.asarray(np.clip(np.rint(small), 0, 255), dtype=np.uint8)


def _averaging(length: int) -> NDArray[np.float32]:
    """Return a (64, length) matrix that takes the mean over each 64th of a line."""
    edges = np.linspace(0, length, THUMB + 1)
    places = np.arange(length)
    low, high = edges[:-1, None], edges[1:, None]
    share = np.clip(np.minimum(high, places + 1) - np.maximum(low, places), 0, None)
    return np.asarray(share / share.sum(axis=1, keepdims=True), dtype=np.float32)
