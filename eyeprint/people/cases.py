"""Cases from pools: references, another picture as target, and a short prompt (P44).

The paper leaves open how K is drawn and how many cases a person has. Here K is uniform
over 2 to 5, as far as the pool goes; targets go round the pool before one is used again;
no case has the target, nor a near-duplicate of it, among its references; and no two cases
of a person have the same target and references.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from pydantic import Field

from eyeprint.config import Settings
from eyeprint.people.pools import AlikePairs
from eyeprint.randomness import Stream, stream
from eyeprint.records.case_counts import SplitCounts, count_cases
from eyeprint.records.cases import Case

RELEASED_PER_POOL = {"synthetic": 4, "real": 9}
"""Cases of a person in the released set, rounded: 719 / 175 = 4.11 and 650 / 76 = 8.55."""


class CaseSettings(Settings):
    """How many cases a pool gives, and how many references a case has."""

    least_references: int = Field(default=2, ge=1)
    most_references: int = Field(default=5, ge=1)
    """K: the main text says at most 5, appendix A 2 to 5."""
    per_pool: int | None = Field(default=None, ge=1)
    """Cases of a person; left out, as in the released set: 4 synthetic, 9 real."""
    tries: int = Field(default=40, ge=1)
    """Draws for a case before a pool is taken to have no further one."""

    def wanted(self, split: str) -> int:
        """Return how many cases a person of a split gets.

        >>> CaseSettings().wanted("real"), CaseSettings(per_pool=2).wanted("real")
        (9, 2)
        """
        return self.per_pool or RELEASED_PER_POOL.get(split, RELEASED_PER_POOL["synthetic"])


class PoolPicture(NamedTuple):
    """A picture of a pool as cases name it."""

    path: str
    """Relative to the data root."""
    prompt: str
    """X, should it become a target."""


class CasePool(NamedTuple):
    """One person's pool, ready for cases."""

    person_id: str
    split: str
    pictures: tuple[PoolPicture, ...]
    alike: AlikePairs = frozenset()
    """Near-duplicates, by place."""


class MadeCases(NamedTuple):
    """The cases of all pools, and the people who have none."""

    cases: tuple[Case, ...]
    skipped: dict[str, str]
    """Person -> why."""
    short: dict[str, int]
    """Person -> cases, of those whose pool has fewer than were wanted."""

    @property
    def counts(self) -> tuple[SplitCounts, ...]:
        """Cases, pictures and people of each split, and of all (P45)."""
        return count_cases(self.cases)


def make_cases(
    pools: Sequence[CasePool], settings: CaseSettings | None = None, *, seed: int = 7
) -> MadeCases:
    """Return the cases of pools, numbered from 0 in the pools' order.

    A person's draws depend on the seed, the person and the pool alone.

    >>> pool = CasePool("a", "synthetic", tuple(PoolPicture(f"{n}.png", "x") for n in range(7)))
    >>> made = make_cases([pool])
    >>> len(made.cases), made.cases[0].target in made.cases[0].references
    (4, False)
    """
    settings = settings or CaseSettings()
    cases: list[Case] = []
    skipped: dict[str, str] = {}
    short: dict[str, int] = {}
    for pool in pools:
        wanted = settings.wanted(pool.split)
        found = list(_cases_of(pool, settings, wanted, stream(seed, "case", pool.person_id)))
        if not found:
            skipped[pool.person_id] = _why_none(pool, settings)
        elif len(found) < wanted:
            short[pool.person_id] = len(found)
        for target, references in found:
            picture = pool.pictures[target]
            cases.append(
                Case(
                    id=str(len(cases)),
                    person_id=pool.person_id,
                    split=pool.split,
                    prompt=picture.prompt,
                    references=tuple(pool.pictures[n].path for n in references),
                    target=picture.path,
                )
            )
    return MadeCases(tuple(cases), skipped, short)


def _cases_of(
    pool: CasePool, settings: CaseSettings, wanted: int, draw: Stream
) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Yield (target, references) by place in the pool."""
    free = _may_stand_beside(pool)
    targets = [n for n in range(len(pool.pictures)) if len(free[n]) >= settings.least_references]
    seen: set[tuple[int, frozenset[int]]] = set()
    made = 0
    round_of: list[int] = []
    for _ in range(wanted * settings.tries if targets else 0):
        if not round_of:
            round_of = draw.shuffled(targets)
        target = round_of.pop()
        most = min(settings.most_references, len(free[target]))
        least = min(settings.least_references, most)
        references = tuple(draw.sample(free[target], draw.between(least, most)))
        if (target, frozenset(references)) in seen:
            continue
        seen.add((target, frozenset(references)))
        yield target, references
        made += 1
        if made == wanted:
            return


def _may_stand_beside(pool: CasePool) -> Mapping[int, list[int]]:
    """Return for each picture those that may be references when it is the target.

    One picture stands for all that are near-duplicates of each other: a set of copies would
    be a smaller set than it looks.
    """
    alike = {(a, b) for pair in pool.alike for a, b in (pair, pair[::-1])}
    same_path = [picture.path for picture in pool.pictures]
    free: dict[int, list[int]] = {}
    for target in range(len(pool.pictures)):
        kept: list[int] = []
        for n in range(len(pool.pictures)):
            beside = (target, *kept)
            if any((n, m) in alike or same_path[n] == same_path[m] for m in beside):
                continue
            kept.append(n)
        free[target] = kept
    return free


def _why_none(pool: CasePool, settings: CaseSettings) -> str:
    count, least = len(pool.pictures), settings.least_references + 1
    if count < least:
        return f"{count} picture{'' if count == 1 else 's'}; a case takes {least} at least"
    return f"{count} pictures, of which fewer than {least} are unlike each other"
