"""Pairs put before judges, and what came of them (CHECKLIST P50–P54).

A verdict names models, not sides: whoever stood left, ``choice`` "a" means ``model_a``.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from eyeprint.records.work import Work

Choice = Literal["a", "b", "tie"]
TieKind = Literal["explicit", "low_confidence"]
VerdictOutcome = Literal["decided", "unread", "empty", "truncated", "refused", "failed"]


class Comparison(Work):
    """Two pictures for one case, by two models; ``a`` before ``b`` by name.

    Comparisons that were read from elsewhere keep their order, and ``person_id`` or ``case_id``
    is empty where their file does not tell it.
    """

    id: str
    case_id: str
    person_id: str
    prompt: str = ""
    model_a: str
    model_b: str
    picture_a: str
    """Pixel hash, or a path for comparisons that were read from elsewhere."""
    picture_b: str
    extra: dict[str, Any] = Field(default_factory=dict)
    """Fields of a row of another format that have no place here; written back with it."""


class Verdict(Work):
    """What one judge said of one comparison, once."""

    comparison_id: str
    case_id: str
    person_id: str
    judge: str
    model_a: str
    model_b: str
    flipped: bool = False
    """Whether ``model_b``'s picture was shown first."""
    choice: Choice | None
    """``None`` when nothing could be read: see ``outcome``."""
    stated: str | None = None
    """The preference as the judge stated it, before ties by confidence: by model, a, b or tie."""
    tie: TieKind | None = None
    """Which of the two routes made it a tie (P51)."""
    confidence: float | None = None
    """In [0, 1]; ``None`` when it was missing or no number."""
    confidence_stated: Any = None
    """The confidence as it stood in the reply: text, number or ``None``."""
    reason: str = ""
    aspects: dict[str, Any] = Field(default_factory=dict)
    outcome: VerdictOutcome = "decided"
    detail: str = ""
    extra: dict[str, Any] = Field(default_factory=dict)
    """Fields of a row of another format that have no place here; written back with it."""
