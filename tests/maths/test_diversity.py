"""Diversity measures against loops over pairs and categories."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from eyeprint.maths.diversity import jaccard, mean_pairwise_cosine, normalised_entropy, unit_rows

vectors = arrays(float, st.tuples(st.integers(0, 8), st.just(3)), elements=st.integers(-3, 3))


@given(vectors)
def test_v23_mean_pairwise_cosine_agrees_with_all_pairs(rows):
    directions = [row for row in rows if any(row)]
    pairs = [
        sum(x * y for x, y in zip(a, b, strict=True)) / (math.hypot(*a) * math.hypot(*b))
        for a, b in itertools.combinations(directions, 2)
    ]
    found = mean_pairwise_cosine(rows)
    if pairs:
        assert found == pytest.approx(sum(pairs) / len(pairs), abs=1e-9)
    else:
        assert math.isnan(found)


def test_v23_golden_mean_cosine():
    # Pairs of (1,0), (0,2), (-1,0): 0, -1, 0; the zero row has no direction.
    rows = np.array([[1, 0], [0, 2], [-1, 0], [0, 0]])
    assert mean_pairwise_cosine(rows) == pytest.approx(-1 / 3)


@given(vectors)
def test_x8_unit_rows_have_length_one_or_zero(rows):
    lengths = np.linalg.norm(unit_rows(rows), axis=1)
    assert np.allclose(lengths, np.any(rows != 0, axis=1))


@given(st.lists(st.integers(0, 9), min_size=2, max_size=8))
def test_x7_entropy_agrees_with_the_sum(counts):
    total = sum(counts)
    found = normalised_entropy(counts)
    if total == 0:
        assert math.isnan(found)
        return
    expected = -sum(c / total * math.log(c / total) for c in counts if c) / math.log(len(counts))
    assert found == pytest.approx(expected, abs=1e-12)
    assert -1e-12 <= found <= 1 + 1e-12


def test_x7_entropy_of_one_category_and_bad_counts():
    assert normalised_entropy([7]) == 0.0
    with pytest.raises(ValueError, match="negative"):
        normalised_entropy([1, -1])


@given(st.lists(st.integers(0, 5)), st.lists(st.integers(0, 5)))
def test_x7_jaccard_agrees_with_counting(a, b):
    both = [x for x in range(6) if x in a and x in b]
    either = [x for x in range(6) if x in a or x in b]
    assert jaccard(a, b) == (len(both) / len(either) if either else 1.0)
