"""A real package, installed by pip, adds methods, models, a painter and a judge."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.protocols.made_root import make_root

PACKAGE = Path(__file__).parents[1] / "plugin"


@pytest.fixture(scope="module")
def installed(tmp_path_factory) -> dict[str, str]:
    target = tmp_path_factory.mktemp("plugin")
    source = target / "source"
    subprocess.run(["cp", "-r", str(PACKAGE), str(source)], check=True)
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run(
        [*pip, "--disable-pip-version-check", "--target", str(target / "site"), str(source)],
        check=True,
        capture_output=True,
    )
    return {**os.environ, "PYTHONPATH": str(target / "site"), "EYEPRINT_CACHE": str(target)}


def eyeprint(environment: dict[str, str], *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "eyeprint.cli.main", *words],
        env=environment,
        capture_output=True,
        text=True,
    )


def test_a_plug_ins_method_encoder_and_chat_take_part_in_a_run(installed, tmp_path):
    done = eyeprint(
        installed,
        *("run", "vptt", "-n", "2", "--tasks", "cultural_site", "--methods", "baseline,haiku"),
        *("--encoder", "letters", "--writer", "shouting/very", "--out", str(tmp_path / "run")),
    )
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in (tmp_path / "run" / "results.jsonl").open()]
    assert [row["method"] for row in rows] == ["baseline", "haiku"] * 2
    assert rows[1]["prompt"].isupper()
    assert rows[1]["gs"] is not None


def test_a_plug_ins_fault_is_told_as_the_plug_ins(installed):
    done = eyeprint(installed, "rewrite", "x", "--person", "mini-01", "--method", "broken")
    assert done.returncode == 2
    assert "eyeprint_haiku:nothing_of_that_name" in done.stderr


def test_plug_ins_are_among_the_known_names(installed):
    done = eyeprint(installed, "rewrite", "x", "--person", "mini-01", "--method", "haikus")
    assert "Did you mean 'haiku'?" in done.stderr


def test_a_plug_ins_picture_method_painter_and_judge_take_part(installed, tmp_path):
    root = make_root(tmp_path / "data")
    run = str(tmp_path / "run")
    done = eyeprint(
        installed,
        *("run", "pipbench", "--data", str(root), "--methods", "no_preference,mirror"),
        *("--painter", "flat", "--editor", "flat", "--out", run),
    )
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in (tmp_path / "run" / "results.jsonl").open()]
    assert {row["model"] for row in rows} == {"no_preference · flat", "mirror · flat"}
    mirrored = [row for row in rows if row["method"] == "mirror"]
    assert all(row["scores"]["PAL-R"] > 50 for row in mirrored)
    judged = eyeprint(installed, "judge", "pairs", run, "--judge", "brightest", "--share", "1")
    assert judged.returncode == 0, judged.stderr + judged.stdout
    assert "brightest passes its certificate" in judged.stdout
