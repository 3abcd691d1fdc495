"""Lines, dots on rows and diverging bars: right places, words for all, equal bytes."""

import re

import pytest

from eyeprint.report.charts import Bar
from eyeprint.report.charts_lines import Line, Reached, lines_with_intervals
from eyeprint.report.mmpb_charts import DotRow, diverging, dot_rows

LINE = Line("plain <b>", (Reached(0, 60.0, 55.0, 65.0), Reached(5, 50.0), Reached(10, 40.0)), 1)
OTHER = Line("reminder", (Reached(0, 62.0), Reached(10, 61.0)), 2, dashed=True)


def lines(*found: Line, **more) -> str:
    return lines_with_intervals(found, title="T.", x_label="x", y_label="y", **more)


def test_m36_lines_join_their_points_in_order_and_whiskers_stand_where_intervals_are():
    made = lines(LINE, OTHER)
    assert made.count('class="through"') == 3
    assert made.count('class="whisker"') == 1
    assert made.count("stroke-dasharray") == 1
    xs = [float(x) for x in re.findall(r'<circle class="mark" cx="([\d.]+)%"', made)]
    ys = [float(y) for y in re.findall(r'<circle class="mark" cx="[\d.]+%" cy="([\d.]+)"', made)]
    # Turn 5 lies half-way between 0 and 10; what is lower in per cent stands lower down.
    assert xs[1] - xs[0] == pytest.approx(xs[2] - xs[1], abs=0.02)
    assert ys == sorted(ys)


def test_charts_tell_their_numbers_in_words_and_escape_names():
    made = lines(LINE, OTHER, level=50.0, level_label="guessing")
    told = re.search(r'aria-label="([^"]+)"', made)[1]
    assert told == (
        "T. plain &lt;b&gt;: 0 60.0 [55.0,\u00a065.0], 5 50.0, 10 40.0; reminder: 0 62.0, 10 61.0. "
        "Dashed across: guessing 50.0."
    )
    assert "<b>" not in made
    assert lines(LINE, OTHER) == lines(LINE, OTHER)


def test_m38_a_long_axis_of_counts_grows_like_a_logarithm():
    long = Line("a", tuple(Reached(x, 50.0 + x / 10) for x in (0, 1, 10, 100)))
    made = lines(long)
    xs = [float(x) for x in re.findall(r'<circle class="mark" cx="([\d.]+)%"', made)]
    assert xs[1] - xs[0] > (xs[3] - xs[0]) / 10
    assert all(0 <= x <= 100 for x in xs)


def test_one_point_and_none_are_charts_too():
    assert lines(Line("a", (Reached(3, 1.0),))).count("<circle") == 1
    assert "<svg" in lines()
    assert "<svg" in dot_rows([], title="t")


def test_m32_bars_to_the_left_of_zero_are_negative():
    made = diverging([Bar("a", -3.0), Bar("b", 2.0, 1.0, 3.0)], title="t", left="l", right="r")
    rects = re.findall(r'<rect class="t0" x="([\d.]+)%" y="\d+" width="([\d.]+)%"', made)
    (left, width), (right, _) = [(float(x), float(w)) for x, w in rects]
    assert left + width == pytest.approx(50.0, abs=0.01) == pytest.approx(right, abs=0.01)
    assert "a −3.0; b +2.0 [+1.0,\u00a0+3.0]" in made


def test_dots_of_a_row_stand_on_lanes_of_their_own():
    row = DotRow("m", (Bar("s", 60.0, 59.0, 61.0, 1), None, Bar("t", 50.0, tone=2)))
    made = dot_rows([row], title="t", level=55.0, level_label="guessing")
    ys = [float(y) for y in re.findall(r'class="mark" (?:cx|x)="[\d.]+%" c?y="([\d.]+)"', made)]
    assert len(ys) == 2 and ys[1] - ys[0] == 2 * 13
    assert "m: s 60.0 [59.0,\u00a061.0], t 50.0. Dashed: guessing 55.0." in made
