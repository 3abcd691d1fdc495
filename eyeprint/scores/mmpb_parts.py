"""Parts of the questions of MMPB: everything by everything of its section 3.3 (CHECKLIST M6, M23).

A part selects by type, group and category in all combinations, or by type and one trait of
the picture or the wording: entities, species, like or dislike, negated or not.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from eyeprint.records.concept_questions import GROUPS, TYPES
from eyeprint.records.concepts import CATEGORIES
from eyeprint.scores.mmpb_cell_records import Part
from eyeprint.scores.mmpb_fold import Answers, Profile

ALL = "all"
ENTITIES = ("single", "multi")
SPECIES = ("same_species", "different_species")
TASTES = ("like", "dislike")
NEGATION = ("not negated", "negated")
GROUPED: tuple[str, ...] = (ALL, *GROUPS, *TYPES)
"""Keys of the parts that comparisons of settings tell."""


def part_key(*words: str | None) -> str:
    """Return a part's key: its words in the order type, group, category, trait.

    >>> part_key("awareness", None, "animal"), part_key(None)
    ('awareness · animal', 'all')
    """
    return " · ".join(word for word in words if word) or ALL


def coarse(parts: Iterable[Part]) -> list[str]:
    """Return the keys of parts that no trait splits: combinations of type, group, category."""
    return [
        part.key
        for part in parts
        if part.entities is None and part.target is None and part.negated is None
    ]


class PartTable:
    """The parts that a run has questions of, and what profiles belong to them.

    Args:
        answers: a folded run.
    """

    def __init__(self, answers: Answers) -> None:
        counts = np.bincount(answers.profile, minlength=len(answers.profiles))
        chances = np.bincount(answers.profile, answers.chance, minlength=len(answers.profiles))
        parts, rows = [], []
        for found in _specs():
            row = np.array([_belongs(found, profile) for profile in answers.profiles])
            n = int(counts[row].sum())
            if n:
                chance = float(chances[row].sum() / n)
                parts.append(found.model_copy(update={"questions": n, "chance": chance}))
                rows.append(row)
        self.parts: tuple[Part, ...] = tuple(parts)
        self.member: NDArray[np.float64] = np.array(rows, dtype=np.float64)
        """Shape (parts, profiles): 1 where a profile belongs."""
        self.place: dict[str, int] = {part.key: place for place, part in enumerate(parts)}
        """Key -> place."""

    def places(self, keys: Sequence[str]) -> list[int]:
        """Return the places of those keys that occur, in the keys' order."""
        return [self.place[key] for key in keys if key in self.place]


def _specs() -> list[Part]:
    """Return all parts, coarse ones first."""
    found = []
    combined = itertools.product((None, *TYPES), (None, *GROUPS), (None, *CATEGORIES))
    by_words = sorted(combined, key=lambda words: sum(word is not None for word in words))
    for kind, group, category in by_words:
        task = None not in (kind, group, category)
        found.append(
            Part(
                key=part_key(kind, group, category),
                questions=0,
                chance=0.0,
                # Preferences are asked of people alone: 12 + 3 tasks.
                task=task and (group == "recognition" or category == "human"),
                type=kind,
                group=group,
                category=category,
            )
        )
    for kind in (None, *TYPES):
        for field, names in (("entities", ENTITIES), ("target", TASTES), ("target", SPECIES),
                             ("negated", NEGATION)):  # fmt: skip
            for name in names:
                value = name == "negated" if field == "negated" else name
                key = part_key(kind, name)
                traits = {"key": key, "questions": 0, "chance": 0.0, "type": kind, field: value}
                found.append(Part.model_validate(traits))
    return found


def _belongs(part: Part, profile: Profile) -> bool:
    wanted = (part.type, part.group, part.category, part.entities, part.target, part.negated)
    return all(want is None or want == has for want, has in zip(wanted, profile, strict=True))
