"""SHA-256 of weights and of what stands beside them, for fingerprints of models."""

from __future__ import annotations

from pathlib import Path

from eyeprint.errors import ModelUnavailable
from eyeprint.records.file_digests import kept_sha256


def weights_sha256(path: Path) -> str:
    """Return a file's SHA-256; asked twice for an unchanged file, reads it once.

    Raises:
        ModelUnavailable: the file cannot be read.

    >>> weights_sha256(Path("no/such/weights"))
    Traceback (most recent call last):
        ...
    eyeprint.errors.ModelUnavailable: no/such/weights: cannot be read (No such file or directory).
    """
    try:
        return kept_sha256(path)
    except OSError as error:
        raise ModelUnavailable(f"{path}: cannot be read ({error.strerror}).") from error
