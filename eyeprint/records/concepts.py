"""Personal concepts of MMPB: somebody's face, pet, thing or avatar (CHECKLIST M1, M5–M13).

A :class:`Concept` is what an assistant is told about: five reference pictures, descriptions at
four levels, and for people what they like and dislike. Its ``name`` is ours alone: every text
that a model sees calls it ``<sks>`` (M8).
"""

from __future__ import annotations

from typing import Literal, get_args

from pydantic import Field

from eyeprint.records.people import Texts
from eyeprint.records.work import Work

ConceptCategory = Literal["human", "animal", "object", "character"]
CATEGORIES: tuple[ConceptCategory, ...] = get_args(ConceptCategory)
"""What concepts are: people, pets, belongings, avatars (M13). ``attribute`` of released rows."""
Level = Literal["simple", "moderate", "detailed", "extended"]
LEVELS: tuple[Level, ...] = get_args(Level)
"""Descriptions: three keywords, one sentence, one paragraph, several structured ones (M7).
Released rows call the last one ``description_super_detailed``."""
DOMAINS: tuple[str, ...] = ("entertainment", "travel", "lifestyle", "shopping", "fashion")
"""Where people have preferences (M10)."""
SKS = "<sks>"
"""What models are shown in place of a name (M8)."""
REFERENCES = 5
"""Reference pictures of a concept (M5)."""


class Tastes(Work):
    """What somebody likes and dislikes in one domain (M12)."""

    likes: Texts = ()
    dislikes: Texts = ()


class Concept(Work):
    """One concept that can be injected.

    >>> mug = Concept(name="Aunt Vera's mug", category="object",
    ...     descriptions={"simple": "<sks> is a blue, chipped, striped mug."})
    >>> mug.description("simple")
    '<sks> is a blue, chipped, striped mug.'
    """

    name: str = Field(min_length=1)
    """Unique within its category and, in data of ours, overall. Never shown to a model."""
    category: ConceptCategory
    kind: str = ""
    """What it is within its category ("cat", "mug"), where known: hard negatives share it."""
    descriptions: dict[Level, str] = Field(default_factory=dict)
    """Appearance, with ``<sks>`` for the name."""
    preference: str = ""
    """Likes and dislikes as one text with ``<sks>`` (M11); empty for all but people."""
    tastes: dict[str, Tastes] = Field(default_factory=dict)
    """The same by domain, where known."""
    images: tuple[str, ...] = ()
    """Reference pictures, relative to the data root, with forward slashes; five in full data."""
    sources: tuple[str, ...] = ()
    """Where the pictures come from: a URL or a word, one for each, where known (M9)."""

    def description(self, level: Level) -> str:
        """Return the description of a level, or ``""`` where there is none."""
        return self.descriptions.get(level, "")
