"""The ledger on real databases: SQLite always, PostgreSQL where a server is given."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import sqlalchemy as sql

from eyeprint.errors import BudgetReached, StoreError, UsageError
from eyeprint.models.fakes import CountingChat, EchoChat, FlakyChat, ScriptedChat
from eyeprint.models.kinds import ChatRequest, Message, Reply, Usage
from eyeprint.models.prices import Price
from eyeprint.store import ledger_tables
from eyeprint.store.budget import Budget
from eyeprint.store.ledger import (
    Ledger,
    identity_of,
)
from eyeprint.store.ledger_tables import ledger_url

POSTGRES = os.environ.get("EYEPRINT_TEST_POSTGRES")
Open = Callable[[], Ledger]


@pytest.fixture(
    params=[
        "sqlite",
        pytest.param(
            "postgres",
            marks=[
                pytest.mark.postgres,
                pytest.mark.skipif(not POSTGRES, reason="EYEPRINT_TEST_POSTGRES is not set"),
            ],
        ),
    ]
)
def open_ledger(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Open]:
    """A function that opens the same, at first empty, ledger again and again."""
    place: str | Path = tmp_path / "deep" / "ledger.sqlite"
    if request.param == "postgres":
        assert POSTGRES is not None
        name = f"eyeprint_{os.getpid()}"
        admin = sql.create_engine(ledger_url(POSTGRES), isolation_level="AUTOCOMMIT")
        with admin.connect() as connection:
            connection.exec_driver_sql(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
            connection.exec_driver_sql(f"CREATE DATABASE {name}")
        admin.dispose()
        place = ledger_url(POSTGRES).set(database=name).render_as_string(hide_password=False)
    opened: list[Ledger] = []

    def open_one() -> Ledger:
        opened.append(Ledger(place))
        return opened[-1]

    yield open_one
    for ledger in opened:
        ledger.close()


def ask(text: str, **parameters: object) -> ChatRequest:
    return ChatRequest(messages=(Message(role="user", text=text),), **parameters)  # type: ignore[arg-type]


def test_x1_an_answer_is_served_again_without_a_call(open_ledger: Open) -> None:
    inner = CountingChat(EchoChat())
    with open_ledger() as ledger:
        first = asyncio.run(ledger.wrap(inner).reply(ask("a red door")))
    with open_ledger() as ledger:
        second = asyncio.run(ledger.wrap(inner).reply(ask("a red door")))
        assert ledger.accounts.of("echo").from_ledger == 1
    assert inner.calls == 1
    assert (first.from_ledger, second.from_ledger) == (False, True)
    assert second == first.model_copy(update={"from_ledger": True})


@pytest.mark.parametrize("outcome", ["empty", "truncated", "refused", "failed"])
def test_x9_what_is_no_answer_is_kept_counted_and_asked_again_by_the_next_run(
    open_ledger: Open, outcome: str
) -> None:
    bad = Reply(text="", outcome=outcome, failure="timeout" if outcome == "failed" else None)  # type: ignore[arg-type]
    inner = CountingChat(FlakyChat(EchoChat(), failures=2, reply=bad))
    for expected in (outcome, outcome, "answered", "answered"):
        with open_ledger() as ledger:
            chat = ledger.wrap(inner)
            replies = [asyncio.run(chat.reply(ask("q"))) for _ in range(2)]
            assert [reply.outcome for reply in replies] == [expected, expected]
    assert inner.calls == 3, "once in each of three runs; the fourth run has the answer"
    with open_ledger() as ledger:
        kept = list(ledger.kept(identity_of("echo", ask("q"))))
        assert [(one.attempt, one.reply.outcome) for one in kept] == [
            (1, outcome),
            (2, outcome),
            (3, "answered"),
        ]
        totals = [(one.model, one.outcome, one.replies) for one in ledger.totals()]
        assert totals == [("echo", "answered", 1), ("echo", outcome, 2)]


def test_identical_requests_at_once_are_one_call(open_ledger: Open) -> None:
    inner = CountingChat(EchoChat(seconds=0.02))

    async def many(ledger: Ledger) -> list[Reply]:
        chat = ledger.wrap(inner)
        return await asyncio.gather(*(chat.reply(ask(f"q{i % 5}")) for i in range(200)))

    with open_ledger() as ledger:
        replies = asyncio.run(many(ledger))
        account = ledger.accounts.of("echo")
    assert [reply.text for reply in replies] == [f"q{i % 5}" for i in range(200)]
    assert inner.calls == 5
    assert (account.calls, account.joined) == (5, 195)


def test_a_failure_at_once_or_later_in_a_run_is_one_outcome(open_ledger: Open) -> None:
    inner = CountingChat(FlakyChat(EchoChat(seconds=0.01)))

    async def together(ledger: Ledger) -> list[Reply]:
        chat = ledger.wrap(inner)
        return await asyncio.gather(*(chat.reply(ask("q")) for _ in range(3)))

    with open_ledger() as ledger:
        assert {reply.outcome for reply in asyncio.run(together(ledger))} == {"failed"}
        assert asyncio.run(ledger.wrap(inner).reply(ask("q"))).outcome == "failed"
    assert inner.calls == 1


def test_an_asker_that_is_cancelled_does_not_lose_the_reply(open_ledger: Open) -> None:
    inner = CountingChat(EchoChat(seconds=0.05))

    async def impatient(ledger: Ledger) -> None:
        chat = ledger.wrap(inner)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(chat.reply(ask("q")), 0.01)
        assert (await chat.reply(ask("q"))).text == "q"

    with open_ledger() as ledger:
        asyncio.run(impatient(ledger))
    assert inner.calls == 1


def test_two_ledgers_on_one_database_keep_attempts_apart_and_agree(open_ledger: Open) -> None:
    """Two processes may both pay for a request at once; from then on one answer counts."""

    async def both(one: Ledger, other: Ledger) -> tuple[list[Reply], list[Reply]]:
        a = one.wrap(ScriptedChat(lambda r: f"a {r.messages[0].text}", name="m"))
        b = other.wrap(ScriptedChat(lambda r: f"b {r.messages[0].text}", name="m"))
        requests = [ask(f"q{i}") for i in range(100)]
        first, second = await asyncio.gather(
            asyncio.gather(*(a.reply(request) for request in requests)),
            asyncio.gather(*(b.reply(request) for request in requests)),
        )
        return first, second

    with open_ledger() as one, open_ledger() as other:
        first, second = asyncio.run(both(one, other))
        numbers: dict[str, list[int]] = {}
        for kept in one.kept():
            numbers.setdefault(kept.key, []).append(kept.attempt)
    assert [reply.text for reply in first] == [reply.text for reply in second]
    assert len(numbers) == 100
    assert all(attempts in ([1], [1, 2]) for attempts in numbers.values())


def test_x16_everything_about_a_reply_is_kept(open_ledger: Open) -> None:
    reply = Reply(
        text='हिन्दी العربية 中文 😀 "x,} y"\n',
        finish_reason="stop",
        served_model="m-2026-01-01",
        usage=Usage(input_tokens=1_000_000, output_tokens=500_000),
        seconds=1.25,
        detail="d",
    )
    request = ask("q", temperature=0.1, seed=7, stop=("a", "b"))
    with open_ledger() as ledger:
        chat = ledger.wrap(ScriptedChat([reply], name="m"), price=Price(input=2.0, output=4.0))
        asyncio.run(chat.reply(request))
    with open_ledger() as ledger:
        kept = next(ledger.kept())
        assert ledger.request(kept.key) == request
        assert ledger.request("0" * 64) is None
    # 1 M tokens at $2 and half a million at $4.
    assert kept.reply == reply.model_copy(update={"from_ledger": True, "cost_usd": 4.0})
    assert kept.made_at.startswith("20")
    assert kept.made_at.endswith("+00:00")


def test_odd_characters_read_the_same_now_and_later(open_ledger: Open) -> None:
    chat = ScriptedChat([Reply(text="a\x00b\ud800c", served_model="m\x00")], name="m")
    request = ask("q\ud800\x00")
    with open_ledger() as ledger:
        first = asyncio.run(ledger.wrap(chat).reply(request))
    with open_ledger() as ledger:
        second = asyncio.run(ledger.wrap(chat).reply(request))
    assert first.text == second.text == "a�b�c"


def test_answered_knows_many_keys(open_ledger: Open) -> None:
    async def fill(ledger: Ledger) -> None:
        chat = ledger.wrap(EchoChat())
        await asyncio.gather(*(chat.reply(ask(f"q{i}")) for i in range(700)))
        await chat.reply(ask(" "))

    with open_ledger() as ledger:
        asyncio.run(fill(ledger))
        keys = [identity_of("echo", ask(f"q{i}")) for i in range(1400)]
        keys.append(identity_of("echo", ask(" ")))
        assert ledger.answered(keys) == set(keys[:700])
        assert sum(1 for _ in ledger.kept()) == 701


def test_migrations_run_once_and_in_order(
    open_ledger: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_ledger() as ledger:
        asyncio.run(ledger.wrap(EchoChat()).reply(ask("q")))

    def add_note(connection: sql.Connection) -> None:
        connection.execute(sql.text("ALTER TABLE eyeprint_reply ADD COLUMN note VARCHAR"))

    newer = (*ledger_tables.MIGRATIONS, add_note)
    with monkeypatch.context() as patch:
        patch.setattr(ledger_tables, "MIGRATIONS", newer)
        for _ in range(2):
            with open_ledger() as ledger:
                assert asyncio.run(ledger.wrap(EchoChat()).reply(ask("q"))).from_ledger
    with pytest.raises(StoreError, match="newer eyeprint"):
        open_ledger()


def test_a_ledger_that_is_closed_says_so(open_ledger: Open) -> None:
    ledger = open_ledger()
    chat = ledger.wrap(EchoChat())
    ledger.close()
    ledger.close()
    with pytest.raises(StoreError, match="closed"):
        asyncio.run(chat.reply(ask("q")))


def test_budget_counts_new_calls_only(open_ledger: Open) -> None:
    # One word is one token for the fake; $1 a token: three calls of $1 + $1 fit into $7,
    # the bound of a call being its bytes + 80 tokens in ... so the price of input is tiny.
    price = Price(input=1e-9, output=1e6)
    with open_ledger() as ledger:
        chat = ledger.wrap(EchoChat(), Budget(3.5), price=price)
        for i in range(3):
            asyncio.run(chat.reply(ask(f"q{i}", max_tokens=1)))
        with pytest.raises(BudgetReached, match=r"\$3\.50"):
            asyncio.run(chat.reply(ask("q3", max_tokens=1)))
    with open_ledger() as ledger:
        budget = Budget(1.5)
        chat = ledger.wrap(EchoChat(), budget, price=price)
        for i in range(4):
            asyncio.run(chat.reply(ask(f"q{i}", max_tokens=1)))
        assert budget.spent == pytest.approx(1.0, rel=1e-6)


def test_x16_a_budget_needs_a_price(open_ledger: Open) -> None:
    inner = CountingChat(EchoChat())
    with open_ledger() as ledger:
        with pytest.raises(UsageError, match="--price"):
            asyncio.run(ledger.wrap(inner, Budget(5.0)).reply(ask("q", max_tokens=1)))
        with pytest.raises(UsageError, match="max_tokens"):
            chat = ledger.wrap(inner, Budget(5.0), price=Price(input=1, output=1))
            asyncio.run(chat.reply(ask("q")))
    assert inner.calls == 0
