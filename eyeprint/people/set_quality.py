"""The HSQ study: how good people find sets of references and targets (CHECKLIST P78).

Annotators give each set a score of 1 to 5 and mark failures. A marked failure caps the
score: template redundancy at 3, a set of mixed persons at 2, a target that does not match
at 3. Where several are marked the lowest cap holds. The collapse onto one style or tag is
"penalised" in the paper, by how much it does not say: here by a setting. 5 is only for sets
without any mark. Scores are averaged over a set's annotators, then over sets.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from pydantic import ConfigDict, Field, ValidationError

from eyeprint.config import Settings
from eyeprint.errors import BadRecord, DataError, shown
from eyeprint.maths.intervals import Interval, clustered_mean
from eyeprint.randomness import stream
from eyeprint.records.csv_rows import read_csv_rows
from eyeprint.records.people import Record

MARKS = ("template_redundancy", "mixed_person", "target_mismatch", "tag_collapse")
_YES = frozenset(["1", "yes", "true", "x", "y"])
_NO = frozenset(["", "0", "no", "false", "n"])


class SetQualitySettings(Settings):
    """Caps and penalty of the rubric."""

    template_redundancy: float = Field(default=3, ge=1, le=5)
    mixed_person: float = Field(default=2, ge=1, le=5)
    target_mismatch: float = Field(default=3, ge=1, le=5)
    tag_collapse: float = Field(default=1, ge=0, le=4)
    """Taken off the score of a set whose styles have collapsed onto one; never below 1."""
    five_needs_no_mark: bool = True
    """A 5 with any mark counts as 4."""
    seed: int = 7
    draws: int = Field(default=1000, ge=1)
    level: float = Field(default=0.95, gt=0, lt=1)


class Rating(Record):
    """What one annotator said of one set."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    set_id: str = Field(min_length=1)
    annotator: str = Field(min_length=1)
    person: str = ""
    """Whose set it is, where several sets of one person are rated; for the interval."""
    group: str = ""
    """Which data set: profile-inclusive, profile-free ..."""
    score: float = Field(ge=1, le=5)
    template_redundancy: bool = False
    mixed_person: bool = False
    target_mismatch: bool = False
    tag_collapse: bool = False


class RatingFile(NamedTuple):
    """The ratings of a file, and the rows that could not be read."""

    ratings: tuple[Rating, ...]
    faults: tuple[BadRecord, ...]


class GroupQuality(NamedTuple):
    """The result of one data set."""

    group: str
    mean: Interval
    sets: int
    annotators: int
    capped: dict[str, int]
    """Mark -> ratings that carry it."""
    mean_gap: float | None
    """Mean difference between the highest and lowest score of a set, where it has two or
    more: how far the annotators agree."""


def set_score(rating: Rating, settings: SetQualitySettings | None = None) -> float:
    """Return a rating's score after the rubric, in [1, 5]: min(score - penalty, caps).

    >>> set_score(Rating(set_id="s", annotator="a", score=5, mixed_person=True))
    2.0
    >>> set_score(Rating(set_id="s", annotator="a", score=4, tag_collapse=True))
    3.0
    """
    rules = settings or SetQualitySettings()
    score = rating.score
    if rules.five_needs_no_mark and any(getattr(rating, mark) for mark in MARKS):
        score = min(score, 4.0)
    if rating.tag_collapse:
        score -= rules.tag_collapse
    caps = [
        getattr(rules, mark)
        for mark in ("template_redundancy", "mixed_person", "target_mismatch")
        if getattr(rating, mark)
    ]
    return float(max(1.0, min([score, *caps])))


def quality_of(
    ratings: Sequence[Rating], settings: SetQualitySettings | None = None
) -> tuple[GroupQuality, ...]:
    """Return each data set's mean with its interval, by name.

    The interval resamples persons where they are named, else sets.

    Raises:
        DataError: one annotator rates one set twice.
    """
    rules = settings or SetQualitySettings()
    groups: dict[str, dict[str, list[Rating]]] = {}
    seen: set[tuple[str, str, str]] = set()
    for rating in ratings:
        key = (rating.group, rating.set_id, rating.annotator)
        if key in seen:
            raise DataError(
                f"annotator {shown(rating.annotator)} rates set {shown(rating.set_id)} twice."
            )
        seen.add(key)
        groups.setdefault(rating.group, {}).setdefault(rating.set_id, []).append(rating)
    return tuple(_group(name, groups[name], rules) for name in sorted(groups))


def _group(name: str, sets: dict[str, list[Rating]], rules: SetQualitySettings) -> GroupQuality:
    scores = {key: [set_score(rating, rules) for rating in rated] for key, rated in sets.items()}
    means = np.array([np.mean(values) for values in scores.values()])
    persons = [rated[0].person or f"set {key}" for key, rated in sets.items()]
    gaps = [max(values) - min(values) for values in scores.values() if len(values) > 1]
    everything = [rating for rated in sets.values() for rating in rated]
    rng = stream(rules.seed, "set quality", name).numpy()
    return GroupQuality(
        group=name,
        mean=clustered_mean(means, persons, rng, rules.draws, rules.level),
        sets=len(sets),
        annotators=len({rating.annotator for rating in everything}),
        capped={mark: sum(getattr(r, mark) for r in everything) for mark in MARKS},
        mean_gap=float(np.mean(gaps)) if gaps else None,
    )


def read_ratings(path: str | Path) -> RatingFile:
    """Read a CSV file of ratings: ``set_id``, ``annotator``, ``score``, and marks as yes or no.

    Columns ``person``, ``group`` and the four marks may be left out.

    Raises:
        DataError: the file cannot be read, lacks a column, or holds not one good row.
    """
    file = Path(path)
    ratings: list[Rating] = []
    faults: list[BadRecord] = []
    for line, row in read_csv_rows(file, ("set_id", "annotator", "score")):
        try:
            if isinstance(row, BadRecord):
                raise row
            ratings.append(_rating(row, str(file), line))
        except BadRecord as fault:
            faults.append(fault)
    if not ratings:
        told = "".join(f"\n  {fault}" for fault in faults[:5]) or " It holds no row."
        raise DataError(f"{file}: not one rating could be read.{told}")
    return RatingFile(tuple(ratings), tuple(faults))


def _rating(row: dict[str, str], file: str, line: int) -> Rating:
    values: dict[str, object] = {}
    for name in ("set_id", "annotator", "person", "group", "score"):
        values[name] = row.get(name, "")
    for mark in MARKS:
        told = row.get(mark, "").lower()
        if told not in _YES | _NO:
            raise BadRecord(file, line, mark, f"'{shown(told)}' is neither yes nor no")
        values[mark] = told in _YES
    try:
        return Rating.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"])
        raise BadRecord(file, line, field, first["msg"]) from error


def compared(groups: Iterable[GroupQuality]) -> str:
    """Return the groups in one line, best first: "profile 3.61, profile_free 3.28".

    >>> compared([])
    ''
    """
    known = [g for g in groups if g.mean.mean is not None]
    ranked = sorted(known, key=lambda g: -(g.mean.mean or 0.0))
    return ", ".join(f"{g.group or 'all'} {g.mean.mean:.2f}" for g in ranked)
