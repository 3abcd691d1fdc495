"""What tables ask of a run: its cells by model and setting, settings that are alike, people."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from eyeprint.records.concept_settings import ConceptSetting
from eyeprint.scores.mmpb_fold import ABSENT, Answers
from eyeprint.scores.mmpb_found import Difference, Quartiles, Share
from eyeprint.scores.mmpb_grid import Grid, Table
from eyeprint.scores.mmpb_model_facts import ModelFacts, facts_of
from eyeprint.scores.mmpb_results import MmpbTableSettings


class RunView:
    """A run with what is known of its models.

    Args:
        answers: a folded run.
        settings: how tables are made.
        facts: what is known of models, by name.
    """

    def __init__(
        self, answers: Answers, settings: MmpbTableSettings, facts: Mapping[str, ModelFacts]
    ) -> None:
        self.answers, self.settings = answers, settings
        self.grid = Grid(answers, settings)
        self.facts = {model: facts_of(model, facts) for model in answers.models}
        self.people = tuple(
            model
            for model in answers.models
            if model in settings.human_models or self.facts[model].human
        )
        self.machines = tuple(model for model in answers.models if model not in self.people)
        self.by_label = {setting.label: setting for setting in answers.settings}
        self._shares: dict[int, list[Share]] = {}

    @property
    def own(self) -> tuple[ConceptSetting, ...]:
        """Settings with own concepts and visible pictures."""
        return tuple(s for s in self.answers.settings if s.control == "own" and not s.blind)

    def cell(self, model: str, label: str) -> int | None:
        """Return a cell's row, or ``None``."""
        return self.answers.cells.get((model, label))

    def models_in(self, *labels: str) -> tuple[str, ...]:
        """Return the machines that have answers in all these settings."""
        return tuple(
            model
            for model in self.machines
            if all((model, label) in self.answers.cells for label in labels)
        )

    def shares(self, cell: int) -> list[Share]:
        """Return the shares of all parts of a cell, made once."""
        if cell not in self._shares:
            self._shares[cell] = self.grid.shares(*self.grid.sums(cell))
        return self._shares[cell]

    def share(self, cell: int, key: str) -> Share | None:
        """Return one part's share; ``None`` without a question of it in the cell."""
        place = self.grid.parts.place.get(key)
        found = None if place is None else self.shares(cell)[place]
        return found if found is not None and found.n else None

    def some_shares(self, cell: int, keys: Sequence[str]) -> dict[str, Share]:
        """Return those shares that have questions, by key."""
        found = {key: self.share(cell, key) for key in keys}
        return {key: share for key, share in found.items() if share is not None}

    def rows_of(self, cell: int, keys: Sequence[str]) -> tuple[list[str], Table, Table]:
        """Return keys that occur in a cell, and their right answers and questions."""
        right, n = self.grid.sums(cell)
        places = [p for p in self.grid.parts.places(keys) if n[p].any()]
        return [self.grid.parts.parts[p].key for p in places], right[places], n[places]

    def mean_tokens(self, label: str) -> tuple[float | None, float | None]:
        """Return mean tokens of dialogue and request over the answers that tell them."""
        cells = [row for (_, own), row in self.answers.cells.items() if own == label]
        sums = [self.answers.sums[cell] for cell in cells]
        counted = sum(s.counted for s in sums)
        if not counted:
            return None, None
        return (
            sum(s.dialogue_tokens for s in sums) / counted,
            sum(s.prompt_tokens for s in sums) / counted,
        )

    def asked(self, cell: int) -> NDArray[np.bool_]:
        """Return which questions were asked in a cell."""
        found: NDArray[np.bool_] = self.answers.outcome[cell] != ABSENT
        return found


def alike(settings: Iterable[ConceptSetting], *fields: str) -> list[list[ConceptSetting]]:
    """Group settings that differ in nothing but the named fields, in the order given.

    >>> both = [ConceptSetting(), ConceptSetting(turns=10), ConceptSetting(inject="image:2")]
    >>> [[s.label for s in group] for group in alike(both, "turns")]
    [['text:moderate · 0 turns', 'text:moderate · 10 turns'], ['image:2 · 0 turns']]
    """
    groups: dict[str, list[ConceptSetting]] = {}
    for setting in settings:
        base = setting.canonical().model_dump(mode="json", exclude=set(fields))
        groups.setdefault(repr(sorted(base.items())), []).append(setting)
    return list(groups.values())


def named(keys: Sequence[str], found: Sequence[Difference]) -> dict[str, Difference]:
    """Return differences by key, without those that nothing was there for."""
    return {key: one for key, one in zip(keys, found, strict=True) if one.value is not None}


def quartiles(values: Sequence[float]) -> Quartiles:
    """Return mean, median and quartiles, by linear interpolation.

    >>> quartiles([0.0, 0.5, 1.0]).q1
    0.25
    """
    if not values:
        return Quartiles(models=0, mean=None, q1=None, median=None, q3=None)
    q1, median, q3 = (float(q) for q in np.quantile(values, [0.25, 0.5, 0.75]))
    return Quartiles(models=len(values), mean=float(np.mean(values)), q1=q1, median=median, q3=q3)
