"""The judges' part of the PIPBench page: ratings, win matrix, bars per judge, metrics (P54-P58)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from eyeprint.report.charts import Bar, Cloud, scatter
from eyeprint.report.grids import Grid
from eyeprint.report.page import environment, figure, grid_html
from eyeprint.report.pipbench_arena_grids import arena_grids, top_pairs, whole_percent
from eyeprint.report.pipbench_arena_view import ArenaView, Judged
from eyeprint.report.pipbench_charts import Shares, dots_with_intervals, win_tie_loss
from eyeprint.report.pipbench_columns import arrow, models_of
from eyeprint.report.pipbench_table_views import ImageTableView
from eyeprint.report.pipbench_view import FinishedPipbench
from eyeprint.report.pipbench_words import judges_text
from eyeprint.report.words import NONE, bracket_ends, counted, number

STRONGEST = 55
"""Most of a colour, in per cent, behind a cell of the matrix: text stays legible on it."""


class Heat(NamedTuple):
    """One cell of the win matrix."""

    text: str
    told: str
    """What it says, for a pointer that rests on it."""
    side: str
    """ "win", "loss" or ""."""
    strength: int


def arena_part(run: FinishedPipbench, judged: Judged, tones: Mapping[str, int]) -> str:
    """Return one judging as HTML."""
    grids = arena_grids(run, judged)
    shown = {name: grid_html(grid, dict(tones)) for name, grid in grids.items()}
    values: dict[str, Any] = {"matrix": None, "rating_figure": "", "pairs_figure": ""}
    arena = judged.arena
    if arena is not None:
        titles = {model.label: model.title for model in models_of(run)}
        values = {
            "matrix": heat_html(grids["matrix"], arena) if "matrix" in grids else None,
            "rating_figure": _rating_figure(arena, titles, tones),
            "pairs_figure": _pairs_figure(arena, titles),
        }
    return (
        environment()
        .get_template("pipbench_arena.html.j2")
        .render(
            title=_title(run, judged),
            lead=_lead(judged),
            notes=arena.notes if arena is not None else (),
            scatters=_scatters(run, judged, tones),
            grids=shown,
            **values,
        )
    )


def _title(run: FinishedPipbench, judged: Judged) -> str:
    return "" if len(run.judged) == 1 else f"Judging {judged.name[:12]}"


def _lead(judged: Judged) -> str:
    arena = judged.arena
    if arena is None:
        return "Nothing could be rated: no verdict counts, or the models are not connected."
    people = counted(arena.persons, "person", "people")
    text = (
        f"{counted(arena.counted, 'verdict')} of {arena.verdicts:,} count, on "
        f"{counted(arena.comparisons, 'comparison')} for {people}, by "
        f"{judges_text(judged)}."
    )
    if arena.excluded:
        left = ", ".join(f"{why} {count:,}" for why, count in arena.excluded.items())
        text += f" Left out: {left}."
    return text


def heat_html(grid: Grid, arena: ArenaView) -> str:
    """Return the win matrix as a table whose cells are the darker the clearer they are."""
    matrix = arena.matrix
    rows = []
    for i, cells in enumerate(grid.rows):
        heat = []
        for j in range(len(matrix.models)):
            rate = matrix.rates[i][j]
            if i == j or rate is None:
                heat.append(Heat("" if i == j else NONE, "", "", 0))
                continue
            wins, ties, losses = matrix.wins[i][j], matrix.ties[i][j], matrix.wins[j][i]
            told = f"{wins} won, {ties} tied, {losses} lost"
            side = "win" if rate > 0.5 else "loss" if rate < 0.5 else ""
            heat.append(
                Heat(whole_percent(rate), told, side, round(2 * STRONGEST * abs(rate - 0.5)))
            )
        rows.append((cells[0].text, heat))
    return environment().get_template("heat.html.j2").render(grid=grid, rows=rows)


def _rating_figure(arena: ArenaView, titles: Mapping[str, str], tones: Mapping[str, int]) -> str:
    dots = [
        Bar(
            titles.get(row.model, row.model),
            row.rating,
            row.low,
            row.high,
            tones.get(row.model, 0),
            f"rank {row.rank_low}–{row.rank_high}" if row.rank_low != row.rank_high else "",
        )
        for row in arena.models
    ]
    chart = dots_with_intervals(
        dots, title="Rating by model:", digits=0, level=1500.0, level_label="the average"
    )
    note = f"Bradley–Terry points around 1500, with {arena.level} % intervals"
    return figure(chart, "Ratings", note)


def _pairs_figure(arena: ArenaView, titles: Mapping[str, str]) -> str:
    pairs = top_pairs(arena)
    if not pairs:
        return ""
    bars, before = [], None
    for pair in pairs:
        key = (pair.model, pair.against)
        heading = ""
        if key != before:
            best, other = (titles.get(label, label) for label in key)
            heading = f"{best} against {other}"
        before = key
        bars.append(Shares(pair.judge, pair.wins, pair.ties, pair.losses, heading))
    chart = win_tie_loss(bars, title="Wins, ties and losses by judge.")
    return figure(chart, "The best against those that follow, by judge", "Win / tie / loss")


def _scatters(run: FinishedPipbench, judged: Judged, tones: Mapping[str, int]) -> list[str]:
    arena = judged.arena
    if arena is None:
        return []
    titles = {model.label: model.title for model in models_of(run)}
    table = judged_table(run, judged)
    figures = []
    for metric in arena.metrics:
        column = table.column(metric.metric)
        if column is None or column.gray or column.against == "target":
            continue
        clouds = []
        for row in arena.models:
            measure = table.measure(row.model, column.name)
            if measure is None or measure.mean is None:
                continue
            point = (measure.mean, row.rating)
            name = titles.get(row.model, row.model)
            clouds.append(Cloud(name, (), point, None, tones.get(row.model, 0)))
        if len(clouds) < 2:
            continue
        chart = scatter(
            clouds,
            title=f"Rating against {column.name} by model.",
            x_label=arrow(column),
            y_label="Rating",
            height=340,
        )
        ends = bracket_ends(metric.low, metric.high, 2, sign=True)
        rho = f"ρ {number(metric.spearman, 2, sign=True)} {ends}".strip()
        figures.append(figure(chart, f"Rating against {column.name}", rho))
    return figures


def judged_table(run: FinishedPipbench, judged: Judged) -> ImageTableView:
    """Return the table of the split that was judged, or of all cases where there are several."""
    if len(judged.splits) == 1:
        for table in run.summary.tables:
            if table.split in judged.splits:
                return table
    return run.summary.overall
