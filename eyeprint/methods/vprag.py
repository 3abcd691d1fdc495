"""VPRAG: hierarchical retrieval of visual elements, with its full trace (V31–V35, V37, V40).

In order: cosine of the query with every caption; softmax weights; their entropy H and
effective number exp(H); the K = min(⌊n_eff⌋, 2Q) posts of largest weight, K clamped
to [1, N]; categories by closeness to the query; for each category a quota per kept
post in proportion to weight × number of elements, by largest remainders and never
beyond what the post has; within post and category the elements nearest to the query.
A phrase that was chosen before is dropped and its place filled from the same category.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from eyeprint.maths.apportion import largest_remainder
from eyeprint.maths.attention import effective_number, entropy, softmax_weights
from eyeprint.methods.plain import about_sentence
from eyeprint.methods.setting import PHRASES_WHEN_BUDGETED, MethodModels, MethodSettings
from eyeprint.records.people import CATEGORIES, Persona
from eyeprint.records.work import (
    CategoryScore,
    Element,
    Material,
    PostWeight,
    Query,
    Quota,
    Trace,
)
from eyeprint.store.embeddings import PersonVectors

FLOOR_SNAP = 1e-6
"""n_eff within this of a whole number counts as it: 30 equal weights give 29.999999 in
floating point and must keep 30 posts."""


def vprag(
    person: Persona, query: Query, settings: MethodSettings, models: MethodModels
) -> Material:
    """Return the elements that VPRAG retrieves, with the trace of every step.

    A person without a single usable caption, or without elements, gets an empty choice
    and a note that says so; the prompt is then the query with the sentence about them.

    Example: see docs/tutorials/personalise.md, which runs as a test.
    """
    vectors = models.vectors(person)
    # One encoder for both levels is the usual case: its vectors are looked up once.
    shared = models.element is models.text
    element_vectors = vectors if shared else models.element_vectors(person)
    attention = _attend(person, query, vectors, settings, models)
    budget = _budgets(person, query, settings, models)
    total = (
        PHRASES_WHEN_BUDGETED
        if settings.mode == "three_phrases"
        else sum(score.budget for score in budget)
    )
    kept, posts, n_eff, spread = _keep(attention, total, settings)
    choice = _choose(person, query, element_vectors, models, kept, budget, settings)
    notes = choice.notes
    if not kept:
        notes = (*notes, "no caption to compare with: nothing was retrieved")
    elif not choice.elements:
        notes = (*notes, "the kept posts have no elements: nothing was retrieved")
    trace = Trace(
        posts=posts,
        entropy=spread,
        n_eff=n_eff,
        kept=len(kept),
        total_budget=total,
        categories=choice.categories,
        quotas=choice.quotas,
        elements=choice.elements,
        back_filled=choice.back_filled,
        notes=notes,
    )
    return Material(
        person_id=person.id,
        query=query,
        method="vprag",
        about=about_sentence(person, settings.about_words),
        elements=choice.elements,
        trace=trace,
    )


class _Attention(NamedTuple):
    places: NDArray[np.int64]
    """Places of the posts with a caption, in post order."""
    similarity: NDArray[np.float64]
    weights: NDArray[np.float64]
    ids: tuple[str, ...]


def _attend(
    person: Persona,
    query: Query,
    vectors: PersonVectors,
    settings: MethodSettings,
    models: MethodModels,
) -> _Attention:
    places = np.flatnonzero(vectors.has_caption)
    similarity = (vectors.captions[places] @ models.query_vector(query.text)).astype(np.float64)
    weights = (
        softmax_weights(similarity, settings.retrieval_temperature)
        if places.size
        else np.zeros(0, dtype=np.float64)
    )
    return _Attention(places, similarity, weights, tuple(person.posts[i].id for i in places))


def _budgets(
    person: Persona, query: Query, settings: MethodSettings, models: MethodModels
) -> tuple[CategoryScore, ...]:
    """Categories in order of priority, with what each may give at most."""
    known = dict.fromkeys(CATEGORIES)
    for post in person.posts:
        known.update(dict.fromkeys(post.elements))
    asked = models.query_element_vector(query.text)
    close = {name: float(models.category_vector(name) @ asked) for name in known}
    budget = 1 if settings.mode == "three_phrases" else settings.category_budget
    return tuple(
        CategoryScore(category=name, similarity=close[name], budget=budget)
        for name in sorted(known, key=lambda name: -close[name])
    )


def _keep(
    attention: _Attention, total: int, settings: MethodSettings
) -> tuple[dict[int, float], tuple[PostWeight, ...], float, float]:
    """Return kept place -> weight (heaviest first), all posts' part, n_eff and H (V32)."""
    if not attention.places.size:
        return {}, (), 0.0, 0.0
    spread = float(entropy(attention.weights))
    n_eff = float(effective_number(attention.weights))
    most = settings.kept_posts_per_phrase * total
    count = max(1, min(math.floor(n_eff + FLOOR_SNAP), most, attention.places.size))
    order = np.argsort(-attention.weights, kind="stable")[:count]
    kept = {int(attention.places[i]): float(attention.weights[i]) for i in order}
    return (
        kept,
        tuple(
            PostWeight(
                post_id=post_id,
                similarity=float(similarity),
                weight=float(weight),
                kept=int(place) in kept,
            )
            for post_id, similarity, weight, place in zip(
                attention.ids,
                attention.similarity,
                attention.weights,
                attention.places,
                strict=True,
            )
        ),
        n_eff,
        spread,
    )


class _Choice(NamedTuple):
    elements: tuple[Element, ...]
    quotas: tuple[Quota, ...]
    categories: tuple[CategoryScore, ...]
    back_filled: int
    notes: tuple[str, ...]


def _choose(
    person: Persona,
    query: Query,
    vectors: PersonVectors,
    models: MethodModels,
    kept: dict[int, float],
    budget: Sequence[CategoryScore],
    settings: MethodSettings,
) -> _Choice:
    asked = models.query_element_vector(query.text)
    close = dict(zip(vectors.element_texts, (vectors.elements @ asked).tolist(), strict=True))
    seen: set[str] = set()
    chosen: list[Element] = []
    quotas: list[Quota] = []
    scores: list[CategoryScore] = []
    notes: list[str] = []
    filled = 0
    wanted = PHRASES_WHEN_BUDGETED if settings.mode == "three_phrases" else None
    for score in budget:
        if wanted is not None and len(chosen) >= wanted:
            scores.append(score.model_copy(update={"budget": 0}))
            continue
        scores.append(score)
        pools = {}
        for place in kept:
            phrases = person.posts[place].elements.get(score.category, ())
            if pool := [phrase for phrase in dict.fromkeys(phrases) if phrase.strip()]:
                pools[place] = pool
        if not pools:
            continue
        found, rows, extra = _from_category(person, score, pools, kept, close, seen)
        chosen.extend(found)
        quotas.extend(rows)
        filled += extra
    if wanted is not None and kept and 0 < len(chosen) < wanted:
        notes.append(f"only {len(chosen)} of {wanted} phrases could be found")
    return _Choice(tuple(chosen), tuple(quotas), tuple(scores), filled, tuple(notes))


def _from_category(
    person: Persona,
    score: CategoryScore,
    pools: dict[int, list[str]],
    kept: dict[int, float],
    close: dict[str, float],
    seen: set[str],
) -> tuple[list[Element], list[Quota], int]:
    """Allocate one category's budget over the kept posts and take the elements (V34, V35)."""
    places = list(pools)
    sizes = [len(pool) for pool in pools.values()]
    claims = np.array([kept[place] for place in places]) * sizes
    granted = largest_remainder(claims, score.budget, caps=sizes).tolist()
    mass = claims.sum()
    shares = (claims / mass * score.budget if mass > 0 else np.zeros(len(places))).tolist()
    taken: dict[int, list[str]] = {}
    for place, count in zip(places, granted, strict=True):
        taken[place] = _take(_ranked(pools[place], close), count, seen) if count else []
    missing = min(score.budget, sum(sizes)) - sum(len(found) for found in taken.values())
    filled = _back_fill(pools, taken, missing, close, seen) if missing else 0
    elements = [
        Element(
            text=text,
            category=score.category,
            post_id=person.posts[place].id,
            similarity=close[text],
        )
        for place, found in taken.items()
        for text in found
    ]
    elements.sort(key=lambda element: -element.similarity)
    rows = [
        Quota(
            category=score.category,
            post_id=person.posts[place].id,
            available=size,
            share=share,
            granted=count,
            taken=len(taken[place]),
        )
        for place, size, share, count in zip(places, sizes, shares, granted, strict=True)
    ]
    return elements, rows, filled


def _ranked(phrases: Sequence[str], close: dict[str, float]) -> list[str]:
    """Return phrases by falling closeness to the query, ties in their own order."""
    return sorted(phrases, key=lambda phrase: -close[phrase])


def _take(ranked: Sequence[str], count: int, seen: set[str]) -> list[str]:
    """Return the first ``count`` phrases that were not chosen before, and mark them."""
    found: list[str] = []
    for phrase in ranked:
        if len(found) >= count:
            break
        if _key(phrase) not in seen:
            seen.add(_key(phrase))
            found.append(phrase)
    return found


def _back_fill(
    pools: dict[int, list[str]],
    taken: dict[int, list[str]],
    missing: int,
    close: dict[str, float],
    seen: set[str],
) -> int:
    """Fill places that duplicates left open with the category's nearest unseen phrases."""
    spare = [(phrase, place) for place, pool in pools.items() for phrase in pool]
    filled = 0
    for phrase, place in sorted(spare, key=lambda pair: -close[pair[0]]):
        if filled >= missing:
            break
        found = _take([phrase], 1, seen)
        taken[place].extend(found)
        filled += len(found)
    return filled


def _key(text: str) -> str:
    return " ".join(text.casefold().split())
