"""Everything that decides what a PIPBench run computes: the run's identity."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Self

from pydantic import Field, model_validator

from eyeprint import __version__
from eyeprint.config import Settings
from eyeprint.errors import UsageError
from eyeprint.methods.picture_catalog import OURS, picture_method
from eyeprint.methods.picture_setting import OFFLINE, PictureMethodSettings
from eyeprint.records.cases import READY, Way, model_label
from eyeprint.scores.copy_alarm import CopySettings
from eyeprint.scores.copy_bands import BandSettings
from eyeprint.scores.image_settings import ImageSettings
from eyeprint.scores.image_table import ImageTableSettings

DEFAULT_METHODS = ("no_preference", "edit_1ref", "edit_2ref", "fusion", "vprag_refs")
"""What ``all`` means: every method of ours that runs without a painter that must be tuned."""


class PaintOptions(Settings):
    """What painters are told for every picture; ``None`` leaves it to their released settings."""

    width: int | None = Field(default=None, ge=16)
    height: int | None = Field(default=None, ge=16)
    steps: int | None = Field(default=None, ge=1)
    guidance: float | None = Field(default=None, ge=0)
    negative: str = ""


class ModelSpec(Settings):
    """One column of a comparison: a method, who writes for it, and what paints it."""

    method: str
    writer: str = ""
    """A VLM's name or "offline" for methods that ask; else empty."""
    painter: str
    painter_fingerprint: str
    way: Way
    paradigm: str = ""

    @property
    def label(self) -> str:
        """The text by which tables and the arena know it."""
        ready = self.method.startswith(READY)
        return (
            self.method.removeprefix(READY)
            if ready
            else model_label(self.method, self.writer, self.painter)
        )


class ScoreSettings(Settings):
    """How pictures are scored and compared.

    >>> ScoreSettings(tables={"seed": 3})  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    pydantic_core._pydantic_core.ValidationError: 1 validation error for ScoreSettings
      Value error, tables.seed: seeds and resamples are those of the run...
    """

    images: ImageSettings = ImageSettings()
    """Which columns there are (P46-P48)."""
    tables: ImageTableSettings = ImageTableSettings()
    """Means, marks and intervals (P49); seed and resamples are the run's."""
    bands: BandSettings = BandSettings()
    """How near real pictures are to each other; the seed is the run's."""
    copies: CopySettings = CopySettings()
    """When an output looks like a reference."""

    @model_validator(mode="after")
    def _run_decides_chance(self) -> Self:
        # A second seed would be one that does nothing.
        for part, named in (("tables", self.tables), ("bands", self.bands)):
            for name in sorted({"seed", "draws"} & named.model_fields_set):
                if name in type(named).model_fields:
                    raise ValueError(f"{part}.{name}: seeds and resamples are those of the run")
        return self


class PipbenchRun(Settings):
    """A PIPBench run (P1–P4, P46–P49, P59–P65). Equal settings give equal bytes.

    Data, painters and encoders enter by fingerprint, so changed pictures or other weights
    make another run. What only decides how fast it goes is not here.
    """

    data: str
    """Fingerprint of the cases and their pictures."""
    cases: int
    models: tuple[ModelSpec, ...]
    encoders: dict[str, str]
    """Name -> fingerprint of each image encoder and distance."""
    text_encoder: str = ""
    """Fingerprint of the text encoder that VPRAG retrieves with; empty when none is needed."""
    method: PictureMethodSettings = PictureMethodSettings()
    paint: PaintOptions = PaintOptions()
    score: ScoreSettings = ScoreSettings()
    seed: int = 0
    """Of reference draws, painters and bootstraps. A case has one painter seed, which all
    models share: their pictures differ by what they were told, not by noise."""
    bootstraps: int = Field(default=2000, ge=100)
    version: str = __version__


class Chosen(NamedTuple):
    """One method with one writer, before painters are known."""

    method: str
    writer: str
    way: Way
    paradigm: str


def choose_picture_methods(names: str, writers: Sequence[str]) -> tuple[Chosen, ...]:
    """Return methods with their writers from a comma-separated list, or ``all``.

    A method that asks a writer is repeated for each of them (P62).

    Raises:
        UnknownName: a method is unknown. UsageError: none was named, or no writer.

    >>> [f"{one.method}/{one.writer}" for one in choose_picture_methods("fusion,no_preference",
    ...     ["offline", "openai/gpt-5"])]
    ['fusion/offline', 'fusion/openai/gpt-5', 'no_preference/']
    """
    wanted: dict[str, None] = {}
    for name in (part.strip() for part in names.split(",")):
        if name.lower() == "all":
            wanted.update(dict.fromkeys(DEFAULT_METHODS))
        elif name:
            wanted[name if name in OURS else name.lower() if name.lower() in OURS else name] = None
    if not wanted:
        raise UsageError("No method was named. Use --methods all, or names with commas between.")
    known_writers = tuple(dict.fromkeys(writer.strip() for writer in writers if writer.strip()))
    chosen: list[Chosen] = []
    for name in wanted:
        entry = picture_method(name)[1]
        if entry.asks and not known_writers:
            raise UsageError(
                f"'{name}' needs a writer: --writer {OFFLINE}, or a chat model that sees pictures."
            )
        for_writers = known_writers if entry.asks else ("",)
        chosen += [Chosen(name, writer, entry.way, entry.paradigm) for writer in for_writers]
    return tuple(chosen)
