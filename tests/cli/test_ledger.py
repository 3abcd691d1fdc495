"""``eyeprint ledger``: counts, costs, and replies that could not be kept."""

import asyncio

import pytest

from eyeprint.cli.main import run_command
from eyeprint.models.fakes import EchoChat, FlakyChat, ScriptedChat
from eyeprint.models.kinds import ChatRequest, Message, Reply
from eyeprint.store.ledger import Ledger, request_json
from eyeprint.store.ledger_desk import Entry, rescue_lines


def ask(text: str) -> ChatRequest:
    return ChatRequest(messages=(Message(role="user", text=text),))


@pytest.fixture
def place(tmp_path):
    path = tmp_path / "ledger.sqlite"
    paid = ScriptedChat([Reply(text="a", cost_usd=0.25), Reply(text="b", cost_usd=0.5)], "paid")
    with Ledger(path) as ledger:
        for chat, text in ((paid, "q0"), (paid, "q1"), (FlakyChat(EchoChat("[m]")), "q2")):
            asyncio.run(ledger.wrap(chat).reply(ask(text)))
    return path


def rescue_file(tmp_path, *texts: str) -> str:
    entries = [
        Entry(str(i) * 64, "paid", request_json(ask(text)), Reply(text=text), f"2026-01-0{i}")
        for i, text in enumerate(texts, start=1)
    ]
    path = tmp_path / "rescue.jsonl"
    path.write_bytes(b"".join(rescue_lines(entries)))
    return str(path)


def test_x16_replies_are_counted_by_model_and_outcome_with_their_cost(place, capsys):
    assert run_command(["ledger", "show", "--ledger", str(place)]) == 0
    shown = capsys.readouterr().out
    rows = [[cell.strip() for cell in line.strip("│").split("│")] for line in shown.splitlines()]
    assert ["[m]", "failed", "1", "-", "1"] in rows
    assert ["paid", "answered", "2", "0.7500", ""] in rows
    assert f"3 replies in sqlite:///{place}: $0.7500, and 1 reply of unknown cost" in " ".join(
        shown.split()
    )


def test_x1_rescued_replies_are_taken_in_once(place, tmp_path, capsys, monkeypatch):
    file = rescue_file(tmp_path, "one", "two")
    monkeypatch.setenv("EYEPRINT_LEDGER", str(place))
    assert run_command(["ledger", "take-in", file]) == 0
    assert "2 replies taken into" in capsys.readouterr().out
    assert run_command(["ledger", "take-in", file]) == 0
    assert "0 replies taken into" in capsys.readouterr().out
    with Ledger(place) as ledger:
        assert [one.reply.text for one in ledger.kept()][-2:] == ["one", "two"]
        assert ledger.request("1" * 64) == ask("one")


def test_a_ledger_that_is_not_there_is_told_and_not_made(tmp_path, capsys):
    assert run_command(["ledger", "show", "--ledger", str(tmp_path / "no.sqlite")]) == 2
    assert "no ledger at" in capsys.readouterr().err
    assert not (tmp_path / "no.sqlite").exists()


def test_another_file_is_no_rescue_file(place, tmp_path, capsys):
    (tmp_path / "x.jsonl").write_text("{}")
    assert (
        run_command(["ledger", "take-in", str(tmp_path / "x.jsonl"), "--ledger", str(place)]) == 1
    )
    assert "no file of rescued replies" in capsys.readouterr().err
