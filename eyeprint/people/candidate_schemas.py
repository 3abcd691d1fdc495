"""What a chat model must reply when it writes candidates (CHECKLIST P39), read forgivingly.

Slips that lose nothing are taken in silence: one text where a list is expected, a prompt
that is a bare text, a blank one among others, numbers where texts are expected, other names
of the main keys.
"""

from __future__ import annotations

import re
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


def _words(value: Any) -> Any:
    """Return "teal, foam" and numbers as lists of texts."""
    if isinstance(value, str):
        value = re.split(r"[,;\n]", value)
    if isinstance(value, list | tuple):
        return [str(v) if isinstance(v, int | float) else v for v in value if v is not None]
    return value


def _sentence(value: Any) -> Any:
    """Return a list of texts as one text."""
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return ", ".join(item for item in value if item.strip())
    return value


Words = Annotated[CleanTexts, BeforeValidator(_words)]
"""Short words of a list, or of a text with commas."""
Sentence = Annotated[CleanText, BeforeValidator(_sentence)]
"""A text, or a list of texts with commas between."""
_PROMPT_KEYS = ("prompt", "text", "description")


def _blank(value: Any) -> bool:
    """Tell whether a list's member is no prompt at all: null, or without words."""
    if isinstance(value, dict):
        texts = [value.get(key) for key in _PROMPT_KEYS]
        return all(text is None or (isinstance(text, str) and not text.strip()) for text in texts)
    return value is None or (isinstance(value, str) and not value.strip())


def _filled(value: Any) -> Any:
    """Return prompts without the blank ones; an object of prompts is a list of them."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list | tuple):
        return [item for item in value if not _blank(item)]
    return value


Prompts = Annotated[tuple["PromptAnswer", ...], BeforeValidator(_filled)]
"""The prompts of a reply that have words: one blank among twenty is no fault of the others."""


class PromptAnswer(Answer):
    """One prompt."""

    prompt: CleanText = Field(min_length=1, validation_alias=AliasChoices(*_PROMPT_KEYS))
    category: Sentence = ""
    subject: Sentence = ""
    setting: Sentence = ""
    people: YesNo = None
    cultural: YesNo = None
    keywords: Words = ()

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

    style_tags: Words = ()
    lighting: Words = ()
    composition: Words = ()
    palette: Words = ()
    constraints: Words = ()

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, value: Any) -> Any:
        if isinstance(value, str | list):
            return {"style_tags": value}
        if isinstance(value, dict):
            return {key: item for key, item in value.items() if item is not None}
        return value


class CandidatesAnswer(Answer):
    """The whole reply."""

    narrative: Sentence = ""
    metrics: Told = Field(
        default_factory=dict, validation_alias=AliasChoices("metrics", "psychological_metrics")
    )
    traits: Told = Field(
        default_factory=dict, validation_alias=AliasChoices("traits", "inferred_traits")
    )
    synthesis: Sentence = ""
    style: Sentence = Field(
        min_length=1, validation_alias=AliasChoices("style", "style_summary", "one_sentence_style")
    )
    parameters: ParametersAnswer = Field(
        default=ParametersAnswer(),
        validation_alias=AliasChoices("parameters", "generation_parameters"),
    )
    scenarios: CleanTexts = ()
    prompts: Prompts


class MorePromptsAnswer(Answer):
    """The reply to a repair: prompts only."""

    prompts: Prompts
