"""The heat tables of an MMPB page: accuracy in the 15 tasks, coloured against guessing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from eyeprint.report.grids import Grid
from eyeprint.report.mmpb_layout import main_settings, own_settings
from eyeprint.report.mmpb_summary_views import ResultsView
from eyeprint.report.mmpb_table_views import CellView, PartView
from eyeprint.report.mmpb_words import part_title, percent, with_ends
from eyeprint.report.page import anchor, environment
from eyeprint.report.words import NONE

STRONGEST = 50
"""Per cent of colour at most, so that text on it stays readable."""
MOST_SETTINGS = 12


class Heat(NamedTuple):
    """One coloured cell."""

    text: str
    told: str
    side: str
    strength: int


def heat_blocks(results: ResultsView) -> str:
    """Return heat tables: of one model with a row for each setting, else one for each setting.

    The first stands open; those of further main settings are folded, and what is not main is in
    the table of all cells.
    """
    tasks = [part for part in results.parts if part.task]
    if not tasks:
        return ""
    if len(results.models) == 1:
        model = results.models[0].model
        settings = (own_settings(results) or main_settings(results))[:MOST_SETTINGS]
        cells = [(s, results.cell(model, s)) for s in settings]
        return _heat(tasks, cells, model, "Setting")
    parts = []
    for place, setting in enumerate(main_settings(results)):
        cells = [(m.model, results.cell(m.model, setting)) for m in results.models]
        html = _heat(tasks, [each for each in cells if each[1] is not None], setting, "Model")
        if place == 0:
            parts.append(html)
            continue
        folded = environment().get_template("mmpb_folded.html.j2")
        parts.append(folded.render(title=f"The same, {setting}", note="", html=html))
    return "".join(parts)


def _heat(
    tasks: Sequence[PartView],
    cells: Sequence[tuple[str, CellView | None]],
    title: str,
    first: str,
) -> str:
    grid = Grid(
        f"heat-{anchor(title)}",
        f"Accuracy by task: {title}",
        (first, *(part_title(task.key) for task in tasks)),
        (),
        note="Per cent. The greener above guessing, the redder below. How the concept looks, and "
        "(likes) what somebody likes and dislikes. Intervals are in the tables below, and appear "
        "when you point at a cell.",
    )
    rows = [(name, [_cell(task, cell) for task in tasks]) for name, cell in cells]
    groups = Counter(part_title(str(task.type)) for task in tasks)
    heads = [
        f"{task.category}, likes" if task.group == "preference" else task.category for task in tasks
    ]
    template = environment().get_template("mmpb_heat.html.j2")
    return template.render(grid=grid, rows=rows, heads=heads, groups=list(groups.items()))


def _cell(task: PartView, cell: CellView | None) -> Heat:
    share = cell.share(task.key) if cell is not None else None
    if share is None or share.value is None:
        return Heat(NONE, "", "", 0)
    beyond = share.value - task.chance
    room = 1 - task.chance if beyond > 0 else task.chance
    strength = round(STRONGEST * min(1.0, abs(beyond) / room)) if room > 0 else 0
    side = "win" if beyond > 0 else "loss" if beyond < 0 else ""
    told = f"{with_ends(share)} of {share.n:,} questions; guessing gets {percent(task.chance)}"
    return Heat(percent(share.value), told, side, strength)
