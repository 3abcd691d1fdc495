"""How often and how long to wait before a failed call is made again.

Waits grow geometrically up to a cap, with a jitter that depends on the request and the
attempt only: 64 calls that were refused together do not come back together, and a run
that is repeated waits the same. What a server asks for in ``Retry-After`` is honoured
up to a cap of its own.
"""

from __future__ import annotations

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import NamedTuple

from pydantic import Field

from eyeprint.config import Settings
from eyeprint.randomness import stream

RETRIED_KINDS = frozenset({"timeout", "connection", "rate_limit", "server_error"})
"""The kinds of failure that may pass by themselves."""


class RetryPolicy(Settings):
    """When a failed call is made again. The whole wait is bounded: see :meth:`longest`."""

    attempts: int = Field(default=6, ge=1)
    """Calls in all, the first one included."""
    first_wait: float = Field(default=1.0, ge=0)
    """Seconds before the second call."""
    growth: float = Field(default=2.0, ge=1)
    """Factor from one wait to the next."""
    longest_wait: float = Field(default=60.0, ge=0)
    """Seconds that no computed wait exceeds."""
    jitter: float = Field(default=0.25, ge=0, le=1)
    """Share of a wait that is added at random, uniform on [0, jitter]."""
    retry_after_cap: float = Field(default=120.0, ge=0)
    """Seconds up to which a server's Retry-After is honoured."""

    def wait(self, attempt: int, key: str, retry_after: float | None = None) -> float:
        """Return the seconds to wait after call number ``attempt`` (1-based) has failed.

        ``retry_after`` is what the server asked for: the wait is never shorter, save
        where the cap cuts it.

        >>> RetryPolicy(jitter=0.0).wait(3, "any")
        4.0
        >>> RetryPolicy(jitter=0.0, retry_after_cap=30).wait(1, "any", retry_after=500)
        30.0
        """
        own = min(self.first_wait * self.growth ** (attempt - 1), self.longest_wait)
        asked = min(retry_after or 0.0, self.retry_after_cap)
        draw = stream(0, "retry", f"{key}:{attempt}").random()
        return max(own, asked) * (1.0 + self.jitter * draw)

    def longest(self) -> float:
        """Return the most seconds that all waits of one call can take together."""
        one = max(self.longest_wait, self.retry_after_cap) * (1.0 + self.jitter)
        return one * (self.attempts - 1)


class Waiting(NamedTuple):
    """A call failed and will be made again: the event that makes waits visible."""

    model: str
    attempt: int
    """Number of the call that failed, 1-based."""
    attempts: int
    """Calls that will be made at most."""
    seconds: float
    """How long the wait is."""
    kind: str
    """Why: one of :data:`RETRIED_KINDS`."""
    detail: str

    def __str__(self) -> str:
        return (
            f"{self.model}: {self.kind} (call {self.attempt} of {self.attempts}), "
            f"waiting {self.seconds:.1f} s. {self.detail}".rstrip()
        )


def read_retry_after(value: str | None, now: datetime | None = None) -> float | None:
    """Return the seconds that a ``Retry-After`` header asks for, or ``None``.

    The header holds seconds or an HTTP date; what is neither, or lies in the past, asks
    for nothing.

    >>> read_retry_after("1.5")
    1.5
    >>> read_retry_after("soon") is None
    True
    """
    if value is None:
        return None
    try:
        seconds = float(value)
    except ValueError:
        try:
            moment = parsedate_to_datetime(value)
        except (TypeError, ValueError):
            return None
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        seconds = (moment - (now or datetime.now(UTC))).total_seconds()
    # "nan" and "inf" are floats to Python, and no time that anybody can wait.
    return seconds if 0 < seconds < 1e9 else None
