"""Every reply that was ever paid for, kept before anybody parses it; nothing is paid twice.

``Ledger.wrap`` puts the ledger around any chat model. A request's identity is the
SHA-256 of model, parameters and messages. A reply is durable in the database before it
is handed on, whatever it is; only *answers* are ever served again. Empty, truncated,
refused and failed replies are kept with their attempts' numbers, counted, and asked
again by the next run, not by this one: within a run the same request has one outcome,
however the calls are timed.

What is guaranteed when a process is killed: no call is repeated whose answer was in the
ledger. Calls that were under way at that moment may be made, and paid, once more.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from eyeprint.errors import DataError
from eyeprint.models.attempts import payer
from eyeprint.models.chat_wire import clean_text
from eyeprint.models.kinds import Chat, ChatRequest, Reply
from eyeprint.models.prices import Price, cost_of, price_of
from eyeprint.store.accounts import Accounts
from eyeprint.store.budget import Budget, OneReply
from eyeprint.store.ledger_desk import Desk, Entry, entry_of, keep_entries, not_kept_yet, reply_of

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

_BATCH = 500
_FILES_OF_PICTURES: Any = {
    "messages": {"__all__": {"parts": {"__all__": {"data": True, "media_type": True}}}}
}


class KeptReply(NamedTuple):
    """One attempt as the ledger has it."""

    key: str
    attempt: int
    """1 for the first reply to a request, counted over all runs."""
    model: str
    made_at: str
    """UTC, ISO 8601."""
    reply: Reply


class KeptTotal(NamedTuple):
    """What a ledger holds of one model and outcome."""

    model: str
    outcome: str
    replies: int
    cost_usd: float
    """Sum over the replies whose cost is known."""
    cost_unknown: int
    """Replies whose cost is not known: they are not in ``cost_usd``."""


class _Call(NamedTuple):
    """A call that is about to be made."""

    key: str
    body: str
    attempt: int


def request_json(request: ChatRequest) -> str:
    """Return a request's canonical JSON; parameters at their defaults are left out.

    >>> from eyeprint.models.kinds import Message
    >>> request_json(ChatRequest(messages=(Message(role="user", text="Hi"),), seed=1))
    '{"messages":[{"role":"user","text":"Hi"}],"seed":1}'
    """
    # ASCII, for a text may hold halves of surrogate pairs, which have no UTF-8. Defaults
    # are left out so that a parameter added later changes no identity of today.
    # Of a picture its pixel hash and size count, neither its file nor the file's format.
    values = request.model_dump(exclude_defaults=True, exclude=_FILES_OF_PICTURES)
    return json.dumps(values, sort_keys=True, separators=(",", ":"))


def identity_of(model: str, request: ChatRequest) -> str:
    """Return the ledger's key of a call: SHA-256 of model, parameters and messages.

    >>> from eyeprint.models.kinds import Message
    >>> one = ChatRequest(messages=(Message(role="user", text="Hi"),))
    >>> identity_of("a", one) == identity_of("b", one)
    False
    """
    return _identity(model, request_json(request))


def _identity(model: str, body: str) -> str:
    return hashlib.sha256(f"{json.dumps(model)}\n{body}".encode()).hexdigest()


def ledger_name(chat: Chat) -> str:
    """Return what ledgers know a model by: ``chat.ledger_name`` if it has one, else its name."""
    return str(getattr(chat, "ledger_name", chat.name))


class Ledger:
    """A database of replies: a path for SQLite, or ``postgresql+psycopg://USER@HOST/DB``.

    Several processes may use one ledger at once. Use it in a ``with`` block, or close it.

    Raises:
        CannotWrite, StoreError, MissingExtra: the database cannot be used.

    >>> from eyeprint.models.fakes import CountingChat, EchoChat
    >>> from eyeprint.models.kinds import Message
    >>> one = ChatRequest(messages=(Message(role="user", text="a red door"),))
    >>> inner = CountingChat(EchoChat())
    >>> with Ledger(":memory:") as ledger:
    ...     chat = ledger.wrap(inner)
    ...     replies = [asyncio.run(chat.reply(one)) for _ in range(2)]
    >>> inner.calls, replies[1].from_ledger
    (1, True)
    """

    def __init__(self, place: str | Path) -> None:
        from eyeprint.store.ledger_tables import ledger_url

        url = ledger_url(place)
        self.place = url.render_as_string(hide_password=True)
        """Where the ledger is, without any password."""
        self.accounts = Accounts()
        """What this process has used so far."""
        self._desk = Desk(url)
        self._flights: dict[str, asyncio.Task[Reply]] = {}
        self._settled: dict[str, Reply] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Finish writing and close the database."""
        self._desk.close()

    def wrap(
        self,
        chat: Chat,
        budget: Budget | None = None,
        *,
        price: Price | None = None,
    ) -> LedgerChat:
        """Return the chat with this ledger around it.

        Args:
            chat: the model.
            budget: the limit that its new calls share with others; ``None`` = no limit.
            price: to reckon with; by default the chat's own, else the price table's.
        """
        own = price or getattr(chat, "price", None) or price_of(chat.name)
        return LedgerChat(self, chat, budget, own)

    def answered(self, keys: Iterable[str]) -> set[str]:
        """Return those of the keys that have an answer."""
        import sqlalchemy as sql

        from eyeprint.store.ledger_tables import replies

        found: set[str] = set()
        remaining = iter(keys)
        while batch := list(islice(remaining, _BATCH)):
            query = sql.select(replies.c.key).where(
                replies.c.key.in_(batch), replies.c.outcome == "answered"
            )
            found.update(self._desk.run(lambda db, q=query: list(db.execute(q).scalars())))  # type: ignore[misc]
        return found

    def kept(self, key: str | None = None) -> Iterator[KeptReply]:
        """Yield kept replies in the order of their arrival: all, or one request's attempts."""
        import sqlalchemy as sql

        from eyeprint.store.ledger_tables import replies

        last = 0
        while True:
            query = sql.select(replies).where(replies.c.id > last).order_by(replies.c.id)
            if key is not None:
                query = query.where(replies.c.key == key)
            rows = self._desk.run(lambda db, q=query: db.execute(q.limit(_BATCH)).all())  # type: ignore[misc]
            if not rows:
                return
            for row in rows:
                yield KeptReply(row.key, row.attempt, row.model, row.made_at, reply_of(row))
            last = rows[-1].id

    def request(self, key: str) -> ChatRequest | None:
        """Return the request behind a key: kept replies can be read anew without a call."""
        import sqlalchemy as sql

        from eyeprint.store.ledger_tables import requests

        query = sql.select(requests.c.body).where(requests.c.key == key)
        body = self._desk.run(lambda db: db.execute(query).scalar())
        return None if body is None else ChatRequest.model_validate_json(body)

    def totals(self) -> tuple[KeptTotal, ...]:
        """Return number and cost of the kept replies by model and outcome, in that order."""
        import sqlalchemy as sql

        from eyeprint.store.ledger_tables import replies

        known = replies.c.cost_usd
        query = sql.select(
            replies.c.model,
            replies.c.outcome,
            sql.func.count(),
            sql.func.coalesce(sql.func.sum(known), 0.0),
            sql.func.count() - sql.func.count(known),
        ).group_by(replies.c.model, replies.c.outcome)
        rows = self._desk.run(lambda db: db.execute(query).all())
        return tuple(sorted(KeptTotal(*row) for row in rows))

    def take_in(self, path: str | Path) -> int:
        """Keep the replies of a rescue file (see :class:`ReplyNotKept`).

        Returns how many were not here yet: a file may be taken in twice.

        Raises:
            DataError: the file cannot be read, or holds something else.
        """
        path = Path(path)
        try:
            text = path.read_text(encoding="utf-8")
            entries = [entry_of(line) for line in text.splitlines() if line.strip()]
        except (OSError, ValueError, TypeError, KeyError) as error:
            raise DataError(f"{path}: no file of rescued replies ({error}).") from error
        taken = 0
        for start in range(0, len(entries), _BATCH):
            part = entries[start : start + _BATCH]

            def keep(connection: Connection, part: list[Entry] = part) -> int:
                new = not_kept_yet(connection, part)
                if new:
                    keep_entries(connection, new)
                return len(new)

            taken += self._desk.run(keep)
        return taken


class LedgerChat:
    """A chat behind a ledger: the same interface, but nothing is lost or paid twice."""

    def __init__(
        self,
        ledger: Ledger,
        chat: Chat,
        budget: Budget | None,
        price: Price | None,
    ) -> None:
        self.name = chat.name
        self.ledger_name = ledger_name(chat)
        self.price = price
        self._ledger, self._chat, self._budget = ledger, chat, budget

    def __repr__(self) -> str:
        return f"LedgerChat({self._chat!r}, {self._ledger.place!r})"

    async def reply(self, request: ChatRequest) -> Reply:
        """Return the kept answer, or ask; identical requests at once are one call.

        Raises:
            BudgetReached: the call, or the next try after a failed one, could pass the
                budget; it was not made.
            UsageError: a budget without a known price.
            StoreError: the ledger cannot be read or written.
        """
        body = request_json(request)
        key = _identity(self.ledger_name, body)
        flights = self._ledger._flights
        flight = flights.get(key)
        if flight is None or flight.get_loop() is not asyncio.get_running_loop():
            flight = asyncio.ensure_future(self._fly(key, body, request))
            flights[key] = flight
            flight.add_done_callback(lambda done: self._landed(key, done))
        else:
            self._ledger.accounts.book_joined(self.name)
        # Shielded: an asker that is cancelled must not tear down a call that is paid for.
        return await asyncio.shield(flight)

    async def close(self) -> None:
        """Close the model's connections, if it has any; the ledger stays open."""
        close = getattr(self._chat, "close", None)
        if close is not None:
            await close()

    def _landed(self, key: str, flight: asyncio.Task[Reply]) -> None:
        if self._ledger._flights.get(key) is flight:
            del self._ledger._flights[key]
        if not flight.cancelled():
            flight.exception()  # Seen, even when every asker has gone.

    async def _fly(self, key: str, body: str, request: ChatRequest) -> Reply:
        ledger = self._ledger
        settled = ledger._settled.get(key)
        if settled is not None:
            ledger.accounts.book_joined(self.name)
            return settled
        found = await ledger._desk.find(key)
        if found.answer is not None:
            ledger.accounts.book_from_ledger(self.name)
            return found.answer
        reply = await self._ask(_Call(key, body, found.attempts + 1), request)
        if reply.outcome != "answered":
            ledger._settled[key] = reply
        return reply

    async def _ask(self, call: _Call, request: ChatRequest) -> Reply:
        """Make one new call within the budget and keep what comes back."""
        from eyeprint.store.ledger_tables import now

        desk = self._ledger._desk
        if desk.broken is not None:
            raise desk.broken
        reply = self._cleaned(await self._paid(request))
        self._ledger.accounts.book_call(self.name, reply)
        entry = Entry(call.key, self.ledger_name, call.body, reply, now(), call.attempt)
        return await desk.keep(entry)

    async def _paid(self, request: ChatRequest) -> Reply:
        if self._budget is None:
            return await self._chat.reply(request)
        bound = self._budget.bound(self.name, request, self.price)
        money = OneReply(self._budget, self.name, bound)
        await money.first()
        reply: Reply | None = None
        try:
            with payer(money):
                reply = self._costed(await self._chat.reply(request))
        finally:
            money.end(reply)
        return reply

    def _costed(self, reply: Reply) -> Reply:
        """Return the reply with its cost, where usage and price are known."""
        if reply.cost_usd is not None or reply.outcome == "failed":
            return reply
        return reply.model_copy(update={"cost_usd": cost_of(self.price, reply.usage)})

    def _cleaned(self, reply: Reply) -> Reply:
        """Return the reply as every database can store it, so that it always reads the same."""
        reply = self._costed(reply)
        changes: dict[str, Any] = {"from_ledger": False}
        for field in ("text", "finish_reason", "served_model", "failure", "detail"):
            value = getattr(reply, field)
            if value:
                changes[field] = clean_text(value)
        return reply.model_copy(update=changes)
