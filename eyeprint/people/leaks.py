"""The leakage gate: no target among its references, no training row in the benchmark.

A score is worth nothing when a method has seen the answer. Pictures are compared by bytes,
pixels, turned and mirrored pixels, brightness, small images whole and in parts, and, where
an encoder is given, by embeddings; prompts and profiles by their words (CHECKLIST P66).
What must not be is an error, what a person should see is a warning.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import cast

import numpy as np
from pydantic import Field

from eyeprint.config import Settings
from eyeprint.models.kinds import ImageEncoder
from eyeprint.people.leak_marks import PictureMarks, marks_of
from eyeprint.people.leak_matching import (
    Match,
    MatchSettings,
    crop_matches,
    exact_groups,
    exact_kind,
    near_matches,
    overlaid_matches,
)
from eyeprint.people.leak_neighbours import NeighbourSettings, neighbour_matches
from eyeprint.people.leak_pictures import PictureToCheck, ReadPictures, read_pictures
from eyeprint.people.leak_prompts import prompt_matches, same_profiles
from eyeprint.people.leak_report import LeakKind, LeakReport, LeakRow, Level
from eyeprint.people.leak_rules import (
    PairRules,
    class_pairs,
    picture_uses,
    shared_path_rows,
    target_pairs,
)
from eyeprint.people.training_rows import TrainingData
from eyeprint.records.case_files import Cases
from eyeprint.records.pictures import Picture

TRAINING = "benchmark and training rows"
_FEW = 12


class LeakSettings(Settings):
    """Thresholds of the gate, and how grave its findings are."""

    match: MatchSettings = MatchSettings()
    neighbours: NeighbourSettings = NeighbourSettings()
    prompt_overlap: float = Field(default=0.8, gt=0, le=1)
    """Share of word trigrams from which on two prompts are told; the same words are an error."""
    two_people: Level = "warn"
    """A picture of two people: their cases are no longer independent."""
    one_pool: Level = "warn"
    """Copies in one pool that no case uses as target and reference."""


def find_leaks(
    cases: Cases,
    training: TrainingData | None = None,
    *,
    encoder: ImageEncoder | None = None,
    settings: LeakSettings | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> LeakReport:
    """Compare everything that must be apart, and report what is not.

    Args:
        cases: the benchmark.
        training: rows that a method learns from; they are not compared among themselves.
        encoder: adds neighbours in its space, as warnings; "palette" needs no weights.
        settings: thresholds and levels.
        progress: told (pictures read, all pictures).

    Raises:
        DataError: a path leads out of the data root.
    """
    settings = settings or LeakSettings()
    uses = picture_uses(cases)
    files = [PictureToCheck(path, cases.picture_path(path)) for path in uses]
    theirs = training.pictures if training else {}
    files += [PictureToCheck(name, place) for name, place in theirs.items()]
    read = read_pictures(
        files, encoder, None if progress is None else (lambda done: progress(done, len(files)))
    )
    names = [files[place].name for place in read.places]
    first = sum(place < len(uses) for place in read.places)
    rules = PairRules(
        names, [uses[name] for name in names[:first]], settings.two_people, settings.one_pool
    )
    compared = _Comparison(read, first, rules, settings)
    rows = list(shared_path_rows(list(uses), list(uses.values()), settings.two_people))
    rows += compared.picture_rows(list(target_pairs(cases)))
    limit: float | None = None
    notes: tuple[str, ...] = ()
    if encoder is not None:
        found, limit, notes = compared.neighbour_rows()
        rows += found
    rows += _text_rows(cases, training, settings)
    return LeakReport(
        rows=tuple(sorted(rows, key=lambda row: row.level != "error")),
        cases=len(cases),
        pictures=first,
        training_pictures=len(names) - first,
        training_prompts=len(training.prompts) if training else 0,
        missing=read.missing,
        unreadable=read.unreadable,
        flat=sum(mark.flat for mark in read.marks),
        encoder=encoder.name if encoder is not None else "",
        likeness_limit=limit,
        notes=notes,
    )


class _Comparison:
    """The pictures of one check, those that are equal as one group."""

    def __init__(
        self, read: ReadPictures, first: int, rules: PairRules, settings: LeakSettings
    ) -> None:
        self.read, self.first, self.rules, self.settings = read, first, rules, settings
        self.members: dict[int, list[int]] = defaultdict(list)
        for number, group in enumerate(exact_groups(read.marks).tolist()):
            self.members[group].append(number)
        # Groups whose pictures can be compared, the benchmark's first: they are in order.
        self.leaders = [group for group in self.members if not read.marks[group].flat]
        self.seen: set[tuple[int, int]] = set()

    def picture_rows(self, targets: Sequence[tuple[str, str]]) -> Iterator[LeakRow]:
        """Yield what hashes and small images tell."""
        for group in self.members.values():
            yield from self._exact_rows(group)
        thumbs = self._thumbs()
        first = sum(leader < self.first for leader in self.leaders)
        settings = self.settings.match
        found = near_matches(thumbs, first, settings)
        near = {match[:2] for match in found}
        surely = [pair for pair in self._numbers(targets) if pair not in near]
        found += overlaid_matches(thumbs, surely, settings)
        if settings.crops:
            near = {match[:2] for match in found}
            surely = [pair for pair in surely if pair not in near]
            crops = crop_matches(thumbs, first, settings, surely)
            found += [match for match in crops if match[:2] not in near]
        for match in found:
            yield from self._rows(match)

    def neighbour_rows(self) -> tuple[list[LeakRow], float | None, tuple[str, ...]]:
        """Return what an encoder tells beyond that, its limit, and notes."""
        vectors = cast("np.ndarray[tuple[int, int], np.dtype[np.float32]]", self.read.vectors)
        first = sum(leader < self.first for leader in self.leaders)
        owners = [
            frozenset(p for n in self.members[leader] if n < self.first for p in self._people(n))
            for leader in self.leaders[:first]
        ]
        found = neighbour_matches(vectors[self.leaders], owners, first, self.settings.neighbours)
        if found.limit is None:
            note = (
                f"embeddings were not compared: {found.stranger_pairs} pairs of different people's "
                f"pictures are too few for a band ({self.settings.neighbours.least_pairs})"
            )
            return [], None, (note,)
        rows = [row for m in found.matches if m[:2] not in self.seen for row in self._rows(m)]
        return rows, found.limit, ()

    def _people(self, number: int) -> Sequence[str]:
        return tuple(self.rules.uses[number].people)

    def _thumbs(self) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
        found = [self.read.marks[leader].thumb for leader in self.leaders]
        return np.stack(found) if found else np.zeros((0, 64, 64), np.uint8)

    def _numbers(self, targets: Sequence[tuple[str, str]]) -> Iterator[tuple[int, int]]:
        """Yield (target, reference) pairs as numbers of leaders, the smaller first."""
        number = {name: n for n, name in enumerate(self.rules.names[: self.first])}
        place = {leader: n for n, leader in enumerate(self.leaders)}
        leader_of = {n: group for group, group_of in self.members.items() for n in group_of}
        for pair in dict.fromkeys(targets):
            if all(name in number for name in pair):
                one, other = (place.get(leader_of[number[name]]) for name in pair)
                if one is not None and other is not None and one != other:
                    yield min(one, other), max(one, other)

    def _exact_rows(self, group: Sequence[int]) -> Iterator[LeakRow]:
        """Yield the rows of equal pictures: each with the first, and all that share a case."""
        pairs = {(group[0], other) for other in group[1:]}
        mine = [number for number in group if number < self.first]
        pairs |= {
            (a, b) for place, a in enumerate(mine) for b in mine[place + 1 :] if self._breaks(a, b)
        }
        for a, b in sorted(pairs):
            one, other = self.read.marks[a], self.read.marks[b]
            kind = exact_kind(one, other)
            if kind is not None and a < self.first:
                told = "turned or mirrored too" if _gray_and_turned(kind, one, other) else ""
                yield self._row(a, b, kind, 0.0, told)

    def _breaks(self, a: int, b: int) -> bool:
        return self.rules.breaks(a, b)

    def _rows(self, match: Match) -> Iterator[LeakRow]:
        """Yield the rows of two groups that are alike; ``match`` numbers the leaders."""
        self.seen.add(match[:2])
        one, other = (self.members[self.leaders[n]] for n in match[:2])
        mine = ([n for n in group if n < self.first] for group in (one, other))
        ours, theirs = mine
        if ours and theirs:
            pairs = list(class_pairs(ours, theirs, self.rules))
        else:
            pairs = [(one[0], other[0])]
        for a, b in pairs:
            yield self._row(a, b, match.kind, match.distance, match.told)

    def _row(self, a: int, b: int, kind: LeakKind, distance: float, told: str) -> LeakRow:
        if b < self.first:
            return self.rules.row(a, b, kind, distance, told)
        names = self.rules.names
        level: Level = "warn" if kind == "embedding" else "error"
        return LeakRow(
            kind=kind, level=level, where=TRAINING, a=names[a], b=names[b],
            distance=distance, told=told,
        )  # fmt: skip


def _gray_and_turned(kind: str, one: PictureMarks, other: PictureMarks) -> bool:
    return kind == "gray" and one.turned != other.turned


def _text_rows(
    cases: Cases, training: TrainingData | None, settings: LeakSettings
) -> Iterator[LeakRow]:
    if training is None:
        return
    prompts = [case.prompt for case in cases]
    for match in prompt_matches(prompts, training.prompts, settings.prompt_overlap):
        level: Level = "error" if match.overlap == 1 else "warn"
        yield LeakRow(
            kind="prompt", level=level, where=TRAINING, a=match.a, b=match.b.text,
            distance=1 - match.overlap, told=match.b.where,
        )  # fmt: skip
    if training.profiles:
        for person, other in same_profiles(cases.profiles.values(), training.profiles):
            yield LeakRow(kind="profile", level="error", where=TRAINING, a=person, b=other)


def near_duplicates(
    pictures: Sequence[Picture], settings: MatchSettings | None = None
) -> frozenset[tuple[int, int]]:
    """Return the pairs (i, j), i < j, of few pictures of which one is a copy of the other.

    Copies by any of the gate's measures but embeddings. Up to twelve pictures, every pair is
    looked at closely; beyond that, the likeliest parts of each.

    >>> dot = Picture.of(np.arange(48, dtype=np.uint8).reshape(4, 4, 3))
    >>> other = Picture.of(dot.pixels[::-1].copy())
    >>> near_duplicates([dot, other])
    frozenset({(0, 1)})
    """
    settings = settings or MatchSettings()
    marks = [marks_of(picture) for picture in pictures]
    groups = exact_groups(marks)
    found = {
        (a, b)
        for a in range(len(marks))
        for b in range(a + 1, len(marks))
        if groups[a] == groups[b]
    }
    shown = [n for n, mark in enumerate(marks) if not mark.flat]
    if len(shown) > 1:
        thumbs = np.stack([marks[n].thumb for n in shown])
        matches = near_matches(thumbs, len(shown), settings)
        few = range(len(shown) if len(shown) <= _FEW else 0)
        pairs = [(a, b) for a in few for b in few if a < b]
        matches += overlaid_matches(thumbs, pairs, settings)
        if settings.crops:
            matches += crop_matches(thumbs, len(shown), settings, pairs)
        found |= {(shown[match.a], shown[match.b]) for match in matches}
    return frozenset(found)
