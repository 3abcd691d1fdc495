"""Profiles of real people from a survey export (P13, P15, P24).

Every row that is left out is told with line, column and reason; what may identify a person
is never stored: profiles get research ids of our making, and only answers are kept.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from pydantic import Field

from eyeprint.config import Settings
from eyeprint.errors import BadRecord, DataError
from eyeprint.people.questionnaire import Question, Questionnaire, profile_text, questionnaire
from eyeprint.people.questions import UNSEEN
from eyeprint.people.survey_cells import CellFault, CellSettings, Read, answer_of, seconds_of
from eyeprint.people.survey_columns import Column, DroppedColumn, columns_of
from eyeprint.people.survey_table import TableRow, open_table, rows_of
from eyeprint.people.survey_uploads import UploadPlace, uploads_of
from eyeprint.records.profiles import Answer, Profile

Reason = Literal["unreadable", "too fast", "no consent", "duplicate"]
PERSONAL_ID = re.compile(r"@|^\+?[\d\s()-]{7,}$|^\d{1,3}(\.\d{1,3}){3}$|\s|^[\u4e00-\u9fff·]{2,6}$")


class SurveySettings(Settings):
    """How an export is read, and which rows count."""

    min_seconds: float = Field(default=60, ge=0)
    """Rows that took less are left out, where a column tells it; the paper has no number (P15)."""
    require_consent: bool = False
    """Whether a file without a column of consent is refused. Where there is one, rows without
    consent are always left out."""
    duplicates: Literal["drop", "keep"] = "drop"
    """Whether a row with the very answers of an earlier one is left out."""
    partial: bool = False
    """Whether rows with unanswered questions are kept."""
    trust_codes: bool = False
    """Whether "B.Ingeniería" counts as option B although its label is unknown."""
    id_prefix: str = Field(default="person-", pattern=r"^[A-Za-z0-9_-]*$")
    """Research ids are this and the number of the row."""
    id_column: str = ""
    """A column of research ids to be kept; values that look like e-mails, phones, names or
    addresses are refused."""
    duration_column: str = ""
    """Name of the column of seconds; found by its name when empty."""
    consent_column: str = ""
    """Name of the column of consent; found by its name when empty."""
    encoding: str = ""
    """Found out when empty: UTF-8 with or without mark, UTF-16 with one, GB18030."""
    separator: str = ""
    """Found out from the header when empty."""
    texts: bool = True
    """Whether each profile carries its standard text (P21)."""
    cells: CellSettings = CellSettings()
    """Words for ticked, not ticked, consent and no answer."""


@dataclass(frozen=True)
class SurveyImport:
    """What an export held."""

    profiles: tuple[Profile, ...]
    faults: tuple[BadRecord, ...]
    """Why rows were left out; a row may have several."""
    dropped_columns: tuple[DroppedColumn, ...]
    """Columns of which nothing was stored, and why."""
    notes: tuple[str, ...]
    """What is to be known of rows that were kept, and of the file."""
    uploads: tuple[UploadPlace, ...]
    """Where the pictures that people gave belong, told without their names."""
    missing_questions: tuple[str, ...]
    """Questions that have no column."""
    rows: int
    """Rows of data that were found."""
    left_out: Mapping[Reason, int]
    """Reason -> rows; with the profiles they sum to ``rows``."""
    encoding: str
    separator: str

    def told(self) -> Iterator[str]:
        """Yield the lines that a person reads, without the faults."""
        yield f"{len(self.profiles)} profiles of {self.rows} rows ({self.encoding})"
        for reason, number in self.left_out.items():
            if number:
                yield f"left out, {reason}: {number}"
        if self.missing_questions:
            yield f"no column for: {', '.join(self.missing_questions)}"
        for column in self.dropped_columns:
            yield f"not stored: column {column.header!r} ({column.why})"
        for upload in self.uploads:
            yield f"upload, {upload}"


@dataclass
class _State:
    profiles: list[Profile] = field(default_factory=list)
    faults: list[BadRecord] = field(default_factory=list)
    notes: Counter[str] = field(default_factory=Counter)
    uploads: list[UploadPlace] = field(default_factory=list)
    left_out: Counter[Reason] = field(default_factory=Counter)
    seen: dict[tuple[object, ...], int] = field(default_factory=dict)
    ids: dict[str, int] = field(default_factory=dict)
    rows: int = 0


class _Reader:
    """Turns rows into profiles, by the columns that were found."""

    def __init__(
        self, file: str, columns: Sequence[Column], asked: Questionnaire, settings: SurveySettings
    ) -> None:
        self.file, self.columns, self.settings = file, columns, settings
        self.by_question: dict[str, list[Column]] = {}
        for column in columns:
            if column.role == "answer" and column.question is not None:
                self.by_question.setdefault(column.question.id, []).append(column)
        self.questions: list[Question] = [q for q in asked.asked if q.id in self.by_question]
        self.missing = tuple(q.id for q in asked.asked if q.id not in self.by_question)
        self.state = _State()

    def _first(self, role: str) -> Column | None:
        return next((column for column in self.columns if column.role == role), None)

    def _leave_out(self, reason: Reason, faults: Sequence[BadRecord]) -> None:
        self.state.left_out[reason] += 1
        self.state.faults += faults

    def see(self, row: TableRow) -> None:
        """Take one row in, or leave it out and say why."""
        self.state.rows += 1
        if len(row.cells) > len(self.columns):
            extra = row.cells[len(self.columns) :]
            if any(cell.strip() for cell in extra):
                reason = f"has {len(row.cells)} cells where the header has {len(self.columns)}"
                self._leave_out("unreadable", [BadRecord(self.file, row.line, "", reason)])
                return
        cells = row.cells + ("",) * (len(self.columns) - len(row.cells))
        for reason, fault in self._screened(row.line, cells):
            self._leave_out(reason, [fault])
            return
        answers, faults = self._answers(row.line, cells)
        person_id, id_fault = self._id(row.line, cells)
        if id_fault is not None:
            faults.append(id_fault)
        if not answers and not faults:
            faults.append(BadRecord(self.file, row.line, "", "holds no answer"))
        if faults:
            self._leave_out("unreadable", faults)
            return
        uploads = uploads_of(row.line, self.columns, cells, person_id, self.settings.cells)
        key = (*sorted(answers.items()), uploads.names)
        if key in self.state.seen and self.settings.duplicates == "drop":
            reason = f"gives the same answers as line {self.state.seen[key]}"
            self._leave_out("duplicate", [BadRecord(self.file, row.line, "", reason)])
            return
        self.state.seen.setdefault(key, row.line)
        self.state.ids[person_id] = row.line
        self.state.notes.update(uploads.notes)
        self.state.uploads += uploads.places
        places = tuple(upload.place for upload in uploads.places)
        profile = Profile(id=person_id, kind="person", answers=answers, uploads=places)
        if self.settings.texts:
            profile = profile.model_copy(update={"text": profile_text(profile)})
        self.state.profiles.append(profile)

    def _screened(self, line: int, cells: Sequence[str]) -> Iterator[tuple[Reason, BadRecord]]:
        consent = self._first("consent")
        words = self.settings.cells
        if consent is not None and not words.consents(cells[consent.place]):
            reason = "does not say that the person consented"
            yield "no consent", BadRecord(self.file, line, consent.header, reason)
        duration = self._first("duration")
        if duration is None or not self.settings.min_seconds:
            return
        seconds = seconds_of(cells[duration.place])
        if seconds is None:
            self.state.notes[f"{duration.header}: no time that can be read; the row is kept"] += 1
        elif seconds < self.settings.min_seconds:
            reason = f"took {seconds:g} s, less than {self.settings.min_seconds:g} s"
            yield "too fast", BadRecord(self.file, line, duration.header, reason)

    def _answers(
        self, line: int, cells: Sequence[str]
    ) -> tuple[dict[str, Answer], list[BadRecord]]:
        answers: dict[str, Answer] = {}
        faults: list[BadRecord] = []
        for question in self.questions:
            columns = self.by_question[question.id]
            read: Read = answer_of(
                question,
                [(column.option, column.header, cells[column.place]) for column in columns],
                self.settings.cells,
                trust_codes=self.settings.trust_codes,
            )
            for note in read.notes:
                self.state.notes[f"{question.id}: {note}"] += 1
            if isinstance(read.value, CellFault):
                faults.append(BadRecord(self.file, line, read.value.column, read.value.reason))
            elif read.value is not None:
                answers[question.id] = read.value
            elif not self.settings.partial:
                reason = f"no answer; {question.id} takes {question.allowed}"
                faults.append(BadRecord(self.file, line, columns[0].header, reason))
        return answers, faults

    def _id(self, line: int, cells: Sequence[str]) -> tuple[str, BadRecord | None]:
        column = self._first("id")
        if column is None:
            return f"{self.settings.id_prefix}{self.state.rows:04d}", None
        value = unicodedata.normalize("NFKC", cells[column.place]).strip()
        fault = ""
        if not value:
            fault = "holds no research id"
        elif PERSONAL_ID.search(value):
            # The value itself is not told: it may be what must not be told.
            fault = "looks like an e-mail, phone, name or address, not like a research id"
        elif value in self.state.ids:
            fault = f"is the research id of line {self.state.ids[value]} too"
        return value, BadRecord(self.file, line, column.header, fault) if fault else None


def read_survey(path: str | Path, settings: SurveySettings | None = None) -> SurveyImport:
    """Read a survey export: one column per single or rating question, one per option of a
    multiple one (or one with all options, divided by a bar, semicolon or line end).

    Args:
        path: a text table; encoding and separator are found out.
        settings: see :class:`SurveySettings`.

    Raises:
        DataError: it cannot be read at all, or no column belongs to any question.
    """
    chosen = settings or SurveySettings()
    table = open_table(Path(path), chosen.encoding, chosen.separator)
    asked = questionnaire()
    rows = rows_of(table)
    head = next(rows, None)
    if not isinstance(head, TableRow):
        raise head or DataError(f"{path}: holds no header.")
    columns = columns_of(
        [header.translate(UNSEEN).strip() for header in head.cells],
        asked,
        str(path),
        id_column=chosen.id_column,
        duration_column=chosen.duration_column,
        consent_column=chosen.consent_column,
    )
    if chosen.require_consent and not any(column.role == "consent" for column in columns):
        raise DataError(f"{path}: has no column of consent; name it with consent_column.")
    reader = _Reader(str(path), columns, asked, chosen)
    for row in rows:
        if isinstance(row, BadRecord):
            reader.state.rows += 1
            reader.state.left_out["unreadable"] += 1
            reader.state.faults.append(row)
        else:
            reader.see(row)
    state = reader.state
    reasons: tuple[Reason, ...] = ("unreadable", "too fast", "no consent", "duplicate")
    return SurveyImport(
        profiles=tuple(state.profiles),
        faults=tuple(state.faults),
        dropped_columns=tuple(
            DroppedColumn(column.header, column.why)
            for column in columns
            if column.role == "dropped"
        ),
        notes=(
            *([table.note] if table.note else []),
            *_repeated(columns),
            *_without_columns(columns, asked),
            *(f"{n} × {note}" for note, n in state.notes.items()),
        ),
        uploads=tuple(state.uploads),
        missing_questions=reader.missing,
        rows=state.rows,
        left_out={reason: state.left_out[reason] for reason in reasons},
        encoding=table.encoding,
        separator=table.separator,
    )


def _repeated(columns: Sequence[Column]) -> Iterator[str]:
    seen: dict[tuple[str, str], Column] = {}
    for column in columns:
        if column.role != "answer" or column.question is None:
            continue
        key = (column.question.id, column.option.label if column.option else "")
        if key in seen:
            told = " ".join(part for part in key if part)
            yield (
                f"columns {seen[key].place + 1} and {column.place + 1} both hold {told}; rows in "
                "which they differ are left out"
            )
        seen.setdefault(key, column)


def _without_columns(columns: Sequence[Column], asked: Questionnaire) -> Iterator[str]:
    """Tell of multiple questions that have columns for some options only."""
    for question in asked.asked:
        mine = [c for c in columns if c.role == "answer" and c.question is question]
        if question.type != "multi" or not mine or any(c.option is None for c in mine):
            continue
        had = {c.option.label for c in mine if c.option is not None}
        lacking = [label for label in question.labels if label not in had]
        if lacking:
            yield (
                f"{question.id} has no column for {', '.join(lacking)}: nobody can have chosen "
                f"{'it' if len(lacking) == 1 else 'them'}"
            )
