"""What a run looks like on a terminal: stage, bar, rate, time left, money, waits."""

from __future__ import annotations

import time
from types import TracebackType
from typing import TYPE_CHECKING, Self

from rich.console import Console
from rich.markup import escape
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
)

from eyeprint.errors import shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eyeprint.models.retries import Waiting
    from eyeprint.store.work import Progress as WorkProgress

MISSING_SHOWN = 3
WAITS_TOLD_S = 5.0
"""Waits of one model for one reason are told so often at most."""


class TerminalDisplay:
    """Shows a run's stages on standard error. Use it in a ``with`` block."""

    def __init__(self, quiet: bool = False) -> None:
        self.console = Console(stderr=True, quiet=quiet)
        self._bar = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(bar_width=24),
            MofNCompleteColumn(),
            TextColumn("{task.fields[facts]}"),
            TimeElapsedColumn(),
            console=self.console,
            # In a file or pipe the bar would leave blank lines; stages are printed there.
            disable=not self.console.is_terminal,
        )
        self._task: TaskID | None = None
        self._notes: set[str] = set()
        self._waits: dict[tuple[str, str, int], tuple[float, int]] = {}

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._bar.stop()

    def stage(self, name: str, total: int | None) -> None:
        """Begin a stage."""
        self._close()
        self._task = self._bar.add_task(escape(name), total=total, facts="")
        if not self.console.is_terminal:
            self.console.print(f"{name} ...", markup=False)

    def _close(self) -> None:
        if self._task is not None:
            task = self._bar.tasks[-1]
            total = task.total if task.total is not None else max(task.completed, 1)
            self._bar.update(self._task, total=total, completed=total)
            self._bar.stop_task(self._task)

    def advance(self, done: int) -> None:
        """Show how far a stage is, and the time left."""
        if self._task is not None:
            self._bar.update(self._task, completed=done)
            left = self._bar.tasks[-1].time_remaining
            self._bar.update(self._task, facts=f"{_duration(left)} left" if left else "")

    def progress(self, progress: WorkProgress) -> None:
        """Show rate, time left, failures and money."""
        if self._task is None:
            return
        facts = [f"{progress.rate:.0f}/s"]
        if progress.eta_seconds is not None:
            facts.append(f"{_duration(progress.eta_seconds)} left")
        if progress.failed:
            facts.append(f"[red]{progress.failed} failed[/red]")
        if progress.spent_usd:
            facts.append(f"${progress.spent_usd:.4f}")
        elif progress.spent_usd is None:
            facts.append("cost unknown")
        done = progress.done + progress.failed + progress.skipped
        self._bar.update(self._task, completed=done, facts=", ".join(facts))

    def note(self, text: str) -> None:
        """Show a note once."""
        if text not in self._notes:
            self._notes.add(text)
            self.console.print(f"note: {text}", style="yellow", markup=False, soft_wrap=True)

    def waiting(self, waiting: Waiting) -> None:
        """Show that a call waits; of many that wait alike, one line in a while, with their number.

        A server that is down keeps every call under way waiting: a line each would bury all else.
        """
        what = (waiting.model, waiting.kind, waiting.attempt)
        now = time.monotonic()
        told, unsaid = self._waits.get(what, (-WAITS_TOLD_S, 0))
        if now - told < WAITS_TOLD_S:
            self._waits[what] = (told, unsaid + 1)
            return
        self._waits[what] = (now, 0)
        more = f" ({unsaid:,} calls more have waited alike)" if unsaid else ""
        self.console.print(
            f"waiting: {waiting}{more}", style="yellow", markup=False, soft_wrap=True
        )


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes:02d} min"
    return f"{minutes} min {rest:02d} s" if minutes else f"{rest} s"


def tell_missing(missing: Sequence[str], display: TerminalDisplay) -> None:
    """Say before a long run which pictures of a data root are not there; nothing if all are."""
    if not missing:
        return
    first = ", ".join(map(shown, missing[:MISSING_SHOWN]))
    more = ", ..." if len(missing) > MISSING_SHOWN else ""
    many = "1 picture is" if len(missing) == 1 else f"{len(missing):,} pictures are"
    display.note(f"{many} missing: {first}{more}")
