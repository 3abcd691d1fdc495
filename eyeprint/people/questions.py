"""The questionnaire as data: questions, options, and what an answer may be (P5–P14, P24).

Q1–Q18 and the upload Q19 stand in ``people/data/questionnaire.toml``. The paper names a
few options of each question; the lists are completed in its spirit. Option labels are
answers' values; an export may hold them coded ("A.Humanities"), in other words or in Chinese.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from string import ascii_uppercase
from typing import Any, Literal

from eyeprint.errors import DataError, UnknownName, shown
from eyeprint.people.tables import read_table, table_digest
from eyeprint.records.profiles import Answer, Profile

TABLE = "questionnaire.toml"
QuestionType = Literal["single", "multi", "rating", "upload"]
_CODED = re.compile(r"^([A-Za-z])\s*[.、．:：)）]\s*(.*)$", re.DOTALL)
_DASHES = str.maketrans(dict.fromkeys("‐‑‒–—―−－", "-"))
UNSEEN = str.maketrans(
    dict.fromkeys("\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\ufeff")
)
"""What marks without width become: web pages and joined files leave them within words."""


# A table of a hundred thousand rows says the same few words again and again.
@lru_cache(maxsize=1 << 14)
def plain(text: str) -> str:
    """Return a label as labels are compared: no case, quotes, kinds of dashes or extra spaces,
    and no marks that nobody sees.

    >>> plain(' “Cozy  / healing” Style '), plain("1–3 times & more")
    ('cozy/healing style', '1-3 times and more')
    """
    folded = unicodedata.normalize("NFKC", text).translate(UNSEEN).casefold().translate(_DASHES)
    folded = re.sub(r"[\"'“”‘’`]", "", folded).replace("&", " and ")
    return re.sub(r"\s*/\s*", "/", " ".join(folded.split()))


@dataclass(frozen=True)
class Option:
    """One option of a question, with the words that later stages may use."""

    code: str
    """A, B, C ... by place."""
    label: str
    names: frozenset[str]
    """Every wording that stands for it, as :func:`plain` writes it."""
    sampled: bool = True
    """Whether agents may choose it; people always may."""
    shift: Mapping[str, float] = field(default_factory=dict)
    """Visual property -> where it leans, in [-1, 1]: :mod:`eyeprint.people.aesthetic_priors`."""
    words: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Kind (styles, motifs, places, materials, colours, light) -> words."""

    @property
    def coded(self) -> str:
        """The option as exports of the template write it (P24): "A.Humanities"."""
        return f"{self.code}.{self.label}"


WORDING_EDGES = " \t\r\n.、,:：;-_|/*?？"
"""What may stand around a question's wording in a header."""
WORD_KINDS = ("styles", "motifs", "places", "materials", "colours", "light")


@dataclass(frozen=True)
class Question:
    """One question: its type, what it asks, and its options or range."""

    id: str
    key: str
    title: str
    """What the profile slot calls it (P40): "Living Space Style"."""
    text: str
    zh: str
    type: QuestionType
    group: Literal["explicit", "psychological"]
    """P13: Q1–Q9, Q17 are explicit, Q10–Q16, Q18 psychological."""
    options: tuple[Option, ...] = ()
    low: int = 0
    high: int = 0
    """Smallest and largest whole number of a rating."""
    low_means: str = ""
    high_means: str = ""
    most: int | None = None
    """Most options of a multiple question; ``None`` is all of them."""
    sizes: tuple[float, ...] = ()
    """Weights of 1, 2, 3 ... options when agents are sampled (P25)."""

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The options' labels, in order."""
        return tuple(option.label for option in self.options)

    @cached_property
    def by_label(self) -> dict[str, Option]:
        """Label -> option."""
        return {option.label: option for option in self.options}

    @cached_property
    def _by_name(self) -> dict[str, Option]:
        return {name: option for option in self.options for name in option.names}

    @cached_property
    def _by_code(self) -> dict[str, Option]:
        return {option.code: option for option in self.options}

    @property
    def allowed(self) -> str:
        """What an answer may be, in words."""
        if self.type == "rating":
            return f"a whole number from {self.low} to {self.high}"
        if self.type == "upload":
            return "paths of pictures, kept in the profile's uploads"
        names = ", ".join(self.labels)
        if self.type == "single":
            return f"one of: {names}"
        return f"1 to {self.most or len(self.options)} different ones of: {names}"

    def option(self, text: str, *, trust_codes: bool = False) -> Option | None:
        """Return the option that a text stands for, or ``None``.

        A label, another wording of it, its code, or both ("A.Humanities"): then the label
        counts, for codes follow the order of whoever made the export. With ``trust_codes`` the
        code counts where its label is unknown, as in an export in another language.

        >>> q = questionnaire()["Q1"]
        >>> q.option("F.Engineering").label, q.option("医学").label, q.option("A.Ingeniería")
        ('Engineering', 'Medicine', None)
        >>> q.option("B.Ingeniería", trust_codes=True).label, q.option("B").label
        ('Engineering', 'Engineering')
        """
        found = self._by_name.get(plain(text))
        if found is not None:
            return found
        stripped = unicodedata.normalize("NFKC", text).translate(UNSEEN).strip()
        if stripped in self._by_code:
            return self._by_code[stripped]
        coded = _CODED.match(stripped)
        if coded is None:
            return None
        named = self._by_name.get(plain(coded[2]))
        return self._by_code.get(coded[1].upper()) if named is None and trust_codes else named

    def fault_of(self, answer: Answer) -> str | None:
        """Return what is wrong with an answer, or ``None``.

        >>> questionnaire()["Q12"].fault_of(9)
        'Q12 (Open to New Experiences): 9 is not allowed; it takes a whole number from 1 to 7'
        """
        if self.type == "upload":
            wrong = True
        elif self.type == "rating":
            wrong = not isinstance(answer, int) or isinstance(answer, bool)
            wrong = wrong or not self.low <= int(answer) <= self.high  # type: ignore[arg-type]
        elif self.type == "single":
            wrong = not isinstance(answer, str) or answer not in self.by_label
        else:
            return self._fault_of_many(answer)
        return self._told(shown(repr(answer))) if wrong else None

    def _fault_of_many(self, answer: Answer) -> str | None:
        if not isinstance(answer, tuple):
            return self._told(shown(repr(answer)))
        unknown = [label for label in answer if label not in self.by_label]
        if unknown:
            return self._told(", ".join(shown(repr(label)) for label in unknown[:5]))
        if len(set(answer)) != len(answer):
            return self._told("the same option twice")
        if not 1 <= len(answer) <= (self.most or len(self.options)):
            return self._told(f"a choice of {len(answer)}")
        return None

    def _told(self, what: str) -> str:
        return f"{self.id} ({self.title}): {what} is not allowed; it takes {self.allowed}"


@dataclass(frozen=True)
class Questionnaire:
    """All questions in order; index by id or by key ("major")."""

    questions: tuple[Question, ...]
    fingerprint: str
    """SHA-256 of the table, for manifests."""

    @cached_property
    def _by_id(self) -> dict[str, Question]:
        return {q.id: q for q in self.questions} | {q.key: q for q in self.questions}

    def __getitem__(self, name: str) -> Question:
        if name not in self._by_id:
            raise UnknownName("question", name, [q.id for q in self.questions])
        return self._by_id[name]

    def __contains__(self, name: object) -> bool:
        return name in self._by_id

    @cached_property
    def by_wording(self) -> dict[str, Question]:
        """Wording, title, key or Chinese wording, as :func:`plain` writes them -> question."""
        return {
            plain(name).strip(WORDING_EDGES): question
            for question in self.questions
            for name in (question.text, question.title, question.key, question.zh)
            if name
        }

    @cached_property
    def asked(self) -> tuple[Question, ...]:
        """Q1–Q18: the questions with answers, without the upload."""
        return tuple(q for q in self.questions if q.type != "upload")

    def faults_of(self, answers: Mapping[str, Answer], *, partial: bool = False) -> tuple[str, ...]:
        """Return every fault of some answers: question, value, and what is allowed.

        Args:
            answers: by question id.
            partial: whether questions may be left out.

        >>> questionnaire().faults_of({"Q99": 1, "Q11": 3}, partial=True)
        ("there is no question 'Q99'; it goes from Q1 to Q18",)
        """
        ids = {question.id for question in self.asked}
        faults = [
            f"there is no question {shown(name)!r}; it goes from {self.asked[0].id} to "
            f"{self.asked[-1].id}"
            for name in answers
            if name not in ids and name != "Q19"
        ]
        for question in self.questions:
            if question.id in answers:
                fault = question.fault_of(answers[question.id])
                faults += [fault] if fault else []
            elif not partial and question.type != "upload":
                faults.append(
                    f"{question.id} ({question.title}): no answer; it takes {question.allowed}"
                )
        return tuple(faults)

    def checked(self, profile: Profile, *, partial: bool = False) -> Profile:
        """Return the profile when its answers are right.

        Raises:
            DataError: every fault is named in one message.
        """
        faults = self.faults_of(profile.answers, partial=partial)
        if faults:
            raise DataError(f"profile {shown(profile.id)}: " + "; ".join(faults))
        return profile


def _option(code: str, row: Mapping[str, Any]) -> Option:
    names = {
        plain(name) for name in (row["label"], row.get("zh", ""), *row.get("also", ())) if name
    }
    return Option(
        code=code,
        label=row["label"],
        names=frozenset(names),
        sampled=row.get("sampled", True),
        shift=dict(row.get("shift", {})),
        words={kind: tuple(row[kind]) for kind in WORD_KINDS if kind in row},
    )


def questions_of(rows: Iterable[Mapping[str, Any]]) -> tuple[Question, ...]:
    """Return questions from the rows of a table.

    Raises:
        DataError: two options of one question answer to the same name.
    """
    questions = []
    for row in rows:
        options = tuple(
            _option(code, option)
            for code, option in zip(ascii_uppercase, row.get("options", ()), strict=False)
        )
        names = [name for option in options for name in option.names]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice or len(options) != len(row.get("options", ())):
            raise DataError(f"{row['id']}: two options are called {', '.join(twice)}")
        plain_fields = {k: v for k, v in row.items() if k not in ("options", "sizes")}
        sizes = tuple(float(weight) for weight in row.get("sizes", ()))
        questions.append(Question(options=options, sizes=sizes, **plain_fields))
    return tuple(questions)


@cache
def questionnaire() -> Questionnaire:
    """Return the questionnaire that comes with the package.

    >>> [q.id for q in questionnaire().asked][-1], questionnaire()["mbti"].id
    ('Q18', 'Q10')
    """
    return Questionnaire(questions_of(read_table(TABLE)["question"]), table_digest(TABLE))
