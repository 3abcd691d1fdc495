"""Shares and differences over a grid of cells, all with the same resamples of concepts.

Everything is a sum per part and concept: of right answers, of questions. Resampling concepts is
then one matrix product for all parts at once, and an interval of a difference uses the same
resampled concepts on both sides (CHECKLIST M23).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eyeprint.maths.intervals import resample_weights
from eyeprint.maths.paired_tests import sign_flip_columns
from eyeprint.randomness import stream
from eyeprint.scores.mmpb_fold import ABSENT, Answers
from eyeprint.scores.mmpb_found import Difference, Drop, Mean, Share
from eyeprint.scores.mmpb_parts import PartTable
from eyeprint.scores.mmpb_results import MmpbTableSettings

Table = NDArray[np.float64]
"""Shape (parts, concepts)."""
NOTHING = "no question of this kind"
ONE = "one concept only: no interval"
ONE_EACH = "tasks with one concept only: no interval"
UNSEEN = "no resample holds such a question on both sides: no interval"


@dataclass(frozen=True)
class Pairs:
    """Sums over questions that two cells share; adding two adds their questions."""

    left: Table
    right: Table
    n: Table
    won: Table
    """Questions that only the left got right."""

    def __add__(self, other: Pairs) -> Pairs:
        return Pairs(self.left + other.left, self.right + other.right, self.n + other.n,
                     self.won + other.won)  # fmt: skip


class Grid:
    """A folded run with its parts and the resamples that all tables share."""

    def __init__(self, answers: Answers, settings: MmpbTableSettings) -> None:
        self.answers, self.settings = answers, settings
        self.parts = PartTable(answers)
        rng = stream(settings.seed, "mmpb tables", "resamples").numpy()
        # Transposed: (concepts, draws), so that the draws of one part lie side by side.
        self._weights = np.ascontiguousarray(
            resample_weights(len(answers.concepts), settings.draws, rng).T
        )
        self._tails = [(1 - settings.level) / 2, (1 + settings.level) / 2]
        self._width = len(answers.concepts)
        self._fine = answers.profile * self._width + answers.concept

    def table(self, values: NDArray[np.generic]) -> Table:
        """Return sums of one value per question: shape (parts, concepts)."""
        size = len(self.answers.profiles) * self._width
        fine = np.bincount(self._fine, values, minlength=size)
        return self.parts.member @ fine.reshape(-1, self._width)

    def sums(self, cell: int) -> tuple[Table, Table]:
        """Return right answers and questions of a cell."""
        answers = self.answers
        return self.table(answers.right[cell]), self.table(answers.outcome[cell] != ABSENT)

    def pairs(self, left: int, right: int) -> Pairs:
        """Return the sums over questions that both cells have."""
        answers = self.answers
        both = (answers.outcome[left] != ABSENT) & (answers.outcome[right] != ABSENT)
        a, b = answers.right[left] & both, answers.right[right] & both
        return Pairs(self.table(a), self.table(b), self.table(both), self.table(a & ~b))

    def drawn(self, sums: Table) -> NDArray[np.float64]:
        """Return sums in each resample: shape (parts, draws)."""
        drawn: NDArray[np.float64] = sums @ self._weights
        return drawn

    def rates(self, above: Table, below: Table) -> NDArray[np.float64]:
        """Return ``above / below`` in each resample, NaN where nothing was drawn."""
        return _ratio(self.drawn(above), self.drawn(below))

    def limits(self, drawn: NDArray[np.float64]) -> list[tuple[float, float] | tuple[None, None]]:
        """Return the percentile interval of each row; resamples with NaN say nothing."""
        found: list[tuple[float, float] | tuple[None, None]] = [(None, None)] * len(drawn)
        there = ~np.isnan(drawn)
        whole = np.flatnonzero(there.all(axis=1))
        if len(whole):
            for place, ends in zip(
                whole.tolist(), np.quantile(drawn[whole], self._tails, axis=1).T, strict=True
            ):
                found[place] = (float(ends[0]), float(ends[1]))
        for place in np.flatnonzero(there.any(axis=1) & ~there.all(axis=1)).tolist():
            low, high = np.quantile(drawn[place, there[place]], self._tails)
            found[place] = (float(low), float(high))
        return found

    def shares(self, right: Table, n: Table) -> list[Share]:
        """Return the share of each row of sums."""
        ends = self.limits(self.rates(right, n))
        totals, counts, concepts = right.sum(axis=1), n.sum(axis=1), np.count_nonzero(n, axis=1)
        found = []
        for place, (low, high) in enumerate(ends):
            count, known = int(counts[place]), int(concepts[place])
            value = float(totals[place]) / count if count else None
            reason = NOTHING if not count else ONE if known < 2 else None
            if reason:
                low = high = None
            found.append(Share(n=count, right=int(totals[place]), value=value, low=low, high=high,
                               concepts=known, reason=reason))  # fmt: skip
        return found

    def differences(self, pairs: Pairs, p: bool = False) -> list[Difference]:
        """Return left minus right of each part, paired by question.

        Args:
            pairs: sums of both sides.
            p: also test each by flipping the signs of whole concepts.
        """
        ends = self.limits(self.rates(pairs.left - pairs.right, pairs.n))
        tests: list[float] | None = None
        if p:
            rng = stream(self.settings.seed, "mmpb tables", "signs").numpy()
            draws = self.settings.permutations
            tests = sign_flip_columns((pairs.left - pairs.right).T, rng, draws)[0].tolist()
        left, right, n = (t.sum(axis=1) for t in (pairs.left, pairs.right, pairs.n))
        won, concepts = pairs.won.sum(axis=1), np.count_nonzero(pairs.n, axis=1)
        found = []
        for place, (low, high) in enumerate(ends):
            count, known = int(n[place]), int(concepts[place])
            if not count:
                found.append(missing_difference(paired=True))
                continue
            if known < 2:
                low = high = None
            wins = int(won[place])
            found.append(
                Difference(
                    value=float(left[place] - right[place]) / count,
                    low=low,
                    high=high,
                    left=float(left[place]) / count,
                    right=float(right[place]) / count,
                    n=count,
                    concepts=known,
                    paired=True,
                    won=wins,
                    lost=wins - int(left[place] - right[place]),
                    p=tests[place] if tests is not None and known > 1 else None,
                    reason=None if known > 1 else ONE,
                )
            )
        return found

    def unpaired(self, left: tuple[Table, Table], right: tuple[Table, Table]) -> list[Difference]:
        """Return the differences of two shares of other questions, row by row.

        Args:
            left: right answers and questions of the left side.
            right: the same of the right side.
        """
        ends = self.limits(self.rates(*left) - self.rates(*right))
        found = []
        for place, (low, high) in enumerate(ends):
            n = [int(side[1][place].sum()) for side in (left, right)]
            if not all(n):
                found.append(missing_difference(paired=False))
                continue
            a, b = (
                float(side[0][place].sum()) / m for side, m in zip((left, right), n, strict=True)
            )
            known = int(np.count_nonzero(left[1][place] + right[1][place]))
            reason = ONE if known < 2 else UNSEEN if low is None else None
            if reason:
                low = high = None
            found.append(Difference(value=a - b, low=low, high=high, left=a, right=b, n=sum(n),
                                    concepts=known, paired=False, reason=reason))  # fmt: skip
        return found

    def drops(self, pairs: Pairs) -> list[Drop]:
        """Return what is lost from left (the shorter dialogue) to right, part by part (M42)."""
        ends = self.limits(self.rates(pairs.left - pairs.right, pairs.left))
        found = []
        for place, difference in enumerate(self.differences(pairs)):
            before, (low, high) = float(pairs.left[place].sum()), ends[place]
            if difference.value is None or not before:
                reason = difference.reason or "nothing was right to begin with: no ratio"
                found.append(
                    Drop(difference=difference, ratio=None, low=None, high=None, reason=reason)
                )
                continue
            if difference.low is None:
                low = high = None
            ratio = (before - float(pairs.right[place].sum())) / before
            found.append(Drop(difference=difference, ratio=ratio, low=low, high=high))
        return found

    def mean(self, values: Sequence[float], drawn: Sequence[NDArray[np.float64]]) -> Mean:
        """Return the mean of several shares, each the same weight.

        Args:
            values: the shares.
            drawn: of each the shape (draws,) in the resamples. A resample that lacks one of
                them says nothing of the mean.
        """
        if not values:
            return Mean(value=None, low=None, high=None, over=0, reason=NOTHING)
        low, high = self.limits(np.mean(np.stack(drawn), axis=0)[None])[0]
        reason = None
        if self._width < 2 or low is None:
            low = high = None
            reason = ONE if self._width < 2 else UNSEEN
        return Mean(value=float(np.mean(values)), low=low, high=high, over=len(values),
                    reason=reason)  # fmt: skip


def missing_difference(paired: bool) -> Difference:
    """Return a difference that there is nothing for."""
    return Difference(value=None, low=None, high=None, left=None, right=None, n=0, concepts=0,
                      paired=paired, reason=NOTHING)  # fmt: skip


def _ratio(above: NDArray[np.float64], below: NDArray[np.float64]) -> NDArray[np.float64]:
    found = np.full(above.shape, np.nan)
    np.divide(above, below, out=found, where=below != 0)
    return found
