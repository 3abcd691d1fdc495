"""One pass over all rows: what charts and gallery show of them, in bounded memory.

Which people and prompts are shown is drawn by :func:`eyeprint.randomness.stream` from
the run's seed, never by how well they came out. Counts and quartiles are over all rows.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from eyeprint.randomness import stable_hash, stream
from eyeprint.report.gallery import Sheet, sheet
from eyeprint.report.run_folder_view import FinishedRun, PersonView

GALLERY_PEOPLE = 12
SPREAD_PEOPLE = 240
POINTS = 140
"""Prompts per method in the chart of alignment against novelty."""


@dataclass
class Tally:
    """Sum and count of one person's scores with one method."""

    total: float = 0.0
    n: int = 0


@dataclass
class Sampled:
    """What one pass gathered."""

    rows: int = 0
    people: int = 0
    shown: list[PersonView] = field(default_factory=list)
    """The people of the gallery, in the run's order."""
    sheets: dict[tuple[str, str], list[Sheet]] = field(default_factory=dict)
    """(person, query) -> prompts in row order."""
    texts: dict[str, str] = field(default_factory=dict)
    """Query -> its text."""
    tallies: dict[str, dict[str, Tally]] = field(default_factory=dict)
    """Method -> person -> mean score; the source of spread and quartiles."""
    spread_people: frozenset[str] = frozenset()
    points: dict[str, list[tuple[float, float]]] = field(default_factory=dict)
    """Method -> (NV, score-c) of sampled prompts."""
    faults: Counter[tuple[str, str]] = field(default_factory=Counter)
    """(method, kind of failure) -> prompts."""
    unscored: Counter[tuple[str, str]] = field(default_factory=Counter)
    """(part, reason) -> prompts."""
    words_cut: int = 0
    """Prompts from which the plain composer dropped words."""

    def person_means(self, method: str) -> list[float]:
        """Return each person's mean score with one method, in order of first appearance."""
        found = self.tallies.get(method, {})
        return [tally.total / tally.n for tally in found.values() if tally.n]

    def shown_means(self, method: str) -> list[float]:
        """Return the same for the sampled people only."""
        found = self.tallies.get(method, {})
        return [
            tally.total / tally.n
            for person, tally in found.items()
            if tally.n and person in self.spread_people
        ]


def sample(run: FinishedRun) -> Sampled:
    """Read people and rows once and keep what the report shows.

    Raises:
        DataError: a file is missing or cut.
    """
    seed = run.settings.seed
    found = Sampled()
    ids = [person.id for person in run.people()]
    found.people = len(ids)
    gallery = frozenset(stream(seed, "report-gallery", "people").sample(ids, GALLERY_PEOPLE))
    found.spread_people = frozenset(
        stream(seed, "report-spread", "people").sample(ids, SPREAD_PEOPLE)
    )
    found.shown = [person for person in run.people() if person.id in gallery]
    apart = {task.id for task in run.settings.apart}
    heaps: dict[str, list[tuple[int, float, float]]] = {}
    for row in run.rows():
        found.rows += 1
        method, person, query = str(row["method"]), str(row["person"]), str(row["query"])
        _count(found, method, row)
        if query not in apart:
            _pool(found, run, row, heaps)
        if person in gallery:
            found.texts.setdefault(query, str(row.get("query_text", "")))
            found.sheets.setdefault((person, query), []).append(sheet(row))
    for method, heap in heaps.items():
        found.points[method] = [(x, y) for _, x, y in sorted(heap, reverse=True)]
    return found


def _pool(
    found: Sampled,
    run: FinishedRun,
    row: Mapping[str, Any],
    heaps: dict[str, list[tuple[int, float, float]]],
) -> None:
    """Take a row of the pooled tasks into its person's mean, and perhaps among the points."""
    method, person = str(row["method"]), str(row["person"])
    value = row.get(run.settings.measure)
    if value is not None:
        tally = found.tallies.setdefault(method, {}).setdefault(person, Tally())
        tally.total += value
        tally.n += 1
    if row.get("nv") is None or row.get("score_c") is None:
        return
    # The key leaves the method out: all methods show the same people and tasks.
    where = (person, row["query"], row.get("writer", ""))
    key = stable_hash(run.settings.seed, "report-points", *where)
    heap = heaps.setdefault(method, [])
    entry = (-key, float(row["nv"]), float(row["score_c"]))
    if len(heap) < POINTS:
        heapq.heappush(heap, entry)
    elif entry > heap[0]:
        heapq.heapreplace(heap, entry)


def _count(found: Sampled, method: str, row: Mapping[str, Any]) -> None:
    if row.get("prompt") is None:
        found.faults[method, str(row.get("fault") or "failed")] += 1
    else:
        for part, reason in (row.get("unscored") or {}).items():
            found.unscored[str(part), str(reason)] += 1
    if row.get("words_cut"):
        found.words_cut += 1


def quartiles(values: list[float]) -> tuple[float, float, float] | None:
    """Return lower quartile, median and upper quartile (linear interpolation).

    >>> quartiles([1.0, 2.0, 3.0, 4.0])
    (1.75, 2.5, 3.25)
    """
    if not values:
        return None
    ordered = sorted(values)

    def at(share: float) -> float:
        place = share * (len(ordered) - 1)
        low = int(place)
        high = min(low + 1, len(ordered) - 1)
        return ordered[low] + (ordered[high] - ordered[low]) * (place - low)

    return at(0.25), at(0.5), at(0.75)
