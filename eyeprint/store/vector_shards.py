"""Vectors on disk: immutable shards, each a ``.npy`` matrix and a manifest written after it.

A folder holds the vectors of one encoder::

    PEOPLE/.vectors/3f2a9c01b7de/captions-<digest>.npy    float32, shape (rows, dim)
    PEOPLE/.vectors/3f2a9c01b7de/captions-<digest>.json   whose rows these are

A run of rows is keyed by the hash of its texts, never by a person's id: an edited
person has another key and is computed again, and the old rows stay unused. A shard's
name follows from its keys, both files are written whole and renamed, and a shard counts
only when its manifest is there. So processes that write at the same time write the same
bytes under the same name or leave each other alone, and a killed one leaves at most a
matrix without a manifest.
"""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from eyeprint.errors import DataError
from eyeprint.models.kinds import Vectors
from eyeprint.randomness import stable_digest
from eyeprint.records.whole_files import write_whole

_FORMAT = 1


class Run(NamedTuple):
    """Some rows that belong together: a person's captions, or a person's phrases."""

    key: str
    vectors: Vectors
    cut: tuple[int, ...]
    """Places of the rows whose text was cut."""


class _Where(NamedTuple):
    shard: str
    start: int
    rows: int
    cut: tuple[int, ...]


class ShardFolder:
    """The shards of one kind ("captions", "elements") of one encoder, memory-mapped."""

    def __init__(self, folder: Path, kind: str, fingerprint: str, dim: int) -> None:
        self.folder, self.kind = folder, kind
        self._fingerprint, self._dim = fingerprint, dim
        self._where: dict[str, _Where] = {}
        self._matrices: dict[str, Vectors] = {}
        self._seen: set[str] = set()
        self.damaged: list[str] = []
        """Shards that could not be used, each with the reason; their rows count as absent."""
        self.refresh()

    def refresh(self) -> None:
        """Take in the shards that appeared since the folder was last looked at."""
        for manifest in sorted(self.folder.glob(f"{self.kind}-*.json")):
            if manifest.name in self._seen:
                continue
            self._seen.add(manifest.name)
            try:
                self._take(manifest)
            except (OSError, EOFError, ValueError, KeyError, TypeError, DataError) as error:
                self.damaged.append(f"{manifest.name}: {error}")

    def _take(self, manifest: Path) -> None:
        content: dict[str, Any] = json.loads(manifest.read_text(encoding="utf-8"))
        if content["format"] != _FORMAT or content["encoder"] != self._fingerprint:
            raise DataError("made by another encoder or version")
        matrix = np.load(manifest.with_suffix(".npy"), mmap_mode="r")
        rows = sum(run["rows"] for run in content["runs"])
        if matrix.dtype != np.float32 or matrix.shape != (rows, self._dim):
            raise DataError(f"holds {matrix.dtype} {matrix.shape}, not float32 {rows, self._dim}")
        start = 0
        for run in content["runs"]:
            where = _Where(manifest.stem, start, run["rows"], tuple(run["cut"]))
            self._where.setdefault(run["key"], where)
            start += run["rows"]
        # The base class: a memmap's views carry Python overhead into every product.
        self._matrices[manifest.stem] = np.asarray(matrix)

    def __contains__(self, key: str) -> bool:
        return key in self._where

    def __len__(self) -> int:
        return len(self._where)

    def get(self, key: str) -> Run | None:
        """Return the rows of a key, mapped and read-only, or ``None``."""
        where = self._where.get(key)
        if where is None:
            return None
        rows = self._matrices[where.shard][where.start : where.start + where.rows]
        return Run(key, rows, where.cut)

    def add(self, runs: Sequence[Run]) -> None:
        """Write runs as one shard and take it in.

        Raises:
            CannotWrite: disk full or no permission; nothing that was there is lost.
        """
        stem = f"{self.kind}-{stable_digest(*(run.key for run in runs)).hex()[:16]}"
        matrix = np.concatenate([run.vectors for run in runs]).astype(np.float32, copy=False)
        head = io.BytesIO()
        np.lib.format.write_array_header_1_0(head, np.lib.format.header_data_from_array_1_0(matrix))
        write_whole(self.folder / f"{stem}.npy", [head.getvalue(), matrix.tobytes()])
        manifest = {
            "format": _FORMAT,
            "encoder": self._fingerprint,
            "runs": [
                {"key": run.key, "rows": len(run.vectors), "cut": list(run.cut)} for run in runs
            ],
        }
        text = json.dumps(manifest, separators=(",", ":"))
        write_whole(self.folder / f"{stem}.json", [text.encode()])
        # A damaged shard of this name may have been seen before; now it is whole.
        self._seen.discard(f"{stem}.json")
        self.refresh()
