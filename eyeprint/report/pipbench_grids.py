"""The score tables of a PIPBench report as plain grids: the paper's Tables 1-3 and 7, and ours."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from eyeprint.report.grids import Cell, Grid
from eyeprint.report.page import anchor
from eyeprint.report.pipbench_arena_view import Judged
from eyeprint.report.pipbench_columns import (
    Model,
    arrow,
    digits,
    gray_columns,
    models_of,
    split_title,
    table_columns,
    target_columns,
)
from eyeprint.report.pipbench_table_views import ColumnView, ImageMeasureView, ImageTableView
from eyeprint.report.pipbench_view import NO_PREFERENCE, FinishedPipbench
from eyeprint.report.pipbench_words import rating_text
from eyeprint.report.words import NONE, bracket, counted, number, percent

Place = Callable[[str], Cell]


def split_id(kind: str, table: ImageTableView) -> str:
    """Return the id of a grid about one split."""
    return f"{kind}-{anchor(table.split or 'all')}"


def measure_cell(
    table: ImageTableView, label: str, column: ColumnView, mark: bool = True, ends: bool = True
) -> Cell:
    """Return one column of one model: mean, interval, and whether it is best or second best."""
    found = table.measure(label, column.name)
    if found is None or found.mean is None:
        return Cell(NONE)
    places = digits(column)
    return Cell(
        number(found.mean, places),
        bracket(table.interval(found), places) if ends else "",
        (found.mark or "") if mark else "",
    )


def present(run: FinishedPipbench, table: ImageTableView) -> list[Model]:
    """Return the models of a table in the order of the report."""
    return [model for model in models_of(run) if table.row(model.label) is not None]


def by_paradigm(models: Sequence[Model]) -> tuple[list[list[Cell]], frozenset[int]]:
    """Return the two leading cells of each row, and above which rows a paradigm begins."""
    rows: list[list[Cell]] = []
    breaks, before = set(), ""
    for model in models:
        if rows and model.paradigm != before:
            breaks.add(len(rows))
        same = bool(rows) and model.paradigm == before
        rows.append([Cell(model.title, method=model.label), Cell(model.paradigm, same=same)])
        before = model.paradigm
    return rows, frozenset(breaks)


def table_note(table: ImageTableView) -> str:
    """Say what a table's means and marks rest on."""
    macro = table.settings.get("estimator") == "macro"
    text = (
        f"Means over {'people' if macro else 'cases'}: {counted(table.cases, 'case')} of "
        f"{counted(table.persons, 'person', 'people')}. Brackets: {table.level} % intervals "
        "from resampling whole people."
    )
    return text + marks_note(table, table_columns(table.columns))


def marks_note(table: ImageTableView, columns: Sequence[ColumnView]) -> str:
    """Say among whom best and second are marked, and on how many cases where not on all."""
    names = {column.name for column in columns}
    found = [m for row in table.models for n, m in row.columns.items() if n in names]
    if not any(measure.mark for measure in found):
        return ""
    text = " Best and second best are marked among the methods that see references"
    least = min((m.ranked_cases for m in found if m.ranked_cases is not None), default=table.cases)
    if least < table.cases:
        text += f", by the cases that all of them have a score for (at least {least:,})"
    return text + "."


def score_grid(run: FinishedPipbench, table: ImageTableView) -> Grid:
    """Return one split's models by paradigm, like the paper's Table 1 or 3 (P49)."""
    columns = table_columns(table.columns)
    models = present(run, table)
    lead, breaks = by_paradigm(models)
    elos = rating_columns(run, table)
    rows = tuple(
        (
            *start,
            *(measure_cell(table, model.label, column) for column in columns),
            *(place(model.label) for _, place in elos),
        )
        for start, model in zip(lead, models, strict=True)
    )
    return Grid(
        split_id("scores", table),
        f"Scores, {split_title(table.split).lower()}",
        ("Model", "Paradigm", *map(arrow, columns), *(name for name, _ in elos)),
        rows,
        2,
        table_note(table),
        breaks,
    )


def rating_columns(run: FinishedPipbench, table: ImageTableView) -> list[tuple[str, Place]]:
    """Return the ratings that belong beside a split: of judgings of its cases alone (P49)."""
    found = [each for each in run.judged if each.arena and each.splits == {table.split}]
    names = ["Rating ↑" if len(found) == 1 else f"Rating, {each.name[:12]} ↑" for each in found]
    return [(name, _ratings(each)) for name, each in zip(names, found, strict=True)]


def _ratings(judged: Judged) -> Place:
    arena = judged.arena
    # The method without references takes no mark, and no other model's place (P49).
    rated = (
        [row for row in arena.models if not row.model.startswith(NO_PREFERENCE)] if arena else []
    )
    order = sorted({round(row.rating, 3) for row in rated}, reverse=True)
    named = dict(zip(order, ("best", "second"), strict=False)) if len(rated) > 1 else {}

    def place(label: str) -> Cell:
        row = arena.rated(label) if arena else None
        if row is None:
            return Cell(NONE)
        shown, _, ends = rating_text(row).partition("\u00a0")
        marked = "" if row not in rated else named.get(round(row.rating, 3), "")
        return Cell(shown, ends, marked)

    return place


def ranks(table: ImageTableView, column: ColumnView) -> dict[str, int]:
    """Return model -> rank by a column, 1 the best; equal means share one."""
    sign = 1 if column.better == "higher" else -1
    found = {
        row.model: sign * measure.mean
        for row in table.models
        if (measure := row.columns.get(column.name)) is not None and measure.mean is not None
    }
    return {
        model: 1 + sum(other > mean + 1e-12 for other in found.values())
        for model, mean in found.items()
    }


def gray_pairs(columns: Sequence[ColumnView]) -> list[tuple[ColumnView, ColumnView]]:
    """Return (colour, gray) columns of prompt and references."""
    colour = {(c.prefix, c.against): c for c in table_columns(columns)}
    return [
        (colour[gray.prefix, gray.against], gray)
        for gray in gray_columns(columns)
        if (gray.prefix, gray.against) in colour
    ]


def gray_grid(run: FinishedPipbench, table: ImageTableView) -> Grid | None:
    """Return gray columns beside colour, with the ranks that move, like Table 7 (P48)."""
    pairs = gray_pairs(table.columns)
    if not pairs:
        return None
    models = present(run, table)
    lead, breaks = by_paradigm(models)
    places = [(ranks(table, colour), ranks(table, gray)) for colour, gray in pairs]
    rows = []
    for start, model in zip(lead, models, strict=True):
        cells = []
        for (colour, gray), (before, after) in zip(pairs, places, strict=True):
            cells.append(measure_cell(table, model.label, colour, mark=False, ends=False))
            cell = measure_cell(table, model.label, gray, ends=False)
            old, new = before.get(model.label), after.get(model.label)
            moved = "" if old is None or new is None or old == new else f"rank {old} → {new}"
            cells.append(Cell(cell.text, moved, cell.mark))
        rows.append((start[0], *cells))
    return Grid(
        split_id("gray", table),
        f"Colour and gray, {split_title(table.split).lower()}",
        ("Model", *(arrow(column) for pair in pairs for column in pair)),
        tuple(rows),
        note="The gray column stands right of the one in colour; a rank that differs from it is "
        "told. Ranks are among all models. Marks are those of the gray column.",
        breaks=breaks,
    )


def target_grid(run: FinishedPipbench, table: ImageTableView) -> Grid | None:
    """Return the columns against the target, and the pixel metrics; ``None`` without them."""
    columns = [c for c in target_columns(table.columns) if _any(table, c)]
    if not columns:
        return None
    models = present(run, table)
    lead, breaks = by_paradigm(models)
    rows = tuple(
        (start[0], *(measure_cell(table, model.label, column, ends=False) for column in columns))
        for start, model in zip(lead, models, strict=True)
    )
    return Grid(
        split_id("target", table),
        f"Against the target, {split_title(table.split).lower()}",
        ("Model", *map(arrow, columns)),
        rows,
        note="The target is a picture that the person chose, and no method sees it. There are "
        "many good pictures for a prompt: read these beside the references, not alone.",
        breaks=breaks,
    )


def _any(table: ImageTableView, column: ColumnView) -> bool:
    found = (row.columns.get(column.name) for row in table.models)
    return any(measure is not None and measure.mean is not None for measure in found)


def lift_grid(run: FinishedPipbench) -> Grid | None:
    """Return the lift over strangers in every encoder; ``None`` without any."""
    prefixes = list(dict.fromkeys(lift.prefix for lift in run.summary.lifts))
    if not prefixes:
        return None
    found = {(lift.model, lift.prefix): lift for lift in run.summary.lifts}
    names: list[str] = []
    for prefix in prefixes:
        names += [f"{prefix} own", f"{prefix} stranger", f"{prefix} lift", "Above 0 %"]
    rows = []
    models = [m for m in models_of(run) if any((m.label, p) in found for p in prefixes)]
    lead, breaks = by_paradigm(models)
    for start, model in zip(lead, models, strict=True):
        cells: list[Cell] = []
        for prefix in prefixes:
            lift = found.get((model.label, prefix))
            if lift is None:
                cells += [Cell(NONE)] * 4
                continue
            ends = bracket(lift.lift, 2, sign=True)
            cells += [
                Cell(number(lift.own, 2)),
                Cell(number(lift.stranger, 2)),
                Cell(number(lift.lift.mean, 2, sign=True), ends),
                Cell(percent(lift.positive)),
            ]
        rows.append((start[0], *cells))
    return Grid(
        "lifts",
        "Lift over a stranger",
        ("Model", *names),
        tuple(rows),
        note="Mean likeness to the own person’s references minus that to a stranger’s, over the "
        "same cases. “Above 0” is the share of cases with a lift.",
        breaks=breaks,
    )


def reference_grid(run: FinishedPipbench, table: ImageTableView) -> Grid | None:
    """Return paired differences to the unconditioned method of the same painter (P65)."""
    columns = table_columns(table.columns)
    models = [m for m in present(run, table) if _compared(table, m)]
    if not models:
        return None
    rows = []
    for model in models:
        cells = [Cell(model.title, method=model.label)]
        for column in columns:
            found = table.measure(model.label, column.name)
            gap = None if found is None else found.minus_reference
            places = digits(column)
            cells.append(
                Cell(NONE)
                if gap is None or gap.mean is None
                else Cell(number(gap.mean, places, sign=True), bracket(gap, places, sign=True))
            )
        rows.append(tuple(cells))
    return Grid(
        split_id("differences", table),
        f"Minus No preference, {split_title(table.split).lower()}",
        ("Model", *map(arrow, columns)),
        tuple(rows),
        note="Paired differences over the same cases, each with its own painter’s No preference; "
        "an interval that holds 0 is no difference.",
    )


def _compared(table: ImageTableView, model: Model) -> bool:
    row = table.row(model.label)
    return row is not None and row.reference is not None


def bounds_text(measure: ImageMeasureView, places: int) -> str:
    """Say where a mean would lie if all unscored outputs were the worst, or the best."""
    ends = [number(end, places) for end in (measure.mean_if_worst, measure.mean_if_best)]
    if measure.mean_if_worst is None:
        ends[0] = "no bound"
    if measure.mean_if_best is None:
        ends[1] = "no bound"
    return "\u00a0… ".join(ends)
