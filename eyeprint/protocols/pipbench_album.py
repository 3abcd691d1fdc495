"""The pictures of a data root, opened once and remembered, and what was wrong with some."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence

from eyeprint.errors import DataError
from eyeprint.models.pictures import open_picture
from eyeprint.records.case_files import Cases
from eyeprint.records.cases import Case, PictureAsk
from eyeprint.records.pictures import Picture


class Album:
    """Opens a data root's pictures through the gate; a broken one is told once and stays broken.

    At most ``remember`` pictures are held: cases of one person follow each other and share
    references.
    """

    def __init__(self, cases: Cases, remember: int = 256) -> None:
        self.cases = cases
        self.faults: dict[str, str] = {}
        """Relative path -> why it cannot be used."""
        self.done: dict[str, tuple[str, ...]] = {}
        """Relative path -> what the gate did to it, where it did anything."""
        self.hashes: dict[str, str] = {}
        """Relative path -> pixel hash, for every picture opened so far."""
        self._remember = remember
        self._held: OrderedDict[str, Picture] = OrderedDict()
        self._lock = threading.Lock()

    def open(self, relative: str) -> Picture:
        """Return the picture of a path relative to the data root.

        Raises:
            DataError: it is missing or cannot be read; the message names it.
        """
        with self._lock:
            if relative in self.faults:
                raise DataError(self.faults[relative])
            held = self._held.get(relative)
            if held is not None:
                self._held.move_to_end(relative)
                return held
        try:
            picture = open_picture(self.cases.picture_path(relative), name=relative)
        except DataError as error:
            with self._lock:
                self.faults[relative] = str(error)
            raise
        with self._lock:
            self.hashes[relative] = picture.sha256
            if picture.facts.done:
                self.done[relative] = picture.facts.done
            self._held[relative] = picture
            while len(self._held) > self._remember:
                self._held.popitem(last=False)
        return picture

    def try_open(self, relative: str | None) -> Picture | None:
        """Return the picture, or ``None`` when there is none or it cannot be used."""
        if relative is None:
            return None
        try:
            return self.open(relative)
        except DataError:
            return None  # the reason stands in ``faults``

    def references(self, case: Case) -> tuple[Picture, ...]:
        """Return a case's references.

        Raises:
            DataError: one of them cannot be used: the case cannot be asked.
        """
        return tuple(self.open(relative) for relative in case.references)

    def ask(self, case: Case, seed: int) -> PictureAsk:
        """Return all that a method may see of a case: no target, no profile, no path (P1, P3)."""
        pictures = self.references(case)
        return PictureAsk(
            case_id=case.id,
            prompt=case.prompt,
            references=nameless(pictures),
            seed=seed,
        )


def nameless(pictures: Sequence[Picture]) -> tuple[Picture, ...]:
    """Return the pictures under the names "reference 1", "reference 2" ...

    >>> import numpy as np
    >>> dot = Picture.of(np.zeros((1, 1, 3), np.uint8)).named("/data/anna/target.png")
    >>> nameless([dot])[0].facts.source
    'reference 1'
    """
    return tuple(picture.named(f"reference {n}") for n, picture in enumerate(pictures, start=1))
