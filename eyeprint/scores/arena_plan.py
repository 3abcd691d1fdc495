"""Which cases go to the arena, and which pairs of pictures are compared (CHECKLIST P52).

About a sixth of the cases, with persons and prompts as they are among all; of each case
every unordered pair of models. The draw depends on the cases and the seed alone: with more
models, or after a resume, the same cases are compared under the same ids.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from heapq import heapify, heappop, heappush
from itertools import combinations
from typing import Any

from pydantic import Field

from eyeprint.config import Settings
from eyeprint.errors import UsageError
from eyeprint.maths.apportion import largest_remainder
from eyeprint.randomness import stable_digest, stable_hash, stream
from eyeprint.records.cases import Case
from eyeprint.records.verdicts import Comparison
from eyeprint.scores.arena_result import Found


class ArenaPlanSettings(Settings):
    """How cases are drawn.

    >>> ArenaPlanSettings().cases_of(650)
    108
    """

    share: float = Field(default=1 / 6, gt=0, le=1)
    """Share of the cases that are compared; 1 compares all."""
    splits: tuple[str, ...] = ("real",)
    """Splits that take part, as in the paper; empty for all."""
    seed: int = 0

    def cases_of(self, total: int) -> int:
        """Return how many of so many cases are drawn: the nearest whole number, at least 1."""
        return min(total, max(1, round(total * self.share))) if total else 0


class ArenaPlan(Found):
    """Cases that were drawn, and the comparisons on them."""

    settings: ArenaPlanSettings
    cases: tuple[str, ...]
    """Ids, in the order of the cases that were given."""
    of_cases: int
    """How many they were drawn from."""
    comparisons: tuple[Comparison, ...]
    missing: tuple[tuple[str, str], ...]
    """(case, model) without a picture: its comparisons cannot be made."""
    identical: int
    """Comparisons of two pictures with the same pixels: only a tie is right."""
    persons: int
    """Persons among the drawn cases."""
    of_persons: int
    furthest_person: float
    """Largest difference between a person's share of the drawn cases and of all."""
    furthest_prompt: float
    """The same for prompts."""


def plan_arena(
    cases: Sequence[Case],
    pictures: Mapping[str, Mapping[str, str]],
    settings: ArenaPlanSettings | None = None,
    prompt_group: Callable[[Case], Any] | None = None,
) -> ArenaPlan:
    """Return the comparisons to judge.

    Args:
        cases: all cases; those of other splits are left out.
        pictures: model -> case id -> pixel hash (or path) of its picture.
        settings: see :class:`ArenaPlanSettings`.
        prompt_group: what makes two prompts alike; by default the same words. A subject or
            category keeps its distribution instead.

    Raises:
        UsageError: under two models, no case of the splits, or two cases with one id.

    >>> cases = [Case(id=str(i), person_id="ann", split="real", prompt="a cat", references=("r",))
    ...     for i in range(12)]
    >>> pictures = {name: {str(i): f"{name}{i}" for i in range(12)} for name in ("x", "y", "z")}
    >>> plan = plan_arena(cases, pictures)
    >>> len(plan.cases), len(plan.comparisons), plan.comparisons[0].model_a
    (2, 6, 'x')
    """
    settings = settings or ArenaPlanSettings()
    if len(pictures) < 2:
        raise UsageError("An arena needs pictures of two models or more.")
    wanted = [case for case in cases if not settings.splits or case.split in settings.splits]
    if not wanted:
        known = ", ".join(sorted({case.split for case in cases})) or "none"
        wanted_ones = ", ".join(f"'{split}'" for split in settings.splits)
        raise UsageError(f"No case of the split {wanted_ones}; splits: {known}.")
    twice = next((i for i, n in Counter(case.id for case in wanted).items() if n > 1), None)
    if twice is not None:
        raise UsageError(f"Two cases have the id '{twice}': comparisons could not tell them apart.")
    group = prompt_group or _same_words
    drawn = draw_cases(wanted, settings, group)
    comparisons, missing = [], []
    for case in drawn:
        there = [name for name in sorted(pictures) if case.id in pictures[name]]
        missing += [(case.id, name) for name in sorted(pictures) if name not in there]
        for one, other in combinations(there, 2):
            comparisons.append(_comparison(case, one, other, pictures))
    return ArenaPlan(
        settings=settings,
        cases=tuple(case.id for case in drawn),
        of_cases=len(wanted),
        comparisons=tuple(comparisons),
        missing=tuple(missing),
        identical=sum(pair.picture_a == pair.picture_b for pair in comparisons),
        persons=len({case.person_id for case in drawn}),
        of_persons=len({case.person_id for case in wanted}),
        furthest_person=_furthest(drawn, wanted, lambda case: case.person_id),
        furthest_prompt=_furthest(drawn, wanted, group),
    )


def draw_cases(
    cases: Sequence[Case], settings: ArenaPlanSettings, group: Callable[[Case], Any]
) -> list[Case]:
    """Return the drawn cases, in their order.

    Persons get places in proportion to their cases, by largest remainders, equal remainders
    in an order that the seed draws. Then person by person the case is taken whose group of
    prompts lags furthest behind its share; the case's own stream decides between equals.
    """
    total = settings.cases_of(len(cases))
    by_person: dict[str, list[Case]] = {}
    for case in cases:
        by_person.setdefault(case.person_id, []).append(case)
    # Sorting by a hash is a shuffle in which everybody keeps his place when others join.
    persons = sorted(by_person, key=lambda p: (stable_hash(settings.seed, "arena person", p), p))
    sizes = [len(by_person[person]) for person in persons]
    places = largest_remainder(sizes, total, caps=sizes).tolist()
    of_group = Counter(group(case) for case in cases)
    taken: Counter[Any] = Counter()
    chosen: set[str] = set()
    for person, count in zip(persons, places, strict=True):
        waiting: dict[Any, list[tuple[float, str]]] = {}
        for case in by_person[person]:
            mark = stream(settings.seed, "arena case", case.id).random()
            waiting.setdefault(group(case), []).append((mark, case.id))
        # The head of each group, the one furthest behind first; only what is taken changes.
        queue: list[tuple[int, float, str, Any]] = []
        for name, marked in waiting.items():
            marked.sort(reverse=True)
            # In whole numbers, so that equals are equal.
            behind = taken[name] * len(cases) - of_group[name] * total
            queue.append((behind, *marked[-1], name))
        heapify(queue)
        for _ in range(count):
            behind, _, number, name = heappop(queue)
            chosen.add(number)
            taken[name] += 1
            waiting[name].pop()
            if waiting[name]:
                heappush(queue, (behind + len(cases), *waiting[name][-1], name))
    return [case for case in cases if case.id in chosen]


def comparison_id(case_id: str, one: str, other: str, picture: str, other_picture: str) -> str:
    """Return an id that is the same for the same two pictures of two models for one case.

    A picture that was painted anew is another comparison: verdicts on the old one stay its own.

    >>> comparison_id("7", "x", "y", "aa", "bb")
    '7-23a284c089a3'
    """
    digest = stable_digest("comparison", case_id, one, other, picture, other_picture)
    return f"{case_id}-{digest.hex()[:12]}"


def _comparison(
    case: Case, one: str, other: str, pictures: Mapping[str, Mapping[str, str]]
) -> Comparison:
    picture, other_picture = pictures[one][case.id], pictures[other][case.id]
    return Comparison(
        id=comparison_id(case.id, one, other, picture, other_picture),
        case_id=case.id,
        person_id=case.person_id,
        prompt=case.prompt,
        model_a=one,
        model_b=other,
        picture_a=picture,
        picture_b=other_picture,
    )


def _same_words(case: Case) -> str:
    return " ".join(case.prompt.lower().split())


def _furthest(drawn: Sequence[Case], cases: Sequence[Case], key: Callable[[Case], Any]) -> float:
    before, after = Counter(map(key, cases)), Counter(map(key, drawn))
    return max(abs(after[name] / len(drawn) - n / len(cases)) for name, n in before.items())
