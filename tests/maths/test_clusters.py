"""Batched k-means against a slow twin that uses the same draws."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyeprint.maths import clusters
from eyeprint.maths.clusters import kmeans


def twin(points, draws, iterations=100):
    """One set: k-means++ and Lloyd with Python loops; best start by inertia."""
    found = []
    for chances in draws:
        seeds = [points[min(int(chances[0] * len(points)), len(points) - 1)]]
        for chance in chances[1:]:
            nearest = [min(float(((x - s) ** 2).sum()) for s in seeds) for x in points]
            nearest = [0.0 if d <= 1e-12 else d for d in nearest]
            if sum(nearest) == 0:
                break
            mark, running = chance * sum(nearest), 0.0
            for x, gap in zip(points, nearest, strict=True):
                running += gap
                if running > mark:
                    seeds.append(x)
                    break
        centres, owners = [np.array(s) for s in seeds], None
        for _ in range(iterations):
            gaps = [[float(((x - c) ** 2).sum()) for c in centres] for x in points]
            new = [next(j for j, d in enumerate(g) if d <= min(g) + 1e-9) for g in gaps]
            if new == owners:
                break
            owners = new
            for j in range(len(centres)):
                members = [x for x, o in zip(points, owners, strict=True) if o == j]
                if members:
                    centres[j] = np.mean(members, axis=0)
        inertia = sum(min(float(((x - c) ** 2).sum()) for c in centres) for x in points)
        found.append((inertia, centres))
    least = min(inertia for inertia, _ in found)
    return next(pair for pair in found if pair[0] <= least + 1e-9)


@given(st.integers(1, 14), st.integers(1, 5), st.integers(0, 10_000))
def test_v60_agrees_with_the_slow_twin(n, k, seed):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(n, 3))
    points[rng.random(n) < 0.2] = points[0]
    draws = rng.random((4, k))
    found = kmeans(points[None], draws[None])
    inertia, centres = twin(points, draws)
    assert found.inertia[0] == pytest.approx(inertia, abs=1e-9)
    real = found.centres[0][np.isfinite(found.centres[0]).all(axis=1)]
    assert np.allclose(real, centres, atol=1e-9)


def test_v60_two_far_groups_are_found_by_hand():
    # Means of {0, 1} and {10, 12}: 0.5 and 11; inertia 0.25 * 2 + 1 * 2 = 2.5.
    points = np.array([[[0.0], [1.0], [10.0], [12.0]]])
    found = kmeans(points, np.array([[[0.0, 0.9], [0.9, 0.1]]]))
    assert sorted(found.centres[0].ravel().tolist()) == [0.5, 11.0]
    assert found.inertia.tolist() == [2.5]


def test_v60_fewer_clusters_when_fewer_distinct_points():
    points = np.repeat([[1.0, 0.0], [0.0, 1.0]], 15, axis=0)[None]
    centres = kmeans(points, np.random.default_rng(1).random((1, 4, 5))).centres[0]
    real = centres[np.isfinite(centres).all(axis=1)]
    assert sorted(real.tolist()) == [[0.0, 1.0], [1.0, 0.0]]
    alone = kmeans(np.ones((1, 1, 3)), np.full((1, 4, 5), 0.99)).centres[0]
    assert np.isfinite(alone).all(axis=1).sum() == 1


def test_v60_a_set_is_clustered_the_same_in_any_batch():
    rng = np.random.default_rng(2)
    points, draws = rng.normal(size=(8, 12, 4)), rng.random((8, 4, 5))
    together = kmeans(points, draws)
    for i in range(8):
        alone = kmeans(points[i : i + 1], draws[i : i + 1])
        assert np.array_equal(alone.centres[0], together.centres[i])


@given(st.integers(0, 10_000))
def test_v60_turning_the_axes_turns_the_centres(seed):
    rng = np.random.default_rng(seed)
    points, draws = rng.normal(size=(1, 12, 4)), rng.random((1, 4, 5))
    turn = np.linalg.qr(rng.normal(size=(4, 4))).Q
    found, turned = kmeans(points, draws), kmeans(points @ turn, draws)
    assert np.allclose(found.centres[0] @ turn, turned.centres[0], atol=1e-9)


def test_v60_an_emptied_cluster_takes_the_farthest_point():
    # 10 is nearer to 1 than to 100, so the third centre has nobody: it takes 10, and each
    # point then is a cluster of its own.
    points, centres = np.array([[[0.0], [1.0], [10.0]]]), np.array([[[0.0], [1.0], [100.0]]])
    found, inertia, _ = clusters._lloyd(points, centres, 10)
    assert found[0].ravel().tolist() == [0.0, 1.0, 10.0]
    assert inertia.tolist() == [0.0]


def test_v60_a_point_alone_in_its_cluster_stays_there():
    # Point 0 is farthest (9) but alone; of points 1 and 2, which share a cluster, 2 is
    # farther from its centre: it fills the empty third cluster.
    members = np.array([[[1, 0, 0], [0, 1, 0], [0, 1, 0]]], dtype=bool)
    clusters._fill_empty(members, np.array([[9.0, 1.0, 2.0]]), np.ones((1, 3), dtype=bool))
    assert members[0].argmax(axis=1).tolist() == [0, 1, 2]


def test_v60_the_number_of_steps_is_limited():
    # After one step from (0, 1) the centres are the means of {0} and {1, 2, 3}: 0 and 2.
    points, centres = np.array([[[0.0], [1.0], [2.0], [3.0]]]), np.array([[[0.0], [1.0]]])
    once, _, steps = clusters._lloyd(points, centres, 1)
    assert (once[0].ravel().tolist(), steps) == ([0.0, 2.0], 1)
    done, inertia, _ = clusters._lloyd(points, centres, 9)
    assert (done[0].ravel().tolist(), inertia.tolist()) == ([0.5, 2.5], [1.0])


@pytest.mark.parametrize(
    ("points", "draws"),
    [((1, 0, 2), (1, 4, 5)), ((2, 3, 2), (1, 4, 5)), ((1, 3, 2), (1, 0, 5)), ((3, 2), (1, 4, 5))],
)
def test_v60_impossible_input_is_refused(points, draws):
    with pytest.raises(ValueError, match=r"fit|needs"):
        kmeans(np.zeros(points), np.zeros(draws))
    assert kmeans(np.zeros((0, 3, 2)), np.zeros((0, 4, 5))).centres.shape == (0, 5, 2)
