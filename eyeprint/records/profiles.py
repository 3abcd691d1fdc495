"""A PIPBench profile: questionnaire answers of one person or agent (CHECKLIST P5–P14, P20).

What the answers mean (trait scores, the standard profile text, signatures) is reckoned by
:mod:`eyeprint.people.questionnaire`; the record holds the answers and where they are from.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from eyeprint.records.people import Record, Texts

Answer = str | int | Texts
"""An option's label (single), a whole number (rating), or labels (multiple)."""


class Profile(Record):
    """One person's answers, by question id: ``{"Q1": "STEM", "Q3": ("Painting",), "Q12": 6}``.

    >>> Profile(id="a1", answers={"Q12": 7, "Q16": ["Stimulation"]}).answers["Q16"]
    ('Stimulation',)
    """

    id: str = Field(min_length=1)
    kind: Literal["agent", "person"] = "agent"
    """Whether a sampler or a human being gave the answers."""
    answers: dict[str, Answer] = Field(default_factory=dict)
    uploads: Texts = ()
    """Paths of pictures that the person gave, relative to the profile's file (Q19)."""
    text: str = ""
    """The standard profile text (P21); what judges read, and methods never do."""
