"""Rows of a JSON array, or of a file of JSON lines, one by one: bad ones are named."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from eyeprint.errors import DataError
from eyeprint.records.json_lines import BOM, read_json_lines
from eyeprint.records.json_text import parse_json

LINES = (".jsonl", ".ndjson")


def read_json_rows(file: Path, what: str, *, one_alone: bool = False) -> Iterator[tuple[int, Any]]:
    """Yield (1-based row of an array, or line of a file of lines; the value or its fault).

    Args:
        file: its ending says which: ``.json``, or ``.jsonl`` and ``.ndjson``.
        what: what the rows are, for messages: "cases".
        one_alone: whether a ``.json`` file that holds no array is a row by itself.

    Raises:
        DataError: another ending, the file cannot be read, or a ``.json`` file is cut or holds
            no array.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "rows.json"
    >>> _ = file.write_text('[{"id": 1}, null]')
    >>> list(read_json_rows(file, "cases"))
    [(1, {'id': 1}), (2, None)]
    """
    if file.suffix in LINES:
        yield from read_json_lines(file, non_finite_is_null=True)
        return
    if file.suffix != ".json":
        raise DataError(f"{file}: {what} come as .json (an array) or .jsonl (one row a line).")
    try:
        value = parse_json(file.read_bytes().removeprefix(BOM), non_finite_is_null=True)
    except OSError as error:
        raise DataError(f"{file}: cannot be read ({error.strerror}).") from error
    except ValueError as error:
        raise DataError(f"{file}: not JSON: {error}; the file may be cut.") from error
    if not isinstance(value, list):
        if not one_alone:
            raise DataError(f"{file}: must hold one JSON array of rows (or be named .jsonl).")
        value = [value]
    yield from enumerate(value, start=1)
