"""The OpenAI chat protocol from the server's side, as pure functions (CHECKLIST X1).

``chat_wire.py`` writes requests and reads answers; here requests are read and answers
written, so that a chat of ours stands behind the protocol and a chat of ours in front of it
sees the same messages: texts, order of pictures, and pixels. What a request asks for and is
not offered is refused by name, never ignored: a setting that silently did nothing would be
measured as if it had.
"""

from __future__ import annotations

import base64
import binascii
import json
import math
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple
from urllib.parse import unquote_to_bytes

from eyeprint.errors import UnreadablePicture, shown
from eyeprint.models.chat_wire import clean_text
from eyeprint.models.kinds import ChatRequest, ImagePart, Message, Reply, Usage
from eyeprint.models.pictures import GateSettings, image_part, open_picture
from eyeprint.models.refusals import find_refusal

_ROLES: dict[Any, Literal["system", "user", "assistant"]] = {
    "system": "system",
    "developer": "system",  # the newer name of the same role
    "user": "user",
    "assistant": "assistant",
}
MOST_STOPS = 16
"""Most stop texts of a request."""

_READ = frozenset(
    {
        "model",
        "messages",
        "temperature",
        "top_p",
        "max_tokens",
        "max_completion_tokens",
        "seed",
        "stop",
        "response_format",
    }
)
_OF_NO_EFFECT = frozenset({"user", "metadata", "store", "service_tier", "stream_options"})
"""What says nothing about the reply, and may be passed over."""
_ONLY_AS: dict[str, tuple[Any, ...]] = {
    "stream": (False,),
    "n": (1,),
    "logprobs": (False,),
    "presence_penalty": (0,),
    "frequency_penalty": (0,),
    "tools": ([],),
    "logit_bias": ({},),
}
"""Parameters that are taken where they ask for nothing."""
_STATUS = {
    "timeout": 408,
    "connection": 502,
    "rate_limit": 429,
    "server_error": 500,
    "bad_request": 400,
    "authentication": 401,
    "not_found": 404,
    "bad_reply": 502,
}


class BadRequest(Exception):
    """A request cannot be answered as it is; becomes an answer with a status of 4xx."""

    def __init__(
        self, message: str, param: str | None = None, status: int = 400, code: str | None = None
    ) -> None:
        super().__init__(message)
        self.message, self.param, self.status, self.code = message, param, status, code


class Answer(NamedTuple):
    """What goes back: a status, and the JSON of the body."""

    status: int
    body: dict[str, Any]


def error_answer(
    status: int,
    message: str,
    kind: str = "invalid_request_error",
    param: str | None = None,
    code: str | None = None,
) -> Answer:
    """Return an error in the protocol's shape.

    >>> error_answer(404, "no such path").body["error"]["message"]
    'no such path'
    """
    error = {"message": message, "type": kind, "param": param, "code": code}
    return Answer(status, {"error": error})


def read_request(
    raw: bytes, names: tuple[str, ...], gate: GateSettings | None = None
) -> ChatRequest:
    """Return the request in a body; its pictures have passed the gate.

    Args:
        raw: the body's bytes.
        names: what the served model may be called; any other name is refused.
        gate: limits on pictures.

    Raises:
        BadRequest: the body is no request, or asks for what is not offered.

    >>> body = b'{"model": "m", "messages": [{"role": "user", "content": "Hi"}]}'
    >>> read_request(body, ("m",)).messages[0].text
    'Hi'
    """
    try:
        body = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise BadRequest(f"The body is no JSON ({shown(str(error))}).") from error
    if not isinstance(body, dict):
        raise BadRequest("The body must be a JSON object with model and messages.")
    # Told by every client library, and meant as absent.
    given = {name: value for name, value in body.items() if value is not None}
    _check_model(given.get("model"), names)
    _check_offered(given)
    messages = given.get("messages")
    if not isinstance(messages, list) or not messages:
        raise BadRequest("messages must be a list of at least one message.", "messages")
    return ChatRequest(
        messages=tuple(_message(each, f"messages[{i}]", gate) for i, each in enumerate(messages)),
        temperature=_number(given, "temperature", 0, math.inf),
        top_p=_number(given, "top_p", 0, 1),
        max_tokens=_most_tokens(given),
        seed=_whole(given, "seed", -(1 << 63), (1 << 63) - 1),
        stop=_stops(given.get("stop", ())),
        json_mode=_json_mode(given.get("response_format")),
    )


def _check_model(model: Any, names: tuple[str, ...]) -> None:
    if not isinstance(model, str):
        raise BadRequest("model must be the name of the served model.", "model")
    if model not in names:
        raise BadRequest(
            f"The model '{shown(model)}' is not served here; '{names[0]}' is.",
            "model",
            404,
            "model_not_found",
        )


def _check_offered(given: Mapping[str, Any]) -> None:
    for name, value in given.items():
        if name in _READ or name in _OF_NO_EFFECT:
            continue
        if any(value == harmless for harmless in _ONLY_AS.get(name, ())):
            continue
        told = " Ask without stream: replies come whole." if name == "stream" else ""
        raise BadRequest(f"{shown(name)} is not offered by this server.{told}", shown(name))


def _message(given: Any, where: str, gate: GateSettings | None) -> Message:
    if not isinstance(given, dict):
        raise BadRequest(f"{where} must be an object with role and content.", where)
    told = given.get("role")
    role = _ROLES.get(told) if isinstance(told, str) else None
    if role is None:
        raise BadRequest(
            f"{where}.role must be one of {', '.join(_ROLES)}, not {shown(repr(told))}.",
            f"{where}.role",
        )
    content = given.get("content")
    if isinstance(content, str):
        return Message(role=role, text=clean_text(content))
    if not isinstance(content, list) or not content:
        raise BadRequest(f"{where}.content must be a text or a list of parts.", f"{where}.content")
    parts = (_part(part, f"{where}.content[{i}]", gate) for i, part in enumerate(content))
    return Message.of(role, *parts)


def _part(given: Any, where: str, gate: GateSettings | None) -> str | ImagePart:
    kind = given.get("type") if isinstance(given, dict) else None
    if kind == "text" and isinstance(given.get("text"), str):
        return clean_text(given["text"])
    if kind != "image_url":
        raise BadRequest(
            f'{where} must be {{"type": "text", "text": ...}} or {{"type": "image_url", ...}}.',
            where,
        )
    url = given.get("image_url")
    url = url.get("url") if isinstance(url, dict) else url
    if not isinstance(url, str) or not url.startswith("data:"):
        raise BadRequest(
            f"{where}: pictures come as data URLs (data:image/png;base64,...); this server "
            "fetches nothing.",
            where,
        )
    return _picture(url, where, gate)


def _picture(url: str, where: str, gate: GateSettings | None) -> ImagePart:
    head, _, data = url.partition(",")
    try:
        content = (
            base64.b64decode(data, validate=True)
            if head.endswith(";base64")
            else unquote_to_bytes(data)
        )
        picture = open_picture(content, gate, where)
    except (binascii.Error, ValueError) as error:
        raise BadRequest(f"{where}: its base64 is damaged ({error}).", where) from error
    except UnreadablePicture as error:
        raise BadRequest(str(error), where, code="image_parse_error") from error
    facts = picture.facts
    if (facts.format, facts.mode, facts.frames, facts.done) == ("PNG", "RGB", 1, ()):
        # The very pixels that the gate gives: they need not be packed again.
        return ImagePart(
            sha256=picture.sha256, width=picture.width, height=picture.height, data=content
        )
    return image_part(picture, max_side=None)


def _number(given: Mapping[str, Any], name: str, least: float, most: float) -> float | None:
    value = given.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise BadRequest(f"{name} must be a number.", name)
    if not least <= value <= most:
        bounds = f"at least {least:g}" if most == math.inf else f"in {least:g} to {most:g}"
        raise BadRequest(f"{name} must be {bounds}, not {value:g}.", name)
    return float(value)


def _whole(given: Mapping[str, Any], name: str, least: int, most: int) -> int | None:
    value = given.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise BadRequest(f"{name} must be a whole number of at least {least}.", name)
    return value


def _most_tokens(given: Mapping[str, Any]) -> int | None:
    names = [name for name in ("max_completion_tokens", "max_tokens") if name in given]
    values = {_whole(given, name, 1, 1 << 40) for name in names}
    if len(values) > 1:
        raise BadRequest("max_tokens and max_completion_tokens differ.", "max_tokens")
    return values.pop() if values else None


def _stops(given: Any) -> tuple[str, ...]:
    stops = [given] if isinstance(given, str) else given
    if not isinstance(stops, list | tuple) or not all(isinstance(s, str) and s for s in stops):
        raise BadRequest("stop must be a text, or a list of texts; none may be empty.", "stop")
    if len(stops) > MOST_STOPS:
        raise BadRequest(f"stop may hold {MOST_STOPS} texts at most.", "stop")
    return tuple(clean_text(stop) for stop in stops)


def _json_mode(given: Any) -> bool:
    kind = given.get("type", "") if isinstance(given, dict) else "text" if given is None else ""
    if kind not in ("text", "json_object"):
        raise BadRequest(
            'response_format must be {"type": "text"} or {"type": "json_object"}; schemas are '
            "not offered.",
            "response_format",
        )
    return bool(kind == "json_object")


def reply_answer(reply: Reply, name: str, number: int, created: int) -> Answer:
    """Return the answer that carries a reply.

    Args:
        reply: what the chat replied.
        name: the served model, where the reply names none.
        number: of the call, for its id.
        created: Unix time in seconds.

    A reply that the model's service refused, in no words of its own, ends with
    ``content_filter``; one that refuses in words carries them and ends with ``stop``, so that
    its reader decides as we did. A failed call becomes the status that stands for its kind.

    >>> reply_answer(Reply(text="A red", outcome="truncated"), "m", 1, 0).body["choices"][0]
    {'index': 0, 'message': {'role': 'assistant', 'content': 'A red'}, 'finish_reason': 'length'}
    """
    if reply.outcome == "failed":
        kind = reply.failure or "server_error"
        message = reply.detail or f"The call failed ({kind})."
        return error_answer(_STATUS.get(kind, 500), message, kind, code=kind)
    return Answer(
        200,
        {
            "id": f"chatcmpl-eyeprint-{number}",
            "object": "chat.completion",
            "created": created,
            "model": reply.served_model or name,
            "choices": [
                {
                    "index": 0,
                    "message": {"role": "assistant", "content": reply.text},
                    "finish_reason": _finish_of(reply),
                }
            ],
            "usage": _usage_told(reply.usage),
        },
    )


def _finish_of(reply: Reply) -> str:
    if reply.outcome == "truncated":
        return "length"
    if reply.outcome == "refused" and (
        reply.finish_reason == "content_filter" or find_refusal(reply.text) is None
    ):
        return "content_filter"
    return "stop"


def _usage_told(usage: Usage) -> dict[str, int] | None:
    """Return the counts that are known: a token that nobody counted is not 0."""
    told = {"prompt_tokens": usage.input_tokens, "completion_tokens": usage.output_tokens}
    known = {name: count for name, count in told.items() if count is not None}
    if len(known) == len(told):
        known["total_tokens"] = sum(known.values())
    return known or None


def models_answer(name: str) -> Answer:
    """Return the list of served models, which is one.

    >>> models_answer("echo").body["data"][0]["id"]
    'echo'
    """
    return Answer(200, {"object": "list", "data": [model_told(name)]})


def model_told(name: str) -> dict[str, Any]:
    """Return what the protocol says of a model."""
    return {"id": name, "object": "model", "created": 0, "owned_by": "eyeprint"}
