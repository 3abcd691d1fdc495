"""``eyeprint people build concepts``: from folders and models to questions (M5–M20)."""

import csv
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from eyeprint.cli import people_concepts
from eyeprint.errors import UsageError
from eyeprint.randomness import stream
from eyeprint.records.concept_files import open_concepts
from tests.people.made_concepts import COHERENCY, DESCRIPTIONS, made_concepts
from tests.people.made_pictures import made_picture, write_picture
from tests.servers.local_chat import LocalChatServer

app = typer.Typer()
people_concepts.register(app)


@app.callback()
def group() -> None:
    """A group, as ``eyeprint people build`` is."""


RULES = [
    {"contains": '"issues"', "text": '{"issues": [], "note": ""}'},
    {"contains": '"extended"', "text": json.dumps(DESCRIPTIONS)},
    {"contains": '"image_only"', "text": json.dumps(COHERENCY)},
]
JOB = (
    "import sys, typer\n"
    "from eyeprint.cli import people_concepts\n"
    "app = typer.Typer()\n"
    "people_concepts.register(app)\n"
    "app.callback()(lambda: None)\n"
    "app(sys.argv[1:])\n"
)
"""The command in a process of its own."""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return made_concepts(tmp_path / "in", references=2)


def told(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["concepts", *arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, " ".join(result.output.split())


def test_m6_offline_the_end_tells_counts_by_task_and_what_is_missing(source: Path, tmp_path: Path):
    code, output = told(str(source), "--out", str(tmp_path / "out"), "--negated", "0")
    assert code == 0
    assert "awareness · recognition · human: 4 questions (4 planned, 4 drafted)" in output
    assert "coherency · recognition · animal: 0 questions (4 planned, 0 drafted, 4 need" in output
    assert "contradictions of tastes resolved: " in output
    assert "missing, 5 concepts with fewer than 5 reference pictures" in output
    assert "5 concepts, 15 questions" in output
    data = open_concepts(tmp_path / "out")
    assert len(data) == 15
    assert not any(question.negated for question in data)


def test_m19_a_server_drafts_and_three_of_its_models_check(source: Path, tmp_path: Path):
    rules = [
        {"contains": "What is <sks> holding?", "text": '{"issues": ["grammar"], "note": "Hm."}'},
        *RULES,
    ]
    out = tmp_path / "out"
    with LocalChatServer(rules=rules) as server:
        models = [server.model(name) for name in ("draft", "a", "b", "c")]
        arguments = [str(source), "--out", str(out), "--drafter", models[0], "--price", "free"]
        arguments += [part for name in models[1:] for part in ("--checker", name)]
        code, output = told(*arguments, "--dry-run")
        assert (code, server.counts()["received"]) == (0, {})
        assert "5 concepts, 25 questions to draft" in output
        assert "descriptions:" in output
        assert not out.exists()
        code, output = told(*arguments)
        assert code == 0
        assert f"{models[0]}: 17 calls" in output
        assert f"{models[3]}: 25 calls" in output
        assert "questions flagged by models: grammar 12" in output
        code, output = told(*arguments)
        assert "17 calls" not in output, "a second run asks nothing"
        rows = list(csv.DictReader((out / "review/questions.csv").open()))
        files = []
        for name in ("ann", "bob", "cy"):
            files += ["--decisions", str(tmp_path / f"{name}.csv")]
            with (tmp_path / f"{name}.csv").open("w", newline="") as stream:
                writer = csv.DictWriter(stream, rows[0])
                writer.writeheader()
                decision = "accept" if name != "cy" else "reject"
                writer.writerows(row | {"decision": decision} for row in rows)
        code, output = told(*arguments, *files)
    assert code == 0
    assert "reviewed: accepted 25; disagreements: 25" in output
    assert len(open_concepts(out)) == 25


def test_x9_refusals_are_told_as_refusals_and_end_with_code_1(source: Path, tmp_path: Path):
    rules = [{"contains": '"extended"', "text": "I'm sorry, but I can't describe people."}, *RULES]
    with LocalChatServer(rules=rules) as server:
        code, output = told(
            str(source), "--out", str(tmp_path / "out"), "--drafter", server.model(), "-n", "1"
        )
    assert code == 1
    assert "failed: refused 1" in output
    assert "missing, 1 concepts without the description 'simple'" in output
    assert "the same command tries what failed again" in output


def test_a_csv_of_query_pictures_and_settings_of_a_file(source: Path, tmp_path: Path):
    write_picture(tmp_path / "more/a.png", made_picture(400, 32, 40))
    (tmp_path / "more/q.csv").write_text("path,concept,type\na.png,Bo,awareness\nb.png,Bo,\n")
    (tmp_path / "set.toml").write_text("[items]\nnegated_share = 1.0\n")
    code, output = told(
        str(source), "--out", str(tmp_path / "out"), "--queries", str(tmp_path / "more/q.csv"),
        "--settings", str(tmp_path / "set.toml"), "--negatives", "1",
    )  # fmt: skip
    assert code == 1
    assert "left out: " in output
    assert "there is no file" in output
    data = open_concepts(tmp_path / "out")
    assert sum(q.concept == "Bo" and q.type == "awareness" for q in data) == 3
    assert all(q.negated for q in data if q.type != "coherency")
    assert sum(q.type == "appropriateness" for q in data) == 5
    with pytest.raises(UsageError, match="threshold"):
        (tmp_path / "set.toml").write_text("[checks]\nthreshold = 0\n")
        told(str(source), "--out", str(tmp_path / "x"), "--settings", str(tmp_path / "set.toml"))


def test_x17_killed_at_any_moment_it_ends_the_same_and_pays_once(source: Path, tmp_path: Path):
    draws = stream(1, "kill", "concepts")

    def started(server: LocalChatServer, out: Path) -> subprocess.Popen[bytes]:
        names = [server.model(name) for name in ("draft", "a", "b")]
        command = [sys.executable, "-c", JOB, "concepts", str(source), "--out", str(out)]
        command += ["--drafter", names[0], "--checker", names[1], "--checker", names[2]]
        command += ["--concurrency", "4", "--price", "free"]
        return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    with LocalChatServer(latency=0.02, rules=RULES) as server:
        assert started(server, tmp_path / "whole").wait(timeout=60) == 0
        whole = server.counts()["answered"]
        server.control(latency=0.02, rules=RULES, reset=True)
        kills = 0
        for _ in range(2):
            job = started(server, tmp_path / "killed")
            wanted = sum(server.counts()["received"].values()) + 3 + draws.below(20)
            deadline = time.monotonic() + 30
            while sum(server.counts()["received"].values()) < wanted and job.poll() is None:
                assert time.monotonic() < deadline
                time.sleep(0.005)
            if job.poll() is None:
                os.kill(job.pid, signal.SIGKILL)
                kills += 1
            job.wait()
            time.sleep(0.1)
        assert started(server, tmp_path / "killed").wait(timeout=60) == 0
        answered = server.counts()["answered"]
    assert kills >= 1
    assert set(answered) == set(whole)
    # Of each kill, only calls that were under way may have been made once more.
    assert sum(answered.values()) - sum(whole.values()) <= kills * 4
    for name in ("concepts.jsonl", "questions.jsonl", "review/questions.csv", "report.json"):
        one, other = (tmp_path / folder / name for folder in ("whole", "killed"))
        assert one.read_bytes() == other.read_bytes(), name
