"""A table of results that grows by whole shards and ends as one file in the items' order.

``results/part-00000.jsonl`` and its followers are each written whole. A line is a JSON
list ``[place, key, row]``: the item's place in the run, its key, and the row itself.
``finish()`` merges the rows by place into ``results.jsonl``: its bytes depend on the
items alone, not on the order in which they were done, on the number of workers, or on
how often the run was killed. Failures stand apart in ``results.failures.jsonl``.
"""

from __future__ import annotations

import json
from array import array
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any, NamedTuple, Self

import numpy as np

from eyeprint.errors import CannotWrite, StoreError
from eyeprint.models.chat_wire import clean_text
from eyeprint.records.whole_files import make_folder, remove_temporaries, write_whole

_DECODER = json.JSONDecoder()


class Row(NamedTuple):
    """One finished item."""

    place: int
    """Place among the run's items, from 0."""
    key: str
    text: str
    """The row's JSON, one line."""


class FailedItem(NamedTuple):
    """One item that could not be done in the last run that tried it."""

    place: int
    key: str
    kind: str
    detail: str


def row_json(value: Any) -> str:
    """Return the JSON line of a row: a pydantic model or plain values; NaN is an error.

    Halves of surrogate pairs, which have no UTF-8, become U+FFFD.

    >>> row_json({"a": 0.5, "b": None})
    '{"a":0.5,"b":null}'
    """
    if hasattr(value, "model_dump"):
        value = value.model_dump(mode="json")
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return clean_text(text)


def _line(row: Row) -> bytes:
    return f"[{row.place},{json.dumps(row.key)},{row.text}]\n".encode()


def _parse(line: str) -> Row:
    """Read a shard's line; the row's text is cut out as it is, not parsed."""
    comma = line.index(",")
    key, end = _DECODER.raw_decode(line, comma + 1)
    if not line.endswith("]\n") or line[0] != "[" or line[end] != "," or not isinstance(key, str):
        raise ValueError("not [place, key, row]")
    return Row(int(line[1:comma]), key, line[end + 1 : -2])


class _OpenFiles:
    """Reads lines of many files; few are open at once, for systems allow only so many."""

    MOST = 64

    def __init__(self, paths: list[Path]) -> None:
        self.paths = paths
        self._open: OrderedDict[int, IO[bytes]] = OrderedDict()

    def line(self, part: int, offset: int) -> str:
        """Return the line of a file that starts at a byte."""
        file = self._open.pop(part, None)
        if file is None:
            if len(self._open) >= self.MOST:
                self._open.popitem(last=False)[1].close()
            file = self.paths[part].open("rb")
        self._open[part] = file
        file.seek(offset)
        return file.readline().decode()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for file in self._open.values():
            file.close()


def _parts(folder: Path) -> list[Path]:
    return sorted(folder.glob("part-*.jsonl"), key=lambda path: int(path.stem[5:]))


def _rows(folder: Path) -> Iterator[tuple[Path, int, Row]]:
    """Yield (file, offset, row) of every line of every shard."""
    for path in _parts(folder):
        offset = 0
        with path.open("rb") as file:
            for raw in file:
                try:
                    row = _parse(raw.decode())
                except (ValueError, IndexError) as error:
                    raise StoreError(
                        f"{path}, at byte {offset}: a damaged line ({error}). Delete this file "
                        "and run the same command again: its items are done anew, from the "
                        "ledger where it has their answers."
                    ) from error
                yield path, offset, row
                offset += len(raw)


def keys_done(run: Path, name: str) -> set[str]:
    """Return the keys of a table's finished items, for a look from outside: nothing is written.

    A folder that is not there has none.

    Raises:
        StoreError: a damaged line.
    """
    return {row.key for _, _, row in _rows(run / name)}


class ShardTable:
    """One table of a run folder; made by :meth:`RunFolder.table`."""

    def __init__(self, run: Path, name: str = "results") -> None:
        self.name = name
        self.folder = run / name
        self.merged_path = run / f"{name}.jsonl"
        self.failures_path = run / f"{name}.failures.jsonl"
        make_folder(self.folder)
        remove_temporaries(self.folder)
        self._next = 1 + max((int(path.stem[5:]) for path in _parts(self.folder)), default=-1)
        self._failures = {failure.place: failure for failure in self._read_failures()}
        self._failures_changed = False

    def done_keys(self) -> dict[str, int]:
        """Return key -> place of the items that are done."""
        done: dict[str, int] = {}
        for path, _, row in _rows(self.folder):
            if done.setdefault(row.key, row.place) != row.place:
                raise StoreError(
                    f"{path}: '{row.key}' stands at places {done[row.key]} and {row.place}. "
                    "The items of this run have changed: name a new folder with --out."
                )
        return done

    def append(self, rows: Sequence[Row]) -> None:
        """Write one more shard, whole. No rows, no shard.

        Raises:
            CannotWrite: disk full or no permission; earlier shards are untouched.
        """
        if rows:
            path = self.folder / f"part-{self._next:05d}.jsonl"
            write_whole(path, (_line(row) for row in rows))
            self._next += 1
            for row in rows:
                if self._failures.pop(row.place, None) is not None:
                    self._failures_changed = True

    def failed(self, failure: FailedItem) -> None:
        """Note that an item failed; written by :meth:`write_failures`."""
        self._failures[failure.place] = failure
        self._failures_changed = True

    def failures(self) -> tuple[FailedItem, ...]:
        """Return the items that failed and have not been done since, by index."""
        return tuple(self._failures[index] for index in sorted(self._failures))

    def write_failures(self) -> None:
        """Write the failures' file, or delete it when there are none any more."""
        if not self._failures_changed:
            return
        # First, as another thread may note a failure while this one writes.
        self._failures_changed = False
        failures = self.failures()
        lines = (
            json.dumps(failure._asdict(), ensure_ascii=False).encode() + b"\n"
            for failure in failures
        )
        try:
            write_whole(self.failures_path, lines)
        except CannotWrite:
            self._failures_changed = True
            raise
        if not failures:
            self.failures_path.unlink()

    def _read_failures(self) -> list[FailedItem]:
        if not self.failures_path.exists():
            return []
        # Not splitlines(): a server's message may hold line ends that JSON does not escape.
        with self.failures_path.open(encoding="utf-8", newline="\n") as lines:
            return [FailedItem(**json.loads(line)) for line in lines]

    def finish(self) -> int:
        """Merge all rows by place into one file; return how many there are.

        An index of 24 bytes a row is held in memory, the rows are not.

        Raises:
            StoreError: two different rows for one item.
            CannotWrite: disk full or no permission; the shards stay.
        """
        places = array("q")
        paths: list[Path] = []
        for path, offset, row in _rows(self.folder):
            if not paths or paths[-1] != path:
                paths.append(path)
            places.extend((row.place, len(paths) - 1, offset))
        table = np.frombuffer(places, dtype=np.int64).reshape(-1, 3)
        order = np.argsort(table[:, 0], kind="stable")
        count = 0

        def pieces() -> Iterator[bytes]:
            nonlocal count
            previous: Row | None = None
            with _OpenFiles(paths) as files:
                for _, part, offset in table[order]:
                    row = _parse(files.line(int(part), int(offset)))
                    if previous is not None and row.place == previous.place:
                        if row != previous:
                            raise StoreError(f"{paths[part]}: two different rows of '{row.key}'.")
                        continue
                    previous = row
                    count += 1
                    yield row.text.encode() + b"\n"

        write_whole(self.merged_path, pieces())
        return count
