"""From a model's name to the model: one lazy table, and what plug-ins add to it.

Chats:

- ``openai/gpt-4o-mini``, ``gemini/...``, ``vllm/...``: the hosts of ``data/hosts.toml``
- ``http://127.0.0.1:8000/v1#MODEL``: any server that speaks the OpenAI protocol
- ``echo``: the stand-in that repeats what it is told, for trying things out
- ``NAME`` or ``NAME/...`` of an entry point in the group ``eyeprint.models``: a callable
  that takes the whole name and returns a Chat or a TextEncoder

Nothing is imported before a name asks for it.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from eyeprint.errors import UnknownName, UsageError
from eyeprint.models.kinds import Chat, TextEncoder
from eyeprint.models.prices import Price
from eyeprint.models.retries import Waiting

GROUP = "eyeprint.models"


def _plugins() -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points(group=GROUP)}


def _from_plugin(name: str) -> Any | None:
    """Return what a plug-in makes of a name, or ``None`` when there is no such plug-in."""
    points = _plugins()
    point = points.get(name) or points.get(name.partition("/")[0])
    return None if point is None else point.load()(name)


def chat_names() -> list[str]:
    """Return the patterns of the chat names that can be loaded here.

    >>> "openai/..." in chat_names()
    True
    """
    from eyeprint.models.chat_http import hosts

    names = [f"{host}/..." for host in hosts()] + ["http://HOST/v1#MODEL", "echo"]
    return sorted(names + list(_plugins()))


def load_chat(
    name: str,
    *,
    settings: Any | None = None,
    price: Price | None = None,
    on_wait: Callable[[Waiting], None] | None = None,
) -> Chat:
    """Return the chat model of a name; see the module's text for the names.

    Args:
        name: the catalogue name.
        settings: :class:`~eyeprint.models.chat_http.HttpSettings` for models on servers.
        price: the price to reckon with, where the table has none or a wrong one.
        on_wait: told of every wait before a call is made again.

    Raises:
        UnknownName, UsageError, ModelUnavailable: the name, or its key, is not known.

    >>> load_chat("echo").name
    'echo'
    """
    if name == "echo":
        from eyeprint.models.fakes import EchoChat

        return EchoChat()
    made = _from_plugin(name)
    if made is not None:
        if not isinstance(made, Chat):
            raise UsageError(f"The plug-in for '{name}' makes no chat model: it lacks reply().")
        return made
    from eyeprint.models.chat_http import hosts, http_chat

    if not name.startswith(("http://", "https://")) and name.partition("/")[0] not in hosts():
        raise UnknownName("chat model", name, chat_names())
    return http_chat(name, settings=settings, price=price, on_wait=on_wait)


def load_encoder(name: str) -> TextEncoder:
    """Return the text encoder of a name: a plug-in's, else a built-in one.

    Raises:
        UnknownName, ModelUnavailable: the name is not known, or its weights are not there.
    """
    made = _from_plugin(name)
    if made is not None:
        if not isinstance(made, TextEncoder):
            raise UsageError(f"The plug-in for '{name}' makes no text encoder: it lacks encode().")
        return made
    from eyeprint.models.text_encoders import load_encoder as load

    return load(name)
