"""The palette encoder against plain loops, and how it takes flips, crops and gray."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eyeprint.maths.colour import lab_of
from eyeprint.models.kinds import ImageEncoder, PaintRequest
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
from eyeprint.models.sketch import SketchPainter, SketchSettings
from eyeprint.records.pictures import Picture

ENCODER = PaletteEncoder()
PAINTER = SketchPainter(SketchSettings(side=128))


def sketch(prompt: str, seed: int = 1) -> Picture:
    return Picture.of(PAINTER.pixels(PaintRequest(prompt, seed=seed), "text")[0])


def turned(picture: Picture, how: str) -> Picture:
    pixels = picture.pixels
    changed = {
        "mirror": pixels[:, ::-1],
        "crop": pixels[10:-10, 10:-10],
        "gray": pixels.mean(axis=2, keepdims=True).repeat(3, axis=2).astype(np.uint8),
        "negative": 255 - pixels,
    }[how]
    return Picture.of(np.ascontiguousarray(changed))


def corners(value: float, points: list[float]) -> list[tuple[int, float]]:
    """The two points around a value with their shares."""
    value = min(max(value, points[0]), points[-1])
    for k in range(len(points) - 1):
        if value <= points[k + 1]:
            above = (value - points[k]) / (points[k + 1] - points[k])
            return [(k, 1 - above), (k + 1, above)]
    raise AssertionError


def loop_colours(lab: np.ndarray) -> list[float]:
    size = len(COLOUR_POINTS)
    found = [0.0] * (len(LIGHTNESS_POINTS) * size * size)
    for pixel in lab.reshape(-1, 3).tolist():
        for i, wi in corners(pixel[0], LIGHTNESS_POINTS.tolist()):
            for j, wj in corners(pixel[1], COLOUR_POINTS.tolist()):
                for k, wk in corners(pixel[2], COLOUR_POINTS.tolist()):
                    found[(i * size + j) * size + k] += wi * wj * wk
    count = lab.shape[0] * lab.shape[1]
    return [v / count for v in found]


def loop_edges(lightness: np.ndarray, scale: float) -> list[float]:
    height, width = lightness.shape
    rows = lightness.tolist()
    found = [0.0] * (EDGE_CELLS**2 * (WAYS + 1))
    for y in range(height):
        for x in range(width):
            gx = (rows[y][min(x + 1, width - 1)] - rows[y][max(x - 1, 0)]) / 2
            gy = (rows[min(y + 1, height - 1)][x] - rows[max(y - 1, 0)][x]) / 2
            strength = min(1.0, math.hypot(gx, gy) / scale)
            turn = (math.atan2(gy, gx) % math.pi) * WAYS / math.pi
            below = math.floor(turn)
            part = turn - below
            cell = (y * EDGE_CELLS // height) * EDGE_CELLS + x * EDGE_CELLS // width
            found[cell * 9 + below % WAYS] += strength * (1 - part)
            found[cell * 9 + (below + 1) % WAYS] += strength * part
            found[cell * 9 + WAYS] += 1 - strength
    return [v / (height * width) for v in found]


SEEDS = st.integers(0, 2**32 - 1)


@settings(max_examples=20)
@given(SEEDS)
def test_x3_blocks_are_those_of_plain_loops(seed):
    rng = np.random.default_rng(seed)
    lab = lab_of(rng.integers(0, 256, (2, 6, 9, 3), dtype=np.uint8))
    colours, edges = colour_shares(lab), edge_shares(lab[..., 0], 12.0)
    assert np.allclose(colours.sum(axis=1), 1) and np.allclose(edges.sum(axis=1), 1)
    for n in range(2):
        assert np.allclose(colours[n], loop_colours(lab[n]), atol=1e-12)
        assert np.allclose(edges[n], loop_edges(lab[n, ..., 0], 12.0), atol=1e-12)


def test_p46_it_is_an_image_encoder_with_a_column_of_its_own():
    assert isinstance(ENCODER, ImageEncoder)
    assert (ENCODER.name, ENCODER.column) == ("palette", "PAL")
    assert not hasattr(ENCODER, "encode")  # it reads no text: no CLS-T from it
    assert ENCODER.encode_pictures([]).shape == (0, ENCODER.dim)


@settings(max_examples=20)
@given(st.lists(SEEDS, min_size=1, max_size=5))
def test_rows_are_unit_and_depend_on_their_picture_alone(seeds):
    pictures = []
    for seed in seeds:
        rng = np.random.default_rng(seed)
        shape = (int(rng.integers(1, 90)), int(rng.integers(1, 90)), 3)
        pictures.append(Picture.of(rng.integers(0, 256, shape, dtype=np.uint8)))
    rows = ENCODER.encode_pictures(pictures)
    assert rows.dtype == np.float32 and rows.shape == (len(pictures), ENCODER.dim)
    assert np.allclose((rows.astype(float) ** 2).sum(axis=1), 1, atol=1e-6)
    for picture, row in zip(pictures, rows, strict=True):
        assert np.array_equal(ENCODER.encode_pictures([picture])[0], row)


PROMPTS = [
    "a red boat on the sea at dusk",
    "a forest in autumn with mushrooms, watercolour",
    "a room with a cat and a lamp, pastel tones",
    "abstract triangles in black and gold",
    "a city at night, neon",
]


@pytest.mark.parametrize("prompt", PROMPTS)
def test_flips_crops_and_gray_keep_what_they_should(prompt):
    picture = sketch(prompt)
    ways = ["mirror", "crop", "gray", "negative"]
    rows = ENCODER.encode_pictures([picture, *(turned(picture, way) for way in ways)])
    same, mirror, crop, gray, negative = (float(v) for v in rows.astype(float) @ rows[0])
    assert same == pytest.approx(1, abs=1e-6)
    assert mirror > 0.65 and crop > 0.6
    assert negative < 0.45
    assert min(mirror, crop) > gray > negative or "gold" in prompt


def test_unrelated_pictures_are_far_from_1_and_their_cosines_spread():
    rows = ENCODER.encode_pictures([sketch(p, seed) for p in PROMPTS for seed in (1, 2)])
    cosines = (rows @ rows.T).astype(float)
    person = np.repeat(np.arange(len(PROMPTS)), 2)
    strangers = cosines[person[:, None] != person[None]]
    twins = cosines[np.arange(0, 10, 2), np.arange(1, 10, 2)]
    assert strangers.max() < 0.75
    assert strangers.mean() < 0.35
    assert strangers.std() > 0.1
    assert twins.min() > strangers.mean() + 0.2


def test_the_fingerprint_follows_the_settings_and_so_do_the_vectors():
    other = PaletteEncoder(PaletteSettings(edge_weight=0.4))
    assert other.fingerprint != ENCODER.fingerprint == PaletteEncoder().fingerprint
    picture = sketch(PROMPTS[0])
    assert not np.allclose(other.encode_pictures([picture]), ENCODER.encode_pictures([picture]))


def test_weights_are_the_blocks_shares_of_a_cosine():
    """With all weight on one block, a cosine is that block's alone."""
    flat = [
        Picture.of(np.full((SIDE, SIDE, 3), rgb, np.uint8))
        for rgb in ((200, 60, 50), (40, 60, 160))
    ]
    edges_only = PaletteEncoder(PaletteSettings(colour_weight=0, edge_weight=1, layout_weight=1e-9))
    rows = edges_only.encode_pictures(flat)
    assert rows[0] @ rows[1] == pytest.approx(1, abs=1e-5)  # neither has an edge
