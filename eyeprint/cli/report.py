"""``eyeprint report``: a finished run as HTML, Markdown, LaTeX, CSV or JSON."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("report")(report)


def report(
    run: Annotated[
        Path, typer.Argument(help="Folder of a finished run of VPTT, PIPBench or MMPB.")
    ],
    format: Annotated[
        str, typer.Option("--format", "-f", help="html, md, tex, csv or json.")
    ] = "html",
    out: Annotated[
        Path | None,
        typer.Option(help='File to write; "-" is standard output. HTML goes to RUN/report.html.'),
    ] = None,
) -> None:
    """Show a finished run: a page to open, or its tables for a paper or a spreadsheet.

    Example: eyeprint report demo/run --format md
    """
    from eyeprint.records.whole_files import write_whole
    from eyeprint.report.write import NAME, read_finished, render

    found = read_finished(run)
    text = render(found, format)
    target = run / NAME if out is None and format == "html" else out
    if target is None or str(target) == "-":
        # Bytes, so that a terminal's encoding or newlines do not change the file.
        sys.stdout.buffer.write(text.encode())
        sys.stdout.buffer.flush()
        return
    write_whole(target, [text.encode()])
    typer.echo(f"Wrote {target}", err=True)
