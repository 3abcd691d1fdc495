"""Writes the sentences of one caption: frames that fit, slots filled from the scene.

A sentence is only kept if every slot of its frame could be filled with something that
agrees with the scene's hour, weather, place and names; else the next frame is tried.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from eyeprint.people.demographics import Sketch
from eyeprint.people.grammar import Frame, Slot, render, with_articles
from eyeprint.people.phrases import bare
from eyeprint.people.posts import CATEGORY_OF
from eyeprint.people.scenes import Decks, Scene
from eyeprint.people.tables import COUNTRY_SLOTS, DOMAIN_SLOTS, frames, senses, wordbank
from eyeprint.randomness import Stream
from eyeprint.records.people import CATEGORIES

Elements = dict[str, list[str]]
_PRONOUNS = {
    "woman": {"subject": "she", "their": "her", "them": "her", "self": "herself"},
    "man": {"subject": "he", "their": "his", "them": "him", "self": "himself"},
}
_NEUTRAL = {"subject": "", "their": "their", "them": "them", "self": "themself"}
_BANK_CATEGORY = {
    "xlight": "lighting",
    "far": "background",
    "pose": "actions",
    "gesture": "actions",
    "handle": "actions",
    "wear": "appearance",
    "look": "appearance",
    "surface": "materials",
    "prop": "objects",
    "backdrop": "background",
    "sound": "",
    "smell": "",
    "feel": "",
}
_OWN_SHARE = {"object": ("d_object", 0.45), "material": ("d_material", 0.35)}
"""Slots that the person's trade fills as often as this, instead of the country."""
_COUNTRY_WITHOUT_ELEMENT = frozenset(["mood", "time", "festival"])


REPLACEABLE = frozenset(["setting", "sense", "technique", "closing", "social"])
"""Roles that a caption can do without: no frame of theirs is used twice for one person."""


@dataclass
class Voice:
    """What all captions of one person share: decks of frames, phrases and preferences."""

    sketch: Sketch
    decks: Decks
    draw: Stream
    frames: dict[str, list[Frame]] = field(default_factory=dict)
    preferences: list[str] = field(default_factory=list)
    pronouns: dict[str, str] = field(default_factory=dict)
    said: set[str] = field(default_factory=set)
    """Frames that this person has had."""
    short: str = ""
    """The last word of the person's noun, for later mentions."""

    @classmethod
    def of(cls, sketch: Sketch, decks: Decks, draw: Stream) -> Voice:
        """Return a voice with freshly shuffled frames."""
        return cls(
            sketch=sketch,
            decks=decks,
            draw=draw,
            frames={role: draw.shuffled(lines) for role, lines in frames().items()},
            preferences=list(sketch.preferences),
            pronouns=_PRONOUNS.get(sketch.demographics["gender"], _NEUTRAL),
            short=sketch.who.split()[-1],
        )


class Session:
    """The state of one caption while its sentences are written."""

    def __init__(self, voice: Voice, scene: Scene) -> None:
        self.voice, self.scene = voice, scene
        self.marks: list[tuple[str, str]] = list(scene.elements)
        self._named = False
        self._placed = False
        self._cache: dict[str, str] = {}
        self._pending: list[tuple[str, str]] = []
        self._alone = True

    def sentence(self, role: str) -> str:
        """Write one sentence of a role, by a frame not yet used if there is one that fits.

        Returns "" when there is none.
        """
        lines = self.voice.frames[role]
        for fresh in (True, False):
            for place, frame in enumerate(lines):
                if (frame.text in self.voice.said) is fresh or not self._fits(frame):
                    continue
                text = self._render(frame)
                if text is None:
                    continue
                lines.append(lines.pop(place))
                self.voice.said.add(frame.text)
                self._placed = self._placed or "place" in frame.slots
                self.marks += self._pending
                text = with_articles(text)
                return text[:1].upper() + text[1:]
            if role in REPLACEABLE:
                return ""
        return ""

    def count(self, category: str) -> int:
        """Return how many phrases of a category are marked so far."""
        return sum(marked == category for marked, _ in self.marks)

    def _fits(self, frame: Frame) -> bool:
        scene = self.scene
        if frame.kinds and scene.kind not in frame.kinds:
            return False
        if frame.social and frame.social != scene.social:
            return False
        if frame.place and frame.place != scene.place:
            return False
        if not frame.hours & scene.hour_bit:
            return False
        if "place" in frame.slots and (not scene.spot or self._placed):
            return False
        if frame.role == "opening" and "view" in frame.needs and not scene.is_view:
            return False
        return not (frame.role == "background" and "view" in frame.needs and scene.place != "out")

    def _render(self, frame: Frame) -> str | None:
        self._cache, self._pending = {}, []
        self._alone = not ({"people", "company"} & frame.slots)
        used, anchors = set(self.scene.used), set(self.scene.anchors)
        dates, weather = set(self.scene.dates), self.scene.weather
        named = self._named
        text = render(
            frame.parts,
            self._fill,
            self.voice.draw,
            lambda category, marked: self._pending.append((category, bare(marked))),
        )
        if text is None:
            self.scene.used, self.scene.anchors, self.scene.dates = used, anchors, dates
            self.scene.weather, self._named = weather, named
        return text

    def _fill(self, slot: Slot) -> str | None:
        name = slot.name
        if name == "who":
            return self._who(slot)
        cached = self._cache.get(name)
        if cached is None:
            cached = self._value(name, slot.mention)
            if cached is None:
                return None
            self._cache[name] = cached
        return cached

    def _who(self, slot: Slot) -> str:
        voice = self.voice
        if not self._named:
            self._named = True
            if self.scene.kind != "appreciation":
                self._pending.append(("foreground", voice.sketch.who))
            return voice.sketch.who
        pronoun = voice.pronouns["subject"]
        if slot.subject and pronoun and self._alone and voice.draw.random() < 0.55:
            return "=" + pronoun
        return voice.short if voice.draw.random() < 0.6 else voice.sketch.who

    def _value(self, name: str, mention: bool) -> str | None:
        voice, scene = self.voice, self.scene
        if name in ("their", "them", "self"):
            return voice.pronouns[name]
        if name in ("act", "scene"):
            return self._own(scene.main)
        if name == "place":
            if scene.spot_elements:
                self._pending.append(scene.spot_elements)
            return scene.spot or None
        if name in ("company", "with", "alone"):
            if name == "company":
                self._pending.append(("foreground", bare(scene.company)))
            return scene.company or None
        if name == "city":
            return str(voice.sketch.demographics["city"])
        if name == "country":
            return voice.sketch.country.named
        if name == "demonym":
            return voice.sketch.country.demonym
        if name == "pref":
            return self._preference()
        if name == "thing":
            return self._thing()
        if name == "view":
            kind = voice.draw.pick(("landmark", "landscape"))
            return self._phrase(kind, False, "background") if not scene.located else None
        if name == "light":
            if scene.place == "out" and voice.draw.random() < 0.75:
                text = self._phrase("light", False, "lighting")
                if text:
                    return text
            name = "xlight"
        base = name.rstrip("2")
        own = _OWN_SHARE.get(base)
        if own and not mention and voice.draw.random() < own[1]:
            text = self._phrase(own[0], False, CATEGORY_OF[own[0]])
            if text:
                return text
        if base in wordbank() and base not in COUNTRY_SLOTS:
            text = voice.decks.bank(base, scene)
            if text is not None and _BANK_CATEGORY.get(base):
                self._pending.append((_BANK_CATEGORY[base], bare(text)))
            return text
        return self._phrase(base, mention, CATEGORY_OF.get(base, ""))

    def _phrase(self, slot: str, mention: bool, category: str) -> str | None:
        phrase = self.voice.decks.phrase(slot, self.scene, mention)
        if phrase is None:
            return None
        if slot == "suit":
            category = "appearance"
        if not mention and category and slot not in _COUNTRY_WITHOUT_ELEMENT:
            self._pending.append((category, phrase.bare))
        return phrase.text

    def _thing(self) -> str | None:
        slots = ["d_object", "object", "craft"]
        if self.voice.draw.random() < 0.4:
            slots = ["craft", "object", "d_object"]
        for slot in slots:
            text = self._phrase(slot, False, "foreground")
            if text:
                return text
        return None

    def _preference(self) -> str | None:
        # A preference for night pictures under a noon sun would read as a mistake.
        deck = self.voice.preferences
        for place, text in enumerate(deck):
            hours = senses().hours(text)
            if not hours or hours & self.scene.hour_bit:
                deck.append(deck.pop(place))
                return text
        return None

    def _own(self, main: str) -> str:
        """Turn "own shadow on the wall" into "picture of her own shadow on the wall"."""
        their = self.voice.pronouns["their"]
        if main.startswith("own "):
            return f"picture of {their} {main}"
        return main.replace("of own ", f"of {their} own ", 1)

    def elements_in(self, text: str, most: int) -> Elements:
        """Return the marked phrases that stand in the text, by category, each once."""
        elements: Elements = {category: [] for category in CATEGORIES}
        seen: set[str] = set()
        for category, phrase in self.marks:
            if phrase not in text:
                phrase = phrase[:1].upper() + phrase[1:]
            if phrase in text and phrase not in seen and len(elements[category]) < most:
                seen.add(phrase)
                elements[category].append(phrase)
        return elements


def slot_names() -> frozenset[str]:
    """Return every slot that a frame may use; a test checks the grammars against it."""
    special = "who their them self act scene place company with alone city country demonym pref"
    special += " thing view light suit"
    return (
        frozenset(special.split())
        | frozenset(COUNTRY_SLOTS)
        | frozenset(DOMAIN_SLOTS)
        | frozenset(wordbank())
    )
