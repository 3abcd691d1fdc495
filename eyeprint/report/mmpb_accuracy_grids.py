"""Tables of accuracy of an MMPB run: overview, cells in full, tasks, lifts, bias."""

from __future__ import annotations

from collections.abc import Sequence

from eyeprint.report.grids import Cell, Grid, marks
from eyeprint.report.mmpb_layout import (
    breaks_of,
    difference_cell,
    model_cell,
    own_settings,
    share_cell,
    unrepeated,
)
from eyeprint.report.mmpb_summary_views import ResultsView
from eyeprint.report.mmpb_words import CONTROLS, part_title, percent
from eyeprint.report.words import NONE, counted

CONTROL_TITLES = {name: text[:1].upper() + text[1:] for name, text in CONTROLS.items()}
TYPES = ("awareness", "appropriateness", "coherency")
GROUPS = ("recognition", "preference")


def all_settings(results: ResultsView) -> list[str]:
    """Return the labels of all settings, in grid order."""
    return [one.label for one in results.settings]


def overview_grid(results: ResultsView) -> Grid:
    """Return accuracy of every model in every setting; what there is more of stands in rows."""
    models, settings = [m.model for m in results.models], own_settings(results)
    settings = settings or all_settings(results)
    values = {(c.model, c.setting): c.share() for c in results.cells}
    best = _marked(results, models, settings)

    def cell(model: str, setting: str) -> Cell:
        return share_cell(values.get((model, setting)), best.get((model, setting), ""))

    if len(settings) > len(models):
        columns = ("Setting", *models)
        rows = [(Cell(s), *(cell(m, s) for m in models)) for s in settings]
    else:
        columns = ("Model", *settings)
        rows = [(model_cell(m), *(cell(m, s) for s in settings)) for m in models]
    everything = results.part("all")
    guess = f"; guessing gets {percent(everything.chance)}" if everything else ""
    return Grid(
        "accuracy",
        "Accuracy by model and setting",
        columns,
        tuple(rows),
        note=f"Per cent of all questions asked, with {results.level} % intervals{guess}.",
    )


def _marked(
    results: ResultsView, models: Sequence[str], settings: Sequence[str]
) -> dict[tuple[str, str], str]:
    """Mark the best model of each setting."""
    found: dict[tuple[str, str], str] = {}
    for setting in settings:
        cells = [results.cell(model, setting) for model in models]
        told = marks([None if cell is None else cell.share().value for cell in cells])
        found |= {(m, setting): mark for m, mark in zip(models, told, strict=True)}
    return found


def cells_grid(results: ResultsView) -> Grid:
    """Return every cell in full: over questions, over tasks, chance, and bounds."""
    everything = results.part("all")
    chance = percent(everything.chance) if everything else NONE
    rows = []
    for cell in results.cells:
        whole = cell.parts.get("all")
        if whole is None:
            continue
        rows.append(
            (
                model_cell(cell.model),
                Cell(cell.setting),
                Cell(f"{whole.share.n:,}"),
                share_cell(whole.share),
                share_cell(cell.macro),
                Cell(chance),
                Cell(percent(whole.of_answered)),
                Cell(percent(whole.if_all_right)),
            )
        )
    made = unrepeated(rows)
    return Grid(
        "cells",
        "Every cell in full",
        ("Model", "Setting", "Questions", "Accuracy", "Mean over tasks", "Chance", "Of those read",
         "If all lost were right"),
        made,
        labels=2,
        note="Accuracy gives each question the same weight, the mean over tasks each of the up to "
        "15 tasks; it has no interval where a task is of one concept only. The last column is what "
        "accuracy would be if every answer that was lost had been right: the truth lies between.",
        breaks=breaks_of(made),
    )  # fmt: skip


def parts_grid(results: ResultsView) -> Grid | None:
    """Return accuracy by type, group and category of every own cell: rows are cells."""
    keys = [
        part.key
        for part in results.parts
        if not part.trait and not part.task and _words(part.key) == 1 and part.key != "all"
    ]
    if not keys:
        return None
    rows = _cell_rows(results, keys)
    titles = tuple(part_title(key) for key in keys)
    return Grid(
        "parts",
        "By type of question, recognition or preference, and category",
        ("Model", "Setting", *titles),
        rows,
        labels=2,
        note=_chances(results, keys),
        breaks=breaks_of(rows),
    )


def crossed_grid(results: ResultsView) -> Grid | None:
    """Return accuracy by two of type, group and category at once."""
    keys = [p.key for p in results.parts if not p.trait and not p.task and _words(p.key) == 2]
    if not keys:
        return None
    rows = _cell_rows(results, keys)
    return Grid(
        "crossed",
        "By two of type, group and category",
        ("Model", "Setting", *(part_title(key) for key in keys)),
        rows,
        labels=2,
        breaks=breaks_of(rows),
    )


def tasks_grid(results: ResultsView, settings: Sequence[str] | None = None) -> Grid | None:
    """Return accuracy in the 15 tasks; rows are cells."""
    keys = [part.key for part in results.parts if part.task]
    if not keys:
        return None
    rows = _cell_rows(results, keys, settings)
    return Grid(
        "tasks",
        f"Accuracy in the {counted(len(keys), 'task')}",
        ("Model", "Setting", *(part_title(key) for key in keys)),
        rows,
        labels=2,
        note=_chances(results, keys),
        breaks=breaks_of(rows),
    )


def _cell_rows(
    results: ResultsView, keys: Sequence[str], settings: Sequence[str] | None = None
) -> tuple[tuple[Cell, ...], ...]:
    wanted = set(settings if settings is not None else own_settings(results))
    wanted = wanted or set(all_settings(results))
    rows = []
    for cell in results.cells:
        if cell.setting in wanted:
            shares = (share_cell(cell.share(key)) for key in keys)
            rows.append((model_cell(cell.model), Cell(cell.setting), *shares))
    return unrepeated(rows)


def _words(key: str) -> int:
    return len(key.split(" · "))


def _chances(results: ResultsView, keys: Sequence[str]) -> str:
    """Say what guessing gets, in groups of parts with the same chance."""
    groups: dict[str, list[str]] = {}
    for key in keys:
        part = results.part(key)
        if part is not None:
            groups.setdefault(percent(part.chance), []).append(part_title(key).lower())
    told = [f"{chance} % in {', '.join(names)}" for chance, names in groups.items()]
    if len(groups) == 1:
        return f"Guessing gets {next(iter(groups))} % everywhere."
    return f"Guessing gets {'; '.join(told)}." if told else ""


def lift_grid(results: ResultsView, together: bool = False) -> Grid | None:
    """Return what the own concept brings over each control, by model and setting.

    Args:
        results: the tables.
        together: over all settings that have the headline's control, a row for each model.
    """
    lifts = results.headline.lifts if together else results.lifts
    if not lifts:
        return None
    keys = [k for k in (*GROUPS, *TYPES) if any(k in lift.parts for lift in lifts)]
    rows = []
    for lift in lifts:
        whole = lift.whole
        rows.append(
            (
                model_cell(lift.model),
                Cell(lift.setting or "all that have this control"),
                Cell(CONTROL_TITLES.get(lift.control, lift.control)),
                Cell(percent(whole.left)),
                Cell(percent(whole.right)),
                difference_cell(whole),
                Cell("" if whole.won is None else f"{whole.won:,}\u00a0/\u00a0{whole.lost or 0:,}"),
                *(difference_cell(lift.parts.get(key)) for key in keys),
            )
        )
    made = unrepeated(rows, 2)
    return Grid(
        "lifts" if together else "lifts-each",
        "Lift, all settings together" if together else "Lift in each setting, over each control",
        ("Model", "Setting", "Against", "Right concept", "Control", "Lift", "Won / lost",
         *(f"Lift, {key}" for key in keys)),
        made,
        labels=3,
        note="Accuracy with the question’s own concept minus accuracy on the same questions under "
        f"a control, in points with {results.level} % intervals. Won and lost: questions that only "
        "the one or the other gets right.",
        breaks=breaks_of(made),
    )  # fmt: skip


def unaided_grid(results: ResultsView) -> Grid | None:
    """Return how much each model answers when it is told of nobody, corrected for guessing."""
    wanted = {"all", *GROUPS, *TYPES}
    rows = [
        (
            model_cell(one.model),
            Cell(one.setting),
            Cell(part_title(one.part)),
            Cell(f"{one.share.n:,}"),
            share_cell(one.share),
            Cell(percent(one.chance)),
            Cell(percent(one.corrected)),
        )
        for one in results.unaided
        if one.part in wanted
    ]
    if not rows:
        return None
    made = unrepeated(rows, 2)
    return Grid(
        "unaided",
        "What models answer without any concept",
        ("Model", "Setting", "Questions about", "Questions", "Accuracy", "Chance",
         "Beyond guessing"),
        made,
        labels=3,
        note="Beyond guessing is 0 where a model does no better than chance, and 100 where it "
        "needs no concept at all; below 0 it does worse than chance.",
        breaks=breaks_of(made),
    )  # fmt: skip


def bias_grid(results: ResultsView) -> Grid | None:
    """Return Appropriateness minus Awareness of every cell (M32)."""
    table = results.bias
    if table is None or not table.cells:
        return None
    keys = [k for k in ("all", *GROUPS) if any(k in one.parts for one in table.cells)]
    rows = unrepeated(
        (
            model_cell(one.model),
            Cell(one.setting),
            *(difference_cell(one.parts.get(key)) for key in keys),
        )
        for one in table.cells
    )
    return Grid(
        "bias",
        "Personalisation bias by model and setting",
        ("Model", "Setting", *(part_title(key) for key in keys)),
        rows,
        labels=2,
        note="Accuracy in Appropriateness minus accuracy in Awareness, in points.",
        breaks=breaks_of(rows),
    )


def bias_sentence(results: ResultsView) -> str:
    """Say how many cells hold back what they know, and how many see the concept everywhere."""
    table = results.bias
    if table is None or not table.cells:
        return ""
    cells = len(table.cells)
    if cells == 1:
        return _BIAS_OF_ONE[table.positive, table.negative]
    are = "are" if table.positive != 1 else "is"
    said = (
        f"{table.positive} of {cells:,} cells ({percent(table.share_positive)} %) {are} positive, "
        "leaving the concept out where it belongs"
    )
    if table.negative:
        are = "are" if table.negative > 1 else "is"
        said += f"; {table.negative} {are} negative, bringing it in where it does not"
    if table.zero:
        said += f"; {table.zero} {'are' if table.zero > 1 else 'is'} 0"
    return said + "."


_BIAS_OF_ONE = {
    (1, 0): "The one cell is positive: it leaves the concept out where it belongs.",
    (0, 1): "The one cell is negative: it brings the concept in where it does not belong.",
    (0, 0): "The one cell is 0: the concept is left out as often as it is brought in.",
}
