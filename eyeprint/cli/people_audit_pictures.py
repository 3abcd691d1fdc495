"""``eyeprint people audit-pictures``: how good sets of pictures or prompts are (P75–P78)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

if TYPE_CHECKING:
    from eyeprint.people.picture_audit import PictureAuditSettings

WIDTH = 110
FAULTS_SHOWN = 10


def register(app: typer.Typer) -> None:
    """Add the command to the group of people's commands."""
    app.command("audit-pictures")(audit_pictures)


def audit_pictures(
    sets: Annotated[
        list[str],
        typer.Argument(
            help="Folders of persons' folders of pictures, data roots, or candidates.jsonl."
        ),
    ],
    name: Annotated[
        list[str] | None, typer.Option(help="What to call the sets, one for each, in order.")
    ] = None,
    encoder: Annotated[
        str,
        typer.Option(help="palette, clip, dino ... of pictures; auto, minilm, static of prompts."),
    ] = "",
    out: Annotated[
        Path | None,
        typer.Option(help="Folder for audit.json and audit.html.", file_okay=False),
    ] = None,
    ratings: Annotated[
        Path | None, typer.Option(help="CSV of people's ratings of sets (HSQ).", dir_okay=False)
    ] = None,
    clustered: Annotated[
        Literal["people", "pictures"], typer.Option(help="What k-means runs on.")
    ] = "people",
    clusters: Annotated[int, typer.Option(min=2, help="The highest K.")] = 50,
    seed: Annotated[int, typer.Option(help="Seed of clusterings and bootstraps.")] = 7,
    vectors: Annotated[
        Path | None, typer.Option(help="Folder where pictures' vectors are kept.", file_okay=False)
    ] = None,
) -> None:
    """Compare sets: similarity within persons, entropy and silhouette between them.

    Example: eyeprint people audit-pictures profile profile-free no-openness --out audit
    """
    from eyeprint.people.picture_audit import PictureAuditSettings

    settings = PictureAuditSettings(clustered=clustered, clusters_high=clusters, seed=seed)
    run_audit(
        sets,
        settings,
        names=name or [],
        encoder=encoder,
        ratings=ratings,
        vectors=vectors,
        json_file=None if out is None else out / "audit.json",
        html_file=None if out is None else out / "audit.html",
    )


def run_audit(
    sets: list[str],
    settings: PictureAuditSettings,
    *,
    names: list[str],
    encoder: str,
    ratings: Path | None = None,
    vectors: Path | None = None,
    json_file: Path | None = None,
    html_file: Path | None = None,
) -> None:
    """Audit, print and write; exit code 1 when something could not be read."""
    from rich.console import Console
    from rich.text import Text

    from eyeprint.cli.progress import TerminalDisplay
    from eyeprint.protocols.picture_audit import audit_sets
    from eyeprint.protocols.picture_audit_page import grids, headline, write_audit
    from eyeprint.report.terminal import print_grid

    with TerminalDisplay() as display:
        found = audit_sets(
            sets,
            names=names,
            encoder=encoder,
            settings=settings,
            ratings=ratings,
            vectors=vectors,
            display=display,
        )
    console = Console()
    width = min(WIDTH, console.width)
    console.print(Text(headline(found), style="bold"), width=width)
    for grid in grids(found):
        print_grid(console, grid, width)
        if grid.note:
            console.print(Text(grid.note, style="dim"), width=width)
    for audit in found.audits:
        for note in audit.notes:
            console.print(Text(f"{audit.name}: {note}", style="dim"), width=width)
    for fault in found.faults[:FAULTS_SHOWN]:
        console.print(Text(f"not read: {fault}", style="yellow"), width=width)
    if len(found.faults) > FAULTS_SHOWN:
        console.print(Text(f"... and {len(found.faults) - FAULTS_SHOWN} more"), width=width)
    for path in write_audit(found, json_file, html_file):
        typer.echo(f"wrote {path}")
    if found.faults:
        raise typer.Exit(1)
