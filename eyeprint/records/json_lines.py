"""JSON lines that somebody else wrote: each line's value, or what is wrong with it.

Lines end with LF or CRLF, and there only (JSON texts may hold U+2028 and the like as they
are); a byte order mark at the start and blank lines are passed over.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from eyeprint.errors import BadRecord, DataError
from eyeprint.records.json_text import parse_json

BOM = b"\xef\xbb\xbf"


def read_json_lines(
    path: Path, *, non_finite_is_null: bool = False
) -> Iterator[tuple[int, Any | BadRecord]]:
    """Yield (line number, value) of a file, one line at a time; a bad line's value is its fault.

    Args:
        path: the file; it is streamed, and may be of any size.
        non_finite_is_null: see :func:`eyeprint.records.json_text.parse_json`.

    Raises:
        DataError: the file cannot be opened or read.
    """
    try:
        with path.open("rb") as file:
            for number, raw in enumerate(file, start=1):
                line = raw.removeprefix(BOM) if number == 1 else raw
                if line.strip():
                    yield number, _value(line, str(path), number, non_finite_is_null)
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror}).") from error


def _value(line: bytes, file: str, number: int, non_finite_is_null: bool) -> Any | BadRecord:
    try:
        # Half a surrogate pair is no UTF-8, but a text that other programs do write.
        text = line.decode("utf-8", "surrogatepass")
        return parse_json(text, non_finite_is_null=non_finite_is_null)
    except UnicodeDecodeError as error:
        reason = f"not UTF-8 text (byte 0x{line[error.start]:02x})"
    except ValueError as error:
        reason = f"not JSON: {error}; the line may be cut"
    return BadRecord(file, number, "", reason)
