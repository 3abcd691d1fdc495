"""Tables that hold settings of an MMPB run against each other: length, injection, prompting."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from eyeprint.report.grids import Cell, Grid
from eyeprint.report.mmpb_found_views import DropView, QuartilesView
from eyeprint.report.mmpb_layout import (
    breaks_of,
    difference_cell,
    main_settings,
    model_cell,
    p_text,
    share_cell,
    strategy_title,
    unrepeated,
)
from eyeprint.report.mmpb_summary_views import ResultsView
from eyeprint.report.mmpb_table_views import CurveView
from eyeprint.report.mmpb_words import part_title, percent
from eyeprint.report.words import NONE, bracket_ends, counted, number

GROUPED = ("all", "recognition", "preference", "awareness", "appropriateness", "coherency")
CURVED = ("all", "recognition", "preference")
AXES = {"position": "Position", "concepts": "Concepts", "turns": "Turns"}
CONTRASTS = {
    "entities": "One entity in the picture against several",
    "species": "Another of the same species in the picture against another species",
    "taste": "What somebody likes against what they dislike",
    "negation": "Plain questions against negated ones",
}
NOTE_POINTS = "In points, with {} % intervals, on the questions that both sides have."


def keys_in(found: Iterable[Iterable[str]], order: Sequence[str] = GROUPED) -> list[str]:
    """Return the keys of ``order`` that any of the parts has.

    >>> keys_in([{"all": 1}, {"coherency": 2}])
    ['all', 'coherency']
    """
    there = {key for one in found for key in one}
    return [key for key in order if key in there]


def drops_grid(results: ResultsView) -> Grid | None:
    """Return what is lost from a shorter to a longer dialogue, as a ratio and in points (M42)."""
    if not results.drops:
        return None
    keys = keys_in(one.parts for one in results.drops)
    sizes = any(one.size_b is not None for one in results.drops)
    rows = []
    for one in results.drops:
        whole = one.parts.get("all")
        size = Cell(NONE if one.size_b is None else f"{one.size_b:g}")
        rows.append(
            (
                model_cell(one.model),
                *([size] if sizes else []),
                Cell(one.shorter),
                Cell(one.longer),
                difference_cell(whole.difference if whole else None),
                *(_ratio(one.parts.get(key)) for key in keys),
            )
        )
    made = unrepeated(rows)
    return Grid(
        "drops",
        "What a longer dialogue loses",
        ("Model", *(["Billions"] if sizes else []), "Shorter", "Longer", "Lost points",
         *(f"Drop ratio, {part_title(key).lower()}" for key in keys)),
        made,
        labels=3 + sizes,
        note="Drop ratio: the share of the accuracy that is lost, in per cent; 0 keeps everything, "
        "100 loses everything, below 0 gains.",
        breaks=breaks_of(made),
    )  # fmt: skip


def _ratio(drop: DropView | None) -> Cell:
    if drop is None or drop.ratio is None:
        return Cell(NONE)
    known = drop.low is not None and drop.high is not None
    ends = bracket_ends(100 * drop.low, 100 * drop.high, 1) if known else ""  # type: ignore[operator]
    return Cell(percent(drop.ratio), ends)


def modality_grid(results: ResultsView) -> Grid | None:
    """Return text minus pictures, all else equal (M27)."""
    if not results.modality:
        return None
    keys = keys_in(one.parts for one in results.modality)
    rows = unrepeated(
        (
            model_cell(one.model, f"Mean of {counted(one.models, 'model')}"),
            Cell(one.text),
            Cell(one.image),
            *(difference_cell(one.parts.get(key)) for key in keys),
        )
        for one in results.modality
    )
    return Grid(
        "modality",
        "Told in words against shown in pictures",
        ("Model", "Text", "Pictures", *(part_title(key) for key in keys)),
        rows,
        labels=3,
        note="Text minus pictures. " + NOTE_POINTS.format(results.level),
        breaks=breaks_of(rows),
    )


def granularity_grids(results: ResultsView) -> list[Grid]:
    """Return accuracy by how much is told of a concept, one table for each part (M34)."""
    tables = results.granularity
    if not tables:
        return []
    injects = list(dict.fromkeys(grain.inject for one in tables for grain in one.grains))
    grids = []
    for key in keys_in((g.parts for one in tables for g in one.grains), ("recognition", "all")):
        rows = []
        for one in tables:
            shares = {grain.inject: grain.parts.get(key) for grain in one.grains}
            rows.append(
                (
                    model_cell(one.model),
                    Cell(one.base),
                    *(share_cell(shares.get(name)) for name in injects),
                )
            )
        made = unrepeated(rows)
        grids.append(
            Grid(
                f"granularity-{key}",
                f"How much is told of the concept: {part_title(key).lower()}",
                ("Model", "All else", *injects),
                made,
                labels=2,
                note=f"Accuracy in per cent, with {results.level} % intervals.",
                breaks=breaks_of(made),
            )
        )
    return grids


def curve_grid(results: ResultsView, axis: str) -> Grid | None:
    """Return the points of all curves along one axis (M36, M37, M38, M44)."""
    curves = [one for one in results.curves if one.axis == axis]
    if not curves:
        return None
    keys = keys_in((point.parts for one in curves for point in one.points), CURVED)
    tokens = axis == "turns" and any(p.dialogue_tokens for one in curves for p in one.points)
    rows = []
    for one in curves:
        for point in one.points:
            told = NONE if point.dialogue_tokens is None else number(point.dialogue_tokens, 0)
            rows.append(
                (
                    model_cell(one.model),
                    Cell(curve_title(one)),
                    Cell(f"{point.x}"),
                    *([Cell(told)] if tokens else []),
                    *(share_cell(point.parts.get(key)) for key in keys),
                )
            )
    made = unrepeated(rows, 2)
    titles = {
        "position": ("Where the concept is told", "Told after turn"),
        "concepts": ("How many concepts are told", "Concepts"),
        "turns": ("How long is talked in between", "Turns"),
    }
    title, x = titles[axis]
    starts = frozenset(k for k, row in enumerate(made) if k and not (row[0].same and row[1].same))
    return Grid(
        f"curve-{axis}",
        title,
        ("Model", "All else", x, *(["Tokens of talk"] if tokens else []), *map(part_title, keys)),
        made,
        labels=2,
        note=f"Accuracy in per cent, with {results.level} % intervals.",
        breaks=starts,
    )


def curve_title(curve: CurveView) -> str:
    """Return what tells a curve from others of its axis."""
    return curve.series or curve.inject


def prompting_grid(results: ResultsView) -> Grid | None:
    """Return ways to put the question against zero-shot, with paired tests (M40)."""
    if not results.prompting:
        return None
    found = [s.parts for one in results.prompting for s in one.strategies]
    keys = keys_in(found)
    rows = []
    for one in results.prompting:
        for strategy in one.strategies:
            whole = strategy.parts.get("all")
            rows.append(
                (
                    model_cell(one.model, "All models together"),
                    Cell(one.base),
                    Cell(strategy_title(strategy.strategy)),
                    *(difference_cell(strategy.parts.get(key)) for key in keys),
                    Cell(p_text(whole.p if whole else None)),
                    Cell(p_text(strategy.holm.get("all"))),
                    Cell(p_text(strategy.mcnemar.get("all"))),
                )
            )
    made = unrepeated(rows, 2)
    return Grid(
        "prompting",
        "Ways to put the question, against zero shot",
        ("Model", "Zero shot", "Put as", *map(part_title, keys), "p", "p, all ways", "McNemar p"),
        made,
        labels=3,
        note=NOTE_POINTS.format(results.level) + " p is of a paired test that flips the signs of "
        "whole concepts: how often chance alone would make such a difference. The second p allows "
        "for the number of ways that were tried (Holm). McNemar’s takes questions as independent, "
        "and is there for comparison.",
        breaks=breaks_of(made),
    )


def prompting_tests_grid(results: ResultsView) -> Grid | None:
    """Return whether any way to put the question differs from any other."""
    rows = tuple(
        (
            model_cell(one.model, "All models together"),
            Cell(one.base),
            share_cell(one.zero_shot.get("all")),
            Cell(f"{one.n:,}"),
            Cell(p_text(one.omnibus_p)),
            Cell(number(one.cochran_q, 2)),
            Cell(p_text(one.cochran_p)),
        )
        for one in results.prompting
    )
    if not rows:
        return None
    return Grid(
        "prompting-tests",
        "Does it matter at all how the question is put?",
        ("Model", "Zero shot", "Accuracy, zero shot", "Questions", "p", "Cochran’s Q",
         "p of Q"),
        rows,
        labels=2,
        note="p: all ways against each other at once, by permuting them within concepts; a small "
        "one says that some way differs. Cochran’s Q takes questions as independent.",
    )  # fmt: skip


def contrast_grid(results: ResultsView, contrast: str) -> Grid | None:
    """Return two kinds of questions side by side, in the main settings (M33)."""
    found = [one for one in results.contrasts if one.contrast == contrast]
    main = [one for one in found if one.setting in main_settings(results)]
    found = main or found
    if not found:
        return None
    rows: list[tuple[Cell, ...]] = []
    for one in found:
        where = (Cell(one.setting), Cell(part_title(one.part)))
        left, right = _differing(one.left_key), _differing(one.right_key)
        rows += [
            (
                *where,
                model_cell(model.model),
                share_cell(model.left),
                share_cell(model.right),
                difference_cell(model.difference),
            )
            for model in one.models
        ]
        if one.left.models > 1:
            rows.append(
                (
                    *where,
                    Cell(f"Median of {one.left.models}"),
                    *map(_quartiles, (one.left, one.right)),
                    _quartiles(one.difference, sign=True),
                )
            )
    made = unrepeated(rows, 2)
    starts = frozenset(k for k, row in enumerate(made) if k and not (row[0].same and row[1].same))
    return Grid(
        f"contrast-{contrast}",
        CONTRASTS.get(contrast, contrast),
        ("Setting", "Questions", "Model", left, right, "Difference"),
        made,
        labels=3,
        note="Accuracy in per cent and difference in points; the questions differ, so nothing is "
        "paired. In brackets: intervals, and quartiles of the models beside their median.",
        breaks=starts,
    )


def _differing(key: str) -> str:
    return part_title(key.rpartition(" · ")[2])


def _quartiles(found: QuartilesView, sign: bool = False) -> Cell:
    if found.median is None or found.q1 is None or found.q3 is None:
        return Cell(NONE)
    return Cell(percent(found.median, sign), bracket_ends(100 * found.q1, 100 * found.q3, 1, sign))
