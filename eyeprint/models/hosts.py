"""Where a named model is: the hosts of ``data/hosts.toml``, or any server by its URL.

Chats and encoders are found in the same way. A key is read from the environment when a
model is made, and a URL is shown in results and errors, so it must hold no secret.
"""

from __future__ import annotations

import os
import tomllib
from functools import cache
from importlib.resources import files
from typing import NamedTuple
from urllib.parse import urlsplit

from eyeprint.config import Settings
from eyeprint.errors import ModelUnavailable, UnknownName, UsageError
from eyeprint.models.chat_wire import LimitField

URL_KEY = "EYEPRINT_API_KEY"
"""Environment variable with the key for servers that are named by their URL."""


class Host(Settings):
    """One row of ``data/hosts.toml``."""

    url: str
    url_env: str
    key_env: str
    key_needed: bool
    limit_field: LimitField


class Address(NamedTuple):
    """One model on one server."""

    url: str
    model: str
    key: str | None
    limit_field: LimitField = "max_tokens"
    moved: bool = False
    """Whether the environment names another URL for the host than the usual one."""


@cache
def hosts() -> dict[str, Host]:
    """Return the known hosts by the first part of a model's name.

    >>> hosts()["openai"].key_env
    'OPENAI_API_KEY'
    """
    text = files("eyeprint.models").joinpath("data/hosts.toml").read_text(encoding="utf-8")
    return {name: Host.model_validate(entry) for name, entry in tomllib.loads(text).items()}


def is_address(name: str) -> bool:
    """Return whether a name is a URL or begins with a known host.

    >>> is_address("openai/gpt-4o-mini"), is_address("static")
    (True, False)
    """
    return name.startswith(("http://", "https://")) or name.partition("/")[0] in hosts()


def is_this_machine(url: str) -> bool:
    """Return whether a URL is of this very machine: no proxy is meant for it."""
    return urlsplit(url).hostname in ("127.0.0.1", "localhost", "::1")


def address_of(name: str, needs_key: bool = True) -> Address:
    """Return where ``HOST/MODEL`` or ``http://HOST/v1#MODEL`` is, with its key.

    Args:
        name: the catalogue name.
        needs_key: false for models that will not be asked, as in a dry run.

    Raises:
        UnknownName: no host of that name.
        UsageError: the name lacks its model, a URL carries a password or a query, or the
            environment's key has odd characters.
        ModelUnavailable: the host's key is not in the environment.

    >>> address_of("http://127.0.0.1:8000/v1#qwen").model
    'qwen'
    """
    if name.startswith(("http://", "https://")):
        url, _, model = name.partition("#")
        _checked_url(url, "A model's URL")
        if not model:
            raise UsageError(f"'{name}' lacks the model: write http://HOST:8000/v1#MODEL.")
        return Address(url, model, _key_from(URL_KEY))
    host_name, _, model = name.partition("/")
    if host_name not in hosts():
        raise UnknownName("model host", host_name, hosts())
    host = hosts()[host_name]
    if not model:
        raise UsageError(f"'{name}' lacks the model: write {host_name}/MODEL.")
    key = _key_from(host.key_env)
    url = _checked_url(os.environ.get(host.url_env) or host.url, host.url_env)
    if needs_key and key is None and host.key_needed and url == host.url:
        raise ModelUnavailable(
            f"{name} needs a key: set the environment variable {host.key_env}. "
            f"For a server of your own, name it by its URL: http://HOST:8000/v1#MODEL."
        )
    return Address(url, model, key, host.limit_field, moved=url != host.url)


def _key_from(variable: str) -> str | None:
    """Return the key in an environment variable; a line break at its end is no part of it."""
    key = os.environ.get(variable, "").strip()
    if not (key.isascii() and key.isprintable()):
        raise UsageError(
            f"The environment variable {variable} holds no key: it has odd characters."
        )
    return key or None


def _checked_url(url: str, where: str) -> str:
    """Return a base URL that is fit to be shown, or say why it is not (without showing it)."""
    parts = urlsplit(url)
    if parts.username or parts.password or parts.query:
        raise UsageError(
            f"{where} is written into results and errors, so it must hold no user, password "
            "or query. Put the key into the environment variable of the host "
            f"({URL_KEY} for servers that are named by their URL)."
        )
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UsageError(f"{where} must be a URL such as http://HOST:8000/v1, not '{url}'.")
    return url
