"""Finds a place for each thing of a sketch: how high, how far away, beside what.

Each kind of thing has a stream of its own: two prompts that share a subject, a setting and
a seed have it in the same place, so that their pictures can be compared.
"""

from __future__ import annotations

from typing import NamedTuple

from eyeprint.models.sketch_motifs import extent
from eyeprint.models.sketch_tables import Motif, motifs
from eyeprint.models.sketch_words import Asked
from eyeprint.randomness import Stream, stream

INDOORS = ("floor", "table")
WATERS = ("water", "lake", "beach", "bank")
SHORES = ("beach", "bank")
SMALL = 0.42
"""Things of tables below this size stand on a table in a room, larger ones on the floor."""
SEATS = {"table": 0.95, "chair": 0.5, "sofa": 0.5, "bed": 0.5, "bench": 0.5, "piano": 0.98}
SEATS |= {"fireplace": 0.95, "stall": 0.4}
"""How high things stand on others, as a share of the other's height."""
_LIFTED = 0.3
"""Height of what stands on another thing, at most: larger than any thing of tables."""
_NEARER = 1.4
_TOO_LARGE = ("person", "dancer", "couple", "crowd", "face", "horse", "deer", "bear", "dragon")
"""Beings that are not drawn on tables and chairs: they sit at them."""
SIDE_TABLE = " side table"
"""The word of a table that nobody asked for."""
_FLOATING = ("sky", "figure", "scatter", "swim")
_UNBOUND = ("figure", "frame", "sky", "scatter", "curtain")
"""Places that are the same without ground."""
_OTHER_SHORE = ("house", "windmill", "stall", "arch", "train")
_TRIES = 7
_MOST = 14


class Placed(NamedTuple):
    """One motif at its place; lengths are shares of the picture's width, height or shorter side."""

    motif: Motif
    asked: Asked
    x: float
    """Middle, share of the width."""
    y: float
    """Foot, share of the height from the top."""
    height: float
    """Share of the shorter side."""
    flip: bool
    number: int
    """Which of its kind."""
    kind: int = 0
    """Which thing of the plan it belongs to."""
    far: float = 0.0
    """How much air lies between, 0 to 1."""
    before: float = 0.0
    """Foot of the thing that it stands on, and is painted after."""


class Room(NamedTuple):
    """What a place depends on besides the thing."""

    ground: str
    sky: str
    horizon: float
    aspect: float
    """Width / height."""
    arrangements: frozenset[str]

    @property
    def zoom(self) -> float:
        """Return how large things are, 1 as usual."""
        zoom = 1.6 if "close" in self.arrangements else 1.0
        zoom *= 0.68 if "wide" in self.arrangements else 1.0
        return zoom * (0.92 if "minimal" in self.arrangements else 1.0)


class _Foot(NamedTuple):
    """Height of a thing, where its foot may be, and how far it is."""

    height: float
    low: float
    high: float
    far: float = 0.0


def is_far_off(motif: Motif) -> bool:
    """Say whether a thing of the ground is large enough to stand on the other shore."""
    return motif.name in _OTHER_SHORE


def place_things(things: list[Asked], room: Room, seed: int) -> list[Placed]:
    """Return every thing at its place, in the order of the list, tables first."""
    found: list[Placed] = []
    under: dict[str, Placed] = {}
    many = sum(asked.many for asked in things)
    carrying = {asked.on for asked in things} | {"table"}
    shown = things[0].on if things and things[0].motif.name not in _TOO_LARGE else ""
    for kind in sorted(range(len(things)), key=lambda k: things[k].motif.name not in carrying):
        asked = things[kind]
        if asked.motif.name == shown:
            # What carries the subject is seen from near by, as the subject would be.
            asked = asked._replace(motif=asked.motif._replace(size=_NEARER * asked.motif.size))
        spread = stream(seed, "sketch places", asked.motif.name)
        count = _count(asked, room, kind)
        name = asked.on if asked.motif.name not in _TOO_LARGE else ""
        if name not in under and room.ground == "floor" and fits_on_table(asked.motif):
            name = "table"
        for number in range(count):
            alone = count == 1 and kind == 0
            if name in under and name != asked.motif.name:
                placed = _on_top(asked, number, room, spread, found, under[name])
            else:
                placed = _placed(asked, number, count, alone, kind == 0, many, room, spread, found)
            found.append(placed._replace(kind=kind))
        if asked.motif.name in SEATS:
            under[asked.motif.name] = found[-1]
    return found


def _count(asked: Asked, room: Room, kind: int) -> int:
    named, place = room.arrangements, asked.motif.place
    count = asked.many
    if "busy" in named and place not in ("frame", "curtain"):
        count = min(_MOST, 2 * count)
    if "minimal" in named:
        count = min(count, 3)
    if "symmetric" in named and count == 1 and kind and place != "sky":
        count = 2
    return count


def fits_on_table(motif: Motif) -> bool:
    """Say whether a thing stands on a table in a room rather than on the floor."""
    return motif.place == "surface" and motif.size < SMALL


def _on_top(
    asked: Asked, number: int, room: Room, spread: Stream, found: list[Placed], under: Placed
) -> Placed:
    flip = spread.random() < 0.5
    used = sum(1 for p in found if p.y == _top_of(under))
    left, _, right, _ = extent(under.motif.name)
    # Steps of the golden section fill a row evenly, however many come.
    slot = (used * 0.382 + 0.5 + 0.04 * spread.random()) % 1.0
    reach = 0.8 * (right - left) * under.height / room.aspect
    middle = under.x + (left + right) / 2 * (-1 if under.flip else 1) * under.height / room.aspect
    nearer = _NEARER if under.asked.motif.size > motifs()[under.motif.name].size else 1.0
    height = min(_LIFTED, asked.motif.size * room.zoom * 0.7) * nearer
    x = middle + (slot - 0.5) * reach
    y = _top_of(under)
    return Placed(asked.motif, asked, x, y, height, flip, number, before=under.y)


def _top_of(under: Placed) -> float:
    return under.y - under.height * SEATS[under.motif.name]


def _placed(
    asked: Asked,
    number: int,
    count: int,
    alone: bool,
    subject: bool,
    many: int,
    room: Room,
    spread: Stream,
    found: list[Placed],
) -> Placed:
    motif = asked.motif
    flip = spread.random() < 0.5
    if motif.place == "curtain":
        return Placed(motif, asked, 0.5, 1.0, 1.0, False, number)
    if motif.place == "frame":
        height = motif.size * min(1.0, 0.9 + 0.1 * room.zoom)
        return Placed(motif, asked, _side(room, spread, 0.5, 0.05), 1.0, height, flip, number)
    if asked.word == SIDE_TABLE:
        x = 0.2 if spread.random() < 0.5 else 0.8
        y = room.horizon + 0.4 * (1 - room.horizon)
        return Placed(motif, asked, x, y, 0.22, False, number)
    size = motif.size * room.zoom * (1.12 if alone else 1.0) * (0.86 if count > 3 else 1.0)
    foot = _foot(motif, size, count, alone, subject, many, room, spread)
    height = foot.height
    if motif.place not in ("scatter", "figure", "swim"):
        # Nothing grows through the upper edge.
        height = min(height, max(0.05, foot.low - 0.02) / extent(motif.name)[3])
    first = subject and number == 0
    x, y = _apart(motif, height, foot, room, spread, found, first)
    if "symmetric" in room.arrangements:
        x, flip, y = _mirrored(motif, number, count, x, y, flip, found)
    return Placed(motif, asked, x, min(y, 1.06), height, flip, number, 0, foot.far)


def _foot(
    motif: Motif,
    size: float,
    count: int,
    alone: bool,
    subject: bool,
    many: int,
    room: Room,
    spread: Stream,
) -> _Foot:
    """Return height and foot of a thing by its place and the ground."""
    place, horizon, draw = motif.place, room.horizon, spread.random
    below = 1 - horizon
    if room.sky in ("plain", "space") and place not in _UNBOUND:
        y = 0.5 + size / 2 + (draw() - 0.5) * (0.1 if count == 1 else 0.6)
        return _Foot(size * 1.35 if count == 1 else size, y, y)
    if place == "sky":
        top = 0.05 + size
        under = 0.62 if size < 0.25 else 0.85
        return _Foot(size, top, max(top + 0.02, 0.94 if horizon == 1 else horizon * under))
    if place in ("scatter", "figure"):
        size *= 0.6 + 0.8 * draw()
        return _Foot(size, 0.12 + size / 2, 0.92 + size / 2)
    if place == "swim" and room.sky == "deep":
        return _Foot(size * (0.75 + 0.5 * draw()), 0.2, 0.74)
    if place == "far" and room.ground not in INDOORS:
        y = horizon + 0.012 + (0.03 * draw() if count > 1 else 0.0)
        return _Foot(size, y, y, 0.12)
    if place == "wall" and room.sky == "wall":
        y = horizon - max(0.06, (horizon - size) * (0.35 + 0.2 * draw()))
        return _Foot(size, max(y, size + 0.05), max(y, size + 0.05))
    if place == "wall_foot" and room.sky == "wall":
        return _Foot(min(size, horizon - 0.04), horizon + 0.02, horizon + 0.02)
    if room.ground in WATERS and is_far_off(motif):
        return _Foot(size * 0.7, horizon + 0.015, horizon + 0.015, 0.1)
    if place == "water" and room.ground in WATERS:
        reach = 0.4 if room.ground in SHORES else 0.75
        depth = 0.3 + 0.4 * draw() if subject else 0.1 + 0.7 * draw()
        y = horizon + below * reach * depth
        return _Foot(size * (0.5 + 0.75 * depth), y, y)
    if room.ground == "table" and place in ("surface", "ground"):
        depth = 0.2 + 0.5 * draw()
        y = horizon + below * depth
        return _Foot(size * (1.45 if many <= 4 else 1.1) * (0.85 + 0.3 * depth), y, y)
    depth = 0.5 + 0.2 * draw() if alone else 0.1 + 0.72 * draw()
    if is_far_off(motif) and many > 1:
        # A house stands behind the people before it.
        depth = 0.06 + 0.26 * draw()
    if room.ground in SHORES:
        depth = 0.5 + 0.42 * draw()
    if room.ground == "floor":
        depth = 0.25 + 0.5 * draw()
        size *= 1.15
    y = horizon + below * depth
    return _Foot(size * (0.58 + 0.66 * depth), y, y, max(0.0, 0.16 * (0.4 - depth)))


def _side(room: Room, spread: Stream, middle: float, reach: float) -> float:
    """Return a middle for the subject."""
    jitter = (spread.random() - 0.5) * 2 * reach
    if room.arrangements & {"symmetric", "centred"}:
        return middle
    if "asymmetric" in room.arrangements:
        return (1 / 3 if spread.random() < 0.5 else 2 / 3) + 0.3 * jitter
    return middle + jitter


def _apart(
    motif: Motif,
    height: float,
    foot: _Foot,
    room: Room,
    spread: Stream,
    found: list[Placed],
    first: bool,
) -> tuple[float, float]:
    """Return middle and foot of a thing: of a few places, the one with the widest gap."""
    left, _, right, _ = extent(motif.name)
    half = min(0.5, max(-left, right) * height / max(room.aspect, 1.0))
    margin = min(0.46, half * 0.8 + 0.03)
    rise = foot.high - foot.low
    if first and motif.place not in ("scatter", "figure"):
        x = min(1 - margin, max(margin, _side(room, spread, 0.5, 0.17)))
        return x, foot.low + rise * spread.random()
    best, clear = (0.5, foot.low), -1.0
    rivals = [p for p in found if p.motif.place not in ("curtain", "frame")]
    for _ in range(_TRIES):
        x = margin + (1 - 2 * margin) * spread.random()
        y = foot.low + rise * spread.random()
        gaps = [_between(x, y, motif, p) / (half + 0.5 * p.height + 0.02) for p in rivals]
        if (gap := min(gaps, default=9.0)) > clear:
            best, clear = (x, y), gap
    return best


def _between(x: float, y: float, motif: Motif, other: Placed) -> float:
    """Return how far apart two things are: sideways on the ground, every way in the air."""
    if motif.place in _FLOATING or other.motif.place in _FLOATING:
        return float(((x - other.x) ** 2 + (y - other.y) ** 2) ** 0.5)
    return abs(x - other.x)


def _mirrored(
    motif: Motif, number: int, count: int, x: float, y: float, flip: bool, found: list[Placed]
) -> tuple[float, bool, float]:
    """Return place and side in a symmetric picture: pairs mirror each other, one is central."""
    if number == 0 and count % 2 == 1:
        return 0.5, False, y
    before = found[-1] if found else None
    second = (number - count % 2) % 2 == 1
    if second and before is not None and before.motif is motif:
        return 1 - before.x, not before.flip, before.y
    return min(x, 1 - x) * 0.9, flip, y
