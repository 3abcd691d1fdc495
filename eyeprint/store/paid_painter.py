"""A painter that keeps to a budget and whose every call is in the run's accounts (X16).

Before a picture is painted, the most that it can cost is set aside in the same budget that
the chats draw on; afterwards what it did cost is booked instead. A painter that makes a
failed call again asks first, as chats do (:mod:`eyeprint.models.attempts`).

Nothing is paid twice, but by another way than chats': a hosted painter promises no picture
twice, so there is no ledger of pictures. A finished picture is a finished item of its run's
folder, and a run that goes on asks for none of those. Runs with paid painters therefore
write each row at once (:func:`paid_work`); a process that is killed can lose the pictures
that were under way, and no other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from eyeprint.errors import UsageError
from eyeprint.models.attempts import payer
from eyeprint.models.kinds import Painted, Painter, PaintRequest, Reply
from eyeprint.models.picture_prices import (
    PaintPrice,
    is_paid,
    paint_price_of,
    picture_bound,
    picture_cost,
)
from eyeprint.store.accounts import Accounts
from eyeprint.store.budget import Budget, OneReply
from eyeprint.store.work import WorkSettings


class PaidPainter:
    """A painter behind accounts and a budget: the same interface.

    Args:
        painter: one that has a ``price``.
        accounts: where its calls are booked, under its name.
        budget: the limit that its calls share with others; ``None`` = no limit.

    Raises:
        UsageError: there is a budget, and nothing bounds what a picture can cost.

    >>> import asyncio
    >>> import numpy as np
    >>> from eyeprint.models.picture_prices import PicturePrice
    >>> from eyeprint.records.pictures import Picture
    >>> class Hosted:
    ...     name, fingerprint, ways = "hosted", "0" * 64, frozenset({"text"})
    ...     price = PicturePrice(picture=0.04)
    ...     async def paint(self, request, way="text"):
    ...         return Painted(Picture.of(np.zeros((1, 1, 3), np.uint8)))
    >>> accounts = Accounts()
    >>> painter = PaidPainter(Hosted(), accounts, Budget(0.05))
    >>> asyncio.run(painter.paint(PaintRequest("a red door"))).cost_usd
    0.04
    >>> accounts.spent_usd()
    0.04
    """

    def __init__(self, painter: Painter, accounts: Accounts, budget: Budget | None = None) -> None:
        self.painter = painter
        self.price: PaintPrice | None = price_of_painter(painter)
        self._accounts, self._budget = accounts, budget
        if budget is not None:
            # Told before anything is paid for: no request changes the answer.
            self._bound(PaintRequest(""))

    def __repr__(self) -> str:
        return f"PaidPainter({self.painter!r})"

    @property
    def name(self) -> str:
        """The painter's own."""
        return self.painter.name

    @property
    def fingerprint(self) -> str:
        """The painter's own."""
        return self.painter.fingerprint

    @property
    def ways(self) -> frozenset[str]:
        """The painter's own."""
        return self.painter.ways

    @property
    def settings(self) -> Any:
        """The painter's own; ``None`` where it has none."""
        return getattr(self.painter, "settings", None)

    async def paint(self, request: PaintRequest, way: str = "text") -> Painted:
        """Paint one picture, and book what it cost.

        Raises:
            BudgetReached: the picture, or the next try after a failed call, could pass the
                budget; it was not asked for.
        """
        painted = await self._paid(request, way)
        reply = _reply_of(painted)
        if reply is not None:
            self._accounts.book_call(self.name, reply)
        return painted

    async def close(self) -> None:
        """Close the painter's connections, if it has any."""
        close = getattr(self.painter, "close", None)
        if close is not None:
            await close()

    async def _paid(self, request: PaintRequest, way: str) -> Painted:
        if self._budget is None:
            return self._costed(await self.painter.paint(request, way))
        money = OneReply(self._budget, self.name, self._bound(request))
        await money.first()
        reply: Reply | None = None
        try:
            with payer(money):
                painted = self._costed(await self.painter.paint(request, way))
            reply = _reply_of(painted)
        finally:
            money.end(reply)
        return painted

    def _bound(self, request: PaintRequest) -> float:
        bound = picture_bound(request, self.price)
        if bound is None:
            what = "is not known" if self.price is None else "has no upper bound"
            raise UsageError(
                f"The price of a picture of {self.name} {what}, so no budget can be kept. Give it "
                "in US dollars for one picture within the painter's name, as "
                f"{_with_price(self.name, '0.04')}, or {_with_price(self.name, '0')} if it is free."
            )
        return bound

    def _costed(self, painted: Painted) -> Painted:
        """Return the painting with its cost, where it was paid for and the cost is known."""
        if not isinstance(painted, Painted):  # A plug-in's fault, told by who asked.
            return painted
        if painted.cost_usd is not None or (painted.picture is None and not painted.billed):
            return painted
        return painted._replace(cost_usd=picture_cost(self.price, painted.usage))


def price_of_painter(painter: Painter) -> PaintPrice | None:
    """Return a paid painter's own price, else the tables', or ``None``: unknown."""
    own: PaintPrice | None = getattr(painter, "price", None)
    return own if own is not None else paint_price_of(painter.name)


def paid_painters(
    painters: Mapping[str, Painter], accounts: Accounts, budget: Budget | None = None
) -> dict[str, Painter]:
    """Return the painters, those whose pictures cost money behind accounts and budget.

    Raises:
        UsageError: there is a budget, and nothing bounds what a picture of one can cost.
    """
    return {
        key: PaidPainter(painter, accounts, budget) if is_paid(painter) else painter
        for key, painter in painters.items()
    }


def paid_work(settings: WorkSettings, painters: Iterable[Painter]) -> WorkSettings:
    """Return the settings for a table of pictures: with a paid painter, each row is kept at once.

    >>> paid_work(WorkSettings(shard_rows=32), []).shard_rows
    32
    """
    if any(map(is_paid, painters)):
        return settings.model_copy(update={"shard_rows": 1})
    return settings


def _with_price(name: str, price: str) -> str:
    return f"{name}{'&' if '?' in name else '?'}price={price}"


def _reply_of(painted: Painted) -> Reply | None:
    """Return what accounts and budgets book of a painting, ``None`` where nobody knows."""
    if not isinstance(painted, Painted):
        return None
    facts: dict[str, Any] = {
        "served_model": painted.served_model,
        "usage": painted.usage,
        "cost_usd": painted.cost_usd,
        "seconds": painted.seconds,
    }
    if painted.picture is not None:
        return Reply(**facts)
    facts |= {"failure": painted.failure, "detail": painted.detail}
    if painted.failure == "refused":
        return Reply(outcome="refused", **facts)
    if (
        painted.billed or painted.cost_usd
    ):  # An answer was paid for, and no picture could be had of it.
        return Reply(outcome="empty", **facts)
    return Reply(outcome="failed", maybe_billed=painted.billed is None, **facts)
