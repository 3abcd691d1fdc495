"""Posts, phase one: scenarios from templates, filled so that nothing contradicts (V17)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from eyeprint.errors import DataError
from eyeprint.people.demographics import Sketch, has_climate
from eyeprint.people.phrases import ANY_HOUR, HOUR_BIT, HOURS, Phrase, bare
from eyeprint.people.plans import PostSettings, Wanted
from eyeprint.people.scenes import Decks, Scenario, Scene
from eyeprint.people.tables import scenarios, senses
from eyeprint.randomness import Stream
from eyeprint.records.people import POST_KINDS

_SLOT = re.compile(r"\{(\w+)\}")
_TIME_TAIL = re.compile(r",? (?:around |at )?\{time\}")
_DOMAIN = {
    "domain_object": "d_object",
    "domain_action": "d_action",
    "domain_place": "d_place",
    "domain_material": "d_material",
}
CATEGORY_OF = {
    "dress": "appearance",
    "craft": "objects",
    "food": "objects",
    "object": "objects",
    "d_object": "objects",
    "landscape": "environment",
    "building": "environment",
    "landmark": "background",
    "festival": "environment",
    "people": "foreground",
    "action": "actions",
    "d_action": "actions",
    "d_place": "environment",
    "d_subject": "foreground",
    "city_place": "environment",
    "material": "materials",
    "d_material": "materials",
    "texture": "materials",
    "light": "lighting",
    "nature": "foreground",
    "palette": "materials",
}
"""Kind of phrase -> category of visual elements it belongs to."""
_LOCATES = frozenset(["domain_place", "building", "landmark", "place", "landscape", "action"])
_OUTDOORS = frozenset(["landscape", "landmark", "nature", "building", "festival", "place"])


@cache
def _times() -> dict[str, list[str]]:
    table = scenarios()
    found: dict[str, list[str]] = {hour: [] for hour in HOURS}
    for name, default in (("hours_day", "day"), ("hours_night", "night")):
        for text in table[name]:
            bits = senses().hours(text) or HOUR_BIT[default]
            for hour in HOURS:
                if bits & HOUR_BIT[hour]:
                    found[hour].append(text)
    return found


def _interleaved(templates: list[str], trade_share: float) -> list[str]:
    """Deal templates of the trade among the others in the given share, from the top."""
    trade = [t for t in templates if "{domain_" in t]
    others = [t for t in templates if "{domain_" not in t]
    mixed: list[str] = []
    dealt = 0
    while dealt < len(trade) or len(mixed) - dealt < len(others):
        none_left = len(mixed) - dealt == len(others)
        if dealt < len(trade) and (none_left or dealt < trade_share * (len(mixed) + 1)):
            mixed.append(trade[dealt])
            dealt += 1
        else:
            mixed.append(others[len(mixed) - dealt])
    return mixed


def repeats_a_word(text: str) -> bool:
    """Tell whether a word of four letters or more stands twice in a phrase.

    >>> repeats_a_word("a brass tray on a tray for all"), repeats_a_word("a table on a tablecloth")
    (True, False)
    >>> repeats_a_word("a library book beside the library")
    True
    """
    words = re.findall(r"[^\W\d_]{4,}", text.lower())
    return len(words) != len(set(words))


class ScenarioDecks:
    """Draws scenes for one person; templates are not repeated before all had their turn."""

    def __init__(self, sketch: Sketch, decks: Decks, settings: PostSettings, draw: Stream) -> None:
        self.sketch, self.decks, self.draw = sketch, decks, draw
        table = scenarios()
        self._templates = {
            kind: _interleaved(
                [t for t in draw.shuffled(table[kind]) if has_climate(sketch.country, t)], share
            )
            for kind, share in zip(POST_KINDS, settings.trade_shares, strict=True)
        }
        self._seasons = draw.shuffled(
            [s for s in table["seasons"] if has_climate(sketch.country, s)]
        )
        self._times = {hour: draw.shuffled(texts) for hour, texts in _times().items()}
        self._social = {name: draw.shuffled(texts) for name, texts in table["social"].items()}

    def scene(self, wanted: Wanted) -> Scene:
        """Return the next scene of a kind, with the hour aimed at where it fits."""
        kind, social, hour = wanted
        templates = self._templates[kind]
        for attempt in range(4 * len(templates)):
            template = templates.pop(0)
            templates.append(template)
            scene = Scene(kind=kind, social=social)
            # Templates whose words fix another hour wait for their turn, unless none is left.
            fixed = senses().hours(template)
            if fixed and not fixed & HOUR_BIT[hour] and attempt < len(templates):
                continue
            if self._fill(scene, template, hour):
                return scene
        raise DataError(
            f"no scenario of kind {kind} fits {self.sketch.country.name}; its table is too small."
        )

    def _fill(self, scene: Scene, template: str, hour: str) -> bool:
        reading = senses()
        slots = _SLOT.findall(template)
        words = _SLOT.sub(" ", template)
        scene.hours = reading.hours(words) or ANY_HOUR
        scene.weather = reading.weather(words)
        scene.place = reading.place(words)
        values: dict[str, str] = {}
        found: list[Phrase] = []
        for slot in slots:
            if slot in ("light", "time") or slot in values:
                continue
            text = self._value(scene, slot, found)
            if text is None:
                return False
            values[slot] = text
        self._settle_place(scene, slots, found)
        if not self._settle_hour(scene, hour):
            return False
        if "light" in slots:
            light = self.decks.phrase("light", scene) if scene.place == "out" else None
            text = light.text if light else self.decks.bank("xlight", scene)
            if text is None:
                return False
            values["light"] = text
            scene.elements.append(("lighting", bare(text)))
        time = self._time(scene)
        values["time"] = time
        main = _SLOT.sub(lambda m: values[m.group(1)], _TIME_TAIL.sub("", template))
        # A phrase that ends in a preposition would trip over the words that follow it.
        main = main.replace("before anyone comes in", "before the first arrival")
        if repeats_a_word(main):
            return False
        scene.main = main
        scene.is_view = bool(slots) and slots[0] in ("landscape", "landmark")
        self._note_elements(scene, found)
        self._settle_company(scene)
        text = _SLOT.sub(lambda m: values[m.group(1)], template)
        scene.scenario = Scenario(
            scene.kind, text[:1].upper() + text[1:] + ".", scene.social, self._when(scene, time)
        )
        return True

    def _value(self, scene: Scene, slot: str, found: list[Phrase]) -> str | None:
        if slot == "place":
            text = self.decks.bank("city_place", scene)
            if text is None:
                return None
            city = self.sketch.demographics["city"]
            names = {word.lower() for word in re.findall(r"[\w'’-]+", city)}
            if scene.anchors and not names & scene.anchors:
                return None
            phrase = Phrase(text.format(city=city), "city_place", bare(text.format(city=city)))
            scene.anchors |= names
            found.append(phrase)
            return phrase.text
        name = _DOMAIN.get(slot, slot)
        if slot == "dress" and scene.kind in ("selfie", "activity"):
            name = "suit"
        taken = self.decks.phrase(name, scene)
        if taken is None:
            return None
        found.append(taken)
        return taken.text

    def _settle_place(self, scene: Scene, slots: Sequence[str], found: list[Phrase]) -> None:
        inside = next((p.place for p in found if p.slot == "d_place"), "")
        act = next((p.place for p in found if p.slot == "action" and p.place), "")
        scene.located = bool(scene.place) or bool(_LOCATES & set(slots))
        if inside:
            scene.place = inside
        elif not scene.place:
            outdoors = bool(_OUTDOORS & set(slots)) or "action" in slots
            scene.place = act or ("out" if outdoors else "")
        if scene.located:
            scene.place = scene.place or "in"
            return
        own = self.decks.phrase("d_place", scene) if self.draw.random() < 0.6 else None
        if own is not None:
            scene.spot, scene.place = own.text, own.place
        else:
            scene.place = scene.place or self.draw.pick(("in", "out"))
            scene.spot = self.decks.bank("spot", scene) or ""
        if scene.spot:
            scene.spot_elements = ("environment", bare(scene.spot))

    def _settle_hour(self, scene: Scene, hour: str) -> bool:
        open_hours = [h for h in HOURS if HOUR_BIT[h] & scene.hours]
        if not open_hours:
            return False
        scene.hour = hour if hour in open_hours else self.draw.pick(open_hours)
        return True

    def _time(self, scene: Scene) -> str:
        deck = self._times[scene.hour]
        for place, text in enumerate(deck):
            if not (scene.place == "out" and "dishes" in text):
                deck.append(deck.pop(place))
                return text
        return deck[0]

    def _when(self, scene: Scene, time: str) -> str:
        if self.draw.random() < 0.35:
            local = self.decks.phrase("time", scene)
            if local is not None:
                return local.text
        for place, season in enumerate(self._seasons):
            probe = Phrase(
                season,
                "season",
                season,
                senses().hours(season) or ANY_HOUR,
                senses().weather(season),
            )
            if scene.admits(probe):
                self._seasons.append(self._seasons.pop(place))
                scene.weather |= probe.weather
                return f"{season}, {time}"
        return time

    def _note_elements(self, scene: Scene, found: list[Phrase]) -> None:
        main = scene.kind != "activity"
        for phrase in found:
            category = CATEGORY_OF.get(phrase.slot)
            if category is None:
                continue
            if main and phrase.slot not in (
                "festival",
                "d_place",
                "city_place",
                "action",
                "d_action",
            ):
                category = "appearance" if phrase.slot == "dress" else "foreground"
                main = False
            scene.elements.append((category, phrase.bare))
        if scene.kind in ("shared", "appreciation") and main:
            head = re.split(
                r" (?:with|at|in|on|from|by|for|of|to|before|after|seen|sent|somebody|just)\b|,",
                scene.main,
            )[0]
            if len(head.split()) > 1:
                scene.elements.append(("foreground", bare(head)))
        if scene.kind == "activity" and not any(c == "actions" for c, _ in scene.elements):
            words = scene.main.split()
            if len(words) <= 9:
                scene.elements.append(("actions", scene.main))

    def _settle_company(self, scene: Scene) -> None:
        if scene.kind == "shared" and scene.social == "group":
            scene.company = self.decks.bank("company", scene) or ""
        elif scene.kind in ("activity", "selfie"):
            deck = self._social[scene.social]
            scene.company = deck.pop(0)
            deck.append(scene.company)
