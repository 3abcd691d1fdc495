"""``eyeprint people import`` as a person types it (V22)."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from eyeprint.cli.people_import import register
from eyeprint.errors import DataError, UsageError
from eyeprint.records.files import open_people

sys.path.insert(0, str(Path(__file__).parents[1] / "servers"))
from local_chat import LocalChatServer


@pytest.fixture
def run():
    app = typer.Typer()
    app.command("other")(lambda: None)  # a group needs a second command to stay a group
    register(app)

    def call(*arguments: object):
        return CliRunner().invoke(app, ["import", *map(str, arguments)])

    return call


CAPTIONS = "id,caption\na,A red boat in the fog.\nb,A copper kettle by low sun.\nc,\n"


def test_v22_a_csv_becomes_a_person_and_faults_are_told(run, tmp_path):
    (tmp_path / "c.csv").write_text(CAPTIONS)
    result = run(tmp_path / "c.csv", "--id", "ana", "--out", tmp_path / "ana.jsonl")
    assert result.exit_code == 1, result.output
    assert "1 person with 2 captions written" in result.output
    assert "c.csv:4, field 'caption': is empty" in result.output
    person = open_people(tmp_path / "ana.jsonl")["ana"]
    assert [post.id for post in person.posts] == ["a", "b"]
    assert person.made_by["writer"] == "offline"


def test_v22_the_id_defaults_to_the_file_and_people_split_by_column(run, tmp_path):
    (tmp_path / "trip.csv").write_text("person,caption\nana,A red boat.\nben,A blue door.\n")
    assert run(tmp_path / "trip.csv", "--out", tmp_path / "folder").exit_code == 0
    assert open_people(tmp_path / "folder").ids == ("ana", "ben")
    run(tmp_path / "trip.csv", "--out", tmp_path / "two.jsonl", "--id", "x")
    assert open_people(tmp_path / "two.jsonl").ids == ("x-ana", "x-ben")
    # A kind that is unknown is told, but its row is kept: nothing is missing.
    (tmp_path / "odd.csv").write_text("kind,caption\nholiday,A red boat.\n")
    odd = run(tmp_path / "odd.csv", "--out", tmp_path / "odd.jsonl")
    assert odd.exit_code == 0 and "no kind of post" in odd.output
    (tmp_path / "one.jsonl").write_text('"A red boat."\n')
    run(tmp_path / "one.jsonl", "--out", tmp_path / "three.jsonl")
    assert open_people(tmp_path / "three.jsonl").ids == ("one",)


def test_v22_an_existing_file_is_not_overwritten_unasked(run, tmp_path):
    (tmp_path / "c.csv").write_text(CAPTIONS)
    target = tmp_path / "out.jsonl"
    target.write_text("precious")
    result = run(tmp_path / "c.csv", "--out", target)
    assert isinstance(result.exception, UsageError) and target.read_text() == "precious"
    result = run(tmp_path / "c.csv", "--out", target, "--overwrite")
    assert result.exit_code == 1 and len(open_people(target)) == 1
    result = run(tmp_path / "c.csv", "--out", tmp_path / "out.docx")
    assert isinstance(result.exception, UsageError)


def test_v22_a_file_without_captions_is_an_error(run, tmp_path):
    (tmp_path / "c.csv").write_text('caption\n""\n')
    result = run(tmp_path / "c.csv", "--out", tmp_path / "o.jsonl")
    assert isinstance(result.exception, DataError)
    assert not (tmp_path / "o.jsonl").exists()


def test_v22_x9_a_real_server_reads_the_captions_once(run, tmp_path):
    (tmp_path / "c.jsonl").write_text('"红门在巷子尽头"\n"一艘蓝船"\n')
    elements = {"captions": [
        {"number": 1, "elements": {"objects": ["红门"], "environment": ["巷子尽头"]}},
        {"number": 2, "elements": {"objects": ["蓝船"]}},
    ]}  # fmt: skip
    tastes = {"preferences": ["likes red and blue things"], "summary": "Doors and boats."}
    rules = [
        {"contains": "Read the visual elements", "text": json.dumps(elements)},
        {"contains": "These phrases were found", "text": json.dumps(tastes)},
    ]
    with LocalChatServer(rules=rules) as server:
        arguments = (
            tmp_path / "c.jsonl", "--id", "mei", "--out", tmp_path / "mei.jsonl",
            "--writer", server.model("m"), "--overwrite",
        )  # fmt: skip
        result = run(*arguments)
        assert result.exit_code == 0, result.output
        assert "2 calls, 0 answers from the ledger, cost unknown" in result.output
        result = run(*arguments)
        assert "0 calls, 2 answers from the ledger" in result.output
        assert sum(server.counts()["received"].values()) == 2
    person = open_people(tmp_path / "mei.jsonl")["mei"]
    assert person.preferences == ("likes red and blue things",)
    assert person.posts[1].elements == {"objects": ("蓝船",)}


def test_v22_x9_a_model_that_answers_nothing_useful_ends_with_1(run, tmp_path):
    (tmp_path / "c.jsonl").write_text('"A red door."\n')
    with LocalChatServer() as server:
        result = run(
            tmp_path / "c.jsonl", "--out", tmp_path / "o.jsonl", "--writer", server.model("m")
        )
    assert result.exit_code == 1 and not (tmp_path / "o.jsonl").exists()
    assert "it holds no JSON object (after 3 replies)" in result.output


def test_v22_neither_the_captions_nor_a_filled_folder_are_overwritten(run, tmp_path):
    source = tmp_path / "c.jsonl"
    source.write_text('"A red boat."\n')
    result = run(source, "--out", source, "--overwrite")
    assert isinstance(result.exception, UsageError)
    assert "is what is read here" in str(result.exception)
    assert source.read_text() == '"A red boat."\n'
    run(source, "--id", "ana", "--out", tmp_path / "people")
    result = run(source, "--id", "ben", "--out", tmp_path / "people")
    assert isinstance(result.exception, UsageError)
    assert open_people(tmp_path / "people").ids == ("ana",)
