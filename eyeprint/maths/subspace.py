"""Orthonormal bases of the span of vectors, and coordinates in them (CHECKLIST V59, X8)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

RANK_TOLERANCE = 1e-6
"""Directions whose singular value is below this share of the largest are left out."""
# A vector closer than this to the span of those before it (as a share of the longest), and
# a basis made from the Gram matrix loses digits (errors grow with the square): SVD takes over.
_SAFE_RATIO = 1e-4
# Products of stacks run over this many dimensions at a time. Each then is too small for
# BLAS to start threads, which on a busy machine wait for each other longer than they work.
_SLICE = 128


def orthonormal_basis(
    vectors: NDArray[np.floating], rank_tolerance: float = RANK_TOLERANCE
) -> NDArray[np.float64]:
    """Return an orthonormal basis of the span of the rows.

    Args:
        vectors: shape (n, d); zero rows and repeated rows add nothing.
        rank_tolerance: a direction counts when its singular value is above this share
            of the largest one.

    Returns:
        Shape (rank, d), float64, rows of length 1 at right angles; (0, d) for no
        vectors or only zero ones.

    Source: VPTT section 3.4 (2), Gram-Schmidt basis B; CHECKLIST V59. Any other basis
    of the span gives the same projections.

    >>> orthonormal_basis(np.array([[2.0, 0.0], [4.0, 0.0]])).shape
    (1, 2)
    """
    return orthonormal_bases(np.asarray(vectors)[None], rank_tolerance)[0]


def orthonormal_bases(
    stacks: NDArray[np.floating], rank_tolerance: float = RANK_TOLERANCE
) -> list[NDArray[np.float64]]:
    """Return one basis per stack of row vectors; each as if computed alone.

    With G = VVᵀ = LLᵀ (Cholesky), the basis of a well conditioned stack is L⁻¹V: this is
    Gram-Schmidt, for all stacks at once. Stacks with near-duplicates, and stacks of more
    vectors than dimensions, take the right singular vectors of V instead.

    Args:
        stacks: shape (s, n, d), finite.
        rank_tolerance: as in :func:`orthonormal_basis`.

    Returns:
        s arrays of shape (rank_i, d).

    Raises:
        ValueError: a vector holds NaN or infinity.
    """
    values = np.asarray(stacks, dtype=np.float64)
    if not np.all(np.isfinite(values)):
        raise ValueError("vectors must be finite; NaN or infinity has no direction")
    count, n, dim = values.shape
    if n == 0 or count == 0 or dim == 0:
        return [np.zeros((0, dim)) for _ in range(count)]
    if n > dim:
        return [_tall_basis(stack, rank_tolerance) for stack in values]
    mix, safe = _inverse_cholesky(inner_products(values, values))
    wide = np.concatenate([mix @ part for part in _slices(values)], axis=2)
    return [
        wide[i] if safe[i] else _singular_basis(values[i], rank_tolerance) for i in range(count)
    ]


def inner_products(left: NDArray[np.float64], right: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the inner products of the rows of each pair of stacks.

    Shapes (s, n, d) and (s, m, d) give (s, n, m).

    >>> inner_products(np.ones((1, 1, 3)), np.ones((1, 2, 3))).tolist()
    [[[3.0, 3.0]]]
    """
    result = np.zeros((len(left), left.shape[1], right.shape[1]))
    for ours, theirs in zip(_slices(left), _slices(right), strict=True):
        result += ours @ theirs.transpose(0, 2, 1)
    return result


def _slices(stacks: NDArray[np.float64]) -> list[NDArray[np.float64]]:
    return [stacks[:, :, i : i + _SLICE] for i in range(0, stacks.shape[2], _SLICE)]


def _inverse_cholesky(
    gram: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return L⁻¹ of each G = LLᵀ, and which of them have lost no digits that matter.

    Written out, one column at a time over all stacks: LAPACK would start threads for each
    small matrix, and gives up on a whole batch for one singular member.
    """
    count, n, _ = gram.shape
    scale = np.maximum(gram.diagonal(axis1=1, axis2=2).max(axis=1), np.finfo(float).tiny)
    gram = gram / scale[:, None, None]
    lower, inverse = np.zeros_like(gram), np.zeros_like(gram)
    safe = np.ones(count, dtype=bool)
    for j in range(n):
        column = gram[:, j:, j] - np.einsum("sik,sk->si", lower[:, j:, :j], lower[:, j, :j])
        fine = column[:, 0] > 0
        safe &= fine
        pivot = np.sqrt(np.where(fine, column[:, 0], 1.0))
        lower[:, j:, j] = column / pivot[:, None]
        inverse[:, j] = -np.einsum("sk,skm->sm", lower[:, j, :j], inverse[:, :j])
        inverse[:, j, j] += 1.0
        inverse[:, j] /= pivot[:, None]
    # A pivot near zero, of a near-duplicate, shows as a huge number in the inverse.
    safe &= np.max(inverse**2, axis=(1, 2), initial=0.0) < _SAFE_RATIO**-2
    return inverse / np.sqrt(scale)[:, None, None], safe


def _singular_basis(vectors: NDArray[np.float64], rank_tolerance: float) -> NDArray[np.float64]:
    _, sizes, directions = np.linalg.svd(vectors, full_matrices=False)
    kept: NDArray[np.float64] = directions[sizes > rank_tolerance * sizes[0]]
    return kept


def _tall_basis(vectors: NDArray[np.float64], rank_tolerance: float) -> NDArray[np.float64]:
    # The triangle of a QR has the singular values of the whole, at d × d.
    return _singular_basis(np.linalg.qr(vectors).R, rank_tolerance)


def coordinates(vectors: NDArray[np.floating], basis: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return Bv for each vector: its coordinates in the basis, its shadow's on the span.

    Each row is computed alone (no blocked product), so a vector's numbers never depend
    on the vectors beside it.

    Args:
        vectors: shape (n, d).
        basis: shape (r, d), orthonormal rows.

    Returns:
        Shape (n, r), float64; ‖Bv‖ ≤ ‖v‖.

    >>> coordinates(np.array([[3.0, 4.0]]), np.array([[0.0, 1.0]])).tolist()
    [[4.0]]
    """
    rows = np.asarray(vectors, dtype=np.float64)
    result = np.empty((len(rows), len(basis)))
    for place, row in enumerate(rows):
        result[place] = np.einsum("rd,d->r", basis, row)
    return result
