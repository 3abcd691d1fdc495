"""The OpenAI chat protocol as pure functions: a request's body, and what an answer means.

The protocol is small: one POST with JSON, one JSON object back. Here is all of it that
eyeprint uses, so that it can be tested without a server; ``chat_http.py`` does the
sending. What a status or a finish reason stands for is decided here and nowhere else.
"""

from __future__ import annotations

import base64
import json
from typing import Any, Literal, NamedTuple

from eyeprint.errors import UsageError
from eyeprint.models.kinds import ChatRequest, ImagePart, Message, Outcome, Reply, Usage
from eyeprint.models.refusals import find_refusal

MOST_TOKENS = 1 << 40
"""No call has that many tokens."""

LimitField = Literal["max_tokens", "max_completion_tokens"]


class Failure(NamedTuple):
    """Why a call gave no reply, and whether the same call may fare better later."""

    kind: str
    detail: str
    may_pass: bool
    maybe_billed: bool = False
    """Whether the server may have done, and may bill, what it was asked."""


def data_url(image: ImagePart) -> str:
    """Return a picture's file as a data URL, which needs no second request.

    Raises:
        UsageError: the part has no bytes, as in a request that was read from a ledger.

    >>> data_url(ImagePart(sha256="0" * 64, width=1, height=1, data=b"abc"))
    'data:image/png;base64,YWJj'
    """
    if not image.data:
        raise UsageError(
            f"The picture {image.sha256[:12]} of a request has no bytes, so it cannot be sent: "
            "ledgers keep its hash only. Make the request again from the picture itself."
        )
    return f"data:{image.media_type};base64,{base64.b64encode(image.data).decode('ascii')}"


def _content(message: Message) -> str | list[dict[str, Any]]:
    """Return what a message says: a text, or parts where there are pictures among it."""
    if not message.parts:
        return message.text
    return [
        {"type": "image_url", "image_url": {"url": data_url(part)}}
        if isinstance(part, ImagePart)
        else {"type": "text", "text": part.text}
        for part in message.parts
    ]


def request_body(request: ChatRequest, model: str, limit_field: LimitField) -> bytes:
    """Return the JSON of one request; parameters that are ``None`` are left out.

    Raises:
        UsageError: a picture has no bytes (:func:`data_url`).

    >>> one = ChatRequest(messages=(Message(role="user", text="Hi"),), max_tokens=5)
    >>> request_body(one, "m", "max_completion_tokens")
    b'{"model": "m", "messages": [{"role": "user", "content": "Hi"}], "max_completion_tokens": 5}'
    """
    body: dict[str, Any] = {
        "model": model,
        "messages": [{"role": each.role, "content": _content(each)} for each in request.messages],
    }
    if request.temperature is not None:
        body["temperature"] = request.temperature
    if request.top_p is not None:
        body["top_p"] = request.top_p
    if request.max_tokens is not None:
        body[limit_field] = request.max_tokens
    if request.seed is not None:
        body["seed"] = request.seed
    if request.stop:
        body["stop"] = list(request.stop)
    if request.json_mode:
        body["response_format"] = {"type": "json_object"}
    return json.dumps(body).encode()


def clean_text(text: str) -> str:
    """Replace what is no text: NUL, and halves of surrogate pairs that stand alone.

    Neither can be stored in every database or written as UTF-8; each becomes U+FFFD.

    >>> clean_text("a" + chr(0) + "b")
    'a�b'
    """
    if "\x00" in text:
        text = text.replace("\x00", "\ufffd")
    try:
        text.encode()
    except UnicodeEncodeError:
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def outcome_of(text: str, finish_reason: str | None, refusal: str | None) -> Outcome:
    """Return what a reply is: only "answered" is an answer.

    A reply is truncated when the server says that the length limit ended it, refused when
    the server says so (``refusal``, ``content_filter``) or when its words do.

    >>> outcome_of("A red do", "length", None)
    'truncated'
    >>> outcome_of("I'm sorry, but I can't help with that.", "stop", None)
    'refused'
    """
    if finish_reason == "content_filter" or refusal:
        return "refused"
    if finish_reason == "length":
        return "truncated"
    if not text.strip():
        return "empty"
    return "refused" if find_refusal(text) is not None else "answered"


def _text_of(content: Any) -> str:
    """Return a message's text; some servers send a list of parts."""
    if isinstance(content, list):
        return "".join(
            part["text"]
            for part in content
            if isinstance(part, dict) and isinstance(part.get("text"), str)
        )
    return content if isinstance(content, str) else ""


def _whole(value: Any) -> int | None:
    # What no server can have counted is no count: a negative one would earn money, and a
    # huge one does not fit into a database.
    counted = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < MOST_TOKENS
    return value if counted else None


def usage_of(usage: Any) -> Usage:
    """Return the tokens that a server counted.

    Some servers leave hidden reasoning out of ``completion_tokens`` but bill it; it shows
    in ``total_tokens``, so output = max(completion, total - prompt).

    >>> usage_of({"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 40})
    Usage(input_tokens=10, output_tokens=30)
    """
    if not isinstance(usage, dict):
        return Usage()
    prompt, written = _whole(usage.get("prompt_tokens")), _whole(usage.get("completion_tokens"))
    total = _whole(usage.get("total_tokens"))
    if written is not None and prompt is not None and total is not None:
        written = max(written, total - prompt)
    return Usage(input_tokens=prompt, output_tokens=written)


def read_completion(raw: bytes) -> Reply | Failure:
    """Return the reply in the body of a successful answer, or why there is none in it."""
    try:
        body = json.loads(raw)
        choice = body["choices"][0]
        message = choice["message"]
    except (ValueError, LookupError, TypeError, RecursionError):
        return Failure(
            "bad_reply", f"The server's answer is no chat completion: {raw[:200]!r}", False, True
        )
    if not isinstance(message, dict):
        return Failure("bad_reply", f"The answer holds no message: {raw[:200]!r}", False, True)
    refusal = message.get("refusal") if isinstance(message.get("refusal"), str) else None
    text = clean_text(_text_of(message.get("content")) or refusal or "")
    finish = choice.get("finish_reason")
    finish = finish if isinstance(finish, str) else None
    served = body.get("model")
    return Reply(
        text=text,
        outcome=outcome_of(text, finish, refusal),
        finish_reason=finish,
        served_model=clean_text(served) if isinstance(served, str) else None,
        usage=usage_of(body.get("usage")),
    )


def _error_in(raw: bytes) -> tuple[str, str]:
    """Return (code, message) of an error body; servers differ in its shape."""
    try:
        body = json.loads(raw)
    except (ValueError, RecursionError):
        return "", clean_text(raw[:300].decode("utf-8", "replace"))
    if isinstance(body, list) and body:
        body = body[0]
    error = body.get("error", body) if isinstance(body, dict) else body
    if isinstance(error, dict):
        code = str(error.get("code") or error.get("type") or "")
        message = error.get("message") or error.get("detail") or json.dumps(error)
        return code, clean_text(str(message))[:300]
    return "", clean_text(str(error))[:300]


_FINAL_CODES = frozenset({"insufficient_quota", "billing_hard_limit_reached"})
_TURNED_AWAY = frozenset({503, 529})
_FILTER_CODES = frozenset({"content_filter", "content_policy_violation"})


def read_failure(status: int, raw: bytes) -> Failure | Reply:
    """Return what a status other than 200 stands for.

    Requests that a content filter turned down are refusals, and so replies. 408, 429 and
    5xx may pass; a used-up account, which also comes as 429, will not. 408 and 5xx may be
    billed, for the model may have been at work; not so 503 and 529, which say that the
    request was turned away.
    """
    code, message = _error_in(raw)
    detail = f"HTTP {status}: {message}"
    if status == 400 and code in _FILTER_CODES:
        return Reply(text="", outcome="refused", finish_reason="content_filter", detail=detail)
    if status == 429:
        return Failure("rate_limit", detail, code not in _FINAL_CODES)
    if status == 408:
        return Failure("timeout", detail, True, True)
    if status >= 500:
        return Failure("server_error", detail, True, status not in _TURNED_AWAY)
    if status in (401, 403):
        return Failure("authentication", detail, False)
    if status == 404:
        return Failure("not_found", detail, False)
    if status < 400:
        return Failure(
            "bad_reply", f"{detail} (check the base URL: is it the server's /v1?)", False
        )
    return Failure("bad_request", detail, False)
