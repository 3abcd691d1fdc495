"""What a call costs, and the most that it can cost before it is made (CHECKLIST X16).

Prices are US dollars per million tokens, kept in ``data/prices.toml`` with the month
they are believed from. A model that is not in the table has the price ``None``:
unknown, never 0. That holds for local servers too; electricity is not free, and the
one who runs them says so with ``price="free"`` (``--price free``) or two numbers
(``--price 0.15,0.60``).
"""

from __future__ import annotations

import tomllib
import unicodedata
from functools import cache
from importlib.resources import files

from pydantic import Field, field_validator

from eyeprint.config import Settings
from eyeprint.errors import UsageError
from eyeprint.models.image_tokens import IMAGE_RULES, image_bound
from eyeprint.models.kinds import ChatRequest, Usage

TOKENS_PER_MESSAGE = 16
"""More than any known chat template adds around one message."""
TOKENS_PER_REQUEST = 64
"""More than the known templates add once: begin marks, and a default system prompt."""


class Price(Settings):
    """US dollars per million tokens of one model."""

    input: float = Field(ge=0, allow_inf_nan=False)
    output: float = Field(ge=0, allow_inf_nan=False)
    max_output: int | None = None
    """Most tokens in one reply, the bound of requests that set no ``max_tokens``."""
    as_of: str = "given by you"
    """Month in which the table's figures were believed, as ``2025-06``."""
    image: str = "any"
    """How pictures are counted: a rule of :data:`eyeprint.models.image_tokens.IMAGE_RULES`."""

    @field_validator("image")
    @classmethod
    def _known_rule(cls, rule: str) -> str:
        if rule not in IMAGE_RULES:
            raise ValueError(f"no rule of that name; known: {', '.join(IMAGE_RULES)}")
        return rule


FREE = Price(input=0.0, output=0.0)
"""The price of a model that its user has declared to be free."""


@cache
def price_table() -> dict[str, Price]:
    """Return catalogue name -> price for every model of ``data/prices.toml``.

    >>> price_table()["openai/gpt-4o-mini"].output
    0.6
    """
    text = files("eyeprint.models").joinpath("data/prices.toml").read_text(encoding="utf-8")
    return {
        f"{host}/{model}": Price.model_validate(entry)
        for host, models in tomllib.loads(text).items()
        for model, entry in models.items()
    }


def price_of(name: str) -> Price | None:
    """Return a model's price, or ``None`` when it is not known.

    >>> price_of("http://127.0.0.1:8000/v1#anything") is None
    True
    """
    return price_table().get(name)


def read_price(text: str) -> Price:
    """Read a price as a user writes it: ``"0.15,0.60"`` (input, output) or ``"free"``.

    Raises:
        UsageError: the text is neither.

    >>> read_price("0.15, 0.60").input
    0.15
    >>> read_price("free") == FREE
    True
    """
    if text.strip().lower() == "free":
        return FREE
    try:
        price_in, price_out = (float(part) for part in text.split(","))
        return Price(input=price_in, output=price_out)
    except ValueError as error:
        raise UsageError(
            f"'{text}' is not a price. Write the US dollars per million input and output "
            "tokens, as 0.15,0.60, or free."
        ) from error


def cost_of(price: Price | None, usage: Usage) -> float | None:
    """Return the cost in US dollars, or ``None`` when price or usage is not known.

    cost = (input tokens · price.input + output tokens · price.output) / 1,000,000

    >>> cost_of(Price(input=1.0, output=2.0), Usage(input_tokens=500_000, output_tokens=250_000))
    1.0
    >>> cost_of(None, Usage(input_tokens=1, output_tokens=1)) is None
    True
    """
    if price is None:
        return None
    if price.input == price.output == 0:
        return 0.0
    if usage.input_tokens is None or usage.output_tokens is None:
        return None
    return (usage.input_tokens * price.input + usage.output_tokens * price.output) / 1e6


def text_bound(text: str) -> int:
    """Return a number of tokens that no known tokeniser makes of a text; see ``input_bound``.

    >>> text_bound("four"), text_bound("\N{CIRCLED DIGIT FOUR}")
    (4, 3)
    """
    total = len(text.encode("utf-8", "surrogatepass"))
    if not text.isascii():
        normal = unicodedata.normalize("NFKC", text).encode("utf-8", "surrogatepass")
        total = max(total, len(normal))
    return total


def input_bound(request: ChatRequest, price: Price | None = None) -> int:
    """Return a number of input tokens that no known tokeniser exceeds.

    The tokenisers in use split bytes (byte-level BPE) or characters with a fall-back to
    bytes (SentencePiece), so that a token never holds less than one byte of the text: its
    UTF-8 length is a bound. Some normalise first, which can lengthen rare characters
    (NFKC), so the longer of both lengths counts; the chat template's marks are added.
    English text really takes about a quarter of it. Pictures count by the price's rule, or
    by one that exceeds all known ones (:mod:`eyeprint.models.image_tokens`).

    >>> from eyeprint.models.kinds import Message
    >>> input_bound(ChatRequest(messages=(Message(role="user", text="four"),)))
    84
    """
    total = TOKENS_PER_REQUEST
    for message in request.messages:
        total += TOKENS_PER_MESSAGE + text_bound(message.text)
        for image in message.images:
            total += image_bound(image.width, image.height, price.image if price else "any")
    return total


def output_bound(request: ChatRequest, price: Price | None) -> int | None:
    """Return the most tokens that a reply can have, or ``None`` when nothing limits it."""
    if request.max_tokens is not None:
        return request.max_tokens
    return price.max_output if price is not None else None


def cost_bound(request: ChatRequest, price: Price | None) -> float | None:
    """Return the most US dollars that one answer to a request can cost; ``None`` = unknown.

    >>> from eyeprint.models.kinds import Message
    >>> one = ChatRequest(messages=(Message(role="user", text="four"),), max_tokens=100)
    >>> cost_bound(one, Price(input=1.0, output=10.0))
    0.001084
    """
    if price is None:
        return None
    if price.input == price.output == 0:
        return 0.0
    most = output_bound(request, price)
    if most is None:
        return None
    return (input_bound(request, price) * price.input + most * price.output) / 1e6
