"""Files that are there whole or not at all, and one way to say why one cannot be written.

A file is written beside its place under a temporary name, flushed to the disk and
renamed; then the folder is flushed too, so that a power cut cannot undo the renaming.
Readers never see a part of it.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from eyeprint.errors import CannotWrite, UsageError

TEMPORARY = ".tmp"
"""Ending of files that are being written; such files are safe to delete."""

_REMEDIES = {
    errno.ENOSPC: "The disk is full: free some space",
    errno.EDQUOT: "Your disk quota is used up: free some space",
    errno.EFBIG: "The file would exceed the largest size allowed here: raise the limit (ulimit -f)",
    errno.EACCES: "There is no permission to write here: change it, or choose another folder",
    errno.EPERM: "There is no permission to write here: change it, or choose another folder",
    errno.EROFS: "The disk is read-only here: choose another folder",
    errno.ENOTDIR: "A part of the path is a file, not a folder: choose another folder",
    errno.EEXIST: "A file stands where a folder is needed: choose another folder",
    errno.EISDIR: "A folder stands where the file should be: name a file",
    errno.ENOENT: "A part of the path cannot be made: choose another folder",
    errno.ELOOP: "A link leads back to itself: choose another folder",
    errno.ENAMETOOLONG: "The name is too long: choose a shorter one",
}


def cannot_write(path: Path, error: OSError) -> CannotWrite:
    """Return the error that tells which file failed, why, and what to do.

    >>> print(cannot_write(Path("run/a.json"), OSError(errno.ENOSPC, "No space left")))
    run/a.json could not be written (No space left). The disk is full: free some space, then run \
the same command again. Finished work is kept.
    """
    remedy = _REMEDIES.get(error.errno or 0, "Look to the disk")
    return CannotWrite(
        f"{path} could not be written ({error.strerror or error}). {remedy}, then run the same "
        "command again. Finished work is kept."
    )


@contextmanager
def telling_what_failed(path: Path) -> Iterator[None]:
    """Turn an operating system's error inside the block into :class:`CannotWrite`."""
    try:
        yield
    except OSError as error:
        raise cannot_write(path, error) from error


def refuse_overwriting(target: Path, sources: Iterable[Path]) -> None:
    """Refuse to write results over the very files that they are made of.

    Raises:
        UsageError: ``target`` is one of ``sources``, by whatever name.
    """
    for source in sources:
        if target.exists() and source.exists() and target.samefile(source):
            raise UsageError(f"{target} is what is read here. Name another file with --out.")


def make_folder(path: Path) -> None:
    """Make a folder and its parents; nothing happens when it is there.

    Raises:
        CannotWrite: no permission, disk full, or a file is in the way.
    """
    with telling_what_failed(path):
        path.mkdir(parents=True, exist_ok=True)


def flush_folder(path: Path) -> None:
    """Make renamings in a folder survive a power cut, where the system can do that."""
    if os.name == "nt":
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_whole(path: Path, pieces: Iterable[bytes]) -> None:
    """Write a file so that it is there whole or, if anything fails, as it was before.

    The folder is made when it is missing.

    Raises:
        CannotWrite: disk full or no permission; the temporary file is removed.

    >>> import tempfile
    >>> place = Path(tempfile.mkdtemp()) / "a.txt"
    >>> write_whole(place, [b"one ", b"two"]); place.read_bytes()
    b'one two'
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}{TEMPORARY}")
    with telling_what_failed(path):
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with temporary.open("wb") as file:
                for piece in pieces:
                    file.write(piece)
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(path)
        except BaseException:
            # What failed first is what the caller must see, not a failed clean-up after it.
            with suppress(OSError):
                temporary.unlink(missing_ok=True)
            raise
        flush_folder(path.parent)


def remove_temporaries(folder: Path) -> list[str]:
    """Delete what a killed process left half written; return the names.

    Only to be called by the one process that holds the folder's lock.
    """
    removed = []
    with telling_what_failed(folder):
        for path in sorted(folder.glob(f".*{TEMPORARY}")):
            path.unlink(missing_ok=True)
            removed.append(path.name)
    return removed
