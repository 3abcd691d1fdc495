"""Columns of the released MMPB rows, and what one row says (CHECKLIST M5, M6, M16, M17)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import NamedTuple, TypeVar

from eyeprint.errors import BadRecord, DataError, shown
from eyeprint.records.concept_questions import (
    GROUPS,
    LETTERS,
    TYPES,
    Entities,
    QuestionGroup,
    QuestionType,
    Target,
)
from eyeprint.records.concepts import CATEGORIES, REFERENCES, ConceptCategory, Level

NEEDED = (
    "index",
    "question",
    "image_path",
    "answer",
    "attribute",
    "category",
    "l2-category",
    "name",
)
"""Columns without which no row can be read."""
DESCRIPTIONS: Mapping[Level, str] = {
    "simple": "description_simple",
    "moderate": "description_moderate",
    "detailed": "description_detailed",
    "extended": "description_super_detailed",
}
"""Level of a description -> its column (M7)."""
OPTIONAL = (*LETTERS, "concept", "target", "preference", *DESCRIPTIONS.values())
"""Columns that are read where they are there."""
EMBEDDED = tuple(f"injection_image_{place}" for place in range(1, REFERENCES + 1))
"""Columns of reference pictures, where pictures are inside the file."""
EXTRA = ("entities",)
"""A column that the released rows lack, read where somebody has added it."""

_TYPES: Mapping[str, QuestionType] = {
    **{name: name for name in TYPES},
    "overconcept": "appropriateness",
    "inconsistency": "coherency",
}
_TARGETS: Mapping[str, Target] = {
    "like": "like",
    "likes": "like",
    "dislike": "dislike",
    "dislikes": "dislike",
    "homo": "same_species",
    "same_species": "same_species",
    "hetro": "different_species",
    "hetero": "different_species",
    "different_species": "different_species",
}
_ENTITIES: Mapping[str, Entities] = {
    "single": "single",
    "single_entity": "single",
    "multi": "multi",
    "multiple": "multi",
    "multi_entity": "multi",
}

Word = TypeVar("Word", bound=str)


class FlatRow(NamedTuple):
    """One row as it came: every cell a text, empty where there is none."""

    file: str
    line: int
    """Line of a CSV file at which the row ends; 1-based row of a Parquet file."""
    values: Mapping[str, str]
    image: str
    """The query picture relative to the data root; ``""`` when there is none."""
    image_fault: str = ""
    """Why there is none."""


class RowParts(NamedTuple):
    """What one row says, its answer aside."""

    id: str
    name: str
    category: ConceptCategory
    type: QuestionType
    group: QuestionGroup
    question: str
    options: dict[str, str]
    topic: str
    target: Target | None
    entities: Entities | None


def check_columns(file: str, columns: Iterable[str], embedded: bool) -> list[str]:
    """Return notes on optional columns that are not there.

    Raises:
        DataError: a column is missing that every row needs; names what it may be called now.

    >>> check_columns("a.csv", ["answers", *(one for one in NEEDED if one != "answer")], False)
    Traceback (most recent call last):
    eyeprint.errors.DataError: a.csv: has no column 'answer'; did you mean 'answers'? \
Columns are needed under these names; the file's are: answers, index, question, image_path, \
attribute, category, l2-category, name.
    """
    found = list(columns)
    if not any(found):
        raise DataError(f"{file}: is empty; its first line must name {', '.join(NEEDED)}.")
    lacking = [name for name in NEEDED if name not in found]
    if lacking:
        told = " It has ".join(_lacks(name, found) for name in lacking)
        has = ", ".join(map(shown, found)) or "none"
        raise DataError(
            f"{file}: has {told} Columns are needed under these names; the file's are: {has}."
        )
    wanted = (*OPTIONAL, *EMBEDDED) if embedded else OPTIONAL
    absent = [name for name in wanted if name not in found]
    if not absent:
        return []
    close = [_lacks(name, found) for name in absent if _close(name, found)]
    hint = f" ({'; '.join(one.rstrip('?.') for one in close)}?)" if close else ""
    return [f"{file} has no column {', '.join(absent)}; what it would tell is left empty{hint}."]


def _close(name: str, found: Iterable[str]) -> str:
    others = [one for one in found if one not in (*NEEDED, *OPTIONAL, *EMBEDDED, *EXTRA)]
    near = get_close_matches(name.lower(), [one.lower() for one in others], n=1, cutoff=0.7)
    return next((one for one in others if near and one.lower() == near[0]), "")


def _lacks(name: str, found: Iterable[str]) -> str:
    close = _close(name, found)
    return f"no column '{name}'" + (f"; did you mean '{shown(close)}'?" if close else ".")


def read_parts(row: FlatRow) -> RowParts:
    """Return what a row says.

    Raises:
        BadRecord: a cell is empty that is needed, or holds none of the words it can hold.
    """
    cells = row.values
    for field in NEEDED:
        if field != "image_path" and not cells.get(field):
            raise BadRecord(row.file, row.line, field, "is empty")
    if not row.image:
        raise BadRecord(row.file, row.line, "image_path", row.image_fault or "is empty")
    options = {letter: cells[letter] for letter in LETTERS if cells.get(letter)}
    category = _one_of(row, "attribute", {name: name for name in CATEGORIES})
    kind = _one_of(row, "l2-category", _TYPES)
    group = _one_of(row, "category", {name: name for name in GROUPS})
    if kind == "coherency" and len(options) < 2:
        reason = f"{len(options)} options; a question of {cells['l2-category']} has several"
        raise BadRecord(row.file, row.line, "A", reason)
    if group == "preference" and category != "human":
        reason = f"preferences are asked about people (M6), and '{category}' is none"
        raise BadRecord(row.file, row.line, "category", reason)
    target = None
    if cells.get("target"):
        target = _one_of(row, "target", _TARGETS)
    return RowParts(
        id=cells["index"],
        name=cells["name"],
        category=category,
        type=kind,
        group=group,
        question=cells["question"],
        options=options,
        topic=cells.get("concept", ""),
        target=target,
        entities=_entities(row),
    )


def _one_of(row: FlatRow, field: str, known: Mapping[str, Word]) -> Word:
    value = row.values[field]
    found = known.get(re.sub(r"[\s\-]+", "_", value.strip().lower()))
    if found is None:
        reason = f"'{shown(value)}' is none of {', '.join(known)}"
        raise BadRecord(row.file, row.line, field, reason)
    return found


def _entities(row: FlatRow) -> Entities | None:
    """Return the tag of a column of its own, or of whatever else says it in one word."""
    for field in ("entities", "concept"):
        cell = row.values.get(field, "")
        found = _ENTITIES.get(re.sub(r"[\s\-]+", "_", cell.strip().lower()))
        if found:
            return found
    return None
