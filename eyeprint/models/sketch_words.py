"""Reads a prompt for the sketch painter: what is to be shown, and what it cannot show.

Phrases of the tables are looked for, longest first; a plural counts as its singular. A
colour word just before a thing is the colour of that thing, any other one is part of the
palette. Words of light, style and layout draw no things (``sketch_clauses``). What follows
"no" or "without", and what the negative prompt names, is left out.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from eyeprint.models.colour_names import Rgb, colours_by_word
from eyeprint.models.sketch_clauses import KEPT
from eyeprint.models.sketch_phrases import Meaning, Part, parts_of
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
SUPPORTS = ("table", "chair", "sofa", "bed", "bench", "piano", "fireplace", "stall")
"""Things that others can stand on."""
_SEATS = ("chair", "sofa", "bed")
"""Things that others can also be "in"."""
_ON = ("on", "upon", "atop")
_HOLDERS = ("bowl", "basket", "vase", "glass", "cup", "bottle", "plate")
"""What holds others: "lemons in a bowl on a table" puts both on the table."""
_REACH = 2
"""A colour belongs to the thing at most this many words behind it."""


class Asked(NamedTuple):
    """A thing that the prompt names."""

    motif: Motif
    many: int
    """How many of it."""
    colour: Rgb | None
    word: str
    second: Rgb | None = None
    """Colour of what it shows besides itself: of the flowers in a vase."""
    on: str = ""
    """Name of the thing that it stands on: "a cat on a table"."""


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
    spare: list[tuple[Part, list[Meaning]]] = field(default_factory=list)
    """Things and settings that only words of light, style or layout name."""
    media: list[str] = field(default_factory=list)
    """Styles that a medium names: they count before others."""
    weak_media: list[str] = field(default_factory=list)
    """Styles of media that any other medium beside them decides: "painting", "cinematic"."""
    group: list[str] = field(default_factory=list)
    """Things since the last preposition: what "on" may put somewhere."""
    lifted: list[str] = field(default_factory=list)
    """Things that stand on what is named next."""

    inside: list[str] = field(default_factory=list)
    """Things that are in what is named next."""

    def lead(self, word: str) -> None:
        """Take in a preposition: it begins another group of things."""
        if word != "of" and word in word_lists("heads")["leads"]:
            self.lifted = self.group if word in _ON else []
            self.inside = self.group if word == "in" else []
            self.group = []


def read_prompt(prompt: str, negative: str = "") -> SketchPlan:
    """Return what a prompt asks to be shown.

    >>> plan = read_prompt("Two red boats on a calm lake at dawn, in teal and gold, no people")
    >>> [(a.motif.name, a.many, a.colour) for a in plan.things]
    [('boat', 2, (214, 38, 43))]
    >>> plan.settings[0].name, plan.time.name, len(plan.colours), plan.not_shown
    ('lake', 'dawn', 2, ())
    """
    unwanted = {
        (meaning.kind, meaning.name) for part in parts_of(negative) for meaning in part.meanings
    }
    reading = _Reading()
    waiting: tuple[Rgb, int] | None = None  # a colour, and where it ended
    count = None
    unknown = False  # whether a number's thing is one that is not known
    for part in parts_of(prompt):
        kinds = part.kinds
        if part.role == "denied" or "negation" in kinds or kinds == {"stop"}:
            if waiting and part.apart:
                reading.colours.append(waiting[0])
                waiting = None
            if unknown:
                count, unknown = None, False
            reading.lead(part.phrase)
            continue
        if not part.meanings:
            if waiting and part.start == waiting[1]:
                reading.accents.append(waiting[0])
                waiting = None
            unknown = True
            reading.not_shown.append(part.phrase)
            reading.content.append(part.phrase)
            continue
        wanted = [m for m in part.meanings if (m.kind, m.name) not in unwanted]
        if part.role in KEPT:
            wanted = _kept(reading, part, wanted)
        kinds = frozenset(meaning.kind for meaning in wanted)
        if "number" in kinds:
            count, unknown = numbers()[wanted[0].name], False
            continue
        if not kinds - {"stop"}:
            continue
        reading.content.append(part.phrase)
        if "undrawn" in kinds:
            reading.not_shown.append(part.phrase)
            continue
        if "colour" in kinds and not kinds & {"motif", "setting"}:
            if waiting:
                reading.colours.append(waiting[0])
                waiting = None
            rgb = colours_by_word()[next(m.name for m in wanted if m.kind == "colour")].rgb
            if part.role == "palette":
                reading.colours.append(rgb)
            else:
                waiting = rgb, part.end
            continue
        near = waiting if waiting and part.start - waiting[1] < _REACH else None
        taken = _gather(reading, part, wanted, near[0] if near else None, count)
        if "motif" in kinds:
            _put_on(reading, part.named("motif"))
        if kinds & {"motif", "setting"}:
            count, unknown = None, False
            if waiting and not (near and taken):
                reading.colours.append(waiting[0])
            waiting = None
    if waiting:
        reading.colours.append(waiting[0])
    if not reading.things and not reading.settings:
        # "A landscape painting" says in its medium alone what is to be seen.
        for part, meant in reading.spare:
            _gather(reading, part, meant, None, None)
    return _planned(reading)


def _kept(reading: _Reading, part: Part, wanted: list[Meaning]) -> list[Meaning]:
    """Return what a phrase of light, style or layout still means; keep the rest in reserve."""
    kept = [m for m in wanted if m.kind in KEPT[part.role]]
    if part.role == "style":
        kept += [m for m in wanted if m.kind == "motif" and motifs()[m.name].place == "frame"]
        media = reading.weak_media if _is_weak(part) else reading.media
        media += [m.name for m in wanted if m.kind == "style"]
    things = [m for m in wanted if m.kind in ("motif", "setting") and m not in kept]
    if things and part.role != "palette":
        reading.spare.append((part, things))
    return kept


def _put_on(reading: _Reading, name: str) -> None:
    """Put the things before "on" onto the thing that is named now, where it can carry them."""
    if name in SUPPORTS:
        for other in [*reading.lifted, *(reading.inside if name in _SEATS else ())]:
            if other != name and not reading.things[other].on:
                reading.things[other] = reading.things[other]._replace(on=name)
    if name in reading.things:
        reading.group += [*(reading.inside if name in _HOLDERS else ()), name]
    reading.lifted, reading.inside = [], []


def _is_thing(part: Part) -> bool:
    words = word_lists("thing_styles")["words"]
    return part.phrase in words or (part.plural and part.phrase[:-1] in words)


def _is_weak(part: Part) -> bool:
    return part.phrase in word_lists("weak_styles")["words"]


def _gather(
    reading: _Reading,
    part: Part,
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
            if name == "couple" and count == 2:
                many = 1  # two friends are one pair
            before = reading.things.get(name)
            if before is None and len(reading.things) >= MOST_KINDS:
                reading.not_shown.append(part.phrase)
                continue
            if before is None or colour or many > before.many:
                kept = colour or (before.colour if before else None)
                most = max(many, before.many if before else 0)
                on = before.on if before else ""
                reading.things[name] = Asked(motif, min(most, 16), kept, part.phrase, on=on)
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
        elif kind == "style" and part.role == "drawn":
            reading.styles.insert(0, name)
        elif kind == "style" and (part.role or not _is_thing(part)):
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
        style=_style_of(reading),
        arrangements=frozenset(reading.arrangements),
        weather=frozenset(reading.weather),
        content=tuple(reading.content),
        not_shown=tuple(dict.fromkeys(reading.not_shown)),
    )


def _style_of(reading: _Reading) -> str:
    """Return the medium's style, of several the last: "a painterly photograph" is a photograph."""
    for styles in (reading.media[-1:], reading.weak_media[-1:], reading.styles[:1]):
        if styles:
            return styles[0]
    return ""
