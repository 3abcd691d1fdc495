"""Chat models behind any server that speaks the OpenAI protocol (CHECKLIST X1).

Hosted services, vLLM, Ollama and llama.cpp all do. The calls go through httpx2
(:mod:`eyeprint.models.http_wire`) and not through the ``openai`` package: measured on two
cores with 64 calls at once against a server that answers in 200 ms, the package costs
1.1–1.3 ms of processor time a call and reaches 289 calls/s without any ledger; httpx2
costs 0.5 ms and reaches 306 of the ideal 320 (``benchmarks/parallel_calls.py``). Its
retries would be of no use either: ours are visible, bounded and repeatable.

A key is read from the environment when the model is made. It goes into the request's
header and nowhere else: not into names, texts of errors, ledgers, logs or ``repr``.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from pydantic import Field

from eyeprint.config import Settings, fingerprint_of
from eyeprint.models.attempts import ask_to_try_again
from eyeprint.models.chat_wire import (
    Failure,
    LimitField,
    read_completion,
    read_failure,
    request_body,
)
from eyeprint.models.hosts import address_of
from eyeprint.models.http_wire import Tries, client_options, failure_of
from eyeprint.models.kinds import ChatRequest, Reply
from eyeprint.models.prices import Price, cost_of, price_of
from eyeprint.models.retries import RetryPolicy, Waiting, read_retry_after

if TYPE_CHECKING:
    import httpx2

POOL_SIZE = 8
"""Connections in one pool. The pools look at each of their connections for every call, so
several small ones cost less than a large one: 0.62 instead of 0.78 ms a call."""


class HttpSettings(Settings):
    """How a server is called; none of it changes what a reply says."""

    timeout: float = Field(default=180.0, gt=0)
    """Seconds for one call, from connecting to the last byte."""
    connect_timeout: float = Field(default=10.0, gt=0)
    """Seconds to reach the server."""
    at_once: int = Field(default=64, ge=1)
    """Calls under way at the same time; further ones wait for their turn. A call that
    waits before being made again, or whose reply is being kept, does not count."""
    retry: RetryPolicy = RetryPolicy()
    limit_field: LimitField | None = None
    """Name of the field that limits the output; ``None`` = as ``data/hosts.toml`` says.
    Set it when a server answers "unsupported parameter: max_tokens"."""


class _Line(NamedTuple):
    """The connections of one event loop: they cannot be used from another."""

    loop: asyncio.AbstractEventLoop
    clients: tuple[httpx2.AsyncClient, ...]
    slots: asyncio.Semaphore
    free: list[httpx2.AsyncClient]
    """One entry for each free slot; the one used last is used next, as it is still warm."""


class HttpChat:
    """One model on one server. Calls may run at once, in any number of tasks.

    ``reply`` never raises for what a server did: a call that ended without a reply comes
    back with ``outcome="failed"`` and its kind.
    """

    def __init__(
        self,
        name: str,
        *,
        url: str,
        model: str,
        key: str | None = None,
        settings: HttpSettings | None = None,
        limit_field: LimitField = "max_tokens",
        price: Price | None = None,
        on_wait: Callable[[Waiting], None] | None = None,
        ledger_name: str | None = None,
    ) -> None:
        self.name = name
        self.url = url.rstrip("/")
        self.model = model
        self.settings = settings or HttpSettings()
        self.price = price if price is not None else price_of(name)
        self.on_wait = on_wait
        self.ledger_name = ledger_name or name
        """What ledgers know this model by: the URL counts where it is not the usual one."""
        self._key = key
        self._limit_field: LimitField = self.settings.limit_field or limit_field
        self._line: _Line | None = None

    def __repr__(self) -> str:
        return f"HttpChat({self.name!r}, url={self.url!r})"

    async def reply(self, request: ChatRequest) -> Reply:
        """Answer one request; calls that may pass are made again, within bounds.

        Raises:
            BudgetReached: a call failed, and the next one could pass the budget.
        """
        body = request_body(request, self.model, self._limit_field)
        started = time.perf_counter()
        tries = Tries(self.name, self.settings.retry, self._key, self.on_wait)
        while True:
            result, retry_after = await self._call(body)
            seconds = time.perf_counter() - started
            if isinstance(result, Reply):
                cost = cost_of(self.price, result.usage)
                return result.model_copy(update={"seconds": seconds, "cost_usd": cost})
            failed = Reply(
                outcome="failed",
                failure=result.kind,
                detail=tries.told(result),
                seconds=seconds,
                maybe_billed=result.maybe_billed,
            )
            if not tries.again(result):
                return failed
            await ask_to_try_again(failed)
            one = fingerprint_of([self.name, body.decode("ascii")])
            await asyncio.sleep(tries.wait(result, one, retry_after))

    async def _call(self, body: bytes) -> tuple[Reply | Failure, float | None]:
        """Make one call; return what came of it and the Retry-After that came with it."""
        import httpx2

        line = self._line_here()
        try:
            async with line.slots, asyncio.timeout(self.settings.timeout):
                client = line.free.pop()
                try:
                    answer = await client.post(f"{self.url}/chat/completions", content=body)
                finally:
                    line.free.append(client)
        except (TimeoutError, httpx2.RequestError) as error:
            return failure_of(error, self.url, self.settings.timeout), None
        if answer.status_code == 200:
            return read_completion(answer.content), None
        retry_after = read_retry_after(answer.headers.get("retry-after"))
        return read_failure(answer.status_code, answer.content), retry_after

    def _line_here(self) -> _Line:
        loop = asyncio.get_running_loop()
        if self._line is not None and self._line.loop is loop:
            return self._line
        import httpx2

        options = client_options(self.url, self._key)
        at_once = self.settings.at_once
        clients = tuple(
            httpx2.AsyncClient(
                timeout=httpx2.Timeout(None, connect=self.settings.connect_timeout),
                limits=httpx2.Limits(
                    max_connections=POOL_SIZE, max_keepalive_connections=POOL_SIZE
                ),
                **options,
            )
            for _ in range(-(-at_once // POOL_SIZE))
        )
        free = [client for client in clients for _ in range(POOL_SIZE)]
        self._line = _Line(loop, clients, asyncio.Semaphore(at_once), free)
        return self._line

    async def close(self) -> None:
        """Close the connections of the running loop; a later call opens new ones."""
        if self._line is not None and self._line.loop is asyncio.get_running_loop():
            line, self._line = self._line, None
            for client in line.clients:
                await client.aclose()


def http_chat(
    name: str,
    *,
    settings: HttpSettings | None = None,
    price: Price | None = None,
    on_wait: Callable[[Waiting], None] | None = None,
    needs_key: bool = True,
) -> HttpChat:
    """Return the model of a name such as ``openai/gpt-4o-mini`` or ``http://HOST/v1#MODEL``.

    Raises:
        UnknownName, UsageError, ModelUnavailable: see
            :func:`eyeprint.models.hosts.address_of`.

    >>> http_chat("http://127.0.0.1:8000/v1#qwen").model
    'qwen'
    """
    found = address_of(name, needs_key)
    return HttpChat(
        name,
        url=found.url,
        model=found.model,
        key=found.key,
        settings=settings,
        limit_field=found.limit_field,
        price=price,
        on_wait=on_wait,
        ledger_name=f"{name} at {found.url}" if found.moved else name,
    )
