"""``eyeprint canvas``: several pictures on one, in a grid with numbers or letters (X5)."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer


def register(app: typer.Typer) -> None:
    """Add the command to the app."""
    app.command("canvas")(make_canvas)


def make_canvas(
    pictures: Annotated[
        list[str],
        typer.Argument(
            metavar="PICTURE",
            help="Pictures in reading order, or folders of them.",
        ),
    ],
    out: Annotated[Path, typer.Option(help="The PNG file to write.", dir_okay=False)],
    columns: Annotated[int, typer.Option(min=1, help="Pictures of a row.")] = 5,
    labels: Annotated[
        Literal["numbers", "letters", "none"], typer.Option(help="What each is called.")
    ] = "numbers",
    cell: Annotated[int, typer.Option(min=32, help="Side of a cell in pixels.")] = 256,
) -> None:
    """Lay pictures into one grid, as people choose from and as judges of one picture see it.

    Example: eyeprint canvas pictures --columns 5 --labels letters --out sheet.png
    """
    from eyeprint.errors import UsageError
    from eyeprint.models.canvases import canvas
    from eyeprint.models.pictures import open_picture, png_bytes
    from eyeprint.records.whole_files import refuse_overwriting, write_whole

    places = _places(pictures)
    refuse_overwriting(out, places)
    if out.suffix.lower() != ".png":
        raise UsageError(f"{out}: a canvas is a PNG file; end its name with .png.")
    found = [open_picture(place) for place in places]
    sheet = canvas(found, columns, None if labels == "none" else labels, cell)
    write_whole(out, [png_bytes(sheet)])
    typer.echo(f"{len(found)} pictures, {sheet.width} x {sheet.height} pixels: {out}")


def _places(sources: list[str]) -> list[Path]:
    """Return the pictures; those of a folder in natural order (2 before 10)."""
    from eyeprint.errors import DataError
    from eyeprint.models.pictures import is_picture_file
    from eyeprint.people.choices import natural

    places: list[Path] = []
    for source in map(Path, sources):
        if not source.is_dir():
            places.append(source)
            continue
        inside = sorted(filter(is_picture_file, source.iterdir()), key=lambda p: natural(p.name))
        if not inside:
            raise DataError(f"{source}: this folder holds no picture.")
        places += inside
    return places
