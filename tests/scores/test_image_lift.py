"""Lift over strangers: own references against another person's."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyeprint.records.cases import Case
from eyeprint.scores.image_lift import lift_of, mean_cosine, strangers


def cases(sizes, split="real"):
    return [
        Case(id=f"{split}-{p}-{n}", person_id=f"{p}", split=split, prompt="x", references=("r",))
        for p, size in enumerate(sizes)
        for n in range(size)
    ]


@given(st.lists(st.integers(1, 6), min_size=2, max_size=8), st.integers(0, 99))
def test_p47_no_case_meets_its_own_person_and_each_stranger_serves_once(sizes, seed):
    rows = cases(sizes)
    owner = {case.id: case.person_id for case in rows}
    found = strangers(rows, seed)
    assert all(owner[a] != owner[b] for a, b in found.items())
    assert len(set(found.values())) == len(found)
    if max(sizes) * 2 <= sum(sizes):
        assert found.keys() == owner.keys()


def test_p47_strangers_are_of_the_same_split():
    rows = cases([2, 2]) + cases([2, 2], "synthetic")
    assert all(a.split("-")[0] == b.split("-")[0] for a, b in strangers(rows, 0).items())


def test_p47_one_person_alone_has_no_stranger():
    assert strangers(cases([3]), 0) == {}


def slow_mean_cosine(output, references, clipped):
    total = 0.0
    for reference in references:
        value = 100.0 * sum(float(a) * float(b) for a, b in zip(output, reference, strict=True))
        total += max(value, 0.0) if clipped else value
    return total / len(references)


@given(st.integers(1, 5), st.integers(0, 2**31), st.booleans())
def test_p47_mean_cosine_equals_the_loop(count, seed, clipped):
    rows = np.random.default_rng(seed).normal(size=(count + 1, 7))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    fast = mean_cosine(rows[0], rows[1:], clipped)
    assert fast == pytest.approx(slow_mean_cosine(rows[0], rows[1:], clipped), abs=1e-9)


def test_p47_the_lift_is_the_mean_difference_with_persons_resampled():
    # Differences: a 4, b 2, c 0, d -2 -> mean 1; three of four would be 3/4, two are above 0.
    pairs = {"a": (54.0, 50.0), "b": (52.0, 50.0), "c": (50.0, 50.0), "d": (48.0, 50.0)}
    found = lift_of("m", "PAL", pairs, {"a": "p", "b": "p", "c": "q", "d": "r"}, 500, 1)
    assert found.lift.mean == 1.0 and found.lift.clusters == 3
    assert found.lift.low <= 1.0 <= found.lift.high
    assert found.positive == 0.5
    assert (found.own, found.stranger) == (51.0, 50.0)
    assert found == lift_of("m", "PAL", pairs, {"a": "p", "b": "p", "c": "q", "d": "r"}, 500, 1)


def test_p47_no_pair_no_lift():
    found = lift_of("m", "PAL", {}, {}, 100, 0)
    assert found.own is None and found.lift.mean is None and found.positive is None
