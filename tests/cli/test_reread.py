"""``eyeprint reread`` as a user runs it: changes shown, damaged and foreign folders told."""

import json

import pytest

from eyeprint.cli.main import run_command
from tests.protocols.made_concepts import make_concepts
from tests.servers.local_chat import LocalChatServer

SMALL = ["--inject", "text:moderate", "--turns", "0", "--controls", "", "--bootstraps", "100"]
RESULTS = ("results.jsonl", "summary.json")


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A finished run of ten questions, and the folder of its data."""
    place = tmp_path_factory.mktemp("reread")
    make_concepts(place / "data", per_category=2)
    words = ["--data", str(place / "data"), *SMALL, "-n", "10", "--out", str(place / "run")]
    with LocalChatServer(rules=[{"text": "My answer: yes."}]) as server:
        assert run_command(["run", "mmpb", *words, "--model", server.model()]) == 0
    return place / "run"


def held(folder):
    return {name: (folder / name).read_bytes() for name in RESULTS}


def test_x9_what_is_read_as_before_changes_no_byte(finished, capsys):
    before = held(finished)
    assert run_command(["reread", str(finished)]) == 0
    said = capsys.readouterr().out
    assert "10 replies read again; 0 are read otherwise." in said and "report.html" in said
    assert held(finished) == before


def test_x9_changes_are_shown_and_a_dry_run_writes_none(finished, capsys):
    path = finished / "results.jsonl"
    whole = held(finished)
    rows = [json.loads(line) for line in path.open()]
    read = next(row for row in rows if row["outcome"] == "answered")
    read |= {"outcome": "unread", "said": None, "right": False}
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert run_command(["reread", str(finished), "--dry-run"]) == 0
    said = capsys.readouterr().out
    assert "1 are read otherwise" in said or "1 is read otherwise" in said
    assert "unread -> Yes" in said and "My answer: yes." in said
    assert path.read_bytes() != whole["results.jsonl"]
    assert run_command(["reread", str(finished)]) == 0
    assert held(finished) == whole
    (change,) = [json.loads(line) for line in (finished / "reread.jsonl").open()]
    assert (change["before"], change["now"]) == ("unread", "Yes")


@pytest.mark.parametrize(
    "name", ["answers.jsonl", "results.jsonl", "questions.jsonl", "data_facts.json"]
)
def test_x17_a_file_that_is_cut_or_gone_is_named(name, finished, capsys):
    path = finished / name
    whole = path.read_bytes()
    try:
        for left in (whole[: len(whole) - 20], None):
            if left is None:
                path.unlink()
            else:
                path.write_bytes(left)
            capsys.readouterr()
            assert run_command(["reread", str(finished)]) == 1
            said = capsys.readouterr().err
            assert str(finished) in said and "again" in said
    finally:
        path.write_bytes(whole)


def test_x17_questions_that_are_not_the_runs_are_told(finished, capsys):
    path = finished / "questions.jsonl"
    whole = path.read_bytes()
    path.write_bytes(b"".join(whole.splitlines(keepends=True)[1:]))
    try:
        assert run_command(["reread", str(finished)]) == 1
    finally:
        path.write_bytes(whole)
    assert "which questions.jsonl beside it lacks" in capsys.readouterr().err


def test_folders_that_hold_no_finished_run_of_mmpb_are_told(tmp_path, capsys):
    def said(folder):
        assert run_command(["reread", str(folder)]) == 1
        return capsys.readouterr().err

    assert "not the folder of a run" in said(tmp_path / "nowhere")
    assert "not the folder of a run" in said(tmp_path)
    manifest = {"format": 1, "kind": "vptt", "settings": {}, "fingerprint": ""}
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    assert "a run of kind 'vptt'" in said(tmp_path)
    (tmp_path / "manifest.json").write_text(json.dumps(manifest | {"kind": "mmpb"}))
    assert "the run is not finished" in said(tmp_path)
    (tmp_path / "results.jsonl").touch()
    assert "manifest.json" in said(tmp_path)
