"""The tables of a VPTT run as grids, in the order of the report (CHECKLIST V66, V81)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from eyeprint.report.grids import Cell, Grid, marks
from eyeprint.report.run_folder_view import (
    FinishedRun,
    MeasureName,
    MethodView,
    TableView,
    TaskView,
)
from eyeprint.report.words import (
    MEASURES,
    NONE,
    bracket,
    method_title,
    number,
    percent,
    writer_title,
)

KINDS = {"generation": "Generation", "editing": "Editing"}


def methods_grid(
    tables: Sequence[TableView],
    *,
    id: str,
    title: str,
    note: str = "",
    against: str = "best",
) -> Grid:
    """Return writers by methods with every part, like the paper's Tables 7-10 (V81).

    Best and second best are marked among the methods of one writer.

    Args:
        tables: one table per writer; with one writer, that column is left out.
        id: name of the grid, for links.
        title: what stands above it.
        note: what a reader must know.
        against: "best" or "baseline": what Cohen's d compares with.
    """
    by_writer = len({table.group.get("writer", "") for table in tables}) > 1
    rows: list[tuple[Cell, ...]] = []
    breaks = set()
    for table in tables:
        if rows:
            breaks.add(len(rows))
        columns = [_part_cells(table, name) for name in ("pa", "gs", "cp", "nv")]
        for measure in ("score_c", "score"):
            columns += _measure_cells(table, measure, against)
        for place, row in enumerate(table.methods):
            lead = [Cell(method_title(row.method), method=row.method)]
            if by_writer:
                name = writer_title(table.group.get("writer", NONE))
                lead.insert(0, Cell(name, same=place > 0))
            rows.append((*lead, *(column[place] for column in columns)))
    names = ("PA", "GS", "CP", "NV", "Score-c", "Win %", "d", "Score", "Win %", "d")
    labels = ("Writer", "Method") if by_writer else ("Method",)
    return Grid(id, title, (*labels, *names), tuple(rows), len(labels), note, frozenset(breaks))


def _part_cells(table: TableView, name: str) -> list[Cell]:
    values: list[float | None] = [getattr(row, name) for row in table.methods]
    return [
        Cell(number(value), mark=mark) for value, mark in zip(values, marks(values), strict=True)
    ]


def _measure_cells(table: TableView, name: MeasureName, against: str) -> list[list[Cell]]:
    found = [row.measure(name) for row in table.methods]
    means = marks([one.interval.mean for one in found])
    return [
        [
            Cell(number(one.interval.mean), bracket(one.interval), mark)
            for one, mark in zip(found, means, strict=True)
        ],
        [Cell(percent(one.win)) for one in found],
        [Cell(number(one.d_best if against == "best" else one.d_baseline, 2)) for one in found],
    ]


def overview_grid(run: FinishedRun) -> Grid:
    """Return all methods over everything: score, score-c and both lifts with intervals."""
    table = run.summary.overall
    columns: list[list[Cell]] = []
    for measure in ("score", "score_c"):
        columns += _measure_cells(table, measure, "best")[:2]
    own = [row.lift.mean for row in table.methods]
    shuffled = [row.lift_shuffled for row in table.methods]
    columns.append(
        [
            Cell(number(row.lift.mean, sign=True), bracket(row.lift, sign=True), mark)
            for row, mark in zip(table.methods, marks(own), strict=True)
        ]
    )
    means = [None if one is None else one.mean for one in shuffled]
    columns.append(
        [
            Cell(number(mean, sign=True), bracket(one, sign=True), mark)
            for one, mean, mark in zip(shuffled, means, marks(means), strict=True)
        ]
    )
    rows = tuple(
        (Cell(method_title(row.method), method=row.method), *(column[i] for column in columns))
        for i, row in enumerate(table.methods)
    )
    return Grid(
        "overview",
        "All people and writers, free tasks"
        if run.settings.apart
        else "All people, tasks, writers",
        (
            "Method",
            "Score",
            "Win %",
            "Score-c",
            "Win %",
            "Lift over stranger",
            "Lift over shuffled",
        ),
        rows,
        note=f"Brackets: {table.level} % intervals from resampling whole people.",
    )


def compact_grid(run: FinishedRun) -> Grid | None:
    """Return kinds and writers by methods, like the paper's Table 3; ``None`` without them."""
    tables = run.summary.grouped("kind", "writer")
    if not tables:
        return None
    measure = run.settings.measure
    methods = [row.method for row in run.summary.overall.methods]
    rows: list[tuple[Cell, ...]] = []
    breaks, kinds = set(), ""
    order = {kind: i for i, kind in enumerate(KINDS)}
    tables = _by_writer(run, tables)
    for table in sorted(tables, key=lambda t: order.get(t.group["kind"], len(order))):
        kind = table.group["kind"]
        if rows and kind != kinds:
            breaks.add(len(rows))
        found = [table.row(method) for method in methods]
        means = [None if r is None else r.measure(measure).interval.mean for r in found]
        cells = [Cell(KINDS.get(kind, kind), same=kind == kinds)]
        cells.append(Cell(writer_title(table.group["writer"])))
        for row, mark in zip(found, marks(means), strict=True):
            if row is None:
                cells.append(Cell(NONE))
                continue
            one = row.measure(measure)
            size = "" if one.d_best is None else f"d\u00a0{number(one.d_best, 2)}"
            cells.append(Cell(number(one.interval.mean), size, mark))
        rows.append(tuple(cells))
        kinds = kind
    return Grid(
        "compact",
        f"{MEASURES[measure]} by kind of task and writer",
        ("Kind", "Writer", *(method_title(method) for method in methods)),
        tuple(rows),
        2,
        "d: Cohen’s d of the row’s best method over this one.",
        frozenset(breaks),
    )


def task_tables(run: FinishedRun, task: str) -> tuple[TableView, ...]:
    """Return the tables of one task, one per writer where there are such."""
    for keys in (("query", "writer"), ("query",)):
        found = [t for t in run.summary.grouped(*keys) if t.group["query"] == task]
        if found:
            return _by_writer(run, found)
    return ()


def _by_writer(run: FinishedRun, tables: Sequence[TableView]) -> tuple[TableView, ...]:
    """Put tables into the order in which the run names its writers."""
    order = {name: place for place, name in enumerate(run.settings.writers)}
    return tuple(sorted(tables, key=lambda t: order.get(t.group.get("writer", ""), len(order))))


def run_tasks(run: FinishedRun) -> tuple[TaskView, ...]:
    """Return the tasks in the order of the settings, else as the tables name them."""
    if run.settings.tasks:
        return run.settings.tasks
    seen = {t.group["query"]: None for t in run.summary.tables if "query" in t.group}
    return tuple(TaskView(id=name) for name in seen)


def task_grids(run: FinishedRun) -> list[Grid]:
    """Return one grid per task, like the paper's Tables 7-10."""
    grids = []
    for task in run_tasks(run):
        tables = task_tables(run, task.id)
        if not tables:
            continue
        note = f"“{task.text}”" if task.text else ""
        budget = "three phrases" if task.mode == "three_phrases" else "free"
        if task.text:
            note += " Wording as published." if task.published else " Wording of our own."
        note += f" {KINDS.get(task.kind, task.kind)}, {budget}; "
        note += f"ranked by {MEASURES[task.headline].lower()}; d against Baseline."
        grids.append(
            methods_grid(
                tables,
                id=f"task-{task.id}",
                title=task.title,
                note=note.strip(),
                against="baseline",
            )
        )
    return grids


def rankings_grid(run: FinishedRun) -> Grid:
    """Return the rankings under NV = 0, under NV = 1, and by score-c, side by side (V66)."""
    table = run.summary.overall
    columns: tuple[tuple[tuple[str, ...], Callable[[MethodView], float | None]], ...] = (
        (table.ranking, lambda row: row.score.interval.mean),
        (table.ranking_nv_one, lambda row: row.score_nv_one),
        (table.ranking_score_c, lambda row: row.score_c.interval.mean),
    )
    # A method of which nothing was scored has no place.
    placed = []
    for names, value in columns:
        known = [row for name in names if (row := table.row(name)) is not None]
        placed.append([(row, value(row)) for row in known if value(row) is not None])
    rows: list[tuple[Cell, ...]] = []
    for place in range(max(map(len, placed))):
        cells = [Cell(str(place + 1))]
        for column in placed:
            if place >= len(column):
                cells.append(Cell(NONE))
                continue
            row, mean = column[place]
            cells.append(Cell(method_title(row.method), number(mean), method=row.method))
        rows.append(tuple(cells))
    shared = [n for n in map(table.shared, table.ranked_cells) if n is not None]
    on_shared = (
        f" Places follow the comparisons in which every method is scored ({min(shared):,} of "
        f"{table.cells:,}); the numbers are means over all prompts of a method."
        if shared
        else ""
    )
    return Grid(
        "rankings",
        "Rankings under both rules for novelty",
        ("Place", "Score, NV = 0", "Score, NV = 1", "Score-c, no NV"),
        tuple(rows),
        note="NV = 0 or 1 is what methods get that never saw a caption (Baseline, Persona Only). "
        "They cannot copy one, yet the published rule gives them 0, the worst novelty." + on_shared,
    )


def pairs_grid(run: FinishedRun) -> Grid:
    """Return the paired differences to the best method and to Baseline, with intervals."""
    table = run.summary.overall
    columns = ("Score − best", "Score − Baseline", "Score-c − best", "Score-c − Baseline")
    rows = []
    for row in table.methods:
        found = (
            row.score.minus_best,
            row.score.minus_baseline,
            row.score_c.minus_best,
            row.score_c.minus_baseline,
        )
        cells = (
            Cell(number(one.mean, sign=True), bracket(one, sign=True)) if one else Cell(NONE)
            for one in found
        )
        rows.append((Cell(method_title(row.method), method=row.method), *cells))
    return Grid(
        "pairs",
        "Paired differences",
        ("Method", *columns),
        tuple(rows),
        note="Means over the same person, task and writer on both sides.",
    )


def unscored_grid(run: FinishedRun) -> Grid:
    """Return what could not be scored, and the means if it were all 0 or all 1."""
    rows = []
    for row in run.summary.overall.methods:
        cells = [Cell(method_title(row.method), method=row.method), Cell(f"{row.rows:,}")]
        for measure in ("score", "score_c"):
            one = row.measure(measure)
            cells.append(Cell(f"{one.unscored:,}"))
            cells.append(Cell(number(one.interval.mean)))
            cells.append(Cell(f"{number(one.mean_if_zero)}\u00a0…\u00a0{number(one.mean_if_best)}"))
        rows.append(tuple(cells))
    return Grid(
        "unscored",
        "What was not scored",
        ("Method", "Prompts", "No score", "Mean", "All 0 … all 1",
         "No score-c", "Mean", "All 0 … all 1"),
        tuple(rows),
        note=("Of the free tasks. " if run.settings.apart else "")
        + "Means leave unscored prompts out. The last column of each group says where the "
        "mean would lie if all of them were 0, or 1.",
    )  # fmt: skip


def all_grids(run: FinishedRun) -> list[Grid]:
    """Return every grid in the order of the report."""
    compact = compact_grid(run)
    return [
        overview_grid(run),
        rankings_grid(run),
        *([compact] if compact else []),
        *task_grids(run),
        pairs_grid(run),
        unscored_grid(run),
    ]
