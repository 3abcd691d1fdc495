"""What is in each picture of the toybox, and its drawing.

A scene is a list of stations: each has something to stand on, and a figure, a thing or both.
Whatever a question asks is read off the scene, so labels are right by construction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from eyeprint.models.colour_names import Rgb
from eyeprint.people.toybox_drawing import FINER, Pen
from eyeprint.people.toybox_drawing_animals import draw_animal
from eyeprint.people.toybox_drawing_characters import draw_character, hand_colour
from eyeprint.people.toybox_drawing_objects import draw_object
from eyeprint.people.toybox_drawing_people import Pose, draw_person, hand_of
from eyeprint.people.toybox_drawing_things import draw_thing, icons, props, stands
from eyeprint.people.toybox_grounds import (
    LIGHTS,
    QUERY_PLACES,
    REFERENCE_PLACES,
    draw_ground,
    lit,
)
from eyeprint.people.toybox_looks import Look, tone
from eyeprint.randomness import Stream, stream
from eyeprint.records.concepts import REFERENCES
from eyeprint.records.pictures import Picture, PictureFacts

_DRAWERS = {
    "human": draw_person,
    "animal": draw_animal,
    "object": draw_object,
    "character": draw_character,
}
_TALL = ("umbrella", "balloon", "kite", "flag", "pinwheel")
_SIZES = {"animal": 0.9, "object": 0.76}
"""Heights beside a person's."""
_MOST_ROOM = 1.04
"""Of a picture's width; a little overlap does no harm."""


_STILL = Pose()


@dataclass(frozen=True)
class Station:
    """One place in a scene: what stands there, where, and how large."""

    stand: str
    """Name of what is stood on."""
    prop: str
    """Name of what is held or lies beside; or of the icon, in a picture of preferences."""
    look: Look | None = None
    """Who is there; ``None`` = the prop alone."""
    x: float = 0.5
    """Of the foot, from the left, as a share of the side."""
    y: float = 0.14
    """Of the foot, from below."""
    size: float = 0.5
    flip: bool = False
    turn: float = 0.0
    pose: Pose = _STILL


@dataclass(frozen=True)
class Scene:
    """One picture, before it is drawn."""

    place: str
    light: str
    horizon: float
    stations: tuple[Station, ...]
    key: str
    """Keys the stream of small things in the background."""
    icons: bool = False
    """Whether the stations show icons of preferences."""

    def figures(self) -> tuple[Station, ...]:
        """Return the stations where somebody or something with a look is."""
        return tuple(station for station in self.stations if station.look is not None)


def _pose(draw: Stream) -> Pose:
    return Pose(
        gaze=2 * draw.random() - 1,
        arm=draw.random(),
        step=draw.random(),
        smile=0.5 + 0.9 * draw.random(),
    )


def reference_scenes(
    look: Look, holds: Sequence[str], stands_on: Sequence[str], key: str, draw: Stream
) -> tuple[Scene, ...]:
    """Return the five references: every habit is shown in two of them or more (M5)."""
    places = draw.sample(REFERENCE_PLACES, REFERENCES)
    lights = draw.sample(list(LIGHTS), REFERENCES)
    sizes = draw.shuffled((0.52, 0.58, 0.64, 0.7, 0.76))
    turn = draw.below(2)
    made = []
    for k in range(REFERENCES):
        wide = look.category in ("animal", "object")
        station = Station(
            stand=stands_on[(k + turn) % len(stands_on)],
            prop=holds[(k + k // 2 + turn) % len(holds)],
            look=look,
            x=(0.42 if wide else 0.47) + 0.06 * draw.random(),
            y=0.15 + 0.05 * draw.random(),
            size=sizes[k],
            turn=0.1 * (draw.random() - 0.5),
            pose=_pose(draw),
        )
        horizon = 0.24 + 0.14 * draw.random()
        made.append(Scene(places[k], lights[k], horizon, (station,), f"{key}/reference/{k}"))
    return tuple(made)


def query_scene(
    focus: tuple[Look, str, str],
    others: Sequence[tuple[Look | None, str, str]],
    key: str,
    draw: Stream,
) -> Scene:
    """Return a scene of three stations in random order.

    Args:
        focus: who matters, what they hold, what they stand on.
        others: two more; without a look, the thing lies there alone.
        key: of the scene.
        draw: its stream.
    """
    alone = all(look is None for look, _, _ in others)
    order = draw.shuffled([focus, *others])
    # All hold things on one side, so that each has room, and nobody's lies before another's.
    flip = draw.random() < 0.5
    sizes = [
        (0.36 if look is None else 0.52 if alone else 0.42) + 0.04 * draw.random()
        for look, _, _ in order
    ]
    rooms = [_room(look, size, flip) for (look, _, _), size in zip(order, sizes, strict=True)]
    share = min(1.0, _MOST_ROOM / sum(left + right for left, right in rooms))
    gap = (1 - share * sum(left + right for left, right in rooms)) / 4
    made, edge = [], 0.0
    for (look, prop, stand), size, (left, right) in zip(order, sizes, rooms, strict=True):
        x = edge + gap + share * left
        edge = x + share * right
        made.append(
            Station(
                stand=stand,
                prop=prop,
                look=look,
                x=x,
                y=0.11 + 0.12 * draw.random(),
                size=share * size,
                flip=flip,
                turn=0.08 * (draw.random() - 0.5),
                pose=_pose(draw),
            )
        )
    return Scene(
        draw.pick(QUERY_PLACES),
        draw.pick(list(LIGHTS)),
        0.3 + 0.14 * draw.random(),
        tuple(made),
        key,
    )


def _room(look: Look | None, size: float, flip: bool) -> tuple[float, float]:
    """Return how far a station reaches to the left and right of its foot."""
    if look is None:
        return 0.3 * size, 0.3 * size
    left, right = {"human": (0.34, 0.46), "character": (0.42, 0.54)}.get(
        look.category, (0.46, 0.72)
    )
    size *= _SIZES.get(look.category, 1.0)
    return (right * size, left * size) if flip else (left * size, right * size)


def icon_scene(names: Sequence[str], key: str, draw: Stream) -> Scene:
    """Return a still life of one to three things that people like or dislike."""
    few = len(names) == 1
    columns = (0.5,) if few else (0.19, 0.5, 0.81)[: len(names)]
    made = []
    for x, name in zip(columns, draw.shuffled(names), strict=True):
        made.append(
            Station(
                stand=draw.pick(list(stands())),
                prop=name,
                x=x + 0.04 * (draw.random() - 0.5),
                y=0.2 + 0.1 * draw.random(),
                size=0.5 + 0.06 * draw.random() if few else 0.25 + 0.03 * draw.random(),
                turn=0.12 * (draw.random() - 0.5),
            )
        )
    return Scene(
        draw.pick(QUERY_PLACES),
        draw.pick(list(LIGHTS)),
        0.3 + 0.12 * draw.random(),
        tuple(made),
        key,
        icons=True,
    )


def draw_scene(scene: Scene, side: int, seed: int) -> Picture:
    """Return the picture of a scene, ``side`` pixels wide and high."""
    import numpy as np
    from PIL import Image

    sheet = Image.new("RGB", (side * FINER, side * FINER))
    draw_ground(sheet, scene.place, scene.horizon, stream(seed, "toybox ground", scene.key))
    for station in sorted(scene.stations, key=lambda station: -station.y):
        _draw_station(Pen.on(sheet, 0, sheet.height, sheet.height), station, scene.icons)
    small = lit(sheet, scene.light).reduce(FINER)
    return Picture.of(np.array(small), PictureFacts(source=scene.key))


def _draw_station(page: Pen, station: Station, icon: bool) -> None:
    size = station.size * _SIZES.get(station.look.category if station.look else "", 1.0)
    pen = page.part(station.x, station.y, size)
    thing = icons()[station.prop] if icon else props()[station.prop]
    if station.look is None:
        wide = 1.15 if icon else 0.55
        draw_thing(pen.part(0, 0, wide), stands()[station.stand])
        draw_thing(pen.part(0, -0.01, 1.0 if icon else 0.4, turn=station.turn), thing)
        return
    beside = station.look.category in ("animal", "object")
    share = (0.5 if thing.name in _TALL else 0.36) * (1.15 if beside else 1.0)
    draw_thing(
        pen.part(
            0.17 if beside and not station.flip else -0.17 if beside else 0,
            0.01,
            1.15 if beside else 0.72,
        ),
        stands()[station.stand],
    )
    figure = pen.part(0, 0, 1.0, flip=station.flip, turn=station.turn)
    if beside:
        _DRAWERS[station.look.category](figure, station.look, station.pose)
        side = -1 if station.flip else 1
        draw_thing(pen.part(side * 0.52, -0.02, share), thing)
        return
    _DRAWERS[station.look.category](figure, station.look, station.pose)
    x, y = hand_of(station.look)
    draw_thing(figure.part(x - thing.hold[0] * share, y - thing.hold[1] * share, share), thing)
    figure.oval(x, y, 0.046, 0.046, _fist(station.look))


def _fist(look: Look) -> Rgb:
    """Return the colour of the hand that closes around what is held."""
    return tone(look["skin"], "skin") if look.category == "human" else hand_colour(look)
