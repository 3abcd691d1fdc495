"""What is told of a picture's looks: numbers with a range, and words of short lists.

:mod:`eyeprint.models.picture_reading` finds them, :mod:`eyeprint.models.reading_words` puts them
into phrases.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from eyeprint.models.picture_colours import MainColour

Level = Literal["dark", "dim", "medium", "bright"]
Quality = Literal["soft", "even", "harsh"]
Tint = Literal["golden", "rosy", "violet", "blue", "green", "neutral"]


@dataclass(frozen=True)
class PictureLooks:
    """One picture's looks. Everything is a number with a range, or a word from a short list."""

    colours: tuple[MainColour, ...]
    """One to six main colours, largest share first; shares sum to 1."""
    warmth: float
    """-1 (blue and cyan) to 1 (red, orange, yellow); 0 for grays: mean of a*, b* along hue
    60°, as a share of the mean chroma plus 5."""
    brightness: float
    """Mean L* / 100: 0 (black) to 1 (white)."""
    saturation: float
    """Chroma / sqrt(chroma² + L*²), mean weighted by L*: 0 (gray) to about 0.9 (pure)."""
    colourfulness: float
    """M of Hasler and Süsstrunk (2003): 0 (gray), 15 slight, 45 fair, 80 high, to about
    290 for halves of pure opposites."""
    contrast: float
    """(95th - 5th percentile of L*) / 100: 0 (flat) to 1 (black and white)."""
    light_level: Level
    """From the brightness: dark < 0.27 <= dim < 0.42 <= medium < 0.62 <= bright."""
    light_quality: Quality
    """soft where contrast is low or tones change slowly; harsh where both extremes meet in
    hard steps; even between."""
    light_tint: Tint
    """Colour of the brightest tenth of the picture."""
    horizon: float | None
    """Height of a level line that divides the picture, as a share from the top (0 to 1);
    ``None`` where nothing does."""
    busyness: float
    """Share of pixels, at 128 on the longer side, that lie on an edge (step of L* above 8 per
    pixel): 0 (empty) to about 0.8."""
    symmetry: float
    """1 - difference of left and mirrored right / difference of rearranged cells, within 0
    and 1, on a 24 x 24 grid: 1 for a mirrored picture, about 0 for an unordered one."""
    texture: float
    """Median step of L* against its neighbours, away from edges, within 0 and 1: 0 is smooth,
    above 0.1 grainy."""

    @property
    def light(self) -> str:
        """Level, quality and tint in words.

        >>> from eyeprint.records.pictures import Picture
        >>> from eyeprint.models.picture_reading import read_picture
        >>> import numpy as np
        >>> read_picture(Picture.of(np.full((8, 8, 3), 240, np.uint8))).light
        'bright soft light'
        """
        tint = "" if self.light_tint == "neutral" else f" {self.light_tint}"
        quality = "" if self.light_quality == "even" else f" {self.light_quality}"
        level = "" if self.light_level == "medium" else f" {self.light_level}"
        return f"{level}{quality}{tint} light".strip() if level + quality + tint else "even light"
