"""Draws what the tables of the toybox list as shapes: props, stands and icons of preferences."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

from eyeprint.models.colour_names import Rgb, colours_by_word, rgb_of_hex
from eyeprint.models.sketch_tables import motifs
from eyeprint.people.tables import read_table
from eyeprint.people.toybox_drawing import Cloth, Fill, Pen, Point, shade
from eyeprint.people.toybox_drawing_characters import draw_mark

Shape = tuple[Any, ...]
_ROLES: dict[str, Rgb] = {
    "dark": (56, 48, 58),
    "light": (248, 246, 240),
    "wood": (150, 98, 58),
    "metal": (168, 176, 186),
    "leaf": (74, 150, 80),
    "glass": (190, 222, 236),
    "skin": (236, 190, 150),
    "hair": (90, 60, 44),
    "lamp": (255, 226, 130),
    "flame": (246, 150, 50),
}
"""Colours of the roles that the sketch painter's motifs name."""


class Thing(NamedTuple):
    """Something of the tables."""

    name: str
    words: str
    """As it stands in a sentence: "a red balloon"; icons: a thing to like, "guitars"."""
    shapes: tuple[Shape, ...]
    hold: Point = (0.0, 0.0)
    """Where a hand takes it."""
    domain: str = ""
    """Of icons, as :data:`eyeprint.records.concepts.DOMAINS`."""
    topic: str = ""
    """Subdomain of icons."""


def _things(rows: dict[str, Any]) -> dict[str, Thing]:
    made = {}
    for name, row in rows.items():
        shapes = row.get("shapes") or _motif_shapes(row)
        hold = row.get("hold", (0.0, 0.0))
        made[name] = Thing(
            name,
            row["words"],
            tuple(tuple(shape) for shape in shapes),
            (hold[0], hold[1]),
            row.get("domain", ""),
            row.get("topic", ""),
        )
    return made


@cache
def props() -> dict[str, Thing]:
    """Return what is held or lies beside, by name.

    >>> props()["kite"].words
    'a kite'
    """
    return _things(read_table("toybox_things.toml")["props"])


@cache
def stands() -> dict[str, Thing]:
    """Return what is stood on, by name."""
    return _things(read_table("toybox_things.toml")["stands"])


@cache
def icons() -> dict[str, Thing]:
    """Return the things that people like and dislike, by name.

    >>> icons()["guitar"].words, icons()["guitar"].domain
    ('guitars', 'entertainment')
    """
    return _things(read_table("toybox_icons.toml")["icons"])


def _motif_shapes(row: dict[str, Any]) -> list[Shape]:
    """Return a motif of the sketch painter as shapes of the toybox, in fixed colours."""
    main, second = row.get("main", "red"), row.get("second", "cream")
    return [
        (shape[0], _role(str(shape[1]), main, second), *shape[2:])
        for shape in motifs()[row["motif"]].shapes
        if shape[0] in ("poly", "box", "oval", "line", "ring")
    ]


def _role(role: str, main: str, second: str) -> str:
    base = role.rstrip("0123456789").rstrip("+-")
    by = int(role[len(base) :] or 0)
    if base.startswith("#"):
        rgb = rgb_of_hex(role[:7])
        by = int(role[7:] or 0)
    elif base in _ROLES:
        rgb = _ROLES[base]
    else:
        word = second if base in ("second", "petal") else main
        rgb = colours_by_word()[word].rgb
    red, green, blue = shade(rgb, 2 * by)
    return f"#{red:02x}{green:02x}{blue:02x}"


def fill_of(text: str) -> Fill:
    """Return the fill of a table's word: a colour, or "main|second|pattern".

    >>> fill_of("#102030"), fill_of("white|red|bars").pattern
    ((16, 32, 48), 'bars')
    """
    if "|" in text:
        main, second, pattern = text.split("|")
        return Cloth(pattern, _colour(main), _colour(second))
    return _colour(text)


def _colour(text: str) -> Rgb:
    if text.startswith("#"):
        return rgb_of_hex(text)
    return (52, 50, 58) if text == "black" else colours_by_word()[text].rgb


def draw_thing(pen: Pen, thing: Thing) -> None:
    """Draw all shapes of a thing, in order."""
    for kind, fill, *rest in thing.shapes:
        _draw(pen, str(kind), fill_of(str(fill)), rest)


def _draw(pen: Pen, kind: str, fill: Fill, rest: list[Any]) -> None:
    plain = fill.main if isinstance(fill, Cloth) else fill
    if kind == "mark":
        name, x, y, r = rest
        draw_mark(pen, name, x, y, r, plain)
        return
    numbers = [float(value) for value in rest]
    if kind in ("poly", "smooth"):
        points = _points(numbers)
        (pen.poly if kind == "poly" else pen.smooth)(points, fill)
    elif kind == "box":
        left, low, right, high, *corner = numbers
        pen.box(left, low, right, high, fill, corner[0] if corner else 0.0)
    elif kind == "oval":
        x, y, rx, ry = numbers
        pen.oval(x, y, rx, ry, fill)
    elif kind == "line":
        pen.line(_points(numbers[1:]), numbers[0], plain)
    else:
        width, x, y, rx, ry = numbers
        pen.ring(x, y, rx, ry, width, plain)


def _points(numbers: list[float]) -> list[Point]:
    return list(zip(numbers[0::2], numbers[1::2], strict=True))
