"""How personas are written by a chat model: every choice, as settings (V12–V18)."""

from __future__ import annotations

from pydantic import Field

from eyeprint.config import Settings
from eyeprint.people.chat_asking import StepDecoding
from eyeprint.people.chat_checks import ChatCaptionRules
from eyeprint.people.demographics import DemographicSettings
from eyeprint.people.vocabulary import VocabularySettings

KIND_MEANINGS = {
    "activity": "the person does something, and it is shown",
    "appreciation": "a place, a thing or a view that the person likes; the person is not in it",
    "shared": "a moment with other people, or something passed on",
    "selfie": "the person has taken the picture of themselves, or of their reflection or shadow",
}


class ChatWriterSettings(Settings):
    """How personas are written by a chat model; the paper gives no prompts (V12–V18)."""

    demographics: DemographicSettings = DemographicSettings()
    vocabulary: VocabularySettings = VocabularySettings()
    captions: ChatCaptionRules = ChatCaptionRules()
    posts: int = Field(default=30, ge=1)
    kind_shares: tuple[float, float, float, float] = (0.35, 0.25, 0.25, 0.15)
    """Activity, appreciation, shared, selfie; rounded by largest remainder (V17)."""
    batch_high: int = Field(default=8, ge=1)
    """Most scenarios asked for at once; batches are of nearly equal size (V17)."""
    least_valid_posts: int = Field(default=10, ge=0)
    """A person with fewer valid posts is excluded (V19)."""
    likeness: float = Field(default=0.6, gt=0, le=1)
    """Scenarios whose word sets have this Jaccard likeness or more are the same scenario."""
    attempts: int = Field(default=3, ge=1)
    """Most replies to one step: the first, and those asked for with the fault named."""
    place: StepDecoding = StepDecoding(temperature=0.2, max_tokens=256)
    attributes: StepDecoding = StepDecoding(temperature=0.7, max_tokens=1536)
    facets: StepDecoding = StepDecoding(temperature=0.7, max_tokens=1536)
    preferences: StepDecoding = StepDecoding(temperature=0.7, max_tokens=1024)
    scenarios: StepDecoding = StepDecoding(temperature=0.9, max_tokens=1536)
    """The temperature of the paper (V17)."""
    caption: StepDecoding = StepDecoding(temperature=0.7, max_tokens=1536)
