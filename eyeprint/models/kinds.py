"""The kinds of models that eyeprint talks to, as Protocols, and what passes through them.

A model is any object with the right attributes: no base class to inherit, no
registration needed to pass one as an argument. Names are resolved by
``models/catalog.py``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field

Vectors = NDArray[np.float32]
"""Row vectors, shape (n, dim), float32, each of length 1, or all zero for a blank text."""

Outcome = Literal["answered", "empty", "truncated", "refused", "failed"]
FAILURE_KINDS = (
    "timeout",
    "connection",
    "rate_limit",
    "server_error",
    "bad_request",
    "authentication",
    "not_found",
    "bad_reply",
)
"""Why a call failed for good; the first four were retried before it was given up."""


class Exchange(BaseModel):
    """Base of what passes to and from chat models: frozen and closed."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Message(Exchange):
    """One turn of a dialogue."""

    role: Literal["system", "user", "assistant"]
    text: str


class ChatRequest(Exchange):
    """Everything that decides a reply, save the model: the ledger's key is made of both.

    ``None`` leaves a parameter to the server's default.
    """

    messages: tuple[Message, ...] = Field(min_length=1)
    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    seed: int | None = None
    stop: tuple[str, ...] = ()
    json_mode: bool = False
    """Ask the server for a JSON object (``response_format``)."""


class Usage(Exchange):
    """Tokens as the server counted them; ``None`` when it did not say."""

    input_tokens: int | None = None
    output_tokens: int | None = None


class Reply(Exchange):
    """What came back, as it is: an empty, cut, refused or failed reply is not an answer."""

    text: str = ""
    outcome: Outcome = "answered"
    finish_reason: str | None = None
    served_model: str | None = None
    usage: Usage = Usage()
    cost_usd: float | None = None
    """``None`` when the model's price is not known: unknown, never 0."""
    seconds: float = 0.0
    failure: str | None = None
    """One of :data:`FAILURE_KINDS` when ``outcome`` is "failed"."""
    detail: str = ""
    maybe_billed: bool = False
    """Whether the server may bill a call whose reply could not be read: it was reached, and
    what it did then is not known. Said of failed calls only, and not kept in ledgers."""
    from_ledger: bool = False


@runtime_checkable
class Chat(Protocol):
    """A chat model. ``name`` identifies it in results, ledgers and price tables."""

    @property
    def name(self) -> str:
        """The model's catalogue name, such as ``openai/gpt-4o-mini``."""
        ...

    async def reply(self, request: ChatRequest) -> Reply:
        """Answer one request. Never raises for what a server did: see ``Reply.outcome``.

        A chat that makes calls again by itself asks first:
        :func:`eyeprint.models.attempts.ask_to_try_again`.
        """
        ...


class Encoded(NamedTuple):
    """Vectors with the number of texts that were longer than the encoder reads."""

    vectors: Vectors
    cut: NDArray[np.bool_]
    """Shape (n,): True where a text was cut."""


@runtime_checkable
class TextEncoder(Protocol):
    """Turns texts into unit vectors. A blank text gets a zero row: it has no direction."""

    @property
    def name(self) -> str:
        """The encoder's catalogue name, such as ``minilm``."""
        ...

    @property
    def fingerprint(self) -> str:
        """Identity of weights, tokeniser and limits; scores of two fingerprints never mix."""
        ...

    @property
    def dim(self) -> int:
        """Length of a vector."""
        ...

    def encode_counted(self, texts: Sequence[str]) -> Encoded:
        """Encode, and say which texts were cut."""
        ...

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Encode: row i belongs to text i; shape (0, dim) for no texts."""
        ...
