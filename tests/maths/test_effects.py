"""Effect sizes, win shares and ranks against loops, and Spearman against SciPy."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from eyeprint.maths.effects import average_ranks, cohens_d, pooled_sd, spearman, win_shares

numbers = st.lists(st.integers(-20, 20).map(lambda i: i / 4), min_size=2, max_size=12)


def variance(values):
    mean = sum(values) / len(values)
    return sum((x - mean) ** 2 for x in values) / (len(values) - 1)


@given(numbers, numbers)
def test_v80_cohens_d_agrees_with_the_written_formula(a, b):
    spread = math.sqrt((variance(a) + variance(b)) / 2)
    gap = sum(a) / len(a) - sum(b) / len(b)
    assert pooled_sd(a, b) == pytest.approx(spread, abs=1e-12)
    if spread > 0:
        assert cohens_d(a, b) == pytest.approx(gap / spread, abs=1e-9)
        assert cohens_d(b, a) == pytest.approx(-gap / spread, abs=1e-9)


def test_v80_golden_d():
    # Means 3 and 1, variances 1 and 1: pooled SD 1, d = 2.
    assert cohens_d([2, 3, 4], [0, 1, 2]) == pytest.approx(2.0)


def test_v80_constants_have_no_scale():
    assert cohens_d([0.1] * 7, [0.1] * 3) == 0.0
    assert math.isnan(cohens_d([0.1] * 7, [0.3] * 7))
    assert math.isnan(cohens_d([1.0], [0.0, 1.0]))


def test_v80_unscored_values_are_left_out():
    assert cohens_d([2, 3, 4, math.nan], [0, 1, math.nan, 2]) == pytest.approx(2.0)


@given(st.lists(st.lists(st.integers(0, 3), min_size=3, max_size=3), min_size=1, max_size=9))
def test_v73_win_shares_agree_with_counting(table):
    wins = [0.0, 0.0, 0.0]
    for row in table:
        best = [j for j in range(3) if row[j] == max(row)]
        for j in best:
            wins[j] += 1 / len(best)
    found = win_shares(np.array(table, dtype=float))
    assert found == pytest.approx([w / len(table) for w in wins])
    assert found.sum() == pytest.approx(1)


def test_v73_unscored_cells_and_near_ties():
    table = np.array([[math.nan, 0.4], [math.nan, math.nan], [0.5, 0.5 + 1e-12]])
    assert win_shares(table).tolist() == [0.25, 0.75]
    assert np.isnan(win_shares(np.full((2, 2), np.nan))).all()
    with pytest.raises(ValueError, match="cells by methods"):
        win_shares(np.zeros(3))


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=2, max_size=20))
def test_x7_spearman_with_ties_agrees_with_scipy(pairs):
    a, b = [p[0] for p in pairs], [p[1] for p in pairs]
    assert average_ranks(a) == pytest.approx(stats.rankdata(a))
    found = spearman(a, b)
    if len(set(a)) > 1 and len(set(b)) > 1:
        assert found == pytest.approx(stats.spearmanr(a, b).statistic, abs=1e-12)
    else:
        assert math.isnan(found)


def test_x7_spearman_golden():
    # Ranks 1 2 3 4 against 2 1 4 3: 1 - 6 * (1+1+1+1) / (4 * 15) = 0.6.
    assert spearman([1, 2, 3, 4, math.nan], [20, 10, 40, 30, 5]) == pytest.approx(0.6)
    assert math.isnan(spearman([1], [1]))
    with pytest.raises(ValueError, match="paired"):
        spearman([1, 2], [1])
