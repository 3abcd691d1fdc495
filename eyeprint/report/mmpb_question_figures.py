"""Figures about kinds of questions in an MMPB report: prompting, contrasts, blind models, gaps."""

from __future__ import annotations

from collections.abc import Sequence

from eyeprint.report.charts import Bar, bars_with_intervals
from eyeprint.report.mmpb_charts import DotRow, diverging, dot_rows
from eyeprint.report.mmpb_figures import bar_of, hundred, keyed
from eyeprint.report.mmpb_found_views import MeanView, QuartilesView, ShareView
from eyeprint.report.mmpb_layout import MOST_OPEN, main_settings, strategy_title, tones_of
from eyeprint.report.mmpb_setting_grids import CONTRASTS, GROUPED, keys_in
from eyeprint.report.mmpb_summary_views import ConceptGapView, FairnessView, ResultsView
from eyeprint.report.mmpb_table_views import BlindView, ContrastView, PromptingView
from eyeprint.report.mmpb_words import part_title
from eyeprint.report.page import figure


def prompting_figures(results: ResultsView) -> list[str]:
    """Return ways to put the question against zero shot; the one with most ways first (M40)."""

    def order(one: PromptingView) -> tuple[int, bool]:
        return -len(one.strategies), one.model is not None

    figures = []
    for one in sorted(results.prompting, key=order):
        bars = [
            bar_of(strategy_title(way.strategy), way.parts.get("all"), place + 1)
            for place, way in enumerate(one.strategies)
        ]
        who = one.model or "All models together"
        svg = diverging(
            bars,
            title=f"Accuracy against zero shot in points, {who}, {one.base}:",
            left="zero shot better",
            right="better than zero shot",
        )
        figures.append(figure(svg, who, f"{one.base}; against zero shot, in points"))
    return figures


def contrast_figures(results: ResultsView) -> list[str]:
    """Return both sides of each contrast by what they have in common, in the main settings.

    Of several models: their median, with quartiles as the paper's figure 8 has them (M33).
    """
    figures = []
    for name in CONTRASTS:
        found = [one for one in results.contrasts if one.contrast == name]
        where = [s for s in main_settings(results) if any(one.setting == s for one in found)]
        if where:
            figures.append(_contrast([one for one in found if one.setting == where[0]], name))
    return figures


def _contrast(found: Sequence[ContrastView], name: str) -> str:
    first = found[0]
    sides = [part_title(key.rpartition(" · ")[2]) for key in (first.left_key, first.right_key)]
    rows = []
    for one in found[:MOST_OPEN]:
        if one.left.models > 1:
            dots = (_middle(sides[0], one.left, 1), _middle(sides[1], one.right, 2))
        else:
            model = one.models[0]
            dots = (bar_of(sides[0], model.left, 1), bar_of(sides[1], model.right, 2))
        rows.append(DotRow(part_title(one.part), dots))
    svg = dot_rows(rows, title=f"Accuracy in per cent, {first.setting}:")
    what = "median of the models and quartiles" if first.left.models > 1 else "with intervals"
    keys = [(side, place + 1, False) for place, side in enumerate(sides)]
    return figure(keyed(svg, keys), CONTRASTS[name], f"{first.setting}; {what}")


def _middle(label: str, found: QuartilesView, tone: int) -> Bar:
    return Bar(label, hundred(found.median), hundred(found.q1), hundred(found.q3), tone)


def blind_figures(results: ResultsView) -> list[str]:
    """Return accuracy with and without the picture beside the optimum, by model (M21)."""
    return [_blind(one, results.level) for one in results.blind]


def _blind(one: BlindView, level: str) -> str:
    names = ("black picture", "with the picture", "optimum without it")
    rows = [
        DotRow(
            part_title(part.part),
            (
                bar_of(names[0], part.share, 4),
                bar_of(names[1], part.seen, 1) if part.seen is not None else None,
                Bar(names[2], 100 * part.optimum, tone=0),
            ),
        )
        for part in one.parts
    ]
    svg = dot_rows(rows, title=f"Accuracy in per cent of {one.model}, {one.setting}:")
    keys = [(names[0], 4, False), (names[1], 1, False), (names[2], 0, False)]
    return figure(keyed(svg, keys), one.model, f"{one.setting}; {level} % intervals")


def access_figure(results: ResultsView) -> str:
    """Return means of open and of closed models by kind of question (M28)."""
    if not results.access:
        return ""
    one = results.access[0]
    rows = [
        DotRow(
            part_title(key),
            (_mean("open", one.open_means.get(key), 5), _mean("closed", one.closed_means[key], 4)),
        )
        for key in keys_in([one.closed_means], GROUPED)
    ]
    svg = dot_rows(rows, title="Mean accuracy in per cent of open and of closed models:")
    keys = [("open weights", 5, False), ("closed", 4, False)]
    return figure(keyed(svg, keys), "Open and closed", one.setting or "mean over settings")


def _mean(label: str, found: MeanView | None, tone: int) -> Bar | None:
    if found is None:
        return None
    return Bar(label, hundred(found.value), hundred(found.low), hundred(found.high), tone)


def unaided_figure(results: ResultsView) -> str:
    """Return what models answer right without any concept, beside guessing."""
    found = [one for one in results.unaided if one.part == "all"]
    if not found:
        return ""
    tones = tones_of(results)
    first = found[0].setting
    rows = [
        DotRow(one.model, (bar_of("accuracy", one.share, tones.get(one.model, 0)),))
        for one in found
        if one.setting == first
    ]
    svg = dot_rows(
        rows,
        title="Accuracy in per cent without a concept:",
        level=100 * found[0].chance,
        level_label="guessing",
    )
    note = f"{first}; {results.level} % intervals; dashed: guessing"
    return figure(svg, "Right without any concept", note)


def lost_figure(results: ResultsView) -> str:
    """Return the share of answers that were lost by model, with what became of most of them."""
    tones, bars = tones_of(results), []
    for model in results.models:
        counts = [c.outcomes for c in results.cells if c.model == model.model]
        asked = sum(each.asked for each in counts)
        lost = asked - sum(each.answered for each in counts)
        if asked:
            refused = sum(each.refused for each in counts)
            note = f"{refused:,} refused, {lost - refused:,} otherwise" if lost else ""
            value = 100 * lost / asked
            bars.append(Bar(model.model, value, tone=tones[model.model], note=note))
    if not any(bar.value for bar in bars):
        return ""
    svg = bars_with_intervals(bars, title="Answers lost, in per cent, by model:", digits=1)
    return figure(svg, "Answers without a reading", "Per cent of all answers, in all settings")


def gap_figure(results: ResultsView) -> str:
    """Return the concepts that lie farthest from their category, on either side (M45)."""
    found: list[tuple[FairnessView, ConceptGapView]] = [
        (one, gap) for one in results.fairness for gap in one.concepts
    ]
    if not found:
        return ""
    found.sort(key=lambda each: (-abs(each[1].gap), each[0].model, each[1].concept))
    alone = len({one.model for one, _ in found}) == 1
    bars = []
    for one, gap in sorted(found[:MOST_OPEN], key=lambda each: each[1].gap):
        where = one.setting if alone else f"{one.model} · {one.setting}"
        label = f"{gap.concept} · {where}" + (" · flagged" if gap.flagged else "")
        share = ShareView(value=gap.gap, low=gap.low, high=gap.high)
        bars.append(bar_of(label, share, 4 if gap.gap < 0 else 1))
    svg = diverging(bars, title="Largest gaps in points:", left="below its category", right="above")
    note = f"The {len(bars)} largest of {len(found):,}, in points, with Newcombe’s intervals"
    return figure(svg, "Concepts farthest from their category", note, wide=True)


def cost_figure(results: ResultsView) -> str:
    """Return what 1,000 answers of each model cost (M47)."""
    tones = tones_of(results)
    bars = [
        Bar(one.model, one.usd_per_1000, tone=tones.get(one.model, 0))
        for one in results.costs
        if one.usd_per_1000
    ]
    if not bars:
        return ""
    svg = bars_with_intervals(bars, title="US dollars for 1,000 answers, by model:", digits=2)
    return figure(svg, "Cost", "US dollars for 1,000 answers")
