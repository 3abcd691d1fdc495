"""``eyeprint rate``: verdicts in, ratings out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import Console

    from eyeprint.errors import BadRecord
    from eyeprint.scores.arena_result import ArenaResult

SHOWN = 10
"""Most faults that are told one by one."""
WIDEST = 9
"""Most models whose win rates fit a terminal side by side."""


def register(app: typer.Typer) -> None:
    """Add the command to the group."""
    app.command("rate")(rate)


def rate(
    verdicts: Annotated[
        list[str],
        typer.Argument(
            help="Files of verdicts (ours or as released), or folders that hold them.",
            show_default=False,
        ),
    ],
    compete: Annotated[
        str | None,
        typer.Option(help="Released file of comparisons; else compete_data.jsonl beside them."),
    ] = None,
    threshold: Annotated[
        float, typer.Option(min=0, max=1, help="A confidence below this is a tie.")
    ] = 0.7,
    tie_at_threshold: Annotated[
        bool,
        typer.Option("--tie-at-threshold", help="Exactly the threshold too, as in the script."),
    ] = False,
    majority: Annotated[
        bool, typer.Option("--majority", help="One verdict per comparison: the judges' majority.")
    ] = False,
    by: Annotated[
        str, typer.Option(help="What intervals resample whole: person, case or comparison.")
    ] = "person",
    models: Annotated[
        list[str] | None, typer.Option(help="Rate these models alone; may be repeated.")
    ] = None,
    humans: Annotated[
        str | None,
        typer.Option(help="Verdicts of raters: JSONL, or CSV with comparison_id, rater, choice."),
    ] = None,
    picks: Annotated[
        str | None, typer.Option(help="CSV of best-of-several picks: case_id, picked.")
    ] = None,
    metrics: Annotated[
        str | None, typer.Option(help="CSV of metrics, a row per model, to correlate.")
    ] = None,
    repeats: Annotated[
        str, typer.Option(help='Further verdicts of a judge on one comparison: "first" or "all".')
    ] = "first",
    draws: Annotated[int, typer.Option(min=1, help="Bootstrap resamples.")] = 1000,
    seed: Annotated[int, typer.Option(help="Of the resamples.")] = 0,
    format: Annotated[str, typer.Option(help="table, json, csv or md.")] = "table",
    out: Annotated[
        str | None, typer.Option(help="Write ratings.json, ratings.md and CSV tables here.")
    ] = None,
    released: Annotated[
        str | None, typer.Option(help="Write the verdicts in the released format here.")
    ] = None,
) -> None:
    """Rate models by verdicts: Bradley–Terry with intervals, rank ranges, judges.

    Example: eyeprint rate results_gpt5.jsonl --compete compete_data.jsonl --out ratings
    """
    from rich.console import Console

    from eyeprint.protocols.rating import (
        as_json,
        markdown,
        rate_files,
        ratings_csv,
        write_ratings,
    )
    from eyeprint.records.verdict_files import write_released
    from eyeprint.scores.arena_result import ArenaSettings

    kind = _one_of("--format", format, ("table", "json", "csv", "md"))
    again = _one_of("--repeats", repeats, ("first", "all"))
    settings = ArenaSettings.checked(
        {
            "threshold": threshold,
            "tie_at_threshold": tie_at_threshold,
            "majority": majority,
            "cluster_by": _one_of("--by", by, ("person", "case", "comparison")),
            "draws": draws,
            "seed": seed,
            "models": tuple(models or ()),
        }
    )
    _spare([humans, picks, metrics], "--out", out)
    _spare([*verdicts, compete, humans], "--released", released)
    found = rate_files(
        verdicts,
        settings,
        compete=compete,
        humans=humans,
        picks=picks,
        metrics=metrics,
        repeats="all" if again == "all" else "first",
    )
    notes = Console(stderr=True)
    # Written before anything is shown: whoever reads may stop after a few lines.
    written = write_ratings(found.result, out) if out else []
    files: list[Path] = []
    if released:
        # Those that are in no comparison cannot be written as a verdict on one.
        kept = found.verdicts
        files = write_released(kept.comparisons, (*kept.verdicts, *kept.repeats), released)
    if kind == "table":
        _print(found.result, Console())
    else:
        text = {"json": as_json, "csv": ratings_csv, "md": markdown}[kind]
        typer.echo(text(found.result), nl=False)
    _print_faults(found.faults, found.result.notes, notes)
    if out:
        notes.print(f"Written: {len(written)} files in {out}", markup=False, soft_wrap=True)
    if released:
        notes.print(f"Written: {len(files)} files in {released}", markup=False, soft_wrap=True)
    if found.faults:
        raise typer.Exit(1)


def _spare(read: list[str | None], option: str, folder: str | None) -> None:
    """Refuse a folder that holds a file which is read: results may be written over it."""
    from pathlib import Path

    from eyeprint.errors import UsageError

    if folder is None or not Path(folder).is_dir():
        return
    for name in filter(None, read):
        home = Path(name) if Path(name).is_dir() else Path(name).parent
        if home.is_dir() and home.samefile(folder):
            raise UsageError(f"{option} {folder} holds {name}, which is read. Name another folder.")


def _one_of(option: str, value: str, known: tuple[str, ...]) -> str:
    from eyeprint.errors import UsageError, shown

    if value not in known:
        raise UsageError(f"{option} {shown(value)}: choose one of {', '.join(known)}.")
    return value


def _print(result: ArenaResult, console: Console) -> None:
    from rich.table import Table
    from rich.text import Text

    from eyeprint.scores.arena_tables import arena_tables

    for table in arena_tables(result):
        wide = table.name == "win_matrix" and len(result.models) > WIDEST
        if table.name == "judge_pairs" or wide or not table.texts:
            continue
        # Names are others' words: as Text they are no markup.
        shown = Table(title=Text(table.title), title_justify="left")
        for name in table.texts[0]:
            shown.add_column(Text(name), justify="left")
        for row in table.texts:
            shown.add_row(*(Text(row[name]) for name in table.texts[0]))
        console.print(shown)
        if table.note:
            console.print(Text(table.note, style="dim"))
    left_out = sum(result.excluded.values())
    why = ", ".join(f"{n} {name}" for name, n in result.excluded.items())
    told = f"{result.counted} of {result.verdicts} verdicts count"
    if result.settings.majority:
        told = f"{result.counted} majorities of {result.verdicts - left_out} verdicts count"
    console.print(Text(told + (f"; left out: {why}" if left_out else "") + "."))


def _print_faults(faults: tuple[BadRecord, ...], notes: tuple[str, ...], console: Console) -> None:
    for note in notes:
        console.print(f"note: {note}", style="yellow", markup=False, soft_wrap=True)
    for fault in faults[:SHOWN]:
        console.print(f"not counted: {fault}", style="yellow", markup=False, soft_wrap=True)
    if len(faults) > SHOWN:
        more = f"{len(faults) - SHOWN} more rows could not be counted"
        console.print(more, style="yellow", markup=False, soft_wrap=True)
