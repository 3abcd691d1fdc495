"""Charts of an MMPB report: several settings on one row per model, and short diverging bars.

Same rules as :mod:`eyeprint.report.charts`: percentages across, pixels down, colours by class,
and every chart says in words what it shows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from eyeprint.report.chart_parts import INSET, Scale, grid, nice_ticks, svg
from eyeprint.report.charts import AXIS, TONES, Bar
from eyeprint.report.charts_lines import mark
from eyeprint.report.words import bracket_ends, number

LANE = 13
ROW = 34


@dataclass(frozen=True)
class DotRow:
    """One row: a label and a value for each series, ``None`` where there is none."""

    label: str
    dots: tuple[Bar | None, ...]


def dot_rows(
    rows: Sequence[DotRow],
    *,
    title: str,
    level: float | None = None,
    level_label: str = "",
    digits: int = 1,
) -> str:
    """Return rows of dots, one for each series, each with its interval on a lane of its own.

    Args:
        rows: from top to bottom; a dot's label names its series.
        title: what the chart shows, in words.
        level: a value that is drawn as a dashed line down all rows.
        level_label: what that line is.
        digits: decimals of the values told.

    >>> row = DotRow("m", (Bar("s", 60.0, 59.0, 61.0, 1), Bar("t", 50.0, tone=2)))
    >>> dot_rows([row], title="t").count('class="mark"')
    2
    """
    dots = [dot for row in rows for dot in row.dots if dot is not None]
    ends = [v for dot in dots for v in (dot.value, dot.low, dot.high) if v is not None]
    ends += [level] if level is not None else []
    ticks = nice_ticks(min(ends, default=0.0), max(ends, default=1.0))
    scale = Scale(ticks[0], ticks[-1])
    lanes = max((len(row.dots) for row in rows), default=1)
    height = 34 + LANE * lanes
    bottom = len(rows) * height
    parts = [grid(scale, ticks, bottom + 4)]
    for place, row in enumerate(rows):
        top = place * height
        if level is not None:
            at, end = scale.at(level), top + 22 + LANE * lanes
            parts.append(f'<line class="base" x1="{at}" x2="{at}" y1="{top + 21}" y2="{end}"/>')
        parts.append(f'<text class="halo" x="{INSET}%" y="{top + 15}">{escape(row.label)}</text>')
        for lane, dot in enumerate(row.dots):
            if dot is not None and dot.value is not None:
                parts.append(_dot(dot, scale, top + 28 + lane * LANE, lane))
    told = "; ".join(
        f"{row.label}: " + ", ".join(_told(dot, digits) for dot in row.dots if dot is not None)
        for row in rows
    )
    line = "" if level is None else f" Dashed: {level_label} {number(level, digits)}."
    return svg(bottom + AXIS, f"{title} {told}.{line}", parts)


def _dot(dot: Bar, scale: Scale, y: float, lane: int) -> str:
    whisker = ""
    if dot.low is not None and dot.high is not None:
        whisker = (
            f'<g class="whisker"><line x1="{scale.at(dot.low)}" x2="{scale.at(dot.high)}" '
            f'y1="{y}" y2="{y}"/></g>'
        )
    shown = mark(scale.at(dot.value or 0.0), y, lane)
    return f'<g class="line t{dot.tone % TONES}">{whisker}{shown}</g>'


def _told(dot: Bar, digits: int, sign: bool = False) -> str:
    if dot.value is None:
        return f"{dot.label} no value"
    ends = bracket_ends(dot.low, dot.high, digits, sign)
    return f"{dot.label} {number(dot.value, digits, sign)}" + (f" {ends}" if ends else "")


def diverging(bars: Sequence[Bar], *, title: str, left: str, right: str, digits: int = 1) -> str:
    """Return short bars to the left and right of 0 with whiskers.

    Args:
        bars: from top to bottom.
        title: what the chart shows, in words.
        left: what it means to lie left of 0.
        right: what it means to lie right of 0.
        digits: decimals of the printed values.

    >>> diverging([Bar("a", -3.0), Bar("b", 2.0)], title="t", left="l", right="r").count("<rect")
    2
    """
    ends = [v for bar in bars for v in (bar.value, bar.low, bar.high) if v is not None]
    reach = max((abs(v) for v in ends), default=1.0) or 1.0
    ticks = nice_ticks(-reach, reach, 4)
    scale = Scale(ticks[0], ticks[-1])
    bottom = len(bars) * ROW + 16
    parts = [
        f'<text class="soft" x="{INSET}%" y="12">← {escape(left)}</text>'
        f'<text class="soft" x="{100 - INSET}%" y="12" text-anchor="end">{escape(right)} →</text>',
        grid(scale, ticks, bottom + 4),
    ]
    for place, bar in enumerate(bars):
        parts.append(_bar(bar, scale, place * ROW + 16, digits))
    told = "; ".join(_told(bar, digits, sign=True) for bar in bars)
    return svg(bottom + AXIS, f"{title} {told}.", parts)


def _bar(bar: Bar, scale: Scale, top: int, digits: int) -> str:
    shown = number(bar.value, digits, sign=True)
    parts = [
        f'<text class="halo" x="{INSET}%" y="{top + 15}">{escape(bar.label)}</text>'
        f'<text class="num halo" x="{100 - INSET}%" y="{top + 15}" text-anchor="end">'
        f"{shown}</text>"
    ]
    if bar.value is None:
        return parts[0]
    start, stop = sorted((scale.share(0.0), scale.share(bar.value)))
    middle = top + 25
    parts.append(
        f'<rect class="t{bar.tone % TONES}" x="{start:.2f}%" y="{middle - 4}" '
        f'width="{stop - start:.2f}%" height="8"/>'
    )
    if bar.low is not None and bar.high is not None:
        parts.append(
            f'<g class="whisker"><line x1="{scale.at(bar.low)}" x2="{scale.at(bar.high)}" '
            f'y1="{middle}" y2="{middle}"/></g>'
        )
    return "".join(parts)
