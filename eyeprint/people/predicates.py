"""A closed little language for predicates over answers: parsed, checked, never evaluated as code.

::

    predicate  = conjunction ("or" conjunction)*
    conjunction = denial ("and" denial)*
    denial     = "not" denial | "(" predicate ")" | test
    test       = RATING ("<" | "<=" | "=" | "!=" | ">=" | ">") NUMBER
               | SINGLE "is" TEXT | SINGLE "in" "[" TEXT ("," TEXT)* "]"
               | MULTI "has" TEXT | MULTI "has" ("any" | "all" | NUMBER) "of" "[" TEXT ... "]"

Each predicate is compiled twice from one tree: over one profile's answers (three-valued:
an unanswered question makes a test unknown), and over a block of coded candidates as an
array of booleans. Both are compared in tests.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from eyeprint.errors import DataError, shown
from eyeprint.people.questions import Question, Questionnaire
from eyeprint.records.profiles import Answer

Codes = Mapping[str, NDArray[np.int64]]
"""Question id -> one number per candidate: the option's place (single), the rating itself,
or the sum of 2^place over the chosen options (multiple)."""
Flags = NDArray[np.bool_]

_TOKEN = re.compile(
    r"\s*(?:(?P<text>\"[^\"]*\")|(?P<number>[0-9]{1,9})|(?P<word>[A-Za-z]\w*)|(?P<mark><=|>=|!=|[<>=(),\[\]]))"
)
DEEPEST = 50
"""Most brackets and denials within each other."""


class Predicate(Protocol):
    """A compiled predicate."""

    def holds(self, answers: Mapping[str, Answer]) -> bool | None:
        """Tell whether it holds for some answers; ``None`` when they do not say."""
        ...

    def flags(self, codes: Codes) -> Flags:
        """Return one boolean per candidate; every question must be answered."""
        ...


@dataclass(frozen=True)
class Compares:
    """A rating against a number."""

    question: str
    mark: str
    number: int

    def holds(self, answers: Mapping[str, Answer]) -> bool | None:
        """See :class:`Predicate`."""
        value = answers.get(self.question)
        return bool(self._test(value)) if isinstance(value, int) else None

    def flags(self, codes: Codes) -> Flags:
        """See :class:`Predicate`."""
        return np.asarray(self._test(codes[self.question]), dtype=np.bool_)

    def _test(self, value: int | NDArray[np.int64]) -> bool | Flags:
        if self.mark in ("<", "<="):
            return value <= self.number - (self.mark == "<")
        if self.mark in (">", ">="):
            return value >= self.number + (self.mark == ">")
        return value == self.number if self.mark == "=" else value != self.number


@dataclass(frozen=True)
class IsOneOf:
    """A single answer among some options."""

    question: str
    labels: frozenset[str]
    places: tuple[int, ...]

    def holds(self, answers: Mapping[str, Answer]) -> bool | None:
        """See :class:`Predicate`."""
        value = answers.get(self.question)
        return value in self.labels if isinstance(value, str) else None

    def flags(self, codes: Codes) -> Flags:
        """See :class:`Predicate`."""
        return np.isin(codes[self.question], self.places)


@dataclass(frozen=True)
class Has:
    """At least ``least`` of some options in a multiple answer."""

    question: str
    labels: frozenset[str]
    mask: int
    least: int

    def holds(self, answers: Mapping[str, Answer]) -> bool | None:
        """See :class:`Predicate`."""
        value = answers.get(self.question)
        return len(self.labels & set(value)) >= self.least if isinstance(value, tuple) else None

    def flags(self, codes: Codes) -> Flags:
        """See :class:`Predicate`."""
        chosen = np.bitwise_count(codes[self.question] & self.mask)
        return np.asarray(chosen >= self.least, dtype=np.bool_)


@dataclass(frozen=True)
class Not:
    """The denial of a predicate."""

    part: Predicate

    def holds(self, answers: Mapping[str, Answer]) -> bool | None:
        """See :class:`Predicate`."""
        found = self.part.holds(answers)
        return None if found is None else not found

    def flags(self, codes: Codes) -> Flags:
        """See :class:`Predicate`."""
        return ~self.part.flags(codes)


@dataclass(frozen=True)
class Joined:
    """Several predicates joined by "and" or "or", after Kleene: unknown only where it matters."""

    parts: tuple[Predicate, ...]
    every: bool

    def holds(self, answers: Mapping[str, Answer]) -> bool | None:
        """See :class:`Predicate`."""
        found = [part.holds(answers) for part in self.parts]
        if (not self.every) in found:
            return not self.every
        return None if None in found else self.every

    def flags(self, codes: Codes) -> Flags:
        """See :class:`Predicate`."""
        rows = [part.flags(codes) for part in self.parts]
        join = np.logical_and if self.every else np.logical_or
        return np.asarray(join.reduce(rows), dtype=np.bool_)


@dataclass(frozen=True)
class _Token:
    kind: str
    text: str
    at: int


class _Parser:
    """Recursive descent over the tokens of one predicate."""

    def __init__(self, source: str, questions: Questionnaire, where: str) -> None:
        self._source, self._questions, self._where = source, questions, where
        self._tokens = self._split()
        self._next = 0
        self._depth = 0

    def parse(self) -> Predicate:
        """Return the whole predicate."""
        found = self._joined()
        if self._peek().kind != "end":
            self._fail("expected 'and', 'or' or the end")
        return found

    def _split(self) -> list[_Token]:
        tokens, at = [], 0
        while self._source[at:].strip():
            match = _TOKEN.match(self._source, at)
            if match is None:
                raise DataError(
                    f"{self._where}: cannot read {shown(self._source[at:].strip())!r} in "
                    f"{shown(self._source.strip())!r}"
                )
            kind = match.lastgroup or ""
            tokens.append(_Token(kind, match[kind].strip('"'), match.start(kind)))
            at = match.end()
        return [*tokens, _Token("end", "the end", len(self._source))]

    def _peek(self) -> _Token:
        return self._tokens[self._next]

    def _take(self) -> _Token:
        token = self._tokens[self._next]
        self._next += token.kind != "end"
        return token

    def _is(self, kind: str, text: str) -> bool:
        return self._peek().kind == kind and self._peek().text == text

    def _fail(self, reason: str) -> None:
        token = self._peek()
        raise DataError(
            f"{self._where}: {reason}, found {shown(token.text)!r} at character {token.at + 1} of "
            f"{shown(self._source.strip())!r}"
        )

    def _expect(self, kind: str, text: str = "") -> _Token:
        token = self._peek()
        if token.kind != kind or (text and token.text != text):
            self._fail(f"expected {text or f'a {kind}'!r}")
        return self._take()

    def _joined(self, every: bool = False) -> Predicate:
        below = self._denied if every else lambda: self._joined(every=True)
        parts = [below()]
        while self._is("word", "and" if every else "or"):
            self._take()
            parts.append(below())
        return parts[0] if len(parts) == 1 else Joined(tuple(parts), every)

    def _denied(self) -> Predicate:
        self._depth += 1
        if self._depth > DEEPEST:
            self._fail(f"more than {DEEPEST} brackets and denials within each other")
        if self._is("word", "not"):
            self._take()
            found: Predicate = Not(self._denied())
        elif self._is("mark", "("):
            self._take()
            found = self._joined()
            self._expect("mark", ")")
        else:
            found = self._test()
        self._depth -= 1
        return found

    def _test(self) -> Predicate:
        name = self._peek()
        question = self._expect("word").text
        if question not in {q.id for q in self._questions.asked}:
            raise DataError(f"{self._where}: there is no question {shown(name.text)!r}")
        asked = self._questions[question]
        if asked.type == "rating":
            return self._compared(asked)
        if asked.type == "single":
            return self._one_of(asked)
        self._expect("word", "has")
        return self._has(asked)

    def _compared(self, asked: Question) -> Predicate:
        mark = self._peek()
        if mark.kind != "mark" or mark.text not in ("<", "<=", "=", "!=", ">=", ">"):
            self._fail(f"{asked.id} is a rating: expected <, <=, =, !=, >= or >")
        self._take()
        number = int(self._expect("number").text)
        if not asked.low <= number <= asked.high:
            raise DataError(
                f"{self._where}: {asked.id} goes from {asked.low} to {asked.high}, not to {number}"
            )
        return Compares(asked.id, mark.text, number)

    def _one_of(self, asked: Question) -> Predicate:
        if self._is("word", "is"):
            self._take()
            labels = [self._label(asked)]
        else:
            self._expect("word", "in")
            labels = self._labels(asked)
        return IsOneOf(asked.id, frozenset(labels), tuple(map(asked.labels.index, labels)))

    def _has(self, asked: Question) -> Predicate:
        amount = self._peek()
        if amount.kind == "text":
            labels, least = [self._label(asked)], 1
        else:
            if amount.kind != "number" and amount.text not in ("any", "all"):
                self._fail("expected an option, 'any of', 'all of' or a number")
            self._take()
            self._expect("word", "of")
            labels = self._labels(asked)
            counts = {"any": 1, "all": len(set(labels))}
            least = counts[amount.text] if amount.text in counts else int(amount.text)
            if not 1 <= least <= len(set(labels)):
                raise DataError(f"{self._where}: {least} of {len(set(labels))} options is no test")
        mask = sum(1 << asked.labels.index(label) for label in set(labels))
        return Has(asked.id, frozenset(labels), mask, least)

    def _labels(self, asked: Question) -> list[str]:
        self._expect("mark", "[")
        labels = [self._label(asked)]
        while self._is("mark", ","):
            self._take()
            labels.append(self._label(asked))
        self._expect("mark", "]")
        return labels

    def _label(self, asked: Question) -> str:
        label = self._expect("text").text
        if label not in asked.by_label:
            raise DataError(
                f"{self._where}: {asked.id} has no option {shown(label)!r}; it has "
                f"{', '.join(asked.labels)}"
            )
        return label


def parse_predicate(source: str, questions: Questionnaire, where: str = "predicate") -> Predicate:
    """Return a predicate of a text.

    Args:
        source: the text, see the grammar above.
        questions: what may be asked of; types, options and ranges are checked.
        where: what messages call the text, such as "rule H1".

    Raises:
        DataError: it cannot be read; says where, what was found and what was expected.

    >>> from eyeprint.people.questions import questionnaire
    >>> both = parse_predicate('Q12 >= 5 and not Q16 has "Power"', questionnaire())
    >>> both.holds({"Q12": 6, "Q16": ("Security",)}), both.holds({"Q12": 6}), both.holds({"Q12": 1})
    (True, None, False)
    """
    return _Parser(source, questions, where).parse()
