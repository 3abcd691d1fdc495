"""People made for tests of the audit: lawful ones, to be broken one rule at a time."""

from __future__ import annotations

import copy
from typing import Any

from eyeprint.randomness import stream
from eyeprint.records.people import CATEGORIES, FACETS, POST_KINDS, Persona

QUOTAS = (11, 8, 7, 4)
WORDS = [f"{a}{b}" for a in "bcdfglmnprst" for b in ("ado", "ilo", "ume", "era", "onk", "ish")]


def caption(key: object, words: int = 160) -> str:
    """A caption of random words: two of them share next to no trigram."""
    draw = stream(1, "made caption", key)
    return " ".join(draw.pick(WORDS) for _ in range(words))


def record(number: int = 0) -> dict[str, Any]:
    """One person who keeps every rule, as the JSON of a file."""
    kinds = [k for k, n in zip(POST_KINDS, QUOTAS, strict=True) for _ in range(n)]
    posts = []
    for at, kind in enumerate(kinds):
        text = caption((number, at))
        words = text.split()
        elements = {c: [" ".join(words[i * 4 : i * 4 + 2])] for i, c in enumerate(CATEGORIES)}
        posts.append({"id": f"p{at}", "kind": kind, "caption": text, "elements": elements})
    vocabulary = {
        facet: {g: [f"{g} {number} {i}" for i in range(4)] for g in groups}
        for facet, groups in FACETS.items()
    }
    who = {
        "age": 30 + number % 40,
        "gender": "woman",
        "country": "Ghana",
        "city": "Kumasi",
        "ethnicity": "Akan",
        "occupation": "baker",
        "interests": [f"interest {i}" for i in range(6)],
        "traits": ["calm", "exact"],
    }
    who |= {f"attribute_{i}": "yes" for i in range(12)}
    return {
        "id": f"made-{number:03d}",
        "seed": "She bakes.",
        "demographics": who,
        "preferences": [f"likes thing {i}" for i in range(16)],
        "vocabulary": vocabulary,
        "posts": posts,
    }


def person(number: int = 0, **changes: Any) -> Persona:
    """The same as a record; top-level fields may be changed."""
    return Persona.model_validate(record(number) | changes)


def copy_of(number: int, original: dict[str, Any], fresh: int) -> Persona:
    """A person with the original's captions, ``fresh`` of them written anew."""
    made = record(number)
    made["posts"] = copy.deepcopy(original["posts"])
    for at in range(fresh):
        text = caption(("fresh", number, at))
        made["posts"][at] |= {"caption": text, "elements": {"objects": text.split()[0]}}
    return Persona.model_validate(made)
