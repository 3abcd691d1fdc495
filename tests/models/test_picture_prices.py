"""What pictures cost, and the bound of it (CHECKLIST X16)."""

from __future__ import annotations

import re

import numpy as np
import pytest

from eyeprint.models.kinds import PaintRequest, Usage
from eyeprint.models.painter_http import http_painter
from eyeprint.models.picture_prices import (
    PicturePrice,
    is_paid,
    paint_price_of,
    picture_bound,
    picture_cost,
    picture_price_table,
)
from eyeprint.models.prices import FREE, Price, price_table
from eyeprint.models.sketch import SketchPainter
from eyeprint.records.pictures import Picture


def dot(width: int, height: int) -> Picture:
    return Picture.of(np.zeros((height, width, 3), np.uint8))


def test_x16_prices_by_the_picture_are_dated_and_stand_in_one_table_only() -> None:
    for name, price in picture_price_table().items():
        assert re.fullmatch(r"20\d\d-[01]\d", price.as_of), name
        assert price.picture > 0, name
    assert not picture_price_table().keys() & price_table().keys()
    assert isinstance(paint_price_of("openai/gpt-image-1"), Price)
    assert isinstance(paint_price_of("openai/dall-e-3"), PicturePrice)


def test_x16_an_unknown_price_is_unknown_and_never_nothing() -> None:
    assert paint_price_of("http://127.0.0.1:1/v1#flux") is None
    assert picture_bound(PaintRequest("a"), None) is None
    assert picture_bound(PaintRequest("a"), Price(input=1.0, output=1.0)) is None
    assert picture_cost(None, Usage(input_tokens=1, output_tokens=1)) is None
    assert picture_cost(Price(input=1.0, output=1.0), Usage()) is None
    assert picture_bound(PaintRequest("a"), FREE) == 0.0


def test_x16_the_bound_by_hand() -> None:
    price = Price(input=10.0, output=40.0, max_output=6240, image="tiles-65-129")
    # 64 marks + 4 bytes + 4 bytes in; 6,240 out.
    plain = picture_bound(PaintRequest("four", negative="blur"), price)
    assert plain == pytest.approx((72 * 10 + 6240 * 40) / 1e6)
    # References of one and of two tiles: 65 + 129 each, 6,240 for high fidelity, 16 marks.
    asked = PaintRequest("four", references=(dot(100, 100), dot(150, 100)))
    tokens = 68 + (65 + 129 + 6240 + 16) + (65 + 258 + 6240 + 16)
    assert picture_bound(asked, price) == pytest.approx((tokens * 10 + 6240 * 40) / 1e6)
    assert picture_bound(asked, PicturePrice(picture=0.3)) == 0.3


def test_x16_a_bound_is_above_what_the_dearest_picture_was_seen_to_cost() -> None:
    """gpt-image-1: 194 tokens of a square reference and 25 of text; high quality, upright."""
    price = paint_price_of("openai/gpt-image-1")
    seen = picture_cost(price, Usage(input_tokens=219, output_tokens=6240))
    bound = picture_bound(PaintRequest("a red door", references=(dot(1024, 1024),)), price)
    assert seen is not None and bound is not None
    assert seen <= bound <= 1.3 * seen


def test_x16_a_price_can_be_given_in_the_painters_name() -> None:
    own = http_painter("http://127.0.0.1:1/v1#flux?price=0.02&width=512")
    assert own.price == PicturePrice(picture=0.02)
    # It changes no picture, so neither name nor fingerprint: a run can go on with another price.
    assert own.name == "http://127.0.0.1:1/v1#flux?width=512"
    assert own.fingerprint == http_painter("http://127.0.0.1:1/v1#flux?width=512").fingerprint
    free = http_painter("http://127.0.0.1:1/v1#flux?price=0")
    assert picture_bound(PaintRequest("a"), free.price) == 0.0
    assert http_painter("http://127.0.0.1:1/v1#flux").price is None


def test_x16_painters_on_this_machine_cost_no_money() -> None:
    assert not is_paid(SketchPainter())
    assert is_paid(http_painter("http://127.0.0.1:1/v1#flux"))
