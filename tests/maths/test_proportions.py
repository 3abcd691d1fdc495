"""Two shares, and ranks against values: slow twins and published examples."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eyeprint.maths.effects import spearman
from eyeprint.maths.proportions import fisher_exact, newcombe, spearman_test, wilson

RNG = np.random.default_rng


def slow_fisher(a, n, c, m):
    hits = a + c
    ways = {
        x: math.comb(n, x) * math.comb(m, hits - x)
        for x in range(max(0, hits - m), min(n, hits) + 1)
    }
    return sum(w for w in ways.values() if w <= ways[a]) / math.comb(n + m, hits)


@given(st.integers(0, 25), st.integers(0, 25), st.data())
def test_m45_fisher_agrees_with_counting_tables(n, m, data):
    a, c = data.draw(st.integers(0, n)), data.draw(st.integers(0, m))
    assert fisher_exact(a, n, c, m) == pytest.approx(slow_fisher(a, n, c, m), rel=1e-6)


def test_m45_fisher_of_the_tea_taster():
    # Fisher's own: 3 of 4 against 1 of 4: (16 + 1 + 16 + 1) / 70.
    assert fisher_exact(3, 4, 1, 4) == pytest.approx(34 / 70)
    with pytest.raises(ValueError, match="not shares"):
        fisher_exact(5, 4, 0, 1)


def test_m45_newcombe_agrees_with_the_published_examples():
    # Newcombe 1998, table II, method 10: (a) 56/70 - 48/80, (b) 9/10 - 3/10, (e) 5/56 - 0/29.
    assert newcombe(56, 70, 48, 80) == pytest.approx((0.0524, 0.3339), abs=5e-5)
    assert newcombe(9, 10, 3, 10) == pytest.approx((0.1705, 0.8090), abs=5e-5)
    assert newcombe(5, 56, 0, 29) == pytest.approx((-0.0381, 0.1926), abs=5e-5)
    with pytest.raises(ValueError, match="empty"):
        newcombe(0, 0, 1, 2)


@given(st.integers(1, 60), st.data())
def test_m45_wilson_holds_the_shares_at_one_score_from_the_one_seen(n, data):
    right = data.draw(st.integers(0, n))
    for end in wilson(right, n):
        if 0 < end < 1:
            z = (right / n - end) / math.sqrt(end * (1 - end) / n)
            assert abs(z) == pytest.approx(1.959964, abs=1e-5)


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=2, max_size=6))
@settings(max_examples=50, deadline=None)
def test_m29_spearman_p_agrees_with_going_through_all_orders(pairs):
    a, b = [p[0] for p in pairs], [p[1] for p in pairs]
    found = spearman_test(a, b, RNG(0))
    rho = spearman(a, b)
    if math.isnan(rho):
        assert math.isnan(found.rho) and math.isnan(found.p)
        return
    every = [abs(spearman(a, order)) for order in itertools.permutations(b)]
    assert found.exact and found.rho == rho
    assert found.p == pytest.approx(np.mean([e >= abs(rho) - 1e-9 for e in every]))


def test_m29_drawn_spearman_p_agrees_with_theory():
    rng = RNG(2)
    a, b = rng.normal(size=23), rng.normal(size=23)
    b += 0.5 * a
    found = spearman_test(a, b, RNG(0), draws=20_000)
    # z = rho sqrt(n - 1) for n around 20 and more.
    theory = math.erfc(abs(found.rho) * math.sqrt(22) / math.sqrt(2))
    assert not found.exact and found.p == pytest.approx(theory, abs=0.02)
    assert spearman_test([1.0, np.nan, 2.0], [1.0, 5.0, 2.0], RNG(0)).n == 2
