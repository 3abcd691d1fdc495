"""Budgets hold for the calls that are made again within one reply (X16), on a real server."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from eyeprint.errors import BudgetReached
from eyeprint.models.attempts import payer
from eyeprint.models.chat_http import HttpSettings, http_chat
from eyeprint.models.fakes import CountingChat
from eyeprint.models.kinds import Chat, ChatRequest, Message, Reply
from eyeprint.models.prices import Price
from eyeprint.models.retries import RetryPolicy
from eyeprint.store.budget import Budget, OneReply
from eyeprint.store.ledger import Ledger, identity_of
from tests.servers.local_chat import LocalChatServer

# Input costs next to nothing, so the bound of a call is its 1000 tokens of output: $0.001.
PRICE = Price(input=1e-9, output=1.0)
BOUND = 0.001
IMPATIENT = HttpSettings(timeout=0.15, retry=RetryPolicy(attempts=6, first_wait=0.001))


@pytest.fixture(scope="module")
def server() -> Iterator[LocalChatServer]:
    with LocalChatServer() as running:
        yield running


def ask(text: str) -> ChatRequest:
    return ChatRequest(messages=(Message(role="user", text=text),), max_tokens=1000)


def replies_within(
    server: LocalChatServer,
    budget: Budget,
    texts: list[str],
    rules: list[dict[str, Any]],
    wrap: type[CountingChat] | None = None,
) -> list[Reply | BaseException]:
    server.control(rules=rules, reset=True, latency=0.0)
    chat: Chat = http_chat(server.model(), settings=IMPATIENT, price=PRICE)
    inner = chat if wrap is None else wrap(chat)

    async def all_at_once() -> list[Reply | BaseException]:
        with Ledger(":memory:") as ledger:
            kept = ledger.wrap(inner, budget, price=PRICE)
            return await asyncio.gather(
                *(kept.reply(ask(text)) for text in texts), return_exceptions=True
            )

    return asyncio.run(all_at_once())


@pytest.mark.parametrize("wrap", [None, CountingChat])
def test_x16_hanging_replies_cannot_pass_the_budget(
    server: LocalChatServer, wrap: type[CountingChat] | None
) -> None:
    budget = Budget(1.5 * BOUND)
    (end,) = replies_within(server, budget, ["q"], [{"hang": True}], wrap)
    assert isinstance(end, BudgetReached)
    assert "of it for calls without a reply" in str(end)
    # A second call could cost another $0.001, and only half of that is left.
    assert server.counts()["received"] == {"q": 1}
    assert budget.spent == pytest.approx(BOUND)
    assert budget.set_aside == 0.0


def test_x16_every_call_without_a_reply_is_booked_at_its_bound(server: LocalChatServer) -> None:
    budget = Budget(10 * BOUND)
    (end,) = replies_within(server, budget, ["q"], [{"hang": True}])
    assert isinstance(end, Reply)
    assert (end.outcome, end.failure) == ("failed", "timeout")
    assert server.counts()["received"] == {"q": 6}
    assert budget.spent == budget.unseen == pytest.approx(6 * BOUND)


def test_x16_many_at_once_stay_within_what_every_call_could_cost(server: LocalChatServer) -> None:
    budget = Budget(7.5 * BOUND)
    replies_within(server, budget, [f"q{i}" for i in range(5)], [{"hang": True}])
    calls = sum(server.counts()["received"].values())
    assert calls == 7, "each may be billed at $0.001, and $0.0075 are there"
    assert budget.spent == pytest.approx(7 * BOUND)


@pytest.mark.parametrize(
    ("rule", "unseen"),
    [
        ({"hang": True}, 2),
        ({"drop": True}, 2),
        ({"status": 500}, 2),
        ({"status": 504}, 2),
        ({"status": 408}, 2),
        ({"status": 429}, 0),
        ({"status": 503}, 0),
    ],
)
def test_x16_only_what_may_have_been_done_is_booked(
    server: LocalChatServer, rule: dict[str, Any], unseen: int
) -> None:
    budget = Budget(10 * BOUND)
    (end,) = replies_within(server, budget, ["q"], [rule | {"times": 2}, {"text": "yes"}])
    assert isinstance(end, Reply)
    assert end.text == "yes"
    assert budget.unseen == pytest.approx(unseen * BOUND)
    assert end.cost_usd is not None
    assert budget.spent == pytest.approx(unseen * BOUND + end.cost_usd)


def test_x16_a_server_that_is_not_there_costs_nothing() -> None:
    budget = Budget(1.5 * BOUND)
    chat = http_chat("http://127.0.0.1:9/v1#m", settings=IMPATIENT, price=PRICE)
    with Ledger(":memory:") as ledger:
        end = asyncio.run(ledger.wrap(chat, budget, price=PRICE).reply(ask("q")))
    assert (end.failure, budget.spent) == ("connection", 0.0)


def test_x16_a_call_that_is_cut_off_is_booked_at_its_bound(server: LocalChatServer) -> None:
    server.control(rules=[{"hang": True}], reset=True)
    budget = Budget(2 * BOUND)
    patient = HttpSettings(timeout=30)

    async def cut_off() -> None:
        chat = http_chat(server.model(), settings=patient, price=PRICE)
        money = OneReply(budget, "m", BOUND)
        await money.first()
        try:
            with payer(money):
                await asyncio.wait_for(chat.reply(ask("q")), 0.1)
        finally:
            money.end(None)

    with pytest.raises(TimeoutError):
        asyncio.run(cut_off())
    assert budget.spent == BOUND


def test_x16_the_reply_after_a_budget_was_used_up_is_asked_again(server: LocalChatServer) -> None:
    """Nothing was kept of the calls without a reply, so a larger budget asks anew."""
    server.control(rules=[{"hang": True, "times": 1}, {"text": "yes"}], reset=True)
    chat = http_chat(server.model(), settings=IMPATIENT, price=PRICE)
    with Ledger(":memory:") as ledger:
        with pytest.raises(BudgetReached):
            asyncio.run(ledger.wrap(chat, Budget(1.5 * BOUND), price=PRICE).reply(ask("q")))
        assert not ledger.answered([identity_of(chat.ledger_name, ask("q"))])
        again = asyncio.run(ledger.wrap(chat, Budget(1.5 * BOUND), price=PRICE).reply(ask("q")))
    assert again.text == "yes"
