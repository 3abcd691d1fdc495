"""What the columns of a survey export are (P24), and which must never be stored (P15).

A question is found by its number ("Q7", "7.", "7、"), its wording in English or Chinese, or
its key; the rest of a multiple question's header names an option: "Q7:A.Film",
"7、Hobbies (Film)", "Q7_A". Everything that is no question is dropped and named.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from eyeprint.errors import DataError, shown
from eyeprint.people.questions import (
    WORDING_EDGES,
    Option,
    Question,
    Questionnaire,
    plain,
)

Role = Literal["answer", "upload", "duration", "consent", "id", "dropped"]
DURATION = ("duration", "所用时间", "答题时长", "interviewtime", "time taken", "seconds")
CONSENT = ("consent", "知情同意", "是否同意", "同意书")
PERSONAL = re.compile(
    r"\b(e-?mail|name|ip|phone|mobile|tel|address|birthday|student (id|number)|openid|"
    r"user ?(id|name)|nickname|location|latitude|longitude)\b"
    r"|姓名|邮箱|手机|电话|学号|地址|昵称|来自ip|用户id|生日|微信号"
)
_NUMBERED = re.compile(
    r"^(?:q(?:uestion)?|第)?\s*([0-9]{1,2})\s*题?(?![0-9A-Za-z])(.*)$", re.DOTALL | re.IGNORECASE
)
_CODE_AFTER = re.compile(r"^q(?:uestion)?([0-9]{1,2})[_.]?([a-z])$", re.IGNORECASE)


@dataclass(frozen=True)
class Column:
    """One column of the export."""

    place: int
    """From 0."""
    header: str
    role: Role
    question: Question | None = None
    option: Option | None = None
    """The option whose ticks it holds; ``None`` when it holds the whole answer."""
    why: str = ""
    """Why it is dropped."""


@dataclass(frozen=True)
class DroppedColumn:
    """A column of which nothing is stored."""

    header: str
    why: str


def _by_text(questions: Questionnaire, text: str) -> Question | None:
    return questions.by_wording.get(plain(text).strip(WORDING_EDGES))


def _option_in(question: Question, rest: str) -> Option | None:
    """Return the option that a header's rest ends with, in brackets or after a mark."""
    # Tables that were read twice by pandas have ".1" behind repeated names.
    for text in (rest, re.sub(r"\.\d+$", "", rest)):
        tails = [text]
        tails += re.findall(r"[(\[【（]([^()\[\]【】（）]*)[)\]】）]\s*$", text)
        tails += [text.rsplit(mark, 1)[1] for mark in (":", "：", "_", "-") if mark in text]
        for tail in tails:
            found = question.option(tail.strip(WORDING_EDGES))
            if found is not None:
                return found
    return None


def _split_number(header: str) -> tuple[str, str] | None:
    """Return ("Q7", "the rest") of a header with a number."""
    text = unicodedata.normalize("NFKC", header).strip().lstrip("*").strip()
    coded = _CODE_AFTER.match(text)
    if coded:
        return f"Q{int(coded[1])}", coded[2].upper()
    numbered = _NUMBERED.match(text)
    if numbered is None:
        return None
    return f"Q{int(numbered[1])}", numbered[2].strip(WORDING_EDGES)


def _answer_column(place: int, header: str, questions: Questionnaire) -> Column | None:
    """Return the column of a question, or ``None``; an unknown option is told in ``why``."""
    split = _split_number(header)
    rest = split[1] if split else header.strip()
    named = _by_text(questions, rest) if rest else None
    if named is None and split is not None and split[0] in questions:
        if PERSONAL.search(plain(rest)):
            return None
        named = questions[split[0]]
    elif named is not None:
        rest = ""
    if named is None:
        named, rest = _headed_by_text(questions, rest)
    if named is None:
        return None
    if named.type == "upload":
        return Column(place, header, "upload", named)
    if named.type != "multi" or not rest:
        return Column(place, header, "answer", named)
    option = _option_in(named, rest)
    return Column(place, header, "answer", named, option, "" if option else "no option")


def _headed_by_text(questions: Questionnaire, text: str) -> tuple[Question | None, str]:
    """Find "Hobbies and interests (Film)": a multiple question's wording, then an option."""
    said = plain(text)
    for wording, question in questions.by_wording.items():
        if question.type == "multi" and said.startswith(wording) and _option_in(question, text):
            return question, text
    return None, text


def columns_of(
    headers: Sequence[str],
    questions: Questionnaire,
    file: str,
    *,
    id_column: str = "",
    duration_column: str = "",
    consent_column: str = "",
) -> tuple[Column, ...]:
    """Return what each column is; names that are given take precedence over guesses.

    Raises:
        DataError: a name that was given is not there, or no column belongs to any question.

    >>> from eyeprint.people.questions import questionnaire
    >>> found = columns_of(["Q1", "7、Hobbies (A.Film)", "E-mail"], questionnaire(), "x.csv")
    >>> [(c.role, c.option.label if c.option else "") for c in found]
    [('answer', ''), ('answer', 'Film'), ('dropped', '')]
    """
    given: dict[str, Role] = {}
    for name, role in (
        (id_column, "id"),
        (duration_column, "duration"),
        (consent_column, "consent"),
    ):
        if name:
            if plain(name) not in map(plain, headers):
                raise DataError(f"{file}: has no column '{shown(name)}'.")
            given[plain(name)] = role  # type: ignore[assignment]
    found = [_column(place, header, given, questions) for place, header in enumerate(headers)]
    found = [_settled(column, found) for column in found]
    if not any(column.role == "answer" for column in found):
        told = ", ".join(shown(header) for header in headers[:12] if header.strip())
        raise DataError(
            f"{file}: no column belongs to any question. Headers start with a number (Q1, "
            f"Q7:A.Film) or hold the question's wording. It has: {told}."
        )
    return tuple(found)


def _column(place: int, header: str, given: dict[str, Role], questions: Questionnaire) -> Column:
    name = plain(header)
    if name in given:
        return Column(place, header, given[name])
    found = _answer_column(place, header, questions)
    consents = any(word in name for word in CONSENT)
    if consents and (found is None or (found.question and found.question.type != "multi")):
        return Column(place, header, "consent")
    if found is not None:
        return found
    if any(name.startswith(word) for word in DURATION):
        return Column(place, header, "duration")
    why = "may identify a person" if PERSONAL.search(name) else "belongs to no question"
    return Column(place, header, "dropped", why=why if name else "has no header")


def _settled(column: Column, every: Sequence[Column]) -> Column:
    """Settle a multiple question's column whose header names no option that is known.

    Alone it holds the whole answer, and the rest of its header is the question in other
    words; beside columns of options it is an option that the questionnaire does not have.
    """
    if column.why != "no option" or column.question is None:
        return column
    others = [c for c in every if c.question is column.question and c is not column]
    if others:
        why = f"{column.question.id} has no such option"
        return Column(column.place, column.header, "dropped", why=why)
    return Column(column.place, column.header, "answer", column.question)
