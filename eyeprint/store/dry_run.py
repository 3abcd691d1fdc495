"""What a run would ask, and what it could cost at most, without asking (CHECKLIST X16)."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import NamedTuple

from eyeprint.models.kinds import Chat, ChatRequest, PaintRequest
from eyeprint.models.picture_prices import PaintPrice, picture_bound
from eyeprint.models.prices import Price, cost_bound, input_bound, output_bound, price_of
from eyeprint.store.ledger import Ledger, identity_of, ledger_name

_BATCH = 500


class CallPlan(NamedTuple):
    """What one model would be asked. Bounds are upper bounds: English takes about a quarter."""

    model: str
    requests: int
    """Distinct requests."""
    answered: int
    """Requests whose answer is in the ledger: they cost nothing."""
    calls: int
    """Calls that would be made."""
    input_tokens: int
    """Upper bound over the calls."""
    output_tokens: int | None
    """Upper bound over the calls; ``None`` when nothing limits a reply."""
    cost_usd: float | None
    """Upper bound over the calls, each made once: failed ones that are made again may be billed
    too. ``None`` when the price is unknown: never 0 for that."""
    as_of: str | None
    """The month that the price is believed from, or "given by you"."""


class _Sum:
    def __init__(self, price: Price | None) -> None:
        self.price = price
        self.seen: set[bytes] = set()
        self.answered = self.calls = self.input = 0
        self.output: int | None = 0
        self.cost: float | None = 0.0 if price is not None else None

    def add(self, request: ChatRequest) -> None:
        self.calls += 1
        self.input += input_bound(request, self.price)
        most = output_bound(request, self.price)
        self.output = None if most is None or self.output is None else self.output + most
        cost = cost_bound(request, self.price)
        self.cost = None if cost is None or self.cost is None else self.cost + cost


def plan_calls(
    asked: Iterable[tuple[Chat, ChatRequest]],
    ledger: Ledger | None = None,
    prices: dict[str, Price] | None = None,
) -> tuple[CallPlan, ...]:
    """Count the calls that requests would need, per model, by name.

    Args:
        asked: (model, request) pairs; equal ones count once, as they would be one call.
        ledger: where answers may be already; ``None`` = nowhere.
        prices: model name -> price, before the chat's own and the price table.

    >>> from eyeprint.models.fakes import EchoChat
    >>> from eyeprint.models.kinds import Message
    >>> one = ChatRequest(messages=(Message(role="user", text="Hi"),), max_tokens=10)
    >>> plan = plan_calls([(EchoChat(), one), (EchoChat(), one)])[0]
    >>> plan.calls, plan.output_tokens, plan.cost_usd
    (1, 10, None)
    """
    sums: dict[str, _Sum] = {}
    remaining = iter(asked)
    while batch := list(islice(remaining, _BATCH)):
        keys = [identity_of(ledger_name(chat), request) for chat, request in batch]
        answered = ledger.answered(keys) if ledger is not None else set()
        for key, (chat, request) in zip(keys, batch, strict=True):
            if chat.name not in sums:
                own = (prices or {}).get(chat.name) or getattr(chat, "price", None)
                sums[chat.name] = _Sum(own or price_of(chat.name))
            total = sums[chat.name]
            mark = bytes.fromhex(key)
            if mark in total.seen:
                continue
            total.seen.add(mark)
            if key in answered:
                total.answered += 1
            else:
                total.add(request)
    return tuple(_plan(name, sums[name]) for name in sorted(sums))


def _plan(name: str, total: _Sum) -> CallPlan:
    return CallPlan(
        model=name,
        requests=len(total.seen),
        answered=total.answered,
        calls=total.calls,
        input_tokens=total.input,
        output_tokens=total.output,
        cost_usd=total.cost,
        as_of=total.price.as_of if total.price is not None else None,
    )


class PicturePlan(NamedTuple):
    """What one paid painter would paint."""

    painter: str
    pictures: int
    painted: int
    """Pictures that the run's folder has: they cost nothing."""
    left: int
    """Pictures that would be asked for."""
    cost_usd: float | None
    """Upper bound over those, each asked for once; ``None`` when the price is unknown."""
    as_of: str | None
    """The month that the price is believed from, or "given by you"."""


class PictureSum:
    """Counts the pictures of one painter for a dry run.

    >>> from eyeprint.models.picture_prices import PicturePrice
    >>> found = PictureSum("m", PicturePrice(picture=0.5))
    >>> found.add(PaintRequest("a door"), painted=True)
    >>> found.add(PaintRequest("a wall"), painted=False)
    >>> found.plan().left, found.plan().cost_usd
    (1, 0.5)
    """

    def __init__(self, name: str, price: PaintPrice | None) -> None:
        self._name, self._price = name, price
        self._pictures = self._painted = 0
        self._cost: float | None = None if price is None else 0.0

    def add(self, request: PaintRequest, *, painted: bool) -> None:
        """Count one picture; what is painted already costs nothing more."""
        self._pictures += 1
        self._painted += painted
        if not painted:
            bound = picture_bound(request, self._price)
            self._cost = None if bound is None or self._cost is None else self._cost + bound

    def plan(self) -> PicturePlan:
        """Return what was counted."""
        as_of = None if self._price is None else self._price.as_of
        left = self._pictures - self._painted
        return PicturePlan(self._name, self._pictures, self._painted, left, self._cost, as_of)
