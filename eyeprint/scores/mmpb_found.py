"""What the smallest findings of MMPB look like: a share, a difference, counts of outcomes.

A value is never without its count, and a value that cannot be computed is ``None`` with its
reason. Shares and differences lie in [0, 1] and [-1, 1]; reports print them in per cent and in
points. Intervals resample concepts whole, with the same resamples everywhere, so that every
difference sees the same concepts on both sides.
"""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Found(BaseModel):
    """Base of the results here: frozen, and closed against misspelt fields."""

    model_config = ConfigDict(frozen=True, extra="forbid", protected_namespaces=())


class Share(Found):
    """A share of right answers with its interval.

    >>> Share(n=4, right=3, value=0.75, low=0.5, high=1.0, concepts=2).value
    0.75
    """

    n: int
    """Questions asked: all of them, whatever became of the answer."""
    right: int
    value: float | None
    """``right / n``: answers that could not be had or read are wrong (M23)."""
    low: float | None
    high: float | None
    concepts: int
    """Concepts that the questions are about: what intervals resample."""
    reason: str | None = None
    """Why ``value``, or ``low`` and ``high``, is ``None``."""


class Mean(Found):
    """A mean of shares with its interval: over tasks, or over models."""

    value: float | None
    low: float | None
    high: float | None
    over: int
    """How many shares it is the mean of."""
    reason: str | None = None


class Difference(Found):
    """``left - right`` with its interval, by the same questions on both sides where ``paired``."""

    value: float | None
    low: float | None
    high: float | None
    left: float | None
    """The share on the left, over the questions compared."""
    right: float | None
    n: int
    """Questions compared; of unpaired differences, the questions of both sides together."""
    concepts: int
    paired: bool
    won: int | None = None
    """Questions that only the left side got right, where paired."""
    lost: int | None = None
    """Questions that only the right side got right, where paired."""
    p: float | None = None
    """Two-sided, by flipping the signs of whole concepts; ``None`` where it was not asked for."""
    reason: str | None = None
    """Why ``value``, or ``low`` and ``high``, is ``None``."""


class Drop(Found):
    """What is lost between two lengths of dialogue (M42)."""

    difference: Difference
    """Accuracy after the shorter dialogue minus that after the longer one."""
    ratio: float | None
    """``(shorter - longer) / shorter``: 0 keeps everything, 1 loses everything, below 0 gains."""
    low: float | None
    high: float | None
    reason: str | None = None
    """Why ``ratio`` is ``None``: nothing was right to begin with, or nothing to compare."""


class Outcomes(Found):
    """What became of the questions; the six add up to those asked (X9)."""

    answered: int = 0
    unread: int = 0
    refused: int = 0
    empty: int = 0
    truncated: int = 0
    failed: int = 0


class Quartiles(Found):
    """Values of several models: error bars of the paper's figure 8 are ``q1`` and ``q3``."""

    models: int
    mean: float | None
    q1: float | None
    median: float | None
    q3: float | None
