"""Choices by hand, and folders of candidate pictures, one folder for each person (P19)."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from eyeprint.errors import BadRecord, DataError, shown
from eyeprint.models.pictures import is_picture_file
from eyeprint.records.csv_rows import read_csv_rows

COLUMNS = ("person", "picture")
RANK = "rank"
UPLOADS = "uploads"
"""Folder inside a person's folder that holds the pictures they gave."""


class Choice(NamedTuple):
    """One row of a file of choices."""

    person: str
    picture: str
    """A candidate's file name, with or without its ending."""
    rank: int | None = None
    """1 for the most liked; choices without one come last, in file order."""


class ChoiceFile(NamedTuple):
    """Choices by person, in file order, and the rows that could not be read."""

    by_person: dict[str, tuple[Choice, ...]]
    faults: tuple[BadRecord, ...]


def read_choices(path: str | Path) -> ChoiceFile:
    """Read a CSV file with the columns person and picture, and optionally rank.

    Raises:
        DataError: it cannot be read, lacks a column, or holds not one choice.
    """
    choices: dict[str, list[Choice]] = {}
    faults: list[BadRecord] = []
    for line, row in read_csv_rows(path, COLUMNS):
        found = row if isinstance(row, BadRecord) else _choice(row, str(path), line)
        if isinstance(found, BadRecord):
            faults.append(found)
        elif any(other.picture == found.picture for other in choices.get(found.person, ())):
            reason = f"'{shown(found.picture)}' was chosen before by this person"
            faults.append(BadRecord(str(path), line, "picture", reason))
        else:
            choices.setdefault(found.person, []).append(found)
    if not choices:
        told = "".join(f"\n  {fault}" for fault in faults[:5])
        raise DataError(f"{path}: holds not one choice.{told}")
    return ChoiceFile({person: tuple(rows) for person, rows in choices.items()}, tuple(faults))


def _choice(row: dict[str, str], file: str, line: int) -> Choice | BadRecord:
    for name in COLUMNS:
        if not row.get(name):
            return BadRecord(file, line, name, "is empty")
    rank = row.get(RANK, "")
    if rank and not re.fullmatch(r"[1-9][0-9]{0,5}", rank):
        return BadRecord(file, line, RANK, f"must be a whole number from 1 on, found {rank!r}")
    return Choice(row["person"], row["picture"], int(rank) if rank else None)


class PictureFile(NamedTuple):
    """One picture of a person's folder."""

    path: Path
    prompt: str
    """Text of the file of the same name that ends in .txt, if there is one."""
    upload: bool


def read_picture_folders(root: str | Path) -> dict[str, tuple[PictureFile, ...]]:
    """Return the pictures of each person: one folder each, files in natural order.

    A folder ``uploads`` inside holds what the person gave; ``3.txt`` beside ``3.png`` the
    prompt that it was painted from.

    Raises:
        DataError: there is no such folder, or no folder in it holds a picture.
    """
    root = Path(root)
    if not root.is_dir():
        raise DataError(f"{root}: there is no such folder of pictures.")
    found: dict[str, tuple[PictureFile, ...]] = {}
    for folder in sorted(filter(Path.is_dir, root.iterdir()), key=lambda path: natural(path.name)):
        own = [PictureFile(path, _prompt(path), False) for path in _pictures(folder)]
        given = [PictureFile(path, _prompt(path), True) for path in _pictures(folder / UPLOADS)]
        if own or given:
            found[folder.name] = (*own, *given)
    if not found:
        raise DataError(
            f"{root}: no folder in it holds a picture. Give each person a folder of pictures."
        )
    return found


def folders_without_pictures(root: str | Path) -> tuple[str, ...]:
    """Return the names of the folders that :func:`read_picture_folders` leaves out.

    >>> import tempfile
    >>> place = Path(tempfile.mkdtemp())
    >>> (place / "nobody").mkdir()
    >>> folders_without_pictures(place)
    ('nobody',)
    """
    folders = sorted(filter(Path.is_dir, Path(root).iterdir()), key=lambda path: natural(path.name))
    return tuple(
        folder.name for folder in folders if not (_pictures(folder) or _pictures(folder / UPLOADS))
    )


def _pictures(folder: Path) -> list[Path]:
    if not folder.is_dir():
        return []
    files = (path for path in folder.iterdir() if path.is_file() and is_picture_file(path))
    return sorted(files, key=lambda path: natural(path.name))


def _prompt(picture: Path) -> str:
    place = picture.with_suffix(".txt")
    try:
        return " ".join(place.read_text(encoding="utf-8-sig").split()) if place.is_file() else ""
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"{place}: cannot be read as UTF-8 text ({error}).") from error


def natural(name: str) -> tuple[tuple[int, int, str], ...]:
    """Return a key that sorts "2.png" before "10.png".

    >>> sorted(["10.png", "2.png", "a.png"], key=natural)
    ['2.png', '10.png', 'a.png']
    """
    pieces = re.findall(r"[0-9]+|[^0-9]+", name)
    return tuple(
        (0, int(piece), piece) if piece.isascii() and piece.isdigit() else (1, 0, piece)
        for piece in pieces
    )
