"""Scenes: what one post is about, and the phrases that fit it.

A scene fixes hour, weather, place and the proper names already mentioned. Every further
phrase is taken from the person's decks only if it agrees with all of that.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from eyeprint.people.demographics import Sketch
from eyeprint.people.phrases import ANY_HOUR, HOUR_BIT, PORTABLE, Phrase, bare, weather_clash
from eyeprint.people.tables import COUNTRY_SLOTS, BankPhrase, wordbank
from eyeprint.randomness import Stream
from eyeprint.records.people import PostKind


@dataclass(frozen=True)
class Scenario:
    """Phase one of a post: its kind and one sentence about it (V17)."""

    kind: PostKind
    text: str
    social: str
    """"solo" or "group"."""
    time: str


@dataclass
class Scene:
    """A scenario with all that the offline captions need to know about it."""

    kind: PostKind
    social: str
    hours: int = ANY_HOUR
    weather: int = 0
    place: str = ""
    anchors: set[str] = field(default_factory=set)
    dates: set[str] = field(default_factory=set)
    used: set[str] = field(default_factory=set)
    """Bare phrases already in the caption."""
    main: str = ""
    """The scenario as a phrase: what somebody does, or what is to be seen."""
    elements: list[tuple[str, str]] = field(default_factory=list)
    """(category, bare phrase) of the main phrase."""
    spot: str = ""
    """Where it happens, when the main phrase does not say."""
    spot_elements: tuple[str, str] | None = None
    is_view: bool = False
    located: bool = False
    company: str = ""
    hour: str = ""
    scenario: Scenario | None = None

    @property
    def hour_bit(self) -> int:
        """The chosen hour as a bit, or all hours still open."""
        return HOUR_BIT[self.hour] if self.hour else self.hours

    def admits(self, phrase: Phrase, mention: bool = False) -> bool:
        """Tell whether a phrase can appear beside what the scene already holds."""
        if phrase.bare in self.used:
            return False
        if mention:
            return True
        if not phrase.hours & self.hour_bit:
            return False
        if phrase.anchors and self.anchors and not phrase.anchors & self.anchors:
            return False
        if phrase.dates and self.dates and not phrase.dates & self.dates:
            return False
        if weather_clash(phrase.weather, self.weather):
            return False
        return not (
            phrase.place
            and self.place
            and phrase.place != self.place
            and phrase.slot not in PORTABLE
        )

    def take(self, phrase: Phrase, mention: bool = False) -> None:
        """Enter a phrase into the scene."""
        self.used.add(phrase.bare)
        if mention:
            return
        if phrase.hours & self.hours:
            self.hours &= phrase.hours
        self.weather |= phrase.weather
        self.anchors |= phrase.anchors
        self.dates |= phrase.dates


class Decks:
    """A person's phrases in random order; what was used goes to the bottom.

    Phrases of the person's vocabulary lie in the deck twice, so they come up twice as
    often as the rest of the country's table.
    """

    def __init__(self, sketch: Sketch, draw: Stream) -> None:
        self.sketch = sketch
        self.draw = draw
        known = {
            entry
            for groups in sketch.vocabulary.values()
            for entries in groups.values()
            for entry in entries
        }
        self._phrases: dict[str, list[Phrase]] = {}
        tables = {slot: sketch.country.phrases[slot] for slot in COUNTRY_SLOTS}
        tables |= sketch.domain.phrases
        for slot, phrases in tables.items():
            first = draw.shuffled([p for p in phrases if p.bare in known])
            rest = draw.shuffled([p for p in phrases if p.bare not in known])
            self._phrases[slot] = first + rest + first
        self._bank: dict[str, list[BankPhrase]] = {}

    def phrase(self, slot: str, scene: Scene, mention: bool = False) -> Phrase | None:
        """Take the first phrase of a slot that the scene admits, or ``None``."""
        wearer = self.sketch.demographics["gender"] if slot == "suit" else ""
        deck = self._phrases["dress" if slot == "suit" else slot]
        for place, phrase in enumerate(deck):
            if phrase.big and not mention:
                continue
            if wearer and phrase.wearer not in ("", wearer):
                continue
            if scene.admits(phrase, mention):
                deck.append(deck.pop(place))
                scene.take(phrase, mention)
                return phrase
        return None

    def bank(self, slot: str, scene: Scene) -> str | None:
        """Take the first phrase of the word bank that fits kind, place, hour and weather."""
        deck = self._bank.get(slot)
        if deck is None:
            deck = self._bank[slot] = self.draw.shuffled(wordbank()[slot])
        for place, phrase in enumerate(deck):
            if (
                (not phrase.kinds or scene.kind in phrase.kinds)
                and (not phrase.place or not scene.place or phrase.place == scene.place)
                and phrase.hours & scene.hour_bit
                and not weather_clash(phrase.weather, scene.weather)
                and bare(phrase.text) not in scene.used
            ):
                deck.append(deck.pop(place))
                scene.used.add(bare(phrase.text))
                return phrase.text
        return None
