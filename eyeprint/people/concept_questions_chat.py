"""Questions about concepts, drafted by a model that sees the picture (M16–M19).

A Coherency draft comes in labelled fields, so that the mix of F.4 (one right option, one that
fits the concept only, two that fit the picture only) can be enforced: a draft without it is
asked for again, and what is wrong in the end stands beside it as an issue.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel, Field

from eyeprint.config import Settings
from eyeprint.models.kinds import Chat, ChatRequest, Message
from eyeprint.models.pictures import image_part
from eyeprint.people.chat_asking import Checked, StepDecoding, Tally, ask, render_prompt
from eyeprint.people.concept_asking import call_failed
from eyeprint.people.concept_descriptions_chat import WHAT
from eyeprint.people.concept_drafts import QuestionDraft, drafted
from eyeprint.people.concept_issues import form_issues, mix_issues, text_issues
from eyeprint.people.concept_items import QuestionItem
from eyeprint.records.concept_masking import masked
from eyeprint.records.concepts import Concept
from eyeprint.records.pictures import Picture

_ENDS = " \t\n."


class QuestionSettings(Settings):
    """How questions are asked for."""

    references_shown: int = Field(default=2, ge=0)
    """Reference pictures shown before the picture to ask about, so that the drafter knows <sks>."""
    max_side: int = Field(default=768, ge=32)
    """Longest side of a picture that is sent."""
    attempts: int = Field(default=3, ge=1)
    """Most replies for one question."""
    yes_no_by_model: bool = False
    """Whether yes/no questions are drafted by the model too; otherwise templates give them."""
    decoding: StepDecoding = StepDecoding(temperature=0.7, max_tokens=512)


class CoherencyAnswer(BaseModel):
    """What the model is to give for a question with options."""

    question: str = Field(min_length=1)
    right: str
    concept_only: str
    image_only: list[str]


class YesNoAnswer(BaseModel):
    """What the model is to give for a yes/no question."""

    question: str = Field(min_length=1)


def question_request(
    item: QuestionItem,
    concept: Concept,
    picture: Picture,
    references: Sequence[Picture] = (),
    settings: QuestionSettings | None = None,
) -> ChatRequest:
    """Return the request that opens the asking; the concept's name is in none of it."""
    settings = settings or QuestionSettings()
    shown = references[: settings.references_shown]
    facts: dict[str, Any] = {
        "references": len(shown),
        "what": WHAT[concept.category],
        "description": concept.description("moderate") or concept.description("simple"),
        "preference": concept.preference if item.group == "preference" else "",
        "type": item.type,
        "group": item.group,
        "topic": masked(item.topic, concept.name, concept.category),
        "target": "dislike" if item.target == "dislike" else "like",
        "entities": item.entities or "",
        "negated": bool(item.negated),
    }
    parts = [image_part(one, settings.max_side) for one in (*shown, picture)]
    return ChatRequest(
        messages=(
            Message(role="system", text=render_prompt("concept_system.j2")),
            Message.of("user", render_prompt("concept_question.j2", facts), *parts),
        ),
        json_mode=True,
        **settings.decoding.model_dump(),
    )


async def question_by_chat(
    chat: Chat,
    item: QuestionItem,
    concept: Concept,
    picture: Picture,
    references: Sequence[Picture] = (),
    settings: QuestionSettings | None = None,
    tally: Tally | None = None,
) -> QuestionDraft:
    """Return a model's draft of one question; with issues where it stayed wrong.

    Raises:
        CallFailed: no reply held a draft; ``kind`` says why: refused, empty, truncated,
            invalid, or the call's own kind of failure.
        BudgetReached, StoreError: from a chat behind a ledger.
    """
    settings = settings or QuestionSettings()
    seen: list[QuestionDraft] = []

    def clean(text: str) -> str:
        return masked(" ".join(text.split()), concept.name, concept.category)

    def settled(draft: QuestionDraft) -> Checked[QuestionDraft]:
        draft = draft.model_copy(update={"asked_again": bool(seen)})
        seen.append(draft)
        if draft.issues:
            return Checked(None, fault="; ".join(issue.detail for issue in draft.issues))
        return Checked(draft)

    def coherency(answer: CoherencyAnswer) -> Checked[QuestionDraft]:
        question = clean(answer.question)
        right, only = clean(answer.right).rstrip(_ENDS), clean(answer.concept_only).rstrip(_ENDS)
        image_only = tuple(clean(text).rstrip(_ENDS) for text in answer.image_only)
        issues = text_issues(question, (), concept.name, concept.category)
        issues += mix_issues(right, only, image_only)
        return settled(
            drafted(
                item, question, chat.name, right=right, concept_only=only,
                image_only=tuple(text for text in image_only if text), issues=tuple(issues),
            )
        )  # fmt: skip

    def yes_no(answer: YesNoAnswer) -> Checked[QuestionDraft]:
        question = clean(answer.question)
        issues = text_issues(question, (), concept.name, concept.category)
        issues += form_issues(question, item.negated)
        return settled(drafted(item, question, chat.name, issues=tuple(issues)))

    asking: dict[str, Any] = {
        "decoding": settings.decoding,
        "attempts": settings.attempts,
        "tally": tally or Tally(),
        "first": question_request(item, concept, picture, references, settings),
    }
    if item.type == "coherency":
        asked = await ask(chat, item.id, "question", "", CoherencyAnswer, coherency, **asking)
    else:
        asked = await ask(chat, item.id, "question", "", YesNoAnswer, yes_no, **asking)
    if asked.value is not None:
        return asked.value
    fault = asked.fault
    if seen and not (fault is not None and fault.call_failed):
        return min(seen, key=lambda draft: len(draft.issues))
    raise call_failed(chat.name, "drafted no question", fault)
