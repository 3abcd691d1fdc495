"""The sketch painter's tables, read once: motifs, settings, light, palettes, styles.

All of it is data (``data/sketch_*.toml``), so that what the painter understands and can
draw is seen at a glance, and grows without code. A word of a prompt may mean several
things ("cloudy" is light and weather): each table is asked on its own.
"""

from __future__ import annotations

import hashlib
import tomllib
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from eyeprint.models.colour_names import Rgb, rgb_of_hex

MOTIF_FILES = ("nature", "town", "indoor", "beings")
_FILES = (*(f"sketch_motifs_{name}" for name in MOTIF_FILES), "sketch_settings", "sketch_light")
PLACES = (
    "ground",
    "water",
    "swim",
    "far",
    "sky",
    "surface",
    "floor",
    "wall",
    "wall_foot",
    "curtain",
    "frame",
    "scatter",
    "figure",
)
"""Where a motif can be: see ``sketch_layout``."""

Shape = tuple[str | float, ...]
"""Kind, colour and numbers, as the head of sketch_motifs_nature.toml explains."""


class Motif(NamedTuple):
    """Something that can be drawn."""

    name: str
    words: tuple[str, ...]
    place: str
    size: float
    """Height at the usual distance, as a share of the picture's shorter side."""
    main: str
    """Role or #rrggbb of its own colour, which a colour word before it replaces."""
    shapes: tuple[Shape, ...]
    single: int = 1
    """How many one word in the singular stands for."""
    plural: int = 3
    """How many one word in the plural stands for."""
    lit: bool = False
    """Shines by itself: night does not darken it."""
    shows: tuple[str, ...] = ()
    """Motifs that it shows too: a vase has flowers in it, a portrait is of a person."""
    part: str = ""
    """Which of :data:`MOTIF_FILES` it stands in."""


class Setting(NamedTuple):
    """Where a scene takes place."""

    name: str
    words: tuple[str, ...]
    ground: str | None = None
    """What fills the lower part; "none" for scenes without ground; ``None`` says nothing."""
    far: str | None = None
    sky: str = "sky"
    horizon: float = 0.58
    weak: bool = False
    """Counts only where no other setting is named: a street has walls too."""


class Light(NamedTuple):
    """A time of day, or a quality of light that goes on top of one."""

    name: str
    words: tuple[str, ...] = ()
    sky: tuple[Rgb, ...] = ()
    tint: Rgb = (128, 128, 128)
    tinted: float = 0.0
    level: float = 1.0
    contrast: float = 1.0
    saturation: float = 1.0
    lift: float = 0.0
    fog: float = 0.0
    stars: int = 0
    disc: str = ""
    """sun or moon, where the light comes from one that is seen."""
    disc_height: float = 0.3
    """From the top of the sky (0) to the horizon (1)."""
    lit: bool = False
    """Windows and lamps shine."""


class Palette(NamedTuple):
    """Colours by a name."""

    name: str
    words: tuple[str, ...]
    colours: tuple[Rgb, ...]
    lift: float = 0.0
    saturation: float = 1.0
    gray: bool = False
    """Nothing else keeps its own colour."""


def _read(name: str) -> dict[str, Any]:
    text = files("eyeprint.models").joinpath(f"data/{name}.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


@cache
def motifs() -> dict[str, Motif]:
    """Return every motif by name.

    >>> motifs()["boat"].place, len(motifs()) > 100
    ('water', True)
    """
    found = {}
    for part in MOTIF_FILES:
        for name, entry in _read(f"sketch_motifs_{part}").items():
            shapes = tuple(tuple(shape) for shape in entry.pop("shapes"))
            words, shows = tuple(entry.pop("words")), tuple(entry.pop("shows", ()))
            found[name] = Motif(name, words, shapes=shapes, shows=shows, part=part, **entry)
    return found


@cache
def settings() -> dict[str, Setting]:
    """Return every setting by name.

    >>> settings()["room"].sky
    'wall'
    """
    return {
        name: Setting(name, tuple(entry.pop("words")), **entry)
        for name, entry in _read("sketch_settings").items()
    }


def _light(name: str, entry: dict[str, Any]) -> Light:
    sky = tuple(rgb_of_hex(colour) for colour in entry.pop("sky", ()))
    tint = rgb_of_hex(entry.pop("tint", "#808080"))
    return Light(name, tuple(entry.pop("words")), sky, tint, **entry)


@cache
def times() -> dict[str, Light]:
    """Return times of day by name; each has a sky.

    >>> times()["night"].disc
    'moon'
    """
    return {name: _light(name, entry) for name, entry in _read("sketch_light")["times"].items()}


@cache
def qualities() -> dict[str, Light]:
    """Return qualities of light by name.

    >>> qualities()["soft"].contrast < 1 < qualities()["harsh"].contrast
    True
    """
    table = _read("sketch_light")["qualities"]
    return {name: _light(name, entry) for name, entry in table.items()}


@cache
def palettes() -> dict[str, Palette]:
    """Return named palettes.

    >>> palettes()["mono"].gray
    True
    """
    return {
        name: Palette(
            name,
            tuple(entry.pop("words")),
            tuple(rgb_of_hex(colour) for colour in entry.pop("colours")),
            **entry,
        )
        for name, entry in _read("sketch_looks")["palettes"].items()
    }


@cache
def word_lists(table: str) -> dict[str, tuple[str, ...]]:
    """Return the word lists of styles, arrangements, weather or nothing.

    >>> "pixel art" in word_lists("styles")["pixel"]
    True
    """
    return {name: tuple(words) for name, words in _read("sketch_looks")[table].items()}


@cache
def numbers() -> dict[str, int]:
    """Return number words with what they stand for.

    >>> numbers()["three"]
    3
    """
    return dict(_read("sketch_looks")["numbers"])


@cache
def tables_fingerprint() -> str:
    """Return the SHA-256 of all tables: other tables, other pictures."""
    state = hashlib.sha256()
    for name in (*_FILES, "sketch_looks", "colour_names"):
        state.update(files("eyeprint.models").joinpath(f"data/{name}.toml").read_bytes())
    return state.hexdigest()
