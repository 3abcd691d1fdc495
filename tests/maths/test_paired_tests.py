"""Tests of paired answers against slow obvious twins, and values derived by hand."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eyeprint.maths.paired_tests import (
    clustered_omnibus,
    cochrans_q,
    holm,
    mcnemar_exact,
    sign_flip_columns,
    sign_flip_test,
)

RNG = np.random.default_rng


def slow_mcnemar(won, lost):
    n = won + lost
    tail = sum(math.comb(n, k) for k in range(min(won, lost) + 1)) / 2**n
    return min(1.0, 2 * tail)


@given(st.integers(0, 40), st.integers(0, 40))
def test_m40_mcnemar_agrees_with_counting_binomials(won, lost):
    assert mcnemar_exact(won, lost) == pytest.approx(slow_mcnemar(won, lost), abs=1e-12)


def test_m40_mcnemar_golden():
    # 1 against 8: 2 (C(9,0) + C(9,1)) / 2^9 = 20 / 512.
    assert mcnemar_exact(1, 8) == pytest.approx(0.0390625)
    with pytest.raises(ValueError, match="not negative"):
        mcnemar_exact(-1, 2)


def slow_sign_flips(values, labels):
    clusters = sorted(set(labels))
    seen = abs(sum(values))
    reached = 0
    for signs in itertools.product((1, -1), repeat=len(clusters)):
        sign = dict(zip(clusters, signs, strict=True))
        total = abs(sum(sign[c] * v for c, v in zip(labels, values, strict=True)))
        reached += total >= seen - 1e-9
    return reached / 2 ** len(clusters)


answers = st.lists(
    st.tuples(st.sampled_from("abcdefg"), st.integers(-1, 1)), min_size=1, max_size=20
)


@given(answers)
@settings(max_examples=60)
def test_m40_flipped_signs_agree_with_going_through_all_patterns(pairs):
    labels, values = [p[0] for p in pairs], [p[1] for p in pairs]
    found = sign_flip_test(np.array(values, dtype=float), labels, RNG(0))
    assert found.exact
    assert found.p == pytest.approx(slow_sign_flips(values, labels), abs=1e-12)
    assert found.statistic == pytest.approx(np.mean(values))


def test_m40_flipped_signs_golden():
    # Cluster sums 2, 1, -1: |2|; patterns of (±2 ±1 ±1): |.| >= 2 in 6 of 8 (all but 2-1-1 and
    # its mirror, which give 0).
    found = sign_flip_test(np.array([1.0, 1, 1, -1]), "aabc", RNG(0))
    assert (found.p, found.clusters, found.statistic) == (0.75, 3, 0.5)


def test_m40_rows_of_one_cluster_are_one_observation():
    # 100 questions of one concept all won: nothing but one sign.
    assert sign_flip_test(np.ones(100), ["a"] * 100, RNG(0)).p == 1.0
    # As independent rows the same would be certain.
    assert mcnemar_exact(100, 0) < 1e-20


def test_m40_drawn_signs_agree_with_the_normal_theory_of_many_clusters():
    many = RNG(4).normal(0.3, 1, size=(40, 1))
    drawn, exact = sign_flip_columns(many, RNG(0), draws=20_000)
    assert not exact.any()
    z = many.sum() / np.sqrt((many**2).sum())
    assert drawn[0] == pytest.approx(math.erfc(abs(z) / math.sqrt(2)), abs=0.02)


def test_m40_twelve_clusters_are_gone_through_and_thirteen_drawn():
    sums = np.ones((13, 2))
    sums[0, 0] = 0.0  # a cluster of nothing does not count
    p, exact = sign_flip_columns(sums, RNG(0), draws=4000)
    assert exact.tolist() == [True, False]
    assert p[0] == 2 / 2**12 and p[1] == pytest.approx(2 / 2**13, abs=1e-3)


def test_m40_drawn_p_is_never_zero_and_false_alarms_keep_their_level():
    assert sign_flip_test(np.ones(30), list(range(30)), RNG(0), draws=99).p == 0.01
    rng = RNG(8)
    alarms = [sign_flip_test(rng.normal(size=8), range(8), RNG(0)).p <= 0.05 for _ in range(300)]
    # 300 tests at 5 %: 15 expected, standard deviation 3.8.
    assert 3 <= sum(alarms) <= 28


def test_m40_flipped_signs_leave_out_what_is_missing():
    found = sign_flip_test(np.array([1.0, np.nan, 1.0]), "abc", RNG(0))
    assert (found.p, found.clusters) == (0.5, 2)
    with pytest.raises(ValueError, match="no difference"):
        sign_flip_test(np.array([np.nan]), "a", RNG(0))
    with pytest.raises(ValueError, match="do not fit"):
        sign_flip_test(np.array([1.0]), "ab", RNG(0))


def slow_cochran(table):
    k = len(table[0])
    columns = [sum(row[j] for row in table) for j in range(k)]
    rows = [sum(row) for row in table]
    mean = sum(columns) / k
    below = sum(r * (k - r) for r in rows)
    return 0.0 if not below else k * (k - 1) * sum((c - mean) ** 2 for c in columns) / below


tables = st.integers(2, 4).flatmap(
    lambda k: st.lists(st.lists(st.integers(0, 1), min_size=k, max_size=k), min_size=1, max_size=12)
)


@given(tables)
def test_m40_cochrans_q_agrees_with_its_other_form(table):
    found = cochrans_q(np.array(table))
    assert found.q == pytest.approx(slow_cochran(table), abs=1e-9)
    assert 0 <= found.p <= 1 and found.ways == len(table[0])


def test_m40_cochrans_q_golden():
    # Columns 4, 2, 1; rows 1, 1, 2, 3: N = 7.
    # (3 - 1)(3 (16 + 4 + 1) - 49) / (3 * 7 - (1 + 1 + 4 + 9)) = 2 * 14 / 6.
    table = np.array([[1, 0, 0], [1, 0, 0], [1, 1, 0], [1, 1, 1]])
    found = cochrans_q(table)
    assert found.q == pytest.approx(28 / 6)
    # With two degrees of freedom the upper tail is exp(-q / 2).
    assert found.p == pytest.approx(math.exp(-28 / 12))
    # With two ways Q is McNemar's statistic (b - c)² / (b + c): here (3 - 1)² / 4.
    assert cochrans_q(np.array([[1, 0], [1, 0], [1, 0], [0, 1], [1, 1]])).q == pytest.approx(1.0)
    with pytest.raises(ValueError, match="0 and 1"):
        cochrans_q(np.array([[2, 0]]))


def slow_omnibus(table, labels):
    clusters = sorted(set(labels))
    k = len(table[0])

    def statistic(orders):
        columns = [0.0] * k
        for row, label in zip(table, labels, strict=True):
            for j in range(k):
                columns[j] += row[orders[label][j]]
        mean = sum(columns) / k
        return sum((c - mean) ** 2 for c in columns)

    seen = statistic(dict.fromkeys(clusters, tuple(range(k))))
    every = [
        statistic(dict(zip(clusters, chosen, strict=True)))
        for chosen in itertools.product(itertools.permutations(range(k)), repeat=len(clusters))
    ]
    return sum(value >= seen - 1e-9 for value in every) / len(every)


@given(tables.filter(lambda t: len(t[0]) < 4), st.data())
@settings(max_examples=40, deadline=None)
def test_m40_omnibus_agrees_with_permuting_every_cluster(table, data):
    labels = data.draw(st.lists(st.sampled_from("abc"), min_size=len(table), max_size=len(table)))
    found = clustered_omnibus(np.array(table), labels, RNG(0))
    assert found.exact
    assert found.p == pytest.approx(slow_omnibus(table, labels), abs=1e-12)


def test_m40_drawn_omnibus_agrees_with_cochran_where_rows_are_independent():
    table = (RNG(5).random((300, 4)) < [0.50, 0.55, 0.5, 0.58]).astype(int)
    found = clustered_omnibus(table, range(300), RNG(1), draws=10_000)
    assert not found.exact
    assert found.p == pytest.approx(cochrans_q(table).p, abs=0.03)


@given(st.lists(st.floats(0, 1), max_size=8))
def test_m40_holm_agrees_with_its_definition(p):
    found = holm(p).tolist()
    order = sorted(range(len(p)), key=lambda i: p[i])
    for place, i in enumerate(order):
        steps = [min(1.0, (len(p) - j) * p[order[j]]) for j in range(place + 1)]
        assert found[i] == pytest.approx(max(steps))


def test_m40_holm_golden():
    # Sorted .01 .02 .03 .04 times 4 3 2 1: .04 .06 .06 .04 -> never below the one before.
    assert holm([0.04, 0.01, 0.03, 0.02]).tolist() == pytest.approx([0.06, 0.04, 0.06, 0.06])
    with pytest.raises(ValueError, match="between 0 and 1"):
        holm([1.2])
