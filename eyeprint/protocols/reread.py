"""Stored replies read again, by the reader of today, without a call (X9).

Only runs of MMPB keep their replies beside their results; VPTT and PIPBench read a reply
when they make their prompts and verdicts, and make them anew from the ledger.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from pydantic import ValidationError

from eyeprint.errors import DataError
from eyeprint.protocols.display import Display, Quiet
from eyeprint.protocols.mmpb_reading import concept_answers
from eyeprint.protocols.mmpb_settings import MmpbRun
from eyeprint.protocols.mmpb_summary import RESULTS, result_rows, summarise
from eyeprint.records.concept_questions import ConceptAnswer
from eyeprint.records.json_text import json_line, parse_json
from eyeprint.records.whole_files import write_whole
from eyeprint.report.write import write_report
from eyeprint.store.folder_lock import FolderLock
from eyeprint.store.run_folder import MANIFEST

CHANGES = "reread.jsonl"


class Change(NamedTuple):
    """One answer that is read otherwise than before."""

    model: str
    setting: str
    question: str
    key: str
    before: str
    """What was read: the answer, or what became of it."""
    now: str
    rule: str
    """What fires now."""
    reply: str


class Rereading(NamedTuple):
    """What reading again has changed."""

    folder: Path
    rows: int
    changes: tuple[Change, ...]
    right_before: int
    right_now: int

    def kinds(self) -> dict[str, int]:
        """Return "before -> now" -> how often."""
        counted = Counter(f"{each.before} -> {each.now}" for each in self.changes)
        return dict(counted.most_common())


def reread(folder: str | Path, display: Display | None = None, *, write: bool = True) -> Rereading:
    """Read a run's stored replies again and write its results, tables and report anew.

    What changed stands in ``reread.jsonl`` too. With ``write`` false nothing is written.

    Raises:
        DataError: the folder holds no finished run of MMPB.
        FolderBusy: another process works in it.
    """
    place, display = Path(folder), display or Quiet()
    run = finished_run(place)
    lock = FolderLock(place)
    lock.take()
    try:
        display.stage("reading answers", None)
        found = _compared(place)
        if write:
            # The rows are read a second time: none of them is held.
            rows = (json_line(row.model_dump(mode="json")) for row in concept_answers(place))
            write_whole(place / RESULTS, rows)
            write_whole(place / CHANGES, (json_line(each._asdict()) for each in found.changes))
            summarise(run, place, display)
            write_report(place)
    finally:
        lock.release()
    return found


def finished_run(place: Path) -> MmpbRun:
    """Return the settings of a finished MMPB run.

    Raises:
        DataError: the folder holds none.
    """
    try:
        manifest = parse_json((place / MANIFEST).read_bytes())
        kind = str(manifest["kind"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DataError(
            f"{place}: is not the folder of a run. Give the one that `eyeprint run mmpb` wrote."
        ) from error
    if kind not in ("mmpb", "vptt", "pipbench"):
        raise DataError(
            f"{place}: holds a {kind}, and no run. Give the folder that `eyeprint run mmpb` wrote."
        )
    if kind != "mmpb":
        raise DataError(
            f"{place}: holds a run of kind '{kind}', which keeps no replies beside its results. "
            "Its command reads them again from the ledger, in a new folder (--out), without "
            "paying for what is there."
        )
    if not (place / RESULTS).exists():
        raise DataError(
            f"{place}: the run is not finished. Run its command again: it goes on where it stopped."
        )
    try:
        return MmpbRun.model_validate(manifest["settings"])
    except (ValidationError, KeyError) as error:
        raise DataError(
            f"{place / MANIFEST}: holds settings that this version of eyeprint does not know. Run "
            "the command again with --out and another folder; replies are taken from the ledger."
        ) from error


def _compared(place: Path) -> Rereading:
    changes: list[Change] = []
    rows = before_right = now_right = 0
    for before, now in _pairs(place):
        rows += 1
        before_right += before.right
        now_right += now.right
        if _told(before) != _told(now):
            changes.append(
                Change(
                    now.model,
                    now.setting,
                    now.question,
                    now.key,
                    _told(before),
                    _told(now),
                    now.rule,
                    now.reply,
                )
            )
    return Rereading(place, rows, tuple(changes), before_right, now_right)


def _pairs(place: Path) -> Iterator[tuple[ConceptAnswer, ConceptAnswer]]:
    yield from zip(result_rows(place), concept_answers(place), strict=True)


def _told(row: ConceptAnswer) -> str:
    return row.said if row.outcome == "answered" and row.said else row.outcome
