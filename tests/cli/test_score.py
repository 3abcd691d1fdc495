"""``eyeprint score vptt``: prompts from any source."""

import csv
import json
from pathlib import Path

import pytest

from eyeprint.cli.main import run_command
from eyeprint.models.text_encoders import load_encoder
from eyeprint.people.shipped import load_people
from eyeprint.protocols.score_prompts import score_file
from eyeprint.records.prompts import read_prompts
from eyeprint.scores.vptt_score import vptt_score


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("EYEPRINT_CACHE", str(tmp_path / "cache"))


def prompts(folder: Path, *rows: dict) -> str:
    path = folder / "prompts.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


ROWS = [
    {"person": "mini-03", "prompt": "Black clay jars beside a smoking kiln.", "method": "mine"},
    {"person": "mini-01", "prompt": "A red boat in a grey harbour.", "method": "baseline"},
    {"person": "mini-03", "prompt": "Two words", "method": "mine", "note": "kept"},
]


def test_v58_v66_scores_are_those_of_the_library_in_the_order_of_the_file(tmp_path, capsys):
    out = tmp_path / "scores.jsonl"
    words = ["score", "vptt", prompts(tmp_path, *ROWS), "--encoder", "static", "--out", str(out)]
    assert run_command(words) == 0
    found = [json.loads(line) for line in out.open(encoding="utf-8")]
    assert [(row["person"], row["prompt"]) for row in found] == [
        (row["person"], row["prompt"]) for row in ROWS
    ]
    people, encoder = load_people("mini"), load_encoder("static")
    for row, nv in zip(found, ("measured", "published_zero", "measured"), strict=True):
        (alone,) = vptt_score([row["prompt"]], people[row["person"]], encoder=encoder, nv=nv)
        assert row["gs"] == pytest.approx(alone.gs, abs=2e-6)
        assert row["nv"] == alone.nv
    assert found[2]["note"] == "kept"
    assert found[2]["nv"] is None
    assert "too few words" in found[2]["unscored"]["nv"]
    assert "mine" in capsys.readouterr().out


def test_unknown_people_are_unscored_named_and_the_others_scored(tmp_path, capsys):
    rows = [*ROWS[:1], {"person": "mini-33", "prompt": "A red boat."}]
    out = tmp_path / "scores.csv"
    words = ["score", "vptt", prompts(tmp_path, *rows), "--encoder", "static", "--out", str(out)]
    assert run_command(words) == 1
    with out.open(encoding="utf-8", newline="") as file:
        found = list(csv.DictReader(file))
    assert found[0]["score"]
    assert found[1]["score"] == ""
    assert "no person 'mini-33'" in found[1]["unscored"]
    assert "mini-33" in capsys.readouterr().err


def test_no_text_of_a_file_becomes_a_formula_in_a_spreadsheet(tmp_path):
    risky = {"person": "mini-03", "prompt": "=HYPERLINK(1)", "method": "@m", "+note": "-2+3"}
    out = tmp_path / "scores.csv"
    words = ["score", "vptt", prompts(tmp_path, risky), "--encoder", "static", "--out", str(out)]
    assert run_command(words) == 0
    with out.open(encoding="utf-8", newline="") as file:
        (found,) = csv.DictReader(file)
    assert (found["prompt"], found["method"]) == ("'=HYPERLINK(1)", "'@m")
    assert found["'+note"] == "'-2+3"
    # Numbers are no texts: negative ones stay numbers.
    assert not found["pa"].startswith("'")


def test_bad_rows_are_told_and_the_good_ones_scored(tmp_path, capsys):
    path = tmp_path / "p.csv"
    path.write_text("person,prompt\nmini-01,A red boat in the harbour\nmini-02\n")
    assert run_command(["score", "vptt", str(path), "--encoder", "static"]) == 1
    told = capsys.readouterr()
    assert "p.csv:3, field 'prompt'" in " ".join(told.err.split())
    assert "1 people" in told.out


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["nowhere.jsonl"], "cannot be read"),
        (["{prompts}", "--out", "scores.xlsx"], ".jsonl or .csv"),
        (["{prompts}", "--people", "nowhere"], "no such file"),
        (["{prompts}", "--settings", "nowhere.toml"], "cannot be read"),
    ],
)
def test_bad_usage_is_told(tmp_path, capsys, words, told):
    path = prompts(tmp_path, *ROWS)
    words = [word.format(prompts=path) for word in words]
    assert run_command(["score", "vptt", *words, "--encoder", "static"]) in (1, 2)
    assert told in capsys.readouterr().err


def test_settings_from_toml_change_the_score(tmp_path):
    settings = tmp_path / "s.toml"
    settings.write_text("weights = [1.0, 0.0, 0.0, 0.0]\n")
    out = tmp_path / "scores.jsonl"
    words = ["score", "vptt", prompts(tmp_path, ROWS[0]), "--encoder", "static"]
    assert run_command([*words, "--settings", str(settings), "--out", str(out)]) == 0
    row = json.loads(out.read_text())
    assert row["score"] == pytest.approx(row["pa"])


def test_thousands_of_prompts_of_one_person_are_scored_in_parts(tmp_path):
    rows = [{"person": "mini-01", "prompt": f"boat number {i} in grey rain"} for i in range(600)]
    found = score_file(
        read_prompts(prompts(tmp_path, *rows)), load_people("mini"), load_encoder("static")
    )
    assert len(found.rows) == 600
    assert len({row["pa"] for row in found.rows}) > 300


def test_the_prompts_and_people_are_not_overwritten(tmp_path, capsys):
    path = prompts(tmp_path, *ROWS)
    before = Path(path).read_bytes()
    words = ["score", "vptt", path, "--encoder", "static", "--out"]
    assert run_command([*words, path]) == 2
    assert "is what is read here" in capsys.readouterr().err
    (tmp_path / "link.jsonl").symlink_to(path)
    assert run_command([*words, str(tmp_path / "link.jsonl")]) == 2
    assert Path(path).read_bytes() == before


def test_people_left_out_are_told_and_end_with_code_one(tmp_path, capsys):
    people = tmp_path / "people.jsonl"
    people.write_text('{"id":"a","posts":[{"id":"1","caption":"A red door in a wall."}]}\n{"id":\n')
    path = prompts(tmp_path, {"person": "a", "prompt": "A red door in a wall."})
    assert run_command(["score", "vptt", path, "--people", str(people), "--encoder", "static"]) == 1
    assert "people.jsonl:2" in capsys.readouterr().err


def test_half_a_character_and_nan_leave_a_file_that_reads_back(tmp_path):
    path, out = tmp_path / "p.jsonl", tmp_path / "scores.jsonl"
    path.write_text('{"person":"mini-01","prompt":"half \\ud83d a door","note":NaN}\n')
    assert run_command(["score", "vptt", str(path), "--encoder", "static", "--out", str(out)]) == 0
    found = read_prompts(out)
    assert found.rows[0].prompt == "half \ud83d a door"
    assert found.extra[0]["note"] is None
