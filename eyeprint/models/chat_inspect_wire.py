"""Between our messages and those of inspect_ai: there, back, and what an error stands for.

Pure functions, so that they can be tested without a provider. inspect_ai is imported inside
them: it is the extra ``inspect``, and takes a second.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from itertools import groupby
from typing import Any

from eyeprint.errors import MissingExtra, ModelError
from eyeprint.models.chat_wire import (
    MOST_TOKENS,
    Failure,
    clean_text,
    data_url,
    outcome_of,
    read_failure,
)
from eyeprint.models.kinds import ChatRequest, ImagePart, Message, Reply, Usage

CUT_REASONS = ("max_tokens", "model_length")
"""Why inspect_ai says that a reply was cut: our limit, or the end of the model's context."""
_NOT_SENT = (ValueError, TypeError, NotImplementedError, LookupError)
"""What providers raise of a request that they cannot put: nothing went out."""

_NOT_OPENED = ("connecterror", "connecttimeout", "connectionrefused")


def need_inspect(what: str) -> None:
    """Check that inspect_ai is installed; imports nothing.

    Raises:
        MissingExtra: it is not.
    """
    if find_spec("inspect_ai") is None:
        raise MissingExtra(what, "inspect_ai", "inspect")


def inspect_messages(messages: Sequence[Message], urls: dict[str, str] | None = None) -> list[Any]:
    """Return messages as inspect_ai's, pictures as data URLs where they stand among the text.

    Args:
        messages: ours.
        urls: pixel hash and media type -> data URL: fill one in over many calls, and a picture
            that several messages show is held once.

    Raises:
        UsageError: a picture has no bytes (:func:`eyeprint.models.chat_wire.data_url`).
    """
    from inspect_ai.model import ChatMessageAssistant, ChatMessageSystem, ChatMessageUser

    kinds = {
        "system": ChatMessageSystem,
        "user": ChatMessageUser,
        "assistant": ChatMessageAssistant,
    }
    known = {} if urls is None else urls
    return [kinds[each.role](content=_content(each, known)) for each in messages]


def _content(message: Message, urls: dict[str, str]) -> str | list[Any]:
    from inspect_ai.model import ContentImage, ContentText

    if not message.parts:
        return message.text
    parts: list[Any] = []
    for part in message.parts:
        if isinstance(part, ImagePart):
            # Equal pixels may come in files of two formats: both are what they are.
            mark = f"{part.media_type} {part.sha256}"
            if mark not in urls:
                urls[mark] = data_url(part)
            parts.append(ContentImage(image=urls[mark]))
        else:
            parts.append(ContentText(text=part.text))
    return parts


def collapsed(messages: Sequence[Any], roles: frozenset[str]) -> list[Any]:
    """Return messages with neighbours of one role put together, for the named roles.

    Some services take no two messages of a role in a row; their providers say so.
    """
    found: list[Any] = []
    for role, group in groupby(messages, key=lambda each: each.role):
        same = list(group)
        if len(same) == 1 or role not in roles:
            found += same
            continue
        if all(isinstance(each.content, str) for each in same):
            content: Any = "\n".join(each.content for each in same)
        else:
            content = [part for each in same for part in _parts(each.content)]
        found.append(same[0].model_copy(update={"content": content}))
    return found


def _parts(content: str | list[Any]) -> list[Any]:
    from inspect_ai.model import ContentText

    return [ContentText(text=content)] if isinstance(content, str) else content


def inspect_config(request: ChatRequest) -> dict[str, Any]:
    """Return the parameters of a request as those of inspect_ai's ``GenerateConfig``.

    >>> one = ChatRequest(messages=(Message(role="user", text="Hi"),), max_tokens=5, stop=(".",))
    >>> inspect_config(one)
    {'max_tokens': 5, 'stop_seqs': ['.']}
    """
    values = {
        "temperature": request.temperature,
        "top_p": request.top_p,
        "max_tokens": request.max_tokens,
        "seed": request.seed,
        "stop_seqs": list(request.stop) or None,
    }
    return {name: value for name, value in values.items() if value is not None}


def reply_of_output(output: Any) -> Reply | Failure:
    """Return an output (``ModelOutput``) of inspect_ai as a reply, or why there is none in it.

    ``max_tokens`` and ``model_length`` make it truncated, ``content_filter`` refused; else its
    text decides. Providers also make such outputs of errors, with the server's words in place
    of a text: these count no tokens, and their words are a detail, never an answer.
    """
    error = clean_text(str(output.error)) if output.error else ""
    if not output.choices:
        if error:
            return Failure("bad_reply", error, False, True)
        return Reply(outcome="empty", served_model=output.model or None)
    stop = str(output.stop_reason)
    text = clean_text(output.completion or "")
    usage = _usage(output.usage)
    if output.usage is None and stop == "model_length":
        return Failure("bad_request", error or text or "the request is too long", False)
    if output.usage is None and stop == "content_filter":
        text, error = "", error or text
    cut = stop in CUT_REASONS
    return Reply(
        text=text,
        outcome=outcome_of(text, "length" if cut else stop, None),
        finish_reason=stop,
        served_model=clean_text(output.model) if output.model else None,
        usage=usage,
        detail=error,
    )


def _usage(usage: Any) -> Usage:
    """Return tokens: those read from a cache were input too, and all but input is output."""
    if usage is None:
        return Usage()
    given = (
        usage.input_tokens
        + (usage.input_tokens_cache_read or 0)
        + (usage.input_tokens_cache_write or 0)
    )
    written = max(usage.output_tokens, usage.total_tokens - given)
    counted = [value if 0 <= value < MOST_TOKENS else None for value in (given, written)]
    return Usage(input_tokens=counted[0], output_tokens=counted[1])


def failure_of_error(error: BaseException, decision: Any = None) -> Failure | Reply:
    """Return what an error of a provider stands for.

    A status decides as it does over HTTP (:func:`eyeprint.models.chat_wire.read_failure`);
    without one, what the provider says of trying again, then the kind of error.

    Args:
        error: what it raised or returned.
        decision: its ``should_retry`` of the error: a truth value, perhaps with a ``kind``.

    >>> failure_of_error(ConnectionResetError("peer")).kind
    'connection'
    >>> failure_of_error(ValueError("no pictures")).kind
    'bad_request'
    """
    told = clean_text(str(getattr(error, "message", None) or error)).strip()
    detail = f"{type(error).__name__}: {told[:300]}".rstrip(": ")
    status = status_of(error)
    if status is not None:
        return read_failure(status, json.dumps(_body(error, told)).encode())
    if getattr(decision, "kind", "") == "rate_limit" and decision:
        return Failure("rate_limit", detail, True)
    names = _names(error)
    # Of a connection that could not be opened nothing was read; else nobody knows.
    opened = not any(each in names + _names(error.__cause__) for each in _NOT_OPENED)
    if "timeout" in names:
        return Failure("timeout", detail, True, opened)
    if "connect" in names:
        return Failure("connection", detail, True, opened)
    if decision:
        return Failure("server_error", detail, True, True)
    if isinstance(error, _NOT_SENT) or "prerequisite" in names:
        return Failure("bad_request", detail, False)
    return Failure("bad_reply", detail, False, not isinstance(error, ModelError))


def _names(error: BaseException | None) -> str:
    return " ".join(kind.__name__.lower() for kind in type(error).__mro__)


def _body(error: BaseException, told: str) -> dict[str, Any]:
    code = getattr(error, "code", None)
    return {"error": {"code": code if isinstance(code, str) else "", "message": told}}


def status_of(error: BaseException) -> int | None:
    """Return the HTTP status that an error carries, wherever its package keeps it.

    >>> class Refused(Exception):
    ...     status_code = 429
    >>> status_of(Refused()), status_of(ValueError()) is None
    (429, True)
    """
    for place in _places(error):
        if isinstance(place, int) and not isinstance(place, bool) and 300 <= place < 600:
            return int(place)
    return None


def _places(error: BaseException) -> Iterator[Any]:
    response = getattr(error, "response", None)
    for holder in (error, response):
        for name in ("status_code", "http_status", "status", "code"):
            yield getattr(holder, name, None)
    if isinstance(response, dict):  # botocore
        yield response.get("ResponseMetadata", {}).get("HTTPStatusCode")


def retry_after_of(error: BaseException, decision: Any = None) -> str | None:
    """Return what a server asked to wait: of the decision in seconds, else of its answer."""
    asked = getattr(decision, "retry_after", None)
    if asked is not None:
        return str(asked)
    headers: Any = getattr(getattr(error, "response", None), "headers", None)
    value = headers.get("retry-after") if hasattr(headers, "get") else None
    return value if isinstance(value, str) else None
