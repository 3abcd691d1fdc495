"""Answers that were made elsewhere: by people, or by another harness (CHECKLIST M26).

A CSV or JSONL file with a column of question ids (``index`` or ``id`` or ``question_id``) and
one of replies (``prediction``, ``reply`` or ``answer``). They are read as any reply is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from eyeprint.errors import BadRecord, DataError, shown
from eyeprint.protocols.run_digests import digest_of
from eyeprint.records.concept_data import ConceptData
from eyeprint.records.csv_rows import read_csv_rows
from eyeprint.records.json_lines import read_json_lines

IDS = ("index", "id", "question_id")
REPLIES = ("prediction", "reply", "answer", "response")


def read_given(
    files: Mapping[str, str | Path], data: ConceptData
) -> tuple[dict[str, dict[str, str]], dict[str, str]]:
    """Return name -> question id -> reply, and name -> digest of the file.

    Questions that a file does not answer are not asked of its maker, and not counted.

    Raises:
        DataError: a file cannot be read, answers no question of the data, or one twice.
    """
    known = {question.id for question in data.questions}
    found: dict[str, dict[str, str]] = {}
    digests: dict[str, str] = {}
    for name, file in files.items():
        path = Path(file)
        if not path.is_file():
            raise DataError(f"{path}: there is no such file of answers of '{shown(name)}'.")
        replies: dict[str, str] = {}
        for line, row in _rows(path):
            key = _field(row, IDS, path, line)
            if not key:
                raise BadRecord(str(path), line, IDS[0], "is empty.")
            reply = _field(row, REPLIES, path, line, empty=True)
            if key in replies:
                raise BadRecord(str(path), line, "index", f"'{shown(key)}' is answered twice.")
            replies[key] = reply
        kept = {key: reply for key, reply in replies.items() if key in known}
        if not replies:
            raise DataError(f"{path}: holds no answers.")
        if not kept:
            some = next(iter(replies))
            raise DataError(
                f"{path}: answers no question of these data; its first id is '{shown(some)}', "
                f"theirs are like '{shown(data.questions[0].id)}'."
            )
        found[name], digests[name] = kept, digest_of(path)
    return found, digests


def _rows(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    if path.suffix.lower() in (".json", ".xlsx", ".xls", ".pkl", ".parquet"):
        raise DataError(f"{path}: answers come as CSV or JSON lines. Save the table as CSV.")
    if path.suffix.lower() in (".jsonl", ".ndjson"):
        for line, value in read_json_lines(path):
            if isinstance(value, BadRecord):
                raise value
            if not isinstance(value, dict):
                raise BadRecord(str(path), line, "", "should be a JSON object.")
            yield line, value
        return
    for line, row in read_csv_rows(path):
        if isinstance(row, BadRecord):
            raise row
        yield line, row


def _field(
    row: Mapping[str, Any], names: tuple[str, ...], path: Path, line: int, empty: bool = False
) -> str:
    """Return a cell as text; where ``empty`` is true, nothing (null) is the empty text."""
    lower = {str(key).strip().lower(): value for key, value in row.items()}
    for name in names:
        value = lower.get(name)
        if isinstance(value, str | int | float) and not isinstance(value, bool):
            return str(value).strip()
        if value is not None:
            raise BadRecord(str(path), line, name, "should be a text.")
        if empty and name in lower:
            return ""
    raise BadRecord(str(path), line, names[0], f"is missing; one of {', '.join(names)} is needed.")
