"""Finding a known thing in a picture: what ``nearest`` takes reference pictures to show.

In several references the concept is the object that comes back: of each picture the object
whose looks are closest to objects of the others, on average. In one it is the largest
object, the more so the closer to the middle. Each becomes a template
(:mod:`eyeprint.models.nearest_template`); of more than three, those are kept that fit the other
references best.

How alike a picture is to the concept is the mean over templates of the best window's likeness.
From which likeness on it *is* the concept follows from the references alone:

- ``within``: what the concept itself scores: the mean likeness of each template in all other
  references; with fewer than three of them also (counted as one more) in its own picture in
  other light and with what it may stand on or hold taken away: a fifth from below, and from
  one side;
- ``other`` = within (1 - Σ p²), with p the shares of its main colours: what a look-alike would
  score that has one of these colours changed, drawn by how large it is;
- limit = within - share (within - other), by default half-way.

So no label of any data takes part, and each concept has its own limit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from pydantic import Field

from eyeprint.config import Settings
from eyeprint.models.nearest_regions import Mask, Seen
from eyeprint.models.nearest_template import (
    Template,
    Window,
    closest,
    field_of,
    search,
    starts_of,
    template_of,
)
from eyeprint.models.picture_colours import main_colours

LIGHTS = ((0.0, 1.0), (6.0, 0.9), (-8.0, 0.85))
"""Other light: added to L*, and by what a* and b* are multiplied."""
_STRIP, _ENOUGH = 5, 3
_NO_COLOUR = (200.0, 0.0, 0.0)


class MatchSettings(Settings):
    """Where the line between "it is" and "it is not" is drawn."""

    share: float = Field(default=0.5, gt=0, lt=1)
    """Of the way from the concept's own likeness to that of a look-alike."""
    most_templates: int = Field(default=3, ge=1)
    """Templates that are looked for; each takes some milliseconds a picture."""


class Known(NamedTuple):
    """A concept as its reference pictures show it."""

    templates: tuple[Template, ...]
    within: float
    other: float
    limit: float
    """Likeness from which on a picture is taken to show it."""


class Match(NamedTuple):
    """The part of a picture that is most like a concept."""

    window: Window
    """Of the template that fits best."""
    likeness: float
    """Mean over the templates."""
    found: bool

    def region(self, seen: Seen) -> Mask:
        """Return the foreground within the window, (h, w)."""
        mask = np.zeros(seen.background.shape, dtype=np.bool_)
        top, left, tall, broad = self.window[1:]
        rows, columns = slice(max(0, top), top + tall), slice(max(0, left), left + broad)
        mask[rows, columns] = ~seen.background[rows, columns]
        return mask


def recurring(pictures: Sequence[Seen]) -> list[int]:
    """Return which object of each picture is the one that all show."""
    if len(pictures) == 1:
        return [int(np.argmax([_weight(mask) for mask in pictures[0].objects]))]
    chosen = []
    for place, seen in enumerate(pictures):
        merits = [
            (seen.rows @ other.rows.T).max(axis=1)
            for at, other in enumerate(pictures)
            if at != place
        ]
        # Among near equals the larger one: parts of a thing are as alike as the thing is.
        size = np.sqrt([_weight(mask) for mask in seen.objects])
        chosen.append(int(np.argmax(np.mean(merits, axis=0) + size)))
    return chosen


def _weight(mask: Mask) -> float:
    """Return an object's size, and less the further it lies from the middle."""
    high, wide = np.nonzero(mask)
    away = np.hypot(high.mean() / mask.shape[0] - 0.5, wide.mean() / mask.shape[1] - 0.5)
    return float(mask.mean() * (1 - away))


def trimmed(mask: Mask) -> Mask:
    """Return an object without what is thin: lines of the background that touch it."""
    from scipy import ndimage

    wide = np.ones((5, 5), dtype=np.bool_)
    core = ndimage.binary_opening(mask, wide)
    labels, count = ndimage.label(core, np.ones((3, 3)))
    if not count:
        return mask
    largest = labels == 1 + int(np.argmax(np.bincount(labels.ravel())[1:]))
    kept: Mask = ndimage.binary_dilation(largest, wide) & mask
    return kept


def know(pictures: Sequence[Seen], settings: MatchSettings) -> Known | None:
    """Return what reference pictures show; ``None`` where they show no object."""
    shown = [seen for seen in pictures if len(seen.objects)]
    if not shown:
        return None
    masks = [
        trimmed(seen.objects[place]) for seen, place in zip(shown, recurring(shown), strict=True)
    ]
    templates = [template_of(seen.lab, mask) for seen, mask in zip(shown, masks, strict=True)]
    fields = [field_of(seen) for seen in shown]
    fits = np.zeros(len(templates))
    for k, template in enumerate(templates):
        own = [search(field, template).likeness for at, field in enumerate(fields) if at != k]
        if len(templates) < _ENOUGH:
            views = other_views(shown[k], masks[k])
            own.append(float(np.mean([search(field_of(v), template).likeness for v in views])))
        fits[k] = np.mean(own)
    best = np.argsort(-fits, kind="stable")[: settings.most_templates]
    within = float(fits[best].mean())
    alike = np.mean(
        [
            sum(colour.share**2 for colour in main_colours(shown[k].lab[masks[k]]))
            for k in best.tolist()
        ]
    )
    other = within * (1 - float(alike))
    return Known(
        tuple(templates[k] for k in best.tolist()),
        within,
        other,
        within - settings.share * (within - other),
    )


def other_views(seen: Seen, mask: Mask) -> list[Seen]:
    """Return the picture in other light, each time without one or two sides of the object."""
    high, wide = np.nonzero(mask)
    top, low, left, right = high.min(), high.max() + 1, wide.min(), wide.max() + 1
    tall, broad = (low - top) // _STRIP, (right - left) // _STRIP
    foot = slice(low - tall, low), slice(left, right)
    sides = (
        (slice(top, low), slice(left, left + broad)),
        (slice(top, low), slice(right - broad, right)),
    )
    views = []
    for (more, chroma), strips in zip(
        LIGHTS, ((foot,), *((foot, side) for side in sides)), strict=True
    ):
        lab = seen.lab * np.array([1.0, chroma, chroma]) + np.array([more, 0.0, 0.0])
        for strip in strips:
            lab[strip] = _NO_COLOUR
        views.append(replace(seen, lab=lab))
    return views


def find(known: Known, seen: Seen) -> Match:
    """Return where a picture is most like the concept, and whether it shows it."""
    field = field_of(seen)
    # The concept is in one place: where the first template may fit, the others are tried too.
    starts = starts_of(field, known.templates[0])
    windows = [closest(field, template, starts) for template in known.templates]
    likeness = float(np.mean([window.likeness for window in windows]))
    return Match(max(windows, key=lambda w: w.likeness), likeness, likeness >= known.limit)


def likeness_at(known: Known, seen: Seen, window: Window) -> float:
    """Return how alike the place of a window, or one close by, is to a concept's best template."""
    field = field_of(seen)
    down, across = field.margin
    start = window._replace(top=window.top + down, left=window.left + across)
    return closest(field, known.templates[0], [start]).likeness
