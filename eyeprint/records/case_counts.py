"""How many cases, pictures and people a set of cases has, as the paper counts them (P45)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from eyeprint.records.cases import Case

ALL = "all"
"""Name of the row that counts every split together."""


class SplitCounts(NamedTuple):
    """One row of the counts; the released set has 719 + 650 cases of 175 + 76 people."""

    split: str
    cases: int
    pictures: int
    """Distinct paths, of references and targets alike."""
    people: int

    @property
    def cases_per_person(self) -> float:
        """Mean number of cases of a person; 0 without people."""
        return self.cases / self.people if self.people else 0.0

    @property
    def pictures_per_person(self) -> float:
        """Mean number of distinct pictures of a person; 0 without people."""
        return self.pictures / self.people if self.people else 0.0

    def told(self) -> str:
        """Return the row as one line for people to read.

        >>> SplitCounts("real", 650, 645, 76).told()
        'real: 650 cases, 645 pictures, 76 people (8.55 cases and 8.49 pictures each)'
        """
        who = "1 person" if self.people == 1 else f"{self.people} people"
        return (
            f"{self.split}: {self.cases} cases, {self.pictures} pictures, {who} "
            f"({self.cases_per_person:.2f} cases and {self.pictures_per_person:.2f} pictures each)"
        )


def count_cases(cases: Iterable[Case]) -> tuple[SplitCounts, ...]:
    """Return one row per split, in order of appearance, and the row :data:`ALL` last.

    >>> one = Case(id="0", person_id="a", prompt="x", references=("1.png",), target="2.png")
    >>> [row[1:] for row in count_cases([one])]
    [(1, 2, 1), (1, 2, 1)]
    """
    cases = tuple(cases)
    splits: dict[str, list[Case]] = {}
    for case in cases:
        splits.setdefault(case.split, []).append(case)
    return (*(_counted(split, own) for split, own in splits.items()), _counted(ALL, cases))


def _counted(split: str, cases: Iterable[Case]) -> SplitCounts:
    cases = tuple(cases)
    pictures = {path for case in cases for path in case.references}
    pictures |= {case.target for case in cases if case.target is not None}
    return SplitCounts(split, len(cases), len(pictures), len({case.person_id for case in cases}))
