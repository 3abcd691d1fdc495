"""A person kept as text: demographics, a visual vocabulary, preferences and posts.

A :class:`Persona` is the paper's tuple P = {d, E, C} (CHECKLIST V2): ``demographics``
is d, the union of the posts' elements is E, the captions are C. Unknown fields of a
file are kept and written back, on every level.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, field_validator

CATEGORIES: Mapping[str, str] = {
    "foreground": "the main subject in front, the person or thing the picture is about",
    "background": "what stands behind the subject, landmarks and scenery",
    "materials": "materials and surfaces, cloth, wood, stone, metal, clay",
    "objects": "objects and props, tools, furniture, food, belongings",
    "lighting": "lighting, shadows, sun, lamps, weather and time of day",
    "actions": "actions, gestures and poses, what somebody is doing",
    "environment": "the place and setting, indoors or outdoors, city or nature",
    "appearance": "appearance of people, clothing, hair, skin and expression",
}
"""The eight categories of visual elements with the text that stands for each (V15, V33)."""

FACETS: Mapping[str, tuple[str, ...]] = {
    "foreground": ("subjects", "actions", "objects", "poses"),
    "background": ("environments", "landmarks", "lighting", "textures"),
    "atmosphere": ("materials", "palette", "mood", "time_of_day"),
}
"""The three facets of a visual vocabulary and their groups (V14)."""

PostKind = Literal["activity", "appreciation", "shared", "selfie"]
POST_KINDS: tuple[PostKind, ...] = ("activity", "appreciation", "shared", "selfie")


def _tuple_of_text(value: Any) -> Any:
    # One string where a list is expected is the commonest slip in hand-written files:
    # without this, pydantic would refuse it with a message about tuples.
    return (value,) if isinstance(value, str) else value


Texts = Annotated[tuple[str, ...], BeforeValidator(_tuple_of_text)]


class Record(BaseModel):
    """Base of all records: frozen; fields that eyeprint does not know are kept."""

    model_config = ConfigDict(frozen=True, extra="allow")


class Demographics(Record):
    """Who the person is (d); any further attribute is kept as it came."""

    age: int | None = Field(default=None, ge=0, le=130)
    gender: str = "unknown"
    """As the seed states it, else "unknown" (V13)."""
    country: str | None = None
    city: str | None = None
    ethnicity: str | None = None
    occupation: str | None = None
    education: str | None = None
    interests: Texts = ()
    traits: Texts = ()


class Post(Record):
    """One post: a caption that stands for a picture, with its annotated elements."""

    id: str
    kind: PostKind | None = None
    scenario: str = ""
    social: str = ""
    time: str = ""
    caption: str = ""
    elements: dict[str, Texts] = Field(default_factory=dict)
    """Category -> phrases, verbatim in the caption, in the order of the file."""


class Persona(Record):
    """A person as text (V2). ``id`` is unique within a people folder.

    >>> person = Persona(id="p1", posts=[{"id": "a", "caption": "A red door."}])
    >>> person.captions
    ('A red door.',)
    """

    id: str = Field(min_length=1)
    seed: str = ""
    demographics: Demographics = Demographics()
    summary: str = ""
    preferences: Texts = ()
    vocabulary: dict[str, dict[str, Texts]] = Field(default_factory=dict)
    """Facet -> group -> entries, see :data:`FACETS`."""
    posts: tuple[Post, ...] = ()

    @field_validator("posts")
    @classmethod
    def _post_ids_are_unique(cls, posts: tuple[Post, ...]) -> tuple[Post, ...]:
        seen: set[str] = set()
        for post in posts:
            if post.id in seen:
                raise ValueError(f"two posts have the id '{post.id}'")
            seen.add(post.id)
        return posts

    @property
    def captions(self) -> tuple[str, ...]:
        """All captions that are not blank, in post order (C)."""
        return tuple(post.caption for post in self.posts if post.caption.strip())

    @property
    def elements(self) -> tuple[str, ...]:
        """All distinct element phrases over all posts, in order of first appearance (E)."""
        found: dict[str, None] = {}
        for post in self.posts:
            for phrases in post.elements.values():
                found.update(dict.fromkeys(phrases))
        return tuple(found)

    def description(self) -> str:
        """Return the text that PA compares prompts with (V58, docs/fidelity.md).

        Demographics, interests, preferences and traits as sentences; absent parts are
        left out; at most about 250 words, so that little of it is cut by MiniLM. No
        composer may paste this text.

        Empty when nothing is known but the captions: PA is then unscored, for "a person" would
        fit anybody.

        >>> Persona(id="p", demographics={"age": 40, "country": "Chad", "interests": ["kites"]}
        ...     ).description()
        'A 40-year-old person from Chad. Interested in kites.'
        """
        who = self.demographics
        gender = who.gender if who.gender and who.gender != "unknown" else "person"
        head = f"A {who.age}-year-old {gender}" if who.age is not None else f"A {gender}"
        if who.age in (8, 11, 18) or (who.age is not None and 80 <= who.age <= 89):
            head = "An" + head[1:]
        place = ", ".join(part for part in (who.city, who.country) if part)
        head += f" from {place}" if place else ""
        known = who.age is not None or gender != "person" or place
        sentences = [head]
        if who.ethnicity:
            sentences.append(f"Ethnicity: {who.ethnicity}")
        if who.occupation:
            sentences.append(f"Works as {who.occupation}")
        if who.interests:
            sentences.append("Interested in " + ", ".join(who.interests))
        if self.preferences:
            sentences.append("This person " + ", ".join(self.preferences))
        if who.traits:
            sentences.append("Described as " + ", ".join(who.traits))
        if not known and len(sentences) == 1:
            return ""
        return ". ".join(sentences) + "."
