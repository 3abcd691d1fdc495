"""Charts as inline SVG that flows with the page: same input, same bytes, no library.

Horizontal places are percentages and vertical ones pixels, without a viewBox: text
keeps its size on a telephone, and bars take what room there is. Colours come from the
page's style sheet by class (``t0`` ... ``t7``), so charts follow light, dark and print.
Every chart says in ``aria-label`` what it shows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape

from eyeprint.report.chart_parts import (
    INSET,
    Scale,
    grid,
    nice_ticks,
    svg,
    tick_label,
    tick_text,
)
from eyeprint.report.words import number

TONES = 8
"""Colours that the style sheet knows; a tone beyond them starts again."""
ROW = 52
AXIS = 30


@dataclass(frozen=True)
class Bar:
    """One value with its interval; ``None`` is told as "no value"."""

    label: str
    value: float | None
    low: float | None = None
    high: float | None = None
    tone: int = 0
    note: str = ""
    """Shown behind the label."""


@dataclass(frozen=True)
class Cloud:
    """Points of one kind with their mean, for :func:`scatter`."""

    label: str
    points: tuple[tuple[float, float], ...]
    mean: tuple[float, float] | None = None
    level: float | None = None
    """A y value without an x: drawn as a line across."""
    tone: int = 0


@dataclass(frozen=True)
class Swarm:
    """The values of one kind, for :func:`strip`; quartiles may be of more values than shown."""

    label: str
    values: tuple[float, ...]
    quartiles: tuple[float, float, float] | None = None
    tone: int = 0


def bars_with_intervals(
    bars: Sequence[Bar],
    *,
    title: str,
    span: tuple[float, float] | None = None,
    sign: bool = False,
    digits: int = 3,
) -> str:
    """Return horizontal bars from 0 with whiskers for the intervals.

    Args:
        bars: from top to bottom.
        title: what the chart shows, in words, for those who do not see it.
        span: ends of the axis; 0 is always within. By default all values and intervals fit.
        sign: print a plus before positive values.
        digits: decimals of the printed values.

    >>> "no value" in bars_with_intervals([Bar("a", None)], title="t")
    True
    """
    ends = [v for bar in bars for v in (bar.value, bar.low, bar.high) if v is not None]
    low, high = span or (min([0.0, *ends]), max([0.0, *ends]))
    ticks = nice_ticks(min(0.0, low), max(0.0, high))
    scale = Scale(ticks[0], ticks[-1])
    height = len(bars) * ROW + AXIS
    parts = [grid(scale, ticks, len(bars) * ROW + 4)]
    for place, bar in enumerate(bars):
        parts.append(_bar(bar, scale, place * ROW, sign, digits))
    told = "; ".join(f"{bar.label} {_told(bar, sign, digits)}" for bar in bars)
    return svg(height, f"{title} {told}.", parts)


def _told(bar: Bar, sign: bool, digits: int) -> str:
    if bar.value is None:
        return "no value"
    text = number(bar.value, digits, sign)
    if bar.low is None or bar.high is None:
        return text
    return f"{text} [{number(bar.low, digits, sign)}, {number(bar.high, digits, sign)}]"


def _bar(bar: Bar, scale: Scale, top: int, sign: bool, digits: int) -> str:
    note = f'<tspan class="soft" dx="8">{escape(bar.note)}</tspan>' if bar.note else ""
    parts = [
        f'<text class="halo" x="{INSET}%" y="{top + 17}">{escape(bar.label)}{note}</text>',
        f'<text class="num halo" x="{100 - INSET}%" y="{top + 17}" text-anchor="end">'
        f"{escape(_told(bar, sign, digits))}</text>",
    ]
    if bar.value is not None:
        left, right = sorted((scale.share(0.0), scale.share(bar.value)))
        middle = top + 32
        parts.append(
            f'<rect class="t{bar.tone % TONES}" x="{left:.2f}%" y="{middle - 6}" '
            f'width="{right - left:.2f}%" height="12" rx="1.5"/>'
        )
        if bar.low is not None and bar.high is not None:
            start, stop = scale.at(bar.low), scale.at(bar.high)
            parts.append(
                f'<g class="whisker"><line x1="{start}" x2="{stop}" y1="{middle}" y2="{middle}"/>'
                f'<line x1="{start}" x2="{start}" y1="{middle - 4}" y2="{middle + 4}"/>'
                f'<line x1="{stop}" x2="{stop}" y1="{middle - 4}" y2="{middle + 4}"/></g>'
            )
    return "".join(parts)


def scatter(
    clouds: Sequence[Cloud],
    *,
    title: str,
    x_label: str,
    y_label: str,
    height: int = 380,
) -> str:
    """Return points with a large, labelled mean per kind; levels are dashed lines.

    >>> svg = scatter([Cloud("a", ((0.1, 0.2),), (0.1, 0.2))], title="t", x_label="x", y_label="y")
    >>> svg.count("<circle")
    2
    """
    seen = [p for cloud in clouds for p in (*cloud.points, *([cloud.mean] if cloud.mean else []))]
    xs = [x for x, _ in seen] or [0.0, 1.0]
    ys = [y for _, y in seen] + [c.level for c in clouds if c.level is not None] or [0.0, 1.0]
    x_ticks, y_ticks = nice_ticks(min(xs), max(xs)), nice_ticks(min(ys), max(ys))
    scale = Scale(x_ticks[0], x_ticks[-1])
    top, bottom = 42.0, height - 48.0

    def place(y: float) -> float:
        return bottom - (y - y_ticks[0]) / (y_ticks[-1] - y_ticks[0]) * (bottom - top)

    parts = [f'<text class="soft" x="0" y="14">{escape(y_label)} ↑</text>']
    for tick in y_ticks:
        y = place(tick)
        parts.append(f'<line class="grid" x1="0" x2="100%" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(f'<text class="tick" x="0" y="{y - 3:.1f}">{tick_label(tick, y_ticks)}</text>')
    parts += [tick_text(scale, tick, x_ticks, bottom + 18) for tick in x_ticks]
    parts.append(
        f'<text class="soft" x="{100 - INSET}%" y="{height - 8}" text-anchor="end">'
        f"{escape(x_label)} →</text>"
    )
    for cloud in clouds:
        dots = "".join(
            f'<circle cx="{scale.at(x)}" cy="{place(y):.1f}" r="2.2"/>' for x, y in cloud.points
        )
        parts.append(f'<g class="dots t{cloud.tone % TONES}">{dots}</g>')
    parts += _means(clouds, scale, place)
    told = "; ".join(_told_cloud(cloud) for cloud in clouds)
    return svg(height, f"{title} Means: {told}.", parts)


def _told_cloud(cloud: Cloud) -> str:
    if cloud.mean is not None:
        return f"{cloud.label} ({number(cloud.mean[0])}, {number(cloud.mean[1])})"
    return f"{cloud.label} {number(cloud.level)}"


def _means(clouds: Sequence[Cloud], scale: Scale, place: Callable[[float], float]) -> list[str]:
    parts, labels = [], []
    for cloud in clouds:
        tone = cloud.tone % TONES
        if cloud.mean is not None:
            share, y = scale.share(cloud.mean[0]), place(cloud.mean[1])
            parts.append(f'<circle class="mean t{tone}" cx="{share:.2f}%" cy="{y:.1f}" r="7"/>')
            labels.append((y + 4, share, 12.0 if share < 68 else -12.0, cloud.label))
        elif cloud.level is not None:
            y = place(cloud.level)
            parts.append(
                f'<line class="level t{tone}" x1="0" x2="100%" y1="{y:.1f}" y2="{y:.1f}"/>'
            )
            labels.append((y - 5, 12.0, 0.0, cloud.label))
    dots = [(scale.share(c.mean[0]), place(c.mean[1])) for c in clouds if c.mean is not None]
    for y, share, shift, label in _apart(sorted(labels), dots):
        anchor = "end" if shift < 0 else "start"
        parts.append(
            f'<text class="halo name" x="{share:.2f}%" y="{y:.1f}" dx="{shift:g}" '
            f'text-anchor="{anchor}">{escape(label)}</text>'
        )
    return parts


Label = tuple[float, float, float, str]
"""Baseline in pixels, place in per cent, shift in pixels (left below 0), text."""
LETTER = 1.5
"""Per cent of the width that a letter takes, about: on a chart of 480 pixels."""


def _apart(labels: Sequence[Label], dots: Sequence[tuple[float, float]]) -> list[Label]:
    """Move labels beside their dots so that none covers another, or another's dot.

    Where there is room, a label stands beside its own dot on either side, else above or
    below it; where there is none, it goes down until it meets no other label.
    """
    placed: list[Label] = []

    def ends(label: Label) -> tuple[float, float]:
        _, share, shift, text = label
        reach = 2.0 + LETTER * len(text)
        return (share - reach, share) if shift < 0 else (share, share + reach)

    def meets_label(label: Label) -> bool:
        left, right = ends(label)
        return any(
            abs(label[0] - other[0]) < 14 and left < ends(other)[1] and ends(other)[0] < right
            for other in placed
        )

    def meets_dot(label: Label, own: tuple[float, float]) -> bool:
        left, right = ends(label)
        return any(
            abs(label[0] - 4 - y) < 12 and left - 1.5 < at < right + 1.5
            for at, y in dots
            if (at, y) != own
        )

    for label in labels:
        y, share, shift, text = label
        spots = [
            (y + down, share, side, text) for down in (0.0, -14.0, 14.0) for side in (shift, -shift)
        ]
        found = next(
            (
                spot
                for spot in spots
                if ends(spot)[0] > -1
                and ends(spot)[1] < 101
                and not meets_label(spot)
                and not meets_dot(spot, (share, y - 4))
            ),
            None,
        )
        if found is None:
            found = label
            while meets_label(found):
                found = (found[0] + 3, share, shift, text)
        placed.append(found)
    return placed


def strip(swarms: Sequence[Swarm], *, title: str, x_label: str) -> str:
    """Return one row of dots per kind, stacked where they meet, with median and quartiles.

    >>> strip([Swarm("a", (0.1, 0.1))], title="t", x_label="x").count("<circle")
    2
    """
    values = [v for one in swarms for v in (*one.values, *(one.quartiles or ()))] or [0.0, 1.0]
    ticks = nice_ticks(min(values), max(values))
    scale = Scale(ticks[0], ticks[-1])
    row = 84
    height = len(swarms) * row + AXIS + 18
    parts = [grid(scale, ticks, len(swarms) * row + 4)]
    for place, one in enumerate(swarms):
        middle = place * row + 50
        parts.append(
            f'<text class="halo" x="{INSET}%" y="{place * row + 15}">{escape(one.label)}</text>'
        )
        dots = "".join(
            f'<circle cx="{share:.2f}%" cy="{middle + shift:.1f}" r="2.4"/>'
            for share, shift in _stacked([scale.share(value) for value in one.values])
        )
        parts.append(f'<g class="dots t{one.tone % TONES}">{dots}</g>')
        if one.quartiles:
            low, median, high = one.quartiles
            parts.append(
                f'<g class="box"><line x1="{scale.at(low)}" x2="{scale.at(high)}" '
                f'y1="{middle}" y2="{middle}"/><line class="median" x1="{scale.at(median)}" '
                f'x2="{scale.at(median)}" y1="{middle - 13}" y2="{middle + 13}"/></g>'
                f'<text class="num halo" x="{100 - INSET}%" y="{place * row + 15}" '
                f'text-anchor="end">median {number(median)}</text>'
            )
    parts.append(
        f'<text class="soft" x="{100 - INSET}%" y="{height - 4}" text-anchor="end">'
        f"{escape(x_label)} →</text>"
    )
    told = "; ".join(
        f"{one.label}: median {number(one.quartiles[1])}, half of them from "
        f"{number(one.quartiles[0])} to {number(one.quartiles[2])}"
        for one in swarms
        if one.quartiles
    )
    return svg(height, f"{title} {told}.", parts)


def _stacked(shares: Sequence[float]) -> list[tuple[float, float]]:
    """Give each dot a shift up or down so that dots of one column do not cover each other."""
    column, step, most = 0.8, 4.2, 26.0
    filled: dict[int, int] = {}
    placed = []
    for share in sorted(shares):
        key = int(share / column)
        turn = filled.get(key, 0)
        filled[key] = turn + 1
        shift = step * ((turn + 1) // 2) * (1 if turn % 2 else -1)
        # A column that is full begins again at its other end, over the dots there.
        placed.append((share, (shift + most) % (2 * most) - most))
    return placed
