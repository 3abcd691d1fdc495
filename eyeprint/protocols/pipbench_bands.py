"""How near real pictures are to each other, from the references of a data root."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from eyeprint.protocols.pipbench_album import Album
from eyeprint.protocols.pipbench_plan import PipbenchPlan
from eyeprint.randomness import stream
from eyeprint.records.pictures import Picture
from eyeprint.scores.copy_alarm import CopyAlarm
from eyeprint.scores.copy_bands import (
    Bands,
    DistanceNearness,
    EncoderNearness,
    Nearness,
    copy_bands,
)
from eyeprint.store.picture_vectors import PictureVectors

DISTANCE_PEOPLE = 24
"""People, drawn from the run's seed, whose pictures make LPIPS bands: each is held in memory."""
DISTANCE_PAIRS = 200
"""Most pairs of each LPIPS band, whatever the settings say: every picture takes a pass."""


def alarm_of(plan: PipbenchPlan, album: Album, vectors: Mapping[str, PictureVectors]) -> CopyAlarm:
    """Return the alarm with bands of every encoder and distance of the run."""
    metrics: list[tuple[Nearness, Bands]] = []
    settings = plan.run.score.bands.model_copy(update={"seed": plan.run.seed})
    known = _people_by_hash(plan, album)
    for encoder in plan.encoders.values():
        nearness = EncoderNearness(encoder, vectors[encoder.column])
        metrics.append((nearness, copy_bands(nearness, known, settings)))
    if plan.distance is not None:
        apart = DistanceNearness(plan.distance)
        few = settings.model_copy(update={"pairs": min(settings.pairs, DISTANCE_PAIRS)})
        metrics.append((apart, copy_bands(apart, _some_people(plan, album), few)))
    return CopyAlarm(metrics, plan.run.score.copies)


def _paths_of_people(plan: PipbenchPlan) -> dict[str, list[str]]:
    people: dict[str, dict[str, None]] = {}
    for case in plan.cases:
        people.setdefault(case.person_id, {}).update(dict.fromkeys(case.references))
    return {person: list(paths) for person, paths in people.items()}


def _people_by_hash(plan: PipbenchPlan, album: Album) -> dict[str, list[Picture]]:
    """Return people with pictures that have a name and no pixels worth holding.

    Their rows were encoded before, and are looked up by pixel hash: thousands of pictures
    take no memory here. One that could not be opened has no hash and takes no part.
    """
    blank = np.zeros((1, 1, 3), np.uint8)
    return {
        person: [Picture(blank, album.hashes[path]) for path in paths if path in album.hashes]
        for person, paths in _paths_of_people(plan).items()
    }


def _some_people(plan: PipbenchPlan, album: Album) -> dict[str, list[Picture]]:
    people = _paths_of_people(plan)
    drawn = stream(plan.run.seed, "distance-bands", "people").sample(
        sorted(people), DISTANCE_PEOPLE
    )
    return {
        person: [seen for path in people[person] if (seen := album.try_open(path)) is not None]
        for person in drawn
    }
