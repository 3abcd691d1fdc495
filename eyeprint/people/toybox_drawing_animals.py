"""Draws the animals of the toybox, each species in a shape of its own."""

from __future__ import annotations

from eyeprint.models.colour_names import Rgb
from eyeprint.people.toybox_drawing import INK, WHITE, Cloth, Pen, shade
from eyeprint.people.toybox_drawing_animal_parts import (
    NOSE,
    belly,
    collar,
    extra,
    eyes,
    sitting,
    snout,
)
from eyeprint.people.toybox_drawing_people import Pose
from eyeprint.people.toybox_looks import NONE, Look, tone

BEAK: Rgb = (244, 170, 48)


def draw_animal(pen: Pen, look: Look, pose: Pose) -> None:
    """Draw an animal that sits or stands on (0, 0)."""
    second = tone(look["second"]) if look["second"] != NONE else WHITE
    coat = Cloth(look["pattern"], tone(look["coat"]), second)
    _SPECIES[look.kind](pen, look, coat, pose)


def _cat(pen: Pen, look: Look, coat: Cloth, pose: Pose) -> None:
    pen.line([(0.22, 0.08), (0.42, 0.12), (0.45, 0.32), (0.38, 0.42)], 0.085, coat.main)
    sitting(pen, coat, belly(coat))
    for side in (-1, 1):
        pen.poly([(side * 0.29, 0.66), (side * 0.3, 0.98), (side * 0.06, 0.84)], coat.main)
        pen.poly(
            [(side * 0.245, 0.74), (side * 0.255, 0.89), (side * 0.13, 0.83)],
            (232, 150, 150),
            False,
        )
    pen.oval(0, 0.67, 0.3, 0.235, coat)
    x = pose.gaze * 0.04
    eyes(pen, x, 0.7, 0.125, 0.05, pose.gaze)
    snout(pen, x, 0.59, 0.075, belly(coat))
    for side in (-1, 1):
        for dy in (-0.02, 0.03):
            pen.line(
                [(x + side * 0.12, 0.58 + dy * 0.5), (x + side * 0.36, 0.58 + dy)],
                0.009,
                INK,
                False,
            )
    collar(pen, look, 0, 0.435, 0.15)
    extra(pen, look, 0, 0.9, 0.2)


def _dog(pen: Pen, look: Look, coat: Cloth, pose: Pose) -> None:
    pen.line([(0.2, 0.12), (0.36, 0.26), (0.34, 0.36)], 0.07, coat.main)
    sitting(pen, coat, belly(coat))
    dark = shade(coat.main, -32 if sum(coat.main) > 220 else 30)
    pointed = look["ears"] == "pointed"
    if pointed:
        for side in (-1, 1):
            pen.poly([(side * 0.27, 0.72), (side * 0.25, 1.02), (side * 0.07, 0.86)], dark)
    pen.smooth(
        [
            (-0.24, 0.78),
            (0, 0.92),
            (0.24, 0.78),
            (0.23, 0.6),
            (0.14, 0.46),
            (-0.14, 0.46),
            (-0.23, 0.6),
        ],
        coat,
    )
    if not pointed:
        for side in (-1, 1):
            pen.smooth(
                [
                    (side * 0.16, 0.86),
                    (side * 0.3, 0.8),
                    (side * 0.37, 0.58),
                    (side * 0.29, 0.47),
                    (side * 0.22, 0.62),
                ],
                dark,
            )
    x = pose.gaze * 0.04
    eyes(pen, x, 0.72, 0.105, 0.043, pose.gaze)
    snout(pen, x, 0.56, 0.1, belly(coat))
    pen.smooth(
        [(x - 0.04, 0.5), (x + 0.04, 0.5), (x + 0.035, 0.43), (x, 0.41), (x - 0.035, 0.43)],
        (232, 110, 120),
    )
    collar(pen, look, 0, 0.4, 0.15)
    extra(pen, look, 0, 0.89, 0.19)


def _fox(pen: Pen, look: Look, coat: Cloth, pose: Pose) -> None:
    pen.smooth([(0.18, 0.06), (0.4, 0.06), (0.56, 0.28), (0.5, 0.52), (0.34, 0.36)], coat)
    pen.smooth([(0.55, 0.36), (0.5, 0.53), (0.4, 0.42)], WHITE)
    sitting(pen, coat, WHITE)
    for side in (-1, 1):
        pen.poly([(side * 0.31, 0.7), (side * 0.3, 1.06), (side * 0.06, 0.86)], coat.main)
        pen.poly([(side * 0.29, 0.9), (side * 0.3, 1.06), (side * 0.2, 0.97)], INK, False)
    pen.poly(
        [(-0.33, 0.7), (-0.2, 0.88), (0.2, 0.88), (0.33, 0.7), (0.05, 0.47), (-0.05, 0.47)], coat
    )
    for side in (-1, 1):
        pen.poly(
            [(side * 0.32, 0.695), (side * 0.05, 0.62), (side * 0.02, 0.48), (side * 0.06, 0.48)],
            WHITE,
            False,
        )
    x = pose.gaze * 0.03
    eyes(pen, x, 0.73, 0.11, 0.042, pose.gaze)
    pen.oval(0, 0.485, 0.045, 0.035, NOSE)
    collar(pen, look, 0, 0.41, 0.15)
    extra(pen, look, 0, 0.87, 0.19)


def _rabbit(pen: Pen, look: Look, coat: Cloth, pose: Pose) -> None:
    inner = (236, 170, 170)
    for side in (-1, 1):
        if look["ears"] == "upright":
            pen.smooth(
                [
                    (side * 0.05, 0.7),
                    (side * 0.07, 0.98),
                    (side * 0.14, 1.06),
                    (side * 0.2, 0.96),
                    (side * 0.17, 0.7),
                ],
                coat.main,
            )
            pen.smooth(
                [
                    (side * 0.09, 0.74),
                    (side * 0.11, 0.95),
                    (side * 0.14, 1.0),
                    (side * 0.16, 0.92),
                    (side * 0.14, 0.74),
                ],
                inner,
                False,
            )
        else:
            pen.smooth(
                [
                    (side * 0.12, 0.76),
                    (side * 0.3, 0.72),
                    (side * 0.38, 0.44),
                    (side * 0.3, 0.34),
                    (side * 0.23, 0.5),
                ],
                coat.main,
            )
    pen.oval(0.27, 0.12, 0.09, 0.09, WHITE)
    sitting(pen, coat, belly(coat))
    pen.oval(0, 0.6, 0.235, 0.21, coat)
    x = pose.gaze * 0.035
    eyes(pen, x, 0.63, 0.115, 0.042, pose.gaze)
    snout(pen, x, 0.53, 0.06, WHITE)
    pen.box(x - 0.028, 0.455, x + 0.028, 0.505, WHITE)
    collar(pen, look, 0, 0.4, 0.14)
    extra(pen, look, 0, 0.79, 0.16)


def _parrot(pen: Pen, look: Look, coat: Cloth, pose: Pose) -> None:
    tail = shade(coat.main, -45)
    pen.poly([(-0.05, 0.2), (0.07, 0.2), (0.3, -0.06), (0.16, -0.1)], tail)
    for side in (-1, 1):
        pen.line([(side * 0.07, 0.08), (side * 0.07, 0.0)], 0.04, BEAK)
        pen.line([(side * 0.07 - 0.05, 0.0), (side * 0.07 + 0.05, 0.0)], 0.035, BEAK)
    pen.smooth([(-0.22, 0.5), (-0.2, 0.18), (0, 0.05), (0.2, 0.18), (0.22, 0.5), (0, 0.66)], coat)
    wing = coat.second if coat.pattern != "plain" else shade(coat.main, -30)
    for side in (-1, 1):
        lift = 0.12 * pose.arm
        pen.smooth(
            [
                (side * 0.17, 0.52),
                (side * (0.3 + lift), 0.38),
                (side * (0.31 + lift), 0.18),
                (side * 0.18, 0.16),
            ],
            wing,
        )
    pen.poly([(-0.1, 0.92), (-0.06, 1.04), (-0.01, 0.94), (0.05, 1.06), (0.08, 0.92)], coat.main)
    pen.oval(0, 0.76, 0.215, 0.2, coat.main)
    x = pose.gaze * 0.04
    for side in (-1, 1):
        pen.oval(x + side * 0.11, 0.77, 0.085, 0.095, WHITE, False)
    eyes(pen, x, 0.78, 0.105, 0.042, pose.gaze)
    pen.smooth(
        [
            (x - 0.065, 0.74),
            (x, 0.79),
            (x + 0.065, 0.74),
            (x + 0.03, 0.62),
            (x, 0.58),
            (x - 0.03, 0.62),
        ],
        (70, 66, 72),
    )
    collar(pen, look, 0, 0.54, 0.16)
    extra(pen, look, 0, 0.95, 0.17)


def _duck(pen: Pen, look: Look, coat: Cloth, pose: Pose) -> None:
    for x in (-0.06, 0.1):
        pen.line([(x, 0.14), (x, 0.03)], 0.04, BEAK)
        pen.poly([(x - 0.1, 0.0), (x + 0.05, 0.0), (x, 0.06)], BEAK)
    pen.smooth(
        [
            (-0.28, 0.36),
            (-0.22, 0.16),
            (0.02, 0.08),
            (0.26, 0.16),
            (0.46, 0.46),
            (0.2, 0.42),
            (-0.08, 0.5),
        ],
        coat,
    )
    wing = coat.second if coat.pattern != "plain" else shade(coat.main, -26)
    pen.smooth([(-0.08, 0.4), (0.14, 0.42), (0.32, 0.34), (0.16, 0.2), (-0.04, 0.24)], wing)
    pen.smooth([(-0.3, 0.3), (-0.3, 0.6), (-0.06, 0.6), (-0.05, 0.36)], coat.main)
    pen.oval(-0.17, 0.72, 0.19, 0.18, coat.main)
    pen.smooth([(-0.3, 0.73), (-0.48, 0.72), (-0.52, 0.66), (-0.42, 0.62), (-0.28, 0.64)], BEAK)
    pen.oval(-0.21, 0.78, 0.045, 0.05, WHITE)
    pen.oval(-0.215 - 0.012, 0.78, 0.027, 0.033, INK, False)
    collar(pen, look, -0.175, 0.53, 0.125)
    extra(pen, look, -0.16, 0.89, 0.15)


def _turtle(pen: Pen, look: Look, coat: Cloth, pose: Pose) -> None:
    skin: Rgb = (134, 186, 96) if look["coat"] != "green" else (206, 190, 110)
    for x in (-0.2, 0.24):
        pen.box(x - 0.08, 0.0, x + 0.08, 0.2, skin, 0.05)
    pen.poly([(0.38, 0.2), (0.53, 0.14), (0.4, 0.28)], skin)
    pen.smooth([(-0.26, 0.24), (-0.44, 0.3), (-0.5, 0.5), (-0.34, 0.56), (-0.22, 0.4)], skin)
    pen.oval(-0.42, 0.55, 0.15, 0.14, skin)
    eyes(pen, -0.44, 0.59, 0.055, 0.034, -0.4 + 0.3 * pose.gaze)
    pen.arc(-0.45, 0.5, 0.06, 0.035, 0.55, 0.95, 0.014, INK)
    pen.smooth(
        [(-0.34, 0.2), (-0.3, 0.46), (0.03, 0.68), (0.36, 0.46), (0.42, 0.2), (0.04, 0.15)], coat
    )
    pen.box(-0.36, 0.15, 0.44, 0.23, shade(coat.main, -40), 0.04)
    collar(pen, look, -0.31, 0.38, 0.1)
    extra(pen, look, -0.41, 0.67, 0.13)


def _pony(pen: Pen, look: Look, coat: Cloth, pose: Pose) -> None:
    mane = coat.second if coat.pattern != "plain" else shade(coat.main, -60)
    if sum(coat.main) < 240 and coat.pattern == "plain":
        mane = (150, 120, 90)
    pen.smooth([(0.34, 0.5), (0.46, 0.48), (0.52, 0.26), (0.46, 0.1), (0.4, 0.3)], mane)
    for x in (-0.18, -0.04, 0.2, 0.32):
        pen.box(x - 0.055, 0.03, x + 0.055, 0.32, coat.main)
        pen.box(x - 0.06, 0.0, x + 0.06, 0.06, (70, 60, 60))
    pen.smooth(
        [
            (-0.28, 0.44),
            (-0.2, 0.26),
            (0.1, 0.2),
            (0.36, 0.28),
            (0.42, 0.46),
            (0.24, 0.56),
            (-0.1, 0.52),
        ],
        coat,
    )
    pen.smooth([(-0.3, 0.36), (-0.36, 0.7), (-0.12, 0.78), (-0.04, 0.46)], coat.main)
    for x in (-0.3, -0.17):
        pen.poly([(x - 0.045, 0.88), (x + 0.045, 0.88), (x + 0.01, 1.0)], coat.main)
    pen.smooth(
        [(-0.38, 0.9), (-0.16, 0.9), (-0.12, 0.74), (-0.3, 0.62), (-0.52, 0.58), (-0.56, 0.68)],
        coat.main,
    )
    pen.smooth([(-0.5, 0.56), (-0.58, 0.62), (-0.56, 0.7), (-0.46, 0.7), (-0.43, 0.6)], belly(coat))
    pen.oval(-0.53, 0.65, 0.016, 0.02, INK, False)
    pen.smooth(
        [(-0.24, 0.94), (-0.1, 0.9), (0.0, 0.66), (0.0, 0.46), (-0.1, 0.56), (-0.16, 0.8)], mane
    )
    pen.oval(-0.31, 0.79, 0.042, 0.05, WHITE)
    pen.oval(-0.32 + 0.01 * pose.gaze, 0.79, 0.026, 0.034, INK, False)
    collar(pen, look, -0.2, 0.5, 0.13)
    extra(pen, look, -0.24, 0.92, 0.14)


_SPECIES = {
    "cat": _cat,
    "dog": _dog,
    "fox": _fox,
    "rabbit": _rabbit,
    "parrot": _parrot,
    "duck": _duck,
    "turtle": _turtle,
    "pony": _pony,
}
