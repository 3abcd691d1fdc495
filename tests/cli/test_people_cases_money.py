"""``eyeprint people build cases`` with a hosted painter: budget, books, dry run (X16, X17)."""

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from eyeprint.cli import people_cases
from eyeprint.errors import UsageError
from eyeprint.models.pictures import png_bytes
from eyeprint.records.candidates import CandidatePrompt, CandidateSet
from eyeprint.records.case_files import open_cases
from tests.people.made_pictures import made_picture
from tests.servers import local_images
from tests.servers.local_chat import LocalChatServer

app = typer.Typer()
people_cases.register(app)


@app.callback()
def group() -> None:
    """A group, as ``eyeprint people build`` is."""


@pytest.fixture
def candidates(tmp_path: Path) -> Path:
    prompts = tuple(
        CandidatePrompt(text=f"A vivid photograph of kite {n}", category="hybrid", subject="kite")
        for n in range(6)
    )
    path = tmp_path / "candidates.jsonl"
    path.write_text(CandidateSet(profile_id="a", prompts=prompts).model_dump_json() + "\n")
    return path


@pytest.fixture
def server(monkeypatch):
    """Paints a made picture for each prompt: plates of one colour would look alike."""

    def painted(prompt: str) -> bytes:
        return png_bytes(made_picture(int(prompt.split()[-1]), 48, 64))

    monkeypatch.setattr(local_images, "png_for", painted)
    with local_images.LocalImagesServer() as running:
        yield running


def told(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["cases", *arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.output


def sessions(out: Path) -> list[dict]:
    return [json.loads(line) for line in (out / "build" / "sessions.jsonl").open()]


def test_x16_x17_painting_candidates_stops_at_the_budget_and_goes_on(
    candidates: Path, server, tmp_path: Path
):
    out = tmp_path / "out"
    command = [str(candidates), "--out", str(out), "--encoder", "none", "--keep", "5"]
    command += ["--painter", f"{server.model()}?price=0.04"]
    code, said = told(*command, "--dry-run")
    assert code == 0 and "$0.2400" in said and server.seen == [] and not out.exists()

    code, said = told(*command, "--budget", "0.09")
    assert code == 1
    assert "The budget of $0.09 is used up: $0.0800 are spent" in said
    assert f"{server.model()}: 2 calls" in said and "cost $0.0800" in said
    assert len(server.seen) == 2 and not (out / "metadata.json").exists()

    code, said = told(*command, "--dry-run")
    assert "$0.1600" in said

    code, said = told(*command, "--budget", "0.16")
    assert code == 0 and "cost $0.1600" in said
    assert len(server.seen) == 6, "none was asked for twice"
    assert len(open_cases(out)) > 0
    assert [each["spent_usd"] for each in sessions(out)] == [pytest.approx(0.08), 0.16]
    rows = [json.loads(line) for line in (out / "build" / "candidates.jsonl").open()]
    assert {(row["served_model"], row["cost_usd"]) for row in rows} == {("m", 0.04)}


def test_x16_painter_and_captioner_draw_on_one_budget(candidates: Path, server, tmp_path: Path):
    out = tmp_path / "out"
    with LocalChatServer(rules=[{"text": '{"caption": "a kite over a hill"}'}]) as chats:
        command = [str(candidates), "--out", str(out), "--encoder", "none", "--keep", "5"]
        command += ["--painter", f"{server.model()}?price=0.04", "--captioner", chats.model()]
        # A million dollars for a million tokens: no caption fits into what the pictures leave.
        code, said = told(*command, "--price", "1000000,0", "--budget", "1")
        assert code == 1 and "$0.2400 are spent" in said
        assert chats.model() in said
        assert len(server.seen) == 6 and not sum(chats.counts()["received"].values())
        code, said = told(*command, "--price", "free", "--budget", "0")
        assert code == 0, said
        assert len(server.seen) == 6
    models = [[account["model"] for account in each["models"]] for each in sessions(out)]
    assert models == [[server.model()], [chats.model()]]


def test_x16_an_unknown_price_is_told_before_anything_is_painted(
    candidates: Path, server, tmp_path: Path
):
    command = [str(candidates), "--out", str(tmp_path / "out"), "--painter", server.model()]
    with pytest.raises(UsageError, match=r"The price of a picture of .*\?price=0\.04"):
        told(*command, "--budget", "1")
    assert server.seen == [] and not (tmp_path / "out").exists()
    code, said = told(*command, "--dry-run")
    assert code == 0 and "unknown" in said


def test_x16_the_sketch_painter_has_nothing_to_count(candidates: Path, tmp_path: Path):
    code, said = told(str(candidates), "--out", str(tmp_path / "out"), "--dry-run")
    assert code == 0 and "No picture of a hosted painter" in said
    assert not (tmp_path / "out").exists()
