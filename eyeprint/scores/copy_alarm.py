"""Whether an output is one of its references once more.

A method that hands a reference back gets high scores against the references. An output is
flagged when, for some metric, it is nearer to one of its references than real pictures of
one person are to each other (:mod:`eyeprint.scores.copy_bands`), or when it has a
reference's pixels or look (:mod:`eyeprint.scores.near_pictures`). A flag names the reference
and the figures; it is a reason to look, and not a verdict: of real pictures, about the share
1 - quantile would be flagged too.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence

from pydantic import Field

from eyeprint.config import Settings
from eyeprint.errors import UsageError
from eyeprint.records.pictures import Picture
from eyeprint.records.work import Work
from eyeprint.scores.copy_bands import Bands, Nearness, Pair
from eyeprint.scores.image_settings import ImageJob
from eyeprint.scores.near_pictures import Glance, glance_at, near_copy

_GLANCES = 4096


class CopySettings(Settings):
    """When a picture looks like another at a glance; see :func:`near_copy`."""

    hash_bits: int = Field(default=10, ge=0, le=64)
    """Most places of 64 in which average hashes of look-alikes differ."""
    correlation: float = Field(default=0.95, gt=0, le=1)
    """Least correlation of look-alikes' small lumas."""


class CopyFigure(Work):
    """How near an output comes to its references by one metric."""

    metric: str
    reference: int
    """Place of the nearest reference, from 0."""
    value: float
    """Of the output and that reference."""
    threshold: float | None
    """See :class:`Bands`; ``None`` when there were no real pairs to compare with."""
    beyond: bool
    """Whether the value is nearer than the threshold."""
    few: bool
    """Whether the threshold rests on too few pairs."""


class CopyCheck(Work):
    """What was found for one output."""

    case_id: str
    label: str = ""
    flagged: bool
    reference: int | None
    """Place of the reference that the output seems to copy, from 0; ``None`` when none."""
    by: tuple[str, ...] = ()
    """What says so: "same pixels", "looks alike", metrics."""
    figures: tuple[CopyFigure, ...] = ()
    """One per metric, for the reference that is nearest by it."""
    unchecked: str | None = None
    """Why nothing could be compared."""

    def words(self) -> str:
        """Return one sentence for people.

        >>> CopyCheck(case_id="7", flagged=True, reference=1, by=("same pixels",)).words()
        'Seems to copy reference 2: same pixels.'
        """
        if self.unchecked is not None:
            return f"Not checked for copies: {self.unchecked}."
        if self.reference is None:
            return "No sign of a copy."
        told = []
        for sign in self.by:
            figure = next((each for each in self.figures if each.metric == sign), None)
            if figure is None or figure.threshold is None:
                told.append(sign)
                continue
            few = ", which rests on few pairs" if figure.few else ""
            told.append(f"{sign} {figure.value:.4g}, real pictures {figure.threshold:.4g}{few}")
        return f"Seems to copy reference {self.reference + 1}: {'; '.join(told)}."


class CopyAlarm:
    """Compares outputs with their references by every metric that has bands.

    Args:
        metrics: each metric with its bands.
        settings: for look-alikes.

    Raises:
        UsageError: bands belong to another metric.

    >>> from eyeprint.scores.image_settings import ImageJob
    >>> import numpy as np
    >>> red = Picture.of(np.full((8, 8, 3), (200, 30, 20), np.uint8))
    >>> CopyAlarm([]).check([ImageJob("7", "a door", [red], None, red)])[0].by
    ('same pixels',)
    """

    def __init__(
        self,
        metrics: Sequence[tuple[Nearness, Bands]] = (),
        settings: CopySettings | None = None,
    ) -> None:
        for nearness, bands in metrics:
            if nearness.metric != bands.metric:
                raise UsageError(
                    f"Bands of {bands.metric} cannot judge values of {nearness.metric}."
                )
        self.metrics = tuple(metrics)
        self.settings = settings or CopySettings()
        self._glances: OrderedDict[str, Glance] = OrderedDict()

    def check(self, jobs: Sequence[ImageJob]) -> list[CopyCheck]:
        """Check a block of outputs, result i for job i; broken references are passed over."""
        pairs: list[Pair] = []
        spots: list[list[tuple[int, int]]] = []
        """Per job, (place of the reference, place of the pair)."""
        for job in jobs:
            own = []
            for place, reference in enumerate(job.references):
                if isinstance(reference, Picture) and isinstance(job.output, Picture):
                    own.append((place, len(pairs)))
                    pairs.append((reference, job.output))
            spots.append(own)
        values = [nearness.values(pairs).tolist() for nearness, _ in self.metrics]
        return [
            self._checked(job, own, pairs, values) for job, own in zip(jobs, spots, strict=True)
        ]

    def _checked(
        self,
        job: ImageJob,
        own: Sequence[tuple[int, int]],
        pairs: Sequence[Pair],
        values: Sequence[Sequence[float]],
    ) -> CopyCheck:
        if not own:
            reason = (
                f"no output picture: {job.output}"
                if isinstance(job.output, str)
                else "no reference picture"
            )
            return CopyCheck(
                case_id=job.case_id,
                label=job.label,
                flagged=False,
                reference=None,
                unchecked=reason,
            )
        figures = tuple(
            _figure(bands, own, each) for (_, bands), each in zip(self.metrics, values, strict=True)
        )
        looks = [(place, self._look(*pairs[pair])) for place, pair in own]
        alike = [(place, look) for place, look in looks if look is not None]
        # The same pixels say more than a look, and a look more than a number.
        alike.sort(key=lambda each: each[1] != "same pixels")
        beyond = [figure for figure in figures if figure.beyond]
        copied = alike[0][0] if alike else (beyond[0].reference if beyond else None)
        signs = [look for place, look in alike if place == copied]
        signs += [figure.metric for figure in beyond if figure.reference == copied]
        return CopyCheck(
            case_id=job.case_id,
            label=job.label,
            flagged=copied is not None,
            reference=copied,
            by=tuple(signs),
            figures=figures,
        )

    def _look(self, reference: Picture, output: Picture) -> str | None:
        first, second = self._seen(output), self._seen(reference)
        return near_copy(first, second, self.settings.hash_bits, self.settings.correlation)

    def _seen(self, picture: Picture) -> Glance:
        # Glances are kept, and never pictures.
        known = self._glances.get(picture.sha256)
        if known is None:
            known = self._glances[picture.sha256] = glance_at(picture)
            while len(self._glances) > _GLANCES:
                self._glances.popitem(last=False)
        return known


def _figure(bands: Bands, own: Sequence[tuple[int, int]], values: Sequence[float]) -> CopyFigure:
    sign = 1 if bands.nearer == "higher" else -1
    place, value = max(
        ((place, values[pair]) for place, pair in own), key=lambda each: sign * each[1]
    )
    threshold = bands.threshold(len(own))
    return CopyFigure(
        metric=bands.metric,
        reference=place,
        value=value,
        threshold=threshold,
        beyond=threshold is not None and sign * (value - threshold) > 0,
        few=bands.real.few is not None,
    )
