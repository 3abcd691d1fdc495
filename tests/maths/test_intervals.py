"""The clustered bootstrap against a loop over resamples, and against theory."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyeprint.maths.intervals import ClusterBootstrap, clustered_mean, resample_weights

cases = st.lists(st.tuples(st.sampled_from("abcde"), st.integers(0, 8)), min_size=2, max_size=20)


@given(cases, st.integers(0, 1000))
def test_v5_percentiles_agree_with_resampling_persons_one_by_one(pairs, seed):
    labels, values = [p[0] for p in pairs], np.array([p[1] / 8 for p in pairs])
    found = clustered_mean(values, labels, np.random.default_rng(seed), draws=50)
    people = list(dict.fromkeys(labels))
    assert found.mean == pytest.approx(values.mean())
    assert (found.n, found.clusters) == (len(pairs), len(people))
    if len(people) == 1:
        assert found.low is None and found.reason is not None
        return
    weights = resample_weights(len(people), 50, np.random.default_rng(seed))
    means = []
    for row in weights:
        rows = [v for p, w in zip(people, row, strict=True) for _ in range(int(w))
                for label, v in zip(labels, values, strict=True) if label == p]  # fmt: skip
        means.append(sum(rows) / len(rows))
    assert found.low == pytest.approx(np.quantile(means, 0.025), abs=1e-12)
    assert found.high == pytest.approx(np.quantile(means, 0.975), abs=1e-12)


def test_v5_agrees_with_the_clustered_standard_error():
    # 200 persons of 4 equal values each: the SE is that of 200 person means, not of 800 rows.
    person = np.repeat(np.arange(200), 4)
    means = np.random.default_rng(4).normal(size=200)
    found = clustered_mean(means[person], person, np.random.default_rng(5), draws=4000)
    half = 1.96 * means.std(ddof=1) / np.sqrt(200)
    assert found.high - found.low == pytest.approx(2 * half, rel=0.05)
    assert (found.high + found.low) / 2 == pytest.approx(means.mean(), abs=half / 10)


def test_v5_differences_are_paired():
    rng = np.random.default_rng(6)
    people, own = np.arange(50), rng.normal(size=50)
    boot = ClusterBootstrap(people, 500, np.random.default_rng(7))
    found = boot.difference(own + 0.1, own)
    # The spread between people cancels: every resample gives 0.1.
    assert found.low == pytest.approx(0.1) and found.high == pytest.approx(0.1)


def test_v5_unscored_values_are_left_out_column_by_column():
    table = np.array([[1.0, np.nan], [3.0, np.nan], [np.nan, np.nan]])
    first, second = ClusterBootstrap("abc", 100, np.random.default_rng(1)).means(table)
    assert (first.mean, first.n, first.clusters) == (2.0, 2, 2)
    assert first.low == 1.0 and first.high == 3.0
    assert (second.mean, second.low, second.reason) == (None, None, "no value was scored")


def test_v5_resamples_have_the_right_size_in_blocks_too():
    weights = resample_weights(3_000_000 // 2, 4, np.random.default_rng(1))
    assert weights.sum(axis=1).tolist() == [1_500_000.0] * 4
    # A cluster is drawn a Poisson(1) number of times: 36.8 % are left out.
    assert (weights == 0).mean() == pytest.approx(np.exp(-1), abs=0.002)
    assert resample_weights(0, 3, np.random.default_rng(1)).shape == (3, 0)


def test_v5_wrong_shapes_and_levels_are_refused():
    with pytest.raises(ValueError, match="level"):
        ClusterBootstrap(["a"], 10, np.random.default_rng(1), level=95)
    with pytest.raises(ValueError, match="fit"):
        ClusterBootstrap(["a"], 10, np.random.default_rng(1)).mean(np.zeros(2))
