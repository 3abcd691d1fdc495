"""Similarity within persons, entropy and silhouettes between them, against slow twins."""

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from eyeprint.maths import separation
from eyeprint.maths.separation import (
    distances,
    lloyd,
    nearest_centres,
    owner_numbers,
    partition,
    person_means,
    rotated,
    silhouettes,
    spread_over_clusters,
    within_similarity,
)

POINTS = hnp.arrays(
    np.float64,
    st.tuples(st.integers(4, 14), st.integers(1, 5)),
    elements=st.integers(-4, 4).map(float),
)


def slow_within(rows, owners):
    """100 × the mean over pairs, pair by pair."""
    found = []
    for person in range(max(owners) + 1):
        own = [r / np.linalg.norm(r) for r, o in zip(rows, owners, strict=True)
               if o == person and np.any(r)]  # fmt: skip
        cosines = [float(a @ b) for a, b in combinations(own, 2)]
        found.append(100 * sum(cosines) / len(cosines) if cosines else math.nan)
    return found


def slow_entropy(labels, owners, k, reachable):
    found = []
    for person in range(max(owners) + 1):
        own = [label for label, o in zip(labels, owners, strict=True) if o == person]
        if len(own) < 2:
            found.append(math.nan)
            continue
        shares = [own.count(c) / len(own) for c in set(own)]
        most = math.log(min(k, len(own)) if reachable else k)
        found.append(abs(-sum(p * math.log(p) for p in shares)) / most)
    return found


def slow_lloyd(points, centres, steps=200):
    """The textbook loop, for starts that lose no cluster."""
    labels = None
    for _ in range(steps):
        gaps = ((points[:, None] - centres[None]) ** 2).sum(axis=2)
        own = gaps.argmin(axis=1)
        if labels is not None and np.array_equal(own, labels):
            break
        labels = own
        if len(set(labels.tolist())) < len(centres):
            return None
        centres = np.array([points[labels == c].mean(axis=0) for c in range(len(centres))])
    return labels, centres


@given(POINTS, st.data())
def test_p75_similarity_within_is_the_mean_over_pairs_then_over_persons(rows, data):
    owners = data.draw(st.lists(st.integers(0, 3), min_size=len(rows), max_size=len(rows)))
    numbers, _ = owner_numbers(owners)
    found = within_similarity(rows, numbers)
    np.testing.assert_allclose(found, slow_within(rows, numbers.tolist()), atol=1e-9)


def test_p75_golden_similarity():
    # Angles of 60 degrees between two unit vectors: cosine 0.5, so 50; one vector: none.
    rows = np.array([[1.0, 0.0], [0.5, math.sqrt(3) / 2], [0.0, 2.0]])
    found = within_similarity(rows, np.array([0, 0, 1]))
    assert found[0] == pytest.approx(50.0)
    assert math.isnan(found[1])


@given(st.integers(2, 6), st.data(), st.booleans())
def test_p76_entropy_is_that_of_the_definition(k, data, reachable):
    n = data.draw(st.integers(2, 25))
    labels = data.draw(st.lists(st.integers(0, k - 1), min_size=n, max_size=n))
    numbers, _ = owner_numbers(data.draw(st.lists(st.integers(0, 4), min_size=n, max_size=n)))
    found = spread_over_clusters(np.array(labels), numbers, k, reachable=reachable)
    twin = slow_entropy(labels, numbers.tolist(), k, reachable)
    np.testing.assert_allclose(found, twin, atol=1e-12)
    assert np.nanmax(np.append(found, 0.0)) <= 1 + 1e-12


def test_p76_golden_entropy():
    # Person 0: shares 3/4 and 1/4 over 2 clusters: (3/4 ln 4/3 + 1/4 ln 4) / ln 2 = 0.811278.
    found = spread_over_clusters(np.array([0, 0, 0, 1]), np.zeros(4, np.int64), 2)
    assert found[0] == pytest.approx(0.8112781, abs=1e-7)
    # Two pictures in two of 50 clusters: as spread as can be; by ln 50 it is ln 2 / ln 50.
    two = np.array([4, 9]), np.zeros(2, np.int64), 50
    assert spread_over_clusters(*two)[0] == pytest.approx(1.0)
    assert spread_over_clusters(*two, reachable=False)[0] == pytest.approx(0.1771838, abs=1e-7)


@given(POINTS, st.data())
def test_p76_silhouettes_equal_those_of_scikit_learn(points, data):
    from sklearn.metrics import silhouette_samples

    labels = np.array(
        data.draw(st.lists(st.integers(0, 3), min_size=len(points), max_size=len(points)))
    )
    used = len(set(labels.tolist()))
    found = silhouettes(distances(points), labels)
    if used < 2:
        assert np.isnan(found).all()
        return
    if used > len(points) - 1:
        assert (found == 0).all()  # everyone is alone
        return
    twin = silhouette_samples(points, labels)
    np.testing.assert_allclose(found, np.nan_to_num(twin), atol=1e-7)


def test_p76_golden_silhouette():
    # Points 0, 1 | 5: for 0: a = 1, b = 5 -> 0.8; for 1: a = 1, b = 4 -> 0.75; 5 is alone.
    found = silhouettes(distances(np.array([[0.0], [1.0], [5.0]])), np.array([0, 0, 1]))
    assert found.tolist() == pytest.approx([0.8, 0.75, 0.0])


@given(POINTS, st.integers(2, 4), st.integers(0, 10))
def test_p76_lloyd_equals_the_textbook_loop(points, k, seed):
    draw = np.random.default_rng(seed)
    # Noise breaks ties, at which two right answers differ.
    points = points + draw.normal(size=points.shape) * 1e-3
    starts = points[draw.choice(len(points), k, replace=False)]
    twin = slow_lloyd(points, starts)
    if twin is None:
        return
    found = lloyd(points, starts, iterations=200)
    assert found.labels.tolist() == twin[0].tolist()
    np.testing.assert_allclose(found.centres, twin[1], atol=1e-9)
    gaps = ((points - found.centres[found.labels]) ** 2).sum()
    assert found.inertia == pytest.approx(gaps, abs=1e-8)


def test_p76_lloyd_equals_scikit_learn_from_the_same_centres():
    from sklearn.cluster import KMeans

    draw = np.random.default_rng(3)
    points = np.concatenate([draw.normal(c, 0.4, size=(60, 7)) for c in (0, 2, 5)])
    starts = points[[0, 70, 140]]
    twin = KMeans(3, init=starts, n_init=1, algorithm="lloyd", tol=0, max_iter=200).fit(points)
    found = lloyd(points, starts, iterations=200)
    assert found.labels.tolist() == twin.labels_.tolist()
    assert found.inertia == pytest.approx(twin.inertia_)


def test_p76_a_cluster_that_loses_its_points_takes_the_farthest():
    points = np.array([[0.0], [0.1], [10.0]])
    found = lloyd(points, np.array([[0.0], [100.0]]))
    assert found.labels[2] != found.labels[0] == found.labels[1]


@given(POINTS, st.integers(1, 4), st.integers(0, 5))
def test_p76_a_partition_is_no_worse_than_one_start_and_repeats_itself(points, k, seed):
    one = partition(points, k, np.random.default_rng(seed), starts=1, tolerance=0.0)
    best = partition(points, k, np.random.default_rng(seed), starts=4, tolerance=0.0)
    again = partition(points, k, np.random.default_rng(seed), starts=4, tolerance=0.0)
    assert best.inertia <= one.inertia + 1e-9
    assert best.labels.tolist() == again.labels.tolist()
    assert set(best.labels.tolist()) <= set(range(k))


def test_p76_blocks_change_nothing(monkeypatch):
    draw = np.random.default_rng(5)
    points, centres = draw.normal(size=(400, 30)), draw.normal(size=(8, 30))
    whole = nearest_centres(points, centres)
    monkeypatch.setattr(separation, "_PRODUCT", 30 * 8)
    assert nearest_centres(points, centres).tolist() == whole.tolist()
    twin = ((points[:, None] - centres[None]) ** 2).sum(axis=2).argmin(axis=1)
    assert whole.tolist() == twin.tolist()


def test_p76_too_many_clusters_are_refused():
    with pytest.raises(ValueError, match="3 clusters of 2 points"):
        partition(np.zeros((2, 1)), 3, np.random.default_rng(0))


@given(POINTS)
def test_p76_rotation_keeps_all_distances(points):
    np.testing.assert_allclose(distances(rotated(points)), distances(points), atol=1e-6)


def test_p76_means_of_persons_are_of_directions_not_of_lengths():
    found = person_means(np.array([[100.0, 0.0], [0.0, 1.0]]), np.array([0, 0]))
    assert found[0].tolist() == pytest.approx([math.sqrt(0.5), math.sqrt(0.5)])
