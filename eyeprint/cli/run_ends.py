"""What every ``eyeprint run`` prints at its end: why it stopped, or its results and the report."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import Console

    from eyeprint.protocols.vptt import RunEnd


def print_end(end: RunEnd, results: Callable[[Console, Path], None]) -> None:
    """Print how a run ended.

    Args:
        end: of the run.
        results: prints what is in the run's folder; left out where the run stopped early.
    """
    from rich.console import Console

    console = Console()
    if end.stopped is not None:
        console.print(end.reason, style="yellow", markup=False, soft_wrap=True)
        return
    results(console, end.folder)
    console.print(f"report: {end.folder / 'report.html'}", markup=False, soft_wrap=True)


def print_head(what: str, fingerprint: str) -> None:
    """Print the first line of a dry run: what would be made, and the run's identity."""
    from rich.console import Console

    Console().print(f"{what}; fingerprint {fingerprint[:12]}")
