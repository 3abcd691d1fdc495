"""t-SNE maps: what is near stays near, the same map every time, no map without scikit-learn."""

import sys

import numpy as np
import pytest

from eyeprint.errors import MissingExtra
from eyeprint.people.audit_map import MapSettings, coloured, tsne


def clusters(n: int = 30) -> np.ndarray:
    draws = np.random.default_rng(2)
    centres = np.eye(3, 12)[np.arange(n) % 3] * 5
    return centres + 0.1 * draws.standard_normal((n, 12))


def test_v23_people_who_are_alike_stand_together():
    placed = tsne(clusters(), MapSettings())
    group = np.arange(30) % 3
    away = np.linalg.norm(placed[:, None] - placed[None], axis=2)
    same = away[group[:, None] == group[None]]
    other = away[group[:, None] != group[None]]
    assert same.max() < other.min()
    assert placed.min() == 0
    assert placed.max() == 1


def test_v23_the_same_seed_gives_the_same_map():
    one, other = tsne(clusters(), MapSettings()), tsne(clusters(), MapSettings())
    assert one.tolist() == other.tolist()


def test_equal_people_and_few_people_have_a_map_too():
    assert np.isfinite(tsne(np.ones((6, 4)), MapSettings())).all()
    with pytest.raises(ValueError, match="at least 5"):
        tsne(np.ones((4, 4)), MapSettings())


def test_without_scikit_learn_the_extra_is_named(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "sklearn.manifold", None)
    with pytest.raises(MissingExtra, match=r"eyeprint\[audit\]"):
        tsne(clusters(), MapSettings())


def test_rare_labels_share_a_colour():
    assert coloured(["b", "a", "b", "c", ""], 2) == ["b", "a", "b", "other", "unknown"]
