"""What a chat model must reply when it writes candidates (CHECKLIST P39), read forgivingly.

Slips that lose nothing are taken in silence: one text where a list is expected, a prompt
that is a bare text, numbers where texts are expected, other names of the main keys.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AliasChoices, BeforeValidator, Field, model_validator

from eyeprint.people.chat_schemas import Answer, CleanText, CleanTexts


def _told(value: Any) -> Any:
    """Return values of any kind as an object of texts."""
    if isinstance(value, str):
        return {"told": value}
    if isinstance(value, list):
        texts = [item for item in value if isinstance(item, str)]
        return {str(place): text for place, text in enumerate(texts, start=1)}
    if not isinstance(value, dict):
        return {} if value is None else value
    return {str(key): _one(item) for key, item in value.items() if item is not None}


def _one(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(_one, value))
    if isinstance(value, dict):
        return ", ".join(f"{key} {_one(item)}" for key, item in value.items())
    return str(value)


Told = Annotated[dict[str, str], BeforeValidator(_told)]
"""An object of texts."""


def _yes(value: Any) -> Any:
    """Read "yes", "none", 0 and the like as what they mean; anything else as not told."""
    if isinstance(value, bool) or value is None:
        return value
    word = str(value).strip().lower()
    if word in ("yes", "true", "1", "human", "people"):
        return True
    return False if word in ("no", "false", "0", "none", "") else None


YesNo = Annotated[bool | None, BeforeValidator(_yes)]


class PromptAnswer(Answer):
    """One prompt."""

    prompt: CleanText = Field(
        min_length=1, validation_alias=AliasChoices("prompt", "text", "description")
    )
    category: CleanText = ""
    subject: CleanText = ""
    setting: CleanText = ""
    people: YesNo = None
    cultural: YesNo = None
    keywords: CleanTexts = ()

    @model_validator(mode="before")
    @classmethod
    def _bare_text(cls, value: Any) -> Any:
        if isinstance(value, str):
            return {"prompt": value}
        if isinstance(value, dict):
            return {key: item for key, item in value.items() if item is not None}
        return value


class ParametersAnswer(Answer):
    """Generation parameters."""

    style_tags: CleanTexts = ()
    lighting: CleanTexts = ()
    composition: CleanTexts = ()
    palette: CleanTexts = ()
    constraints: CleanTexts = ()

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, value: Any) -> Any:
        if isinstance(value, dict):
            return {key: item for key, item in value.items() if item is not None}
        return value


class CandidatesAnswer(Answer):
    """The whole reply."""

    narrative: CleanText = ""
    metrics: Told = Field(
        default_factory=dict, validation_alias=AliasChoices("metrics", "psychological_metrics")
    )
    traits: Told = Field(
        default_factory=dict, validation_alias=AliasChoices("traits", "inferred_traits")
    )
    synthesis: CleanText = ""
    style: CleanText = Field(
        min_length=1, validation_alias=AliasChoices("style", "style_summary", "one_sentence_style")
    )
    parameters: ParametersAnswer = Field(
        default=ParametersAnswer(),
        validation_alias=AliasChoices("parameters", "generation_parameters"),
    )
    scenarios: CleanTexts = ()
    prompts: tuple[PromptAnswer, ...]


class MorePromptsAnswer(Answer):
    """The reply to a repair: prompts only."""

    prompts: tuple[PromptAnswer, ...]
