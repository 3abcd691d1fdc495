"""A limit in US dollars that no run passes, whatever the calls turn out to cost.

Before a call is made, the most that it can cost is set aside; when the reply is there,
what it did cost is booked instead. A call that could pass the limit is not made. While
other calls are out, their bounds are usually far above what they will cost, so a call
that does not fit yet waits for them before the budget is declared used up.

A chat that makes a failed call again gets no further call for free: each one is set aside
and booked by itself (:class:`OneReply`), and one that does not fit is not made.
"""

from __future__ import annotations

import asyncio
from math import isfinite

from eyeprint.errors import BudgetReached, UsageError
from eyeprint.models.kinds import ChatRequest, Reply
from eyeprint.models.prices import Price, cost_bound

_BILLED_UNSEEN = frozenset({"timeout", "bad_reply"})
"""Failures after which a server may have billed a reply that we could not read, whatever
the chat says of them."""


class Budget:
    """US dollars that one run may spend on new calls; what the ledger holds costs nothing.

    ``spent`` + what is set aside never exceeds ``limit_usd``. A call whose usage is not
    told is booked at its bound, as is one that failed once the server was reached: the
    server may bill it. Requests that were turned away (4xx, 503) are booked at nothing.
    """

    def __init__(self, limit_usd: float) -> None:
        if not (isfinite(limit_usd) and limit_usd >= 0):
            raise UsageError(f"A budget must be a number of US dollars of 0 or more: {limit_usd}.")
        self.limit_usd = limit_usd
        self.spent = 0.0
        self.unseen = 0.0
        """The part of ``spent`` that is for calls without a reply, which may be billed."""
        self.set_aside = 0.0
        self._calls_out = 0
        # A dict, not a set: those who wait have their turns in the order in which they came.
        self._waiting: dict[asyncio.Future[None], None] = {}

    def __repr__(self) -> str:
        return f"Budget({self.limit_usd}, spent={self.spent:.6f}, set_aside={self.set_aside:.6f})"

    def bound(self, model: str, request: ChatRequest, price: Price | None) -> float:
        """Return the most that one call can cost.

        Raises:
            UsageError: the price is unknown, or nothing bounds the reply's length.
        """
        if price is None:
            raise UsageError(
                f"The price of {model} is not known, so no budget can be kept. Give it in US "
                "dollars per million input and output tokens, as --price 0.15,0.60, or say "
                "--price free."
            )
        bound = cost_bound(request, price)
        if bound is None:
            raise UsageError(
                f"Nothing limits how much {model} may write, so no budget can be kept. "
                "Set max_tokens."
            )
        return bound

    async def reserve(self, model: str, bound: float) -> None:
        """Set the bound of one call aside, or refuse the call.

        Raises:
            BudgetReached: spent + bound exceeds the limit, with no call out any more.
        """
        # The tolerance is for sums of floats, far below the price of one token.
        while self.spent + self.set_aside + bound > self.limit_usd * (1 + 1e-12):
            if self._calls_out == 0 or self.spent + bound > self.limit_usd * (1 + 1e-12):
                raise BudgetReached(
                    f"The budget of ${self.limit_usd:.2f} is used up: ${self.spent:.4f} are spent"
                    f"{self._unseen_part()}, and the next call to {model} could cost "
                    f"${bound:.4f}. What was paid for is kept: run the same command with a larger "
                    "--budget to go on."
                )
            turn = asyncio.get_running_loop().create_future()
            self._waiting[turn] = None
            try:
                await turn
            finally:
                self._waiting.pop(turn, None)
        self.set_aside += bound
        self._calls_out += 1

    def settle(self, bound: float, reply: Reply | None) -> None:
        """Book what a call cost in place of its bound; ``None`` when nobody knows."""
        self._calls_out -= 1
        self.set_aside = self.set_aside - bound if self._calls_out else 0.0
        if reply is None or (reply.outcome == "failed" and _may_be_billed(reply)):
            self.spent += bound
            self.unseen += bound
        elif reply.outcome != "failed":
            self.spent += bound if reply.cost_usd is None else reply.cost_usd
        for turn in self._waiting:
            if not turn.done():
                turn.set_result(None)

    def _unseen_part(self) -> str:
        if not self.unseen:
            return ""
        return f" (${self.unseen:.4f} of it for calls without a reply, which may be billed)"


def _may_be_billed(failed: Reply) -> bool:
    return failed.maybe_billed or failed.failure in _BILLED_UNSEEN


class OneReply:
    """The money for all calls of one reply: one bound is set aside at a time.

    >>> budget = Budget(1.0)
    >>> async def twice() -> None:
    ...     money = OneReply(budget, "m", 0.4)
    ...     await money.first()
    ...     await money.try_again(Reply(outcome="failed", failure="timeout"))
    ...     money.end(Reply(text="x", cost_usd=0.1))
    >>> asyncio.run(twice())
    >>> budget.spent
    0.5
    """

    def __init__(self, budget: Budget, model: str, bound: float) -> None:
        self._budget, self._model, self._bound = budget, model, bound
        self._out = False

    async def first(self) -> None:
        """Set the bound of the first call aside.

        Raises:
            BudgetReached: the call could pass the limit, so it must not be made.
        """
        await self._budget.reserve(self._model, self._bound)
        self._out = True

    async def try_again(self, failed: Reply) -> None:
        """Book a call that failed and set the bound of the next one aside.

        Raises:
            BudgetReached: the call could pass the limit, so it must not be made.
        """
        self.end(failed)
        await self.first()

    def end(self, reply: Reply | None) -> None:
        """Book the last call, if one is out; ``None`` when it is not known what came of it."""
        if self._out:
            self._out = False
            self._budget.settle(self._bound, reply)
