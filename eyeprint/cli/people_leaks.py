"""``eyeprint people leaks``: what of a benchmark's answers can be seen beforehand."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

NO_ENCODER = "none"


def register(app: typer.Typer) -> None:
    """Add the command to the group of people's commands."""
    app.command("leaks")(leaks)


def leaks(
    data: Annotated[str, typer.Argument(help="Data root in the released layout, or its metadata.")],
    metadata: Annotated[
        str, typer.Option(help="File of rows, if not metadata.json or metadata.jsonl of the root.")
    ] = "",
    train: Annotated[
        str,
        typer.Option(help="Training rows (.json, .jsonl), a data root, or a folder of pictures."),
    ] = "",
    train_root: Annotated[
        str, typer.Option(help="What paths of training rows are relative to, if not their folder.")
    ] = "",
    encoder: Annotated[
        str,
        typer.Option(help="Also compare in this image encoder: palette, clip, dino ... or none."),
    ] = "palette",
    crops: Annotated[
        bool, typer.Option("--crops/--no-crops", help="Look for parts of pictures, too.")
    ] = True,
    block: Annotated[
        bool, typer.Option("--block", help="Exit with 1 when there is any error.")
    ] = False,
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Write the whole report here.", dir_okay=False)
    ] = None,
    most: Annotated[int, typer.Option(min=0, help="Rows that are printed.")] = 40,
) -> None:
    """List targets among references, pictures of two people, and training rows in the benchmark.

    Where rows were left out the exit code is 1.

    Example: eyeprint people leaks data/pipbench --train rows.jsonl --block
    """
    from eyeprint.cli.progress import TerminalDisplay, tell_missing
    from eyeprint.models.image_encoders import load_image_encoder
    from eyeprint.people.leak_matching import MatchSettings
    from eyeprint.people.leaks import LeakSettings, find_leaks
    from eyeprint.people.training_rows import read_training
    from eyeprint.records.case_files import open_cases
    from eyeprint.records.whole_files import write_whole

    model = None if encoder == NO_ENCODER else load_image_encoder(encoder)
    cases = open_cases(data, metadata or None)
    training = read_training(train, train_root or None) if train else None
    settings = LeakSettings(match=MatchSettings(crops=crops))
    count = len(cases.picture_paths) + (len(training.pictures) if training else 0)
    with TerminalDisplay() as display:
        tell_missing(cases.missing_files(), display)
        display.stage("reading pictures", count)

        def told(done: int, total: int) -> None:
            display.advance(done)
            if done == total:
                display.stage("comparing pictures", None)

        report = find_leaks(cases, training, encoder=model, settings=settings, progress=told)
    for line in report.lines(most):
        typer.echo(line)
    faults = (*cases.faults, *(training.faults if training else ()))
    for fault in faults[:10]:
        typer.echo(f"not read: {fault}", err=True)
    if json_file is not None:
        write_whole(json_file, [report.model_dump_json(indent=1).encode(), b"\n"])
        typer.echo(f"wrote {json_file}")
    if faults or (block and report.errors):
        raise typer.Exit(1)
