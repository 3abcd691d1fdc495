"""Three models look for faults in every question; what two of them find goes to people (M19).

A model is shown what an assistant would be told, the picture, question and answer, and names
faults from :data:`eyeprint.people.concept_issues.ISSUES`. A fault that enough models name is
forwarded; one that a single model names is counted and not forwarded.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from pydantic import BaseModel, Field

from eyeprint.config import Settings
from eyeprint.errors import UsageError, shown
from eyeprint.models.kinds import Chat, ChatRequest, Message
from eyeprint.models.pictures import image_part
from eyeprint.people.chat_asking import Checked, StepDecoding, Tally, ask, render_prompt
from eyeprint.people.concept_asking import call_failed
from eyeprint.people.concept_descriptions_chat import WHAT
from eyeprint.people.concept_issues import ISSUES
from eyeprint.records.concept_questions import ConceptQuestion
from eyeprint.records.concepts import Concept
from eyeprint.records.people import Texts
from eyeprint.records.pictures import Picture
from eyeprint.records.work import Work

FEWEST = 2
"""Models that are needed for two to agree."""
LONGEST_NOTE = 300


class CheckSettings(Settings):
    """How questions are checked by models."""

    threshold: int = Field(default=2, ge=1)
    """Models that must name the same fault for it to be forwarded."""
    max_side: int = Field(default=768, ge=32)
    """Longest side of a picture that is sent."""
    attempts: int = Field(default=2, ge=1)
    """Most replies for one question and model."""
    decoding: StepDecoding = StepDecoding(temperature=0.0, max_tokens=300)


class CheckRow(Work):
    """What one model found in one question; a row of the build."""

    question: str
    checker: str
    issues: Texts = ()
    note: str = ""


class Flags(Work):
    """What came of all models that looked at one question."""

    question: str
    checkers: int
    """Models that answered."""
    forwarded: Texts = ()
    """Faults that enough of them named."""
    single: Texts = ()
    """Faults that too few named."""
    notes: Texts = ()
    """What those that named a forwarded fault wrote."""


class CheckAnswer(BaseModel):
    """What a checking model is to give."""

    issues: list[str]
    note: str = ""


def check_checkers(names: Sequence[str], settings: CheckSettings | None = None) -> None:
    """Refuse a set of checking models that cannot flag anything as the paper does.

    Raises:
        UsageError: one model, the same twice, or fewer than the threshold.
    """
    settings = settings or CheckSettings()
    twice = next((name for name in names if list(names).count(name) > 1), None)
    if twice is not None:
        raise UsageError(
            f"--checker {shown(twice)} is given twice: the same model twice is one opinion. Name "
            "different models."
        )
    least = max(FEWEST, settings.threshold)
    if names and len(names) < least:
        raise UsageError(
            f"{len(names)} --checker is given, and a fault is forwarded when {settings.threshold} "
            f"models name it: give {least} or more (the paper has three), or none."
        )


def check_request(
    question: ConceptQuestion,
    concept: Concept,
    picture: Picture,
    settings: CheckSettings | None = None,
) -> ChatRequest:
    """Return the request that one model is asked; all models are asked the same."""
    settings = settings or CheckSettings()
    facts: dict[str, Any] = {
        "what": WHAT[concept.category],
        "description": concept.description("moderate") or concept.description("simple"),
        "preference": concept.preference,
        "question": question.question,
        "options": question.options,
        "answer": question.answer,
        "concept_only": question.concept_only,
        "topic": question.topic if question.group == "preference" else "",
        "target": question.target if question.target in ("like", "dislike") else "",
        "type": question.type,
        "group": question.group,
        "issues": ISSUES,
    }
    return ChatRequest(
        messages=(
            Message(role="system", text=render_prompt("concept_system.j2")),
            Message.of(
                "user", render_prompt("concept_check.j2", facts),
                image_part(picture, settings.max_side),
            ),
        ),
        json_mode=True,
        **settings.decoding.model_dump(),
    )  # fmt: skip


async def check_by_chat(
    chat: Chat,
    question: ConceptQuestion,
    concept: Concept,
    picture: Picture,
    settings: CheckSettings | None = None,
    tally: Tally | None = None,
) -> CheckRow:
    """Return what one model finds in one question.

    Raises:
        CallFailed: no usable reply came; ``kind`` says why.
        BudgetReached, StoreError: from a chat behind a ledger.
    """
    settings = settings or CheckSettings()

    def known(answer: CheckAnswer) -> Checked[CheckRow]:
        found = [issue.strip().casefold().replace(" ", "_") for issue in answer.issues]
        # "none" is how some models write an empty list.
        found = [issue for issue in found if issue not in ("", "none")]
        strange = [issue for issue in found if issue not in ISSUES]
        if strange:
            told = f"'{shown(strange[0])}' is no id of the list; use the ids as they are given"
            return Checked(None, fault=told)
        issues = tuple(issue for issue in ISSUES if issue in found)
        note = " ".join(answer.note.split())[:LONGEST_NOTE]
        return Checked(CheckRow(question=question.id, checker=chat.name, issues=issues, note=note))

    asked = await ask(
        chat, question.id, "check", "", CheckAnswer, known,
        decoding=settings.decoding, attempts=settings.attempts, tally=tally or Tally(),
        first=check_request(question, concept, picture, settings),
    )  # fmt: skip
    if asked.value is not None:
        return asked.value
    raise call_failed(chat.name, "did not check the question", asked.fault)


def flags_of(rows: Iterable[CheckRow], threshold: int = FEWEST) -> dict[str, Flags]:
    """Return question -> what is forwarded; questions that nobody checked are left out.

    >>> rows = [CheckRow(question="q", checker="a", issues=("grammar",), note="Is are."),
    ...         CheckRow(question="q", checker="b", issues=("grammar", "ambiguous")),
    ...         CheckRow(question="q", checker="c")]
    >>> flags_of(rows)["q"].forwarded, flags_of(rows)["q"].single
    (('grammar',), ('ambiguous',))
    """
    by_question: dict[str, list[CheckRow]] = {}
    for row in rows:
        by_question.setdefault(row.question, []).append(row)
    found = {}
    for name, opinions in by_question.items():
        counts = Counter(issue for row in opinions for issue in dict.fromkeys(row.issues))
        forwarded = tuple(issue for issue in ISSUES if counts[issue] >= threshold)
        single = tuple(issue for issue in ISSUES if 0 < counts[issue] < threshold)
        notes = tuple(
            f"{row.checker}: {row.note}"
            for row in opinions
            if row.note and set(row.issues) & set(forwarded)
        )
        found[name] = Flags(
            question=name, checkers=len(opinions), forwarded=forwarded, single=single, notes=notes
        )
    return found
