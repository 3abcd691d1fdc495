"""From material to a prompt: plain text, or a chat model under a word limit (V36–V38, V45).

The plain writer concatenates, deterministically: query, sentence about the person,
elements, captions, in that order, within ``word_limit`` words. It is the "simple text
concatenation" of the paper and an honest lower bound, not a language model.

A chat model gets the same material in a request made from the .j2 files under
``methods/prompts``; its reply is read back by :func:`read_reply`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from eyeprint.methods.setting import PHRASES_WHEN_BUDGETED, MethodModels, MethodSettings
from eyeprint.models.kinds import ChatRequest, Message, Reply
from eyeprint.models.prompt_files import filled_prompt
from eyeprint.records.people import Persona
from eyeprint.records.work import Draft, Material

PLAIN = "plain"
PROMPTS = Path(__file__).parent / "prompts"
CLAUSE = re.compile(r"[.;:,!?。、，；！？।]+\s*")
SENTENCE = re.compile(r"(?<=[.!?。！？।])\s+")
REASONING = re.compile(r"<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL | re.IGNORECASE)
LABEL = re.compile(
    r"^(?:\*\*)?(?:rewritten |personali[sz]ed |final |new )?(?:prompt|instruction)"
    r"(?:\*\*)?\s*:\s*(?:\*\*)?",
    re.IGNORECASE,
)
QUOTES = {'"': '"', "'": "'", "“": "”", "«": "»", "`": "`"}


def write_plain(
    material: Material, person: Persona, settings: MethodSettings, models: MethodModels
) -> Draft:
    """Return the prompt by concatenation; no model but the encoders is asked.

    In the three-phrase mode every method but Baseline adds exactly three phrases (or as
    many as the person has): VPRAG its elements; Persona Only place, occupation and the
    interest nearest to the query; BRAG the three clauses, among those of its three nearest
    captions, that are nearest to the query; Comb. VPRAG's first two and BRAG's first.
    """
    if settings.mode == "three_phrases" and material.method != "baseline":
        phrases = _three_phrases(material, person, models)
        query = material.query.text.strip().rstrip(".")
        text = f"{query}: {', '.join(phrases)}." if phrases else _ended(material.query.text)
        cut = 0
    else:
        text, cut = _concatenated(material, settings)
    return draft_of(material, PLAIN, text, cut)


def _with_phrases(text: str, material: Material, phrases: list[str]) -> str:
    """Phrases are verbatim ("behind the kiln", "fills the yard"): a list suits them all."""
    if not phrases:
        return text
    lead = "Add: " if material.query.kind == "editing" else "Details: "
    return f"{text} {lead}{', '.join(phrases)}."


def _concatenated(material: Material, settings: MethodSettings) -> tuple[str, int]:
    """Query, about, as many elements as fit, then caption words up to the limit."""
    if not (material.elements or material.captions or material.about):
        return material.query.text, 0  # Baseline: the raw query, untouched (V42)
    # The query is never cut, however long: what does not fit beside it is left out.
    limit = settings.word_limit
    text, cut = _ended(material.query.text), 0
    if _count(text) + _count(material.about) <= limit:
        text = f"{text} {material.about}".strip()
    else:
        cut += _count(material.about)
    if material.elements:
        share = settings.comb_element_share if material.captions else 1.0
        kept, left_out = _fitting(material, int(limit * share) - _count(text) - 1)
        text = _with_phrases(text, material, kept)
        cut += left_out
    if material.captions:
        words = [word for caption in material.captions for word in caption.split()]
        fitting = words[: max(0, limit - _count(text))]
        # Only the caption that the limit falls into counts as cut: the others were
        # never meant to be pasted whole.
        cut += _rest_of_caption(material.captions, len(fitting))
        text = " ".join([text, *fitting])
    return text, cut


def _fitting(material: Material, room: int) -> tuple[list[str], int]:
    """Return the first elements that fit in ``room`` words, and the words of the others."""
    kept: list[str] = []
    for element in material.elements:
        size = _count(element.text)
        if size > room:
            break
        kept.append(element.text)
        room -= size
    return kept, sum(_count(element.text) for element in material.elements[len(kept) :])


def _rest_of_caption(captions: tuple[str, ...], taken: int) -> int:
    for caption in captions:
        size = _count(caption)
        if taken < size:
            return size - taken if taken else 0
        taken -= size
        if not taken:
            return 0
    return 0


def _three_phrases(material: Material, person: Persona, models: MethodModels) -> list[str]:
    elements = [element.text for element in material.elements[:PHRASES_WHEN_BUDGETED]]
    if material.captions:
        clauses = _nearest(material, _clauses(material.captions), models)
        # Comb.: one clause in the place of the last element, so that both have their say.
        kept = elements[: PHRASES_WHEN_BUDGETED - 1]
        return kept + clauses[: PHRASES_WHEN_BUDGETED - len(kept)]
    if elements:
        return elements
    who = person.demographics
    place = ", ".join(part for part in (who.city, who.country) if part)
    interest = _nearest(material, list(who.interests), models)[:1]
    phrases = [phrase for phrase in (place, who.occupation, *interest) if phrase]
    return phrases[:PHRASES_WHEN_BUDGETED]


def _clauses(captions: tuple[str, ...]) -> list[str]:
    """Clauses of three to twelve words of the nearest captions; whole captions if none has any.

    The nearest captions are enough to look through: encoding the clauses of thousands of
    captions for three phrases would be waste.
    """
    found = [
        clause.strip()
        for caption in captions[:PHRASES_WHEN_BUDGETED]
        for clause in CLAUSE.split(caption)
        if 3 <= _count(clause) <= 12
    ]
    return found or list(captions[:PHRASES_WHEN_BUDGETED])


def _nearest(material: Material, phrases: list[str], models: MethodModels) -> list[str]:
    distinct = list(dict.fromkeys(phrases))
    if not distinct:
        return []
    close = models.element.encode(distinct) @ models.query_element_vector(material.query.text)
    order = sorted(range(len(distinct)), key=lambda i: -float(close[i]))
    return [distinct[i] for i in order[:PHRASES_WHEN_BUDGETED]]


def _ended(text: str) -> str:
    text = text.strip()
    return text if not text or text[-1] in ".!?。！？।" else text + "."


def _count(text: str) -> int:
    return len(text.split())


def draft_of(material: Material, writer: str, prompt: str, words_cut: int = 0) -> Draft:
    """Return a finished draft of this material."""
    return Draft(
        person_id=material.person_id,
        query_id=material.query.id,
        method=material.method,
        writer=writer,
        prompt=prompt,
        elements=material.elements,
        words_cut=words_cut,
    )


def request_for(
    material: Material, settings: MethodSettings, decoding: Mapping[str, Any] | None = None
) -> ChatRequest | None:
    """Return what to ask a chat model, or ``None`` for Baseline, which nobody rewrites (V42).

    ``decoding`` holds temperature, top_p, max_tokens and seed (V46).
    """
    if material.method == "baseline":
        return None
    facts = {
        "query": material.query.text,
        "editing": material.query.kind == "editing",
        "about": material.about,
        "captions": material.captions,
        "elements": _by_category(material),
        "three": settings.mode == "three_phrases",
        "phrases": PHRASES_WHEN_BUDGETED,
        "words": settings.word_limit,
    }
    return ChatRequest(
        messages=(
            Message(role="system", text=filled_prompt(PROMPTS / "system.j2", facts)),
            Message(role="user", text=filled_prompt(PROMPTS / "user.j2", facts)),
        ),
        **(decoding or {}),
    )


def _by_category(material: Material) -> dict[str, list[str]]:
    grouped: dict[str, list[str]] = {}
    for element in material.elements:
        grouped.setdefault(element.category, []).append(element.text)
    return grouped


def read_reply(material: Material, writer: str, reply: Reply, settings: MethodSettings) -> Draft:
    """Return the draft that a reply holds, or one without a prompt that says why.

    Reasoning blocks, a code fence, a label such as "Prompt:" and quotation marks around the
    whole are taken off. A prompt over the word limit is cut after its last whole sentence
    within the limit, or at the limit, and the words cut are counted.
    """
    if reply.outcome != "answered":
        return _without_prompt(material, writer, reply.outcome, reply.detail)
    text = prompt_in(reply.text)
    if not text:
        return _without_prompt(material, writer, "empty", "the reply holds no prompt")
    kept, cut = within_words(text, settings.word_limit)
    return draft_of(material, writer, kept, cut)


def within_words(text: str, limit: int) -> tuple[str, int]:
    """Return the text up to its last whole sentence within ``limit`` words, and the words cut.

    Where the first sentence is longer, the cut falls at the limit.

    >>> within_words("A red door. A blue one.", 3)
    ('A red door.', 3)
    """
    words = text.split()
    if len(words) <= limit:
        return text, 0
    kept = ""
    for sentence in SENTENCE.split(text):
        longer = f"{kept} {sentence}".strip()
        if _count(longer) > limit:
            break
        kept = longer
    kept = kept or " ".join(words[:limit])
    return kept, len(words) - _count(kept)


def _without_prompt(material: Material, writer: str, fault: str, detail: str) -> Draft:
    return Draft(
        person_id=material.person_id,
        query_id=material.query.id,
        method=material.method,
        writer=writer,
        prompt=None,
        fault=fault,
        detail=detail[:500],
        elements=material.elements,
    )


def prompt_in(text: str) -> str:
    """Return the prompt inside a chat model's reply.

    >>> prompt_in('<think>hm</think>Prompt: "A red door."')
    'A red door.'
    """
    text = REASONING.sub("", text)
    lowered = text.lower()
    if "</think" in lowered:  # some servers send only the closing tag
        text = re.split(r"</think(?:ing)?>", text, flags=re.IGNORECASE)[-1]
    elif "<think" in lowered:  # never closed: all of it is reasoning
        return ""
    text = text.strip()
    if text.startswith("```") and text.endswith("```") and len(text) > 6:
        text = text[3:-3]
        first, _, rest = text.partition("\n")
        text = (rest if rest and " " not in first.strip() else text).strip()
    text = LABEL.sub("", text).strip()
    while len(text) > 1 and QUOTES.get(text[0]) == text[-1] and text[0] not in text[1:-1]:
        text = text[1:-1].strip()
    return " ".join(text.split())
