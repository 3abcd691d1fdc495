"""The quality of preference data, sets side by side (CHECKLIST P75–P78).

A set is one of
- a folder of persons' folders of pictures, what they gave in ``uploads`` inside,
- a data root in the released layout (``metadata.json`` or ``.jsonl``): each person's
  references and targets,
- ``candidates.jsonl`` or its folder: prompts, read by a text encoder, before any picture
  is painted.

Pictures and prompts are not put into one table: they are read by different encoders.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np

from eyeprint.errors import DataError, UsageError
from eyeprint.models.image_encoders import load_image_encoder
from eyeprint.models.kinds import ImageEncoder, TextEncoder, Vectors
from eyeprint.models.pictures import is_picture_file, open_picture
from eyeprint.models.text_encoders import load_encoder
from eyeprint.people.choices import UPLOADS
from eyeprint.people.picture_audit import (
    Difference,
    Kind,
    PictureAudit,
    PictureAuditSettings,
    audit_pictures,
    difference,
)
from eyeprint.people.set_quality import GroupQuality, quality_of, read_ratings
from eyeprint.protocols.display import Display, Quiet
from eyeprint.records.candidates import read_candidates
from eyeprint.records.case_files import METADATA_NAMES, open_cases
from eyeprint.records.pictures import Picture
from eyeprint.store.picture_vectors import PictureVectors

CANDIDATES = "candidates.jsonl"
DEFAULT_ENCODERS: dict[Kind, str] = {"pictures": "palette", "prompts": "auto"}


@dataclass(frozen=True)
class Source:
    """One set before it is read: whose pictures or prompts these are."""

    name: str
    kind: Kind
    people: tuple[str, ...]
    """Person of each item."""
    items: tuple[str, ...]
    """Paths of pictures, or texts of prompts."""
    faults: tuple[str, ...] = ()


@dataclass(frozen=True)
class SetsAudit:
    """All sets side by side."""

    audits: tuple[PictureAudit, ...]
    differences: tuple[Difference, ...]
    """Every pair of sets, over the persons that both hold; none where there are no two."""
    quality: tuple[GroupQuality, ...]
    """The HSQ study, where ratings were given."""
    faults: tuple[str, ...]


def is_set(place: str | Path) -> bool:
    """Tell whether a path is a set of this module, not people of the other audit.

    >>> is_set("mini")
    False
    """
    path = Path(place)
    if path.is_dir():
        if any((path / name).is_file() for name in (CANDIDATES, *METADATA_NAMES)):
            return True
        # A folder with a manifest is a run's or a build's: its pictures are not sorted by person.
        if any((path / name).is_file() for name in ("manifest.json", "people.json")):
            return False
        return any(_pictures_in(folder) for folder in path.iterdir() if folder.is_dir())
    return path.name in (CANDIDATES, *METADATA_NAMES) and path.is_file()


def open_set(place: str | Path, name: str = "") -> Source:
    """Return one set: whose items these are, in order; no picture is opened yet.

    Raises:
        DataError: nothing is there that is a set.
    """
    path = Path(place)
    named = name or path.name or str(path)
    if not path.exists():
        raise DataError(f"{path}: there is no such file or folder.")
    if path.suffix in (".jsonl", ".json") and path.name not in METADATA_NAMES:
        return _prompts(path, name or path.stem)
    if path.is_dir() and (path / CANDIDATES).is_file():
        return _prompts(path / CANDIDATES, named)
    if path.name in METADATA_NAMES or any((path / meta).is_file() for meta in METADATA_NAMES):
        return _cases(path, named)
    return _folders(path, named)


def _prompts(file: Path, name: str) -> Source:
    found = read_candidates(file)
    people = tuple(one.profile_id for one in found.sets for _ in one.prompts)
    texts = tuple(prompt.text for one in found.sets for prompt in one.prompts)
    return Source(name, "prompts", people, texts, tuple(map(str, found.faults)))


def _cases(place: Path, name: str) -> Source:
    cases = open_cases(place)
    pairs: dict[tuple[str, str], None] = {}
    for case in cases:
        paths = [*case.references, *([case.target] if case.target else [])]
        pairs.update(dict.fromkeys((case.person_id, path) for path in paths))
    people = tuple(person for person, _ in pairs)
    files = tuple(str(cases.picture_path(path)) for _, path in pairs)
    return Source(name, "pictures", people, files, tuple(map(str, cases.faults)))


def _folders(root: Path, name: str) -> Source:
    if not root.is_dir():
        raise DataError(f"{root}: a set is a folder of persons' folders, or candidates.jsonl.")
    people, files = [], []
    for folder in sorted(one for one in root.iterdir() if one.is_dir()):
        for file in (*_pictures_in(folder), *_pictures_in(folder / UPLOADS)):
            people.append(folder.name)
            files.append(str(file))
    if not files:
        raise DataError(
            f"{root}: holds no folder with pictures. A set is a folder with one folder of "
            "pictures for each person, a data root with metadata.json, or candidates.jsonl."
        )
    return Source(name, "pictures", tuple(people), tuple(files))


def _pictures_in(folder: Path) -> list[Path]:
    if not folder.is_dir():
        return []
    return sorted(file for file in folder.iterdir() if file.is_file() and is_picture_file(file))


def audit_sets(
    places: Sequence[str | Path],
    *,
    names: Sequence[str] = (),
    encoder: str | TextEncoder | ImageEncoder = "",
    settings: PictureAuditSettings | None = None,
    ratings: str | Path | None = None,
    vectors: str | Path | None = None,
    display: Display | None = None,
) -> SetsAudit:
    """Audit sets with one encoder, and compare them pair by pair.

    Args:
        places: see the module.
        names: of the sets, in order; the folders' names where left out.
        encoder: an encoder or its name; "" is ``palette`` for pictures, ``auto`` for prompts.
        settings: definitions.
        ratings: a CSV file of the HSQ study (:func:`eyeprint.people.set_quality.read_ratings`).
        vectors: a folder where pictures' vectors are kept for the next time.
        display: told of progress.

    Raises:
        UsageError: pictures and prompts together, or names that do not fit the sets.
        DataError: a set cannot be read.
        UnknownName, ModelUnavailable, MissingExtra: the encoder.
    """
    display = display or Quiet()
    if names and len(names) != len(places):
        raise UsageError(f"{len(names)} names for {len(places)} sets: give one for each, or none.")
    titles = list(names) or _distinct_names(places)
    sources = [open_set(place, name) for place, name in zip(places, titles, strict=True)]
    kinds = {source.kind for source in sources}
    if len(kinds) > 1:
        raise UsageError(
            "Sets of pictures and sets of prompts are read by different encoders: audit them "
            "by two commands."
        )
    if not sources:
        raise UsageError("No set was named.")
    audits, faults = [], [fault for source in sources for fault in source.faults]
    reader = _Reader(sources[0].kind, encoder, vectors, display)
    read_sets = [reader.rows(source) for source in sources]
    chosen, shortened = _common_clusters([found[:2] for found in read_sets], settings)
    for source, (people, rows, unread) in zip(sources, read_sets, strict=True):
        faults += unread
        notes = [*shortened, *reader.notes()]
        notes += [f"{len(unread)} could not be read."] if unread else []
        audit = audit_pictures(
            rows,
            people,
            chosen,
            name=source.name,
            kind=source.kind,
            encoder=reader.model.name,
            fingerprint=reader.model.fingerprint,
        )
        audits.append(audit.model_copy(update={"notes": (*audit.notes, *notes)}))
    quality: tuple[GroupQuality, ...] = ()
    if ratings is not None:
        read = read_ratings(ratings)
        quality = quality_of(read.ratings)
        faults += map(str, read.faults)
    found = [difference(left, right) for left, right in combinations(audits, 2)]
    kept = tuple(one for one in found if one.within.clusters or one.entropy.clusters)
    return SetsAudit(tuple(audits), kept, quality, tuple(faults))


def _common_clusters(
    sets: Sequence[tuple[Sequence[str], Vectors]], settings: PictureAuditSettings | None
) -> tuple[PictureAuditSettings, list[str]]:
    """Return settings under which all sets have the same numbers of clusters, and a note.

    Entropy and silhouette are means over K: over K to 7 in one set and to 49 in another they
    would not compare.
    """
    settings = settings or PictureAuditSettings()
    points = [
        len(people) if settings.clustered == "pictures" else len(set(people)) for people, _ in sets
    ]
    highest = min(points) - 1
    if len(sets) < 2 or not settings.clusters_low <= highest < settings.clusters_high:
        return settings, []
    told = f"K ends at {highest} in all sets: the smallest holds {min(points)} {settings.clustered}"
    return settings.model_copy(update={"clusters_high": highest}), [f"{told}."]


def _distinct_names(places: Sequence[str | Path]) -> list[str]:
    """Return the shortest ends of the paths that tell them apart."""
    paths = [Path(place).resolve() for place in places]
    parts = [
        (
            path.parent
            if path.name in (CANDIDATES, *METADATA_NAMES)
            else path.with_suffix("" if path.is_file() else path.suffix)
        ).parts
        for path in paths
    ]
    for depth in range(1, 1 + max(map(len, parts), default=0)):
        names = ["/".join(p[-depth:]) for p in parts]
        if len(set(names)) == len(names):
            return names
    return [f"{place} ({number})" for number, place in enumerate(places, start=1)]


class _Reader:
    """Turns a set's items into rows, by one encoder for all sets."""

    def __init__(
        self,
        kind: Kind,
        encoder: str | TextEncoder | ImageEncoder,
        vectors: str | Path | None,
        display: Display,
    ) -> None:
        self.display = display
        if isinstance(encoder, str):
            name = encoder or DEFAULT_ENCODERS[kind]
            loaded = load_image_encoder(name) if kind == "pictures" else load_encoder(name)
        else:
            loaded = encoder
        self.model: TextEncoder | ImageEncoder = loaded
        self._shelf = None
        if kind == "pictures":
            if not isinstance(loaded, ImageEncoder):
                raise UsageError(f"'{loaded.name}' reads texts, and these sets are of pictures.")
            self._shelf = PictureVectors(vectors, loaded)

    def notes(self) -> list[str]:
        """What the encoder has to say of itself."""
        told = str(getattr(self.model, "note", "") or "")
        kept = self._shelf.notes if self._shelf is not None else ()
        return [*([told] if told else []), *kept]

    def rows(self, source: Source) -> tuple[list[str], Vectors, list[str]]:
        """Return the persons and rows of what could be read, and the faults of the rest."""
        self.display.stage(f"reading {source.name}", len(source.items))
        if self._shelf is None:
            if not isinstance(self.model, TextEncoder):
                raise UsageError(f"'{self.model.name}' reads no texts, and these sets are prompts.")
            return list(source.people), self.model.encode(source.items), []
        people: list[str] = []
        faults: list[str] = []

        def opened() -> Iterator[Picture]:
            for done, (person, path) in enumerate(
                zip(source.people, source.items, strict=True), start=1
            ):
                try:
                    picture = open_picture(path)
                except DataError as error:
                    faults.append(str(error))
                else:
                    people.append(person)
                    yield picture
                self.display.advance(done)

        rows = self._shelf.rows(opened())
        if not people:
            raise DataError(f"{source.name}: not one picture could be read: {faults[0]}")
        return people, np.asarray(rows), faults
