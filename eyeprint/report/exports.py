"""The tables as Markdown, LaTeX, CSV and JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from eyeprint.report.grids import Cell, Grid
from eyeprint.report.run_folder_view import FinishedRun, MeasureView, MethodView, TableView
from eyeprint.report.spreadsheets import csv_text
from eyeprint.report.vptt_grids import all_grids
from eyeprint.report.words import headline

TEX = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "−": "$-$",
    "—": "---",
    "–": "--",
    "…": r"\ldots{}",
    "“": "``",
    "”": "''",
    "’": "'",
    "×": r"$\times$",
    "↑": r"$\uparrow$",
    "↓": r"$\downarrow$",
    "→": r"$\to$",
    "ρ": r"$\rho$",
    "α": r"$\alpha$",
    "\u00a0": "~",
    "\n": " ",
}


def tex(text: str) -> str:
    r"""Escape text for LaTeX (pdfTeX with UTF-8 input).

    >>> tex("50 % of a_b − ~")
    '50 \\% of a\\_b $-$ \\textasciitilde{}'
    """
    return "".join(TEX.get(char, char) for char in text)


def markdown(run: FinishedRun) -> str:
    """Return the headline and every table as Markdown; best in bold, second in italics."""
    closing = f"Run `{run.fingerprint[:12]}`, eyeprint {_md(run.version)}."
    return grids_markdown("VPTT report", headline(run), all_grids(run), closing)


def grids_markdown(
    title: str, said: Sequence[str], grids: Sequence[Grid], closing: str = ""
) -> str:
    """Return sentences and tables as Markdown; best in bold, second in italics.

    Args:
        title: of the text.
        said: sentences for the list at its head.
        grids: the tables.
        closing: a last paragraph, Markdown already.
    """
    blocks = [f"# {_md(title)}", "\n".join(f"- {_md(line)}" for line in said)]
    for grid in grids:
        head = "| " + " | ".join(_md(name) for name in grid.columns) + " |"
        rule = (
            "|"
            + "|".join(
                " --- " if place < grid.labels or place in grid.prose else " ---: "
                for place in range(len(grid.columns))
            )
            + "|"
        )
        rows = ["| " + " | ".join(_md_cell(cell) for cell in row) + " |" for row in grid.rows]
        blocks.append(f"## {_md(grid.title)}")
        if grid.note:
            blocks.append(_md(grid.note))
        blocks.append("\n".join([head, rule, *rows]))
    blocks += [closing] if closing else []
    return "\n\n".join(blocks) + "\n"


def _md(text: str) -> str:
    # Untrusted names could otherwise open links, tags or columns.
    for char in "\\`*_[]<>|#":
        text = text.replace(char, "\\" + char)
    return " ".join(text.split("\n"))


def _md_cell(cell: Cell) -> str:
    text = _md(cell.text)
    if text and cell.mark:
        text = f"**{text}**" if cell.mark == "best" else f"*{text}*"
    return f"{text} {_md(cell.aside)}".strip()


def latex(run: FinishedRun) -> str:
    r"""Return every table as a ``table`` environment in booktabs style.

    Best in bold, second best underlined. The preamble needs ``\usepackage{booktabs}``.
    """
    return grids_latex(headline(run), all_grids(run))


def grids_latex(said: Sequence[str], grids: Sequence[Grid]) -> str:
    """Return tables in booktabs style, with sentences in a comment at their head."""
    blocks = ["% Needs \\usepackage{booktabs}. " + " ".join(tex(s) for s in said)]
    blocks += [_latex_grid(grid) for grid in grids]
    return "\n\n".join(blocks) + "\n"


def _latex_grid(grid: Grid) -> str:
    places = "".join(
        "p{5cm}" if place in grid.prose else "l" if place < grid.labels else "r"
        for place in range(len(grid.columns))
    )
    lines = [
        r"\begin{table}",
        r"\centering",
        r"\small",
        rf"\caption{{{tex(f'{grid.title}. {grid.note}'.strip())}}}",
        rf"\label{{tab:{''.join(c if c.isalnum() else '-' for c in grid.id)}}}",
        rf"\begin{{tabular}}{{{places}}}",
        r"\toprule",
        " & ".join(tex(name) for name in grid.columns) + r" \\",
        r"\midrule",
    ]
    for place, row in enumerate(grid.rows):
        if place in grid.breaks:
            lines.append(r"\midrule")
        lines.append(" & ".join(_tex_cell(cell) for cell in row) + r" \\")
    lines += [r"\bottomrule", r"\end{tabular}", r"\end{table}"]
    return "\n".join(lines)


def _tex_cell(cell: Cell) -> str:
    text = tex(cell.printed)
    if text and cell.mark:
        text = rf"\textbf{{{text}}}" if cell.mark == "best" else rf"\underline{{{text}}}"
    if cell.aside:
        text += rf" {{\scriptsize {tex(cell.aside)}}}"
    # A bracket at the start of a row would be read as an argument of the \\ before it.
    return "{}" + text if text.startswith("[") else text


def csv_rows(run: FinishedRun) -> str:
    """Return one flat row per table and method, all numbers in full; empty is "no number".

    A cell that a spreadsheet would take for a formula gets an apostrophe in front.
    """
    rows = [_flat(table, row) for table in run.summary.tables for row in table.methods]
    return csv_text(rows, ["method"])


def _flat(table: TableView, row: MethodView) -> dict[str, Any]:
    flat: dict[str, Any] = {
        "query": table.group.get("query", "all"),
        "kind": table.group.get("kind", "all"),
        "writer": table.group.get("writer", "all"),
        "method": row.method,
        "people": table.persons,
        "rows": row.rows,
        "pa": row.pa,
        "gs": row.gs,
        "cp": row.cp,
        "nv": row.nv,
    }
    for name, measure in (("score", row.score), ("score_c", row.score_c)):
        flat |= _flat_measure(name, measure)
    flat["score_nv_one"] = row.score_nv_one
    for name, lift in (("lift", row.lift), ("lift_shuffled", row.lift_shuffled)):
        for end in ("mean", "low", "high"):
            flat[name if end == "mean" else f"{name}_{end}"] = getattr(lift, end, None)
    flat["flag"] = row.flag
    return flat


def _flat_measure(name: str, measure: MeasureView) -> dict[str, Any]:
    flat: dict[str, Any] = {
        name: measure.interval.mean,
        f"{name}_low": measure.interval.low,
        f"{name}_high": measure.interval.high,
        f"{name}_sd": measure.sd,
        f"{name}_unscored": measure.unscored,
        f"{name}_if_zero": measure.mean_if_zero,
        f"{name}_if_best": measure.mean_if_best,
        f"{name}_win": measure.win,
        f"{name}_d_best": measure.d_best,
        f"{name}_d_baseline": measure.d_baseline,
    }
    for other, gap in (("best", measure.minus_best), ("baseline", measure.minus_baseline)):
        for end in ("mean", "low", "high"):
            key = f"{name}_minus_{other}" + ("" if end == "mean" else f"_{end}")
            flat[key] = getattr(gap, end, None)
    return flat


def as_json(run: FinishedRun) -> str:
    """Return headline, settings and summary as one JSON object."""
    value = {
        "headline": headline(run),
        "manifest": dict(run.manifest),
        "summary": run.summary.model_dump(mode="json"),
    }
    return json.dumps(value, ensure_ascii=False, indent=1) + "\n"
