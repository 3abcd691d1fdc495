"""Prompts from any source: JSONL or CSV, a bad row named and the good ones kept."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from eyeprint.errors import BadRecord, DataError
from eyeprint.records.csv_rows import read_csv_rows
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
        raise DataError(f"{path}: not one prompt could be read; rows need person and prompt.{told}")
    return PromptFile(tuple(rows), tuple(extras), tuple(faults))


def _jsonl(path: Path) -> Iterator[tuple[int, Any]]:
    # NaN in a field that is only passed on must not cost the row, nor be written back.
    for line, value in read_json_lines(path, non_finite_is_null=True):
        good = isinstance(value, dict | BadRecord)
        odd = BadRecord(str(path), line, "", "not an object with person and prompt")
        yield line, value if good else odd


def _csv(path: Path) -> Iterator[tuple[int, Any]]:
    # A prompt is scored as it is, spaces included.
    yield from read_csv_rows(path, strip=False)


def _row(found: dict[str, Any]) -> tuple[PromptToScore, dict[str, Any]]:
    for other, ours in OTHER_NAMES.items():
        if other in found and ours not in found:
            found[ours] = found.pop(other)
    known = {key: found[key] for key in PromptToScore.model_fields if key in found}
    return PromptToScore.model_validate(known), {k: v for k, v in found.items() if k not in known}
