"""Dialogues that users bring themselves (CHECKLIST M14, M15, M38).

Files of three endings are read. ``.json`` holds ``{"conversation": [[message, ...], ...]}``, as
the authors' released code reads it, where a message is ``{"role": "user" | "assistant",
"content": text}``; or the inner lists alone. ``.jsonl`` (``.ndjson``) holds one dialogue a line, as
a list of messages or as an object with ``conversation`` and, if at hand, ``id`` (or
``conversation_id``) and ``topic``: the form of public chat logs. ``.toml`` holds the same keys,
or turns::

    topic = "Tides"
    [[turn]]
    user = "Why are there two a day?"
    assistant = "Because ..."
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any, NoReturn

from eyeprint.errors import BadRecord, DataError, shown
from eyeprint.methods.dialogues import Dialogue, Turn
from eyeprint.records.json_lines import BOM, read_json_lines
from eyeprint.records.json_rows import LINES
from eyeprint.records.json_text import parse_json

ENDINGS = (".json", *LINES, ".toml")
"""What files of dialogues may end with."""
_ROLES = {"user": "user", "human": "user", "assistant": "assistant", "gpt": "assistant"}
_TAKING_TURNS = ("user", "assistant")
_DEEPEST = 3


def read_dialogues(path: str | Path) -> tuple[Dialogue, ...]:
    """Return the dialogues of a file, in its order.

    Each must begin with a user's message, go on in turns, and end with an assistant's; texts
    are stripped of space around them. Dialogues without an id are numbered from 1.

    Raises:
        BadRecord: a message is wrong; ``field`` is its place, counted from 0 as in
            ``conversation[0][3].content``.
        DataError: the file cannot be read, has another ending, or holds no dialogue.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "talk.jsonl"
    >>> _ = file.write_text('[{"role": "user", "content": "Hi."},'
    ...     ' {"role": "assistant", "content": "Hello."}]')
    >>> read_dialogues(file)[0].turns
    (Turn(user='Hi.', assistant='Hello.'),)
    """
    file = Path(path)
    found: dict[str, Dialogue] = {}
    for line, value in _values(file):
        if isinstance(value, BadRecord):
            raise value
        for id, topic, turns in _Reader(str(file), line).dialogues(value):
            name = id or next(n for n in map(str, count(len(found) + 1)) if n not in found)
            if name in found:
                raise BadRecord(str(file), line, "id", f"'{shown(name)}' is there twice")
            found[name] = Dialogue(name, topic, "", turns)
    if not found:
        raise DataError(f"{file}: holds no dialogue.")
    return tuple(found.values())


def _values(file: Path) -> Iterator[tuple[int | None, Any]]:
    """Yield (line, or ``None`` where the file is one record; its value)."""
    ending = file.suffix.lower()
    if ending not in ENDINGS:
        raise DataError(f"{file}: dialogues come as {', '.join(ENDINGS)}.")
    if ending in LINES:
        yield from read_json_lines(file)
        return
    try:
        held = file.read_bytes().removeprefix(BOM)
        value = tomllib.loads(held.decode()) if ending == ".toml" else parse_json(held)
    except OSError as error:
        raise DataError(f"{file}: cannot be read ({error.strerror}).") from error
    except (ValueError, RecursionError) as error:
        what = "TOML" if ending == ".toml" else "JSON"
        raise DataError(f"{file}: not {what}: {error}; the file may be cut.") from error
    yield None, value


class _Reader:
    """Reads one record; knows where it is for the sake of messages."""

    def __init__(self, file: str, line: int | None) -> None:
        self._file, self._line = file, line

    def dialogues(
        self, value: Any, place: str = "", id: str = "", topic: str = "", depth: int = 0
    ) -> Iterator[tuple[str, str, tuple[Turn, ...]]]:
        """Yield (id or "", topic or "", turns) of each dialogue in a value."""
        if depth > _DEEPEST:
            self._fault(place, "is nested too deeply to be a list of conversations")
        if isinstance(value, dict):
            id = self._text_of(value, place, "id", "conversation_id")
            topic = self._text_of(value, place, "topic")
            if "turn" in value:
                yield id, topic, self._turns(value["turn"], f"{place}turn")
                return
            keys = ("conversation", "conversations", "dialogue", "messages")
            key = next((key for key in keys if key in value), "")
            if not key:
                known = ", ".join(map(shown, list(value)[:8])) or "none"
                self._fault(place, f"has no field 'conversation' or 'turn' (its fields: {known})")
            place, value = f"{place}{key}", value[key]
        if not isinstance(value, list) or not value:
            self._fault(place, "is no list of messages or conversations")
        if isinstance(value[0], dict) and "role" in value[0]:
            yield id, topic, self._messages(value, place)
            return
        for number, inner in enumerate(value):
            at = f"{place}[{number}]"
            if not isinstance(inner, list | dict):
                self._fault(at, "is no message and no list of messages")
            # Several dialogues of one record cannot share its id.
            several = f"{id}-{number + 1}" if id else ""
            under = f"{at}." if isinstance(inner, dict) else at
            yield from self.dialogues(inner, under, several, topic, depth + 1)

    def _messages(self, value: list[Any], place: str) -> tuple[Turn, ...]:
        texts: list[str] = []
        for number, message in enumerate(value):
            at = f"{place}[{number}]"
            if not isinstance(message, dict):
                self._fault(at, "is no message with role and content")
            role = message.get("role")
            wanted = _TAKING_TURNS[number % 2]
            if _ROLES.get(role if isinstance(role, str) else "") != wanted:
                self._fault(f"{at}.role", f"is '{shown(str(role))}' where '{wanted}' is due")
            texts.append(self._text(message.get("content"), f"{at}.content"))
        if len(texts) % 2:
            at = f"{place}[{len(texts) - 1}]"
            self._fault(at, "has no reply; leave it out, or add the assistant's message")
        return tuple(Turn(*pair) for pair in zip(texts[::2], texts[1::2], strict=True))

    def _turns(self, value: Any, place: str) -> tuple[Turn, ...]:
        if not isinstance(value, list) or not value:
            self._fault(place, "is no list of turns with user and assistant")
        turns = []
        for number, row in enumerate(value):
            at = f"{place}[{number}]"
            if not isinstance(row, dict):
                self._fault(at, "is no turn with user and assistant")
            user, assistant = (self._text(row.get(who), f"{at}.{who}") for who in _TAKING_TURNS)
            turns.append(Turn(user, assistant))
        return tuple(turns)

    def _text(self, value: Any, place: str) -> str:
        if value is None:
            self._fault(place, "is missing")
        if not isinstance(value, str):
            self._fault(place, "is no text; dialogues are of texts alone, without pictures")
        if not value.strip():
            self._fault(place, "is empty")
        if not value.isprintable() and any("\ud800" <= mark <= "\udfff" for mark in value):
            self._fault(place, "holds half a character (a lone surrogate)")
        return value.strip()

    def _text_of(self, row: dict[str, Any], place: str, *keys: str) -> str:
        for key in keys:
            if row.get(key) is not None:
                if not isinstance(row[key], str | int):
                    self._fault(f"{place}{key}", "is no text")
                return str(row[key])
        return ""

    def _fault(self, place: str, reason: str) -> NoReturn:
        raise BadRecord(self._file, self._line, place.rstrip("."), reason)
