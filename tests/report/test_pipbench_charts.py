"""Charts of a PIPBench report: places follow from values, and all is told in words."""

import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyeprint.report.chart_parts import INSET
from eyeprint.report.charts import Bar, Cloud, scatter
from eyeprint.report.pipbench_charts import (
    Shares,
    Span,
    dots_with_intervals,
    spans,
    win_tie_loss,
)

SVG = "{http://www.w3.org/2000/svg}"
EVIL = 'a"<b>&'


def percent(text: str) -> float:
    return float(text.removesuffix("%"))


def drawn() -> list[str]:
    return [
        dots_with_intervals([Bar(EVIL, 60.0, 59.0, 61.0), Bar("b", None)], title=EVIL, level=60.5),
        win_tie_loss([Shares(EVIL, 3, 1, 1, EVIL), Shares("b", 0, 0, 0)], title=EVIL),
        spans([Span(EVIL, 1.0, 2.0, 3.0)], title=EVIL, digits=1, threshold=4.0),
        dots_with_intervals([], title="t"),
        win_tie_loss([], title="t"),
        spans([], title="t", digits=1, threshold=None),
    ]


def test_x15_every_chart_is_well_formed_escaped_told_and_the_same_again():
    assert drawn() == drawn()
    for text in drawn():
        root = ET.fromstring(text)
        assert root.get("role") == "img" and root.get("aria-label")
        assert "nan" not in text.lower()


def test_dots_stand_on_an_axis_that_need_not_begin_at_zero():
    root = ET.fromstring(
        dots_with_intervals([Bar("a", 62.0, 61.0, 64.0)], title="t", level=60.0, level_label="base")
    )
    # The ticks run from 60 to 64: 62 is in the middle, the dashed line at the left end.
    assert percent(root.find(f"{SVG}circle").get("cx")) == pytest.approx(50)
    base = next(line for line in root.iter(f"{SVG}line") if line.get("class") == "base")
    assert percent(base.get("x1")) == pytest.approx(INSET)
    whisker = root.find(f"{SVG}g/{SVG}line")
    assert percent(whisker.get("x1")) == pytest.approx(INSET + (100 - 2 * INSET) / 4, abs=0.02)
    assert "a 62.00 [61.00,\u00a064.00]. Dashed: base 60.00." in root.get("aria-label")


@given(st.integers(0, 50), st.integers(0, 50), st.integers(0, 50))
def test_p55_bars_are_as_long_as_their_shares(wins: int, ties: int, losses: int):
    root = ET.fromstring(win_tie_loss([Shares("j", wins, ties, losses)], title="t"))
    bars = list(root.iter(f"{SVG}rect"))
    total = wins + ties + losses
    widths = [percent(bar.get("width")) for bar in bars]
    wanted = [100 * n / total if total else 0 for n in (wins, ties, losses)]
    assert widths == pytest.approx(wanted, abs=0.006)
    lefts = [percent(bar.get("x")) for bar in bars]
    assert lefts == pytest.approx([0, wanted[0], wanted[0] + wanted[1]], abs=0.006)


def test_spans_reach_from_end_to_end():
    root = ET.fromstring(spans([Span("a", 2.0, 3.0, 4.0)], title="t", digits=1, threshold=0.0))
    bar = root.find(f"{SVG}rect")
    whole = 100 - 2 * INSET
    assert percent(bar.get("x")) == pytest.approx(50)
    assert percent(bar.get("width")) == pytest.approx(whole / 2, abs=0.02)


def test_p58_labels_of_a_scatter_leave_other_dots_free():
    clouds = [Cloud("a long name", (), (10.0, 1500.0)), Cloud("b", (), (10.4, 1501.0)),
              Cloud("c", (), (20.0, 1000.0))]  # fmt: skip
    root = ET.fromstring(scatter(clouds, title="t", x_label="x", y_label="y"))
    dots = {}
    for circle in root.iter(f"{SVG}circle"):
        dots[percent(circle.get("cx"))] = float(circle.get("cy"))
    label = next(t for t in root.iter(f"{SVG}text") if t.text == "a long name")
    other = sorted(dots.items())[1][1]
    assert abs(float(label.get("y")) - 4 - other) >= 12
