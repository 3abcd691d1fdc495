"""One pass over the answers of an MMPB run: what was read by which rule, and replies to look at.

Which replies are shown is drawn by hash from the run's seed, never by how well they came out.
Memory is bounded: of a million rows, some dozens are kept.
"""

from __future__ import annotations

import heapq
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

from eyeprint.errors import DataError
from eyeprint.randomness import stable_hash
from eyeprint.report.grids import Cell, Grid
from eyeprint.report.mmpb_found_views import OUTCOMES
from eyeprint.report.mmpb_row_views import AnswerView
from eyeprint.report.mmpb_view import AGAIN, FinishedMmpb

LOST_EACH = 8
"""Replies shown of each outcome but "answered"."""
READ_EACH = 3
"""Replies shown of each rule that read an answer."""
MOST_REPLY = 600
"""Characters of a reply that are shown."""


@dataclass
class Rule:
    """What one rule read, over all rows."""

    read: int = 0
    right: int = 0
    doubtful: int = 0
    """Replies in which something else could be read too."""


@dataclass
class Gathered:
    """What one pass found."""

    rules: dict[str, Rule] = field(default_factory=dict)
    lost: dict[str, list[AnswerView]] = field(default_factory=dict)
    """Outcome -> replies without an answer."""
    read: dict[str, list[AnswerView]] = field(default_factory=dict)
    """Rule -> replies that it read."""
    said: dict[str, list[AnswerView]] = field(default_factory=dict)
    """Question that is shown -> its replies, in the order of rows."""


class _Lot:
    """Keeps the few entries with the least hashes."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.heap: list[tuple[int, int, dict[str, Any]]] = []

    def add(self, key: int, line: int, row: dict[str, Any]) -> None:
        if len(self.heap) < self.most:
            heapq.heappush(self.heap, (-key, -line, row))
        elif -key > self.heap[0][0]:
            heapq.heapreplace(self.heap, (-key, -line, row))

    def taken(self) -> list[tuple[int, dict[str, Any]]]:
        """Return (line, row) in the order of the file."""
        return sorted(((-line, row) for _, line, row in self.heap), key=lambda each: each[0])


def gather(run: FinishedMmpb, shown: Collection[str], settings: Collection[str]) -> Gathered:
    """Read all rows once.

    Args:
        run: the finished run.
        shown: ids of the questions whose replies are all kept.
        settings: labels of the settings whose replies to those are kept.

    Raises:
        DataError: the file is missing, cut, or has not as many rows as the summary says.
    """
    found, seed, count = Gathered(), run.settings.seed, 0
    lost: dict[str, _Lot] = {}
    read: dict[str, _Lot] = {}
    for line, row in run.raw_rows():
        count += 1
        outcome, rule = str(row.get("outcome", "")), str(row.get("rule", ""))
        question, model, setting = (str(row.get(k, "")) for k in ("question", "model", "setting"))
        key = stable_hash(seed, "report-replies", model, setting, question)
        if outcome == "answered":
            tally = found.rules.setdefault(rule, Rule())
            tally.read += 1
            tally.right += bool(row.get("right"))
            tally.doubtful += bool(row.get("alternatives"))
            read.setdefault(rule, _Lot(READ_EACH)).add(key, line, row)
        else:
            lost.setdefault(outcome, _Lot(LOST_EACH)).add(key, line, row)
        if question in shown and setting in settings:
            found.said.setdefault(question, []).append(run.answer(line, row))
    if count != run.results.rows:
        raise DataError(
            f"{run.folder / 'results.jsonl'}: has {count:,} rows, but the run's summary speaks of "
            f"{run.results.rows:,}. {AGAIN}"
        )
    found.lost = {
        name: [run.answer(line, row) for line, row in lost[name].taken()]
        for name in (*OUTCOMES, *sorted(set(lost) - set(OUTCOMES)))
        if name in lost
    }
    order = sorted(read, key=lambda rule: (-found.rules[rule].read, rule))
    found.read = {rule: [run.answer(*each) for each in read[rule].taken()] for rule in order}
    found.rules = {rule: found.rules[rule] for rule in order}
    return found


def shortened(reply: str, most: int = MOST_REPLY) -> str:
    """Return a reply with its middle left out where it is long: the end decides most often.

    >>> shortened("a" * 10, 6)
    'aa … aaaa'
    """
    text = reply.strip()
    if len(text) <= most:
        return text
    head = most // 3
    return f"{text[:head]} … {text[len(text) - (most - head) :]}"


def rules_grid(found: Gathered) -> Grid | None:
    """Return how many answers each rule read, and how many replies could be read otherwise too."""
    if not found.rules:
        return None
    rows = tuple(
        (
            Cell(rule or "not told"),
            Cell(f"{tally.read:,}"),
            Cell(f"{100 * tally.right / tally.read:.1f}"),
            Cell(f"{tally.doubtful:,}"),
        )
        for rule, tally in found.rules.items()
    )
    return Grid(
        "rules",
        "How answers were read",
        ("Rule", "Answers", "Right, %", "Something else could be read"),
        rows,
        note="A rule is what in the reply decided: a letter that is stated, a word, an option’s "
        "text. Examples of each stand below.",
    )
