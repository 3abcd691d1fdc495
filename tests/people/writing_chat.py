"""A stand-in chat that answers every step of the writer as a good model would.

``WritingChat(spoil={"caption": [f, g]})`` spoils the first replies to a step: the first
reply to each distinct prompt of a step whose name begins so goes through f, the second
attempt through g. A spoiler takes the good reply's value and returns a text or a Reply.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections import Counter
from collections.abc import Callable
from typing import Any

from eyeprint.models.kinds import ChatRequest, Reply, Usage
from eyeprint.randomness import stable_hash
from eyeprint.records.people import CATEGORIES

Spoiler = Callable[[Any], "str | Reply"]
_THINGS = "kettle lantern basket ladder mirror shutter bucket saddle anchor ribbon drum kite"
THINGS = _THINGS.split()
_PLACES = "harbour orchard bakery stairwell market rooftop quarry chapel stable jetty"
PLACES = _PLACES.split()
_WORDS = "slate linen amber copper chalk willow cobalt ochre marble walnut saffron pewter"
WORDS = _WORDS.split()


OPENING = (
    "An old potter’s wheel stands in the foreground beside a copper kettle. Low sun from the "
    "left rakes over wet clay, and a woven basket hangs behind, against the lime-washed wall. "
    "Somebody is wiping the bench in a narrow workshop, sleeves rolled above the elbow."
)


def caption_of(seed: int, words: int = 200) -> str:
    """Return a caption of exactly that many words that holds the phrases of ELEMENTS."""
    opening = OPENING.split()
    rest = [WORDS[(seed * 7 + i * i) % len(WORDS)] for i in range(words - len(opening))]
    return " ".join(opening + rest) + "."


ELEMENTS = {
    "foreground": ["An old potter’s wheel"],
    "background": ["the lime-washed wall", "woven basket"],
    "materials": ["wet clay"],
    "objects": ["copper kettle"],
    "lighting": ["Low sun from the left"],
    "actions": ["wiping the bench"],
    "environment": ["narrow workshop"],
    "appearance": ["sleeves rolled above the elbow"],
}


def place(prompt: str) -> Any:
    seed = prompt.split("Seed: ")[1].split("\n")[0]
    gender = "woman" if " she " in f" {seed} " else "unknown"
    return {
        "country": "Ghana" if "Kumasi" in seed else "United Kingdom",
        "city": "Kumasi" if "Kumasi" in seed else "Leeds",
        "ethnicity": "Ashanti" if "Kumasi" in seed else None,
        "confidence": 0.9 if "Kumasi" in seed else 0.1,
        "gender": gender,
        "gender_evidence": "she" if gender == "woman" else "",
    }


def attributes(prompt: str) -> Any:
    from eyeprint.people.chat_schemas import ATTRIBUTE_TEXTS

    texts = {name: f"some {name.replace('_', ' ')}" for name in ATTRIBUTE_TEXTS}
    return texts | {
        "age": 41,
        "languages": ["Twi", "English"],
        "interests": [f"{thing} repair" for thing in THINGS[:6]],
        "traits": ["patient", "wry", "private", "careful"],
        "summary": "Close pictures of work, low light, clay and copper.",
    }


def facet(prompt: str) -> Any:
    groups = re.search(r"with the groups ([^.]+)\.", prompt)[1].split(", ")  # type: ignore[index]
    facet = re.search(r'The facet is "(\w+)"', prompt)[1]  # type: ignore[index]
    entries = {}
    for g, group in enumerate(groups):
        entries[group] = [
            {
                "entry": f"{facet} {WORDS[(g * 3 + i) % 12]} {THINGS[(g + i * 2) % 12]} of Ghana",
                "regional": i < 3,
            }
            for i in range(4)
        ]
    return entries


def preferences(prompt: str) -> Any:
    return {
        "preferences": [
            f"likes {word} next to {thing}" for word, thing in zip(WORDS, THINGS, strict=True)
        ]
        + [f"avoids the {p} at noon" for p in PLACES[:5]]
    }


def scenarios(prompt: str) -> Any:
    wanted = re.findall(r'^- (\d+) of the kind "(\w+)"', prompt, re.MULTILINE)
    number = stable_hash(prompt) % 10_000
    items = []
    for count, kind in wanted:
        for i in range(int(count)):
            mark = stable_hash(prompt, kind, i)
            items.append(
                {
                    "kind": kind,
                    "scenario": f"{kind} {mark % 977} with {THINGS[mark % 12]} and "
                    f"{WORDS[mark // 12 % 12]} {mark // 7 % 991} at the "
                    f"{PLACES[mark // 144 % 10]} {number}",
                    "time": "March, dawn",
                    "social": "solo",
                }
            )
    return {"scenarios": items}


def caption(prompt: str) -> Any:
    return {"caption": caption_of(stable_hash(prompt) % 1000), "elements": ELEMENTS}


def read_captions(prompt: str) -> Any:
    parts = re.split(r"^Caption (\d+):\n", prompt, flags=re.MULTILINE)[1:]
    found = []
    for number, text in zip(parts[::2], parts[1::2], strict=True):
        words = text.split("\n\n")[0].split()
        elements = {name: [] for name in CATEGORIES}
        elements["foreground"] = [" ".join(words[:2]).strip(".,")]
        elements["objects"] = [" ".join(words[-2:]).strip(".,")]
        found.append({"number": int(number), "elements": elements})
    return {"captions": found}


def read_tastes(prompt: str) -> Any:
    return preferences(prompt) | {"summary": "Still, close pictures."}


STEPS: dict[str, tuple[str, Callable[[str], Any]]] = {
    "place": ("Read this seed text about a person", place),
    "attributes": ("Complete this person.", attributes),
    "facet": ("Make a visual vocabulary", facet),
    "preferences": ("Say what this person prefers", preferences),
    "scenarios": ("Plan posts:", scenarios),
    "caption": ("Act as a vision-language model", caption),
    "read_captions": ("Read the visual elements out", read_captions),
    "read_tastes": ("These phrases were found", read_tastes),
}


def step_of(prompt: str) -> str:
    return next(name for name, (start, _) in STEPS.items() if prompt.startswith(start))


def good_value(prompt: str) -> Any:
    return STEPS[step_of(prompt)][1](prompt)


class WritingChat:
    """Answers well, save where it was told to spoil its first replies."""

    def __init__(
        self,
        spoil: dict[str, list[Spoiler]] | None = None,
        name: str = "writing",
        cost: float = 0.0,
    ) -> None:
        self.name = name
        self.spoil = spoil or {}
        self.cost = cost
        self.calls = 0
        self.most_at_once = 0
        self.requests: list[ChatRequest] = []
        self._out = 0
        self._asked: Counter[str] = Counter()

    async def reply(self, request: ChatRequest) -> Reply:
        self.calls += 1
        self.requests.append(request)
        self._out += 1
        self.most_at_once = max(self.most_at_once, self._out)
        try:
            await asyncio.sleep(0)
        finally:
            self._out -= 1
        prompt = request.messages[1].text.split("\n\n(Attempt ")[0]
        value = good_value(prompt)
        step = step_of(prompt)
        self._asked[prompt] += 1
        spoilers = self.spoil.get(step, [])
        place = self._asked[prompt] - 1
        answer: str | Reply = json.dumps(value, ensure_ascii=False)
        if place < len(spoilers):
            answer = spoilers[place](value)
        if isinstance(answer, Reply):
            return answer
        usage = Usage(input_tokens=len(prompt) // 4, output_tokens=len(answer) // 4)
        outcome = "answered" if answer.strip() else "empty"
        return Reply(text=answer, outcome=outcome, usage=usage, cost_usd=self.cost)
