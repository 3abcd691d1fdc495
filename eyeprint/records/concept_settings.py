"""How a concept is put before a model: one cell of an MMPB grid (CHECKLIST M4, M22, M34–M40).

A setting that can have no effect is told apart from none: :meth:`ConceptSetting.canonical`
makes equal what asks the same, so that a grid never asks twice.
"""

from __future__ import annotations

import re
from typing import Any, Literal, Self, get_args

from pydantic import Field, ValidationError, field_validator, model_validator

from eyeprint.errors import UsageError
from eyeprint.records.concepts import LEVELS, REFERENCES, Level
from eyeprint.records.work import Work

Control = Literal["own", "none", "wrong", "shuffled"]
CONTROLS: tuple[Control, ...] = get_args(Control)
"""Whose injection it is: the question's concept; nobody's; another concept of the same category;
one put together from parts of several others."""
DialogueKind = Literal["general", "recognition", "preference"]
"""What is talked about between injection and question (M14, M15)."""
Prompting = Literal["zero_shot", "zero_shot_cot", "reminder", "few_shot", "few_shot_cot"]
PROMPTING: tuple[Prompting, ...] = get_args(Prompting)
"""How the question is put (M39, M40)."""
Distractors = Literal["random", "same_kind"]
"""Which other concepts are injected beside the target: any, or of its category (M37)."""
MOST_TURNS, MOST_CONCEPTS = 100, 50
_INJECT = re.compile(rf"none|text:({'|'.join(LEVELS)})|image:([1-{REFERENCES}])")


class ConceptSetting(Work):
    """One setting. Equal labels mean equal settings.

    >>> ConceptSetting(inject="image:2", turns=10, position=5).label
    'image:2 · 10 turns · after turn 5'
    >>> ConceptSetting(inject="none", control="none").label
    'no concept'
    """

    inject: str = "text:moderate"
    """``text:LEVEL``, ``image:COUNT`` (1 to 5), or ``none``; preferences go as text (M11)."""
    control: Control = "own"
    turns: int = Field(default=0, ge=0, le=MOST_TURNS)
    """Turns of dialogue: a turn is a user's message and the assistant's."""
    dialogue: DialogueKind = "general"
    position: int = Field(default=0, ge=0, le=MOST_TURNS)
    """After so many turns the concept is injected: 0 at the start, ``turns`` at the end (M36)."""
    concepts: int = Field(default=1, ge=1, le=MOST_CONCEPTS)
    """Injected concepts, the target among them, in the middle (M37)."""
    distractors: Distractors = "random"
    prompting: Prompting = "zero_shot"
    blind: bool = False
    """The query picture is black (M21)."""
    form: Literal["choice", "open"] = "choice"
    """Options are shown, or the answer is free and graded (M20)."""

    @field_validator("inject")
    @classmethod
    def _known(cls, value: str) -> str:
        if not _INJECT.fullmatch(value):
            raise ValueError(
                f"'{value}' is no injection: text:{{{'|'.join(LEVELS)}}}, image:1 to "
                f"image:{REFERENCES}, or none"
            )
        return value

    @model_validator(mode="after")
    def _goes_together(self) -> Self:
        if (self.inject == "none") != (self.control == "none"):
            raise ValueError("inject 'none' and control 'none' go together")
        if self.position > self.turns:
            raise ValueError(f"position {self.position} lies beyond the {self.turns} turns")
        return self

    @classmethod
    def checked_values(cls, values: dict[str, Any]) -> Self:
        """Return the setting of these values.

        Raises:
            UsageError: a value is none that the setting can have; all of them are told.
        """
        try:
            return cls(**values)
        except ValidationError as error:
            told = "; ".join(
                f"{'.'.join(map(str, fault['loc'])) or 'setting'}: "
                f"{fault['msg'].removeprefix('Value error, ')}"
                for fault in error.errors()
            )
            raise UsageError(f"This is no setting of MMPB: {told}.") from error

    @property
    def level(self) -> Level | None:
        """The level of a text injection."""
        kind, _, level = self.inject.partition(":")
        return level if kind == "text" else None  # type: ignore[return-value]

    @property
    def images(self) -> int:
        """How many pictures are injected of each concept."""
        kind, _, count = self.inject.partition(":")
        return int(count) if kind == "image" else 0

    def canonical(self) -> Self:
        """Return the setting with everything that has no effect at its default.

        >>> ConceptSetting(dialogue="preference", distractors="same_kind").canonical().label
        'text:moderate · 0 turns'
        """
        values = self.model_dump()
        if not self.turns:
            values |= {"dialogue": "general"}
        if self.concepts == 1:
            values |= {"distractors": "random"}
        if self.inject == "none":
            values |= {"position": 0, "concepts": 1, "distractors": "random"}
        return type(self)(**values)

    @property
    def label(self) -> str:
        """One text that tells the setting from all others; defaults are not named."""
        own = self.canonical()
        turns = f"{own.turns} turns" if own.turns != 1 else "1 turn"
        parts = ["no concept" if own.inject == "none" else own.inject]
        if own.control in ("wrong", "shuffled"):
            parts.append(f"{own.control} concept")
        if own.inject != "none" or own.turns:
            parts.append(turns)
        if own.dialogue != "general":
            parts.append(f"{own.dialogue} talk")
        if own.position and own.position == own.turns:
            parts.append("at the end")
        elif own.position:
            parts.append(f"after turn {own.position}")
        if own.concepts > 1:
            kind = " of its kind" if own.distractors == "same_kind" else ""
            parts.append(f"{own.concepts} concepts{kind}")
        if own.prompting != "zero_shot":
            parts.append(own.prompting.replace("_", " "))
        if own.blind:
            parts.append("blind")
        if own.form == "open":
            parts.append("open-ended")
        return " · ".join(parts)
