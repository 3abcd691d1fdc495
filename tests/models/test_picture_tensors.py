"""Framing of pictures for vision models (P47)."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from eyeprint.models.picture_tensors import (
    centre_crop,
    channels_first,
    normalised,
    pillow,
    shorter_side_size,
    squared,
)
from eyeprint.records.pictures import Picture


def noise(width: int, height: int, seed: int = 0) -> Image.Image:
    rng = np.random.default_rng(seed)
    return Image.fromarray(rng.integers(0, 256, (height, width, 3), dtype=np.uint8))


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        ((224, 224), (224, 224)),
        ((640, 480), (298, 224)),  # 224 · 640 / 480 = 298.67, cut off
        ((333, 500), (224, 336)),  # 336.34
        ((1024, 1023), (224, 224)),  # 224.22
        ((100, 300), (224, 672)),
    ],
)
def test_p47_the_longer_side_is_cut_off_not_rounded(size, expected):
    assert shorter_side_size(*size, 224) == expected


def test_p47_half_a_pixel_of_margin_goes_to_the_even_side():
    """31 → 28: margin 1.5 → 2; 29 → 28: margin 0.5 → 0."""
    for width, left in ((31, 2), (29, 0)):
        image = noise(width, 28)
        np.testing.assert_array_equal(
            centre_crop(image, 28), np.asarray(image)[:, left : left + 28]
        )


@given(st.integers(1, 80), st.integers(1, 80), st.integers(0, 9))
def test_p47_framing_equals_the_slow_twin(width, height, seed):
    image = noise(width, height, seed)
    short = min(width, height)
    new = (int(16 * width / short), int(16 * height / short))
    found = centre_crop(image, 16)
    if max(new) > 16 * 16:
        assert found.shape == (16, 16, 3)
        return
    whole = np.asarray(image.resize(new, Image.Resampling.BICUBIC))
    top, left = round((new[1] - 16) / 2), round((new[0] - 16) / 2)
    np.testing.assert_array_equal(found, whole[top : top + 16, left : left + 16])


@pytest.mark.parametrize("size", [(3, 900), (900, 3)])
def test_p47_a_banner_is_cut_before_it_grows_and_looks_the_same(size):
    image = noise(*size)
    new = shorter_side_size(*size, 32)
    whole = np.asarray(image.resize(new, Image.Resampling.BICUBIC)).astype(int)
    top, left = round((new[1] - 32) / 2), round((new[0] - 32) / 2)
    expected = whole[top : top + 32, left : left + 32]
    # Pillow scales thin pictures down in the other order: roundings differ, places do not.
    away = np.abs(centre_crop(image, 32) - expected)
    assert away.max() <= 8 and away.mean() < 1


def test_p47_a_picture_of_one_pixel_by_many_takes_no_memory():
    assert centre_crop(noise(1, 60_000), 224).shape == (224, 224, 3)


def test_p47_lpips_frames_go_through_the_references_size():
    image = noise(90, 70)
    twice = image.resize((20, 30), Image.Resampling.BICUBIC).resize((64, 64), 3)
    np.testing.assert_array_equal(squared(image, 64, through=(20, 30)), np.asarray(twice))
    assert (squared(image, 64) != np.asarray(twice)).any()
    np.testing.assert_array_equal(squared(image, 64, through=(90, 70)), squared(image, 64))


def test_p48_gray_is_the_luma_in_all_channels():
    picture = Picture.of(np.array([[[200, 100, 50]]], np.uint8))
    # (299 · 200 + 587 · 100 + 114 · 50) / 1000 = 124.2
    assert pillow(picture, gray=True).getpixel((0, 0)) == (124, 124, 124)
    assert pillow(picture).getpixel((0, 0)) == (200, 100, 50)


@given(st.integers(0, 100))
def test_normalised_equals_the_slow_twin(seed):
    frames = [np.asarray(noise(4, 4, seed + i)) for i in range(2)]
    mean, std = (0.1, 0.2, 0.3), (0.5, 0.25, 0.75)
    found = normalised(frames, mean, std)
    assert found.dtype == np.float32 and found.shape == (2, 3, 4, 4)
    for n, c, y, x in np.ndindex(found.shape):
        expected = (frames[n][y, x, c] / 255 - mean[c]) / std[c]
        assert found[n, c, y, x] == pytest.approx(expected, abs=1e-5)
    assert channels_first(frames).max() <= 1
