"""Draws the belongings of the toybox: mugs, lamps, bicycles and others, with pattern and sign."""

from __future__ import annotations

from eyeprint.models.colour_names import Rgb
from eyeprint.people.toybox_drawing import INK, WHITE, Cloth, Pen, shade
from eyeprint.people.toybox_drawing_characters import METAL, draw_mark
from eyeprint.people.toybox_drawing_people import Pose
from eyeprint.people.toybox_looks import NONE, Look, tone


def draw_object(pen: Pen, look: Look, pose: Pose) -> None:
    """Draw a thing that stands on (0, 0); things have no pose."""
    second = tone(look["second"]) if look["second"] != NONE else WHITE
    cloth = Cloth(look["pattern"], tone(look["main"]), second)
    x, y, r = _KINDS[look.kind](pen, cloth, tone(look["trim"]))
    if look["mark"] != NONE:
        plate = shade(cloth.main, 0)
        pen.oval(x, y, r * 1.5, r * 1.5, plate)
        draw_mark(pen, look["mark"], x, y, r, tone(look["mark_colour"]))


Spot = tuple[float, float, float]
"""Where the sign goes, and its size."""


def _mug(pen: Pen, cloth: Cloth, trim: Rgb) -> Spot:
    pen.ring(0.36, 0.36, 0.15, 0.19, 0.07, trim)
    pen.smooth(
        [(-0.33, 0.7), (0.33, 0.7), (0.32, 0.35), (0.27, 0.02), (-0.27, 0.02), (-0.32, 0.35)], cloth
    )
    pen.oval(0, 0.71, 0.33, 0.07, trim)
    pen.oval(0, 0.7, 0.26, 0.045, (84, 52, 40), False)
    return 0, 0.36, 0.13


def _lamp(pen: Pen, cloth: Cloth, trim: Rgb) -> Spot:
    pen.oval(0, 0.05, 0.26, 0.055, trim)
    pen.box(-0.035, 0.06, 0.035, 0.5, trim)
    pen.oval(0, 0.24, 0.09, 0.1, trim)
    pen.oval(0, 0.46, 0.08, 0.07, (255, 240, 170))
    pen.poly([(-0.2, 0.95), (0.2, 0.95), (0.38, 0.46), (-0.38, 0.46)], cloth)
    return 0, 0.68, 0.12


def _backpack(pen: Pen, cloth: Cloth, trim: Rgb) -> Spot:
    pen.ring(0, 0.88, 0.1, 0.09, 0.045, trim)
    for side in (-1, 1):
        pen.box(side * 0.34 - 0.07, 0.06, side * 0.34 + 0.07, 0.42, trim, 0.05)
    pen.smooth(
        [
            (-0.31, 0.03),
            (-0.33, 0.5),
            (-0.26, 0.82),
            (0, 0.9),
            (0.26, 0.82),
            (0.33, 0.5),
            (0.31, 0.03),
        ],
        cloth,
    )
    pen.box(-0.23, 0.07, 0.23, 0.37, trim, 0.06)
    pen.line([(-0.2, 0.3), (0.2, 0.3)], 0.02, INK, False)
    return 0, 0.61, 0.12


def _bicycle(pen: Pen, cloth: Cloth, trim: Rgb) -> Spot:
    for x in (-0.38, 0.38):
        pen.ring(x, 0.26, 0.23, 0.23, 0.04, trim)
        for dx, dy in ((0.21, 0), (0, 0.21), (0.15, 0.15), (0.15, -0.15)):
            pen.line([(x - dx, 0.26 - dy), (x + dx, 0.26 + dy)], 0.012, METAL, False)
    frame = cloth.main
    for points in (
        [(-0.38, 0.26), (-0.14, 0.64), (0.26, 0.68), (0.0, 0.24), (-0.38, 0.26)],
        [(-0.17, 0.7), (0.0, 0.24)],
        [(0.38, 0.26), (0.24, 0.82)],
    ):
        pen.line(points, 0.055, frame)
    pen.line([(0.24, 0.82), (0.12, 0.86)], 0.045, INK, False)
    pen.smooth([(-0.3, 0.74), (-0.06, 0.74), (-0.14, 0.68), (-0.28, 0.68)], (70, 50, 44))
    pen.box(0.24, 0.5, 0.54, 0.74, cloth, 0.02)
    pen.oval(0, 0.24, 0.07, 0.07, METAL)
    return 0.39, 0.62, 0.075


def _teapot(pen: Pen, cloth: Cloth, trim: Rgb) -> Spot:
    pen.ring(0.36, 0.38, 0.15, 0.18, 0.065, trim)
    pen.smooth(
        [(-0.22, 0.3), (-0.4, 0.38), (-0.5, 0.62), (-0.42, 0.66), (-0.32, 0.5), (-0.2, 0.46)], trim
    )
    pen.oval(0, 0.33, 0.34, 0.31, cloth)
    pen.box(-0.18, 0.0, 0.18, 0.06, trim, 0.02)
    pen.smooth([(-0.17, 0.6), (0, 0.73), (0.17, 0.6), (0, 0.57)], trim)
    pen.oval(0, 0.74, 0.055, 0.055, trim)
    return 0, 0.32, 0.13


def _armchair(pen: Pen, cloth: Cloth, trim: Rgb) -> Spot:
    for side in (-1, 1):
        pen.box(side * 0.3 - 0.04, 0.0, side * 0.3 + 0.04, 0.14, (110, 72, 44))
    pen.box(-0.3, 0.3, 0.3, 0.88, cloth, 0.13)
    pen.box(-0.32, 0.1, 0.32, 0.3, cloth.main, 0.04)
    pen.box(-0.26, 0.27, 0.26, 0.4, trim, 0.06)
    for side in (-1, 1):
        pen.box(side * 0.35 - 0.09, 0.1, side * 0.35 + 0.09, 0.52, cloth.main, 0.08)
    return 0, 0.64, 0.12


def _suitcase(pen: Pen, cloth: Cloth, trim: Rgb) -> Spot:
    pen.line([(-0.13, 0.7), (-0.13, 0.84), (0.13, 0.84), (0.13, 0.7)], 0.05, trim)
    for side in (-1, 1):
        pen.oval(side * 0.26, 0.04, 0.05, 0.045, INK)
    pen.box(-0.42, 0.06, 0.42, 0.72, cloth, 0.08)
    for side in (-1, 1):
        pen.box(side * 0.28 - 0.035, 0.06, side * 0.28 + 0.035, 0.72, trim)
    return 0, 0.4, 0.13


def _toy_car(pen: Pen, cloth: Cloth, trim: Rgb) -> Spot:
    pen.smooth([(-0.3, 0.36), (-0.2, 0.62), (0.16, 0.64), (0.32, 0.36)], cloth.main)
    pen.poly([(-0.22, 0.4), (-0.15, 0.57), (-0.02, 0.58), (-0.02, 0.4)], (196, 226, 240))
    pen.poly([(0.04, 0.4), (0.04, 0.58), (0.14, 0.58), (0.24, 0.4)], (196, 226, 240))
    pen.box(-0.52, 0.12, 0.52, 0.42, cloth, 0.1)
    for x in (-0.3, 0.3):
        pen.oval(x, 0.13, 0.14, 0.135, (58, 54, 60))
        pen.oval(x, 0.13, 0.075, 0.075, trim)
    pen.oval(-0.48, 0.3, 0.04, 0.05, (255, 236, 150))
    return 0, 0.29, 0.08


def _clock(pen: Pen, cloth: Cloth, trim: Rgb) -> Spot:
    for side in (-1, 1):
        pen.line([(side * 0.2, 0.14), (side * 0.27, 0.02)], 0.06, trim)
        pen.oval(side * 0.2, 0.84, 0.12, 0.09, trim)
    pen.oval(0, 0.44, 0.38, 0.38, cloth)
    pen.oval(0, 0.44, 0.265, 0.265, WHITE)
    for dx, dy in ((0, 0.22), (0.22, 0), (0, -0.22), (-0.22, 0)):
        pen.oval(dx, 0.44 + dy, 0.02, 0.02, INK, False)
    pen.line([(0, 0.44), (0, 0.6)], 0.03, INK, False)
    pen.line([(0, 0.44), (0.11, 0.4)], 0.03, INK, False)
    return 0.0, 0.3, 0.06


def _watering_can(pen: Pen, cloth: Cloth, trim: Rgb) -> Spot:
    pen.ring(0.27, 0.42, 0.19, 0.22, 0.055, trim)
    pen.poly([(-0.2, 0.12), (-0.2, 0.26), (-0.46, 0.66), (-0.52, 0.6)], cloth.main)
    pen.poly([(-0.58, 0.54), (-0.4, 0.72), (-0.46, 0.78), (-0.64, 0.6)], trim)
    pen.poly([(-0.24, 0.62), (0.24, 0.62), (0.28, 0.02), (-0.28, 0.02)], cloth)
    pen.oval(0, 0.62, 0.24, 0.06, trim)
    return 0, 0.31, 0.12


_KINDS = {
    "mug": _mug,
    "lamp": _lamp,
    "backpack": _backpack,
    "bicycle": _bicycle,
    "teapot": _teapot,
    "armchair": _armchair,
    "suitcase": _suitcase,
    "toy car": _toy_car,
    "clock": _clock,
    "watering can": _watering_can,
}
