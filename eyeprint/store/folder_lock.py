"""One process at a time in a run folder.

The lock is the operating system's (``flock``): it ends with its process, however that
ends, so there are no stale locks to clean up. On network drives it holds only where the
drive's own locking works across machines (NFS 4, most SMB): start a run from one
machine, or give each machine a folder of its own.
"""

from __future__ import annotations

import json
import os
import socket
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

from eyeprint.errors import FolderBusy, FolderMismatch, shown
from eyeprint.records.whole_files import telling_what_failed

LOCK_FILE = ".lock"


def refuse_strangers(folder: Path, manifest: str) -> None:
    """Refuse a folder that holds files but not the manifest which tells what they are.

    Hidden files (locks, vectors, what a killed process left) and ledgers do not count.

    Raises:
        FolderMismatch: results written among these files would be taken for one with them.
    """
    names = sorted(entry.name for entry in folder.iterdir())
    strangers = [name for name in names if not name.startswith((".", "ledger."))]
    if strangers and manifest not in strangers:
        more = f" and {len(strangers) - 3} more" if len(strangers) > 3 else ""
        raise FolderMismatch(
            f"{folder} holds {', '.join(map(shown, strangers[:3]))}{more} but no {manifest}, so "
            "nobody knows how they were made. Name an empty or new folder with --out."
        )


def _take(file: IO[str]) -> bool:
    """Take the lock on an open file without waiting; return whether it was free."""
    try:
        if sys.platform == "win32":
            import msvcrt

            # A byte far behind the text: Windows locks what it locks against reading too.
            file.seek(1 << 20)
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    return True


class FolderLock:
    """Holds a folder from :meth:`take` to :meth:`release`, or to the end of the process."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._file: IO[str] | None = None

    def take(self) -> None:
        """Take the lock.

        Raises:
            FolderBusy: another process, or another part of this one, holds it.
            CannotWrite: the folder is read-only.
        """
        path = self.folder / LOCK_FILE
        with telling_what_failed(path):
            file = path.open("a+", encoding="utf-8")
        if not _take(file):
            file.seek(0)
            holder = file.read()
            file.close()
            raise FolderBusy(self._told(holder))
        self._file = file
        with telling_what_failed(path):
            file.seek(0)
            file.truncate()
            who = {
                "pid": os.getpid(),
                "host": socket.gethostname(),
                "since": datetime.now(UTC).isoformat(timespec="seconds"),
            }
            file.write(json.dumps(who))
            file.flush()

    def _told(self, holder: str) -> str:
        try:
            who = json.loads(holder)
            by = f"process {who['pid']} on {who['host']}, since {who['since']}"
        except (ValueError, KeyError, TypeError):
            by = "another process"
        return (
            f"{self.folder} is in use by {by}. Wait for it or end it, then run the same "
            "command again; or name another folder with --out."
        )

    def release(self) -> None:
        """Give the lock back; nothing happens when it is not held."""
        if self._file is not None:
            self._file.close()
            self._file = None
