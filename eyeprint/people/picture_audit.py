"""How good preference data is: varied within a person, distinct between persons (P75–P77).

``within``
    100 × the mean cosine over all pairs of one person's pictures, averaged over persons;
    lower is more varied (P75).
``entropy``
    For K = 2 ... 50: k-means, then the Shannon entropy of each person's pictures over the
    K clusters, divided by its largest value; averaged over persons and over K. In [0, 1];
    lower means that a person's pictures stay together (P76).
``silhouette``
    The mean silhouette of the same clusterings, averaged over K; higher means that the
    clusters are real ones (P76).

What is clustered is a setting, as the paper does not say. Any vectors will do: of pictures,
by an image encoder, or of prompts, by a text encoder, before any picture is painted; a
result names its encoder, and results of two encoders are not to be compared.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import ConfigDict, Field, model_validator

from eyeprint.config import Settings
from eyeprint.errors import DataError
from eyeprint.maths.diversity import unit_rows
from eyeprint.maths.intervals import ClusterBootstrap, Interval
from eyeprint.maths.separation import (
    Floats,
    Labels,
    distances,
    nearest_centres,
    owner_numbers,
    partition,
    person_means,
    rotated,
    silhouettes,
    spread_over_clusters,
    within_similarity,
)
from eyeprint.randomness import stream
from eyeprint.records.people import Record

Kind = Literal["pictures", "prompts"]
TABLE_8 = (2, 3, 4)
"""The numbers of clusters that Table 8 of the paper lists, beside the average over them."""


class PictureAuditSettings(Settings):
    """The definitions, where the paper gives none (P75, P76)."""

    clusters_low: int = Field(default=2, ge=2)
    clusters_high: int = Field(default=50, ge=2)
    """K goes from low to high; no further than one below the number of points."""
    clustered: Literal["people", "pictures"] = "people"
    """What k-means runs on: persons' mean vectors, with each picture then going to the
    nearest centre, or all pictures. Silhouettes are of the same points."""
    scaled_by: Literal["reachable", "clusters"] = "reachable"
    """Entropy is divided by ln min(K, pictures of the person), or by ln K."""
    starts: int = Field(default=4, ge=1)
    """Starts of k-means; the best one counts."""
    most_points: int = Field(default=2000, ge=4)
    """Beyond so many points, persons (or pictures) are sampled for the clusterings."""
    seed: int = 7
    draws: int = Field(default=1000, ge=1)
    """Bootstrap resamples of whole persons."""
    level: float = Field(default=0.95, gt=0, lt=1)

    @model_validator(mode="after")
    def _in_order(self) -> PictureAuditSettings:
        if self.clusters_low > self.clusters_high:
            raise ValueError("clusters_low is above clusters_high")
        return self


class AtK(Record):
    """The numbers at one number of clusters."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    k: int
    entropy: float | None
    silhouette: float | None


class PictureAudit(Record):
    """What is told of one set."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    kind: Kind
    encoder: str = ""
    fingerprint: str = ""
    """Of the encoder."""
    people: int
    vectors: int
    within: Interval
    """Lower is more varied."""
    entropy: Interval
    """Lower is more clusterable."""
    silhouette: Interval
    """Higher is better separated; the interval takes the clusterings as they are."""
    silhouette_table_8: float | None
    """Mean over K = 2, 3, 4, as Table 8 averages."""
    by_k: tuple[AtK, ...]
    notes: tuple[str, ...] = ()
    settings: PictureAuditSettings = PictureAuditSettings()
    per_person: dict[str, tuple[float | None, float | None]] = Field(
        default_factory=dict, exclude=True, repr=False
    )
    """Person -> (within, entropy): for paired comparisons, not written to files."""


class Difference(Record):
    """One set against another, over the persons that both hold."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    left: str
    right: str
    within: Interval
    """left - right."""
    entropy: Interval


def audit_pictures(
    vectors: NDArray[np.floating],
    person_ids: Sequence[str],
    settings: PictureAuditSettings | None = None,
    *,
    name: str = "set",
    kind: Kind = "pictures",
    encoder: str = "",
    fingerprint: str = "",
) -> PictureAudit:
    """Return the numbers of one set of vectors.

    Args:
        vectors: shape (n, d); zero rows have no direction and are left out, and counted.
        person_ids: whose each row is.
        settings: definitions.
        name, kind, encoder, fingerprint: told in the result.

    Raises:
        DataError: the numbers of rows and ids differ, a value is not finite, or no row is
            left.

    >>> rows = np.array([[1.0, 0.1], [1.0, 0.0], [0.1, 1.0], [0.0, 1.0], [0.7, 0.8]])
    >>> found = audit_pictures(rows, ["a", "a", "b", "b", "c"])
    >>> found.people, round(found.within.mean, 1), found.by_k[0].k
    (3, 99.5, 2)
    """
    chosen = settings or PictureAuditSettings()
    table = np.asarray(vectors, dtype=np.float64)
    if table.ndim != 2 or len(table) != len(person_ids):
        raise DataError(f"{name}: vectors of shape {table.shape} for {len(person_ids)} ids.")
    if not np.all(np.isfinite(table)):
        raise DataError(f"{name}: a vector holds NaN or infinity, which has no direction.")
    kept = np.any(table != 0, axis=1)
    notes = []
    if not kept.all():
        notes.append(f"{int((~kept).sum())} of {len(kept)} {kind} have no direction.")
    rows = rotated(unit_rows(table[kept]))
    owners, people = owner_numbers([p for p, k in zip(person_ids, kept, strict=True) if k])
    if not len(rows):
        raise DataError(f"{name}: not one of its {len(kept)} {kind} has a direction.")
    within = within_similarity(rows, owners)
    single = int(np.isnan(within).sum())
    if single:
        have = "1 person has" if single == 1 else f"{single} people have"
        notes.append(f"{have} a single one of the {kind}: no similarity within.")
    entropies, points, point_owners, curves = _clusterings(rows, owners, chosen, notes)
    rng = stream(chosen.seed, "picture audit/bootstrap", "").numpy()
    boot = ClusterBootstrap(list(range(len(people))), chosen.draws, rng, chosen.level)
    spread = _mean_of_known(entropies, len(people))
    within_mean, entropy_mean = boot.means(np.column_stack([within, spread]))
    silhouette_mean = _silhouette_interval(points, point_owners, chosen)
    low = [at.silhouette for at in curves if at.k in TABLE_8 and at.silhouette is not None]
    return PictureAudit(
        name=name,
        kind=kind,
        encoder=encoder,
        fingerprint=fingerprint,
        people=len(people),
        vectors=len(rows),
        within=within_mean,
        entropy=entropy_mean,
        silhouette=silhouette_mean,
        silhouette_table_8=float(np.mean(low)) if len(low) == len(TABLE_8) else None,
        by_k=tuple(curves),
        notes=tuple(notes),
        settings=chosen,
        per_person={
            str(person): (_known(w), _known(e))
            for person, w, e in zip(people, within, spread, strict=True)
        },
    )


def _clusterings(
    rows: Floats, owners: Labels, settings: PictureAuditSettings, notes: list[str]
) -> tuple[list[Floats], list[Floats], Labels, list[AtK]]:
    """Return, for each K: entropies by person, silhouettes by point; owners; the curve."""
    points, point_owners = rows, owners
    if settings.clustered == "people":
        points = person_means(rows, owners)
        point_owners = np.arange(len(points), dtype=np.int64)
    if len(points) > settings.most_points:
        draw = stream(settings.seed, "picture audit/sample", "").numpy()
        places = np.sort(draw.choice(len(points), settings.most_points, replace=False))
        told = f"{settings.most_points} of {len(points)} {settings.clustered}"
        notes.append(f"Clusterings are of {told}, drawn.")
        points, point_owners = points[places], point_owners[places]
    highest = min(settings.clusters_high, len(points) - 1)
    if highest < settings.clusters_high:
        told = f"K ends at {highest}" if highest >= settings.clusters_low else "There is no K"
        notes.append(f"{told}: {len(points)} {settings.clustered} are clustered.")
    entropies, scores, curves = [], [], []
    gaps = distances(points)
    for k in range(settings.clusters_low, highest + 1):
        found = partition(
            points, k, stream(settings.seed, "picture audit/k", k).numpy(), settings.starts
        )
        # Every picture, sampled or not, goes to the nearest centre.
        spread = spread_over_clusters(
            nearest_centres(rows, found.centres),
            owners,
            k,
            reachable=settings.scaled_by == "reachable",
        )
        score = silhouettes(gaps, found.labels)
        entropies.append(spread)
        scores.append(score)
        curves.append(AtK(k=k, entropy=_mean(spread), silhouette=_mean(score)))
    return entropies, scores, point_owners, curves


def _silhouette_interval(
    scores: Sequence[Floats], owners: Labels, settings: PictureAuditSettings
) -> Interval:
    if not scores:
        return Interval(None, None, None, 0, 0, "too few points to be clustered")
    rng = stream(settings.seed, "picture audit/silhouette", "").numpy()
    labels: list[Hashable] = owners.tolist()
    boot = ClusterBootstrap(labels, settings.draws, rng, settings.level)
    return boot.mean(np.mean(scores, axis=0))


def _mean_of_known(columns: Sequence[Floats], n: int) -> Floats:
    """Return each person's mean over K; NaN where no K has a value."""
    if not columns:
        return np.full(n, np.nan)
    table = np.array(columns)
    known = np.sum(~np.isnan(table), axis=0)
    totals = np.nansum(table, axis=0)
    return np.where(known > 0, totals / np.maximum(known, 1), np.nan)


def _mean(values: Floats) -> float | None:
    present = values[~np.isnan(values)]
    return float(present.mean()) if present.size else None


def _known(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def difference(left: PictureAudit, right: PictureAudit) -> Difference:
    """Return left - right, paired over the persons that both sets hold.

    Raises:
        DataError: the sets were read by different encoders, or under other definitions.
    """
    if left.fingerprint != right.fingerprint or left.kind != right.kind:
        raise DataError(
            f"'{left.name}' ({left.kind}, {left.encoder}) and '{right.name}' ({right.kind}, "
            f"{right.encoder}) were read by different encoders: their numbers do not compare."
        )
    if left.settings != right.settings:
        raise DataError(f"'{left.name}' and '{right.name}' were audited under other definitions.")
    shared = [person for person in left.per_person if person in right.per_person]
    settings = left.settings
    rng = stream(settings.seed, "picture audit/difference", "").numpy()
    boot = ClusterBootstrap(shared, settings.draws, rng, settings.level)
    ours, theirs = (_columns(audit, shared) for audit in (left, right))
    within, entropy = boot.means(ours - theirs)
    return Difference(left=left.name, right=right.name, within=within, entropy=entropy)


def _columns(audit: PictureAudit, people: Sequence[str]) -> Floats:
    values = [audit.per_person[person] for person in people]
    table = np.array(
        [[np.nan if v is None else v for v in pair] for pair in values], dtype=np.float64
    )
    return table.reshape(len(people), 2)
