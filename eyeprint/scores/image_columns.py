"""The columns of image scores: what each means, its range, and its name in released files.

A column's name is a prefix, which says what looked, and an ending, which says at what:

======  ====================================================================
ending  of the output, against
======  ====================================================================
``-T``  the case's prompt; ``-TG`` with the output in gray
``-R``  the references, mean over them; ``-G`` with all pictures in gray
``-Y``  the target; ``-YG`` with both in gray
======  ====================================================================

The paper's names are kept where it has one (P46-P48): CLS-T, CLS-R, DIS-R, LPIPS-R, CLS-TG,
CLS-G, DIS-G, LPIPS-G. Prefixes are CLS (CLIP), DIS (DINOv2), LPIPS, PAL (palette), PIX
(pixels) and those of plug-ins; numbers of one encoder never stand under another's prefix.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from eyeprint.records.work import Work

Against = Literal["prompt", "references", "target"]
Direction = Literal["higher", "lower"]


class ImageColumn(Work):
    """One column."""

    name: str
    prefix: str
    """CLS, DIS, LPIPS, PAL, PIX ..."""
    against: Against
    """What the output is compared with."""
    gray: bool = False
    """Whether pictures are turned gray by luma first (P48)."""
    better: Direction
    """Which way is better: nearer to what it is compared with."""
    unit: str
    low: float | None
    """Least possible value; ``None`` where there is none."""
    high: float | None
    """Greatest possible value; ``None`` where there is none."""
    released: str | None = None
    """Its key in the files of the authors' evaluator; ``None`` for columns that it has not."""

    @property
    def worst(self) -> float | None:
        """The worst value there can be, or ``None`` where there is no bound."""
        return self.low if self.better == "higher" else self.high

    @property
    def best(self) -> float | None:
        """The best value there can be, or ``None`` where there is no bound."""
        return self.high if self.better == "higher" else self.low


_ENDINGS: dict[str, tuple[Against, bool]] = {
    "T": ("prompt", False),
    "TG": ("prompt", True),
    "R": ("references", False),
    "G": ("references", True),
    "Y": ("target", False),
    "YG": ("target", True),
}

RELEASED_KEYS: dict[str, str] = {
    "CLS-T": "CLIP_TI",
    "CLS-TG": "CLIP_TI_gray",
    "CLS-R": "CLIP_II_ref",
    "CLS-G": "CLIP_II_gray_ref",
    "CLS-Y": "CLIP_II",
    "CLS-YG": "CLIP_II_gray",
    "DIS-R": "DINO_Cosine_ref",
    "DIS-G": "DINO_Cosine_gray_ref",
    "DIS-Y": "DINO_Cosine",
    "DIS-YG": "DINO_Cosine_gray",
    "LPIPS-R": "LPIPS_ref",
    "LPIPS-G": "LPIPS_gray_ref",
    "LPIPS-Y": "LPIPS",
    "LPIPS-YG": "LPIPS_gray",
    "PIX-MSE": "Pixel_MSE",
    "PIX-MAE": "Pixel_MAE",
    "PIX-PSNR": "Pixel_PSNR",
}
"""Our column -> the key in the released evaluator's files."""


def encoder_columns(
    prefix: str, reads_text: bool, clipped: bool, gray: bool = True, target: bool = True
) -> tuple[ImageColumn, ...]:
    """Return the columns of an image encoder: cosines × 100, higher is better.

    Args:
        prefix: the encoder's ``column``.
        reads_text: whether it has columns against the prompt.
        clipped: whether negative cosines count as 0, as the evaluator does for CLIP.
        gray: whether to have the gray variants.
        target: whether to have the columns against the target.

    >>> [column.name for column in encoder_columns("PAL", False, False, gray=False)]
    ['PAL-R', 'PAL-Y']
    """
    return tuple(
        ImageColumn(
            name=f"{prefix}-{ending}",
            prefix=prefix,
            against=against,
            gray=is_gray,
            better="higher",
            unit="cosine × 100",
            low=0.0 if clipped else -100.0,
            high=100.0,
            released=RELEASED_KEYS.get(f"{prefix}-{ending}"),
        )
        for ending, (against, is_gray) in _chosen(reads_text, gray, target)
    )


def distance_columns(
    prefix: str, gray: bool = True, target: bool = True
) -> tuple[ImageColumn, ...]:
    """Return the columns of a picture distance: from 0 up without a bound, lower is better.

    >>> [column.name for column in distance_columns("LPIPS", target=False)]
    ['LPIPS-R', 'LPIPS-G']
    """
    return tuple(
        ImageColumn(
            name=f"{prefix}-{ending}",
            prefix=prefix,
            against=against,
            gray=is_gray,
            better="lower",
            unit="distance",
            low=0.0,
            high=None,
            released=RELEASED_KEYS.get(f"{prefix}-{ending}"),
        )
        for ending, (against, is_gray) in _chosen(False, gray, target)
    )


def pixel_columns() -> tuple[ImageColumn, ...]:
    """Return MSE, MAE and PSNR against the target.

    >>> [(column.name, column.better) for column in pixel_columns()]
    [('PIX-MSE', 'lower'), ('PIX-MAE', 'lower'), ('PIX-PSNR', 'higher')]
    """
    kinds: tuple[tuple[str, Direction, str, float | None], ...] = (
        ("PIX-MSE", "lower", "squared share of the pixel range", 1.0),
        ("PIX-MAE", "lower", "share of the pixel range", 1.0),
        ("PIX-PSNR", "higher", "dB", None),
    )
    return tuple(
        ImageColumn(
            name=name,
            prefix="PIX",
            against="target",
            better=better,
            unit=unit,
            low=0.0,
            high=high,
            released=RELEASED_KEYS[name],
        )
        for name, better, unit, high in kinds
    )


def _chosen(
    reads_text: bool, gray: bool, target: bool
) -> Iterable[tuple[str, tuple[Against, bool]]]:
    for ending, (against, is_gray) in _ENDINGS.items():
        left_out = (
            (against == "prompt" and not reads_text)
            or (against == "target" and not target)
            or (is_gray and not gray)
        )
        if not left_out:
            yield ending, (against, is_gray)


IMAGE_COLUMNS: dict[str, ImageColumn] = {
    column.name: column
    for column in (
        *encoder_columns("CLS", reads_text=True, clipped=True),
        *encoder_columns("DIS", reads_text=False, clipped=False),
        *distance_columns("LPIPS"),
        *encoder_columns("PAL", reads_text=False, clipped=False),
        *pixel_columns(),
    )
}
"""Name -> column, for all prefixes that come with eyeprint."""


def column_named(name: str) -> ImageColumn:
    """Return the column of that name; one of a plug-in's prefix is read from its ending.

    Raises:
        KeyError: the ending is none of the module's table.

    >>> column_named("SIG-G").gray, column_named("LPIPS-R").better
    (True, 'lower')
    """
    if name in IMAGE_COLUMNS:
        return IMAGE_COLUMNS[name]
    prefix, _, ending = name.rpartition("-")
    if not prefix or ending not in _ENDINGS:
        raise KeyError(name)
    found = encoder_columns(prefix, reads_text=True, clipped=False)
    return next(column for column in found if column.name == name)
