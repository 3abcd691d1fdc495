"""Refusals, blind models, and questions that need no concept (CHECKLIST M21, M30, M31, M48)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from eyeprint.records.concept_questions import ConceptAnswer, QuestionGroup, QuestionType
from eyeprint.records.concept_settings import ConceptSetting
from eyeprint.records.concepts import ConceptCategory
from eyeprint.scores.mmpb_cell_records import Blind, BlindPart, Refusals, Unaided
from eyeprint.scores.mmpb_fold import ABSENT, REFUSED
from eyeprint.scores.mmpb_found import Found, Share
from eyeprint.scores.mmpb_parts import coarse, part_key
from eyeprint.scores.mmpb_view import RunView

OPTIMA: dict[QuestionType, float] = {"awareness": 0.0, "appropriateness": 1.0, "coherency": 0.5}
"""What a model that knows the concept and cannot see should reach (M21)."""


class UnaidedQuestion(Found):
    """A question that a model got right without any concept."""

    model: str
    setting: str
    question: str
    concept: str
    category: ConceptCategory
    type: QuestionType
    group: QuestionGroup
    topic: str
    said: str | None
    key: str
    chance: float
    """What guessing gets right: of a question with chance 0.5 one right answer says little."""
    blind: bool
    """The picture was black too."""
    reply: str


def refusals_of(view: RunView) -> tuple[Refusals, ...]:
    """Return evasive answers by model and setting, part and pattern; cells without any too.

    Counts are lower bounds: answers that describe and do not commit are no refusals (M30).
    """
    found = []
    parts = view.grid.parts
    wanted = parts.places([key for key in coarse(parts.parts) if key != "all"])
    for (model, label), cell in view.answers.cells.items():
        refused = view.grid.table(view.answers.outcome[cell] == REFUSED)
        asked = view.grid.table(view.asked(cell))
        whole = slice(parts.place["all"], parts.place["all"] + 1)
        share = view.grid.shares(refused[whole], asked[whole])[0]
        found.append(
            Refusals(
                model=model,
                setting=label,
                asked=share.n,
                refused=share.right,
                share=share,
                parts={
                    parts.parts[p].key: (int(refused[p].sum()), int(asked[p].sum()))
                    for p in wanted
                    if asked[p].any()
                },
                patterns=view.answers.sums[cell].refusals,
            )
        )
    return tuple(found)


def blind_of(view: RunView) -> tuple[Blind, ...]:
    """Return models that saw black pictures, beside the optimum and beside what they see (M21)."""
    found = []
    for setting in view.answers.settings:
        if not setting.blind or setting.control != "own":
            continue
        seeing = setting.model_copy(update={"blind": False}).label
        for model in view.answers.models:
            cell = view.cell(model, setting.label)
            if cell is None:
                continue
            seen = view.cell(model, seeing)
            parts = [
                _blind_part(view, cell, seen, part.key, part.type, part.group)
                for part in view.grid.parts.parts
                if part.type and part.group and not part.category
                if view.share(cell, part.key)
            ]
            found.append(Blind(model=model, setting=setting.label, parts=tuple(parts)))
    return tuple(found)


def unaided_of(view: RunView) -> tuple[Unaided, ...]:
    """Return how much each model answers without a concept, corrected for guessing, by part."""
    found = []
    keys = coarse(view.grid.parts.parts)
    for setting in view.answers.settings:
        if setting.control != "none":
            continue
        for model in view.answers.models:
            cell = view.cell(model, setting.label)
            if cell is None:
                continue
            there = view.asked(cell)
            asked = view.grid.table(there).sum(axis=1)
            chances = view.grid.table(np.where(there, view.answers.chance, 0.0)).sum(axis=1)
            for place in view.grid.parts.places(keys):
                if not asked[place]:
                    continue
                share, chance = view.shares(cell)[place], float(chances[place] / asked[place])
                value = share.value
                corrected = None
                if value is not None and chance < 1:
                    corrected = (value - chance) / (1 - chance)
                found.append(
                    Unaided(
                        model=model,
                        setting=setting.label,
                        part=view.grid.parts.parts[place].key,
                        share=share,
                        chance=chance,
                        corrected=corrected,
                    )
                )
    return tuple(found)


def answered_without(
    rows: Iterable[ConceptAnswer], settings: Sequence[ConceptSetting]
) -> Iterator[UnaidedQuestion]:
    """Yield each right answer that was given without a concept, in the order of rows.

    One right answer may be a guess; :func:`unaided_of` tells the share beyond guessing.

    Args:
        rows: answers, read once and not held.
        settings: the grid: it tells which labels are without concept.
    """
    without = {setting.label: setting for setting in settings if setting.control == "none"}
    for row in rows:
        setting = without.get(row.setting)
        if setting is not None and row.right:
            yield UnaidedQuestion(
                model=row.model,
                setting=row.setting,
                question=row.question,
                concept=row.concept,
                category=row.category,
                type=row.type,
                group=row.group,
                topic=row.topic,
                said=row.said,
                key=row.key,
                chance=row.chance,
                blind=setting.blind,
                reply=row.reply,
            )


def _blind_part(
    view: RunView,
    cell: int,
    seen: int | None,
    key: str,
    kind: QuestionType,
    group: QuestionGroup,
) -> BlindPart:
    share = view.shares(cell)[view.grid.parts.place[key]]
    optimum = OPTIMA[kind]
    return BlindPart(
        part=key,
        type=kind,
        group=group,
        share=share,
        optimum=optimum,
        distance=None if share.value is None else abs(share.value - optimum),
        seen=None if seen is None else view.share(seen, key),
        concept_only=_concept_only(view, cell, key) if kind == "coherency" else None,
        caveat=key == part_key("coherency", "recognition"),
    )


def _concept_only(view: RunView, cell: int, key: str) -> Share | None:
    """Return how often the option is said that fits the concept alone, where it is known."""
    answers = view.answers
    known = view.asked(cell) & (answers.concept_only != ABSENT)
    said = known & (answers.said[cell] == answers.concept_only)
    place = view.grid.parts.place[key]
    rows = slice(place, place + 1)
    share = view.grid.shares(view.grid.table(said)[rows], view.grid.table(known)[rows])[0]
    return share if share.n else None
