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

from eyeprint.records.pictures import Picture

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


class ImagePart(Exchange):
    """A picture inside a message: its file for the server, its pixel hash for the ledger."""

    sha256: str
    """Pixel hash of what is sent (:func:`eyeprint.records.pictures.pixel_hash`)."""
    width: int
    height: int
    media_type: str = "image/png"
    data: bytes = Field(default=b"", exclude=True, repr=False)
    """The file's bytes. Not part of any dump, so of no identity: the hash is. Empty in a
    request that was read back from a ledger: such a request cannot be sent."""


class TextPart(Exchange):
    """Text between pictures of a message."""

    text: str


class Message(Exchange):
    """One turn of a dialogue.

    ``text`` is all of its text. A message with pictures also has ``parts``, text and pictures
    in reading order; :meth:`of` makes both.

    >>> dot = ImagePart(sha256="0" * 64, width=1, height=1, data=b"...")
    >>> Message.of("user", "Which is better? A:", dot, "B:", dot).text
    'Which is better? A:\\nB:'
    """

    role: Literal["system", "user", "assistant"]
    text: str
    parts: tuple[TextPart | ImagePart, ...] = ()

    @classmethod
    def of(cls, role: Literal["system", "user", "assistant"], *parts: str | ImagePart) -> Message:
        """Return a message of texts and pictures in reading order."""
        texts = [part for part in parts if isinstance(part, str)]
        pieces = tuple(TextPart(text=part) if isinstance(part, str) else part for part in parts)
        has_pictures = len(texts) < len(parts)
        return cls(role=role, text="\n".join(texts), parts=pieces if has_pictures else ())

    @property
    def images(self) -> tuple[ImagePart, ...]:
        """The pictures, in reading order."""
        return tuple(part for part in self.parts if isinstance(part, ImagePart))


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


@runtime_checkable
class ImageEncoder(Protocol):
    """Turns pictures into unit vectors (CHECKLIST X3).

    One that reads text too (CLIP) also has ``encode_counted`` and ``encode`` of
    :class:`TextEncoder`, into the same space.
    """

    @property
    def name(self) -> str:
        """The encoder's catalogue name, such as ``clip`` or ``palette``."""
        ...

    @property
    def fingerprint(self) -> str:
        """Identity of weights and preprocessing; numbers of two fingerprints never mix."""
        ...

    @property
    def dim(self) -> int:
        """Length of a vector."""
        ...

    @property
    def column(self) -> str:
        """The prefix of its columns: ``CLS`` for CLIP, ``DIS`` for DINO, ``PAL`` for palette."""
        ...

    def encode_pictures(self, pictures: Sequence[Picture]) -> Vectors:
        """Encode: row i belongs to picture i; shape (n, dim)."""
        ...


class PaintRequest(NamedTuple):
    """Everything that decides a painted picture, save the painter (CHECKLIST X4)."""

    prompt: str
    negative: str = ""
    references: tuple[Picture, ...] = ()
    """Pictures that condition the painter, for ways other than "text"."""
    width: int | None = None
    """``None`` leaves size, steps and guidance to the painter's released settings."""
    height: int | None = None
    steps: int | None = None
    guidance: float | None = None
    seed: int = 0
    """Of the item's own generator: never shared between items."""
    key: str = ""
    """The case's id, for messages."""
    facts: tuple[tuple[str, str], ...] = ()
    """Names that file patterns may use: id, image_id, category. Only what finds ready pictures
    gets them, never a model."""


class Painted(NamedTuple):
    """A picture, or why there is none."""

    picture: Picture | None
    failure: str | None = None
    """One of :data:`FAILURE_KINDS`, or "refused", "unreadable", "missing", "out_of_memory"."""
    detail: str = ""
    """Why there is no picture; with a picture, what is worth noting of it."""
    seconds: float = 0.0
    cost_usd: float | None = None
    served_model: str | None = None
    usage: Usage = Usage()
    """Tokens, of painters that count them."""
    billed: bool | None = False
    """Of no picture: whether it is paid for all the same; ``None`` when nobody knows."""


@runtime_checkable
class Painter(Protocol):
    """Makes pictures from prompts, and from reference pictures where ``ways`` says so.

    One whose pictures cost money also has a ``price``, ``None`` where it is not known
    (:mod:`eyeprint.models.picture_prices`): its calls are set against budgets and booked.
    """

    @property
    def name(self) -> str:
        """The painter's catalogue name, such as ``sketch``."""
        ...

    @property
    def fingerprint(self) -> str:
        """Identity of weights and settings: same fingerprint and request, same picture."""
        ...

    @property
    def ways(self) -> frozenset[str]:
        """Which of text, edit, tune and feedback it can do."""
        ...

    async def paint(self, request: PaintRequest, way: str = "text") -> Painted:
        """Paint one picture. Never raises for what a server or model did: see ``failure``."""
        ...
