"""Posts, phase two: captions of 150–250 words with annotated elements (V18).

A caption follows one of several orders of sentence roles. Each sentence comes from a
frame that this person has not had before, filled with phrases that the scene admits.
"""

from __future__ import annotations

from typing import NamedTuple

from pydantic import Field

from eyeprint.config import Settings
from eyeprint.maths.ngrams import Trigram, word_trigrams
from eyeprint.people.demographics import Sketch
from eyeprint.people.scenes import Decks, Scene
from eyeprint.people.sentences import Elements, Session, Voice
from eyeprint.people.tables import structures
from eyeprint.randomness import Stream


class CaptionSettings(Settings):
    """Length, overlap and annotation of captions."""

    words_low: int = Field(default=150, ge=1)
    words_high: int = Field(default=250, ge=1)
    aim_low: int = Field(default=166, ge=1)
    """A caption's own aim is drawn uniformly between these; the paper's mean is 187.2."""
    aim_high: int = Field(default=204, ge=1)
    overlap_limit: float = Field(default=0.12, gt=0, le=1)
    """Most word trigrams, as a share, that a caption may have in common with another one
    of the same person, in either direction."""
    attempts: int = Field(default=8, ge=1)
    """How often a caption over the limit, or out of length, is written again."""
    elements_most: int = Field(default=4, ge=1)
    """Most phrases per category."""


class _Fault(NamedTuple):
    """What is wrong with a caption; the smaller one is the lesser evil."""

    out_of_length: bool
    overlap: float
    """Share of trigrams in common with another caption, if over the limit, else 0."""


class _Attempt(NamedTuple):
    """A caption as it was written once."""

    fault: _Fault
    text: str
    elements: Elements
    trigrams: frozenset[Trigram]


class CaptionWriter:
    """Writes the captions of one person, and remembers what it has said."""

    def __init__(
        self, sketch: Sketch, decks: Decks, settings: CaptionSettings, draw: Stream
    ) -> None:
        self.settings, self.draw = settings, draw
        self._voice = Voice.of(sketch, decks, draw)
        self._orders = {key: draw.shuffled(lines) for key, lines in structures().items()}
        self._trigrams: list[frozenset[Trigram]] = []
        self.rewritten = 0
        self.over_limit = 0

    def write(self, scene: Scene) -> tuple[str, Elements]:
        """Write one caption; rewrite it while it is out of length or too like another."""
        before = (set(scene.used), set(scene.anchors), set(scene.dates), scene.weather)
        best = self._attempt(scene)
        for _ in range(self.settings.attempts - 1):
            if not any(best.fault):
                break
            scene.used, scene.anchors, scene.dates = (set(part) for part in before[:3])
            scene.weather = before[3]
            self.rewritten += 1
            best = min(best, self._attempt(scene), key=lambda made: made.fault)
        self.over_limit += best.fault.overlap > 0
        self._trigrams.append(best.trigrams)
        return best.text, best.elements

    def _attempt(self, scene: Scene) -> _Attempt:
        rules = self.settings
        text, elements = self._compose(scene)
        trigrams = word_trigrams(text)
        overlap = self.overlap(trigrams)
        fault = _Fault(
            out_of_length=not rules.words_low <= len(text.split()) <= rules.words_high,
            overlap=overlap if overlap >= rules.overlap_limit else 0.0,
        )
        return _Attempt(fault, text, elements, trigrams)

    def overlap(self, trigrams: frozenset[Trigram]) -> float:
        """Return the largest share of trigrams in common with an earlier caption."""
        if not trigrams:
            return 0.0
        most = 0.0
        for other in self._trigrams:
            common = len(trigrams & other)
            if common:
                most = max(most, common / min(len(trigrams), len(other)))
        return most

    def _compose(self, scene: Scene) -> tuple[str, Elements]:
        orders = self._orders["places" if scene.kind == "appreciation" else "people"]
        order = orders.pop(0)
        orders.append(order)
        aim = self.draw.between(self.settings.aim_low, self.settings.aim_high)
        session = Session(self._voice, scene)
        written: dict[str, str] = {}
        words = 0
        for role, required in sorted(order, key=lambda item: not item[1]):
            if not required and words >= aim - 6:
                break
            if role == "setting" and session.count("environment") > 1:
                continue
            sentence = session.sentence(role)
            if sentence:
                written[role] = sentence
                words += len(sentence.split())
        for role in ("sense", "technique", "closing", "social"):
            if words >= self.settings.words_low + 4 or role in written:
                continue
            sentence = session.sentence(role)
            if sentence:
                written[role] = sentence
                words += len(sentence.split())
        for role in ("closing", "technique", "sense", "social"):
            if words > self.settings.words_high and role in written:
                words -= len(written.pop(role).split())
        roles = [role for role, _ in order] + ["sense", "technique", "social", "closing"]
        placed = sorted(dict.fromkeys(roles), key=lambda role: role == "closing")
        text = " ".join(written[role] for role in placed if role in written)
        return text, session.elements_in(text, self.settings.elements_most)
