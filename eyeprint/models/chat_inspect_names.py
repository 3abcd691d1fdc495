"""What the name of a model of inspect_ai says, and what its providers say of it."""

from __future__ import annotations

import json
import os
from typing import Any

from eyeprint.errors import UsageError
from eyeprint.models.painter_table import read_options

_SECRET = ("key", "token", "secret", "password")


def is_moved(model: str) -> bool:
    """Whether the environment names a base URL for a model's provider.

    >>> is_moved("no-such-provider/model")
    False
    """
    provider = model.partition("/")[0].upper().replace("-", "_")
    return any(os.environ.get(f"{name}_BASE_URL") for name in (provider, "INSPECT_EVAL_MODEL"))


def plain_words(error: Exception) -> str:
    """Return an error's words on one line, without the marks that set them in bold.

    >>> plain_words(ValueError("[bold]ERROR[/bold]: no key"))
    'no key'
    """
    told = str(getattr(error, "message", None) or error) or type(error).__name__
    for mark in ("[bold]", "[/bold]", "[blue]", "[/blue]", "ERROR: ", "ERROR"):
        told = told.replace(mark, "")
    return " ".join(told.split())[:600].lstrip(": ")


def read_arguments(name: str, query: str) -> dict[str, Any]:
    """Read what follows the question mark: numbers, true, false and null are what they are.

    Raises:
        UsageError: it is not ``key=value&key=value``, or a key looks like a secret.

    >>> read_arguments("inspect/hf/a/b", "device=cuda:0&layers=4")
    {'device': 'cuda:0', 'layers': 4}
    """
    found: dict[str, Any] = {}
    for key, text in read_options(name, query).items():
        if any(part in key.lower() for part in _SECRET):
            raise UsageError(
                f"A model's name is written into results and errors, so it must hold no {key}. "
                "Put it into the environment variable that Inspect names for the provider."
            )
        try:
            found[key] = json.loads(text)
        except ValueError:
            found[key] = text
    return found
