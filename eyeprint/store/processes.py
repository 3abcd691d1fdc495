"""An ordered map over processes, for work that computes (CHECKLIST X17).

Results come in the order of the items, whatever the number of workers; a worker takes
items in blocks, and only a few blocks are under way, so items may be a long generator.
"""

from __future__ import annotations

import multiprocessing
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from typing import TypeVar

from eyeprint.errors import StoreError

T = TypeVar("T")
R = TypeVar("R")

BLOCKS_PER_WORKER = 3
"""Blocks that are under way or wait to be fetched, per worker."""


def _block(function: Callable[[T], R], items: list[T]) -> list[R]:
    return [function(item) for item in items]


def map_in_processes(
    function: Callable[[T], R], items: Iterable[T], workers: int, block: int = 16
) -> Iterator[R]:
    """Yield ``function(item)`` for each item, in the items' order.

    Args:
        function: importable by name (no lambda); equal items must give equal results.
        items: picklable; may be a generator.
        workers: processes; 1 computes in this process.
        block: items that a worker takes at a time.

    Raises:
        StoreError: a worker process died; the items that it may have been at are told.
        ValueError: fewer than one worker, or an empty block.

    An error that ``function`` raises is raised here when its item's turn has come.

    >>> list(map_in_processes(abs, [-2, 1, -3], workers=1))
    [2, 1, 3]
    """
    if workers < 1 or block < 1:
        raise ValueError(f"workers and block must be at least 1: {workers}, {block}")
    if workers == 1:
        yield from map(function, items)
        return
    remaining = iter(items)
    # Spawned, not forked: a fork copies locks that other threads hold, as those of ONNX
    # Runtime and of the ledger do.
    context = multiprocessing.get_context("spawn")
    started = 0
    with ProcessPoolExecutor(workers, mp_context=context) as pool:
        waiting: deque[tuple[int, int, Future[list[R]]]] = deque()
        try:
            while True:
                while len(waiting) < workers * BLOCKS_PER_WORKER:
                    part = list(islice(remaining, block))
                    if not part:
                        break
                    try:
                        future = pool.submit(_block, function, part)
                    except BrokenProcessPool as error:
                        raise _died(waiting[0][0] if waiting else started, started) from error
                    waiting.append((started, len(part), future))
                    started += len(part)
                if not waiting:
                    return
                first, _, future = waiting.popleft()
                try:
                    results = future.result()
                except BrokenProcessPool as error:
                    raise _died(first, started) from error
                yield from results
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _died(first: int, end: int) -> StoreError:
    return StoreError(
        f"A worker process died while items {first} to {max(first, end - 1)} were under way: it "
        "was killed, or ran out of memory. Run the same command again, with fewer workers "
        "(--workers) if memory is short; what is finished is kept."
    )
