"""The OpenAI images protocol as pure functions: what is sent, and what an answer means.

One POST: JSON for a prompt alone, a form with files when reference pictures go with it;
one JSON object back, with the picture in base64 or behind a URL. ``painter_http.py`` does
the sending.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Collection
from typing import Any, Literal, NamedTuple
from urllib.parse import unquote_to_bytes

from eyeprint.models.chat_wire import MOST_TOKENS, Failure, clean_text
from eyeprint.models.kinds import PaintRequest, Usage

Fields = Literal["openai", "open"]
"""Which fields a server knows: OpenAI's own, or also those of open models."""
FILTER_CODES = frozenset({"moderation_blocked"})
"""Codes of refused pictures, beside those of chats (:mod:`eyeprint.models.chat_wire`)."""


class Form(NamedTuple):
    """One request: JSON, or a form when there are files."""

    path: str
    fields: dict[str, Any]
    files: tuple[tuple[str, bytes], ...] = ()
    """File names and bytes of PNG files, in the order of the references."""


class Link(NamedTuple):
    """A picture that the server keeps behind a URL."""

    url: str


class Answer(NamedTuple):
    """What a server sent: a picture's file, or where it is."""

    content: bytes | Link
    usage: Usage = Usage()
    note: str = ""
    served_model: str | None = None


def unmet(
    name: str, request: PaintRequest, way: str, ways: Collection[str], fields: Fields
) -> str | None:
    """Return what of a request cannot be honoured, or ``None``: it is never left out in silence.

    >>> unmet("m", PaintRequest("a door", steps=9), "text", {"text"}, "openai")
    'm cannot be told steps, which this run sets.'
    """
    if way not in ways:
        return f"{name} paints by {' and '.join(sorted(ways))}, not by '{way}'."
    if way == "edit" and not request.references:
        return f"{name} was asked to edit without a reference picture."
    if way == "text" and request.references:
        return f"{name} was given reference pictures for the way 'text', which takes none."
    if not request.prompt.strip():
        return f"{name} was given a blank prompt."
    if fields == "openai":
        wanted = {
            "a negative prompt": bool(request.negative.strip()),
            "steps": request.steps is not None,
            "guidance": request.guidance is not None,
        }
        told = " and ".join(what for what, is_set in wanted.items() if is_set)
        if told:
            return f"{name} cannot be told {told}, which this run sets."
    return None


def form_of(
    request: PaintRequest,
    way: str,
    model: str,
    fields: Fields,
    *,
    size: tuple[int | None, int | None] = (None, None),
    quality: str | None = None,
    response_format: str | None = None,
) -> Form:
    """Return what is sent for a request. A missing side of the size is taken as the other.

    >>> form_of(PaintRequest("a door", width=512), "text", "m", "openai").fields
    {'model': 'm', 'prompt': 'a door', 'n': 1, 'size': '512x512'}
    """
    body: dict[str, Any] = {"model": model, "prompt": clean_text(request.prompt), "n": 1}
    width, height = request.width or size[0], request.height or size[1]
    if width or height:
        body["size"] = f"{width or height}x{height or width}"
    if quality is not None:
        body["quality"] = quality
    if response_format is not None and not model.startswith(("gpt-image", "chatgpt-image")):
        body["response_format"] = response_format
    if fields == "open":
        extra = {
            "seed": request.seed % 2**31,
            "negative_prompt": clean_text(request.negative) or None,
            "steps": request.steps,
            "guidance_scale": request.guidance,
        }
        body |= {key: value for key, value in extra.items() if value is not None}
    if way != "edit":
        return Form("/images/generations", body)
    from eyeprint.models.pictures import png_bytes

    files = tuple(
        (f"reference-{place}.png", png_bytes(picture))
        for place, picture in enumerate(request.references, start=1)
    )
    return Form("/images/edits", body, files)


def read_answer(raw: bytes) -> Answer | Failure:
    """Return the picture in the body of a successful answer, or why there is none in it.

    >>> read_answer(b'{"data": [{"b64_json": "AAAA"}]}').content
    b'\\x00\\x00\\x00'
    """
    try:
        body = json.loads(raw)
        entry = body["data"][0]
        given = entry.get("b64_json"), entry.get("url")
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return _odd(f"is no list of pictures: {raw[:200]!r}")
    content = _content_of(*given)
    if content is None:
        return _odd(f"holds neither b64_json nor a URL that can be read: {raw[:200]!r}")
    revised, served = entry.get("revised_prompt"), body.get("model")
    note = f"the server's own prompt: {clean_text(revised)}" if isinstance(revised, str) else ""
    return Answer(
        content,
        _usage_of(body.get("usage")),
        note,
        clean_text(served) if isinstance(served, str) else None,
    )


def _odd(what: str) -> Failure:
    return Failure("bad_reply", f"The server's answer {what}", False, True)


def _content_of(in_base64: Any, url: Any) -> bytes | Link | None:
    if isinstance(in_base64, str) and in_base64:
        # Some servers send a data URL in this field.
        in_base64 = in_base64.partition("base64,")[2] or in_base64
        try:
            return base64.b64decode(in_base64, validate=True)
        except (binascii.Error, ValueError):
            return None
    if not isinstance(url, str):
        return None
    if url.startswith("data:"):
        head, _, data = url.partition(",")
        plain = unquote_to_bytes(data)
        try:
            return base64.b64decode(plain, validate=True) if head.endswith(";base64") else plain
        except (binascii.Error, ValueError):
            return None
    return Link(url) if url.startswith(("http://", "https://")) else None


def _usage_of(usage: Any) -> Usage:
    """Return the tokens that a server counted; image servers name them input and output."""

    def whole(*names: str) -> int | None:
        values = (usage.get(name) for name in names)
        return next(
            (
                value
                for value in values
                if isinstance(value, int)
                and not isinstance(value, bool)
                and 0 <= value < MOST_TOKENS
            ),
            None,
        )

    if not isinstance(usage, dict):
        return Usage()
    return Usage(
        input_tokens=whole("input_tokens", "prompt_tokens"),
        output_tokens=whole("output_tokens", "completion_tokens"),
    )


def refused_code(raw: bytes) -> bool:
    """Return whether an error body says that the picture was blocked by a filter.

    >>> refused_code(b'{"error": {"code": "moderation_blocked"}}')
    True
    """
    try:
        error = json.loads(raw)["error"]
        return isinstance(error, dict) and error.get("code") in FILTER_CODES
    except (ValueError, LookupError, TypeError, RecursionError):
        return False
