"""The smallest findings of an MMPB run's ``summary.json``: a share, a difference, counts."""

from __future__ import annotations

from typing import Literal, get_args

from eyeprint.report.run_files import View

Outcome = Literal["answered", "unread", "refused", "empty", "truncated", "failed"]
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)


class ShareView(View):
    """A share of right answers, from 0 to 1, with its interval."""

    n: int = 0
    right: int = 0
    value: float | None = None
    low: float | None = None
    high: float | None = None
    concepts: int = 0
    reason: str | None = None


class MeanView(View):
    """A mean of shares with its interval."""

    value: float | None = None
    low: float | None = None
    high: float | None = None
    over: int = 0
    reason: str | None = None


class DifferenceView(View):
    """``left - right`` in shares, with its interval."""

    value: float | None = None
    low: float | None = None
    high: float | None = None
    left: float | None = None
    right: float | None = None
    n: int = 0
    concepts: int = 0
    paired: bool = False
    won: int | None = None
    lost: int | None = None
    p: float | None = None
    reason: str | None = None

    @property
    def side(self) -> int:
        """1 when the whole interval is above 0, -1 when it is below, else 0."""
        if self.low is None or self.high is None:
            return 0
        return 1 if self.low > 0 else -1 if self.high < 0 else 0


class DropView(View):
    """What is lost between two lengths of dialogue."""

    difference: DifferenceView
    ratio: float | None = None
    low: float | None = None
    high: float | None = None
    reason: str | None = None


class OutcomesView(View):
    """What became of the questions; the six add up to those asked."""

    answered: int = 0
    unread: int = 0
    refused: int = 0
    empty: int = 0
    truncated: int = 0
    failed: int = 0

    def of(self, outcome: Outcome) -> int:
        """Return one of the counts."""
        return int(getattr(self, outcome))

    @property
    def asked(self) -> int:
        """How many questions were asked."""
        return sum(self.of(each) for each in OUTCOMES)


class QuartilesView(View):
    """Values of several models."""

    models: int = 0
    mean: float | None = None
    q1: float | None = None
    median: float | None = None
    q3: float | None = None
