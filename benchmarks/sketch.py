"""The offline visual models: pictures per second, the palette encoder against plain loops.

python benchmarks/sketch.py [--pictures 40]
"""

from __future__ import annotations

import argparse
import math
import time

import numpy as np

from eyeprint.maths.colour import lab_of
from eyeprint.models.aesthetics import HeuristicAesthetics
from eyeprint.models.kinds import PaintRequest
from eyeprint.models.palette import (
    COLOUR_POINTS,
    EDGE_CELLS,
    LIGHTNESS_POINTS,
    SIDE,
    WAYS,
    PaletteEncoder,
    PaletteSettings,
    colour_shares,
    edge_shares,
)
from eyeprint.models.picture_colours import reduced
from eyeprint.models.picture_reading import read_picture
from eyeprint.models.sketch import SketchPainter
from eyeprint.records.pictures import Picture

SUBJECTS = ("a boat on the sea", "a cat in a room", "a house in a forest", "a city street")
LOOKS = (
    "at dusk, teal and gold",
    "pastel tones, soft light",
    "ink drawing",
    "oil painting, autumn",
)


def around(value: float, points: list[float]) -> list[tuple[int, float]]:
    """Return the points around a value with their shares."""
    value = min(max(value, points[0]), points[-1])
    for k in range(len(points) - 1):
        if value <= points[k + 1]:
            above = (value - points[k]) / (points[k + 1] - points[k])
            return [(k, 1 - above), (k + 1, above)]
    return [(len(points) - 1, 1.0)]


def loops(lab: np.ndarray, scale: float) -> tuple[list[float], list[float]]:
    """Colour and edge shares of one picture, pixel by pixel."""
    size = len(COLOUR_POINTS)
    ends = (LIGHTNESS_POINTS.tolist(), COLOUR_POINTS.tolist(), COLOUR_POINTS.tolist())
    colours = [0.0] * (len(LIGHTNESS_POINTS) * size * size)
    for pixel in lab.reshape(-1, 3).tolist():
        first, second, third = (around(v, p) for v, p in zip(pixel, ends, strict=True))
        for i, wi in first:
            for j, wj in second:
                for k, wk in third:
                    colours[(i * size + j) * size + k] += wi * wj * wk
    edges = [0.0] * (EDGE_CELLS**2 * (WAYS + 1))
    rows = lab[..., 0].tolist()
    for y in range(SIDE):
        for x in range(SIDE):
            gx = (rows[y][min(x + 1, SIDE - 1)] - rows[y][max(x - 1, 0)]) / 2
            gy = (rows[min(y + 1, SIDE - 1)][x] - rows[max(y - 1, 0)][x]) / 2
            strength = min(1.0, math.hypot(gx, gy) / scale)
            turn = (math.atan2(gy, gx) % math.pi) * WAYS / math.pi
            below = math.floor(turn)
            cell = ((y * EDGE_CELLS // SIDE) * EDGE_CELLS + x * EDGE_CELLS // SIDE) * (WAYS + 1)
            edges[cell + below % WAYS] += strength * (1 - turn + below)
            edges[cell + (below + 1) % WAYS] += strength * (turn - below)
            edges[cell + WAYS] += 1 - strength
    return [v / SIDE**2 for v in colours], [v / SIDE**2 for v in edges]


def timed(name: str, count: int, work: object) -> float:
    """Run, print pictures per second, return seconds per picture."""
    began = time.perf_counter()
    work()  # type: ignore[operator]
    each = (time.perf_counter() - began) / count
    print(f"{name:34} {1 / each:8.1f} pictures/s  {1000 * each:7.2f} ms each")
    return each


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--pictures", type=int, default=40)
    count = options.parse_args().pictures
    painter, encoder = SketchPainter(), PaletteEncoder()
    requests = [
        PaintRequest(f"{SUBJECTS[k % 4]} {LOOKS[k // 4 % 4]}", seed=k) for k in range(count)
    ]
    pictures = [Picture.of(painter.pixels(request, "text")[0]) for request in requests]
    timed("sketch, text, 384 x 384", count, lambda: [painter.pixels(r, "text") for r in requests])
    edits = [r._replace(references=tuple(pictures[:3])) for r in requests]
    timed("sketch, edit, 3 references", count, lambda: [painter.pixels(r, "edit") for r in edits])
    timed("reading", count, lambda: [read_picture(p) for p in pictures])
    timed("heuristic aesthetics", count, lambda: HeuristicAesthetics().scores(pictures))
    quick = timed("palette encoder", count, lambda: encoder.encode_pictures(pictures))

    scale = PaletteSettings().edge_scale
    few = pictures[:4]
    labs = [lab_of(reduced(p, SIDE, SIDE)) for p in few]
    found: list[tuple[list[float], list[float]]] = []
    slow = timed(
        "palette blocks by plain loops", 4, lambda: found.extend(loops(lab, scale) for lab in labs)
    )
    stack = np.stack(labs)
    same = np.allclose(colour_shares(stack), [c for c, _ in found]) and np.allclose(
        edge_shares(stack[..., 0], scale), [e for _, e in found]
    )
    if not same:
        raise SystemExit("the encoder and the loops disagree")
    print(f"{'':34} {slow / quick:8.1f} x as fast as the loops")


if __name__ == "__main__":
    main()
