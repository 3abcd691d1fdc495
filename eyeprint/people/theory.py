"""The theory-to-visual map: from answers and traits to visual words (CHECKLIST P12, P38).

The entries stand in ``people/data/theory_to_visual.toml``, one or more for every row of
appendix K. They are associative priors: an entry that applies adds words that a writer may
use, and says why; it is no rule about people.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from eyeprint.errors import DataError
from eyeprint.people.tables import read_table, table_digest

TABLE = "theory_to_visual.toml"
ROWS = (
    "openness",
    "values",
    "evt",
    "cma",
    "controls",
    "age",
    "major",
    "cognitive",
    "role",
    "living",
    "media",
    "hobbies",
    "fashion",
    "travel",
)
"""The rows of P38; major and cognitive style are two."""
SLOTS = ("style", "medium", "composition", "lighting", "palette", "mood", "constraints")
"""Kinds of visual words of an entry, besides its subjects."""
SCALES = ("openness", "thinking", "pleasure", "excitement", "age")
"""Numbers that an entry's ranges may name."""
OPENNESS = "openness"


def split_subject(text: str) -> tuple[str, str]:
    """Return (subject, setting) of a table's "subject | setting".

    >>> split_subject("a lone tree | on a hill"), split_subject("two planes | ")
    (('a lone tree', 'on a hill'), ('two planes', ''))
    """
    subject, _, setting = text.partition("|")
    return subject.strip(), setting.strip()


@dataclass(frozen=True)
class Entry:
    """One row of the map with the words that it suggests."""

    id: str
    row: str
    title: str
    why: str
    ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """Scale -> lowest and highest value, both included; all must hold."""
    question: str = ""
    match: re.Pattern[str] | None = None
    """Found in an option's label, lower-cased."""
    letter: str = ""
    """Of an MBTI type."""
    words: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Slot -> words."""
    subjects: Mapping[str, tuple[tuple[str, str], ...]] = field(default_factory=dict)
    """Category -> (subject, setting)."""

    @property
    def needs_openness(self) -> bool:
        """Whether the entry follows from openness, so that the ablation drops it (P77)."""
        return OPENNESS in self.ranges

    def holds(self, scales: Mapping[str, float]) -> bool:
        """Tell whether every scale is known and in its range.

        >>> theory()["openness/high"].holds({"openness": 6.5})
        True
        """
        return all(
            name in scales and low <= scales[name] <= high
            for name, (low, high) in self.ranges.items()
        )

    def fits(self, label: str) -> bool:
        """Tell whether a chosen option's label calls for this entry.

        >>> theory()["evt/ocean"].fits("Cool ocean tones")
        True
        """
        return self.match is not None and self.match.search(label.lower()) is not None


class Theory(Mapping[str, Entry]):
    """All entries by id, in the order of the table, with the weights of their rows."""

    def __init__(self, table: Mapping[str, Any], fingerprint: str) -> None:
        self.fingerprint = fingerprint
        self._weights: dict[str, dict[str, float]] = table.get("weights", {})
        self._entries = {row["id"]: _entry(row) for row in table["entry"]}

    def __getitem__(self, name: str) -> Entry:
        return self._entries[name]

    def __iter__(self) -> Any:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def weight(self, slot: str, row: str) -> float:
        """Return how much a row counts where several fill one slot."""
        return float(self._weights.get(slot, {}).get(row, 1.0))


def _entry(row: Mapping[str, Any]) -> Entry:
    unknown = sorted(set(row.get("ranges", {})) - set(SCALES))
    if row["row"] not in ROWS or unknown:
        raise DataError(f"{TABLE}, {row['id']}: no row '{row['row']}', or no scale {unknown}.")
    words = row.get("match", ())
    pattern = "|".join(re.escape(word.lower()) for word in words)
    return Entry(
        id=row["id"],
        row=row["row"],
        title=row["title"],
        why=row["why"],
        ranges={name: (float(a), float(b)) for name, (a, b) in row.get("ranges", {}).items()},
        question=row.get("question", ""),
        match=re.compile(rf"(?<!\w)(?:{pattern})(?!\w)") if words else None,
        letter=row.get("letter", ""),
        words={slot: tuple(row[slot]) for slot in SLOTS if slot in row},
        subjects={c: _subjects(texts) for c, texts in row.get("subjects", {}).items()},
    )


def _subjects(texts: Sequence[str]) -> tuple[tuple[str, str], ...]:
    return tuple(split_subject(text) for text in texts)


@cache
def theory() -> Theory:
    """Return the map that comes with the package.

    >>> sorted({entry.row for entry in theory().values()}) == sorted(ROWS)
    True
    """
    return Theory(read_table(TABLE), table_digest(TABLE))


@cache
def aesthetic_tags() -> dict[str, tuple[str, ...]]:
    """Return the tags of the profile-free pipeline: slot -> words (P74).

    >>> set(aesthetic_tags()) == set(SLOTS)
    True
    """
    return {slot: tuple(words) for slot, words in read_table("aesthetic_tags.toml").items()}


@cache
def general_subjects() -> dict[str, tuple[tuple[str, str], ...]]:
    """Return the subjects that suit anybody: category or "cultural" -> (subject, setting)."""
    return {name: _subjects(texts) for name, texts in read_table("candidate_subjects.toml").items()}
