"""What a run has used so far: calls, tokens, money and time, per model (CHECKLIST X16)."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from eyeprint.models.kinds import Reply


class ModelAccount(NamedTuple):
    """One model's share of this run; a snapshot."""

    model: str
    calls: int
    """New calls, whatever came of them."""
    from_ledger: int
    """Answers that the ledger had, and that cost nothing."""
    joined: int
    """Requests that shared the call of an identical one."""
    outcomes: dict[str, int]
    """Outcome -> new calls that ended so."""
    failures: dict[str, int]
    """Kind of failure -> new calls that failed so."""
    input_tokens: int
    output_tokens: int
    cost_usd: float
    """Sum over the new calls whose cost is known."""
    cost_unknown: int
    """New calls whose cost is not known: they are not in ``cost_usd``."""
    seconds: float
    """Sum of the calls' durations, which overlap."""


class _Book:
    def __init__(self) -> None:
        self.calls = self.from_ledger = self.joined = 0
        self.outcomes: Counter[str] = Counter()
        self.failures: Counter[str] = Counter()
        self.input_tokens = self.output_tokens = self.cost_unknown = 0
        self.cost_usd = self.seconds = 0.0


class Accounts:
    """Books every reply that passes a ledger in this process.

    >>> accounts = Accounts()
    >>> accounts.book_call("m", Reply(text="x", cost_usd=0.25, seconds=2.0))
    >>> accounts.spent_usd(), accounts.of("m").calls
    (0.25, 1)
    """

    def __init__(self) -> None:
        self._books: dict[str, _Book] = {}

    def _book(self, model: str) -> _Book:
        return self._books.setdefault(model, _Book())

    def book_call(self, model: str, reply: Reply) -> None:
        """Book a new call."""
        book = self._book(model)
        book.calls += 1
        book.outcomes[reply.outcome] += 1
        if reply.failure is not None:
            book.failures[reply.failure] += 1
        book.input_tokens += reply.usage.input_tokens or 0
        book.output_tokens += reply.usage.output_tokens or 0
        book.seconds += reply.seconds
        if reply.cost_usd is not None:
            book.cost_usd += reply.cost_usd
        elif reply.outcome != "failed":
            book.cost_unknown += 1

    def book_from_ledger(self, model: str) -> None:
        """Book an answer that the ledger had."""
        self._book(model).from_ledger += 1

    def book_joined(self, model: str) -> None:
        """Book a request that shared the call of an identical one."""
        self._book(model).joined += 1

    def of(self, model: str) -> ModelAccount:
        """Return one model's account so far."""
        book = self._book(model)
        return ModelAccount(
            model=model,
            calls=book.calls,
            from_ledger=book.from_ledger,
            joined=book.joined,
            outcomes=dict(sorted(book.outcomes.items())),
            failures=dict(sorted(book.failures.items())),
            input_tokens=book.input_tokens,
            output_tokens=book.output_tokens,
            cost_usd=book.cost_usd,
            cost_unknown=book.cost_unknown,
            seconds=book.seconds,
        )

    def all(self) -> tuple[ModelAccount, ...]:
        """Return the accounts of all models, by name."""
        return tuple(self.of(model) for model in sorted(self._books))

    def spent_usd(self) -> float | None:
        """Return what the new calls cost, or ``None`` when a call's cost is unknown."""
        if any(book.cost_unknown for book in self._books.values()):
            return None
        return sum(book.cost_usd for book in self._books.values())
