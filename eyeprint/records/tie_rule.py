"""When a stated preference counts as a tie, and how a stated confidence is read (CHECKLIST P51)."""

from __future__ import annotations

import math
import re
from typing import Any

from pydantic import Field

from eyeprint.config import Settings
from eyeprint.records.verdicts import Choice, TieKind

_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?", re.IGNORECASE | re.ASCII)
_LONGEST = 40


class TieRule(Settings):
    """Which verdicts are ties.

    >>> TieRule().apply("a", 0.69), TieRule().apply("a", 0.70), TieRule().apply("tie", 0.9)
    (('tie', 'low_confidence'), ('a', None), ('tie', 'explicit'))
    >>> TieRule(tie_at_threshold=True).apply("a", 0.70)
    ('tie', 'low_confidence')
    """

    threshold: float = Field(default=0.70, ge=0, le=1)
    """A confidence below this is a tie; 0 lets no confidence make one (with the paper's rule)."""
    tie_at_threshold: bool = False
    """Whether a confidence of exactly the threshold is a tie too: no in the paper, yes in the
    authors' released script."""

    def apply(self, stated: Choice, confidence: float | None) -> tuple[Choice, TieKind | None]:
        """Return what a stated preference counts as, and by which route it is a tie.

        A missing confidence ties nothing.
        """
        if stated == "tie":
            return "tie", "explicit"
        if confidence is None:
            return stated, None
        low = confidence < self.threshold or (
            self.tie_at_threshold and confidence == self.threshold
        )
        return ("tie", "low_confidence") if low else (stated, None)


def read_confidence(value: Any) -> float | None:
    """Return a stated confidence as a number in [0, 1], or ``None`` when it is none.

    Texts are read when they are a number or a percentage. Words ("high") are no numbers, and a
    number outside [0, 1] without a percent sign has no sure meaning (0–10? 0–100?): both are
    ``None``, and callers keep the value as it was stated.

    >>> [read_confidence(v) for v in (0.8, "0.8", "80%", " 80 % ", 1)]
    [0.8, 0.8, 0.8, 0.8, 1.0]
    >>> [read_confidence(v) for v in ("high", None, True, 85, "-0.1", float("nan"), [0.8])]
    [None, None, None, None, None, None, None]
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        number = float(value) if abs(value) <= 1 else math.nan
    elif isinstance(value, str) and len(value) <= _LONGEST:
        text = value.strip()
        share = text.endswith("%")
        digits = text.removesuffix("%").strip()
        if not _NUMBER.fullmatch(digits):
            return None
        number = float(digits) / 100 if share else float(digits)
    else:
        return None
    return number if 0 <= number <= 1 else None
