"""Reads a prompt for the sketch painter: what is to be shown, and what it cannot show.

Phrases of the tables are looked for, longest first; a plural counts as its singular. A
colour word just before a thing is the colour of that thing, any other one is part of the
palette. What follows "no" or "without", and what the negative prompt names, is left out.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

from eyeprint.models.colour_names import Rgb, colours_by_word
from eyeprint.models.sketch_tables import (
    Light,
    Motif,
    Palette,
    Setting,
    motifs,
    numbers,
    palettes,
    qualities,
    settings,
    times,
    word_lists,
)

MOST_KINDS = 9
"""Kinds of things in one picture; what comes later in the prompt is told as not shown."""
_LONGEST = 3
_REACH = 2
"""A colour belongs to the thing at most this many words behind it."""
_WORD = re.compile(r"[^\W_]+(?:['’&-][^\W_]+)*")


class Meaning(NamedTuple):
    """What one phrase stands for in one table."""

    kind: str
    """motif, setting, time, quality, palette, colour, style, arrangement, weather, number,
    negation or stop."""
    name: str


class Asked(NamedTuple):
    """A thing that the prompt names."""

    motif: Motif
    many: int
    """How many of it."""
    colour: Rgb | None
    word: str
    second: Rgb | None = None
    """Colour of what it shows besides itself: of the flowers in a vase."""


@dataclass(frozen=True)
class SketchPlan:
    """All that a prompt says to the painter."""

    things: tuple[Asked, ...] = ()
    settings: tuple[Setting, ...] = ()
    setting_colours: tuple[tuple[str, Rgb], ...] = ()
    """Setting's name and the colour word before it: "a purple sky"."""
    time: Light | None = None
    qualities: tuple[Light, ...] = ()
    palettes: tuple[Palette, ...] = ()
    colours: tuple[Rgb, ...] = ()
    """Colour words that belong to no thing."""
    accents: tuple[Rgb, ...] = ()
    """Colour words before things that the painter does not know: "a red scarf"."""
    style: str = ""
    arrangements: frozenset[str] = frozenset()
    weather: frozenset[str] = frozenset()
    content: tuple[str, ...] = ()
    """Words with a meaning of their own, known or not, in the order of the prompt."""
    not_shown: tuple[str, ...] = ()


@cache
def meanings() -> dict[str, tuple[Meaning, ...]]:
    """Return every phrase that the painter knows, with what it stands for.

    >>> [m.kind for m in meanings()["rowboat"]]
    ['motif']
    """
    found: dict[str, list[Meaning]] = {}

    def add(kind: str, name: str, words: tuple[str, ...]) -> None:
        for word in words:
            found.setdefault(" ".join(split_words(word)), []).append(Meaning(kind, name))

    for motif in motifs().values():
        add("motif", motif.name, (motif.name, *motif.words))
    for setting in settings().values():
        add("setting", setting.name, setting.words)
    for time in times().values():
        add("time", time.name, time.words)
    for quality in qualities().values():
        add("quality", quality.name, quality.words)
    for palette in palettes().values():
        add("palette", palette.name, palette.words)
    for table in ("style", "arrangement", "weather"):
        for name, words in word_lists(table if table == "weather" else f"{table}s").items():
            add(table, name, words)
    for word in colours_by_word():
        add("colour", word, (word,))
    for word in numbers():
        add("number", word, (word,))
    lists = word_lists("nothing")
    add("negation", "no", lists["negations"])
    add("stop", "stop", lists["stop"])
    return {phrase: tuple(dict.fromkeys(entry)) for phrase, entry in found.items()}


def split_words(text: str) -> list[str]:
    """Return a text's words in lower case, accents and typographic marks made plain.

    >>> split_words("A café, “sun-drenched” — at 5 o’clock")
    ['a', 'cafe', 'sun-drenched', 'at', '5', "o'clock"]
    """
    plain = unicodedata.normalize("NFKD", text.replace("’", "'"))
    plain = "".join(c for c in plain if not unicodedata.combining(c))
    return _WORD.findall(plain.casefold())


def _singulars(word: str) -> Iterator[str]:
    yield word
    if word.endswith("'s"):
        yield word[:-2]
    if word.endswith("ies"):
        yield word[:-3] + "y"
    if word.endswith("ves"):
        yield word[:-3] + "f"
    if word.endswith("es"):
        yield word[:-2]
    if word.endswith("s") and not word.endswith("ss"):
        yield word[:-1]


def _without_shown(things: list[Asked]) -> list[Asked]:
    """Return the things without those that another one shows, which takes on their colour."""
    shown = {name for asked in things for name in asked.motif.shows}
    colours = {a.motif.name: a.colour for a in things if a.motif.name in shown and a.colour}
    found = []
    for asked in things:
        if asked.motif.name not in shown:
            second = next((colours[n] for n in asked.motif.shows if n in colours), None)
            found.append(asked._replace(second=second))
    return found


_NOCTURNAL = {"moon", "crescent", "star", "lightning"}
"""Things that make it night where no time of day is named."""
_IRREGULAR = {"men": "man", "women": "woman", "children": "child", "mice": "mouse"}


def _meaning_of(words: list[str]) -> tuple[tuple[Meaning, ...], bool] | None:
    """Return what a phrase stands for, and whether it was a plural."""
    known = meanings()
    head, last = words[:-1], words[-1]
    for form in (_IRREGULAR.get(last, last), *_singulars(last)):
        entry = known.get(" ".join([*head, form]))
        if entry:
            return entry, form != last
    return None


class _Part(NamedTuple):
    phrase: str
    meanings: tuple[Meaning, ...]
    plural: bool
    start: int
    """Number of its first word."""
    end: int


def _parts(text: str) -> list[_Part]:
    """Return the prompt in phrases, longest first; unknown words stand alone without meaning."""
    words = []
    for word in split_words(text):
        known = _meaning_of([word]) is not None
        words += [word] if known or "-" not in word else word.split("-")
    found = []
    place = 0
    while place < len(words):
        for length in range(min(_LONGEST, len(words) - place), 0, -1):
            phrase = words[place : place + length]
            entry = _meaning_of(phrase)
            if entry:
                found.append(_Part(" ".join(phrase), *entry, place, place + length))
                place += length
                break
        else:
            found.append(_Part(words[place], (), False, place, place + 1))
            place += 1
    return found


@dataclass
class _Reading:
    """What has been gathered of a prompt so far."""

    things: dict[str, Asked] = field(default_factory=dict)
    settings: dict[str, Setting] = field(default_factory=dict)
    setting_colours: dict[str, Rgb] = field(default_factory=dict)
    times: dict[str, Light] = field(default_factory=dict)
    qualities: dict[str, Light] = field(default_factory=dict)
    palettes: dict[str, Palette] = field(default_factory=dict)
    colours: list[Rgb] = field(default_factory=list)
    accents: list[Rgb] = field(default_factory=list)
    styles: list[str] = field(default_factory=list)
    arrangements: set[str] = field(default_factory=set)
    weather: set[str] = field(default_factory=set)
    content: list[str] = field(default_factory=list)
    not_shown: list[str] = field(default_factory=list)


def read_prompt(prompt: str, negative: str = "") -> SketchPlan:
    """Return what a prompt asks to be shown.

    >>> plan = read_prompt("Two red boats on a calm lake at dawn, in teal and gold, no people")
    >>> [(a.motif.name, a.many, a.colour) for a in plan.things]
    [('boat', 2, (214, 38, 43))]
    >>> plan.settings[0].name, plan.time.name, len(plan.colours), plan.not_shown
    ('lake', 'dawn', 2, ())
    """
    unwanted = {
        (meaning.kind, meaning.name) for part in _parts(negative) for meaning in part.meanings
    }
    reading = _Reading()
    waiting: tuple[Rgb, int] | None = None  # a colour, and where it ended
    count, denied = None, -9
    for part in _parts(prompt):
        kinds = {meaning.kind for meaning in part.meanings}
        if not part.meanings:
            if waiting and part.start == waiting[1]:
                reading.accents.append(waiting[0])
                waiting = None
            reading.not_shown.append(part.phrase)
            reading.content.append(part.phrase)
            continue
        if "negation" in kinds:
            denied = part.end
            continue
        if kinds == {"stop"}:
            continue
        if part.start - denied <= 1 and denied >= 0 and "number" not in kinds:
            denied = -9
            continue
        wanted = [m for m in part.meanings if (m.kind, m.name) not in unwanted]
        kinds = {meaning.kind for meaning in wanted}
        if "number" in kinds:
            count = numbers()[wanted[0].name]
            continue
        if not kinds - {"stop"}:
            continue
        reading.content.append(part.phrase)
        if "colour" in kinds and not kinds & {"motif", "setting"}:
            if waiting:
                reading.colours.append(waiting[0])
            name = next(m.name for m in wanted if m.kind == "colour")
            waiting = colours_by_word()[name].rgb, part.end
            continue
        near = waiting if waiting and part.start - waiting[1] < _REACH else None
        taken = _gather(reading, part, wanted, near[0] if near else None, count)
        if kinds & {"motif", "setting"}:
            count = None
            if waiting and not (near and taken):
                reading.colours.append(waiting[0])
            waiting = None
    if waiting:
        reading.colours.append(waiting[0])
    return _planned(reading)


def _gather(
    reading: _Reading,
    part: _Part,
    wanted: list[Meaning],
    colour: Rgb | None,
    count: int | None,
) -> bool:
    """Take one phrase in; return whether the colour before it was taken with it."""
    taken = False
    for kind, name in wanted:
        if kind == "motif":
            motif = motifs()[name]
            many = count or (motif.plural if part.plural else motif.single)
            before = reading.things.get(name)
            if before is None and len(reading.things) >= MOST_KINDS:
                reading.not_shown.append(part.phrase)
                continue
            if before is None or colour or many > before.many:
                kept = colour or (before.colour if before else None)
                most = max(many, before.many if before else 0)
                reading.things[name] = Asked(motif, min(most, 16), kept, part.phrase)
            taken = colour is not None
        elif kind == "setting":
            reading.settings.setdefault(name, settings()[name])
            if colour and not taken:
                reading.setting_colours.setdefault(name, colour)
                taken = True
        elif kind == "time":
            reading.times.setdefault(name, times()[name])
        elif kind == "quality":
            reading.qualities.setdefault(name, qualities()[name])
        elif kind == "palette":
            reading.palettes.setdefault(name, palettes()[name])
        elif kind == "style":
            reading.styles.append(name)
        elif kind == "arrangement":
            reading.arrangements.add(name)
        elif kind == "weather":
            reading.weather.add(name)
    return taken


def _planned(reading: _Reading) -> SketchPlan:
    # Of several times of day the last but vague "day" is meant: "a sunny day at golden hour".
    named = [light for light in reading.times.values() if light.name != "day"]
    named = named or list(reading.times.values())
    if not named and reading.things.keys() & _NOCTURNAL | reading.weather & {"fireworks"}:
        named = [times()["night"]]
    palettes_named = tuple(reading.palettes.values())
    if named and named[0].name == "neon_night" and not palettes_named:
        palettes_named = (palettes()["neon"],)
    return SketchPlan(
        things=tuple(_without_shown(list(reading.things.values()))),
        settings=tuple(reading.settings.values()),
        setting_colours=tuple(reading.setting_colours.items()),
        time=named[0] if named else None,
        qualities=tuple(reading.qualities.values()),
        palettes=palettes_named,
        colours=tuple(dict.fromkeys(reading.colours)),
        accents=tuple(dict.fromkeys(reading.accents)),
        style=reading.styles[0] if reading.styles else "",
        arrangements=frozenset(reading.arrangements),
        weather=frozenset(reading.weather),
        content=tuple(reading.content),
        not_shown=tuple(dict.fromkeys(reading.not_shown)),
    )
