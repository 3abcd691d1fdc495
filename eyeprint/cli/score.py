"""``eyeprint score vptt``: score prompts from any source."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from eyeprint.cli.options import EncoderOption, PeopleOption, ScoreSettingsOption

if TYPE_CHECKING:
    from eyeprint.protocols.score_prompts import Scored
    from eyeprint.scores.vptt_table import VpttTable

COLUMNS = ("pa", "gs", "cp", "nv", "score", "score_c")


def register(app: typer.Typer) -> None:
    """Add the command to the group."""
    app.command("vptt")(score_vptt)


def score_vptt(
    prompts: Annotated[
        str, typer.Argument(help="JSONL or CSV with person, prompt; optionally method, query.")
    ],
    people: PeopleOption = None,
    encoder: EncoderOption = "auto",
    out: Annotated[
        str | None, typer.Option(help="Write a row per prompt to this .jsonl or .csv file.")
    ] = None,
    settings: ScoreSettingsOption = None,
) -> None:
    """Score prompts against the people they were written for.

    Example: eyeprint score vptt prompts.jsonl --people mini --out scores.jsonl
    """
    from eyeprint.cli.progress import TerminalDisplay
    from eyeprint.models.text_encoders import load_encoder
    from eyeprint.people.shipped import load_several, vector_folder
    from eyeprint.protocols.score_prompts import score_file
    from eyeprint.records.prompts import read_prompts
    from eyeprint.scores.person_space import VpttSettings
    from eyeprint.store.embeddings import VectorShelf

    display = TerminalDisplay()
    console = display.console
    if out:
        _check_out(out, [prompts, *(people or [])])
    found = read_prompts(prompts)
    everyone = load_several(people or ["mini"])
    model = load_encoder(encoder, display.waiting)
    rules = VpttSettings.from_toml(settings) if settings else VpttSettings()
    shelf = VectorShelf(vector_folder(everyone), model)
    display.stage("scoring", len(found.rows))
    with display:
        scored = score_file(found, everyone, model, rules, shelf, display.advance)
    if out:
        _write(scored, out)
    _print(scored.table(rules), model.name, scored.cut)
    for fault in (*everyone.faults, *found.faults):
        console.print(f"not read: {fault}", style="yellow", markup=False, soft_wrap=True)
    if scored.unknown:
        names = ", ".join(scored.unknown[:10])
        console.print(
            f"{len(scored.unknown)} people are unknown, their prompts unscored: {names}",
            style="yellow",
            markup=False,
            soft_wrap=True,
        )
    for note in (shelf.note, getattr(model, "agreement", "")):
        if note:
            display.note(note)
    if everyone.faults or found.faults or scored.unknown:
        raise typer.Exit(1)


def _check_out(out: str, sources: list[str]) -> None:
    from pathlib import Path

    from eyeprint.errors import UsageError
    from eyeprint.records.whole_files import refuse_overwriting

    if Path(out).suffix not in (".jsonl", ".csv"):
        raise UsageError(f"{out}: scores are written as .jsonl or .csv.")
    refuse_overwriting(Path(out), map(Path, sources))


def _write(scored: Scored, out: str) -> None:
    import json
    from pathlib import Path

    from eyeprint.records.json_text import json_line
    from eyeprint.records.whole_files import write_whole
    from eyeprint.report.spreadsheets import csv_text

    path = Path(out)
    if path.suffix == ".jsonl":
        write_whole(path, (json_line(row) for row in scored.rows))
    else:
        rows = [
            {**row, "unscored": json.dumps(row["unscored"], ensure_ascii=False)}
            for row in scored.rows
        ]
        write_whole(path, [csv_text(rows).encode("utf-8", "replace")])


def _print(table: VpttTable, encoder: str, cut: int) -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    console = Console()
    shown = Table("method", "prompts", *(name.upper() for name in COLUMNS), "95 % interval")
    for row in table.methods:
        score, score_c = row.score.interval, row.score_c.interval
        interval = (
            f"{_number(score.low)} to {_number(score.high)}" if score.low is not None else "-"
        )
        values: list[Any] = [row.pa, row.gs, row.cp, row.nv, score.mean, score_c.mean]
        name = escape(row.method or "(none)")
        shown.add_row(name, str(row.rows), *(_number(value) for value in values), interval)
    console.print(shown)
    unscored = sum(row.score.unscored for row in table.methods)
    console.print(
        f"encoder {encoder}; {table.persons} people; unscored {unscored}; cut by the encoder {cut}",
        markup=False,
    )


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
