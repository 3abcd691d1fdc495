"""The figures of an MMPB report: accuracy, lift, bias, drops, curves, refusals, ranks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from eyeprint.report.charts import Bar, Cloud, bars_with_intervals, scatter
from eyeprint.report.mmpb_charts import DotRow, diverging, dot_rows
from eyeprint.report.mmpb_found_views import DifferenceView, ShareView
from eyeprint.report.mmpb_layout import MOST_OPEN, main_settings, own_settings, tones_of
from eyeprint.report.mmpb_summary_views import ResultsView
from eyeprint.report.mmpb_words import CONTROLS, ordered_lifts, part_title
from eyeprint.report.page import environment, figure


def keyed(svg: str, keys: Sequence[tuple[str, int, bool]]) -> str:
    """Return a chart with a key of its series below: (name, colour, dashed), marks in turns."""
    shown = environment().get_template("mmpb_keys.html.j2").render(keys=keys)
    return svg + shown


def hundred(value: float | None) -> float | None:
    """Return a share in per cent."""
    return None if value is None else 100 * value


def bar_of(
    label: str, found: ShareView | DifferenceView | None, tone: int = 0, note: str = ""
) -> Bar:
    """Return a share or difference as a bar in per cent or points."""
    if found is None:
        return Bar(label, None, tone=tone)
    value, low, high = hundred(found.value), hundred(found.low), hundred(found.high)
    return Bar(label, value, low, high, tone, note)


def accuracy_figure(results: ResultsView) -> str:
    """Return accuracy of each model in the main settings; of one model, in all of its own."""
    part = results.part("all")
    level = hundred(part.chance) if part else None
    if len(results.models) == 1:
        model = results.models[0].model
        settings = (own_settings(results) or main_settings(results))[:MOST_OPEN]
        cells = [(s, results.cell(model, s)) for s in settings]
        rows = [DotRow(s, (bar_of(s, c.share() if c else None, 1),)) for s, c in cells]
        keys: list[tuple[str, int, bool]] = []
    else:
        settings = main_settings(results)
        rows = [
            DotRow(
                model.model,
                tuple(
                    bar_of(label, cell.share() if cell else None, tone + 1)
                    for tone, label in enumerate(settings)
                    for cell in (results.cell(model.model, label),)
                ),
            )
            for model in results.models
        ]
        keys = [(label, tone + 1, False) for tone, label in enumerate(settings)]
    svg = dot_rows(rows, title="Accuracy in per cent:", level=level, level_label="guessing")
    note = f"Per cent of all questions, with {results.level} % intervals; dashed: guessing"
    made = figure(keyed(svg, keys) if keys else svg, "Accuracy", note, wide=True)
    if len(rows) <= MOST_OPEN:
        return made
    # The table below it tells more in less room.
    folded = environment().get_template("mmpb_folded.html.j2")
    return folded.render(title="Accuracy as a figure", note=f"{len(rows)} models", html=made)


def lift_figure(results: ResultsView) -> str:
    """Return each model's headline lift, over all settings with that control."""
    lifts, tones = ordered_lifts(results), tones_of(results)
    if not lifts:
        return ""
    bars = [
        bar_of(one.model, one.whole, tones[one.model], "" if one.whole.side > 0 else "not sure")
        for one in lifts
    ]
    control = CONTROLS.get(lifts[0].control, lifts[0].control)
    svg = bars_with_intervals(
        bars, title=f"Lift over {control} in points, by model:", sign=True, digits=1
    )
    note = f"Points of accuracy with {results.level} % intervals, all settings together"
    return figure(svg, f"Lift over {control}", note)


def bias_figures(results: ResultsView) -> list[str]:
    """Return diverging bars of the personalisation bias, one figure for each setting (M32)."""
    if results.bias is None:
        return []
    tones = tones_of(results)
    cells = [(c.model, c.setting, c.parts.get("all")) for c in results.bias.cells]

    def drawn(bars: Sequence[Bar], where: str) -> str:
        return diverging(
            bars,
            title=f"Appropriateness minus Awareness in points, {where}:",
            left="brings it in too often",
            right="leaves it out too often",
        )

    return _by_setting(results, cells, tones, drawn, "Personalisation bias, in points")


def _by_setting(
    results: ResultsView,
    cells: Sequence[tuple[str, str, DifferenceView | None]],
    tones: dict[str, int],
    drawn: Callable[[Sequence[Bar], str], str],
    note: str,
) -> list[str]:
    """Return a figure for each setting with models as bars; of one model, one with settings."""
    if len({model for model, _, _ in cells}) <= 1:
        bars = [bar_of(setting, found, 1) for _, setting, found in cells]
        return [figure(drawn(bars, cells[0][0]), cells[0][0], note)] if bars else []
    order = [*main_settings(results), *(one.label for one in results.settings)]
    figures = []
    for setting in dict.fromkeys(order):
        bars = [bar_of(m, found, tones[m]) for m, where, found in cells if where == setting]
        if bars:
            figures.append(figure(drawn(bars, setting), setting, note))
    return figures


def modality_figure(results: ResultsView) -> str:
    """Return text minus pictures, by model (M27)."""
    found = [one for one in results.modality if one.model is not None]
    if not found:
        return ""
    tones = tones_of(results)
    first = found[0]
    bars = [
        bar_of(str(one.model), one.parts.get("all"), tones[str(one.model)])
        for one in found
        if (one.text, one.image) == (first.text, first.image)
    ]
    svg = diverging(
        bars, title="Text minus pictures in points:", left="pictures better", right="text better"
    )
    return figure(svg, "Text against pictures", f"{first.text} minus {first.image}, in points")


def drop_figures(results: ResultsView) -> list[str]:
    """Return lost points, one figure for each pair of lengths; of one model, one of all (M42)."""
    tones, figures = tones_of(results), []
    models = list(dict.fromkeys(one.model for one in results.drops))
    if len(models) == 1:
        bars = [
            bar_of(f"{one.shorter} → {one.longer}", one.parts["all"].difference, 1)
            for one in results.drops[:MOST_OPEN]
            if "all" in one.parts
        ]
        svg = diverging(bars, title="Points lost:", left="gained", right="lost")
        return [figure(svg, models[0], "Accuracy lost, in points")] if bars else []
    for pair in dict.fromkeys((one.shorter, one.longer) for one in results.drops):
        found = [one for one in results.drops if (one.shorter, one.longer) == pair]
        bars = [
            bar_of(one.model, one.parts["all"].difference, tones[one.model])
            for one in found
            if "all" in one.parts
        ]
        svg = diverging(bars, title="Points lost:", left="gained", right="lost")
        figures.append(figure(svg, f"{pair[0]} → {pair[1]}", "Accuracy lost, in points"))
    return figures


def refusal_figure(results: ResultsView) -> str:
    """Return the share of refusals by model, all settings together (M30)."""
    tones, bars = tones_of(results), []
    for model in dict.fromkeys(one.model for one in results.refusals):
        own = [one for one in results.refusals if one.model == model]
        refused, asked = sum(one.refused for one in own), sum(one.asked for one in own)
        if asked:
            told = f"{refused:,} of {asked:,}"
            bars.append(Bar(model, 100 * refused / asked, tone=tones[model], note=told))
    if not any(bar.value for bar in bars):
        return ""
    svg = bars_with_intervals(bars, title="Refused, in per cent, by model:", digits=1)
    return figure(svg, "Refusals", "Per cent of all questions asked, in all settings")


def rank_figures(results: ResultsView) -> list[str]:
    """Return accuracy against general rank, for recognition and preference (M29)."""
    if not results.ranks:
        return []
    table, tones, figures = results.ranks[0], tones_of(results), []
    for key in ("all", "recognition", "preference"):
        clouds = [
            Cloud(
                one.model,
                (),
                (one.rank, 100 * value),
                tone=tones.get(one.model, 0),
            )
            for one in table.models
            for value in (one.parts.get(key),)
            if value is not None
        ]
        if clouds:
            title = f"{part_title(key)}: accuracy by general rank."
            svg = scatter(
                clouds, title=title, x_label="general rank, 1 is best", y_label="accuracy, %"
            )
            figures.append(figure(svg, part_title(key), table.setting or "mean over settings"))
    return figures


def split_figures(figures: Iterable[str], most: int = 2) -> tuple[list[str], list[str]]:
    """Return the figures that are shown at once, and those that are folded.

    >>> split_figures(["a", "b", "c"])
    (['a', 'b'], ['c'])
    """
    found = [each for each in figures if each]
    return found[:most], found[most:]
