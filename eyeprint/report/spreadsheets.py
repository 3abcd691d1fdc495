"""CSV that spreadsheets may open: texts of others cannot act there as formulas."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Any

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def harmless(value: Any) -> Any:
    """Return a cell; a text that a spreadsheet would take for a formula gets an apostrophe.

    >>> harmless("=1+1"), harmless(-1.5), harmless("a = b")
    ("'=1+1", -1.5, 'a = b')
    """
    risky = isinstance(value, str) and value.startswith(_FORMULA)
    return f"'{value}" if risky else value


def csv_text(rows: Sequence[Mapping[str, Any]], names: Sequence[str] = ()) -> str:
    """Return rows as CSV with a header; ``None`` and fields that a row lacks are empty cells.

    Args:
        rows: name -> value; the header holds the names of all rows, in order of appearance.
        names: the header when there are no rows.

    >>> csv_text([{"a": 1, "b": None}, {"a": "@x", "c": 2}])
    "a,b,c\\n1,,\\n'@x,,2\\n"
    """
    header = list(dict.fromkeys(name for row in rows for name in row)) or list(names)
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([harmless(name) for name in header])
    for row in rows:
        writer.writerow([harmless(row.get(name)) for name in header])
    return out.getvalue()
