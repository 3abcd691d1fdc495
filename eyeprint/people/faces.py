"""Deterministic faces: ten attributes keyed by person and decade of age (V25–V27)."""

from __future__ import annotations

import math
from typing import Any

from eyeprint.people.tables import faces
from eyeprint.randomness import Stream, stable_hash


def face_seed(person_id: str, age: int) -> int:
    """Return hash(person, floor(age / 10)) mod 2^32; a face changes with the decade.

    The hash is the SHA-256 of :func:`eyeprint.randomness.stable_hash`.

    >>> face_seed("p-00001", 31) == face_seed("p-00001", 39) != face_seed("p-00001", 40)
    True
    """
    return stable_hash(person_id, age // 10) % 2**32


def face_combinations() -> int:
    """Return the real number N = Π|O_i| · |A| · |E| · |S| of different faces (V26).

    O_i are the options of the ten attributes, A the age details, E the expressions and
    S the photo styles of ``data/faces.toml``. The paper prints about 97.2 million.

    >>> face_combinations() > 97_200_000
    True
    """
    table = faces()
    options = math.prod(len(options) for options in table["attributes"].values())
    modifiers = len(table["modifiers"]["expression"]) * len(table["modifiers"]["style"])
    return options * modifiers * len(table["age"])


def make_face(person_id: str, demographics: dict[str, Any]) -> dict[str, Any]:
    """Return attributes, modifiers and portrait prompt of a person's face.

    >>> face = make_face("p-1", {"age": 40, "gender": "unknown"})
    >>> len(face["attributes"]), face["modifiers"]["age"], "a person" in face["prompt"]
    (10, 'faint smile lines', True)
    """
    age = demographics.get("age")
    years = 30 if age is None else int(age)
    draw = Stream(face_seed(person_id, years))
    table = faces()
    attributes = {name: draw.pick(options) for name, options in table["attributes"].items()}
    modifiers = {
        "age": next(row["detail"] for row in table["age"] if years < row["below"]),
        "expression": draw.pick(table["modifiers"]["expression"]),
        "style": draw.pick(table["modifiers"]["style"]),
    }
    return {
        "seed": face_seed(person_id, years),
        "attributes": attributes,
        "modifiers": modifiers,
        "prompt": portrait_prompt(demographics, attributes, modifiers),
    }


def portrait_prompt(
    demographics: dict[str, Any], attributes: dict[str, str], modifiers: dict[str, str]
) -> str:
    """Return the text-to-image prompt of the paper's §10.2, absent parts left out (V27).

    "person" stands for a gender that the seed does not state.
    """
    gender = demographics.get("gender") or "unknown"
    place = ", ".join(
        str(demographics[key]) for key in ("city", "country") if demographics.get(key)
    )
    parts = ["photo of a person", "person" if gender == "unknown" else gender]
    parts += [str(demographics["ethnicity"])] if demographics.get("ethnicity") else []
    parts += [f"{demographics['age']} years old"] if demographics.get("age") is not None else []
    if demographics.get("occupation"):
        parts.append(f"works as {demographics['occupation']}")
    parts += [f"from {place}"] if place else []
    parts += list(attributes.values())
    parts += [modifiers["age"], modifiers["style"], modifiers["expression"], "natural lighting"]
    return ", ".join(parts)
