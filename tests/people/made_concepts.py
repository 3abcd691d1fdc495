"""A folder of concepts made for tests, and a chat that drafts and checks about them."""

import json
from collections.abc import Callable
from pathlib import Path

from eyeprint.models.kinds import ChatRequest
from eyeprint.people.concept_tastes import assign_tastes
from tests.people.made_pictures import made_picture, write_picture

DESCRIPTIONS = {
    "simple": ["red hair", "freckles", "round glasses"],
    "moderate": "<sks> has red hair, freckles and round glasses.",
    "detailed": "<sks> has curly red hair. Freckles cover nose and cheeks, and round glasses sit "
    "low on the nose.",
    "extended": [
        {"heading": "Overall", "text": "<sks> is slim and of middle height, with pale skin."},
        {"heading": "Head", "text": "<sks> has red hair to the shoulders and many freckles."},
    ],
}
COHERENCY = {
    "question": "What is <sks> holding?",
    "right": "a cup",
    "concept_only": "a camera",
    "image_only": ["a bag", "a map"],
}


def made_concepts(root: Path, references: int = 5) -> Path:
    """Two people, two animals, an object; Ana has preference pictures of all three types."""
    places = []
    for place in ("human/Ana Lima", "human/Bo", "animal/Rex", "animal/Tom", "object/red mug"):
        places += [f"{place}/{n}.png" for n in range(references)]
        places += [f"{place}/queries/{n}.png" for n in range(2)]
    both = assign_tastes("Ana Lima", 7).tastes["travel"]
    known = set(both.likes + both.dislikes)
    neutral = next(t for t in ("temple visits", "sleeper trains", "desert tours") if t not in known)
    for topic in (both.likes[0], both.dislikes[0], neutral):
        places.append(f"human/Ana Lima/queries/preference/{topic}/0.png")
    for n, place in enumerate(places):
        write_picture(root / place, made_picture(n, 32, 40))
    for name, kind in (("Rex", "dog"), ("Tom", "cat")):
        (root / f"animal/{name}/notes.txt").write_text(f"kind: {kind}\n")
    return root


def answer(request: ChatRequest, issues: Callable[[str], list[str]] = lambda text: []) -> str:
    """Draft or check whatever is asked; ``issues`` tells a checker's faults from the prompt."""
    text = request.messages[1].text
    if '"issues"' in text:
        return json.dumps({"issues": issues(text), "note": "So it seems."})
    return json.dumps(DESCRIPTIONS if '"extended"' in text else COHERENCY)
