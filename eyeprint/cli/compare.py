"""``eyeprint compare``: two finished MMPB runs against each other, question by question."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

MAIN = ("all", "recognition", "preference", "awareness", "appropriateness", "coherency")
"""Cuts that are printed without ``--all``."""


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("compare")(compare)


def compare(
    left: Annotated[str, typer.Argument(help="Folder of a finished `eyeprint run mmpb`.")],
    right: Annotated[str, typer.Argument(help="Folder of another, over the same questions.")],
    versus: Annotated[
        list[str] | None,
        typer.Option(
            help="LEFT=RIGHT where a model has another name in the other run, such as a tuned "
            "model and its base. May be repeated."
        ),
    ] = None,
    every: Annotated[
        bool, typer.Option("--all", help="Every cut of the questions, not only the main ones.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
) -> None:
    """Compare two runs of MMPB: left minus right in points, paired by question.

    Intervals resample concepts, and p values permute their signs. Only models and settings that
    both runs have are compared, on the questions that both asked.

    Example: eyeprint compare runs/tuned runs/base --versus local/tuned=local/base
    """
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    from eyeprint.cli.options import read_named
    from eyeprint.protocols.mmpb_compare import compare_mmpb

    found = compare_mmpb(left, right, read_named(versus or [], "--versus", "MODEL"))
    console = Console()
    names = _short_names(left, right)
    if json:
        import json as writer

        rows = [each.model_dump(mode="json") for each in found]
        console.print_json(writer.dumps(rows, ensure_ascii=False))
        return
    for each in found:
        name = each.model if each.model == each.against else f"{each.model} against {each.against}"
        table = Table(
            "questions",
            escape(names[0]),
            escape(names[1]),
            "difference",
            "95 % interval",
            "p",
            title=f"{escape(name)} · {escape(each.setting)}",
            title_justify="left",
        )
        for part, one in each.parts.items():
            if not every and part not in MAIN:
                continue
            points = [one.left, one.right, one.value, one.low, one.high]
            left_, right_, value, low, high = (None if p is None else 100 * p for p in points)
            table.add_row(
                f"{part} ({one.n:,})",
                _number(left_),
                _number(right_),
                _number(value, "+"),
                "-" if low is None or high is None else f"[{low:+.1f}, {high:+.1f}]",
                "-" if one.p is None else f"{one.p:.3f}",
            )
        console.print(table)


def _short_names(left: str, right: str) -> tuple[str, str]:
    """Return what the two runs are called in tables: their folders' names, if these differ."""
    names = Path(left).resolve().name, Path(right).resolve().name
    return names if names[0] != names[1] else ("left", "right")


def _number(value: float | None, sign: str = "") -> str:
    return "-" if value is None else f"{value:{sign}.1f}"
