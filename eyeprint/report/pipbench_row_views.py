"""Rows of a PIPBench run and the small pictures of its gallery, as frozen views."""

from __future__ import annotations

from pydantic import Field

from eyeprint.report.run_files import View

ADDRESS = r"^data:image/(jpeg|png);base64,[0-9A-Za-z+/=]*$"
"""What a small picture may be: nothing that a page could load from elsewhere, or run."""


class CopyFigureView(View):
    """How near an output is to its nearest reference by one metric."""

    metric: str
    reference: int = 0
    value: float
    threshold: float | None = None
    beyond: bool = False
    few: bool = False


class CopyView(View):
    """A copy flag: which reference, by what, and the figures."""

    reference: int
    path: str = ""
    by: tuple[str, ...] = ()
    figures: tuple[CopyFigureView, ...] = ()
    words: str = ""


class RowView(View):
    """One row of results.jsonl."""

    case: str
    person: str = ""
    split: str = ""
    model: str
    prompt: str | None = None
    picture: str | None = None
    fault: str | None = None
    detail: str | None = None
    notes: tuple[str, ...] = ()
    scores: dict[str, float | None] = Field(default_factory=dict)
    unscored: dict[str, str] = Field(default_factory=dict)
    copied: CopyView | None = Field(default=None, alias="copy")


class SmallView(View):
    """A small picture as a data address, or why there is none."""

    path: str = ""
    image: str | None = Field(default=None, pattern=ADDRESS)
    size: tuple[int, int] = (0, 0)
    fault: str | None = None


class OutputView(SmallView):
    """What one model painted for a case that is shown."""

    model: str
    prompt: str | None = None
    used: tuple[int, ...] = ()
    scores: dict[str, float | None] = Field(default_factory=dict)
    copied: CopyView | None = Field(default=None, alias="copy")


class ShownCase(View):
    """One case with its small pictures."""

    case: str
    person: str = ""
    split: str = ""
    prompt: str = ""
    references: tuple[SmallView, ...] = ()
    target: SmallView | None = None
    outputs: tuple[OutputView, ...] = ()


class CaseSplit(View):
    """What a report needs of a case: its split."""

    id: str
    split: str = ""
