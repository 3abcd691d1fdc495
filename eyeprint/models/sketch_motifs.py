"""Draws the motifs of the tables: shapes in units of the motif, at a place, in a size."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from eyeprint.models.colour_names import Rgb
from eyeprint.models.sketch_brush import Brush
from eyeprint.models.sketch_colours import Scheme
from eyeprint.models.sketch_tables import Motif, Shape, motifs

_TONES = 5
"""Kinds of skin and of hair."""


class Look(NamedTuple):
    """Where and how one motif is drawn."""

    x: float
    """Of its middle, in pixels of the canvas."""
    y: float
    """Of its foot."""
    height: float
    main: str
    """Its own colour, as role or #rrggbb."""
    second: str
    petal: str = "petal"
    """Colour of flowers that it holds."""
    bound: bool = False
    """Whether the prompt gave it that colour."""
    flip: bool = False
    far: float = 0.0
    number: int = 0
    """Which of its kind; people differ by it."""


@lru_cache(maxsize=512)
def extent(name: str) -> tuple[float, float, float, float]:
    """Return the left, lower, right and upper end of a motif's shapes, in its units.

    >>> extent("sun")
    (-0.5, 0.0, 0.5, 1.0)
    """
    xs: list[float] = []
    ys: list[float] = []
    for shape in motifs()[name].shapes:
        kind, numbers = str(shape[0]), [float(v) for v in shape[2:]]
        if kind == "glow":
            continue
        if kind == "use":
            left, low, right, high = extent(str(shape[1]))
            x, y, scale = numbers
            xs += [x + left * scale, x + right * scale]
            ys += [y + low * scale, y + high * scale]
        elif kind in ("poly", "box"):
            xs, ys = xs + numbers[0::2], ys + numbers[1::2]
        elif kind == "line":
            xs, ys = xs + numbers[1::2], ys + numbers[2::2]
        else:
            skip = {"oval": 0, "blobs": 1, "ring": 1, "arch": 1, "spiral": 1}[kind]
            x, y, rx = numbers[skip : skip + 3]
            ry = rx if kind == "spiral" else numbers[skip + 3]
            more = numbers[skip + 4] if kind == "blobs" else 0.0
            xs += [x - rx - more, x + rx + more]
            ys += [y if kind == "arch" else y - ry - more, y + ry + more]
    return min(xs), min(ys), max(xs), max(ys)


def draw_motif(brush: Brush, scheme: Scheme, motif: Motif, look: Look) -> None:
    """Draw one motif, its shapes in the order of the table."""
    for shape in motif.shapes:
        if shape[0] == "use":
            x, y, scale = (float(v) for v in shape[2:])
            turned = -x if look.flip else x
            used = look._replace(
                x=look.x + turned * look.height,
                y=look.y - y * look.height,
                height=look.height * scale,
                main=scheme.accent(look.number + round(7 * x) + 3),
                number=look.number + round(10 * abs(x)) + (x > 0),
                bound=False,
            )
            draw_motif(brush, scheme, motifs()[str(shape[1])], used)
        else:
            _draw_shape(brush, scheme, motif, shape, look)


def _colour(scheme: Scheme, role: str, motif: Motif, look: Look) -> Rgb:
    if role.startswith(("skin", "hair")):
        role = f"{role[:4]}{look.number % _TONES}{role[4:]}"
    if role.startswith("petal"):
        return scheme.colour("main" + role[5:], look.petal, look.petal != "petal", look.far)
    if role.startswith("second"):
        return scheme.colour("main" + role[6:], look.second, False, look.far)
    if role.startswith("#"):
        return scheme.colour("main" + role[7:], role[:7], False, look.far)
    own = role.startswith("main")
    return scheme.colour(role, look.main, look.bound, look.far, motif.lit and own)


def _draw_shape(brush: Brush, scheme: Scheme, motif: Motif, shape: Shape, look: Look) -> None:
    kind, role = str(shape[0]), str(shape[1])
    numbers = [float(v) for v in shape[2:]]
    rgb = _colour(scheme, role, motif, look)
    side = -look.height if look.flip else look.height

    def at(x: float, y: float) -> tuple[float, float]:
        return look.x + x * side, look.y - y * look.height

    def points(values: list[float]) -> list[tuple[float, float]]:
        return [at(x, y) for x, y in zip(values[0::2], values[1::2], strict=True)]

    def box() -> None:
        x0, y0, x1, y1 = numbers
        brush.polygon(points([x0, y0, x1, y0, x1, y1, x0, y1]), rgb)

    def oval() -> None:
        x, y, rx, ry = numbers
        brush.oval(*at(x, y), rx * look.height, ry * look.height, rgb)

    def blobs() -> None:
        count, x, y, rx, ry, radius = numbers
        for _ in range(round(count)):
            # Two draws a side lie nearer to the middle than one.
            dx = brush.hand.random() + brush.hand.random() - 1
            dy = brush.hand.random() + brush.hand.random() - 1
            size = radius * look.height * (0.8 + 0.4 * brush.hand.random())
            brush.oval(*at(x + dx * rx, y + dy * ry), size, size, rgb)

    def bent(draw: Callable[..., None]) -> None:
        width, x, y, rx, ry = numbers
        h = look.height
        draw(*at(x, y), rx * h, ry * h, width * h, rgb)

    def spiral() -> None:
        width, x, y, radius, turns = numbers
        h = look.height
        brush.spiral(*at(x, y), radius * h, turns, width * h, rgb)

    kinds: dict[str, Callable[[], None]] = {
        "poly": lambda: brush.polygon(points(numbers), rgb),
        "box": box,
        "oval": oval,
        "blobs": blobs,
        "line": lambda: brush.line(points(numbers[1:]), numbers[0] * look.height, rgb),
        "ring": lambda: bent(brush.ring),
        "arch": lambda: bent(brush.arch),
        "spiral": spiral,
        "glow": lambda: brush.glow(*at(numbers[0], numbers[1]), numbers[2] * look.height, rgb),
    }
    kinds[kind]()
