"""What every concept of the toybox looks like, and the stand-ins that look nearly so.

A look is a kind and a value for each of its slots. Slots without a value of their own (the
colour of no hat) are left out, so that two looks differ exactly where a picture can show it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from eyeprint.models.colour_names import Rgb, colours_by_word
from eyeprint.people.tables import read_table
from eyeprint.randomness import Stream
from eyeprint.records.concepts import ConceptCategory

NONE = "none"


@dataclass(frozen=True)
class Look:
    """How one being or thing looks, in every picture; ``look["hat"]`` is a slot's value."""

    category: ConceptCategory
    kind: str
    values: tuple[tuple[str, str], ...]
    """(slot, value), in the order of the table; only what can be seen."""

    def __getitem__(self, slot: str) -> str:
        return dict(self.values).get(slot, NONE)


@cache
def looks_table() -> dict[str, Any]:
    """Return ``data/toybox_looks.toml``."""
    return read_table("toybox_looks.toml")


@cache
def tone(name: str, of: str = "") -> Rgb:
    """Return the colour in which a name is drawn; ``of`` is "skin" or "hair" where it matters.

    >>> tone("red"), tone("brown", "skin")
    ((214, 38, 43), (160, 106, 70))
    """
    tones = looks_table()["tones"]
    found = tones.get(f"{name} {of}") or tones.get(name)
    if found is not None:
        red, green, blue = found
        return red, green, blue
    return colours_by_word()[name].rgb


def draw_look(category: ConceptCategory, kind: str, draw: Stream) -> Look:
    """Return a look with every slot drawn."""
    return Look(category, kind, _seen(kind, _DRAWERS[category](kind, draw)))


def apart(one: Look, other: Look) -> int:
    """Return in how many slots two looks differ; looks of two kinds differ in all.

    >>> from eyeprint.randomness import stream
    >>> look = draw_look("object", "mug", stream(0, "look", 1))
    >>> apart(look, look)
    0
    """
    if one.kind != other.kind:
        return max(len(one.values), len(other.values))
    a, b = dict(one.values), dict(other.values)
    return sum(a.get(slot) != b.get(slot) for slot in {**a, **b})


def changed(look: Look, slots: int, draw: Stream) -> Look:
    """Return a look of the same kind with so many slots drawn anew; some may come out alike."""
    values = {**_DRAWERS[look.category](look.kind, draw), **dict(look.values)}
    fresh = _DRAWERS[look.category](look.kind, draw)
    for slot in draw.sample(list(fresh), slots):
        values[slot] = fresh[slot]
    return Look(look.category, look.kind, _seen(look.kind, values))


def _seen(kind: str, values: dict[str, str]) -> tuple[tuple[str, str], ...]:
    """Leave out what cannot be seen: the colour of what is not there, a second of plain cloth."""
    shown = dict(values)
    if shown.get("hat", NONE) != NONE and shown["hair"] in ("spiky", "bun"):
        shown["hair"] = "short"
    for slot, value in values.items():
        if value == NONE:
            shown.pop(f"{slot}_colour", None)
        if slot.endswith("pattern") and value == "plain":
            shown.pop(slot.replace("pattern", "second"), None)
    if shown.get("top") == "dress":
        shown.pop("bottom", None)
        shown.pop("bottom_colour", None)
    return tuple(shown.items())


def _colours(name: str) -> list[str]:
    return list(looks_table()["colours"][name])


def _two(draw: Stream, names: list[str]) -> tuple[str, str]:
    first, second = draw.sample(names, 2)
    return first, second


def _human(kind: str, draw: Stream) -> dict[str, str]:
    values = looks_table()["values"]
    elder = kind == "older adult"
    hat = draw.pick(values["hat"])
    hair = draw.pick(values["hair" if hat == NONE else "hair_under_hats"])
    top, second = _two(draw, _colours("cloth"))
    others = [name for name in _colours("cloth") if name != top]
    return {
        "skin": draw.pick(_colours("skin")),
        "hair": hair,
        "hair_colour": draw.pick(_colours("gray_hair" if elder else "hair")),
        "eyewear": draw.pick(values["eyewear"]),
        "hat": hat,
        "hat_colour": draw.pick(others),
        "top": draw.pick(values["top"]),
        "top_colour": top,
        "top_pattern": draw.pick(_colours("patterns")),
        "top_second": second,
        "bottom": draw.pick(values["bottom"]),
        "bottom_colour": draw.pick(others),
        "neck": draw.pick(values["neck"]),
        "neck_colour": draw.pick(others),
        "beard": NONE if kind == "child" else draw.pick(values["beard"]),
    }


def _animal(kind: str, draw: Stream) -> dict[str, str]:
    values = looks_table()["values"]
    feathered = kind in ("parrot", "duck")
    coat, second = _two(draw, _colours("feather" if feathered or kind == "turtle" else "coat"))
    made = {"coat": coat, "pattern": draw.pick(_colours("coats")), "second": second}
    if f"ears_{kind}" in values:
        made["ears"] = draw.pick(values[f"ears_{kind}"])
    cloth = [name for name in _colours("cloth") if name not in (coat, second, "brown")]
    made["collar"] = draw.pick(values["collar"])
    made["collar_colour"] = draw.pick(cloth)
    made["extra"] = draw.pick(values["extra"])
    made["extra_colour"] = draw.pick(cloth)
    return made


def _object(kind: str, draw: Stream) -> dict[str, str]:
    values = looks_table()["values"]
    main, second, trim = draw.sample(_colours("cloth"), 3)
    others = [name for name in _colours("cloth") if name not in (main, second)]
    return {
        "main": main,
        "pattern": draw.pick(_colours("patterns")),
        "second": second,
        "trim": trim,
        "mark": draw.pick(values["mark"]),
        "mark_colour": draw.pick(others),
    }


def _character(kind: str, draw: Stream) -> dict[str, str]:
    values = looks_table()["values"]
    main, second = _two(draw, _colours("cloth"))
    others = [name for name in _colours("cloth") if name not in (main, second)]
    crest, cape, mark = draw.sample(others, 3)
    return {
        "main": main,
        "pattern": draw.pick(_colours("patterns")),
        "second": second,
        "eyes": draw.pick(values["eyes"]),
        "crest": "pointed hat" if kind == "wizard" else draw.pick(values["crest"]),
        "crest_colour": crest,
        "cape": draw.pick([NONE, "cape"]),
        "cape_colour": cape,
        "mark": draw.pick(values["mark"]),
        "mark_colour": mark,
    }


_DRAWERS = {"human": _human, "animal": _animal, "object": _object, "character": _character}
