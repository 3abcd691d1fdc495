"""Models behind a server go by the end of their address, wherever people read; files keep it."""

import csv
import io
import json
import re
import shutil
from pathlib import Path

import pytest
from rich.console import Console

from eyeprint.report.mmpb_model_grids import cost_grid
from eyeprint.report.mmpb_terminal import print_mmpb
from eyeprint.report.mmpb_titles import model_titles, titled
from eyeprint.report.mmpb_view import FinishedMmpb, read_mmpb
from eyeprint.report.write import render
from tests.report.made_mmpb_run import MODELS

SERVER = "http://127.0.0.1:8000/v1#my-vlm"


@pytest.fixture
def served(made_mmpb: Path, tmp_path: Path) -> FinishedMmpb:
    """The made run, its first model behind a server."""
    folder = Path(shutil.copytree(made_mmpb, tmp_path / "served"))
    for path in folder.glob("*.json*"):
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace(json.dumps(MODELS[0]), json.dumps(SERVER)), encoding="utf-8")
    return read_mmpb(folder)


def test_titles_that_two_models_would_share_are_none():
    others = ["nearest", "openai/my-vlm", "local/a#b"]
    assert model_titles([SERVER, *others]) == {SERVER: "my-vlm"}
    assert model_titles([SERVER, "my-vlm"]) == {}
    assert model_titles([SERVER, "https://elsewhere/v1#my-vlm"]) == {}


def test_names_that_begin_alike_get_their_own_titles(served: FinishedMmpb):
    head = served.results.headline.model_copy(update={"best_model": f"{SERVER}-2"})
    models = served.results.models
    more = models[0].model_copy(update={"model": f"{SERVER}-2"})
    results = served.results.model_copy(update={"headline": head, "models": (*models, more)})
    summary = served.summary.model_copy(update={"mmpb": results})
    run = FinishedMmpb(served.folder, served.manifest, served.settings, summary, served.sessions)
    assert titled(run).results.headline.best_model == "my-vlm-2"


def test_people_read_titles_and_find_the_address_once(served: FinishedMmpb):
    page = render(served, "html")
    settings = page.index("Every setting of the run")
    told = re.sub(r"<[^>]+>", " ", page[:settings])
    assert told.count(SERVER) == 1 and told.count("my-vlm") > 20
    assert SERVER not in render(served, "md")
    console = Console(width=100, file=io.StringIO(), record=True)
    print_mmpb(console, served)
    said = console.export_text()
    assert "my-vlm" in said and "http://" not in said


def test_m47_calls_and_time_of_a_server_stand_beside_its_title(served: FinishedMmpb):
    grid = cost_grid(titled(served))
    assert grid is not None
    rows = {row[0].text: dict(zip(grid.columns, row, strict=True)) for row in grid.rows}
    assert rows["my-vlm"]["Calls"].text == "100"
    assert rows["my-vlm"]["Seconds a call"].text == "0.50"


def test_exports_for_other_programs_keep_the_full_name(served: FinishedMmpb):
    rows = list(csv.DictReader(io.StringIO(render(served, "csv"))))
    assert SERVER in {row["model"] for row in rows}
    assert "my-vlm" not in {row["model"] for row in rows}
    told = json.loads(render(served, "json"))["summary"]["mmpb"]["models"]
    assert SERVER in {model["model"] for model in told}


def test_a_run_without_servers_is_shown_as_it_is(mmpb: FinishedMmpb):
    assert titled(mmpb) is mmpb
