"""The painter ``sketch``: a deterministic offline painter that shows what a prompt says.

It has no weights. It knows some two thousand words: things to draw, places, light and
times of day, palettes, ways of drawing and of arranging. A prompt is read
(``sketch_words``), given colours (``sketch_colours``) and places (``sketch_layout``),
painted (``sketch_scene``) and finished (``sketch_finish``). Words that it could not show
are told in ``Painted.detail``. So two people's prompts give pictures that differ in what
the prompts say, and every protocol runs anywhere; it is an honest small painter, named in
every result, not a stand-in for a diffusion model (CHECKLIST X4, P41).
"""

from __future__ import annotations

import asyncio
import time

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from eyeprint.config import Settings, fingerprint_of
from eyeprint.models.kinds import Painted, PaintRequest
from eyeprint.models.sketch_brush import Brush
from eyeprint.models.sketch_colours import Scheme, mood_of
from eyeprint.models.sketch_finish import finish
from eyeprint.models.sketch_layout import scene_of
from eyeprint.models.sketch_references import towards
from eyeprint.models.sketch_scene import blank_canvas, draw_weather, paint_scene
from eyeprint.models.sketch_tables import tables_fingerprint
from eyeprint.models.sketch_words import SketchPlan, read_prompt
from eyeprint.randomness import stream
from eyeprint.records.pictures import Picture, PictureFacts

_RECIPE = 2
"""Counted up when the same request comes to mean another picture."""
LEAST_SIDE, MOST_SIDE = 32, 2048
_OVERSIZE = 2
_WOBBLE = {"outline": 0.02, "watercolour": 0.026, "gouache": 0.012, "oil": 0.018}
_WORDS_TOLD = 24


class SketchSettings(Settings):
    """Sizes, and how far references pull."""

    side: int = Field(default=384, ge=LEAST_SIDE, le=MOST_SIDE)
    """Width and height where the request names none."""
    reference_strength: float = Field(default=0.7, ge=0, le=1)
    """How far palette, light and surface move towards the references' (way "edit")."""


class SketchPainter:
    """Paints by the words of the prompt; see the module.

    Ways: "text"; "edit", where references shift palette, light and surface towards theirs
    while the prompt decides what is shown. Steps and guidance mean nothing to it.

    >>> import asyncio
    >>> request = PaintRequest("a red boat on a calm sea at dusk, qwrtz", seed=3)
    >>> painted = asyncio.run(SketchPainter().paint(request))
    >>> painted.picture.width, painted.detail
    (384, 'not shown: qwrtz')
    """

    name = "sketch"
    ways = frozenset({"text", "edit"})

    def __init__(self, settings: SketchSettings | None = None) -> None:
        self.settings = settings or SketchSettings()

    @property
    def fingerprint(self) -> str:
        """SHA-256 over recipe, settings, tables, and the release of Pillow.

        Releases of Pillow fill a polygon's edge differently, so bytes differ by a few pixels.
        """
        import PIL

        return fingerprint_of(
            {
                "painter": "sketch",
                "recipe": _RECIPE,
                "pillow": PIL.__version__,
                "tables": tables_fingerprint(),
                "settings": self.settings.model_dump(),
            }
        )

    async def paint(self, request: PaintRequest, way: str = "text") -> Painted:
        """Paint one picture; takes some tens of milliseconds.

        A size or way that it cannot do, or way "edit" without references, is a failure
        "bad_request" with its reason in ``detail``.
        """
        fault = self._fault(request, way)
        if fault:
            return Painted(None, "bad_request", fault)
        began = time.perf_counter()
        pixels, not_shown = await asyncio.to_thread(self.pixels, request, way)
        picture = Picture.of(pixels, PictureFacts(source=f"sketch {request.key}".strip()))
        return Painted(
            picture,
            detail=_told(not_shown),
            seconds=time.perf_counter() - began,
            cost_usd=0.0,
            served_model=self.name,
        )

    def _fault(self, request: PaintRequest, way: str) -> str:
        if way not in self.ways:
            return f"the sketch painter cannot do '{way}'; it can do: edit, text"
        if way == "edit" and not request.references:
            return "way 'edit' needs one reference picture or more"
        for side in (request.width, request.height):
            if side is not None and not LEAST_SIDE <= side <= MOST_SIDE:
                return f"a sketch is {LEAST_SIDE} to {MOST_SIDE} pixels on a side, not {side}"
        return ""

    def pixels(self, request: PaintRequest, way: str) -> tuple[NDArray[np.uint8], tuple[str, ...]]:
        """Return the pixels of a valid request, and the words that are not shown."""
        plan = read_prompt(request.prompt, request.negative)
        width, height = request.width or self.settings.side, request.height or self.settings.side
        scene = scene_of(plan, request.seed, width / height)
        asked = None
        if way == "edit":
            asked = towards(request.references, self.settings.reference_strength)
        mood = mood_of(plan, scene.indoors)
        scheme = Scheme(
            plan, mood, asked.palette if asked else None, self.settings.reference_strength
        )
        style = plan.style or "gouache"
        canvas = blank_canvas(width * _OVERSIZE, height * _OVERSIZE, scheme, scene)
        ink = scheme.colour("dark") if style == "outline" else None
        brush = Brush(canvas, stream(request.seed, "sketch", ""), _wobble(plan, style), ink)
        paint_scene(brush, scheme, scene, plan, request.seed)
        draw_weather(brush, scheme, plan, request.seed)
        fog = (0.4 * mood.fog, scene.horizon, scheme.sky(3)[-1]) if mood.fog else None
        dark = 1 - min(1.0, mood.level)
        done = finish(
            canvas,
            width,
            height,
            style,
            brush.glows,
            0.35 + 0.65 * min(1.0, 2 * dark),
            fog,
            stream(request.seed, "sketch surface", style).numpy(),
            asked,
        )
        return done, (*plan.not_shown, *scene.not_shown)


def _wobble(plan: SketchPlan, style: str) -> float:
    steady = _WOBBLE.get(style, 0.0)
    return steady * 1.8 if "dynamic" in plan.arrangements else steady


def _told(words: tuple[str, ...]) -> str:
    if not words:
        return ""
    few = ", ".join(words[:_WORDS_TOLD])
    more = f" and {len(words) - _WORDS_TOLD} more" if len(words) > _WORDS_TOLD else ""
    return f"not shown: {few}{more}"
