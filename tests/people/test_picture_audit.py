"""Data quality: the numbers of a set, their definitions as settings, and comparisons."""

import numpy as np
import pytest

from eyeprint.errors import DataError
from eyeprint.people.picture_audit import (
    PictureAuditSettings,
    audit_pictures,
    difference,
)

FEW = PictureAuditSettings(clusters_high=6, draws=200)


def made(spread: float, people: int = 12, each: int = 6, groups: int = 3, seed: int = 1):
    """Return vectors of persons in groups; a person's pictures scatter by ``spread``."""
    draw = np.random.default_rng(seed)
    centres = draw.normal(size=(groups, 16))
    tastes = centres[np.arange(people) % groups] + 0.1 * draw.normal(size=(people, 16))
    rows = tastes[:, None] + spread * draw.normal(size=(people, each, 16))
    ids = [f"p{i}" for i in range(people) for _ in range(each)]
    return rows.reshape(-1, 16), ids


def test_p75_p76_coherent_people_are_more_alike_and_more_clusterable():
    tight, loose = (audit_pictures(*made(s), FEW) for s in (0.1, 2.0))
    assert tight.within.mean > loose.within.mean + 20
    assert tight.entropy.mean < loose.entropy.mean - 0.2
    assert tight.silhouette.mean > loose.silhouette.mean
    assert tight.by_k[1].k == 3 and tight.by_k[1].silhouette > 0.7  # the true three groups
    assert tight.within.low < tight.within.mean < tight.within.high


def test_p75_golden_within_counts_persons_alike():
    # a: three equal vectors, 100; b: two at right angles, 0. Mean of persons 50, whatever n.
    rows = np.array([[1.0, 0], [2, 0], [3, 0], [1, 0], [0, 1]])
    found = audit_pictures(rows, list("aaabb"), FEW)
    assert found.within.mean == pytest.approx(50.0)
    assert found.per_person["a"][0] == pytest.approx(100.0)


def test_p76_golden_entropy_of_two_split_people():
    # Means point at 45° each way; K = 2 only for 3 people. Every picture of a lies with a.
    rows = np.array([[1.0, 0], [1, 0.1], [-1, 0], [-1, 0.1], [0, -1], [0.1, -1]])
    found = audit_pictures(rows, list("aabbcc"), FEW)
    assert [at.k for at in found.by_k] == [2]
    assert found.entropy.mean == 0.0
    assert "K ends at 2" in found.notes[0]


def test_p76_k_ends_before_the_number_of_points_and_table_8_is_its_first_three():
    found = audit_pictures(*made(0.5, people=9), PictureAuditSettings(draws=50))
    assert [at.k for at in found.by_k] == list(range(2, 9))
    assert found.silhouette_table_8 == pytest.approx(
        np.mean([at.silhouette for at in found.by_k[:3]])
    )
    assert audit_pictures(*made(0.5, people=3), FEW).silhouette_table_8 is None


def test_p76_definitions_are_settings_with_their_own_numbers():
    rows, ids = made(1.0)
    base = audit_pictures(rows, ids, FEW)
    by_clusters = audit_pictures(rows, ids, FEW.model_copy(update={"scaled_by": "clusters"}))
    by_pictures = audit_pictures(rows, ids, FEW.model_copy(update={"clustered": "pictures"}))
    # Six pictures reach six clusters, so up to K = 6 both scales are one.
    assert by_clusters.entropy.mean == pytest.approx(base.entropy.mean)
    assert by_pictures.entropy.mean != base.entropy.mean
    assert by_pictures.silhouette.n == len(rows) and base.silhouette.n == 12


def test_p76_large_sets_are_sampled_and_say_so():
    found = audit_pictures(*made(0.3, people=40), FEW.model_copy(update={"most_points": 20}))
    assert any("20 of 40 people" in note for note in found.notes)
    assert found.entropy.n == 40 and found.silhouette.n == 20


def test_p75_the_same_vectors_give_the_same_numbers_in_any_order():
    rows, ids = made(0.8)
    first = audit_pictures(rows, ids, FEW)
    assert audit_pictures(rows, ids, FEW) == first
    turned = np.random.default_rng(2).permutation(len(rows))
    other = audit_pictures(rows[turned], [ids[i] for i in turned], FEW)
    assert other.within.mean == pytest.approx(first.within.mean)


def test_p75_single_pictures_and_blank_vectors_are_counted():
    rows = np.array([[1.0, 0], [1, 1], [0, 1], [0, 0]])
    found = audit_pictures(rows, ["a", "a", "b", "b"], FEW)
    assert found.vectors == 3 and found.within.n == 1
    assert any("1 of 4 pictures have no direction" in note for note in found.notes)
    assert any("single one" in note for note in found.notes)
    assert found.silhouette.mean is None and found.silhouette.reason


@pytest.mark.parametrize(
    ("rows", "ids", "told"),
    [
        (np.ones((2, 2)), ["a"], "for 1 ids"),
        (np.array([[np.nan, 1.0]]), ["a"], "NaN"),
        (np.zeros((2, 2)), ["a", "b"], "not one of its 2"),
    ],
)
def test_p75_bad_vectors_are_refused(rows, ids, told):
    with pytest.raises(DataError, match=told):
        audit_pictures(rows, ids, FEW)


def test_p77_sets_are_compared_over_the_persons_that_both_hold():
    rows, ids = made(0.5)
    left = audit_pictures(rows, ids, FEW, name="left")
    right = audit_pictures(*made(1.5), FEW, name="right")
    found = difference(left, right)
    assert found.within.n == 12
    assert found.within.mean == pytest.approx(left.within.mean - right.within.mean)
    assert found.within.low > 0
    apart = audit_pictures(rows, [f"x{i}" for i in ids], FEW)
    assert difference(left, apart).within.n == 0


def test_p76_numbers_of_two_encoders_are_never_compared():
    rows, ids = made(0.5)
    left = audit_pictures(rows, ids, FEW, fingerprint="a")
    with pytest.raises(DataError, match="different encoders"):
        difference(left, audit_pictures(rows, ids, FEW, fingerprint="b"))
    with pytest.raises(DataError, match="other definitions"):
        other = FEW.model_copy(update={"seed": 9})
        difference(left, audit_pictures(rows, ids, other, fingerprint="a"))
