"""Softmax attention over similarities: weights, entropy, effective number (CHECKLIST V31, V32)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Floats = Sequence[float] | NDArray[np.floating]


def softmax_weights(similarities: Floats, temperature: float = 0.1) -> NDArray[np.float64]:
    """Return w_i = exp(s_i / τ) / Σ_j exp(s_j / τ) along the last axis.

    The largest similarity is subtracted first, so no temperature overflows.

    Args:
        similarities: shape (..., n), finite.
        temperature: τ > 0; smaller is sharper. The paper uses 0.1.

    Returns:
        Shape (..., n), float64, in [0, 1], summing to 1; empty for n = 0.

    Raises:
        ValueError: τ is not a positive number, or a similarity is not finite.

    Source: VPTT section 3.2, Algorithm 1 lines 5-6; CHECKLIST V31.

    >>> softmax_weights([0.5, 0.5]).tolist()
    [0.5, 0.5]
    """
    values = np.asarray(similarities, dtype=np.float64)
    if not (np.isfinite(temperature) and temperature > 0):
        raise ValueError(f"the temperature must be a positive number, and is {temperature}")
    if not np.all(np.isfinite(values)):
        raise ValueError("similarities must be finite")
    if values.shape[-1] == 0:
        return values
    # Division comes after the subtraction: s / τ may overflow for a tiny τ.
    with np.errstate(over="ignore"):
        powers = np.exp((values - values.max(axis=-1, keepdims=True)) / temperature)
    weights: NDArray[np.float64] = powers / powers.sum(axis=-1, keepdims=True)
    return weights


def entropy(weights: Floats) -> float:
    """Return H = -Σ w_i ln w_i in nats, with 0 ln 0 = 0; from 0 to ln n.

    Args:
        weights: shape (n,), not negative, summing to 1.

    Raises:
        ValueError: a weight is negative or not finite.

    Source: VPTT section 3.2; CHECKLIST V32.

    >>> round(entropy([0.25] * 4), 6)
    1.386294
    """
    values = np.asarray(weights, dtype=np.float64)
    if not np.all(np.isfinite(values)) or np.any(values < 0):
        raise ValueError("weights must be finite and not negative")
    positive = values[values > 0]
    # "0.0 -" turns the -0.0 of a single certain outcome into 0.0.
    return 0.0 - float(np.sum(positive * np.log(positive)))


def effective_number(weights: Floats) -> float:
    """Return n_eff = exp(H): how many items the weights are spread over, from 1 to n.

    Source: VPTT section 3.2; CHECKLIST V32.

    >>> effective_number([1.0, 0.0, 0.0])
    1.0
    """
    return float(np.exp(entropy(weights)))
