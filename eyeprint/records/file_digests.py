"""SHA-256 of files: which bytes something was made of."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path

from eyeprint.errors import DataError


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file's bytes, 64 hex digits.

    Raises:
        OSError: it cannot be read; for whoever has a better word for it than
            :func:`file_sha256`.
    """
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def file_sha256(path: Path) -> str:
    """Return the SHA-256 of a file's bytes, 64 hex digits.

    Raises:
        DataError: it cannot be read.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "empty"
    >>> file.touch()
    >>> file_sha256(file)[:8]
    'e3b0c442'
    """
    try:
        return sha256_of(path)
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror}).") from error


def kept_sha256(path: Path) -> str:
    """Return a file's SHA-256; asked again for a file of the same size and time, it is not read.

    For large files, such as weights, that are asked for many times in one process.

    Raises:
        OSError: it cannot be read.
    """
    stat = path.stat()
    return _kept(path, stat.st_size, stat.st_mtime_ns)


@lru_cache(maxsize=16)
def _kept(path: Path, _size: int, _modified: int) -> str:
    return sha256_of(path)
