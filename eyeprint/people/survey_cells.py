"""Cells of a survey export as answers (P24): codes, ticks, ratings, several choices in one."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from eyeprint.config import Settings
from eyeprint.people.questions import Option, Question, plain
from eyeprint.records.profiles import Answer

_FREE_TEXT = re.compile(r"[〖{].*[〗}]\s*$", re.DOTALL)
_RATING = re.compile(r"^([0-9]{1,2})(?:\.0+)?\s*($|[^0-9.,\s].*$)", re.DOTALL)
# "5-6", "3 or 4": two ratings are none.
_RANGE = re.compile(r"^(?:[-–—~～+或]|to|or|and|bis|e[+]?|至|到|和)\s*[0-9]", re.IGNORECASE)
# What a fault may repeat: a number of a rating's size, or one letter.
_HARMLESS = re.compile(r"-?[0-9]{1,2}(?:[.,][0-9])?|[A-Za-z]")
_CLOCK = re.compile(r"^(?:(\d+):)?(\d{1,3}):(\d{2})(?:\.\d+)?$")
_UNITS = re.compile(
    r"^(?:(\d+)\s*(?:h|hours?|小时|时)\s*)?(?:(\d+)\s*(?:m|min|minutes?|分钟?)\s*)?"
    r"(?:(\d+(?:\.\d+)?)\s*(?:s|secs?|seconds?|秒)?)?$"
)
_STRONG = re.compile(r"[┋|;；\n\r]+")
_WEAK = re.compile(r"[、,，]+")


@cache
def _plain(words: tuple[str, ...]) -> frozenset[str]:
    return frozenset(map(plain, words))


class CellSettings(Settings):
    """Words that stand for something other than an option."""

    blank: tuple[str, ...] = ("", "-3", "-2", "(跳过)", "(空)", "n/a", "na", "nan", "null", "none")
    """No answer; compared without case."""
    ticked: tuple[str, ...] = ("1", "1.0", "yes", "y", "true", "x", "√", "✓", "✔", "☑", "是", "on")
    """A chosen option in a column of its own."""
    unticked: tuple[str, ...] = ("0", "0.0", "no", "n", "false", "否", "off", "☐")
    """An option that was not chosen."""
    consent: tuple[str, ...] = (
        *("1", "1.0", "yes", "y", "true", "agree", "agreed", "i agree", "i consent", "consented"),
        *("accept", "i accept", "√", "✓", "是", "同意", "我同意", "已同意", "a.同意", "a.是"),
    )
    """Consent, said; a code before it ("A.") may stand."""

    def is_blank(self, text: str) -> bool:
        """Tell whether a cell holds no answer."""
        return plain(text) in _plain(self.blank)

    def consents(self, text: str) -> bool:
        """Tell whether a cell says that the person consented.

        >>> CellSettings().consents("A.I agree"), CellSettings().consents("不同意")
        (True, False)
        """
        said = re.sub(r"^[a-z0-9][.、)]\s*", "", plain(text)).strip(" .,!。！")
        words = _plain(self.consent)
        return said in words or any(
            re.match(rf"{re.escape(word)}[,;:，。]", said) for word in words if len(word) > 1
        )


@dataclass(frozen=True)
class CellFault:
    """Why a cell is no answer, and the header of its column."""

    column: str
    reason: str


@dataclass(frozen=True)
class Read:
    """An answer, ``None`` where there is none, or a fault; and what is to be told of it."""

    value: Answer | CellFault | None
    notes: tuple[str, ...] = ()


Cell = tuple[Option | None, str, str]
"""The option whose column it is, the column's header, and the text."""


def seconds_of(text: str) -> float | None:
    """Return a duration in seconds, or ``None`` when it cannot be read.

    >>> [seconds_of(t) for t in ("95", "95秒", "1分35秒", "1:35", "0:01:35", "1m 35s", "soon", "")]
    [95.0, 95.0, 95.0, 95.0, 95.0, 95.0, None, None]
    """
    said = unicodedata.normalize("NFKC", text).strip().lower()
    clock = _CLOCK.match(said)
    parts = clock or (_UNITS.match(said) if said else None)
    if parts is None or not any(parts.groups()):
        return None
    hours, minutes, seconds = (float(part or 0) for part in parts.groups())
    return hours * 3600 + minutes * 60 + seconds


def answer_of(
    question: Question, cells: Sequence[Cell], words: CellSettings, *, trust_codes: bool = False
) -> Read:
    """Return the answer that the cells of one question give, in the questionnaire's labels."""
    if question.type == "multi":
        return _several(question, cells, words, trust_codes)
    given = {text.strip(): header for _, header, text in cells if not words.is_blank(text)}
    if not given:
        return Read(None)
    reads = [
        (_rating(question, text, header), header)
        if question.type == "rating"
        else (_single(question, text, header, trust_codes), header)
        for text, header in given.items()
    ]
    for read, _ in reads:
        if isinstance(read.value, CellFault):
            return read
    if len({read.value for read, _ in reads}) > 1:
        return Read(CellFault(reads[1][1], f"another column of {question.id} says otherwise"))
    return reads[0][0]


def _rating(question: Question, text: str, header: str) -> Read:
    found = _RATING.match(unicodedata.normalize("NFKC", text).strip())
    value = int(found[1]) if found else None
    if found is None or value is None or not question.low <= value <= question.high:
        return Read(_unknown(question, text, header))
    # Words may follow that tell the scale, "4 (of 1 to 7)"; another number is another answer.
    told = {int(digits) for digits in re.findall(r"[0-9]{1,9}", found[2])}
    if _RANGE.match(found[2]) or told - {value, question.low, question.high}:
        return Read(_unknown(question, text, header))
    return Read(value)


def _unknown(question: Question, text: str, header: str) -> CellFault:
    reason = f"{_told(text)} is not allowed; {question.id} takes {question.allowed}"
    return CellFault(header, reason)


def _told(text: str) -> str:
    """Return a rating or an option's code as it stands, and of any other text its length only.

    Cells slip into wrong columns, and what a person typed may say who they are (P15).

    >>> _told("9"), _told("7.5"), _told("Z"), _told("ana@example.org")
    ("'9'", "'7.5'", "'Z'", 'a text of 15 characters')
    """
    said = text.strip()
    if _HARMLESS.fullmatch(said):
        return f"'{said}'"
    return f"a text of {len(said)} character{'s' if len(said) != 1 else ''}"


def _option(question: Question, text: str, trust_codes: bool) -> tuple[Option | None, bool]:
    """Return the option of a text, and whether free text beside it was cut off."""
    found = question.option(text, trust_codes=trust_codes)
    if found is not None:
        return found, False
    said = unicodedata.normalize("NFKC", text).strip()
    if re.fullmatch(r"[0-9]{1,2}(\.0)?", said):
        place = int(said.split(".")[0]) - 1
        return (question.options[place] if 0 <= place < len(question.options) else None), False
    # "Other (basket weaving)" may say who a person is: only the option itself is kept.
    for head in (_FREE_TEXT.sub("", text), re.split(r"[:：(（]", text, maxsplit=1)[0]):
        if head != text and head.strip():
            found = question.option(head, trust_codes=trust_codes)
            if found is not None:
                return found, True
    return None, False


def _single(question: Question, text: str, header: str, trust_codes: bool) -> Read:
    option, cut = _option(question, text, trust_codes)
    if option is None:
        return Read(_unknown(question, text, header))
    return Read(option.label, ("free text beside an option was not kept",) if cut else ())


def _several(
    question: Question, cells: Sequence[Cell], words: CellSettings, trust_codes: bool
) -> Read:
    said: dict[str, tuple[bool, str]] = {}
    notes: list[str] = []
    for option, header, text in cells:
        if words.is_blank(text):
            continue
        if option is None:
            read = _joined(question, text, header, trust_codes)
            if isinstance(read.value, CellFault):
                return read
            notes += read.notes
            labels = read.value if isinstance(read.value, tuple) else ()
            ticks = dict.fromkeys(labels, True)
        else:
            tick = _tick(option, question, text, words)
            if tick is None:
                told = f"{_told(text)} says neither that {option.label} was chosen nor that not"
                return Read(CellFault(header, f"{told}; it takes 1 or 0, yes or no, or its label"))
            ticks = {option.label: tick}
        for label, tick in ticks.items():
            if said.setdefault(label, (tick, header))[0] != tick:
                reason = f"another column of {question.id} says otherwise of {label}"
                return Read(CellFault(header, reason))
    labels = tuple(label for label in question.labels if said.get(label, (False, ""))[0])
    if not labels:
        return Read(None)
    fault = question.fault_of(labels)
    return Read(CellFault(cells[0][1], fault) if fault else labels, tuple(notes))


def _tick(option: Option, question: Question, text: str, words: CellSettings) -> bool | None:
    said = plain(text)
    if said in _plain(words.ticked):
        return True
    if said in _plain(words.unticked):
        return False
    return True if question.option(text) is option else None


def _joined(question: Question, text: str, header: str, trust_codes: bool) -> Read:
    """Read several options in one cell, divided by a bar, semicolon, line end or comma."""
    labels: dict[str, None] = {}
    notes: list[str] = []
    for piece in filter(str.strip, _STRONG.split(text)):
        option, cut = _option(question, piece, trust_codes)
        found = [(option, cut, piece)]
        if option is None:
            pieces = [part for part in _WEAK.split(piece) if part.strip()]
            found = [(*_option(question, part, trust_codes), part) for part in pieces]
        for one, was_cut, part in found:
            if one is None:
                return Read(_unknown(question, part.strip(), header))
            labels[one.label] = None
            notes += ["free text beside an option was not kept"] if was_cut else []
    return Read(tuple(labels), tuple(notes))
