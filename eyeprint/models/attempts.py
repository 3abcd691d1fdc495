"""Leave to make a call again: how a budget has its say in the retries within one reply.

Whoever pays (a ledger with a budget) opens :func:`payer` around ``chat.reply``; a chat
that makes a failed call again asks with :func:`ask_to_try_again` before each one. A
context variable carries the payer, so it reaches a chat through any wrapper around it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol

from eyeprint.models.kinds import Reply


class Payer(Protocol):
    """Who pays for the calls of one reply."""

    async def try_again(self, failed: Reply) -> None:
        """Book a call that failed and grant the next one.

        Raises:
            BudgetReached: the next call could pass the limit, so it must not be made.
        """
        ...


_PAYER: ContextVar[Payer | None] = ContextVar("eyeprint_payer", default=None)


@contextmanager
def payer(who: Payer) -> Iterator[None]:
    """Name who pays for the calls that are made within the block."""
    before = _PAYER.set(who)
    try:
        yield
    finally:
        _PAYER.reset(before)


async def ask_to_try_again(failed: Reply) -> None:
    """Tell a failed call and ask for leave to make it again; without a payer it is granted.

    Raises:
        BudgetReached: the next call could pass the limit, so it must not be made.

    >>> import asyncio
    >>> asyncio.run(ask_to_try_again(Reply(outcome="failed", failure="timeout")))
    """
    who = _PAYER.get()
    if who is not None:
        await who.try_again(failed)
