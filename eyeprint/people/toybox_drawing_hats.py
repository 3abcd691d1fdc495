"""Draws what the toybox's people wear on their heads: glasses and hats."""

from __future__ import annotations

from eyeprint.people.toybox_drawing import WHITE, Fill, Pen, shade
from eyeprint.people.toybox_looks import NONE, Look, tone


def draw_eyewear(pen: Pen, kind: str, level: float, r: float, shift: float) -> None:
    """Draw glasses at a height; ``r`` is the head's radius."""
    if kind == NONE:
        return
    for side in (-1, 1):
        x = side * r * 0.42 + shift
        if kind == "round glasses":
            pen.ring(x, level, r * 0.27, r * 0.27, r * 0.07, (40, 40, 60), False)
        elif kind == "square glasses":
            corners = [
                (x - r * 0.29, level - r * 0.22),
                (x + r * 0.29, level - r * 0.22),
                (x + r * 0.29, level + r * 0.22),
                (x - r * 0.29, level + r * 0.22),
            ]
            pen.line([*corners, *corners[:2]], r * 0.08, (150, 30, 40), False)
        else:
            pen.box(
                x - r * 0.33, level - r * 0.2, x + r * 0.33, level + r * 0.2, (30, 30, 36), r * 0.14
            )
    pen.line([(shift - r * 0.14, level), (shift + r * 0.14, level)], r * 0.06, (40, 40, 50), False)


def draw_hat(pen: Pen, look: Look, head: float, r: float) -> None:
    """Draw a hat on a head of radius ``r`` around (0, head)."""
    kind = look["hat"]
    if kind == NONE:
        return
    colour: Fill = tone(look["hat_colour"])
    dark = shade(tone(look["hat_colour"]), -40)

    def at(*points: tuple[float, float]) -> list[tuple[float, float]]:
        return [(x * r, head + y * r) for x, y in points]

    if kind == "cap":
        pen.smooth(
            at((-1.04, 0.4), (-0.9, 0.95), (0, 1.25), (0.9, 0.95), (1.04, 0.4), (0, 0.5)), colour
        )
        pen.smooth(at((-0.1, 0.55), (1.0, 0.62), (1.75, 0.38), (1.0, 0.34), (0.1, 0.4)), dark)
    elif kind == "beanie":
        pen.smooth(
            at((-1.05, 0.5), (-0.8, 1.15), (0, 1.45), (0.8, 1.15), (1.05, 0.5), (0, 0.55)), colour
        )
        pen.box(-r * 1.08, head + r * 0.38, r * 1.08, head + r * 0.68, dark, r * 0.12)
        pen.oval(0, head + r * 1.5, r * 0.24, r * 0.24, WHITE)
    elif kind == "straw hat":
        pen.oval(0, head + r * 0.6, r * 1.65, r * 0.26, (232, 200, 120))
        pen.smooth(
            at((-0.85, 0.6), (-0.75, 1.2), (0, 1.42), (0.75, 1.2), (0.85, 0.6)), (232, 200, 120)
        )
        pen.box(-r * 0.86, head + r * 0.6, r * 0.86, head + r * 0.84, colour)
    elif kind == "top hat":
        pen.box(-r * 0.78, head + r * 0.6, r * 0.78, head + r * 1.65, colour)
        pen.box(-r * 0.79, head + r * 0.68, r * 0.79, head + r * 0.9, dark)
        pen.oval(0, head + r * 0.6, r * 1.25, r * 0.17, colour)
    else:
        pen.smooth(
            at((-1.2, 0.55), (-0.9, 1.0), (0.1, 1.28), (1.2, 1.0), (1.4, 0.6), (0.5, 0.62)), colour
        )
        pen.line(at((0.1, 1.2), (0.15, 1.4)), r * 0.09, tone(look["hat_colour"]))
