"""A judge without any model: what the profile leads one to expect, against what is seen.

It reads palette, light and layout from the pictures' pixels and compares them with the
profile's aesthetic priors (P12). It knows nothing of subjects, meaning or craft, and its
name says so in every result: it makes the whole flow run, and is no stand-in for people.

Fit of a picture, in [-1, 1]:

    fit = (1 - p) · Σ prior_i · seen_i / Σ |prior_i|  +  p · (2 · palette - 1)

over the properties that pixels show (saturation, brightness, contrast, energy, warmth,
complexity, symmetry), with ``palette`` the share of the picture whose colour is near a
favourite one, and p = ``palette_weight`` where the profile has favourite colours, else 0.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Literal

import numpy as np
from pydantic import Field

from eyeprint.config import Settings, fingerprint_of
from eyeprint.errors import shown
from eyeprint.maths.colour import lab_of
from eyeprint.models.colour_names import Rgb, colours_by_word
from eyeprint.models.picture_reading import PictureReading, read_picture
from eyeprint.records.pictures import Picture
from eyeprint.records.profiles import PROPERTIES, AestheticPriors
from eyeprint.records.verdicts import Verdict
from eyeprint.scores.pair_judge import PairJudgeSettings, PairQuestion, decided, no_verdict

NAME = "offline"


class OfflineJudgeSettings(Settings):
    """How the offline judge weighs."""

    palette_weight: float = Field(default=0.4, ge=0, le=1)
    """p of the formula."""
    near: float = Field(default=30.0, gt=0)
    """ΔE (CIELAB, 1976) within which a colour counts as a favourite one."""
    sharpness: float = Field(default=8.0, gt=0)
    """Confidence = 1 / (1 + exp(-sharpness · difference of fits)): 0.70 at a difference of
    about 0.11."""
    tie_within: float = Field(default=1e-9, ge=0)
    """Fits this close are an explicit tie."""


class OfflineJudge:
    """Compares two pictures with a profile's priors; see the module's text.

    >>> from eyeprint.records.verdicts import Comparison
    >>> import asyncio
    >>> warm = Picture.of(np.full((8, 8, 3), (230, 140, 60), np.uint8))
    >>> cool = Picture.of(np.full((8, 8, 3), (40, 90, 160), np.uint8))
    >>> pair = Comparison(id="1", case_id="1", person_id="p", model_a="m", model_b="n",
    ...     picture_a=warm.sha256, picture_b=cool.sha256)
    >>> likes = AestheticPriors(warmth=-0.9)
    >>> question = PairQuestion(pair, warm, cool, False, "likes cool tones", likes)
    >>> asyncio.run(OfflineJudge().compare(question)).choice
    'b'
    """

    def __init__(
        self,
        settings: OfflineJudgeSettings | None = None,
        judging: PairJudgeSettings | None = None,
    ) -> None:
        self.settings = settings or OfflineJudgeSettings()
        self.judging = judging or PairJudgeSettings()
        self._readings: dict[str, PictureReading] = {}

    @property
    def name(self) -> str:
        """``offline``."""
        return NAME

    @property
    def fingerprint(self) -> str:
        """Of both settings."""
        return fingerprint_of([NAME, 2, self.settings.fingerprint(), self.judging.fingerprint()])

    async def compare(self, question: PairQuestion) -> Verdict:
        """Judge one pair; a question without priors gets no verdict, and says so."""
        if question.priors is None:
            told = (
                "the offline judge reads answers, and the profile of "
                f"'{shown(question.comparison.person_id)}' has a text alone; add its answers, or "
                "name a chat model as judge"
            )
            return no_verdict(question.comparison, question.flipped, self.name, "unread", told)
        fits = [
            self._fit(picture, question.priors) for picture in (question.first, question.second)
        ]
        gap = fits[0] - fits[1]
        side: Literal["first", "second", "tie"] = (
            "tie" if abs(gap) <= self.settings.tie_within else "first" if gap > 0 else "second"
        )
        confidence = 1 / (1 + math.exp(-self.settings.sharpness * abs(gap)))
        return decided(
            question,
            self.name,
            side,
            round(confidence, 6),
            self.judging,
            reason=f"fit of palette, light and layout: {fits[0]:.3f} against {fits[1]:.3f}",
            aspects={"first": round(fits[0], 6), "second": round(fits[1], 6)},
        )

    def _fit(self, picture: Picture, priors: AestheticPriors) -> float:
        reading = self._readings.get(picture.sha256)
        if reading is None:
            if len(self._readings) >= 4096:
                self._readings.clear()
            reading = self._readings[picture.sha256] = read_picture(picture)
        return fit_of(reading, priors, self.settings)


def seen_of(reading: PictureReading) -> Mapping[str, float]:
    """Return what pixels show of each property, in [-1, 1]; abstraction is not among them.

    >>> seen_of(read_picture(Picture.of(np.full((8, 8, 3), 255, np.uint8))))["brightness"]
    1.0
    """

    def lean(value: float, low: float, high: float) -> float:
        return max(-1.0, min(1.0, 2 * (value - low) / (high - low) - 1))

    vivid = lean(reading.colourfulness, 5, 90)
    contrast = lean(reading.contrast, 0.15, 0.9)
    busy = lean(reading.busyness, 0.02, 0.35)
    return {
        "saturation": vivid,
        "brightness": lean(reading.brightness, 0.1, 0.9),
        "contrast": contrast,
        "energy": (vivid + contrast + busy) / 3,
        "warmth": max(-1.0, min(1.0, reading.warmth)),
        "complexity": busy,
        "symmetry": lean(reading.symmetry, 0.0, 0.9),
    }


def fit_of(
    reading: PictureReading, priors: AestheticPriors, settings: OfflineJudgeSettings
) -> float:
    """Return how well a picture fits the priors, in [-1, 1]; higher is better."""
    seen = seen_of(reading)
    expected = {name: float(getattr(priors, name)) for name in PROPERTIES if name in seen}
    mass = sum(abs(value) for value in expected.values())
    along = sum(value * seen[name] for name, value in expected.items()) / mass if mass else 0.0
    palette = palette_share(reading, priors.colours, settings.near)
    if palette is None:
        return along
    p = settings.palette_weight
    return (1 - p) * along + p * (2 * palette - 1)


def colour_meant(name: str) -> Rgb | None:
    """Return the colour of a name, or of its last words where the whole is not in the table.

    >>> colour_meant("bark brown") == colour_meant("brown"), colour_meant("of the sea")
    (True, None)
    """
    known, words = colours_by_word(), name.lower().split()
    ends = (" ".join(words[start:]) for start in range(len(words)))
    return next((known[end].rgb for end in ends if end in known), None)


def palette_share(reading: PictureReading, names: tuple[str, ...], near: float) -> float | None:
    """Return the share of a picture near a named colour; ``None`` where no name is known."""
    colours = [found for name in names if (found := colour_meant(name)) is not None]
    if not colours:
        return None
    wanted = lab_of(np.array(colours, np.uint8))
    main = lab_of(np.array([colour.rgb for colour in reading.colours], np.uint8))
    apart = np.sqrt(((main[:, None, :] - wanted[None]) ** 2).sum(axis=2)).min(axis=1)
    return float(sum(c.share for c, far in zip(reading.colours, apart, strict=True) if far <= near))
