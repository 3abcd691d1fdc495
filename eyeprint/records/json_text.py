"""One strict way to read JSON that somebody else wrote.

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
