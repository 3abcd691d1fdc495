"""Reads the JSON in a model's reply: strictly first, then forgivingly, never silently.

Models wrap JSON in fences and prose, think aloud before it, leave trailing commas,
write True for true, or are cut off by a length limit. All but the last is mended, and
what was mended is listed; a cut reply is a fault, and its complete part is only offered
beside it. Quoted text is never touched: ``{"why":"x,} y"}`` comes back as it is.
"""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

from pydantic import BaseModel, RootModel, ValidationError

from eyeprint.models.json_scanner import CutShort, NotJson, Scanner, TooDeep

_REASONING = re.compile(r"\s*<(think|thinking|reasoning|thought)>", re.IGNORECASE)
_FENCED = re.compile(r"\s*```[\w-]*[ \t]*\n?(.*?)\n?[ \t]*```\s*", re.DOTALL)
_ESCAPED = re.compile(r"\\u[dD][89a-fA-F]")
_NO_TEXT = re.compile("[\ud800-\udfff]")
_OPENERS = re.compile(r"[{\[]")
MOST_ATTEMPTS = 2000
"""Brackets that are tried before a text is given up as holding no JSON."""


class JsonReading(NamedTuple):
    """What was read from a reply."""

    value: Any
    """The JSON value, or the schema's instance; ``None`` with a ``fault`` when unreadable."""
    repairs: tuple[str, ...] = ()
    """What was mended, in alphabetical order; empty for strict JSON."""
    fault: str | None = None
    """Why there is no value: "empty", "cut", "no JSON", "too deep" or "schema: ..."."""
    partial: Any = None
    """With the faults "cut" and "schema": what could be read; never to be taken as whole."""


def read_json(text: str, schema: type[BaseModel] | None = None) -> JsonReading:
    """Return the JSON value of a reply; the last object wins where there are several.

    Args:
        text: the reply.
        schema: a pydantic model that the value must fit; its instance is returned.

    >>> read_json('{"why":"x,} y"}')
    JsonReading(value={'why': 'x,} y'}, repairs=(), fault=None, partial=None)
    >>> read_json('Sure!\\n```json\\n{"score": 3,}\\n```').repairs
    ('fence', 'text around', 'trailing comma')
    >>> read_json('{"items": ["a", "b').fault
    'cut'
    """
    reading = _read(text, objects_only=schema is not None and not issubclass(schema, RootModel))
    if reading.fault is None and _ESCAPED.search(text) is not None:
        whole = _characters(reading.value)
        if whole != reading.value:
            mended = tuple(sorted({*reading.repairs, "no character"}))
            reading = JsonReading(whole, mended)
    if schema is None or reading.fault is not None:
        return reading
    try:
        value = schema.model_validate(reading.value)
    except ValidationError as error:
        faults = "; ".join(
            f"{'.'.join(str(part) for part in fault['loc']) or 'value'}: {fault['msg']}"
            for fault in error.errors()
        )
        return JsonReading(None, reading.repairs, f"schema: {faults}", reading.value)
    return JsonReading(value, reading.repairs)


def _characters(value: Any) -> Any:
    """Return a value whose texts hold no half of a surrogate pair.

    A reply cannot hold one, but the JSON in it can escape it, and UTF-8 cannot write it.
    """
    if isinstance(value, str):
        return _NO_TEXT.sub("\ufffd", value)
    if isinstance(value, list):
        return [_characters(item) for item in value]
    if isinstance(value, dict):
        return {_characters(key): _characters(item) for key, item in value.items()}
    return value


def _strict(text: str) -> JsonReading | None:
    def refuse(name: str) -> None:
        raise ValueError(name)

    try:
        return JsonReading(json.loads(text, parse_constant=refuse))
    except RecursionError:
        return JsonReading(None, fault="too deep")
    except ValueError:
        # JSONDecodeError, or an integer of more digits than Python converts.
        return None


def _read(text: str, *, objects_only: bool) -> JsonReading:
    text = text.removeprefix("\ufeff")
    if not text.strip():
        return JsonReading(None, fault="empty")
    strict = _strict(text)
    if strict is not None:
        return strict
    repairs: set[str] = set()
    reasoning = _REASONING.match(text)
    if reasoning is not None:
        closing = re.compile(f"</{reasoning.group(1)}>", re.IGNORECASE).search(text)
        if closing is None:
            return JsonReading(None, ("reasoning",), "cut")
        repairs.add("reasoning")
        text = text[closing.end() :]
        if not text.strip():
            return JsonReading(None, ("reasoning",), "empty")
    fenced = _FENCED.fullmatch(text)
    strict = _strict(fenced.group(1) if fenced else text)
    if strict is not None:
        repairs |= {"fence"} if fenced else set()
        return strict._replace(repairs=tuple(sorted(repairs)))
    return _loose(text, repairs, objects_only)


class _Found(NamedTuple):
    value: Any
    start: int
    end: int
    repairs: frozenset[str]

    def rank(self, objects_only: bool) -> int:
        """Objects count most, arrays of anything but bare numbers next: "[1]" is a footnote."""
        if isinstance(self.value, dict):
            return 2
        if objects_only or all(isinstance(item, (int, float)) for item in self.value):
            return 0
        return 1 if not any(isinstance(item, dict) for item in self.value) else 2


def _loose(text: str, repairs: set[str], objects_only: bool) -> JsonReading:
    found: list[_Found] = []
    at = 0
    for _ in range(MOST_ATTEMPTS):
        opener = _OPENERS.search(text, at)
        if opener is None:
            break
        scanner = Scanner(text, opener.start())
        try:
            value = scanner.container()
        except NotJson:
            at = opener.end()
        except TooDeep:
            return JsonReading(None, tuple(sorted(repairs)), "too deep")
        except CutShort as cut:
            # What comes last is what counts, and it is not whole: an earlier or inner
            # object in its place would be an answer that nobody gave.
            mended = tuple(sorted(repairs | scanner.repairs))
            return JsonReading(None, mended, "cut", cut.partial)
        else:
            found.append(_Found(value, opener.start(), scanner.at, frozenset(scanner.repairs)))
            at = scanner.at
    if not found:
        return JsonReading(None, tuple(sorted(repairs)), "no JSON")
    best = max(enumerate(found), key=lambda pair: (pair[1].rank(objects_only), pair[0]))[1]
    around = text[: best.start] + text[best.end :]
    if "```" in around:
        repairs.add("fence")
    if re.sub(r"```[\w-]*", "", around).strip():
        repairs.add("text around")
    return JsonReading(best.value, tuple(sorted(repairs | best.repairs)))
