"""Throughput of 64 parallel chat calls to a local server that answers in 200 ms.

The ideal is 64 / 0.2 s = 320 calls/s. Measured: eyeprint's client with and without the
ledger (SQLite, every reply durable before it is handed on), the ``openai`` package as
the straightforward twin, and answers served from the ledger.

Run it with ``python benchmarks/parallel_calls.py [CALLS]``; the server has a process of
its own.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from eyeprint.models.chat_http import http_chat
from eyeprint.models.kinds import ChatRequest, Message
from eyeprint.store.ledger import Ledger
from tests.servers.local_chat import LocalChatServer

AT_ONCE = 64
WORKERS = 96  # As many as run_items starts; the client keeps the calls under way at 64.
SECONDS = 0.2
IDEAL = AT_ONCE / SECONDS
PROMPT = "Describe the place in the words of the person below, please. " * 60


def request(run: str, i: int) -> ChatRequest:
    messages = (
        Message(role="system", text=PROMPT),
        Message(role="user", text=f"{run} question {i}"),
    )
    return ChatRequest(messages=messages, temperature=0.1, max_tokens=256, seed=42)


async def measure(
    name: str, call: Callable[[int], Awaitable[object]], calls: int, workers: int = AT_ONCE
) -> float:
    """Let workers make the calls; print and return the share of the ideal."""
    numbers = iter(range(calls))

    async def worker() -> None:
        for i in numbers:
            await call(i)

    started, cpu = time.perf_counter(), time.process_time()
    await asyncio.gather(*(worker() for _ in range(workers)))
    rate = calls / (time.perf_counter() - started)
    per_call = (time.process_time() - cpu) / calls * 1000
    print(
        f"{name:34} {rate:8.1f} calls/s {rate / IDEAL:7.1%} of ideal, {per_call:.2f} ms CPU a call"
    )
    return rate / IDEAL


async def compare(server: LocalChatServer, calls: int, folder: Path) -> None:
    import openai

    chat = http_chat(server.model())
    twin = openai.AsyncOpenAI(base_url=server.url, api_key="none", max_retries=0)

    async def with_openai(i: int) -> None:
        one = request("twin", i)
        await twin.chat.completions.create(
            model="m",
            messages=[{"role": m.role, "content": m.text} for m in one.messages],  # type: ignore[misc]
            temperature=one.temperature,
            max_tokens=one.max_tokens,
            seed=one.seed,
        )

    with Ledger(folder / "ledger.sqlite") as ledger:
        kept = ledger.wrap(chat)
        # Opening 64 connections is not what is measured.
        await measure("(warm-up)", lambda i: chat.reply(request("warm", i)), AT_ONCE)
        await measure("(warm-up, openai)", with_openai, AT_ONCE)
        for _ in range(2):
            await measure("eyeprint, no ledger", lambda i: chat.reply(request("bare", i)), calls)
            await measure("openai package, no ledger", with_openai, calls)
        for run in ("first", "second"):

            async def ask(i: int, run: str = run) -> object:
                return await kept.reply(request(run, i))

            await measure(f"eyeprint with ledger, {run}", ask, calls, WORKERS)
        await measure("answers from the ledger", lambda i: kept.reply(request("first", i)), calls)
    print(f"most calls at once, seen by the server: {server.counts()['most_in_flight']}")
    await chat.close()
    await twin.close()


def main() -> None:
    calls = int(sys.argv[1]) if len(sys.argv) > 1 else 1920
    with LocalChatServer(latency=SECONDS) as server, tempfile.TemporaryDirectory() as folder:
        print(f"ideal: {IDEAL:.0f} calls/s")
        asyncio.run(compare(server, calls, Path(folder)))


if __name__ == "__main__":
    main()
