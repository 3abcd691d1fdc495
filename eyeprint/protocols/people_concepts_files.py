"""What a build of concepts writes and reads beside its own rows: review files, report, tables."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from eyeprint.errors import UsageError
from eyeprint.people.concept_review import DESCRIPTION_COLUMNS, QUESTION_COLUMNS
from eyeprint.people.concept_votes import Outcome
from eyeprint.protocols.people_concepts_settings import TaskCounts
from eyeprint.records.concept_native import CONCEPTS
from eyeprint.records.concept_questions import TASKS
from eyeprint.records.whole_files import write_whole
from eyeprint.report.spreadsheets import csv_text

BUILD, PICTURES, REVIEW, REPORT = "build", "pictures", "review", "report.json"
QUESTIONS_CSV, DESCRIPTIONS_CSV = "questions.csv", "descriptions.csv"
DISAGREEMENTS_CSV = "disagreements.csv"
DISAGREEMENT_COLUMNS = ("what", "id", "status", "votes", "edit", "why", "comments")


def refuse_strange_root(root: Path) -> None:
    """Refuse to write over concepts that were not made here.

    Raises:
        UsageError: there is a file of concepts, and no folder of their build.
    """
    if (root / CONCEPTS).exists() and not (root / BUILD).is_dir():
        raise UsageError(
            f"{root} holds concepts that were not built here, and they would be written over. "
            "Name another folder with --out."
        )


def write_review(
    root: Path, questions: Sequence[Mapping[str, Any]], descriptions: Sequence[Mapping[str, Any]]
) -> None:
    """Write ``review/questions.csv`` and ``review/descriptions.csv``, to be copied and filled in.

    They hold no decision, so nothing is lost when they are written again.
    """
    for name, rows, columns in (
        (QUESTIONS_CSV, questions, QUESTION_COLUMNS),
        (DESCRIPTIONS_CSV, descriptions, DESCRIPTION_COLUMNS),
    ):
        write_whole(root / REVIEW / name, [csv_text(rows, columns).encode()])


def write_disagreements(root: Path, outcomes: Iterable[Outcome]) -> None:
    """Write what reviewers chose unlike things about, or what is not settled (M19)."""
    rows = [
        {
            "what": "question" if one.key[0] == "question" else f"description of {one.key[0]}",
            "id": one.key[1],
            "status": one.status,
            "votes": "; ".join(f"{who}: {choice}" for who, choice in one.votes),
            "edit": "; ".join(f"{field}: {text}" for field, text in one.edit),
            "why": one.why,
            "comments": " | ".join(one.comments),
        }
        for one in outcomes
        if one.disagreed or one.status in ("undecided", "waiting")
    ]
    text = csv_text(rows, DISAGREEMENT_COLUMNS)
    write_whole(root / REVIEW / DISAGREEMENTS_CSV, [text.encode()])


def write_report(root: Path, values: Mapping[str, Any]) -> None:
    """Write ``report.json``."""
    text = json.dumps(values, indent=1, ensure_ascii=False)
    write_whole(root / REPORT, [text.encode("utf-8", "surrogatepass"), b"\n"])


def count_tasks(
    planned: Iterable[str],
    undraftable: Iterable[str],
    drafted: Iterable[str],
    faulty: Iterable[str],
    flagged: Iterable[str],
    written: Iterable[str],
) -> tuple[TaskCounts, ...]:
    """Return the counts of each task that any picture asks for; arguments name tasks."""
    counts = [Counter(rows) for rows in (planned, undraftable, drafted, faulty, flagged, written)]
    return tuple(
        TaskCounts(task, *(count[task] for count in counts)) for task in TASKS if counts[0][task]
    )
