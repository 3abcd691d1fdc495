"""From captions back to a person with a chat model, in any language (V22).

Two steps: captions -> elements, a few captions a call; then elements -> preferences and
summary. The elements must stand in their caption letter by letter, as everywhere; a
caption whose elements stay invalid keeps its caption and has none, and is told.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from pydantic import Field

from eyeprint.config import Settings
from eyeprint.models.kinds import Chat
from eyeprint.people.captions_in import CaptionIn
from eyeprint.people.chat_asking import (
    Checked,
    PersonAsker,
    StepDecoding,
    StepFault,
    Tally,
    all_of,
    render_prompt,
)
from eyeprint.people.chat_checks import ChatCaptionRules, check_list, verbatim_elements
from eyeprint.people.chat_schemas import ReadCaptionsAnswer, ReadTastesAnswer
from eyeprint.people.inverse import caption_notes, persona_record
from eyeprint.people.inverse_tastes import Evidence, TasteSettings
from eyeprint.records.people import CATEGORIES, Persona

Elements = dict[str, list[str]]


class ChatImportSettings(Settings):
    """How captions are read by a chat model."""

    captions_per_call: int = Field(default=5, ge=1)
    elements: ChatCaptionRules = ChatCaptionRules(min_elements=0)
    """Only the limits of elements count here: a caption that was given has no wrong length."""
    tastes: TasteSettings = TasteSettings()
    preferences_low: int = Field(default=15, ge=0)
    preferences_high: int = Field(default=20, ge=1)
    few_captions: int = Field(default=10, ge=0)
    """With fewer captions than this, any number of preferences is accepted."""
    phrases_shown: int = Field(default=40, ge=1)
    """Most phrases of one category that the second step sees, the most frequent ones."""
    attempts: int = Field(default=3, ge=1)
    reading: StepDecoding = StepDecoding(temperature=0.0, max_tokens=3072)
    telling: StepDecoding = StepDecoding(temperature=0.2, max_tokens=1024)


class ChatImported(NamedTuple):
    """A persona made from captions by a chat model, or the faults that prevented it."""

    person: Persona | None
    notes: tuple[str, ...]
    faults: tuple[StepFault, ...]


async def persona_by_chat(
    chat: Chat,
    person_id: str,
    captions: Sequence[CaptionIn],
    settings: ChatImportSettings | None = None,
    tally: Tally | None = None,
) -> ChatImported:
    """Return the persona that captions show, read by a chat model.

    Nothing about the person is inferred: demographics stay unset. A caption that could not
    be read is kept without elements and told; without preferences there is no persona.

    Raises:
        BudgetReached, StoreError: from a chat behind a ledger.
    """
    settings = settings or ChatImportSettings()
    step = PersonAsker(chat, person_id, settings.attempts, tally or Tally())
    size = settings.captions_per_call
    batches = [captions[i : i + size] for i in range(0, len(captions), size)]
    read = await all_of(
        _elements(step, settings, number, batch) for number, batch in enumerate(batches, 1)
    )
    elements = [found for batch in read for found in batch]
    unread = sum(found is None for found in elements)
    kept = [found or {} for found in elements]
    notes = list(caption_notes(captions, kept, unread)[1 if unread else 0 :])
    if unread:
        notes.insert(0, f"{unread} captions could not be read and are kept without elements")
    tastes = await _tastes(step, settings, kept)
    step.faults.sort(key=lambda fault: fault.step)
    if tastes is None:
        return ChatImported(None, tuple(notes), tuple(step.faults))
    preferences, summary = tastes
    evidence: list[Evidence] = []
    record = persona_record(person_id, captions, kept, evidence, settings.tastes)
    record["preferences"] = preferences
    record["summary"] = summary
    record["made_by"] = {"writer": chat.name, "settings": settings.fingerprint()}
    del record["preference_evidence"]  # a model's statements have no counts behind them
    return ChatImported(Persona.model_validate(record), tuple(notes), tuple(step.faults))


async def _elements(
    step: PersonAsker, settings: ChatImportSettings, number: int, batch: Sequence[CaptionIn]
) -> list[Elements | None]:
    """Return the elements of some captions, in their order; ``None`` where they stay invalid."""
    texts = [caption.text for caption in batch]

    def check(answer: ReadCaptionsAnswer) -> Checked[list[Elements]]:
        by_number = {found.number: found.elements for found in answer.captions}
        missing = [i for i in range(1, len(texts) + 1) if i not in by_number]
        if missing:
            told = ", ".join(map(str, missing))
            return Checked(None, fault=f"the elements of caption {told} are missing")
        found, repairs = [], []
        for i, text in enumerate(texts, start=1):
            elements, mended = verbatim_elements(by_number[i], text, settings.elements)
            asked_for = sum(map(len, by_number[i].values()))
            if asked_for and not elements:
                return Checked(
                    None,
                    fault=f"no phrase given for caption {i} stands in it letter by letter; "
                    "copy the phrases exactly",
                )
            found.append(elements)
            repairs += mended
        return Checked(found, tuple(repairs))

    facts = {
        "captions": texts,
        "most": settings.elements.per_category,
        "categories": CATEGORIES,
    }
    prompt = render_prompt("read_captions.j2", facts)
    name = f"elements {number:03d}"
    read = await step.ask(name, prompt, ReadCaptionsAnswer, check, settings.reading)
    return [None] * len(batch) if read is None else list(read)


async def _tastes(
    step: PersonAsker, settings: ChatImportSettings, elements: Sequence[Elements]
) -> tuple[tuple[str, ...], str] | None:
    """Return (preferences, summary) from the elements of all captions."""
    counts: dict[str, Counter[str]] = {}
    for post in elements:
        for category, phrases in post.items():
            counts.setdefault(category, Counter()).update({p.lower() for p in phrases})
    if not counts:
        step.give_up("preferences", "no caption has elements, so nothing can be said to recur")
        return None
    few = len(elements) < settings.few_captions
    facts = {
        "posts": len(elements),
        "elements": {c: counts[c].most_common(settings.phrases_shown) for c in counts},
        "low": settings.preferences_low,
        "high": settings.preferences_high,
        "few": few,
    }
    low = 1 if few else settings.preferences_low

    def check(answer: ReadTastesAnswer) -> Checked[tuple[tuple[str, ...], str]]:
        texts = [text.rstrip(".").removeprefix("This person ") for text in answer.preferences]
        listed = check_list(texts, low, settings.preferences_high, "preferences")
        if listed.value is None:
            return Checked(None, fault=listed.fault)
        return Checked((listed.value, answer.summary), listed.repairs)

    prompt = render_prompt("read_tastes.j2", facts)
    return await step.ask("preferences", prompt, ReadTastesAnswer, check, settings.telling)
