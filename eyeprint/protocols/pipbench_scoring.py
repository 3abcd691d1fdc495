"""The stage that scores pictures: against prompt, references, target, and strangers (P46–P49).

Every distinct picture is encoded once by each encoder, in colour and in gray; vectors live in
the run's folder by pixel hash, so that a run that goes on encodes nothing again.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from eyeprint.errors import DataError, StoreError
from eyeprint.models.loops import run_to_end
from eyeprint.protocols.display import Display
from eyeprint.protocols.pipbench_album import Album
from eyeprint.protocols.pipbench_plan import PipbenchPlan
from eyeprint.protocols.pipbench_settings import ModelSpec
from eyeprint.records.cases import Case, Painting
from eyeprint.records.pictures import Picture
from eyeprint.scores.copy_alarm import CopyAlarm, CopyCheck
from eyeprint.scores.image_lift import mean_cosine, strangers
from eyeprint.scores.image_scores import ImageScorer
from eyeprint.scores.image_settings import ImageJob, ImageSettings, Seen
from eyeprint.store.picture_files import PictureFiles
from eyeprint.store.picture_vectors import PictureVectors
from eyeprint.store.run_folder import RunFolder
from eyeprint.store.work import WorkSettings, WorkSummary, run_items

VECTORS = ".vectors"
AT_ONCE = 32
"""Pictures that are held at once while all are encoded."""


class CasePaintings(NamedTuple):
    """A case with one painting for each model, in the order of the run's models."""

    case: Case
    paintings: tuple[Painting, ...]


def by_case(
    cases: Sequence[Case], paintings: Iterator[Painting], models: int
) -> Iterator[CasePaintings]:
    """Put the paintings of each case together; they come case by case."""
    for case in cases:
        yield CasePaintings(case, tuple(next(paintings) for _ in range(models)))


@dataclass
class Gallery:
    """Opens what a case shows; a picture that cannot be used is a reason in words."""

    album: Album
    files: PictureFiles
    faults: dict[str, str] = field(default_factory=dict)
    """Pixel hash -> why a kept picture cannot be used."""

    def seen(self, relative: str) -> Seen:
        """Return a picture of the data, or why there is none."""
        picture = self.album.try_open(relative)
        return picture if picture is not None else self.album.faults[relative]

    def output(self, sha256: str | None, fault: str | None = None, detail: str = "") -> Seen:
        """Return what was painted, or why there is none: ``fault`` where there is no hash."""
        if sha256 is None:
            return f"{fault or 'missing'}: {detail}".rstrip(": ")
        try:
            return self.files.get(sha256)
        except (StoreError, DataError) as error:
            self.faults[sha256] = str(error)
            return str(error)


@dataclass
class CaseScorer:
    """Scores all models' pictures of one case."""

    plan: PipbenchPlan
    gallery: Gallery
    scorer: ImageScorer
    vectors: Mapping[str, PictureVectors]
    """Column prefix -> vectors."""
    alarm: CopyAlarm
    strangers: Mapping[str, str]

    def rows(self, item: CasePaintings) -> list[dict[str, Any]]:
        """Return one row for each model."""
        case, specs = item.case, self.plan.run.models
        references = [self.gallery.seen(relative) for relative in case.references]
        target = None if case.target is None else self.gallery.seen(case.target)
        outputs = [
            self.gallery.output(each.picture, each.fault, each.detail) for each in item.paintings
        ]
        jobs = [
            ImageJob(case.id, case.prompt, references, target, output, label=spec.label)
            for output, spec in zip(outputs, specs, strict=True)
        ]
        found = self.scorer.score_block(jobs)
        checks = self.alarm.check(jobs)
        stranger = self._stranger_rows(case)
        rows = []
        for scores, check, painting, output, spec in zip(
            found, checks, item.paintings, outputs, specs, strict=True
        ):
            row = _base(case, painting, spec)
            row |= {
                "scores": scores.values,
                "unscored": scores.unscored,
                "cut": list(scores.cut),
                "strangers": self._against(output, stranger),
                "copy": _copy(check, case),
            }
            rows.append(row)
        return rows

    def _stranger_rows(self, case: Case) -> dict[str, Any]:
        other = self.strangers.get(case.id)
        if other is None:
            return {}
        pictures = [
            seen
            for seen in map(self.gallery.seen, self.plan.cases[other].references)
            if isinstance(seen, Picture)
        ]
        if not pictures:
            return {}
        return {prefix: vectors.rows(pictures) for prefix, vectors in self.vectors.items()}

    def _against(self, output: Seen, stranger: Mapping[str, Any]) -> dict[str, float]:
        if not isinstance(output, Picture):
            return {}
        clipped = self.scorer.settings.clipped
        return {
            prefix: round(
                mean_cosine(self.vectors[prefix].rows([output])[0], rows, prefix in clipped), 6
            )
            for prefix, rows in stranger.items()
        }


def _copy(check: CopyCheck, case: Case) -> dict[str, Any] | None:
    """What is kept of a copy check: nothing where nothing was flagged."""
    if check.reference is None:
        return None
    return {
        "reference": check.reference,
        "path": case.references[check.reference],
        "by": list(check.by),
        "figures": [figure.model_dump(mode="json") for figure in check.figures],
        "words": check.words(),
    }


def _base(case: Case, painting: Painting, spec: ModelSpec) -> dict[str, Any]:
    return {
        "case": case.id,
        "person": case.person_id,
        "split": case.split,
        "model": spec.label,
        "method": spec.method,
        "writer": spec.writer,
        "painter": spec.painter,
        "paradigm": spec.paradigm,
        "prompt": painting.prompt,
        "picture": painting.picture,
        "fault": painting.fault,
        "detail": painting.detail,
        "used": list(painting.references),
        "notes": list(painting.notes),
    }


def picture_vectors(plan: PipbenchPlan, folder: Path) -> dict[str, PictureVectors]:
    """Return column prefix -> vectors of each encoder, kept in the run's folder."""
    return {
        encoder.column: PictureVectors(folder / VECTORS, encoder)
        for encoder in plan.encoders.values()
    }


def encode_all(
    plan: PipbenchPlan,
    gallery: Gallery,
    paintings: Iterable[Painting],
    vectors: Mapping[str, PictureVectors],
    settings: ImageSettings,
    display: Display,
) -> None:
    """Encode every distinct picture of data and run once, in colour and, if asked for, gray.

    Each file is opened once, whatever the number of encoders; :data:`AT_ONCE` pictures are
    held at a time, and of each painting its hash (about 150 bytes).
    """
    if not vectors:
        return
    paths = plan.cases.picture_paths
    made = list(dict.fromkeys(each.picture for each in paintings if each.picture))
    tones = (False, True) if settings.gray else (False,)
    display.stage("encoding pictures", len(paths) + len(made))
    batch: list[Picture] = []

    def encode() -> None:
        for each in vectors.values():
            for gray in tones:
                each.add(batch, gray)
        batch.clear()

    seen = chain(map(gallery.album.try_open, paths), map(gallery.output, made))
    for done, picture in enumerate(seen, start=1):
        if isinstance(picture, Picture):
            batch.append(picture)
        if len(batch) >= AT_ONCE:
            encode()
        display.advance(done)
    encode()
    for each in vectors.values():
        each.keep()
        for note in each.notes:
            display.note(note)


def score_cases(
    plan: PipbenchPlan,
    run: RunFolder,
    scorer: CaseScorer,
    paintings: Iterable[Painting],
    table: str,
    display: Display,
) -> WorkSummary:
    """Score case by case into a table; a case that was scored before is not scored again.

    Returns how it ended: the table is whole only where nothing has stopped it.

    Raises:
        DataError: a case could not be scored at all.
    """

    async def score(item: CasePaintings) -> dict[str, Any]:
        # Scoring computes in this thread: a Ctrl-C is heard between two cases.
        await asyncio.sleep(0)
        return {"rows": scorer.rows(item)}

    display.stage("scoring", len(plan.cases))
    end = run_to_end(
        run_items(
            by_case(plan.cases, iter(paintings), len(plan.run.models)),
            score,
            run.table(table),
            key=lambda item: json.dumps([item.case.id]),
            settings=WorkSettings(at_once=1, shard_rows=64),
            total=len(plan.cases),
            on_progress=display.progress,
        )
    )
    if end.stopped is None and end.failed:
        failure = run.table(table).failures()[0]
        raise DataError(f"case {failure.key} could not be scored: {failure.detail}")
    return end


def scorer_of(
    plan: PipbenchPlan,
    gallery: Gallery,
    vectors: Mapping[str, PictureVectors],
    settings: ImageSettings,
    alarm: CopyAlarm,
) -> CaseScorer:
    """Return what scores the cases of a run."""
    scorer = ImageScorer(
        list(plan.encoders.values()),
        plan.distance,
        settings,
        source=lambda encoder: vectors[encoder.column],
    )
    return CaseScorer(
        plan, gallery, scorer, vectors, alarm, strangers(list(plan.cases), plan.run.seed)
    )
