"""Draws what lies behind the toybox's figures: places indoors and outdoors, and their light.

References and questions have places of their own (M9), so that no background gives a concept
away. The light of a picture multiplies its colours.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from eyeprint.models.colour_names import Rgb
from eyeprint.people.toybox_drawing import Cloth, Pen, shade
from eyeprint.randomness import Stream

if TYPE_CHECKING:
    from PIL.Image import Image

LIGHTS: dict[str, tuple[float, float, float]] = {
    "day": (1.0, 1.0, 1.0),
    "sun": (1.0, 0.97, 0.88),
    "evening": (1.0, 0.94, 0.87),
    "shade": (0.9, 0.93, 0.97),
    "dusk": (0.87, 0.86, 0.93),
}
"""Light -> what it leaves of red, green and blue."""


def draw_ground(image: Image, name: str, horizon: float, draw: Stream) -> None:
    """Fill a square canvas with a place; ``horizon`` is the height of its floor, 0 to 1."""
    pen = Pen.on(image, image.width / 2, image.height, image.height)
    pen = Pen(image, pen.draw, pen.x, pen.y, pen.size, width=0)
    _PLACES[name](pen, horizon, draw)


def lit(image: Image, light: str) -> Image:
    """Return the image in a light."""
    gains = LIGHTS[light]
    if gains == (1.0, 1.0, 1.0):
        return image
    return image.point([round(level * gain) for gain in gains for level in range(256)])


def _open(pen: Pen, sky: Rgb, floor: Rgb, horizon: float) -> None:
    pen.box(-0.51, horizon, 0.51, 1.01, sky)
    pen.box(-0.51, -0.01, 0.51, horizon, floor)


def _cloud(pen: Pen, x: float, y: float, r: float, rgb: Rgb = (250, 252, 254)) -> None:
    for dx, dy, k in ((0, 0, 1.0), (-1.1, -0.2, 0.7), (1.1, -0.2, 0.75), (0.4, 0.3, 0.8)):
        pen.oval(x + dx * r, y + dy * r, r * k, r * k * 0.7, rgb)


def _tree(pen: Pen, x: float, y: float, high: float, leaf: Rgb) -> None:
    pen.box(x - high * 0.05, y, x + high * 0.05, y + high * 0.45, (136, 104, 78))
    pen.oval(x, y + high * 0.68, high * 0.3, high * 0.34, leaf)
    pen.oval(x - high * 0.08, y + high * 0.76, high * 0.17, high * 0.18, shade(leaf, 14))


def _pine(pen: Pen, x: float, y: float, high: float, leaf: Rgb) -> None:
    pen.box(x - high * 0.04, y, x + high * 0.04, y + high * 0.2, (120, 92, 72))
    for k in range(3):
        low, wide = y + high * (0.15 + 0.25 * k), high * (0.28 - 0.07 * k)
        pen.poly([(x - wide, low), (x + wide, low), (x, low + high * 0.4)], leaf)


def _meadow(pen: Pen, horizon: float, draw: Stream) -> None:
    _open(pen, (198, 226, 240), (172, 208, 142), horizon)
    for x in (-0.3, 0.25):
        pen.oval(x + 0.2 * draw.random() - 0.1, horizon - 0.02, 0.4, 0.16, (184, 216, 156))
    pen.box(-0.51, -0.01, 0.51, horizon, (172, 208, 142))
    for k in range(2):
        _cloud(pen, -0.3 + 0.55 * k + 0.15 * draw.random(), 0.8 + 0.12 * draw.random(), 0.06)


def _park(pen: Pen, horizon: float, draw: Stream) -> None:
    _open(pen, (206, 232, 236), (182, 212, 158), horizon)
    for k in range(3):
        _tree(
            pen,
            -0.4 + 0.38 * k + 0.08 * draw.random(),
            horizon - 0.03,
            0.42 + 0.15 * draw.random(),
            (150, 194, 138),
        )
    pen.poly([(-0.15, horizon), (0.05, horizon), (0.4, -0.01), (-0.3, -0.01)], (224, 212, 184))


def _forest(pen: Pen, horizon: float, draw: Stream) -> None:
    _open(pen, (190, 216, 204), (150, 176, 132), horizon)
    for k in range(6):
        _pine(
            pen,
            -0.5 + 0.19 * k + 0.06 * draw.random(),
            horizon - 0.03,
            0.45 + 0.25 * draw.random(),
            (132, 172, 146) if k % 2 else (146, 184, 154),
        )


def _beach(pen: Pen, horizon: float, draw: Stream) -> None:
    _open(pen, (204, 232, 246), (238, 220, 178), horizon)
    pen.box(-0.51, horizon - 0.06, 0.51, horizon + 0.12, (132, 196, 216))
    pen.oval(-0.25 + 0.5 * draw.random(), 0.84, 0.08, 0.08, (252, 236, 166))
    for k in range(3):
        x = -0.45 + 0.35 * k + 0.1 * draw.random()
        pen.line([(x, horizon + 0.05), (x + 0.1, horizon + 0.05)], 0.008, (222, 240, 246), False)


def _snow(pen: Pen, horizon: float, draw: Stream) -> None:
    _open(pen, (196, 214, 232), (240, 244, 248), horizon)
    for x in (-0.32, 0.05, 0.4):
        top = horizon + 0.28 + 0.16 * draw.random()
        pen.poly([(x - 0.3, horizon), (x, top), (x + 0.3, horizon)], (166, 188, 210))
        pen.poly([(x - 0.07, top - 0.07), (x, top), (x + 0.07, top - 0.07)], (250, 252, 254))
    for _ in range(14):
        pen.oval(draw.random() - 0.5, horizon + 0.5 * draw.random(), 0.009, 0.009, (255, 255, 255))


def _street(pen: Pen, horizon: float, draw: Stream) -> None:
    _open(pen, (214, 226, 236), (196, 196, 200), horizon)
    left = -0.52
    for k in range(4):
        wide, top = 0.24 + 0.05 * draw.random(), horizon + 0.32 + 0.2 * draw.random()
        wall = ((226, 196, 170), (204, 210, 190), (222, 206, 214), (200, 208, 224))[k]
        pen.box(left, horizon, left + wide, top, wall)
        pen.poly(
            [(left - 0.01, top), (left + wide + 0.01, top), (left + wide / 2, top + 0.1)],
            shade(wall, -40),
        )
        for row in range(2):
            for column in (0.28, 0.72):
                x, y = left + wide * column, horizon + 0.1 + 0.14 * row
                pen.box(x - 0.03, y, x + 0.03, y + 0.08, shade(wall, -26))
        left += wide + 0.01
    pen.box(-0.51, horizon - 0.04, 0.51, horizon, (218, 216, 212))


def _desert(pen: Pen, horizon: float, draw: Stream) -> None:
    _open(pen, (250, 226, 192), (232, 200, 152), horizon)
    pen.oval(-0.3, horizon, 0.42, 0.12, (240, 210, 164))
    pen.oval(0.36, horizon, 0.36, 0.16, (226, 192, 144))
    pen.box(-0.51, -0.01, 0.51, horizon - 0.01, (232, 200, 152))
    pen.oval(0.2 * draw.random(), 0.82, 0.09, 0.09, (252, 244, 214))


def _hills(pen: Pen, horizon: float, draw: Stream) -> None:
    _open(pen, (226, 214, 238), (190, 200, 166), horizon)
    for k, tint in enumerate(((196, 186, 218), (176, 190, 192), (180, 202, 170))):
        pen.oval(-0.4 + 0.4 * k + 0.1 * draw.random(), horizon, 0.4, 0.26 - 0.05 * k, tint)
    pen.box(-0.51, -0.01, 0.51, horizon - 0.01, (190, 200, 166))
    _cloud(pen, 0.4 * draw.random() - 0.2, 0.86, 0.06, (246, 240, 250))


def _night(pen: Pen, horizon: float, draw: Stream) -> None:
    _open(pen, (86, 92, 136), (112, 120, 126), horizon)
    for _ in range(16):
        pen.oval(
            draw.random() - 0.5,
            horizon + (1 - horizon) * draw.random(),
            0.006,
            0.006,
            (240, 236, 200),
        )
    pen.oval(0.36, 0.86, 0.07, 0.07, (244, 238, 206))
    for k in range(5):
        x, top = -0.5 + 0.21 * k, horizon + 0.14 + 0.18 * draw.random()
        pen.box(x, horizon, x + 0.16, top, (70, 74, 112))
        pen.box(x + 0.05, top - 0.08, x + 0.08, top - 0.05, (242, 218, 132))


def _indoors(pen: Pen, horizon: float, wall: Cloth, floor: Rgb) -> None:
    pen.box(-0.51, horizon, 0.51, 1.01, wall)
    pen.box(-0.51, -0.01, 0.51, horizon, floor)
    pen.box(-0.51, horizon - 0.012, 0.51, horizon + 0.02, shade(floor, 28))


def _room(pen: Pen, horizon: float, draw: Stream) -> None:
    _indoors(pen, horizon, Cloth("plain", (236, 222, 200), (228, 214, 190)), (190, 160, 130))
    x = -0.25 + 0.45 * draw.random()
    pen.box(x - 0.15, 0.62, x + 0.15, 0.93, (250, 248, 244))
    pen.box(x - 0.13, 0.64, x + 0.13, 0.91, (194, 224, 240))
    pen.box(x - 0.01, 0.64, x + 0.01, 0.91, (250, 248, 244))
    pen.box(x - 0.13, 0.765, x + 0.13, 0.785, (250, 248, 244))


def _nursery(pen: Pen, horizon: float, draw: Stream) -> None:
    _indoors(pen, horizon, Cloth("dots", (214, 228, 236), (204, 220, 230)), (214, 194, 170))
    for k in range(7):
        x = -0.48 + 0.16 * k
        tint = ((240, 206, 206), (244, 232, 190), (206, 226, 200), (204, 212, 238))[k % 4]
        pen.poly([(x - 0.06, 0.95), (x + 0.06, 0.95), (x, 0.84 + 0.02 * draw.random())], tint)
    pen.line([(-0.51, 0.95), (0.51, 0.95)], 0.008, (170, 160, 160), False)


def _library(pen: Pen, horizon: float, draw: Stream) -> None:
    _indoors(pen, horizon, Cloth("plain", (206, 186, 160), (0, 0, 0)), (164, 136, 116))
    for shelf in range(3):
        y, x = horizon + 0.06 + 0.2 * shelf, -0.47
        pen.box(-0.5, y - 0.02, 0.5, y, (164, 132, 102))
        while x < 0.44:
            wide, high = 0.024 + 0.03 * draw.random(), 0.1 + 0.05 * draw.random()
            tint = draw.pick(((196, 150, 140), (150, 170, 190), (200, 184, 140), (160, 184, 156)))
            pen.box(x, y, x + wide, y + high, tint)
            x += wide + 0.008


def _kitchen(pen: Pen, horizon: float, draw: Stream) -> None:
    _indoors(pen, horizon, Cloth("checks", (234, 238, 232), (224, 230, 226)), (200, 200, 208))
    pen.box(-0.51, 0.82, 0.51, 0.86, (178, 150, 124))
    for k in range(5):
        x = -0.42 + 0.2 * k + 0.05 * draw.random()
        tint = ((222, 190, 176), (186, 208, 210), (226, 216, 176))[k % 3]
        pen.box(x - 0.045, 0.86, x + 0.045, 0.93 + 0.03 * draw.random(), tint, 0.015)


def _stage(pen: Pen, horizon: float, draw: Stream) -> None:
    _indoors(pen, horizon, Cloth("bars", (196, 160, 170), (186, 148, 160)), (206, 178, 146))
    for k in range(6):
        x = -0.42 + 0.17 * k
        pen.smooth(
            [(x - 0.1, 1.02), (x + 0.1, 1.02), (x, 0.88 + 0.02 * draw.random())], (170, 112, 124)
        )


def _gallery(pen: Pen, horizon: float, draw: Stream) -> None:
    _indoors(pen, horizon, Cloth("plain", (226, 230, 226), (0, 0, 0)), (178, 172, 176))
    for k in range(3):
        x, wide = -0.32 + 0.32 * k, 0.1 + 0.03 * draw.random()
        pen.box(x - wide, 0.72, x + wide, 0.94, (204, 180, 140))
        tint = ((196, 212, 226), (228, 206, 206), (208, 220, 190))[k]
        pen.box(x - wide + 0.02, 0.74, x + wide - 0.02, 0.92, tint)


def _attic(pen: Pen, horizon: float, draw: Stream) -> None:
    _indoors(pen, horizon, Cloth("zigzag", (226, 214, 226), (216, 202, 218)), (182, 160, 150))
    x = 0.3 * draw.random() - 0.15
    pen.oval(x, 0.82, 0.12, 0.12, (250, 248, 244))
    pen.oval(x, 0.82, 0.1, 0.1, (188, 214, 236))
    pen.box(x - 0.008, 0.72, x + 0.008, 0.92, (250, 248, 244))
    pen.box(x - 0.1, 0.812, x + 0.1, 0.828, (250, 248, 244))


_PLACES: dict[str, Callable[[Pen, float, Stream], None]] = {
    "meadow": _meadow,
    "forest": _forest,
    "room": _room,
    "snow": _snow,
    "library": _library,
    "night": _night,
    "stage": _stage,
    "hills": _hills,
    "park": _park,
    "beach": _beach,
    "street": _street,
    "desert": _desert,
    "nursery": _nursery,
    "kitchen": _kitchen,
    "gallery": _gallery,
    "attic": _attic,
}
REFERENCE_PLACES = ("meadow", "forest", "room", "snow", "library", "night", "stage", "hills")
"""Where references are taken."""
QUERY_PLACES = ("park", "beach", "street", "desert", "nursery", "kitchen", "gallery", "attic")
"""Where pictures of questions are taken."""
