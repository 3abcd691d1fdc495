"""Cases from the released PIPBench layout and back (CHECKLIST P20, P44, P45).

A data root holds ``metadata.json`` (one array) or ``metadata.jsonl`` (one row a line), the
pictures that its rows name, and, where profiles are known, ``profiles.jsonl``. A bad row is
named by file, row and field in :attr:`Cases.faults`; the good ones load. No picture is
read here: files are only looked for, and hashed when a fingerprint is asked for.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from typing import overload

from eyeprint.config import canonical_json
from eyeprint.errors import BadRecord, DataError, UnknownName, UsageError, shown
from eyeprint.records.case_counts import SplitCounts, count_cases
from eyeprint.records.case_rows import case_of, inner_path, row_of
from eyeprint.records.cases import Case
from eyeprint.records.file_digests import sha256_of
from eyeprint.records.json_rows import read_json_rows
from eyeprint.records.json_text import json_line
from eyeprint.records.profile_files import PROFILES, read_profiles, write_profiles
from eyeprint.records.profiles import Profile
from eyeprint.records.whole_files import write_whole

METADATA_NAMES = ("metadata.json", "metadata.jsonl")
"""Looked for in a data root, in this order, when no metadata file is named."""
MISSING = "missing"
"""Stands for the hash of a file that is not there."""


class Cases(Sequence[Case]):
    """Some cases, in file order; index by place, by slice, or by a case's id.

    ``faults`` lists the rows that were left out, ``root`` is the folder that paths are
    relative to, ``metadata`` the file that the rows came from (``None`` when made in memory).
    """

    def __init__(
        self,
        cases: Iterable[Case],
        root: str | Path,
        faults: Sequence[BadRecord] = (),
        metadata: Path | None = None,
        hashes: dict[str, str] | None = None,
    ) -> None:
        self._cases = tuple(cases)
        self._place = {case.id: place for place, case in enumerate(self._cases)}
        if len(self._place) < len(self._cases):
            ids = [case.id for case in self._cases]
            twice = next(name for name in ids if ids.count(name) > 1)
            raise DataError(f"two cases have the id '{shown(twice)}'. Give each case its own.")
        self.root = Path(root)
        self.faults = tuple(faults)
        self.metadata = metadata
        self._hashes: dict[str, str] = {} if hashes is None else hashes

    def __len__(self) -> int:
        return len(self._cases)

    def __iter__(self) -> Iterator[Case]:
        return iter(self._cases)

    @overload
    def __getitem__(self, key: int | str) -> Case: ...
    @overload
    def __getitem__(self, key: slice) -> Cases: ...
    def __getitem__(self, key: int | str | slice) -> Case | Cases:
        if isinstance(key, slice):
            return self._with(self._cases[key])
        if isinstance(key, int):
            return self._cases[key]
        if key not in self._place:
            raise UnknownName("case", key, self._place, _first_fault(self.faults))
        return self._cases[self._place[key]]

    def _with(self, cases: Iterable[Case]) -> Cases:
        return Cases(cases, self.root, self.faults, self.metadata, self._hashes)

    @property
    def ids(self) -> tuple[str, ...]:
        """The cases' ids, in order."""
        return tuple(self._place)

    @property
    def person_ids(self) -> tuple[str, ...]:
        """The people, each once, in order of first appearance."""
        return tuple(dict.fromkeys(case.person_id for case in self._cases))

    @property
    def splits(self) -> tuple[str, ...]:
        """The splits (``category``), each once, in order of first appearance."""
        return tuple(dict.fromkeys(case.split for case in self._cases))

    @cached_property
    def picture_paths(self) -> tuple[str, ...]:
        """The distinct pictures of references and targets, in order of first appearance."""
        found: dict[str, None] = {}
        for case in self._cases:
            found.update(dict.fromkeys(case.references))
            if case.target is not None:
                found[case.target] = None
        return tuple(found)

    def of_splits(self, splits: Iterable[str]) -> Cases:
        """Return the cases of these splits.

        Raises:
            UnknownName: no case is of such a split.
        """
        wanted = tuple(splits)
        for split in wanted:
            if split not in self.splits:
                raise UnknownName("split", split, self.splits, _first_fault(self.faults))
        return self._with(case for case in self._cases if case.split in wanted)

    def subset(self, ids: Iterable[str]) -> Cases:
        """Return only these cases, in the order given; an unknown id is an error."""
        return self._with(self[case_id] for case_id in ids)

    def counts(self) -> tuple[SplitCounts, ...]:
        """Return cases, pictures and people of each split, and of all (P45)."""
        return count_cases(self._cases)

    def picture_path(self, path: str) -> Path:
        """Return where a picture of a case lies.

        Raises:
            DataError: the path does not stay inside the data root.
        """
        try:
            return self.root / inner_path(path)
        except ValueError as error:
            raise DataError(f"{self.root}: {error}") from error

    def missing_files(self) -> tuple[str, ...]:
        """Return the pictures that rows name and that are not there now, in row order.

        Raises:
            DataError: a folder of them cannot be looked into.
        """
        try:
            return tuple(p for p in self.picture_paths if not self.picture_path(p).is_file())
        except OSError as error:
            raise DataError(f"{error.filename}: cannot be read ({error.strerror}).") from error

    def file_hash(self, path: str) -> str:
        """Return the SHA-256 of a picture's file, or :data:`MISSING`; an unchanged file is read
        once. A folder or a pipe of that name is no file.

        Raises:
            DataError: the file is there and cannot be read.
        """
        place = self.picture_path(path)
        try:
            state = place.stat()
            if not stat.S_ISREG(state.st_mode):
                return MISSING
            key = f"{place}\n{state.st_size}\n{state.st_mtime_ns}"
            if key not in self._hashes:
                self._hashes[key] = sha256_of(place)
        except (FileNotFoundError, NotADirectoryError):
            return MISSING
        except OSError as error:
            raise DataError(f"{place}: cannot be read ({error.strerror}).") from error
        return self._hashes[key]

    def fingerprint(self) -> str:
        """Return the SHA-256 of the rows and of every picture's bytes, wherever the root lies.

        It changes when a row or a picture does, and not with file times or spelling of
        paths. Profiles are no part of it: no method's work depends on them. Files are hashed
        by a few threads at about the speed of the disk, each once.
        """
        with ThreadPoolExecutor(max_workers=min(4, os.cpu_count() or 1)) as pool:
            hashes = tuple(pool.map(self.file_hash, self.picture_paths))
        state = hashlib.sha256(b"eyeprint cases 1\n")
        for case in self._cases:
            state.update(canonical_json(row_of(case)).encode("utf-8", "surrogatepass") + b"\n")
        for path, digest in zip(self.picture_paths, hashes, strict=True):
            state.update(canonical_json([path, digest]).encode("utf-8", "surrogatepass") + b"\n")
        return state.hexdigest()

    @cached_property
    def profiles(self) -> dict[str, Profile]:
        """Person id -> profile, from ``profiles.jsonl`` beside the metadata; empty without one.

        Judges read them, methods never do (P1).

        Raises:
            DataError: the file is there and holds not one good profile.
        """
        return {profile.id: profile for profile in self._profiles[0]}

    @property
    def profile_faults(self) -> tuple[BadRecord, ...]:
        """The lines of ``profiles.jsonl`` that were left out."""
        return self._profiles[1]

    @cached_property
    def _profiles(self) -> tuple[tuple[Profile, ...], tuple[BadRecord, ...]]:
        folder = self.root if self.metadata is None else self.metadata.parent
        for place in dict.fromkeys((folder / PROFILES, self.root / PROFILES)):
            if place.is_file():
                return read_profiles(place)
        return (), ()


def _first_fault(faults: Sequence[BadRecord]) -> str:
    return f"{len(faults)} faulty rows were left out, the first: {faults[0]}" if faults else ""


def open_cases(
    root: str | Path,
    metadata: str | Path | None = None,
    splits: Iterable[str] | None = None,
) -> Cases:
    """Read the cases of a data root in the released layout.

    Args:
        root: the folder that the rows' paths are relative to; or the metadata file itself,
            whose folder is then the root.
        metadata: the file of rows, ``.json`` or ``.jsonl``; looked for as given, then in the
            root. Left out, the root's ``metadata.json`` or ``metadata.jsonl``.
        splits: keep these only, such as ``["real"]``.

    Raises:
        DataError: no such folder or file, or not one row is good (the first faults are told).
        UnknownName: no case is of a split that was asked for.
    """
    folder = Path(root)
    if folder.is_file() and metadata is None:
        folder, metadata = folder.parent, folder
    if not folder.is_dir():
        raise DataError(f"{folder}: there is no such folder of cases. Give the data root.")
    place = _metadata_of(folder, metadata)
    cases: list[Case] = []
    faults: list[BadRecord] = []
    where: dict[str, int] = {}
    for row, value in read_json_rows(place, "cases"):
        try:
            if isinstance(value, BadRecord):
                raise value
            case = case_of(value, str(place), row)
            if case.id in where:
                reason = f"'{shown(case.id)}' was already used in row {where[case.id]}"
                raise BadRecord(str(place), row, "id", reason)
        except BadRecord as fault:
            faults.append(fault)
            continue
        where[case.id] = row
        cases.append(case)
    if not cases:
        told = "".join(f"\n  {fault}" for fault in faults[:5]) or " It holds no row."
        raise DataError(f"{place}: not one case could be read.{told}")
    found = Cases(cases, folder, faults, place)
    return found if splits is None else found.of_splits(splits)


def _metadata_of(folder: Path, metadata: str | Path | None) -> Path:
    if metadata is None:
        tried = [folder / name for name in METADATA_NAMES]
    else:
        tried = list(dict.fromkeys((Path(metadata), folder / metadata)))
    for place in tried:
        if place.is_file():
            return place
    raise DataError(
        f"{folder}: holds no {' or '.join(METADATA_NAMES)}. Name the file of rows, or give "
        "another data root."
        if metadata is None
        else f"{metadata}: there is no such metadata file, here or in {folder}."
    )


def write_cases(
    root: str | Path,
    cases: Iterable[Case],
    profiles: Iterable[Profile] = (),
    name: str = METADATA_NAMES[0],
) -> Path:
    """Write cases in the released layout, and profiles beside them; return the metadata file.

    Pictures are not copied: paths are written as the cases have them. Without profiles no
    file of them is written, and one that is there is left alone.

    Raises:
        UsageError: ``name`` ends neither in ``.json`` nor in ``.jsonl``.
        DataError: two cases have one id, or a path leaves the root.
        CannotWrite: see :func:`eyeprint.records.whole_files.write_whole`.
    """
    place = Path(root) / name
    rows = [row_of(case) for case in Cases(cases, root)]
    if place.suffix in (".jsonl", ".ndjson"):
        write_whole(place, map(json_line, rows))
    elif place.suffix == ".json":
        text = json.dumps(rows, ensure_ascii=False, indent=1, allow_nan=False) + "\n"
        write_whole(place, [text.encode("utf-8", "backslashreplace")])
    else:
        raise UsageError(f"{place}: cases are written as .json or .jsonl.")
    people = tuple(profiles)
    if people:
        write_profiles(place.parent / PROFILES, people)
    return place
