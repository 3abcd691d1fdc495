"""CLS, DIS, LPIPS, PAL and pixel scores of output pictures (CHECKLIST P46-P48, X3).

With unit vectors e, references I_1 ... I_K, the prompt X, the target T and the output Y::

    CLS-T  = 100 · max(0, e(X) · e(Y))                      CLIP
    CLS-R  = mean_k 100 · max(0, e(I_k) · e(Y))             CLIP
    DIS-R  = mean_k 100 · (e(I_k) · e(Y))                   DINOv2, not clipped
    LPIPS-R = mean_k d(I_k, Y)

-Y is the same against T alone; gray variants turn all pictures of the formula gray by luma.
These are the definitions of the released evaluator, which encodes all pictures of a case
anew for every method; here a picture is encoded once, in colour and in gray, in batches, and
the numbers are the same.

A picture that is not there or cannot be read leaves its columns ``None``, with the reason: a
missing output all columns, a broken reference those against the references (a mean over
fewer references would be another measure), a broken target those against it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from eyeprint.config import fingerprint_of
from eyeprint.errors import UsageError
from eyeprint.models.kinds import ImageEncoder, TextEncoder
from eyeprint.records.pictures import Picture, distinct
from eyeprint.scores.image_columns import (
    ImageColumn,
    distance_columns,
    encoder_columns,
    pixel_columns,
)
from eyeprint.scores.image_settings import (
    DECIMALS,
    ImageJob,
    ImageScores,
    ImageSettings,
    PictureDistance,
    PictureRows,
    Seen,
)
from eyeprint.scores.pixel_scores import pixel_scores

Rows = dict[str, NDArray[np.float64]]
"""Pixel hash -> unit row."""


class _Space(NamedTuple):
    """One encoder with its rows and the texts that it has read."""

    encoder: ImageEncoder
    source: PictureRows
    columns: tuple[ImageColumn, ...]
    texts: dict[str, tuple[NDArray[np.float64], bool]]
    """Prompt -> (unit row, whether it was cut)."""


class ImageScorer:
    """Scores output pictures, blocks of them at a time.

    Args:
        encoders: image encoders; one with ``encode_counted`` also compares with prompts.
        distance: a picture distance such as LPIPS, or ``None``.
        settings: which columns, and how.
        folder: where vectors are kept between runs; ``None`` keeps them in memory.
        source: makes the rows of an encoder; by default a
            :class:`eyeprint.store.picture_vectors.PictureVectors` in ``folder``.

    Raises:
        UsageError: nothing to score with, or two encoders share a prefix.

    >>> from eyeprint.models.palette import PaletteEncoder
    >>> red = Picture.of(np.full((8, 8, 3), (200, 30, 20), np.uint8))
    >>> scorer = ImageScorer([PaletteEncoder()], settings=ImageSettings(gray=False))
    >>> scorer.score("case", "a door", [red], None, red).values["PAL-R"]
    100.0
    """

    def __init__(
        self,
        encoders: Sequence[ImageEncoder] = (),
        distance: PictureDistance | None = None,
        settings: ImageSettings | None = None,
        folder: Path | str | None = None,
        source: Callable[[ImageEncoder], PictureRows] | None = None,
    ) -> None:
        self.settings = settings = settings or ImageSettings()
        self.distance = distance
        prefixes = [each.column for each in encoders]
        prefixes += [distance.column] if distance is not None else []
        repeated = sorted({each for each in prefixes if prefixes.count(each) > 1})
        if repeated:
            raise UsageError(
                f"Two encoders would write the columns {', '.join(repeated)}. Their numbers are "
                "not alike: score with one at a time."
            )
        if not prefixes and not (settings.pixels and settings.target):
            raise UsageError("There is nothing to score with: name an encoder or a distance.")
        make = source or _kept_vectors(folder)
        self._spaces = [
            _Space(each, make(each), self._encoder_columns(each), {}) for each in encoders
        ]
        self._distance_columns = (
            distance_columns(distance.column, settings.gray, settings.target) if distance else ()
        )
        self._pixel_columns = pixel_columns() if settings.pixels and settings.target else ()
        self.columns: tuple[ImageColumn, ...] = (
            *(column for space in self._spaces for column in space.columns),
            *self._distance_columns,
            *self._pixel_columns,
        )
        """All columns of its scores, in order."""

    @property
    def fingerprint(self) -> str:
        """SHA-256 over the encoders, the distance and the settings: same numbers, same text."""
        return fingerprint_of(
            {
                "encoders": {s.encoder.column: s.encoder.fingerprint for s in self._spaces},
                "distance": self.distance.fingerprint if self.distance is not None else None,
                "settings": self.settings.fingerprint(),
                "decimals": DECIMALS,
            }
        )

    def prepare(self, pictures: Sequence[Picture]) -> None:
        """Encode pictures ahead, in colour and gray: later scores find their vectors ready.

        LPIPS is not prepared: its features are too large to keep for many pictures.
        """
        for space in self._spaces:
            for gray in self._tones():
                space.source.rows(distinct(pictures), gray=gray)

    def score(
        self,
        case_id: str,
        prompt: str,
        references: Sequence[Seen],
        target: Seen | None,
        output: Seen,
    ) -> ImageScores:
        """Score one output; see :meth:`score_block` for many, which is faster."""
        return self.score_block([ImageJob(case_id, prompt, references, target, output)])[0]

    def score_block(self, jobs: Sequence[ImageJob]) -> list[ImageScores]:
        """Score outputs together, result i for job i.

        All pictures of the block are in memory at once: some hundred of them are a good
        block. Put the jobs of one case, and the cases of one person, side by side: LPIPS
        keeps the features of a few dozen pictures only.
        """
        found: list[dict[str, float | None]] = [{} for _ in jobs]
        why: list[dict[str, str]] = [{} for _ in jobs]
        cut: list[tuple[str, ...]] = [()] * len(jobs)
        for column in self.columns:
            for place, job in enumerate(jobs):
                fault = _fault(column, job)
                if fault is not None:
                    why[place][column.name] = fault
        for space in self._spaces:
            self._score_space(space, jobs, why, found)
            for place, job in enumerate(jobs):
                if space.texts.get(job.prompt, (None, False))[1]:
                    cut[place] += (space.encoder.column,)
        for gray in self._tones():
            self._score_distances(gray, jobs, why, found)
        if self._pixel_columns:
            self._score_pixels(jobs, why, found)
        return [
            self._result(job, values, reasons, prefixes)
            for job, values, reasons, prefixes in zip(jobs, found, why, cut, strict=True)
        ]

    def _result(
        self,
        job: ImageJob,
        found: dict[str, float | None],
        why: dict[str, str],
        cut: tuple[str, ...],
    ) -> ImageScores:
        values: dict[str, float | None] = {}
        for column in self.columns:
            value = found.get(column.name)
            if value is not None and not np.isfinite(value):
                why[column.name], value = f"not a finite number ({value})", None
            # Adding 0 turns -0.0 into 0.0.
            values[column.name] = None if value is None else round(value, DECIMALS) + 0.0
        return ImageScores(
            case_id=job.case_id, label=job.label, values=values, unscored=why, cut=cut
        )

    def _encoder_columns(self, encoder: ImageEncoder) -> tuple[ImageColumn, ...]:
        return encoder_columns(
            encoder.column,
            reads_text=isinstance(encoder, TextEncoder),
            clipped=encoder.column in self.settings.clipped,
            gray=self.settings.gray,
            target=self.settings.target,
        )

    def _tones(self) -> tuple[bool, ...]:
        return (False, True) if self.settings.gray else (False,)

    def _score_space(
        self,
        space: _Space,
        jobs: Sequence[ImageJob],
        why: Sequence[dict[str, str]],
        found: Sequence[dict[str, float | None]],
    ) -> None:
        needed = [job for job in jobs if isinstance(job.output, Picture)]
        pictures = distinct([each for job in needed for each in self._pictures(job)])
        rows: dict[bool, Rows] = {
            gray: _by_hash(pictures, space.source.rows(pictures, gray=gray))
            for gray in self._tones()
        }
        self._read_prompts(space, needed)
        clip = space.encoder.column in self.settings.clipped
        for column in space.columns:
            known = rows[column.gray]
            for place, job in enumerate(jobs):
                if column.name in why[place] or not isinstance(job.output, Picture):
                    continue
                if column.against == "prompt":
                    others = space.texts[job.prompt][0][None]
                else:
                    others = np.stack([known[each.sha256] for each in _compared(column, job)])
                own = known[job.output.sha256]
                if not own.any() or not others.any(axis=1).all():
                    why[place][column.name] = "a picture has no direction in this encoder"
                    continue
                cosines = others @ own
                if clip:
                    cosines = np.maximum(cosines, 0)
                found[place][column.name] = 100 * float(cosines.mean())

    def _read_prompts(self, space: _Space, jobs: Sequence[ImageJob]) -> None:
        if not isinstance(space.encoder, TextEncoder):
            return
        asked = dict.fromkeys(job.prompt for job in jobs if job.prompt.strip())
        fresh = [prompt for prompt in asked if prompt not in space.texts]
        if fresh:
            encoded = space.encoder.encode_counted(fresh)
            for prompt, row, was_cut in zip(fresh, encoded.vectors, encoded.cut, strict=True):
                space.texts[prompt] = row.astype(np.float64), bool(was_cut)

    def _score_distances(
        self,
        gray: bool,
        jobs: Sequence[ImageJob],
        why: Sequence[dict[str, str]],
        found: Sequence[dict[str, float | None]],
    ) -> None:
        """Compute the distance's columns of one tone.

        All of an output's pairs stand together, whatever their column: its features are
        computed once, and may be forgotten afterwards.
        """
        columns = [column for column in self._distance_columns if column.gray == gray]
        if self.distance is None or not columns:
            return
        left: list[Picture] = []
        right: list[Picture] = []
        spans: list[tuple[int, str, slice]] = []
        for place in _case_by_case(jobs):
            job = jobs[place]
            for column in columns:
                if column.name not in why[place] and isinstance(job.output, Picture):
                    others = _compared(column, job)
                    spans.append((place, column.name, slice(len(left), len(left) + len(others))))
                    left += others
                    right += [job.output] * len(others)
        values = self.distance.distances(left, right, gray=gray)
        for place, name, span in spans:
            found[place][name] = float(values[span].mean())

    def _score_pixels(
        self,
        jobs: Sequence[ImageJob],
        why: Sequence[dict[str, str]],
        found: Sequence[dict[str, float | None]],
    ) -> None:
        for place, job in enumerate(jobs):
            if not isinstance(job.output, Picture) or not isinstance(job.target, Picture):
                continue
            scored = pixel_scores(job.output, job.target)
            found[place].update({"PIX-MSE": scored.mse, "PIX-MAE": scored.mae})
            psnr = scored.psnr if scored.psnr is not None else self.settings.psnr_identical
            found[place]["PIX-PSNR"] = psnr
            if psnr is None:
                why[place]["PIX-PSNR"] = "identical pixels: PSNR is infinite"

    def _pictures(self, job: ImageJob) -> list[Picture]:
        others: list[Any] = [*job.references, job.target if self.settings.target else None]
        return [each for each in (job.output, *others) if isinstance(each, Picture)]


def _kept_vectors(folder: Path | str | None) -> Callable[[ImageEncoder], PictureRows]:
    def make(encoder: ImageEncoder) -> PictureRows:
        from eyeprint.store.picture_vectors import PictureVectors

        return PictureVectors(folder, encoder)

    return make


def _by_hash(pictures: Sequence[Picture], rows: NDArray[np.floating]) -> Rows:
    # Single precision leaves lengths of 1 ± 1e-7: a picture would be 100.000002 like itself.
    exact = rows.astype(np.float64)
    lengths = np.linalg.norm(exact, axis=1, keepdims=True)
    exact /= np.where(lengths > 0, lengths, 1)
    return {each.sha256: row for each, row in zip(pictures, exact, strict=True)}


def _case_by_case(jobs: Sequence[ImageJob]) -> list[int]:
    """Return the jobs' places, those of one case together, cases by first appearance."""
    first: dict[str, int] = {}
    for job in jobs:
        first.setdefault(job.case_id, len(first))
    return sorted(range(len(jobs)), key=lambda place: first[jobs[place].case_id])


def _compared(column: ImageColumn, job: ImageJob) -> list[Picture]:
    others = job.references if column.against == "references" else (job.target,)
    return [each for each in others if isinstance(each, Picture)]


def _fault(column: ImageColumn, job: ImageJob) -> str | None:
    """Say why a column cannot be computed, or ``None``."""
    if isinstance(job.output, str):
        return f"no output picture: {job.output}"
    if column.against == "prompt":
        return None if job.prompt.strip() else "the prompt is blank"
    if column.against == "target":
        if job.target is None:
            return "the case has no target"
        return f"no target picture: {job.target}" if isinstance(job.target, str) else None
    if not job.references:
        return "the case has no reference"
    broken = [(k, each) for k, each in enumerate(job.references, 1) if isinstance(each, str)]
    if not broken:
        return None
    place, reason = broken[0]
    more = f" (and {len(broken) - 1} more)" if len(broken) > 1 else ""
    return f"no picture of reference {place} of {len(job.references)}: {reason}{more}"
