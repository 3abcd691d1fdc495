"""Which findings of the leakage gate matter, and how much: the rules about cases and people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product

from eyeprint.people.leak_report import LeakKind, LeakRow, Level
from eyeprint.records.cases import Case

_TOLD = 3
"""Cases or people that a row names at most."""


@dataclass
class PictureUse:
    """Where a picture of the benchmark is used."""

    people: dict[str, None] = field(default_factory=dict)
    target_of: dict[str, int] = field(default_factory=dict)
    """Id of a case -> its place among the cases."""
    reference_of: dict[str, int] = field(default_factory=dict)


def picture_uses(cases: Sequence[Case]) -> dict[str, PictureUse]:
    """Return each picture's uses by its path, in order of first appearance."""
    uses: dict[str, PictureUse] = {}
    for place, case in enumerate(cases):
        for path in case.references:
            uses.setdefault(path, PictureUse()).reference_of[case.id] = place
        if case.target is not None:
            uses.setdefault(case.target, PictureUse()).target_of[case.id] = place
        for path in (*case.references, *([case.target] if case.target is not None else [])):
            uses[path].people[case.person_id] = None
    return uses


def target_pairs(cases: Sequence[Case]) -> Iterator[tuple[str, str]]:
    """Yield (target, reference) of every case; equal paths are left out."""
    for case in cases:
        if case.target is not None:
            yield from ((case.target, path) for path in case.references if path != case.target)


@dataclass(frozen=True)
class PairRules:
    """Says what two alike pictures of the benchmark break."""

    names: Sequence[str]
    uses: Sequence[PictureUse]
    two_people: Level
    one_pool: Level

    def row(self, a: int, b: int, kind: LeakKind, distance: float, told: str = "") -> LeakRow:
        """Return the row of two pictures, by number; the gravest rule that they break counts."""
        one, other = self.uses[a], self.uses[b]
        places = {case: n for case, n in one.target_of.items() if case in other.reference_of}
        places |= {case: n for case, n in other.target_of.items() if case in one.reference_of}
        shared = sorted(places, key=lambda case: places[case])
        level: Level
        if shared:
            # A likeness in an encoder proves nothing: one person's pictures are alike.
            level = "warn" if kind == "embedding" else "error"
            where = f"{_cases(shared)}: target and reference"
        elif set(one.people) & set(other.people):
            both = [person for person in one.people if person in other.people]
            level, where = self.one_pool, f"pool of {_named(both)}"
        else:
            level = self.two_people
            where = f"two people: {_named(list(one.people))} and {_named(list(other.people))}"
        if kind == "embedding":
            level = "warn"
        return LeakRow(
            kind=kind, level=level, where=where, a=self.names[a], b=self.names[b],
            distance=distance, told=told,
        )  # fmt: skip

    def breaks(self, a: int, b: int) -> bool:
        """Whether one picture is the target and the other a reference of one case."""
        one, other = self.uses[a], self.uses[b]
        return bool(
            one.target_of.keys() & other.reference_of.keys()
            or other.target_of.keys() & one.reference_of.keys()
        )


def shared_path_rows(
    names: Sequence[str], uses: Sequence[PictureUse], two_people: Level
) -> Iterator[LeakRow]:
    """Yield the rows of single files that are used where they must not be."""
    for name, use in zip(names, uses, strict=True):
        both = [case for case in use.target_of if case in use.reference_of]
        if both:
            where = f"{_cases(both)}: target and reference"
            yield LeakRow(kind="path", level="error", where=where, a=name, b=name)
        if len(use.people) > 1:
            where = f"two people: {_named(list(use.people))}"
            yield LeakRow(kind="path", level=two_people, where=where, a=name, b=name)


def class_pairs(
    one: Sequence[int], other: Sequence[int], rules: PairRules
) -> Iterator[tuple[int, int]]:
    """Yield the pairs of two groups of equal pictures that stand for all their pairs.

    All pairs that are target and reference of a case, and the first pair otherwise.
    """
    found = [(a, b) for a, b in product(one, other) if a != b and rules.breaks(a, b)]
    yield from found or [(one[0], other[0])]


def _cases(ids: Sequence[str]) -> str:
    more = f" and {len(ids) - _TOLD} more" if len(ids) > _TOLD else ""
    return ("case " if len(ids) == 1 else "cases ") + ", ".join(ids[:_TOLD]) + more


def _named(people: Sequence[str]) -> str:
    more = f" and {len(people) - _TOLD} more" if len(people) > _TOLD else ""
    return ", ".join(people[:_TOLD]) + more
