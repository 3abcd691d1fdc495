"""How varied a collection is: pairwise cosine, Shannon entropy, Jaccard (CHECKLIST V23, X7)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray


def unit_rows(vectors: NDArray[np.floating]) -> NDArray[np.float64]:
    """Return the rows divided by their lengths; zero rows stay zero.

    Shape (n, d) in and out, float64.

    >>> unit_rows(np.array([[3.0, 4.0], [0.0, 0.0]])).tolist()
    [[0.6, 0.8], [0.0, 0.0]]
    """
    rows = np.asarray(vectors, dtype=np.float64)
    lengths = np.linalg.norm(rows, axis=-1, keepdims=True)
    return rows / np.where(lengths > 0, lengths, 1.0)


def mean_pairwise_cosine(vectors: NDArray[np.floating]) -> float:
    """Return the mean cosine over all pairs of different rows.

    With v_i the unit rows, (‖Σ v_i‖² - n) / (n (n - 1)): linear in n, no matrix of
    pairs. Zero rows have no direction and are left out. In [-1, 1]; lower is more
    diverse. NaN with fewer than two directions.

    Args:
        vectors: shape (n, d).

    Source: VPTT section 11, Fig. 11 (0.611 over averaged caption embeddings); CHECKLIST V23.

    >>> mean_pairwise_cosine(np.eye(3))
    0.0
    """
    rows = unit_rows(vectors)
    rows = rows[np.any(rows != 0, axis=1)]
    n = len(rows)
    if n < 2:
        return float("nan")
    total = rows.sum(axis=0)
    return float((total @ total - n) / (n * (n - 1)))


def normalised_entropy(counts: Sequence[float] | NDArray[np.floating]) -> float:
    """Return Shannon entropy of counts divided by its largest value, ln k.

    ``k`` is the number of counts given, zeros included: pass every possible category.
    In [0, 1]; 1 is a uniform spread. 0 for a single category; NaN when all counts are 0.

    Raises:
        ValueError: a count is negative or not finite.

    Source: CHECKLIST X7.

    >>> normalised_entropy([5, 5, 0, 0])
    0.5
    """
    values = np.asarray(counts, dtype=np.float64).reshape(-1)
    if not np.all(np.isfinite(values)) or np.any(values < 0):
        raise ValueError("counts must be finite and not negative")
    total = values.sum()
    if total == 0:
        return float("nan")
    if values.size == 1:
        return 0.0
    shares = values[values > 0] / total
    return 0.0 - float(np.sum(shares * np.log(shares)) / np.log(values.size))


def jaccard(left: Iterable[object], right: Iterable[object]) -> float:
    """Return |A ∩ B| / |A ∪ B| of two collections taken as sets; 1 when both are empty.

    In [0, 1]; higher is more alike. Source: CHECKLIST X7.

    >>> jaccard("abc", "bcd")
    0.5
    """
    a, b = set(left), set(right)
    union = len(a | b)
    return len(a & b) / union if union else 1.0
