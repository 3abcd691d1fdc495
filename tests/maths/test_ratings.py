"""Ratings against a slow loop, two other libraries, and the released definition."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from eyeprint.maths.ratings import (
    SCALE,
    NoMaximum,
    Unconnected,
    fisher_covariance,
    fit_ratings,
    fit_strengths,
    islands,
    reachable,
    strong_groups,
    to_ratings,
    win_matrix,
)
from tests.maths import slow_ratings

SHARES = st.sampled_from([0.0, 0.5, 1.0])


@st.composite
def some_games(draw, least=1, most=40):
    models = draw(st.integers(2, 5))
    pair = st.tuples(st.integers(0, models - 1), st.integers(0, models - 1))
    pairs = draw(st.lists(pair.filter(lambda p: p[0] != p[1]), min_size=least, max_size=most))
    return models, [(a, b, draw(SHARES)) for a, b in pairs]


def made_games(models=11, cases=108, judges=3, seed=1, ties=0.15):
    """As many verdicts as the paper's larger arena, with strengths about 200 points apart."""
    rng = np.random.default_rng(seed)
    theta = rng.normal(0, 0.7, models)
    left, right = np.triu_indices(models, 1)
    left, right = (np.tile(side, cases * judges) for side in (left, right))
    chance = 1 / (1 + np.exp(theta[right] - theta[left]))
    share = (rng.random(len(left)) < chance).astype(float)
    share[rng.random(len(left)) < ties] = 0.5
    return left, right, share


def released_fit(wins):
    """The released definition in our own words: weighted logistic regression, C = 1e6.

    Each pair is two rows with the indicator +1 / -1: a win with the points of the first model
    as weight, a loss with the rest. Ratings are centred on 1500 by their mean.
    """
    from sklearn.linear_model import LogisticRegression

    n = len(wins)
    rows, answers, weights = [], [], []
    for i in range(n):
        for j in range(i + 1, n):
            if wins[i][j] + wins[j][i]:
                row = [0.0] * n
                row[i], row[j] = 1.0, -1.0
                rows += [row, row]
                answers += [1, 0]
                weights += [wins[i][j], wins[j][i]]
    model = LogisticRegression(fit_intercept=False, C=1e6, solver="lbfgs", max_iter=10_000)
    model.fit(np.array(rows), answers, sample_weight=weights)
    theta = model.coef_[0]
    return 1500 + SCALE * (theta - theta.mean())


@given(some_games())
def test_p53_win_matrix_agrees_with_counting(case):
    models, games = case
    left, right, share = zip(*games, strict=True)
    assert win_matrix(left, right, share, models) == pytest.approx(
        np.array(slow_ratings.wins_of(games, models))
    )


@given(some_games())
def test_p53_newton_agrees_with_the_slow_loop(case):
    models, games = case
    wins = slow_ratings.wins_of(games, models)
    assume(slow_ratings.strong(wins))
    found = fit_ratings(wins)
    assert found.has_maximum
    assert found.prior_games == 0
    assert found.ratings == pytest.approx(slow_ratings.ratings(wins), abs=1e-5)
    assert found.ratings.mean() == pytest.approx(1500)


@given(some_games(), st.sampled_from([0.5, 1.0, 4.0]))
def test_p53_the_prior_is_tied_games_against_an_average_player(case, prior_games):
    models, games = case
    wins = slow_ratings.wins_of(games, models)
    assume(slow_ratings.joined(wins))
    found = fit_ratings(wins, "always", prior_games)
    assert found.ratings == pytest.approx(slow_ratings.ratings(wins, prior_games), abs=1e-5)


@given(some_games())
def test_p53_groups_agree_with_walking(case):
    models, games = case
    wins = np.array(slow_ratings.wins_of(games, models))
    walked = [[j in slow_ratings.reaches(wins, i) for j in range(models)] for i in range(models)]
    assert reachable(wins[None])[0].tolist() == walked
    assert (len(strong_groups(wins)) == 1) == slow_ratings.strong(wins)
    assert (len(islands(wins)) == 1) == slow_ratings.joined(wins)
    assert sorted(i for group in islands(wins) for i in group) == list(range(models))


def test_p53_golden_two_models():
    # 3 points to 1: odds of 3, so the gap is 400 log10 3 = 190.848 points.
    found = fit_ratings([[0, 3], [1, 0]])
    assert found.ratings[0] - found.ratings[1] == pytest.approx(400 * math.log10(3))


def test_p53_golden_ties_are_half_wins():
    # A wins once and ties twice: 2 points to 1, as if it had won 2 of 3.
    wins = win_matrix([0, 0, 0], [1, 1, 1], [1, 0.5, 0.5], 2)
    assert fit_ratings(wins).ratings == pytest.approx(fit_ratings([[0, 2], [1, 0]]).ratings)


def test_p53_golden_chain():
    # A beats B 2:1 and B beats C 3:1; in a chain each link is fitted exactly.
    found = fit_ratings([[0, 2, 0], [1, 0, 3], [0, 1, 0]]).ratings
    assert found[0] - found[1] == pytest.approx(400 * math.log10(2))
    assert found[1] - found[2] == pytest.approx(400 * math.log10(3))


def test_p53_a_model_that_won_10_of_10_gets_a_finite_wide_rating():
    wins = np.array([[0.0, 10.0], [0.0, 0.0]])
    found = fit_ratings(wins)
    assert not found.has_maximum
    assert found.prior_games == 1
    gap = found.ratings[0] - found.ratings[1]
    # θ = ±t: 10 (1 - σ(2t)) = σ(t) - 1/2, solved by bisection.
    low, high = 0.0, 10.0
    for _ in range(200):
        t = (low + high) / 2
        won = 10 / (1 + math.exp(2 * t)) > 1 / (1 + math.exp(-t)) - 0.5
        low, high = (t, high) if won else (low, t)
    assert gap == pytest.approx(2 * SCALE * t)
    assert 400 < gap < 800
    error = SCALE * math.sqrt(fisher_covariance(wins, found)[0, 0])
    close = np.array([[0.0, 6.0], [4.0, 0.0]])
    assert error > 1.3 * SCALE * math.sqrt(fisher_covariance(close, fit_ratings(close))[0, 0])


def test_p53_no_finite_maximum_is_told_with_its_groups():
    with pytest.raises(NoMaximum) as caught:
        fit_ratings([[0, 1, 3], [1, 0, 2], [0, 0, 0]], "never")
    assert caught.value.groups == ((0, 1), (2,))


def test_p53_unconnected_groups_are_refused():
    with pytest.raises(Unconnected) as caught:
        fit_ratings(win_matrix([0, 1, 3], [2, 2, 4], [1, 0.5, 0], 5))
    assert caught.value.groups == ((0, 1, 2), (3, 4))


def test_p53_one_model_and_extreme_records():
    assert fit_ratings([[0.0]]).ratings.tolist() == [1500.0]
    # A million to one, in a chain of three: 2 · 2400 points end to end.
    found = fit_ratings([[0, 1e6, 0], [1, 0, 1e6], [0, 1, 0]]).ratings
    assert found[0] - found[2] == pytest.approx(2 * 400 * 6, abs=1e-4)


@pytest.mark.parametrize(
    ("wins", "told"),
    [
        ([[0, 1, 2]], "square"),
        ([[0, -1], [1, 0]], "from 0 on"),
        ([[0, math.nan], [1, 0]], "finite"),
        ([[1, 1], [1, 0]], "diagonal"),
        (np.zeros((0, 0)), "square"),
    ],
)
def test_p53_tables_that_are_no_win_matrix_are_refused(wins, told):
    with pytest.raises(ValueError, match=told):
        fit_ratings(wins)


@pytest.mark.parametrize(
    ("left", "right", "share", "told"),
    [
        ([0], [1, 1], [1, 0], "one of each"),
        ([0], [2], [1], "0 .. 1"),
        ([-1], [1], [1], "0 .. 1"),
        ([0], [1], [1.5], "lies in"),
        ([0], [1], [math.nan], "lies in"),
        ([0, 1], [1, 1], [1, 1], "game 1: a model meets itself"),
    ],
)
def test_p53_games_that_cannot_be_are_refused(left, right, share, told):
    with pytest.raises(ValueError, match=told):
        win_matrix(left, right, share, 2)


def test_p53_a_prior_of_no_games_is_refused_and_endless_batches_end():
    with pytest.raises(ValueError, match="above 0"):
        fit_ratings([[0, 1], [1, 0]], "always", 0)
    with pytest.raises(ArithmeticError, match="settle"):
        fit_strengths(np.array([[[0.0, 1.0], [0.0, 0.0]]]), np.zeros(1))


def test_p53_numbers_of_the_released_definition():
    left, right, share = made_games()
    wins = win_matrix(left, right, share, 11)
    assert len(left) == 17_820
    assert fit_ratings(wins).ratings == pytest.approx(released_fit(wins), abs=0.5)


@pytest.mark.parametrize("seed", range(3))
def test_p53_numbers_of_the_released_definition_on_few_verdicts(seed):
    left, right, share = made_games(models=4, cases=4, judges=3, seed=seed)
    wins = win_matrix(left, right, share, 4)
    found = fit_ratings(wins)
    assert found.prior_games == 0
    assert found.ratings == pytest.approx(released_fit(wins), abs=0.5)


def test_p53_numbers_of_the_released_errors():
    # The released script takes the pseudo-inverse of the same information.
    left, right, share = made_games(models=5, cases=20)
    wins = win_matrix(left, right, share, 5)
    fit = fit_ratings(wins)
    theta = fit.strengths
    information = np.zeros((5, 5))
    for a, b in zip(left, right, strict=True):
        p = 1 / (1 + math.exp(theta[b] - theta[a]))
        row = np.zeros(5)
        row[a], row[b] = 1, -1
        information += p * (1 - p) * np.outer(row, row)
    assert fisher_covariance(wins, fit) == pytest.approx(np.linalg.pinv(information), abs=1e-9)


def test_p53_numbers_of_evalica():
    evalica = pytest.importorskip("evalica")
    left, right, share = made_games(models=7, cases=30)
    names = [f"model {i}" for i in range(7)]
    winner = {1.0: evalica.Winner.X, 0.0: evalica.Winner.Y, 0.5: evalica.Winner.Draw}
    found = evalica.bradley_terry(
        [names[i] for i in left],
        [names[i] for i in right],
        [winner[value] for value in share],
        tolerance=1e-12,
        limit=10_000,
    )
    theta = np.log(np.array([found.scores[name] for name in names]))
    wins = win_matrix(left, right, share, 7)
    assert fit_ratings(wins).ratings == pytest.approx(to_ratings(theta - theta.mean()), abs=1e-3)


def test_p53_numbers_of_choix():
    choix = pytest.importorskip("choix")
    left, right, share = made_games(models=6, cases=20, ties=0)
    data = [(a, b) if won else (b, a) for a, b, won in zip(left, right, share, strict=True)]
    theta = choix.opt_pairwise(6, data, alpha=1e-12)
    wins = win_matrix(left, right, share, 6)
    assert fit_ratings(wins).ratings == pytest.approx(to_ratings(theta - theta.mean()), abs=0.02)
