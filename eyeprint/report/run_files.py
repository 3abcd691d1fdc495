"""Reading the files of a run's folder: views that ignore what they do not know, errors that help.

Reports stand on one floor with scores and people, and import neither: they read what those
wrote, as frozen views of JSON. Fields that a view does not name are passed over, so that a
newer run with more of them still reads.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from eyeprint.errors import BadRecord, DataError
from eyeprint.records.json_lines import read_json_lines
from eyeprint.records.json_text import parse_json

FORMAT = 1
"""Version of the folders' layout that reports read."""


class View(BaseModel):
    """Base of the views: frozen; unknown fields are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore", protected_namespaces=())


ViewT = TypeVar("ViewT", bound=View)


@dataclass(frozen=True)
class FinishedFolder:
    """The folder of a finished run, of any kind."""

    folder: Path
    manifest: Mapping[str, Any]

    @property
    def fingerprint(self) -> str:
        """The run's identity: SHA-256 of its settings."""
        return str(self.manifest.get("fingerprint", ""))

    @property
    def version(self) -> str:
        """The version of eyeprint that made the run."""
        return str(self.manifest.get("version", ""))


def read_manifest(place: Path) -> dict[str, Any]:
    """Return the manifest of a run's folder.

    Raises:
        DataError: nothing is there, it is no run, or of another layout.
    """
    if not place.is_dir():
        raise DataError(f"{place}: there is no such folder. Give that of a run.")
    if not (place / "manifest.json").exists():
        raise DataError(
            f"{place}: has no manifest.json, so it is not the folder of a run. Give the folder "
            "that `eyeprint run ... --out FOLDER` wrote."
        )
    again = "Run the same `eyeprint run` command again: it goes on where it stopped."
    manifest = json_object(place / "manifest.json", again)
    if manifest.get("format", FORMAT) != FORMAT:
        raise DataError(
            f"{place}: its layout is of version {manifest['format']}, and this eyeprint knows "
            f"{FORMAT}. Update eyeprint, or run the evaluation again with this one."
        )
    return manifest


def wanted_kind(place: Path, manifest: dict[str, Any], *kinds: str) -> str:
    """Return the kind of a run if it is one of ``kinds``.

    Raises:
        DataError: it is of another kind.
    """
    kind = manifest.get("kind")
    if kind not in kinds:
        names = " or ".join(f"'{each}'" for each in kinds)
        commands = " or ".join(f"`eyeprint run {each}`" for each in kinds)
        raise DataError(
            f"{place}: holds a run of kind '{kind}'; this report is made of {names} runs. Give "
            f"the folder of an {commands}."
        )
    return str(kind)


def finished_manifest(place: Path, kind: str, again: str) -> dict[str, Any]:
    """Return the manifest of a finished run of one kind; ``again`` says how to finish it.

    Raises:
        DataError: it is no run, of another kind, or not finished.
    """
    manifest = read_manifest(place)
    wanted_kind(place, manifest, kind)
    if not (place / "summary.json").exists():
        raise DataError(f"{place}: the run is not finished (no summary.json). {again}")
    return manifest


def viewed(kind: type[ViewT], value: Any, path: Path, again: str, line: int | None = None) -> ViewT:
    """Return a value as a view.

    Raises:
        BadRecord: a field is missing or no such value; file, line and field are named.
    """
    try:
        return kind.model_validate(value)
    except ValidationError as error:
        fault = error.errors()[0]
        field = ".".join(str(part) for part in fault["loc"])
        raise BadRecord(str(path), line, field, f"{fault['msg']}. {again}") from error


def json_object(path: Path, again: str) -> dict[str, Any]:
    """Return the JSON object that a file holds; ``again`` says how to get the file anew.

    Raises:
        DataError: it cannot be read, is cut, or holds something else.
    """
    try:
        value = parse_json(path.read_bytes())
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror}).") from error
    except ValueError as error:
        raise DataError(f"{path}: is cut or damaged ({error}). {again}") from error
    if not isinstance(value, dict):
        raise DataError(f"{path}: should hold one JSON object. {again}")
    return value


def json_lines(path: Path, again: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield (line number, object) of a JSONL file, one line at a time.

    Raises:
        DataError: it is missing, or a line is cut or holds something else.
    """
    if not path.exists():
        raise DataError(f"{path}: cannot be read, for it is not there. {again}")
    for number, value in read_json_lines(path):
        if isinstance(value, BadRecord):
            raise BadRecord(str(path), number, "", f"is cut or damaged. {again}") from value
        if not isinstance(value, dict):
            raise BadRecord(str(path), number, "", f"should be a JSON object. {again}")
        yield number, value


def viewed_lines(kind: type[ViewT], path: Path, again: str) -> Iterator[ViewT]:
    """Yield every line of a JSONL file as a view.

    Raises:
        DataError: see :func:`json_lines`. BadRecord: see :func:`viewed`.
    """
    for number, value in json_lines(path, again):
        yield viewed(kind, value, path, again, number)
