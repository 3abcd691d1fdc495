"""CIELAB and CIEDE2000 against textbook loops and published values."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from eyeprint.maths.colour import (
    chroma_of,
    colour_difference,
    hue_of,
    lab_of,
    lightness_of,
    rgb_of,
)


def textbook_lab(rgb: tuple[int, int, int]) -> tuple[float, float, float]:
    """One pixel, step by step: sRGB to linear light, to XYZ, to CIELAB under D65."""
    linear = []
    for channel in rgb:
        level = channel / 255
        linear.append(level / 12.92 if level <= 0.04045 else ((level + 0.055) / 1.055) ** 2.4)
    r, g, b = linear
    x = 0.4124564 * r + 0.3575761 * g + 0.1804375 * b
    y = 0.2126729 * r + 0.7151522 * g + 0.0721750 * b
    z = 0.0193339 * r + 0.1191920 * g + 0.9503041 * b
    bent = []
    for value, white in ((x, 0.950470), (y, 1.0000001), (z, 1.0888300)):
        share = value / white
        if share > (6 / 29) ** 3:
            bent.append(share ** (1 / 3))
        else:
            bent.append(share / (3 * (6 / 29) ** 2) + 4 / 29)
    fx, fy, fz = bent
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


PIXELS = arrays(np.uint8, (3, 2, 3), elements=st.integers(0, 255))
LAB = st.tuples(st.floats(0, 100), st.floats(-100, 100), st.floats(-100, 100))


@given(PIXELS)
def test_x3_lab_is_the_textbook_s_pixel_by_pixel(pixels):
    found = lab_of(pixels)
    for place in np.ndindex(3, 2):
        expected = textbook_lab(tuple(int(v) for v in pixels[place]))
        assert found[place] == pytest.approx(expected, abs=2e-5)
    assert np.array_equal(lightness_of(pixels), found[..., 0])


@given(PIXELS)
def test_lab_leads_back_to_the_same_bytes(pixels):
    assert np.array_equal(rgb_of(lab_of(pixels)), pixels)


def test_grays_have_no_chroma_and_white_is_a_hundred():
    grays = np.repeat(np.arange(256, dtype=np.uint8)[:, None], 3, axis=1)
    lab = lab_of(grays)
    assert chroma_of(lab).max() < 1e-9
    assert lab[255] == pytest.approx([100, 0, 0], abs=1e-9)
    assert (np.diff(lab[:, 0]) > 0).all()


def test_colours_that_no_screen_shows_are_clipped():
    assert rgb_of(np.array([[50.0, 120.0, 120.0], [120.0, 0.0, 0.0]])).tolist()[1] == [255] * 3


def test_hues_are_where_the_docstring_says():
    names = {"red": (255, 0, 0), "yellow": (255, 255, 0), "green": (0, 255, 0), "blue": (0, 0, 255)}
    hues = [float(hue_of(lab_of(np.array(rgb, np.uint8)))) for rgb in names.values()]
    assert hues == pytest.approx([40.0, 102.9, 136.0, 306.3], abs=0.2)


# Pairs of Sharma, Wu and Dalal's test data for CIEDE2000 (2005), chosen for their corners:
# blue, where ellipses lean; hues on both sides of 0; grays; near black.
PUBLISHED = [
    ((50, 2.6772, -79.7751), (50, 0, -82.7485), 2.0425),
    ((50, -1.3802, -84.2814), (50, 0, -82.7485), 1.0000),
    ((50, 0, 0), (50, -1, 2), 2.3669),
    ((50, 2.49, -0.001), (50, -2.49, 0.0009), 7.1792),
    ((50, 2.49, -0.001), (50, -2.49, 0.0011), 7.2195),
    ((50, 2.5, 0), (50, 0, -2.5), 4.3065),
    ((50, 2.5, 0), (73, 25, -18), 27.1492),
    ((60.2574, -34.0099, 36.2677), (60.4626, -34.1751, 39.4387), 1.2644),
    ((63.0109, -31.0961, -5.8663), (62.8187, -29.7946, -4.0864), 1.2630),
    ((2.0776, 0.0795, -1.1350), (0.9033, -0.0636, -0.5514), 0.9082),
]


@pytest.mark.parametrize(("one", "other", "published"), PUBLISHED)
def test_differences_are_the_published_ones(one, other, published):
    assert float(colour_difference(np.array(one), np.array(other))) == pytest.approx(
        published, abs=6e-5
    )


def textbook_difference(one: tuple[float, ...], other: tuple[float, ...]) -> float:
    """CIEDE2000 of one pair, with every case of the hues written out."""
    l1, a1, b1 = one
    l2, a2, b2 = other
    mean = (math.hypot(a1, b1) + math.hypot(a2, b2)) / 2
    g = 0.5 * (1 - math.sqrt(mean**7 / (mean**7 + 25**7)))
    a1, a2 = (1 + g) * a1, (1 + g) * a2
    c1, c2 = math.hypot(a1, b1), math.hypot(a2, b2)
    h1 = math.degrees(math.atan2(b1, a1)) % 360
    h2 = math.degrees(math.atan2(b2, a2)) % 360
    if c1 * c2 == 0:
        step, middle = 0.0, h1 + h2
    elif abs(h2 - h1) <= 180:
        step, middle = h2 - h1, (h1 + h2) / 2
    else:
        step = h2 - h1 - 360 if h2 > h1 else h2 - h1 + 360
        middle = (h1 + h2 + 360) / 2 if h1 + h2 < 360 else (h1 + h2 - 360) / 2
    dh = 2 * math.sqrt(c1 * c2) * math.sin(math.radians(step) / 2)
    lm, cm = (l1 + l2) / 2, (c1 + c2) / 2
    t = 1 - 0.17 * math.cos(math.radians(middle - 30)) + 0.24 * math.cos(math.radians(2 * middle))
    t += 0.32 * math.cos(math.radians(3 * middle + 6))
    t -= 0.20 * math.cos(math.radians(4 * middle - 63))
    sl = 1 + 0.015 * (lm - 50) ** 2 / math.sqrt(20 + (lm - 50) ** 2)
    sc, sh = 1 + 0.045 * cm, 1 + 0.015 * cm * t
    lean = 30 * math.exp(-(((middle - 275) / 25) ** 2))
    rt = -2 * math.sqrt(cm**7 / (cm**7 + 25**7)) * math.sin(math.radians(2 * lean))
    terms = ((l2 - l1) / sl) ** 2 + ((c2 - c1) / sc) ** 2 + (dh / sh) ** 2
    return math.sqrt(max(0.0, terms + rt * (c2 - c1) / sc * dh / sh))


@given(LAB, LAB)
def test_differences_are_the_textbook_s_and_symmetric(one, other):
    found = float(colour_difference(np.array(one), np.array(other)))
    back = float(colour_difference(np.array(other), np.array(one)))
    # Opposite hues have two equally good middles, and the formula jumps from one to the other.
    hues = [math.degrees(math.atan2(b, a)) for _, a, b in (one, other)]
    if abs(abs(hues[0] - hues[1]) - 180) > 1e-3:
        assert found == pytest.approx(back, rel=1e-6, abs=1e-6)
        assert found == pytest.approx(textbook_difference(one, other), rel=1e-6, abs=1e-6)
