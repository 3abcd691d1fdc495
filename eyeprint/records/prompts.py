"""Prompts from any source: JSONL or CSV, a bad row named and the good ones kept."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from pydantic import ValidationError

from eyeprint.errors import BadRecord, DataError
from eyeprint.records.json_lines import read_json_lines
from eyeprint.records.work import PromptToScore

OTHER_NAMES = {
    "person_id": "person",
    "persona": "person",
    "user": "person",
    "text": "prompt",
    "query_id": "query",
    "model": "writer",
}
"""Column names that are read as ours when ours is absent."""

FIELD_LIMIT = 1 << 27
"""Most characters of one cell of a CSV file."""


class PromptFile(NamedTuple):
    """The rows of a file of prompts, and the rows that could not be read."""

    rows: tuple[PromptToScore, ...]
    extra: tuple[dict[str, Any], ...]
    """Per row, the fields that eyeprint does not know: they are written back with the scores."""
    faults: tuple[BadRecord, ...]


def read_prompts(path: str | Path) -> PromptFile:
    """Read rows with ``person`` and ``prompt``, and optionally method, query and writer.

    Raises:
        DataError: the file is missing, has another ending, or holds not one good row.
    """
    path = Path(path)
    readers = {".jsonl": _jsonl, ".ndjson": _jsonl, ".csv": _csv}
    if path.suffix not in readers:
        raise DataError(f"{path}: prompts come as .jsonl or .csv files.")
    rows, extras, faults = [], [], []
    try:
        for line, found in readers[path.suffix](path):
            if isinstance(found, BadRecord):
                faults.append(found)
                continue
            try:
                row, extra = _row(found)
            except ValidationError as error:
                first = error.errors()[0]
                field = ".".join(str(part) for part in first["loc"])
                faults.append(BadRecord(str(path), line, field, first["msg"]))
                continue
            rows.append(row)
            extras.append(extra)
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror}).") from error
    except UnicodeDecodeError as error:
        raise DataError(
            f"{path}: not UTF-8 text ({error.reason} at byte {error.start})."
        ) from error
    if not rows:
        told = "".join(f"\n  {fault}" for fault in faults[:5])
        raise DataError(
            f"{path}: not one prompt could be read; rows need person and prompt"
            f"{_other_delimiter(path)}.{told}"
        )
    return PromptFile(tuple(rows), tuple(extras), tuple(faults))


def _other_delimiter(path: Path) -> str:
    """Return a hint where the header of a CSV file is parted by something else than commas."""
    if path.suffix != ".csv":
        return ""
    with path.open(encoding="utf-8-sig", newline="") as file:
        head = file.readline(FIELD_LIMIT)
    names = {";": "semicolons", "\t": "tabs", "|": "bars"}
    found = [told for mark, told in names.items() if mark in head and "," not in head]
    return f" (this header is parted by {found[0]}: save the file with commas)" if found else ""


def _jsonl(path: Path) -> Iterator[tuple[int, Any]]:
    # NaN in a field that is only passed on must not cost the row, nor be written back.
    for line, value in read_json_lines(path, non_finite_is_null=True):
        good = isinstance(value, dict | BadRecord)
        odd = BadRecord(str(path), line, "", "not an object with person and prompt")
        yield line, value if good else odd


def _csv(path: Path) -> Iterator[tuple[int, Any]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        yield from _csv_rows(path, file)


def _csv_rows(path: Path, file: TextIO) -> Iterator[tuple[int, Any]]:
    csv.field_size_limit(FIELD_LIMIT)
    reader = csv.DictReader(file, strict=True)
    line = 1
    while True:
        try:
            names = reader.fieldnames or ()
            if reader.line_num <= 1 and len(set(names)) < len(names):
                twice = next(name for name in names if names.count(name) > 1)
                raise DataError(f"{path}:1: has two columns '{twice}'. Rename or remove one.")
            line = reader.line_num + 1
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            reason = f"not CSV: {error}; every row from here on is left out"
            yield line, BadRecord(str(path), line, "", reason)
            return
        if None in row:
            reason = f"more cells than the {len(reader.fieldnames or ())} columns of the header"
            yield reader.line_num, BadRecord(str(path), reader.line_num, "", reason)
            continue
        yield reader.line_num, {key: value for key, value in row.items() if value is not None}


def _row(found: dict[str, Any]) -> tuple[PromptToScore, dict[str, Any]]:
    for other, ours in OTHER_NAMES.items():
        if other in found and ours not in found:
            found[ours] = found.pop(other)
    known = {key: found[key] for key in PromptToScore.model_fields if key in found}
    return PromptToScore.model_validate(known), {k: v for k, v in found.items() if k not in known}
