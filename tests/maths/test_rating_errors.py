"""Standard errors and bootstraps of ratings against loops over clusters."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from eyeprint.maths.rating_bootstrap import (
    best_shares,
    bootstrap_ratings,
    normal_ratings,
    percentile_interval,
    rank_ranges,
    shares_above,
)
from eyeprint.maths.rating_errors import (
    clustered_games,
    sandwich_covariance,
    standard_errors,
)
from eyeprint.maths.ratings import (
    SCALE,
    NoMaximum,
    Unconnected,
    fisher_covariance,
    fit_ratings,
)
from tests.maths import slow_ratings
from tests.maths.test_ratings import made_games, some_games


@given(some_games(least=2), st.data())
def test_p53_counts_by_kind_of_cluster_lose_no_game(case, data):
    models, games = case
    labels = data.draw(st.lists(st.integers(0, 3), min_size=len(games), max_size=len(games)))
    left, right, share = zip(*games, strict=True)
    found = clustered_games(left, right, share, models, labels)
    assert found.clusters == len(set(labels))
    assert found.games == len(games)
    assert found.wins == pytest.approx(np.array(slow_ratings.wins_of(games, models)))
    # Every cluster's own table occurs as often as clusters have it.
    own = {}
    for label, game in zip(labels, games, strict=True):
        own.setdefault(label, []).append(game)
    slow = sorted(str(slow_ratings.wins_of(part, models)) for part in own.values())
    fast = []
    for row, times in zip(found.counts.toarray(), found.clusters_of_kind, strict=True):
        cells = [
            (int(a), int(b), float(s))
            for a, b, s, n in zip(found.left, found.right, found.share, row, strict=True)
            for _ in range(int(n))
        ]
        fast += [str(slow_ratings.wins_of(cells, models))] * int(times)
    assert sorted(fast) == slow


@given(some_games(least=2), st.data())
def test_p53_sandwich_agrees_with_a_loop_over_clusters(case, data):
    models, games = case
    labels = data.draw(st.lists(st.integers(0, 4), min_size=len(games), max_size=len(games)))
    wins = slow_ratings.wins_of(games, models)
    assume(slow_ratings.joined(wins) and len(set(labels)) > 1)
    left, right, share = zip(*games, strict=True)
    fit = fit_ratings(wins)
    theta = fit.strengths
    sums = {}
    information = np.eye(models) * 0
    for (a, b, won), label in zip(games, labels, strict=True):
        p = 1 / (1 + math.exp(theta[b] - theta[a]))
        row = np.zeros(models)
        row[a], row[b] = 1, -1
        sums[label] = sums.get(label, 0) + (won - p) * row
        information += p * (1 - p) * np.outer(row, row)
    for i in range(models):
        p = 1 / (1 + math.exp(-theta[i]))
        information[i, i] += fit.prior_games * p * (1 - p)
    meat = sum(np.outer(s, s) for s in sums.values()) * len(sums) / (len(sums) - 1)
    bread = np.linalg.pinv(information, rcond=1e-10)
    middle = np.eye(models) - 1 / models
    expected = middle @ bread @ meat @ bread @ middle
    found = sandwich_covariance(clustered_games(left, right, share, models, labels), fit)
    assert found == pytest.approx(expected, rel=1e-5, abs=1e-7)


def test_p53_golden_sandwich():
    # 2 wins, 2 losses, each alone: θ = 0, residuals ±1/2, H = N/4 [[1,-1],[-1,1]] with N = 4, so
    # H⁺ = 1/4 [[1,-1],[-1,1]]; meat = 4/3 · 4 · 1/4 [[1,-1],[-1,1]] = 4/3 [[1,-1],[-1,1]];
    # product = 4/3 · 1/16 · 4 = 1/3 on the diagonal.
    games = clustered_games([0] * 4, [1] * 4, [1, 1, 0, 0], 2)
    found = sandwich_covariance(games, fit_ratings(games.wins))
    assert found == pytest.approx(np.array([[1, -1], [-1, 1]]) / 3)
    assert standard_errors(found) == pytest.approx([SCALE / math.sqrt(3)] * 2)


def test_p53_ties_scatter_less_than_fisher_says():
    left, right, share = made_games(models=4, cases=200, ties=0.5)
    games = clustered_games(left, right, share, 4)
    fit = fit_ratings(games.wins)
    fisher = standard_errors(fisher_covariance(games.wins, fit))
    sandwich = standard_errors(sandwich_covariance(games, fit))
    # Half of the games are ties: their residuals are about 0, so the variance halves.
    assert sandwich / fisher == pytest.approx([math.sqrt(0.5)] * 4, abs=0.05)


def test_p53_repeating_each_verdict_within_its_cluster_does_not_narrow_the_sandwich():
    left, right, share = made_games(models=4, cases=30, judges=1)
    once = clustered_games(left, right, share, 4, range(len(left)))
    thrice = clustered_games(*(np.tile(x, 3) for x in (left, right, share)), 4, [*range(180)] * 3)
    fit = fit_ratings(once.wins)
    assert sandwich_covariance(thrice, fit_ratings(thrice.wins)) == pytest.approx(
        sandwich_covariance(once, fit)
    )


def test_p53_one_cluster_has_no_sandwich_and_no_bootstrap():
    games = clustered_games([0, 0], [1, 1], [1, 0], 2, ["ann", "ann"])
    assert sandwich_covariance(games, fit_ratings(games.wins)) is None
    with pytest.raises(ValueError, match="1 clusters"):
        bootstrap_ratings(games, 10, np.random.default_rng(1))


def test_p53_labels_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="1 labels"):
        clustered_games([0, 0], [1, 1], [1, 0], 2, ["ann"])
    empty = clustered_games([], [], [], 2)
    assert (empty.clusters, empty.games) == (0, 0)


def test_p53_bootstrap_agrees_with_resampling_games_one_by_one():
    left, right, share = made_games(models=4, cases=40, judges=1, seed=5)
    owner = np.arange(len(left)) // 6  # one cluster per case
    games = clustered_games(left, right, share, 4, owner.tolist())
    fast = bootstrap_ratings(games, 4000, np.random.default_rng(1)).ratings
    rng = np.random.default_rng(2)
    slow = []
    for _ in range(1000):
        picks = np.concatenate([np.flatnonzero(owner == c) for c in rng.integers(0, 40, 40)])
        wins = slow_ratings.wins_of(zip(left[picks], right[picks], share[picks], strict=True), 4)
        slow.append(fit_ratings(wins).ratings)
    slow = np.array(slow)
    spread = slow.std(axis=0)
    assert fast.mean(axis=0) == pytest.approx(slow.mean(axis=0), abs=4 * spread.max() / 30)
    assert fast.std(axis=0) / spread == pytest.approx([1] * 4, abs=0.1)
    sandwich = standard_errors(sandwich_covariance(games, fit_ratings(games.wins)))
    assert fast.std(axis=0) / sandwich == pytest.approx([1] * 4, abs=0.12)


def test_p53_the_same_stream_gives_the_same_draws_and_few_draws_are_the_first_of_many():
    left, right, share = made_games(models=3, cases=10)
    games = clustered_games(left, right, share, 3)
    first, again = (bootstrap_ratings(games, 50, np.random.default_rng(3)) for _ in range(2))
    assert first.ratings.tolist() == again.ratings.tolist()


def test_p53_resamples_without_a_finite_maximum_get_the_prior_and_are_counted():
    # B won 1 of 8: a third of the resamples has it win none, (7/8)^8 = 0.344.
    games = clustered_games([0] * 8, [1] * 8, [1] * 7 + [0], 2)
    found = bootstrap_ratings(games, 2000, np.random.default_rng(1))
    assert found.needed_prior / 2000 == pytest.approx((7 / 8) ** 8, abs=0.04)
    assert np.isfinite(found.ratings).all()
    assert np.abs(found.ratings - 1500).max() < 600


def test_p53_bootstrap_refuses_what_the_fit_refuses():
    apart = clustered_games([0, 2], [1, 3], [1, 0.5], 4)
    with pytest.raises(Unconnected):
        bootstrap_ratings(apart, 10, np.random.default_rng(1))
    endless = clustered_games([0, 0], [1, 1], [1, 1], 2)
    with pytest.raises(NoMaximum):
        bootstrap_ratings(endless, 10, np.random.default_rng(1), "never")
    with pytest.raises(ValueError, match="above 0"):
        bootstrap_ratings(endless, 10, np.random.default_rng(1), prior_games=0)
    with pytest.raises(ValueError, match="0 draws"):
        bootstrap_ratings(endless, 0, np.random.default_rng(1))


def test_p53_bootstrap_intervals_cover_the_truth_about_as_often_as_they_say():
    theta = np.array([0.6, 0.0, -0.6])
    truth = 1500 + SCALE * theta
    rng = np.random.default_rng(11)
    left, right = (np.tile(x, 60) for x in ([0, 0, 1], [1, 2, 2]))
    hits = 0
    for _ in range(120):
        share = (rng.random(180) < 1 / (1 + np.exp(theta[right] - theta[left]))).astype(float)
        games = clustered_games(left, right, share, 3)
        low, high = percentile_interval(bootstrap_ratings(games, 200, rng).ratings, 0.9)
        hits += int(((low <= truth) & (truth <= high)).sum())
    assert 0.84 < hits / 360 < 0.95


@given(st.lists(st.lists(st.integers(0, 3), min_size=3, max_size=3), min_size=1, max_size=30))
def test_p53_ranks_and_shares_agree_with_counting(rows):
    drawn = np.array(rows, dtype=float)
    best = [0.0] * 3
    above = [[0.0] * 3 for _ in range(3)]
    tops, bottoms = [[] for _ in range(3)], [[] for _ in range(3)]
    for row in rows:
        winners = [i for i in range(3) if row[i] == max(row)]
        for i in range(3):
            best[i] += (i in winners) / len(winners) / len(rows)
            tops[i].append(1 + sum(row[j] > row[i] for j in range(3)))
            bottoms[i].append(3 - sum(row[j] < row[i] for j in range(3)))
            for j in range(3):
                above[i][j] += (row[i] > row[j]) + (row[i] == row[j]) / 2
    assert best_shares(drawn) == pytest.approx(best)
    assert shares_above(drawn) == pytest.approx(np.array(above) / len(rows))
    low, high = rank_ranges(drawn, 0.9)
    for i in range(3):
        # At most 5 % of the draws lie beyond either end.
        assert sum(rank < low[i] for rank in tops[i]) <= 0.05 * len(rows)
        assert sum(rank > high[i] for rank in bottoms[i]) <= 0.05 * len(rows)
        assert low[i] in tops[i]
        assert high[i] in bottoms[i]


def test_p53_equal_records_share_a_rank():
    low, high = rank_ranges(np.array([[1500.0, 1500.0 + 1e-9, 1400.0]]))
    assert low.tolist() == [1, 1, 3]
    assert high.tolist() == [2, 2, 3]


def test_p53_normal_draws_have_the_covariance_that_was_asked_for():
    wins = np.array([[0.0, 6, 2], [4, 0, 5], [8, 5, 0]])
    fit = fit_ratings(wins)
    covariance = fisher_covariance(wins, fit)
    drawn = normal_ratings(fit, covariance, 20_000, np.random.default_rng(1))
    assert np.cov(drawn.T) / SCALE**2 == pytest.approx(covariance, abs=0.01)
    assert drawn.mean(axis=0) == pytest.approx(fit.ratings, abs=3)
