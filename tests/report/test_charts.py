"""Charts: places follow from values, and every chart is well-formed and told in words."""

import math
import xml.etree.ElementTree as ET
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyeprint.report.chart_parts import INSET, Scale, nice_ticks
from eyeprint.report.charts import (
    Bar,
    Cloud,
    Swarm,
    bars_with_intervals,
    scatter,
    strip,
)

SVG = "{http://www.w3.org/2000/svg}"
EVIL = 'a"<b>&'


def percent(text: str) -> float:
    return float(text.removesuffix("%"))


def drawn() -> list[str]:
    return [
        bars_with_intervals([Bar(EVIL, 0.5, 0.4, 0.6), Bar("b", None)], title=EVIL),
        scatter([Cloud(EVIL, ((0.1, 0.2), (0.3, 0.4)), (0.2, 0.3)), Cloud("c", (), None, 0.5)],
                title=EVIL, x_label=EVIL, y_label=EVIL),
        strip([Swarm(EVIL, (0.1, 0.1, 0.2), (0.1, 0.1, 0.2)), Swarm("b", ())], title=EVIL,
              x_label=EVIL),
        bars_with_intervals([], title="t"), scatter([], title="t", x_label="x", y_label="y"),
        strip([], title="t", x_label="x"),
    ]  # fmt: skip


def test_x15_every_chart_is_well_formed_escaped_told_and_the_same_again():
    assert drawn() == drawn()
    for text in drawn():
        root = ET.fromstring(text)
        assert root.get("role") == "img"
        assert root.get("aria-label")
        assert "nan" not in text.lower()


def test_bars_start_at_zero_and_whiskers_end_at_the_interval():
    root = ET.fromstring(
        bars_with_intervals([Bar("a", 0.5, 0.4, 0.75), Bar("b", -0.5)], title="t", span=(-1, 1))
    )
    # The axis runs from -1 to 1 over the width without its insets: 0 is in the middle.
    first, second = root.findall(f"{SVG}rect")
    whole = 100 - 2 * INSET
    assert percent(first.get("x")) == pytest.approx(50)
    assert percent(first.get("width")) == pytest.approx(whole / 4, abs=0.02)
    assert percent(second.get("x")) == pytest.approx(50 - whole / 4, abs=0.02)
    whisker = root.find(f"{SVG}g/{SVG}line")
    assert percent(whisker.get("x1")) == pytest.approx(INSET + whole * 0.7, abs=0.02)
    assert percent(whisker.get("x2")) == pytest.approx(INSET + whole * 0.875, abs=0.02)


@given(st.floats(-50, 50), st.floats(1e-3, 100))
def test_ticks_cover_the_range_evenly(low: float, width: float):
    high = low + width
    ticks = nice_ticks(low, high)
    slack = width * 1e-6
    assert ticks[0] <= low + slack and ticks[-1] >= high - slack
    assert 2 <= len(ticks) <= 8
    steps = [b - a for a, b in pairwise(ticks)]
    assert max(steps) - min(steps) < 1e-6 * max(steps) + 1e-9
    mantissa = steps[0] / 10 ** math.floor(math.log10(steps[0]) + 1e-9)
    assert min(abs(mantissa - m) for m in (1, 2, 5, 10)) < 1e-3


@given(st.floats(0, 1))
def test_places_keep_within_the_chart(value: float):
    assert INSET <= Scale(0.2, 0.6).share(value) <= 100 - INSET


def test_strip_draws_every_value_and_levels_are_told():
    root = ET.fromstring(strip([Swarm("a", tuple([0.5] * 40))], title="t", x_label="x"))
    assert len(list(root.iter(f"{SVG}circle"))) == 40
    chart = scatter([Cloud("a", (), None, 0.5)], title="t", x_label="x", y_label="y")
    assert 'class="level t0"' in chart and "a 0.500" in chart
