"""Writes the personas of section 9 of the paper with any chat model (CHECKLIST V10–V20).

The order is the paper's: a place from the seed, with the override rates where the seed
says too little; 20+ attributes; three facets of visual vocabulary; preferences; 30
scenarios in batches at temperature 0.9 until the quotas of kinds are full; one caption
for each, with its elements verbatim. Nothing is patched in silence: what a model got
wrong is repaired by name, or asked for again, or recorded, and a person without a valid
step or with under 10 valid posts is left out and counted.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from eyeprint.models.kinds import Chat
from eyeprint.people.chat_asking import (
    Checked,
    PersonAsker,
    StepFault,
    Tally,
    all_of,
    render_prompt,
)
from eyeprint.people.chat_checks import check_attributes, check_facet, check_preferences
from eyeprint.people.chat_place import Place, settle_place
from eyeprint.people.chat_posts import Vocabulary, plan_scenarios, write_posts
from eyeprint.people.chat_schemas import (
    ATTRIBUTE_TEXTS,
    AttributesAnswer,
    FacetAnswer,
    PlaceAnswer,
    PreferencesAnswer,
)
from eyeprint.people.chat_settings import ChatWriterSettings
from eyeprint.people.tables import countries
from eyeprint.people.vocabulary import (
    count_entries,
    entries_by_facet,
    prune_vocabulary,
    regional_shares,
)
from eyeprint.randomness import stream
from eyeprint.records.people import FACETS, Persona

MOTIFS_SHOWN = 12
"""Motifs of the country's table that a facet's prompt shows for orientation."""


class Written(NamedTuple):
    """One person, or the reasons why there is none."""

    person: Persona | None
    faults: tuple[StepFault, ...]
    """What stayed invalid: the step that ended the person, or single posts."""
    notes: dict[str, Any]
    """Confidence and override, regional shares, counts of elements before pruning ..."""


async def write_person(
    chat: Chat,
    person_id: str,
    seed_text: str,
    *,
    run_seed: int,
    settings: ChatWriterSettings | None = None,
    tally: Tally | None = None,
) -> Written:
    """Write one person; the same replies give the same person.

    Raises:
        BudgetReached, StoreError: from a chat behind a ledger.
    """
    settings = settings or ChatWriterSettings()
    step = PersonAsker(chat, person_id, settings.attempts, tally or Tally())
    place = await _place(step, settings, seed_text, run_seed)
    attributes = None if place is None else await _attributes(step, settings, seed_text, place)
    if place is None or attributes is None:
        return Written(None, tuple(step.faults), step.notes)
    demographics = _demographics(place, attributes)
    about = about_person(demographics, attributes.summary)
    vocabulary = await _vocabulary(step, settings, place, about)
    preferences = (
        None if vocabulary is None else await _preferences(step, settings, about, vocabulary)
    )
    if vocabulary is None or preferences is None:
        return Written(None, tuple(step.faults), step.notes)
    scenarios = await plan_scenarios(step, settings, about, preferences, vocabulary, run_seed)
    if scenarios is None:
        return Written(None, tuple(step.faults), step.notes)
    posts = await write_posts(step, settings, about, preferences, vocabulary, scenarios)
    step.notes["posts_valid"] = len(posts)
    if len(posts) < settings.least_valid_posts:
        fault = f"{len(posts)} valid posts of {settings.posts}; {settings.least_valid_posts} needed"
        step.give_up("posts", fault)
        return Written(None, tuple(step.faults), step.notes)
    captions = [post["caption"] for post in posts]
    pruned = prune_vocabulary(vocabulary, captions)
    step.notes["elements_before_pruning"] = entries_by_facet(vocabulary)
    step.notes["elements_after_pruning"] = count_entries(pruned)
    person = Persona.model_validate(
        {
            "id": person_id,
            "seed": seed_text,
            "demographics": demographics,
            "summary": attributes.summary,
            "preferences": preferences,
            "vocabulary": pruned,
            "posts": posts,
        }
    )
    return Written(person, tuple(step.faults), step.notes)


async def _place(
    step: PersonAsker, settings: ChatWriterSettings, seed: str, run_seed: int
) -> Place | None:
    prompt = render_prompt("place.j2", {"seed": seed})
    decoding = settings.place
    answer = await step.ask("place", prompt, PlaceAnswer, Checked, decoding)
    if answer is None:
        return None
    draw = stream(run_seed, "chat/place", step.person)
    place, notes = settle_place(answer, seed, settings.demographics, draw)
    step.notes |= notes
    return place


async def _attributes(
    step: PersonAsker, settings: ChatWriterSettings, seed: str, place: Place
) -> AttributesAnswer | None:
    limits = settings.demographics
    facts = {
        "seed": seed,
        "place": f"{place.city}, {place.country}" if place.city else place.country,
        "ethnicity": place.ethnicity,
        "gender": place.gender,
        "interests_low": limits.interests_low,
        "interests_high": limits.interests_high,
        "traits_low": limits.traits_low,
        "traits_high": limits.traits_high,
    }
    found: AttributesAnswer | None = await step.ask(
        "attributes",
        render_prompt("attributes.j2", facts),
        AttributesAnswer,
        lambda answer: check_attributes(answer, limits),
        settings.attributes,
    )
    return found


def _demographics(place: Place, answer: AttributesAnswer) -> dict[str, Any]:
    """Return d: the place is stage 1a's, all else stage 1b's; blank texts are left out."""
    known: dict[str, Any] = {"age": answer.age, "gender": place.gender, "country": place.country}
    known |= {"city": place.city} if place.city else {}
    known |= {"ethnicity": place.ethnicity} if place.ethnicity else {}
    texts = {name: getattr(answer, name) for name in ATTRIBUTE_TEXTS}
    known |= {name: text for name, text in texts.items() if text}
    known |= {"languages": answer.languages} if answer.languages else {}
    return known | {"interests": answer.interests, "traits": answer.traits}


def about_person(demographics: Mapping[str, Any], summary: str) -> str:
    """Return the short text about the person that later prompts carry.

    >>> about_person({"age": 40, "gender": "unknown", "country": "Chad", "occupation": "tailor",
    ...               "interests": ["kites"]}, "Wide views.")
    'A person of 40 years from Chad, tailor; interested in kites. The pictures: Wide views.'
    """
    gender = demographics["gender"] if demographics["gender"] != "unknown" else "person"
    places = (demographics.get("city"), demographics["country"])
    place = ", ".join(part for part in places if part)
    interests = ", ".join(demographics["interests"])
    return (
        f"A {gender} of {demographics['age']} years from {place}, "
        f"{demographics['occupation']}; interested in {interests}. The pictures: {summary}"
    )


async def _vocabulary(
    step: PersonAsker, settings: ChatWriterSettings, place: Place, about: str
) -> Vocabulary | None:
    limits = settings.vocabulary
    table = countries().get(place.country)
    motifs: list[str] = []
    if table is not None:
        draw = stream(0, "chat/motifs", step.person)
        motifs = draw.sample(sorted(table.regional), MOTIFS_SHOWN)

    async def facet(name: str) -> tuple[dict[str, list[str]], float] | None:
        facts = {
            "about": about,
            "facet": name,
            "groups": FACETS[name],
            "low": limits.entries_low,
            "high": limits.entries_high,
            "share": limits.regional_share,
            "region": f"{place.city}, {place.country}" if place.city else place.country,
            "motifs": motifs,
        }
        found: tuple[dict[str, list[str]], float] | None = await step.ask(
            f"facet {name}",
            render_prompt("facet.j2", facts),
            FacetAnswer,
            lambda answer: check_facet(answer, name, limits),
            settings.facets,
        )
        return found

    facets = dict(zip(FACETS, await all_of(map(facet, FACETS)), strict=True))
    vocabulary = {name: found[0] for name, found in facets.items() if found is not None}
    if len(vocabulary) < len(FACETS):
        return None
    step.notes["regional_marked"] = {n: round(f[1], 4) for n, f in facets.items() if f is not None}
    # The model's own marks cannot be trusted alone: the table's view stands beside them,
    # or null where there is no table of that country.
    step.notes["regional_in_table"] = regional_shares(vocabulary, table) if table else None
    return vocabulary


async def _preferences(
    step: PersonAsker, settings: ChatWriterSettings, about: str, vocabulary: Vocabulary
) -> tuple[str, ...] | None:
    limits = settings.vocabulary
    facts = {
        "about": about,
        "vocabulary": {g: e[:4] for groups in vocabulary.values() for g, e in groups.items()},
        "low": limits.preferences_low,
        "high": limits.preferences_high,
    }
    found: tuple[str, ...] | None = await step.ask(
        "preferences",
        render_prompt("preferences.j2", facts),
        PreferencesAnswer,
        lambda answer: check_preferences(answer, limits),
        settings.preferences,
    )
    return found
