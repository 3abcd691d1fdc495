"""Draws the characters of the toybox: robots, monsters and others that nobody takes for real."""

from __future__ import annotations

from eyeprint.models.colour_names import Rgb
from eyeprint.people.toybox_drawing import INK, WHITE, Cloth, Pen, shade
from eyeprint.people.toybox_drawing_people import Pose
from eyeprint.people.toybox_looks import NONE, Look, tone

METAL: Rgb = (176, 184, 194)
WIZARD: Rgb = (170, 214, 160)
"""Skin of wizards, whom nobody takes for people."""


def draw_character(pen: Pen, look: Look, pose: Pose) -> None:
    """Draw a character that stands on (0, 0)."""
    second = tone(look["second"]) if look["second"] != NONE else WHITE
    cloth = Cloth(look["pattern"], tone(look["main"]), second)
    if look["cape"] != NONE:
        colour = tone(look["cape_colour"])
        pen.smooth(
            [(-0.16, 0.52), (0.16, 0.52), (0.34, 0.06), (0.12, 0.02), (-0.12, 0.02), (-0.34, 0.06)],
            colour,
        )
        pen.smooth([(-0.2, 0.52), (0.2, 0.52), (0.46, 0.2), (-0.46, 0.2)], colour)
    _KINDS[look.kind](pen, look, cloth, pose)


def hand_colour(look: Look) -> Rgb:
    """Return the colour of a character's hands."""
    if look.kind == "robot":
        return shade(METAL, 18)
    if look.kind == "wizard":
        return WIZARD
    return shade(_alien_skin(look) if look.kind == "alien" else tone(look["main"]), 18)


def _alien_skin(look: Look) -> Rgb:
    return (128, 206, 96) if look["main"] != "green" else (190, 150, 226)


def draw_mark(pen: Pen, kind: str, x: float, y: float, r: float, colour: Rgb) -> None:
    """Draw a sign: star, heart, moon, flower or bolt; nothing for "none"."""
    if kind == NONE:
        return
    corners: tuple[tuple[float, float], ...]
    if kind == "star":
        corners = (
            (0, 1.1),
            (0.28, 0.38),
            (1.05, 0.34),
            (0.45, -0.14),
            (0.65, -0.89),
            (0, -0.46),
            (-0.65, -0.89),
            (-0.45, -0.14),
            (-1.05, 0.34),
            (-0.28, 0.38),
        )
    elif kind == "bolt":
        corners = ((0.35, 1.1), (-0.7, -0.1), (-0.05, -0.1), (-0.35, -1.1), (0.7, 0.2), (0.08, 0.2))
    elif kind == "moon":
        pen.smooth(
            [
                (x + dx * r, y + dy * r)
                for dx, dy in (
                    (0.4, 1),
                    (-0.5, 0.8),
                    (-0.95, 0),
                    (-0.5, -0.8),
                    (0.4, -1),
                    (-0.1, -0.45),
                    (-0.25, 0),
                    (-0.1, 0.45),
                )
            ],
            colour,
        )
        return
    elif kind == "heart":
        pen.smooth(
            [
                (x + dx * r, y + dy * r)
                for dx, dy in (
                    (0, 0.5),
                    (0.5, 0.95),
                    (1.0, 0.5),
                    (0.7, -0.2),
                    (0.05, -0.95),
                    (-0.05, -0.95),
                    (-0.7, -0.2),
                    (-1.0, 0.5),
                    (-0.5, 0.95),
                )
            ],
            colour,
        )
        return
    else:
        for dx, dy in ((0, 0.62), (0.59, 0.19), (0.36, -0.5), (-0.36, -0.5), (-0.59, 0.19)):
            pen.oval(x + dx * r, y + dy * r, r * 0.45, r * 0.45, colour)
        centre: Rgb = (250, 214, 70) if colour[1] < 190 else (140, 84, 40)
        pen.oval(x, y, r * 0.36, r * 0.36, centre)
        return
    pen.poly([(x + dx * r, y + dy * r) for dx, dy in corners], colour)


def _eyes(pen: Pen, look: Look, y: float, gaze: float, size: float = 0.07) -> None:
    places = {"one": (0.0,), "two": (-0.115, 0.115), "three": (-0.175, 0.0, 0.175)}[look["eyes"]]
    radius = size * {"one": 1.5, "two": 1.0, "three": 0.85}[look["eyes"]]
    for x in places:
        lift = 0.03 if look["eyes"] == "three" and x == 0 else 0.0
        pen.oval(x, y + lift, radius, radius * 1.08, WHITE)
        pen.oval(x + gaze * radius * 0.35, y + lift, radius * 0.5, radius * 0.58, INK, False)
        pen.oval(
            x + gaze * radius * 0.35 + radius * 0.15,
            y + lift + radius * 0.2,
            radius * 0.16,
            radius * 0.16,
            WHITE,
            False,
        )


def _crest(pen: Pen, look: Look, y: float, r: float) -> None:
    """Draw what is on the head; ``y`` is its top, ``r`` its half width."""
    kind = look["crest"]
    if kind == NONE:
        return
    colour = tone(look["crest_colour"])
    if kind == "antennae":
        for side in (-1, 1):
            pen.line([(side * r * 0.4, y - 0.02), (side * r * 0.7, y + 0.13)], 0.022, (90, 90, 100))
            pen.oval(side * r * 0.7, y + 0.14, 0.05, 0.05, colour)
    elif kind == "horns":
        for side in (-1, 1):
            pen.smooth(
                [
                    (side * r * 0.35, y - 0.03),
                    (side * r * 0.85, y - 0.06),
                    (side * r * 1.15, y + 0.08),
                    (side * r * 1.0, y + 0.2),
                    (side * r * 0.85, y + 0.08),
                ],
                colour,
            )
    elif kind == "crown":
        pen.poly(
            [
                (-r * 0.75, y - 0.03),
                (-r * 0.85, y + 0.15),
                (-r * 0.4, y + 0.06),
                (0, y + 0.18),
                (r * 0.4, y + 0.06),
                (r * 0.85, y + 0.15),
                (r * 0.75, y - 0.03),
            ],
            colour,
        )
        for x in (-0.45, 0, 0.45):
            pen.oval(x * r, y + 0.01, 0.02, 0.02, WHITE)
    elif kind == "mohawk":
        points = [(-r * 0.2, y - 0.05)]
        for k in range(4):
            points += [
                (-r * 0.65 + k * r * 0.4, y + 0.17 - 0.015 * (k - 1.5) ** 2),
                (-r * 0.4 + k * r * 0.4, y + 0.07),
            ]
        pen.poly([*points[:-1], (r * 0.7, y - 0.03), (-r * 0.6, y - 0.03)], colour)
    else:
        pen.poly(
            [(-r * 0.85, y - 0.02), (r * 0.85, y - 0.02), (r * 0.2, y + 0.17), (r * 0.3, y + 0.27)],
            colour,
        )
        pen.oval(0, y - 0.02, r * 1.35, 0.045, shade(colour, -35))


def _arm(
    pen: Pen, side: int, start: tuple[float, float], pose: Pose, rgb: Rgb, wide: float
) -> None:
    hand = (0.36, 0.4) if side > 0 else (-0.34 - 0.02 * pose.arm, 0.2 + 0.36 * pose.arm)
    pen.line([start, hand], wide, rgb)
    pen.oval(*hand, wide * 0.72, wide * 0.72, shade(rgb, 18))


def _robot(pen: Pen, look: Look, cloth: Cloth, pose: Pose) -> None:
    for side in (-1, 1):
        pen.box(side * 0.1 - 0.05, 0.04, side * 0.1 + 0.05, 0.24, METAL)
        pen.box(side * 0.11 - 0.085, 0.0, side * 0.11 + 0.085, 0.07, (90, 96, 106), 0.03)
        _arm(pen, side, (side * 0.2, 0.46), pose, METAL, 0.065)
    pen.box(-0.055, 0.48, 0.055, 0.6, METAL)
    pen.box(-0.22, 0.2, 0.22, 0.53, cloth, 0.03)
    _crest(pen, look, 0.86, 0.22)
    pen.box(-0.255, 0.56, 0.255, 0.87, cloth.main, 0.05)
    pen.box(-0.2, 0.6, 0.2, 0.83, (48, 54, 70), 0.04)
    for side in (-1, 1):
        pen.box(side * 0.275 - 0.03, 0.65, side * 0.275 + 0.03, 0.77, METAL)
    _eyes(pen, look, 0.745, pose.gaze, 0.058)
    for k in range(-2, 3):
        pen.box(k * 0.045 - 0.018, 0.625, k * 0.045 + 0.018, 0.66, (150, 230, 220), 0.0, False)
    draw_mark(pen, look["mark"], 0, 0.37, 0.1, tone(look["mark_colour"]))


def _monster(pen: Pen, look: Look, cloth: Cloth, pose: Pose) -> None:
    for side in (-1, 1):
        pen.oval(side * 0.14, 0.045, 0.12, 0.055, shade(cloth.main, -30))
        _arm(pen, side, (side * 0.22, 0.46), pose, cloth.main, 0.085)
    _crest(pen, look, 0.86, 0.24)
    pen.smooth(
        [
            (-0.3, 0.08),
            (-0.32, 0.42),
            (-0.27, 0.72),
            (-0.12, 0.87),
            (0.12, 0.87),
            (0.27, 0.72),
            (0.32, 0.42),
            (0.3, 0.08),
            (0.1, 0.04),
            (-0.1, 0.04),
        ],
        cloth,
    )
    _eyes(pen, look, 0.7, pose.gaze, 0.078)
    pen.smooth([(-0.17, 0.54), (0, 0.51), (0.17, 0.54), (0.1, 0.44), (-0.1, 0.44)], (80, 30, 50))
    for x in (-0.09, 0.06):
        pen.poly([(x - 0.03, 0.53), (x + 0.04, 0.525), (x, 0.465)], WHITE)
    draw_mark(pen, look["mark"], 0, 0.26, 0.11, tone(look["mark_colour"]))


def _wizard(pen: Pen, look: Look, cloth: Cloth, pose: Pose) -> None:
    skin = WIZARD
    for side in (-1, 1):
        pen.oval(side * 0.1, 0.025, 0.085, 0.04, (80, 60, 50))
    pen.poly([(-0.12, 0.56), (0.12, 0.56), (0.28, 0.04), (-0.28, 0.04)], cloth)
    for side in (-1, 1):
        hand = (0.36, 0.4) if side > 0 else (-0.34, 0.22 + 0.34 * pose.arm)
        pen.line([(side * 0.12, 0.5), hand], 0.1, shade(cloth.main, -18))
        pen.oval(*hand, 0.05, 0.05, skin)
    pen.oval(0, 0.68, 0.18, 0.17, skin)
    _eyes(pen, look, 0.72, pose.gaze, 0.045)
    pen.smooth(
        [(-0.17, 0.64), (0, 0.66), (0.17, 0.64), (0.14, 0.44), (0, 0.3), (-0.14, 0.44)],
        (240, 240, 244),
    )
    pen.oval(0, 0.655, 0.035, 0.03, shade(skin, -30))
    draw_mark(pen, look["mark"], 0, 0.18, 0.09, tone(look["mark_colour"]))
    _crest(pen, look, 0.8, 0.19)


def _ghost(pen: Pen, look: Look, cloth: Cloth, pose: Pose) -> None:
    for side in (-1, 1):
        _arm(pen, side, (side * 0.2, 0.48), pose, cloth.main, 0.09)
    _crest(pen, look, 0.88, 0.22)
    points = [
        (-0.28, 0.1),
        (-0.27, 0.55),
        (-0.2, 0.78),
        (0, 0.89),
        (0.2, 0.78),
        (0.27, 0.55),
        (0.28, 0.1),
        (0.19, 0.02),
        (0.1, 0.12),
        (0.0, 0.02),
        (-0.1, 0.12),
        (-0.19, 0.02),
    ]
    pen.smooth(points, cloth)
    _eyes(pen, look, 0.69, pose.gaze)
    pen.oval(0, 0.53, 0.06, 0.055, (70, 40, 70))
    draw_mark(pen, look["mark"], 0, 0.32, 0.11, tone(look["mark_colour"]))


def _alien(pen: Pen, look: Look, cloth: Cloth, pose: Pose) -> None:
    skin = _alien_skin(look)
    for side in (-1, 1):
        pen.box(side * 0.085 - 0.06, 0.04, side * 0.085 + 0.06, 0.26, cloth.main)
        pen.oval(side * 0.1, 0.03, 0.095, 0.045, (236, 236, 240))
        _arm(pen, side, (side * 0.13, 0.44), pose, skin, 0.06)
    pen.poly([(-0.13, 0.5), (0.13, 0.5), (0.17, 0.22), (-0.17, 0.22)], cloth)
    _crest(pen, look, 0.89, 0.24)
    pen.smooth(
        [
            (-0.34, 0.76),
            (-0.18, 0.91),
            (0.18, 0.91),
            (0.34, 0.76),
            (0.2, 0.56),
            (0, 0.48),
            (-0.2, 0.56),
        ],
        skin,
    )
    _eyes(pen, look, 0.73, pose.gaze, 0.08)
    pen.arc(0, 0.59, 0.07, 0.04, 0.55, 0.95, 0.018, INK)
    draw_mark(pen, look["mark"], 0, 0.35, 0.085, tone(look["mark_colour"]))


def _dragon(pen: Pen, look: Look, cloth: Cloth, pose: Pose) -> None:
    wing = shade(cloth.main, -35)
    pen.line([(0.16, 0.1), (0.38, 0.08), (0.48, 0.2)], 0.1, cloth.main)
    pen.poly([(0.42, 0.18), (0.56, 0.18), (0.51, 0.32)], wing)
    for side in (-1, 1):
        pen.poly(
            [
                (side * 0.14, 0.5),
                (side * 0.46, 0.74),
                (side * 0.44, 0.52),
                (side * 0.34, 0.5),
                (side * 0.3, 0.38),
                (side * 0.16, 0.36),
            ],
            wing,
        )
        pen.oval(side * 0.14, 0.045, 0.11, 0.05, cloth.main)
        _arm(pen, side, (side * 0.17, 0.4), pose, cloth.main, 0.075)
    pen.smooth(
        [(-0.2, 0.06), (-0.24, 0.3), (-0.14, 0.56), (0.14, 0.56), (0.24, 0.3), (0.2, 0.06)], cloth
    )
    _crest(pen, look, 0.87, 0.2)
    pen.smooth(
        [
            (-0.22, 0.74),
            (-0.12, 0.88),
            (0.12, 0.88),
            (0.22, 0.74),
            (0.25, 0.58),
            (0, 0.5),
            (-0.25, 0.58),
        ],
        cloth.main,
    )
    _eyes(pen, look, 0.765, pose.gaze, 0.062)
    for side in (-1, 1):
        pen.oval(side * 0.07, 0.61, 0.022, 0.018, INK, False)
    pen.arc(0, 0.57, 0.12, 0.03, 0.55, 0.95, 0.018, INK)
    draw_mark(pen, look["mark"], 0, 0.25, 0.105, tone(look["mark_colour"]))


_KINDS = {
    "robot": _robot,
    "monster": _monster,
    "wizard": _wizard,
    "ghost": _ghost,
    "alien": _alien,
    "dragon": _dragon,
}
