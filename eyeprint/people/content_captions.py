"""The short prompt X of a case: from the picture's own prompt, or by a chat model (P44).

Offline, X is the content of the prompt that the picture was painted from; a picture
without one can only be told by its layout. A chat model that sees pictures names the
content itself; words of style in its reply are counted, the model is asked once more, and
what then remains is taken out.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import NamedTuple

from pydantic import BaseModel, Field

from eyeprint.config import Settings
from eyeprint.errors import CallFailed
from eyeprint.models.json_replies import read_json
from eyeprint.models.kinds import Chat, ChatRequest, Message, Reply
from eyeprint.models.picture_reading import PictureReading, read_picture
from eyeprint.models.pictures import image_part
from eyeprint.models.refusals import find_refusal
from eyeprint.people.chat_asking import StepDecoding, next_request, render_prompt
from eyeprint.people.content_words import content_of, style_words_in, without_style
from eyeprint.records.pictures import Picture

PROMPT, LAYOUT = "prompt", "layout"
"""Sources of offline captions: the picture's prompt; its pixels."""
_BUSY = 0.35
_BARE = re.compile(r"^[\"'“”‘’\s]*(?:(?:caption|short prompt)\s*:\s*[\"'“”‘’\s]*)?", re.IGNORECASE)
"""What some models write before a caption: quotation marks, and what it is."""
_ENDS = ".\"'“”‘’ "


class CaptionSettings(Settings):
    """Lengths, and how a chat model is asked."""

    least_words: int = Field(default=3, ge=1)
    most_words: int = Field(default=12, ge=3)
    attempts: int = Field(default=2, ge=1)
    """Replies that are asked for at most: the second is told what was wrong with the first."""
    max_side: int = Field(default=768, ge=32)
    """Longer side of the picture that is sent."""
    decoding: StepDecoding = StepDecoding(temperature=0.0, max_tokens=200)


class ContentCaption(NamedTuple):
    """X, where it came from, and the words of style that were in the way."""

    text: str
    source: str
    """``prompt``, ``layout``, or the chat model's name."""
    style_words: tuple[str, ...] = ()
    """Left out of the prompt, or found in a reply."""
    asked_again: bool = False
    taken_out: bool = False
    """Whether words of style were still in the last reply, and were taken out here."""


def caption_offline(
    picture: Picture | None,
    prompt: str = "",
    subject: str = "",
    setting: str = "",
    settings: CaptionSettings | None = None,
) -> ContentCaption:
    """Return X from a picture's prompt, or from its layout where there is no usable prompt.

    >>> caption_offline(None, "A moody photograph of a fox beside a lake, film grain").text
    'a fox beside a lake'
    """
    settings = settings or CaptionSettings()
    if prompt.strip() or subject.strip():
        found = content_of(prompt, subject, setting, settings.most_words)
        if not found.text:
            found = without_style(prompt, settings.most_words)
        if found.text:
            return ContentCaption(found.text, PROMPT, found.left_out)
    if picture is None:
        return ContentCaption("a picture", LAYOUT)
    return ContentCaption(layout_in_words(read_picture(picture)), LAYOUT)


def layout_in_words(reading: PictureReading) -> str:
    """Return what pixels alone say of a picture's content: its layout.

    >>> import numpy as np
    >>> layout_in_words(read_picture(Picture.of(np.zeros((8, 8, 3), np.uint8))))
    'an even surface'
    """
    if reading.horizon is not None:
        place = "high" if reading.horizon < 0.4 else "low" if reading.horizon > 0.6 else "level"
        return f"a view with a {place} horizon"
    if reading.busyness >= _BUSY:
        return "many small things close together"
    if reading.contrast < 0.05:
        return "an even surface"
    return "one large thing in the middle" if reading.symmetry > 0.6 else "a few large things"


class _Answer(BaseModel):
    caption: str = Field(min_length=1)


async def caption_by_chat(
    chat: Chat, picture: Picture, settings: CaptionSettings | None = None
) -> ContentCaption:
    """Return X as a chat model sees it; it is shown the picture and nothing else.

    Raises:
        CallFailed: no usable reply came; ``kind`` says why: refused, empty, truncated,
            invalid, or the call's own kind of failure.
        BudgetReached, StoreError: from a chat behind a ledger.
    """
    settings = settings or CaptionSettings()
    request = first = caption_request(picture, settings)
    fault, kind = "", "invalid"
    found: list[str] = []
    for attempt in range(1, settings.attempts + 1):
        reply = await chat.reply(request)
        if reply.outcome == "failed":
            raise CallFailed(reply.failure or "failed", reply.detail or "the call failed")
        if reply.outcome != "answered":
            fault, kind = f"it was {reply.outcome}", reply.outcome
            request = first  # nothing to show the model; the ledger keeps no such reply
            continue
        if find_refusal(reply.text) is not None and read_json(reply.text, _Answer).fault:
            fault, kind = "it declines", "refused"
            request = first
            continue
        text, fault = _read(reply, settings)
        kind = "invalid"
        words = style_words_in(text)
        found += [word for word in words if word not in found]
        if text and not fault and not words:
            return ContentCaption(text, chat.name, tuple(found), attempt > 1)
        if words and not fault:
            fault = f"it tells how the picture looks ({', '.join(words)}); name only what is there"
        if attempt < settings.attempts:
            request = next_request(first, reply, fault, settings.decoding, attempt + 1)
            continue
        rest = without_style(text, settings.most_words).text
        if rest:
            return ContentCaption(rest, chat.name, tuple(found), attempt > 1, bool(words))
    raise CallFailed(kind, f"{chat.name} wrote no short prompt of the target: {fault}")


def caption_request(picture: Picture, settings: CaptionSettings) -> ChatRequest:
    """Return the request that opens the asking."""
    facts = {"least": settings.least_words, "most": settings.most_words}
    part = image_part(picture, settings.max_side)
    return ChatRequest(
        messages=(Message.of("user", render_prompt("case_caption.j2", facts), part),),
        json_mode=True,
        **settings.decoding.model_dump(),
    )


def _read(reply: Reply, settings: CaptionSettings) -> tuple[str, str]:
    """Return (the caption, what is wrong with it)."""
    reading = read_json(reply.text, _Answer)
    if reading.fault is not None:
        return "", f"not the JSON object that was asked for ({reading.fault})"
    text = _BARE.sub("", " ".join(reading.value.caption.split())).rstrip(_ENDS)
    count = len(text.split())
    if count > settings.most_words:
        return text, f"{count} words; {settings.most_words} at most"
    if count < settings.least_words:
        return text, f"{count} words; {settings.least_words} at least"
    return text, ""


class CaptionCounts(NamedTuple):
    """What a build's captions took, for its report."""

    sources: dict[str, int]
    asked_again: int
    taken_out: int
    style_words: dict[str, int]
    """The commonest words of style that were found, at most ten."""


def count_captions(captions: list[ContentCaption]) -> CaptionCounts:
    """Return the counts of some captions.

    >>> count_captions([caption_offline(None, "a red kite")]).style_words
    {'red': 1}
    """
    words = Counter(word for caption in captions for word in caption.style_words)
    return CaptionCounts(
        dict(sorted(Counter(caption.source for caption in captions).items())),
        sum(caption.asked_again for caption in captions),
        sum(caption.taken_out for caption in captions),
        dict(words.most_common(10)),
    )
