"""The pictures of concept data as parts of messages: looked at once, read fast ever after.

Every picture goes through the gate once. A file whose pixels the gate leaves alone is sent as
it is; one that had to be turned, converted or made smaller is kept as a PNG in the run's
folder, once, by pixel hash. Faults are told once, and their questions are left out.
"""

from __future__ import annotations

import hashlib
import os
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from eyeprint.errors import BadRecord, DataError, StoreError
from eyeprint.models.kinds import ImagePart
from eyeprint.models.pictures import fitted_size, image_part, open_picture, png_bytes, resized
from eyeprint.records.concept_data import ConceptData
from eyeprint.records.concept_questions import ConceptQuestion
from eyeprint.records.concepts import Concept
from eyeprint.records.json_lines import read_json_lines
from eyeprint.records.json_text import json_line
from eyeprint.records.pictures import Picture
from eyeprint.records.whole_files import write_whole
from eyeprint.store.picture_files import PictureFiles

INDEX = "pictures.jsonl"
_AS_IT_IS = {"PNG": "image/png", "JPEG": "image/jpeg", "WEBP": "image/webp"}
_THREADS = 8
"""Most threads that look at pictures: decoding and hashing go on side by side in them, and a
script that calls a run needs no guard against being started again, as processes would."""
_KEPT_BYTES = 96 << 20


class _Looked(NamedTuple):
    """What is known of one picture's file."""

    path: str
    file: str = ""
    """SHA-256 of the file; ``sha256`` is that of the pixels."""
    sha256: str = ""
    width: int = 0
    height: int = 0
    media_type: str = ""
    """Of the file itself where it is sent as it is; empty where the run's folder has a PNG."""
    fault: str = ""


class _Place(NamedTuple):
    """Where one picture lies."""

    path: str
    file: Path
    sha256: str
    """Of the file."""


def _look(place: _Place, max_side: int | None, folder: str | None) -> _Looked:
    path, digest = place.path, place.sha256
    try:
        picture = open_picture(place.file, name=path)
    except DataError as error:
        return _Looked(path, fault=str(error))
    size = picture.width, picture.height
    wanted = size if max_side is None else fitted_size(*size, max_side)
    media_type = _AS_IT_IS.get(picture.facts.format, "")
    if media_type and not picture.facts.done and picture.facts.frames == 1 and wanted == size:
        return _Looked(path, digest, picture.sha256, *size, media_type)
    sent = resized(picture, *wanted)
    if folder is not None:
        PictureFiles(folder).put(sent)
    return _Looked(path, digest, sent.sha256, sent.width, sent.height)


class ConceptPictures:
    """Parts of messages by path. Safe in one event loop; holds about 100 MB of files.

    Args:
        data: whose pictures.
        folder: of the run; ``None`` looks at pictures and keeps none, for dry runs: then parts
            of converted pictures have no bytes.
        max_side: longest side of what is sent.
    """

    def __init__(self, data: ConceptData, folder: Path | None, max_side: int | None) -> None:
        self.data, self.folder, self.max_side = data, folder, max_side
        self.faults: dict[str, str] = {}
        """Path -> why it cannot be used."""
        self._known: dict[str, _Looked] = {}
        self._held: OrderedDict[str, ImagePart] = OrderedDict()
        self._bytes = 0
        self._files = PictureFiles(folder / "pictures") if folder is not None else None

    def prepare(self, questions: Iterable[ConceptQuestion], references: int) -> Iterator[int]:
        """Look at all pictures that are needed, each once; yields how many are done.

        Args:
            questions: whose query pictures.
            references: pictures of each concept, asked about or not, that may be injected.

        Raises:
            CannotWrite: the run's folder takes no more.
        """
        wanted: dict[str, None] = {}
        for concept in self.data.concepts.values():
            wanted.update(dict.fromkeys(concept.images[:references]))
        wanted.update(dict.fromkeys(question.image for question in questions))
        self._read_index()
        todo = [path for path in wanted if path not in self._known]
        kept = str(self.folder / "pictures") if self.folder is not None else None
        look = partial(_look, max_side=self.max_side, folder=kept)
        good = [place for place in map(self._place, todo) if place is not None]
        with ThreadPoolExecutor(min(_THREADS, os.cpu_count() or 1)) as pool:
            try:
                for done, looked in enumerate(pool.map(look, good), start=1):
                    if looked.fault:
                        self.faults[looked.path] = looked.fault
                    self._known[looked.path] = looked
                    if done % 64 == 0:
                        yield done
            finally:
                # After a Ctrl-C, or a full disk, those that wait are not looked at any more.
                pool.shutdown(wait=False, cancel_futures=True)
        if todo and self.folder is not None:
            rows = (each._asdict() for path, each in sorted(self._known.items()) if not each.fault)
            write_whole(self.folder / INDEX, map(json_line, rows))
        yield len(good)

    def _place(self, path: str) -> _Place | None:
        try:
            return _Place(path, self.data.picture_path(path), self.data.picture_hash(path))
        except DataError as error:
            self.faults[path] = str(error)
            return None

    def _read_index(self) -> None:
        """Take over what an earlier session saw; what is damaged or gone is looked at anew."""
        if self.folder is None or self._files is None or not (self.folder / INDEX).exists():
            return
        for _, value in read_json_lines(self.folder / INDEX):
            if isinstance(value, BadRecord):
                continue
            try:
                looked = _Looked(**value)
            except TypeError:
                continue
            # Data are the same where only names of files were changed: a path proves nothing.
            if self._same_file(looked) and (looked.media_type or looked.sha256 in self._files):
                self._known[looked.path] = looked

    def _same_file(self, looked: _Looked) -> bool:
        try:
            return self.data.picture_hash(looked.path) == looked.file
        except DataError:
            return False

    def complete(self, concept: Concept, references: int) -> bool:
        """Whether a concept has so many reference pictures that can be used."""
        paths = concept.images[:references]
        return len(paths) == references and not any(path in self.faults for path in paths)

    def part(self, path: str) -> ImagePart:
        """Return a picture as a part of a message.

        Raises:
            DataError: it cannot be used, or was not prepared.
            StoreError: a file of the run is missing or damaged.
        """
        held = self._held.get(path)
        if held is not None:
            self._held.move_to_end(path)
            return held
        if path in self.faults:
            raise DataError(self.faults[path])
        looked = self._known.get(path)
        if looked is None:
            raise DataError(f"{path}: the picture was not looked at before it was asked for.")
        return self._hold(path, self._read(looked))

    def black(self, path: str) -> ImagePart:
        """Return a black picture of the same size (M21)."""
        key = f"black {self._known[path].width}x{self._known[path].height}"
        if key in self._held:
            return self._held[key]
        size = (self._known[path].height, self._known[path].width, 3)
        return self._hold(key, image_part(Picture.of(np.zeros(size, np.uint8)), None))

    def _read(self, looked: _Looked) -> ImagePart:
        data = b""
        if looked.media_type:
            file = self.data.picture_path(looked.path)
            try:
                data = file.read_bytes()
            except OSError as error:
                raise StoreError(
                    f"{file}: the picture was there when the run began and cannot be read now "
                    f"({error.strerror}). Put it back and run the same command again."
                ) from error
            if hashlib.sha256(data).hexdigest() != looked.file:
                raise StoreError(
                    f"{file}: the picture is not the one that was there when the run began. Put "
                    "that one back and run the same command again."
                )
        elif self._files is not None:
            data = png_bytes(self._files.get(looked.sha256))
        return ImagePart(
            sha256=looked.sha256,
            width=looked.width,
            height=looked.height,
            media_type=looked.media_type or "image/png",
            data=data,
        )

    def _hold(self, key: str, part: ImagePart) -> ImagePart:
        self._held[key] = part
        self._bytes += len(part.data)
        while self._bytes > _KEPT_BYTES and len(self._held) > 1:
            _, gone = self._held.popitem(last=False)
            self._bytes -= len(gone.data)
        return part
