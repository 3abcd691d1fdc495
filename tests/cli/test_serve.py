"""``eyeprint serve`` as a user runs it."""

import json
import signal
import socket
import subprocess
import sys

import pytest

from eyeprint.cli.main import run_command
from tests.protocols.made_concepts import make_concepts

START = [sys.executable, "-m", "eyeprint.cli.main"]


@pytest.mark.timeout(60)
def test_x1_a_served_chat_is_asked_by_the_name_that_was_printed_and_ends_with_ctrl_c(tmp_path):
    root = make_concepts(tmp_path / "data", per_category=2)
    server = subprocess.Popen(
        [*START, "serve", "echo", "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert server.stdout is not None
        model = server.stdout.readline().strip()
        words = ["--inject", "image:2", "--turns", "0", "--controls", "", "--bootstraps", "100"]
        words += ["-n", "6", "--model", model, "--out", str(tmp_path / "run")]
        assert run_command(["run", "mmpb", "--data", str(root), *words]) == 0
    finally:
        server.send_signal(signal.SIGINT)
        _, said = server.communicate(timeout=20)
    assert server.returncode == 0 and "Stopped after 6 calls." in said
    assert f"--model {model}" in said
    rows = [json.loads(line) for line in (tmp_path / "run" / "results.jsonl").open()]
    assert {row["model"] for row in rows} == {model}


def test_a_port_that_is_taken_is_told(capsys):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        assert run_command(["serve", "echo", "--port", str(port)]) == 2
    assert f"Port {port} of 127.0.0.1 cannot be served" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("eco", "Did you mean 'echo'"),
        ("", "There is no chat model ''"),
        ("local/", "local/OWNER/NAME"),
        ("http://x", "lacks the model"),
    ],
)
def test_a_chat_that_is_not_there_is_told(name, said, capsys):
    assert run_command(["serve", name, "--port", "0"]) == 2
    assert said in capsys.readouterr().err
