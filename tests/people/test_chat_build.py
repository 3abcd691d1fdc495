"""Builds by a chat model: resumed, budgeted, counted, and against a real server (X9, X16)."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from eyeprint.errors import BudgetReached, FolderMismatch
from eyeprint.models.kinds import Reply
from eyeprint.models.prices import Price
from eyeprint.people.build import BuildSettings, build_personas
from eyeprint.people.build_report import BuildReport
from eyeprint.people.chat_build import ChatShardWriter
from eyeprint.people.chat_estimate import estimate_people_by_chat
from eyeprint.people.chat_settings import ChatWriterSettings
from eyeprint.people.chat_writer import write_person
from eyeprint.records.files import open_people
from eyeprint.store.budget import Budget
from eyeprint.store.ledger import Ledger

HERE = Path(__file__).parent
KUMASI = "A tailor from Kumasi who says that she has never cut a pattern twice."
SEEDS = [KUMASI, "A bookkeeper who photographs stairs.", "A baker who films dough.", "A tuner."]


def _load(name: str, path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


script = _load("eyeprint_tests_writing_chat_build", HERE / "writing_chat.py")


@pytest.fixture
def seeds(tmp_path: Path) -> str:
    file = tmp_path / "seeds.txt"
    file.write_text("\n".join(SEEDS) + "\n", encoding="utf-8")
    return str(file)


def build(
    chat: Any,
    out: Path,
    seeds: str,
    *,
    n: int = 4,
    seed: int = 7,
    ledger: Path | None = None,
    budget: Budget | None = None,
    price: Price | None = None,
    **options: Any,
) -> BuildReport:
    with Ledger(ledger or out.with_name(out.name + ".sqlite")) as book:
        writer = ChatShardWriter(chat.name, lambda: book.wrap(chat, budget, price=price), **options)
        sizes = BuildSettings(n=n, people_per_shard=2)
        return build_personas(n, seed, out, writer, seeds=seeds, build=sizes)


def test_v10_v20_a_build_is_resumed_without_paying_twice(tmp_path, seeds):
    chat = script.WritingChat()
    built = build(chat, tmp_path / "a", seeds)
    assert (built.people, built.failed, chat.calls) == (4, 0, 160)
    people = open_people(tmp_path / "a")
    assert people.ids == ("p-00000", "p-00001", "p-00002", "p-00003")
    assert people[0].face["prompt"].startswith("photo of")
    assert people[0].build["elements_before_pruning"] == {
        "foreground": 16,
        "background": 16,
        "atmosphere": 16,
    }
    fresh = script.WritingChat()
    build(fresh, tmp_path / "b", seeds, ledger=tmp_path / "a.sqlite")
    assert fresh.calls == 0
    for name in ("people-00000.jsonl", "people-00001.jsonl", "people.json"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
    assert build(fresh, tmp_path / "a", seeds).shards_kept == 2
    with pytest.raises(FolderMismatch):
        build(fresh, tmp_path / "a", seeds, seed=8)


def test_v19_x9_people_left_out_are_counted_and_their_faults_kept_by_step(tmp_path, seeds):
    def bad_for_one(value: Any) -> str:
        return "" if value["country"] == "Ghana" else json.dumps(value)

    chat = script.WritingChat({"place": [bad_for_one] * 9})
    built = build(chat, tmp_path / "a", seeds)
    assert (built.people, built.failed) == (3, 1)
    manifest = json.loads((tmp_path / "a" / "people.json").read_text())
    (fault,) = manifest["statistics"]["faults"]
    person = next(p for p in ("p-00000", "p-00001", "p-00002", "p-00003") if fault.startswith(p))
    assert fault == f"{person}: place: it is empty (empty, after 3 replies)"
    assert person not in open_people(tmp_path / "a").ids
    calls = chat.calls
    again = build(chat, tmp_path / "a", seeds)
    assert again.failed == 1
    # Empty replies are no answers: the next run asks just those three again, nothing else.
    assert chat.calls == calls + 3
    assert json.loads((tmp_path / "a" / "people.json").read_text()) == manifest


def test_x9_posts_that_stay_invalid_are_named_in_the_person_s_record(tmp_path, seeds):
    def sometimes(value: Any) -> str:
        if value["caption"].split()[60] == "cobalt":
            value = value | {"caption": "Too short."}
        return json.dumps(value)

    build(script.WritingChat({"caption": [sometimes] * 3}), tmp_path / "a", seeds)
    for person in open_people(tmp_path / "a"):
        dropped = person.build["posts_dropped"]
        assert len(person.posts) == 30 - dropped
        assert len(person.build.get("faults", [])) == dropped
        assert all("2 words; make it longer" in fault for fault in person.build.get("faults", []))


def test_x9_a_person_whose_call_failed_is_made_by_the_next_run(tmp_path, seeds):
    down = Reply(outcome="failed", failure="server_error", detail="HTTP 500")
    chat = script.WritingChat({"caption": [lambda value: down]})
    built = build(chat, tmp_path / "a", seeds, n=1)
    assert (built.people, built.failed) == (0, 1)
    assert any("server_error" in note for note in built.notes)
    calls = chat.calls
    built = build(chat, tmp_path / "a", seeds, n=1)
    assert (built.people, built.failed) == (1, 0)
    assert chat.calls == calls + 30  # the captions alone; all else was in the ledger


def test_x16_the_budget_stops_the_build_and_what_was_paid_is_kept(tmp_path, seeds):
    price = Price(input=1.0, output=1.0)
    chat = script.WritingChat(cost=0.001)
    budget = Budget(0.05)
    with pytest.raises(BudgetReached):
        build(chat, tmp_path / "a", seeds, budget=budget, price=price)
    assert budget.spent <= 0.05 and 0 < chat.calls < 160
    built = build(chat, tmp_path / "a", seeds, price=price)
    assert built.people == 4 and chat.calls == 160


def test_x17_no_more_calls_at_once_than_allowed(tmp_path, seeds):
    chat = script.WritingChat()
    build(chat, tmp_path / "a", seeds, calls_at_once=3)
    assert chat.most_at_once == 3


def test_x16_the_estimate_holds_for_good_and_for_bad_replies():
    found = estimate_people_by_chat([KUMASI], price=Price(input=1.0, output=1.0))
    good = script.WritingChat()
    asyncio.run(write_person(good, "p", KUMASI, run_seed=7))
    assert found.calls == good.calls == 40

    # Four bytes a token, as models count English; the estimate must not be below that.
    def tokens(chat: Any) -> int:
        texts = (m.text for r in chat.requests for m in r.messages)
        return sum(len(text.encode()) // 4 for text in texts)

    assert tokens(good) <= found.input_tokens
    cut = Reply(text='{"a', outcome="truncated")
    bad = script.WritingChat({step: [lambda value: cut] * 2 for step in script.STEPS})
    asyncio.run(write_person(bad, "p", KUMASI, run_seed=7))
    assert bad.calls == 120 <= found.calls_at_most
    limits = sum(r.max_tokens for r in bad.requests)
    assert found.cost_at_most_usd is not None
    assert (tokens(bad) + limits) / 1e6 <= found.cost_at_most_usd
    assert estimate_people_by_chat([]).calls == 0
    assert estimate_people_by_chat([KUMASI]).cost_at_most_usd is None


@pytest.fixture
def command():
    from eyeprint.cli.people_build import register

    app = typer.Typer()
    app.command("other")(lambda: None)  # a group needs a second command to stay a group
    register(app)
    return lambda *arguments: CliRunner().invoke(app, ["personas", *map(str, arguments)])


def test_x16_a_dry_run_tells_calls_and_cost_and_makes_nothing(command, tmp_path):
    out = tmp_path / "none"
    result = command("-n", 10, "--out", out, "--writer", "openai/gpt-4o-mini", "--dry-run")
    assert result.exit_code == 0, result.output
    assert "10 people, 400 calls" in result.output and "cost at most $" in result.output
    result = command("-n", 10, "--out", out, "--writer", "http://127.0.0.1:9/v1#m", "--dry-run")
    assert "cost at most unknown (give --price)" in result.output
    assert not out.exists()


def test_x9_the_command_against_a_real_server(command, tmp_path, seeds):
    local = _load("eyeprint_tests_local_chat", HERE.parent / "servers" / "local_chat.py")
    # The server's rules match the last message, so each prompt is given its good reply.
    recorder = script.WritingChat()
    one = tmp_path / "one.txt"
    one.write_text(KUMASI + "\n")
    build(recorder, tmp_path / "recorded", str(one), n=1)
    prompts = [request.messages[-1].text for request in recorder.requests]
    rules = [{"contains": p, "text": json.dumps(script.good_value(p))} for p in prompts]
    cut = {"contains": prompts[0], "text": "```json\n" + rules[0]["text"][:40], "times": 1}
    mended = {"contains": "cannot be used", "text": rules[0]["text"]}
    arguments = ("-n", 1, "--seeds", one, "--out", tmp_path / "a")
    with local.LocalChatServer(rules=[cut, mended, *rules]) as server:
        result = command(*arguments, "--writer", server.model("m"))
        assert result.exit_code == 0, result.output
        assert "41 calls" in result.output and "asked again: place 1" in result.output
        assert sum(server.counts()["received"].values()) == 41
        result = command(*arguments, "--writer", server.model("m"))
        assert "1 people" in result.output and "0 calls" in result.output
        assert sum(server.counts()["received"].values()) == 41
    sessions = (tmp_path / "a" / "sessions.jsonl").read_text().splitlines()
    assert [json.loads(line)["models"][0]["calls"] for line in sessions[:1]] == [41]


def test_v17_settings_decide_the_folder_s_identity():
    one = ChatShardWriter("m", lambda: script.WritingChat()).identity()
    other = ChatWriterSettings(attempts=5)
    assert one != ChatShardWriter("m", lambda: script.WritingChat(), other).identity()
