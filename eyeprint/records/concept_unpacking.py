"""Pictures out of Parquet files, once: as the bytes they are, named by their SHA-256.

``unpacked.json`` is written last and says which row has which picture. With it, the same files
are never unpacked again; without it, or when the files have changed, the work is done anew, and
pictures that are there whole are not written a second time.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from eyeprint.errors import CannotWrite, shown
from eyeprint.records.concept_columns import EMBEDDED
from eyeprint.records.concept_native import PICTURES
from eyeprint.records.concept_picture_bytes import ending_of
from eyeprint.records.json_text import parse_json
from eyeprint.records.whole_files import TEMPORARY, make_folder, telling_what_failed, write_whole

STATE = "unpacked.json"
"""Says what was unpacked."""
_VERSION = 1


class CellPicture(NamedTuple):
    """The picture of one cell: its bytes, or why there are none."""

    content: bytes
    fault: str = ""


ReadPictures = Callable[[Path, str, Sequence[int]], Iterator[tuple[int, CellPicture]]]
"""(File, column, 0-based rows in ascending order) -> (row, picture) one by one."""


@dataclass
class Unpacked:
    """Which pictures rows and concepts have, relative to the folder."""

    images: list[str]
    """By place of the row in the table; ``""`` where there is none."""
    faults: dict[int, str] = field(default_factory=dict)
    """Place of a row -> why it has no picture."""
    references: dict[tuple[str, str], tuple[str, ...]] = field(default_factory=dict)
    """(Category, name) -> reference pictures."""
    notes: list[str] = field(default_factory=list)


def unpack(
    files: Sequence[Path],
    where: Sequence[tuple[Path, int]],
    concepts: Mapping[tuple[str, str], Sequence[int]],
    folder: Path,
    read: ReadPictures,
) -> Unpacked:
    """Unpack every row's query picture, and the reference pictures of every concept.

    Reference pictures are those of a concept's first row; where that has fewer than five, those
    of the first of its rows that has the most.

    Args:
        files: the files of the table.
        where: file and 0-based row in it of each row of the table.
        concepts: (category, name) -> places of its rows in the table.
        folder: where to; it is made when missing.
        read: reads pictures of a file.

    Raises:
        CannotWrite: the folder or a picture cannot be written; says how to name another.
    """
    sources = [_identity(file) for file in files]
    done = _finished(folder, sources, len(where))
    if done is not None:
        return done
    try:
        return _unpack(where, concepts, folder, read, sources)
    except CannotWrite as error:
        raise CannotWrite(
            f"The pictures inside {files[0]} are unpacked once, here into {folder}, and that "
            f"failed: {error} Another folder is named with unpack_to (--unpack-to)."
        ) from error


def _identity(file: Path) -> list[Any]:
    state = file.stat()
    return [file.name, state.st_size, state.st_mtime_ns]


def _unpack(
    where: Sequence[tuple[Path, int]],
    concepts: Mapping[tuple[str, str], Sequence[int]],
    folder: Path,
    read: ReadPictures,
    sources: list[list[Any]],
) -> Unpacked:
    make_folder(folder / PICTURES)
    with telling_what_failed(folder / STATE):
        (folder / STATE).unlink(missing_ok=True)
        for left in (folder / PICTURES).glob(f".*{TEMPORARY}"):
            left.unlink(missing_ok=True)
    sizes: dict[str, int] = {}
    found = Unpacked([""] * len(where))
    for place, picture in _read(read, where, range(len(where)), "image_path"):
        key, fault = _keep(folder, picture, sizes)
        found.images[place] = key
        if fault:
            found.faults[place] = fault
    for place in range(len(where)):
        if not found.images[place]:
            found.faults.setdefault(place, "is empty")
    bad: list[str] = []
    _references(where, concepts, folder, read, sizes, found, bad)
    if bad:
        found.notes.append(f"{len(bad)} reference pictures were left out: {bad[0]}.")
    state = {
        "version": _VERSION,
        "sources": sources,
        "images": found.images,
        "faults": {str(place): fault for place, fault in found.faults.items()},
        "references": [[*concept, list(keys)] for concept, keys in found.references.items()],
        "notes": found.notes,
        "sizes": sizes,
    }
    write_whole(folder / STATE, [json.dumps(state).encode()])
    return found


def _references(
    where: Sequence[tuple[Path, int]],
    concepts: Mapping[tuple[str, str], Sequence[int]],
    folder: Path,
    read: ReadPictures,
    sizes: dict[str, int],
    found: Unpacked,
    bad: list[str],
) -> None:
    """Find reference pictures: in the first row of each concept, then in others where needed."""
    of = {place: concept for concept, places in concepts.items() for place in places}
    for wanted in (
        [places[0] for places in concepts.values()],
        [place for place, concept in of.items() if place != concepts[concept][0]],
    ):
        some = [p for p in wanted if len(found.references.get(of[p], ())) < len(EMBEDDED)]
        by_row: dict[int, dict[str, str]] = {}
        for column in EMBEDDED:
            for place, picture in _read(read, where, sorted(some), column):
                if picture.fault == "is empty":
                    continue
                key, fault = _keep(folder, picture, sizes)
                if key:
                    by_row.setdefault(place, {})[column] = key
                else:
                    bad.append(f"{shown(of[place][1])}, {column}: {fault}")
        for place, row in sorted(by_row.items()):
            if len(row) > len(found.references.get(of[place], ())):
                found.references[of[place]] = tuple(row.values())


def _read(
    read: ReadPictures, where: Sequence[tuple[Path, int]], places: Sequence[int], column: str
) -> Iterator[tuple[int, CellPicture]]:
    """Yield (place in the table, picture) of some rows, file by file."""
    by_file: dict[Path, dict[int, int]] = {}
    for place in places:
        file, row = where[place]
        by_file.setdefault(file, {})[row] = place
    for file, rows in by_file.items():
        for row, picture in read(file, column, sorted(rows)):
            yield rows[row], picture


def _keep(folder: Path, picture: CellPicture, sizes: dict[str, int]) -> tuple[str, str]:
    """Write a picture unless it is there; return its path in the folder, or why there is none."""
    if picture.fault:
        return "", picture.fault
    ending = ending_of(picture.content)
    if not ending:
        few = picture.content[:8].hex(" ")
        return "", f"is no picture of a known format (it begins with the bytes {few})"
    key = f"{PICTURES}/{hashlib.sha256(picture.content).hexdigest()}{ending}"
    if key not in sizes:
        place = folder / key
        with telling_what_failed(place):
            if not (place.is_file() and place.stat().st_size == len(picture.content)):
                temporary = place.with_name(f".{place.name}.{os.getpid()}{TEMPORARY}")
                temporary.write_bytes(picture.content)
                temporary.replace(place)
        sizes[key] = len(picture.content)
    return key, ""


def _finished(folder: Path, sources: list[list[Any]], rows: int) -> Unpacked | None:
    """Return what was unpacked of the same files, when all of it is still there."""
    try:
        state = parse_json((folder / STATE).read_bytes())
        if state["version"] != _VERSION or state["sources"] != sources:
            return None
        if any((folder / key).stat().st_size != size for key, size in state["sizes"].items()):
            return None
        found = Unpacked(
            list(state["images"]),
            {int(place): fault for place, fault in state["faults"].items()},
            {(category, name): tuple(keys) for category, name, keys in state["references"]},
            list(state["notes"]),
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        # Not there, cut, or of another hand: unpacked anew.
        return None
    return found if len(found.images) == rows else None
