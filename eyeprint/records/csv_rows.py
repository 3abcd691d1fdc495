"""CSV files that somebody else wrote, row by row: good rows are kept, bad ones named."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from pathlib import Path

from eyeprint.errors import BadRecord, DataError, shown

FIELD_LIMIT = 1 << 27
"""Most characters of one cell."""
SEPARATORS = (",", ";", "\t", "|")


def read_csv_rows(
    path: str | Path, needed: Sequence[str] = (), *, strip: bool = True
) -> Iterator[tuple[int, dict[str, str] | BadRecord]]:
    """Yield (line number, column -> cell) of a file with a header; a bad row's value is its fault.

    Columns are parted by commas, or by semicolons, tabs or bars where the header has no
    comma; cells may stand in quotation marks, with line ends inside. A row that is shorter
    than the header lacks the columns at its end. Rows of empty cells are passed over.

    Args:
        path: a UTF-8 file, with or without a byte order mark.
        needed: columns that the header must have.
        strip: whether cells lose spaces around them; names of columns always do.

    Raises:
        DataError: the file cannot be read, is no UTF-8 text, has no header, a column twice,
            or not a column that is needed.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "picks.csv"
    >>> _ = file.write_text("person;picture\\nana; 3.png\\n", encoding="utf-8-sig")
    >>> list(read_csv_rows(file, ["person", "picture"]))
    [(2, {'person': 'ana', 'picture': '3.png'})]
    """
    path = Path(path)
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            text = file.read()
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror}).") from error
    except UnicodeDecodeError as error:
        raise DataError(
            f"{path}: not UTF-8 text (byte {error.start}). Save it as UTF-8."
        ) from error
    yield from _rows(path, text, needed, strip)


def _rows(
    path: Path, text: str, needed: Sequence[str], strip: bool
) -> Iterator[tuple[int, dict[str, str] | BadRecord]]:
    csv.field_size_limit(FIELD_LIMIT)
    head = next((line for line in io.StringIO(text, newline="") if line.strip()), "")
    mark = next((mark for mark in SEPARATORS if mark in head), SEPARATORS[0])
    # Rows end at line ends only: other marks that text is split at, U+2028, may stand in cells.
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=mark, strict=True)
    names: list[str] = []
    while True:
        start = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            break
        except csv.Error as error:
            reason = f"not CSV: {error}; every row from here on is left out"
            yield start, BadRecord(str(path), start, "", reason)
            break
        bare = [cell.strip() for cell in cells]
        if not any(bare):
            continue
        if not names:
            names = bare
            _check_names(path, names, needed)
        elif len(cells) > len(names):
            reason = f"more cells than the {len(names)} columns of the header"
            yield reader.line_num, BadRecord(str(path), reader.line_num, "", reason)
        else:
            yield reader.line_num, dict(zip(names, bare if strip else cells, strict=False))
    if not names:
        raise DataError(f"{path}: is empty; a first line with the names of the columns is needed.")


def _check_names(path: Path, names: Sequence[str], needed: Sequence[str]) -> None:
    twice = next((name for name in names if name and names.count(name) > 1), None)
    if twice is not None:
        raise DataError(f"{path}:1: has two columns '{shown(twice)}'. Rename one.")
    lacking = [name for name in needed if name not in names]
    if lacking:
        has = ", ".join(map(shown, filter(None, names))) or "none"
        raise DataError(
            f"{path}: has no column {' or '.join(lacking)} (columns: {has}); its first line must "
            f"name {', '.join(needed)}."
        )
