"""Dry runs count calls and bound their cost (CHECKLIST X16)."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from eyeprint.models.fakes import CountingChat, EchoChat, FlakyChat
from eyeprint.models.kinds import Chat, ChatRequest, Message
from eyeprint.models.prices import FREE, Price
from eyeprint.store.dry_run import plan_calls
from eyeprint.store.ledger import Ledger


def ask(text: str, max_tokens: int | None = 10) -> ChatRequest:
    return ChatRequest(messages=(Message(role="user", text=text),), max_tokens=max_tokens)


def test_x16_only_calls_without_an_answer_count() -> None:
    chat = CountingChat(EchoChat("a"))
    with Ledger(":memory:") as ledger:
        kept = ledger.wrap(chat)
        asyncio.run(kept.reply(ask("q0")))
        asyncio.run(ledger.wrap(FlakyChat(EchoChat("a"))).reply(ask("q1")))
        before = chat.calls

        def asked() -> Iterator[tuple[Chat, ChatRequest]]:
            for i in range(1200):
                yield kept, ask(f"q{i % 600}")

        (plan,) = plan_calls(asked(), ledger, {"a": Price(input=1.0, output=100.0)})
    assert chat.calls == before, "a dry run calls nobody"
    assert (plan.requests, plan.answered, plan.calls) == (600, 1, 599), "q1 failed, so it counts"
    # Each of the 599 has 80 tokens for templates and 2 to 4 bytes: 9 of 2, 90 of 3, 500 of 4.
    assert plan.input_tokens == 599 * 80 + 9 * 2 + 90 * 3 + 500 * 4
    assert plan.output_tokens == 5990
    assert plan.cost_usd == pytest.approx((plan.input_tokens + 100 * 5990) / 1e6)


def test_x16_unknown_prices_and_lengths_stay_unknown() -> None:
    plans = plan_calls(
        [
            (EchoChat("b"), ask("q", None)),
            (EchoChat("openai/gpt-4o-mini"), ask("q", None)),
            (EchoChat("c"), ask("q")),
        ],
        prices={"c": FREE},
    )
    b, c, mini = plans
    assert (b.model, b.output_tokens, b.cost_usd, b.as_of) == ("b", None, None, None)
    assert (c.cost_usd, c.as_of) == (0.0, "given by you")
    assert (mini.output_tokens, mini.as_of) == (16384, "2025-06")
    assert mini.cost_usd == pytest.approx((81 * 0.15 + 16384 * 0.6) / 1e6)


def test_nothing_asked_is_nothing_planned() -> None:
    assert plan_calls([]) == ()
