"""What decides a build of cases, and how it ends."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from eyeprint.config import Settings
from eyeprint.people.cases import CaseSettings
from eyeprint.people.content_captions import CaptionCounts, CaptionSettings
from eyeprint.people.leak_report import LeakReport
from eyeprint.people.pools import PoolSettings
from eyeprint.records.case_counts import SplitCounts

OFFLINE = "offline"
Choose = Literal["score", "hand", "all"]
"""By an aesthetic score; by a file of choices; all that is there, for folders of chosen files."""


class CasesRun(Settings):
    """Everything that decides the cases; the manifest of the folder."""

    seed: int = 7
    source: str
    """Fingerprint of candidates or of the folders' files."""
    painter: str = ""
    painter_fingerprint: str = ""
    width: int | None = None
    height: int | None = None
    steps: int | None = None
    guidance: float | None = None
    choose: Choose
    chooser: str = ""
    """Fingerprint of the scorer, or of the choices."""
    captioner: str = OFFLINE
    pool: PoolSettings = PoolSettings()
    case: CaseSettings = CaseSettings()
    caption: CaptionSettings = CaptionSettings()


@dataclass(frozen=True)
class CasesEnd:
    """How a build of cases ended."""

    folder: Path
    """The data root, in the released layout."""
    counts: tuple[SplitCounts, ...] = ()
    failures: dict[str, int] = field(default_factory=dict)
    """Kind -> pictures or captions that failed; the next run tries them again."""
    details: tuple[str, ...] = ()
    """What failed and why, one line each, in the items' order."""
    skipped: dict[str, str] = field(default_factory=dict)
    """Person -> why there is no case of them."""
    short: dict[str, int] = field(default_factory=dict)
    """Person -> cases, where the pool gave fewer than were wanted."""
    notes: tuple[str, ...] = ()
    captions: CaptionCounts | None = None
    leaks: LeakReport | None = None
    stopped: str | None = None
    reason: str = ""

    @property
    def exit_code(self) -> int:
        """0 done; 1 finished with failures, leaks, or stopped at the budget; 130 interrupted."""
        if self.stopped == "interrupted":
            return 130
        leaked = self.leaks is not None and bool(self.leaks.errors)
        return 1 if self.failures or self.stopped or leaked else 0
