"""Bases against Gram-Schmidt written out, and the batch against single persons."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyeprint.maths.subspace import coordinates, orthonormal_bases, orthonormal_basis


def gram_schmidt(vectors, tolerance=1e-6):
    """Classical twin: subtract, twice for accuracy, keep what is left."""
    basis = []
    scale = max((np.linalg.norm(v) for v in vectors), default=0.0)
    for vector in vectors:
        rest = np.array(vector, dtype=float)
        for _ in range(2):
            for direction in basis:
                rest = rest - (rest @ direction) * direction
        if np.linalg.norm(rest) > tolerance * scale:
            basis.append(rest / np.linalg.norm(rest))
    return basis


@st.composite
def vector_sets(draw, dim=5):
    n = draw(st.integers(0, 8))
    numbers = st.integers(-3, 3)
    return np.array(draw(st.lists(st.lists(numbers, min_size=dim, max_size=dim), min_size=n,
                                  max_size=n)), dtype=float).reshape(n, dim)  # fmt: skip


@given(vector_sets(), st.integers(0, 10_000))
def test_v59_projections_agree_with_gram_schmidt(vectors, seed):
    basis = orthonormal_basis(vectors)
    twin = gram_schmidt(vectors)
    assert basis.shape == (len(twin), 5)
    assert np.allclose(basis @ basis.T, np.eye(len(basis)), atol=1e-9)
    asked = np.random.default_rng(seed).normal(size=(3, 5))
    for row, inside in zip(asked, coordinates(asked, basis), strict=True):
        expected = sum(((row @ b) * b for b in twin), np.zeros(5))
        assert np.allclose(inside @ basis, expected, atol=1e-8)


def test_v59_rank_of_identical_and_near_duplicate_captions():
    vector = np.linspace(1, 2, 7)
    assert orthonormal_basis(np.tile(vector, (30, 1))).shape == (1, 7)
    near = np.stack([vector, vector + 1e-9, np.zeros(7)])
    assert orthonormal_basis(near).shape == (1, 7)
    apart = np.stack([vector, vector + 1e-3 * np.eye(7)[0]])
    basis = orthonormal_basis(apart)
    assert basis.shape == (2, 7)
    assert np.allclose(basis @ basis.T, np.eye(2), atol=1e-9)


def test_v59_directions_between_the_tolerance_and_the_safe_ratio_stay_orthonormal():
    # Singular values 1 and about 1e-5: kept, and too small for the Gram matrix alone.
    vectors = np.array([[1.0, 0.0, 0.0], [1.0, 1e-5, 0.0]])
    basis = orthonormal_basis(vectors)
    assert basis.shape == (2, 3)
    assert np.allclose(basis @ basis.T, np.eye(2), atol=1e-12)
    assert orthonormal_basis(vectors, rank_tolerance=1e-4).shape == (1, 3)


def test_v59_more_captions_than_dimensions():
    rng = np.random.default_rng(3)
    full = orthonormal_basis(rng.normal(size=(50, 6)))
    assert full.shape == (6, 6)
    flat = orthonormal_basis(rng.normal(size=(50, 2)) @ rng.normal(size=(2, 6)))
    assert flat.shape == (2, 6)


def test_v59_no_vectors_have_no_basis():
    assert orthonormal_basis(np.zeros((0, 4))).shape == (0, 4)
    assert orthonormal_basis(np.zeros((3, 4))).shape == (0, 4)
    assert orthonormal_bases(np.zeros((0, 3, 4))) == []


def test_v59_a_persons_basis_is_the_same_bits_in_any_batch():
    rng = np.random.default_rng(5)
    stacks = rng.normal(size=(9, 4, 16))
    stacks[2, 1] = stacks[2, 0]
    together = orthonormal_bases(stacks)
    for stack, basis in zip(stacks, together, strict=True):
        assert np.array_equal(orthonormal_basis(stack), basis)
    asked = rng.normal(size=(7, 16))
    alone = [coordinates(row[None], together[0])[0] for row in asked]
    assert np.array_equal(coordinates(asked, together[0]), alone)


def test_v59_not_a_number_is_refused():
    with pytest.raises(ValueError, match="NaN"):
        orthonormal_basis(np.array([[np.nan, 1.0]]))
