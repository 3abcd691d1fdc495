"""Everything that a run of MMPB says, as one frozen tree: ``summary.json`` holds its dump.

Tables whose cells a run does not have are absent (an empty tuple), never zero. Models that
facts mark as human are rows of the human table, and take no part in means over models.
"""

from __future__ import annotations

from pydantic import Field

from eyeprint.config import Settings
from eyeprint.scores.mmpb_cell_records import (
    Blind,
    Cell,
    Cost,
    Fairness,
    LetterBias,
    ModelFound,
    Part,
    Refusals,
    SettingFound,
    Unaided,
)
from eyeprint.scores.mmpb_compared import (
    AccessGap,
    BiasTable,
    ContrastFound,
    Curve,
    Granularity,
    Human,
    Lift,
    Modality,
    PromptingTable,
    RankTable,
    TurnDrop,
)
from eyeprint.scores.mmpb_found import Found, Share


class MmpbTableSettings(Settings):
    """How answers become tables."""

    draws: int = Field(default=2000, ge=1)
    """Bootstrap resamples of concepts."""
    level: float = Field(default=0.95, gt=0, lt=1)
    """Share of resamples inside an interval; 1 - level is the level of tests."""
    seed: int = 0
    """Of resamples and permutations, and of nothing else."""
    permutations: int = Field(default=4000, ge=100)
    """Draws of a permutation test whose permutations are too many to go through all."""
    fairness_gap: float = Field(default=0.10, ge=0, le=1)
    """A concept is flagged when its accuracy lies at least so far from its category's, and the
    test holds; the paper names no threshold (M45)."""
    fairness_settings: tuple[str, ...] = ()
    """Labels of settings for which concepts are compared; empty: the paper's four where they
    were run (text:moderate and image:2, 0 and 10 turns), else the first with own concepts."""
    human_models: tuple[str, ...] = ("human",)
    """Names of models that are people, beside those that facts mark (M26)."""


class Headline(Found):
    """What is told first."""

    lifts: tuple[Lift, ...]
    """Each model over all its settings, against wrong concepts; without those, against none,
    then shuffled."""
    best_model: str | None
    best_setting: str | None
    best: Share | None
    """The best cell with own concepts and visible pictures, people left out."""
    unread: int
    """Answers that could not be read, in all cells, each counted as wrong."""
    refused: int


class MmpbResults(Found):
    """All tables of one run."""

    table_settings: MmpbTableSettings
    how: str
    """One paragraph on how shares, intervals and tests are made."""
    rows: int
    questions: int
    concepts: int
    models: tuple[ModelFound, ...]
    settings: tuple[SettingFound, ...]
    """In the grid's order; only those that have answers."""
    parts: tuple[Part, ...]
    headline: Headline
    cells: tuple[Cell, ...]
    """By model, then setting."""
    letters: tuple[LetterBias, ...] = ()
    lifts: tuple[Lift, ...] = ()
    unaided: tuple[Unaided, ...] = ()
    drops: tuple[TurnDrop, ...] = ()
    modality: tuple[Modality, ...] = ()
    access: tuple[AccessGap, ...] = ()
    bias: BiasTable | None = None
    contrasts: tuple[ContrastFound, ...] = ()
    granularity: tuple[Granularity, ...] = ()
    curves: tuple[Curve, ...] = ()
    prompting: tuple[PromptingTable, ...] = ()
    refusals: tuple[Refusals, ...] = ()
    blind: tuple[Blind, ...] = ()
    fairness: tuple[Fairness, ...] = ()
    ranks: tuple[RankTable, ...] = ()
    human: tuple[Human, ...] = ()
    costs: tuple[Cost, ...] = ()
    notes: tuple[str, ...] = ()

    def cell(self, model: str, setting: str) -> Cell:
        """Return one cell.

        Raises:
            KeyError: the model has no answers in that setting.
        """
        for cell in self.cells:
            if (cell.model, cell.setting) == (model, setting):
                return cell
        raise KeyError((model, setting))
