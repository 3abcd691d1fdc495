"""Parts of the toybox's animals that several species share: eyes, snouts, what they wear."""

from __future__ import annotations

from eyeprint.models.colour_names import Rgb
from eyeprint.people.toybox_drawing import INK, WHITE, Cloth, Pen, shade
from eyeprint.people.toybox_looks import NONE, Look, tone

NOSE: Rgb = (70, 50, 56)


def eyes(pen: Pen, x: float, y: float, apart: float, size: float, gaze: float) -> None:
    """Draw two eyes around (x, y), ``apart`` from the middle; ``gaze`` moves the pupils."""
    for side in (-1, 1):
        px = x + side * apart + gaze * size * 0.35
        pen.oval(px, y, size * 1.15, size * 1.25, WHITE)
        pen.oval(px + gaze * size * 0.3, y, size * 0.72, size * 0.85, INK, False)
        pen.oval(px + size * 0.25, y + size * 0.35, size * 0.25, size * 0.28, WHITE, False)


def collar(pen: Pen, look: Look, x: float, y: float, wide: float) -> None:
    """Draw what it wears around its neck; ``wide`` is half its width."""
    kind = look["collar"]
    if kind == NONE:
        return
    colour = tone(look["collar_colour"])
    if kind == "bandana":
        pen.poly([(x - wide, y + 0.035), (x + wide, y + 0.035), (x, y - wide * 1.0)], colour)
    elif kind == "bow":
        for side in (-1, 1):
            pen.poly(
                [(x, y), (x + side * wide * 0.95, y + 0.075), (x + side * wide * 0.95, y - 0.075)],
                colour,
            )
        pen.oval(x, y, 0.035, 0.04, shade(colour, -35))
    else:
        pen.box(x - wide, y - 0.03, x + wide, y + 0.032, colour, 0.025)
        pen.oval(x, y - 0.06, 0.042, 0.042, (250, 210, 70))


def extra(pen: Pen, look: Look, x: float, y: float, r: float) -> None:
    """Draw what it wears on its head; (x, y) is the top of the head, ``r`` its half width."""
    kind = look["extra"]
    if kind == NONE:
        return
    colour = tone(look["extra_colour"])
    if kind == "party hat":
        cone = Cloth("stripes", colour, WHITE)
        pen.poly(
            [(x - r * 0.55, y - r * 0.1), (x + r * 0.55, y - r * 0.1), (x, y + r * 1.15)], cone
        )
        pen.oval(x, y + r * 1.15, r * 0.17, r * 0.17, WHITE)
    elif kind == "flower":
        cx, cy = x + r * 0.62, y - r * 0.1
        for dx, dy in ((0, 0.3), (0.29, 0.09), (0.18, -0.25), (-0.18, -0.25), (-0.29, 0.09)):
            pen.oval(cx + dx * r, cy + dy * r, r * 0.22, r * 0.22, colour)
        pen.oval(cx, cy, r * 0.17, r * 0.17, (250, 210, 60) if colour[1] < 180 else (150, 90, 40))
    else:
        pen.smooth(
            [
                (x - r * 0.75, y - r * 0.25),
                (x - r * 0.55, y + r * 0.35),
                (x, y + r * 0.55),
                (x + r * 0.55, y + r * 0.35),
                (x + r * 0.75, y - r * 0.25),
                (x, y - r * 0.1),
            ],
            colour,
        )
        pen.box(x - r * 0.8, y - r * 0.28, x + r * 0.8, y - r * 0.02, shade(colour, -40), r * 0.1)
        pen.oval(x, y + r * 0.62, r * 0.17, r * 0.17, WHITE)


def sitting(pen: Pen, coat: Cloth, belly: Rgb) -> None:
    """Draw the body of a sitting animal with four legs."""
    pen.smooth(
        [(-0.2, 0.42), (-0.3, 0.16), (-0.22, 0.0), (0.22, 0.0), (0.3, 0.16), (0.2, 0.42), (0, 0.5)],
        coat,
    )
    pen.smooth([(-0.1, 0.34), (-0.13, 0.12), (0, 0.05), (0.13, 0.12), (0.1, 0.34)], belly, False)
    for side in (-1, 1):
        pen.oval(side * 0.24, 0.045, 0.1, 0.055, coat.main)
        pen.box(side * 0.1 - 0.05, 0.0, side * 0.1 + 0.05, 0.24, coat.main, 0.045)


def snout(pen: Pen, x: float, y: float, size: float, muzzle: Rgb) -> None:
    """Draw nose and mouth on a muzzle."""
    pen.oval(x, y - size * 0.15, size * 1.3, size * 0.85, muzzle, False)
    pen.oval(x, y + size * 0.3, size * 0.42, size * 0.3, NOSE, False)
    for side in (-1, 1):
        pen.arc(
            x + side * size * 0.3,
            y - size * 0.15,
            size * 0.32,
            size * 0.3,
            0.5,
            1.0,
            size * 0.13,
            NOSE,
        )


def belly(coat: Cloth) -> Rgb:
    """Return a lighter tone of the coat, darker where it is white."""
    return shade(coat.main, 26 if sum(coat.main) < 640 else -16)
