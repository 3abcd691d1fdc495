"""Query pictures listed in a CSV file (M16–M18).

Columns: ``path`` (of the picture, relative to the file's folder) and ``concept``; optional
``type``, ``group``, ``topic`` (or ``keyword``), ``entities`` and ``target``, as the folders of
:mod:`eyeprint.people.concept_sources` tell them. A picture may stand in several rows.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from eyeprint.errors import BadRecord, shown
from eyeprint.people.concept_sources import ENTITIES, TARGETS, ConceptSources, QueryPicture
from eyeprint.records.case_rows import inner_path
from eyeprint.records.concept_questions import GROUPS, TYPES
from eyeprint.records.csv_rows import read_csv_rows

NEEDED = ("path", "concept")
_RELEASED = {
    "overconcept": "appropriateness", "inconsistency": "coherency",
    "homo": "same_species", "hetro": "different_species",
}  # fmt: skip
"""What released rows call some of the values."""
_TAGS = (("type", TYPES), ("group", GROUPS), ("entities", ENTITIES), ("target", TARGETS))


class QueryFile(NamedTuple):
    """What a file lists, and the rows that could not be read."""

    queries: tuple[QueryPicture, ...]
    faults: tuple[BadRecord, ...]


def read_query_file(path: str | Path, names: Iterable[str]) -> QueryFile:
    """Read a CSV file of query pictures.

    Args:
        path: the file.
        names: the concepts that there are.

    Raises:
        DataError: it cannot be read, or lacks a column.
    """
    path, known = Path(path), set(names)
    queries: dict[QueryPicture, int] = {}
    faults: list[BadRecord] = []
    for line, row in read_csv_rows(path, NEEDED):
        found = row if isinstance(row, BadRecord) else _query(row, path, line, known)
        if isinstance(found, BadRecord):
            faults.append(found)
        elif found in queries:
            reason = f"says the same as line {queries[found]}"
            faults.append(BadRecord(str(path), line, "path", reason))
        else:
            queries[found] = line
    return QueryFile(tuple(queries), tuple(faults))


def _query(row: dict[str, str], file: Path, line: int, known: set[str]) -> QueryPicture | BadRecord:
    def fault(field: str, reason: str) -> BadRecord:
        return BadRecord(str(file), line, field, reason)

    name = row.get("concept", "")
    if name not in known:
        return fault("concept", f"there is no concept '{shown(name)}' in the folder")
    try:
        place = file.parent / inner_path(row.get("path", ""))
    except ValueError as error:
        return fault("path", f"{error}; paths are relative to the file's folder")
    if not place.is_file():
        return fault("path", f"there is no file {place}")
    values: dict[str, str] = {}
    for field, allowed in _TAGS:
        cell = row.get(field, "").casefold().replace(" ", "_").replace("-", "_")
        cell = _RELEASED.get(cell, cell)
        if cell and cell not in allowed:
            return fault(field, f"'{shown(cell)}' is none of {', '.join(allowed)}")
        if cell:
            values[field] = cell
    topic = row.get("topic") or row.get("keyword") or ""
    if "group" not in values and values.get("target") in ("like", "dislike"):
        values["group"] = "preference"
    return QueryPicture(name, str(place), topic=topic, **values)  # type: ignore[arg-type]


def with_query_file(sources: ConceptSources, path: str | Path) -> ConceptSources:
    """Return sources with the query pictures of a CSV file added, each once."""
    read = read_query_file(path, [concept.name for concept in sources.concepts])
    queries = tuple(dict.fromkeys((*sources.queries, *read.queries)))
    return ConceptSources(sources.concepts, queries, (*sources.faults, *read.faults), sources.notes)
