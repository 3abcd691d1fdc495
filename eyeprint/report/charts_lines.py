"""Lines over a few steps with intervals, as inline SVG: accuracy by turns, concepts, position.

Same rules as :mod:`eyeprint.report.charts`: percentages across, pixels down, no viewBox, colours
by class, and the chart says in words what it shows. Lines are straight pieces between their
points, for only those take percentages. Marks and dashes tell lines apart without colour.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise

from eyeprint.report.chart_parts import INSET, Scale, nice_ticks, svg, tick_label
from eyeprint.report.charts import TONES
from eyeprint.report.words import bracket_ends, number

HEIGHT, TOP, FOOT = 300, 30, 46
LEFT = 7.0
"""Per cent of the width at the left that is kept for the values of the axis."""
LONG = 20
"""From this value on, an axis of counts from 0 or 1 is drawn ever closer together."""
DODGE = 0.55
"""Per cent by which lines stand aside so that whiskers do not cover each other."""


@dataclass(frozen=True)
class Reached:
    """One point of a line; the interval may be missing."""

    x: float
    y: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Line:
    """One line; points stand by rising ``x``."""

    label: str
    points: tuple[Reached, ...]
    tone: int = 0
    dashed: bool = False


def lines_with_intervals(
    lines: Sequence[Line],
    *,
    title: str,
    x_label: str,
    y_label: str,
    digits: int = 1,
    level: float | None = None,
    level_label: str = "",
    names: Mapping[float, str] | None = None,
) -> str:
    """Return lines through points with whiskers for the intervals.

    The upright axis is only as tall as the points and intervals are. Long axes of counts grow
    like the logarithm of 1 + x, and ticks stand at the steps themselves.

    Args:
        lines: each with one point or more.
        title: what the chart shows, in words.
        x_label: what goes to the right.
        y_label: what goes up.
        digits: decimals of the values told.
        level: a value drawn as a dashed line across.
        level_label: what that line is.
        names: words in place of the numbers below the axis.

    >>> line = Line("a", (Reached(0, 50.0, 45.0, 55.0), Reached(10, 40.0)))
    >>> made = lines_with_intervals([line], title="t", x_label="turns", y_label="%")
    >>> made.count("<circle"), made.count('class="whisker"')
    (2, 1)
    """
    found = [line for line in lines if line.points]
    ends = [
        v
        for line in found
        for point in line.points
        for v in (point.y, point.low, point.high)
        if v is not None
    ]
    ends += [level] if level is not None else []
    ticks = nice_ticks(min(ends, default=0.0), max(ends, default=1.0))
    steps = sorted({point.x for line in found for point in line.points}) or [0.0]
    bend: Callable[[float], float] = math.log1p if compressed(steps) else float
    scale = Scale(bend(steps[0]), bend(steps[-1]))
    bottom = float(HEIGHT - FOOT)

    def across(x: float, shift: float = 0.0) -> float:
        share = (scale.share(bend(x)) - INSET) / (100 - 2 * INSET) if len(steps) > 1 else 0.5
        return LEFT + 1.5 + share * (100 - LEFT - INSET - 4) + shift

    def up(y: float) -> float:
        return bottom - (y - ticks[0]) / (ticks[-1] - ticks[0]) * (bottom - TOP)

    parts = [f'<text class="soft" x="0" y="12">{escape(y_label)} ↑</text>']
    for tick in ticks:
        y = up(tick)
        parts.append(
            f'<line class="grid" x1="{LEFT}%" x2="100%" y1="{y:.1f}" y2="{y:.1f}"/>'
            f'<text class="tick" x="{LEFT - 1}%" y="{y + 4:.1f}" text-anchor="end">'
            f"{tick_label(tick, ticks)}</text>"
        )
    parts += [
        f'<text class="tick" x="{across(x):.2f}%" y="{bottom + 18:.0f}" text-anchor="middle">'
        f"{escape(name)}</text>"
        for x, name in _below(steps, across, names or {})
    ]
    parts.append(
        f'<text class="soft" x="{100 - INSET}%" y="{HEIGHT - 6}" text-anchor="end">'
        f"{escape(x_label)} →</text>"
    )
    if level is not None:
        y = up(level)
        parts.append(f'<line class="base" x1="{LEFT}%" x2="100%" y1="{y:.1f}" y2="{y:.1f}"/>')
    middle = (len(found) - 1) / 2
    for place, line in enumerate(found):
        parts.append(_line(line, place, DODGE * (place - middle), across, up))
    told = "; ".join(f"{line.label}: {_told(line, digits, names or {})}" for line in found)
    dashed = "" if level is None else f" Dashed across: {level_label} {number(level, digits)}."
    return svg(HEIGHT, f"{title} {told}.{dashed}", parts)


def compressed(steps: Sequence[float]) -> bool:
    """Whether an axis of these steps is drawn ever closer together.

    >>> compressed([0, 5, 10]), compressed([0, 1, 5, 10, 50]), compressed([600.0, 6000.0])
    (False, True, False)
    """
    return len(steps) > 2 and 0 <= steps[0] <= 1 and steps[-1] >= LONG


def told_steps(steps: Sequence[float], across: Callable[[float], float]) -> list[float]:
    """Return the steps whose values have room below the axis; the first and last always have.

    >>> told_steps([0, 1, 50, 99, 100], lambda x: float(x))
    [0, 50, 100]
    """
    room = 5.5
    found = [steps[0]]
    for step in steps[1:-1]:
        if across(step) - across(found[-1]) >= room and across(steps[-1]) - across(step) >= room:
            found.append(step)
    return found if len(steps) < 2 else [*found, steps[-1]]


def _below(
    steps: Sequence[float], across: Callable[[float], float], names: Mapping[float, str]
) -> list[tuple[float, str]]:
    """Return what stands below the axis: the steps that have room, or the names of all."""
    if not names:
        return [(x, f"{x:g}") for x in told_steps(steps, across)]
    return [(x, names.get(x, f"{x:g}")) for x in steps]


def _line(
    line: Line,
    place: int,
    shift: float,
    across: Callable[..., float],
    up: Callable[[float], float],
) -> str:
    dash = ' stroke-dasharray="6 4"' if line.dashed else ""
    parts = [
        f'<line class="through" x1="{across(a.x, shift):.2f}%" y1="{up(a.y):.1f}" '
        f'x2="{across(b.x, shift):.2f}%" y2="{up(b.y):.1f}"{dash}/>'
        for a, b in pairwise(line.points)
    ]
    for point in line.points:
        at = f"{across(point.x, shift):.2f}%"
        if point.low is not None and point.high is not None:
            parts.append(
                f'<g class="whisker"><line x1="{at}" x2="{at}" y1="{up(point.high):.1f}" '
                f'y2="{up(point.low):.1f}"/></g>'
            )
        parts.append(mark(at, up(point.y), place))
    return f'<g class="line t{line.tone % TONES}">{"".join(parts)}</g>'


def mark(at: str, y: float, place: int) -> str:
    """Return the mark of a line: circles and squares in turns.

    >>> mark("5%", 10.0, 1)
    '<rect class="mark" x="5%" y="5.5" width="9" height="9" transform="translate(-4.5)"/>'
    """
    if place % 2 == 0:
        return f'<circle class="mark" cx="{at}" cy="{y:.1f}" r="5"/>'
    return (
        f'<rect class="mark" x="{at}" y="{y - 4.5:.1f}" width="9" height="9" '
        'transform="translate(-4.5)"/>'
    )


def _told(line: Line, digits: int, names: Mapping[float, str]) -> str:
    found = []
    for point in line.points:
        ends = bracket_ends(point.low, point.high, digits)
        x = names.get(point.x, f"{point.x:g}")
        found.append(f"{x} {number(point.y, digits)}" + (f" {ends}" if ends else ""))
    return ", ".join(found)
