"""Lift over a stranger: is an output nearer to its own person's pictures than to others'?

For an encoder and one output, with R the mean over the case's references as in the
column PREFIX-R, and S the same mean over the references of another person's case:

    lift = R - S

An output that suits anybody has a lift near 0, however high its R is; a method that
never saw the references has one of about 0 over many cases, up to what the prompt itself
gives away. Cases are paired with strangers by a permutation drawn from the run's seed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict

from eyeprint.maths.intervals import ClusterBootstrap, Interval
from eyeprint.randomness import stream
from eyeprint.records.cases import Case

Rows = NDArray[np.floating]


class ImageLift(BaseModel):
    """Lift of one model in one encoder."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    model: str
    prefix: str
    own: float | None
    """Mean of PREFIX-R over the cases that have a lift."""
    stranger: float | None
    lift: Interval
    """Mean difference, with an interval that resamples persons; in points of the column."""
    positive: float | None
    """Share of cases with a lift above 0."""


def strangers(cases: Sequence[Case], seed: int) -> dict[str, str]:
    """Return case id -> id of a case of another person, of the same split where there is one.

    Within a split, cases in a drawn order are shifted by the size of the largest person's
    share: no case meets its own person where no person has more than half of the cases. One
    that would is left out; so is a split of a single person.

    >>> cases = [Case(id=str(n), person_id=f"p{n // 2}", prompt="x", references=("a.png",))
    ...     for n in range(6)]
    >>> owner = {case.id: case.person_id for case in cases}
    >>> all(owner[a] != owner[b] for a, b in strangers(cases, 0).items())
    True
    """
    found: dict[str, str] = {}
    for split in dict.fromkeys(case.split for case in cases):
        persons: dict[str, list[Case]] = {}
        for case in cases:
            if case.split == split:
                persons.setdefault(case.person_id, []).append(case)
        drawn = stream(seed, "strangers", split).shuffled(sorted(persons))
        ordered = [case for person in drawn for case in persons[person]]
        shift = max(len(own) for own in persons.values())
        for place, case in enumerate(ordered):
            other = ordered[(place + shift) % len(ordered)]
            if other.person_id != case.person_id:
                found[case.id] = other.id
    return found


def mean_cosine(output: Rows, references: Rows, clipped: bool) -> float:
    """Return 100 · mean_k cos(output, reference k), each clipped at 0 first where asked.

    Args:
        output: unit row, shape (dim,). references: unit rows, shape (k, dim).

    >>> mean_cosine(np.array([1.0, 0.0]), np.array([[1.0, 0.0], [-1.0, 0.0]]), True)
    50.0
    """
    cosines = 100.0 * (np.asarray(references, np.float64) @ np.asarray(output, np.float64))
    return float(np.mean(np.maximum(cosines, 0.0) if clipped else cosines))


def lift_of(
    model: str,
    prefix: str,
    pairs: Mapping[str, tuple[float, float]],
    persons: Mapping[str, str],
    draws: int,
    seed: int,
    level: float = 0.95,
) -> ImageLift:
    """Return a model's lift from its cases' (own, stranger) values.

    Args:
        pairs: case id -> (R, S).
        persons: case id -> person, whom intervals resample.
        draws: bootstrap resamples; ``seed`` keys them.

    >>> values, owners = {"a": (50.0, 40.0), "b": (60.0, 60.0)}, {"a": "p", "b": "q"}
    >>> found = lift_of("m", "PAL", values, owners, 100, 0)
    >>> found.lift.mean, found.positive
    (5.0, 0.5)
    """
    ids = list(pairs)
    values = np.array([pairs[case] for case in ids], dtype=np.float64).reshape(-1, 2)
    gaps = values[:, 0] - values[:, 1]
    rng = stream(seed, "lift", f"{model} {prefix}").numpy()
    bootstrap = ClusterBootstrap([persons[case] for case in ids], draws, rng, level)
    return ImageLift(
        model=model,
        prefix=prefix,
        own=float(values[:, 0].mean()) if ids else None,
        stranger=float(values[:, 1].mean()) if ids else None,
        lift=bootstrap.mean(gaps),
        positive=float((gaps > 0).mean()) if ids else None,
    )
