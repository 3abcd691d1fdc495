"""The tables of an MMPB run as Markdown, LaTeX, CSV and JSON."""

from __future__ import annotations

import json
from typing import Any

from eyeprint.report.exports import grids_latex, grids_markdown
from eyeprint.report.grids import Grid
from eyeprint.report.mmpb_found_views import DifferenceView, MeanView, ShareView
from eyeprint.report.mmpb_html import gathered
from eyeprint.report.mmpb_tables import mmpb_tables
from eyeprint.report.mmpb_titles import titled
from eyeprint.report.mmpb_view import FinishedMmpb
from eyeprint.report.mmpb_words import headline
from eyeprint.report.run_files import json_object
from eyeprint.report.spreadsheets import csv_text

HEADER = ("table", "model", "setting", "part", "n", "value", "low", "high")


def all_mmpb_grids(run: FinishedMmpb) -> list[Grid]:
    """Return every table in the order of the report.

    Raises:
        DataError: a file of the run is missing or cut.
    """
    return mmpb_tables(run, gathered(run)).in_order()


def mmpb_markdown(run: FinishedMmpb) -> str:
    """Return the headline and every table as Markdown; best in bold, second in italics."""
    run = titled(run)
    closing = f"Run `{run.fingerprint[:12]}`, eyeprint {run.version}."
    return grids_markdown("MMPB report", headline(run), all_mmpb_grids(run), closing)


def mmpb_latex(run: FinishedMmpb) -> str:
    r"""Return every table as a ``table`` environment; needs ``\usepackage{booktabs}``."""
    run = titled(run)
    return grids_latex(headline(run), all_mmpb_grids(run))


def mmpb_csv(run: FinishedMmpb) -> str:
    """Return one row per table, model, setting and part, shares in full; empty is "no number".

    ``table`` says what a row is: ``accuracy`` and ``macro`` of cells, ``lift``, ``bias``,
    ``drop`` and ``drop ratio``, ``modality``, ``prompting``, ``unaided`` or ``blind``.
    """
    results = run.results
    rows: list[dict[str, Any]] = []
    for cell in results.cells:
        rows.append(_row("macro", cell.model, cell.setting, "all", cell.macro))
        for key, part in cell.parts.items():
            counts = part.outcomes.model_dump()
            more = {"of_answered": part.of_answered, "if_all_right": part.if_all_right, **counts}
            rows.append(_row("accuracy", cell.model, cell.setting, key, part.share, **more))
    for lift in (*results.headline.lifts, *results.lifts):
        setting = lift.setting or "all"
        for key, found in lift.parts.items():
            rows.append(_row("lift", lift.model, setting, key, found, against=lift.control))
    for bias in results.bias.cells if results.bias else ():
        for key, found in bias.parts.items():
            rows.append(_row("bias", bias.model, bias.setting, key, found))
    for drop in results.drops:
        for key, lost in drop.parts.items():
            where = (drop.model, drop.longer, key)
            rows.append(_row("drop", *where, lost.difference, against=drop.shorter))
            ratio = MeanView(value=lost.ratio, low=lost.low, high=lost.high)
            rows.append(_row("drop ratio", *where, ratio, against=drop.shorter))
    for pair in results.modality:
        for key, found in pair.parts.items():
            model = pair.model or "mean"
            rows.append(_row("modality", model, pair.text, key, found, against=pair.image))
    for table in results.prompting:
        for way in table.strategies:
            for key, found in way.parts.items():
                told = {"against": table.base, "holm": way.holm.get(key)}
                model = table.model or "all"
                rows.append(_row("prompting", model, way.setting, key, found, **told))
    for one in results.unaided:
        told = {"chance": one.chance, "corrected": one.corrected}
        rows.append(_row("unaided", one.model, one.setting, one.part, one.share, **told))
    for blind in results.blind:
        for each in blind.parts:
            told = {"optimum": each.optimum, "distance": each.distance}
            rows.append(_row("blind", blind.model, blind.setting, each.part, each.share, **told))
    return csv_text(rows, HEADER)


def _row(
    table: str,
    model: str,
    setting: str,
    part: str,
    found: ShareView | MeanView | DifferenceView,
    **more: Any,
) -> dict[str, Any]:
    row: dict[str, Any] = {
        "table": table,
        "model": model,
        "setting": setting,
        "part": part,
        "n": getattr(found, "n", None),
        "value": found.value,
        "low": found.low,
        "high": found.high,
    }
    if isinstance(found, DifferenceView):
        row |= {"left": found.left, "right": found.right, "p": found.p}
    return row | more


def mmpb_json(run: FinishedMmpb) -> str:
    """Return headline, settings and summary as one JSON object, as the files have them.

    Raises:
        DataError: a file of the run is missing or cut.
    """
    value = {
        "headline": headline(run),
        "manifest": dict(run.manifest),
        "summary": json_object(run.folder / "summary.json", "Run the same command again."),
    }
    return json.dumps(value, ensure_ascii=False, indent=1) + "\n"
