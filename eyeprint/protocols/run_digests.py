"""Digests by which a run knows whether its tables still belong to its files."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Sequence
from pathlib import Path

from eyeprint.records.file_digests import sha256_of
from eyeprint.records.json_text import parse_json


def digest_of(*paths: Path) -> str:
    """Return one SHA-256 over the contents of those files that are there, in order."""
    state = hashlib.sha256()
    for path in paths:
        if path.exists():
            state.update(bytes.fromhex(sha256_of(path)))
    return state.hexdigest()


def still_whole(folder: Path, made_from: str, files: Sequence[str]) -> bool:
    """Whether a folder's summary belongs to ``made_from``, and its files were not changed since.

    ``summary.json`` keeps ``made_from`` and the digest of each of ``files``.
    """
    try:
        summary = parse_json((folder / "summary.json").read_bytes())
        digests = {name: digest_of(folder / name) for name in files}
        return bool(summary["made_from"] == made_from and summary["digests"] == digests)
    except (OSError, ValueError, KeyError, TypeError):
        # Nothing is lost: all of it is made anew from what the run holds.
        return False


def remove_other_tables(folder: Path, prefix: str, keep: str | None) -> None:
    """Delete tables whose name begins with ``prefix``, save the one to keep."""
    for old in folder.glob(f"{prefix}*"):
        if keep is None or old.name.split(".")[0] != keep:
            shutil.rmtree(old) if old.is_dir() else old.unlink()
