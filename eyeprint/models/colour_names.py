"""Names of colours: what a colour is called, and what colour a name means.

The table is data (``data/colour_names.toml``): about sixty names in twelve families, with
other words that prompts use for them. A colour is called by the name whose CIEDE2000
difference is smallest.
"""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import NamedTuple

import numpy as np

from eyeprint.maths.colour import Floats, colour_difference, lab_of

Rgb = tuple[int, int, int]
"""8-bit sRGB."""


class ColourName(NamedTuple):
    """One entry of the table."""

    name: str
    family: str
    """black, gray, white, red, pink, orange, yellow, brown, green, cyan, blue or purple."""
    rgb: Rgb
    also: tuple[str, ...]
    """Other words for it, none of which names another entry."""


@cache
def colour_names() -> tuple[ColourName, ...]:
    """Return the table, in the order of the file.

    >>> len(colour_names()) >= 60
    True
    """
    text = files("eyeprint.models").joinpath("data/colour_names.toml").read_text(encoding="utf-8")
    return tuple(
        ColourName(name, family, rgb_of_hex(entry["rgb"]), tuple(entry["also"]))
        for family, entries in tomllib.loads(text).items()
        for name, entry in entries.items()
    )


def rgb_of_hex(text: str) -> Rgb:
    """Return the colour of ``#rrggbb``.

    >>> rgb_of_hex("#0a10ff")
    (10, 16, 255)
    """
    return int(text[1:3], 16), int(text[3:5], 16), int(text[5:7], 16)


@cache
def _table_lab() -> Floats:
    return lab_of(np.array([entry.rgb for entry in colour_names()], np.uint8))


def nearest_names(lab: Floats) -> list[ColourName]:
    """Return what each colour is called.

    Args:
        lab: CIELAB, shape (n, 3).

    >>> [c.name for c in nearest_names(lab_of(np.array([[0, 0, 0], [240, 160, 185]], np.uint8)))]
    ['black', 'pink']
    """
    apart = colour_difference(np.asarray(lab)[:, None, :], _table_lab()[None])
    return [colour_names()[place] for place in apart.argmin(axis=1).tolist()]


@cache
def colours_by_word() -> dict[str, ColourName]:
    """Return every name and other word, in lower case, with its entry.

    >>> colours_by_word()["teal"] is colours_by_word()["petrol"]
    True
    """
    found = {}
    for entry in colour_names():
        for word in (entry.name, *entry.also):
            found[word] = entry
    return found
