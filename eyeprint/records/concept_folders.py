"""Released MMPB rows as a CSV file beside folders of pictures (CHECKLIST M5, M9, M12).

Query pictures lie where ``image_path`` says, under ``<attribute>/test/``; reference pictures
under ``<attribute>/train/<name>/``, called 0.png to 4.png.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

from eyeprint.errors import BadRecord, DataError
from eyeprint.records.case_rows import inner_path
from eyeprint.records.concept_columns import NEEDED, FlatRow, check_columns
from eyeprint.records.concept_native import missing_picture
from eyeprint.records.concept_picture_bytes import ENDINGS
from eyeprint.records.concepts import REFERENCES
from eyeprint.records.csv_rows import FIELD_LIMIT, SEPARATORS, read_csv_rows

DATASET = "dataset.csv"
"""What the file of rows is called in released data."""


def find_csv(root: Path) -> Path | None:
    """Return the file of rows of a folder: ``dataset.csv``, or the only CSV with the columns.

    Raises:
        DataError: several files have the columns.
    """
    if (root / DATASET).is_file():
        return root / DATASET
    some = sorted(file for file in root.glob("*.csv") if file.is_file())
    fit = [file for file in some if set(NEEDED) <= set(header_of(file))]
    if len(fit) > 1:
        names = ", ".join(file.name for file in fit)
        raise DataError(f"{root}: several files hold rows ({names}). Name one of them.")
    # A lone file that lacks a column is taken, so that the column is told.
    return fit[0] if fit else (some[0] if len(some) == 1 else None)


def header_of(file: Path) -> list[str]:
    """Return the columns' names in the first line of a CSV file; none of an empty one.

    Raises:
        DataError: it cannot be read or is no UTF-8 text.
    """
    try:
        with file.open(encoding="utf-8-sig", newline="") as lines:
            head = next((line for line in lines if line.strip()), "")
    except OSError as error:
        raise DataError(f"{file}: cannot be read ({error.strerror}).") from error
    except UnicodeDecodeError as error:
        raise DataError(f"{file}: not UTF-8 text. Save it as UTF-8.") from error
    mark = next((mark for mark in SEPARATORS if mark in head), SEPARATORS[0])
    csv.field_size_limit(FIELD_LIMIT)
    cells = next(csv.reader([head], delimiter=mark), [])
    return [cell.strip() for cell in cells]


def read_folder_rows(file: Path, root: Path) -> tuple[list[FlatRow | BadRecord], list[str]]:
    """Return the rows of a CSV file, and notes on columns that it lacks.

    Raises:
        DataError: the file cannot be read, or lacks a column that is needed.
    """
    notes = check_columns(str(file), header_of(file), embedded=False)
    return list(_rows(file, root)), notes


def _rows(file: Path, root: Path) -> Iterator[FlatRow | BadRecord]:
    for line, cells in read_csv_rows(file):
        if isinstance(cells, BadRecord):
            yield cells
            continue
        path = cells.get("image_path", "")
        fault = missing_picture(root, path)
        yield FlatRow(str(file), line, cells, "" if fault else inner_path(path), fault)


def references_in(root: Path, category: str, name: str) -> tuple[str, ...]:
    """Return a concept's reference pictures, at most five, in the order of their numbers.

    Pictures whose names are no numbers come after those that are numbers.
    """
    try:
        folder = root / inner_path(f"{category}/train/{name}")
    except ValueError:
        # A name that is no folder's name has no folder.
        return ()
    if not folder.is_dir() or inner_path(f"{category}/train/{name}").count("/") < 2:
        return ()
    files = [one for one in folder.iterdir() if one.suffix.lower() in ENDINGS and one.is_file()]
    files.sort(key=lambda one: (not one.stem.isdecimal(), _number(one.stem), one.name))
    return tuple(one.relative_to(root).as_posix() for one in files[:REFERENCES])


def _number(stem: str) -> int:
    return int(stem) if stem.isdecimal() and len(stem) < 10 else 0
