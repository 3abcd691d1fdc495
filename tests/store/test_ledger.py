"""The ledger on real databases: SQLite always, PostgreSQL where a server is given."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import sqlalchemy as sql
from hypothesis import given
from hypothesis import strategies as st

from eyeprint.errors import BudgetReached, CannotWrite, DataError, StoreError, UsageError
from eyeprint.models.chat_http import http_chat
from eyeprint.models.fakes import CountingChat, EchoChat, FlakyChat, ScriptedChat
from eyeprint.models.kinds import ChatRequest, Message, Reply, Usage
from eyeprint.models.prices import Price
from eyeprint.store import ledger_tables
from eyeprint.store.budget import Budget
from eyeprint.store.ledger import (
    AskAgain,
    Ledger,
    LedgerChat,
    identity_of,
    ledger_name,
    request_json,
)
from eyeprint.store.ledger_desk import ReplyNotKept
from eyeprint.store.ledger_tables import ledger_url
from eyeprint.store.run_folder import RunFolder
from tests.servers.local_chat import LocalChatServer

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
        assert ledger.counts() == {("echo", outcome): 2, ("echo", "answered"): 1}


def test_ask_again_within_a_run_when_told_to(open_ledger: Open) -> None:
    cut = Reply(text="A red do", outcome="truncated")
    inner = CountingChat(FlakyChat(EchoChat(), failures=2, reply=cut))
    with open_ledger() as ledger:
        chat = ledger.wrap(inner, again=AskAgain(truncated=1))
        assert asyncio.run(chat.reply(ask("q"))).outcome == "truncated"
        assert inner.calls == 2
        assert ledger.accounts.of("echo").outcomes == {"truncated": 2}


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


# --- SQLite alone ---------------------------------------------------------------------


def small_ledger(tmp_path: Path) -> Ledger:
    """A ledger whose database may not grow much further: SQLite's own 'disk is full'."""
    ledger = Ledger(tmp_path / "ledger.sqlite")
    ledger._desk.run(lambda db: db.exec_driver_sql("PRAGMA max_page_count = 30").all())
    return ledger


def test_a_full_disk_loses_no_reply_and_stops_new_calls(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    inner = CountingChat(ScriptedChat(lambda r: "word " * 20_000, name="m"))
    with small_ledger(tmp_path) as ledger:
        chat = ledger.wrap(inner)
        with pytest.raises(ReplyNotKept, match="full") as caught:
            for i in range(10):
                asyncio.run(chat.reply(ask(f"q{i}")))
        calls = inner.calls
        with pytest.raises(CannotWrite):
            asyncio.run(chat.reply(ask("another")))
        assert inner.calls == calls, "nothing is sent whose reply could not be kept"
        kept_before = sum(1 for _ in ledger.kept())
    assert isinstance(caught.value, CannotWrite)
    assert caught.value.replies[0].text == "word " * 20_000
    rescued = caught.value.rescued_to
    assert rescued is not None
    assert str(rescued) in str(caught.value)
    with Ledger(tmp_path / "ledger.sqlite") as ledger:
        assert ledger.take_in(rescued) == 1
        assert sum(1 for _ in ledger.kept()) == kept_before + 1 == calls
        assert asyncio.run(ledger.wrap(inner).reply(ask(f"q{calls - 1}"))).from_ledger
    assert inner.calls == calls


def test_when_nothing_can_be_kept_the_error_holds_the_reply(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "not-there"))
    inner = ScriptedChat(lambda r: "word " * 50_000, name="m")
    with (
        small_ledger(tmp_path) as ledger,
        pytest.raises(ReplyNotKept, match="asked again") as caught,
    ):
        asyncio.run(ledger.wrap(inner).reply(ask("q")))
    assert caught.value.rescued_to is None
    assert len(caught.value.replies) == 1


def test_take_in_refuses_other_files(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text('{"a": 1}\n')
    with Ledger(":memory:") as ledger, pytest.raises(DataError, match="rescued"):
        ledger.take_in(tmp_path / "x.jsonl")


def test_a_read_only_database_is_told(tmp_path: Path) -> None:
    Ledger(tmp_path / "ledger.sqlite").close()
    # Read-only for everybody, root too; a fresh migration needs to write.
    ledger = Ledger(f"sqlite:///file:{tmp_path}/ledger.sqlite?mode=ro&uri=true")
    inner = CountingChat(EchoChat())
    with ledger, pytest.raises(CannotWrite, match="permissions"):
        asyncio.run(ledger.wrap(inner).reply(ask("q")))


def test_a_folder_that_is_a_file_cannot_hold_a_ledger(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(CannotWrite, match="another folder"):
        Ledger(tmp_path / "file" / "ledger.sqlite")


def test_a_file_that_is_no_ledger_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("these are notes, not a database " * 100)
    with pytest.raises(StoreError, match="no ledger"):
        Ledger(path)
    assert path.read_text().startswith("these are notes")


def test_committed_means_durable_settings(tmp_path: Path) -> None:
    with Ledger(tmp_path / "l.sqlite") as ledger:
        pragmas = [
            ledger._desk.run(lambda db, p=p: db.exec_driver_sql(f"PRAGMA {p}").scalar())
            for p in ("journal_mode", "synchronous")
        ]
    assert pragmas == ["wal", 2], "write-ahead, and 2 = FULL"


def test_a_reply_is_in_the_file_before_it_is_handed_on(tmp_path: Path) -> None:
    path = tmp_path / "l.sqlite"

    async def look(ledger: Ledger) -> int:
        await ledger.wrap(EchoChat()).reply(ask("q"))
        with sqlite3.connect(path) as other:
            count = other.execute("SELECT count(*) FROM eyeprint_reply").fetchone()[0]
        other.close()
        return int(count)

    with Ledger(path) as ledger:
        assert asyncio.run(look(ledger)) == 1


@pytest.mark.parametrize("place", ["mysql://u:hush@h/d", "not a url://", "oracle://u:hush@h/d"])
def test_other_databases_are_refused_without_showing_passwords(place: str) -> None:
    with pytest.raises((UsageError, StoreError)) as caught:
        Ledger(place)
    assert "hush" not in str(caught.value)


def test_a_postgres_that_is_not_there_is_told_without_its_password() -> None:
    with pytest.raises(StoreError, match="cannot be reached") as caught:
        Ledger("postgresql+psycopg://me:hush@127.0.0.1:9/none")
    assert "hush" not in str(caught.value)
    assert "me:***@127.0.0.1" in str(caught.value)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_fault_in_the_ledgers_thread_leaves_nobody_waiting(tmp_path: Path) -> None:
    def broken(connection: sql.Connection) -> None:
        raise ZeroDivisionError

    with Ledger(tmp_path / "l.sqlite") as ledger:
        with pytest.raises(StoreError, match="ZeroDivisionError"):
            ledger._desk.run(broken)
        ledger._desk._thread.join()
        with pytest.raises(StoreError):
            asyncio.run(ledger.wrap(EchoChat()).reply(ask("q")))


def test_identity_depends_on_model_parameters_and_messages_alone() -> None:
    base = identity_of("m", ask("q", temperature=0.5))
    assert base == identity_of("m", ask("q", temperature=0.5, top_p=None))
    others = [
        identity_of("n", ask("q", temperature=0.5)),
        identity_of("m", ask("r", temperature=0.5)),
        identity_of("m", ask("q", temperature=0.6)),
        identity_of("m", ask("q", temperature=0.5, json_mode=True)),
    ]
    assert len({base, *others}) == 5
    # Fixed for good: a change would make every ledger pay again.
    assert request_json(ask("é", seed=1)) == (
        '{"messages":[{"role":"user","text":"\\u00e9"}],"seed":1}'
    )


@given(st.text(st.characters()), st.text(st.characters()))
def test_different_texts_have_different_identities(a: str, b: str) -> None:
    assert (identity_of("m", ask(a)) == identity_of("m", ask(b))) == (a == b)


def test_a_chat_may_have_another_name_in_the_ledger() -> None:
    chat = EchoChat()
    chat.ledger_name = "echo at home"  # type: ignore[attr-defined]
    assert ledger_name(chat) == "echo at home"
    with Ledger(":memory:") as ledger:
        asyncio.run(ledger.wrap(chat).reply(ask("q")))
        assert next(ledger.kept()).model == "echo at home"


def test_a_key_reaches_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key = "sk-very-secret-0123456789"
    monkeypatch.setenv("EYEPRINT_API_KEY", key)
    rules = [{"contains": "no", "status": 401, "error": f"Incorrect API key: {key}"}]

    async def both(chat: LedgerChat) -> list[str]:
        replies = [(await chat.reply(ask(text))).outcome for text in ("yes", "no")]
        await chat.close()
        return replies

    with (
        LocalChatServer(rules=rules) as server,
        RunFolder.open(tmp_path, {"model": "m"}) as run,
        Ledger(tmp_path / "ledger.sqlite") as ledger,
    ):
        inner = http_chat(server.model(), on_wait=lambda wait: run.log("wait", what=str(wait)))
        chat = ledger.wrap(inner)
        assert asyncio.run(both(chat)) == ["answered", "failed"]
        run.log(
            "failed", detail=next(one.reply.detail for one in ledger.kept() if one.reply.detail)
        )
        run.end_session(ledger.accounts, 1.0)
        assert server.counts()["last"]["headers"]["authorization"] == f"bearer {key}"
        assert key not in repr(chat) + repr(ledger.accounts.all())
    written = {path.name: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert "ledger.sqlite" in written
    for name, content in written.items():
        assert key.encode() not in content, name


def test_sqlalchemy_is_not_imported_before_a_ledger_is_opened() -> None:
    code = (
        "import sys, eyeprint.store.ledger, eyeprint.store.work, eyeprint.store.run_folder,"
        " eyeprint.models.chat_http, eyeprint.models.catalog;"
        "print([m for m in ('sqlalchemy', 'httpx2', 'openai') if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
