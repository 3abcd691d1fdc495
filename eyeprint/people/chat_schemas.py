"""What a chat model must reply at each step, as pydantic models (CHECKLIST V12–V18).

Slips that lose nothing are taken in silence by the types: one text where a list is
expected, "34" for 34, a confidence in percent. Everything else is a fault with its field.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, field_validator, model_validator

from eyeprint.records.people import Texts


def _clean_texts(value: Any) -> Any:
    if isinstance(value, str):
        return (value,)
    if isinstance(value, list | tuple) and all(isinstance(item, str) for item in value):
        return tuple(" ".join(item.split()) for item in value if item.strip())
    return value


def _clean_text(value: Any) -> Any:
    if value is None:
        return ""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    return " ".join(value.split()) if isinstance(value, str) else value


def _without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: [] if item is None else item for key, item in value.items()}
    return value


_NO_NULLS = BeforeValidator(_without_nulls)
CleanTexts = Annotated[tuple[str, ...], BeforeValidator(_clean_texts)]
"""A list of texts with single spaces and no blank member."""
CleanText = Annotated[str, BeforeValidator(_clean_text)]
"""A text with single spaces; null is "" and a number its digits."""


class Answer(BaseModel):
    """Base of all expected replies: frozen; keys beyond those asked for are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class PlaceAnswer(Answer):
    """Stage 1a: where the person lives, and how surely the seed says so (V12)."""

    country: CleanText = ""
    city: CleanText = ""
    ethnicity: CleanText = ""
    confidence: float = Field(ge=0, le=1)
    gender: CleanText = "unknown"
    gender_evidence: CleanText = ""

    @field_validator("confidence", mode="before")
    @classmethod
    def _percent(cls, value: Any) -> Any:
        """Read 85 and "85 %" as 0.85; 1 is certainty, not one percent."""
        if isinstance(value, str):
            percent = value.strip().endswith("%")
            number = value.strip().rstrip("%").strip()
            try:
                return float(number) / 100 if percent else float(number)
            except ValueError:
                return value
        if isinstance(value, int | float) and not isinstance(value, bool) and 1 < value <= 100:
            return value / 100
        return value


ATTRIBUTE_TEXTS = (
    "occupation",
    "education",
    "household",
    "social_tone",
    "lifestyle",
    "income_band",
    "faith_or_none",
    "dwelling",
    "commute",
    "devices",
    "pets",
    "travel_habits",
    "food_habits",
    "dress_habits",
    "photo_habit",
    "collection",
    "weekend_habit",
)
"""Attributes of stage 1b that are texts; with age, gender, place, ethnicity, languages,
interests and traits they make more than the 20 of the paper (V13)."""


class AttributesAnswer(Answer):
    """Stage 1b: the person completed to 20+ attributes (V13)."""

    age: int = Field(ge=13, le=110)
    occupation: CleanText = Field(min_length=1)
    education: CleanText = Field(min_length=1)
    household: CleanText = ""
    social_tone: CleanText = Field(min_length=1)
    lifestyle: CleanText = Field(min_length=1)
    income_band: CleanText = ""
    faith_or_none: CleanText = ""
    dwelling: CleanText = ""
    commute: CleanText = ""
    devices: CleanText = ""
    pets: CleanText = ""
    travel_habits: CleanText = ""
    food_habits: CleanText = ""
    dress_habits: CleanText = ""
    photo_habit: CleanText = ""
    collection: CleanText = ""
    weekend_habit: CleanText = ""
    languages: CleanTexts = ()
    interests: CleanTexts
    traits: CleanTexts
    summary: CleanText = Field(min_length=1)


class FacetEntry(Answer):
    """One entry of the visual vocabulary; the model says whether it is regional."""

    entry: CleanText = Field(min_length=1)
    regional: bool = False


class FacetAnswer(Answer):
    """One facet: group -> entries; a bare text is an entry that is not marked (V14)."""

    groups: dict[str, tuple[FacetEntry, ...]]

    @model_validator(mode="before")
    @classmethod
    def _group_by_group(cls, value: Any) -> Any:
        """Take the groups from the object itself, or from a key around them."""
        if not isinstance(value, dict):
            return value
        if len(value) == 1 and isinstance(next(iter(value.values())), dict):
            value = next(iter(value.values()))
        groups = {}
        for name, entries in value.items():
            if isinstance(entries, list | tuple):
                entries = [{"entry": e} if isinstance(e, str) else e for e in entries]
            groups[name] = entries
        return {"groups": groups}


class PreferencesAnswer(Answer):
    """15–20 preferences (V16)."""

    preferences: CleanTexts


class ScenarioItem(Answer):
    """One planned post."""

    kind: CleanText
    scenario: CleanText = Field(min_length=1)
    time: CleanText = ""
    social: CleanText = ""


class ScenariosAnswer(Answer):
    """A batch of planned posts (V17)."""

    scenarios: tuple[ScenarioItem, ...]


class CaptionAnswer(Answer):
    """A caption with its annotated elements (V18). The caption is kept letter by letter."""

    caption: str = Field(min_length=1)
    elements: Annotated[dict[str, Texts], _NO_NULLS]


class ReadCaption(Answer):
    """The elements of one caption out of several (V22)."""

    number: int = Field(ge=1)
    elements: Annotated[dict[str, CleanTexts], _NO_NULLS]


class ReadCaptionsAnswer(Answer):
    """The elements of several captions."""

    captions: tuple[ReadCaption, ...]


class ReadTastesAnswer(Answer):
    """What recurs over all captions."""

    preferences: CleanTexts
    summary: CleanText = ""
