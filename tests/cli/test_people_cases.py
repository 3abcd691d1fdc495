"""``eyeprint people build cases``: from files on the disk to a data root (P44, P45)."""

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from eyeprint.cli import people_cases
from eyeprint.errors import UsageError
from eyeprint.records.case_files import open_cases
from tests.people.made_pictures import made_picture, write_picture
from tests.servers.local_chat import LocalChatServer

app = typer.Typer()
people_cases.register(app)


@app.callback()
def group() -> None:
    """A group, as ``eyeprint people build`` is."""


@pytest.fixture
def pools(tmp_path: Path) -> Path:
    for n in range(6):
        write_picture(tmp_path / f"pools/anna/{n}.png", made_picture(n, 48, 64))
        (tmp_path / f"pools/anna/{n}.txt").write_text(f"A moody photo of kite {n}, soft light")
    return tmp_path / "pools"


def told(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["cases", *arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.output


def test_p45_counts_are_printed_and_the_layout_is_the_released_one(pools: Path, tmp_path: Path):
    out = tmp_path / "out"
    code, output = told("--pools", str(pools), "--out", str(out), "--per-pool", "3",
                        "--references", "2-3")  # fmt: skip
    assert code == 0
    assert "real: 3 cases, " in output
    assert "1 person (3.00 cases and " in output
    assert "no leak found" in output
    rows = json.loads((out / "metadata.json").read_text())
    assert [sorted(row) for row in rows] == [
        ["category", "gt_images", "id", "image_id", "prompt", "ref_images"]
    ] * 3
    assert all(2 <= len(row["ref_images"]) <= 3 for row in rows)
    assert open_cases(out).missing_files() == ()
    assert told("--pools", str(pools), "--out", str(out), "--per-pool", "3",
                "--references", "2-3")[0] == 0  # fmt: skip


def test_p44_a_chat_model_behind_a_ledger_names_targets(pools: Path, tmp_path: Path):
    rules = [{"text": '{"caption": "a kite over a hill"}'}]
    with LocalChatServer(rules=rules) as server:
        code, output = told(
            "--pools", str(pools), "--out", str(tmp_path / "out"), "--per-pool", "2",
            "--captioner", server.model(), "--price", "free", "--encoder", "none",
        )  # fmt: skip
        asked = sum(server.counts()["received"].values())
    assert code == 0
    assert asked == 2
    assert "2 calls" in output
    assert {case.prompt for case in open_cases(tmp_path / "out")} == {"a kite over a hill"}
    assert (tmp_path / "out/ledger.sqlite").is_file()


@pytest.mark.parametrize("text", ["", "x", "0-3", "5-2", "2-5-9"])
def test_ranges_that_are_none_are_refused(text: str):
    with pytest.raises(UsageError, match="--references takes a range"):
        people_cases.read_range(text)
