"""``report.html`` of a VPTT run: one file that opens anywhere, offline."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from eyeprint.report.charts import Bar, Cloud, Swarm, bars_with_intervals, scatter, strip
from eyeprint.report.gallery_page import gallery_note, gallery_people
from eyeprint.report.grids import Cell, Grid
from eyeprint.report.page import environment, figure, grid_html, page
from eyeprint.report.run_folder_view import FinishedRun, MeasureName, TableView
from eyeprint.report.sampling import Sampled, quartiles, sample
from eyeprint.report.vptt_grids import (
    compact_grid,
    overview_grid,
    pairs_grid,
    rankings_grid,
    run_tasks,
    task_grids,
    task_tables,
    unscored_grid,
)
from eyeprint.report.words import (
    DEFINITIONS,
    MEASURES,
    TITLES,
    counted,
    has_lift,
    headline,
    lift_sentence,
    listed,
    method_title,
    number,
    writer_title,
)

CONTENTS = (
    ("lift", "Lift"),
    ("reading", "How to read this"),
    ("methods", "Methods"),
    ("tasks", "Tasks"),
    ("people", "People"),
    ("gallery", "Prompts"),
    ("unscored-section", "Missing"),
    ("settings", "Settings"),
)


NONE = '<div class="caption"><span class="name">{}</span> <span class="note">None: {}.</span></div>'


def html(run: FinishedRun) -> str:
    """Return the report as one self-contained HTML page; equal runs give equal bytes.

    The rows are read once. Charts of single prompts and people show a sample, drawn from
    the run's seed, and say so.

    Raises:
        DataError: a file of the run is missing or cut.
    """
    found = sample(run)
    tones = method_tones(run)
    said = headline(run)
    weak = {lift_sentence(row) for row in run.summary.overall.methods if not has_lift(row)}
    body = (
        environment()
        .get_template("vptt.html.j2")
        .render(
            flags=[
                line for line in map(lift_sentence, run.summary.overall.methods) if line in weak
            ],
            lift_figure=_lift_figure(run, tones),
            rankings=grid_html(rankings_grid(run), tones),
            definitions=_definitions(run),
            means_note=_means_note(run),
            score_figure=_score_figure(run, tones),
            scatter_figure=_scatter_figure(run, found, tones),
            overview=grid_html(overview_grid(run), tones),
            compact=_optional(compact_grid(run), tones),
            pairs=grid_html(pairs_grid(run), tones),
            task_figures=_task_figures(run, tones),
            task_tables=[grid_html(grid, tones) for grid in task_grids(run)],
            many_writers=len(run.settings.writers) > 1,
            tasks_apart=bool(run.settings.apart),
            strip_figure=_strip_figure(run, found, tones),
            spread_sampled=_spread_note(found),
            **_gallery(run, found, tones),
            unscored=grid_html(unscored_grid(run), tones),
            failures=_failures(found),
            reasons=_reasons(found),
            people_faults=run.summary.people.faults,
            technical=_technical(run, found),
            encoder_notes=run.summary.encoder.notes,
            settings_json=_pretty(run.manifest.get("settings", {})),
        )
    )
    return page(
        "VPTT: which method fits the person",
        body,
        heading=said[0],
        kicker="eyeprint · VPTT report",
        lead=[line for line in said[1:] if line not in weak],
        facts=_facts(run, found),
        contents=CONTENTS,
        script=environment().get_template("gallery.js.j2").render(),
        footer=f"Made by eyeprint {run.version} from run {run.fingerprint[:12]}. This page loads "
        "nothing from elsewhere.",
    )


def method_tones(run: FinishedRun) -> dict[str, int]:
    """Return each method's colour: the paper's five have theirs, others follow."""
    known = {name: place for place, name in enumerate(TITLES)}
    others = [row.method for row in run.summary.overall.methods if row.method not in known]
    return known | {name: len(known) + i for i, name in enumerate(others)}


def _optional(grid: Grid | None, tones: dict[str, int]) -> str:
    return grid_html(grid, tones) if grid is not None else ""


def _facts(run: FinishedRun, found: Sampled) -> list[tuple[str, str]]:
    return [
        ("People", f"{found.people:,}"),
        ("Tasks", str(len(run_tasks(run)))),
        ("Methods", str(len(run.summary.overall.methods))),
        ("Prompts", f"{found.rows:,}"),
        ("Written by", listed([writer_title(name) for name in run.settings.writers])),
        ("Text encoder", run.summary.encoder.name or run.settings.encoder_name),
    ]


def _definitions(run: FinishedRun) -> list[tuple[str, str, str]]:
    rules = run.manifest.get("settings", {}).get("score", {})
    weights = rules.get("weights", (0.2, 0.3, 0.3, 0.2))
    parts = zip(weights, ("PA", "GS", "CP", "NV"), strict=True)
    formula = " + ".join(f"{weight:.2f} {name}" for weight, name in parts) + "."
    return [
        (short, long, formula if short == "Score" else text) for short, long, text in DEFINITIONS
    ]


def _means_note(run: FinishedRun) -> str:
    table = run.summary.overall
    text = (
        f"Means over {counted(table.persons, 'person', 'people')} and "
        f"{counted(table.cells, 'comparison')} of all methods for the same person, task and "
        f"writer, with {table.level} % intervals that resample whole people."
    )
    if run.settings.apart:
        names = listed([task.title for task in run.settings.apart])
        text += (
            f" {names}, with a budget of three phrases, are another measurement: they are "
            "left out here and have their own tables below."
        )
    return text


def _interval_bars(
    table: TableView, measure: MeasureName, tones: dict[str, int], title: str
) -> str:
    bars = [
        Bar(
            method_title(row.method),
            row.measure(measure).interval.mean,
            row.measure(measure).interval.low,
            row.measure(measure).interval.high,
            tones[row.method],
        )
        for row in table.methods
    ]
    return bars_with_intervals(bars, title=title, span=(0.0, 1.0))


def _lift_figure(run: FinishedRun, tones: dict[str, int]) -> str:
    bars = [
        Bar(
            method_title(row.method),
            row.lift.mean,
            row.lift.low,
            row.lift.high,
            tones[row.method],
            "" if has_lift(row) else "no lift",
        )
        for row in run.summary.overall.methods
    ]
    chart = bars_with_intervals(bars, title="Lift over a stranger by method:", sign=True)
    note = f"Score-c for the own person minus score-c for a stranger, with \
{run.summary.overall.level} % intervals"
    return figure(chart, "Lift over a stranger", note)


def _score_figure(run: FinishedRun, tones: dict[str, int]) -> str:
    measure = run.settings.measure
    name = MEASURES[measure]
    chart = _interval_bars(run.summary.overall, measure, tones, f"{name} by method:")
    return figure(chart, f"{name} by method", "Mean with interval; the axis runs from 0 to 1")


def _scatter_figure(run: FinishedRun, found: Sampled, tones: dict[str, int]) -> str:
    clouds, set_by_rule = [], []
    for row in run.summary.overall.methods:
        title, mean = method_title(row.method), row.score_c.interval.mean
        if row.nv is None or mean is None:
            if mean is not None:
                clouds.append(Cloud(title, (), None, mean, tones[row.method]))
                set_by_rule.append(title)
            continue
        points = tuple(found.points.get(row.method, []))
        clouds.append(Cloud(title, points, (row.nv, mean), None, tones[row.method]))
    chart = scatter(
        clouds,
        title="Alignment (score-c) against novelty (NV) by method.",
        x_label="NV: says it in new words",
        y_label="Score-c: fits the person",
    )
    note = "Large dots are means, small ones single prompts drawn by lot"
    if set_by_rule:
        note += f"; {listed(set_by_rule)} never saw a caption, so no NV was measured: a dashed line"
    return figure(chart, "Alignment against novelty", note)


def _task_figures(run: FinishedRun, tones: dict[str, int]) -> list[str]:
    figures = []
    for task in run_tasks(run):
        tables = task_tables(run, task.id)
        if len(tables) != 1:
            pooled = [t for t in run.summary.grouped("query") if t.group["query"] == task.id]
            tables = tuple(pooled) or tables
        if not tables:
            continue
        name = MEASURES[task.headline]
        chart = _interval_bars(tables[0], task.headline, tones, f"{name}, {task.title}:")
        writer = tables[0].group.get("writer")
        by = f", written by {writer_title(writer)}" if writer and len(tables) > 1 else ""
        figures.append(figure(chart, task.title, f"{name}{by}"))
    return figures


def _strip_figure(run: FinishedRun, found: Sampled, tones: dict[str, int]) -> str:
    name = MEASURES[run.settings.measure]
    swarms = [
        Swarm(
            method_title(row.method),
            tuple(found.shown_means(row.method)),
            quartiles(found.person_means(row.method)),
            tones[row.method],
        )
        for row in run.summary.overall.methods
    ]
    chart = strip(swarms, title=f"{name} of each person by method.", x_label=f"{name} of a person")
    return figure(chart, f"{name} of each person")


def _spread_note(found: Sampled) -> str:
    if found.people <= len(found.spread_people):
        return ""
    return f"a sample of {len(found.spread_people)} of {found.people:,} people, drawn by lot"


def _gallery(run: FinishedRun, found: Sampled, tones: dict[str, int]) -> dict[str, Any]:
    people = gallery_people(run, found, tones)
    return {
        "gallery": people,
        "gallery_tasks": run_tasks(run),
        "gallery_note": gallery_note(len(people), found.people),
    }


def _failures(found: Sampled) -> str:
    if not found.faults:
        return NONE.format("Prompts that could not be written", "every prompt was written")
    rows = tuple(
        (Cell(method_title(method), method=method), Cell(kind), Cell(f"{n:,}"))
        for (method, kind), n in sorted(found.faults.items())
    )
    note = "Running the same command again tries just these."
    return grid_html(
        Grid(
            "failures",
            "Prompts that could not be written",
            ("Method", "Kind", "Prompts"),
            rows,
            2,
            note,
        )
    )


def _reasons(found: Sampled) -> str:
    if not found.unscored:
        return NONE.format("Parts that could not be scored", "every written prompt has every part")
    # Reasons may name a person or a number: the commonest are shown, the rest is counted.
    common = Counter(found.unscored).most_common(20)
    rows = [
        (Cell(part.upper()), Cell(reason), Cell(f"{n:,}"))
        for (part, reason), n in sorted(common, key=lambda item: (-item[1], item[0]))
    ]
    rest = sum(found.unscored.values()) - sum(n for _, n in common)
    if rest:
        rows.append((Cell(""), Cell("other reasons"), Cell(f"{rest:,}")))
    return grid_html(
        Grid(
            "reasons",
            "Parts that could not be scored",
            ("Part", "Reason", "Prompts"),
            tuple(rows),
            2,
        )
    )


def _technical(run: FinishedRun, found: Sampled) -> list[tuple[str, str]]:
    settings = run.manifest.get("settings", {})
    encoder = run.summary.encoder
    cut = ", ".join(f"{kind} {n:,}" for kind, n in sorted(encoder.cut.items()) if n)
    facts = [
        ("Run", run.fingerprint),
        ("People", str(settings.get("people", ""))),
        ("Text encoder", f"{encoder.name or run.settings.encoder_name} {encoder.fingerprint}"),
        ("Encoder of elements", f"{settings.get('element_encoder_name', '')} "
         f"{settings.get('element_encoder', '')}"),
        ("Texts cut at the encoder’s length", cut or "none"),
        ("Prompts cut at the word limit", f"{found.words_cut:,}"),
        *_decoding(run),
        ("Seed", number(float(run.settings.seed), 0)),
        ("eyeprint", run.version),
    ]  # fmt: skip
    return [(name, value) for name, value in facts if value.strip()]


def _decoding(run: FinishedRun) -> list[tuple[str, str]]:
    """Say of each chat writer which sampling parameters are ours, for the paper names none."""
    facts = []
    for writer, gaps in run.summary.decoding_gaps.items():
        sent = run.settings.decoding.get(writer, {})
        ours = [f"{name} {sent[name]}" if name in sent else f"{name} as served" for name in gaps]
        told = f"not stated by the paper: {', '.join(ours)}" if ours else "as the paper states"
        facts.append((f"Decoding of {writer_title(writer)}", told))
    return facts


def _pretty(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False, sort_keys=True)
