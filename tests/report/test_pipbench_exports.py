"""Markdown, LaTeX, CSV, JSON and the terminal: the same numbers, nothing out of its cell."""

import csv
import io
import json
import re
from pathlib import Path

import pytest
from rich.console import Console

from eyeprint.errors import UnknownName
from eyeprint.report.pipbench_exports import all_pipbench_grids
from eyeprint.report.pipbench_terminal import print_pipbench
from eyeprint.report.pipbench_view import FinishedPipbench
from eyeprint.report.pipbench_words import headline
from eyeprint.report.write import FORMATS, PIPBENCH_FORMATS, render, write_report


def test_both_kinds_of_runs_have_the_same_formats(pip: FinishedPipbench):
    assert list(FORMATS) == list(PIPBENCH_FORMATS)
    with pytest.raises(UnknownName, match="Did you mean 'html'"):
        render(pip, "htm")


def test_the_page_lands_in_the_run_folder(pip_copy: Path, pip: FinishedPipbench):
    path = write_report(pip_copy)
    assert path == pip_copy / "report.html"
    assert path.read_text(encoding="utf-8") == render(pip)


def test_x15_markdown_rows_have_as_many_cells_as_their_header(pip: FinishedPipbench):
    lines = render(pip, "md").splitlines()
    tables = [line for line in lines if line.startswith("|")]
    assert len([line for line in tables if set(line) <= set("|-: ")]) == len(
        all_pipbench_grids(pip)
    )
    width = 0
    for before, line in zip(["", *lines], lines, strict=False):
        if line.startswith("|"):
            cells = len(re.findall(r"(?<!\\)\|", line))
            width = cells if not before.startswith("|") else width
            assert cells == width, line
    assert r"Ours\_1 \| \<b\>&%" in render(pip, "md")


def test_x15_markdown_rows_stand_alone_and_printed_ones_do_not_repeat(pip: FinishedPipbench):
    wanted = "VLM conditioning fusion"
    lines = [line for line in render(pip, "md").splitlines() if line.startswith("|")]
    first = lines.index(next(line for line in lines if line.startswith("| Model | Paradigm")))
    table = lines[first + 2 : first + 2 + len(pip.settings.models)]
    paradigms = [re.split(r"(?<!\\)\|", line)[2].strip() for line in table]
    assert "" not in paradigms and paradigms.count(wanted) > 1
    grid = all_pipbench_grids(pip)[0]
    assert [cell.text for cell in (row[1] for row in grid.rows)] == paradigms
    tex = render(pip, "tex").split(r"\end{table}")[0]
    assert tex.count(wanted) == 1
    # On the page the repeated words are there for whoever hears it, and not seen.
    section = render(pip).split(f'id="{grid.id}"')[1].split("</table>")[0]
    assert section.count(wanted) == paradigms.count(wanted)
    assert section.count(f'<span class="vh">{wanted}</span>') == paradigms.count(wanted) - 1


def test_x15_latex_is_balanced_and_escaped(pip: FinishedPipbench):
    text = render(pip, "tex")
    grids = all_pipbench_grids(pip)
    for name in ("table", "tabular"):
        assert text.count(rf"\begin{{{name}}}") == text.count(rf"\end{{{name}}}") == len(grids)
    assert r"Ours\_1 \textbar{} \textless{}b\textgreater{}\&\%" in text
    assert not set("−↑↓→ρα\u00a0") & set(text)
    for grid, body in zip(grids, text.split(r"\begin{table}")[1:], strict=True):
        for line in body.splitlines():
            if line.endswith(r"\\"):
                assert len(re.findall(r"(?<!\\)&", line)) == len(grid.columns) - 1
        spec = re.search(r"\\begin\{tabular\}\{(.*)\}", body).group(1)
        assert len(re.sub(r"p\{5cm\}", "p", spec)) == len(grid.columns)


def test_csv_has_every_score_lift_and_rating_in_full(pip: FinishedPipbench):
    rows = list(csv.DictReader(io.StringIO(render(pip, "csv"))))
    columns = len(pip.summary.overall.columns)
    kinds = [row["table"] for row in rows]
    assert kinds.count("scores") == 3 * 7 * columns
    assert kinds.count("lift") == len(pip.summary.lifts) and kinds.count("rating") == 7
    measure = pip.summary.tables[0].measure("edit_2ref · sketch", "LPIPS-R")
    row = next(
        row
        for row in rows
        if (row["split"], row["model"], row["column"]) == ("real", "edit_2ref · sketch", "LPIPS-R")
    )
    assert float(row["mean"]) == measure.mean and float(row["low"]) == measure.micro.low
    assert row["better"] == "lower" and row["unscored"] == str(measure.unscored)
    assert float(row["minus_reference"]) == measure.minus_reference.mean


def test_json_holds_the_files_unchanged(pip: FinishedPipbench, made_pip: Path):
    value = json.loads(render(pip, "json"))
    assert value["summary"] == json.loads((made_pip / "summary.json").read_text())
    arena = json.loads((made_pip / "judged" / "a1b2c3" / "arena.json").read_text())
    assert value["judged"]["a1b2c3"]["arena"] == arena
    assert value["headline"] == headline(pip)


@pytest.mark.parametrize("width", [72, 80, 100, 200])
def test_the_terminal_fits_and_begins_with_the_headline(pip: FinishedPipbench, width: int):
    out = io.StringIO()
    print_pipbench(Console(file=out, width=width), pip)
    lines = out.getvalue().splitlines()
    assert max(map(len, lines)) <= min(width, 100)
    assert headline(pip)[0].startswith(lines[0].rstrip())
    text = out.getvalue().replace("\u00a0", " ")
    for wanted in ("Edit (1-Ref)", "CLS-R ↑", "Ratings", "failed", "CLS lift", "refused 2"):
        assert wanted in text
    assert "1 picture of the data could not be used" in text
    assert "CLS read only the start of 1 prompt" in text


def test_the_terminal_takes_a_folder_too(made_plain: Path):
    out = io.StringIO()
    print_pipbench(Console(file=out, width=80), made_plain)
    assert "8 cases of 4 people; compared by pal." in out.getvalue()


def test_the_command_reports_both_kinds(made_pip: Path, tmp_path: Path):
    from typer.testing import CliRunner

    from eyeprint.cli.main import app

    found = CliRunner().invoke(
        app, ["report", str(made_pip), "-f", "md", "--out", str(tmp_path / "r.md")]
    )
    assert found.exit_code == 0, found.output
    assert (tmp_path / "r.md").read_text().startswith("# PIPBench report")
