"""Draws polygons, ovals and lines as a hand would, on a canvas of twice the picture's size.

Outlines tremble a little, by the brush's own random stream. All coordinates are rounded
to whole pixels and filled without smoothing; the canvas is reduced by half at the end,
which smooths it in whole numbers. So a sketch has the same bytes on every machine with the
same release of Pillow; releases differ in which pixels lie on a polygon's edge.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from eyeprint.models.colour_names import Rgb
from eyeprint.randomness import Stream

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageDraw import ImageDraw

Point = tuple[float, float]
_TURN = 26
"""Corners of an oval."""
_CIRCLE = [
    (math.cos(2 * math.pi * k / _TURN), math.sin(2 * math.pi * k / _TURN)) for k in range(_TURN)
]


class Glow(NamedTuple):
    """Light around something that shines, added when the picture is finished."""

    x: float
    y: float
    radius: float
    rgb: Rgb


class Brush:
    """Draws on an image, in pixels."""

    def __init__(self, image: Image, hand: Stream, wobble: float, ink: Rgb | None) -> None:
        from PIL import ImageDraw as Pens

        self.image = image
        self.draw: ImageDraw = Pens.Draw(image)
        self.hand = hand
        self.wobble = wobble
        """Trembling, as a share of a shape's size."""
        self.ink = ink
        """Colour of outlines; ``None`` draws none."""
        self.pen = max(2, round(min(image.size) / 260))
        """Width of outlines."""
        self.glows: list[Glow] = []

    def _shaken(self, points: Sequence[Point], reach: float) -> list[Point]:
        if not reach:
            return [(round(x), round(y)) for x, y in points]
        draw = self.hand.random
        return [
            (round(x + (draw() - 0.5) * reach), round(y + (draw() - 0.5) * reach))
            for x, y in points
        ]

    def polygon(self, points: Sequence[Point], rgb: Rgb, tremble: float = 1.0) -> None:
        """Fill a polygon of three or more corners."""
        size = max(p[0] for p in points) - min(p[0] for p in points)
        size = max(size, max(p[1] for p in points) - min(p[1] for p in points))
        shaken = self._shaken(points, self.wobble * tremble * min(size, 160))
        self.draw.polygon(shaken, fill=rgb)
        if self.ink is not None and size > 5 * self.pen:
            self.draw.line([*shaken, shaken[0]], fill=self.ink, width=self.pen, joint="curve")

    def oval(self, x: float, y: float, rx: float, ry: float, rgb: Rgb) -> None:
        """Fill an oval around (x, y)."""
        if max(rx, ry) < 4:
            self.draw.ellipse(
                [round(x - rx), round(y - ry), round(x + rx), round(y + ry)], fill=rgb
            )
            return
        lean = (self.hand.random() - 0.5) * self.wobble * 2
        points = [(x + rx * c * (1 + lean * s), y + ry * s * (1 - lean * c)) for c, s in _CIRCLE]
        self.polygon(points, rgb, 0.4)

    def line(self, points: Sequence[Point], width: float, rgb: Rgb) -> None:
        """Draw a line with round ends."""
        thick = max(1, round(width))
        shaken = self._shaken(points, self.wobble * 40 if len(points) > 2 else 0)
        if self.ink is not None and thick > 3 * self.pen:
            self.draw.line(shaken, fill=self.ink, width=thick + 2 * self.pen, joint="curve")
        self.draw.line(shaken, fill=rgb, width=thick, joint="curve")
        if thick > 3:
            r = thick / 2 - 0.5
            for x, y in (shaken[0], shaken[-1]):
                self.draw.ellipse(
                    [round(x - r), round(y - r), round(x + r), round(y + r)], fill=rgb
                )

    def ring(self, x: float, y: float, rx: float, ry: float, width: float, rgb: Rgb) -> None:
        """Draw an oval's outline."""
        self.line([(x + rx * c, y + ry * s) for c, s in [*_CIRCLE, *_CIRCLE[:2]]], width, rgb)

    def arch(self, x: float, y: float, rx: float, ry: float, width: float, rgb: Rgb) -> None:
        """Draw the upper half of an oval's outline."""
        upper = [(x + rx * c, y - ry * s) for c, s in _CIRCLE if s >= -1e-9]
        self.line(upper, width, rgb)

    def spiral(
        self, x: float, y: float, radius: float, turns: float, width: float, rgb: Rgb
    ) -> None:
        """Draw a spiral from the middle outwards."""
        steps = round(turns * 28)
        points = []
        for k in range(steps + 1):
            turn = 2 * math.pi * turns * k / steps
            points.append(
                (x + radius * k / steps * math.cos(turn), y + radius * k / steps * math.sin(turn))
            )
        self.line(points, width, rgb)

    def glow(self, x: float, y: float, radius: float, rgb: Rgb) -> None:
        """Leave light around a point for the finish."""
        self.glows.append(Glow(x, y, radius, rgb))
