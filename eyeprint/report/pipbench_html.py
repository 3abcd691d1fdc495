"""``report.html`` of a PIPBench run: one file that opens anywhere, offline."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from eyeprint.records.cases import READY
from eyeprint.report.charts import Bar, bars_with_intervals
from eyeprint.report.grids import Grid
from eyeprint.report.page import environment, figure, grid_html, page
from eyeprint.report.pipbench_arena_html import arena_part
from eyeprint.report.pipbench_charts import Span, dots_with_intervals, spans
from eyeprint.report.pipbench_claims import claims
from eyeprint.report.pipbench_columns import (
    METHOD_TITLES,
    SHORT,
    arrow,
    digits,
    main_column,
    meaning,
    models_of,
    split_title,
    table_columns,
    target_columns,
    titles_of,
    tones_of,
)
from eyeprint.report.pipbench_data_grids import (
    gather,
)
from eyeprint.report.pipbench_gallery import gallery_blocks
from eyeprint.report.pipbench_published import published_grids
from eyeprint.report.pipbench_table_views import ColumnView, ImageTableView
from eyeprint.report.pipbench_tables import pipbench_tables
from eyeprint.report.pipbench_view import NO_PREFERENCE, BandsView, FinishedPipbench
from eyeprint.report.pipbench_words import (
    copies_sentence,
    has_lift,
    headline,
    judges_text,
    main_lifts,
    missing_sentence,
)
from eyeprint.report.words import counted, listed

CHARTS = 2
"""Columns that each split shows as a chart; the table has all."""
NO_COPIES = '<p class="prose">{}</p>'


def pipbench_html(run: FinishedPipbench) -> str:
    """Return the report as one self-contained HTML page; equal runs give equal bytes.

    Raises:
        DataError: a file of the run is missing or cut.
    """
    found, blocks = gather(run), gallery_blocks(run)
    tones, said = tones_of(run), headline(run)
    made = pipbench_tables(run, found)

    def shown(grids: Sequence[Grid]) -> list[str]:
        return [grid_html(grid, tones) for grid in grids]

    def joined(grids: Sequence[Grid]) -> str:
        return "".join(shown(grids))

    more = (*made.gray, *made.moves, *made.target)
    copies = joined(made.copies)
    scores = zip(run.summary.tables, made.scores, strict=True)
    body = (
        environment()
        .get_template("pipbench.html.j2")
        .render(
            splits=[_split(run, table, grid, tones) for table, grid in scores],
            painters=shown(made.painters),
            differences=shown(made.differences),
            lift_figures=_lift_figures(run, tones),
            lifts=joined(made.lifts),
            arenas=[arena_part(run, judged, tones) for judged in run.judged],
            blocks=blocks,
            gallery_note=_gallery_note(run, len(blocks)),
            definitions=_definitions(run),
            claims=claims(run),
            more_tables=shown(more),
            band_figures=[_band_figure(b) for b in run.summary.bands if b.real.median is not None],
            bands=joined(made.bands),
            copies=copies or NO_COPIES.format(copies_sentence(run)),
            missing_said=missing_sentence(run),
            missing=joined(made.missing),
            unscored=joined(made.unscored),
            bounds=joined(made.bounds),
            faults=joined(made.faults),
            gate=joined(made.gate),
            case_faults=run.summary.faults,
            data=joined(made.data),
            technical=_technical(run),
            notes=[*run.summary.notes, *_told(found.notes)],
            settings_json=json.dumps(
                run.manifest.get("settings", {}), indent=2, ensure_ascii=False, sort_keys=True
            ),
        )
    )
    return page(
        "PIPBench: whose pictures are these?",
        body,
        heading=said[0],
        kicker="eyeprint · PIPBench report",
        lead=said[1:],
        facts=_facts(run),
        contents=_contents(run, bool(more)),
        script=environment().get_template("cases.js.j2").render(),
        footer=f"Made by eyeprint {run.version} from run {run.fingerprint[:12]}. This page loads "
        "nothing from elsewhere.",
    )


def _contents(run: FinishedPipbench, more: bool) -> list[tuple[str, str]]:
    found = [
        ("tables", "Scores", True),
        ("lift", "Lift", True),
        ("judges-section", "Judges", bool(run.judged)),
        ("gallery", "Pictures", True),
        ("reading", "How to read this", True),
        ("claims", "Claims", bool(claims(run))),
        ("more", "Gray and target", more),
        ("copies-section", "Copies", True),
        ("missing-section", "Missing", True),
        ("settings", "Settings", True),
    ]
    return [(id, label) for id, label, there in found if there]


def _facts(run: FinishedPipbench) -> list[tuple[str, str]]:
    overall = run.summary.overall
    painters = dict.fromkeys(spec.painter for spec in run.settings.models if spec.painter)
    columns = dict.fromkeys(column.prefix for column in overall.columns)
    judges = [judges_text(judged) for judged in run.judged]
    facts = [
        ("Cases", f"{overall.cases:,}"),
        ("People", f"{overall.persons:,}"),
        ("Models", f"{len(models_of(run)):,}"),
        ("Pictures", f"{sum(run.summary.counts.pictures.values()):,}"),
        ("Painted by", listed(list(painters))),
        ("Compared by", listed([SHORT.get(prefix, prefix) for prefix in columns])),
        ("Judged by", listed(list(dict.fromkeys(judges)))),
    ]
    return [(name, value) for name, value in facts if value]


def _split(
    run: FinishedPipbench, table: ImageTableView, scores: Grid, tones: Mapping[str, int]
) -> dict[str, Any]:
    chosen = _charted(table)
    return {
        "title": split_title(table.split),
        "figures": [_score_figure(run, table, column, tones) for column in chosen],
        "scores": grid_html(scores, dict(tones)),
        "published": [grid_html(grid, dict(tones)) for grid in published_grids(run, table)],
    }


def _charted(table: ImageTableView) -> list[ColumnView]:
    """Return the columns that are drawn: the main one, and what tells most beside it."""
    main = main_column(table.columns)
    if main is None:
        return []
    columns = table_columns(table.columns)
    rest = [c for c in columns if c.against == "references" and c.name != main.name]
    prompts = [c for c in columns if c.against == "prompt"]
    targets = [c for c in target_columns(table.columns) if not c.gray]
    return [main, *rest, *prompts, *targets][:CHARTS]


def _score_figure(
    run: FinishedPipbench, table: ImageTableView, column: ColumnView, tones: Mapping[str, int]
) -> str:
    dots, levels = [], []
    for model in models_of(run):
        measure = table.measure(model.label, column.name)
        if measure is None:
            continue
        interval = table.interval(measure)
        dots.append(Bar(model.title, measure.mean, interval.low, interval.high, tones[model.label]))
        if model.method == NO_PREFERENCE and measure.mean is not None:
            levels.append(measure.mean)
    better = "right" if column.better == "higher" else "left"
    chart = dots_with_intervals(
        dots,
        title=f"{column.name}, {split_title(table.split).lower()}, by model:",
        digits=digits(column),
        level=levels[0] if len(levels) == 1 else None,
        level_label=METHOD_TITLES[NO_PREFERENCE],
    )
    note = f"Mean with {table.level} % interval; better is to the {better}"
    return figure(chart, arrow(column), note)


def _lift_figures(run: FinishedPipbench, tones: Mapping[str, int]) -> list[str]:
    titles, figures = titles_of(run), []
    prefixes = dict.fromkeys(lift.prefix for lift in (*main_lifts(run), *run.summary.lifts))
    for prefix in prefixes:
        found = {lift.model: lift for lift in run.summary.lifts if lift.prefix == prefix}
        bars = [
            Bar(
                title,
                found[label].lift.mean,
                found[label].lift.low,
                found[label].lift.high,
                tones[label],
                "" if has_lift(found[label]) else "no lift",
            )
            for label, title in titles.items()
            if label in found
        ]
        chart = bars_with_intervals(
            bars, title=f"Lift over a stranger in {prefix}-R by model:", sign=True, digits=2
        )
        note = f"Points of {prefix}-R, with {run.summary.overall.level} % intervals"
        figures.append(figure(chart, f"Lift by {SHORT.get(prefix, prefix)}", note))
    return figures


def _band_figure(bands: BandsView) -> str:
    places = 2 if bands.nearer == "higher" else 4
    rows = []
    for label, band, tone in (
        ("One person’s pictures", bands.real, 1),
        ("Strangers’ pictures", bands.strangers, 0),
    ):
        if band.low is not None and band.median is not None and band.high is not None:
            rows.append(Span(label, band.low, band.median, band.high, tone))
    chart = spans(
        rows,
        title=f"{bands.metric} between real pictures.",
        digits=places,
        threshold=bands.threshold,
    )
    side = "right" if bands.nearer == "higher" else "left"
    note = f"5 % to 95 % of pairs; beyond the dashed line, to the {side}, is flagged"
    return figure(chart, f"{bands.metric} between real pictures", note)


def _gallery_note(run: FinishedPipbench, shown: int) -> str:
    total = run.summary.overall.cases
    if not shown:
        return "No case is shown."
    if shown >= total:
        which = "All cases."
    else:
        which = (
            f"{counted(shown, 'case')} of {total:,}, drawn by lot from different people, never by "
            "how well they came out"
        )
        which += ", and some with copy flags." if any(run.summary.counts.copies.values()) else "."
    return f"{which} The pictures are small copies; the whole ones are in the run’s folder."


def _definitions(run: FinishedPipbench) -> list[tuple[str, str]]:
    columns = run.summary.overall.columns
    found = [(c.name, meaning(c)) for c in (*table_columns(columns), *target_columns(columns))]
    found = [each for each in found if not each[0].endswith("-YG")]
    gray = [c.name for c in columns if c.gray]
    if gray:
        found.append((", ".join(gray), "The same with all pictures turned gray first."))
    found.append(("Lift", "Likeness to the own person’s references minus that to a stranger’s."))
    if run.judged:
        found.append(
            (
                "Rating",
                "Bradley–Terry points from all pairs together, 1500 on average: 400 points are "
                "odds of ten to one. Ratings of different pools must not be compared.",
            )
        )
    return found


def _technical(run: FinishedPipbench) -> list[tuple[str, str]]:
    settings = run.settings
    titles = titles_of(run)
    facts = [
        ("Run", run.fingerprint),
        ("Data", settings.data),
        *(
            (f"{each.column or name}: {name}", each.fingerprint)
            for name, each in run.summary.encoders.items()
        ),
        ("Text encoder", settings.text_encoder),
        *(
            (titles.get(spec.label, spec.label), _spec(spec.label, spec.method))
            for spec in settings.models
        ),
        ("Seed", str(settings.seed)),
        ("Bootstrap resamples", f"{settings.bootstraps:,}"),
        *((f"Judging {judged.name[:12]}", judges_text(judged)) for judged in run.judged),
        ("eyeprint", run.version),
    ]
    return [(name, value) for name, value in facts if value.strip()]


def _spec(label: str, method: str) -> str:
    return f"{label} (pictures made elsewhere)" if method.startswith(READY) else label


def _told(notes: Mapping[str, int], most: int = 20) -> Sequence[str]:
    """Return what methods and painters noted, the commonest first."""
    common = sorted(notes.items(), key=lambda each: (-each[1], each[0]))
    return [f"{note} ({counted(count, 'picture')})" for note, count in common[:most]]
