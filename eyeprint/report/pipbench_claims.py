"""What the paper says its tables show, checked on this run, with numbers (P48, P58, P65)."""

from __future__ import annotations

from typing import NamedTuple

from eyeprint.report.grids import Cell, Grid
from eyeprint.report.pipbench_arena_view import MetricView
from eyeprint.report.pipbench_columns import (
    arrow,
    digits,
    split_title,
    table_columns,
    titles_of,
)
from eyeprint.report.pipbench_table_views import GapView, GrayView, ImageTableView
from eyeprint.report.pipbench_view import NO_PREFERENCE, FinishedPipbench
from eyeprint.report.pipbench_words import some
from eyeprint.report.words import listed, number


class Claim(NamedTuple):
    """One claim: what is said, and what this run has to say to it."""

    said: str
    lines: tuple[str, ...]


def claims(run: FinishedPipbench) -> list[Claim]:
    """Return the claims that this run can say something about."""
    found = [
        Claim("Most methods beat no preference", _beaten(run)),
        Claim("More references can hurt", _more_references(run)),
        Claim("Turning pictures gray keeps the ranking", _gray(run)),
        Claim("Reference metrics follow the ratings", _follow(run)),
        Claim("Real users are easier to align with", _gaps(run)),
    ]
    return [claim for claim in found if claim.lines]


def _beaten(run: FinishedPipbench) -> tuple[str, ...]:
    titles = titles_of(run)
    told: dict[str, list[str]] = {}
    for each in run.summary.claims.beaten:
        total = len(each.better) + len(each.not_better)
        if not total:
            continue
        rest = [titles.get(label, label) for label in each.not_better]
        but = f" (not {some(rest)})" if rest else ""
        text = f"{each.column} {len(each.better)} of {total}{but}"
        told.setdefault(each.split, []).append(text)
    return tuple(
        f"{split_title(split)}, better by their means: {', '.join(texts)}."
        for split, texts in told.items()
    )


def _more_references(run: FinishedPipbench) -> tuple[str, ...]:
    lines = []
    for table in run.summary.tables:
        for one, two, painter in _edit_pairs(table):
            told = []
            for column in table_columns(table.columns):
                first, second = table.measure(one, column.name), table.measure(two, column.name)
                if (
                    column.against != "references"
                    or first is None
                    or second is None
                    or first.mean is None
                    or second.mean is None
                ):
                    continue
                gap = second.mean - first.mean
                worse = gap < 0 if column.better == "higher" else gap > 0
                shown = number(gap, digits(column), sign=True)
                told.append(f"{column.name} {shown} ({'worse' if worse else 'not worse'})")
            if told:
                lines.append(
                    f"{split_title(table.split)}, two references against one with {painter}: "
                    f"{listed(told)}."
                )
    return tuple(lines)


def _edit_pairs(table: ImageTableView) -> list[tuple[str, str, str]]:
    ones = {row.painter: row.model for row in table.models if row.method == "edit_1ref"}
    twos = {row.painter: row.model for row in table.models if row.method == "edit_2ref"}
    return [(ones[painter], twos[painter], painter) for painter in ones if painter in twos]


def _gray(run: FinishedPipbench) -> tuple[str, ...]:
    lines = []
    for table in run.summary.tables:
        found = [each for each in gray_moves(run) if each.split == table.split]
        if not found:
            continue
        moved = [f"{each.colour} ({each.moved} of {each.models})" for each in found if each.moved]
        best = [each.colour for each in found if each.best_before != each.best_after]
        text = f"ranks change in {', '.join(moved)}" if moved else "no rank changes"
        text += f"; the best one changes in {listed(best)}" if best else "; no best one changes"
        lines.append(f"{split_title(table.split)}: {text}.")
    return tuple(lines)


def gray_moves(run: FinishedPipbench) -> list[GrayView]:
    """Return the moves that can be: of two models or more, against prompt and references."""
    return [
        each
        for each in run.summary.claims.gray
        if each.models > 1 and not each.colour.endswith("-Y")
    ]


def moves_grid(run: FinishedPipbench) -> Grid | None:
    """Return what turning pictures gray does to the order of models, column by column (P48)."""
    titles = titles_of(run)
    rows: list[tuple[Cell, ...]] = []
    breaks, before = set(), ""
    for each in gray_moves(run):
        if rows and each.split != before:
            breaks.add(len(rows))
        best, after = each.best_before or "", each.best_after or ""
        rows.append(
            (
                Cell(split_title(each.split) if each.split != before or not rows else ""),
                Cell(f"{each.colour} → {each.gray}"),
                Cell(f"{each.moved} of {each.models}"),
                Cell(number(each.spearman, 2)),
                Cell(titles.get(best, best), method=best),
                Cell(titles.get(after, after), method=after),
            )
        )
        before = each.split
    if not rows:
        return None
    return Grid(
        "gray-moves",
        "What gray does to the ranking",
        ("Split", "Columns", "Ranks that change", "ρ", "Best in colour", "Best in gray"),
        tuple(rows),
        2,
        "ρ is Spearman’s, of the means in colour and in gray.",
        frozenset(breaks),
    )


def _follow(run: FinishedPipbench) -> tuple[str, ...]:
    better = {column.name: column.better for column in run.summary.overall.columns}
    lines = []
    for judged in run.judged:
        metrics = judged.arena.metrics if judged.arena is not None else ()
        for metric in metrics:
            if metric.spearman is None or metric.metric not in better:
                continue
            column = run.summary.overall.column(metric.metric)
            if column is None or column.gray or column.against == "target":
                continue
            lines.append(_follow_line(metric, better[metric.metric] == "lower"))
    return tuple(lines)


def _follow_line(metric: MetricView, lower: bool) -> str:
    ends = ""
    if metric.low is not None and metric.high is not None:
        ends = f" [{number(metric.low, 2, sign=True)}, {number(metric.high, 2, sign=True)}]"
    agrees = (metric.spearman or 0.0) * (-1 if lower else 1)
    told = "the same way" if agrees > 0 else "the other way" if agrees < 0 else "neither way"
    note = ", lower is better" if lower else ""
    return (
        f"{metric.metric}: ρ {number(metric.spearman, 2, sign=True)}{ends} over {metric.models} "
        f"models{note}: it goes {told} as the ratings."
    )


def _gaps(run: FinishedPipbench) -> tuple[str, ...]:
    titles = titles_of(run)
    methods = {row.model: row.method for row in run.summary.overall.models}
    lines = []
    for column in table_columns(run.summary.overall.columns):
        gaps = [gap for gap in run.summary.claims.gaps if gap.column == column.name]
        if column.against != "references":
            continue
        places = digits(column)

        def told(gap: GapView, places: int = places) -> str:
            name = titles.get(gap.model, gap.model)
            return f"{name} {number(gap.beyond_reference, places, sign=True)}"

        for base in (gap for gap in gaps if methods.get(gap.model) == NO_PREFERENCE):
            rest = [gap for gap in gaps if gap.reference == base.model]
            if rest:
                lines.append(
                    f"{arrow(column)}: {titles.get(base.model, base.model)}, which aligns with "
                    f"nobody, itself differs by {number(base.gap, places, sign=True)} from "
                    f"synthetic to real. Beyond that: {some([told(gap) for gap in rest])}."
                )
    return tuple(lines)
