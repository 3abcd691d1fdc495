"""Prices: unknown is not 0, and the bound is a bound (CHECKLIST X16)."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyeprint.errors import UsageError
from eyeprint.models.kinds import ChatRequest, Message, Usage
from eyeprint.models.prices import (
    FREE,
    Price,
    cost_bound,
    cost_of,
    input_bound,
    output_bound,
    price_of,
    price_table,
    read_price,
)


def ask(text: str, max_tokens: int | None = None) -> ChatRequest:
    return ChatRequest(messages=(Message(role="user", text=text),), max_tokens=max_tokens)


def test_x16_every_price_is_dated_and_bounded() -> None:
    table = price_table()
    assert {"openai/gpt-4o-mini", "gemini/gemini-2.5-pro"} <= set(table)
    for name, price in table.items():
        assert re.fullmatch(r"20\d\d-[01]\d", price.as_of), name
        assert price.max_output is not None, name
        assert 0 < price.input <= price.output, name


def test_x16_an_unknown_price_is_none_never_zero() -> None:
    assert price_of("vllm/anything") is None
    assert cost_of(None, Usage(input_tokens=1, output_tokens=1)) is None
    assert cost_bound(ask("hi", 5), None) is None


def test_x16_unknown_usage_is_an_unknown_cost_save_for_free_models() -> None:
    assert cost_of(Price(input=1, output=1), Usage(input_tokens=5)) is None
    assert cost_of(FREE, Usage()) == 0.0
    assert cost_bound(ask("hi"), FREE) == 0.0


def test_x16_cost_by_hand() -> None:
    # 1,000,000 in at $0.15 and 500,000 out at $0.60: 0.15 + 0.30.
    usage = Usage(input_tokens=1_000_000, output_tokens=500_000)
    assert cost_of(price_of("openai/gpt-4o-mini"), usage) == pytest.approx(0.45)


def test_x16_without_max_tokens_the_models_own_limit_bounds_the_output() -> None:
    assert output_bound(ask("hi"), price_of("openai/gpt-4o-mini")) == 16384
    assert output_bound(ask("hi", 10), price_of("openai/gpt-4o-mini")) == 10
    assert output_bound(ask("hi"), Price(input=1, output=1)) is None
    assert cost_bound(ask("hi"), Price(input=1, output=1)) is None


def test_the_bound_covers_characters_that_normalising_lengthens() -> None:
    # U+FDFA is 3 bytes of UTF-8; NFKC makes 18 characters, 33 bytes of it.
    assert input_bound(ask("\ufdfa")) - input_bound(ask("")) == 33


@given(st.text(st.characters(exclude_categories=("Cs",))))
def test_the_bound_is_at_least_the_bytes(text: str) -> None:
    assert input_bound(ask(text)) >= len(text.encode()) + 80


@given(st.text(), st.integers(1, 5000))
def test_the_cost_bound_covers_every_reply_within_it(text: str, max_tokens: int) -> None:
    price, request = Price(input=3.0, output=15.0), ask(text, max_tokens)
    worst = Usage(input_tokens=input_bound(request), output_tokens=max_tokens)
    assert cost_bound(request, price) == cost_of(price, worst)


@pytest.mark.parametrize("text", ["", "1", "1,2,3", "a,b", "-1,2", "nan,1", "inf,1"])
def test_a_price_that_is_none_is_a_usage_error(text: str) -> None:
    with pytest.raises(UsageError, match=r"0\.15,0\.60"):
        read_price(text)


def test_prices_as_users_write_them() -> None:
    assert (read_price(" 1 , 2.5 ").input, read_price("1,2.5").output) == (1.0, 2.5)
    assert read_price("FREE") == FREE
