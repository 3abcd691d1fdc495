"""Concepts and questions out of released rows, whatever file they came from (M6, M8, M11, M16).

Every row repeats its concept's descriptions and preferences; here they become one
:class:`Concept`. Labels are told from all rows together (:mod:`.concept_labels`), names are
masked (:mod:`.concept_masking`), and what does not fit together is noted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from eyeprint.errors import BadRecord, shown
from eyeprint.records.concept_columns import (
    DESCRIPTIONS,
    FlatRow,
    RowParts,
    read_parts,
)
from eyeprint.records.concept_labels import Labelled, Labels, tell_labels
from eyeprint.records.concept_negation import is_contracted, is_negated
from eyeprint.records.concept_preferences import PreferenceRecord
from eyeprint.records.concept_questions import LETTERS, YES, ConceptQuestion
from eyeprint.records.concepts import Concept, ConceptCategory, Level

References = Callable[[str, str], tuple[str, ...]]
"""(Category, name) -> reference pictures, relative to the data root."""


@dataclass(frozen=True)
class Assembled:
    """What rows say, names still in place."""

    concepts: tuple[Concept, ...]
    questions: tuple[ConceptQuestion, ...]
    faults: tuple[BadRecord, ...]
    notes: tuple[str, ...]


@dataclass
class _Gathered:
    """What the rows of one concept say of it."""

    category: ConceptCategory
    name: str
    key: str
    descriptions: dict[Level, dict[str, None]] = field(default_factory=dict)
    preferences: dict[str, None] = field(default_factory=dict)


def assemble(
    rows: Iterable[FlatRow | BadRecord],
    references: References,
    preferences: Mapping[str, PreferenceRecord],
    labels: Labels | None = None,
) -> Assembled:
    """Return the concepts and questions of rows, in order of first appearance.

    Two concepts of one name in different categories are told apart: the later one's name is
    followed by its category.

    Raises:
        BadRecord: see :func:`eyeprint.records.concept_labels.tell_labels`.
    """
    faults: list[BadRecord] = []
    some: list[FlatRow] = []
    for row in rows:
        if isinstance(row, BadRecord):
            faults.append(row)
        else:
            some.append(row)
    answers = _answers(some, labels)
    concepts: dict[tuple[str, str], _Gathered] = {}
    questions: dict[str, ConceptQuestion] = {}
    lines: dict[str, str] = {}
    for row, answer in zip(some, answers, strict=True):
        try:
            parts = read_parts(row)
            if isinstance(answer, BadRecord):
                raise answer
            if parts.id in questions:
                reason = f"'{shown(parts.id)}' was already used at {lines[parts.id]}"
                raise BadRecord(row.file, row.line, "index", reason)
            concept = _gathered(concepts, parts)
            questions[parts.id] = _question(row, parts, answer, concept.key)
        except BadRecord as fault:
            faults.append(fault)
            continue
        lines[parts.id] = f"{row.file}:{row.line}"
        _add(concept, row.values)
    made = [_concept(one, references, preferences) for one in concepts.values()]
    notes = _notes(concepts.values(), questions.values())
    return Assembled(tuple(made), tuple(questions.values()), tuple(faults), tuple(notes))


def _answers(rows: Sequence[FlatRow], labels: Labels | None) -> tuple[str | BadRecord, ...]:
    labelled = [
        Labelled(
            row.file,
            row.line,
            row.values.get("answer", ""),
            {letter: row.values[letter] for letter in LETTERS if row.values.get(letter)},
        )
        for row in rows
    ]
    return tell_labels(labelled, labels).answers


def _gathered(concepts: dict[tuple[str, str], _Gathered], parts: RowParts) -> _Gathered:
    place = (parts.category, parts.name)
    if place not in concepts:
        taken = {one.key for one in concepts.values()}
        key = parts.name if parts.name not in taken else f"{parts.name} ({parts.category})"
        concepts[place] = _Gathered(parts.category, parts.name, key)
    return concepts[place]


def _add(concept: _Gathered, cells: Mapping[str, str]) -> None:
    for level, column in DESCRIPTIONS.items():
        if cells.get(column):
            concept.descriptions.setdefault(level, {})[cells[column]] = None
    if cells.get("preference"):
        concept.preferences[cells["preference"]] = None


def _question(row: FlatRow, parts: RowParts, answer: str, concept: str) -> ConceptQuestion:
    try:
        return ConceptQuestion(
            id=parts.id,
            concept=concept,
            category=parts.category,
            type=parts.type,
            group=parts.group,
            question=parts.question,
            options=parts.options,
            answer=answer,
            image=row.image,
            topic=parts.topic,
            target=parts.target,
            entities=parts.entities,
            negated=_negated(parts, answer),
        )
    except ValueError as error:
        raise BadRecord(row.file, row.line, "answer", str(error)) from error


def _negated(parts: RowParts, answer: str) -> bool | None:
    if parts.options:
        return None
    if is_contracted(parts.question) and parts.group == "recognition":
        # "Isn't <sks> here?": the answer shows how its yes is meant.
        return (answer == YES) != (parts.type == "awareness")
    return is_negated(parts.question)


def _concept(
    found: _Gathered, references: References, preferences: Mapping[str, PreferenceRecord]
) -> Concept:
    record = preferences.get(found.name) if found.category == "human" else None
    images = references(found.category, found.name)
    return Concept(
        name=found.key,
        category=found.category,
        descriptions={level: next(iter(texts)) for level, texts in found.descriptions.items()},
        preference=" ".join(found.preferences),
        tastes=record.tastes if record else {},
        images=images,
    )


def _notes(concepts: Iterable[_Gathered], questions: Iterable[ConceptQuestion]) -> list[str]:
    notes = []
    some = tuple(concepts)
    renamed = [one for one in some if one.key != one.name]
    if renamed:
        notes.append(
            f"{len(renamed)} names are used in two categories; they are followed by the category "
            f"here, such as '{shown(renamed[0].key)}'."
        )
    various = [one for one in some if any(len(texts) > 1 for texts in one.descriptions.values())]
    if various:
        notes.append(
            f"Rows of {_some(various)} differ in a description; the first of each level was taken."
        )
    joined = [one for one in some if len(one.preferences) > 1]
    if joined:
        notes.append(
            f"Rows of {_some(joined)} differ in the preference; all were joined, in order of "
            "first appearance."
        )
    odd = [one for one in questions if _at_odds(one)]
    if odd:
        notes.append(
            f"{len(odd)} recognition questions have another answer than their type and their "
            f"wording (in the negative or not) make expect, such as '{shown(odd[0].id)}' "
            f"('{shown(odd[0].question)}': {odd[0].answer}). Answers are kept as they came."
        )
    return notes


def _some(found: list[_Gathered]) -> str:
    if len(found) == 1:
        return f"'{shown(found[0].name)}'"
    return f"{len(found)} concepts, such as '{shown(found[0].name)}',"


def _at_odds(question: ConceptQuestion) -> bool:
    """Tell a question on presence whose answer is not what its type and wording say (M16, M17)."""
    if question.group != "recognition" or question.negated is None:
        return False
    if question.type == "coherency":
        return False
    present = question.type == "awareness"
    return (question.answer == YES) != (present != question.negated)
