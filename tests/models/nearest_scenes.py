"""Small scenes of spotted and striped creatures, drawn for the tests of the model ``nearest``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from PIL import Image, ImageDraw

from eyeprint.models.kinds import ImagePart
from eyeprint.models.pictures import image_part
from eyeprint.randomness import Stream
from eyeprint.records.pictures import Picture

Rgb = tuple[int, int, int]
COLOURS: dict[str, Rgb] = {
    "red": (214, 38, 43),
    "blue": (43, 95, 196),
    "yellow": (245, 210, 50),
    "orange": (240, 130, 30),
    "purple": (128, 60, 160),
    "pink": (242, 155, 183),
    "white": (246, 245, 240),
    "brown": (112, 70, 42),
}
PLACES: tuple[tuple[Rgb, Rgb], ...] = (
    ((150, 205, 240), (110, 170, 80)),
    ((20, 24, 60), (40, 50, 70)),
    ((240, 220, 190), (160, 120, 80)),
    ((200, 225, 235), (235, 240, 245)),
    ((250, 190, 140), (60, 110, 150)),
)
INK = (46, 38, 52)
_FINER = 2


class Creature(NamedTuple):
    """What one looks like, everywhere."""

    body: str
    mark: str
    ears: str
    pattern: str

    @property
    def description(self) -> str:
        """In words, as a concept's text has it."""
        return (
            f"<sks> is a creature with a {self.body} body, {self.mark} {self.pattern} and "
            f"{self.ears} ears."
        )


def creature(draw: Stream) -> Creature:
    """Draw one with three different colours."""
    body, mark, ears = draw.sample(list(COLOURS), 3)
    return Creature(body, mark, ears, draw.pick(["stripes", "dots"]))


def stranger(than: Creature, draw: Stream) -> Creature:
    """Draw one whose body and ears are of other colours than somebody's."""
    while True:
        made = creature(draw)
        if made.body != than.body and made.ears != than.ears:
            return made


def scene(creatures: Sequence[Creature], draw: Stream, side: int = 256) -> Picture:
    """Paint creatures side by side somewhere, with a tree or two behind."""
    size = side * _FINER
    image = Image.new("RGB", (size, size))
    pen = ImageDraw.Draw(image)
    sky, ground = draw.pick(list(PLACES))
    line = round(size * _within(draw, 0.45, 0.65))
    pen.rectangle((0, 0, size, line), fill=sky)
    pen.rectangle((0, line, size, size), fill=ground)
    for _ in range(draw.between(0, 2)):
        x = round(size * _within(draw, 0.1, 0.9))
        pen.rectangle((x, line - 40, x + 20, line), fill=(100, 70, 50))
        pen.ellipse((x - 30, line - 100, x + 50, line - 30), fill=(60, 130, 60))
    for place, each in enumerate(creatures):
        high = size * _within(draw, 0.35, 0.55) * (0.8 if len(creatures) > 2 else 1)
        x = (place + 0.5) / len(creatures) * size + _within(draw, -20, 20)
        _paint(pen, each, x, size * _within(draw, 0.78, 0.93), high)
    return Picture.of(np.array(image.resize((side, side), Image.Resampling.BOX)))


def part(picture: Picture) -> ImagePart:
    """Return a picture as a part of a message."""
    return image_part(picture)


def _within(draw: Stream, low: float, high: float) -> float:
    return low + (high - low) * draw.random()


def _paint(pen: ImageDraw.ImageDraw, one: Creature, x: float, y: float, high: float) -> None:
    body, mark, ears = COLOURS[one.body], COLOURS[one.mark], COLOURS[one.ears]
    pen.ellipse((x - high * 0.3, y - high * 0.6, x + high * 0.3, y), body, INK, 3)
    for k in range(3):
        low = y - high * (0.5 - 0.15 * k)
        if one.pattern == "stripes":
            pen.rectangle((x - high * 0.2, low, x + high * 0.2, low + high * 0.06), mark)
        else:
            for at in (-0.15, 0.0, 0.15):
                left = x + high * at
                pen.ellipse((left, low, left + high * 0.08, low + high * 0.08), mark)
    pen.ellipse((x - high * 0.22, y - high * 0.95, x + high * 0.22, y - high * 0.5), body, INK, 3)
    for side in (-1, 1):
        tip, out, inner = (0.25, 1.05), (0.2, 0.8), (0.05, 0.93)
        pen.polygon([(x + side * high * a, y - high * b) for a, b in (out, tip, inner)], ears, INK)
        pen.ellipse(
            (
                x + side * high * 0.08 - 4,
                y - high * 0.75,
                x + side * high * 0.08 + 4,
                y - high * 0.75 + 8,
            ),
            INK,
        )
