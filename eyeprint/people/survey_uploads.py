"""Pictures that people uploaded in a survey (P13, P15): places of our making, never their names.

Exports name uploads after whoever gave them ("Ana Lima_IMG_2041.jpg"). A profile gets
``<research id>/<n><ending>`` instead, n from 1 in the order of the cell; which upload that is
can be told by line, column and n from the export itself, so no name needs to be kept.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import NamedTuple

from eyeprint.models.picture_formats import ENDINGS
from eyeprint.people.survey_cells import CellSettings
from eyeprint.people.survey_columns import Column
from eyeprint.records.case_folders import person_folder

OUTSIDE = (
    "a web address or a path outside the file's folder was not kept; put the picture beside the "
    "file"
)
NO_PICTURE = "an upload without the ending of a picture was not kept"
PLACED = (
    "a picture's own name was not stored; copy it to the place that is printed for its line, "
    "column and number"
)


class UploadPlace(NamedTuple):
    """Where one upload of a row belongs, told without its name."""

    line: int
    column: str
    number: int
    """From 1, among the pictures of its cell."""
    place: str
    """The path in the profile's ``uploads``, relative to the folder of profiles."""

    def __str__(self) -> str:
        return f"line {self.line}, field '{self.column}', picture {self.number}: {self.place}"


class Uploads(NamedTuple):
    """The uploads of one row."""

    names: tuple[str, ...]
    """As the export has them: to tell rows apart, and for nothing else."""
    places: tuple[UploadPlace, ...]
    notes: tuple[str, ...]


def uploads_of(
    line: int,
    columns: Sequence[Column],
    cells: Sequence[str],
    person_id: str,
    words: CellSettings,
) -> Uploads:
    """Return where the pictures belong that a row's upload columns name.

    Args:
        line: of the row, to tell of.
        columns: all columns; those of other roles are passed over.
        cells: the row's cells, by a column's place.
        person_id: the research id that the places begin with.
        words: which cells hold no answer.

    >>> from eyeprint.people.questions import questionnaire
    >>> column = Column(0, "Q19", "upload", questionnaire()["Q19"])
    >>> found = uploads_of(2, [column], ["Ana Lima.JPG; b.png"], "person-0001", CellSettings())
    >>> [upload.place for upload in found.places]
    ['person-0001/1.jpg', 'person-0001/2.png']
    """
    names: dict[str, None] = {}
    places: list[UploadPlace] = []
    notes: list[str] = []
    for column in columns:
        if column.role != "upload":
            continue
        given = (text.strip() for text in re.split(r"[\n;；┋|]+", cells[column.place]))
        told = [path for path in given if path and not words.is_blank(path)]
        for number, text in enumerate(told, start=1):
            path = text.replace("\\", "/")
            # A name's own tail may hold anything ("photo.of Ana"): only known endings stay.
            ending = PurePosixPath(path).suffix.lower()
            if "://" in path or path.startswith("/") or ".." in path.split("/") or ":" in path:
                notes.append(f"{column.header}: {OUTSIDE}")
            elif ending not in ENDINGS:
                notes.append(f"{column.header}: {NO_PICTURE}")
            elif path not in names:
                names[path] = None
                place = f"{person_folder(person_id)}/{len(names)}{ending}"
                places.append(UploadPlace(line, column.header, number, place))
                notes.append(f"{column.header}: {PLACED}")
    return Uploads(tuple(names), tuple(places), tuple(notes))
