"""``eyeprint people build toybox``: a synthetic set of concepts and questions for MMPB."""

from __future__ import annotations

from typing import Annotated

import typer


def register(app: typer.Typer) -> None:
    """Add the command ``toybox`` to the group ``people build``."""
    app.command("toybox")(build_toybox)


def build_toybox(
    out: Annotated[
        str, typer.Option(help="Data root to write; a repeated command finishes or reuses it.")
    ],
    concepts: Annotated[
        int | None,
        typer.Option("-n", "--concepts", min=4, help="Concepts of all categories; 12 by default."),
    ] = None,
    questions: Annotated[
        int | None,
        typer.Option(min=15, help="Questions of all 15 tasks; six a concept and task by default."),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="The same seed draws the same set; 0 by default.")
    ] = None,
    settings: Annotated[
        str | None,
        typer.Option(help="TOML file: shares of people, negated forms, hard negatives, side ..."),
    ] = None,
) -> None:
    """Draw people, animals, things and characters, and ask about them what MMPB asks.

    The size of the paper: -n 111 --questions 10017.

    Example: eyeprint people build toybox -n 20 --seed 3 --out toybox
    """
    from eyeprint.cli.progress import TerminalDisplay
    from eyeprint.people import toybox

    given = {"concepts": concepts, "questions": questions, "seed": seed}
    chosen = toybox.ToyboxSettings.from_toml(settings) if settings else toybox.ToyboxSettings()
    values = chosen.model_dump() | {name: v for name, v in given.items() if v is not None}
    checked = toybox.ToyboxSettings.checked(values, where="toybox")
    with TerminalDisplay() as display:
        display.stage("drawing the toybox", None)
        result = toybox.build_toybox(checked, out, lambda done, _: display.advance(done))
    if result.reused:
        typer.echo("everything was there already")
    sizes = {name: result.counts[name] for name in ("concepts", "questions", "pictures")}
    typer.echo(", ".join(f"{count:,} {name}" for name, count in sizes.items()))
    for task, count in result.counts.items():
        if task not in sizes:
            typer.echo(f"  {task}: {count:,}")
    typer.echo(f"toybox: {result.folder}")
