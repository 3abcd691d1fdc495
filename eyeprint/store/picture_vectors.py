"""Vectors of pictures: each distinct picture is encoded once, ever (CHECKLIST X3).

References are shared by cases and by methods, and every score asks for their rows again.
Rows are kept by pixel hash, colour and gray apart, in memory-mapped shards
(:mod:`eyeprint.store.vector_shards`)::

    FOLDER/3f2a9c01b7de/colour-<digest>.npy    rows of one encoder, by its fingerprint
    FOLDER/3f2a9c01b7de/gray-<digest>.npy

A shard that cannot be read, or that holds what no encoder gives, is encoded again and
told in ``notes``. Processes may share a folder: each takes in what the others wrote
before it encodes; two that encode the same picture at one moment write the same row.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from eyeprint.errors import CannotWrite, ModelError
from eyeprint.models.kinds import ImageEncoder, Vectors
from eyeprint.models.pictures import gray as without_colour
from eyeprint.records.pictures import Picture
from eyeprint.store.vector_shards import Run, ShardFolder

PICTURES_PER_SHARD = 256
"""What a killed process loses at most, of each kind."""
_TOLERANCE = 1e-3


class PictureVectors:
    """The rows of pictures in one encoder.

    Args:
        folder: where rows are kept; ``None`` keeps them in memory only.
        encoder: what encodes; its rows have length 1, or are all zero.
        batch: pictures that the encoder gets at once.

    >>> class Mean:
    ...     name, fingerprint, dim, column = "mean", "0" * 64, 3, "MEAN"
    ...     def encode_pictures(self, pictures):
    ...         rows = np.array([p.pixels.mean((0, 1)) for p in pictures], np.float32)
    ...         return rows / np.linalg.norm(rows, axis=1, keepdims=True)
    >>> vectors = PictureVectors(None, Mean())
    >>> red = Picture.of(np.full((2, 2, 3), (255, 0, 0), np.uint8))
    >>> vectors.rows([red, red]).tolist(), vectors.encoded, vectors.reused
    ([[1.0, 0.0, 0.0], [1.0, 0.0, 0.0]], 1, 1)
    """

    def __init__(self, folder: str | Path | None, encoder: ImageEncoder, batch: int = 32) -> None:
        if batch < 1:
            raise ValueError(f"a batch holds at least one picture, not {batch}")
        self.encoder, self.batch = encoder, batch
        self.encoded = 0
        """Pictures that the encoder was given."""
        self.reused = 0
        """Rows that were asked for and did not need the encoder."""
        self._notes: list[str] = []
        self._lock = threading.RLock()
        self._held: dict[tuple[bool, str], NDArray[np.float32]] = {}
        self._unkept: dict[bool, list[Run]] = {False: [], True: []}
        self._shards: dict[bool, ShardFolder] = {}
        self._damage_told = {False: 0, True: 0}
        self._can_keep = folder is not None
        if folder is not None:
            place = Path(folder) / encoder.fingerprint[:12]
            about = (encoder.fingerprint, encoder.dim)
            self._shards = {
                False: ShardFolder(place, "colour", *about),
                True: ShardFolder(place, "gray", *about),
            }

    @property
    def notes(self) -> tuple[str, ...]:
        """What a person should know: shards that were damaged, rows that could not be kept."""
        return tuple(self._notes)

    def rows(self, pictures: Iterable[Picture], gray: bool = False) -> Vectors:
        """Return the pictures' rows, in order; shape (n, dim).

        ``pictures`` is read once and only a batch of it is held, so that a generator which
        opens files one by one takes little memory.

        Args:
            pictures: may hold repeats.
            gray: of the pictures without their colour (:func:`eyeprint.models.pictures.gray`).

        Raises:
            ModelError: the encoder gave rows of a wrong shape or length, or not finite.
        """
        with self._lock:
            keys = self._encode_new(pictures, gray)
            self._keep(gray)
            table = np.zeros((len(keys), self.encoder.dim), dtype=np.float32)
            for i, key in enumerate(keys):
                row = self._find(key, gray)
                if row is None:
                    raise ModelError(f"{self.encoder.name}: the row of {key} was lost.")
                table[i] = row
            return table

    def add(self, pictures: Iterable[Picture], gray: bool = False) -> None:
        """Encode those pictures that have no row yet, for calls of :meth:`rows` to come.

        For walks that open each picture once and feed it to several encoders, a batch at a
        time: unlike :meth:`rows` it writes whole shards only, and :meth:`keep` the rest.

        Raises:
            ModelError: as :meth:`rows`.
        """
        with self._lock:
            self._encode_new(pictures, gray)

    def keep(self) -> None:
        """Write what :meth:`add` has encoded and no shard holds yet."""
        with self._lock:
            for gray in (False, True):
                self._keep(gray)

    def _encode_new(self, pictures: Iterable[Picture], gray: bool) -> list[str]:
        """Encode in batches what has no row yet; return all pictures' hashes, in order."""
        keys: list[str] = []
        waiting: dict[str, Picture] = {}
        before = self.encoded
        self._look_again(gray)
        for picture in pictures:
            keys.append(picture.sha256)
            if picture.sha256 in waiting or self._find(picture.sha256, gray) is not None:
                continue
            waiting[picture.sha256] = picture
            if len(waiting) >= self.batch:
                self._encode(waiting, gray)
                waiting = {}
        if waiting:
            self._encode(waiting, gray)
        self.reused += len(keys) - (self.encoded - before)
        return keys

    def _find(self, key: str, gray: bool) -> NDArray[np.float32] | None:
        held = self._held.get((gray, key))
        if held is not None:
            return held
        run = self._shards[gray].get(key) if self._shards else None
        if run is None:
            return None
        row: NDArray[np.float32] = run.vectors[0]
        if _fault(run.vectors, (1, self.encoder.dim)):
            self._tell("A kept row was damaged, so its picture was encoded again.")
            return None
        return row

    def _look_again(self, gray: bool) -> None:
        """Take in what other processes wrote, and tell of shards that cannot be used."""
        if not self._shards:
            return
        shards = self._shards[gray]
        shards.refresh()
        for damaged in shards.damaged[self._damage_told[gray] :]:
            self._tell(f"{shards.folder}: damaged and encoded again where needed: {damaged}")
        self._damage_told[gray] = len(shards.damaged)

    def _tell(self, note: str) -> None:
        if note not in self._notes:
            self._notes.append(note)

    def _encode(self, waiting: dict[str, Picture], gray: bool) -> None:
        given: Sequence[Picture] = list(waiting.values())
        if gray:
            given = [without_colour(picture) for picture in given]
        rows = np.asarray(self.encoder.encode_pictures(given), dtype=np.float32)
        fault = _fault(rows, (len(given), self.encoder.dim))
        if fault:
            raise ModelError(
                f"The image encoder {self.encoder.name} broke its contract: {fault}. Its rows must "
                f"have shape (pictures, {self.encoder.dim}) and length 1, or be all zero."
            )
        self.encoded += len(given)
        for key, row in zip(waiting, rows, strict=True):
            self._held[gray, key] = row
            self._unkept[gray].append(Run(key, row[None, :], ()))
        if len(self._unkept[gray]) >= PICTURES_PER_SHARD:
            self._keep(gray)
            self._look_again(gray)

    def _keep(self, gray: bool) -> None:
        """Write what is not on the disk yet as one shard."""
        runs = self._unkept[gray]
        if not runs:
            return
        self._unkept[gray] = []
        if not self._can_keep:
            return
        try:
            self._shards[gray].add(runs)
        except CannotWrite as error:
            self._can_keep = False
            self._tell(f"Vectors of pictures are kept in memory only: {error}")
            return
        for run in runs:
            kept = self._shards[gray].get(run.key)
            if kept is not None and np.array_equal(kept.vectors, run.vectors):
                del self._held[gray, run.key]


def _fault(rows: NDArray[np.float32], shape: tuple[int, int]) -> str:
    """Return what is wrong with rows; empty when nothing is."""
    if rows.shape != shape:
        return f"rows of shape {rows.shape}, not {shape}"
    if not np.isfinite(rows).all():
        return "numbers that are not finite"
    lengths = np.linalg.norm(rows, axis=1)
    wrong = (np.abs(lengths - 1) > _TOLERANCE) & (lengths != 0)
    return f"a row of length {lengths[wrong][0]:.4g}" if wrong.any() else ""
