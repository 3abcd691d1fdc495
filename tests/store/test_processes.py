"""Maps over processes keep the order and tell of deaths (CHECKLIST X17)."""

from __future__ import annotations

import math
import operator
import os
from collections.abc import Iterator
from functools import partial

import pytest

from eyeprint.errors import StoreError
from eyeprint.store.processes import map_in_processes


def test_x17_results_come_in_order_with_any_number_of_workers() -> None:
    expected = [math.isqrt(i) for i in range(500)]
    assert list(map_in_processes(math.isqrt, range(500), workers=1)) == expected
    assert list(map_in_processes(math.isqrt, range(500), workers=2, block=7)) == expected


def test_items_are_taken_only_as_they_are_needed() -> None:
    taken = 0

    def items() -> Iterator[int]:
        nonlocal taken
        for i in range(10_000):
            taken += 1
            yield i

    results = map_in_processes(abs, items(), workers=2, block=4)
    assert next(results) == 0
    assert taken <= 2 * 3 * 4
    results.close()  # type: ignore[attr-defined]


def test_an_error_of_the_function_is_raised_in_its_turn() -> None:
    results = map_in_processes(partial(operator.truediv, 12), [1, 2, 0, 3], workers=2, block=1)
    assert [next(results), next(results)] == [12.0, 6.0]
    with pytest.raises(ZeroDivisionError):
        next(results)


def test_a_worker_that_dies_is_told_with_its_items() -> None:
    with pytest.raises(StoreError, match=r"items 0 to \d+ were under way.*--workers"):
        list(map_in_processes(os._exit, [3, 3], workers=2, block=1))


@pytest.mark.parametrize(("workers", "block"), [(0, 1), (1, 0)])
def test_nonsense_is_refused(workers: int, block: int) -> None:
    with pytest.raises(ValueError, match="at least 1"):
        list(map_in_processes(abs, [1], workers, block))
