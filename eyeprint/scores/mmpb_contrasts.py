"""Bias, and kinds of questions held against each other (CHECKLIST M16, M17, M32, M33)."""

from __future__ import annotations

import numpy as np

from eyeprint.records.concept_questions import TYPES
from eyeprint.scores.mmpb_compared import Bias, BiasTable, Contrast, ContrastFound, ContrastModel
from eyeprint.scores.mmpb_grid import Table
from eyeprint.scores.mmpb_parts import ENTITIES, NEGATION, SPECIES, TASTES, part_key
from eyeprint.scores.mmpb_view import RunView, named, quartiles

_GROUPS = (None, "recognition", "preference")
_CONTRASTS: dict[Contrast, tuple[str, str]] = {
    "entities": (ENTITIES[0], ENTITIES[1]),
    "species": (SPECIES[0], SPECIES[1]),
    "taste": (TASTES[0], TASTES[1]),
    "negation": (NEGATION[0], NEGATION[1]),
}


def bias_table(view: RunView) -> BiasTable | None:
    """Return Appropriateness minus Awareness of each cell; ``None`` without both anywhere.

    Cells with own concepts and visible pictures count, people's left out: the paper's 92.
    """
    found = []
    for model in view.machines:
        for setting in view.own:
            cell = view.cell(model, setting.label)
            if cell is None:
                continue
            keys = [part_key(group) for group in _GROUPS]
            held = _rows(view, cell, "appropriateness"), _rows(view, cell, "awareness")
            parts = named(keys, view.grid.unpaired(*held))
            if "all" in parts:
                found.append(Bias(model=model, setting=setting.label, parts=parts))
    if not found:
        return None
    values = [bias.parts["all"].value or 0.0 for bias in found]
    # Two shares that are equal as fractions differ by rounding at most.
    positive, negative = sum(v > 1e-12 for v in values), sum(v < -1e-12 for v in values)
    return BiasTable(
        cells=tuple(found),
        positive=positive,
        zero=len(values) - positive - negative,
        negative=negative,
        share_positive=positive / len(values),
    )


def contrasts_of(view: RunView) -> tuple[ContrastFound, ...]:
    """Return single against several entities, the same species against others, like against
    dislike, and plain against negated questions, for all types together and each by itself.

    Left out where no model has questions on both sides.
    """
    found = []
    for contrast, sides in _CONTRASTS.items():
        for setting in view.own:
            for kind in (None, *TYPES):
                keys = (part_key(kind, sides[0]), part_key(kind, sides[1]))
                models = _both_sides(view, setting.label, keys)
                if models:
                    found.append(
                        _contrast(view, contrast, setting.label, part_key(kind), keys, models)
                    )
    return tuple(found)


def _rows(view: RunView, cell: int, kind: str) -> tuple[Table, Table]:
    """Return a type's right answers and questions: over all, and in each group."""
    right, n = view.grid.sums(cell)
    places = [view.grid.parts.place.get(part_key(kind, group)) for group in _GROUPS]
    nothing = n[0] * 0

    def rows(table: Table) -> Table:
        return np.stack([nothing if place is None else table[place] for place in places])

    return rows(right), rows(n)


def _both_sides(view: RunView, label: str, keys: tuple[str, str]) -> tuple[ContrastModel, ...]:
    found = []
    for model in view.machines:
        cell = view.cell(model, label)
        if cell is None:
            continue
        left, right = (view.share(cell, key) for key in keys)
        if left is None or right is None:
            continue
        sums, n = view.grid.sums(cell)
        a, b = (view.grid.parts.place[key] for key in keys)
        difference = view.grid.unpaired((sums[[a]], n[[a]]), (sums[[b]], n[[b]]))[0]
        found.append(ContrastModel(model=model, left=left, right=right, difference=difference))
    return tuple(found)


def _contrast(
    view: RunView,
    contrast: Contrast,
    label: str,
    part: str,
    keys: tuple[str, str],
    models: tuple[ContrastModel, ...],
) -> ContrastFound:
    return ContrastFound(
        contrast=contrast,
        setting=label,
        part=part,
        left_key=keys[0],
        right_key=keys[1],
        models=models,
        left=quartiles([m.left.value for m in models if m.left.value is not None]),
        right=quartiles([m.right.value for m in models if m.right.value is not None]),
        difference=quartiles(
            [m.difference.value for m in models if m.difference.value is not None]
        ),
    )
