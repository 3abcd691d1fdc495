"""Plans a build of concepts, and says what its models would be asked at most (X16)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from eyeprint.errors import DataError
from eyeprint.models.kinds import Chat, ChatRequest
from eyeprint.models.pictures import open_picture
from eyeprint.models.prices import Price, input_bound, output_bound, price_of
from eyeprint.people.concept_checks import check_checkers, check_request
from eyeprint.people.concept_conflicts import find_conflicts, repeated
from eyeprint.people.concept_description_checks import WORDS_FILE
from eyeprint.people.concept_descriptions_chat import descriptions_request
from eyeprint.people.concept_drafts import drafted, question_of
from eyeprint.people.concept_items import plan_items
from eyeprint.people.concept_query_files import with_query_file
from eyeprint.people.concept_questions_chat import question_request
from eyeprint.people.concept_sources import ConceptSources, read_concept_sources
from eyeprint.people.concept_tables import preference_tables, read_preference_tables
from eyeprint.people.concept_tastes import Assigned, assign_tastes
from eyeprint.people.tables import table_digest
from eyeprint.protocols.people_concepts import ConceptsBuild
from eyeprint.protocols.people_concepts_settings import (
    OFFLINE,
    ConceptSettings,
    ConceptsInput,
    ConceptsRun,
)
from eyeprint.records.concept_preferences import preference_text
from eyeprint.records.concepts import Concept, Level
from eyeprint.records.pictures import Picture
from eyeprint.store.dry_run import CallPlan, plan_calls
from eyeprint.store.ledger import Ledger


def plan_concepts(
    source: str | Path,
    *,
    queries: str | Path | None = None,
    drafter: str = OFFLINE,
    checkers: Sequence[str] = (),
    keywords: str | Path | None = None,
    number: int | None = None,
    seed: int = 7,
    settings: ConceptSettings | None = None,
) -> ConceptsBuild:
    """Read concepts and query pictures, draw tastes, and plan what is asked; asks nothing.

    Args:
        source: the folder of concepts.
        queries: a CSV file of query pictures, besides those in the folder.
        drafter: "offline", or a chat model that sees pictures.
        checkers: names of the checking models: none, or at least two.
        keywords: a table of preferences instead of the authored one.
        number: only the first so many concepts.
        seed: of tastes, negated forms, negatives and the order of options.
        settings: of every step.

    Raises:
        DataError: something that is needed cannot be read.
        UsageError: checkers that cannot agree.
    """
    settings = settings or ConceptSettings()
    check_checkers(checkers, settings.checks)
    tables = preference_tables() if keywords is None else read_preference_tables(keywords)
    sources = read_concept_sources(source, number)
    if queries is not None:
        sources = with_query_file(sources, queries)
    tastes: dict[str, Assigned] = {}
    contradictions: list[str] = []
    for concept in sources.concepts:
        if concept.category != "human":
            continue
        if concept.tastes is None:
            tastes[concept.name] = assign_tastes(concept.name, seed, tables, settings.tastes)
            continue
        tastes[concept.name] = Assigned(tastes=concept.tastes)
        told = [conflict.why for conflict in find_conflicts(concept.tastes, tables)]
        told += [f"'{text}' is told twice" for text in repeated(concept.tastes)]
        contradictions += [f"{concept.name}: {why}" for why in told]
    drawn = {name: made.tastes for name, made in tastes.items()}
    plan = plan_items(sources, drawn, seed, settings.items, tables)
    run = ConceptsRun(
        seed=seed,
        source=sources.fingerprint(),
        tables=tables.fingerprint,
        words=table_digest(WORDS_FILE),
        drafter=drafter,
        checkers=tuple(checkers),
        settings=settings,
    )
    notes = list(sources.notes)
    if not plan.items:
        notes.append("there is no query picture, so no question can be asked")
    return ConceptsBuild(
        ConceptsInput(
            run, sources, tastes, plan.items, tables, (*sources.faults, *plan.faults),
            tuple(contradictions), tuple(notes),
        )
    )  # fmt: skip


class ConceptCalls(NamedTuple):
    """What a build would ask of one model in one step."""

    step: str
    plan: CallPlan


def plan_concept_calls(
    build: ConceptsBuild,
    chats: Mapping[str, Chat],
    ledger: Ledger | None = None,
    prices: Mapping[str, Price] | None = None,
) -> tuple[ConceptCalls, ...]:
    """Return upper bounds of calls, tokens and money, each call made once; asks nothing.

    Requests for descriptions are the real ones. Later requests hold earlier replies, for
    which the most that these can be stands; so what a ledger holds of them is not known.

    Args:
        build: the plan.
        chats: the models by name, drafter and checkers; they are not asked.
        ledger: where replies may be already.
        prices: model -> price, before the price table's.
    """
    given, run = build.given, build.given.run
    known = dict(prices or {})
    steps: list[ConceptCalls] = []
    if run.drafter != OFFLINE:
        chat = chats[run.drafter]
        requests = [(chat, request) for request in _descriptions(given.sources, run)]
        steps += [ConceptCalls("descriptions", p) for p in plan_calls(requests, ledger, known)]
        asked = list(_question_requests(given))
        carried = run.settings.descriptions.decoding.max_tokens
        price = known.get(run.drafter) or getattr(chat, "price", None) or price_of(run.drafter)
        if asked:
            plan = _bounded(run.drafter, asked, carried, price)
            steps.append(ConceptCalls("questions", plan))
    checks = list(_check_requests(given)) if run.checkers else []
    more = [run.settings.descriptions.decoding.max_tokens,
            run.settings.questions.decoding.max_tokens]  # fmt: skip
    carried = None if None in more else sum(n or 0 for n in more)
    for name in run.checkers if checks else ():
        price = known.get(name) or getattr(chats[name], "price", None) or price_of(name)
        steps.append(ConceptCalls("checks", _bounded(name, checks, carried, price)))
    return tuple(steps)


def _descriptions(sources: ConceptSources, run: ConceptsRun) -> Iterator[ChatRequest]:
    for concept in sources.concepts:
        pictures = []
        for path in concept.references:
            try:
                pictures.append(open_picture(Path(path)))
            except DataError:
                continue  # The build names it; nothing is sent of it.
        if pictures:
            yield descriptions_request(concept, pictures, run.settings.descriptions)


def _blank(side: int) -> Picture:
    """Return the largest picture that is sent: no other costs more tokens."""
    import numpy as np

    return Picture.of(np.zeros((side, side, 3), np.uint8))


def _bare(given: ConceptsInput, text: str = "") -> dict[str, Concept]:
    """Return the concepts with a stand-in for their descriptions, which are not there yet."""
    texts: dict[Level, str] = {"moderate": text} if text else {}
    return {
        one.name: Concept(
            name=one.name,
            category=one.category,
            preference=preference_text(made.tastes) if (made := given.tastes.get(one.name)) else "",
            descriptions=texts,
        )
        for one in given.sources.concepts
    }


def _question_requests(given: ConceptsInput) -> Iterator[ChatRequest]:
    settings = given.run.settings.questions
    picture = _blank(settings.max_side)
    concepts = _bare(given)
    for item in given.items:
        if item.type == "coherency" or settings.yes_no_by_model:
            shown = [picture] * settings.references_shown
            yield question_request(item, concepts[item.concept], picture, shown, settings)


def _check_requests(given: ConceptsInput) -> Iterator[ChatRequest]:
    settings, offline = given.run.settings.checks, given.run.drafter == OFFLINE
    picture = _blank(settings.max_side)
    concepts = _bare(given, "-")
    for item in given.items:
        if item.type == "coherency" and item.group == "recognition" and offline:
            continue
        stand_in = drafted(item, "<sks>?", "", right="a", concept_only="b", image_only=("c", "d"))
        question = question_of(stand_in, "a.png")
        if question is not None:
            yield check_request(question, concepts[item.concept], picture, settings)


def _bounded(
    model: str, requests: Sequence[ChatRequest], carried: int | None, price: Price | None
) -> CallPlan:
    """Return the bounds of requests to which replies of so many tokens are added."""
    given = sum(input_bound(request, price) + (carried or 0) for request in requests)
    outs = [output_bound(request, price) for request in requests]
    limits = [out for out in outs if out is not None]
    out = sum(limits) if len(limits) == len(outs) and carried is not None else None
    cost = None
    if price is not None and out is not None:
        cost = (given * price.input + out * price.output) / 1e6
    as_of = price.as_of if price is not None else None
    return CallPlan(model, len(requests), 0, len(requests), given, out, cost, as_of)
