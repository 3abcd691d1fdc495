"""Reads named arrays from .safetensors and .npz files with NumPy alone.

Nothing in either format can run code when it is read; Python pickles are refused.
"""

from __future__ import annotations

import math
import zipfile
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from eyeprint.errors import DataError, ModelUnavailable, shown
from eyeprint.models.minilm_graph import places

_TYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2"}


def read_tensors(path: str | Path) -> dict[str, NDArray[np.float32]]:
    """Return the arrays of a file by name, as float32.

    Raises:
        ModelUnavailable: there is no such file.
        DataError: the file is of another format, or damaged; told with its path.
    """
    path = Path(path)
    if not path.is_file():
        raise ModelUnavailable(f"{path}: there is no such file.")
    if path.suffix.lower() == ".npz":
        return _from_npz(path)
    if path.suffix.lower() == ".safetensors":
        return _from_safetensors(path)
    raise DataError(
        f"{path}: weights are read from .safetensors or .npz files, not '{path.suffix}'. Convert "
        "a PyTorch file once: safetensors.torch.save_file(torch.load(FILE), 'head.safetensors')"
    )


def _from_npz(path: Path) -> dict[str, NDArray[np.float32]]:
    try:
        with np.load(path, allow_pickle=False) as file:
            return {name: file[name].astype(np.float32) for name in file.files}
    except (OSError, ValueError, zipfile.BadZipFile) as error:
        raise DataError(f"{path}: not a readable .npz file ({error}).") from error


def _from_safetensors(path: Path) -> dict[str, NDArray[np.float32]]:
    data = path.read_bytes()
    found = {}
    for name, place in places(path).items():
        kind = _TYPES.get(place.dtype)
        if kind is None:
            raise DataError(
                f"{path}: '{shown(name)}' is of type {shown(str(place.dtype))}, not a float."
            )
        raw = np.frombuffer(data[place.offset : place.offset + place.length], dtype=kind)
        if raw.size != math.prod(place.shape):
            raise DataError(f"{path}: '{shown(name)}' does not fill its shape {place.shape}.")
        if place.dtype == "BF16":
            # The upper half of a float32.
            raw = (raw.astype(np.uint32) << 16).view(np.float32)
        found[name] = raw.reshape(place.shape).astype(np.float32)
    return found
