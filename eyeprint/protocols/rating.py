"""Files of verdicts in, ratings out: what ``eyeprint rate`` does (CHECKLIST P51–P58)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from eyeprint.errors import BadRecord, shown
from eyeprint.records.study_files import (
    MetricTable,
    Picks,
    read_human_verdicts,
    read_metric_table,
    read_picks,
)
from eyeprint.records.verdict_files import Repeats, VerdictSet, read_verdicts
from eyeprint.records.verdicts import Comparison, Verdict
from eyeprint.records.whole_files import write_whole
from eyeprint.report.spreadsheets import csv_text
from eyeprint.scores.arena import arena
from eyeprint.scores.arena_result import ArenaResult, ArenaSettings
from eyeprint.scores.arena_tables import arena_tables
from eyeprint.scores.arena_tables import markdown as markdown

LISTED = 8
"""Most models that a note names."""


class RatedFiles(NamedTuple):
    """The result, the verdicts it is made of, and what could not be read."""

    result: ArenaResult
    verdicts: VerdictSet
    faults: tuple[BadRecord, ...]
    """Of all files."""


def rate_files(
    sources: Sequence[str | Path],
    settings: ArenaSettings | None = None,
    *,
    compete: str | Path | None = None,
    humans: str | Path | None = None,
    picks: str | Path | None = None,
    metrics: str | Path | None = None,
    repeats: Repeats = "first",
) -> RatedFiles:
    """Rate models by verdicts in files.

    Args:
        sources: files or folders, see :func:`eyeprint.records.verdict_files.read_verdicts`.
        settings: see :class:`eyeprint.scores.arena_result.ArenaSettings`.
        compete: the released file of comparisons.
        humans: verdicts of raters, JSONL or CSV.
        picks: a CSV of best-of-several picks.
        metrics: a CSV of metrics, a row per model.
        repeats: whether further verdicts of one judge on one comparison count.

    Raises:
        DataError: a file cannot be used, nothing counts, or models are not connected.
        UsageError: released verdicts without comparisons, or a model that nobody knows.
    """
    settings = settings or ArenaSettings()
    found = read_verdicts(sources, compete, settings.rule, repeats)
    faults = list(found.faults)
    raters: tuple[Verdict, ...] = ()
    if humans is not None:
        raters, more = read_human_verdicts(humans, _comparisons(found))
        faults += more
    chosen = read_picks(picks) if picks is not None else None
    table = read_metric_table(metrics) if metrics is not None else None
    faults += chosen.faults if chosen is not None else ()
    faults += table.faults if table is not None else ()
    models = {name for pair in found.comparisons for name in (pair.model_a, pair.model_b)}
    if settings.models:
        models &= set(settings.models)
    result = arena(
        found.verdicts,
        settings,
        models=sorted(models),
        humans=raters,
        picks=chosen.picks if chosen is not None else (),
        metrics=table.columns if table is not None else None,
        notes=(*found.notes, *_strangers(found, chosen, table)),
    )
    return RatedFiles(result, found, tuple(faults))


def _strangers(verdicts: VerdictSet, picks: Picks | None, table: MetricTable | None) -> list[str]:
    """Return notes on models of other files that no verdict names: often another spelling."""
    known = {name for pair in verdicts.comparisons for name in (pair.model_a, pair.model_b)}
    known |= {name for one in verdicts.verdicts for name in (one.model_a, one.model_b)}
    named = {
        "picks": [pick.model for pick in picks.picks] if picks is not None else [],
        "metrics": [m for column in table.columns.values() for m in column] if table else [],
    }
    notes = []
    for what, models in named.items():
        strange = [shown(name) for name in dict.fromkeys(models) if name not in known]
        if strange:
            told = ", ".join(strange[:LISTED])
            told += f" and {len(strange) - LISTED} more" if len(strange) > LISTED else ""
            notes.append(f"The {what} name models that no verdict names: {told}.")
    return notes


def _comparisons(found: VerdictSet) -> list[Comparison]:
    """Return what raters can have judged: comparisons that were read, or that verdicts name."""
    known = {pair.id: pair for pair in found.comparisons}
    for verdict in found.verdicts:
        if verdict.comparison_id not in known:
            known[verdict.comparison_id] = Comparison(
                id=verdict.comparison_id,
                case_id=verdict.case_id,
                person_id=verdict.person_id,
                model_a=verdict.model_a,
                model_b=verdict.model_b,
                picture_a="",
                picture_b="",
            )
    return list(known.values())


def as_json(result: ArenaResult) -> str:
    """Return the whole result as one JSON object."""
    return json.dumps(result.model_dump(mode="json"), ensure_ascii=False, indent=1) + "\n"


def ratings_csv(result: ArenaResult) -> str:
    """Return the table of ratings as CSV, a row per model, numbers in full."""
    return csv_text(arena_tables(result)[0].rows)


def write_ratings(result: ArenaResult, folder: str | Path) -> list[Path]:
    """Write ``ratings.json`` (everything), ``ratings.md`` and one CSV file per table.

    Raises:
        CannotWrite: see :func:`eyeprint.records.whole_files.write_whole`.
    """
    folder = Path(folder)
    texts = {"ratings.json": as_json(result), "ratings.md": markdown(result)}
    texts |= {f"{table.name}.csv": csv_text(table.rows) for table in arena_tables(result)}
    for name, text in texts.items():
        write_whole(folder / name, [text.encode("utf-8", "replace")])
    return [folder / name for name in texts]
