"""The audit of a people folder: read, embed, check, draw, write (CHECKLIST V23)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from eyeprint.errors import DataError, MissingExtra
from eyeprint.models.kinds import TextEncoder
from eyeprint.models.text_encoders import load_encoder
from eyeprint.people.audit import Auditor
from eyeprint.people.audit_map import LEAST_POINTS, MapSettings, coloured, tsne
from eyeprint.people.audit_numbers import age_group
from eyeprint.people.audit_report import AuditReport, AuditSettings, Encoder, Map, Point
from eyeprint.people.audit_tables import AREAS
from eyeprint.people.shipped import SHIPPED, load_people
from eyeprint.people.tables import countries
from eyeprint.records.files import People
from eyeprint.records.people import Persona
from eyeprint.records.whole_files import write_whole
from eyeprint.store.embeddings import PEOPLE_PER_SHARD, VectorShelf

QUICK_FROM = 500
"""From so many people on, ``auto`` means ``static``: MiniLM would take ten minutes for
500 people and three hours for 10,000."""
NO_ENCODER = "none"

Progress = Callable[[int, int], None]
"""Called with the number of people done, and of all."""


def audit_people(
    source: str | Path,
    *,
    encoder: str | TextEncoder = "auto",
    settings: AuditSettings | None = None,
    progress: Progress | None = None,
) -> AuditReport:
    """Audit people in one reading, embedding their captions on the way.

    Vectors are kept beside the people's folder and found there the next time. People
    are parsed one by one: memory holds a kilobyte and a mean vector of each.

    Args:
        source: "mini", or a file or folder of people.
        encoder: a text encoder or its name; ``auto`` is MiniLM, and the quick static
            encoder from :data:`QUICK_FROM` people on; "none" leaves out everything that
            needs embeddings.
        settings: limits; the paper's by default.
        progress: told how far the reading is.

    Raises:
        DataError: no people there, or none that can be read.
        UnknownName, ModelUnavailable: the encoder.

    Example (the shipped people, without an encoder)::

        >>> audit_people("mini", encoder="none").breaks
        0
    """
    known = settings or AuditSettings()
    people = load_people(source)
    notes: list[str] = []
    model = _encoder(encoder, len(people), notes)
    auditor = Auditor(known)
    described: list[tuple[str, str, str, str]] = []
    cut = 0
    if model is None:
        for person in _told(people, len(people), progress):
            auditor.add(person)
    else:
        shipped = str(source) in SHIPPED and not Path(source).exists()
        shelf = VectorShelf(None if shipped else people.folder, model)
        rest = _told(people, len(people), progress)
        while batch := list(islice(rest, PEOPLE_PER_SHARD)):
            cut += shelf.prepare(batch).cut_texts
            for person in batch:
                auditor.add(person, shelf.of(person).captions)
                if len(described) < known.maps.n_tsne:
                    described.append(_described(person))
        if shelf.note:
            notes.append(shelf.note)
    maps: list[Map] = []
    if model is None:
        notes.append("Nothing was embedded: no cosine, no look-alikes and no maps.")
    elif known.maps.n_tsne:
        maps = _maps(auditor.means[: len(described)], described, model, known.maps, notes)
    about = (
        None
        if model is None
        else Encoder(name=model.name, fingerprint=model.fingerprint, dim=model.dim, cut_texts=cut)
    )
    return auditor.report(people, str(source), encoder=about, maps=maps, notes=notes)


def _encoder(wanted: str | TextEncoder, people: int, notes: list[str]) -> TextEncoder | None:
    if not isinstance(wanted, str):
        return wanted
    if wanted == NO_ENCODER:
        return None
    if wanted == "auto" and people >= QUICK_FROM:
        notes.append(
            f"{people:,} people were embedded with the static encoder, the quick look; "
            "--encoder minilm is finer and takes about a second per person."
        )
        return load_encoder("static")
    model = load_encoder(wanted)
    told = (getattr(model, "note", ""), getattr(model, "agreement", ""))
    notes.extend(str(note) for note in told if note)
    return model


def _told(people: People, total: int, progress: Progress | None) -> Iterator[Persona]:
    for done, person in enumerate(people, start=1):
        yield person
        if progress is not None:
            progress(done, total)


def _described(person: Persona) -> tuple[str, str, str, str]:
    """Return id, age group, area of the world (else ethnicity) and interests of a person."""
    who = person.demographics
    table = countries().get((who.country or "").strip())
    region = AREAS.get(table.region, table.region) if table else (who.ethnicity or "").strip()
    return person.id, age_group(who.age), region, "; ".join(who.interests)


def _maps(
    means: NDArray[np.float32],
    described: list[tuple[str, str, str, str]],
    model: TextEncoder,
    settings: MapSettings,
    notes: list[str],
) -> list[Map]:
    interests = model.encode([text for _, _, _, text in described])
    n = f"{len(described):,}"
    first = f"first {n} people" if len(described) >= settings.n_tsne else f"{n} people"
    wanted = (
        (f"Captions of the {first}", "age", means, [row[1] for row in described]),
        (f"Interests of the {first}", "region", interests, [row[2] for row in described]),
    )
    maps = []
    for title, by, vectors, labels in wanted:
        kept = np.flatnonzero(np.any(vectors != 0, axis=1))
        if len(kept) < LEAST_POINTS:
            notes.append(f"No map of {title.lower()}: fewer than {LEAST_POINTS} have any.")
            continue
        try:
            placed = tsne(vectors[kept], settings)
        except MissingExtra as error:
            notes.append(f"No maps: {error}.")
            return []
        told = coloured([labels[i] for i in kept], settings.kinds)
        points = tuple(
            Point(person=described[i][0], x=round(float(x), 4), y=round(float(y), 4), label=label)
            for i, (x, y), label in zip(kept.tolist(), placed, told, strict=True)
        )
        maps.append(Map(title=title, coloured_by=by, labels=_legend(told, by), points=points))
    return maps


def _legend(labels: list[str], by: str) -> tuple[str, ...]:
    """Return labels in order: ages by age, else the most frequent first; the rest last."""
    last = {"other": 1, "unknown": 2}

    def key(label: str) -> tuple[int, int, str]:
        rank = int(label.partition("-")[0]) if by == "age" and label[0].isdigit() else 0
        return last.get(label, 0), rank if by == "age" else -labels.count(label), label

    return tuple(sorted(set(labels), key=key))


def write_report(
    report: AuditReport,
    *,
    json_file: Path | None = None,
    html_file: Path | None = None,
    picture_file: Path | None = None,
) -> list[Path]:
    """Write a report as JSON, as one HTML page, and its maps as an SVG picture.

    Returns the files that were written.

    Raises:
        DataError: a picture is wanted and there are no maps; the other files are written.
        CannotWrite: disk full or no permission.
    """
    from eyeprint.protocols.people_audit_page import audit_page
    from eyeprint.protocols.people_audit_picture import picture_file_svg

    written = []
    if json_file is not None:
        write_whole(json_file, [report.model_dump_json(indent=1).encode(), b"\n"])
        written.append(json_file)
    if html_file is not None:
        write_whole(html_file, [audit_page(report).encode()])
        written.append(html_file)
    if picture_file is not None:
        if not report.maps:
            why = " ".join(report.notes) or "There are too few people."
            done = f" Written: {', '.join(map(str, written))}." if written else ""
            raise DataError(f"{picture_file}: there are no maps to draw. {why}{done}")
        write_whole(picture_file, [picture_file_svg(report.maps).encode()])
        written.append(picture_file)
    return written
