"""Readings say what pixels show, within their ranges, and say nothing untrue."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyeprint.maths.colour import lab_of
from eyeprint.models.colour_names import colour_names
from eyeprint.models.picture_colours import MOST_COLOURS, at_most, main_colours, reduced
from eyeprint.models.picture_reading import (
    PictureReading,
    colourfulness,
    horizon_of,
    read_picture,
    symmetry_of,
)
from eyeprint.records.pictures import Picture

PIXELS = st.tuples(st.integers(1, 40), st.integers(1, 40), st.integers(0, 2**32 - 1))


def noise(height: int, width: int, seed: int) -> Picture:
    """Blocks and noise of any colours: most of what pictures can be."""
    rng = np.random.default_rng(seed)
    blocks = rng.integers(0, 256, (1 + height // 7, 1 + width // 7, 3), dtype=np.uint8)
    pixels = blocks.repeat(7, axis=0).repeat(7, axis=1)[:height, :width].astype(int)
    grain = rng.integers(-30, 30, pixels.shape) * rng.integers(0, 2)
    return Picture.of((pixels + grain).clip(0, 255).astype(np.uint8))


def halves(top: tuple[int, int, int], low: tuple[int, int, int], share: float = 0.5) -> Picture:
    pixels = np.full((100, 80, 3), low, np.uint8)
    pixels[: round(100 * share)] = top
    return Picture.of(pixels)


@given(PIXELS)
def test_x3_all_values_lie_in_their_ranges(shape):
    reading = read_picture(noise(*shape))
    assert 1 <= len(reading.colours) <= MOST_COLOURS
    assert sum(c.share for c in reading.colours) == pytest.approx(1)
    shares = [c.share for c in reading.colours]
    assert shares == sorted(shares, reverse=True)
    assert len({c.name for c in reading.colours}) == len(shares)
    assert -1 <= reading.warmth <= 1
    for field in ("brightness", "saturation", "contrast", "busyness", "symmetry", "texture"):
        assert 0 <= getattr(reading, field) <= 1, field
    assert 0 <= reading.colourfulness < 290
    assert reading.horizon is None or 0.1 < reading.horizon < 0.9
    assert reading.caption().count(".") == 1
    assert reading.words()[0].endswith(" palette")


@given(PIXELS)
def test_a_mirror_changes_no_colour_and_no_symmetry(shape):
    picture = noise(*shape)
    mirror = Picture.of(picture.pixels[:, ::-1].copy())
    one, other = read_picture(picture), read_picture(mirror)
    assert [c.name for c in one.colours] == [c.name for c in other.colours]
    assert one.brightness == pytest.approx(other.brightness)
    assert one.warmth == pytest.approx(other.warmth, abs=1e-5)
    assert one.horizon == other.horizon


@given(PIXELS)
def test_colourfulness_is_the_textbook_s(shape):
    picture = noise(*shape)
    rg, yb = [], []
    for r, g, b in picture.pixels.reshape(-1, 3).astype(float).tolist():
        rg.append(r - g)
        yb.append((r + g) / 2 - b)

    def spread(values: list[float]) -> float:
        mean = sum(values) / len(values)
        return (sum((v - mean) ** 2 for v in values) / len(values)) ** 0.5

    def mean(values: list[float]) -> float:
        return sum(values) / len(values)

    m = (spread(rg) ** 2 + spread(yb) ** 2) ** 0.5 + 0.3 * (mean(rg) ** 2 + mean(yb) ** 2) ** 0.5
    assert colourfulness(picture) == pytest.approx(m, abs=1e-9)


@pytest.mark.parametrize("entry", colour_names(), ids=lambda e: e.name)
def test_a_picture_of_one_colour_is_called_by_its_name(entry):
    reading = read_picture(Picture.of(np.full((30, 20, 3), entry.rgb, np.uint8)))
    assert [(c.name, c.family, c.share) for c in reading.colours] == [
        (entry.name, entry.family, 1.0)
    ]
    assert f"all in {entry.name}" in reading.caption()
    assert (reading.horizon, reading.busyness, reading.symmetry) == (None, 0.0, 1.0)


def test_a_small_vivid_thing_on_a_gray_ground_is_a_main_colour():
    pixels = np.full((100, 100, 3), (128, 130, 131), np.uint8)
    pixels[40:70, 40:60] = (214, 38, 43)
    colours = main_colours(lab_of(pixels).reshape(-1, 3))
    assert [(c.name, round(c.share, 2)) for c in colours] == [("gray", 0.94), ("red", 0.06)]


def test_warm_and_cool_bright_and_dark():
    warm, cool = halves((240, 150, 60), (180, 60, 40)), halves((90, 160, 220), (20, 60, 120))
    assert read_picture(warm).warmth > 0.7 > 0 > -0.5 > read_picture(cool).warmth
    assert "warm colours" in read_picture(warm).words()
    assert "cool colours" in read_picture(cool).words()
    assert read_picture(halves((250, 250, 250), (240, 240, 235))).light == "bright soft light"
    assert read_picture(halves((20, 20, 30), (10, 10, 12))).light_level == "dark"


def test_harsh_light_has_hard_steps_between_extremes():
    board = (np.indices((64, 64)).sum(axis=0) // 4 % 2 * 255).astype(np.uint8)
    reading = read_picture(Picture.of(np.repeat(board[..., None], 3, axis=2)))
    assert (reading.light_quality, reading.contrast) == ("harsh", 1.0)
    assert "monochrome colours" in reading.words()
    assert "busy detail" in reading.words()


@pytest.mark.parametrize("share", [0.25, 0.4, 0.5, 0.66, 0.8])
def test_the_horizon_is_the_level_line(share):
    picture = halves((140, 190, 240), (60, 110, 50), share)
    assert read_picture(picture).horizon == pytest.approx(share, abs=0.015)


def test_no_horizon_in_a_slow_change_a_slope_or_a_wall():
    rows = np.linspace(30, 220, 120).astype(np.uint8)
    slow = np.repeat(np.repeat(rows[:, None, None], 90, axis=1), 3, axis=2)
    assert read_picture(Picture.of(slow)).horizon is None
    slope = np.where(np.indices((90, 90)).sum(axis=0)[..., None] > 90, 200, 30).astype(np.uint8)
    assert read_picture(Picture.of(np.repeat(slope, 3, axis=2))).horizon is None
    assert horizon_of(np.zeros((4, 4, 3))) is None


def test_symmetry_of_mirrored_and_of_one_sided_pictures():
    picture = noise(90, 45, 5).pixels
    mirrored = np.concatenate([picture, picture[:, ::-1]], axis=1)
    assert symmetry_of(lab_of(mirrored)) > 0.99
    assert symmetry_of(lab_of(noise(90, 90, 6).pixels)) < 0.3


def test_grain_is_texture_and_big_shapes_are_not():
    rng = np.random.default_rng(2)
    grain = (128 + rng.integers(-40, 40, (120, 120, 1)).repeat(3, axis=2)).astype(np.uint8)
    assert read_picture(Picture.of(grain)).texture > 0.2
    assert read_picture(halves((250, 250, 250), (0, 0, 0))).texture == 0


def test_a_reduced_pixel_is_the_mean_of_its_area():
    pixels = np.zeros((4, 4, 3), np.uint8)
    pixels[:2, :2] = 100
    pixels[0, 0] = 200
    assert reduced(Picture.of(pixels), 2, 2)[0, 0].tolist() == [125] * 3
    assert at_most(noise(30, 300, 1), 100).shape == (10, 100, 3)
    assert at_most(noise(1, 300, 1), 100).shape == (1, 100, 3)


def test_captions_and_words_hold_what_they_say():
    """Sentences written by hand from what the pixels are."""
    sunset = halves((240, 150, 70), (40, 45, 90), 0.6)
    reading = read_picture(sunset)
    assert reading.caption() == (
        "A plain, warm, vivid picture in orange and navy, in soft golden light, with a low horizon."
    )
    assert "low horizon" in reading.words()
    assert reading.light_tint == "golden"


def test_a_reading_can_not_be_changed():
    reading = read_picture(halves((1, 2, 3), (4, 5, 6)))
    assert isinstance(reading, PictureReading)
    with pytest.raises(AttributeError):
        reading.warmth = 1.0  # type: ignore[misc]
