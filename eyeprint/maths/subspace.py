"""Orthonormal bases of the span of vectors, and coordinates in them (CHECKLIST V59, X8)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

RANK_TOLERANCE = 1e-6
"""Directions whose singular value is below this share of the largest are left out."""
# Below this ratio of singular values a basis made from the Gram matrix loses digits
# (its error grows with the square), and the slower SVD takes over.
_SAFE_RATIO = 1e-4


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

    With U Λ Uᵀ the eigenvectors of the small Gram matrix, the basis is Λ^-½ Uᵀ V when
    the stack is well conditioned, and the right singular vectors of V otherwise. Stacks
    of more vectors than dimensions use the eigenvectors of VᵀV.

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
    if n == 0 or count == 0:
        return [np.zeros((0, dim)) for _ in range(count)]
    if n > dim:
        return [_tall_basis(stack, rank_tolerance) for stack in values]
    squares, turns = np.linalg.eigh(values @ values.transpose(0, 2, 1))
    safe = squares[:, 0] > squares[:, -1] * _SAFE_RATIO**2
    scales = 1.0 / np.sqrt(np.where(safe[:, None], squares, 1.0))
    wide = (turns * scales[:, None, :]).transpose(0, 2, 1) @ values
    return [
        wide[i] if safe[i] else _singular_basis(values[i], rank_tolerance) for i in range(count)
    ]


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
