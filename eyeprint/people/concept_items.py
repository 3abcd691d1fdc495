"""What is to be asked about which picture (M6, M16–M18).

A query picture without a type shows its concept, so it is asked about for Awareness and
Coherency. One with a preference topic that somebody has no opinion on is a negative picture:
Appropriateness. Further negative pictures may be drawn from those of other concepts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from pydantic import Field

from eyeprint.config import Settings
from eyeprint.errors import BadRecord
from eyeprint.people.concept_conflicts import clashing
from eyeprint.people.concept_sources import (
    ConceptSource,
    ConceptSources,
    QueryPicture,
    digest_of,
)
from eyeprint.people.concept_tables import PreferenceTables
from eyeprint.randomness import stable_digest, stream
from eyeprint.records.concept_questions import Entities, QuestionGroup, QuestionType, Target
from eyeprint.records.concepts import ConceptCategory, Tastes

_OPEN_TYPES: tuple[QuestionType, ...] = ("awareness", "coherency")


class ItemSettings(Settings):
    """Which questions are asked."""

    negated_share: float = Field(default=0.5, ge=0, le=1)
    """Share of yes/no questions that are put in the negative, in expectation (M16); each is
    drawn from the item's stream."""
    negatives: int = Field(default=0, ge=0)
    """Negative pictures that a concept should have for Appropriateness: what it lacks is drawn
    from query pictures of other concepts of its category (M17)."""


class QuestionItem(NamedTuple):
    """One question to draft."""

    id: str
    """``q-`` and 12 hex digits: of the picture's bytes and of what is asked, so that it stays
    when other pictures are added."""
    concept: str
    category: ConceptCategory
    type: QuestionType
    group: QuestionGroup
    file: str
    topic: str = ""
    target: Target | None = None
    entities: Entities | None = None
    negated: bool | None = None


class ItemPlan(NamedTuple):
    """What is to be asked, and what cannot be."""

    items: tuple[QuestionItem, ...]
    faults: tuple[BadRecord, ...]


def plan_items(
    sources: ConceptSources,
    tastes: Mapping[str, Mapping[str, Tastes]],
    seed: int = 7,
    settings: ItemSettings | None = None,
    tables: PreferenceTables | None = None,
) -> ItemPlan:
    """Return the questions to draft, in the order of the concepts and their pictures.

    A query picture that is one of the concept's own references, byte by byte, is a fault (M9),
    as are preference pictures without a topic or of others than people.

    Args:
        sources: concepts and query pictures.
        tastes: concept's name -> domain -> likes and dislikes.
        seed: the run's seed.
        settings: negated forms, drawn negatives.
        tables: of preferences, for topics that clash with a taste.

    Raises:
        DataError: a picture's file cannot be read.
    """
    settings = settings or ItemSettings()
    concepts = {concept.name: concept for concept in sources.concepts}
    own = {
        name: {digest_of(path) for path in concept.references} for name, concept in concepts.items()
    }
    faults: list[BadRecord] = []
    found: dict[str, dict[str, QuestionItem]] = {name: {} for name in concepts}
    for query in [*sources.queries, *_drawn(sources, seed, settings.negatives)]:
        concept = concepts[query.concept]
        sha = digest_of(query.file)
        reason = _misfit(query, concept)
        if sha in own[query.concept]:
            reason = "is one of the concept's own reference pictures; query pictures are others"
        if reason:
            faults.append(BadRecord(query.file, None, "", reason))
            continue
        liked = _texts(tastes.get(query.concept, {}), "likes")
        disliked = _texts(tastes.get(query.concept, {}), "dislikes")
        for wanted in _settled(query, liked, disliked, seed, sha, tables):
            if isinstance(wanted, str):
                faults.append(BadRecord(query.file, None, "topic", wanted))
                continue
            item = _item(wanted, concept, sha, seed, settings)
            found[query.concept].setdefault(item.id, item)
    return ItemPlan(tuple(i for rows in found.values() for i in rows.values()), tuple(faults))


def _misfit(query: QueryPicture, concept: ConceptSource) -> str:
    if query.group == "preference" and concept.category != "human":
        return f"is about a preference, and '{concept.name}' is no person"
    if query.group == "preference" and not query.topic:
        return "is about a preference, and no topic says which; name a folder or a cell by it"
    species = query.target in ("same_species", "different_species")
    if species and (concept.category != "animal" or query.type not in (None, "appropriateness")):
        return f"'{query.target}' is told of negative pictures of animals only"
    if query.target in ("like", "dislike") and query.group == "recognition":
        return f"'{query.target}' is told of preferences, and the group is recognition"
    return ""


def _texts(tastes: Mapping[str, Tastes], side: str) -> list[str]:
    return [
        text
        for both in tastes.values()
        for text in (both.likes if side == "likes" else both.dislikes)
    ]


def _settled(
    query: QueryPicture,
    liked: list[str],
    disliked: list[str],
    seed: int,
    sha: str,
    tables: PreferenceTables | None,
) -> Iterable[QueryPicture | str]:
    """Yield one query for each type, with its target; or why it cannot be."""
    if query.group == "recognition":
        if query.target is not None and query.type is None:
            query = query._replace(type="appropriateness")
        types = _OPEN_TYPES if query.type is None else (query.type,)
        yield from (query._replace(type=one) for one in types)
        return
    topic = query.topic.casefold()
    side: Target | None = None
    if topic in {text.casefold() for text in liked}:
        side = "like"
    elif topic in {text.casefold() for text in disliked}:
        side = "dislike"
    if side is None and query.type in (None, "appropriateness"):
        target = query.target or stream(seed, "side", f"{query.concept}\n{sha}").pick(
            ("like", "dislike")
        )
        against = liked if target == "like" else disliked
        if clashing(query.topic, against, tables):
            yield (
                f"'{query.topic}' is near to what is {target}d by '{query.concept}', so "
                '"no" would be no clear answer'
            )
            return
        yield query._replace(type="appropriateness", target=target)
        return
    if query.type == "appropriateness":
        asked = query.target or ("dislike" if side == "like" else "like")
        if asked == side:
            yield f"'{query.topic}' is {side}d by '{query.concept}': the picture is no negative"
            return
        yield query._replace(target=asked)
        return
    if side is None or query.target not in (None, side):
        told = ", ".join((liked if query.target == "like" else [*liked, *disliked])[:10])
        if query.target == "dislike":
            told = ", ".join(disliked[:10])
        yield (
            f"'{query.topic}' is not {query.target or 'liked or dislike'}d by '{query.concept}'. "
            f"Known: {told or 'nothing'}. Say otherwise in preferences.json of the concept"
        )
        return
    types = _OPEN_TYPES if query.type is None else (query.type,)
    yield from (query._replace(type=one, target=side) for one in types)


def _item(
    query: QueryPicture, concept: ConceptSource, sha: str, seed: int, settings: ItemSettings
) -> QuestionItem:
    parts = (query.concept, sha, query.type, query.group, query.topic, query.target)
    name = "q-" + stable_digest(*parts).hex()[:12]
    negated = None
    if query.type != "coherency":
        negated = stream(seed, "negated", name).random() < settings.negated_share
    return QuestionItem(
        name, query.concept, concept.category, query.type or "awareness", query.group, query.file,
        query.topic, query.target, query.entities, negated,
    )  # fmt: skip


def _drawn(sources: ConceptSources, seed: int, wanted: int) -> list[QueryPicture]:
    """Return negative pictures that concepts lack, from pictures that show others."""
    by_name = {concept.name: concept for concept in sources.concepts}
    positives: dict[str, list[QueryPicture]] = {}
    of: dict[str, list[QueryPicture]] = {}
    for query in sources.queries if wanted else ():
        of.setdefault(query.concept, []).append(query)
        negative = query.type == "appropriateness" or query.target is not None
        if query.group == "recognition" and not negative:
            positives.setdefault(by_name[query.concept].category, []).append(query)
    drawn: list[QueryPicture] = []
    for concept in sources.concepts if wanted else ():
        mine = of.get(concept.name, [])
        have = sum(
            q.group == "recognition" and (q.type == "appropriateness" or q.target is not None)
            for q in mine
        )
        own = {digest_of(query.file) for query in mine}
        others: dict[str, QueryPicture] = {}
        for query in positives.get(concept.category, ()):
            if digest_of(query.file) not in own:
                others.setdefault(digest_of(query.file), query)
        draw = stream(seed, "negatives", concept.name)
        for query in draw.sample(list(others.values()), max(wanted - have, 0)):
            target = _species(concept, by_name[query.concept])
            drawn.append(
                QueryPicture(concept.name, query.file, "appropriateness",
                             entities=query.entities, target=target)
            )  # fmt: skip
    return drawn


def _species(concept: ConceptSource, other: ConceptSource) -> Target | None:
    if concept.category != "animal" or not (concept.kind and other.kind):
        return None
    same = concept.kind.casefold() == other.kind.casefold()
    return "same_species" if same else "different_species"
