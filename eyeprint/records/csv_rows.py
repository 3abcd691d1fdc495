"""CSV files that somebody else wrote, row by row: good rows are kept, bad ones named."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

from eyeprint.errors import BadRecord, DataError, shown

FIELD_LIMIT = 1 << 27
"""Most characters of one cell."""


def read_csv_rows(path: str | Path) -> Iterator[tuple[int, dict[str, str] | BadRecord]]:
    """Yield (line number, column -> cell) of a file with a header; a bad row's value is its fault.

    Columns are parted by commas, or by semicolons or tabs where the header has no comma.
    Cells lose spaces around them. Rows of empty cells are passed over.

    Raises:
        DataError: the file cannot be read, is no UTF-8 text, has no header or a column twice.
    """
    path = Path(path)
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            yield from _rows(path, file.read())
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror}).") from error
    except UnicodeDecodeError as error:
        raise DataError(
            f"{path}: not UTF-8 text (byte {error.start}). Save it as UTF-8."
        ) from error


def _rows(path: Path, text: str) -> Iterator[tuple[int, dict[str, str] | BadRecord]]:
    csv.field_size_limit(FIELD_LIMIT)
    head = text.split("\n", 1)[0]
    mark = next((m for m in (",", ";", "\t") if m in head), ",")
    reader = csv.reader(text.splitlines(keepends=True), delimiter=mark, strict=True)
    names: list[str] = []
    while True:
        try:
            cells = [cell.strip() for cell in next(reader)]
        except StopIteration:
            break
        except csv.Error as error:
            reason = f"not CSV: {error}; every row from here on is left out"
            yield reader.line_num, BadRecord(str(path), reader.line_num, "", reason)
            break
        if not any(cells):
            continue
        if not names:
            names = cells
            twice = next((name for name in names if names.count(name) > 1), None)
            if twice is not None:
                raise DataError(f"{path}:1: has two columns '{shown(twice)}'. Rename one.")
        elif len(cells) > len(names):
            reason = f"more cells than the {len(names)} columns of the header"
            yield reader.line_num, BadRecord(str(path), reader.line_num, "", reason)
        else:
            yield reader.line_num, dict(zip(names, cells, strict=False))
    if not names:
        raise DataError(f"{path}: is empty; a first line with the names of the columns is needed.")
