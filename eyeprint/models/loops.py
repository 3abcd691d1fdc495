"""Running coroutines from ordinary functions, within a running event loop too.

Notebooks and web servers run their cells and handlers inside an event loop, where
``asyncio.run`` refuses to work. Library functions that call models therefore go through
:func:`run_to_end`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from contextvars import copy_context
from typing import Any, TypeVar

T = TypeVar("T")


def run_to_end(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine in an event loop of its own and return what it returns.

    Without a loop in this thread, this is ``asyncio.run``. Within one, a fresh thread runs
    it with a copy of the context variables, and the caller's loop stands still meanwhile, as
    for any ordinary function. A Ctrl-C then cancels the coroutine, waits for its end (work
    under way is written) and goes on as ``KeyboardInterrupt``.

    >>> async def three() -> int:
    ...     return 3
    >>> async def cell() -> int:
    ...     return run_to_end(three())
    >>> run_to_end(three()), asyncio.run(cell())
    (3, 3)
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(coroutine)
    return _run_aside(coroutine)


def _run_aside(coroutine: Coroutine[Any, Any, T]) -> T:
    begun: Future[tuple[asyncio.AbstractEventLoop, asyncio.Task[Any] | None]] = Future()

    async def watched() -> T:
        begun.set_result((asyncio.get_running_loop(), asyncio.current_task()))
        return await coroutine

    def work() -> T:
        return asyncio.run(watched())

    with ThreadPoolExecutor(1, thread_name_prefix="eyeprint-loop") as pool:
        end = pool.submit(copy_context().run, work)
        try:
            return end.result()
        finally:
            # Only a Ctrl-C (or the like) in this thread gets here before the end.
            if not end.done():
                loop, task = begun.result()
                if task is not None:
                    with suppress(RuntimeError):  # The loop has ended by itself meanwhile.
                        loop.call_soon_threadsafe(task.cancel)
                wait([end])
