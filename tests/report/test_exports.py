"""Markdown, LaTeX, CSV and JSON: same numbers, nothing that breaks out of its cell."""

import csv
import io
import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyeprint.errors import UnknownName
from eyeprint.report.exports import tex
from eyeprint.report.run_folder_view import FinishedRun
from eyeprint.report.vptt_grids import all_grids
from eyeprint.report.write import FORMATS, render


@pytest.mark.parametrize("format", sorted(FORMATS))
def test_equal_runs_give_equal_bytes(run: FinishedRun, format: str):
    assert render(run, format) == render(run, format)


def test_an_unknown_format_names_the_known(run: FinishedRun):
    with pytest.raises(UnknownName, match="Did you mean 'html'"):
        render(run, "htm")


def test_x15_markdown_rows_have_as_many_cells_as_their_header(run: FinishedRun):
    lines = render(run, "md").splitlines()
    tables = [line for line in lines if line.startswith("|")]
    assert len([line for line in tables if set(line) <= set("|-: ")]) == len(all_grids(run))
    width = 0
    for before, line in zip(["", *lines], lines, strict=False):
        if line.startswith("|"):
            cells = len(re.findall(r"(?<!\\)\|", line))
            width = cells if not before.startswith("|") else width
            assert cells == width, line
    assert r"demo/wri\_ter\|\<b\>&%" in render(run, "md")


def test_x15_latex_is_balanced_and_escaped(run: FinishedRun):
    text = render(run, "tex")
    for name in ("table", "tabular"):
        assert text.count(rf"\begin{{{name}}}") == text.count(rf"\end{{{name}}}")
    assert text.count(r"\toprule") == text.count(r"\bottomrule") == len(all_grids(run))
    assert r"demo/wri\_ter\textbar{}\textless{}b\textgreater{}\&\%" in text
    assert "−" not in text and "\u00a0" not in text
    for grid, body in zip(all_grids(run), text.split(r"\begin{table}")[1:], strict=True):
        for line in body.splitlines():
            if line.endswith(r"\\"):
                assert len(re.findall(r"(?<!\\)&", line)) == len(grid.columns) - 1


@given(st.text(max_size=60))
def test_escaped_latex_has_no_bare_special_character(text: str):
    bare = re.sub(r"\\text[a-z]+\{\}|\\ldots\{\}|\\[&%$#_{}]|\$-\$|\$\\[a-z]+\$", "", tex(text))
    # What is left of the specials is "~" for a no-break space, which was in the text.
    assert not set(bare) & set("\\&%$#_{}^")
    assert bare.count("~") == text.count("\u00a0")


def test_csv_has_every_table_and_full_numbers(run: FinishedRun):
    rows = list(csv.DictReader(io.StringIO(render(run, "csv"))))
    assert len(rows) == sum(len(table.methods) for table in run.summary.tables)
    first = run.summary.tables[0].methods[3]
    assert rows[3]["query"] == rows[3]["writer"] == "all"
    assert float(rows[3]["score"]) == first.score.interval.mean
    assert float(rows[3]["lift_low"]) == first.lift.low
    assert rows[0]["nv"] == ""


def test_json_holds_the_summary_unchanged(run: FinishedRun):
    value = json.loads(render(run, "json"))
    assert value["summary"] == run.summary.model_dump(mode="json")
    assert value["headline"][0].endswith(".")
