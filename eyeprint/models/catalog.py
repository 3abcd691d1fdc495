"""From a chat model's name to the model: one lazy table, and what plug-ins add to it.

- ``openai/gpt-4o-mini``, ``gemini/...``, ``vllm/...``: the hosts of ``data/hosts.toml``
- ``http://127.0.0.1:8000/v1#MODEL``: any server that speaks the OpenAI protocol
- ``local/OWNER/NAME`` or ``local/FOLDER``: a model of transformers in this process
- ``inspect/PROVIDER/MODEL``: a model of any provider of inspect_ai
- ``nearest``: the baseline that compares pictures and words, without a model's weights
- ``echo``: the stand-in that repeats what it is told, for trying things out
- ``NAME`` or ``NAME/...`` of an entry point in the group ``eyeprint.models``: a callable
  that takes the whole name and returns a Chat

Text encoders have a table of their own, :mod:`eyeprint.models.text_encoders`. Nothing is
imported before a name asks for it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from eyeprint.errors import UnknownName, UsageError
from eyeprint.models.hosts import hosts, is_address
from eyeprint.models.kinds import Chat
from eyeprint.models.plugins import MODELS, model_of_plugin, plugins
from eyeprint.models.prices import Price
from eyeprint.models.retries import Waiting


def chat_names() -> list[str]:
    """Return the patterns of the chat names that can be loaded here.

    >>> "openai/..." in chat_names()
    True
    """
    names = [f"{host}/..." for host in hosts()]
    names += ["http://HOST/v1#MODEL", "local/PATH_OR_ID", "inspect/PROVIDER/MODEL"]
    names += ["nearest", "echo"]
    return sorted(names + list(plugins(MODELS)))


def load_chat(
    name: str,
    *,
    settings: Any | None = None,
    price: Price | None = None,
    on_wait: Callable[[Waiting], None] | None = None,
    needs_key: bool = True,
) -> Chat:
    """Return the chat model of a name; see the module's text for the names.

    Args:
        name: the catalogue name.
        settings: :class:`~eyeprint.models.chat_http.HttpSettings` for models on servers and of
            inspect_ai,
            :class:`~eyeprint.models.chat_local_loading.LocalChatSettings` for ``local/...``;
            models of another kind pass over them.
        price: the price to reckon with, where the table has none or a wrong one.
        on_wait: told of every wait before a call is made again.
        needs_key: false for a model that will not be asked, as in a dry run.

    Raises:
        UnknownName, UsageError, ModelUnavailable: the name, its key or its weights are not
            there.
        MissingExtra: a model in this process needs packages that are not installed.

    >>> load_chat("echo").name
    'echo'
    """
    if name == "echo":
        from eyeprint.models.fakes import EchoChat

        return EchoChat()
    if name == "nearest":
        from eyeprint.models.nearest import NearestChat

        return NearestChat()
    if name.startswith("local/"):
        from eyeprint.models.chat_local import local_chat

        return local_chat(name, settings, find=needs_key)
    if name.startswith("inspect/"):
        from eyeprint.models.chat_inspect import inspect_chat

        return inspect_chat(
            name, settings=settings, price=price, on_wait=on_wait, needs_key=needs_key
        )
    made = model_of_plugin(name)
    if made is not None:
        if not isinstance(made, Chat):
            raise UsageError(f"The plug-in for '{name}' makes no chat model: it lacks reply().")
        return made
    if not is_address(name):
        raise UnknownName("chat model", name, chat_names())
    from eyeprint.models.chat_http import http_chat

    return http_chat(name, settings=settings, price=price, on_wait=on_wait, needs_key=needs_key)
