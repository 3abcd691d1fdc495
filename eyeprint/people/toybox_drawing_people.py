"""Draws the people of the toybox: head, hair, face, clothes, and what they hold."""

from __future__ import annotations

from typing import NamedTuple

from eyeprint.models.colour_names import Rgb
from eyeprint.people.toybox_drawing import INK, WHITE, Cloth, Pen, shade
from eyeprint.people.toybox_drawing_hats import draw_eyewear, draw_hat
from eyeprint.people.toybox_looks import NONE, Look, tone


class Pose(NamedTuple):
    """How somebody stands in one picture; nothing of it belongs to their look."""

    gaze: float = 0.0
    """Where they look: -1 left, 1 right."""
    arm: float = 0.0
    """The free arm: 0 hangs, 1 is raised."""
    step: float = 0.0
    """How far the feet are apart, 0 to 1."""
    smile: float = 1.0


def hand_of(look: Look) -> tuple[float, float]:
    """Return where the hand that holds something is."""
    if look.category == "character":
        return 0.36, 0.4
    return (0.29, 0.3) if look.kind == "child" else (0.28, 0.36)


def draw_person(pen: Pen, look: Look, pose: Pose) -> None:
    """Draw somebody; what the right hand holds is drawn by the caller, over it."""
    child = look.kind == "child"
    hips, neck = (0.24, 0.5) if child else (0.3, 0.58)
    skin = tone(look["skin"], "skin")
    cloth = Cloth(
        look["top_pattern"],
        tone(look["top_colour"]),
        tone(look["top_second"]) if look["top_second"] != NONE else WHITE,
    )
    head = neck + (0.2 if child else 0.17)
    radius = 0.215 if child else 0.19
    _hair_behind(pen, look, head, radius)
    _legs(pen, look, hips, pose, skin)
    _body(pen, look, hips, neck, cloth)
    _arms(pen, look, neck, cloth, pose, skin)
    _neck(pen, look, neck)
    _head(pen, look, head, radius, pose, skin)


def _legs(pen: Pen, look: Look, hips: float, pose: Pose, skin: Rgb) -> None:
    gap = 0.075 + 0.03 * pose.step
    colour = tone(look["bottom_colour"]) if look["bottom"] != NONE else skin
    shoe = (70, 58, 66)
    for side in (-1, 1):
        x = side * gap
        pen.box(x - 0.055, 0.02, x + 0.055, hips + 0.03, skin)
        if look["bottom"] == "trousers":
            pen.box(x - 0.068, 0.04, x + 0.068, hips + 0.04, colour)
        elif look["bottom"] == "shorts":
            pen.box(x - 0.075, hips * 0.55, x + 0.075, hips + 0.04, colour)
        pen.oval(x + side * 0.02, 0.025, 0.085, 0.04, shoe)
    if look["bottom"] == "skirt":
        pen.poly(
            [(-0.13, hips + 0.06), (0.13, hips + 0.06), (0.21, hips * 0.5), (-0.21, hips * 0.5)],
            colour,
        )


def _body(pen: Pen, look: Look, hips: float, neck: float, cloth: Cloth) -> None:
    low = hips - 0.02
    if look["top"] == "dress":
        low = hips * 0.45
        shape = [
            (-0.08, neck),
            (0.08, neck),
            (0.14, neck - 0.05),
            (0.13, hips + 0.04),
            (0.23, low),
            (-0.23, low),
            (-0.13, hips + 0.04),
            (-0.14, neck - 0.05),
        ]
        pen.poly(shape, cloth)
        pen.line([(-0.13, hips + 0.05), (0.13, hips + 0.05)], 0.025, shade(cloth.main, -45), False)
        return
    shape = [
        (-0.08, neck),
        (0.08, neck),
        (0.15, neck - 0.05),
        (0.155, low),
        (-0.155, low),
        (-0.15, neck - 0.05),
    ]
    pen.poly(shape, cloth)
    if look["top"] == "jacket":
        pen.line([(0, neck - 0.02), (0, low + 0.01)], 0.016, INK, False)
        pen.poly([(-0.075, neck), (0.075, neck), (0, neck - 0.13)], WHITE)
        for k in (0.33, 0.6):
            pen.oval(0.035, low + (neck - low) * k, 0.014, 0.014, WHITE)
    elif look["top"] == "shirt":
        pen.poly([(-0.09, neck + 0.01), (0, neck - 0.05), (-0.05, neck - 0.085)], WHITE)
        pen.poly([(0.09, neck + 0.01), (0, neck - 0.05), (0.05, neck - 0.085)], WHITE)
    else:
        pen.box(-0.158, low - 0.012, 0.158, low + 0.03, shade(cloth.main, -35))


def _arms(pen: Pen, look: Look, neck: float, cloth: Cloth, pose: Pose, skin: Rgb) -> None:
    x, y = hand_of(look)
    shoulder = neck - 0.06
    free = (-0.24 - 0.05 * pose.arm, shoulder - 0.22 + 0.36 * pose.arm)
    sleeve = shade(cloth.main, -14)
    for hand, side in ((free, -1), ((x, y), 1)):
        start = (side * 0.135, shoulder)
        if look["top"] in ("dress", "shirt"):
            pen.line([start, hand], 0.07, skin)
            middle = ((start[0] * 0.55 + hand[0] * 0.45), (start[1] * 0.55 + hand[1] * 0.45))
            pen.line([start, middle], 0.09, sleeve)
        else:
            pen.line([start, hand], 0.09, sleeve)
        pen.oval(*hand, 0.048, 0.048, skin)


def _neck(pen: Pen, look: Look, neck: float) -> None:
    kind, colour = look["neck"], tone(look["neck_colour"]) if look["neck"] != NONE else WHITE
    if kind == "scarf":
        pen.box(0.03, neck - 0.2, 0.1, neck + 0.01, colour)
        pen.oval(0, neck, 0.13, 0.05, colour)
    elif kind == "bow tie":
        pen.poly([(0, neck - 0.035), (-0.1, neck + 0.015), (-0.1, neck - 0.085)], colour)
        pen.poly([(0, neck - 0.035), (0.1, neck + 0.015), (0.1, neck - 0.085)], colour)
        pen.oval(0, neck - 0.035, 0.025, 0.028, shade(colour, -30))
    elif kind == "necklace":
        for k in range(-3, 4):
            pen.oval(k * 0.032, neck - 0.075 + 0.008 * k * k, 0.021, 0.021, colour)


def _hair_behind(pen: Pen, look: Look, head: float, r: float) -> None:
    style, colour = look["hair"], tone(look["hair_colour"], "hair")
    if style == "long":
        pen.smooth(
            [
                (-r * 1.1, head + r * 0.5),
                (0, head + r * 1.15),
                (r * 1.1, head + r * 0.5),
                (r * 1.3, head - r * 1.4),
                (r * 0.7, head - r * 1.75),
                (-r * 0.7, head - r * 1.75),
                (-r * 1.3, head - r * 1.4),
            ],
            colour,
        )
    elif style == "bob":
        pen.box(-r * 1.22, head - r * 0.95, r * 1.22, head + r * 0.9, colour, r * 0.5)
    elif style == "curly":
        for x, y in (
            (-1.05, -0.35),
            (1.05, -0.35),
            (-1.2, 0.25),
            (1.2, 0.25),
            (-0.9, 0.8),
            (0.9, 0.8),
            (-0.35, 1.1),
            (0.35, 1.1),
        ):
            pen.oval(x * r, head + y * r, r * 0.45, r * 0.45, colour)
    elif style == "bun":
        pen.oval(0, head + r * 1.25, r * 0.5, r * 0.45, colour)
    elif style == "pigtails":
        for side in (-1, 1):
            pen.smooth(
                [
                    (side * r * 0.9, head + r * 0.35),
                    (side * r * 1.6, head + r * 0.2),
                    (side * r * 1.75, head - r * 0.7),
                    (side * r * 1.45, head - r * 1.2),
                    (side * r * 1.15, head - r * 0.5),
                ],
                colour,
            )


def _head(pen: Pen, look: Look, head: float, r: float, pose: Pose, skin: Rgb) -> None:
    colour = tone(look["hair_colour"], "hair")
    for side in (-1, 1):
        pen.oval(side * r * 0.98, head - r * 0.1, r * 0.17, r * 0.22, skin)
    pen.oval(0, head, r, r * 0.98, skin)
    _fringe(pen, look["hair"], colour, head, r)
    if look["beard"] == "beard":
        pen.smooth(
            [
                (-r * 0.93, head - r * 0.15),
                (-r * 0.5, head - r * 0.3),
                (0, head - r * 0.22),
                (r * 0.5, head - r * 0.3),
                (r * 0.93, head - r * 0.15),
                (r * 0.7, head - r * 0.9),
                (0, head - r * 1.2),
                (-r * 0.7, head - r * 0.9),
            ],
            colour,
        )
    _face(pen, look, head, r, pose, skin)
    draw_hat(pen, look, head, r)


def _fringe(pen: Pen, style: str, colour: Rgb, head: float, r: float) -> None:
    if style == "spiky":
        points = [(-1.05, 0.1)]
        for k in range(6):
            x = -1.0 + 0.4 * k
            points += [(x - 0.02, 0.95 - 0.5 * abs(x) ** 2 + 0.4), (x + 0.2, 0.75 - 0.3 * abs(x))]
        points += [(1.05, 0.1), (0.8, 0.42), (0.3, 0.5), (-0.3, 0.5), (-0.8, 0.42)]
        pen.poly([(x * r, head + y * r) for x, y in points], colour)
        return
    if style == "curly":
        for x, y in ((-0.75, 0.55), (-0.38, 0.78), (0, 0.85), (0.38, 0.78), (0.75, 0.55)):
            pen.oval(x * r, head + y * r, r * 0.34, r * 0.3, colour)
        return
    part = {"long": 0.25, "bob": 0.0, "short": -0.35, "bun": 0.0, "pigtails": 0.0}[style]
    low = {"bob": 0.42, "long": 0.3}.get(style, 0.35)
    points = [
        (-1.05, -0.05),
        (-1.02, 0.5),
        (-0.6, 0.95),
        (0, 1.1),
        (0.6, 0.95),
        (1.02, 0.5),
        (1.05, -0.05),
        (0.85, 0.3),
        (part + 0.35, low),
        (part, 0.62),
        (part - 0.35, low),
        (-0.85, 0.3),
    ]
    if style == "bob":
        points = [
            (-1.08, 0.0),
            (-1.0, 0.55),
            (-0.5, 1.0),
            (0, 1.08),
            (0.5, 1.0),
            (1.0, 0.55),
            (1.08, 0.0),
            (0.86, 0.34),
            (0, 0.4),
            (-0.86, 0.34),
        ]
    pen.smooth([(x * r, head + y * r) for x, y in points], colour)


def _face(pen: Pen, look: Look, head: float, r: float, pose: Pose, skin: Rgb) -> None:
    shift, level = pose.gaze * r * 0.12, head - r * 0.02
    for side in (-1, 1):
        x = side * r * 0.4 + shift
        pen.oval(x, level, r * 0.11, r * 0.14, INK, False)
        pen.oval(x + r * 0.03, level + r * 0.05, r * 0.035, r * 0.04, WHITE, False)
        blush = shade(skin, -22) if sum(skin) < 400 else (236, 150, 140)
        pen.oval(side * r * 0.62 + shift, level - r * 0.32, r * 0.13, r * 0.08, blush, False)
        if look.kind == "older adult":
            brow = tone(look["hair_colour"], "hair")
            pen.line(
                [(x - r * 0.16, level + r * 0.27), (x + r * 0.16, level + r * 0.27)],
                r * 0.09,
                brow,
                False,
            )
            pen.line(
                [(x + side * r * 0.3, level - r * 0.08), (x + side * r * 0.42, level)],
                r * 0.04,
                shade(skin, -40),
                False,
            )
    pen.oval(shift, level - r * 0.24, r * 0.08, r * 0.07, shade(skin, -28), False)
    if look["beard"] == "moustache":
        colour = tone(look["hair_colour"], "hair")
        for side in (-1, 1):
            pen.smooth(
                [
                    (shift, level - r * 0.36),
                    (side * r * 0.3 + shift, level - r * 0.34),
                    (side * r * 0.52 + shift, level - r * 0.54),
                    (side * r * 0.2 + shift, level - r * 0.5),
                ],
                colour,
            )
    mouth = WHITE if look["beard"] == "beard" else (150, 60, 60)
    pen.arc(
        shift,
        level - r * (0.5 if look["beard"] != "moustache" else 0.56),
        r * 0.2,
        r * 0.12 * pose.smile,
        0.55,
        0.95,
        r * 0.06,
        mouth,
    )
    draw_eyewear(pen, look["eyewear"], level, r, shift)
