"""Raw answers read: rows of ``answers.jsonl`` and grades become :class:`ConceptAnswer` rows.

Reading is apart from asking, and needs the run's folder alone: neither data nor models. So a
better reader needs no call (``eyeprint reread``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple, TypeVar

from pydantic import ValidationError

from eyeprint.errors import BadRecord, DataError, shown
from eyeprint.models.kinds import Outcome, Reply, Usage
from eyeprint.protocols.mmpb_ask import RawAnswer, answer_key, key_parts
from eyeprint.records.concept_questions import AnswerOutcome, ConceptAnswer, ConceptQuestion
from eyeprint.records.json_lines import read_json_lines
from eyeprint.records.work import Work
from eyeprint.scores.answer_reading import ReadAnswer, read_answer
from eyeprint.store.shards import ShardTable

ANSWERS, GRADES, QUESTIONS = "answers", "grades", "questions.jsonl"
GRADER_RULE = "grader"
Row = TypeVar("Row", bound=Work)


def read_row(kind: type[Row], line: str, path: Path, number: int) -> Row:
    """Return the row of one line of a run's file.

    Raises:
        DataError: the line is cut or of another kind.
    """
    try:
        return kind.model_validate_json(line)
    except ValidationError as error:
        raise DataError(
            f"{path}:{number}: is cut or damaged. Run the same `eyeprint run mmpb` command again: "
            "it makes the file anew from what is kept."
        ) from error


def need_file(path: Path) -> Path:
    """Return a file of a run when it is there.

    Raises:
        DataError: it is not.
    """
    if not path.exists():
        raise DataError(f"{path}: is not there. Run the same `eyeprint run mmpb` command again.")
    return path


class Grade(Work):
    """What a grader made of one free answer."""

    choice: str | None = None
    detail: str = ""
    graded: bool = True
    """Whether the grader said anything that could be read."""


class Kept(NamedTuple):
    """A question that was asked, with what came back."""

    question: ConceptQuestion
    raw: RawAnswer

    @property
    def key(self) -> str:
        """The item's name."""
        return answer_key(self.raw.model, self.raw.setting, self.raw.question)


def kept_questions(folder: Path) -> dict[str, ConceptQuestion]:
    """Return the questions that lie beside a run, by id.

    Raises:
        DataError: the file is missing or damaged.
    """
    path = need_file(folder / QUESTIONS)
    found: dict[str, ConceptQuestion] = {}
    for line, value in read_json_lines(path):
        if isinstance(value, BadRecord):
            reason = f"{value.reason}. Run the same `eyeprint run mmpb` command again"
            raise BadRecord(str(path), line, "", reason)
        try:
            question = ConceptQuestion.model_validate(value)
        except ValidationError as error:
            reason = "is no question. Run the same `eyeprint run mmpb` command again"
            raise BadRecord(str(path), line, "", reason) from error
        found[question.id] = question
    return found


def kept_answers(table: ShardTable, questions: Mapping[str, ConceptQuestion]) -> Iterator[Kept]:
    """Yield all that was asked with what came back, in the order of asking; nothing is held.

    A call that failed stands in its place, with its reason.

    Raises:
        DataError: the table is missing, damaged, or of other questions.
    """
    failed = {failure.place: failure for failure in table.failures()}
    place = number = 0
    path = need_file(table.merged_path)
    with path.open(encoding="utf-8", newline="\n") as lines:
        while True:
            failure = failed.get(place)
            if failure is not None:
                model, setting, question = key_parts(failure.key)
                detail = f"{failure.kind}: {failure.detail}"
                raw = RawAnswer(
                    model=model, setting=setting, question=question, outcome="failed", detail=detail
                )
            else:
                line = lines.readline()
                if not line:
                    return
                number += 1
                raw = read_row(RawAnswer, line, path, number)
            if raw.question not in questions:
                raise DataError(
                    f"{path}: answers question '{shown(raw.question)}', which {QUESTIONS} beside "
                    "it lacks. Run the same `eyeprint run mmpb` command again."
                )
            place += 1
            yield Kept(questions[raw.question], raw)


def reply_of(raw: RawAnswer) -> Reply:
    """Return a raw answer as the reply that it was."""
    outcome: Outcome = raw.outcome  # type: ignore[assignment]
    return Reply(
        text=raw.text,
        outcome=outcome,
        finish_reason=raw.finish_reason,
        detail=raw.detail,
        usage=Usage(input_tokens=raw.input_tokens, output_tokens=raw.output_tokens),
    )


def concept_answer(kept: Kept, grade: Grade | None) -> ConceptAnswer:
    """Return the row of one answer: read, graded, or said why not."""
    question, raw = kept
    read = read_answer(reply_of(raw), question)
    if grade is not None and read.outcome in ("answered", "unread"):
        # What nobody graded was answered all the same: it is no fault of the model's.
        outcome: AnswerOutcome = "unread" if grade.graded else "failed"
        outcome = "answered" if grade.choice is not None else outcome
        rule = GRADER_RULE if grade.choice else ""
        read = ReadAnswer(outcome, grade.choice, rule, (), read.refusal, grade.detail)
    return ConceptAnswer(
        question=question.id,
        concept=question.concept,
        category=question.category,
        type=question.type,
        group=question.group,
        topic=question.topic,
        target=question.target,
        entities=question.entities,
        negated=question.negated,
        chance=question.chance,
        concept_only=question.concept_only,
        model=raw.model,
        setting=raw.setting,
        key=question.answer,
        outcome=read.outcome,
        said=read.said,
        right=read.outcome == "answered" and read.said == question.answer,
        rule=read.rule,
        alternatives=read.alternatives,
        refusal=read.refusal,
        reply=raw.text,
        detail=read.detail,
        input_tokens=raw.input_tokens,
        output_tokens=raw.output_tokens,
        cost_usd=raw.cost_usd,
        dialogue_tokens=raw.dialogue_tokens,
        shared_tokens=raw.shared_tokens,
        prompt_tokens=raw.prompt_tokens,
    )


def concept_answers(folder: Path) -> Iterator[ConceptAnswer]:
    """Yield a row for everything that a run asked, from its folder alone.

    Raises:
        DataError: a file of the run is missing or damaged.
    """
    grades = kept_grades(folder)
    for kept in kept_answers(ShardTable(folder, ANSWERS), kept_questions(folder)):
        yield concept_answer(kept, grades.get(kept.key))


def kept_grades(folder: Path) -> dict[str, Grade]:
    """Return key -> grade, of a run that a chat model graded; empty otherwise.

    A free answer whose grading failed counts as a failed call, rather than as read by another
    rule than its neighbours.
    """
    if not (folder / GRADES).is_dir():
        return {}
    table = ShardTable(folder, GRADES)
    found: dict[str, Grade] = {}
    if table.merged_path.exists():
        for _, value in read_json_lines(table.merged_path):
            if isinstance(value, BadRecord):
                raise value
            found[value["key"]] = Grade(
                choice=value["choice"], detail=value["detail"], graded=value["graded"]
            )
    for failure in table.failures():
        found[failure.key] = Grade(
            detail=f"not graded: {failure.kind} {failure.detail}", graded=False
        )
    return found
