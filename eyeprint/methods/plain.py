"""The two methods that see no captions: Baseline and Persona Only (V42, V43).

Also the two short texts about a person that prompts may carry. Neither is the text
that PA compares with: a prompt that pastes what it is scored against would win for
nothing (docs/fidelity.md).
"""

from __future__ import annotations

from eyeprint.methods.setting import MethodModels, MethodSettings
from eyeprint.records.people import Persona
from eyeprint.records.work import Material, Query


def baseline(
    person: Persona, query: Query, settings: MethodSettings, models: MethodModels
) -> Material:
    """Return the query alone: nobody, and no writer, adds to it (V42)."""
    del settings, models
    return Material(person_id=person.id, query=query, method="baseline")


def persona_only(
    person: Persona, query: Query, settings: MethodSettings, models: MethodModels
) -> Material:
    """Return the query with one line of demographics and interests (V43)."""
    del settings, models
    return Material(
        person_id=person.id, query=query, method="persona_only", about=demographic_line(person)
    )


def demographic_line(person: Persona) -> str:
    """Return one line: age, gender, ethnicity, occupation, place and interests, where known.

    Empty when none of them is.

    >>> demographic_line(Persona(id="p", demographics={"age": 30, "country": "Chad",
    ...     "occupation": "baker", "interests": ["kites", "bread"]}))
    '30-year-old baker, Chad; interests: kites, bread.'
    """
    who = person.demographics
    gender = who.gender if who.gender and who.gender != "unknown" else ""
    head = " ".join(
        part
        for part in (
            f"{who.age}-year-old" if who.age is not None else "",
            gender,
            who.occupation or ("" if gender else "person"),
        )
        if part
    )
    known = (who.age, gender, who.occupation, who.ethnicity, who.city, who.country)
    if not any(known) and not who.interests:
        return ""
    facts = [head, who.ethnicity, who.city, who.country]
    line = ", ".join(fact for fact in facts if fact)
    if who.interests:
        line += "; interests: " + ", ".join(who.interests)
    return line + "."


def about_sentence(person: Persona, words: int) -> str:
    """Return S_p: one sentence of at most ``words`` words about who made the picture (V36).

    What would pass the limit is left out whole, from the last interest backwards.

    >>> about_sentence(Persona(id="p", demographics={"city": "Oslo", "occupation": "baker",
    ...     "interests": ["kites"]}), 25)
    'In the visual world of a baker from Oslo, drawn to kites.'
    >>> about_sentence(Persona(id="p"), 25)
    ''
    """
    who = person.demographics
    place = ", ".join(part for part in (who.city, who.country) if part)
    if not (who.occupation or place or who.interests):
        return ""
    occupation = who.occupation or "person"
    article = "an" if occupation[0].lower() in "aeiou" else "a"
    parts = [
        f"In the visual world of {article} {occupation}",
        f" from {place}" if place else "",
        *(f"{joint}{i}" for joint, i in zip((", drawn to ", " and "), who.interests, strict=False)),
    ]
    sentence = ""
    for part in parts:
        if len((sentence + part).split()) > words:
            break
        sentence += part
    return sentence + "." if sentence else ""
