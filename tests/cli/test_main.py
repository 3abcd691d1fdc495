"""The command line's ends: exit codes, and what standard output can be."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

COMMAND = [sys.executable, "-m", "eyeprint.cli.main"]
REWRITE = ["rewrite", "नदी के किनारे", "--person", "mini-01", "--encoder", "static", "--score"]


def run(words: list[str], stdout: object = subprocess.PIPE, **environment: str):
    return subprocess.run(
        [*COMMAND, *words],
        stdout=stdout,
        stderr=subprocess.PIPE,
        env={**os.environ, **environment},
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize("words", [REWRITE, ["run", "vptt", "--help"]])
def test_a_terminal_without_unicode_shows_what_it_can(words: list[str]):
    done = run(words, PYTHONIOENCODING="ascii", COLUMNS="80")
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.isascii()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("words", [["--version"], REWRITE])
def test_a_full_disk_under_standard_output_is_told(words: list[str]):
    with Path("/dev/full").open("wb") as full:
        done = run(words, full)
    assert done.returncode == 1
    assert b"Traceback" not in done.stderr
    assert b"standard output could not be written" in done.stderr


def test_a_reader_that_leaves_is_no_failure():
    reading, writing = os.pipe()
    os.close(reading)
    done = run(["rewrite", "A door", "--person", "mini-01", "--encoder", "static"], writing)
    os.close(writing)
    assert b"error" not in done.stderr and b"Traceback" not in done.stderr
