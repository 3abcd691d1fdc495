"""Concepts and questions in eyeprint's own layout: two files of JSON lines, and pictures.

A data root holds ``concepts.jsonl`` (one :class:`Concept` a line), ``questions.jsonl`` (one
:class:`ConceptQuestion` a line) and the pictures that they name, by custom under ``pictures/``.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from eyeprint.errors import BadRecord, DataError, shown
from eyeprint.records.case_rows import inner_path
from eyeprint.records.concept_data import ConceptData
from eyeprint.records.concept_questions import ConceptQuestion
from eyeprint.records.concepts import REFERENCES, Concept
from eyeprint.records.json_lines import read_json_lines
from eyeprint.records.json_text import json_line
from eyeprint.records.whole_files import telling_what_failed, write_whole
from eyeprint.records.work import Work

CONCEPTS, QUESTIONS = "concepts.jsonl", "questions.jsonl"
"""The two files of a root."""
PICTURES = "pictures"
"""Where pictures lie by custom."""
Row = TypeVar("Row", bound=Work)


def read_native(
    root: Path,
) -> tuple[list[Concept], list[tuple[int, ConceptQuestion]], list[BadRecord], list[str]]:
    """Return concepts, questions with the line of each, faults, and notes.

    A question whose picture is not there is a fault; of a concept, only the reference pictures
    that are there are kept, and the others are faults.

    Raises:
        DataError: a file cannot be read, or not one concept is good.
    """
    faults: list[BadRecord] = []
    concepts: dict[str, Concept] = {}
    where: dict[str, int] = {}
    file = root / CONCEPTS
    for line, concept in _rows(file, Concept, faults):
        if concept.name in where:
            reason = f"'{shown(concept.name)}' was already used at line {where[concept.name]}"
            faults.append(BadRecord(str(file), line, "name", reason))
            continue
        where[concept.name] = line
        kept: list[str] = []
        sources: list[str] = []
        for place, image in enumerate(concept.images):
            reason = missing_picture(root, image)
            if reason:
                faults.append(BadRecord(str(file), line, f"images.{place}", reason))
                continue
            kept.append(inner_path(image))
            sources += concept.sources[place : place + 1]
        concepts[concept.name] = concept.model_copy(
            update={"images": tuple(kept), "sources": tuple(sources)}
        )
    if not concepts:
        told = "".join(f"\n  {fault}" for fault in faults[:5]) or " It holds no line."
        raise DataError(f"{file}: not one concept could be read.{told}")
    questions: dict[str, tuple[int, ConceptQuestion]] = {}
    file = root / QUESTIONS
    for line, question in _rows(file, ConceptQuestion, faults):
        field, reason = "image", missing_picture(root, question.image)
        if question.concept not in concepts:
            field, reason = "concept", f"there is no concept '{shown(question.concept)}'"
        elif concepts[question.concept].category != question.category:
            field, reason = (
                "category",
                (
                    f"'{shown(question.concept)}' is of category "
                    f"'{concepts[question.concept].category}'"
                ),
            )
        elif question.id in questions:
            first = questions[question.id][0]
            field, reason = "id", f"'{shown(question.id)}' was already used at line {first}"
        if reason:
            faults.append(BadRecord(str(file), line, field, reason))
            continue
        plain = inner_path(question.image)
        if plain != question.image:
            question = question.model_copy(update={"image": plain})
        questions[question.id] = (line, question)
    return list(concepts.values()), list(questions.values()), faults, []


def missing_picture(root: Path, path: str) -> str:
    """Return why there is no such picture in a root, or ``""`` when there is."""
    try:
        place = root / inner_path(path)
    except ValueError as error:
        return str(error)
    return "" if place.is_file() else f"there is no picture {shown(path)} in {root}"


def few_references(concepts: Iterable[Concept]) -> list[str]:
    """Return a note where concepts have fewer than five reference pictures (M5)."""
    few = [one for one in concepts if len(one.images) < REFERENCES]
    if not few:
        return []
    told = ", ".join(f"{shown(one.name)} ({len(one.images)})" for one in few[:5])
    more = " ..." if len(few) > 5 else ""
    have = "1 concept has" if len(few) == 1 else f"{len(few)} concepts have"
    return [f"{have} fewer than {REFERENCES} reference pictures: {told}{more}."]


def _rows(file: Path, kind: type[Row], faults: list[BadRecord]) -> Iterable[tuple[int, Row]]:
    for line, value in read_json_lines(file):
        if isinstance(value, BadRecord):
            faults.append(value)
            continue
        if not _is_whole_text(value):
            reason = "holds half a surrogate pair, which no text can. Write it as UTF-8 again"
            faults.append(BadRecord(str(file), line, "", reason))
            continue
        try:
            yield line, kind.model_validate(value)
        except ValidationError as error:
            first = error.errors()[0]
            field = ".".join(str(part) for part in first["loc"])
            more = f" (and {error.error_count() - 1} more)" if error.error_count() > 1 else ""
            faults.append(BadRecord(str(file), line, field, first["msg"] + more))


def _is_whole_text(value: Any) -> bool:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def write_concepts(
    root: str | Path,
    concepts: Iterable[Concept],
    questions: Iterable[ConceptQuestion],
    pictures_of: str | Path | None = None,
) -> Path:
    """Write concepts and questions in eyeprint's own layout; return the root.

    Args:
        root: a folder; it is made when missing.
        concepts: each with a name of its own.
        questions: each with an id of its own, about one of the concepts.
        pictures_of: another data root, from which the pictures are copied to the same places
            in ``root``. Left out, they are there already, or follow.

    Raises:
        DataError: records that cannot go together, a path that leaves the root, or a picture
            that is not in ``pictures_of``.
        CannotWrite: see :func:`eyeprint.records.whole_files.write_whole`.
    """
    data = ConceptData(concepts, questions, root)
    for key in data.picture_keys:
        try:
            inner_path(key)
        except ValueError as error:
            raise DataError(f"picture of the concepts: {error}") from error
    if pictures_of is not None:
        _copy(data, Path(pictures_of))
    # Pictures come first and questions last: a root with questions is whole.
    write_whole(data.root / CONCEPTS, map(_line, data.concepts.values()))
    write_whole(data.root / QUESTIONS, map(_line, data.questions))
    return data.root


def _copy(data: ConceptData, source: Path) -> None:
    if source.resolve() == data.root.resolve():
        return
    for key in data.picture_keys:
        reason = missing_picture(source, key)
        if reason:
            raise DataError(f"the picture cannot be copied: {reason}.")
        target = data.root / inner_path(key)
        with telling_what_failed(target):
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source / inner_path(key), target)


def _line(record: Work) -> bytes:
    return json_line(record.model_dump(mode="json", exclude_defaults=True))
