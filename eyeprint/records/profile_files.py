"""Profiles in JSON lines: read with every fault told, written whole (P20)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from pydantic import ValidationError
from pydantic_core import PydanticSerializationError

from eyeprint.errors import BadRecord, DataError, shown
from eyeprint.records.json_lines import read_json_lines
from eyeprint.records.profiles import Profile
from eyeprint.records.whole_files import write_whole

PROFILES = "profiles.jsonl"
"""The file of profiles in a folder of them."""


def profile_line(profile: Profile) -> bytes:
    """Return a profile as one line of JSON in UTF-8, its line end included.

    >>> profile_line(Profile(id="a", answers={"Q12": 7}))
    b'{"id":"a","answers":{"Q12":7}}\\n'

    Raises:
        BadRecord: a text holds half a surrogate pair, which UTF-8 cannot write.
    """
    try:
        return profile.model_dump_json(exclude_unset=True).encode() + b"\n"
    except PydanticSerializationError as error:
        reason = f"cannot be written as UTF-8 ({error})"
        raise BadRecord(f"profile {shown(profile.id)}", None, "", reason) from error


def _file_of(source: str | Path) -> Path:
    path = Path(source)
    if path.is_dir():
        path = path / PROFILES
    if not path.exists():
        raise DataError(f"{path}: there is no such file of profiles (.jsonl).")
    return path


def iter_profiles(source: str | Path) -> Iterator[Profile | BadRecord]:
    """Yield the profiles of a file one by one, or the fault of a line that holds none.

    Args:
        source: a ``.jsonl`` file, or a folder with ``profiles.jsonl``. It is streamed.

    Raises:
        DataError: nothing is there, or it cannot be read.
    """
    path = _file_of(source)
    lines: dict[str, int] = {}
    for number, value in read_json_lines(path):
        if isinstance(value, BadRecord):
            yield value
            continue
        try:
            profile = Profile.model_validate(value)
        except ValidationError as error:
            first = error.errors()[0]
            field = ".".join(str(part) for part in first["loc"])
            more = (
                f" (and {len(error.errors()) - 1} more faults)" if len(error.errors()) > 1 else ""
            )
            yield BadRecord(str(path), number, field, first["msg"] + more)
            continue
        if profile.id in lines:
            reason = f"{shown(profile.id)!r} was already used at line {lines[profile.id]}"
            yield BadRecord(str(path), number, "id", reason)
            continue
        lines[profile.id] = number
        yield profile


def read_profiles(source: str | Path) -> tuple[tuple[Profile, ...], tuple[BadRecord, ...]]:
    """Return (profiles, faults) of a ``.jsonl`` file, or of a folder with ``profiles.jsonl``.

    A line that cannot be read, or whose id was used before, is a fault; the others are kept.

    Raises:
        DataError: nothing is there, it cannot be read, or it holds not one good profile.
    """
    profiles: list[Profile] = []
    faults: list[BadRecord] = []
    for found in iter_profiles(source):
        if isinstance(found, BadRecord):
            faults.append(found)
        else:
            profiles.append(found)
    if not profiles:
        told = "".join(f"\n  {fault}" for fault in faults[:5]) or " It holds no line."
        raise DataError(f"{source}: not one profile could be read.{told}")
    return tuple(profiles), tuple(faults)


def write_profiles(path: str | Path, profiles: Iterable[Profile]) -> Path:
    """Write profiles as JSON lines, whole or not at all; they may be a stream of any length.

    Raises:
        CannotWrite: see :func:`eyeprint.records.whole_files.write_whole`.
        BadRecord: see :func:`profile_line`.

    >>> import tempfile
    >>> place = Path(tempfile.mkdtemp()) / "profiles.jsonl"
    >>> read_profiles(write_profiles(place, [Profile(id="a")]))[0][0].id
    'a'
    """
    target = Path(path)
    write_whole(target, map(profile_line, profiles))
    return target
