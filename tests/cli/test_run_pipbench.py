"""``eyeprint run pipbench`` and ``judge pairs`` as a user runs them."""

import json
import signal
import subprocess
import sys
import time
from importlib.util import find_spec

import pytest

from eyeprint.cli.main import run_command
from eyeprint.records.case_files import open_cases
from tests.protocols.made_root import make_root
from tests.servers.local_chat import LocalChatServer

START = [sys.executable, "-m", "eyeprint.cli.main"]
SMALL = ["--size", "48x48", "--text-encoder", "static"]


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("EYEPRINT_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def root(tmp_path):
    return str(make_root(tmp_path / "data"))


def results(folder):
    names = ("results.jsonl", "summary.json", "paintings.jsonl", "manifest.json", "report.html")
    return {name: (folder / name).read_bytes() for name in names}


def test_p49_a_run_prints_its_tables_and_where_the_report_is(root, tmp_path, capsys):
    assert (
        run_command(["run", "pipbench", "--data", root, *SMALL, "--out", str(tmp_path / "r")]) == 0
    )
    said = capsys.readouterr().out
    assert "PAL-R" in said and str(tmp_path / "r" / "report.html") in said
    assert max(map(len, said.splitlines()[:-1])) <= 80


def test_p49_missing_pictures_are_told_before_anything_is_painted(tmp_path, capsys):
    root = make_root(tmp_path / "data")
    path = open_cases(root)[0].target
    (root / path).unlink()
    run_command(["run", "pipbench", "--data", str(root), "--dry-run"])
    assert f"1 picture is missing: {path}" in capsys.readouterr().err


def test_p49_of_missing_ready_pictures_the_first_says_where_it_was_looked_for(
    root, tmp_path, capsys
):
    (tmp_path / "mine").mkdir()
    words = ["--methods", "", "--outputs", f"mine={tmp_path / 'mine'}"]
    out = tmp_path / "r"
    assert run_command(["run", "pipbench", "--data", root, *words, "--out", str(out)]) == 1
    said = capsys.readouterr().out
    assert "the first: mine, case '0': There is no ready picture: looked for" in said
    assert "no model has a picture that was scored" in said
    assert "nobody else" not in said


@pytest.mark.timeout(120)
def test_x17_killed_at_any_moment_the_same_command_ends_with_the_same_bytes(root, tmp_path):
    command = ["run", "pipbench", "--data", root, *SMALL, "--methods", "no_preference,edit_2ref"]
    assert run_command([*command, "--out", str(tmp_path / "whole")]) == 0
    folder = tmp_path / "killed"
    for pictures in (1, 6, 11):
        process = subprocess.Popen(
            [*START, *command, "--out", str(folder)], stdout=subprocess.DEVNULL
        )
        while len(list(folder.glob("pictures/*.png"))) < pictures and process.poll() is None:
            time.sleep(0.002)
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert run_command([*command, "--out", str(folder)]) == 0
    assert results(folder) == results(tmp_path / "whole")


@pytest.mark.timeout(120)
def test_p62_x1_a_vlm_behind_a_server_sees_the_references_and_is_paid_once(root, tmp_path):
    with LocalChatServer() as server:
        command = ["run", "pipbench", "--data", root, *SMALL, "--methods", "fusion"]
        command += ["--writer", server.model(), "--out", str(tmp_path / "run")]
        assert run_command(command) == 0
        counts = server.counts()
        assert sum(counts["received"].values()) == 8
        *references, text = counts["pictures"]  # of the last request
        assert [each["size"] for each in references] == [[48, 48]] * 2
        assert text.startswith("Request to enrich:")
        assert run_command(command) == 0
        assert sum(server.counts()["received"].values()) == 8
    rows = [json.loads(line) for line in (tmp_path / "run" / "results.jsonl").open()]
    assert {row["writer"] for row in rows} == {server.model()}


def test_p50_p53_judging_prints_certificate_and_ratings_and_updates_the_report(
    root, tmp_path, capsys
):
    run = str(tmp_path / "run")
    methods = ["--methods", "no_preference,edit_1ref"]
    assert run_command(["run", "pipbench", "--data", root, *SMALL, *methods, "--out", run]) == 0
    before = (tmp_path / "run" / "report.html").read_bytes()
    capsys.readouterr()
    code = run_command(["judge", "pairs", run, "--share", "1", "--split", "real"])
    said = capsys.readouterr().out
    assert code == 0, said
    assert "offline passes its certificate" in said and "rating" in said
    assert (tmp_path / "run" / "report.html").read_bytes() != before
    verdicts = next((tmp_path / "run" / "judged").glob("*/verdicts.jsonl"))
    for source in (verdicts, verdicts.parent, verdicts.parents[1], run):
        assert run_command(["rate", str(source)]) == 0
        assert "no_preference" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--size", "big"], "WIDTHxHEIGHT"),
        (["--size", "4x4"], "--size, --steps, --guidance"),
        (["--outputs", "mine"], "NAME=FOLDER"),
        (["--outputs", "a=x", "--outputs", "a=y"], "names 'a' twice"),
        (["--outputs", "mine=/nowhere/at/all"], "/nowhere/at/all"),
        (["--methods", "dreambooth"], "pip install 'eyeprint[images]'"),
        (["--encoders", "clip"], "pip install 'eyeprint[images]'"),
        (["--painter", "skech"], "Did you mean 'sketch'"),
        (["--split", "rael"], "Did you mean 'real'"),
    ],
)
def test_a_wrong_choice_is_told_with_what_to_do(words, said, root, capsys):
    if "images" in said and find_spec("torch") is not None:
        pytest.skip("torch is installed here")
    assert run_command(["run", "pipbench", "--data", root, *words]) == 2
    assert said in capsys.readouterr().err


def test_a_data_root_that_is_not_there_is_named(tmp_path, capsys):
    assert run_command(["run", "pipbench", "--data", str(tmp_path / "no")]) == 1
    assert str(tmp_path / "no") in capsys.readouterr().err


def test_bad_rows_are_left_out_told_and_make_exit_code_1(root, tmp_path, capsys):
    path = tmp_path / "data" / "metadata.json"
    rows = json.loads(path.read_text())
    del rows[0]["prompt"]
    path.write_text(json.dumps(rows))
    command = ["run", "pipbench", "--data", root, *SMALL, "--methods", "no_preference"]
    assert run_command([*command, "--out", str(tmp_path / "run")]) == 1
    found = capsys.readouterr()
    assert "prompt" in found.err + found.out
    assert len((tmp_path / "run" / "results.jsonl").read_text().splitlines()) == 7


def test_dry_run_says_what_would_be_asked(root, capsys, tmp_path):
    words = ["--methods", "fusion", "--writer", "openai/gpt-4o-mini", "--dry-run"]
    assert run_command(["run", "pipbench", "--data", root, *words]) == 0
    said = capsys.readouterr().out
    assert "8 pictures for 8 cases" in said and "$" in said
