"""What stands at the horizon, and what the ground is made of."""

from __future__ import annotations

from itertools import pairwise

from eyeprint.models.colour_names import Rgb
from eyeprint.models.sketch_brush import Brush, Point
from eyeprint.models.sketch_colours import Scheme
from eyeprint.models.sketch_layout import Scene
from eyeprint.models.sketch_motifs import Look, draw_motif
from eyeprint.models.sketch_tables import motifs
from eyeprint.randomness import Stream, stream


def _hex(rgb: Rgb) -> str:
    return "#{:02x}{:02x}{:02x}".format(*rgb)


def ridge(hand: Stream, width: int, steps: int, rough: float) -> list[float]:
    """Return heights of a ridge line, within 0 and 1, by halving: rough 1 is jagged, 0 smooth.

    >>> from eyeprint.randomness import stream
    >>> line = ridge(stream(1, "demo", ""), 100, 5, 0.6)
    >>> len(line), 0 <= min(line) <= max(line) <= 1
    (33, True)
    """
    heights = [hand.random(), hand.random()]
    reach = 1.0
    for _ in range(steps):
        reach *= 0.5 + 0.2 * rough
        finer = []
        for one, other in pairwise(heights):
            finer += [one, (one + other) / 2 + (hand.random() - 0.5) * reach * (0.35 + rough)]
        heights = [*finer, heights[-1]]
    low, high = min(heights), max(heights)
    return [(h - low) / max(high - low, 1e-9) for h in heights]


def draw_far(
    brush: Brush, scheme: Scheme, kind: str, over: Rgb | None, horizon: int, seed: int
) -> None:
    """Draw mountains, hills, dunes, trees, a skyline or houses along the horizon."""
    hand = stream(seed, "sketch far", kind)
    brush.hand = hand
    width, height = brush.image.size
    main = _hex(over) if over else kind
    bound = over is not None
    if kind == "skyline":
        for far, tall in ((0.5, 0.46), (0.18, 0.36)):
            _draw_blocks(brush, scheme, hand, horizon, tall, main, bound, far)
    elif kind == "houses":
        count = 6
        for k in range(count):
            tall = (0.22 + 0.14 * hand.random()) * min(width, height)
            walls = scheme.accent(k) if k % 2 else "houses"
            look = Look(
                (k + 0.5) / count * width,
                horizon + 2,
                tall,
                walls,
                "roof",
                far=0.22,
                flip=k % 2 > 0,
            )
            draw_motif(brush, scheme, motifs()["house"], look)
    elif kind == "trees":
        for far, tall in ((0.42, 0.34), (0.2, 0.26)):
            for k in range(11):
                name = "pine" if hand.random() < 0.5 else "tree"
                size = tall * (0.75 + 0.5 * hand.random()) * height
                x = (k + hand.random()) / 11 * width
                look = Look(x, horizon + 4, size, main, "leaf", bound=bound, far=far)
                draw_motif(brush, scheme, motifs()[name], look)
    else:
        tall, rough = {"mountains": (0.40, 0.75), "hills": (0.15, 0.1), "dunes": (0.13, 0.05)}[kind]
        for layer in range(3):
            reach = tall * (1 - 0.27 * layer) * height
            line = ridge(hand, width, 5 if rough > 0.5 else 4, rough)
            base = 0.25 + 0.2 * layer
            points = [
                (
                    width * k / (len(line) - 1),
                    horizon - reach * (base + (1 - base) * h) * (0.95 - 0.2 * layer),
                )
                for k, h in enumerate(line)
            ]
            far = (0.62, 0.38, 0.16)[layer]
            rgb = scheme.colour(f"main-{4 * layer}", main, bound, far)
            brush.polygon([(0, horizon + 4), *points, (width, horizon + 4)], rgb, 0.2)
            if kind == "mountains" and layer < 2:
                _draw_caps(brush, scheme, points, horizon, reach, far)


def _draw_caps(
    brush: Brush, scheme: Scheme, points: list[Point], horizon: int, reach: float, far: float
) -> None:
    """Put snow on the peaks of a ridge."""
    snow = scheme.colour("snow", far=far * 0.7)
    for k in range(2, len(points) - 2):
        x, y = points[k]
        peak = y < points[k - 1][1] and y < points[k + 1][1]
        if peak and y < horizon - 0.62 * reach:
            near = [points[k - 1], (x, y), points[k + 1]]
            (x0, y0), (x2, y2) = near[0], near[2]
            left = (x + (x0 - x) * 0.75, y + (y0 - y) * 0.75 + 1)
            right = (x + (x2 - x) * 0.75, y + (y2 - y) * 0.75 + 1)
            drop = 0.05 * reach
            brush.polygon(
                [left, (x, y), right, (x + 3, y + drop * 1.6), (x - 4, y + drop)], snow, 0.1
            )


def _draw_blocks(
    brush: Brush,
    scheme: Scheme,
    hand: Stream,
    horizon: int,
    tall: float,
    main: str,
    bound: bool,
    far: float,
) -> None:
    width, height = brush.image.size
    x = -0.02 * width
    while x < width:
        wide = (0.05 + 0.07 * hand.random()) * width
        high = tall * (0.35 + 0.65 * hand.random()) * height
        rgb = scheme.colour(f"main-{4 + hand.below(3) * 5}", main, bound, far)
        brush.polygon(
            [
                (x, horizon + 4),
                (x, horizon - high),
                (x + wide, horizon - high),
                (x + wide, horizon + 4),
            ],
            rgb,
            0.15,
        )
        if hand.random() < 0.25:
            brush.line(
                [(x + wide / 2, horizon - high), (x + wide / 2, horizon - high * 1.14)], 4, rgb
            )
        pane = scheme.colour("window", far=far * 0.5)
        rows, columns = int(high / (0.036 * height)), max(1, int(wide / (0.026 * width)))
        share = 0.5 if scheme.mood.lit else 0.34
        for row in range(rows - 1):
            for column in range(columns):
                if hand.random() < share:
                    if scheme.neon and scheme.mood.lit:
                        pane = scheme.colour("main", scheme.accent(hand.below(4)), lit=True)
                    px = x + wide * (column + 0.5) / columns
                    py = horizon - high + (row + 0.8) * 0.036 * height
                    brush.draw.rectangle(
                        [round(px - 4), round(py - 5), round(px + 4), round(py + 5)], fill=pane
                    )
        x += wide * (0.92 + 0.3 * hand.random())


def draw_ground(
    brush: Brush, scheme: Scheme, scene: Scene, horizon: int, busy: bool, seed: int
) -> None:
    """Fill what lies below the horizon, and give it the marks of its kind."""
    width, height = brush.image.size
    kind = scene.ground
    over = scene.colours.get(kind)
    role = "water" if kind == "lake" else kind
    base = _hex(over) if over else role
    bound = over is not None
    bands = 10
    for k in range(bands):
        top = horizon + (height - horizon) * k / bands
        shift = (
            round(5 - 11 * k / bands)
            if kind not in ("table", "floor")
            else round(3 - 6 * k / bands)
        )
        far = max(0.0, 0.34 - 0.07 * k) if kind not in ("table", "floor") else 0.0
        rgb = scheme.colour(f"main{shift:+d}", base, bound, far)
        brush.draw.rectangle([0, round(top), width, height], fill=rgb)
    hand = stream(seed, "sketch ground", kind)
    brush.hand = hand
    marks = {
        "water": _draw_waves,
        "lake": _draw_waves,
        "beach": _draw_beach,
        "bank": _draw_beach,
        "field": _draw_tufts,
        "garden": _draw_tufts,
        "forest": _draw_tufts,
        "sand": _draw_ripples,
        "snow": _draw_ripples,
        "seabed": _draw_ripples,
        "street": _draw_road,
        "floor": _draw_boards,
        "table": _draw_edge,
    }
    marks[kind](brush, scheme, base, bound, horizon, kind, busy)


def _draw_waves(
    brush: Brush, scheme: Scheme, base: str, bound: bool, horizon: int, kind: str, busy: bool
) -> None:
    width, height = brush.image.size
    count = 34 if kind == "lake" else 60
    for _ in range(count * (2 if busy else 1)):
        depth = brush.hand.random() ** 1.4
        y = horizon + 5 + (height - horizon) * depth
        x = brush.hand.random() * width
        half = width * (0.015 + 0.05 * depth) * (0.5 + brush.hand.random())
        rgb = scheme.colour("main+12" if brush.hand.random() < 0.6 else "main-9", base, bound)
        lift = (1 + 5 * depth) if kind != "lake" else 1
        brush.draw.line(
            [round(x - half), round(y), round(x), round(y - lift), round(x + half), round(y)],
            fill=rgb,
            width=2 + round(2 * depth),
        )


def _draw_beach(
    brush: Brush, scheme: Scheme, base: str, bound: bool, horizon: int, kind: str, busy: bool
) -> None:
    width, height = brush.image.size
    edge = horizon + 0.42 * (height - horizon)
    line = ridge(brush.hand, width, 4, 0.05)
    shore = [
        (width * k / (len(line) - 1), edge + 0.06 * height * (h - 0.5)) for k, h in enumerate(line)
    ]
    for k in range(6):
        top = horizon + (edge - horizon) * k / 6
        rgb = scheme.colour(f"water{6 - 2 * k:+d}", far=max(0.0, 0.3 - 0.08 * k))
        lower = [(x, max(y, top)) for x, y in reversed(shore)]
        brush.draw.polygon(
            [(0, round(top)), (width, round(top)), *[(round(x), round(y)) for x, y in lower]],
            fill=rgb,
        )
    foam = [*shore, *[(x, y + 0.018 * height) for x, y in reversed(shore)]]
    brush.polygon(foam, scheme.colour("light"), 0.1)
    _draw_waves(brush, scheme, "water", False, horizon, "lake", False)
    # Waves end at the shore: sand once more over those that ran up.
    sand = scheme.colour("main-2", base, bound)
    lower = [(x, y + 0.018 * height) for x, y in shore]
    brush.draw.polygon(
        [*[(round(x), round(y)) for x, y in lower], (width, height), (0, height)], fill=sand
    )
    if kind == "bank":
        _draw_tufts(brush, scheme, base, bound, round(edge + 0.1 * height), "field", busy)
        return
    for _ in range(70):
        x, y = (
            brush.hand.random() * width,
            edge + 0.1 * height + brush.hand.random() * 0.6 * (height - edge),
        )
        rgb = scheme.colour("main-10", base, bound)
        brush.draw.ellipse([round(x), round(y), round(x + 3), round(y + 2)], fill=rgb)


def _draw_tufts(
    brush: Brush, scheme: Scheme, base: str, bound: bool, horizon: int, kind: str, busy: bool
) -> None:
    width, height = brush.image.size
    count = (110 if kind == "field" else 150) * (2 if busy else 1)
    # From far to near, so that near tufts cover far ones.
    for depth in sorted(brush.hand.random() for _ in range(count)):
        y = horizon + 6 + (height - horizon) * depth
        x = brush.hand.random() * width
        tall = height * (0.006 + 0.028 * depth)
        rgb = scheme.colour("main-9" if brush.hand.random() < 0.5 else "main+9", base, bound)
        pen = 2 + round(2 * depth)
        for lean in (-0.4, 0.1, 0.5):
            brush.draw.line(
                [round(x), round(y), round(x + lean * tall), round(y - tall)], fill=rgb, width=pen
            )
        if kind == "garden" and brush.hand.random() < 0.42:
            petal = scheme.colour("main+6", scheme.accent(brush.hand.below(4)))
            brush.oval(x, y - tall, 2 + 8 * depth, 2 + 7 * depth, petal)
            brush.oval(x, y - tall, 1 + 2 * depth, 1 + 2 * depth, scheme.colour("glow"))


def _draw_ripples(
    brush: Brush, scheme: Scheme, base: str, bound: bool, horizon: int, kind: str, busy: bool
) -> None:
    width, height = brush.image.size
    for k in range(7):
        y = horizon + (height - horizon) * ((k + 0.6) / 7) ** 1.3
        line = ridge(brush.hand, width, 3, 0.05)
        reach = (height - horizon) * 0.07
        points = [(width * i / (len(line) - 1), y + reach * (h - 0.5)) for i, h in enumerate(line)]
        rgb = scheme.colour("main-5" if k % 2 else "main+4", base, bound)
        lower = [(x, y + reach * 0.4) for x, y in reversed(points)]
        brush.draw.polygon([(round(x), round(y)) for x, y in [*points, *lower]], fill=rgb)


def _draw_road(
    brush: Brush, scheme: Scheme, base: str, bound: bool, horizon: int, kind: str, busy: bool
) -> None:
    width, height = brush.image.size
    walk = scheme.colour("main+12", base, bound)
    brush.draw.rectangle([0, horizon, width, height], fill=walk)
    middle = 0.5 * width
    road = [
        (middle - 0.05 * width, horizon),
        (middle + 0.05 * width, horizon),
        (1.06 * width, height),
        (-0.06 * width, height),
    ]
    brush.polygon(road, scheme.colour("main-8", base, bound), 0.0)
    stripe = scheme.colour("main+26", base, bound)
    for k in range(5):
        near, end = (k / 5) ** 1.6, ((k + 0.55) / 5) ** 1.6
        y0, y1 = (horizon + (height - horizon) * t for t in (near, end))
        w0, w1 = (0.003 * width + 0.014 * width * t for t in (near, end))
        brush.draw.polygon(
            [
                (round(middle - w0), round(y0)),
                (round(middle + w0), round(y0)),
                (round(middle + w1), round(y1)),
                (round(middle - w1), round(y1)),
            ],
            fill=stripe,
        )


def _draw_boards(
    brush: Brush, scheme: Scheme, base: str, bound: bool, horizon: int, kind: str, busy: bool
) -> None:
    width, height = brush.image.size
    rgb = scheme.colour("main-9", base, bound)
    for k in range(-9, 10):
        x0, x1 = width * (0.5 + k * 0.09), width * (0.5 + k * 0.21)
        brush.draw.line([round(x0), horizon, round(x1), height], fill=rgb, width=2)
    skirting = scheme.colour("light-6")
    brush.draw.rectangle([0, horizon - round(0.018 * height), width, horizon], fill=skirting)


def _draw_edge(
    brush: Brush, scheme: Scheme, base: str, bound: bool, horizon: int, kind: str, busy: bool
) -> None:
    width, height = brush.image.size
    for k in range(26):
        y = horizon + (height - horizon) * brush.hand.random()
        x = width * (brush.hand.random() * 1.2 - 0.2)
        rgb = scheme.colour("main-4" if k % 2 else "main+4", base, bound)
        brush.draw.line(
            [round(x), round(y), round(x + width * 0.3), round(y + 2)], fill=rgb, width=2
        )
    brush.draw.line(
        [0, horizon, width, horizon], fill=scheme.colour("main+14", base, bound), width=4
    )
