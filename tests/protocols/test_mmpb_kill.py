"""MMPB killed and interrupted at any moment: the same command ends with the same bytes."""

import json
import signal
import subprocess
import sys
import time

import pytest

from eyeprint.cli.main import run_command
from eyeprint.errors import CallFailed
from eyeprint.models.kinds import Reply
from eyeprint.protocols.mmpb_trouble import Trouble
from tests.protocols.made_concepts import make_concepts
from tests.servers.local_chat import LocalChatServer

NAMES = ("results.jsonl", "summary.json", "manifest.json", "answered_without.jsonl")
RULES = [{"contains": "in the image", "text": "Yes"}, {"text": "B"}]


def command(root, server, out):
    words = ["--data", str(root), "--model", server.model(), "--out", str(out)]
    words += ["--inject", "image:1", "--turns", "0,1", "--controls", "wrong"]
    return ["run", "mmpb", *words, "--bootstraps", "100", "--concurrency", "4"]


def results(folder):
    return {name: (folder / name).read_bytes() for name in NAMES}


def start(words):
    return subprocess.Popen(
        [sys.executable, "-m", "eyeprint.cli.main", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def until(server, calls, process):
    while sum(server.counts()["received"].values()) < calls and process.poll() is None:
        time.sleep(0.01)


@pytest.mark.timeout(120)
def test_x17_killed_or_interrupted_at_any_moment_a_run_ends_with_the_same_bytes(tmp_path):
    root = make_concepts(tmp_path / "data", per_category=2)
    words = ["-n", "12"]
    with LocalChatServer(rules=RULES) as server:
        assert run_command([*command(root, server, tmp_path / "whole"), *words]) == 0
        all_calls = sum(server.counts()["received"].values())
        server.control(latency=0.05, reset=True)
        words = [*command(root, server, tmp_path / "cut"), *words]
        process = start(words)
        until(server, 15, process)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        process = start(words)
        until(server, 30, process)
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=30)[0]
        assert process.returncode == 130 and "Run the same command again" in said
        server.control(latency=0.0)
        assert run_command(words) == 0
        # What was under way when the process was killed is asked twice, nothing else.
        assert all_calls <= sum(server.counts()["received"].values()) <= all_calls + 6
    assert results(tmp_path / "cut") == results(tmp_path / "whole")


def test_x9_a_model_that_never_answers_is_given_up_and_another_is_not():
    trouble = Trouble(in_a_row=2)
    away = Reply(outcome="failed", failure="connection", detail="refused")
    trouble.note("away", away)
    trouble.note("away", Reply(outcome="failed", failure="server_error"))
    trouble.note("away", away)
    trouble.check("away")  # A server that says something, even an error, is there.
    trouble.note("away", away)
    with pytest.raises(CallFailed, match=r"not asked: 2 calls in a row .* refused") as caught:
        trouble.check("away")
    assert caught.value.kind == "connection"
    trouble.check("other")


def test_x9_a_reply_shows_that_a_model_is_there_but_not_one_that_was_kept():
    trouble = Trouble(in_a_row=2)
    away = Reply(outcome="failed", failure="authentication", detail="bad key")
    trouble.note("m", away)
    trouble.note("m", Reply(text="Yes."))
    trouble.note("m", away)
    assert not trouble.given_up("m")
    trouble.note("m", Reply(text="Yes.", from_ledger=True))
    trouble.note("m", away)
    assert trouble.given_up("m")


def test_x9_a_run_gives_up_a_model_whose_key_is_wrong(tmp_path, monkeypatch):
    from eyeprint.protocols import mmpb_trouble

    root = make_concepts(tmp_path / "data", per_category=2)
    monkeypatch.setattr(mmpb_trouble.Trouble.__init__, "__defaults__", (20,))
    with LocalChatServer(rules=[{"status": 401, "error": "bad key"}]) as server:
        assert run_command(command(root, server, tmp_path / "run")) == 1
        asked = sum(server.counts()["received"].values())
        assert 20 <= asked < 20 + 8
        rows = [json.loads(line) for line in (tmp_path / "run" / "results.jsonl").open()]
        assert {row["outcome"] for row in rows} == {"failed"} and len(rows) == 4 * 30
        assert sum("not asked" in row["detail"] for row in rows) == len(rows) - asked
        server.control(rules=RULES)
        assert run_command(command(root, server, tmp_path / "run")) == 0
    rows = [json.loads(line) for line in (tmp_path / "run" / "results.jsonl").open()]
    assert "failed" not in {row["outcome"] for row in rows}
