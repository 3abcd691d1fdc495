"""People from files and back: JSONL, a folder of JSON files, Parquet.

Reading is lazy: a scan checks every record once, remembers where it stands, and
parses it again when asked for, so 10,000 people (600 MB of text) cost a few MB of
memory. A bad record is named by file, line and field in :attr:`People.faults`; the
good ones load. Unknown fields survive a round trip.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError
from pydantic_core import PydanticSerializationError

from eyeprint.errors import BadRecord, DataError, UnknownName, shown
from eyeprint.records.json_lines import BOM
from eyeprint.records.json_text import parse_json
from eyeprint.records.people import Persona

MANIFEST_NAMES = frozenset({"people.json", "manifest.json"})
"""JSON files that may stand beside people in a folder and are not people."""


class Entry(NamedTuple):
    """Where one good record stands: a slice of a file, or bytes held in memory."""

    id: str
    file: str
    line: int | None
    offset: int
    length: int
    held: bytes | None
    digest: bytes
    """SHA-256 of the record as :func:`persona_line` writes it: the same in every format."""


class People(Sequence[Persona]):
    """Some people, in file order, parsed when asked for.

    Index by position, by slice or by id. ``faults`` lists the records that were left
    out, ``folder`` is where they came from, ``fingerprint`` the SHA-256 of their content in order.
    """

    def __init__(
        self,
        entries: Sequence[Entry],
        faults: Sequence[BadRecord] = (),
        folder: Path | None = None,
        fingerprint: str = "",
    ) -> None:
        self._entries = tuple(entries)
        self._place = {entry.id: i for i, entry in enumerate(self._entries)}
        self.faults = tuple(faults)
        self.folder = folder
        self.fingerprint = fingerprint
        self._parse = lru_cache(maxsize=64)(self._parse_at)

    @classmethod
    def of(cls, people: Iterable[Persona], folder: Path | None = None) -> People:
        """Return personas that are already in memory as a :class:`People`.

        >>> People.of([Persona(id="a"), Persona(id="b")])["b"].id
        'b'
        """
        entries, faults = [], []
        seen: set[str] = set()
        state = hashlib.sha256()
        for person in people:
            raw = persona_line(person)
            if person.id in seen:
                faults.append(BadRecord("memory", None, "id", f"'{person.id}' is there twice"))
                continue
            seen.add(person.id)
            digest = hashlib.sha256(raw).digest()
            state.update(digest)
            entries.append(Entry(person.id, "memory", None, 0, len(raw), raw, digest))
        return cls(entries, faults, folder, state.hexdigest())

    @classmethod
    def joined(cls, parts: Sequence[People]) -> People:
        """Return several people sets as one, in order; a repeated id is a fault of the later."""
        entries: dict[str, Entry] = {}
        faults = [fault for part in parts for fault in part.faults]
        state = hashlib.sha256()
        for entry in (entry for part in parts for entry in part._entries):
            if entry.id in entries:
                reason = f"'{entry.id}' was already used in {entries[entry.id].file}"
                faults.append(BadRecord(entry.file, entry.line, "id", reason))
                continue
            entries[entry.id] = entry
            state.update(entry.digest)
        return cls(tuple(entries.values()), faults, None, state.hexdigest())

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids in order."""
        return tuple(self._place)

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, item: object) -> bool:
        return (item in self._place) if isinstance(item, str) else super().__contains__(item)

    def __iter__(self) -> Iterator[Persona]:
        return (self._parse_at(i) for i in range(len(self._entries)))

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, str):
            if key not in self._place:
                raise self._unknown(key)
            return self._parse(self._place[key])
        if isinstance(key, slice):
            return self.subset([entry.id for entry in self._entries[key]])
        return self._parse(range(len(self._entries))[key])

    def subset(self, ids: Iterable[str]) -> People:
        """Return only these people, in the order given; an unknown id is an error."""
        entries = []
        state = hashlib.sha256()
        for person_id in ids:
            if person_id not in self._place:
                raise self._unknown(person_id)
            entry = self._entries[self._place[person_id]]
            entries.append(entry)
            state.update(entry.digest)
        return People(entries, (), self.folder, state.hexdigest())

    def first(self, n: int) -> People:
        """Return the first n people, with the faults of the whole: they were left out here too.

        >>> People.of([Persona(id="a"), Persona(id="b")]).first(1).ids
        ('a',)
        """
        few = self.subset(self.ids[:n])
        return People(few._entries, self.faults, self.folder, few.fingerprint)

    def _unknown(self, person_id: str) -> UnknownName:
        """Return the error for an id that is not here: it may be that of a faulty record."""
        count = len(self.faults)
        more = f"{count} faulty records were left out, the first: {self.faults[0]}" if count else ""
        return UnknownName("person", person_id, self._place, more)

    def _parse_at(self, index: int) -> Persona:
        entry = self._entries[index]
        try:
            return Persona.model_validate_json(_bytes_of(entry))
        except ValidationError as error:
            raise _as_bad_record(error, entry.file, entry.line) from error


def _bytes_of(entry: Entry) -> bytes:
    if entry.held is not None:
        return entry.held
    try:
        with Path(entry.file).open("rb") as file:
            file.seek(entry.offset)
            return file.read(entry.length)
    except OSError as error:
        raise DataError(f"{entry.file}: cannot be read any more ({error.strerror}).") from error


def _as_bad_record(error: ValidationError, file: str, line: int | None) -> BadRecord:
    first = error.errors()[0]
    field = ".".join(str(part) for part in first["loc"])
    more = f" (and {len(error.errors()) - 1} more faults)" if len(error.errors()) > 1 else ""
    reason = first["msg"]
    if first["type"] == "json_invalid":
        reason += "; the line may be cut, or is not JSON"
    elif "input" in first and not isinstance(first["input"], dict | list):
        reason += f", found {str(first['input'])[:60]!r}"
    return BadRecord(file, line, field, reason + more)


def _check(raw: bytes, file: str, line: int | None) -> tuple[str, bytes]:
    """Return the id and digest of a record, or raise :class:`BadRecord`."""
    try:
        person = Persona.model_validate_json(raw)
        return person.id, hashlib.sha256(persona_line(person)).digest()
    except ValidationError as error:
        raise _as_bad_record(error, file, line) from error


def _held_entry(held: bytes, file: str, line: int | None) -> Entry | BadRecord:
    try:
        person_id, digest = _check(held, file, line)
    except BadRecord as fault:
        return fault
    return Entry(person_id, file, line, 0, len(held), held, digest)


def _scan_jsonl(path: Path) -> Iterator[Entry | BadRecord]:
    offset = 0
    with path.open("rb") as file:
        for number, full in enumerate(file, start=1):
            start, raw = offset, full
            offset += len(full)
            if number == 1 and raw.startswith(BOM):
                start, raw = start + len(BOM), raw[len(BOM) :]
            if not raw.strip():
                continue
            try:
                person_id, digest = _check(raw.strip(), str(path), number)
            except BadRecord as fault:
                yield fault
                continue
            yield Entry(person_id, str(path), number, start, len(raw), None, digest)


def _scan_json(path: Path) -> Iterator[Entry | BadRecord]:
    """One persona, or a list of them; ``line`` is then the place in the list."""
    raw = path.read_bytes().removeprefix(BOM)
    try:
        value = parse_json(raw)
    except ValueError as error:
        line = getattr(error, "lineno", None)
        yield BadRecord(str(path), line, "", f"not JSON: {error}; the file may be cut")
        return
    items = value if isinstance(value, list) else [value]
    for place, item in enumerate(items, start=1):
        line = place if isinstance(value, list) else None
        held = json.dumps(item, ensure_ascii=False).encode("utf-8", "surrogatepass")
        yield _held_entry(held, str(path), line)


def _scan_parquet(path: Path) -> Iterator[Entry | BadRecord]:
    import polars

    try:
        table = polars.read_parquet(path)
    except (OSError, polars.exceptions.PolarsError) as error:
        yield BadRecord(str(path), None, "", f"not a Parquet file that can be read: {error}")
        return
    for number, row in enumerate(table.iter_rows(named=True), start=1):
        record = row.get("record")
        if isinstance(record, str | bytes):
            held = record if isinstance(record, bytes) else record.encode()
        else:
            present = {key: value for key, value in row.items() if value is not None}
            held = json.dumps(present, ensure_ascii=False, default=str).encode()
        yield _held_entry(held, str(path), number)


SCANNERS = {
    ".jsonl": _scan_jsonl,
    ".ndjson": _scan_jsonl,
    ".json": _scan_json,
    ".parquet": _scan_parquet,
}


def people_files(source: Path) -> list[Path]:
    """Return the files that hold people: the file itself, or those of a folder in name order.

    A folder's JSONL and Parquet files come first; JSON files are read only when there
    are none, and never a manifest.
    """
    if source.is_file():
        return [source]
    tables = sorted(p for p in source.iterdir() if p.suffix in (".jsonl", ".ndjson", ".parquet"))
    shards = [p for p in tables if p.name.startswith("people-")]
    if shards or tables:
        return shards or tables
    return sorted(p for p in source.glob("*.json") if p.name not in MANIFEST_NAMES)


def open_people(source: str | Path) -> People:
    """Scan a file or folder of people.

    Raises:
        DataError: nothing is there, or not one record is good (the first faults are told).
    """
    path = Path(source)
    if not path.exists():
        raise DataError(f"{path}: there is no such file or folder of people.")
    if (path / "manifest.json").is_file() and (path / "drafts").is_dir():
        raise DataError(
            f"{path}: this is the folder of a run, not of people. Give the people that it "
            "was run on."
        )
    files = people_files(path)
    if not files:
        raise DataError(f"{path}: holds no .jsonl, .parquet or .json file of people.")
    entries: list[Entry] = []
    faults: list[BadRecord] = []
    where: dict[str, str] = {}
    state = hashlib.sha256()
    for file in files:
        scan = SCANNERS.get(file.suffix)
        if scan is None:
            raise DataError(f"{file}: people come as .jsonl, .json or .parquet files.")
        try:
            for found in scan(file):
                if isinstance(found, BadRecord):
                    faults.append(found)
                    continue
                place = f"{found.file}:{found.line}" if found.line else found.file
                if found.id in where:
                    reason = f"'{found.id}' was already used at {where[found.id]}"
                    faults.append(BadRecord(found.file, found.line, "id", reason))
                    continue
                where[found.id] = place
                state.update(found.digest)
                entries.append(found)
        except OSError as error:
            # One file of a folder that cannot be read must not cost the others.
            faults.append(BadRecord(str(file), None, "", f"cannot be read ({error.strerror})"))
    if not entries:
        told = "".join(f"\n  {fault}" for fault in faults[:5]) or " It holds no record."
        raise DataError(f"{path}: not one person could be read.{told}")
    folder = path if path.is_dir() else path.parent
    return People(entries, faults, folder, state.hexdigest())


def persona_line(person: Persona) -> bytes:
    """Return a persona as one line of JSON in UTF-8, without the line end.

    Only fields that were set are written, in their own order, unknown ones included.

    >>> persona_line(Persona(id="a", mood="calm"))
    b'{"id":"a","mood":"calm"}'

    Raises:
        BadRecord: a text of the person holds half a surrogate pair, which UTF-8 cannot write.
    """
    try:
        return person.model_dump_json(exclude_unset=True).encode()
    except PydanticSerializationError as error:
        reason = f"cannot be written as UTF-8 ({error})"
        raise BadRecord(f"person {shown(person.id)}", None, "", reason) from error
