"""Captions as people have them: a CSV table, JSON lines, or a folder of text files (V22).

Nothing is guessed away silently: a blank caption, a repeated one, a bad row or a kind
that does not exist is told with file and line, and everything else is read.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, NamedTuple

from eyeprint.errors import BadRecord, DataError
from eyeprint.models.chat_wire import clean_text
from eyeprint.records.json_lines import read_json_lines
from eyeprint.records.people import POST_KINDS

TEXT_COLUMNS = ("caption", "text", "description")
"""Columns and keys that are taken for the caption, in this order, whatever their case."""
DELIMITERS = ",;\t|"
FIELD_LIMIT = 1 << 27


class CaptionIn(NamedTuple):
    """One caption and where it came from."""

    text: str
    id: str
    kind: str | None
    time: str
    file: str
    line: int | None


class CaptionsRead(NamedTuple):
    """What a source held: captions by person ("" where it names none), and what was left out."""

    people: dict[str, tuple[CaptionIn, ...]]
    faults: tuple[BadRecord, ...]
    """Rows that were left out, and values that were not understood."""
    left_out: int = 0
    """How many rows were left out."""


class _Row(NamedTuple):
    fields: dict[str, str]
    file: str
    line: int | None


Found = _Row | BadRecord


def read_captions(
    source: str | Path,
    *,
    column: str | None = None,
    duplicates: Literal["drop", "keep"] = "drop",
) -> CaptionsRead:
    """Read captions from a .csv, .tsv or .jsonl file, a .txt file, or a folder of .txt files.

    Args:
        source: the file or folder. Of a folder each .txt file is one caption, its name the
            post's id, in the natural order of the names (2 before 10).
        column: the column or key of the caption; by default caption, text or description.
        duplicates: whether a caption that the same person has already is dropped (told as a
            fault) or kept.

    Optional columns are id, kind, time and person. Text is UTF-8, with or without a BOM.

    Raises:
        DataError: nothing is there, it is not UTF-8 text, or there is no caption column.
    """
    path = Path(source)
    if not path.exists():
        raise DataError(f"{path}: there is no such file or folder.")
    found: dict[str, list[CaptionIn]] = {}
    faults: list[BadRecord] = []
    left_out = 0
    seen = _Seen(duplicates)
    for row in _rows(path, column):
        if isinstance(row, BadRecord):
            faults.append(row)
            left_out += 1
            continue
        person = clean_text(row.fields.get("person", "")).strip()
        caption = _caption(row, faults)
        if "person" in row.fields and not person:
            faults.append(BadRecord(row.file, row.line, "person", "is empty; the row is left out"))
            left_out += 1
            continue
        kept = seen.fitted(person, caption, faults)
        if kept is None:
            left_out += 1
        else:
            found.setdefault(person, []).append(kept)
    people = {key: tuple(value) for key, value in found.items()}
    return CaptionsRead(people, tuple(faults), left_out)


class _Seen:
    """Ids and captions so far, by person."""

    def __init__(self, duplicates: str) -> None:
        self._keep = duplicates == "keep"
        self._texts: dict[tuple[str, str], str] = {}
        self._ids: dict[tuple[str, str], str] = {}
        self._counts: dict[str, int] = {}

    def fitted(self, person: str, caption: CaptionIn, faults: list[BadRecord]) -> CaptionIn | None:
        """Return the caption with an id of its own, or ``None`` when it is left out."""
        place = f"line {caption.line}" if caption.line else Path(caption.file).name
        if not caption.text.strip():
            reason = "is empty; the row is left out"
            faults.append(BadRecord(caption.file, caption.line, "caption", reason))
            return None
        key = (person, " ".join(caption.text.split()))
        if key in self._texts and not self._keep:
            reason = f"is the same as that of {self._texts[key]}; the row is left out"
            faults.append(BadRecord(caption.file, caption.line, "caption", reason))
            return None
        self._texts.setdefault(key, place)
        self._counts[person] = self._counts.get(person, 0) + 1
        wanted = caption.id.strip() or f"p{self._counts[person]:02d}"
        free = wanted
        number = 1
        while (person, free) in self._ids:
            number += 1
            free = f"{wanted}-{number}"
        if free != wanted and caption.id.strip():
            used = self._ids[person, wanted]
            reason = f"'{wanted}' was already used at {used}; named '{free}'"
            faults.append(BadRecord(caption.file, caption.line, "id", reason))
        self._ids[person, free] = place
        return caption._replace(id=free)


def _caption(row: _Row, faults: list[BadRecord]) -> CaptionIn:
    kind = row.fields.get("kind", "").strip().lower() or None
    if kind is not None and kind not in POST_KINDS:
        reason = f"'{kind}' is no kind of post ({', '.join(POST_KINDS)}); left unset"
        faults.append(BadRecord(row.file, row.line, "kind", reason))
        kind = None
    text = clean_text(row.fields["caption"].replace("\r\n", "\n")).strip()
    time = row.fields.get("time", "").strip()
    post_id = clean_text(row.fields.get("id", "")).strip()
    return CaptionIn(text, post_id, kind, clean_text(time), row.file, row.line)


def _rows(path: Path, column: str | None) -> Iterator[Found]:
    if path.is_dir():
        files = sorted((p for p in path.iterdir() if p.suffix.lower() == ".txt"), key=_natural)
        if not files:
            raise DataError(f"{path}: holds no .txt file; each should be one caption.")
        for file in files:
            yield _text_row(file)
    elif path.suffix.lower() == ".txt":
        yield _text_row(path)
    elif path.suffix.lower() in (".jsonl", ".ndjson"):
        yield from _json_rows(path, column)
    elif path.suffix.lower() in (".csv", ".tsv"):
        yield from _table_rows(path, column)
    else:
        raise DataError(f"{path}: captions come as .csv, .tsv, .jsonl or a folder of .txt files.")


def _natural(path: Path) -> list[tuple[int, int, str]]:
    parts = re.findall(r"\d+|\D+", path.name)
    return [(0, int(part), "") if part.isdecimal() else (1, 0, part) for part in parts]


def _read(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror}).") from error
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise DataError(
            f"{path}:{line}: not UTF-8 text (byte 0x{error.object[error.start]:02x}). "
            "Save the file as UTF-8 and import it again."
        ) from error


def _text_row(path: Path) -> Found:
    try:
        return _Row({"caption": _read(path), "id": path.stem}, str(path), None)
    except DataError as error:
        # One bad file of a folder must not cost the others.
        return BadRecord(str(path), None, "caption", str(error).removeprefix(f"{path}: "))


def _names(present: list[str], column: str | None, where: str) -> dict[str, str]:
    """Return our name -> the source's name for the columns that are used."""
    lower = {name.strip().lower(): name for name in reversed(present)}
    wanted = (column.strip().lower(),) if column else TEXT_COLUMNS
    text = next((lower[name] for name in wanted if name in lower), None)
    if text is None:
        shown = ", ".join(name for name in present if name) or "none"
        raise DataError(
            f"{where}: has no column {' or '.join(wanted)}. It has: {shown}. "
            "Name the right one with --column."
        )
    others = {name: lower[name] for name in ("id", "kind", "time", "person") if name in lower}
    return {"caption": text} | others


def _table_rows(path: Path, column: str | None) -> Iterator[Found]:
    text = _read(path)
    if not text.strip():
        raise DataError(f"{path}: is empty.")
    head = text.lstrip().splitlines()[0]
    delimiter = "\t" if path.suffix.lower() == ".tsv" else max(DELIMITERS, key=head.count)
    csv.field_size_limit(FIELD_LIMIT)
    lines = list(io.StringIO(text, newline=""))
    reader = csv.reader(lines, delimiter=delimiter)
    header: list[str] | None = None
    names: dict[str, str] = {}
    line = 1
    while True:
        try:
            cells = next(reader, None)
        except csv.Error as error:
            yield BadRecord(str(path), reader.line_num, "", f"not a row of a table: {error}")
            line = reader.line_num + 1
            continue
        if cells is None:
            return
        if _never_closed(lines[line - 1 : reader.line_num]) and reader.line_num == len(lines):
            reason = "a quotation mark opens here and never closes; all from here on is left out"
            yield BadRecord(str(path), line, "", reason)
            return
        if header is None and any(cell.strip() for cell in cells):
            header, names = cells, _names(cells, column, f"{path}:{line}")
        elif header is not None and cells:
            if len(cells) > len(header):
                reason = (
                    f"has {len(cells)} cells where the header has {len(header)}; a caption "
                    "with a comma must stand in quotation marks. The row is left out"
                )
                yield BadRecord(str(path), line, "", reason)
            else:
                values = dict(zip(header, cells, strict=False))
                fields = {ours: values.get(theirs, "") for ours, theirs in names.items()}
                yield _Row(fields, str(path), line)
        line = reader.line_num + 1


def _never_closed(lines: list[str]) -> bool:
    """Whether the lines of one row end inside quotation marks, as only a file's last can."""
    # A mark within a cell is doubled; a stray one (5" nails) does not run over a line's end.
    return len(lines) > 1 and "".join(lines).count('"') % 2 == 1


def _json_rows(path: Path, column: str | None) -> Iterator[Found]:
    for line, value in read_json_lines(path, non_finite_is_null=True):
        if isinstance(value, BadRecord):
            yield value
        elif isinstance(value, str):
            yield _Row({"caption": value}, str(path), line)
        elif isinstance(value, dict):
            try:
                names = _names(list(value), column, f"{path}:{line}")
            except DataError as error:
                yield BadRecord(str(path), line, "caption", str(error).partition(": ")[2])
                continue
            wrong = [n for n in names if not isinstance(value[names[n]], str | int | None)]
            if wrong:
                yield BadRecord(str(path), line, wrong[0], "is no text; the line is left out")
                continue
            texts = {n: "" if value[k] is None else str(value[k]) for n, k in names.items()}
            yield _Row(texts, str(path), line)
        else:
            yield BadRecord(str(path), line, "", "is neither a text nor an object; left out")
