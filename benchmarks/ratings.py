"""Speed of ratings and their bootstrap, against the released way of doing both.

The released way fits scikit-learn's logistic regression (C = 1e6) to the win matrix, and has
no bootstrap; the obvious one draws verdicts again, counts them into a matrix in a loop and
fits anew. It is run for a few rounds, taking turns with ours, and extrapolated to all.

    python benchmarks/ratings.py [--models 11] [--cases 108] [--rounds 1000] [--sample 12]
"""

from __future__ import annotations

import os

# Before numpy: threads of BLAS would measure how busy the machine is.
for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")

import argparse  # noqa: E402
import statistics  # noqa: E402
import time  # noqa: E402

import numpy as np  # noqa: E402

from eyeprint.maths.rating_bootstrap import bootstrap_ratings  # noqa: E402
from eyeprint.maths.rating_errors import clustered_games, sandwich_covariance  # noqa: E402
from eyeprint.maths.ratings import SCALE, fit_ratings  # noqa: E402

JUDGES, PERSONS, TIES = 3, 76, 0.15


def made_verdicts(rng: np.random.Generator, models: int, cases: int):
    """Every pair of models on every case by three judges: left, right, share, person, verdict."""
    theta = rng.normal(0, 0.6, models)
    pairs = np.array(np.triu_indices(models, 1))
    left, right = np.tile(np.repeat(pairs, JUDGES, axis=1), cases)
    case = np.repeat(np.arange(cases), pairs.shape[1] * JUDGES)
    share = (rng.random(len(left)) < 1 / (1 + np.exp(theta[right] - theta[left]))).astype(float)
    share[rng.random(len(left)) < TIES] = 0.5
    return left, right, share, case % PERSONS


def counted(left, right, share, models: int):
    """Points in a table, verdict by verdict."""
    wins = np.zeros((models, models))
    for a, b, won in zip(left.tolist(), right.tolist(), share.tolist(), strict=True):
        wins[a, b] += won
        wins[b, a] += 1 - won
    return wins


def regressed(wins):
    """The released definition of a rating: weighted logistic regression, hardly penalised."""
    from sklearn.linear_model import LogisticRegression

    n = len(wins)
    rows, answers, weights = [], [], []
    for i in range(n):
        for j in range(i + 1, n):
            row = np.zeros(n)
            row[i], row[j] = 1, -1
            rows += [row, row]
            answers += [1, 0]
            weights += [wins[i, j], wins[j, i]]
    model = LogisticRegression(fit_intercept=False, C=1e6, solver="lbfgs", max_iter=10_000)
    theta = model.fit(np.array(rows), answers, sample_weight=weights).coef_[0]
    return 1500 + SCALE * (theta - theta.mean())


def timed(work, *given):
    """Return what a call gave, and its seconds."""
    began = time.perf_counter()
    found = work(*given)
    return found, time.perf_counter() - began


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--models", type=int, default=11)
    options.add_argument("--cases", type=int, default=108)
    options.add_argument("--rounds", type=int, default=1000)
    options.add_argument("--sample", type=int, default=12, help="rounds of the released way")
    options.add_argument("--repeats", type=int, default=5)
    given = options.parse_args()
    rng = np.random.default_rng(7)
    left, right, share, person = made_verdicts(rng, given.models, given.cases)
    print(f"{given.models} models, {len(left):,} verdicts, {PERSONS} persons")
    wins = counted(left, right, share, given.models)
    theirs = regressed(wins)  # also pays for the import
    fits, fits_theirs, sandwiches, rounds = [], [], [], []
    kinds = {"person": person.tolist(), "verdict": None}
    boots = {kind: [] for kind in kinds}
    for repeat in range(given.repeats):
        fit, spent = timed(fit_ratings, wins)
        fits.append(spent)
        fits_theirs.append(timed(regressed, wins)[1])
        for kind, owner in kinds.items():
            began = time.perf_counter()
            games = clustered_games(left, right, share, given.models, owner)
            bootstrap_ratings(games, given.rounds, np.random.default_rng(repeat))
            boots[kind].append(time.perf_counter() - began)
            sandwiches.append(timed(sandwich_covariance, games, fit)[1])
        for _ in range(-(-given.sample // given.repeats)):
            began = time.perf_counter()
            picks = rng.integers(0, len(left), len(left))
            regressed(counted(left[picks], right[picks], share[picks], given.models))
            rounds.append(time.perf_counter() - began)
    fit_ms, theirs_ms = (1000 * statistics.median(x) for x in (fits, fits_theirs))
    all_rounds = given.rounds * statistics.median(rounds)
    apart = np.abs(fit_ratings(wins).ratings - theirs).max()
    print(
        f"one fit: {fit_ms:.2f} ms, released {theirs_ms:.1f} ms, ratio {theirs_ms / fit_ms:.0f} x"
    )
    print(f"largest difference of a rating: {apart:.4f} points")
    print(f"sandwich errors: {1000 * statistics.median(sandwiches):.2f} ms")
    for kind, spent in boots.items():
        mine = statistics.median(spent)
        print(
            f"{given.rounds} rounds by {kind}: {mine:.3f} s, rows read into counts included; "
            f"ratio {all_rounds / mine:.0f} x"
        )
    print(
        f"the released way, {len(rounds)} rounds: {1000 * statistics.median(rounds):.1f} ms each, "
        f"{all_rounds:.1f} s for {given.rounds} (extrapolated)"
    )


if __name__ == "__main__":
    main()
