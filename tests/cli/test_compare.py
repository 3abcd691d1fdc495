"""``eyeprint compare``: a run against another over the same questions."""

import json

import pytest

from eyeprint.cli.main import run_command
from eyeprint.models.fakes import ScriptedChat
from eyeprint.protocols.mmpb import execute
from eyeprint.protocols.mmpb_grid_words import read_grid
from eyeprint.protocols.mmpb_plan import plan_mmpb
from tests.protocols.made_concepts import concept_data


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Two runs: one model knows Coherency, the other answers everything with B."""
    place = tmp_path_factory.mktemp("compare")
    data = concept_data(place / "data")
    grid = read_grid(inject="text:simple", turns="0", controls="")
    from eyeprint.models.pictures import open_picture

    keys = {
        open_picture(data.picture_path(each.image)).sha256: each.answer
        for each in data
        if each.type == "coherency"
    }
    knows = ScriptedChat(lambda r: keys.get(r.messages[-1].images[-1].sha256, "Yes"), name="echo")
    says_b = ScriptedChat(lambda r: "B", name="echo")
    folders = []
    for name, chat in (("left", knows), ("right", says_b)):
        plan = plan_mmpb(data, ["echo"], grid=grid, bootstraps=100)
        plan.chats["echo"] = chat
        folders.append(str(execute(plan, place / name).folder))
    return folders


def test_m41_m43_two_runs_are_compared_question_by_question(runs, capsys):
    assert run_command(["compare", *runs, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [(each["model"], each["setting"]) for each in found] == [
        ("echo", "text:simple · 0 turns")
    ]
    coherency = found[0]["parts"]["coherency"]
    # 15 questions, the right letter goes round: B is right on some, the left run on all.
    assert coherency["left"] == 1.0 and coherency["n"] == 15
    assert coherency["value"] == pytest.approx(1.0 - coherency["right"])
    assert 0 < coherency["p"] <= 1
    assert run_command(["compare", *runs]) == 0
    said = capsys.readouterr().out
    assert "coherency (15)" in said and "+" in said
    # The main cuts, and the runs by their folders.
    assert "animal" not in said and "left" in said and "right" in said
    assert run_command(["compare", *runs, "--all"]) == 0
    assert "animal" in capsys.readouterr().out


def test_runs_without_a_common_model_say_how_to_name_it(runs, capsys):
    assert run_command(["compare", *runs, "--versus", "echo=base"]) == 1
    assert "versus" in capsys.readouterr().err


def test_what_is_no_run_is_told(runs, tmp_path, capsys):
    assert run_command(["compare", runs[0], str(tmp_path)]) == 1
    assert "not the folder of a run" in capsys.readouterr().err
