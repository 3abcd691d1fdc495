"""One folder for one run: what it was asked, what is done, and who is working in it.

``manifest.json``
    settings, their fingerprint, the version of eyeprint that began the run; it holds no
    time and no host, so that equal runs have equal manifests (CHECKLIST X10)
``results/part-*.jsonl``, ``results.jsonl``, ``results.failures.jsonl``
    the rows, see :mod:`eyeprint.store.shards`; other tables go by other names
``log.jsonl``, ``sessions.jsonl``
    what happened when, and what each start of the run used (X16): they differ from run
    to run, and no result is made from them
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import eyeprint
from eyeprint.config import Settings, fingerprint_of
from eyeprint.errors import FolderMismatch, StoreError, shown
from eyeprint.records.json_text import parse_json
from eyeprint.records.whole_files import (
    make_folder,
    remove_temporaries,
    telling_what_failed,
    write_whole,
)
from eyeprint.store.accounts import Accounts
from eyeprint.store.folder_lock import FolderLock, refuse_strangers
from eyeprint.store.shards import ShardTable, keys_done

MANIFEST = "manifest.json"
FORMAT = 1
"""Version of the folder's layout."""
MOST_TOLD = 4
"""Most settings that a message about another run names."""
_MISSING = object()


def _flat(values: Any, prefix: str = "") -> dict[str, Any]:
    """Return dotted key -> value of nested settings; settings in a list go by their numbers."""
    listed = isinstance(values, list | tuple) and any(isinstance(each, dict) for each in values)
    if not (isinstance(values, dict) or listed) or not values:
        return {prefix: values}
    flat: dict[str, Any] = {}
    inner = values.items() if isinstance(values, dict) else enumerate(values, start=1)
    for key, value in inner:
        flat |= _flat(value, f"{prefix}.{key}" if prefix else str(key))
    return flat


def _told(value: Any) -> str:
    return "unset" if value is _MISSING else shown(json.dumps(value, ensure_ascii=False))


def _is_digest(value: Any) -> bool:
    return isinstance(value, str) and re.fullmatch("[0-9a-f]{64}", value) is not None


def _differences(then: Any, now: Any) -> list[str]:
    """Return one text for each setting that differs."""
    old, new = _flat(then), _flat(now)
    texts = []
    for key in sorted(old.keys() | new.keys()):
        before, after = old.get(key, _MISSING), new.get(key, _MISSING)
        if before != after:
            if _is_digest(before) and _is_digest(after):
                # Two hashes tell a reader nothing.
                texts.append(f"{key} is not what it was (contents differ)")
            else:
                texts.append(f"{key} was {_told(before)} and is now {_told(after)}")
    return texts


class RunFolder:
    """A run's folder, held by this process until :meth:`close`. Use it in a ``with`` block.

    >>> import tempfile
    >>> place = Path(tempfile.mkdtemp()) / "run"
    >>> with RunFolder.open(place, {"seed": 7}) as run:
    ...     run.table().append([])
    ...     run.resumed
    False
    """

    def __init__(self, path: Path, manifest: dict[str, Any], lock: FolderLock, resumed: bool):
        self.path = path
        self.manifest = manifest
        self.resumed = resumed
        """Whether the folder held a run already."""
        self._lock = lock
        self._tables: dict[str, ShardTable] = {}

    @classmethod
    def open(
        cls, path: str | Path, settings: Settings | Mapping[str, Any], kind: str = "run"
    ) -> Self:
        """Make the folder, or go on with the run that it holds.

        Args:
            path: the folder.
            settings: everything that decides the results, and nothing else.
            kind: which protocol's run it is, such as ``vptt``; part of its identity.

        Raises:
            FolderBusy: another process works in it.
            FolderMismatch: it holds a run with other settings, which are named.
            CannotWrite: no permission, or the disk is full.
            StoreError: its manifest cannot be read.
        """
        path = Path(path)
        values = (
            settings.model_dump(mode="json") if isinstance(settings, Settings) else dict(settings)
        )
        make_folder(path)
        lock = FolderLock(path)
        lock.take()
        try:
            remove_temporaries(path)
            manifest, resumed = cls._manifest(path, values, kind)
        except BaseException:
            lock.release()
            raise
        run = cls(path, manifest, lock, resumed)
        run.log("resumed" if resumed else "started", version=eyeprint.__version__)
        return run

    @staticmethod
    def _manifest(path: Path, values: dict[str, Any], kind: str) -> tuple[dict[str, Any], bool]:
        file = path / MANIFEST
        if not file.exists():
            refuse_strangers(path, MANIFEST)
            manifest = {
                "format": FORMAT,
                "kind": kind,
                "version": eyeprint.__version__,
                "fingerprint": fingerprint_of(values),
                "settings": values,
            }
            text = json.dumps(manifest, indent=2, sort_keys=True, ensure_ascii=False)
            write_whole(file, [text.encode(), b"\n"])
            return manifest, False
        try:
            manifest = parse_json(file.read_bytes())
            then, found = manifest["settings"], manifest["fingerprint"]
            before, layout = manifest["kind"], manifest["format"]
        except (ValueError, KeyError, TypeError) as error:
            raise StoreError(
                f"{file} is no manifest of a run ({error}). Name another folder with --out."
            ) from error
        if layout != FORMAT:
            raise StoreError(
                f"{path} has a layout of version {layout}, and this eyeprint knows {FORMAT}. "
                "Update eyeprint, or name another folder with --out."
            )
        if before != kind:
            raise FolderMismatch(
                f"{path} holds a run of kind '{before}', not '{kind}'. Name another folder with "
                "--out."
            )
        if found != fingerprint_of(values):
            differing = _differences(then, values)
            differences = "; ".join(differing[:MOST_TOLD]) or "its fingerprint"
            if len(differing) > MOST_TOLD:
                differences += f"; and {len(differing) - MOST_TOLD} more"
            raise FolderMismatch(
                f"{path} holds a run with other settings: {differences}. Name another folder "
                "with --out, or use the settings of that run."
            )
        return manifest, True

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def table(self, name: str = "results") -> ShardTable:
        """Return the table of a name; it is made when it is not there."""
        if name not in self._tables:
            self._tables[name] = ShardTable(self.path, name)
        return self._tables[name]

    def log(self, event: str, **facts: Any) -> None:
        """Add a line to ``log.jsonl``: the time, the event and JSON-able facts."""
        _add_line(self.path / "log.jsonl", {"event": event} | facts)

    def end_session(self, accounts: Accounts, seconds: float) -> None:
        """Add a line to ``sessions.jsonl``: what this start of the run has used."""
        add_session(self.path, accounts, seconds=round(seconds, 3))

    def close(self) -> None:
        """Let others work in the folder."""
        self._lock.release()


def keys_of_run(path: Path, settings: Settings, table: str) -> set[str]:
    """Return the keys of what a run has done, for a look from outside: nothing is written.

    A folder of another run, or none, has done nothing of this one; whoever works there will
    be told.

    Raises:
        StoreError: a damaged line.
    """
    try:
        manifest = parse_json((path / MANIFEST).read_bytes())
        own = manifest["fingerprint"] == fingerprint_of(settings.model_dump(mode="json"))
    except (OSError, ValueError, KeyError, TypeError):
        return set()
    return keys_done(path, table) if own else set()


def add_session(folder: Path, accounts: Accounts, **facts: Any) -> None:
    """Add a line to a folder's ``sessions.jsonl``: time, money, models and further facts.

    Raises:
        CannotWrite: disk full or no permission.
    """
    models = [account._asdict() for account in accounts.all()]
    used = {"spent_usd": accounts.spent_usd(), "models": models}
    _add_line(folder / "sessions.jsonl", facts | used)


def _add_line(path: Path, row: dict[str, Any]) -> None:
    row = {"at": datetime.now(UTC).isoformat(timespec="milliseconds")} | row
    with telling_what_failed(path), path.open("ab") as file:
        file.write(json.dumps(row, ensure_ascii=True, default=str).encode() + b"\n")
