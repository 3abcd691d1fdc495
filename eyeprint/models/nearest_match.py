"""Finding a known thing in a picture: what ``nearest`` takes reference pictures to show.

In several references the concept is the object that comes back: of each picture the object
whose looks are closest to objects of the others, on average. In one it is the largest
object, the more so the closer to the middle.

How alike a region q is to the concept with object vectors r_1..r_n is the mean of the better
half of q·r_1 .. q·r_n. From which likeness on it *is* the concept follows from the references:

- ``within``: what the concept itself scores, the mean over references of the likeness of each to
  all others; with one reference, of its object mirrored, in other light, and seen smaller;
- ``other``: what a look-alike would score: the same object in other colours (hue turned a
  third and two thirds round, light and dark changed for each other), the best of which counts;
- the limit is within - share x (within - other), by default half-way.

So no label of any data takes part, and each concept has its own limit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from pydantic import Field

from eyeprint.config import Settings
from eyeprint.maths.colour import Floats
from eyeprint.models.nearest_regions import Mask, RegionSettings, Seen, row_of


class MatchSettings(Settings):
    """Where the line between "it is" and "it is not" is drawn."""

    share: float = Field(default=0.5, gt=0, lt=1)
    """Of the way from the concept's own likeness to that of a look-alike."""
    least_gap: float = Field(default=0.04, ge=0)
    """The limit is at least this far below ``within``."""


class Known(NamedTuple):
    """A concept as its reference pictures show it."""

    rows: Floats
    """Vectors of its object, one for each picture that shows one: (n, dim)."""
    within: float
    other: float
    limit: float
    """Likeness from which on a region is taken to be it."""
    shares: Floats
    """Its shares of the points of CIELAB, mean over the pictures, (486,)."""
    shape: float
    """Width of its box by height, mean over the pictures."""


class Match(NamedTuple):
    """The region of a picture that is most like a concept."""

    region: Mask | None
    """``None`` where there is nothing but background."""
    row: Floats
    """Its vector, (dim,)."""
    likeness: float
    found: bool


def likeness(rows: Floats, known: Floats) -> Floats:
    """Return the mean of the better half of each row's products with the known rows.

    >>> likeness(np.eye(2), np.array([[1.0, 0.0], [0.6, 0.8]])).tolist()
    [1.0, 0.8]
    """
    products = np.sort(rows @ known.T, axis=1)[:, ::-1]
    best: Floats = products[:, : (len(known) + 1) // 2].mean(axis=1)
    return best


def recurring(pictures: Sequence[Seen]) -> list[int]:
    """Return which object of each picture is the one that all show."""
    if len(pictures) == 1:
        seen = pictures[0]
        return [int(np.argmax([_weight(mask) for mask in seen.objects]))]
    chosen = []
    for place, seen in enumerate(pictures):
        merits = [
            (seen.rows @ other.rows.T).max(axis=1)
            for at, other in enumerate(pictures)
            if at != place
        ]
        # Among near equals the larger one: parts of a thing are as alike as the thing is.
        size = np.sqrt([mask.mean() for mask in seen.objects])
        chosen.append(int(np.argmax(np.mean(merits, axis=0) + 0.2 * size)))
    return chosen


def _weight(mask: Mask) -> float:
    """Return an object's size, and less the further it lies from the middle."""
    high, wide = np.nonzero(mask)
    away = np.hypot(high.mean() / mask.shape[0] - 0.5, wide.mean() / mask.shape[1] - 0.5)
    return float(mask.mean() * (1 - away))


def know(
    pictures: Sequence[Seen], regions: RegionSettings, settings: MatchSettings
) -> Known | None:
    """Return what reference pictures show; ``None`` where they show no object."""
    shown = [seen for seen in pictures if len(seen.objects)]
    if not shown:
        return None
    places = recurring(shown)
    rows = np.stack([seen.rows[place] for seen, place in zip(shown, places, strict=True)])
    views, others = [], []
    for seen, place, row in zip(shown, places, rows, strict=True):
        lab, mask = seen.lab, seen.objects[place]
        others.append(max(float(row_of(*each, regions) @ row) for each in look_alikes(lab, mask)))
        if len(shown) == 1:
            views += [float(row_of(*each, regions) @ row) for each in other_views(lab, mask)]
    if len(shown) > 1:
        for place in range(len(rows)):
            rest = np.delete(rows, place, axis=0)
            views.append(float(likeness(rows[place : place + 1], rest)[0]))
    within, other = float(np.mean(views)), float(np.mean(others))
    gap = max(settings.least_gap, settings.share * (within - other))
    shares = np.mean(
        [_shares(seen, seen.objects[at]) for seen, at in zip(shown, places, strict=True)], axis=0
    )
    shape = np.mean([_shape(seen.objects[at]) for seen, at in zip(shown, places, strict=True)])
    return Known(rows, within, other, within - gap, shares, float(shape))


def _shares(seen: Seen, mask: Mask) -> Floats:
    looks = seen.looks
    counts = np.bincount(looks.cell[mask], minlength=len(looks.points))
    shares: Floats = counts @ looks.points / counts.sum()
    return shares


def _shape(mask: Mask) -> float:
    high, wide = np.nonzero(mask)
    return float((np.ptp(wide) + 1) / (np.ptp(high) + 1))


def look_alikes(lab: Floats, mask: Mask) -> list[tuple[Floats, Mask]]:
    """Return the same shape in other colours: hue turned by 120° and 240°, light for dark."""
    made = []
    for turn in (120.0, 240.0):
        cos, sin = np.cos(np.radians(turn)), np.sin(np.radians(turn))
        a, b = lab[..., 1], lab[..., 2]
        made.append((np.stack([lab[..., 0], a * cos - b * sin, a * sin + b * cos], axis=2), mask))
    made.append((np.stack([100 - lab[..., 0], lab[..., 1], lab[..., 2]], axis=2), mask))
    return made


def other_views(lab: Floats, mask: Mask) -> list[tuple[Floats, Mask]]:
    """Return the same thing otherwise seen: mirrored, lighter, darker, and half as large."""
    return [
        (lab[:, ::-1], mask[:, ::-1]),
        (np.minimum(lab + np.array([8.0, 0.0, 0.0]), [100.0, 128.0, 128.0]), mask),
        (lab * np.array([0.88, 0.9, 0.9]), mask),
        *([(lab[::2, ::2], mask[::2, ::2])] if mask[::2, ::2].any() else []),
    ]


def find(known: Known, seen: Seen) -> Match:
    """Return the region of a picture that is most like the concept, and whether it is.

    Looked at are the picture's objects and, as things that touch make one object, the
    windows in which the concept's colours are densest.
    """
    windows = windows_of(known, seen)
    rows = np.concatenate([seen.rows, *(seen.looks.row(mask)[None] for mask in windows)])
    if not len(rows):
        return Match(None, np.zeros(seen.looks.dim), 0.0, False)
    alike = likeness(rows, known.rows)
    best = int(alike.argmax())
    region = (*seen.objects, *windows)[best]
    return Match(region, rows[best], float(alike[best]), bool(alike[best] >= known.limit))


WINDOWS = (0.3, 0.42, 0.56, 0.72, 0.9)
"""Heights of windows, as shares of the picture's."""


def windows_of(known: Known, seen: Seen) -> list[Mask]:
    """Return the foreground within the best window of each height.

    A pixel of colour c counts p(c) / (p(c) + q(c)) - 1/2, with p the concept's shares of
    colours and q those of the whole foreground; the best window has the largest sum.
    """
    front = ~seen.background
    if not front.any():
        return []
    looks = seen.looks
    own = looks.points @ known.shares
    rest = looks.points @ _shares(seen, front)
    weight = np.where(front, (own / np.maximum(own + rest, 1e-9) - 0.5)[looks.cell], 0.0)
    total = np.pad(weight.cumsum(axis=0).cumsum(axis=1), ((1, 0), (1, 0)))
    height, width = front.shape
    found: dict[bytes, Mask] = {}
    for share in WINDOWS:
        tall = max(4, round(share * height))
        broad = min(width, max(4, round(tall * known.shape)))
        sums = (
            total[tall:, broad:]
            - total[:-tall, broad:]
            - total[tall:, :-broad]
            + total[:-tall, :-broad]
        )
        top, left = np.unravel_index(int(sums.argmax()), sums.shape)
        mask = np.zeros_like(front)
        mask[top : top + tall, left : left + broad] = front[top : top + tall, left : left + broad]
        if mask.sum() >= 4:
            found[mask.tobytes()] = mask
    return list(found.values())
