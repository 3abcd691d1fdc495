"""``eyeprint people evidence`` and ``eyeprint canvas`` on a small build (P43, P19, X5)."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from eyeprint.cli import canvas, people_evidence
from eyeprint.errors import DataError, UnknownName, UsageError
from eyeprint.models.pictures import open_picture
from eyeprint.people.pools import Candidate, shown_order
from eyeprint.protocols.people_cases_plan import PaintSize, plan_cases
from eyeprint.records.candidates import CandidatePrompt, CandidateSet, Prior
from tests.people.made_pictures import made_picture, write_picture

app = typer.Typer()
people_evidence.register(app)
canvas.register(app)


def run(*arguments: object) -> tuple[int, str]:
    result = CliRunner().invoke(app, [*map(str, arguments)])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.output


def candidate_set(person: str) -> CandidateSet:
    prior = Prior(id="evt/ocean", row="evt", source="Colours: <Cool> ocean", words=("deep teal",))
    things = ("a pier", "two kites", "an owl", "old boats", "a teapot", "wet stones")
    prompts = tuple(
        CandidatePrompt(
            text=f"A calm photograph of {thing} in deep teal for {person}",
            category="still_life",
            subject=thing,
            keywords=(thing, "deep teal"),
            priors=("evt/ocean",),
        )
        for thing in things
    )
    return CandidateSet(profile_id=person, priors=(prior,), style="Sea & calm.", prompts=prompts)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("evidence")
    lines = [candidate_set(person).model_dump_json() for person in ("a", "b/c")]
    (root / "candidates.jsonl").write_text("\n".join(lines) + "\n")
    size = PaintSize(64, 64)
    plan = plan_cases(str(root / "candidates.jsonl"), painter="sketch", encoder=None, size=size)
    plan.build.execute(root / "cases")
    return root


def test_p43_each_picture_stands_beside_what_led_to_it(built: Path, tmp_path: Path):
    out = tmp_path / "e.jsonl"
    code, told = run("evidence", built / "cases", built / "candidates.jsonl", "--out", out)
    assert code == 0, told
    panels = [json.loads(line) for line in out.read_text().splitlines()]
    pools = [json.loads(line) for line in (built / "cases/pools.jsonl").read_text().splitlines()]
    wanted = {(p["person"], one["path"], one["prompt"]) for p in pools for one in p["pictures"]}
    assert {(p["profile_id"], p["picture"], p["prompt"]) for p in panels} == wanted
    assert f"{len(panels)} pictures of 2 people" in told
    assert panels[0]["properties"] == ["deep teal"]
    assert panels[0]["priors"][0]["source"] == "Colours: <Cool> ocean"
    page = tmp_path / "e.html"
    assert run("evidence", built / "cases", built, "--out", page, "--person", "b/c")[0] == 0
    text = page.read_text()
    assert "<h2>b/c</h2>" in text and "<h2>a</h2>" not in text
    assert text.count("data:image/jpeg") == sum(len(p["pictures"]) for p in pools[1:])
    assert "Colours: &lt;Cool&gt; ocean" in text and "Sea &amp; calm." in text


def test_p43_what_cannot_be_shown_is_told(built: Path, tmp_path: Path):
    other = tmp_path / "candidates.jsonl"
    one = candidate_set("a")
    fewer = one.model_copy(update={"prompts": one.prompts[:3]})
    other.write_text(fewer.model_dump_json() + "\n{\n")
    code, told = run("evidence", built / "cases", other, "--out", tmp_path / "e.html", "-n", 1)
    assert code == 1
    assert "3 pictures have no prompt among the candidates" in told
    assert "left out" in told and "candidates.jsonl:2" in told
    with pytest.raises(UnknownName, match="nobody"):
        run("evidence", built / "cases", built, "--out", tmp_path / "f.html", "--person", "nobody")
    other.write_text(candidate_set("z").model_dump_json())
    with pytest.raises(DataError, match="no picture was painted of a prompt"):
        run("evidence", built / "cases", other, "--out", tmp_path / "f.html")
    with pytest.raises(DataError, match="there are no pools"):
        run("evidence", tmp_path, other, "--out", tmp_path / "f.html")
    with pytest.raises(UsageError, match=r"\.html or \.jsonl"):
        run("evidence", built / "cases", other, "--out", tmp_path / "f.txt")


def test_p19_the_selection_sheet_lists_candidates_in_each_persons_order(built: Path):
    rows = list(csv.DictReader((built / "cases/selection.csv").open(encoding="utf-8")))
    names = [str(n) for n in range(6)]
    for person in ("a", "b/c"):
        own = [row for row in rows if row["person"] == person]
        assert [row["shown"] for row in own] == [str(n) for n in range(1, 7)]
        assert sorted(row["picture"] for row in own) == names
        order = shown_order(person, [Candidate(name, name) for name in names], 7)
        assert [row["picture"] for row in own] == [one.name for one in order]
        assert all((built / "cases" / row["file"]).is_file() for row in own)
    # What somebody filled in is not written over.
    sheet = built / "cases/selection.csv"
    written = sheet.read_text()
    sheet.write_text(written.replace(",,1,", ",1,1,"))
    plan_cases(
        str(built / "candidates.jsonl"), painter="sketch", encoder=None, size=PaintSize(64, 64)
    ).build.execute(built / "cases")
    assert sheet.read_text() != written
    # The sheet is a file of choices as soon as rows are taken out of it.
    kept = [row for row in rows if int(row["shown"]) <= 4]
    sheet = built / "picked.csv"
    with sheet.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, kept[0])
        writer.writeheader()
        writer.writerows(kept)
    plan = plan_cases(
        str(built / "candidates.jsonl"),
        painter="sketch", encoder=None, size=PaintSize(64, 64), choices=str(sheet),
    )  # fmt: skip
    plan.build.execute(built / "by-hand")
    lines = (built / "by-hand/pools.jsonl").read_text().splitlines()
    pools = {pool["person"]: pool for pool in map(json.loads, lines)}
    for person in ("a", "b/c"):
        picked = [row["picture"] for row in kept if row["person"] == person]
        assert [one["candidate"] for one in pools[person]["pictures"]] == picked


def test_x5_pictures_and_folders_become_one_sheet(tmp_path: Path):
    for n in (1, 2, 10):
        write_picture(tmp_path / f"pictures/{n}.png", made_picture(n, 48, 64))
    write_picture(tmp_path / "last.png", made_picture(11, 48, 64))
    out = tmp_path / "sheet.png"
    code, told = run(
        *("canvas", tmp_path / "pictures", tmp_path / "last.png"),
        *("--columns", 4, "--labels", "none", "--cell", 64, "--out", out),
    )
    assert code == 0 and "4 pictures, 266 x 68 pixels" in told
    sheet = open_picture(out).pixels
    # Natural order: 10.png is third. A gap of 2 pixels goes before each cell of 64, and the
    # pictures, 64 x 48, lie in its middle as they are.
    for place, n in enumerate((1, 2, 10, 11)):
        shown = sheet[10:58, 2 + 66 * place : 66 + 66 * place]
        assert np.array_equal(shown, made_picture(n, 48, 64).pixels)
    run("canvas", tmp_path / "pictures", "--cell", 64, "--out", out)
    assert not np.array_equal(open_picture(out).pixels[:20, :20], sheet[:20, :20])


def test_x5_what_is_no_sheet_is_told(tmp_path: Path):
    write_picture(tmp_path / "a.png", made_picture(1, 48, 64))
    with pytest.raises(UsageError, match="is what is read here"):
        run("canvas", tmp_path / "a.png", "--out", tmp_path / "a.png")
    with pytest.raises(UsageError, match="PNG"):
        run("canvas", tmp_path / "a.png", "--out", tmp_path / "a.jpg")
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError, match="holds no picture"):
        run("canvas", tmp_path / "empty", "--out", tmp_path / "b.png")
