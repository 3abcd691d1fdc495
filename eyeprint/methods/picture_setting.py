"""What methods that personalise pictures may be told, and the models they may ask (P59–P65)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from pydantic import Field

from eyeprint.config import Settings
from eyeprint.methods.setting import MethodModels, MethodSettings
from eyeprint.models.kinds import Chat
from eyeprint.records.cases import PaintPlan, PictureAsk
from eyeprint.records.people import Persona
from eyeprint.records.pictures import Picture

OFFLINE = "offline"
"""The writer that needs no model: what it writes stands in the pictures or in the request."""


class PictureMethodSettings(Settings):
    """Settings of the picture methods; defaults are the released ones where there are any."""

    word_limit: int = Field(default=150, ge=10)
    """Most words of an enriched prompt; a longer one is cut after its last whole sentence."""
    temperature: float = Field(default=0.0, ge=0)
    """Of the VLM that fuses or captions (released: 0)."""
    max_tokens: int = Field(default=512, ge=16)
    """Of the VLM's reply (released: 512)."""
    picture_side: int | None = Field(default=1024, ge=64)
    """Longest side of references that a VLM is sent; ``None`` sends them as they are."""
    offline_words: int = Field(default=12, ge=1)
    """Most visual words that the offline fusion adds."""
    agreement: float = Field(default=0.5, gt=0, le=1)
    """Share of the references that must show a trait before the offline fusion names it."""
    feedback_references: int = Field(default=4, ge=1)
    """The first so many references are liked pictures to FABRIC (released: 4)."""
    retrieval: MethodSettings = MethodSettings()
    """Of VPRAG on captioned references."""


@dataclass
class PictureModels:
    """What a run hands to a method. None of it knows of cases, targets or profiles."""

    writer: str = OFFLINE
    """Name of the VLM that writes, or "offline"."""
    chat: Chat | None = None
    """The VLM; ``None`` for the offline writer."""
    caption: Callable[[Picture], Awaitable[str]] | None = None
    """A picture's caption, by the writer; each distinct picture is captioned once."""
    person: Callable[[Sequence[str]], Persona] | None = None
    """A person known from captions alone (inverse pipeline, V22)."""
    texts: MethodModels | None = None
    """Text encoders of VPRAG."""


class PictureMethod(Protocol):
    """Turns a short prompt and references into a plan for a painter."""

    async def __call__(
        self, ask: PictureAsk, settings: PictureMethodSettings, models: PictureModels
    ) -> PaintPlan:
        """Plan one picture. What a model did is told in the plan's ``fault``, never raised."""
        ...
