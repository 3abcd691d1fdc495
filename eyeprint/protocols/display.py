"""What a protocol tells while it works; the command line shows it, libraries may ignore it."""

from __future__ import annotations

from typing import Protocol

from eyeprint.models.retries import Waiting
from eyeprint.store.work import Progress


class Display(Protocol):
    """Receives stages, their progress, and notes that a person should read."""

    def stage(self, name: str, total: int | None) -> None:
        """A stage begins; the one before it is over."""
        ...

    def advance(self, done: int) -> None:
        """So many items of the stage are done."""
        ...

    def progress(self, progress: Progress) -> None:
        """Where a stage of calls stands: rate, time left, money."""
        ...

    def note(self, text: str) -> None:
        """Something to know that is no error."""
        ...

    def waiting(self, waiting: Waiting) -> None:
        """A call waits before it is made again."""
        ...


class Quiet:
    """Shows nothing."""

    def stage(self, name: str, total: int | None) -> None:
        """Ignore a stage."""

    def advance(self, done: int) -> None:
        """Ignore progress."""

    def progress(self, progress: Progress) -> None:
        """Ignore progress."""

    def note(self, text: str) -> None:
        """Ignore a note."""

    def waiting(self, waiting: Waiting) -> None:
        """Ignore a wait."""
