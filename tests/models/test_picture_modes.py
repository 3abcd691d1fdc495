"""Modes and colours at the gate: alpha, palettes, inks, depth, profiles (CHECKLIST X3)."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from eyeprint.models.picture_modes import eight_bits
from eyeprint.models.pictures import GateSettings, open_picture
from eyeprint.records.pictures import Picture
from tests.models.awkward_files import (
    SCENE,
    chunk,
    png,
    saved,
    swapped_profile,
    without_adobe_marker,
)

SIDE = 8
"""A JPEG block, so that flat colours survive compression."""


def row(picture: Picture) -> list[list[int]]:
    return picture.pixels[0].tolist()


def test_x3_alpha_is_laid_on_white_or_on_what_was_asked_for() -> None:
    # By hand: 50 % (128/255) of (200, 0, 0) on white: 200·128/255 + 255·127/255 = 227.4, and
    # 0 + 127 for the other two.
    values = np.array([[[200, 0, 0, 255], [200, 0, 0, 128], [200, 0, 0, 0]]], np.uint8)
    data = saved(Image.fromarray(values), "PNG")
    picture = open_picture(data)
    assert row(picture) == [[200, 0, 0], [227, 127, 127], [255, 255, 255]]
    assert (picture.facts.mode, picture.facts.done) == ("RGBA", ("alpha on white",))
    green = open_picture(data, GateSettings(background=(0, 255, 0)))
    assert row(green) == [[200, 0, 0], [100, 127, 0], [0, 255, 0]]
    assert green.facts.done == ("alpha on #00ff00",)


@given(
    st.lists(st.tuples(*[st.integers(0, 255)] * 4), min_size=1, max_size=8),
    st.tuples(*[st.integers(0, 255)] * 3),
)
def test_x3_alpha_agrees_with_its_formula(
    pixels: list[tuple[int, int, int, int]], under: tuple[int, int, int]
) -> None:
    array = np.array([pixels], np.uint8)
    out = open_picture(array, GateSettings(background=under)).pixels[0]
    for got, (*colour, alpha) in zip(out.tolist(), pixels, strict=True):
        for value, c, b in zip(got, colour, under, strict=True):
            assert abs(value - (c * alpha + b * (255 - alpha)) / 255) <= 0.51


def test_x3_gray_with_alpha_and_opaque_alpha() -> None:
    values = np.array([[[10, 255], [10, 0]]], np.uint8)
    picture = open_picture(saved(Image.fromarray(values), "PNG"))
    assert row(picture) == [[10] * 3, [255] * 3]
    assert picture.facts.mode == "LA"
    opaque = np.dstack([SCENE, np.full((3, 4), 255, np.uint8)])
    picture = open_picture(saved(Image.fromarray(opaque), "PNG"))
    assert np.array_equal(picture.pixels, SCENE)
    assert picture.facts.done == ("alpha dropped (all opaque)",)


def test_x3_a_palette_with_one_or_with_many_transparent_entries() -> None:
    image = Image.new("P", (3, 1))
    image.putpalette([255, 0, 0, 0, 255, 0, 0, 0, 255])
    image.putdata([0, 1, 2])
    plain = open_picture(saved(image, "PNG"))
    assert row(plain) == [[255, 0, 0], [0, 255, 0], [0, 0, 255]]
    assert plain.facts.done == ("palette to RGB",)
    for format in ("PNG", "GIF"):
        one = open_picture(saved(image, format, transparency=1))
        assert row(one) == [[255, 0, 0], [255, 255, 255], [0, 0, 255]], format
    many = open_picture(saved(image, "PNG", transparency=bytes([0, 255, 51])))
    # 51/255 = a fifth of blue on white: 204, 204, 255.
    assert row(many) == [[255, 255, 255], [0, 255, 0], [204, 204, 255]]
    assert many.facts.mode == "P"


def test_x3_a_transparent_colour_of_gray_and_of_rgb() -> None:
    rgb = png(2, 1, 8, 2, b"\0\1\2\3\4\5\6", chunk(b"tRNS", struct.pack(">HHH", 4, 5, 6)))
    assert row(open_picture(rgb)) == [[1, 2, 3], [255, 255, 255]]
    gray = png(2, 1, 8, 0, b"\0\x10\x20", chunk(b"tRNS", struct.pack(">H", 0x20)))
    assert row(open_picture(gray)) == [[16] * 3, [255] * 3]
    bits = png(2, 1, 1, 0, b"\0\x40", chunk(b"tRNS", struct.pack(">H", 0)))
    assert row(open_picture(bits, GateSettings(background=(9, 9, 9)))) == [[9] * 3, [255] * 3]


def test_x3_one_bit_and_gray() -> None:
    bits = Image.new("1", (2, 1))
    bits.putpixel((1, 0), 1)
    picture = open_picture(saved(bits, "PNG"))
    assert row(picture) == [[0] * 3, [255] * 3]
    assert (picture.facts.mode, picture.facts.done) == ("1", ("1-bit to RGB",))
    picture = open_picture(saved(Image.fromarray(np.array([[7, 200]], np.uint8)), "JPEG"))
    assert picture.facts.done == ("gray to RGB",)


def test_x3_sixteen_bit_gray_keeps_its_range() -> None:
    values = np.array([[0, 128, 129, 257, 32768, 65535]], np.uint16)
    for format in ("PNG", "TIFF"):
        picture = open_picture(saved(Image.fromarray(values), format))
        # v / 257 by hand: 0.498, 0.502, 1, 127.502, 255.
        assert [v[0] for v in row(picture)] == [0, 0, 1, 1, 128, 255], format
        assert picture.facts.mode == "I;16"
        assert picture.facts.done == ("16 bits to 8 (v / 257)", "gray to RGB")


def test_x3_a_dark_sixteen_bit_picture_stays_dark() -> None:
    values = np.array([[10, 200]], np.uint16)
    assert row(open_picture(saved(Image.fromarray(values), "PNG"))) == [[0] * 3, [1] * 3]
    assert row(open_picture(b"P5 2 1 65535\n\x00\x0a\x00\xc8")) == [[0] * 3, [1] * 3]


def test_x3_sixteen_bit_gray_with_a_transparent_value_and_zero_as_white() -> None:
    rows = b"\0" + struct.pack(">HHH", 0, 300, 65535)
    data = png(3, 1, 16, 0, rows, chunk(b"tRNS", struct.pack(">H", 300)))
    assert row(open_picture(data)) == [[0] * 3, [255] * 3, [255] * 3]
    values = Image.fromarray(np.array([[0, 65535]], np.uint16))
    inverted = saved(values, "TIFF", tiffinfo={262: 0})
    assert row(open_picture(inverted)) == [[255] * 3, [0] * 3]


def test_x3_sixteen_bit_colour_is_cut_and_told() -> None:
    rows = b"\0" + struct.pack(">HHHHHH", 0x1234, 0xFF00, 0x0080, 0, 1, 2)
    key = chunk(b"tRNS", struct.pack(">HHH", 0x1234, 0xFF00, 0x0080))
    picture = open_picture(png(2, 1, 16, 2, rows))
    assert row(picture) == [[0x12, 0xFF, 0], [0, 0, 0]]
    assert picture.facts.done == ("16 bits per channel cut to 8",)
    assert row(open_picture(png(2, 1, 16, 2, rows, key))) == [[255] * 3, [0] * 3]
    veil = b"\0" + struct.pack(">HHHH", 0xFF00, 0, 0, 0xFFFF)
    assert open_picture(png(1, 1, 16, 6, veil)).facts.done == (
        "16 bits per channel cut to 8",
        "alpha dropped (all opaque)",
    )


@pytest.mark.parametrize(
    ("values", "expected", "note"),
    [
        ([[0.0, 0.25, 1.0]], [0, 64, 255], "fractions to 8 bits"),
        ([[0.0, 100.4, 255.0]], [0, 100, 255], "taken as 8 bits"),
        ([[-1.0, 0.0, 1.0]], [0, 128, 255], "stretched to 8 bits from -1..1"),
        ([[0.0, float("nan"), 1.0]], [0, 0, 255], "1 values not finite to black"),
    ],
)
def test_x3_fractions_in_a_tiff(values: list[list[float]], expected: list[int], note: str) -> None:
    data = saved(Image.fromarray(np.array(values, np.float32)), "TIFF")
    picture = open_picture(data)
    assert [v[0] for v in row(picture)] == expected
    assert picture.facts.mode == "F"
    assert note in picture.facts.done[0]


@pytest.mark.parametrize(
    ("values", "expected"),
    [([0, 255], [0, 255]), ([0, 257, 65535], [0, 1, 255]), ([-5, 5], [0, 255]), ([7, 7], [7, 7])],
)
def test_x3_whole_numbers_in_a_tiff(values: list[int], expected: list[int]) -> None:
    data = saved(Image.fromarray(np.array([values], np.int32)), "TIFF")
    picture = open_picture(data)
    assert [v[0] for v in row(picture)] == expected
    assert picture.facts.mode == "I"


@given(st.lists(st.integers(0, 65535), min_size=1, max_size=20))
def test_x3_v_over_257_agrees_with_exact_rounding(values: list[int]) -> None:
    from fractions import Fraction

    got = eight_bits(np.array(values, np.uint16), sixteen=True)[0].tolist()
    assert got == [int(Fraction(v, 257) + Fraction(1, 2)) for v in values]


def test_x3_inks_with_and_without_adobes_marker() -> None:
    # No cyan, full magenta and yellow: red.
    image = Image.new("CMYK", (SIDE, SIDE), (0, 255, 255, 0))
    data = saved(image, "JPEG", quality=100)
    red = open_picture(data)
    assert np.abs(red.pixels.astype(int) - (255, 0, 0)).max() <= 3
    assert (red.facts.mode, red.facts.done) == ("CMYK", ("CMYK to RGB",))
    # The same numbers without the marker are inks as they are, not turned round: the file
    # holds 255, 0, 0, 255 then: full cyan and full black.
    plain = open_picture(without_adobe_marker(data))
    assert plain.pixels.max() <= 3
    assert "inks taken as they are (no Adobe marker)" in plain.facts.done
    tiff = open_picture(saved(image, "TIFF"))
    assert np.all(tiff.pixels == (255, 0, 0))


def test_x3_a_colour_profile_is_applied_and_srgb_left_alone() -> None:
    from PIL import ImageCms

    profile = swapped_profile()
    data = saved(Image.new("RGB", (2, 2), (255, 0, 0)), "PNG", icc_profile=profile)
    picture = open_picture(data)
    assert np.abs(picture.pixels.astype(int) - (0, 0, 255)).max() <= 3
    assert picture.facts.done[0].startswith("colour profile applied (")
    veiled = Image.new("RGBA", (2, 2), (255, 0, 0, 0))
    veiled.putpixel((0, 0), (255, 0, 0, 255))
    both = open_picture(saved(veiled, "PNG", icc_profile=profile))
    assert np.abs(both.pixels[0, 0].astype(int) - (0, 0, 255)).max() <= 3
    assert both.pixels[1, 1].tolist() == [255, 255, 255]
    srgb = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    assert open_picture(saved(Image.fromarray(SCENE), "PNG", icc_profile=srgb)).facts.done == ()


def test_x3_a_profile_that_is_broken_or_does_not_fit_is_told() -> None:
    for profile, image in (
        (b"no profile at all", Image.fromarray(SCENE)),
        (swapped_profile(), Image.new("CMYK", (SIDE, SIDE), (0, 255, 255, 0))),
    ):
        picture = open_picture(saved(image, "TIFF", icc_profile=profile))
        assert picture.facts.done[0].startswith("colour profile not applied (")
    assert np.all(picture.pixels == (255, 0, 0))


def test_x3_colour_models_of_opened_images() -> None:
    red = Image.new("RGB", (2, 2), (255, 0, 0))
    for mode in ("YCbCr", "HSV", "RGBX", "RGBa", "PA", "CMYK"):
        image = red.convert("RGBA").convert("RGBa") if mode == "RGBa" else None
        image = image or (red.convert("P").convert("PA") if mode == "PA" else red.convert(mode))
        picture = open_picture(image)
        assert np.abs(picture.pixels.astype(int) - (255, 0, 0)).max() <= 2, mode
        assert picture.facts.mode == mode
    lab = Image.new("LAB", (2, 2), (255, 128, 128))
    assert open_picture(saved(lab, "TIFF")).pixels.min() > 250
