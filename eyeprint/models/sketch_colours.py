"""The colours of one sketch: natural ones, moved to the palette asked for, then lit.

Every part of a picture has a role (leaf, water, wall ...) with a natural colour. Where the
prompt names a palette, the natural colour moves towards the palette's colour nearest to
it: in hue and chroma almost wholly, in lightness by half, so that things stay readable.
Then light is applied to all: level, contrast, tint. No draw takes part: a seed moves
things, never colours.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from eyeprint.maths.colour import Floats, lab_of, rgb_of
from eyeprint.models.colour_names import Rgb, rgb_of_hex
from eyeprint.models.sketch_tables import Light, times
from eyeprint.models.sketch_words import SketchPlan
from eyeprint.randomness import stable_hash

NATURAL = {
    "leaf": "#548c46",
    "wood": "#7a5335",
    "stone": "#a39b8f",
    "metal": "#8f9aa3",
    "glass": "#c2dfe8",
    "skin0": "#dba880",
    "skin1": "#f0cdae",
    "skin2": "#9a6844",
    "skin3": "#b9825a",
    "skin4": "#e6bd98",
    "hair0": "#3b2a22",
    "hair1": "#7a5230",
    "hair2": "#201c1c",
    "hair3": "#8c8580",
    "hair4": "#b48a4c",
    "eye": "#3c5a6c",
    "paper": "#f3eddf",
    "dark": "#26282d",
    "light": "#f5f0e4",
    "glow": "#ffdf92",
    "petal": "#d95f84",
    "roof": "#a9553f",
    "water": "#4488aa",
    "field": "#84a75a",
    "garden": "#79a257",
    "forest": "#5c6e3e",
    "sand": "#dec48f",
    "beach": "#e6d0a0",
    "bank": "#7fa05c",
    "snow": "#eaf0f5",
    "street": "#8e8b8c",
    "floor": "#b48a60",
    "table": "#a87748",
    "seabed": "#cdbb8e",
    "wall": "#d9cebb",
    "plain": "#ece6d9",
    "mountains": "#78849a",
    "hills": "#7f9a68",
    "dunes": "#d3a86c",
    "trees": "#47714c",
    "skyline": "#7d8698",
    "houses": "#c9a487",
}
_ACCENTS = ("#c9503f", "#3f7fa8", "#e0a83c", "#5c8f5a", "#8a5a96", "#d8788c", "#3c9a94", "#b56a3a")
_OWN = {"skin": 0.30, "hair": 0.6, "eye": 0.3, "glow": 0.35, "dark": 0.4}
"""How far some roles follow a palette, where less than others."""
_SPACE = ("#070a1c", "#151638", "#2c1f4f")
_DEEP = ("#7fd0d8", "#2f8fb0", "#124a72")
_ROLE = re.compile(r"^(#?\w+?)([+-]\d+)?$")


@dataclass(frozen=True)
class Mood:
    """All the light of a picture: the time of day with the qualities on top."""

    sky: tuple[Rgb, ...]
    level: float
    contrast: float
    saturation: float
    lift: float
    tints: tuple[tuple[Rgb, float], ...]
    fog: float
    stars: int
    disc: str
    disc_height: float
    lit: bool
    timed: bool
    """Whether the prompt names a time of day."""


def mood_of(plan: SketchPlan, indoors: bool) -> Mood:
    """Return the light of a plan; without a time of day it is day, and plain light indoors.

    >>> from eyeprint.models.sketch_words import read_prompt
    >>> mood_of(read_prompt("a foggy night"), indoors=False).lit
    True
    """
    time = plan.time or times()["day"]
    lights: list[Light] = [time, *plan.qualities]
    level, lift = time.level, sum(q.lift for q in plan.qualities)
    lift += sum(p.lift for p in plan.palettes) if plan.time is None else 0.0
    if indoors:
        # Walls keep out some of the night.
        level = 1 - (1 - level) * 0.75
    shining = [plan.time, *plan.qualities] if plan.time else plan.qualities
    discs = [light.disc for light in shining if light.disc]
    return Mood(
        sky=time.sky,
        level=level,
        contrast=_held(0.78, 1.5, [light.contrast for light in lights]),
        saturation=_held(
            0.5, 1.7, [entry.saturation for entry in lights] + [p.saturation for p in plan.palettes]
        ),
        lift=max(-30.0, min(20.0, lift)),
        tints=tuple((light.tint, light.tinted) for light in lights if light.tinted),
        fog=max(light.fog for light in lights),
        stars=time.stars,
        disc=discs[0] if discs else "",
        disc_height=time.disc_height,
        lit=time.lit,
        timed=plan.time is not None,
    )


def _held(low: float, high: float, factors: list[float]) -> float:
    """Return the product of factors, within limits: many gentle words make no blank picture."""
    return min(high, max(low, math.prod(factors)))


@lru_cache(maxsize=4096)
def natural_lab(colour: str) -> tuple[float, float, float]:
    """Return CIELAB of a role or #rrggbb."""
    rgb = rgb_of_hex(colour if colour.startswith("#") else NATURAL[colour])
    lab = lab_of(np.array(rgb, np.uint8))
    return float(lab[0]), float(lab[1]), float(lab[2])


def _hex(rgb: Rgb) -> str:
    return "#{:02x}{:02x}{:02x}".format(*rgb)


class Scheme:
    """Gives each role of one picture its colour."""

    def __init__(
        self,
        plan: SketchPlan,
        mood: Mood,
        references: Floats | None = None,
        reference_strength: float = 0.7,
    ) -> None:
        named = [colour for palette in plan.palettes for colour in palette.colours]
        self.mood = mood
        self.neon = any(palette.name == "neon" for palette in plan.palettes)
        """Whether lit windows shine in the palette's colours."""
        self.gray = any(palette.gray for palette in plan.palettes)
        asked = [*plan.colours, *named]
        self._palette = [natural_lab(_hex(colour)) for colour in asked]
        self._follow = (0.0, 0.62, 0.74)[len(asked)] if len(asked) < 3 else 0.86
        if references is not None:
            rows = [(float(row[0]), float(row[1]), float(row[2])) for row in references]
            self._follow = max(self._follow, reference_strength)
            self._palette = [*self._palette, *rows] if self._palette else rows
        self._accents = self._choose_accents(plan)
        self._memory: dict[tuple[str, str, float, bool], Rgb] = {}

    def _choose_accents(self, plan: SketchPlan) -> list[str]:
        first = [_hex(rgb) for rgb in plan.accents]
        if self._palette:
            vivid = sorted(self._palette, key=lambda c: -np.hypot(c[1], c[2]))
            return [*first, *(_hex(_rgb(colour)) for colour in vivid)]
        # What nobody asked for still differs between prompts, by their words.
        start = stable_hash("sketch accents", *sorted(plan.content)) % len(_ACCENTS)
        step = 3
        return first + [_ACCENTS[(start + step * k) % len(_ACCENTS)] for k in range(len(_ACCENTS))]

    def accent(self, place: int) -> str:
        """Return the colour of the place-th thing that has none of its own, as #rrggbb."""
        return self._accents[place % len(self._accents)]

    def colour(
        self,
        role: str,
        main: str = "plain",
        bound: bool = False,
        far: float = 0.0,
        lit: bool = False,
    ) -> Rgb:
        """Return the colour of a role.

        Args:
            role: a role, "main" or #rrggbb, with +L or -L for lighter or darker.
            main: what "main" stands for.
            bound: the prompt gave ``main`` its colour; no palette changes it.
            far: how much air lies between, 0 to 1; far things take on the sky's colour.
            lit: shines by itself.
        """
        key = (role if not role.startswith("main") else f"{role}={main}", main, far, lit or bound)
        found = self._memory.get(key)
        if found is None:
            found = self._memory[key] = self._made(role, main, bound, far, lit)
        return found

    def _made(self, role: str, main: str, bound: bool, far: float, lit: bool) -> Rgb:
        name, shift = _role_and_shift(role)
        if name == "window":
            name, lit = ("glow", True) if self.mood.lit else ("#7d98aa", lit)
        keeps = bound and name == "main"
        if name == "main":
            name, more = _role_and_shift(main)
            shift += more
        if name == "sky":
            return self.sky(3)[1]
        if name == "cloud":
            lab = _mixed(natural_lab("light"), self._sky_lab()[-1], 0.35)
            return _rgb((lab[0] + shift, *((0.0, 0.0) if self.gray else lab[1:])))
        lab = natural_lab(name)
        if not keeps:
            lab = self._followed(lab, self._follow * _OWN.get(name.rstrip("01234"), 1.0))
        # Steps of shading grow with the contrast of the light.
        lab = (lab[0] + shift * min(1.6, self.mood.contrast), lab[1], lab[2])
        lab = lab if lit or name == "glow" else self.lit(lab, 0.5 if keeps else 1.0)
        if far:
            lab = _mixed(lab, self._sky_lab()[-1], far)
        return _rgb((lab[0], 0.0, 0.0) if self.gray else lab)

    def _followed(
        self, lab: tuple[float, float, float], strength: float
    ) -> tuple[float, float, float]:
        if not self._palette or strength <= 0:
            return lab
        nearest = min(
            self._palette,
            key=lambda c: (
                (0.9 * (c[0] - lab[0])) ** 2 + 0.3 * ((c[1] - lab[1]) ** 2 + (c[2] - lab[2]) ** 2)
            ),
        )
        return (
            lab[0] + 0.5 * strength * (nearest[0] - lab[0]),
            lab[1] + strength * (nearest[1] - lab[1]),
            lab[2] + strength * (nearest[2] - lab[2]),
        )

    def lit(
        self, lab: tuple[float, float, float], tinting: float = 1.0
    ) -> tuple[float, float, float]:
        """Return a colour under the picture's light."""
        mood = self.mood
        lightness = (55 + (lab[0] - 55) * mood.contrast) * mood.level + mood.lift
        a, b = lab[1] * mood.saturation, lab[2] * mood.saturation
        for tint, share in mood.tints:
            to = natural_lab(_hex(tint))
            a += (to[1] - a) * share * tinting
            b += (to[2] - b) * share * tinting
        return min(98.0, max(3.0, lightness)), a, b

    def _sky_lab(self) -> list[tuple[float, float, float]]:
        return [self._sky_colour(natural_lab(_hex(colour))) for colour in self.mood.sky]

    def _sky_colour(self, lab: tuple[float, float, float]) -> tuple[float, float, float]:
        # A named time of day keeps half of its own sky.
        strength = self._follow * (0.5 if self.mood.timed and not self.gray else 0.72)
        followed = self._followed(lab, strength)
        lab = (lab[0] + 0.6 * (followed[0] - lab[0]), followed[1], followed[2])
        mood = self.mood
        lightness = 60 + (lab[0] - 60) * min(1.25, mood.contrast) + 0.6 * mood.lift
        return min(97.0, max(3.0, lightness)), lab[1] * mood.saturation, lab[2] * mood.saturation

    def sky(self, steps: int, kind: str = "sky", over: Rgb | None = None) -> list[Rgb]:
        """Return the colours of the upper part from the top down, ``steps`` of them.

        Args:
            steps: how many.
            kind: sky, space, deep (water) or plain and wall, which hardly change.
            over: a colour that the prompt gives to the sky.
        """
        if kind in ("wall", "plain"):
            base = natural_lab(kind if over is None else _hex(over))
            if over is None and kind == "plain" and self._palette:
                ends = sorted(self._palette)
                base = ends[0] if self.mood.lift < -12 else ends[-1]
            elif over is None:
                base = self._followed(base, self._follow)
            low = self.lit((base[0] - 7, base[1], base[2]))
            stops = [self.lit(base), low]
        elif kind in ("space", "deep"):
            table = _SPACE if kind == "space" else _DEEP
            stops = [self._followed(natural_lab(c), self._follow * 0.8) for c in table]
            if kind == "deep":
                stops = [self.lit(stop) for stop in stops]
        elif over is not None:
            base = natural_lab(_hex(over))
            stops = [
                self.lit((base[0] - 6, base[1], base[2])),
                self.lit((base[0] + 10, base[1] * 0.8, base[2] * 0.8)),
            ]
        else:
            stops = self._sky_lab()
        places = np.linspace(0, len(stops) - 1, steps)
        rows = np.array(stops)
        lab = np.stack(
            [np.interp(places, np.arange(len(stops)), rows[:, k]) for k in range(3)], axis=1
        )
        if self.gray:
            lab[:, 1:] = 0
        return [(int(r), int(g), int(b)) for r, g, b in rgb_of(lab)]


def _role_and_shift(role: str) -> tuple[str, float]:
    match = _ROLE.match(role)
    if match is None:
        raise ValueError(f"not a colour of a shape: {role!r}")
    return match[1], float(match[2] or 0)


def _mixed(
    one: tuple[float, float, float], other: tuple[float, float, float], share: float
) -> tuple[float, float, float]:
    return (
        one[0] + (other[0] - one[0]) * share,
        one[1] + (other[1] - one[1]) * share,
        one[2] + (other[2] - one[2]) * share,
    )


def _rgb(lab: tuple[float, float, float]) -> Rgb:
    red, green, blue = rgb_of(np.array(lab)).tolist()
    return red, green, blue
