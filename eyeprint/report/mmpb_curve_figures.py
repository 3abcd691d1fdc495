"""Line charts of an MMPB report: position, number of concepts, turns and tokens, granularity."""

from __future__ import annotations

from collections.abc import Sequence

from eyeprint.report.charts_lines import Line, Reached, compressed, lines_with_intervals
from eyeprint.report.mmpb_figures import hundred, keyed
from eyeprint.report.mmpb_layout import tones_of
from eyeprint.report.mmpb_setting_grids import curve_title
from eyeprint.report.mmpb_summary_views import ResultsView
from eyeprint.report.mmpb_table_views import CurveView, PointView
from eyeprint.report.page import figure

X_LABELS = {
    "position": "turns before the concept is told",
    "concepts": "concepts told",
    "turns": "turns of dialogue",
    "tokens": "tokens of dialogue",
}
MOST_LINES = 8


def curve_figures(results: ResultsView, axis: str, key: str = "all") -> list[str]:
    """Return figures of all curves along an axis, at most eight lines each.

    With several series and few models a figure is about a model, and lines are series; else it is
    about a series, and lines are models. ``"tokens"`` draws the curves of
    turns over the length of the dialogue.
    """
    wanted = "turns" if axis == "tokens" else axis
    curves = [one for one in results.curves if one.axis == wanted]
    models = dict.fromkeys(one.model for one in curves)
    series = dict.fromkeys(curve_title(one) for one in curves)
    by_model = len(models) == 1 or (len(series) > 1 and len(models) <= MOST_LINES)
    tones, figures = tones_of(results), []
    for group in models if by_model else series:
        own = [one for one in curves if group == (one.model if by_model else curve_title(one))]
        for start in range(0, len(own), MOST_LINES):
            lines = [
                _line(one, axis, key, by_model, place if by_model else tones[one.model] - 1)
                for place, one in enumerate(own[start : start + MOST_LINES])
            ]
            found = [line for line in lines if len(line.points) > 1]
            if found:
                figures.append(_figure(results, found, group, axis))
    return figures


def _line(curve: CurveView, axis: str, key: str, by_model: bool, place: int) -> Line:
    label = curve_title(curve) if by_model else curve.model
    points = [
        Reached(x, 100 * share.value, hundred(share.low), hundred(share.high))
        for point in curve.points
        for x, share in [(_place(point, axis), point.parts.get(key))]
        if x is not None and share is not None and share.value is not None
    ]
    points.sort(key=lambda point: point.x)
    return Line(label, tuple(points), (place + 1) % 8, dashed=curve.prompting != "zero_shot")


def _place(point: PointView, axis: str) -> float | None:
    return point.dialogue_tokens if axis == "tokens" else float(point.x)


def _figure(results: ResultsView, lines: Sequence[Line], title: str, axis: str) -> str:
    part = results.part("all")
    chance = hundred(part.chance) if part else None
    lowest = min(v for line in lines for p in line.points for v in (p.y, p.low) if v is not None)
    near = chance is not None and lowest - chance < 12
    svg = lines_with_intervals(
        lines,
        title=f"Accuracy in per cent by {X_LABELS[axis]}, {title}.",
        x_label=X_LABELS[axis],
        y_label="accuracy, %",
        level=chance if near else None,
        level_label="guessing",
    )
    note = f"With {results.level} % intervals"
    note += "; dashed across: guessing" if near else ""
    if compressed(sorted({p.x for line in lines for p in line.points})):
        note += "; the axis is drawn closer to the right"
    keys = [(line.label, line.tone, line.dashed) for line in lines]
    return figure(keyed(svg, keys), title, note)


def granularity_figures(results: ResultsView) -> list[str]:
    """Return accuracy in recognition by how much is told of a concept, a line for each model.

    Injections stand side by side as steps: text levels, then pictures by count.
    """
    tables = results.granularity
    tones, figures = tones_of(results), []
    for base in dict.fromkeys(one.base for one in tables):
        own = [one for one in tables if one.base == base]
        steps = list(dict.fromkeys(grain.inject for one in own for grain in one.grains))
        key = (
            "recognition"
            if any("recognition" in g.parts for t in own for g in t.grains)
            else ("all")
        )
        lines = [
            Line(
                one.model,
                tuple(
                    Reached(steps.index(g.inject), 100 * s.value, hundred(s.low), hundred(s.high))
                    for g in one.grains
                    for s in [g.parts.get(key)]
                    if s is not None and s.value is not None
                ),
                tones[one.model],
            )
            for one in own
        ]
        for start in range(0, len(lines), MOST_LINES):
            shown = [line for line in lines[start : start + MOST_LINES] if line.points]
            if not shown or len(steps) < 3:
                continue
            svg = lines_with_intervals(
                shown,
                title=f"Accuracy in per cent, {key}, by what is told: {', '.join(steps)}.",
                x_label="told",
                y_label="accuracy, %",
                names={float(place): step_name(name) for place, name in enumerate(steps)},
            )
            keys = [(line.label, line.tone, line.dashed) for line in shown]
            note = f"{key.capitalize()}, with {results.level} % intervals"
            figures.append(figure(keyed(svg, keys), base, note))
    return figures


def step_name(inject: str) -> str:
    """Return an injection in a word or two, for below an axis.

    >>> step_name("text:simple"), step_name("image:1"), step_name("image:5")
    ('simple', '1 picture', '5 pictures')
    """
    kind, _, value = inject.partition(":")
    if kind != "image":
        return value or inject
    return f"{value} picture" if value == "1" else f"{value} pictures"
