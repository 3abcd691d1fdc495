"""What the paper states in numbers, beside what a run found in an equal setting.

The paper's tables are lost as text; what its sentences state is in
``data/mmpb_published.toml``. Sources: MMPB sections 4.2, 5.2, 5.3, App. D, F.4; CHECKLIST M21,
M26, M27, M30, M32.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Sequence
from functools import cache
from importlib import resources
from typing import NamedTuple

from eyeprint.records.concept_settings import ConceptSetting
from eyeprint.scores.mmpb_cell_records import Cell
from eyeprint.scores.mmpb_fairness import STANDARD
from eyeprint.scores.mmpb_found import Found
from eyeprint.scores.mmpb_parts import part_key
from eyeprint.scores.mmpb_results import MmpbResults

BLIND_SETTING = ConceptSetting(blind=True).label
"""Moderate text, 0 turns, black pictures (M21)."""


class DataSize(NamedTuple):
    """What tells the paper's data from others."""

    questions: int
    concepts: int
    questions_about_people: int


class Published(Found):
    """One number of the paper."""

    id: str
    what: str
    value: float
    """In per cent."""
    kind: str
    """What of a run stands beside it."""
    setting: str | None = None
    type: str | None = None
    count: int | None = None
    of: int | None = None
    models: int | None = None
    """Models that it is about, where told."""
    note: str = ""


class PublishedRow(Found):
    """A number of the paper and the run's."""

    id: str
    what: str
    published: float
    """In per cent."""
    here: float | None
    """In per cent; ``None`` where the run has no equal setting."""
    difference: float | None
    """``here - published``, in points."""
    published_count: str
    """"72 of 92", where the paper counts."""
    here_count: str
    """The same of this run."""
    basis: str
    """What of this run it is."""
    full_data: bool
    """Whether the run has as many questions, concepts and questions about people as the paper: on
    other data, such as a toybox of the paper's size, numbers are of the same kind but not
    comparable."""
    note: str


def compare_published(
    results: MmpbResults, changed: Sequence[str] = ()
) -> tuple[PublishedRow, ...]:
    """Return each published number with the run's own, ``None`` where it has no equal setting.

    Means are over the run's models, each the same weight, people left out.

    Args:
        results: of the run.
        changed: what of the run's protocol is not as released: then no setting is equal, and
            the notes say why.
    """
    size, numbers = published_numbers()
    people = sum(part.questions for part in results.parts if part.key == "human")
    full = DataSize(results.questions, results.concepts, people) == size
    found = []
    for number in numbers:
        here, count, basis = _NOTHING if changed else _FINDERS[number.kind](results, number)
        found.append(
            PublishedRow(
                id=number.id,
                what=number.what,
                published=number.value,
                here=here,
                difference=None if here is None else here - number.value,
                published_count=f"{number.count} of {number.of}" if number.count else "",
                here_count=count,
                basis=basis,
                full_data=full,
                note=f"not compared: this run changed {', '.join(changed)}"
                if changed
                else number.note,
            )
        )
    return tuple(found)


@cache
def published_numbers() -> tuple[DataSize, tuple[Published, ...]]:
    """Return the size of the paper's data, and its numbers.

    >>> size, numbers = published_numbers()
    >>> size.concepts, next(n.value for n in numbers if n.id == "text_0_turns")
    (111, 63.8)
    """
    place = resources.files("eyeprint.scores").joinpath("data", "mmpb_published.toml")
    table = tomllib.loads(place.read_text(encoding="utf-8"))
    numbers = tuple(Published.model_validate(row) for row in table["numbers"])
    return DataSize(**table["data"]), numbers


_Here = tuple[float | None, str, str]
_NOTHING: _Here = (None, "", "")


def _machines(results: MmpbResults) -> set[str]:
    return {model.model for model in results.models if not model.human}


def _cells_in(results: MmpbResults, labels: Sequence[str]) -> list[Cell]:
    machines = _machines(results)
    return [c for c in results.cells if c.model in machines and c.setting in labels]


def _mean(results: MmpbResults, number: Published) -> _Here:
    cells = _cells_in(results, [number.setting or ""])
    values = [v for c in cells if (v := c.parts["all"].share.value) is not None]
    if not values:
        return _NOTHING
    models = "1 model" if len(values) == 1 else f"mean of {len(values)} models"
    return 100 * sum(values) / len(values), "", f"{models}, {number.setting}"


def _access(results: MmpbResults, number: Published) -> _Here:
    models = {m.model for m in results.models if m.access == number.kind and not m.human}
    labels = [s.label for s in STANDARD]
    cells = [c for c in results.cells if c.model in models and c.setting in labels]
    full = [m for m in models if sum(c.model == m for c in cells) == len(labels)]
    values = [
        value
        for cell in cells
        if cell.model in full and (value := cell.parts["all"].share.value) is not None
    ]
    if not values:
        return _NOTHING
    basis = f"mean of {len(full)} {number.kind} models over four settings"
    return 100 * sum(values) / len(values), "", basis


def _people(results: MmpbResults, number: Published) -> _Here:
    found = [h for h in results.human if h.setting == number.setting and "all" in h.parts]
    right, n = (sum(getattr(h.parts["all"], field) for h in found) for field in ("right", "n"))
    if not n:
        return _NOTHING
    return 100 * right / n, f"{right} of {n}", f"people, {number.setting}"


def _bias(results: MmpbResults, number: Published) -> _Here:
    labels = [s.label for s in STANDARD]
    cells = [b for b in results.bias.cells if b.setting in labels] if results.bias else []
    if not cells:
        return _NOTHING
    positive = sum((b.parts["all"].value or 0.0) > 1e-12 for b in cells)
    count = f"{positive} of {len(cells)}"
    return 100 * positive / len(cells), count, "cells in the paper's four settings"


def _evasive(results: MmpbResults, number: Published) -> _Here:
    labels = [s.label for s in STANDARD if s.images]
    machines = _machines(results)
    rows = [
        (*row.parts["human"], row)
        for row in results.refusals
        if row.model in machines and row.setting in labels and row.parts.get("human", (0, 0))[1]
    ]
    if not rows:
        return _NOTHING
    refused, asked, row = max(rows, key=lambda found: found[0] / found[1])
    return 100 * refused / asked, f"{refused} of {asked}", f"{row.model}, {row.setting}"


def _blind(results: MmpbResults, number: Published) -> _Here:
    key = part_key(number.type)
    cells = [c for c in _cells_in(results, [BLIND_SETTING]) if key in c.parts]
    values = [v for c in cells if (v := c.parts[key].share.value) is not None]
    if not values:
        return _NOTHING
    models = "1 model" if len(values) == 1 else f"mean of {len(values)} models"
    return 100 * sum(values) / len(values), "", f"{models}, {BLIND_SETTING}"


_FINDERS: dict[str, Callable[[MmpbResults, Published], _Here]] = {
    "mean": _mean,
    "open": _access,
    "closed": _access,
    "people": _people,
    "bias": _bias,
    "evasive": _evasive,
    "blind": _blind,
}
