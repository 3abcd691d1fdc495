"""Charts of a PIPBench report: dots with intervals, shares of a bar, bands, rating by metric.

Same rules as :mod:`eyeprint.report.charts`: percentages across, pixels down, colours by
class, and every chart says in words what it shows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from eyeprint.report.chart_parts import INSET, Scale, grid, nice_ticks, svg
from eyeprint.report.charts import AXIS, TONES, Bar
from eyeprint.report.words import bracket_ends, number

ROW = 46


@dataclass(frozen=True)
class Shares:
    """Wins, ties and losses of one bar, as counts."""

    label: str
    wins: int
    ties: int
    losses: int
    heading: str = ""
    """Shown above this and the following bars."""


@dataclass(frozen=True)
class Span:
    """The spread of one kind of pairs: ends and median."""

    label: str
    low: float
    median: float
    high: float
    tone: int = 0


def dots_with_intervals(
    dots: Sequence[Bar],
    *,
    title: str,
    digits: int = 2,
    level: float | None = None,
    level_label: str = "",
) -> str:
    """Return one row per value, the axis only as wide as values and intervals are.

    Args:
        dots: from top to bottom.
        title: what the chart shows, in words.
        digits: decimals of the printed values.
        level: a value that is drawn as a dashed line through all rows.
        level_label: what that line is, for ``aria-label``.

    >>> dots_with_intervals([Bar("a", 60.0, 59.0, 61.0)], title="t").count("<circle")
    1
    """
    ends = [v for dot in dots for v in (dot.value, dot.low, dot.high) if v is not None]
    ends += [level] if level is not None else []
    ticks = nice_ticks(min(ends, default=0.0), max(ends, default=1.0), 4)
    scale = Scale(ticks[0], ticks[-1])
    bottom = len(dots) * ROW
    parts = [grid(scale, ticks, bottom + 4)]
    if level is not None:
        parts += _base(scale.at(level), len(dots))
    for place, dot in enumerate(dots):
        parts.append(_row(dot, scale, place * ROW, digits))
    told = "; ".join(f"{dot.label} {_told(dot, digits)}" for dot in dots)
    line = "" if level is None else f" Dashed: {level_label} {number(level, digits)}."
    return svg(bottom + AXIS, f"{title} {told}.{line}", parts)


def _base(at: str, rows: int) -> list[str]:
    """Return a dashed line down the rows that leaves their words free."""
    return [
        f'<line class="base" x1="{at}" x2="{at}" y1="{row * ROW + 21}" y2="{row * ROW + 42}"/>'
        for row in range(rows)
    ]


def _told(dot: Bar, digits: int) -> str:
    if dot.value is None:
        return "no value"
    ends = bracket_ends(dot.low, dot.high, digits)
    return number(dot.value, digits) + (f" {ends}" if ends else "")


def _row(dot: Bar, scale: Scale, top: int, digits: int) -> str:
    note = f'<tspan class="soft" dx="8">{escape(dot.note)}</tspan>' if dot.note else ""
    parts = [
        f'<text class="halo" x="{INSET}%" y="{top + 15}">{escape(dot.label)}{note}</text>',
        f'<text class="num halo" x="{100 - INSET}%" y="{top + 15}" text-anchor="end">'
        f"{escape(_told(dot, digits))}</text>",
    ]
    if dot.value is None:
        return "".join(parts)
    middle = top + 31
    if dot.low is not None and dot.high is not None:
        parts.append(
            f'<g class="whisker"><line x1="{scale.at(dot.low)}" x2="{scale.at(dot.high)}" '
            f'y1="{middle}" y2="{middle}"/></g>'
        )
    parts.append(
        f'<circle class="mean t{dot.tone % TONES}" cx="{scale.at(dot.value)}" cy="{middle}" '
        'r="6.5"/>'
    )
    return "".join(parts)


def win_tie_loss(bars: Sequence[Shares], *, title: str) -> str:
    """Return bars of wins, ties and losses, each as long as the chart (P55).

    >>> win_tie_loss([Shares("j", 3, 1, 1)], title="t").count("<rect")
    3
    """
    parts: list[str] = []
    top, told = 0, []
    for bar in bars:
        if bar.heading:
            top += 10 if parts else 0
            parts.append(f'<text class="name" x="0" y="{top + 14}">{escape(bar.heading)}</text>')
            top += 24
        total = bar.wins + bar.ties + bar.losses
        counts = (("won", bar.wins), ("draw", bar.ties), ("lose", bar.losses))
        shares = [(name, 100 * count / total if total else 0.0) for name, count in counts]
        shown = " / ".join(f"{share:.0f}" for _, share in shares) + " %"
        parts.append(
            f'<text x="0" y="{top + 14}">{escape(bar.label)}</text>'
            f'<text class="num" x="100%" y="{top + 14}" text-anchor="end">{shown}</text>'
        )
        left = 0.0
        for name, share in shares:
            parts.append(
                f'<rect class="{name}" x="{left:.2f}%" y="{top + 21}" width="{share:.2f}%" '
                'height="13"/>'
            )
            left += share
        named = zip(("win", "tie", "loss"), shares, strict=True)
        words = ", ".join(f"{name} {share:.0f} %" for name, (_, share) in named)
        told.append(f"{bar.heading} {bar.label}: {words}".strip())
        top += 44
    return svg(max(top, 1), f"{title} {'; '.join(told)}.", parts)


def spans(rows: Sequence[Span], *, title: str, digits: int, threshold: float | None) -> str:
    """Return the spread of pairs of real pictures, and the threshold of the copy alarm.

    >>> 'class="base"' in spans([Span("a", 1, 2, 3)], title="t", digits=1, threshold=4.0)
    True
    """
    values = [v for row in rows for v in (row.low, row.high)]
    values += [threshold] if threshold is not None else []
    ticks = nice_ticks(min(values, default=0.0), max(values, default=1.0), 4)
    scale = Scale(ticks[0], ticks[-1])
    bottom = len(rows) * ROW
    parts = [grid(scale, ticks, bottom + 4)]
    if threshold is not None:
        parts += _base(scale.at(threshold), len(rows))
    for place, row in enumerate(rows):
        top, middle = place * ROW, place * ROW + 31
        start, stop = scale.share(row.low), scale.share(row.high)
        parts.append(
            f'<text class="halo" x="{INSET}%" y="{top + 15}">{escape(row.label)}</text>'
            f'<text class="num halo" x="{100 - INSET}%" y="{top + 15}" text-anchor="end">median '
            f"{number(row.median, digits)}</text>"
            f'<rect class="t{row.tone % TONES}" x="{start:.2f}%" y="{middle - 5}" '
            f'width="{max(stop - start, 0.2):.2f}%" height="10" rx="2"/>'
            f'<g class="box"><line class="median" x1="{scale.at(row.median)}" '
            f'x2="{scale.at(row.median)}" y1="{middle - 9}" y2="{middle + 9}"/></g>'
        )
    told = "; ".join(
        f"{row.label}: median {number(row.median, digits)}, from {number(row.low, digits)} to "
        f"{number(row.high, digits)}"
        for row in rows
    )
    line = "" if threshold is None else f" Dashed: the threshold, {number(threshold, digits)}."
    return svg(bottom + AXIS, f"{title} {told}.{line}", parts)
