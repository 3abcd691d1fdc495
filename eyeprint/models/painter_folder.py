"""Ready pictures from a folder, as a painter: ``folder:DIR`` (released layout ``{id}.png``).

Outputs of any generator take part in a run this way. A file name is made by a pattern from
what the protocol tells of the case; without an ending in the pattern, the usual ones are
tried. Every picture comes through the gate (:mod:`eyeprint.models.pictures`), so a file
that cannot be read is named, and its case is unscored.
"""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from string import Formatter
from typing import TYPE_CHECKING, NamedTuple

from pydantic import field_validator

from eyeprint.config import Settings, fingerprint_of
from eyeprint.errors import DataError, UnknownName, UsageError
from eyeprint.models.kinds import Painted, PaintRequest
from eyeprint.records.file_digests import sha256_of

if TYPE_CHECKING:
    from eyeprint.records.pictures import Picture

ENDINGS = (".png", ".jpg", ".jpeg", ".webp")
"""Tried in this order where a pattern has no ending, and after that in capitals."""
_TRIED = (*ENDINGS, *(ending.upper() for ending in ENDINGS))
FACTS = {
    "id": "id",
    "image_id": "image_id",
    "person_id": "image_id",
    "category": "category",
    "split": "category",
}
"""Names in patterns -> the facts of a request that they stand for."""


class FolderSettings(Settings):
    """Where ready pictures are within their folder."""

    pattern: str = "{id}"
    """File name with ``{id}``, ``{image_id}`` (or ``{person_id}``) and ``{category}`` (or
    ``{split}``); folders are separated by ``/``. Without an ending .png, .jpg, .jpeg and
    .webp are tried in this order, then the same in capitals."""

    @field_validator("pattern")
    @classmethod
    def _known_fields(cls, pattern: str) -> str:
        try:
            pieces = [piece for piece in Formatter().parse(pattern) if piece[1] is not None]
        except ValueError as error:
            raise ValueError(f"'{pattern}' is no pattern: {error}") from error
        for _, field, spec, conversion in pieces:
            if field not in FACTS or spec or conversion:
                known = ", ".join("{" + name + "}" for name in FACTS)
                raise ValueError(f"'{pattern}' may hold {known} and nothing else in braces")
        if not pieces:
            raise ValueError(f"'{pattern}' names one file for all cases; it lacks {{id}}")
        return pattern


class Place(NamedTuple):
    """Where a picture was looked for."""

    found: Path | None
    tried: tuple[Path, ...]


class FolderPainter:
    """Finds pictures instead of painting them, in whichever way is asked for.

    Raises:
        UsageError: the folder does not exist.

    >>> FolderPainter(".").ways == {"text", "edit", "tune", "feedback"}
    True
    """

    ways = frozenset({"text", "edit", "tune", "feedback"})

    def __init__(
        self, folder: str | Path, settings: FolderSettings | None = None, name: str | None = None
    ) -> None:
        self.folder = Path(folder).expanduser()
        self.settings = settings or FolderSettings()
        self.name = name or f"folder:{folder}"
        self._fingerprint: str | None = None
        if not self.folder.is_dir():
            raise UsageError(
                f"There is no folder '{self.folder}' with ready pictures (painter '{self.name}')."
            )

    def __repr__(self) -> str:
        return f"FolderPainter({str(self.folder)!r}, pattern={self.settings.pattern!r})"

    @property
    def fingerprint(self) -> str:
        """SHA-256 over the pattern, and the names and bytes of the files that fit it.

        The folder's own path does not enter: a copy of it is the same painter. The files are
        read when the fingerprint is first asked for.
        """
        if self._fingerprint is None:
            listed = {
                path.relative_to(self.folder).as_posix(): sha256_of(path) for path in self.fitting()
            }
            self._fingerprint = fingerprint_of(
                {"painter": "folder", "pattern": self.settings.pattern, "files": listed}
            )
        return self._fingerprint

    def fitting(self) -> list[Path]:
        """Return the files that the pattern can name, in the order of their names."""
        pattern = self.settings.pattern
        glob = "".join(
            text.replace("[", "[[]").replace("*", "[*]").replace("?", "[?]")
            + ("" if field is None else "*")
            for text, field, _, _ in Formatter().parse(pattern)
        )
        given = Path(pattern).suffix
        found = self.folder.glob(glob if given else glob + ".*")
        wanted = (given,) if given else _TRIED
        return sorted(path for path in found if path.is_file() and path.suffix in wanted)

    def place(self, request: PaintRequest) -> Place:
        """Return the file of a request, and where it was looked for.

        A name that would lead out of the folder is looked for nowhere.
        """
        facts = {"id": request.key} | dict(request.facts)
        name = "".join(
            text + ("" if field is None else facts.get(FACTS[field], ""))
            for text, field, _, _ in Formatter().parse(self.settings.pattern)
        )
        endings = ("",) if Path(self.settings.pattern).suffix else _TRIED
        root = self.folder.resolve()
        tried = tuple(
            path
            for path in (self.folder / (name + ending) for ending in endings)
            if path.resolve().is_relative_to(root)
        )
        return Place(next((path for path in tried if path.is_file()), None), tried)

    async def paint(self, request: PaintRequest, way: str = "text") -> Painted:
        """Return the ready picture of a case, or "missing" or "unreadable" with the path."""
        return await asyncio.to_thread(self._read, request)

    def _read(self, request: PaintRequest) -> Painted:
        started = time.perf_counter()
        place = self.place(request)
        if place.found is None:
            # The same names in capitals go without saying.
            told = map(str, place.tried[: len(ENDINGS)])
            where = ", ".join(told) or f"a path outside {self.folder}"
            return Painted(None, "missing", f"There is no ready picture: looked for {where}.")
        try:
            picture = _through_the_gate(place.found)
        except DataError as error:
            return Painted(None, "unreadable", str(error))
        return Painted(picture, seconds=time.perf_counter() - started)


def _through_the_gate(path: Path) -> Picture:
    from eyeprint.models.pictures import open_picture

    return open_picture(path)


def folder_painter(name: str, settings: FolderSettings | None = None) -> FolderPainter:
    """Return the painter of ``folder:DIR`` or ``folder:DIR?pattern={id}.png``.

    Raises:
        UnknownName, UsageError: another kind of name, no such folder, or a wrong pattern.

    >>> folder_painter("folder:.?pattern={category}/{id}.png").settings.pattern
    '{category}/{id}.png'
    """
    kind, separator, rest = name.partition(":")
    if kind != "folder" or not separator:
        raise UnknownName("painter", name, ["folder:DIR", "folder:DIR?pattern={id}.png"])
    # A question mark may be part of a folder's name; "?pattern=" is taken to be none.
    folder, mark, pattern = rest.rpartition("?pattern=")
    if not mark:
        folder = rest
    if not folder:
        raise UsageError(f"'{name}' lacks the folder: write folder:DIR.")
    if mark:
        settings = FolderSettings.checked({"pattern": pattern}, where=f"painter '{name}'")
    return FolderPainter(folder, settings, name)
