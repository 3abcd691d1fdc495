"""The tables of a PIPBench run as Markdown, LaTeX, CSV and JSON."""

from __future__ import annotations

import json
from typing import Any

from eyeprint.maths.intervals import Interval
from eyeprint.report.exports import grids_latex, grids_markdown
from eyeprint.report.grids import Grid
from eyeprint.report.pipbench_data_grids import (
    gather,
)
from eyeprint.report.pipbench_table_views import ImageTableView
from eyeprint.report.pipbench_tables import pipbench_tables
from eyeprint.report.pipbench_view import FinishedPipbench
from eyeprint.report.pipbench_words import headline
from eyeprint.report.run_files import json_object
from eyeprint.report.spreadsheets import csv_text

HEADER = ("table", "split", "model", "method", "painter", "column", "better", "mean", "low", "high")


def all_pipbench_grids(run: FinishedPipbench) -> list[Grid]:
    """Return every table in the order of the report.

    Raises:
        DataError: a file of the run is missing or cut.
    """
    return pipbench_tables(run, gather(run)).in_order()


def pipbench_markdown(run: FinishedPipbench) -> str:
    """Return the headline and every table as Markdown; best in bold, second in italics."""
    closing = f"Run `{run.fingerprint[:12]}`, eyeprint {run.version}."
    return grids_markdown("PIPBench report", headline(run), all_pipbench_grids(run), closing)


def pipbench_latex(run: FinishedPipbench) -> str:
    r"""Return every table as a ``table`` environment; needs ``\usepackage{booktabs}``."""
    return grids_latex(headline(run), all_pipbench_grids(run))


def pipbench_csv(run: FinishedPipbench) -> str:
    """Return one row per table, model and column, numbers in full; empty is "no number".

    ``table`` says what a row is: ``scores``, ``lift`` or ``rating``.
    """
    rows: list[dict[str, Any]] = []
    for table in (*run.summary.tables, run.summary.overall):
        rows += _scores(table)
    for lift in run.summary.lifts:
        rows.append(
            {
                "table": "lift",
                "split": "all",
                "model": lift.model,
                "column": f"{lift.prefix}-R",
                "better": "higher",
                **_ends(lift.lift),
                "own": lift.own,
                "stranger": lift.stranger,
                "positive": lift.positive,
            }
        )
    for judged in run.judged:
        for row in judged.arena.models if judged.arena is not None else ():
            rows.append(
                {
                    "table": "rating",
                    "split": " ".join(sorted(judged.splits)),
                    "model": row.model,
                    "column": f"rating {judged.name}",
                    "better": "higher",
                    "mean": row.rating,
                    "low": row.low,
                    "high": row.high,
                    "rank": row.rank,
                    "rank_low": row.rank_low,
                    "rank_high": row.rank_high,
                    "wins": row.wins,
                    "ties": row.ties,
                    "losses": row.losses,
                    "win_rate": row.win_rate,
                }
            )
    return csv_text(rows, HEADER)


def _scores(table: ImageTableView) -> list[dict[str, Any]]:
    rows = []
    for model in table.models:
        for column in table.columns:
            measure = model.columns.get(column.name)
            if measure is None:
                continue
            gap = measure.minus_reference
            rows.append(
                {
                    "table": "scores",
                    "split": table.split or "all",
                    "model": model.model,
                    "method": model.method,
                    "painter": model.painter,
                    "column": column.name,
                    "better": column.better,
                    **_ends(table.interval(measure)),
                    "mean": measure.mean,
                    "micro": measure.micro.mean,
                    "macro": measure.macro.mean,
                    "cases": measure.micro.n,
                    "people": measure.macro.n,
                    "outputs": model.outputs,
                    "unscored": measure.unscored,
                    "if_worst": measure.mean_if_worst,
                    "if_best": measure.mean_if_best,
                    "minus_reference": None if gap is None else gap.mean,
                    "minus_reference_low": None if gap is None else gap.low,
                    "minus_reference_high": None if gap is None else gap.high,
                    "reference": model.reference,
                    "mark": measure.mark,
                }
            )
    return rows


def _ends(interval: Interval) -> dict[str, float | None]:
    return {"mean": interval.mean, "low": interval.low, "high": interval.high}


def pipbench_json(run: FinishedPipbench) -> str:
    """Return headline, settings, summary and judgings as one JSON object, as the files have them.

    Raises:
        DataError: a file of the run is missing or cut.
    """
    again = "Run the same command again."
    judged = {
        each.name: {
            "arena": json_object(each.folder / "arena.json", again) if each.arena else None,
            "certificates": [one.model_dump(mode="json") for one in each.certificates],
            "splits": sorted(each.splits),
        }
        for each in run.judged
    }
    value = {
        "headline": headline(run),
        "manifest": dict(run.manifest),
        "summary": json_object(run.folder / "summary.json", again),
        "judged": judged,
    }
    return json.dumps(value, ensure_ascii=False, indent=1) + "\n"
