"""What all charts are made of: scales, round ticks, grid lines and the SVG around them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from itertools import pairwise

from eyeprint.report.words import number

INSET = 2.0
"""Per cent of the width kept free at both sides, for ticks that stand at the ends."""


class Scale:
    """From values to per cent of the width.

    >>> Scale(0.0, 1.0).at(0.5)
    '50.00%'
    """

    def __init__(self, low: float, high: float) -> None:
        self.low = low
        self.high = high if high > low else low + 1.0

    def share(self, value: float) -> float:
        """Return the place in per cent, kept within the chart."""
        part = (value - self.low) / (self.high - self.low)
        return INSET + (100 - 2 * INSET) * min(1.0, max(0.0, part))

    def at(self, value: float) -> str:
        """Return the place as an SVG length."""
        return f"{self.share(value):.2f}%"


def nice_ticks(low: float, high: float, about: int = 5) -> list[float]:
    """Return round values that cover a range: steps of 1, 2 or 5 times a power of ten.

    >>> nice_ticks(0.03, 0.94)
    [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    """
    if high <= low:
        high = low + 1.0
    rough = (high - low) / about
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough * 0.999)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    digits = max(0, -math.floor(math.log10(step)) + 1)
    return [round(place * step, digits) for place in range(first, last + 1)]


def grid(scale: Scale, ticks: Sequence[float], bottom: int) -> str:
    """Return vertical lines at the ticks, with their values below; the line at 0 is stronger."""
    parts = []
    for tick in ticks:
        name = "grid zero" if tick == 0 else "grid"
        at = scale.at(tick)
        parts.append(f'<line class="{name}" x1="{at}" x2="{at}" y1="20" y2="{bottom}"/>')
        parts.append(tick_text(scale, tick, ticks, bottom + 16))
    return "".join(parts)


def tick_text(scale: Scale, tick: float, ticks: Sequence[float], y: float) -> str:
    """Return the value of a tick, centred under it."""
    return (
        f'<text class="tick" x="{scale.at(tick)}" y="{y:g}" text-anchor="middle">'
        f"{tick_label(tick, ticks)}</text>"
    )


def tick_label(tick: float, ticks: Sequence[float]) -> str:
    """Return a tick\'s value with as many decimals as the step needs."""
    step = min((b - a for a, b in pairwise(ticks)), default=1.0)
    return number(tick, max(0, -math.floor(math.log10(step) + 1e-9)))


def svg(height: float, told: str, parts: Sequence[str]) -> str:
    """Return a chart of full width; ``told`` says in words what it shows."""
    return (
        f'<svg class="chart" role="img" aria-label="{escape(told)}" width="100%" '
        f'height="{height:g}" xmlns="http://www.w3.org/2000/svg">{"".join(parts)}</svg>'
    )
