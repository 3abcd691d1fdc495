"""A forgiving reader of one JSON object or array, which never alters quoted text.

A small recursive-descent scanner, not search-and-replace: whether a comma is trailing
or part of a sentence is known only to a reader that knows where strings begin and end.
Everything that strict JSON would refuse is noted in ``repairs``; the names are listed in
:data:`REPAIRS`. ``models/json_replies.py`` finds the places to start reading at.
"""

from __future__ import annotations

import re
from typing import Any

REPAIRS = {
    "trailing comma": "a comma before a closing bracket",
    "Python literal": "True, False or None",
    "not a number": "NaN or Infinity, read as null",
    "single quotes": "a string in '...'",
    "smart quotes": "a string in typographic quotation marks",
    "raw control character": "a line break or tab inside a string that should be escaped",
    "unescaped quote": "a quotation mark inside a string that should be escaped",
    "bad escape": "a backslash that begins no JSON escape, kept as it is",
    "bare key": "a key without quotation marks",
    "loose number": "a number as +1, .5, 1. or 007",
    "comment": "a // or /* */ comment",
}
"""What the scanner mends, by the name that is noted."""

DEEPEST = 100
"""Nesting that no honest reply has; deeper text is not read."""

_BLANK = re.compile(r"\s*")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_CUT_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d*)?(?:[eE][+-]?\d*)?\Z")
_STRICT_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?")
_WORD = re.compile(r"[A-Za-z_][\w-]*")
_LITERALS: dict[str, tuple[Any, str | None]] = {
    "true": (True, None),
    "false": (False, None),
    "null": (None, None),
    "True": (True, "Python literal"),
    "False": (False, "Python literal"),
    "None": (None, "Python literal"),
    "NaN": (None, "not a number"),
    "Infinity": (None, "not a number"),
}
_CLOSERS = {'"': '"', "'": "'", "“": '”“"', "„": '“”"', "‘": "’‘'", "«": "»"}
_ESCAPES = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_HEX4 = re.compile(r"[0-9a-fA-F]{4}")
_MOST_DIGITS = 4000  # Python refuses to convert longer integers.


class NotJson(Exception):
    """No JSON can begin here."""


class CutShort(Exception):
    """The text ended inside a value; ``partial`` is what was complete."""

    def __init__(self) -> None:
        self.partial: Any = None
        super().__init__("cut")


class TooDeep(Exception):
    """Nested deeper than :data:`DEEPEST`."""


class Scanner:
    """Reads one value that starts with a bracket; ``at`` is where reading stands."""

    def __init__(self, text: str, at: int) -> None:
        self.text, self.at = text, at
        self.repairs: set[str] = set()

    def container(self, depth: int = 0) -> Any:
        """Read the object or array at ``at``.

        Raises:
            NotJson, CutShort, TooDeep: as their names say.

        >>> Scanner('{"why":"x,} y",}', 0).container()
        {'why': 'x,} y'}
        """
        if depth > DEEPEST:
            raise TooDeep
        opener = self.text[self.at]
        self.at += 1
        return self._object(depth) if opener == "{" else self._array(depth)

    def _object(self, depth: int) -> dict[str, Any]:
        result: dict[str, Any] = {}
        try:
            while True:
                if self._peek() == "}":
                    self.at += 1
                    return result
                key = self._key()
                if self._peek() != ":":
                    raise NotJson
                self.at += 1
                try:
                    result[key] = self._value(depth)
                except CutShort as cut:
                    if cut.partial is not None:
                        result[key] = cut.partial
                    raise
                self._separator("}", bool(result))
        except CutShort as cut:
            cut.partial = result
            raise

    def _array(self, depth: int) -> list[Any]:
        result: list[Any] = []
        try:
            while True:
                if self._peek() == "]":
                    self.at += 1
                    return result
                try:
                    result.append(self._value(depth))
                except CutShort as cut:
                    if cut.partial is not None:
                        result.append(cut.partial)
                    raise
                self._separator("]", bool(result))
        except CutShort as cut:
            cut.partial = result
            raise

    def _separator(self, closer: str, filled: bool) -> None:
        """Pass a comma, or stop before the closing bracket; a comma before it is mended."""
        character = self._peek()
        if character == ",":
            self.at += 1
            if filled and self._peek() == closer:
                self.repairs.add("trailing comma")
        elif character != closer:
            raise NotJson

    def _peek(self) -> str:
        """Return the next character that is neither blank nor in a comment."""
        while True:
            blank = _BLANK.match(self.text, self.at)
            self.at = blank.end() if blank else self.at
            if self.at >= len(self.text):
                raise CutShort
            comment = _COMMENT.match(self.text, self.at)
            if comment is None:
                return self.text[self.at]
            self.repairs.add("comment")
            self.at = comment.end()

    def _key(self) -> str:
        if self._peek() in _CLOSERS:
            return self._string(key=True)
        word = _WORD.match(self.text, self.at)
        if word is None:
            raise NotJson
        self.at = word.end()
        if self.at >= len(self.text):
            raise CutShort
        self.repairs.add("bare key")
        return word.group()

    def _value(self, depth: int) -> Any:
        character = self._peek()
        if character in "{[":
            return self.container(depth + 1)
        if character in _CLOSERS:
            return self._string(key=False)
        if _CUT_NUMBER.match(self.text, self.at):
            # "12" at the end of a cut text may have been going to be 123.
            raise CutShort
        number = _NUMBER.match(self.text, self.at)
        if number is not None:
            return self._number(number.group())
        sign = 1 if character in "+-" else 0
        word = _WORD.match(self.text, self.at + sign)
        if word is None:
            raise NotJson
        if word.end() >= len(self.text):
            raise CutShort
        value, repair = _LITERALS.get(word.group(), (None, "unknown"))
        if repair == "unknown" or (sign and word.group() != "Infinity"):
            raise NotJson
        self.at = word.end()
        if repair:
            self.repairs.add(repair)
        return value

    def _number(self, digits: str) -> int | float | None:
        self.at += len(digits)
        if len(digits) > _MOST_DIGITS:
            raise NotJson
        if not _STRICT_NUMBER.fullmatch(digits):
            self.repairs.add("loose number")
        return int(digits) if digits.lstrip("+-").isdigit() else float(digits)

    def _string(self, *, key: bool) -> str:
        """Read a string. A quotation mark ends it only where JSON can go on after it."""
        opener = self.text[self.at]
        closers = _CLOSERS[opener]
        if opener == "'":
            self.repairs.add("single quotes")
        elif opener != '"':
            self.repairs.add("smart quotes")
        parts: list[str] = []
        start = self.at + 1
        stop = re.compile("[" + re.escape(closers) + "\\\\\x00-\x1f]")
        self.at = start
        while True:
            found = stop.search(self.text, self.at)
            if found is None:
                parts.append(self.text[start:])
                cut = CutShort()
                cut.partial = None if key else "".join(parts)
                raise cut
            self.at = found.start()
            character = found.group()
            if character == "\\":
                parts.append(self.text[start : self.at])
                parts.append(self._escape())
                start = self.at
            elif character < " ":
                self.repairs.add("raw control character")
                self.at += 1
            elif self._ends_here(key):
                parts.append(self.text[start : self.at])
                self.at += 1
                return "".join(parts)
            else:
                self.repairs.add("unescaped quote")
                self.at += 1

    def _ends_here(self, key: bool) -> bool:
        """Tell whether what follows a quotation mark can follow a string."""
        blank = _BLANK.match(self.text, self.at + 1)
        after = blank.end() if blank else self.at + 1
        if after >= len(self.text):
            return True
        if key:
            return self.text[after] == ":"
        return self.text[after] in ",}]" or self.text.startswith(("//", "/*"), after)

    def _escape(self) -> str:
        """Read one escape; a surrogate pair counts as one."""
        if self.at + 1 >= len(self.text):
            raise CutShort
        letter = self.text[self.at + 1]
        if letter in _ESCAPES:
            self.at += 2
            return _ESCAPES[letter]
        code = _HEX4.match(self.text, self.at + 2) if letter == "u" else None
        if code is None:
            self.repairs.add("bad escape")
            self.at += 2
            # "\'" is how JavaScript and Python write an apostrophe; else keep both signs.
            return letter if letter == "'" else "\\" + letter
        self.at += 6
        value = int(code.group(), 16)
        if 0xD800 <= value < 0xDC00 and self.text.startswith("\\u", self.at):
            low = _HEX4.match(self.text, self.at + 2)
            if low is not None and 0xDC00 <= int(low.group(), 16) < 0xE000:
                self.at += 6
                return chr(0x10000 + ((value - 0xD800) << 10) + int(low.group(), 16) - 0xDC00)
        return chr(value)
