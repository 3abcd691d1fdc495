"""Concepts and questions from files, whatever their layout (CHECKLIST M5, M6, M8)."""

from __future__ import annotations

from pathlib import Path

from eyeprint.errors import DataError
from eyeprint.records.concept_data import ConceptData
from eyeprint.records.concept_native import (
    CONCEPTS,
    QUESTIONS,
    few_references,
    read_native,
    write_concepts,
)

__all__ = ["open_concepts", "write_concepts"]


def open_concepts(place: str | Path, unpack_to: str | Path | None = None) -> ConceptData:
    """Read concepts and questions from a native folder."""
    root = Path(place)
    if not ((root / CONCEPTS).is_file() and (root / QUESTIONS).is_file()):
        raise DataError(f"{root}: holds no {CONCEPTS} and {QUESTIONS}.")
    concepts, questions, faults, notes = read_native(root)
    return ConceptData(
        concepts,
        [question for _, question in questions],
        root,
        faults,
        [*notes, *few_references(concepts)],
    )
