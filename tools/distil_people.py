"""Texts about people of the offline writer, and prompts for them by the real methods.

The people come from their own run seed, so none of a user's people are in the corpus.
Prompts retrieve with the hashed stand-in encoder: here only their form counts.
"""

from __future__ import annotations

from collections.abc import Iterable
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


class Owned(NamedTuple):
    """A text and the number of the person whom it belongs to."""

    text: str
    owner: int


def people_texts(
    tables: Tables, wordnet: WordNet, people: int, per_person: int
) -> dict[str, list[Owned]]:
    """Make people; keep ``per_person`` captions, and twice as many prompts, of each."""
    writer, seeds = OfflineWriter(RUN_SEED), load_seeds("", "")
    models = method_models(HashEncoder())
    found: dict[str, dict[str, int]] = {
        kind: {} for kind in ("description", "element", "prompt", "caption")
    }

    def keep(kind: str, texts: Iterable[str], owner: int) -> None:
        for text in texts:
            found[kind].setdefault(text, owner)

    for place in range(people):
        draw = stream(RUN_SEED, "distil", place)
        made = writer.person(f"distil-{place:05d}", draw.pick(seeds))
        if made.record is None:
            continue
        person = Persona.model_validate(made.record)
        keep("description", [person.description()], place)
        keep("caption", draw.sample(person.captions, per_person), place)
        # A phrase is many people's: it counts for none.
        keep("element", draw.sample(person.elements, 3 * per_person), -1)
        for turn in range(2 * per_person):
            mode = draw.pick(("free", "three_phrases"))
            method = draw.pick(tuple(OURS)[1:])
            settings = MethodSettings(mode=mode, word_limit=draw.pick((40, 80, 150, 150)))
            asked = request(tables, wordnet, stream(RUN_SEED, "ask", f"{place}-{turn}"))
            drafted = rewrite(asked, person, method, models=models, settings=settings).draft
            keep("prompt", [drafted.prompt or asked], place)
    return {kind: [Owned(*pair) for pair in own.items()] for kind, own in found.items()}
