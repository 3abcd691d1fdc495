"""``people build toybox`` as a person types it."""

from __future__ import annotations

import pytest
import typer
from typer.testing import CliRunner

from eyeprint.cli import people_toybox
from eyeprint.errors import FolderMismatch, UsageError
from eyeprint.records.concept_files import open_concepts


@pytest.fixture
def run():
    app = typer.Typer()
    app.callback()(lambda: None)
    people_toybox.register(app)

    def call(*arguments: object):
        return CliRunner().invoke(app, ["toybox", *map(str, arguments)])

    return call


def test_m5_m6_a_toybox_is_built_counted_and_found_again(run, tmp_path):
    small = tmp_path / "small.toml"
    small.write_text("side = 128\n")
    command = ("-n", 4, "--questions", 20, "--seed", 3, "--settings", small)
    first = run(*command, "--out", tmp_path / "t")
    assert first.exit_code == 0, first.output
    assert "4 concepts, 20 questions, " in first.output
    assert "coherency · preference · human: " in first.output
    assert len(open_concepts(tmp_path / "t")) == 20
    again = run(*command, "--out", tmp_path / "t")
    assert "everything was there already" in again.output
    other = run("-n", 5, "--out", tmp_path / "t")
    assert isinstance(other.exception, FolderMismatch)


def test_m5_a_setting_out_of_range_is_told(run, tmp_path):
    assert run("-n", 3, "--out", tmp_path / "t").exit_code == 2
    bad = tmp_path / "bad.toml"
    bad.write_text("hard_shares = 0.5\n")
    told = run("--settings", bad, "--out", tmp_path / "t")
    assert isinstance(told.exception, UsageError)
    assert "hard_share" in str(told.exception)
