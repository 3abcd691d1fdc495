"""A PIPBench profile: questionnaire answers of one person or agent (CHECKLIST P5–P14, P20).

What the answers mean (trait scores, the standard profile text, signatures) is reckoned by
:mod:`eyeprint.people.questionnaire`; the record holds the answers and where they are from.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import ConfigDict, Field

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


Lean = Annotated[float, Field(ge=-1, le=1)]
"""Where a visual property is expected, from one end (-1) to the other (1); 0 says nothing."""


class AestheticPriors(Record):
    """What a profile leads one to expect of the pictures that its person likes (P12).

    Associative priors, not rules about people: they say what to try first, and a picture
    that contradicts them is no error. Made by :mod:`eyeprint.people.aesthetic_priors`.

    >>> AestheticPriors(warmth=-0.8, palettes=("Cool ocean tones",)).warmth
    -0.8
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    abstraction: Lean = 0.0
    """-1 realistic, 1 abstract."""
    symmetry: Lean = 0.0
    """-1 loose and asymmetric, 1 balanced and symmetric."""
    saturation: Lean = 0.0
    """-1 muted, 1 vivid."""
    brightness: Lean = 0.0
    """-1 dark, 1 light."""
    contrast: Lean = 0.0
    """-1 soft, 1 hard."""
    energy: Lean = 0.0
    """-1 still, 1 dynamic."""
    warmth: Lean = 0.0
    """-1 cool colours, 1 warm colours."""
    complexity: Lean = 0.0
    """-1 sparse, with negative space; 1 rich in detail."""
    palettes: Texts = ()
    """Favourite palettes by their names in the questionnaire (Q18)."""
    colours: Texts = ()
    """Names of colours of those palettes."""
    light: Texts = ()
    """Kinds of light that go with the palettes."""
    styles: Texts = ()
    """Style words of living space, clothing, values, interests and the like."""
    motifs: Texts = ()
    """Things and subjects, of hobbies, content, values, roles and field."""
    places: Texts = ()
    """Settings, of travel and living space."""
    materials: Texts = ()
    """Materials and textures, of living space and clothing."""
    labels: Texts = ()
    """The properties that lean clearly, in words, the clearest first: "negative space" ..."""


PROPERTIES = (
    "abstraction",
    "symmetry",
    "saturation",
    "brightness",
    "contrast",
    "energy",
    "warmth",
    "complexity",
)
"""The numbers of :class:`AestheticPriors`, in order."""
