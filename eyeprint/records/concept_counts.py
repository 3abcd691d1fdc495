"""How many concepts, questions and pictures a set has, in every cut of Table 6 (CHECKLIST M5)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Literal, NamedTuple

from eyeprint.records.concept_questions import GROUPS, TASKS, TYPES, ConceptQuestion
from eyeprint.records.concepts import CATEGORIES, Concept

Cut = Literal["all", "category", "type", "group", "task"]


class ConceptCount(NamedTuple):
    """One row: what is counted, and how many there are of it."""

    by: Cut
    name: str
    """The category, type, group or task; "all"."""
    concepts: int
    """Concepts that are asked about here."""
    questions: int
    pictures: int
    """Distinct query pictures."""
    references: int
    """Reference pictures of those concepts."""


def count_concepts(
    concepts: Mapping[str, Concept], questions: Iterable[ConceptQuestion]
) -> tuple[ConceptCount, ...]:
    """Return a row for all, for each category, type and group, and for each of the 15 tasks.

    A cut of which there is no question has a row of zeros: a task that is missing is seen.

    >>> count_concepts({}, [])[0]
    ConceptCount(by='all', name='all', concepts=0, questions=0, pictures=0, references=0)
    """
    asked = tuple(questions)
    cuts: tuple[tuple[Cut, tuple[str, ...], Callable[[ConceptQuestion], str]], ...] = (
        ("all", ("all",), lambda question: "all"),
        ("category", CATEGORIES, lambda question: question.category),
        ("type", TYPES, lambda question: question.type),
        ("group", GROUPS, lambda question: question.group),
        ("task", TASKS, lambda question: question.task),
    )
    rows = []
    for by, names, key in cuts:
        found: dict[str, list[ConceptQuestion]] = {name: [] for name in names}
        for question in asked:
            found.setdefault(key(question), []).append(question)
        for name, some in found.items():
            about = {question.concept for question in some}
            references = sum(len(concepts[one].images) for one in about)
            pictures = len({question.image for question in some})
            rows.append(ConceptCount(by, name, len(about), len(some), pictures, references))
    return tuple(rows)
