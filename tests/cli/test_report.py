"""``eyeprint report``: formats, targets, and errors."""

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from eyeprint.cli import report
from eyeprint.errors import DataError, UnknownName
from tests.report.made_run import write_run

app = typer.Typer()


@app.callback()
def _group() -> None:
    """Keep ``report`` a command of its own."""


report.register(app)
RUNNER = CliRunner()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_run(tmp_path_factory.mktemp("cli") / "run", people=2, tasks="cultural_site")


def test_html_goes_into_the_run_folder(folder: Path):
    done = RUNNER.invoke(app, ["report", str(folder)])
    assert done.exit_code == 0, done.output
    assert (folder / "report.html").read_text(encoding="utf-8").startswith("<!doctype html>")


@pytest.mark.parametrize(
    ("format", "start"), [("md", "# VPTT"), ("tex", "% Needs"), ("csv", "query,"), ("json", "{")]
)
def test_other_formats_go_to_standard_output_or_a_file(
    folder: Path, tmp_path: Path, format: str, start: str
):
    printed = RUNNER.invoke(app, ["report", str(folder), "--format", format])
    assert printed.exit_code == 0
    assert printed.stdout.startswith(start)
    target = tmp_path / "sub" / f"out.{format}"
    done = RUNNER.invoke(app, ["report", str(folder), "-f", format, "--out", str(target)])
    assert done.exit_code == 0
    assert done.stdout == ""
    assert target.read_bytes() == printed.stdout_bytes


def test_json_on_standard_output_parses(folder: Path):
    done = RUNNER.invoke(app, ["report", str(folder), "-f", "json", "--out", "-"])
    assert json.loads(done.stdout)["manifest"]["kind"] == "vptt"


def test_wrong_folder_and_wrong_format_are_errors_with_their_exit_codes(
    folder: Path, tmp_path: Path
):
    missing = RUNNER.invoke(app, ["report", str(tmp_path / "none")])
    assert isinstance(missing.exception, DataError) and missing.exception.exit_code == 1
    format = RUNNER.invoke(app, ["report", str(folder), "-f", "pdf"])
    assert isinstance(format.exception, UnknownName) and format.exception.exit_code == 2
