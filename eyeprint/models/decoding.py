"""How the paper's three writers decode, as data (CHECKLIST V46).

``decoding_for(name)`` gives the parameters that a writer's requests carry. What the
paper leaves open is named in ``gaps``; a run's summary and report tell it.
"""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any

from pydantic import Field

from eyeprint.config import Settings


class Decoding(Settings):
    """Sampling parameters of one writer; ``None`` leaves one to the server."""

    preset: str = "other"
    temperature: float | None = Field(default=None, ge=0)
    top_p: float | None = Field(default=None, gt=0, le=1)
    max_tokens: int | None = Field(default=None, ge=1)
    seed: int | None = None
    gaps: tuple[str, ...] = ()
    """Parameters that the paper does not state for this model: their values are choices."""

    def parameters(self) -> dict[str, Any]:
        """Return what goes into a request: the parameters that are not left to the server.

        >>> Decoding(temperature=0.1, seed=42).parameters()
        {'temperature': 0.1, 'seed': 42}
        """
        return self.model_dump(exclude={"preset", "gaps"}, exclude_none=True)


@cache
def _presets() -> tuple[tuple[frozenset[str], Decoding], ...]:
    text = files("eyeprint.models").joinpath("data/decoding.toml").read_text(encoding="utf-8")
    return tuple(
        (frozenset(entry.pop("models")), Decoding.model_validate(entry | {"preset": preset}))
        for preset, entry in tomllib.loads(text).items()
    )


def decoding_for(name: str) -> Decoding:
    """Return the decoding of a writer by its catalogue name.

    The name itself, its part after the host and its part after ``#`` are looked up,
    whatever their case: ``vllm/Qwen/Qwen2.5-7B-Instruct`` is the paper's Qwen. Models that
    the paper does not name get the preset "other", all of whose values are our choice.

    >>> decoding_for("openai/gpt-4o-mini").temperature
    0.1
    >>> decoding_for("http://127.0.0.1:8000/v1#Qwen/Qwen2.5-7B-Instruct").top_p
    0.9
    >>> decoding_for("somebody/else").preset
    'other'
    """
    lower = name.lower()
    after_host = lower.removeprefix("inspect/").partition("/")[2]
    wanted = {lower, lower.removeprefix("inspect/"), after_host, lower.rpartition("#")[2]}
    presets = _presets()
    for models, decoding in presets:
        if models & wanted:
            return decoding
    return next(decoding for _, decoding in presets if decoding.preset == "other")
