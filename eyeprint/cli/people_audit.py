"""``eyeprint people audit``: statistics, broken rules, near-twins and stereotypes of people."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rich.console import Console

    from eyeprint.people.audit_report import AuditReport
    from eyeprint.report.grids import Grid

WIDTH = 100


def register(app: typer.Typer) -> None:
    """Add the command to the group of people's commands."""
    app.command("audit")(audit)


def audit(
    people: Annotated[
        list[str],
        typer.Argument(
            help='"mini", or a file or folder of people; or several sets of pictures or '
            "candidates, as of audit-pictures."
        ),
    ],
    encoder: Annotated[
        str,
        typer.Option(
            help="auto, minilm, static, openai/...; none leaves out what needs embeddings."
        ),
    ] = "auto",
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Write everything here.", dir_okay=False)
    ] = None,
    html_file: Annotated[
        Path | None, typer.Option("--html", help="Write a page here.", dir_okay=False)
    ] = None,
    picture: Annotated[
        Path | None, typer.Option(help="Write the t-SNE maps here, as SVG.", dir_okay=False)
    ] = None,
    n_tsne: Annotated[
        int, typer.Option("--n-tsne", min=0, help="People on the maps; 0 for none.")
    ] = 1000,
) -> None:
    """Check people: statistics, broken rules, near-twins, stereotypes, maps.

    Example: eyeprint people audit mini --html audit.html
    """
    from rich.console import Console

    from eyeprint.cli.progress import TerminalDisplay
    from eyeprint.errors import UsageError
    from eyeprint.people.audit_map import MapSettings
    from eyeprint.people.audit_report import AuditSettings
    from eyeprint.protocols.people_audit import audit_people, write_report
    from eyeprint.protocols.picture_audit import is_set

    if picture is not None and picture.suffix.lower() != ".svg":
        raise UsageError(f"{picture}: the picture is an SVG; end its name with .svg.")
    if all(is_set(place) for place in people):
        _audit_sets(people, encoder, json_file, html_file, picture)
        return
    if len(people) > 1:
        raise UsageError(
            "Several sources are compared when they are sets of pictures or candidates; people "
            f"are audited one source at a time, and not all of {', '.join(people)} are sets."
        )
    settings = AuditSettings(maps=MapSettings(n_tsne=n_tsne))
    # Progress goes to standard error, so that the report can be piped.
    with TerminalDisplay() as display:
        display.stage("reading people", None)

        def told(done: int, total: int) -> None:
            if done == 1:
                display.stage("checking people", total)
            display.advance(done)
            if done == total:
                display.stage("looking for twins, drawing maps", None)

        report = audit_people(people[0], encoder=encoder, settings=settings, progress=told)
    _print(Console(), report)
    written = write_report(report, json_file=json_file, html_file=html_file, picture_file=picture)
    for path in written:
        typer.echo(f"wrote {path}")
    if report.unread:
        raise typer.Exit(1)


def _audit_sets(
    sets: list[str],
    encoder: str,
    json_file: Path | None,
    html_file: Path | None,
    picture: Path | None,
) -> None:
    """Compare sets of pictures or candidates, with the defaults of ``audit-pictures``."""
    from eyeprint.cli.people_audit_pictures import run_audit
    from eyeprint.errors import UsageError
    from eyeprint.people.picture_audit import PictureAuditSettings

    if picture is not None:
        raise UsageError("--picture draws maps of people; sets of pictures have none.")
    run_audit(
        sets,
        PictureAuditSettings(),
        names=[],
        encoder="" if encoder == "auto" else encoder,
        json_file=json_file,
        html_file=html_file,
    )


def _print(console: Console, report: AuditReport) -> None:
    from rich.text import Text

    from eyeprint.protocols import people_audit_words as words

    width = min(WIDTH, console.width)
    console.print(Text(words.headline(report), style="bold"), width=width)
    for line in words.lead(report):
        console.print(Text(line), width=width)
    _print_grid(console, words.comparisons_grid(report), width)
    numbers = report.numbers
    _print_grid(console, words.counts_grid("ages", "Age", numbers.ages, numbers.people), width)
    _print_grid(
        console, words.counts_grid("genders", "Gender", numbers.genders, numbers.people), width
    )
    _print_grid(console, words.kinds_grid(report), width)
    regional = words.regional_grid(report)
    if regional is not None:
        _print_grid(console, regional, width)
    if report.by_person:
        _print_grid(console, words.rules_grid(report, only_broken=True), width)
    _print_twins(console, report, width)
    console.print(Text(words.probes_sentence(report)), width=width)
    flagged = words.probes_grid(report, most=10)
    if flagged.rows:
        _print_grid(console, flagged, width)
    for fault in report.unread[:10]:
        console.print(Text(f"not read: {fault.reason}", style="yellow"), width=width)


def _print_twins(console: Console, report: AuditReport, width: int) -> None:
    from rich.text import Text

    from eyeprint.protocols import people_audit_words as words

    found = [("Copies", report.copies), ("Look-alikes", report.lookalikes)]
    for title, twins in found:
        if twins is not None and twins.pairs:
            named = f"{title}: {len(twins.pairs):,} pairs in {len(twins.groups):,} groups"
            _print_grid(console, words.twins_grid(title, named, twins, most=5), width)
            told = words.twins_sentence(twins, report.numbers.people)
            console.print(Text(told, style="dim"), width=width)
    if report.repeats.wordings:
        _print_grid(console, words.repeats_grid(report, most=5), width)


def _print_grid(console: Console, grid: Grid, width: int) -> None:
    from rich.text import Text

    from eyeprint.protocols.people_audit_words import number_columns
    from eyeprint.report.terminal import print_grid

    print_grid(console, grid, width, number_columns(grid))
    if grid.note:
        console.print(Text(grid.note, style="dim"), width=width)
