"""``eyeprint people leaks``, from files to exit codes (P66)."""

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from eyeprint.cli import people_leaks
from eyeprint.records.case_files import write_cases
from eyeprint.records.cases import Case
from tests.people.made_pictures import image_of, made_picture, saved_again, write_picture

app = typer.Typer()
people_leaks.register(app)


@app.callback()
def group() -> None:
    """A group, as ``eyeprint people`` is."""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name in range(1, 4):
        write_picture(tmp_path / f"{name}.png", made_picture(name))
    case = Case(
        id="0", person_id="a", prompt="a kite", references=("1.png", "2.png"), target="3.png"
    )
    write_cases(tmp_path, [case])
    return tmp_path


def told(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["leaks", *arguments])
    return result.exit_code, result.output


def test_p66_clean_data_exits_with_zero_and_says_so(root: Path):
    code, output = told(str(root), "--block")
    assert code == 0
    assert "1 case with 3 pictures: no leak found." in output


def test_p66_an_error_is_listed_and_blocks_only_when_asked_to(root: Path, tmp_path: Path):
    write_picture(root / "2.png", saved_again(image_of(made_picture(3)).crop((5, 5, 100, 80))))
    code, output = told(str(root), "--encoder", "none", "--json", str(tmp_path / "report.json"))
    assert code == 0
    assert "error  crop" in output
    assert told(str(root), "--block")[0] == 1
    report = json.loads((tmp_path / "report.json").read_text())
    assert report["rows"][0]["where"] == "case 0: target and reference"
    assert told(str(root), "--block", "--no-crops", "--encoder", "none")[0] == 0


def test_p66_missing_files_come_first_and_rows_left_out_end_with_1(root: Path):
    (root / "2.png").unlink()
    code, output = told(str(root), "--encoder", "none")
    assert code == 0
    assert output.splitlines()[0] == "note: 1 picture is missing: 2.png"
    assert "1 missing picture, the first: 2.png" in output
    rows = json.loads((root / "metadata.json").read_text())
    (root / "metadata.json").write_text(json.dumps([*rows, {"id": "1"}]))
    code, output = told(str(root), "--encoder", "none")
    assert code == 1 and "not read: " in output


def test_p66_training_rows_are_compared(root: Path, tmp_path: Path):
    write_picture(tmp_path / "train/9.png", made_picture(1))
    code, output = told(str(root), "--train", str(tmp_path / "train"), "--block")
    assert code == 1
    assert "benchmark and training rows" in output
