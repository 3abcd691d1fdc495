"""A model that never answers is given up before a whole grid has waited for it (X9)."""

from __future__ import annotations

from collections import Counter

from eyeprint.errors import CallFailed
from eyeprint.models.kinds import Reply

LASTING = ("connection", "authentication", "not_found")
"""Failures that the next call will most likely have too: no server, no right key, no such model."""
IN_A_ROW = 200
"""So many of them in a row, and a model is asked no more in this session. More than the calls
that are under way at once, each of which has been tried again for a minute where that may help."""


class Trouble:
    """Counts lasting failures of each model; a reply of any kind sets its count to 0.

    >>> trouble = Trouble(in_a_row=1)
    >>> trouble.note("m", Reply(outcome="failed", failure="connection", detail="refused"))
    >>> trouble.check("m")
    Traceback (most recent call last):
    eyeprint.errors.CallFailed: not asked: 1 calls in a row had failed, the last one so: refused
    """

    def __init__(self, in_a_row: int = IN_A_ROW) -> None:
        self.in_a_row = in_a_row
        self._failed: Counter[str] = Counter()
        self._last: dict[str, tuple[str, str]] = {}

    def note(self, model: str, reply: Reply) -> None:
        """Take notice of what a call brought."""
        if reply.outcome == "failed" and reply.failure in LASTING:
            self._failed[model] += 1
            self._last[model] = reply.failure, reply.detail
        elif not reply.from_ledger:
            self._failed[model] = 0

    def given_up(self, model: str) -> bool:
        """Whether a model is asked no more."""
        return self._failed[model] >= self.in_a_row

    def check(self, model: str) -> None:
        """Pass a model that may be asked.

        Raises:
            CallFailed: it was given up; of the kind of its last failure.
        """
        if self.given_up(model):
            kind, detail = self._last[model]
            raise CallFailed(
                kind,
                f"not asked: {self.in_a_row} calls in a row had failed, the last one so: {detail}",
            )
