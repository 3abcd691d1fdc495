"""Concepts with the questions about them, and where their pictures lie (CHECKLIST M4–M6, M26).

:func:`eyeprint.records.concept_files.open_concepts` makes one of files,
:func:`eyeprint.load_concepts` of the shipped painter. No picture is read before it is asked for.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import overload

from eyeprint.config import canonical_json
from eyeprint.errors import BadRecord, DataError, UnknownName, shown
from eyeprint.randomness import stream
from eyeprint.records.case_rows import inner_path
from eyeprint.records.concept_counts import ConceptCount, count_concepts
from eyeprint.records.concept_questions import ConceptQuestion
from eyeprint.records.concepts import CATEGORIES, Concept
from eyeprint.records.file_digests import sha256_of

MINI: Mapping[str, int] = MappingProxyType({"human": 2, "animal": 1, "object": 1, "character": 1})
"""How many concepts of each category the small set has (M26)."""
MISSING = "missing"
"""Stands for the hash of a picture that is not there."""


class ConceptData(Sequence[ConceptQuestion]):
    """Questions in file order, and every concept; index by place, by slice, or by id.

    Part of the questions (:meth:`first`, :meth:`of_categories`, :meth:`of_concepts`,
    :meth:`mini`) still knows every concept, so that the same question meets the same
    distractors in a small run as in the whole one (M37, X6). :attr:`asked` names the concepts
    that are asked about.

    >>> mug = Concept(name="mug", category="object")
    >>> ask = ConceptQuestion(id="1", concept="mug", category="object", type="awareness",
    ...     group="recognition", question="Is <sks> here?", answer="Yes", image="a.png")
    >>> data = ConceptData([mug], [ask], ".")
    >>> len(data), data["1"].answer, data.concept_of(ask).name
    (1, 'Yes', 'mug')
    """

    def __init__(
        self,
        concepts: Iterable[Concept],
        questions: Iterable[ConceptQuestion],
        root: str | Path,
        faults: Sequence[BadRecord] = (),
        notes: Sequence[str] = (),
        hashes: dict[str, str] | None = None,
    ) -> None:
        """Keep the records.

        Raises:
            DataError: two concepts have one name, two questions one id, or a question is about
                a concept that is not there or of another category.
        """
        known: dict[str, Concept] = {}
        for concept in concepts:
            if concept.name in known:
                raise DataError(
                    f"two concepts are called '{shown(concept.name)}'. Give each its own name."
                )
            known[concept.name] = concept
        self.concepts: Mapping[str, Concept] = MappingProxyType(known)
        self.questions = tuple(questions)
        self._place: dict[str, int] = {}
        for place, question in enumerate(self.questions):
            reason = _misfit(question, known)
            if question.id in self._place:
                reason = "its id is used twice; give each question its own"
            if reason:
                raise DataError(f"question '{shown(question.id)}': {reason}.")
            self._place[question.id] = place
        self.root = Path(root)
        self.faults = tuple(faults)
        """The rows that were left out, and why."""
        self.notes = tuple(notes)
        """What results made with the data should say: what was masked, what is not there ..."""
        self._hashes: dict[str, str] = {} if hashes is None else hashes

    def __repr__(self) -> str:
        return (
            f"ConceptData({len(self.questions):,} questions about {len(self.asked):,} of "
            f"{len(self.concepts):,} concepts, root={str(self.root)!r}, {len(self.faults)} faults)"
        )

    def __len__(self) -> int:
        return len(self.questions)

    def __iter__(self) -> Iterator[ConceptQuestion]:
        return iter(self.questions)

    @overload
    def __getitem__(self, key: int | str) -> ConceptQuestion: ...
    @overload
    def __getitem__(self, key: slice) -> ConceptData: ...
    def __getitem__(self, key: int | str | slice) -> ConceptQuestion | ConceptData:
        if isinstance(key, slice):
            return self._with(self.questions[key])
        if isinstance(key, int):
            return self.questions[key]
        if key not in self._place:
            raise UnknownName("question", key, self._place, self._first_fault())
        return self.questions[self._place[key]]

    def _first_fault(self) -> str:
        count = len(self.faults)
        return f"{count} faulty rows were left out, the first: {self.faults[0]}" if count else ""

    def _with(self, questions: Iterable[ConceptQuestion]) -> ConceptData:
        return ConceptData(
            self.concepts.values(), questions, self.root, self.faults, self.notes, self._hashes
        )

    def noting(self, notes: Iterable[str]) -> ConceptData:
        """Return the same data with more to be said in every result."""
        return ConceptData(
            self.concepts.values(),
            self.questions,
            self.root,
            self.faults,
            [*self.notes, *notes],
            self._hashes,
        )

    @property
    def ids(self) -> tuple[str, ...]:
        """The questions' ids, in order."""
        return tuple(self._place)

    @cached_property
    def asked(self) -> tuple[str, ...]:
        """Names of the concepts that are asked about, in order of first appearance."""
        return tuple(dict.fromkeys(question.concept for question in self.questions))

    def concept_of(self, question: ConceptQuestion) -> Concept:
        """Return whom or what a question is about.

        Raises:
            UnknownName: it is a question of other data.
        """
        if question.concept not in self.concepts:
            raise UnknownName("concept", question.concept, self.concepts)
        return self.concepts[question.concept]

    def first(self, n: int) -> ConceptData:
        """Return the first ``n`` questions in file order; all where there are fewer."""
        return self._with(self.questions[: max(n, 0)])

    def subset(self, ids: Iterable[str]) -> ConceptData:
        """Return only these questions, in the order given; an unknown id is an error."""
        return self._with(self[one] for one in ids)

    def of_categories(self, categories: Iterable[str]) -> ConceptData:
        """Return the questions about concepts of these categories.

        Raises:
            UnknownName: there is no such category.
        """
        wanted = set(categories)
        for name in sorted(wanted.difference(CATEGORIES)):
            raise UnknownName("category", name, CATEGORIES)
        return self._with(one for one in self.questions if one.category in wanted)

    def of_concepts(self, names: Iterable[str]) -> ConceptData:
        """Return the questions about these concepts.

        Raises:
            UnknownName: there is no such concept.
        """
        wanted = set(names)
        for name in sorted(wanted.difference(self.concepts)):
            raise UnknownName("concept", name, self.concepts, self._first_fault())
        return self._with(one for one in self.questions if one.concept in wanted)

    def mini(self, seed: int) -> ConceptData:
        """Return the questions about five drawn concepts: two people and one of each other
        category, as the set on which people were measured (M26).

        Raises:
            DataError: too few concepts of a category are asked about.
        """
        chosen: list[str] = []
        for category, count in MINI.items():
            names = sorted(n for n in self.asked if self.concepts[n].category == category)
            if len(names) < count:
                raise DataError(
                    f"{self.root}: the small set needs {count} concepts of category '{category}', "
                    f"and {len(names)} are asked about. Choose by hand with of_concepts."
                )
            chosen += stream(seed, "mmpb mini", category).sample(names, count)
        return self.of_concepts(chosen)

    def counts(self) -> tuple[ConceptCount, ...]:
        """Return concepts, questions and pictures in every cut of Table 6 (M5)."""
        return count_concepts(self.concepts, self.questions)

    @cached_property
    def picture_keys(self) -> tuple[str, ...]:
        """The distinct pictures of questions and of all concepts, in order of first appearance."""
        found = dict.fromkeys(question.image for question in self.questions)
        for concept in self.concepts.values():
            found.update(dict.fromkeys(concept.images))
        return tuple(found)

    def _inside(self, key: str) -> Path:
        try:
            return self.root / inner_path(key)
        except ValueError as error:
            raise DataError(f"{self.root}: {error}") from error

    def picture_path(self, key: str) -> Path:
        """Return where a picture lies; ``key`` is an ``image`` of a question or a concept.

        Raises:
            DataError: the path does not stay inside the data root, or no file is there.
        """
        place = self._inside(key)
        if not place.is_file():
            raise DataError(f"{place}: this picture of the data is not there (any more).")
        return place

    def picture_hash(self, key: str) -> str:
        """Return the SHA-256 of a picture's file, or :data:`MISSING`; an unchanged file is read
        once.

        Raises:
            DataError: the file is there and cannot be read.
        """
        place = self._inside(key)
        try:
            state = place.stat()
            if not stat.S_ISREG(state.st_mode):
                return MISSING
            known = f"{place}\n{state.st_size}\n{state.st_mtime_ns}"
            if known not in self._hashes:
                self._hashes[known] = sha256_of(place)
        except (FileNotFoundError, NotADirectoryError):
            return MISSING
        except OSError as error:
            raise DataError(f"{place}: cannot be read ({error.strerror}).") from error
        return self._hashes[known]

    def fingerprint(self) -> str:
        """Return the SHA-256 of the records and of every picture's bytes.

        Where pictures lie and what they are called is no part of it, nor where they once came
        from (``sources``): the same data in two layouts have one fingerprint. Pictures are
        hashed by a few threads, each once.
        """
        with ThreadPoolExecutor(max_workers=min(4, os.cpu_count() or 1)) as pool:
            digests = dict(
                zip(self.picture_keys, pool.map(self.picture_hash, self.picture_keys), strict=True)
            )
        state = hashlib.sha256(b"eyeprint concepts 1\n")
        for concept in self.concepts.values():
            row = concept.model_dump(mode="json", exclude={"images", "sources"})
            row["images"] = [digests[key] for key in concept.images]
            state.update(canonical_json(row).encode("utf-8", "surrogatepass") + b"\n")
        for question in self.questions:
            row = {**question.model_dump(mode="json"), "image": digests[question.image]}
            state.update(canonical_json(row).encode("utf-8", "surrogatepass") + b"\n")
        return state.hexdigest()


def _misfit(question: ConceptQuestion, concepts: Mapping[str, Concept]) -> str:
    """Return why a question cannot be about the concept that it names, or ``""``."""
    concept = concepts.get(question.concept)
    if concept is None:
        return f"it is about '{shown(question.concept)}', and there is no such concept"
    if concept.category != question.category:
        return (
            f"its category is '{question.category}', and '{shown(concept.name)}' is of category "
            f"'{concept.category}'"
        )
    return ""
