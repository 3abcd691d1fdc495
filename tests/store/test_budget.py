"""Budgets: never passed, and never stopping early for calls that turn out cheap (X16)."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyeprint.errors import BudgetReached, UsageError
from eyeprint.models.kinds import ChatRequest, Message, Reply, Usage
from eyeprint.models.prices import FREE, Price
from eyeprint.store.accounts import Accounts
from eyeprint.store.budget import Budget

ONE = ChatRequest(messages=(Message(role="user", text="q"),), max_tokens=10)


def answered(cost: float | None) -> Reply:
    return Reply(text="x", cost_usd=cost)


def test_x16_a_call_that_could_pass_the_limit_is_refused() -> None:
    budget = Budget(1.0)

    async def calls() -> None:
        await budget.reserve("m", 0.6)
        budget.settle(0.6, answered(0.5))
        await budget.reserve("m", 0.5)
        budget.settle(0.5, answered(0.3))
        with pytest.raises(BudgetReached, match=r"\$0\.8000 are spent.*\$0\.2100"):
            await budget.reserve("m", 0.21)
        await budget.reserve("m", 0.2)

    asyncio.run(calls())
    assert budget.spent == pytest.approx(0.8)


def test_x16_a_call_waits_for_others_that_may_turn_out_cheap() -> None:
    budget = Budget(1.0)
    order: list[str] = []

    async def first() -> None:
        await budget.reserve("m", 0.9)
        await asyncio.sleep(0.02)
        order.append("first")
        budget.settle(0.9, answered(0.1))

    async def second() -> None:
        await asyncio.sleep(0)
        await budget.reserve("m", 0.9)
        order.append("second")

    async def both() -> None:
        await asyncio.gather(first(), second())

    asyncio.run(both())
    assert order == ["first", "second"]


def test_x16_a_waiting_call_is_refused_when_the_others_were_dear() -> None:
    budget = Budget(1.0)

    async def both() -> None:
        await budget.reserve("m", 0.9)
        waiting = asyncio.ensure_future(budget.reserve("m", 0.9))
        await asyncio.sleep(0)
        budget.settle(0.9, answered(0.8))
        with pytest.raises(BudgetReached):
            await waiting

    asyncio.run(both())


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), max_size=30), st.floats(0, 5))
def test_x16_spent_never_exceeds_the_limit(calls: list[tuple[float, float]], limit: float) -> None:
    """Replies cost some share of their bound, in any order of settling."""
    budget = Budget(limit)

    async def one(bound: float, share: float) -> None:
        try:
            await budget.reserve("m", bound)
        except BudgetReached:
            return
        assert budget.spent + budget.set_aside <= limit + 1e-9
        await asyncio.sleep(share / 1e4)
        budget.settle(bound, answered(bound * share))

    async def all_at_once() -> None:
        await asyncio.gather(*(one(bound, share) for bound, share in calls))

    asyncio.run(all_at_once())
    assert budget.spent <= limit + 1e-9
    assert budget.set_aside == 0.0


@pytest.mark.parametrize(
    ("reply", "booked"),
    [
        (answered(0.25), 0.25),
        (answered(None), 0.5),
        (Reply(outcome="truncated", cost_usd=0.1), 0.1),
        (Reply(outcome="failed", failure="rate_limit"), 0.0),
        (Reply(outcome="failed", failure="timeout"), 0.5),
        (Reply(outcome="failed", failure="bad_reply"), 0.5),
        (Reply(outcome="failed", failure="server_error"), 0.0),
        (Reply(outcome="failed", failure="server_error", maybe_billed=True), 0.5),
        (None, 0.5),
    ],
)
def test_x16_what_is_booked(reply: Reply | None, booked: float) -> None:
    budget = Budget(1.0)
    asyncio.run(budget.reserve("m", 0.5))
    budget.settle(0.5, reply)
    assert budget.spent == booked


def test_x16_bounds() -> None:
    # 64 + 16 + 1 tokens in at most, 10 out: 81 * $1 + 10 * $2 per million.
    assert Budget(1).bound("m", ONE, Price(input=1, output=2)) == pytest.approx(101e-6)
    assert Budget(0).bound("m", ONE, FREE) == 0.0
    with pytest.raises(UsageError, match="not known"):
        Budget(1).bound("m", ONE, None)


def test_a_budget_of_nothing_allows_what_is_free() -> None:
    asyncio.run(Budget(0).reserve("m", 0.0))
    with pytest.raises(BudgetReached):
        asyncio.run(Budget(0).reserve("m", 1e-9))


@pytest.mark.parametrize("limit", [-1.0, float("nan"), float("inf")])
def test_a_budget_is_a_sum_of_money(limit: float) -> None:
    with pytest.raises(UsageError):
        Budget(limit)


def test_x16_accounts_tell_unknown_costs_apart() -> None:
    accounts = Accounts()
    usage = Usage(input_tokens=5, output_tokens=2)
    accounts.book_call("a", Reply(text="x", usage=usage, cost_usd=0.5, seconds=1.0))
    accounts.book_call("a", Reply(outcome="failed", failure="timeout", seconds=2.0))
    assert accounts.spent_usd() == 0.5
    accounts.book_call("b", Reply(text="x", usage=usage))
    assert accounts.spent_usd() is None
    a, b = accounts.all()
    assert (a.calls, a.input_tokens, a.output_tokens, a.seconds) == (2, 5, 2, 3.0)
    assert (a.outcomes, a.failures) == ({"answered": 1, "failed": 1}, {"timeout": 1})
    assert (a.cost_unknown, b.cost_unknown) == (0, 1)
