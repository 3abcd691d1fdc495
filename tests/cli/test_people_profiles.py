"""``people build agents``, ``people survey`` and ``people answers`` as a person types them."""

from __future__ import annotations

import pytest
import typer
from typer.testing import CliRunner

from eyeprint.cli import people_agents, people_answers, people_survey
from eyeprint.errors import DataError, FolderMismatch, UsageError
from eyeprint.records.profile_files import read_profiles


@pytest.fixture
def run():
    app = typer.Typer()
    people_agents.register(app)
    people_survey.register(app)
    people_answers.register(app)

    def call(*arguments: object):
        return CliRunner().invoke(app, [str(argument) for argument in arguments])

    return call


def test_p24_p26_agents_are_built_counted_and_found_again(run, tmp_path):
    first = run("agents", "-n", 12, "--seed", 3, "--out", tmp_path / "a")
    assert first.exit_code == 0, first.output
    assert "12 agents of " in first.output
    assert "rejected by H1: " in first.output
    assert "(high curiosity with high rigidity)" in first.output
    assert "rejected for soft conflicts: " in first.output
    assert "rejected as too similar: " in first.output
    assert len(read_profiles(tmp_path / "a")[0]) == 12
    again = run("agents", "-n", 12, "--seed", 3, "--out", tmp_path / "a")
    assert again.exit_code == 0
    assert "unchanged" in again.output
    other = run("agents", "-n", 12, "--seed", 4, "--out", tmp_path / "a")
    assert isinstance(other.exception, FolderMismatch)


def test_p26_settings_from_a_file_and_attempts_used_up(run, tmp_path):
    (tmp_path / "s.toml").write_text(
        'attempts_most = 20\ntexts = false\n[consistency]\nstimulation_security = "contextual"\n'
    )
    short = run("agents", "-n", 50, "--settings", tmp_path / "s.toml", "--out", tmp_path / "a")
    assert short.exit_code == 1
    assert "of 20 attempts" in short.output
    assert "Raise attempts_most" in short.output
    (tmp_path / "s.toml").write_text("penalty_mots = 3\n")
    wrong = run("agents", "--settings", tmp_path / "s.toml", "--out", tmp_path / "b")
    assert isinstance(wrong.exception, UsageError)
    assert "did you mean 'penalty_most'?" in str(wrong.exception)


SURVEY = "Name,Duration,Q1,Q2,Q7:Film,Q7:Pets\nAna,100,Law,Female,1,0\nBen,9,Law,Male,1,1\n"
SURVEY += "Cai,100,Alchemy,Male,0,1\n"


def test_p15_p24_a_survey_becomes_profiles_and_the_rest_is_told(run, tmp_path):
    (tmp_path / "s.csv").write_text(SURVEY)
    done = run("survey", tmp_path / "s.csv", "--out", tmp_path / "real")
    # Two rows were left out.
    assert done.exit_code == 1, done.output
    assert "1 profiles of 3 rows (utf-8)" in done.output
    assert "left out, too fast: 1" in done.output
    assert "not stored: column 'Name' (may identify a person)" in done.output
    assert "s.csv:3, field 'Duration': took 9 s" in done.output
    assert "s.csv:4, field 'Q1': a text of 7 characters is not allowed" in done.output
    assert read_profiles(tmp_path / "real")[0][0].answers["Q7"] == ("Film",)
    again = run("survey", tmp_path / "s.csv", "--out", tmp_path / "real")
    assert isinstance(again.exception, UsageError)
    more = run(
        *("survey", tmp_path / "s.csv", "--out", tmp_path / "real"),
        *("--overwrite", "--min-seconds", 0),
    )
    assert "2 profiles of 3 rows" in more.output
    assert len(read_profiles(tmp_path / "real")[0]) == 2


def test_p15_uploads_are_told_by_line_and_settings_are_checked(run, tmp_path):
    (tmp_path / "s.csv").write_text("Name,Q2,Q19\nAna,Male,Ana Lima 1.JPG;Ana_2.png\n")
    done = run("survey", tmp_path / "s.csv", "--out", tmp_path / "real", "--partial")
    assert done.exit_code == 0, done.output
    assert "upload, line 2, field 'Q19', picture 2: person-0001/2.png" in done.output
    assert "Ana_" not in done.output and "Lima" not in done.output
    assert "Ana" not in (tmp_path / "real" / "profiles.jsonl").read_text()
    wrong = run(
        *("survey", tmp_path / "s.csv", "--out", tmp_path / "b", "--min-seconds", "inf"),
    )
    assert isinstance(wrong.exception, UsageError) and "min_seconds" in str(wrong.exception)


def test_p15_a_survey_without_one_good_row_writes_nothing(run, tmp_path):
    (tmp_path / "s.csv").write_text("Q1\n" + "Alchemy\n" * 30)
    done = run("survey", tmp_path / "s.csv", "--out", tmp_path / "real")
    assert done.exit_code == 1
    assert "... and 10 more" in done.output
    assert "nothing was written" in done.output
    assert not (tmp_path / "real").exists()


def test_p22_p32_answers_of_agents_beside_people(run, tmp_path):
    run("agents", "-n", 40, "--out", tmp_path / "agents")
    (tmp_path / "s.csv").write_text(SURVEY)
    run("survey", tmp_path / "s.csv", "--out", tmp_path / "real", "--partial")
    both = run("answers", tmp_path / "agents", tmp_path / "real")
    assert both.exit_code == 0, both.output
    assert "A: 40 profiles, B: 1 profiles" in both.output
    assert "Q1  Major Field of Study; balance 0." in both.output
    assert "; distance 0." in both.output
    assert "mean balance 0.9" in both.output
    brief = run("answers", tmp_path / "agents", "--brief")
    assert len(brief.output.splitlines()) == 20
    (tmp_path / "bad.jsonl").write_text('{"id": "a", "answers": {"Q1": "Law"}}\n{\n')
    bad = run("answers", tmp_path / "bad.jsonl", "--brief")
    assert bad.exit_code == 1
    assert "bad.jsonl:2" in bad.output
    (tmp_path / "bad.jsonl").write_text("{\n")
    assert isinstance(run("answers", tmp_path / "bad.jsonl").exception, DataError)


def test_p22_answers_that_the_questionnaire_does_not_have_are_told(run, tmp_path):
    path = tmp_path / "wrong.jsonl"
    path.write_text('{"id": "a", "answers": {"Q99": 1, "Q12": "7"}}\n')
    result = run("answers", str(path), "--brief")
    assert result.exit_code == 1
    assert "profile 'a': there is no question 'Q99'" in result.output
    assert "'7' is not allowed; it takes a whole number from 1 to 7" in result.output
    assert "nan" not in result.output
