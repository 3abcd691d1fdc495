"""The commands ``people build candidates``, ``people audit-pictures``, and sets in ``audit``."""

import json

import typer
from typer.testing import CliRunner

from eyeprint.cli import people_audit, people_audit_pictures, people_candidates
from eyeprint.records.candidates import read_candidates
from eyeprint.records.profile_files import write_profiles
from eyeprint.records.profiles import Profile

APP = typer.Typer()
people_candidates.register(APP)
people_audit_pictures.register(APP)
people_audit.register(APP)


def run(*arguments: object):
    return CliRunner().invoke(APP, [str(argument) for argument in arguments])


def profiles(folder, n: int = 4):
    styles = ("Retro", "Cosy and healing", "Natural and green", "Tech and e-sports")
    people = [Profile(id=f"a{i}", answers={"Q4": styles[i % 4], "Q12": 6, "Q13": 2})
              for i in range(n)]  # fmt: skip
    return write_profiles(folder / "profiles.jsonl", people)


def test_p33_build_candidates_writes_and_resumes(tmp_path):
    profiles(tmp_path)
    out = tmp_path / "c"
    first = run("candidates", tmp_path, "--out", out)
    assert first.exit_code == 0 and "4 people, 80 prompts" in first.output
    bytes_before = (out / "candidates.jsonl").read_bytes()
    assert run("candidates", tmp_path, "--out", out).exit_code == 0
    assert (out / "candidates.jsonl").read_bytes() == bytes_before


def test_p74_p77_pipelines_numbers_and_seeds_are_flags(tmp_path):
    profiles(tmp_path)
    made = run("candidates", tmp_path, "--out", tmp_path / "f", "--pipeline", "profile-free",
               "--per-person", 8, "--seed", 3, "-n", 2)  # fmt: skip
    assert made.exit_code == 0
    found = read_candidates(tmp_path / "f").sets
    assert len(found) == 2 and found[0].pipeline == "profile_free" and len(found[0].prompts) == 8
    made = run("candidates", tmp_path, "--out", tmp_path / "o", "--pipeline", "no-openness")
    assert read_candidates(tmp_path / "o").sets[0].pipeline == "no_openness"


def test_p37_settings_come_from_a_file_too(tmp_path):
    profiles(tmp_path)
    (tmp_path / "s.toml").write_text("[mix]\nshared_at_most = 1\n")
    made = run("candidates", tmp_path, "--out", tmp_path / "c", "--settings", tmp_path / "s.toml")
    assert made.exit_code == 0
    manifest = json.loads((tmp_path / "c" / "manifest.json").read_text())
    assert manifest["settings"]["settings"]["mix"]["shared_at_most"] == 1


def test_p37_a_flag_that_is_not_given_leaves_the_files_setting_as_it_is(tmp_path):
    profiles(tmp_path, n=1)
    (tmp_path / "s.toml").write_text('seed = 11\npipeline = "profile_free"\n[mix]\ntotal = 9\n')
    by_file = ("candidates", tmp_path, "--settings", tmp_path / "s.toml")
    assert run(*by_file, "--out", tmp_path / "c").exit_code == 0
    told = json.loads((tmp_path / "c" / "manifest.json").read_text())["settings"]["settings"]
    assert (told["seed"], told["pipeline"], told["mix"]["total"]) == (11, "profile_free", 9)
    assert run(*by_file, "--out", tmp_path / "d", "--per-person", 7, "--seed", 2).exit_code == 0
    told = json.loads((tmp_path / "d" / "manifest.json").read_text())["settings"]["settings"]
    assert (told["seed"], told["pipeline"], told["mix"]["total"]) == (2, "profile_free", 7)


def test_p37_a_set_too_small_for_all_themes_is_told_once_and_not_blamed(tmp_path):
    profiles(tmp_path, n=2)
    small = run("candidates", tmp_path, "--out", tmp_path / "c", "--per-person", 5)
    assert "sets of 5 have no room" in small.output and "do not keep" not in small.output
    six = run("candidates", tmp_path, "--out", tmp_path / "d", "--per-person", 6)
    assert "no room" not in six.output and "do not keep" not in six.output


def test_x16_a_dry_run_asks_nothing_and_makes_nothing(tmp_path):
    profiles(tmp_path)
    told = run("candidates", tmp_path, "--out", tmp_path / "c", "--writer", "openai/gpt-4o",
               "--dry-run", "--price", "1,2")  # fmt: skip
    assert told.exit_code == 0 and "4 people, 4 calls" in told.output
    assert "16 calls, cost at most $" in told.output
    assert not (tmp_path / "c").exists()
    plain = run("candidates", tmp_path, "--out", tmp_path / "c", "--dry-run")
    assert "no call, no cost" in plain.output


def test_p33_an_echoing_model_gives_no_candidates_and_exit_code_1(tmp_path):
    profiles(tmp_path, n=1)
    told = run("candidates", tmp_path, "--out", tmp_path / "c", "--writer", "echo",
               "--price", "free")  # fmt: skip
    assert told.exit_code == 1 and "no candidates for a0" in told.output
    assert "3 calls" in told.output


def test_p33_lines_that_cannot_be_read_are_told(tmp_path):
    file = profiles(tmp_path)
    file.write_bytes(file.read_bytes() + b"{\n")
    told = run("candidates", file, "--out", tmp_path / "c")
    assert told.exit_code == 1 and "4 people" in told.output and ":5" in told.output


def test_p75_p77_audits_compare_pipelines(tmp_path):
    profiles(tmp_path)
    for pipeline in ("profile", "profile-free"):
        run("candidates", tmp_path, "--out", tmp_path / pipeline, "--pipeline", pipeline)
    places = (tmp_path / "profile", tmp_path / "profile-free")
    told = run("audit-pictures", *places, "--encoder", "static", "--clusters", 3,
               "--out", tmp_path / "a")  # fmt: skip
    assert told.exit_code == 0, told.output
    assert "Data quality" in told.output and "Paired by person" in told.output
    assert (tmp_path / "a" / "audit.json").is_file() and (tmp_path / "a" / "audit.html").is_file()
    same = run("audit", *places, "--encoder", "static", "--json", tmp_path / "b.json")
    assert same.exit_code == 0 and "Data quality" in same.output
    assert len(json.loads((tmp_path / "b.json").read_text())["sets"]) == 2


def test_p75_several_sources_of_people_are_refused(tmp_path):
    told = run("audit", "mini", "mini")
    assert told.exit_code != 0 and "one source at a time" in str(told.exception)
