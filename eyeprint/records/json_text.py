"""One strict way to read JSON that somebody else wrote, and to write lines of it.

Python's own reader lets through what is no JSON (NaN, Infinity) and ends with a
``RecursionError`` on text that is nested too deeply. Whoever reads a file here catches
``ValueError`` and has caught everything.
"""

from __future__ import annotations

import json
from typing import Any


def parse_json(text: str | bytes, *, non_finite_is_null: bool = False) -> Any:
    """Return the value of a JSON text.

    Args:
        text: the text, or its UTF-8 bytes.
        non_finite_is_null: read NaN, Infinity and -Infinity, which Python and pandas write,
            as ``None``; by default they are a fault.

    Raises:
        ValueError: it is no JSON, is nested too deeply, or holds a number of more digits than
            Python converts; the text says which.

    >>> parse_json('{"a": [1, null]}')
    {'a': [1, None]}
    >>> parse_json('[NaN]', non_finite_is_null=True)
    [None]
    >>> parse_json('[NaN]')
    Traceback (most recent call last):
    ValueError: NaN is no JSON number
    """

    def constant(name: str) -> None:
        if not non_finite_is_null:
            raise ValueError(f"{name} is no JSON number")

    try:
        return json.loads(text, parse_constant=constant)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error


def json_line(value: Any) -> bytes:
    """Return a value as one line of JSON in UTF-8, its line end included.

    Half a surrogate pair has no UTF-8, but JSON can escape it: such a line is written in
    ASCII, so that the file stays readable and the text what it was.

    Raises:
        ValueError: NaN or infinity, which are no JSON.

    >>> json_line({"a": chr(0xE9)}) == b'{"a": "%b"}%b' % (chr(0xE9).encode(), chr(10).encode())
    True
    >>> json_line("half " + chr(0xD83D)).isascii()
    True
    """
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False).encode() + b"\n"
    except UnicodeEncodeError:
        return json.dumps(value, allow_nan=False).encode() + b"\n"
