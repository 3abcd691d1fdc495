"""``eyeprint people evidence``: pictures beside the answers that led to them (P43)."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

FAULTS_SHOWN = 20


def register(app: typer.Typer) -> None:
    """Add the command to the group ``people``."""
    app.command("evidence")(evidence)


def evidence(
    cases: Annotated[str, typer.Argument(help="Folder of `people build cases`.")],
    candidates: Annotated[
        str, typer.Argument(help="The candidates.jsonl that it was built from, or its folder.")
    ],
    out: Annotated[Path, typer.Option(help="Page (.html) or lines of JSON (.jsonl) to write.")],
    person: Annotated[
        list[str] | None, typer.Option(help="Only this person; may be given several times.")
    ] = None,
    number: Annotated[
        int | None, typer.Option("-n", "--number", min=1, help="Only the first so many people.")
    ] = None,
    most: Annotated[int, typer.Option(min=1, help="Answers and traits of a picture.")] = 4,
) -> None:
    """Show each picture with its prompt, keywords, and the answers and traits behind it.

    Example: eyeprint people evidence cases candidates --out evidence.html
    """
    from eyeprint.errors import UsageError
    from eyeprint.protocols.evidence_page import POOLS, find_evidence, write_evidence
    from eyeprint.records.whole_files import refuse_overwriting

    if out.suffix.lower() not in (".html", ".htm", ".jsonl"):
        raise UsageError(f"{out}: evidence is written as .html or .jsonl.")
    refuse_overwriting(out, [Path(candidates), Path(candidates) / "candidates.jsonl"])
    refuse_overwriting(out, [Path(cases) / POOLS, Path(cases) / "profiles.jsonl"])
    found = find_evidence(cases, candidates, people=person or (), n=number, most=most)
    lines = out.suffix.lower() == ".jsonl"
    write_evidence(found, None if lines else out, out if lines else None)
    people = len(found.by_person())
    typer.echo(f"{len(found.panels)} pictures of {people} people written to {out}")
    if found.without:
        typer.echo(f"note: {found.without} pictures have no prompt among the candidates", err=True)
    for fault in found.faults[:FAULTS_SHOWN]:
        typer.echo(f"left out: {fault}", err=True)
    if len(found.faults) > FAULTS_SHOWN:
        typer.echo(f"... and {len(found.faults) - FAULTS_SHOWN} more", err=True)
    if found.faults:
        raise typer.Exit(1)
