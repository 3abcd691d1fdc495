"""How large the toybox is, and its shares; every choice that the paper leaves open is here."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from eyeprint.config import Settings
from eyeprint.records.concept_questions import TASKS


class ToyboxSettings(Settings):
    """What is built; equal settings give equal bytes.

    >>> ToyboxSettings(concepts=111, questions=10_017).seed
    0
    """

    concepts: int = Field(default=12, ge=4, le=2000)
    """Concepts of all categories together; at least one of each."""
    questions: int | None = Field(default=None, ge=len(TASKS))
    """Questions of all tasks together; ``None`` = ``each`` per concept and task."""
    each: int = Field(default=6, ge=1)
    """Questions of one task about one concept, where ``questions`` is not given."""
    seed: int = 0
    side: int = Field(default=256, ge=128, le=1024)
    """Pixels of a picture's side."""
    human_share: float = Field(default=0.6, ge=0, le=1)
    """Share of people among the concepts; the other categories have equal parts of the rest. By
    0.6, three of four questions are about people, as in the paper (7,501 of 10,017)."""
    negated_share: float = Field(default=0.5, ge=0, le=1)
    """Share of questions put in the negative, of those answered by yes or no (M16)."""
    multi_share: float = Field(default=0.5, ge=0, le=1)
    """Share of pictures with others beside the concept (M16)."""
    hard_share: float = Field(default=0.5, ge=0, le=1)
    """Share of negative pictures that show somebody of the concept's kind (M17)."""
    twin_changes: int = Field(default=3, ge=2, le=6)
    """Attributes in which such a stand-in differs from the concept."""
    least_apart: int = Field(default=3, ge=2, le=6)
    """Attributes in which any two concepts of one kind differ at least."""
    contrary_share: float = Field(default=0.5, ge=0, le=1)
    """Share of preference pictures that show a thing of the opposite taste as well: asked
    whether something liked is there, one with something disliked (M17)."""
    tastes: int = Field(default=2, ge=2, le=3)
    """Things that somebody likes in a domain, and as many that they dislike."""

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.side % 2:
            raise ValueError("side is an even number of pixels")
        return self
