"""The work map: exactly once, failures apart, stops that lose nothing (CHECKLIST X17)."""

from __future__ import annotations

import asyncio
import os
import signal
import tracemalloc
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from eyeprint.errors import BudgetReached, CallFailed, CannotWrite, DataError, StoreError
from eyeprint.store.shards import Row, ShardTable
from eyeprint.store.work import Progress, WorkSettings, WorkSummary, run_items

QUICK = WorkSettings(at_once=8, shard_rows=7, progress_seconds=0.0)


def key(item: int) -> str:
    return f"k{item}"


def run(table: ShardTable, items: object, do: object, **options: object) -> WorkSummary:
    options.setdefault("settings", QUICK)
    return asyncio.run(run_items(items, do, table, key=key, **options))  # type: ignore[arg-type]


async def double(item: int) -> dict[str, int]:
    await asyncio.sleep((item * 7 % 5) / 2000)
    return {"item": item, "double": 2 * item}


def test_x17_every_item_once_and_in_order_whatever_the_concurrency(tmp_path: Path) -> None:
    made = []
    for at_once in (1, 3, 50):
        table = ShardTable(tmp_path / str(at_once))
        settings = WorkSettings(at_once=at_once, shard_rows=at_once + 1)
        summary = run(table, range(60), double, settings=settings)
        assert (summary.done, summary.failed, summary.skipped) == (60, 0, 0)
        assert summary.complete
        made.append(table.merged_path.read_bytes())
    assert made[0] == made[1] == made[2]
    assert made[0].splitlines()[59] == b'{"item":59,"double":118}'


def test_x17_a_second_session_does_only_what_is_left(tmp_path: Path) -> None:
    calls: Counter[int] = Counter()

    async def flaky(item: int) -> int:
        calls[item] += 1
        if item % 4 == 0 and calls[item] == 1:
            raise CallFailed("timeout", "too slow")
        if item == 5 and calls[item] == 1:
            raise DataError("persona 5 has no posts")
        return item

    table = ShardTable(tmp_path)
    first = run(table, range(12), flaky)
    assert (first.done, first.failed, first.failures) == (8, 4, {"data": 1, "timeout": 3})
    assert not first.complete
    assert [failure.key for failure in table.failures()] == ["k0", "k4", "k5", "k8"]
    assert len(table.merged_path.read_text().split()) == 8

    table = ShardTable(tmp_path)
    second = run(table, range(12), flaky)
    assert (second.done, second.failed, second.skipped) == (4, 0, 8)
    assert set(calls.values()) == {1, 2}
    assert sum(calls.values()) == 16
    assert table.merged_path.read_text().split() == [str(i) for i in range(12)]
    assert not table.failures_path.exists()


def test_x17_the_end_of_the_budget_finishes_what_is_under_way(tmp_path: Path) -> None:
    started: list[int] = []

    async def dear(item: int) -> int:
        started.append(item)
        if item == 10:
            raise BudgetReached("The budget of $5.00 is used up")
        await asyncio.sleep(0.01)
        return item

    table = ShardTable(tmp_path)
    summary = run(table, range(1000), dear)
    assert (summary.stopped, summary.reason) == ("budget", "The budget of $5.00 is used up")
    assert len(started) < 30
    assert set(table.done_keys()) == {key(item) for item in started if item != 10}
    assert not table.merged_path.exists()
    assert table.failures() == (), "an item that was not paid for has not failed"


def test_x17_ctrl_c_finishes_what_is_under_way_and_the_next_run_goes_on(tmp_path: Path) -> None:
    async def slow(item: int) -> int:
        if item == 20:
            os.kill(os.getpid(), signal.SIGINT)
        await asyncio.sleep(0.01)
        return item

    before = signal.getsignal(signal.SIGINT)
    table = ShardTable(tmp_path)
    summary = run(table, range(200), slow)
    assert summary.stopped == "interrupted"
    assert "same command again" in summary.reason
    assert 20 <= summary.done < 60
    assert len(table.done_keys()) == summary.done
    assert signal.getsignal(signal.SIGINT) == before

    async def rest(item: int) -> int:
        return item

    assert run(ShardTable(tmp_path), range(200), rest).skipped == summary.done
    assert table.merged_path.read_text().split() == [str(i) for i in range(200)]


def test_x17_a_second_ctrl_c_does_not_wait(tmp_path: Path) -> None:
    async def stuck(item: int) -> int:
        if item == 3:
            os.kill(os.getpid(), signal.SIGINT)
            await asyncio.sleep(0.01)
            os.kill(os.getpid(), signal.SIGINT)
        await asyncio.sleep(0 if item < 3 else 50)
        return item

    table = ShardTable(tmp_path)
    summary = run(table, range(9), stuck)
    assert summary.stopped == "interrupted"
    assert set(table.done_keys()) == {"k0", "k1", "k2"}


def test_a_fault_in_the_program_is_raised_after_the_rest_is_written(tmp_path: Path) -> None:
    async def faulty(item: int) -> int:
        if item == 5:
            await asyncio.sleep(0.005)
            raise ZeroDivisionError
        await asyncio.sleep(0.01)
        return item

    table = ShardTable(tmp_path)
    with pytest.raises(ZeroDivisionError):
        run(table, range(100), faulty)
    done = set(table.done_keys())
    assert {"k0", "k1", "k2", "k3", "k4", "k6", "k7"} <= done
    assert len(done) < 20


def test_cancelling_from_outside_writes_what_is_done(tmp_path: Path) -> None:
    async def some(item: int) -> int:
        await asyncio.sleep(0 if item < 10 else 50)
        return item

    async def impatient(table: ShardTable) -> None:
        work = run_items(range(20), some, table, key=key, settings=QUICK)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(work, 0.2)

    table = ShardTable(tmp_path)
    asyncio.run(impatient(table))
    assert set(table.done_keys()) == {key(i) for i in range(10)}


def test_a_disk_that_takes_no_more_stops_the_run_and_keeps_the_shards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = ShardTable(tmp_path)
    real = table.append

    def filling(rows: list[Row]) -> None:
        if table._next >= 2 and rows:
            raise CannotWrite("the disk is full")
        real(rows)

    monkeypatch.setattr(table, "append", filling)
    with pytest.raises(CannotWrite, match="full"):
        run(table, range(500), double)
    assert 14 <= len(ShardTable(tmp_path).done_keys()) < 40


def test_changed_items_and_double_keys_are_refused(tmp_path: Path) -> None:
    table = ShardTable(tmp_path)
    run(table, range(5), double)
    with pytest.raises(StoreError, match="items have changed"):
        run(table, [1, 0, 2], double)
    with pytest.raises(StoreError, match="unique"):
        run(ShardTable(tmp_path / "other"), [1, 2, 1], double)


def test_progress_tells_rate_time_left_and_money(tmp_path: Path) -> None:
    seen: list[Progress] = []
    run(
        ShardTable(tmp_path),
        range(30),
        double,
        total=30,
        on_progress=seen.append,
        spent=lambda: 1.5,
    )
    assert [progress.done for progress in seen] == sorted(progress.done for progress in seen)
    assert (seen[-1].done, seen[-1].total, seen[-1].spent_usd) == (30, 30, 1.5)
    middle = seen[len(seen) // 2]
    assert middle.rate > 0
    assert middle.eta_seconds == pytest.approx((30 - middle.done) / middle.rate)


def test_x17_items_from_a_long_generator_are_not_held(tmp_path: Path) -> None:
    alive = 0
    most = 0

    def items() -> Iterator[int]:
        nonlocal alive, most
        for i in range(4_000):
            alive += 1
            most = max(most, alive)
            yield i

    async def do(item: int) -> str:
        nonlocal alive
        alive -= 1
        return f"{item:010000}"

    tracemalloc.start()
    settings = WorkSettings(at_once=16, shard_rows=100)
    summary = run(ShardTable(tmp_path), items(), do, settings=settings)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert summary.done == 4_000
    assert most <= 17
    # All rows would be 40 MB; one shard is 1 MB, twice while it is written.
    assert peak < 10e6


def test_no_items_is_a_finished_run(tmp_path: Path) -> None:
    table = ShardTable(tmp_path)
    assert run(table, [], double).complete
    assert table.merged_path.read_bytes() == b""


def test_x17_work_that_cancels_itself_leaves_no_gap_that_passes_for_finished(
    tmp_path: Path,
) -> None:
    table = ShardTable(tmp_path)

    async def gives_up(item: int) -> int:
        if item == 3:
            raise asyncio.CancelledError
        return await double(item)

    with pytest.raises(StoreError, match="cancelled from within"):
        run(table, range(20), gives_up)
    assert not table.merged_path.exists()
    assert run(table, range(20), double).complete
