"""VLM fusion: a model looks at the references and enriches the request (P62).

q(X, {I_k}) writes a prompt, p(Y | q) paints it. Any chat model that sees pictures can
write; without one, the offline fusion reads palette, light and composition from the
references' pixels and names what most of them share.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from eyeprint.methods.compose import prompt_in, within_words
from eyeprint.methods.picture_setting import PictureMethodSettings, PictureModels
from eyeprint.models.kinds import ChatRequest, Message, Reply
from eyeprint.models.pictures import image_part
from eyeprint.models.prompt_files import filled_prompt
from eyeprint.models.reading_words import joined
from eyeprint.records.cases import PaintPlan, PictureAsk
from eyeprint.records.pictures import Picture

PROMPTS = Path(__file__).parent / "prompts"


async def fusion(
    ask: PictureAsk, settings: PictureMethodSettings, models: PictureModels
) -> PaintPlan:
    """Return the request enriched by what the references share; painted from text alone."""
    if models.chat is None:
        text, notes = fused_offline(ask.prompt, ask.references, settings)
        return PaintPlan(
            case_id=ask.case_id, method="fusion", writer=models.writer, prompt=text, notes=notes
        )
    reply = await models.chat.reply(fusion_request(ask, settings))
    return plan_of_reply(ask, "fusion", models.writer, reply, settings)


def fusion_request(ask: PictureAsk, settings: PictureMethodSettings) -> ChatRequest:
    """Return what the VLM is asked: the references, then the request."""
    parts = [image_part(picture, settings.picture_side) for picture in ask.references]
    return ChatRequest(
        messages=(
            Message(
                role="system",
                text=filled_prompt(PROMPTS / "fusion_system.j2", {"words": settings.word_limit}),
            ),
            Message.of("user", *parts, f"Request to enrich:\n{ask.prompt}"),
        ),
        temperature=settings.temperature,
        max_tokens=settings.max_tokens,
    )


def caption_request(picture: Picture, settings: PictureMethodSettings) -> ChatRequest:
    """Return what a VLM is asked for a picture's caption."""
    return ChatRequest(
        messages=(
            Message(role="system", text=filled_prompt(PROMPTS / "caption_system.j2", {})),
            Message.of(
                "user", image_part(picture, settings.picture_side), "Describe this picture."
            ),
        ),
        temperature=settings.temperature,
        max_tokens=settings.max_tokens,
    )


def plan_of_reply(
    ask: PictureAsk, method: str, writer: str, reply: Reply, settings: PictureMethodSettings
) -> PaintPlan:
    """Return the plan that a VLM's reply holds, or one without a prompt that says why."""
    text = prompt_in(reply.text) if reply.outcome == "answered" else ""
    if not text:
        fault: str = "empty" if reply.outcome == "answered" else reply.outcome
        if fault == "failed" and reply.failure:
            fault = reply.failure
        detail = reply.detail or f"the reply of {writer} is {fault}"
        return PaintPlan(
            case_id=ask.case_id,
            method=method,
            writer=writer,
            prompt=None,
            fault=fault,
            detail=detail[:500],
        )
    kept, cut = within_words(text, settings.word_limit)
    notes = (f"{cut} words over the limit were cut",) if cut else ()
    return PaintPlan(case_id=ask.case_id, method=method, writer=writer, prompt=kept, notes=notes)


def fused_offline(
    prompt: str, references: Sequence[Picture], settings: PictureMethodSettings
) -> tuple[str, tuple[str, ...]]:
    """Return the request with the look that the references share, and notes.

    Palette: the three colour names of the largest mean share over the references. Other
    words (light, tone, contrast, horizon, composition, surface): those that at least
    ``agreement`` of the references show, the commonest first, ties by the alphabet; at most
    ``offline_words`` words and colours together.
    """
    from eyeprint.models.picture_reading import read_picture

    shares: dict[str, float] = {}
    counts: Counter[str] = Counter()
    for picture in references:
        reading = read_picture(picture)
        for colour in reading.colours:
            shares[colour.name] = shares.get(colour.name, 0.0) + colour.share
        # The first phrase is the palette, which hardly two pictures share word for word.
        counts.update(reading.words()[1:])
    room = settings.offline_words
    colours = sorted(shares, key=lambda name: (-round(shares[name], 6), name))[: min(3, room)]
    needed = settings.agreement * len(references)
    often = sorted(counts, key=lambda word: (-counts[word], word))
    shared = [word for word in often if counts[word] >= needed]
    looks = [f"{joined(colours)} palette", *shared[: max(0, room - len(colours))]]
    notes = () if shared else ("the references share a palette and nothing else that was read",)
    return f"{prompt.strip().rstrip('.')}, {', '.join(looks)}.", notes
