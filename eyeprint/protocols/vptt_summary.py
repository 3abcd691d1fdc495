"""The tables of a finished VPTT run, and everything a reader should know beside them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from eyeprint.errors import BadRecord, DataError
from eyeprint.protocols.vptt_settings import VpttRun
from eyeprint.records.json_lines import read_json_lines
from eyeprint.scores.vptt_columns import ScoreColumns
from eyeprint.scores.vptt_table import GroupBy, TableSettings, VpttTable, vptt_tables

Row = Mapping[str, Any]


def read_rows(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the rows of ``results.jsonl``.

    Raises:
        DataError: the file cannot be read, or a row is cut or damaged.
    """
    for number, row in read_json_lines(path):
        if isinstance(row, BadRecord):
            raise DataError(
                f"{path}:{number}: the row is cut or damaged ({row.reason}). Delete this file and "
                "run the same command again."
            )
        yield row


def tables_of(run: VpttRun, rows: Iterable[Row]) -> list[VpttTable]:
    """Return the run's tables: overall, by kind and writer (Table 3), by task and writer (7–10).

    Overall tables are over the free-mode tasks when there are any: scores under a
    three-phrase budget are another measurement (V65), and have their tables by task.
    """
    modes = {task.id: task.mode for task in run.tasks}
    free_only = "free" in modes.values()
    every, pooled = [], []
    for row in rows:
        slim = {
            "person": row["person"],
            "query": row["query"],
            "method": row["method"],
            "writer": row["writer"],
            "kind": row["kind"],
            "pa": row["pa"],
            "gs": row["gs"],
            "cp": row["cp"],
            "nv": row["nv"],
            "wrong": row["wrong_score_c"],
            "shuffled": row["shuffled_score_c"],
        }
        every.append(slim)
        if not free_only or modes[row["query"]] == "free":
            pooled.append(slim)
    settings = TableSettings(score=run.score, seed=run.seed, draws=run.bootstraps)
    over, single = ScoreColumns.from_rows(pooled), ScoreColumns.from_rows(every)
    groups: list[tuple[ScoreColumns, Sequence[GroupBy]]] = [(over, ())]
    groups += [(over, ("kind",)), (over, ("writer",)), (over, ("kind", "writer"))]
    groups += [(single, ("query",)), (single, ("query", "writer"))]
    return [table for columns, by in groups for table in vptt_tables(columns, by, settings)]


def counts_of(rows: Iterable[Row]) -> dict[str, Any]:
    """Return how many prompts there are, and what could not be written or scored, by kind."""
    drafts = 0
    failures: Counter[str] = Counter()
    unscored: Counter[str] = Counter()
    cut = 0
    for row in rows:
        drafts += 1
        cut += bool(row["words_cut"])
        if row["prompt"] is None:
            failures[row["fault"]] += 1
        for part, reason in row["unscored"].items():
            unscored[f"{part}: {reason}"] += 1
    return {
        "drafts": drafts,
        "failures": dict(sorted(failures.items())),
        "unscored": dict(sorted(unscored.items())),
        "prompts_cut_by_words": cut,
    }
