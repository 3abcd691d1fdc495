"""The ledger in a file: full disks, wrong files, secrets, identities."""

from __future__ import annotations

import asyncio
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
import sqlalchemy as sql
from hypothesis import given
from hypothesis import strategies as st

from eyeprint.errors import CannotWrite, DataError, StoreError, UsageError
from eyeprint.models.chat_http import http_chat
from eyeprint.models.fakes import CountingChat, EchoChat, ScriptedChat
from eyeprint.models.kinds import ChatRequest, Message
from eyeprint.store.ledger import (
    Ledger,
    LedgerChat,
    identity_of,
    ledger_name,
    request_json,
)
from eyeprint.store.ledger_desk import ReplyNotKept
from eyeprint.store.run_folder import RunFolder
from tests.servers.local_chat import LocalChatServer


def ask(text: str, **parameters: object) -> ChatRequest:
    return ChatRequest(messages=(Message(role="user", text=text),), **parameters)  # type: ignore[arg-type]


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
    assert f"eyeprint ledger take-in {rescued} --ledger" in str(caught.value)
    with Ledger(tmp_path / "ledger.sqlite") as ledger:
        assert ledger.take_in(rescued) == 1
        assert ledger.take_in(rescued) == 0, "a second time, there is nothing new in it"
        assert sum(1 for _ in ledger.kept()) == kept_before + 1 == calls
        assert asyncio.run(ledger.wrap(inner).reply(ask(f"q{calls - 1}"))).from_ledger
    assert inner.calls == calls


def test_when_nothing_can_be_kept_the_error_holds_the_reply(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "in-the-way").touch()  # a file, where the rescue needs a folder
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "in-the-way"))
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


@pytest.mark.parametrize("text", ["x", "index,prediction\n1,A\n", "SQLite format 3"])
def test_a_tiny_file_that_is_no_ledger_is_left_alone(tmp_path: Path, text: str) -> None:
    file = tmp_path / "answers.csv"
    file.write_text(text)
    with pytest.raises(StoreError, match="no ledger"):
        Ledger(file)
    assert file.read_text() == text


def test_a_database_with_other_tables_of_our_names_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "l.sqlite"
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE eyeprint_reply (a)")
    with pytest.raises(StoreError, match="no ledger: no such column"):
        Ledger(path)
    with sqlite3.connect(path) as database:
        tables = database.execute("SELECT name FROM sqlite_master").fetchall()
    assert tables == [("eyeprint_reply",)]


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
