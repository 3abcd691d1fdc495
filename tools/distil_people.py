"""Texts about people of the offline writer, and prompts for them by the real methods.

The people come from their own run seed, so none of a user's people are in the corpus.
Prompts retrieve with the hashed stand-in encoder: here only their form counts.
"""

from __future__ import annotations

from typing import NamedTuple

from distil_corpus import Tables, WordNet, request

from eyeprint.methods.catalog import OURS
from eyeprint.methods.rewrite import method_models, rewrite
from eyeprint.methods.setting import MethodSettings
from eyeprint.models.fakes import HashEncoder
from eyeprint.people.backstories import load_seeds
from eyeprint.people.offline_writer import OfflineWriter
from eyeprint.randomness import stream
from eyeprint.records.people import Persona

RUN_SEED = 20_611


class PeopleTexts(NamedTuple):
    """Distinct texts by kind."""

    caption: list[str]
    prompt: list[str]
    description: list[str]
    element: list[str]


def people_texts(tables: Tables, wordnet: WordNet, people: int, per_person: int) -> PeopleTexts:
    """Make people; keep ``per_person`` captions and twice as many prompts of each."""
    writer, seeds = OfflineWriter(RUN_SEED), load_seeds("", "")
    models = method_models(HashEncoder())
    found = PeopleTexts([], [], [], [])
    for place in range(people):
        draw = stream(RUN_SEED, "distil", place)
        made = writer.person(f"distil-{place:05d}", draw.pick(seeds))
        if made.record is None:
            continue
        person = Persona.model_validate(made.record)
        found.description.append(person.description())
        found.caption.extend(draw.sample(person.captions, per_person))
        found.element.extend(draw.sample(person.elements, 3 * per_person))
        for turn in range(2 * per_person):
            mode = draw.pick(("free", "three_phrases"))
            method = draw.pick(tuple(OURS)[1:])
            settings = MethodSettings(mode=mode, word_limit=draw.pick((40, 80, 150, 150)))
            asked = request(tables, wordnet, stream(RUN_SEED, "ask", f"{place}-{turn}"))
            drafted = rewrite(asked, person, method, models=models, settings=settings).draft
            found.prompt.append(drafted.prompt or asked)
    return PeopleTexts(*(list(dict.fromkeys(texts)) for texts in found))
