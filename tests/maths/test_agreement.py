"""Agreement of raters against loops over pairs, published examples and another library."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from eyeprint.maths.agreement import (
    alpha_of_counts,
    clustered_rate,
    kendalls_w,
    krippendorff_alpha,
    wilson,
)

NAN = math.nan
LEVELS = ("nominal", "ordinal", "interval")

KNOWN = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, 3],
    [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NAN],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
]
"""Krippendorff's own example of four observers and twelve units."""


def slow_alpha(table, level):
    """Over ordered pairs of different raters in a unit, and over all ordered pairs of values."""
    units = [[x for x in column if not math.isnan(x)] for column in zip(*table, strict=True)]
    units = [unit for unit in units if len(unit) >= 2]
    pool = [x for unit in units for x in unit]

    def apart(c, k):
        if level == "nominal":
            return float(c != k)
        if level == "interval":
            return (c - k) ** 2
        low, high = min(c, k), max(c, k)
        between = sum(low <= x <= high for x in pool)
        return (between - (pool.count(c) + pool.count(k)) / 2) ** 2 if c != k else 0.0

    n = len(pool)
    seen = 0.0
    for unit in units:
        for i, c in enumerate(unit):
            for j, k in enumerate(unit):
                if i != j:
                    seen += apart(c, k) / (len(unit) - 1) / n
    chance = sum(apart(c, k) for c in pool for k in pool) / (n * (n - 1)) if n > 1 else 0
    return 1 - seen / chance if chance else NAN


@pytest.mark.parametrize(
    ("level", "published"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)]
)
def test_x7_krippendorff_published_example(level, published):
    assert krippendorff_alpha(KNOWN, level) == pytest.approx(published, abs=5e-4)


def test_x7_krippendorff_by_hand():
    # Units: (a, a), (a, b), (b, b). n = 6 values, 3 a and 3 b.
    # Observed: of the 6 ordered pairs 2 differ: 1/3. Expected: 2 · 3 · 3 / (6 · 5) = 3/5.
    # alpha = 1 - (1/3) / (3/5) = 4/9.
    assert krippendorff_alpha([[0, 0, 1], [0, 1, 1]]) == pytest.approx(4 / 9)
    assert alpha_of_counts([[2, 0], [1, 1], [0, 2]]) == pytest.approx(4 / 9)


@given(
    st.integers(2, 4).flatmap(
        lambda raters: st.lists(
            st.lists(st.sampled_from([0.0, 1.0, 2.0, 5.0, NAN]), min_size=raters, max_size=raters),
            min_size=1,
            max_size=8,
        )
    ),
    st.sampled_from(LEVELS),
)
def test_x7_krippendorff_agrees_with_the_loop_over_pairs(units, level):
    table = [list(row) for row in zip(*units, strict=True)]
    assert krippendorff_alpha(table, level) == pytest.approx(
        slow_alpha(table, level), abs=1e-9, nan_ok=True
    )


@pytest.mark.parametrize("level", LEVELS)
def test_x7_krippendorff_of_evalica(level):
    evalica = pytest.importorskip("evalica")
    pandas = pytest.importorskip("pandas")
    found = evalica.alpha(pandas.DataFrame(KNOWN), distance=level)
    assert krippendorff_alpha(KNOWN, level) == pytest.approx(found.alpha, abs=1e-9)


def test_x7_krippendorff_of_constants_and_of_lone_values_is_not_a_number():
    assert math.isnan(krippendorff_alpha([[1, 1], [1, 1]]))
    assert math.isnan(krippendorff_alpha([[1, NAN], [NAN, 2]]))
    assert math.isnan(krippendorff_alpha(np.full((2, 3), NAN)))


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: krippendorff_alpha([1, 2]), "raters by units"),
        (lambda: alpha_of_counts([1, 2]), "units by values"),
        (lambda: alpha_of_counts([[2, 1]], level="interval"), "need the values"),
        (lambda: alpha_of_counts([[2, 1]], [1, 2, 3]), "3 values"),
        (lambda: kendalls_w([1, 2]), "raters by items"),
        (lambda: clustered_rate([2]), "in \\[0, 1\\]"),
        (lambda: clustered_rate([1], ["a", "b"]), "2 labels"),
    ],
)
def test_x7_what_is_no_table_is_refused(call, told):
    with pytest.raises(ValueError, match=told):
        call()


def test_x7_kendall_by_hand():
    # Ranks 1 2 3 / 1 3 2 / 2 1 3: sums 4 6 8, mean 6, S = 8; W = 12 · 8 / (9 · 24) = 4/9.
    assert kendalls_w([[1, 2, 3], [1, 3, 2], [2, 1, 3]]) == pytest.approx(4 / 9)


def test_x7_kendall_with_ties_by_hand():
    # Ranks 1.5 1.5 3 / 1 2 3: sums 2.5 3.5 6, mean 4, S = 2.25 + .25 + 4 = 6.5.
    # T = 2³ - 2 = 6 for the first rater: W = 78 / (4 · 24 - 2 · 6) = 78 / 84.
    assert kendalls_w([[5, 5, 9], [1, 2, 3]]) == pytest.approx(78 / 84)


@given(
    st.integers(2, 5).flatmap(
        lambda items: st.lists(st.permutations(range(items)), min_size=2, max_size=5)
    )
)
def test_x7_kendall_is_the_mean_rank_correlation_in_disguise(rows):
    # Without ties: W = (mean of the pairwise Spearman correlations · (m - 1) + 1) / m.
    from eyeprint.maths.effects import spearman

    m = len(rows)
    pairs = [spearman(rows[i], rows[j]) for i in range(m) for j in range(i)]
    assert kendalls_w(rows) == pytest.approx((np.mean(pairs) * (m - 1) + 1) / m, abs=1e-9)


@given(st.lists(st.lists(st.integers(0, 3), min_size=4, max_size=4), min_size=3, max_size=5))
def test_x7_kendall_with_ties_is_friedman(rows):
    # Friedman's statistic with ties is m (n - 1) W.
    from scipy.stats import friedmanchisquare

    assume(any(len(set(row)) > 1 for row in rows))
    # SciPy takes items as samples and raters as blocks.
    found = friedmanchisquare(*np.array(rows, dtype=float).T).statistic
    assert kendalls_w(rows) == pytest.approx(found / (len(rows) * 3), abs=1e-9)


def test_x7_kendall_leaves_out_items_that_a_rater_left_out():
    assert kendalls_w([[1, 2, NAN, 3], [1, 2, 9, 3]]) == 1
    assert math.isnan(kendalls_w([[1, 1], [2, 2]]))
    assert math.isnan(kendalls_w([[1, 2]]))


def test_p56_wilson_by_hand():
    # 8 of 10, z = 1.959964: centre (0.8 + 0.19207) / 1.38415 = 0.716738,
    # half √(3.84146 (0.016 + 0.0096036)) / 1.38415 = 0.226570.
    assert wilson(0.8, 10) == pytest.approx((0.490162, 0.943318), abs=2e-5)


def test_p56_wilson_is_scipys():
    from scipy.stats import binomtest

    for hits, n in ((0, 5), (3, 9), (182, 200), (7, 7)):
        found = binomtest(hits, n).proportion_ci(0.95, "wilson")
        assert wilson(hits / n, n) == pytest.approx((found.low, found.high), abs=1e-9)


def test_p56_independent_answers_give_nearly_wilsons_interval():
    answers = [1] * 182 + [0] * 18
    found = clustered_rate(answers)
    low, high = wilson(0.91, 200)
    assert (found.share, found.n, found.clusters) == (0.91, 200, 200)
    assert (found.low, found.high) == pytest.approx((low, high), abs=2e-3)


def test_p56_answers_that_hang_together_are_worth_fewer():
    # Ten persons with ten equal answers each: worth ten answers, about.
    answers = [float(person < 7) for person in range(10) for _ in range(10)]
    labels = [person for person in range(10) for _ in range(10)]
    found = clustered_rate(answers, labels)
    # v = 10/9 · Σ (10 (x - .7))² / 100² = 10/9 · 210 / 10000: n* = .21 / .0233 = 9.
    assert (found.low, found.high) == pytest.approx(wilson(0.7, 9))


def test_p56_all_alike_has_a_width_by_persons_and_nothing_has_none():
    found = clustered_rate([1] * 100, [i // 10 for i in range(100)])
    assert found.share == 1
    assert found.low == pytest.approx(wilson(1.0, 10)[0])
    alone = clustered_rate([1, 0, 1], ["ann"] * 3)
    assert (alone.low, alone.high) == pytest.approx(wilson(2 / 3, 1))
    assert clustered_rate([]).low is None
