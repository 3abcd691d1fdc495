"""Maps of people as SVG: on a page, where they follow its colours, or as a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from eyeprint.people.audit_report import Map

WIDTH, HEIGHT, INSET = 560, 430, 8
_LEGEND_ROW, _COLUMNS = 20, 3
_LABEL = 24
"""Characters of a label that fit beside a bar."""
# In order of lightness and hue from cold to warm: neighbouring age groups look alike. All
# are of middle lightness, to be seen on white and on black.
_ORDERED = (
    "#4a55c8",
    "#2f7fc1",
    "#1f9e9a",
    "#4f9f4f",
    "#a3972a",
    "#d98a1e",
    "#d1582f",
    "#b23a63",
    "#8a3f9a",
)
_DISTINCT = (
    "#2f81b1",
    "#c9781a",
    "#5a51c4",
    "#b93f6c",
    "#4f934f",
    "#94603f",
    "#2aa39a",
    "#b58fd0",
    "#b5a12a",
)
_REST = "#8f8980"


def map_svg(shown: Map) -> str:
    """Return one map as an SVG element that fills the width it is given.

    Every point carries the person's id as its title. Same map, same bytes.
    """
    body, height = _map_body(shown)
    told = f"{shown.title}, t-SNE, coloured by {shown.coloured_by}: {len(shown.points)} points."
    return (
        f'<svg class="chart" role="img" aria-label="{escape(told)}" width="100%" '
        f'viewBox="0 0 {WIDTH} {height}" xmlns="http://www.w3.org/2000/svg">{body}</svg>'
    )


def picture_file_svg(maps: Sequence[Map]) -> str:
    """Return all maps side by side as one SVG file with its own fonts and paper."""
    bodies = [_map_body(shown) for shown in maps]
    head, gap = 34, 40
    height = head + max(tall for _, tall in bodies) + 12
    width = len(maps) * WIDTH + (len(maps) + 1) * gap
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height + 12}" '
        f'viewBox="0 0 {width} {height + 12}" font-family="system-ui, sans-serif" font-size="13" '
        f'fill="#1d1a16"><rect width="100%" height="100%" fill="#fbf9f4"/>'
    ]
    for place, (shown, (body, _)) in enumerate(zip(maps, bodies, strict=True)):
        left = gap + place * (WIDTH + gap)
        parts.append(
            f'<text x="{left}" y="30" font-size="16" font-weight="600">{escape(shown.title)}, '
            f"by {escape(shown.coloured_by)}</text>"
            f'<g transform="translate({left} {head + 8})">{body}</g>'
        )
    return "".join(parts) + "</svg>\n"


def counts_svg(counts: Mapping[str, int], title: str, tone: int = 0) -> str:
    """Return counts as one thin bar each, label at the left, number at the end.

    For an HTML page only: sizes are in per cent of its width, colours from its style sheet.

    >>> counts_svg({"a": 3, "b": 1}, "Letters").count("<rect")
    2
    """
    most = max(counts.values(), default=1) or 1
    start, room, row = 45.0, 45.0, 23
    parts = []
    for place, (label, count) in enumerate(counts.items()):
        wide, y = room * count / most, place * row
        text = label if len(label) <= _LABEL else label[: _LABEL - 1] + "…"
        parts.append(
            f'<text x="{start - 1:g}%" y="{y + 15}" text-anchor="end">{escape(text)}'
            f"<title>{escape(label)}</title></text>"
            f'<rect class="t{tone}" x="{start:g}%" y="{y + 3}" width="{max(wide, 0.3):.2f}%" '
            f'height="14" rx="1.5"/>'
            f'<text class="num" x="{start + wide + 1:.2f}%" y="{y + 15}">{count:,}</text>'
        )
    told = "; ".join(f"{label} {count:,}" for label, count in counts.items())
    return (
        f'<svg class="chart" role="img" aria-label="{escape(f"{title}: {told}.")}" width="100%" '
        f'height="{len(counts) * row + 4}" xmlns="http://www.w3.org/2000/svg">'
        f"{''.join(parts)}</svg>"
    )


def _map_body(shown: Map) -> tuple[str, int]:
    """Return points and legend, and how tall they are."""
    colours = _colours(shown)
    radius = 5 if len(shown.points) <= 60 else 3.2 if len(shown.points) <= 400 else 2.3
    parts = [
        f'<rect x="0.5" y="0.5" width="{WIDTH - 1}" height="{HEIGHT - 1}" rx="3" fill="none" '
        'stroke="#8d8474" stroke-opacity="0.45"/>'
    ]
    inset = INSET + radius
    for label in shown.labels:
        dots = "".join(
            f'<circle cx="{inset + point.x * (WIDTH - 2 * inset):.1f}" '
            f'cy="{inset + (1 - point.y) * (HEIGHT - 2 * inset):.1f}" r="{radius}">'
            f"<title>{escape(point.person)}: {escape(label)}</title></circle>"
            for point in shown.points
            if point.label == label
        )
        # A style and not an attribute: the page's rules for circles must not win.
        parts.append(f'<g style="fill:{colours[label]};fill-opacity:.72">{dots}</g>')
    counts = {label: sum(p.label == label for p in shown.points) for label in shown.labels}
    for place, label in enumerate(shown.labels):
        x = place % _COLUMNS * (WIDTH / _COLUMNS) + 6
        y = HEIGHT + 20 + place // _COLUMNS * _LEGEND_ROW
        text = label if len(label) <= 24 else label[:23] + "…"
        parts.append(
            f'<circle cx="{x:g}" cy="{y - 4:g}" r="5" style="fill:{colours[label]}"/>'
            f'<text x="{x + 10:g}" y="{y:g}" font-size="12">{escape(text)} '
            f'<tspan fill-opacity="0.6">{counts[label]:,}</tspan></text>'
        )
    rows = -(-len(shown.labels) // _COLUMNS)
    return "".join(parts), HEIGHT + 12 + rows * _LEGEND_ROW


def _colours(shown: Map) -> dict[str, str]:
    tones = _ORDERED if shown.coloured_by == "age" else _DISTINCT
    named = [label for label in shown.labels if label not in ("other", "unknown")]
    found = {label: tones[place % len(tones)] for place, label in enumerate(named)}
    return {label: found.get(label, _REST) for label in shown.labels}
