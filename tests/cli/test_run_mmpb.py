"""``eyeprint run mmpb`` as a user runs it: choices, faults of data and servers, money, resuming."""

import json
import shutil

import pytest

import eyeprint
from eyeprint.cli.main import run_command
from tests.protocols.made_concepts import make_concepts
from tests.servers.local_chat import LocalChatServer

SMALL = ["--inject", "text:moderate", "--turns", "0", "--controls", "", "--bootstraps", "100"]


@pytest.fixture
def root(tmp_path):
    return make_concepts(tmp_path / "data", per_category=2)


@pytest.fixture
def mmpb(root, tmp_path):
    """Run the command on the made set, into ``tmp_path / "run"``; options given last count."""

    def run(*words, out="run"):
        folder = ["--out", str(tmp_path / out)] if out else []
        return run_command(["run", "mmpb", "--data", str(root), *SMALL, *folder, *map(str, words)])

    return run


def rows_of(folder):
    return [json.loads(line) for line in (folder / "results.jsonl").open()]


def rewrite(path, number, **changed):
    """Change fields of one line of a JSONL file."""
    lines = [json.loads(line) for line in path.open()]
    lines[number] |= changed
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def test_m23_a_run_prints_its_accuracy_and_where_the_report_is(mmpb, tmp_path, capsys):
    assert mmpb("--model", "echo") == 0
    said = capsys.readouterr().out
    assert "Accuracy" in said and str(tmp_path / "run" / "report.html") in said
    assert len(rows_of(tmp_path / "run")) == 2 * 15


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--inject", "text:short"], "'text:short' is no injection"),
        (["--inject", "image:6"], "image:1 to image:5"),
        (["--turns", "101"], "from 0 to 100"),
        (["--concepts", "51"], "from 1 to 50"),
        (["--position", "11", "--turns", "0,10"], "the longest of --turns is 10"),
        (["--prompting", "cot"], "zero_shot_cot"),
        (["--category", "dog"], "human, animal, object, character"),
        (["--only", "nobody"], "There is no concept 'nobody'"),
        (["--revision", "abc"], "--data hub"),
        (["--answers", "me"], "NAME=FILE"),
        (["--model", "eco"], "Did you mean 'echo'"),
        (["--model", "http://127.0.0.1:9/v1#\udcff"], "no UTF-8 text"),
        (["--budget", "-1"], "0 or more"),
        (["--budget", "1", "--model", "echo"], "--price free"),
        (["--mini"], None),
    ],
)
def test_a_wrong_choice_is_told_with_what_to_do(words, said, mmpb, capsys):
    code = mmpb(*words)
    assert (code == 2 and said in capsys.readouterr().err) if said else code == 0


def test_injections_are_known_in_any_case(mmpb, tmp_path):
    assert mmpb("--inject", "TEXT:Simple", "--model", "echo") == 0
    assert {row["setting"] for row in rows_of(tmp_path / "run")} == {"text:simple · 0 turns"}


def test_m37_what_cannot_be_asked_is_told_before_anything_is(mmpb, capsys):
    with LocalChatServer() as server:
        assert mmpb("--model", server.model(), "--concepts", "1,50") == 2
        assert server.counts()["received"] == {}
    said = capsys.readouterr().err
    assert "49 others" in said and "the data have 7" in said and "--distractors" not in said


def test_x9_ids_and_models_may_hold_any_text_also_where_calls_fail(mmpb, root, tmp_path):
    odd = ["a\tb", '["c", 1]', "d\u2028é"]
    for number, name in enumerate(odd):
        rewrite(root / "questions.jsonl", number, id=name)
    with LocalChatServer(rules=[{"status": 400, "error": "no\tway"}]) as server:
        words = ["--model", server.model("m\tx")]
        assert mmpb(*words) == 1
        assert {row["question"] for row in rows_of(tmp_path / "run")} >= set(odd)
        server.control(rules=[{"text": "Yes"}])
        assert mmpb(*words) == 0
    assert {row["outcome"] for row in rows_of(tmp_path / "run")} <= {"answered", "unread"}


def test_x9_of_several_models_one_that_is_away_does_not_spoil_the_others(mmpb, tmp_path, capsys):
    with LocalChatServer(rules=[{"status": 401, "error": "bad key"}]) as server:
        assert mmpb("--model", server.model(), "--model", "echo") == 1
    counted = {}
    for row in rows_of(tmp_path / "run"):
        counted.setdefault(row["model"], set()).add(row["outcome"])
    assert counted.pop("echo") == {"unread"}
    assert list(counted.values()) == [{"failed"}]
    assert "30 authentication" in capsys.readouterr().out


def test_pictures_that_cannot_be_used_are_named_and_make_exit_code_1(mmpb, root, tmp_path, capsys):
    pictures = [json.loads(line)["image"] for line in (root / "questions.jsonl").open()][:3]
    whole = (root / pictures[0]).read_bytes()
    (root / pictures[0]).write_bytes(whole[: len(whole) // 2])
    (root / pictures[1]).write_bytes(b"")
    (root / pictures[2]).write_bytes(b"no picture")
    assert mmpb("--model", "echo") == 1
    said = capsys.readouterr().err
    assert all(path in said for path in pictures)
    assert len(rows_of(tmp_path / "run")) == 30 - 3


def test_m5_records_of_half_texts_are_left_out_and_told(mmpb, root, tmp_path, capsys):
    rewrite(root / "questions.jsonl", 0, question="Is <sks> \ud800 here?")
    rewrite(root / "questions.jsonl", 2, options={"A": "a rope", "B": " "}, answer="A")
    assert mmpb("--model", "echo") == 1
    said = capsys.readouterr().err
    assert "questions.jsonl:1: holds half a surrogate pair" in said
    assert "questions.jsonl:3" in said and "option B is empty" in said
    assert len(rows_of(tmp_path / "run")) == 30 - 2


def test_x17_what_was_converted_is_made_again_when_it_is_gone(mmpb, root, tmp_path):
    words = ["--max-side", 16, "--model", "echo"]  # so that every picture is converted
    assert mmpb(*words) == 0
    folder = tmp_path / "run"
    before = (folder / "results.jsonl").read_bytes()
    shutil.rmtree(folder / "pictures")
    shutil.rmtree(folder / "answers")
    index = folder / "pictures.jsonl"
    index.write_bytes(index.read_bytes()[:-30] + b"\n[1]\n{}\n")
    assert mmpb(*words) == 0
    assert (folder / "results.jsonl").read_bytes() == before


def test_m26_ready_answers_of_some_questions_are_told(mmpb, tmp_path, capsys):
    file = tmp_path / "me.csv"
    file.write_text("index,prediction\nq6,Yes\nq7,\nother,No\n")
    assert mmpb("--answers", f"me={file}", "--model", "echo") == 0
    assert "me has ready answers to 2 of 30 questions" in " ".join(capsys.readouterr().err.split())
    mine = [row["outcome"] for row in rows_of(tmp_path / "run") if row["model"] == "me"]
    assert len(mine) == 2 and "empty" in mine


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.csv", "index,prediction\n", "holds no answers"),
        ("a.csv", "index,prediction\n,Yes\n", "field 'index': is empty"),
        ("a.csv", "index,prediction\nq6,Yes\nq6,No\n", "answered twice"),
        ("a.csv", "idx,prediction\nq41,Yes\n", "index, id, question_id"),
        ("a.csv", "index,prediction\nnone,Yes\n", "answers no question of these data"),
        ("a.json", "[]", "CSV or JSON lines"),
        ("a.xlsx", "PK", "CSV or JSON lines"),
        ("a.jsonl", '{"index": "q41", "prediction": ["Yes"]}\n', "should be a text"),
        ("a.jsonl", '{"index": "q41", "prediction": true}\n', "should be a text"),
        ("a.jsonl", '{"index": "q41"}\n', "prediction, reply, answer, response"),
    ],
)
def test_m26_files_of_answers_that_cannot_be_used_say_why(name, text, said, mmpb, tmp_path, capsys):
    (tmp_path / name).write_text(text)
    assert mmpb("--answers", f"me={tmp_path / name}") == 1
    assert said in capsys.readouterr().err


def test_m48_facts_of_other_models_are_told(mmpb, tmp_path, capsys):
    (tmp_path / "facts.csv").write_text("model,rank\nEcho,1\n")
    assert mmpb("--model", "echo", "--facts", tmp_path / "facts.csv") == 0
    assert "names none of this run's models (echo)" in capsys.readouterr().err


def test_x10_a_folder_of_other_settings_is_not_touched(mmpb, tmp_path, capsys):
    assert mmpb("--model", "echo") == 0
    before = (tmp_path / "run" / "results.jsonl").read_bytes()
    capsys.readouterr()
    assert mmpb("--model", "echo", "--max-tokens", 5) == 2
    assert "max_tokens was 1024 and is now 5" in capsys.readouterr().err
    assert (tmp_path / "run" / "results.jsonl").read_bytes() == before


def test_x10_data_that_changed_between_two_sessions_are_told(mmpb, root, tmp_path, capsys):
    assert mmpb("--model", "echo") == 0
    rewrite(root / "questions.jsonl", 0, topic="other")
    capsys.readouterr()
    assert mmpb("--model", "echo") == 2
    assert "data is not what it was" in capsys.readouterr().err


def test_x14_a_budget_of_nothing_asks_nothing_and_a_larger_one_goes_on(mmpb, tmp_path, capsys):
    with LocalChatServer(rules=[{"text": "Yes"}]) as server:
        words = ["--model", server.model(), "--price", "1,1"]
        assert mmpb(*words, "--budget", 0) == 1
        assert "The budget of $0.00 is used up" in capsys.readouterr().out
        assert server.counts()["received"] == {}
        assert not (tmp_path / "run" / "results.jsonl").exists()
        assert mmpb(*words, "--budget", 5) == 0
    assert len(rows_of(tmp_path / "run")) == 30


def test_x13_two_runs_share_a_ledger_and_pay_once(mmpb, tmp_path):
    with LocalChatServer(rules=[{"text": "Yes"}]) as server:
        words = ["--model", server.model(), "--ledger", tmp_path / "replies.sqlite"]
        assert mmpb(*words) == 0
        paid = sum(server.counts()["received"].values())
        assert mmpb(*words, out="other") == 0
        assert sum(server.counts()["received"].values()) == paid == 30
    names = ("results.jsonl", "summary.json")
    one, two = ({n: (tmp_path / run / n).read_bytes() for n in names} for run in ("run", "other"))
    assert one == two


def test_m20_grades_that_never_came_are_told_and_asked_for_again(mmpb, tmp_path, capsys):
    with (
        LocalChatServer(rules=[{"text": "A tin fish."}]) as model,
        LocalChatServer(rules=[{"status": 401, "error": "bad key"}]) as grader,
    ):
        words = ["--model", model.model(), "--form", "open", "--type", "coherency"]
        words += ["--grader", grader.model("g")]
        assert mmpb(*words) == 1
        assert "authentication" in capsys.readouterr().out
        assert {row["outcome"] for row in rows_of(tmp_path / "run")} == {"failed"}
        grader.control(rules=[{"text": '{"choice": "C"}'}])
        assert mmpb(*words) == 0
    assert {row["said"] for row in rows_of(tmp_path / "run")} == {"C"}


def test_m20_answers_that_come_later_are_graded_beside_those_that_were(mmpb, root, tmp_path):
    rewrite(root / "questions.jsonl", 2, question="What does <sks> hold now?")
    late = {"contains": "hold now", "status": 400, "error": "no", "times": 1}
    grades = [{"text": '{"choice": "C"}'}]
    with (
        LocalChatServer(rules=[late, {"text": "A tin fish."}]) as model,
        LocalChatServer(rules=grades) as grader,
    ):
        words = ["--model", model.model(), "--form", "open", "--type", "coherency"]
        words += ["--grader", grader.model("g")]
        assert mmpb(*words) == 1
        first = [row["outcome"] for row in rows_of(tmp_path / "run")]
        assert first.count("failed") == 1 and first[-1] == "answered"
        assert mmpb(*words) == 0
    assert {row["said"] for row in rows_of(tmp_path / "run")} == {"C"}


def test_a_dry_run_says_what_would_be_asked_and_writes_nothing(mmpb, tmp_path, capsys):
    assert mmpb("--model", "openai/gpt-4o-mini", "--dry-run", "--turns", "0,2") == 0
    said = capsys.readouterr().out
    assert "30 questions in 2 settings for 1 model" in said and "$" in said and "prefix" in said
    assert not (tmp_path / "run").exists()


def test_x16_a_dry_run_counts_the_graders_calls_and_names_servers_in_full(mmpb, capsys):
    servers = ("http://127.0.0.1:8000/v1#one", "http://127.0.0.1:8000/v1#two")
    models = [word for name in servers for word in ("--model", name)]
    free = ("--form", "open", "--grader", servers[0], "--turns", "0,2")
    assert mmpb(*models, *free, "--dry-run") == 0
    said = capsys.readouterr().out
    # 30 questions, two settings, two models.
    assert f"The grader {servers[0]} is asked too" in said and "at most 120 calls" in said
    assert "give --price" in said and "no bound" in said and "…" not in said


def test_x10_settings_that_cannot_be_asked_leave_the_folder_to_others(mmpb, tmp_path, capsys):
    assert mmpb("--concepts", "50") == 2
    assert "50 concepts need 49 others" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


def test_x17_ctrl_c_before_anything_is_asked_is_told_too(mmpb, monkeypatch, capsys):
    def stopped(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("eyeprint.protocols.mmpb_plan.plan_mmpb", stopped)
    assert mmpb() == 130
    assert "Stopped by Ctrl-C. Finished work is kept" in capsys.readouterr().err


def test_m26_a_setting_of_ready_answers_that_is_none_is_named(mmpb, root, tmp_path, capsys):
    answers = tmp_path / "human.csv"
    question = eyeprint.load_concepts(root)[0]
    answers.write_text(f"index,prediction\n{question.id},{question.answer}\n")
    assert mmpb("--answers", f"human={answers}", "--answers-in", "zzz") == 2
    assert "'zzz' is none of this run's" in capsys.readouterr().err


def test_a_dry_run_tells_too_what_cannot_be_asked(mmpb, capsys):
    assert mmpb("--concepts", "50", "--dry-run") == 2
    assert "49 others" in capsys.readouterr().err
