"""Writes the static encoder's weights as the package ships them: int8 and float16."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from eyeprint.models.static_encoder import MOST_TOKENS


def _whole(values: np.ndarray, axis: int, most: int = 127) -> tuple[np.ndarray, np.ndarray]:
    """Return whole numbers in -most..most, and the scale of each row (axis 1) or column (0)."""
    scale = np.maximum(np.abs(values).max(axis=axis, keepdims=True) / most, 1e-8)
    scale = scale.astype(np.float32)
    kind = np.int8 if most <= 127 else np.int16
    return np.rint(values / scale).clip(-most, most).astype(kind), scale.squeeze(axis)


def write_weights(path: Path, held: dict[str, Any]) -> int:
    """Write the file; returns its size in bytes.

    ``held``: table (t, d), token_weights and position_weights (2, ·), mix, inward,
    outward, length and bias, as :class:`eyeprint.models.static_encoder.StaticWeights`
    names them.
    """
    # Rows of length 1, with the length moved into the weights: int8 then keeps two
    # digits of every row, be it of a rare token or of a common one.
    lengths = np.linalg.norm(held["table"], axis=1)
    table, table_scale = _whole(held["table"] / np.maximum(lengths, 1e-9)[:, None], axis=1)
    token_weights = held["token_weights"] * lengths
    token_weights /= token_weights.mean(axis=1, keepdims=True)
    mix, mix_scale = _whole(held["mix"], axis=0, most=32767)
    inward, inward_scale = _whole(held["inward"], axis=0)
    outward, outward_scale = _whole(held["outward"], axis=0)
    np.savez_compressed(
        path,
        table=table,
        table_scale=table_scale.astype(np.float16),
        token_weights=token_weights.astype(np.float16),
        position_weights=held["position_weights"][:, :MOST_TOKENS].astype(np.float16),
        mix=mix,
        mix_scale=mix_scale,
        inward=inward,
        inward_scale=inward_scale,
        outward=outward,
        outward_scale=outward_scale,
        length=held["length"].astype(np.float16),
        bias=held["bias"].astype(np.float16),
    )
    return path.stat().st_size
