"""Whole numbers in proportion to weights: largest remainders, with caps.

Used for element quotas (CHECKLIST V34: never more than a post has) and for the quotas
of post kinds (35/25/25/15 % of any number of posts).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

SNAP = 1e-9
"""Shares this close below a whole number count as it, and fractions this close as tied:
0.29 * 100 is 28.999999999999996 in floating point and must be 29."""


def largest_remainder(
    weights: Sequence[float] | NDArray[np.floating],
    total: int,
    caps: Sequence[int] | NDArray[np.integer] | None = None,
) -> NDArray[np.int64]:
    """Split ``total`` whole units in proportion to ``weights``, none beyond its cap.

    Every item first gets floor(total · w_i / Σw), at most its cap. The units left over
    go one each to the items with room, largest fractional part first, ties by order. If
    caps leave units still, they are split in the same way among the items with room,
    until none is left or all caps are full. Hence always::

        result.sum() == min(total, caps.sum())   and   0 <= result <= caps

    When all weights of the items with room are 0, they count as equal: a zero
    denominator never divides.

    Args:
        weights: shape (n,), finite and not negative; they need not sum to 1.
        total: units to give, not negative.
        caps: shape (n,), not negative; ``None`` for no caps.

    Returns:
        Shape (n,), int64. For n = 0 an empty array: there is nobody to give to.

    Raises:
        ValueError: a weight is negative or not finite, a cap or the total is negative,
            or the shapes differ.

    Source: VPTT section 3.2 "Quota"; CHECKLIST V34 for caps, ties and zeros.

    >>> largest_remainder([0.35, 0.25, 0.25, 0.15], 30).tolist()
    [11, 8, 7, 4]
    >>> largest_remainder([0.9, 0.06, 0.04], 10, caps=[2, 10, 10]).tolist()
    [2, 5, 3]
    >>> largest_remainder([0.0, 0.0], 3, caps=[0, 0]).tolist()
    [0, 0]
    """
    claims = np.asarray(weights, dtype=np.float64).reshape(-1)
    if total < 0:
        raise ValueError(f"the total to split must not be negative, and is {total}")
    if not np.all(np.isfinite(claims)) or np.any(claims < 0):
        raise ValueError("weights must be finite and not negative")
    if caps is None:
        room = np.full(claims.shape, total, dtype=np.int64)
    else:
        room = np.array(caps, dtype=np.int64).reshape(-1)
        if room.shape != claims.shape:
            raise ValueError(f"{claims.size} weights do not fit {room.size} caps")
        if np.any(room < 0):
            raise ValueError("caps must not be negative")
    granted = np.zeros(claims.shape, dtype=np.int64)
    left = min(int(total), int(room.sum()))
    while left > 0:
        places = np.flatnonzero(room)
        given = _one_round(claims[places], left, room[places])
        granted[places] += given
        room[places] -= given
        left -= int(given.sum())
    return granted


def _one_round(
    claims: NDArray[np.float64], total: int, room: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Floors, then single units by fractional part; gives at least one unit."""
    # Dividing by the largest first keeps the sum finite and subnormal weights apart.
    peak = claims.max()
    scaled = claims / peak if peak > 0 else np.ones_like(claims)
    shares = total * (scaled / scaled.sum())
    floors = np.floor(shares + SNAP)
    fractions = np.maximum(shares - floors, 0.0)
    given: NDArray[np.int64] = np.minimum(floors.astype(np.int64), room)
    left = total - int(given.sum())
    ranked = np.argsort(-np.round(fractions / SNAP), kind="stable")
    takers = ranked[given[ranked] < room[ranked]][: max(left, 0)]
    given[takers] += 1
    return given
