"""``summary.json`` of an MMPB run as a frozen view, with the tables about concepts and models."""

from __future__ import annotations

from pydantic import Field

from eyeprint.report.mmpb_found_views import OutcomesView, ShareView
from eyeprint.report.mmpb_table_views import (
    AccessView,
    BiasTableView,
    BlindView,
    CellView,
    ContrastView,
    CurveView,
    Differences,
    GranularityView,
    LetterView,
    LiftView,
    ModalityView,
    ModelView,
    PartView,
    PromptingView,
    RefusalsView,
    SettingFoundView,
    Shares,
    TurnDropView,
    UnaidedView,
)
from eyeprint.report.run_files import View


class ConceptGapView(View):
    """One concept against its category."""

    concept: str
    share: ShareView
    gap: float
    low: float | None = None
    high: float | None = None
    p: float | None = None
    holm: float | None = None
    flagged: bool = False


class FairnessView(View):
    """Concepts of one category in one cell."""

    model: str
    setting: str
    category: str
    overall: ShareView
    concepts: tuple[ConceptGapView, ...] = ()
    largest: float | None = None
    flagged: int = 0
    threshold: float = 0.1


class RankedModelView(View):
    """One model's place on a leaderboard and its accuracies."""

    model: str
    rank: float
    parts: dict[str, float | None] = Field(default_factory=dict)


class CorrelationView(View):
    """Accuracy against a general leaderboard."""

    rho: float | None = None
    p: float | None = None
    n: int = 0
    per_rank: float | None = None
    reason: str | None = None


class RankTableView(View):
    """Models by their general rank; without a setting, the mean over settings."""

    setting: str | None = None
    models: tuple[RankedModelView, ...] = ()
    correlations: dict[str, CorrelationView] = Field(default_factory=dict)


class AgainstView(View):
    """People minus a model, on the questions that people answered."""

    model: str
    setting: str
    parts: Differences = Field(default_factory=dict)


class HumanView(View):
    """People's accuracy."""

    model: str
    setting: str
    parts: Shares = Field(default_factory=dict)
    against: tuple[AgainstView, ...] = ()


class CostView(View):
    """What one model took."""

    model: str
    questions: int = 0
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None
    rows_without_cost: int = 0
    usd_per_1000: float | None = None
    prompt_tokens: int = 0
    shared_tokens: int = 0


class TableSettingsView(View):
    """How answers became tables."""

    draws: int = 0
    level: float = 0.95
    seed: int = 0
    permutations: int = 0
    fairness_gap: float = 0.1


class HeadlineView(View):
    """What is told first."""

    lifts: tuple[LiftView, ...] = ()
    best_model: str | None = None
    best_setting: str | None = None
    best: ShareView | None = None
    unread: int = 0
    refused: int = 0


class ResultsView(View):
    """All tables of one run; a table whose cells the run lacks is empty."""

    table_settings: TableSettingsView = TableSettingsView()
    how: str = ""
    rows: int = 0
    questions: int = 0
    concepts: int = 0
    models: tuple[ModelView, ...] = Field(min_length=1)
    settings: tuple[SettingFoundView, ...] = Field(min_length=1)
    parts: tuple[PartView, ...] = ()
    headline: HeadlineView = HeadlineView()
    cells: tuple[CellView, ...] = Field(min_length=1)
    letters: tuple[LetterView, ...] = ()
    lifts: tuple[LiftView, ...] = ()
    unaided: tuple[UnaidedView, ...] = ()
    drops: tuple[TurnDropView, ...] = ()
    modality: tuple[ModalityView, ...] = ()
    access: tuple[AccessView, ...] = ()
    bias: BiasTableView | None = None
    contrasts: tuple[ContrastView, ...] = ()
    granularity: tuple[GranularityView, ...] = ()
    curves: tuple[CurveView, ...] = ()
    prompting: tuple[PromptingView, ...] = ()
    refusals: tuple[RefusalsView, ...] = ()
    blind: tuple[BlindView, ...] = ()
    fairness: tuple[FairnessView, ...] = ()
    ranks: tuple[RankTableView, ...] = ()
    human: tuple[HumanView, ...] = ()
    costs: tuple[CostView, ...] = ()
    notes: tuple[str, ...] = ()

    def cell(self, model: str, setting: str) -> CellView | None:
        """Return one cell, or ``None`` where the model has no answers in that setting."""
        return next((c for c in self.cells if (c.model, c.setting) == (model, setting)), None)

    def part(self, key: str) -> PartView | None:
        """Return one part, or ``None`` where the run has no such question."""
        return next((part for part in self.parts if part.key == key), None)

    def setting(self, label: str) -> SettingFoundView | None:
        """Return the setting of that label."""
        return next((one for one in self.settings if one.label == label), None)

    @property
    def machines(self) -> list[str]:
        """Names of the models that are no people, in the tables' order."""
        return [model.model for model in self.models if not model.human]

    @property
    def graded(self) -> bool:
        """Whether there are free answers, which a grader reads."""
        return any(one.setting.form == "open" for one in self.settings)

    @property
    def outcomes(self) -> OutcomesView:
        """What became of all questions in all cells."""
        names = OutcomesView.model_fields
        found = {name: sum(getattr(c.outcomes, name) for c in self.cells) for name in names}
        return OutcomesView(**found)

    @property
    def level(self) -> str:
        """The level of the intervals in per cent, as text."""
        return f"{100 * self.table_settings.level:g}"


class PublishedView(View):
    """A number of the paper and the run's, in per cent."""

    id: str
    what: str
    published: float
    here: float | None = None
    difference: float | None = None
    published_count: str = ""
    here_count: str = ""
    basis: str = ""
    full_data: bool = False
    note: str = ""


class CountView(View):
    """What there is of one cut of the data: a category, a type, a group, a task, or all."""

    by: str
    name: str
    concepts: int = 0
    questions: int = 0
    pictures: int = 0
    references: int = 0


class DataView(View):
    """The data that were asked about."""

    root: str = ""
    questions: int = 0
    asked: int = 0
    concepts: int = 0
    counts: tuple[CountView, ...] = ()


class MmpbSummary(View):
    """``summary.json``."""

    mmpb: ResultsView
    published: tuple[PublishedView, ...] = ()
    data: DataView = DataView()
    changed: tuple[str, ...] = ()
    """What of the run's protocol is not as released; then no published number is compared."""
    notes: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()
    pictures: dict[str, str] = Field(default_factory=dict)
