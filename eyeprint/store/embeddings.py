"""Vectors of people: computed once, kept beside a people folder, memory-mapped.

:func:`person_vectors` embeds one person in memory. A :class:`VectorShelf` does the same
for a whole folder and keeps the rows in ``PEOPLE/.vectors/`` (see
:mod:`eyeprint.store.vector_shards`), keyed by the encoder's fingerprint and a hash of
the person's texts.

Rows are float32, as the encoder made them, so that a stored and a fresh vector are the
same bytes. Size: 10,000 people of 30 captions and a description at 384 dimensions take
476 MB. Phrases are embedded only when they are asked for, and a shard keeps each
distinct phrase once: people of the offline writer share most of them, while 10,000
people of 300 phrases of their own would take 4.6 GB.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from eyeprint.errors import CannotWrite
from eyeprint.models.kinds import TextEncoder, Vectors
from eyeprint.randomness import stable_digest
from eyeprint.records.people import Persona
from eyeprint.store.vector_shards import Run, ShardFolder

PEOPLE_PER_SHARD = 64
"""What a killed process loses at most: half a minute of MiniLM."""

ElementSource = Callable[[Sequence[str]], Vectors]


@dataclass(frozen=True)
class PersonVectors:
    """The vectors of one person in one encoder; rows follow the person's posts.

    ``elements`` is computed when it is first asked for.
    """

    person_id: str
    encoder: str
    """Fingerprint of the encoder."""
    captions: Vectors
    """Shape (posts, dim); a zero row where the caption is blank."""
    has_caption: NDArray[np.bool_]
    """Shape (posts,): whether the row has a direction."""
    description: NDArray[np.float32]
    """``Persona.description()``, shape (dim,)."""
    element_texts: tuple[str, ...]
    """The distinct phrases over all posts, in order of first appearance."""
    cut_captions: int = 0
    """How many captions were longer than the encoder reads."""
    description_cut: bool = False
    _source: ElementSource | None = field(default=None, repr=False, compare=False)

    @cached_property
    def elements(self) -> Vectors:
        """Vectors of ``element_texts``, shape (phrases, dim)."""
        if self._source is None or not self.element_texts:
            return np.zeros((0, self.captions.shape[1]), dtype=np.float32)
        return self._source(self.element_texts)


def person_vectors(person: Persona, encoder: TextEncoder) -> PersonVectors:
    """Embed one person in memory.

    >>> from eyeprint.models.text_encoders import load_encoder
    >>> person = Persona(id="p", posts=[{"id": "a", "caption": "A red door."}, {"id": "b"}])
    >>> vectors = person_vectors(person, load_encoder("static"))
    >>> vectors.captions.shape[0], vectors.has_caption.tolist()
    (2, [True, False])
    """
    return _assemble(person, encoder, _encode_runs([person], encoder)[0], encoder.encode)


class Prepared(NamedTuple):
    """What :meth:`VectorShelf.prepare` did."""

    people: int
    computed: int
    """People who were embedded now; the others were on the shelf already."""
    cut_texts: int
    """Captions and descriptions that are longer than the encoder reads, over all people."""
    note: str
    """Empty, or what a person should know: vectors that could not be kept ..."""


class VectorShelf:
    """Vectors of many people in one encoder.

    Args:
        folder: a people folder (or a people file, whose folder is meant); ``None`` keeps
            vectors in memory only.
        encoder: what embeds the texts.
        remember: how many people outside the folder are kept in memory.
    """

    def __init__(
        self, folder: Path | str | None, encoder: TextEncoder, remember: int = 256
    ) -> None:
        self.folder = None if folder is None else Path(folder)
        self.encoder = encoder
        self.note = ""
        """Empty, or why vectors are kept in memory although a folder was given."""
        self._remember = remember
        self._recent: OrderedDict[tuple[str, str], PersonVectors] = OrderedDict()
        self._held: dict[str, Run] = {}
        self._lock = threading.RLock()
        self._captions: ShardFolder | None = None
        self._elements: ShardFolder | None = None
        if self.folder is not None:
            beside = self.folder.parent if self.folder.is_file() else self.folder
            place = beside / ".vectors" / encoder.fingerprint[:12]
            about = (encoder.fingerprint, encoder.dim)
            self._captions = ShardFolder(place, "captions", *about)
            self._elements = ShardFolder(place, "elements", *about)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.folder, self.encoder, self._remember)

    def of(self, person: Persona) -> PersonVectors:
        """Return a person's vectors: from the shelf, from memory, or computed now."""
        texts = _caption_texts(person)
        mark = (person.id, _key(texts) + _key(person.elements))
        with self._lock:
            known = self._recent.get(mark)
            if known is not None:
                self._recent.move_to_end(mark)
                return known
        run = self._find(self._captions, _key(texts))
        if run is None:
            run = _encode_runs([person], self.encoder)[0]
        vectors = _assemble(person, self.encoder, run, self._element_vectors)
        with self._lock:
            self._recent[mark] = vectors
            while len(self._recent) > self._remember:
                self._recent.popitem(last=False)
        return vectors

    def prepare(
        self,
        people: Iterable[Persona],
        progress: Callable[[int], None] | None = None,
        needs_elements: bool = False,
    ) -> Prepared:
        """Embed those people who are not on the shelf yet, many at a time.

        Args:
            people: read once, in order; never held all at once.
            progress: called with the number of people done so far.
            needs_elements: embed the phrases too.
        """
        done = computed = cut = 0
        for batch in _batches(people, PEOPLE_PER_SHARD):
            absent: dict[str, Persona] = {}
            for person in batch:
                key = _key(_caption_texts(person))
                if self._find(self._captions, key) is None:
                    absent.setdefault(key, person)
            if absent:
                self._keep(self._captions, _encode_runs(list(absent.values()), self.encoder))
            for person in batch:
                key = _key(_caption_texts(person))
                run = self._find(self._captions, key)
                cut += len(run.cut) if run is not None else 0
                computed += key in absent
            if needs_elements:
                self._prepare_elements(batch)
            done += len(batch)
            if progress is not None:
                progress(done)
        return Prepared(done, computed, cut, self.note)

    def _prepare_elements(self, batch: Sequence[Persona]) -> None:
        # One run per phrase: a phrase of many people is embedded and kept once.
        phrases = dict.fromkeys(text for person in batch for text in person.elements)
        absent = [text for text in phrases if self._find(self._elements, _key([text])) is None]
        if absent:
            encoded = self.encoder.encode_counted(absent)
            runs = [
                Run(_key([text]), encoded.vectors[i : i + 1], (0,) if encoded.cut[i] else ())
                for i, text in enumerate(absent)
            ]
            self._keep(self._elements, runs)

    def _element_vectors(self, texts: Sequence[str]) -> Vectors:
        runs = [self._find(self._elements, _key([text])) for text in texts]
        absent = [text for text, run in zip(texts, runs, strict=True) if run is None]
        fresh = iter(self.encoder.encode(absent))
        rows = [next(fresh) if run is None else run.vectors[0] for run in runs]
        return np.stack(rows).astype(np.float32, copy=False)

    def _find(self, shards: ShardFolder | None, key: str) -> Run | None:
        found = shards.get(key) if shards is not None else None
        return found if found is not None else self._held.get(key)

    def _keep(self, shards: ShardFolder | None, runs: Sequence[Run]) -> None:
        with self._lock:
            if shards is not None and not self.note:
                try:
                    shards.add(runs)
                except CannotWrite as error:
                    self.note = f"Vectors are kept in memory only: {error}"
                else:
                    return
            self._held.update((run.key, run) for run in runs)


def _caption_texts(person: Persona) -> list[str]:
    return [*(post.caption for post in person.posts), person.description()]


def _key(texts: Iterable[str]) -> str:
    return stable_digest(*texts).hex()[:32]


def _encode_runs(people: Sequence[Persona], encoder: TextEncoder) -> list[Run]:
    texts = [_caption_texts(person) for person in people]
    encoded = encoder.encode_counted([text for own in texts for text in own])
    runs, start = [], 0
    for own in texts:
        part = slice(start, start + len(own))
        cut = tuple(np.flatnonzero(encoded.cut[part]).tolist())
        runs.append(Run(_key(own), encoded.vectors[part], cut))
        start += len(own)
    return runs


def _assemble(
    person: Persona, encoder: TextEncoder, run: Run, source: ElementSource
) -> PersonVectors:
    captions = run.vectors[:-1]
    posts = len(captions)
    return PersonVectors(
        person_id=person.id,
        encoder=encoder.fingerprint,
        captions=captions,
        has_caption=np.any(captions != 0, axis=1),
        description=run.vectors[-1],
        element_texts=person.elements,
        cut_captions=sum(place < posts for place in run.cut),
        description_cut=posts in run.cut,
        _source=source,
    )


def _batches(people: Iterable[Persona], size: int) -> Iterator[list[Persona]]:
    rest = iter(people)
    while batch := list(islice(rest, size)):
        yield batch
