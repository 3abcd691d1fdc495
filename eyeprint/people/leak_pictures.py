"""Opens the pictures of a leak check once, and keeps marks and vectors of them, not pixels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import numpy as np

from eyeprint.errors import UnreadablePicture
from eyeprint.models.kinds import ImageEncoder, Vectors
from eyeprint.models.pictures import open_picture
from eyeprint.people.leak_marks import PictureMarks, marks_of
from eyeprint.records.pictures import Picture

_SHOWN = 200
AT_ONCE = 32
"""Pictures that are held at a time."""


class PictureToCheck(NamedTuple):
    """A picture by the name that reports give it, and its file or itself."""

    name: str
    source: Path | Picture


class ReadPictures(NamedTuple):
    """Marks of all pictures that could be read, in order, and vectors where asked for."""

    places: tuple[int, ...]
    """Of the pictures that could be read, among those that were given."""
    marks: tuple[PictureMarks, ...]
    vectors: Vectors | None
    missing: tuple[str, ...]
    unreadable: tuple[str, ...]


def read_pictures(
    pictures: Sequence[PictureToCheck],
    encoder: ImageEncoder | None = None,
    progress: Callable[[int], None] | None = None,
) -> ReadPictures:
    """Open pictures in two threads, a batch at a time; what cannot be opened is listed."""
    places: list[int] = []
    marks: list[PictureMarks] = []
    rows: list[Vectors] = []
    missing: list[str] = []
    unreadable: list[str] = []
    done = 0
    with ThreadPoolExecutor(max_workers=2) as pool:
        for start in range(0, len(pictures), AT_ONCE):
            batch = pictures[start : start + AT_ONCE]
            held: list[Picture] = []
            opened = zip(batch, pool.map(_opened, batch), strict=True)
            for place, (item, found) in enumerate(opened, start=start):
                if found is None:
                    missing.append(item.name)
                elif isinstance(found, str):
                    unreadable.append(found)
                else:
                    places.append(place)
                    held.append(found[0])
                    marks.append(found[1])
            if encoder is not None and held:
                rows.append(encoder.encode_pictures(held))
            done += len(batch)
            if progress is not None:
                progress(done)
    vectors = None
    if encoder is not None:
        vectors = np.concatenate(rows) if rows else np.zeros((0, encoder.dim), np.float32)
    return ReadPictures(tuple(places), tuple(marks), vectors, tuple(missing), tuple(unreadable))


def _opened(item: PictureToCheck) -> tuple[Picture, PictureMarks] | str | None:
    if isinstance(item.source, Picture):
        return item.source, marks_of(item.source)
    try:
        if not item.source.is_file():
            return None
    except OSError as error:
        return f"{item.name[:_SHOWN]}: cannot be looked for ({error.strerror})."
    try:
        picture = open_picture(item.source, name=item.name)
    except UnreadablePicture as error:
        return str(error)
    return picture, marks_of(picture)
