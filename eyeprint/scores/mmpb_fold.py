"""Answers of MMPB folded into arrays of small codes as they stream by (CHECKLIST M23).

A run has up to a million answers: 23 models, dozens of settings, 10,017 questions. None is held
as an object; of each there remain some 40 bytes. What a question is (concept, kind, right
answer) is kept once, and every answer must agree with it.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eyeprint.errors import DataError, shown
from eyeprint.records.concept_questions import LETTERS, NO, OUTCOMES, YES, ConceptAnswer
from eyeprint.records.concept_settings import ConceptSetting

ANSWERED = OUTCOMES.index("answered")
REFUSED = OUTCOMES.index("refused")
SAID: tuple[str, ...] = (*LETTERS, YES, NO)
"""What can be said, in the order of codes."""
ABSENT = -1
_CODES = {said: code for code, said in enumerate(SAID)}
_OUTCOMES = {outcome: code for code, outcome in enumerate(OUTCOMES)}

Profile = tuple[str, str, str, str | None, str | None, bool | None]
"""Type, group, category, entities, target, negated: all that parts select by."""


@dataclass(frozen=True)
class CellSums:
    """Totals of one cell that no part splits."""

    counted: int
    """Answers whose tokens are known: calls that failed, and ready answers, tell none."""
    dialogue_tokens: int
    prompt_tokens: int
    shared_tokens: int
    input_tokens: int | None
    output_tokens: int | None
    cost_usd: float | None
    without_cost: int
    refusals: dict[str, int]
    """Pattern -> refusals, most frequent first."""


@dataclass(frozen=True)
class Answers:
    """All answers of a run: cells by questions.

    Questions are in order of their ids, concepts by category and name, models by name,
    settings as in the grid: nothing depends on the order of rows.
    """

    models: tuple[str, ...]
    settings: tuple[ConceptSetting, ...]
    cells: dict[tuple[str, str], int]
    """(model, label) -> row of the tables, by model, then setting."""
    questions: tuple[str, ...]
    concepts: tuple[tuple[str, str], ...]
    """(category, name)."""
    profiles: tuple[Profile, ...]
    profile: NDArray[np.int32]
    """Question -> profile."""
    concept: NDArray[np.int32]
    """Question -> concept."""
    chance: NDArray[np.float64]
    key: NDArray[np.int8]
    """Question -> code of the right answer."""
    concept_only: NDArray[np.int8]
    """Question -> code of the option that fits the concept alone, or ``ABSENT``."""
    outcome: NDArray[np.int8]
    """Shape (cells, questions): code of the outcome, or ``ABSENT`` where nothing was asked."""
    said: NDArray[np.int8]
    """Shape (cells, questions): code of what was said, or ``ABSENT``."""
    right: NDArray[np.bool_]
    """Shape (cells, questions)."""
    sums: tuple[CellSums, ...]

    @property
    def rows(self) -> int:
        """How many answers there are."""
        return int((self.outcome != ABSENT).sum())

    def labels_of(self, model: str) -> tuple[str, ...]:
        """Return the settings in which a model has answers, in the grid's order."""
        return tuple(s.label for s in self.settings if (model, s.label) in self.cells)


class _Sums:
    """Totals of a cell while answers stream by."""

    __slots__ = ("cost", "counted", "refusals", "rows", "tokens", "told", "totals")

    def __init__(self) -> None:
        self.rows = self.counted = 0
        self.totals = [0, 0, 0]
        self.tokens, self.told = [0, 0], [False, False]
        self.cost: list[float] = []
        self.refusals: dict[str, int] = {}

    def add(self, row: ConceptAnswer) -> None:
        self.rows += 1
        self.counted += row.prompt_tokens > 0
        self.totals[0] += row.dialogue_tokens
        self.totals[1] += row.prompt_tokens
        self.totals[2] += row.shared_tokens
        for place, tokens in enumerate((row.input_tokens, row.output_tokens)):
            if tokens is not None:
                self.tokens[place] += tokens
                self.told[place] = True
        if row.cost_usd is not None:
            self.cost.append(row.cost_usd)
        if row.outcome == "refused":
            self.refusals[row.refusal] = self.refusals.get(row.refusal, 0) + 1

    def done(self) -> CellSums:
        ordered = sorted(self.refusals.items(), key=lambda item: (-item[1], item[0]))
        told = [t if there else None for t, there in zip(self.tokens, self.told, strict=True)]
        return CellSums(
            counted=self.counted,
            dialogue_tokens=self.totals[0],
            prompt_tokens=self.totals[1],
            shared_tokens=self.totals[2],
            input_tokens=told[0],
            output_tokens=told[1],
            # An exact sum is the same in every order of rows.
            cost_usd=math.fsum(self.cost) if self.cost else None,
            without_cost=self.rows - len(self.cost),
            refusals=dict(ordered),
        )


def fold_answers(rows: Iterable[ConceptAnswer], settings: Sequence[ConceptSetting] = ()) -> Answers:
    """Fold a stream of answers into arrays; rows in any order give the same.

    Args:
        rows: answers, read once.
        settings: the grid, in the order of tables. Labels that occur in rows only are read as
            an error, for nothing would be known of what they ask.

    Raises:
        DataError: there is no row; a model answered a question twice in one setting; rows
            disagree on what a question is; a setting is not in the grid; an answer is right
            without having been read.
    """
    grid = {setting.label: setting for setting in settings}
    cells: dict[tuple[str, str], int] = {}
    sums: list[_Sums] = []
    known: dict[str, int] = {}
    facts: list[tuple[object, ...]] = []
    cell_of, question_of = array("i"), array("i")
    outcomes, saids, rights = array("b"), array("b"), array("b")
    for row in rows:
        place = (row.model, row.setting)
        cell = cells.get(place)
        if cell is None:
            if row.setting not in grid:
                raise DataError(
                    f"question {shown(row.question)}: the setting '{shown(row.setting)}' is not in "
                    f"the grid, which has: {'; '.join(grid) or 'nothing'}."
                )
            cell = cells[place] = len(sums)
            sums.append(_Sums())
        fact = (row.concept, row.category, row.type, row.group, row.entities, row.target,
                row.negated, row.chance, row.key, row.concept_only)  # fmt: skip
        number = known.get(row.question)
        if number is None:
            number = known[row.question] = len(facts)
            facts.append(fact)
        elif facts[number] != fact:
            raise DataError(_disagree(row, facts[number], fact))
        if row.right and row.outcome != "answered":
            raise DataError(
                f"question {shown(row.question)}, {shown(row.model)}, {row.setting}: right "
                f"although {row.outcome}. Read the run again: eyeprint reread."
            )
        cell_of.append(cell)
        question_of.append(number)
        outcomes.append(_OUTCOMES[row.outcome])
        saids.append(ABSENT if row.said is None else _CODES.get(row.said, ABSENT))
        rights.append(row.right)
        sums[cell].add(row)
    if not facts:
        raise DataError("There are no answers to make tables of.")
    return _arranged(grid, cells, sums, known, facts,
                     cell_of, question_of, outcomes, saids, rights)  # fmt: skip


_FIELDS = ("concept", "category", "type", "group", "entities", "target", "negated", "chance",
           "key", "concept_only")  # fmt: skip


def _disagree(row: ConceptAnswer, old: tuple[object, ...], new: tuple[object, ...]) -> str:
    field, before, now = next(
        (name, a, b) for name, a, b in zip(_FIELDS, old, new, strict=True) if a != b
    )
    return (
        f"question {shown(row.question)}: {field} is {shown(repr(before))} in one answer and "
        f"{shown(repr(now))} in another ({shown(row.model)}, {row.setting}). Answers of different "
        "data cannot be put into one table."
    )


def _arranged(
    grid: dict[str, ConceptSetting],
    cells: dict[tuple[str, str], int],
    sums: list[_Sums],
    known: dict[str, int],
    facts: list[tuple[object, ...]],
    cell_of: array[int],
    question_of: array[int],
    outcomes: array[int],
    saids: array[int],
    rights: array[int],
) -> Answers:
    order = {label: place for place, label in enumerate(grid)}
    places = sorted(cells, key=lambda place: (place[0], order[place[1]]))
    new_cell = np.empty(len(cells), dtype=np.int64)
    for new, place in enumerate(places):
        new_cell[cells[place]] = new
    ids = sorted(known)
    new_question = np.empty(len(known), dtype=np.int64)
    for new, name in enumerate(ids):
        new_question[known[name]] = new
    ordered = [facts[known[name]] for name in ids]
    concepts = sorted({(str(fact[1]), str(fact[0])) for fact in ordered})
    concept_number = {concept: number for number, concept in enumerate(concepts)}
    # None sorts beside text by its repr: any fixed order will do.
    profiles = sorted({(*fact[2:4], fact[1], *fact[4:7]) for fact in ordered}, key=repr)
    profile_number = {profile: number for number, profile in enumerate(profiles)}
    shape = (len(places), len(ids))
    at = new_cell[np.asarray(cell_of)] * shape[1] + new_question[np.asarray(question_of)]
    twice = np.flatnonzero(np.bincount(at, minlength=shape[0] * shape[1]) > 1)
    if len(twice):
        model, label = places[twice[0] // shape[1]]
        raise DataError(
            f"{shown(model)} answered question {shown(ids[twice[0] % shape[1]])} more than once in "
            f"'{label}'. Give each answer once."
        )

    def spread(values: array[int], empty: int) -> NDArray[np.int8]:
        table = np.full(shape[0] * shape[1], empty, dtype=np.int8)
        table[at] = np.asarray(values, dtype=np.int8)
        return table.reshape(shape)

    return Answers(
        models=tuple(sorted({model for model, _ in places})),
        settings=tuple(s for label, s in grid.items() if any(label == at for _, at in places)),
        cells={place: number for number, place in enumerate(places)},
        questions=tuple(ids),
        concepts=tuple(concepts),
        profiles=tuple(profiles),  # type: ignore[arg-type]
        profile=np.array(
            [profile_number[(*f[2:4], f[1], *f[4:7])] for f in ordered], dtype=np.int32
        ),
        concept=np.array([concept_number[(str(f[1]), str(f[0]))] for f in ordered], dtype=np.int32),
        chance=np.array([f[7] for f in ordered], dtype=np.float64),
        key=np.array([_CODES.get(str(f[8]), ABSENT) for f in ordered], dtype=np.int8),
        concept_only=np.array([_CODES.get(str(f[9]), ABSENT) for f in ordered], dtype=np.int8),
        outcome=spread(outcomes, ABSENT),
        said=spread(saids, ABSENT),
        right=spread(rights, 0).astype(np.bool_),
        sums=tuple(sums[cells[place]].done() for place in places),
    )
