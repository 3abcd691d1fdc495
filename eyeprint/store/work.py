"""Maps items to results, each exactly once, with what a person wants to see meanwhile.

For work that waits for models: many items at once in one event loop, rows into shards,
failures apart, a stop that loses nothing (CHECKLIST X17). Work that computes goes to
:mod:`eyeprint.store.processes`.
"""

from __future__ import annotations

import asyncio
import signal
import threading
import time
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from typing import Any, Literal, NamedTuple, TypeVar

from pydantic import Field

from eyeprint.config import Settings
from eyeprint.errors import BudgetReached, CallFailed, DataError, StoreError
from eyeprint.randomness import stable_digest
from eyeprint.store.shards import FailedItem, Row, ShardTable, row_json

T = TypeVar("T")

Stop = Literal["budget", "interrupted"]


class WorkSettings(Settings):
    """How items are worked on; none of it changes a result's bytes."""

    at_once: int = Field(default=96, ge=1)
    """Items under way. More than the calls that a client makes at once (64), so that the
    line to the server stays busy while other items' replies are being kept."""
    shard_rows: int = Field(default=512, ge=1)
    """Rows in one shard."""
    shard_seconds: float = Field(default=15.0, gt=0)
    """A shard is written after this time even if it is not full."""
    progress_seconds: float = Field(default=0.25, ge=0)
    """Least time between two progress events."""


class Progress(NamedTuple):
    """Where a run stands."""

    done: int
    """Items done in this session."""
    failed: int
    skipped: int
    """Items that were done before this session."""
    total: int | None
    """All items, when their number is known."""
    seconds: float
    rate: float
    """Items per second over the last half minute."""
    eta_seconds: float | None
    spent_usd: float | None
    """Money spent in this session; ``None`` when it is not known."""


class WorkSummary(NamedTuple):
    """How a session ended."""

    done: int
    failed: int
    skipped: int
    failures: dict[str, int]
    """Kind -> number, over the failures of this session."""
    stopped: Stop | None
    """Why it ended before all items were tried; ``None`` when they were."""
    reason: str
    """What to tell the person when it stopped."""
    seconds: float

    @property
    def complete(self) -> bool:
        """Whether every item is done."""
        return self.stopped is None and self.failed == 0


class _Pace:
    """Rate over the last 30 seconds."""

    def __init__(self) -> None:
        self.marks: deque[tuple[float, int]] = deque([(time.monotonic(), 0)])

    def rate(self, done: int) -> float:
        now = time.monotonic()
        self.marks.append((now, done))
        while len(self.marks) > 2 and now - self.marks[0][0] > 30:
            self.marks.popleft()
        elapsed = now - self.marks[0][0]
        return (done - self.marks[0][1]) / elapsed if elapsed > 0 else 0.0


async def run_items(
    items: Iterable[T],
    do: Callable[[T], Awaitable[Any]],
    table: ShardTable,
    *,
    key: Callable[[T], str],
    settings: WorkSettings | None = None,
    total: int | None = None,
    on_progress: Callable[[Progress], None] | None = None,
    spent: Callable[[], float | None] | None = None,
) -> WorkSummary:
    """Do every item that is not done yet, and merge the table when all have been tried.

    Items may come from a generator of any length; only those under way and one shard of
    rows are held. ``do`` returns a row: a pydantic model or JSON-able values. An item whose
    ``do`` raises :class:`CallFailed` or :class:`DataError` is set apart as a failure, and
    the next session tries it again. At the end of the budget, or at the first Ctrl-C, no
    new item is begun; those under way are finished and written. A second Ctrl-C stops at
    once, and what is complete is written. Any other error ends the work in the same way and
    is raised: it is a fault in the program, or a disk that takes no more.

    Args:
        items: the same items in the same order in every session.
        do: the work.
        table: where rows go.
        key: an item's name, unique among the items.
        settings: numbers that change no result.
        total: how many items there are, for the time left.
        on_progress: told how far the work is.
        spent: asked for the money, for example ``ledger.accounts.spent_usd``.

    Raises:
        StoreError: keys are not unique, or the items are not those of the last session.
    """
    run = _Run(do, table, settings or WorkSettings(), total, on_progress, spent)
    return await run.all(enumerate(items), key)


class _Run:
    """The state of one session."""

    def __init__(
        self,
        do: Callable[[Any], Awaitable[Any]],
        table: ShardTable,
        settings: WorkSettings,
        total: int | None,
        on_progress: Callable[[Progress], None] | None,
        spent: Callable[[], float | None] | None,
    ) -> None:
        self.do, self.table, self.settings = do, table, settings
        self.total, self.on_progress, self.spent = total, on_progress, spent
        self.finished = self.failed = self.skipped = 0
        self.kinds: dict[str, int] = {}
        self.rows: list[Row] = []
        self.stop: Stop | None = None
        self.reason = ""
        self.halted = False
        self.writes: set[asyncio.Future[None]] = set()
        self.started = self.flushed = self.shown = time.monotonic()
        self.pace = _Pace()
        self.writing = asyncio.Lock()

    async def all(self, items: Iterator[tuple[int, T]], key: Callable[[T], str]) -> WorkSummary:
        done = await asyncio.to_thread(self.table.done_keys)
        todo = self._todo(items, key, done)
        workers = [asyncio.ensure_future(self._worker(todo)) for _ in range(self.settings.at_once)]
        with _Interrupts(self._interrupted, workers):
            try:
                # Not gather: when one worker meets an error, the others' calls are paid for.
                await asyncio.wait(workers)
            finally:
                for worker in workers:
                    worker.cancel()
                ends = await asyncio.gather(*workers, return_exceptions=True)
                await asyncio.gather(*self.writes, return_exceptions=True)
                self.table.append(self.rows)
                self.rows = []
                self.table.write_failures()
        for end in ends:
            # Workers are cancelled by a second Ctrl-C only.
            if isinstance(end, BaseException) and not isinstance(end, asyncio.CancelledError):
                raise end
        if self.stop is None and self.halted:
            raise StoreError(
                "The work on an item was cancelled from within, by a model or a plug-in, so that "
                "items are left. Run the same command again: it goes on with them."
            )
        if self.stop is None:
            await asyncio.to_thread(self.table.finish)
        self._show(last=True)
        return WorkSummary(
            done=self.finished,
            failed=self.failed,
            skipped=self.skipped,
            failures=dict(sorted(self.kinds.items())),
            stopped=self.stop,
            reason=self.reason,
            seconds=time.monotonic() - self.started,
        )

    def _todo(
        self, items: Iterator[tuple[int, T]], key: Callable[[T], str], done: dict[str, int]
    ) -> Iterator[tuple[int, str, T]]:
        """Yield the items that are left, until something stops the run."""
        seen = set[int]()
        for index, item in items:
            name = key(item)
            before = done.get(name)
            if before is not None and before != index:
                raise StoreError(
                    f"'{name}' was item {before} and is now item {index}: the items have changed, "
                    "or two have the same key. Name a new folder with --out."
                )
            mark = _mark(name)
            if mark in seen:
                raise StoreError(f"Two items have the key '{name}': keys must be unique.")
            seen.add(mark)
            if before is not None:
                self.skipped += 1
                continue
            if self.stop is not None or self.halted:
                return
            yield index, name, item

    async def _worker(self, todo: Iterator[tuple[int, str, Any]]) -> None:
        try:
            await self._work(todo)
        except BaseException:
            self.halted = True
            raise

    async def _work(self, todo: Iterator[tuple[int, str, Any]]) -> None:
        for index, name, item in todo:
            try:
                value = await self.do(item)
            except BudgetReached as error:
                self.stop, self.reason = self.stop or "budget", self.reason or str(error)
            except CallFailed as error:
                self._fail(FailedItem(index, name, error.kind, str(error)))
            except DataError as error:
                self._fail(FailedItem(index, name, "data", str(error)))
            else:
                self.rows.append(Row(index, name, row_json(value)))
                self.finished += 1
            await self._flush_if_due()
            self._show()

    def _fail(self, failure: FailedItem) -> None:
        self.failed += 1
        self.kinds[failure.kind] = self.kinds.get(failure.kind, 0) + 1
        self.table.failed(failure)

    async def _flush_if_due(self) -> None:
        # One shard is written while the next one fills; when that is full too, the workers
        # wait: they may be faster than the disk.
        while self.writes and len(self.rows) >= self.settings.shard_rows:
            await asyncio.wait(set(self.writes))
        waited = time.monotonic() - self.flushed
        if len(self.rows) < self.settings.shard_rows and waited < self.settings.shard_seconds:
            return
        self.flushed = time.monotonic()
        rows, self.rows = self.rows, []
        write = asyncio.ensure_future(self._write(rows))
        self.writes.add(write)
        write.add_done_callback(self.writes.discard)
        # Shielded: a shard that is being written is not to be torn from its rows.
        await asyncio.shield(write)

    async def _write(self, rows: list[Row]) -> None:
        async with self.writing:
            try:
                await asyncio.to_thread(self.table.append, rows)
            except StoreError:
                self.rows = rows + self.rows  # For one more try at the end.
                raise
            await asyncio.to_thread(self.table.write_failures)

    def _interrupted(self) -> None:
        self.stop = "interrupted"
        self.reason = "Stopped by Ctrl-C. Run the same command again to go on where it stopped."

    def _show(self, *, last: bool = False) -> None:
        now = time.monotonic()
        if self.on_progress is None:
            return
        if not last and now - self.shown < self.settings.progress_seconds:
            return
        self.shown = now
        tried = self.finished + self.failed
        rate = self.pace.rate(tried)
        left = None if self.total is None else self.total - self.skipped - tried
        self.on_progress(
            Progress(
                done=self.finished,
                failed=self.failed,
                skipped=self.skipped,
                total=self.total,
                seconds=now - self.started,
                rate=rate,
                eta_seconds=left / rate if left is not None and rate > 0 else None,
                spent_usd=self.spent() if self.spent is not None else None,
            )
        )


def _mark(name: str) -> int:
    """Return a 128-bit mark of a key: a set of marks is smaller than a set of keys."""
    return int.from_bytes(stable_digest(name)[:16], "little")


class _Interrupts:
    """First Ctrl-C: stop gently. Second: cancel the workers. Elsewhere than in the main
    thread, signals are left alone."""

    def __init__(self, gently: Callable[[], None], workers: Sequence[asyncio.Future[None]]) -> None:
        self.gently, self.workers = gently, workers
        self.count = 0
        self.before: Any = None
        self.mine = threading.current_thread() is threading.main_thread()

    def __enter__(self) -> None:
        if self.mine:
            loop = asyncio.get_running_loop()

            def caught(number: int, frame: object) -> None:
                loop.call_soon_threadsafe(self._interrupt)

            self.before = signal.signal(signal.SIGINT, caught)

    def _interrupt(self) -> None:
        self.count += 1
        self.gently()
        if self.count > 1:
            for worker in self.workers:
                worker.cancel()

    def __exit__(self, *_: object) -> None:
        if self.mine:
            signal.signal(signal.SIGINT, self.before)
