"""Largest remainders against an exact twin in fractions."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyeprint.maths.apportion import largest_remainder


def twin(weights: list[int], total: int, caps: list[int]) -> list[int]:
    """The same rule in exact fractions, one unit at a time."""
    granted = [0] * len(weights)
    left = min(total, sum(caps))
    while left:
        open_ = [i for i in range(len(weights)) if granted[i] < caps[i]]
        claims = {i: Fraction(weights[i]) for i in open_}
        if sum(claims.values()) == 0:
            claims = dict.fromkeys(open_, Fraction(1))
        whole = sum(claims.values())
        round_total, fractions = left, {}
        for i in open_:
            share = round_total * claims[i] / whole
            fractions[i] = share - share.numerator // share.denominator
            give = min(share.numerator // share.denominator, caps[i] - granted[i])
            granted[i] += give
            left -= give
        for i in sorted(open_, key=lambda i: (-fractions[i], i)):
            if left and granted[i] < caps[i]:
                granted[i] += 1
                left -= 1
    return granted


cases = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 6)), max_size=7)


@given(cases, st.integers(0, 40))
def test_v34_agrees_with_exact_fractions(pairs, total):
    weights, caps = [w for w, _ in pairs], [c for _, c in pairs]
    found = largest_remainder(weights, total, caps)
    assert found.tolist() == twin(weights, total, caps)
    assert found.sum() == min(total, sum(caps))
    assert all(0 <= f <= c for f, c in zip(found, caps, strict=True))


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=8), st.integers(0, 50))
def test_v34_without_caps_each_share_is_rounded_up_or_down(weights, total):
    found = largest_remainder(weights, total)
    assert found.sum() == total
    whole = sum(weights)
    if whole > 1e-3:
        for grant, weight in zip(found, weights, strict=True):
            assert abs(grant - total * weight / whole) < 1 + 1e-6


def test_v34_one_post_with_two_elements_gives_two_of_three():
    # Q = 3, one post, n = 2: the printed floor gives 3, more than the post has.
    assert largest_remainder([2.0], 3, caps=[2]).tolist() == [2]


def test_v34_leftovers_go_to_the_largest_fractions_ties_by_order():
    # Shares of 4 by weights 1:1:1 are 1.333 each; floors 1, 1, 1; the one left to the first.
    assert largest_remainder([1, 1, 1], 4).tolist() == [2, 1, 1]
    # Shares of 3 by .5 .3 .2 are 1.5 .9 .6; floors 1 0 0; .9 and .6 take the two left.
    assert largest_remainder([0.5, 0.3, 0.2], 3).tolist() == [1, 1, 1]


def test_v34_an_empty_category_gives_nothing():
    assert largest_remainder([0.0, 0.0], 3, caps=[0, 0]).tolist() == [0, 0]
    assert largest_remainder([], 3).tolist() == []


def test_v34_shares_just_under_a_whole_number_count_as_it():
    # 0.29 * 100 is 28.999999999999996 in floating point.
    assert largest_remainder([0.29, 0.71], 100).tolist() == [29, 71]


def test_v34_tiny_and_huge_weights_keep_their_proportions():
    assert largest_remainder([1e308, 1e308, 0.0], 4).tolist() == [2, 2, 0]
    assert largest_remainder([5e-324, 5e-324, 0.0], 4).tolist() == [2, 2, 0]


@pytest.mark.parametrize(
    ("weights", "total", "caps"),
    [
        ([-1.0], 1, None),
        ([np.nan], 1, None),
        ([1.0], -1, None),
        ([1.0], 1, [-1]),
        ([1.0], 1, [1, 1]),
    ],
)
def test_v34_impossible_input_is_refused(weights, total, caps):
    with pytest.raises(ValueError, match=r"must|fit"):
        largest_remainder(weights, total, caps)
