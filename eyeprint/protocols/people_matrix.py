"""All caption and description vectors of a run in one table, addressed by person.

The shuffled profile of one person takes captions of thirty others: with 10,000 people,
parsing those others for their vectors alone would take longer than scoring. Rows are
memory-mapped in the run's folder, and the file is removed when it is no longer needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np
from numpy.typing import NDArray

from eyeprint.errors import CannotWrite
from eyeprint.records.people import Persona
from eyeprint.scores.person_space import PersonArrays
from eyeprint.store.embeddings import PersonVectors


class PeopleMatrix:
    """Vectors of everybody, as :class:`PersonArrays` without texts."""

    def __init__(self, file: Path, dim: int) -> None:
        self._file = file
        self._dim = dim
        self._spans: dict[str, tuple[int, int]] = {}
        self.counts: dict[str, int] = {}
        """Person -> number of captions that have a direction."""
        self._rows: NDArray[np.float32] = np.zeros((0, dim), dtype=np.float32)

    def fill(
        self, people: Iterable[Persona], vectors: Callable[[Persona], PersonVectors]
    ) -> PeopleMatrix:
        """Write everybody's rows: the captions in post order, then the description.

        Raises:
            CannotWrite: the disk is full or read-only.
        """
        start = 0
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            with self._file.open("wb") as file:
                for person in people:
                    found = vectors(person)
                    file.write(np.ascontiguousarray(found.captions, dtype=np.float32).tobytes())
                    file.write(np.ascontiguousarray(found.description, np.float32).tobytes())
                    size = len(found.captions)
                    self._spans[person.id] = (start, size)
                    self.counts[person.id] = int(found.has_caption.sum())
                    start += size + 1
        except OSError as error:
            raise CannotWrite(
                f"{self._file}: the vectors of the run could not be written ({error.strerror}). "
                "Free some space and run the same command again."
            ) from error
        if start:
            self._rows = np.memmap(self._file, np.float32, "r", shape=(start, self._dim))
        return self

    def arrays(self, person_id: str) -> PersonArrays:
        """Return one person's vectors, without texts: enough for PA, GS and CP."""
        start, size = self._spans[person_id]
        return PersonArrays(
            id=person_id,
            captions=self._rows[start : start + size],
            texts=(),
            description=self._rows[start + size],
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._rows = np.zeros((0, self._dim), dtype=np.float32)
        self._file.unlink(missing_ok=True)
