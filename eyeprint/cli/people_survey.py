"""``eyeprint people survey``: profiles of real people from a survey export (P13, P15, P24)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from eyeprint.people.survey import SurveyImport

FAULTS_SHOWN = 20


def register(app: typer.Typer) -> None:
    """Add the command to the group ``people``."""
    app.command("survey")(import_survey)


def import_survey(
    file: Annotated[str, typer.Argument(metavar="FILE", help="The export, a CSV or TSV table.")],
    out: Annotated[str, typer.Option(help="Folder for profiles.jsonl.")],
    min_seconds: Annotated[
        float | None,
        typer.Option(min=0, help="Leave out rows that took less, where a column tells; 60."),
    ] = None,
    id_column: Annotated[
        str, typer.Option(help="A column of research ids to keep; made by number if left out.")
    ] = "",
    partial: Annotated[
        bool, typer.Option("--partial", help="Keep rows with unanswered questions.")
    ] = False,
    settings: Annotated[
        str | None, typer.Option(help="TOML file of further settings: words, names of columns.")
    ] = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace profiles.jsonl where it exists.")
    ] = False,
) -> None:
    """Read a survey export: good rows become profiles, every other row is told with its reason.

    Names, e-mails, addresses and whatever else is no answer are dropped and never stored;
    uploads get places by research id. Where rows were left out the exit code is 1.

    Example: eyeprint people survey export.csv --out real
    """
    from pathlib import Path

    from eyeprint.errors import UsageError
    from eyeprint.people.survey import SurveySettings, read_survey
    from eyeprint.records.profile_files import PROFILES, write_profiles
    from eyeprint.records.whole_files import refuse_overwriting

    target = Path(out) / PROFILES
    refuse_overwriting(target, [Path(file)])
    if target.exists() and not overwrite:
        raise UsageError(f"{target} exists. Choose another --out, or add --overwrite.")
    chosen = SurveySettings.from_toml(settings) if settings else SurveySettings()
    given: dict[str, object] = {}
    if min_seconds is not None:
        given["min_seconds"] = min_seconds
    if id_column:
        given["id_column"] = id_column
    if partial:
        given["partial"] = True
    given = chosen.model_dump() | given
    found = read_survey(file, SurveySettings.checked(given, "--min-seconds, --id-column"))
    _tell(found)
    if found.profiles:
        write_profiles(target, found.profiles)
        typer.echo(f"written to {target}")
    else:
        typer.echo("no row became a profile, so nothing was written", err=True)
    if found.faults or not found.profiles:
        raise typer.Exit(1)


def _tell(found: SurveyImport) -> None:
    for line in found.told():
        typer.echo(line)
    for note in found.notes:
        typer.echo(f"note: {note}", err=True)
    for fault in found.faults[:FAULTS_SHOWN]:
        typer.echo(f"left out: {fault}", err=True)
    if len(found.faults) > FAULTS_SHOWN:
        typer.echo(f"... and {len(found.faults) - FAULTS_SHOWN} more", err=True)
