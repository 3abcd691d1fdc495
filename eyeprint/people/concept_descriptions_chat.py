"""Descriptions of a concept at four levels, drafted by a model that sees its pictures (M7).

One request with the reference pictures gives all four. A draft with a wrong shape, a name or no
<sks> is asked for again with its fault told; what stays wrong is kept and told to humans, as
what may hold for one picture only always is.
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
from eyeprint.people.concept_description_checks import (
    KEYWORDS,
    DescriptionIssue,
    description_issues,
)
from eyeprint.people.concept_descriptions import DraftedDescriptions
from eyeprint.people.concept_sources import ConceptSource
from eyeprint.records.concept_masking import masked, names_in
from eyeprint.records.concepts import SKS, ConceptCategory, Level
from eyeprint.records.pictures import Picture

_ASKED_AGAIN = frozenset({"missing", "no_sks", "name_leak", "shape"})
"""Faults that a model is told of; the others are for humans."""
WHAT: dict[ConceptCategory, str] = {
    "human": "a person",
    "animal": "an animal",
    "object": "a thing that belongs to somebody",
    "character": "a drawn or made-up character",
}
LASTING: dict[ConceptCategory, str] = {
    "human": "hair, face, build, marks, things that are always worn",
    "animal": "kind, size, fur or feathers, markings, face, ears, tail, a collar",
    "object": "kind, shape, size, colours, material, parts, patterns, wear, writing on it",
    "character": "kind, shape, colours, face, costume, things it always carries",
}


class DescriptionSettings(Settings):
    """How descriptions are asked for."""

    max_side: int = Field(default=768, ge=32)
    """Longest side of a reference picture that is sent."""
    attempts: int = Field(default=3, ge=1)
    """Most replies for one concept."""
    moderate_low: int = Field(default=15, ge=3)
    moderate_high: int = Field(default=35, ge=3)
    detailed_low: int = Field(default=60, ge=5)
    detailed_high: int = Field(default=120, ge=5)
    decoding: StepDecoding = StepDecoding(temperature=0.2, max_tokens=1536)


class _Paragraph(BaseModel):
    heading: str = ""
    text: str = Field(min_length=1)


class DescriptionsAnswer(BaseModel):
    """What the model is to give."""

    simple: list[str]
    moderate: str
    detailed: str
    extended: list[_Paragraph]

    def descriptions(self, name: str, category: str) -> dict[Level, str]:
        """Return the four texts, with names masked and <sks> before the keywords."""
        keywords = [_plain(word).strip(" .,:;") for word in self.simple]
        keywords = [word.replace(SKS, "").strip(" .,:;") for word in keywords]
        paragraphs = [
            f"{_plain(part.heading).rstrip(':')}: {_plain(part.text)}"
            if part.heading.strip()
            else _plain(part.text)
            for part in self.extended
        ]
        texts: dict[Level, str] = {
            "simple": f"{SKS}: {', '.join(filter(None, keywords))}",
            "moderate": _plain(self.moderate),
            "detailed": _plain(self.detailed),
            "extended": "\n\n".join(paragraphs),
        }
        return {level: masked(text, name, category) for level, text in texts.items()}


def _plain(text: str) -> str:
    return " ".join(text.split())


def descriptions_request(
    concept: ConceptSource,
    pictures: Sequence[Picture],
    settings: DescriptionSettings | None = None,
) -> ChatRequest:
    """Return the request that opens the asking, pictures included; the name is in none of it."""
    settings = settings or DescriptionSettings()
    facts: dict[str, Any] = {
        "pictures": len(pictures),
        "what": WHAT[concept.category],
        "kind": masked(concept.kind, concept.name, concept.category),
        "notes": masked(concept.notes, concept.name, concept.category),
        "lasting": LASTING[concept.category],
        "leave_out": ", clothes that change" if concept.category == "human" else "",
        **settings.model_dump(include={"moderate_low", "moderate_high", "detailed_low",
                                       "detailed_high"}),
    }  # fmt: skip
    parts = [image_part(picture, settings.max_side) for picture in pictures]
    return ChatRequest(
        messages=(
            Message(role="system", text=render_prompt("concept_system.j2")),
            Message.of("user", render_prompt("concept_descriptions.j2", facts), *parts),
        ),
        json_mode=True,
        **settings.decoding.model_dump(),
    )


async def describe_by_chat(
    chat: Chat,
    concept: ConceptSource,
    pictures: Sequence[Picture],
    settings: DescriptionSettings | None = None,
    tally: Tally | None = None,
) -> DraftedDescriptions:
    """Return a concept's descriptions as a model sees it.

    Raises:
        CallFailed: no reply held descriptions; ``kind`` says why: refused, empty, truncated,
            invalid, or the call's own kind of failure.
        BudgetReached, StoreError: from a chat behind a ledger.
    """
    settings = settings or DescriptionSettings()
    last: list[tuple[dict[Level, str], tuple[DescriptionIssue, ...]]] = []
    names: list[str] = []

    def check(answer: DescriptionsAnswer) -> Checked[dict[Level, str]]:
        raw = " ".join([*answer.simple, answer.moderate, answer.detailed,
                        *(part.heading + " " + part.text for part in answer.extended)])  # fmt: skip
        names.extend(names_in(raw, concept.name, concept.category))
        texts = answer.descriptions(concept.name, concept.category)
        issues = description_issues(texts, concept.name, concept.category)
        last.append((texts, issues))
        wrong = [f"{i.level}: {i.detail}" for i in issues if i.fault in _ASKED_AGAIN]
        if len(answer.simple) != KEYWORDS and not any(told.startswith("simple") for told in wrong):
            wrong.append(f"simple: give exactly {KEYWORDS} keywords")
        return Checked(None, fault="; ".join(wrong)) if wrong else Checked(texts)

    asked = await ask(
        chat, concept.name, "descriptions", "", DescriptionsAnswer, check,
        decoding=settings.decoding, attempts=settings.attempts, tally=tally or Tally(),
        first=descriptions_request(concept, pictures, settings),
    )  # fmt: skip
    fault = asked.fault
    if fault is not None and (fault.call_failed or not last):
        raise call_failed(chat.name, "wrote no descriptions of it", fault)
    # The draft with the fewest faults: asking again may also have made it worse.
    texts, issues = last[-1] if fault is None else min(last, key=lambda draft: len(draft[1]))
    told = (f"the drafter used a name, now masked: {', '.join(dict.fromkeys(names))}",)
    return DraftedDescriptions(
        concept=concept.name,
        descriptions=texts,
        drafter=chat.name,
        issues=issues,
        asked_again=len(last) > 1,
        notes=told if names else (),
    )
