"""Folders of concepts from which a set of questions is built (M5, M9, M16, M17).

``<category>/<name>/``
    reference pictures, any names; the first five in natural order are taken
``<category>/<name>/notes.txt``
    optional: ``kind: cat``, and ``source: URL`` once, or once for each reference picture; all
    other lines are notes for drafters
``<category>/<name>/preferences.json``
    optional, people only: ``{"travel": {"likes": [...], "dislikes": [...]}, ...}``, alone or
    under the key "preferences"; without it, tastes are drawn
``<category>/<name>/queries/...``
    query pictures; folders on the way are tags: a type (awareness, appropriateness, coherency),
    a group (recognition, preference), single or multi, like, dislike, same_species or
    different_species; any other name is the topic, such as "rock concerts"

A CSV file lists query pictures instead or besides (:mod:`eyeprint.people.concept_query_files`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple, get_args

from pydantic import ValidationError

from eyeprint.config import fingerprint_of
from eyeprint.errors import BadRecord, DataError, shown
from eyeprint.models.pictures import is_picture_file
from eyeprint.records.concept_questions import (
    GROUPS,
    TYPES,
    Entities,
    QuestionGroup,
    QuestionType,
    Target,
)
from eyeprint.records.concepts import REFERENCES, ConceptCategory, Tastes
from eyeprint.records.file_digests import file_sha256
from eyeprint.records.json_text import parse_json

NOTES, PREFERENCES, QUERIES = "notes.txt", "preferences.json", "queries"
CATEGORY_NAMES: Mapping[str, ConceptCategory] = {
    "human": "human", "humans": "human", "people": "human", "person": "human", "persons": "human",
    "animal": "animal", "animals": "animal", "pet": "animal", "pets": "animal",
    "object": "object", "objects": "object", "thing": "object", "things": "object",
    "character": "character", "characters": "character", "avatar": "character",
    "avatars": "character",
}  # fmt: skip
"""What folders of a category may be called."""
ENTITIES: tuple[Entities, ...] = get_args(Entities)
TARGETS: tuple[Target, ...] = get_args(Target)
_NUMBER = re.compile(r"(\d+)")


class QueryPicture(NamedTuple):
    """One picture to ask about, and what its giver says of it."""

    concept: str
    file: str
    """Path of the file."""
    type: QuestionType | None = None
    """``None`` leaves it open: see :mod:`eyeprint.people.concept_items`."""
    group: QuestionGroup = "recognition"
    topic: str = ""
    entities: Entities | None = None
    target: Target | None = None


class ConceptSource(NamedTuple):
    """One concept as it was given."""

    name: str
    category: ConceptCategory
    references: tuple[str, ...]
    """Paths of up to five files."""
    kind: str = ""
    notes: str = ""
    origins: tuple[str, ...] = ()
    """Where the pictures come from, one for each, as ``source:`` lines say (M9)."""
    tastes: dict[str, Tastes] | None = None
    """``None`` where they are to be drawn."""


@dataclass(frozen=True)
class ConceptSources:
    """Concepts and query pictures, and what could not be used."""

    concepts: tuple[ConceptSource, ...]
    queries: tuple[QueryPicture, ...]
    faults: tuple[BadRecord, ...] = field(default=())
    notes: tuple[str, ...] = field(default=())

    def fingerprint(self) -> str:
        """Return the SHA-256 over names, notes, tags and the bytes of every file.

        Where the files lie is no part of it.

        Raises:
            DataError: a file cannot be read.
        """
        rows: list[Any] = [
            [*concept[:2], *concept[3:6],
             {d: t.model_dump(mode="json") for d, t in (concept.tastes or {}).items()},
             [digest_of(path) for path in concept.references]]
            for concept in self.concepts
        ]  # fmt: skip
        rows += [[one.concept, digest_of(one.file), *one[2:]] for one in self.queries]
        return fingerprint_of(rows)


def read_concept_sources(root: str | Path, number: int | None = None) -> ConceptSources:
    """Read a folder of concepts; what cannot be used is named and left out.

    Args:
        root: holds a folder for each category.
        number: only the first so many concepts.

    Raises:
        DataError: there is no such folder, or not one concept in it.
    """
    root = Path(root)
    if not root.is_dir():
        raise DataError(f"{root}: there is no such folder. It should hold human/NAME/0.png ...")
    concepts: dict[str, ConceptSource] = {}
    queries: list[QueryPicture] = []
    faults: list[BadRecord] = []
    notes: list[str] = []
    for folder, category in _folders(root, notes):
        if number is not None and len(concepts) == number:
            break
        name = folder.name
        if name in concepts:
            reason = f"'{shown(name)}' is also a concept of '{concepts[name].category}'; rename one"
            faults.append(BadRecord(str(folder), None, "name", reason))
            continue
        found = _concept(folder, category, faults, notes)
        if found is not None:
            concepts[name] = found
            queries += _queries(folder, name, faults)
    if not concepts:
        told = "".join(f"\n  {fault}" for fault in faults[:5])
        raise DataError(
            f"{root}: holds not one concept: folders such as human/NAME with pictures.{told}"
        )
    return ConceptSources(tuple(concepts.values()), tuple(queries), tuple(faults), tuple(notes))


def digest_of(path: str) -> str:
    """Return the SHA-256 of a file; one of the same size and time is read once in a process.

    Raises:
        DataError: it cannot be read.
    """
    try:
        state = Path(path).stat()
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror}).") from error
    return _digest(path, state.st_size, state.st_mtime_ns)


@lru_cache(maxsize=1 << 16)
def _digest(path: str, _size: int, _modified: int) -> str:
    return file_sha256(Path(path))


def natural(path: Path) -> tuple[tuple[int, int, str], ...]:
    """Return a key by which 2.png comes before 10.png.

    >>> sorted([Path("10.png"), Path("2.png")], key=natural)[0].name
    '2.png'
    """
    parts = _NUMBER.split(path.name.casefold())
    numbered = [(0, int(part), "") if part.isdecimal() else (1, 0, part) for part in parts]
    return (*numbered, (2, 0, path.name))


def _folders(root: Path, notes: list[str]) -> Iterator[tuple[Path, ConceptCategory]]:
    for category in sorted(_listed(root)):
        if not category.is_dir():
            continue
        known = CATEGORY_NAMES.get(category.name.casefold())
        if known is None:
            notes.append(f"{category} is no category (human, animal, object, character): left out")
            continue
        for folder in sorted(_listed(category), key=natural):
            if folder.is_dir():
                yield folder, known


def _listed(folder: Path) -> list[Path]:
    return [path for path in folder.iterdir() if not path.name.startswith(".")]


def _concept(
    folder: Path, category: ConceptCategory, faults: list[BadRecord], notes: list[str]
) -> ConceptSource | None:
    pictures = sorted((p for p in folder.iterdir() if is_picture_file(p)), key=natural)
    if not pictures:
        faults.append(BadRecord(str(folder), None, "", "has no reference picture; left out"))
        return None
    if len(pictures) != REFERENCES:
        more = "; the first five are taken" if len(pictures) > REFERENCES else ""
        notes.append(f"{folder.name}: {len(pictures)} reference pictures, not {REFERENCES}{more}")
    kind, origins, text = _notes(folder / NOTES, faults)
    references = tuple(str(path) for path in pictures[:REFERENCES])
    if len(origins) == 1:
        origins *= len(references)
    elif len(origins) not in (0, len(references)):
        told = f"{len(origins)} sources for {len(references)} reference pictures: none is kept"
        notes.append(f"{folder.name}: {told}; give one, or one for each")
        origins = ()
    return ConceptSource(
        folder.name,
        category,
        references,
        kind,
        text,
        origins,
        _tastes(folder / PREFERENCES, category, faults),
    )


def _notes(file: Path, faults: list[BadRecord]) -> tuple[str, tuple[str, ...], str]:
    """Return kind, origins and the other lines."""
    if not file.is_file():
        return "", (), ""
    try:
        text = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        faults.append(BadRecord(str(file), None, "", f"cannot be read as UTF-8 text ({error})"))
        return "", (), ""
    kind, origins, rest = "", [], []
    for line in text.splitlines():
        key, mark, value = line.partition(":")
        if mark and key.strip().casefold() == "kind":
            kind = value.strip()
        elif mark and key.strip().casefold() in ("source", "sources"):
            origins.append(value.strip())
        elif line.strip():
            rest.append(line.strip())
    return kind, tuple(origins), "\n".join(rest)


def _tastes(
    file: Path, category: ConceptCategory, faults: list[BadRecord]
) -> dict[str, Tastes] | None:
    if not file.is_file():
        return None
    if category != "human":
        faults.append(BadRecord(str(file), None, "", "only people have preferences; left out"))
        return None
    try:
        value = parse_json(file.read_bytes().removeprefix(b"\xef\xbb\xbf"))
        rows = value.get("preferences", value) if isinstance(value, dict) else None
        if not isinstance(rows, dict):
            raise ValueError("no object of domains with likes and dislikes")
        return {str(domain): Tastes.model_validate(row) for domain, row in rows.items()}
    except (OSError, ValidationError, ValueError) as error:
        told = str(error).splitlines()[0]
        reason = f"cannot be used ({told}); tastes are drawn instead"
        faults.append(BadRecord(str(file), None, "", reason))
        return None


def _queries(folder: Path, name: str, faults: list[BadRecord]) -> Iterator[QueryPicture]:
    base = folder / QUERIES
    files = (p for p in base.rglob("*") if is_picture_file(p)) if base.is_dir() else ()
    for path in sorted(files, key=lambda p: (p.parent.as_posix(), natural(p))):
        tags = list(path.relative_to(base).parts[:-1])
        found = tagged(name, str(path), tags)
        if isinstance(found, str):
            faults.append(BadRecord(str(path), None, "queries", found))
        else:
            yield found


def tagged(concept: str, file: str, tags: list[str]) -> QueryPicture | str:
    """Return the query picture that tags describe, or what is wrong with them.

    >>> tagged("Ana", "0.png", ["coherency", "preference", "like", "rock concerts"]).topic
    'rock concerts'
    >>> tagged("Ana", "0.png", ["awareness", "coherency"])
    "two types: 'awareness' and 'coherency'"
    """
    found: dict[str, str] = {}
    kinds = (("type", TYPES), ("group", GROUPS), ("entities", ENTITIES), ("target", TARGETS))
    for tag in filter(None, (tag.strip() for tag in tags)):
        plain = tag.casefold().replace(" ", "_").replace("-", "_")
        kind = next((kind for kind, values in kinds if plain in values), "topic")
        value = tag if kind == "topic" else plain
        if kind in found and found[kind] != value:
            plural = {"entities": "tags of entities"}.get(kind, f"{kind}s")
            return f"two {plural}: '{shown(found[kind])}' and '{shown(value)}'"
        found[kind] = value
    if "group" not in found and found.get("target") in ("like", "dislike"):
        found["group"] = "preference"
    return QueryPicture(concept, file, **found)  # type: ignore[arg-type]
