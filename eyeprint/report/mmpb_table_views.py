"""The tables of an MMPB run's ``summary.json`` as frozen, typed views.

What each field means is told where the tables are made; parts of questions go by keys such as
``"awareness · recognition · animal"`` or ``"all"``.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from eyeprint.report.mmpb_found_views import (
    DifferenceView,
    DropView,
    MeanView,
    OutcomesView,
    QuartilesView,
    ShareView,
)
from eyeprint.report.run_files import View

Shares = dict[str, ShareView]
Differences = dict[str, DifferenceView]


class ModelView(View):
    """A model of the run, with what was told of it."""

    model: str
    human: bool = False
    access: str | None = None
    size_b: float | None = None
    rank: float | None = None


class SettingView(View):
    """How a concept was put before a model."""

    inject: str = ""
    control: str = "own"
    turns: int = 0
    dialogue: str = "general"
    position: int = 0
    concepts: int = 1
    prompting: str = "zero_shot"
    blind: bool = False
    form: str = "choice"

    @property
    def plain(self) -> bool:
        """Whether one concept is told at the start, its own, and asked of plainly."""
        return (
            self.control == "own"
            and not self.blind
            and self.concepts == 1
            and self.position == 0
            and self.prompting == "zero_shot"
            and self.dialogue == "general"
            and self.form == "choice"
        )


class SettingFoundView(View):
    """One setting of the grid that has answers."""

    label: str
    setting: SettingView
    dialogue_tokens: float | None = None
    prompt_tokens: float | None = None


class PartView(View):
    """A selection of questions."""

    key: str
    questions: int = 0
    chance: float = 0.0
    task: bool = False
    type: str | None = None
    group: str | None = None
    category: str | None = None
    entities: str | None = None
    target: str | None = None
    negated: bool | None = None

    @property
    def trait(self) -> bool:
        """Whether a trait of the picture or the wording selects it."""
        return not (self.entities is None and self.target is None and self.negated is None)


class PartFoundView(View):
    """One part in one cell."""

    share: ShareView
    outcomes: OutcomesView = OutcomesView()
    of_answered: float | None = None
    if_all_right: float | None = None


class CellView(View):
    """One model in one setting."""

    model: str
    setting: str
    macro: MeanView = MeanView()
    parts: dict[str, PartFoundView] = Field(default_factory=dict)

    def share(self, key: str = "all") -> ShareView:
        """Return the share of a part; one without a value where it has no question."""
        found = self.parts.get(key)
        return ShareView(reason="no such question") if found is None else found.share

    @property
    def outcomes(self) -> OutcomesView:
        """What became of all its questions."""
        found = self.parts.get("all")
        return OutcomesView() if found is None else found.outcomes


class LetterView(View):
    """What is said against what is right."""

    model: str
    setting: str
    kind: Literal["letters", "yes_no"]
    n: int = 0
    said: dict[str, float] = Field(default_factory=dict)
    keys: dict[str, float] = Field(default_factory=dict)
    largest: str | None = None
    excess: float | None = None


class LiftView(View):
    """What the own concept brings over a control."""

    model: str
    setting: str | None = None
    control: str
    control_setting: str | None = None
    parts: Differences = Field(default_factory=dict)

    @property
    def whole(self) -> DifferenceView:
        """Over all questions."""
        return self.parts.get("all", DifferenceView())


class UnaidedView(View):
    """How much a model answers without any concept."""

    model: str
    setting: str
    part: str
    share: ShareView
    chance: float = 0.0
    corrected: float | None = None


class TurnDropView(View):
    """One model after a shorter and a longer dialogue."""

    model: str
    shorter: str
    longer: str
    turns: tuple[int, int]
    inject: str = ""
    size_b: float | None = None
    parts: dict[str, DropView] = Field(default_factory=dict)


class ModalityView(View):
    """Text against pictures; without a model, the mean over models."""

    model: str | None = None
    text: str
    image: str
    models: int = 1
    parts: Differences = Field(default_factory=dict)


class AccessView(View):
    """Models with open weights against closed ones; without a setting, over settings."""

    setting: str | None = None
    open: tuple[str, ...] = ()
    closed: tuple[str, ...] = ()
    open_means: dict[str, MeanView] = Field(default_factory=dict)
    closed_means: dict[str, MeanView] = Field(default_factory=dict)
    closed_minus_open: Differences = Field(default_factory=dict)


class BiasView(View):
    """Appropriateness minus Awareness of one cell."""

    model: str
    setting: str
    parts: Differences = Field(default_factory=dict)


class BiasTableView(View):
    """Bias over cells with own concepts and visible pictures."""

    cells: tuple[BiasView, ...] = ()
    positive: int = 0
    zero: int = 0
    negative: int = 0
    share_positive: float | None = None


class ContrastModelView(View):
    """One model on both sides of a contrast."""

    model: str
    left: ShareView
    right: ShareView
    difference: DifferenceView


class ContrastView(View):
    """Two kinds of questions within one setting."""

    contrast: str
    setting: str
    part: str
    left_key: str
    right_key: str
    models: tuple[ContrastModelView, ...] = ()
    left: QuartilesView = QuartilesView()
    right: QuartilesView = QuartilesView()
    difference: QuartilesView = QuartilesView()


class GrainView(View):
    """One injection in a granularity table."""

    inject: str
    setting: str
    parts: Shares = Field(default_factory=dict)


class GranularityView(View):
    """Injections of one model, all else equal."""

    model: str
    base: str
    turns: int = 0
    grains: tuple[GrainView, ...] = ()


class PointView(View):
    """One setting of a curve."""

    x: int
    setting: str
    dialogue_tokens: float | None = None
    parts: Shares = Field(default_factory=dict)


class CurveView(View):
    """One model along one axis, all else equal."""

    axis: Literal["position", "concepts", "turns"]
    model: str
    series: str
    inject: str = ""
    dialogue: str = "general"
    prompting: str = "zero_shot"
    turns: int | None = None
    points: tuple[PointView, ...] = ()


class StrategyView(View):
    """One way to put the question against zero-shot."""

    strategy: str
    setting: str
    parts: Differences = Field(default_factory=dict)
    holm: dict[str, float | None] = Field(default_factory=dict)
    mcnemar: dict[str, float | None] = Field(default_factory=dict)


class PromptingView(View):
    """Ways to put the question; without a model, all models together."""

    model: str | None = None
    base: str
    zero_shot: Shares = Field(default_factory=dict)
    strategies: tuple[StrategyView, ...] = ()
    cochran_q: float | None = None
    cochran_p: float | None = None
    omnibus_p: float | None = None
    n: int = 0
    concepts: int = 0


class RefusalsView(View):
    """Evasive answers of one cell."""

    model: str
    setting: str
    asked: int = 0
    refused: int = 0
    share: ShareView = ShareView()
    parts: dict[str, tuple[int, int]] = Field(default_factory=dict)
    patterns: dict[str, int] = Field(default_factory=dict)


class BlindPartView(View):
    """One group and type without the picture."""

    part: str
    share: ShareView
    optimum: float
    distance: float | None = None
    seen: ShareView | None = None
    concept_only: ShareView | None = None
    caveat: bool = False


class BlindView(View):
    """One model without pictures."""

    model: str
    setting: str
    parts: tuple[BlindPartView, ...] = ()
