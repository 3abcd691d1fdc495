"""Concepts and questions from files, whatever their layout (CHECKLIST M5, M6, M8).

Three layouts are told apart by what is there: eyeprint's own (``concepts.jsonl`` and
``questions.jsonl``), a CSV file with folders of pictures, and Parquet files with the pictures
inside. The same rows give equal concepts and questions in all of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from eyeprint.errors import BadRecord, DataError
from eyeprint.records.concept_data import ConceptData
from eyeprint.records.concept_folders import (
    DATASET,
    find_csv,
    read_folder_rows,
    references_in,
)
from eyeprint.records.concept_labels import Labels
from eyeprint.records.concept_names import mask_all
from eyeprint.records.concept_native import (
    CONCEPTS,
    QUESTIONS,
    few_references,
    missing_picture,
    read_native,
    write_concepts,
)
from eyeprint.records.concept_parquet import SUFFIX, find_parquet, read_parquet_rows
from eyeprint.records.concept_preferences import PreferenceRecord, find_preferences
from eyeprint.records.concept_questions import ConceptQuestion
from eyeprint.records.concept_rows import Assembled, assemble
from eyeprint.records.concept_unpacking import STATE
from eyeprint.records.concepts import CATEGORIES, REFERENCES, Concept

__all__ = ["open_concepts", "unpack_place", "write_concepts"]

UNPACKED = "unpacked"
"""Folder, or ending of the folder, that pictures are unpacked into by default."""


def open_concepts(
    place: str | Path,
    unpack_to: str | Path | None = None,
    *,
    labels: Labels | None = None,
) -> ConceptData:
    """Read concepts and the questions about them.

    Every name is masked (M8), every faulty row is told in ``faults`` while the good ones load,
    and what results should say is in ``notes``.

    Args:
        place: a folder in eyeprint's own layout; a folder with ``dataset.csv`` (or one other CSV
            file of the columns) and folders of pictures; that CSV file; a Parquet file, or a
            folder of them, such as a download from the hub.
        unpack_to: folder for the pictures inside Parquet files; see :func:`unpack_place` for
            where they go when it is left out. Needs about as much room as the files. A
            finished unpacking is used again.
        labels: how the answers of a CSV or Parquet file are written, where the file itself
            does not tell (:data:`eyeprint.records.concept_labels.LABELS`).

    Raises:
        DataError: nothing of the kind is there, a column is missing, answers are mixed or
            ambiguous, or not one question is good (the first faults are told).
        CannotWrite: pictures cannot be unpacked.
    """
    source = Path(place)
    if source.is_file():
        return _open_file(source, unpack_to, labels)
    if not source.is_dir():
        raise DataError(f"{source}: there is no such file or folder of concepts.")
    own = [name for name in (CONCEPTS, QUESTIONS) if (source / name).is_file()]
    if len(own) == 1:
        other = QUESTIONS if own[0] == CONCEPTS else CONCEPTS
        raise DataError(f"{source}: holds {own[0]}, but no {other}; both are needed.")
    if own:
        return _native(source)
    table = find_csv(source)
    if table and any((source / category).is_dir() for category in CATEGORIES):
        return _folders(table, source, labels)
    # Some make the table alone out of Parquet files, without a picture beside it.
    shards = find_parquet(source)
    if table and not shards:
        return _folders(table, source, labels)
    if shards:
        return _parquet(shards, unpack_place(source, unpack_to), labels)
    if (source / STATE).is_file():
        raise DataError(
            f"{source}: pictures were unpacked here. Give the {SUFFIX} files that they came from."
        )
    raise DataError(
        f"{source}: holds none of the layouts of concepts: {CONCEPTS} and {QUESTIONS}; {DATASET} "
        f"with folders of pictures; {SUFFIX} files."
    )


def unpack_place(source: str | Path, unpack_to: str | Path | None = None) -> Path:
    """Return the folder that pictures of Parquet files are unpacked into.

    By default ``unpacked`` in a folder of files, and ``NAME.unpacked`` beside a single file.

    >>> unpack_place("data/mmpb.parquet").as_posix(), unpack_place("data").as_posix()
    ('data/mmpb.unpacked', 'data/unpacked')
    """
    if unpack_to is not None:
        return Path(unpack_to)
    place = Path(source)
    if place.suffix == SUFFIX and not place.is_dir():
        return place.with_suffix(f".{UNPACKED}")
    return place / UNPACKED


def _open_file(file: Path, unpack_to: str | Path | None, labels: Labels | None) -> ConceptData:
    if file.suffix == SUFFIX:
        return _parquet([file], unpack_place(file, unpack_to), labels)
    if file.suffix in (".csv", ".tsv"):
        return _folders(file, file.parent, labels)
    if file.name in (CONCEPTS, QUESTIONS):
        return open_concepts(file.parent)
    raise DataError(
        f"{file}: concepts come as a {SUFFIX} or .csv file, or as a folder. Give one of these."
    )


def _native(root: Path) -> ConceptData:
    concepts, questions, faults, notes = read_native(root)
    return _data(concepts, [one for _, one in questions], root, faults, notes)


def _folders(file: Path, root: Path, labels: Labels | None) -> ConceptData:
    rows, notes = read_folder_rows(file, root)
    preferences, faults, more = find_preferences(root)

    def references(category: str, name: str) -> tuple[str, ...]:
        return references_in(root, category, name) or _named(root, preferences.get(name))

    found = assemble(rows, references, preferences, labels)
    return _assembled(found, file, root, faults, [*notes, *more])


def _named(root: Path, record: PreferenceRecord | None) -> tuple[str, ...]:
    """Return the pictures that a record of preferences names and that are there."""
    images = record.images if record else ()
    there = [one.removeprefix("./") for one in images if not missing_picture(root, one)]
    return tuple(there[:REFERENCES])


def _parquet(files: list[Path], folder: Path, labels: Labels | None) -> ConceptData:
    rows, unpacked, notes = read_parquet_rows(files, folder)
    preferences, faults, more = find_preferences(files[0].parent)
    found = assemble(
        rows,
        lambda category, name: unpacked.references.get((category, name), ()),
        preferences,
        labels,
    )
    what = files[0] if len(files) == 1 else files[0].parent
    return _assembled(found, what, folder, faults, [*notes, *more])


def _assembled(
    found: Assembled, file: Path, root: Path, faults: list[BadRecord], notes: list[str]
) -> ConceptData:
    if not found.questions:
        told = "".join(f"\n  {fault}" for fault in found.faults[:5]) or " It holds no row."
        raise DataError(f"{file}: not one question could be read.{told}")
    return _data(
        found.concepts, found.questions, root, [*faults, *found.faults], [*notes, *found.notes]
    )


def _data(
    concepts: Iterable[Concept],
    questions: Iterable[ConceptQuestion],
    root: Path,
    faults: list[BadRecord],
    notes: list[str],
) -> ConceptData:
    known, asked, masking = mask_all(concepts, questions)
    return ConceptData(known, asked, root, faults, [*notes, *few_references(known), *masking])
