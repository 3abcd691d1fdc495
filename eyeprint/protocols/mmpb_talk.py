"""The dialogues of a run as messages, for each concept (CHECKLIST M14, M15, M38)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil
from typing import NamedTuple

from eyeprint.methods.conversation import spoken
from eyeprint.methods.dialogue_conflicts import without_conflicts
from eyeprint.methods.dialogues import Dialogue, Turn, first_turns
from eyeprint.methods.token_estimates import estimated_tokens
from eyeprint.models.kinds import Message
from eyeprint.protocols.mmpb_settings import MmpbRun
from eyeprint.randomness import stream
from eyeprint.records.concept_settings import ConceptSetting
from eyeprint.records.concepts import Concept

PIXELS_PER_TOKEN = 784
"""Of a picture: one token for 28 x 28 pixels, as in Qwen2-VL. An estimate, for curves and shared
prefixes; bounds of cost are reckoned by :mod:`eyeprint.models.image_tokens`."""
TOKENS_PER_MESSAGE = 4


def message_tokens(message: Message) -> int:
    """Return the estimated tokens of one message.

    >>> message_tokens(Message(role="user", text="abcd" * 4))
    8
    """
    pictures = sum(ceil(part.width * part.height / PIXELS_PER_TOKEN) for part in message.images)
    return TOKENS_PER_MESSAGE + estimated_tokens(message.text) + pictures


class Talk(NamedTuple):
    """The messages of a dialogue, and the estimated tokens of each."""

    messages: tuple[Message, ...]
    tokens: tuple[int, ...]


class Talks:
    """Dialogues by setting and concept: the same for every model.

    Args:
        run: the settings.
        dialogues: kind of dialogue -> all that there are of it.
    """

    def __init__(self, run: MmpbRun, dialogues: Mapping[str, Sequence[Dialogue]]) -> None:
        self.run, self._dialogues = run, dialogues
        self._of: dict[tuple[str, int, str], Talk] = {}
        self._shared: dict[tuple[Turn, ...], Talk] = {}

    def of(self, setting: ConceptSetting, concept: Concept) -> Talk:
        """Return the dialogue of a setting, without turns that speak of the concept.

        Raises:
            UsageError: too few turns are left.
        """
        if not setting.turns:
            return Talk((), ())
        key = (setting.dialogue, setting.turns, concept.name)
        if key not in self._of:
            turns = self._turns(setting, concept)
            # Hardly any concept is spoken of: most share one talk.
            if turns not in self._shared:
                messages = spoken(turns)
                self._shared[turns] = Talk(messages, tuple(map(message_tokens, messages)))
            self._of[key] = self._shared[turns]
        return self._of[key]

    def _turns(self, setting: ConceptSetting, concept: Concept) -> tuple[Turn, ...]:
        told = self._dialogues[setting.dialogue]
        first = 0
        if self.run.talk == "by_concept":
            first = stream(self.run.seed, "first dialogue", concept.name).between(0, len(told) - 1)
        # All of them: later turns take the place of those that are passed over.
        turns = first_turns(told, sum(len(each.turns) for each in told), first)
        if self.run.strip_dialogues:
            turns = without_conflicts(turns, concept, setting.turns).turns
        return turns[: setting.turns]
