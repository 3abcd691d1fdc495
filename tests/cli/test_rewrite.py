"""``eyeprint rewrite``: the prompt, and why it came out so."""

import json

import pytest

from eyeprint.cli.main import run_command
from tests.servers.local_chat import LocalChatServer

ASK = ["rewrite", "A preferred outdoor spot", "--person", "mini-03", "--encoder", "static"]


def test_v40_the_trace_shows_every_step(capsys):
    assert run_command([*ASK, "--method", "vprag", "--trace", "--score"]) == 0
    told = capsys.readouterr().out
    assert told.startswith("A preferred outdoor spot. In the visual world of")
    for step in ("entropy H", "n_eff", "1. Posts", "2. Categories", "3. Elements", "mini-03-p"):
        assert step in told
    assert "SCORE" in told


def test_v40_as_json_the_whole_trace_is_there(capsys):
    assert run_command([*ASK, "--json", "--score"]) == 0
    value = json.loads(capsys.readouterr().out)
    trace = value["material"]["trace"]
    assert len(trace["posts"]) == 30
    assert sum(post["weight"] for post in trace["posts"]) == pytest.approx(1.0)
    assert {quota["post_id"] for quota in trace["quotas"]} <= {
        post["post_id"] for post in trace["posts"] if post["kept"]
    }
    assert value["score"]["score"] > 0


@pytest.mark.parametrize("method", ["baseline", "persona_only", "brag", "comb"])
def test_every_method_can_be_asked_for(capsys, method):
    assert run_command([*ASK, "--method", method, "--trace"]) == 0
    told = capsys.readouterr().out
    assert ("no trace" in told) == (method != "comb")


def test_v37_v38_three_phrases_of_an_edit(capsys):
    assert run_command([*ASK, "--edit", "--three-phrases"]) == 0
    assert capsys.readouterr().out.strip().count(", ") == 2


def test_markup_in_a_query_is_text(capsys):
    assert run_command(["rewrite", "[red]x[/red] [/]", "--person", "mini-01", *ASK[4:]]) == 0
    assert capsys.readouterr().out.startswith("[red]x[/red] [/]")


def test_a_chat_model_writes_it(capsys):
    with LocalChatServer() as server:
        assert run_command([*ASK, "--writer", server.model()]) == 0
        assert capsys.readouterr().out.startswith("answer ")
        request = server.counts()["last"]["body"]
        assert "Visual elements" in request["messages"][1]["content"]
        server.control(rules=[{"text": "", "finish": "stop"}])
        assert run_command([*ASK, "--writer", server.model("other")]) == 1
        told = capsys.readouterr()
        assert told.out == ""
        assert "empty" in told.err
        assert "another --writer" in told.err
        server.control(rules=[{"status": 400, "error": "bad [/red] words"}])
        assert run_command([*ASK, "--writer", server.model("third")]) == 1
        assert "bad [/red] words" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["rewrite", " ", "--person", "mini-01"], "blank"),
        (["rewrite", "x", "--person", "mini-03x"], "Did you mean 'mini-03'"),
        (["rewrite", "x", "--person", "mini-01", "--method", "rag"], "no method 'rag'"),
        (["rewrite", "x", "--person", "mini-01", "--writer", "gpt"], "no chat model 'gpt'"),
    ],
)
def test_bad_usage_is_told(capsys, words, told):
    assert run_command([*words, "--encoder", "static"]) == 2
    assert told in capsys.readouterr().err


def test_a_person_whose_record_is_faulty_is_told_with_the_fault(tmp_path, capsys):
    people = tmp_path / "people.jsonl"
    people.write_text('{"id":"a","posts":[]}\n{"id":"b","posts":7}\n')
    words = ["rewrite", "x", "--people", str(people), "--person", "b", "--encoder", "static"]
    assert run_command(words) == 2
    told = capsys.readouterr().err
    assert "no person 'b'" in told
    assert "people.jsonl:2, field 'posts'" in told
