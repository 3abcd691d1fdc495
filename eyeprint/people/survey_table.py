"""A table that survey software exported: its encoding, its separator, its rows with their lines.

Exports come as UTF-8 with or without a mark, as UTF-16 or as GB18030, with commas,
semicolons or tabs, with line ends inside quotation marks; each is found out here.
"""

from __future__ import annotations

import codecs
import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from eyeprint.errors import BadRecord, DataError

SEPARATORS = ",;\t|"
FIELD_LIMIT = 1 << 27
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_LAST_GUESS = "gb18030"
"""Of text that is no UTF-8: nearly every file decodes with it."""
_WORKBOOKS = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")


@dataclass(frozen=True)
class TableRow:
    """One row of a table, and the line of the file where it begins."""

    line: int
    cells: tuple[str, ...]


@dataclass(frozen=True)
class TableText:
    """A file's text with what was found out of it."""

    path: Path
    text: str
    encoding: str
    separator: str
    first_line: int
    """Where the header begins; above it stands at most Excel's ``sep=``."""
    note: str = ""
    """What is to be known of how it was read."""


def _decoded(path: Path, encoding: str) -> tuple[str, str]:
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror}).") from error
    if raw.startswith(_WORKBOOKS):
        raise DataError(f"{path}: this is a workbook, not text. Export or save it as CSV.")
    marked = next((name for mark, name in _MARKS if raw.startswith(mark)), None)
    tried = [encoding] if encoding else [marked] if marked else ["utf-8", _LAST_GUESS]
    for name in tried:
        try:
            text = raw.decode(name)
        except LookupError as error:
            raise DataError(f"{path}: there is no encoding '{name}'.") from error
        except UnicodeDecodeError:
            continue
        if "\0" in text:
            raise DataError(f"{path}: holds NUL bytes: it is no text, or UTF-16 without a mark.")
        return text, name
    raise DataError(
        f"{path}: is not text in {' or '.join(tried)}. Save it as UTF-8, or name its encoding."
    )


def _separator_of(text: str) -> str:
    """Return the separator that stands most often in the first row, outside quotation marks."""
    counts = dict.fromkeys(SEPARATORS, 0)
    quoted = False
    for mark in text.lstrip("\r\n"):
        if mark == '"':
            quoted = not quoted
        elif not quoted and mark in counts:
            counts[mark] += 1
        elif not quoted and mark in "\r\n":
            break
    return max(SEPARATORS, key=lambda mark: counts[mark])


def open_table(path: Path, encoding: str = "", separator: str = "") -> TableText:
    """Read a table's text.

    Args:
        path: the file.
        encoding: as Python names it; found out when empty: by its mark, else UTF-8, else GB18030.
        separator: found out from the header when empty.

    Raises:
        DataError: it is missing, empty, a workbook, or no text in these encodings.
    """
    text, name = _decoded(path, encoding)
    if not text.strip():
        raise DataError(f"{path}: is empty.")
    first_line = 1
    head = text.split("\n", 1)
    if head[0].strip().lower().startswith("sep=") and len(head) == 2:
        separator = separator or head[0].strip("\r")[4:5]
        text, first_line = head[1], 2
    if len(separator) > 1:
        raise DataError(f"{path}: the separator '{separator}' is more than one character.")
    note = ""
    if name == _LAST_GUESS and not encoding:
        note = (
            "no UTF-8, so it was read as GB18030; where words look garbled, give its encoding in "
            'the settings, such as encoding = "cp1252"'
        )
    return TableText(path, text, name, separator or _separator_of(text), first_line, note)


def rows_of(table: TableText) -> Iterator[TableRow | BadRecord]:
    """Yield the rows that hold anything, the header first, or what is wrong with one.

    A quotation mark that never closes takes all that follows with it; that is one fault.
    """
    csv.field_size_limit(FIELD_LIMIT)
    lines = list(io.StringIO(table.text, newline=""))
    reader = csv.reader(lines, delimiter=table.separator)
    file, before = str(table.path), 0
    while True:
        line = table.first_line + before
        try:
            cells = next(reader, None)
        except csv.Error as error:
            yield BadRecord(file, line, "", f"not a row of a table: {error}")
            before = reader.line_num
            continue
        if cells is None:
            return
        taken = lines[before : reader.line_num]
        before = reader.line_num
        # A mark within a cell is doubled, so an odd number over several lines never closed.
        if len(taken) > 1 and before == len(lines) and "".join(taken).count('"') % 2:
            reason = (
                f"a quotation mark opens here and never closes; {len(taken)} lines are left out"
            )
            yield BadRecord(file, line, "", reason)
            return
        if any(cell.strip() for cell in cells):
            yield TableRow(line, tuple(cells))
