"""Choices behind image scores, and what a scorer is given; defaults follow the released code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from eyeprint.config import Settings
from eyeprint.models.kinds import Vectors
from eyeprint.records.pictures import Picture
from eyeprint.records.work import Work

DECIMALS = 6
"""Values are rounded to this: the last bits of a float depend on a batch's composition."""

Seen = Picture | str
"""A picture, or in words why there is none: "missing", "cut off after 3 KB" ..."""


class ImageSettings(Settings):
    """Which columns are computed, and how."""

    gray: bool = True
    """Whether to have the gray variants (P48)."""
    target: bool = True
    """Whether to compare with the target, where a case has one."""
    pixels: bool = True
    """Whether to have MSE, MAE and PSNR against the target."""
    clipped: tuple[str, ...] = ("CLS",)
    """Prefixes whose negative cosines count as 0, each before any mean: CLIP, as released."""
    psnr_identical: float | None = Field(default=None, ge=0)
    """PSNR, in dB, of an output whose pixels are the target's: it has no finite value, and
    ``None`` leaves it unscored (the released summary leaves it out of the mean too)."""


@runtime_checkable
class PictureRows(Protocol):
    """Unit rows of pictures in one encoder, each distinct picture encoded once."""

    def rows(self, pictures: Sequence[Picture], gray: bool = False) -> Vectors:
        """Return row i for picture i, shape (n, dim); ``gray`` turns pictures gray first."""
        ...


@runtime_checkable
class PictureDistance(Protocol):
    """A distance of two pictures, 0 when they are equal; smaller is nearer."""

    @property
    def name(self) -> str:
        """Its catalogue name, such as ``lpips``."""
        ...

    @property
    def column(self) -> str:
        """The prefix of its columns: ``LPIPS``."""
        ...

    @property
    def fingerprint(self) -> str:
        """Identity of weights and framing; numbers of two fingerprints never mix."""
        ...

    def distances(
        self, references: Sequence[Picture], outputs: Sequence[Picture], gray: bool = False
    ) -> NDArray[np.float64]:
        """Return the distance of each pair, shape (n,)."""
        ...


@dataclass(frozen=True)
class ImageJob:
    """One output picture with what it is compared with."""

    case_id: str
    prompt: str
    """X, the case's short prompt, whatever the painter was told."""
    references: Sequence[Seen]
    target: Seen | None
    """``None`` when the case has no target."""
    output: Seen
    label: str = ""
    """Which method made it; told back in the result."""


class ImageScores(Work):
    """The image scores of one output: a value per column, and why the others have none."""

    case_id: str
    label: str = ""
    values: dict[str, float | None]
    """Column -> value; the columns are those of the scorer, whatever could be computed."""
    unscored: dict[str, str] = Field(default_factory=dict)
    """Column -> why it is ``None``."""
    cut: tuple[str, ...] = ()
    """Prefixes of the encoders that read only the start of the prompt."""
