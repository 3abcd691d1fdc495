"""``eyeprint run vptt`` as a user runs it: against a real server, killed, and told off."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from eyeprint.cli.main import run_command
from tests.servers.local_chat import LocalChatServer

START = [sys.executable, "-m", "eyeprint.cli.main"]
COMMAND = ["run", "vptt", "--people", "mini", "-n", "3", "--tasks", "cultural_site,outdoor_spot"]
ENCODER = ["--encoder", "static"]


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("EYEPRINT_CACHE", str(tmp_path / "cache"))


def results(folder: Path) -> dict[str, bytes]:
    names = ("results.jsonl", "summary.json", "drafts.jsonl", "manifest.json", "report.html")
    return {name: (folder / name).read_bytes() for name in names}


@pytest.mark.timeout(180)
def test_x17_killed_at_any_moment_the_same_command_ends_with_the_same_bytes_and_pays_once(tmp_path):
    with LocalChatServer(latency=0.05) as server:
        command = [*COMMAND, *ENCODER, "--writer", server.model(), "--concurrency", "2", "--out"]
        assert run_command([*command, str(tmp_path / "whole")]) == 0
        asked = server.counts()["received"]
        assert len(asked) == 3 * 2 * 4
        assert set(asked.values()) == {1}
        server.control(reset=True)
        folder, kills = tmp_path / "killed", (3, 8, 14, 21)
        for answered in kills:
            process = subprocess.Popen([*START, *command, str(folder)], stdout=subprocess.DEVNULL)
            while len(server.counts()["received"]) < answered:
                assert process.poll() is None, "it ended before it could be killed"
                time.sleep(0.005)
            process.send_signal(signal.SIGKILL)
            process.wait()
        assert run_command([*command, str(folder)]) == 0
        received = server.counts()["received"]
        # At a kill two calls can be under way, and a reply may wait to be written while a third
        # item has begun: those alone may have been asked for again.
        assert sum(received.values()) - len(received) <= 3 * len(kills)
    assert results(folder) == results(tmp_path / "whole")


def test_an_answered_call_is_never_made_again_even_in_another_folder(tmp_path):
    with LocalChatServer() as server:
        shared = ["--ledger", str(tmp_path / "shared.sqlite")]
        command = [*COMMAND, *ENCODER, "--writer", server.model(), *shared, "--out"]
        assert run_command([*command, str(tmp_path / "one")]) == 0
        server.control(reset=True)
        assert run_command([*command, str(tmp_path / "two")]) == 0
        assert server.counts()["received"] == {}
    assert results(tmp_path / "one") == results(tmp_path / "two")


def test_failures_end_with_code_one_are_counted_and_alone_asked_again(tmp_path, capsys):
    rules = [{"contains": "A preferred outdoor spot", "status": 400, "error": "no"}]
    with LocalChatServer(rules=rules) as server:
        command = [*COMMAND, *ENCODER, "--writer", server.model(), "--out", str(tmp_path / "run")]
        assert run_command(command) == 1
        told = " ".join(capsys.readouterr().out.split())
        assert "12 prompts could not be written (bad_request 12)" in told
        server.control(rules=[], reset=True)
        assert run_command(command) == 0
        assert sum(server.counts()["received"].values()) == 12
    assert not (tmp_path / "run" / "drafts.failures.jsonl").exists()


def test_keys_reach_no_file_and_no_output(tmp_path, capsys, monkeypatch):
    secret = "sk-very-secret-0123456789"
    monkeypatch.setenv("EYEPRINT_API_KEY", secret)
    rules = [{"contains": "A preferred outdoor spot", "status": 401, "error": f"bad key {secret}"}]
    with LocalChatServer(rules=rules) as server:
        command = [*COMMAND, *ENCODER, "--writer", server.model(), "--out", str(tmp_path / "run")]
        run_command(command)
        assert secret in server.counts()["last"]["headers"]["authorization"]
    told = capsys.readouterr()
    assert secret not in told.out + told.err
    for path in (tmp_path / "run").rglob("*"):
        assert path.is_dir() or secret.encode() not in path.read_bytes(), path


def test_a_budget_without_a_price_is_refused_and_with_one_kept(tmp_path, capsys):
    with LocalChatServer() as server:
        command = [*COMMAND, *ENCODER, "--writer", server.model(), "--budget", "0.000001"]
        assert run_command([*command, "--out", str(tmp_path / "a")]) == 2
        assert "--price" in capsys.readouterr().err
        priced = [*command, "--price", "1,1", "--out", str(tmp_path / "b")]
        assert run_command(priced) == 1
        assert "budget" in capsys.readouterr().out
        assert server.counts()["received"] == {}


def test_a_dry_run_says_unknown_for_unknown_prices_and_asks_nothing(tmp_path, capsys):
    with LocalChatServer() as server:
        command = [*COMMAND, *ENCODER, "--writer", server.model(), "--dry-run"]
        assert run_command([*command, "--out", str(tmp_path / "run")]) == 0
        assert server.counts()["received"] == {}
    told = capsys.readouterr().out
    assert "unknown" in told
    assert "24" in told
    assert not (tmp_path / "run").exists()


def test_a_dry_run_needs_no_key_and_a_run_does(tmp_path, capsys, monkeypatch):
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    command = [*COMMAND, *ENCODER, "--writer", "openai/gpt-4o-mini", "--out", str(tmp_path / "run")]
    assert run_command([*command, "--dry-run"]) == 0
    assert "$" in capsys.readouterr().out
    assert run_command(command) == 1
    assert "OPENAI_API_KEY" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


def test_a_second_run_on_the_same_folder_says_so(tmp_path):
    with LocalChatServer(latency=0.5) as server:
        command = [*COMMAND, *ENCODER, "--writer", server.model(), "--concurrency", "1"]
        command += ["--out", str(tmp_path / "run")]
        first = subprocess.Popen([*START, *command], stdout=subprocess.DEVNULL)
        while not (tmp_path / "run" / "manifest.json").exists():
            time.sleep(0.05)
        second = subprocess.run([*START, *command], capture_output=True, text=True)
        first.kill()
        first.wait()
    assert second.returncode == 1
    assert str(first.pid) in second.stderr


@pytest.mark.timeout(120)
def test_ctrl_c_stops_gently_and_says_how_to_go_on(tmp_path):
    with LocalChatServer(latency=0.3) as server:
        command = [*COMMAND, *ENCODER, "--writer", server.model(), "--concurrency", "1"]
        command += ["--out", str(tmp_path / "run")]
        process = subprocess.Popen([*START, *command], stdout=subprocess.PIPE, text=True)
        while not server.counts()["received"]:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        told, _ = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "same command" in told
    kept = [json.loads(line) for line in (tmp_path / "run/drafts/part-00000.jsonl").open()]
    assert kept


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_read_only_folder_is_an_error_that_says_what_to_do(tmp_path, capsys):
    (tmp_path / "run").mkdir(mode=0o500)
    assert run_command([*COMMAND, *ENCODER, "--out", str(tmp_path / "run")]) == 1
    assert "permission" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--writer", "nobody/x"], "no chat model 'nobody/x'"),
        (["--methods", "vprga"], "Did you mean 'vprag'"),
        (["--encoder", "minilmm"], "minilm"),
        (["--people", "nowhere"], "no such file"),
        (["--price", "cheap"], "price"),
    ],
)
def test_bad_usage_is_told_in_one_line_and_nothing_is_started(tmp_path, capsys, arguments, told):
    code = run_command(["run", "vptt", "--out", str(tmp_path / "run"), *arguments])
    assert code in (1, 2)
    error = capsys.readouterr().err
    assert error.startswith("error: ")
    assert told in error
    assert not (tmp_path / "run").exists()


def test_square_brackets_in_a_models_name_are_no_markup(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    people = tmp_path / "people.jsonl"
    people.write_text('{"id":"a","posts":[{"id":"1","caption":"A red door in a wall."}]}\n')
    words = ["--people", str(people), "--encoder", "static", "--out", str(tmp_path / "run")]
    asked = ["--writer", "http://127.0.0.1:1/v1#[/x]", "--dry-run"]
    assert run_command(["run", "vptt", *words, *asked]) == 0
    assert "#[/x]" in capsys.readouterr().out


def test_arguments_that_are_no_utf8_are_told(tmp_path, capsys):
    words = ["run", "vptt", "--people", "mini", "--encoder", "static", "--tasks"]
    assert run_command([*words, "a=half \udcff", "--out", str(tmp_path / "run")]) == 2
    assert r"a=half \udcff' holds bytes that are not UTF-8" in capsys.readouterr().err
    assert run_command([*words, "a=b c", "--out", str(tmp_path / "run\udcff")]) == 2
    assert "not UTF-8 text. Name another with --ledger" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["summary.json", "results.jsonl", "people.jsonl", "drafts.jsonl"])
@pytest.mark.parametrize("harm", ["cut", "changed", "gone"])
def test_x17_a_damaged_file_of_a_finished_run_is_made_anew(tmp_path, name, harm):
    people = tmp_path / "people.jsonl"
    people.write_text('{"id":"a","posts":[{"id":"1","caption":"A red door in a wall."}]}\n')
    words = ["run", "vptt", "--people", str(people), "--encoder", "static", "--methods", "brag"]
    words += ["--tasks", "t=A calm corner", "--out", str(tmp_path / "run")]
    assert run_command(words) == 0
    names = ("summary.json", "results.jsonl", "people.jsonl", "report.html")
    before = {each: (tmp_path / "run" / each).read_bytes() for each in names}
    spoilt = tmp_path / "run" / name
    if harm == "gone":
        spoilt.unlink()
    else:
        whole = spoilt.read_bytes()
        spoilt.write_bytes(whole[: len(whole) // 2] if harm == "cut" else whole.replace(b"a", b"e"))
    assert run_command(words) == 0
    assert {each: (tmp_path / "run" / each).read_bytes() for each in names} == before
