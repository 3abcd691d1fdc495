"""The pen of the toybox: flat shapes with a dark outline, plain or patterned.

Coordinates are the drawn thing's own: x to the right, y upwards, its foot at (0, 0), and 1 is
its height. They are turned into whole pixels of a canvas twice as large as the picture, which
is halved at the end: that smooths edges in whole numbers, so equal settings give equal bytes
on every machine with the same release of Pillow.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from eyeprint.models.colour_names import Rgb

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageDraw import ImageDraw

Point = tuple[float, float]
INK: Rgb = (46, 38, 52)
"""Colour of outlines."""
WHITE: Rgb = (250, 250, 248)
FINER = 2
"""Pixels of the canvas for one of the picture, each way."""
_TURN = 36
_CIRCLE = [
    (math.cos(2 * math.pi * k / _TURN), math.sin(2 * math.pi * k / _TURN)) for k in range(_TURN)
]


class Cloth(NamedTuple):
    """A fill of two colours."""

    pattern: str
    """plain, stripes, bars, dots, checks, zigzag or patches."""
    main: Rgb
    second: Rgb


Fill = Rgb | Cloth


def shade(rgb: Rgb, by: int) -> Rgb:
    """Return a colour lighter (above 0) or darker by so many levels.

    >>> shade((250, 100, 0), 10), shade((250, 100, 0), -10)
    ((255, 110, 10), (240, 90, 0))
    """
    red, green, blue = (max(0, min(255, value + by)) for value in rgb)
    return red, green, blue


@dataclass(frozen=True)
class Pen:
    """Draws in the coordinates of one thing.

    >>> from PIL import Image
    >>> sheet = Image.new("RGB", (64, 64), (255, 255, 255))
    >>> Pen.on(sheet, 32, 60, 50).oval(0, 0.5, 0.3, 0.3, (200, 0, 0))
    >>> sheet.getpixel((32, 35))
    (200, 0, 0)
    """

    image: Image
    draw: ImageDraw
    x: float
    """Of the thing's foot, in pixels of the canvas."""
    y: float
    size: float
    """Pixels of its height."""
    flip: bool = False
    turn: float = 0.0
    """Radians, against the clock."""
    width: float = 3.0
    """Of outlines, in pixels; 0 draws none."""

    @classmethod
    def on(
        cls, image: Image, x: float, y: float, size: float, flip: bool = False, turn: float = 0.0
    ) -> Pen:
        """Return a pen for a thing whose foot stands at (x, y)."""
        from PIL import ImageDraw as Pens

        return cls(image, Pens.Draw(image), x, y, size, flip, turn)

    def part(self, x: float, y: float, size: float, flip: bool = False, turn: float = 0.0) -> Pen:
        """Return the pen of a part that stands at (x, y) of this thing; ``size`` is relative."""
        px, py = self.spot(x, y)
        turned = -turn if self.flip else turn
        return replace(
            self, x=px, y=py, size=self.size * size, flip=self.flip != flip, turn=self.turn + turned
        )

    def spot(self, x: float, y: float) -> Point:
        """Return where a point lies on the canvas."""
        if self.flip:
            x = -x
        if self.turn:
            cos, sin = math.cos(self.turn), math.sin(self.turn)
            x, y = x * cos - y * sin, x * sin + y * cos
        return self.x + x * self.size, self.y - y * self.size

    def _spots(self, points: Sequence[Point]) -> list[Point]:
        return [(round(px), round(py)) for px, py in (self.spot(x, y) for x, y in points)]

    def poly(self, points: Sequence[Point], fill: Fill, ink: bool = True) -> None:
        """Fill a polygon of three or more corners and outline it."""
        spots = self._spots(points)
        if isinstance(fill, Cloth) and fill.pattern != "plain":
            self._cloth(spots, fill)
        else:
            rgb = fill.main if isinstance(fill, Cloth) else fill
            self.draw.polygon(spots, fill=rgb)
        if ink and self.width:
            self.draw.line([*spots, *spots[:2]], fill=INK, width=round(self.width), joint="curve")

    def smooth(self, points: Sequence[Point], fill: Fill, ink: bool = True) -> None:
        """Fill a closed curve through the points (Catmull-Rom)."""
        self.poly(curve(points), fill, ink)

    def oval(self, x: float, y: float, rx: float, ry: float, fill: Fill, ink: bool = True) -> None:
        """Fill an oval around (x, y)."""
        self.poly([(x + rx * c, y + ry * s) for c, s in _CIRCLE], fill, ink)

    def box(
        self,
        left: float,
        low: float,
        right: float,
        high: float,
        fill: Fill,
        corner: float = 0.0,
        ink: bool = True,
    ) -> None:
        """Fill a box; ``corner`` is the radius of its corners."""
        if not corner:
            self.poly([(left, low), (right, low), (right, high), (left, high)], fill, ink)
            return
        quarter = _TURN // 4
        points: list[Point] = []
        middles = ((right, high), (left, high), (left, low), (right, low))
        for index, (x, y) in enumerate(middles):
            cx = x - corner if x == right else x + corner
            cy = y - corner if y == high else y + corner
            for k in range(quarter + 1):
                c, s = _CIRCLE[(index * quarter + k) % _TURN]
                points.append((cx + corner * c, cy + corner * s))
        self.poly(points, fill, ink)

    def line(self, points: Sequence[Point], width: float, rgb: Rgb, ink: bool = True) -> None:
        """Draw a line with round ends; ``width`` in the thing's units."""
        spots = self._spots(points)
        thick = max(2, round(width * self.size))
        if ink and self.width:
            self._stroke(spots, thick + 2 * round(self.width), INK)
        self._stroke(spots, thick, rgb)

    def _stroke(self, spots: list[Point], thick: int, rgb: Rgb) -> None:
        self.draw.line(spots, fill=rgb, width=thick, joint="curve")
        if thick > 3:
            r = thick / 2 - 0.5
            for x, y in (spots[0], spots[-1]):
                self.draw.ellipse([round(x - r), round(y - r), round(x + r), round(y + r)], rgb)

    def ring(
        self, x: float, y: float, rx: float, ry: float, width: float, rgb: Rgb, ink: bool = True
    ) -> None:
        """Draw an oval's outline."""
        points = [(x + rx * c, y + ry * s) for c, s in [*_CIRCLE, *_CIRCLE[:2]]]
        self.line(points, width, rgb, ink)

    def arc(
        self,
        x: float,
        y: float,
        rx: float,
        ry: float,
        start: float,
        end: float,
        width: float,
        rgb: Rgb,
        ink: bool = False,
    ) -> None:
        """Draw a part of an oval's outline, from one angle to another (turns of 1)."""
        points = []
        for k in range(13):
            turn = 2 * math.pi * (start + (end - start) * k / 12)
            points.append((x + rx * math.cos(turn), y + ry * math.sin(turn)))
        self.line(points, width, rgb, ink)

    def _cloth(self, spots: list[Point], cloth: Cloth) -> None:
        from PIL import Image as Sheets
        from PIL import ImageDraw as Pens

        left, top = (int(min(p[k] for p in spots)) for k in (0, 1))
        right, low = (int(max(p[k] for p in spots)) + 1 for k in (0, 1))
        mask = Sheets.new("1", (right - left + 1, low - top + 1), 0)
        Pens.Draw(mask).polygon([(x - left, y - top) for x, y in spots], fill=1)
        tile = Sheets.new("RGB", mask.size, cloth.main)
        _weave(Pens.Draw(tile), mask.size, cloth, max(8, round(self.size * 0.085)))
        self.image.paste(tile, (left, top), mask)


def _weave(draw: ImageDraw, size: tuple[int, int], cloth: Cloth, step: int) -> None:
    """Draw a pattern over a whole tile; ``step`` is the distance from one repeat to the next."""
    wide, high = size
    second, half = cloth.second, step // 2
    if cloth.pattern == "stripes":
        for y in range(half // 2, high, step):
            draw.rectangle([0, y, wide, y + half - 1], second)
    elif cloth.pattern == "bars":
        for x in range(half // 2, wide, step):
            draw.rectangle([x, 0, x + half - 1, high], second)
    elif cloth.pattern == "dots":
        radius = max(2, step * 3 // 10)
        for row, y in enumerate(range(half, high + step, step)):
            for x in range(half + (row % 2) * half, wide + step, step):
                draw.ellipse([x - radius, y - radius, x + radius, y + radius], second)
    elif cloth.pattern == "checks":
        for row, y in enumerate(range(0, high, step)):
            for x in range((row % 2) * step, wide, 2 * step):
                draw.rectangle([x, y, x + step - 1, y + step - 1], second)
    elif cloth.pattern == "zigzag":
        for y in range(half, high + 2 * step, step * 3 // 2):
            points = [
                (x, y - (k % 2) * step) for k, x in enumerate(range(-step, wide + step, step))
            ]
            draw.line(points, second, max(3, half * 4 // 5), joint="curve")
    elif cloth.pattern == "patches":
        for k, (across, down, share) in enumerate(_PATCHES):
            rx, ry = share * wide, share * (wide + high) / 2
            cx, cy = across * wide, down * high
            lean = 1.2 if k % 2 else 0.9
            draw.ellipse([cx - rx * lean, cy - ry, cx + rx * lean, cy + ry], second)


_PATCHES = ((0.22, 0.25, 0.2), (0.75, 0.42, 0.23), (0.3, 0.8, 0.17), (0.9, 0.95, 0.16))


def curve(points: Sequence[Point], steps: int = 6) -> list[Point]:
    """Return the corners of a closed Catmull-Rom curve through the points.

    >>> len(curve([(0, 0), (1, 0), (1, 1)]))
    18
    """
    n = len(points)
    made: list[Point] = []
    for k in range(n):
        (ax, ay), (bx, by) = points[k - 1], points[k]
        (cx, cy), (dx, dy) = points[(k + 1) % n], points[(k + 2) % n]
        for step in range(steps):
            t = step / steps
            made.append((_between(ax, bx, cx, dx, t), _between(ay, by, cy, dy, t)))
    return made


def _between(a: float, b: float, c: float, d: float, t: float) -> float:
    return 0.5 * (
        2 * b
        + (c - a) * t
        + (2 * a - 5 * b + 4 * c - d) * t * t
        + (3 * b - a - 3 * c + d) * t * t * t
    )
