"""Time of writing candidates offline, and of their audit against scikit-learn's parts.

1. Candidates of profiles with random answers, prompts per second.
2. The audit of 175 people with 7 pictures each (512 numbers), K = 2 ... 50, beside the same
   numbers by scikit-learn: KMeans with as many starts, silhouette_score for each K, and
   similarity pair by pair.

Run: python benchmarks/data_quality.py [PROFILES]        (300 by default)
"""

from __future__ import annotations

import sys
import time
from itertools import combinations

import numpy as np

from eyeprint.people.candidates import write_offline
from eyeprint.people.picture_audit import PictureAuditSettings, audit_pictures
from eyeprint.people.questionnaire import questionnaire
from eyeprint.randomness import stream
from eyeprint.records.profiles import Profile

PEOPLE, EACH, DIM = 175, 7, 512


def profile(number: int) -> Profile:
    """Return a profile of random answers."""
    draw = stream(1, "benchmark", number)
    answers: dict[str, object] = {}
    for question in questionnaire().asked:
        labels = [option.label for option in question.options if option.sampled]
        if question.type == "rating":
            answers[question.id] = draw.between(question.low, question.high)
        elif question.type == "single":
            answers[question.id] = draw.pick(labels)
        else:
            answers[question.id] = tuple(draw.sample(labels, draw.between(1, 3)))
    return Profile.model_validate({"id": f"p{number}", "answers": answers})


def by_scikit_learn(rows: np.ndarray, ids: list[str]) -> tuple[float, float]:
    """Return similarity within, and the mean silhouette, in the straightforward way."""
    from sklearn.cluster import KMeans
    from sklearn.metrics import silhouette_score

    people = list(dict.fromkeys(ids))
    units = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    own = {p: units[[i for i, owner in enumerate(ids) if owner == p]] for p in people}
    within = [np.mean([a @ b for a, b in combinations(own[p], 2)]) for p in people]
    means = np.array([own[p].mean(axis=0) for p in people])
    means /= np.linalg.norm(means, axis=1, keepdims=True)
    scores = []
    for k in range(2, 51):
        labels = KMeans(k, n_init=4, random_state=k, max_iter=50).fit_predict(means)
        scores.append(silhouette_score(means, labels))
    return float(100 * np.mean(within)), float(np.mean(scores))


def main() -> None:
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    people = [profile(i) for i in range(n)]
    write_offline(people[0])  # tables are read with the first
    start = time.perf_counter()
    prompts = sum(len(write_offline(person).prompts) for person in people)
    seconds = time.perf_counter() - start
    print(f"candidates offline: {prompts:,} prompts in {seconds:.2f} s, {prompts / seconds:,.0f}/s")
    draw = np.random.default_rng(1)
    tastes = draw.normal(size=(PEOPLE, 1, DIM))
    rows = (tastes + draw.normal(size=(PEOPLE, EACH, DIM))).reshape(-1, DIM)
    ids = [f"p{i}" for i in range(PEOPLE) for _ in range(EACH)]
    start = time.perf_counter()
    ours = audit_pictures(rows, ids, PictureAuditSettings())
    mine = time.perf_counter() - start
    start = time.perf_counter()
    within, silhouette = by_scikit_learn(rows, ids)
    theirs = time.perf_counter() - start
    print(
        f"audit of {PEOPLE} people × {EACH}: {mine:.2f} s with entropy and intervals; "
        f"scikit-learn without them {theirs:.2f} s, ratio {theirs / mine:.1f}"
    )
    print(
        f"  within {ours.within.mean:.4f} and {within:.4f}; silhouette "
        f"{ours.silhouette.mean:.4f} and {silhouette:.4f} (other starts)"
    )


if __name__ == "__main__":
    main()
