"""What is missing, unscored, flagged or changed, and how near real pictures are: as grids."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from eyeprint.report.grids import Cell, Grid
from eyeprint.report.pipbench_columns import (
    digits,
    models_of,
    split_title,
    table_columns,
    titles_of,
)
from eyeprint.report.pipbench_grids import bounds_text
from eyeprint.report.pipbench_row_views import RowView
from eyeprint.report.pipbench_view import BandView, FinishedPipbench
from eyeprint.report.words import NONE, counted, listed, number

MOST = 40
"""Rows of a list in a report; further ones are counted."""


@dataclass
class RowsFound:
    """What one pass over results.jsonl gathered."""

    copies: list[RowView] = field(default_factory=list)
    """The rows with a copy flag."""
    details: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    """(model, fault, detail) -> missing pictures."""
    notes: Counter[str] = field(default_factory=Counter)
    """What methods and painters noted -> pictures."""


def gather(run: FinishedPipbench) -> RowsFound:
    """Read the rows once and keep what a report tells of them.

    Raises:
        DataError: the file is missing or cut.
    """
    found = RowsFound()
    for row in run.rows():
        if row.copied is not None:
            found.copies.append(row)
        if row.picture is None:
            found.details[row.model, row.fault or "missing", row.detail or ""] += 1
        found.notes.update(row.notes)
    return found


def data_grid(run: FinishedPipbench) -> Grid | None:
    """Return cases, pictures and people of each split, as the paper counts them (P45)."""
    if not run.summary.data:
        return None
    rows = tuple(
        (
            Cell("Together" if each.split == "all" else split_title(each.split)),
            Cell(f"{each.cases:,}"),
            Cell(f"{each.pictures:,}"),
            Cell(f"{each.people:,}"),
            Cell(number(each.cases / each.people, 2) if each.people else NONE),
        )
        for each in run.summary.data
    )
    names = ("Split", "Cases", "Pictures", "People", "Cases per person")
    return Grid("data", "The data", names, rows)


def missing_grid(run: FinishedPipbench, found: RowsFound) -> Grid | None:
    """Return the pictures that are not there, by model and reason; ``None`` when all are."""
    if not found.details:
        return None
    titles = titles_of(run)
    order = {label: place for place, label in enumerate(titles)}
    common = sorted(
        found.details.items(), key=lambda each: (order.get(each[0][0], 0), -each[1], each[0])
    )
    rows = [
        (
            Cell(titles.get(model, model), method=model),
            Cell(kind),
            Cell(f"{count:,}"),
            Cell(detail or NONE),
        )
        for (model, kind, detail), count in common[:MOST]
    ]
    rest = sum(count for _, count in common[MOST:])
    if rest:
        rows.append((Cell(""), Cell("others"), Cell(f"{rest:,}"), Cell("")))
    return Grid(
        "missing",
        "Pictures that are missing",
        ("Model", "Kind", "Pictures", "What was said"),
        tuple(rows),
        2,
        "Running the same command again tries just these.",
        prose=frozenset({3}),
    )


def unscored_grid(run: FinishedPipbench) -> Grid | None:
    """Return why outputs have no value, model by model; ``None`` when all have."""
    titles = titles_of(run)
    table = run.summary.overall
    names = [column.name for column in table.columns]
    alike: dict[tuple[str, int, tuple[str, ...]], list[str]] = {}
    for label in titles:
        reasons: dict[tuple[str, int], list[str]] = {}
        for name in names:
            measure = table.measure(label, name)
            for reason, count in measure.reasons.items() if measure is not None else ():
                reasons.setdefault((reason, count), []).append(name)
        for (reason, count), columns in reasons.items():
            alike.setdefault((reason, count, tuple(columns)), []).append(label)
    if not alike:
        return None
    rows = []
    for (reason, count, found), labels in alike.items():
        told = "every column" if len(found) == len(names) else ", ".join(found)
        cells = (Cell(f"{count:,}"), Cell(told), Cell(reason))
        if len(labels) == len(table.models) > 1:
            rows.append((Cell("Every model"), *cells))
        else:
            rows += [(Cell(titles[label], method=label), *cells) for label in labels]
    if len(rows) > MOST:
        rest = len(rows) - MOST
        rows = [*rows[:MOST], (Cell(""), Cell(NONE), Cell(""), Cell(f"{rest:,} more reasons"))]
    return Grid(
        "unscored",
        "What was not scored",
        ("Model", "Outputs", "Columns", "Reason"),
        tuple(rows),
        note="Over all splits. Means leave these out; they are never a zero.",
        prose=frozenset({2, 3}),
    )


def bounds_grid(run: FinishedPipbench) -> Grid | None:
    """Return the means if all unscored outputs were the worst or the best there is."""
    table = run.summary.overall
    columns = table_columns(table.columns)
    rows = []
    for model in models_of(run):
        found = [table.measure(model.label, column.name) for column in columns]
        if not any(measure is not None and measure.unscored for measure in found):
            continue
        cells = [Cell(model.title, method=model.label)]
        for column, measure in zip(columns, found, strict=True):
            if measure is None:
                cells.append(Cell(NONE))
                continue
            shown = number(measure.mean, digits(column))
            cells.append(Cell(shown, bounds_text(measure, digits(column))))
        rows.append(tuple(cells))
    if not rows:
        return None
    return Grid(
        "bounds",
        "Means if all unscored were the worst … the best",
        ("Model", *(column.name for column in columns)),
        tuple(rows),
        note="LPIPS has no worst value: there is no bound on that side.",
    )


def copies_grid(run: FinishedPipbench, found: RowsFound) -> Grid | None:
    """Return every picture that looks like a copy of a reference; ``None`` without any."""
    if not found.copies:
        return None
    titles = titles_of(run)
    rows = [
        (
            Cell(row.case),
            Cell(titles.get(row.model, row.model), method=row.model),
            Cell(row.copied.path if row.copied is not None else ""),
            Cell(row.copied.words if row.copied is not None else ""),
        )
        for row in found.copies[:MOST]
    ]
    note = "A flag is a reason to look, not a verdict: of pictures that are no copies, about one \
in a hundred lies beyond a band too."
    if len(found.copies) > MOST:
        note += f" The first {MOST} of {len(found.copies):,} are shown."
    return Grid(
        "copies",
        "Pictures that look like copies",
        ("Case", "Model", "Reference", "Why"),
        tuple(rows),
        2,
        note,
        prose=frozenset({2, 3}),
    )


def bands_grid(run: FinishedPipbench) -> Grid | None:
    """Return how near real pictures are to each other; ``None`` without bands."""
    if not run.summary.bands:
        return None
    rows = []
    for bands in run.summary.bands:
        places = 2 if bands.nearer == "higher" else 4
        rows.append(
            (
                Cell(bands.metric),
                _band(bands.real, places),
                _band(bands.strangers, places),
                Cell(number(bands.threshold, places)),
                Cell(number(bands.separation, 2)),
            )
        )
    few: dict[str, list[str]] = {}
    for bands in run.summary.bands:
        if bands.real.few:
            few.setdefault(bands.real.few, []).append(bands.metric)
    note = (
        "Median, and 5 % to 95 % of the pairs. Nearer than the threshold is flagged; it stands "
        "for one reference, and is a little stricter with more. Told apart: how often a pair of "
        "one person is nearer than a pair of strangers; 0.5 is chance."
    )
    if few:
        told = "; ".join(
            f"{listed(metrics)} {why if len(metrics) == 1 else why.replace('rests', 'rest', 1)}"
            for why, metrics in few.items()
        )
        note += f" Too few pairs to lean on: {told}."
    names = ("Metric", "Of one person", "Of strangers", "Threshold", "Told apart")
    return Grid("bands", "How near real pictures are to each other", names, tuple(rows), note=note)


def _band(band: BandView, places: int) -> Cell:
    if band.median is None:
        return Cell(NONE)
    ends = f"{number(band.low, places)}\u00a0… {number(band.high, places)}"
    return Cell(number(band.median, places), f"{ends}, {counted(band.pairs, 'pair')}")


def gate_grid(run: FinishedPipbench) -> Grid | None:
    """Return what was done to pictures of the data when they were opened."""
    counts: Counter[str] = Counter()
    example: dict[str, str] = {}
    for path, done in run.summary.pictures.gate.items():
        for what in done:
            counts[what] += 1
            example.setdefault(what, path)
    if not counts:
        return None
    rows = [
        (Cell(what), Cell(f"{count:,}"), Cell(example[what]))
        for what, count in counts.most_common(MOST)
    ]
    return Grid(
        "gate",
        "What was done to pictures when they were opened",
        ("Change", "Pictures", "For example"),
        tuple(rows),
        prose=frozenset({2}),
    )


def faults_grid(run: FinishedPipbench) -> Grid | None:
    """Return the pictures of the data that cannot be used; ``None`` when all can."""
    faults = list(run.summary.pictures.faults.items())
    if not faults:
        return None
    rows = [(Cell(path), Cell(reason)) for path, reason in faults[:MOST]]
    if len(faults) > MOST:
        rows.append((Cell(f"{len(faults) - MOST:,} more"), Cell("")))
    return Grid(
        "faults",
        "Pictures that cannot be used",
        ("Picture", "Why"),
        tuple(rows),
        prose=frozenset({1}),
    )
