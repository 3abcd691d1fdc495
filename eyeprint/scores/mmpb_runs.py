"""Two runs of the same questions against each other (CHECKLIST M41, M43).

Whether descriptions written by people serve better than those by a model (M43), or a tuned
model better than its base (M41), is told by two runs over the same questions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain

from eyeprint.errors import DataError
from eyeprint.records.concept_questions import ConceptAnswer
from eyeprint.records.concept_settings import ConceptSetting
from eyeprint.scores.mmpb_fold import fold_answers
from eyeprint.scores.mmpb_found import Difference, Found
from eyeprint.scores.mmpb_grid import Grid, Pairs
from eyeprint.scores.mmpb_parts import coarse
from eyeprint.scores.mmpb_results import MmpbTableSettings
from eyeprint.scores.mmpb_view import named

_SIDES = ("left", "right")


class RunDifference(Found):
    """One model in one setting of both runs."""

    model: str
    """Of the left run."""
    against: str
    """The model of the right run: the same, unless ``versus`` says another."""
    setting: str
    parts: dict[str, Difference]
    """Left run minus right run, by the same questions, each with a ``p``."""


def compare_runs(
    left: Iterable[ConceptAnswer],
    right: Iterable[ConceptAnswer],
    settings: Sequence[ConceptSetting],
    table_settings: MmpbTableSettings | None = None,
    versus: Mapping[str, str] | None = None,
) -> tuple[RunDifference, ...]:
    """Return the differences of every model and setting that both runs have, paired by question.

    Args:
        left: answers of one run, read once.
        right: answers of the other.
        settings: the settings of both.
        table_settings: resamples and permutations.
        versus: model of the left run -> model of the right run, where their names differ, such as
            a tuned model and its base (M41).

    Raises:
        DataError: the runs disagree on what a question is, or share no cell.
    """
    rows = chain(_renamed(left, _SIDES[0]), _renamed(right, _SIDES[1]))
    answers = fold_answers(rows, settings)
    grid = Grid(answers, table_settings or MmpbTableSettings())
    keys = coarse(grid.parts.parts)
    places = grid.parts.places(keys)
    found = []
    for (name, label), cell in answers.cells.items():
        side, _, model = name.partition(":")
        against = (versus or {}).get(model, model)
        other = answers.cells.get((f"{_SIDES[1]}:{against}", label))
        if side != _SIDES[0] or other is None:
            continue
        pairs = grid.pairs(cell, other)
        rows_of = Pairs(*(t[places] for t in (pairs.left, pairs.right, pairs.n, pairs.won)))
        parts = named(keys, grid.differences(rows_of, p=True))
        if parts:
            found.append(RunDifference(model=model, against=against, setting=label, parts=parts))
    if not found:
        raise DataError(
            "The two runs share no model with answers to the same questions in the same setting. "
            "Where a model has another name in the other run, say so: --versus LEFT=RIGHT."
        )
    return tuple(found)


def _renamed(rows: Iterable[ConceptAnswer], side: str) -> Iterator[ConceptAnswer]:
    for row in rows:
        yield row.model_copy(update={"model": f"{side}:{row.model}"})
