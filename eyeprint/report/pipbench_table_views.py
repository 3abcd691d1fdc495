"""The tables of a PIPBench run's ``summary.json`` as frozen, typed views."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from eyeprint.maths.intervals import Interval
from eyeprint.report.run_files import View


class ColumnView(View):
    """One column of scores."""

    name: str
    prefix: str
    against: str = "references"
    gray: bool = False
    better: Literal["higher", "lower"] = "higher"
    unit: str = ""


class ImageMeasureView(View):
    """One column of one model in one table."""

    mean: float | None
    micro: Interval
    macro: Interval
    unscored: int = 0
    reasons: dict[str, int] = Field(default_factory=dict)
    mean_if_worst: float | None = None
    mean_if_best: float | None = None
    minus_reference: Interval | None = None
    mark: Literal["best", "second"] | None = None
    ranked_cases: int | None = None


class ImageModelView(View):
    """One model in one table."""

    model: str
    method: str = ""
    painter: str = ""
    reference: str | None = None
    outputs: int = 0
    columns: dict[str, ImageMeasureView]


class ImageTableView(View):
    """All models over the cases that have ``group`` in common."""

    group: dict[str, str] = Field(default_factory=dict)
    cases: int = 0
    persons: int = 0
    columns: tuple[ColumnView, ...]
    models: tuple[ImageModelView, ...] = Field(min_length=1)
    cut_prompts: dict[str, int] = Field(default_factory=dict)
    settings: dict[str, Any] = Field(default_factory=dict)

    @property
    def split(self) -> str:
        """The split that the table is about, or an empty text for all of them."""
        return self.group.get("split", "")

    @property
    def level(self) -> str:
        """The level of the intervals in per cent, as text."""
        return f"{100 * float(self.settings.get('level', 0.95)):g}"

    def row(self, model: str) -> ImageModelView | None:
        """Return one model's row, or ``None`` when the table has none."""
        return next((row for row in self.models if row.model == model), None)

    def measure(self, model: str, column: str) -> ImageMeasureView | None:
        """Return one column of one model, or ``None`` when the table has none."""
        row = self.row(model)
        return None if row is None else row.columns.get(column)

    def column(self, name: str) -> ColumnView | None:
        """Return the column of that name, or ``None`` when the table has none."""
        return next((column for column in self.columns if column.name == name), None)

    def interval(self, measure: ImageMeasureView) -> Interval:
        """Return the interval that belongs to the printed mean: over cases, or over persons."""
        return measure.macro if self.settings.get("estimator") == "macro" else measure.micro


class LiftView(View):
    """Lift over strangers of one model in one encoder."""

    model: str
    prefix: str
    own: float | None = None
    stranger: float | None = None
    lift: Interval
    positive: float | None = None


class GrayView(View):
    """What turning pictures gray does to an order of models (P48)."""

    split: str = ""
    colour: str
    gray: str
    spearman: float | None = None
    models: int = 0
    moved: int = 0
    best_before: str | None = None
    best_after: str | None = None


class BeatenView(View):
    """Which models do better than the unconditioned one in a column (P65)."""

    split: str = ""
    column: str
    better: tuple[str, ...] = ()
    not_better: tuple[str, ...] = ()


class GapView(View):
    """How a model's mean differs between the synthetic and the real split (P65)."""

    column: str
    model: str
    gap: float
    beyond_reference: float | None = None
    reference: str | None = None


class ClaimsView(View):
    """What the tables say about the paper's claims, as numbers."""

    gray: tuple[GrayView, ...] = ()
    beaten: tuple[BeatenView, ...] = ()
    gaps: tuple[GapView, ...] = ()
