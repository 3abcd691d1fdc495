"""Makes a scene of what a prompt asks: ground, sky, what stands far off, and everything's place."""

from __future__ import annotations

from dataclasses import dataclass

from eyeprint.models.colour_names import Rgb
from eyeprint.models.sketch_places import (
    INDOORS,
    SHORES,
    SIDE_TABLE,
    WATERS,
    Placed,
    Room,
    fits_on_table,
    is_far_off,
    place_things,
)
from eyeprint.models.sketch_tables import Motif, Setting, motifs, settings
from eyeprint.models.sketch_words import Asked, SketchPlan
from eyeprint.randomness import stable_hash

_SHORE_OF = {"water": "beach", "lake": "bank"}
"""What a water becomes when something stands beside it."""
_ON_TABLE = 0.45
"""Things below this size, named with a table and no other furniture, stand on it."""
_ANYWHERE = (
    "flower",
    "bush",
    "rock",
    "crystal",
    "fire",
    "statue",
    "stairs",
    "umbrella",
    "flag",
    "mushroom",
    "cactus",
    "bench",
    "fence",
    "bicycle",
    "coral",
    "arch",
    "fountain",
)
"""Things of nature and town that may stand in rooms and on tables too."""
_OUTSIDE = ("sun", "moon", "crescent", "star", "airplane", "cloud", "rainbow", "lightning")
"""What no room has in it."""


@dataclass(frozen=True)
class Scene:
    """What is painted, back to front: sky, far things, ground, placed things, weather."""

    ground: str
    """water, lake, beach, bank, field, garden, forest, sand, snow, street, floor, table, seabed
    or none."""
    sky: str
    """sky, space, deep, wall or plain."""
    far: tuple[str, ...]
    """mountains, hills, dunes, trees, skyline, houses."""
    horizon: float
    """Share of the height from the top; 1 without ground."""
    placed: tuple[Placed, ...]
    colours: dict[str, Rgb]
    """Role of ground or sky -> colour that the prompt gives it."""
    not_shown: tuple[str, ...]

    @property
    def indoors(self) -> bool:
        """Whether walls surround it."""
        return self.sky == "wall"


def _by_things(plan: SketchPlan) -> tuple[str, str]:
    """Return ground and sky for a prompt that names no setting."""
    free = [asked for asked in plan.things if not asked.on]
    places = {asked.motif.place for asked in free}
    if "water" in places:
        return "water", "sky"
    if "swim" in places:
        return "seabed", "deep"
    open_air = {"far", "sky", "scatter"} & places or any(is_outdoors(a.motif) for a in free)
    outdoors = bool(open_air) or bool(plan.weather)
    furniture = {a.motif.name for a in plan.things if a.motif.place in ("floor", "wall_foot")}
    if "frame" in places and not places & {"far", "water"}:
        return "none", "plain"
    if furniture and not outdoors:
        others = [a.motif for a in plan.things if a.motif.name not in furniture]
        on_table = furniture == {"table"} and others and all(map(_lies_on_tables, others))
        return "table" if on_table else "floor", "wall"
    if places & {"surface", "wall", "curtain"} and not outdoors:
        lying = all(_lies_on_tables(asked.motif) for asked in free)
        return "table" if "surface" in places and lying else "floor", "wall"
    if places & {"ground", "far", "surface", "floor", "wall", "wall_foot"}:
        return "field", "sky"
    if "sky" in places or plan.weather or (plan.time and not plan.things):
        return ("none" if places else "field"), "sky"
    return "none", "plain"


def is_outdoors(motif: Motif) -> bool:
    """Say whether a thing is outdoors where nothing else is said: a tree, a house, a car."""
    return (
        motif.part in ("nature", "town")
        and motif.place in ("ground", "far", "water")
        and (motif.name not in _ANYWHERE)
    )


def _suits_tables(asked: Asked) -> bool:
    furniture = asked.motif.place in ("floor", "wall_foot") and asked.motif.name != "table"
    return not furniture and asked.motif.part != "beings"


def _lies_on_tables(motif: Motif) -> bool:
    return (
        motif.part != "beings"
        and motif.place not in ("far", "water")
        and (motif.size < _ON_TABLE or motif.place == "wall")
    )


def scene_of(plan: SketchPlan, seed: int, aspect: float = 1.0) -> Scene:
    """Return the scene of a plan.

    Args:
        plan: what the prompt asks for.
        seed: of the request; moves things, and nothing else.
        aspect: width / height.

    >>> from eyeprint.models.sketch_words import read_prompt
    >>> scene = scene_of(read_prompt("a boat on the sea"), 7)
    >>> scene.ground, [p.motif.name for p in scene.placed]
    ('water', ['boat'])
    """
    strong = _counting(plan)
    grounds = [s for s in strong if s.ground is not None]
    inside = next((s for s in grounds if s.ground == "floor"), None)
    inside = inside or next((s for s in grounds if s.ground in INDOORS), None)
    ground, sky = _by_things(plan)
    horizon = {"table": 0.6, "floor": 0.68, "none": 1.0, "seabed": 0.84}.get(ground, 0.58)
    chosen: Setting | None = inside or (grounds[0] if grounds else None)
    if chosen is not None and chosen.ground is not None:
        ground, sky, horizon = chosen.ground, chosen.sky, chosen.horizon
        if ground == "none" and plan.things:
            ground, horizon = _grounded(plan, chosen)
        if ground == "table" and not all(map(_suits_tables, plan.things)):
            ground, horizon = "floor", 0.68  # a family at breakfast sits in a room
    elif strong:
        chosen = strong[0]
        sky, horizon = chosen.sky, chosen.horizon
    waters = [s.ground for s in grounds if s.ground in WATERS]
    if waters and ground not in INDOORS and ground not in ("none", "seabed"):
        # "A harbour town", "mountains above a lake": the water is in front of the town.
        if not (ground == "street" or ground in WATERS):
            horizon = min(horizon, 0.55)
        ground = "beach" if "beach" in waters else str(waters[0])
    if any(a.motif.place in ("ground", "surface") and not is_far_off(a.motif) for a in plan.things):
        ground = _SHORE_OF.get(ground, ground)
    if ground in SHORES:
        horizon = min(horizon, 0.48)
    if ground == "field" and "snow" in plan.weather:
        ground = "snow"
    if inside is not None:
        sky = "wall"
    far = () if sky != "sky" else tuple(dict.fromkeys(s.far for s in strong if s.far))
    if len(far) > 1 or ground != "street":
        far = tuple(kind for kind in far if kind != "houses")
    if "skyline" in far:
        far = tuple(kind for kind in far if kind != "hills")
    level = _horizon(plan, ground, horizon)
    things, left_out = _fitting(plan, ground, sky)
    room = Room(ground, sky, level, aspect, plan.arrangements)
    return Scene(
        ground=ground,
        sky=sky,
        far=far if ground != "none" else (),
        horizon=level,
        placed=tuple(place_things(things, room, seed)),
        colours=_colours(plan, ground, sky),
        not_shown=tuple(left_out),
    )


def _counting(plan: SketchPlan) -> list[Setting]:
    """Return the settings that count: walls and paths only where no other place is named."""
    strong = [s for s in plan.settings if not s.weak]
    if strong:
        return strong
    outdoors = any(is_outdoors(a.motif) and a.motif.size > 0.3 for a in plan.things)
    return [s for s in plan.settings if not (outdoors and s.sky == "wall")]


def _grounded(plan: SketchPlan, chosen: Setting) -> tuple[str, float]:
    """Return ground and horizon for things under a sky: they stand on something."""
    standing = {asked.motif.place for asked in plan.things} & {"ground", "far", "surface", "water"}
    if chosen.name != "sky" or not standing:
        return "none", 1.0
    return ("water", 0.6) if "water" in standing else ("field", 0.72)


def _horizon(plan: SketchPlan, ground: str, usual: float) -> float:
    if ground == "none":
        return 1.0
    named = plan.arrangements
    if "low_horizon" in named:
        return 0.78
    if "high_horizon" in named:
        return 0.24
    if "wide" in named and ground not in INDOORS:
        return min(0.74, usual + 0.08)
    return usual


def _colours(plan: SketchPlan, ground: str, sky: str) -> dict[str, Rgb]:
    found: dict[str, Rgb] = {}
    for name, rgb in plan.setting_colours:
        entry = settings()[name]
        role = "sky" if name in ("sky", "abstract", "backdrop") else entry.ground or entry.far
        if name == "room":
            role = "sky"
        found[role if role and role != "none" else "sky"] = rgb
    for asked in plan.things:
        if asked.motif.name == "table" and asked.colour:
            found.setdefault("table", asked.colour)
    return {role: rgb for role, rgb in found.items() if role in (ground, "sky") or sky == "sky"}


_DRAWN = ("wave", "spiral", "line", "grid")
"""Figures that places have by themselves: waves of the sea, lines of a road."""


def _fitting(plan: SketchPlan, ground: str, sky: str) -> tuple[list[Asked], list[str]]:
    """Return the things that the scene has room for, and the words of those that it has not."""
    things = list(plan.things)
    left_out: list[Asked] = []
    if sky == "wall":
        left_out += [asked for asked in things if asked.motif.name in _OUTSIDE]
    figures = [asked for asked in things if asked.motif.place == "figure"]
    if sky in ("sky", "wall", "deep"):
        # A town square, a line of trees: words of geometry are not meant as such in a scene;
        # waves and a winding line belong to a place that is named.
        alone = len(figures) == len(things)
        left_out += [a for a in figures if not alone or (plan.settings and a.motif.name in _DRAWN)]
    if sky == "sky" and ground == "street":
        # A shop's window in a street is one of a house.
        things = [_as_house(asked) for asked in things]
    if sky == "sky" and any(asked.motif.name == "house" for asked in things):
        things = [asked for asked in things if asked.motif.name != "window"]
    things = [asked for asked in things if asked not in left_out]
    lying = any(fits_on_table(asked.motif) and not asked.on for asked in things)
    if ground == "table":
        things = [asked for asked in things if asked.motif.name != "table"]
    elif ground == "floor" and lying and not any(a.motif.name == "table" for a in things):
        things.append(Asked(motifs()["table"], 1, None, SIDE_TABLE))
    if sky == "plain" and not things:
        things = _figures(plan)
    return things, [asked.word for asked in left_out]


def _as_house(asked: Asked) -> Asked:
    """Return a house for a window, anything else as it is."""
    return asked._replace(motif=motifs()["house"]) if asked.motif.name == "window" else asked


def _figures(plan: SketchPlan) -> list[Asked]:
    """Return figures of geometry for a prompt that names nothing the painter can draw."""
    names = ("circle", "triangle", "square", "line", "spiral", "wave")
    key = stable_hash("sketch figures", *sorted(plan.content))
    few = "minimal" in plan.arrangements
    chosen = [names[key % 6], names[(key // 6) % 6], names[(key // 36) % 6]][: 1 if few else 3]
    return [
        Asked(motifs()[name], 2 if few else 3 + (key // 216 + k) % 4, None, "")
        for k, name in enumerate(dict.fromkeys(chosen))
    ]
