"""What a painted picture costs, and the most that it can cost before it is painted (X16).

Hosted painters are billed by tokens, as chats are (:mod:`eyeprint.models.prices`), or by the
picture (``data/picture_prices.toml``). One that stands in neither table costs "unknown",
never 0; who runs or rents it can say what a picture costs in its name, as
``http://HOST/v1#MODEL?price=0.02``. Painters on this machine have no price at all.
"""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files

from pydantic import Field

from eyeprint.config import Settings
from eyeprint.models.image_tokens import image_bound
from eyeprint.models.kinds import Painter, PaintRequest, Usage
from eyeprint.models.prices import TOKENS_PER_REQUEST, Price, cost_of, price_of, text_bound


class PicturePrice(Settings):
    """US dollars for one picture, whatever is in it."""

    picture: float = Field(ge=0, allow_inf_nan=False)
    """At most, where size or quality decide it."""
    as_of: str = "given by you"
    """Month in which the table's figure was believed, as ``2025-06``."""


PaintPrice = Price | PicturePrice
"""By tokens or by the picture."""


@cache
def picture_price_table() -> dict[str, PicturePrice]:
    """Return catalogue name -> price for every painter of ``data/picture_prices.toml``.

    >>> picture_price_table()["openai/dall-e-2"].picture
    0.02
    """
    text = files("eyeprint.models").joinpath("data/picture_prices.toml").read_text("utf-8")
    return {
        f"{host}/{model}": PicturePrice.model_validate(entry)
        for host, models in tomllib.loads(text).items()
        for model, entry in models.items()
    }


def paint_price_of(name: str) -> PaintPrice | None:
    """Return a painter's price, or ``None`` when it is not known.

    >>> paint_price_of("http://127.0.0.1:8000/v1#flux") is None
    True
    """
    return picture_price_table().get(name) or price_of(name)


def is_paid(painter: Painter) -> bool:
    """Return whether a painter's pictures cost money: it then has a ``price``, known or not.

    >>> from eyeprint.models.sketch import SketchPainter
    >>> is_paid(SketchPainter())
    False
    """
    return hasattr(painter, "price")


def picture_cost(price: PaintPrice | None, usage: Usage) -> float | None:
    """Return what a painted picture has cost in US dollars, or ``None`` when it is not known.

    >>> picture_cost(PicturePrice(picture=0.02), Usage())
    0.02
    """
    return price.picture if isinstance(price, PicturePrice) else cost_of(price, usage)


def picture_bound(request: PaintRequest, price: PaintPrice | None) -> float | None:
    """Return the most US dollars that painting one picture can cost; ``None`` = unknown.

    By tokens: (input · price.input + price.max_output · price.output) / 1,000,000, where the
    input is the prompt's bound (:func:`eyeprint.models.prices.text_bound`) and that of each
    reference.

    >>> price = Price(input=10.0, output=40.0, max_output=1000)
    >>> picture_bound(PaintRequest("a door"), price)
    0.0407
    >>> picture_bound(PaintRequest("a door"), None) is None
    True
    """
    if price is None:
        return None
    if isinstance(price, PicturePrice):
        return price.picture
    if price.input == price.output == 0:
        return 0.0
    if price.max_output is None:
        return None
    tokens = TOKENS_PER_REQUEST + text_bound(request.prompt) + text_bound(request.negative)
    for picture in request.references:
        height, width = picture.pixels.shape[:2]
        tokens += image_bound(width, height, price.image)
    return (tokens * price.input + price.max_output * price.output) / 1e6
