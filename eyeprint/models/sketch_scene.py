"""Paints a scene back to front: sky, what stands at the horizon, ground, things, weather."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from eyeprint.models.sketch_brush import Brush
from eyeprint.models.sketch_colours import Scheme
from eyeprint.models.sketch_grounds import draw_far, draw_ground
from eyeprint.models.sketch_layout import Scene
from eyeprint.models.sketch_motifs import Look, draw_motif, extent
from eyeprint.models.sketch_places import WATERS, Placed
from eyeprint.models.sketch_tables import motifs
from eyeprint.models.sketch_words import SketchPlan
from eyeprint.randomness import stream

if TYPE_CHECKING:
    from PIL.Image import Image

_AFLOAT = {"bridge", "rainbow", "bird", "person", "waterfall", "rock", "crystal"}
_BANDS = 48
"""Steps of colour in a sky."""


def blank_canvas(width: int, height: int, scheme: Scheme, scene: Scene) -> Image:
    """Return a canvas with the sky or wall on it, from the top down to the horizon."""
    from PIL import Image

    reach = height if scene.ground == "none" else max(1, round(scene.horizon * height))
    colours = np.array(scheme.sky(_BANDS, scene.sky, scene.colours.get("sky")), dtype=np.float64)
    at = np.linspace(0, _BANDS - 1, reach)
    column = np.stack([np.interp(at, np.arange(_BANDS), colours[:, k]) for k in range(3)], axis=1)
    column = np.concatenate([column, np.repeat(column[-1:], height - reach, axis=0)])
    pixels = np.broadcast_to(np.rint(column).astype(np.uint8)[:, None], (height, width, 3))
    return Image.fromarray(np.ascontiguousarray(pixels))


def paint_scene(brush: Brush, scheme: Scheme, scene: Scene, plan: SketchPlan, seed: int) -> None:
    """Paint everything on a canvas that has its sky.

    Args:
        brush: on the canvas.
        scheme: gives colours.
        scene: what is where.
        plan: for weather and arrangement.
        seed: of the request; details of sky and ground come from it.
    """
    width, height = brush.image.size
    unit = min(width, height)
    horizon = round(scene.horizon * height)
    hand = stream(seed, "sketch details", scene.ground)
    brush.hand = hand
    _draw_sky(brush, scheme, scene, plan, horizon)
    for kind in scene.far:
        draw_far(brush, scheme, kind, scene.colours.get(kind), horizon, seed)
    behind = [p for p in scene.placed if p.motif.place in ("sky", "far", "wall", "wall_foot")]
    ordered = sorted(scene.placed, key=_distance)
    for placed in ordered:
        if placed in behind and placed.motif.place == "sky":
            _draw_placed(brush, scheme, placed, plan, width, height, unit, seed, False, False)
    if scene.ground != "none":
        draw_ground(brush, scheme, scene, horizon, "busy" in plan.arrangements, seed)
        _draw_glitter(brush, scheme, scene, horizon)
    if scheme.mood.fog:
        _draw_fog(brush, scheme, horizon)
    grounded = scene.ground not in (*WATERS, "none", "seabed")
    for placed in ordered:
        if placed.motif.place != "sky":
            shade = grounded and placed.motif.place in ("ground", "floor", "surface", "water")
            shade = shade and placed.y >= scene.horizon
            island = scene.ground in ("water", "lake") and placed.motif.place in ("far", "ground")
            island = island and placed.motif.name not in _AFLOAT
            _draw_placed(brush, scheme, placed, plan, width, height, unit, seed, shade, island)


def _distance(placed: Placed) -> tuple[bool, float, float, int, int]:
    """Return what things are painted in the order of: what stands on others after these."""
    before = max(placed.y, placed.before)
    framed = placed.motif.place == "frame"
    return framed, before, placed.before, placed.kind, placed.number


def _draw_placed(
    brush: Brush,
    scheme: Scheme,
    placed: Placed,
    plan: SketchPlan,
    width: int,
    height: int,
    unit: int,
    seed: int,
    shade: bool,
    island: bool,
) -> None:
    brush.hand = stream(seed, "sketch shape", f"{placed.motif.name} {placed.number}")
    main, bound = placed.motif.main, False
    turn = placed.kind + (placed.number if placed.motif.place in ("figure", "scatter") else 0)
    if placed.asked.colour is not None:
        main, bound = "#{:02x}{:02x}{:02x}".format(*placed.asked.colour), True
    elif main == "accent" or main == "cloth":
        main = scheme.accent(turn + (placed.number if main == "cloth" else 0))
    second = placed.asked.second
    petal = "petal" if second is None else "#{:02x}{:02x}{:02x}".format(*second)
    look = Look(
        x=placed.x * width,
        y=placed.y * height,
        height=placed.height * unit,
        main=main,
        second=scheme.accent(turn + 1),
        petal=petal,
        bound=bound,
        flip=placed.flip,
        far=placed.far,
        number=placed.number + placed.kind,
    )
    if placed.motif.place == "curtain":
        look = look._replace(height=float(height))
    if shade:
        left, _, right, _ = extent(placed.motif.name)
        half = (right - left) / 2 * look.height
        middle = look.x + (left + right) / 2 * (-look.height if look.flip else look.height)
        _draw_shadow(
            brush,
            middle + 0.12 * half,
            look.y,
            half * 0.92,
            max(3.0, min(half * 0.16, look.height * 0.09)),
        )
    if island:
        # What stands in the water stands on a rock.
        left, _, right, _ = extent(placed.motif.name)
        half = (right - left) / 2 * look.height
        brush.oval(look.x, look.y, half * 1.25, half * 0.3, scheme.colour("stone-14", far=0.15))
        brush.oval(
            look.x, look.y - half * 0.06, half * 1.05, half * 0.2, scheme.colour("leaf-4", far=0.15)
        )
    draw_motif(brush, scheme, placed.motif, look)


def _draw_shadow(brush: Brush, x: float, y: float, rx: float, ry: float) -> None:
    """Darken an oval of what is painted already."""
    from PIL import Image, ImageDraw

    box = [round(x - rx), round(y - ry), round(x + rx), round(y + ry)]
    left, top = max(0, box[0]), max(0, box[1])
    right, low = min(brush.image.width, box[2] + 1), min(brush.image.height, box[3] + 1)
    if right - left < 2 or low - top < 2:
        return
    mask = Image.new("L", (right - left, low - top), 0)
    ImageDraw.Draw(mask).ellipse(
        [box[0] - left, box[1] - top, box[2] - left, box[3] - top], fill=84
    )
    brush.image.paste((18, 16, 26), (left, top), mask)


def _draw_sky(brush: Brush, scheme: Scheme, scene: Scene, plan: SketchPlan, horizon: int) -> None:
    width, height = brush.image.size
    unit = min(width, height)
    hand = brush.hand
    named = {placed.motif.name for placed in scene.placed}
    if scene.sky == "space" or (scene.sky == "sky" and scheme.mood.stars):
        count = 130 if scene.sky == "space" else scheme.mood.stars
        star = scheme.colour("main", "#fff6d8", lit=True)
        for _ in range(count):
            r = unit * (0.0012 + 0.0028 * hand.random() ** 3)
            x, y = hand.random() * width, hand.random() * horizon * 0.94
            brush.draw.ellipse([round(x - r), round(y - r), round(x + r), round(y + r)], fill=star)
    if scene.sky == "sky":
        disc = scheme.mood.disc
        if disc and not named & {"sun", "moon", "crescent"}:
            at = max(0.1, scheme.mood.disc_height * 0.94) * min(horizon, 0.85 * height)
            size = unit * (0.15 if disc == "sun" else 0.12)
            x = (0.5 if "symmetric" in plan.arrangements else 0.2 + 0.6 * hand.random()) * width
            look = Look(x, at + size / 2, size, motifs()[disc].main, "glow")
            draw_motif(brush, scheme, motifs()[disc], look)
            brush.glow(x, at, -1.0, (0, 0, 0))
        if plan.weather & {"clouds"} or (plan.time is None and "cloud" not in named):
            light = not plan.weather & {"clouds"}
            if "minimal" not in plan.arrangements:
                _draw_clouds(brush, scheme, horizon, 2 if light else 5)
    if scene.sky == "deep":
        beam = scheme.sky(6, "deep")[0]
        for k in range(4):
            x = (0.1 + 0.25 * k + 0.1 * hand.random()) * width
            shape = [
                (x, 0),
                (x + 0.06 * width, 0),
                (x - 0.06 * width, horizon),
                (x - 0.2 * width, horizon),
            ]
            _paste_faint(brush, shape, beam, 46)
    if "fireworks" in plan.weather:
        _draw_fireworks(brush, scheme, horizon)


def _draw_clouds(brush: Brush, scheme: Scheme, horizon: int, count: int) -> None:
    width, height = brush.image.size
    for k in range(count):
        size = min(width, height) * (0.07 + 0.06 * brush.hand.random())
        x = (k + 0.2 + 0.6 * brush.hand.random()) / count * width
        y = size + (0.1 + 0.5 * brush.hand.random()) * horizon * 0.7
        look = Look(x, y, size, "light", "light", flip=brush.hand.random() < 0.5)
        draw_motif(brush, scheme, motifs()["cloud"], look)


def _draw_fireworks(brush: Brush, scheme: Scheme, horizon: int) -> None:
    width, height = brush.image.size
    unit = min(width, height)
    for k in range(4):
        x, y = (
            (0.15 + 0.7 * brush.hand.random()) * width,
            (0.15 + 0.5 * brush.hand.random()) * horizon,
        )
        rgb = scheme.colour("main+12", scheme.accent(k), lit=True)
        reach = unit * (0.08 + 0.08 * brush.hand.random())
        brush.glow(x, y, reach * 0.9, rgb)
        for ray in range(14):
            c, s = math.cos(ray * math.pi / 7), math.sin(ray * math.pi / 7)
            brush.line(
                [(x + 0.3 * reach * c, y + 0.3 * reach * s), (x + reach * c, y + reach * s)], 3, rgb
            )
            brush.oval(x + reach * c, y + reach * s, 3, 3, rgb)


def _draw_fog(brush: Brush, scheme: Scheme, horizon: int) -> None:
    """Hide what is far behind air, most at the horizon."""
    from PIL import Image

    width, height = brush.image.size
    away = np.abs(np.arange(height) - min(horizon, 0.8 * height)) / height
    thick = np.rint(255 * scheme.mood.fog * np.maximum(0.3, 1 - 1.6 * away)).astype(np.uint8)
    mask = Image.fromarray(np.ascontiguousarray(np.broadcast_to(thick[:, None], (height, width))))
    brush.image.paste(scheme.sky(3)[-1], (0, 0), mask)


def _draw_glitter(brush: Brush, scheme: Scheme, scene: Scene, horizon: int) -> None:
    """Draw the path of light that a low sun or a moon leaves on water."""
    width, height = brush.image.size
    lights = [(p.x * width) for p in scene.placed if p.motif.name in ("sun", "moon", "crescent")]
    lights += [glow.x for glow in brush.glows if glow.radius < 0]
    brush.glows = [glow for glow in brush.glows if glow.radius > 0]
    if scene.ground not in WATERS or not lights:
        return
    kind = "moon" if scheme.mood.disc == "moon" else "sun"
    rgb = scheme.colour("main", motifs()[kind].main, lit=True)
    low = height if scene.ground in ("water", "lake") else horizon + round(0.4 * (height - horizon))
    y = horizon + 3.0
    while y < low:
        depth = (y - horizon) / max(1, height - horizon)
        half = width * (0.02 + 0.07 * depth) * (0.5 + brush.hand.random())
        x = lights[0] + (brush.hand.random() - 0.5) * width * 0.05 * (0.3 + depth)
        shape = [
            (x - half, y),
            (x + half, y),
            (x + half * 0.8, y + 2 + 3 * depth),
            (x - half * 0.8, y + 2 + 3 * depth),
        ]
        _paste_faint(brush, shape, rgb, 150)
        y += 5 + 15 * depth


def _paste_faint(
    brush: Brush, points: Sequence[tuple[float, float]], rgb: tuple[int, int, int], strength: int
) -> None:
    """Mix a polygon into the picture; ``strength`` of 255 covers."""
    from PIL import Image, ImageDraw

    left, top = max(0, round(min(p[0] for p in points))), max(0, round(min(p[1] for p in points)))
    right = min(brush.image.width, round(max(p[0] for p in points)) + 1)
    low = min(brush.image.height, round(max(p[1] for p in points)) + 1)
    if right <= left or low <= top:
        return
    mask = Image.new("L", (right - left, low - top), 0)
    inner = [(round(x) - left, round(y) - top) for x, y in points]
    ImageDraw.Draw(mask).polygon(inner, fill=strength)
    brush.image.paste(rgb, (left, top), mask)


def draw_weather(brush: Brush, scheme: Scheme, plan: SketchPlan, seed: int) -> None:
    """Draw rain or snow over everything."""
    from PIL import Image, ImageDraw

    width, height = brush.image.size
    unit = min(width, height)
    hand = stream(seed, "sketch weather", "")
    if not plan.weather & {"rain", "snow"}:
        return
    mask = Image.new("L", (width, height), 0)
    pen = ImageDraw.Draw(mask)
    if "rain" in plan.weather:
        for _ in range(190):
            x, y = hand.random() * width * 1.1, hand.random() * height
            long = unit * (0.03 + 0.04 * hand.random())
            pen.line(
                [round(x), round(y), round(x - long * 0.3), round(y + long)], fill=120, width=3
            )
    if "snow" in plan.weather:
        for _ in range(170):
            x, y = hand.random() * width, hand.random() * height
            r = unit * (0.003 + 0.006 * hand.random())
            pen.ellipse([round(x - r), round(y - r), round(x + r), round(y + r)], fill=220)
    rgb = scheme.colour("main", "#dfe8f0" if "snow" not in plan.weather else "#fdfdfd", lit=True)
    brush.image.paste(rgb, (0, 0), mask)
