"""One row of the released PIPBench layout, and the :class:`Case` that it stands for.

A row is ``{"id": 0, "image_id": 0, "category": "synthetic", "prompt": "...", "ref_images":
["L2-benchmark/images/0/5.png"], "gt_images": "L2-benchmark/images/0/0.png"}``. Ids are
numbers there and texts here: a text that is a whole number is written back as a number.
Further fields are kept and written back.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from typing import Any

from pydantic import Field

from eyeprint.errors import BadRecord, DataError, shown
from eyeprint.records.cases import Case

FIELDS = ("id", "image_id", "category", "prompt", "ref_images", "gt_images")
"""The fields that every row has."""

_WHOLE = re.compile(r"0|-?[1-9][0-9]{0,17}")
_DRIVE = re.compile(r"[A-Za-z]:")
_LONGEST_NAME = 255
"""Bytes of one part of a path, on all common file systems."""
_LONGEST_PATH = 3000
"""Characters of a path; systems take about 4,096 bytes with the root before it."""
_WEB = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")


class FiledCase(Case):
    """A case whose row has fields that eyeprint does not know."""

    further: dict[str, Any] = Field(default_factory=dict)
    """Those fields, as they came; :func:`row_of` writes them back."""


class _Fault(ValueError):
    """What is wrong with one field."""

    def __init__(self, field: str, reason: str) -> None:
        self.field, self.reason = field, reason
        super().__init__(f"{field}: {reason}")


def inner_path(path: str) -> str:
    """Return a path relative to the data root in its one spelling, with forward slashes.

    Raises:
        ValueError: it is empty, absolute, too long, a web address, or leads out of the root.

    >>> inner_path("images\\\\0\\\\.\\\\5.png")
    'images/0/5.png'
    >>> inner_path("images/../../secret.png")
    Traceback (most recent call last):
    ValueError: 'images/../../secret.png' leads out of the data root
    """
    if not path.strip():
        raise ValueError("is empty")
    if "\0" in path:
        raise ValueError("holds a zero byte")
    try:
        # Names that are no UTF-8 on the disk arrive as escaped bytes; other halves of
        # surrogate pairs name no file anywhere.
        path.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as error:
        raise ValueError("holds half a surrogate pair, which no file name can") from error
    if _WEB.match(path):
        raise ValueError(f"'{shown(path)}' is a web address; fetch the picture and name its file")
    slashed = path.replace("\\", "/")
    if slashed.startswith("/") or _DRIVE.match(slashed):
        raise ValueError(f"'{shown(path)}' is absolute; paths are relative to the data root")
    plain = posixpath.normpath(slashed)
    if plain == ".." or plain.startswith("../"):
        raise ValueError(f"'{shown(path)}' leads out of the data root")
    if plain == ".":
        raise ValueError(f"'{shown(path)}' is the data root, not a picture")
    longest = max(len(part.encode("utf-8", "surrogateescape")) for part in plain.split("/"))
    if longest > _LONGEST_NAME or len(plain) > _LONGEST_PATH:
        raise ValueError(f"'{shown(path)}' is longer than a file's name can be")
    return plain


def case_of(row: Any, file: str, line: int | None = None) -> Case:
    """Return the case of one row.

    Args:
        row: the row as JSON was read.
        file: named in faults.
        line: line of the file, or 1-based place in its array; named in faults.

    Raises:
        BadRecord: what is wrong, by field.

    >>> case = case_of({"id": 3, "image_id": 1, "category": "real", "prompt": "a kite",
    ...     "ref_images": ["a.png"], "gt_images": ["b.png"]}, "metadata.json")
    >>> case.id, case.person_id, case.target
    ('3', '1', 'b.png')
    """
    if not isinstance(row, Mapping):
        raise BadRecord(file, line, "", f"not an object with the fields {', '.join(FIELDS)}")
    try:
        return _case_of(row)
    except _Fault as fault:
        raise BadRecord(file, line, fault.field, fault.reason) from fault


def _case_of(row: Mapping[str, Any]) -> Case:
    missing = [field for field in FIELDS if field not in row]
    if missing:
        has = ", ".join(map(shown, row)) or "none"
        raise _Fault(missing[0], f"missing ({', '.join(missing)}; the row has: {has})")
    values: dict[str, Any] = {
        "id": _id(row, "id"),
        "person_id": _id(row, "image_id"),
        "split": _text(row, "category"),
        "prompt": _text(row, "prompt"),
        "references": _references(row["ref_images"]),
        "target": _target(row["gt_images"]),
    }
    further = {name: value for name, value in row.items() if name not in FIELDS}
    return FiledCase(**values, further=further) if further else Case(**values)


def _id(row: Mapping[str, Any], field: str) -> str:
    value = row[field]
    # True is an int to Python, and no id to anybody.
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise _Fault(field, f"must be a whole number or text, found {_kind(value)}")
    text = str(value)
    if not text.strip():
        raise _Fault(field, "is empty")
    return text


def _text(row: Mapping[str, Any], field: str) -> str:
    value = row[field]
    if not isinstance(value, str):
        raise _Fault(field, f"must be text, found {_kind(value)}")
    if not value.strip():
        raise _Fault(field, "is empty")
    return value


def _references(value: Any) -> tuple[str, ...]:
    # A single text would otherwise be taken apart into letters.
    if not isinstance(value, list):
        raise _Fault("ref_images", f"must be a list of paths, found {_kind(value)}")
    if not value:
        raise _Fault("ref_images", "is empty: a case has at least one reference")
    return tuple(_path(item, f"ref_images.{place}") for place, item in enumerate(value))


def _target(value: Any) -> str | None:
    if value is None:
        return None
    if isinstance(value, list):
        if len(value) != 1:
            raise _Fault("gt_images", f"names {len(value)} pictures; a case has one target")
        value = value[0]
    return _path(value, "gt_images")


def _path(value: Any, field: str) -> str:
    if not isinstance(value, str):
        raise _Fault(field, f"must be a path, found {_kind(value)}")
    try:
        return inner_path(value)
    except ValueError as error:
        raise _Fault(field, str(error)) from error


def _kind(value: Any) -> str:
    names = {type(None): "null", bool: "true or false", list: "a list", dict: "an object"}
    told = names.get(type(value))
    return told if told else f"{type(value).__name__} {shown(str(value))!r}"


def row_of(case: Case) -> dict[str, Any]:
    """Return a case as a row of the released layout, further fields last.

    Raises:
        DataError: a path of the case is not one inside a data root.

    >>> row_of(Case(id="7", person_id="p1", prompt="a kite", references=("a.png",)))["id"]
    7
    """
    try:
        references = [inner_path(path) for path in case.references]
        target = None if case.target is None else inner_path(case.target)
    except ValueError as error:
        raise DataError(f"case {shown(case.id)} cannot be written: {error}") from error
    row = {
        "id": _number(case.id),
        "image_id": _number(case.person_id),
        "category": case.split,
        "prompt": case.prompt,
        "ref_images": references,
        "gt_images": target,
    }
    further = case.further if isinstance(case, FiledCase) else {}
    return {**row, **{name: value for name, value in further.items() if name not in row}}


def _number(text: str) -> int | str:
    return int(text) if _WHOLE.fullmatch(text) else text
