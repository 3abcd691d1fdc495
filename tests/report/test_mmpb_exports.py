"""Markdown, LaTeX, CSV and JSON of an MMPB run, and its terminal: the same numbers."""

import csv
import io
import json
import re
from pathlib import Path

import pytest
from rich.console import Console

from eyeprint.report.mmpb_exports import all_mmpb_grids
from eyeprint.report.mmpb_terminal import print_mmpb
from eyeprint.report.mmpb_view import FinishedMmpb
from eyeprint.report.write import render
from tests.report.made_mmpb_run import EVIL_MODEL, MODELS


def test_json_holds_the_summary_as_it_is(mmpb: FinishedMmpb):
    found = json.loads(render(mmpb, "json"))
    assert found["summary"] == json.loads((mmpb.folder / "summary.json").read_text())
    assert found["headline"][0].startswith(MODELS[0])
    assert found["manifest"]["kind"] == "mmpb"


def test_csv_holds_every_share_in_full(mmpb: FinishedMmpb):
    rows = list(csv.DictReader(io.StringIO(render(mmpb, "csv"))))
    shares = {(r["model"], r["setting"], r["part"]): r for r in rows if r["table"] == "accuracy"}
    assert len(shares) == sum(len(cell.parts) for cell in mmpb.results.cells)
    for cell in mmpb.results.cells[:5]:
        for key, part in cell.parts.items():
            row = shares[cell.model, cell.setting, key]
            assert float(row["value"]) == part.share.value
            assert int(row["refused"]) == part.outcomes.refused
    tables = {row["table"] for row in rows}
    assert tables == {"accuracy", "macro", "lift", "bias", "drop", "drop ratio", "modality",
                      "prompting", "unaided", "blind"}  # fmt: skip


def test_markdown_holds_every_table_and_escapes_names(mmpb: FinishedMmpb):
    text = render(mmpb, "md")
    for grid in all_mmpb_grids(mmpb):
        assert text.count(f"\n## {grid.title}".replace("_", "\\_")) >= 1
    assert EVIL_MODEL not in text and "evil/\\<b\\>&\\|model\\_1" in text


def test_latex_escapes_names_and_balances(mmpb: FinishedMmpb):
    text = render(mmpb, "tex")
    assert text.count(r"\begin{tabular}") == text.count(r"\end{tabular}") > 30
    assert r"evil/\textless{}b\textgreater{}\&\textbar{}model\_1" in text
    assert not re.search(r"(?<!\\)[&%_#](?=[A-Za-z])", re.sub(r"\\label\{[^}]*\}|^%.*$", "", text,
                                                             flags=re.M))  # fmt: skip


@pytest.mark.parametrize("name", ["made_mmpb", "made_bare"])
def test_the_terminal_begins_with_the_finding_and_keeps_its_width(name, request):
    folder: Path = request.getfixturevalue(name)
    out = io.StringIO()
    print_mmpb(Console(file=out, width=100), folder)
    text = out.getvalue()
    assert all(len(line) <= 100 for line in text.splitlines())
    first = {"made_mmpb": "openai/gpt-5 knows whom", "made_bare": "24 questions about 3 concepts"}
    assert text.startswith(first[name])
    assert "text:moderate · 0 turns" in text
    assert ("Lift, in points" in text) == (name == "made_mmpb")


def test_the_terminal_prints_main_settings_where_cells_are_many(made_mmpb: Path):
    out = io.StringIO()
    print_mmpb(Console(file=out, width=100), made_mmpb)
    assert "120 more cells: see report.html." in out.getvalue()
    assert "image:2 · 10 turns" in out.getvalue()
