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

FLOOR_SNAP = 1e-6
"""n_eff within this of a whole number counts as it: 30 equal weights give 29.999999 in
floating point and must keep 30 posts."""


class Candidate(NamedTuple):
    """An element of a kept post that may be chosen."""

    text: str
    similarity: float


def vprag(
    person: Persona, query: Query, settings: MethodSettings, models: MethodModels
) -> Material:
    """Return the elements that VPRAG retrieves, with the trace of every step.

    A person without a single usable caption, or without elements, gets an empty choice
    and a note that says so; the prompt is then the query with the sentence about them.

    Example: see docs/tutorials/personalise.md, which runs as a test.
    """
    attention = _attend(person, query, settings, models)
    budget = _budgets(person, query, settings, models)
    total = (
        PHRASES_WHEN_BUDGETED
        if settings.mode == "three_phrases"
        else sum(score.budget for score in budget)
    )
    kept, posts, n_eff, spread = _keep(attention, total, settings)
    chosen, quotas, scores, filled, notes = _choose(person, query, models, kept, budget, settings)
    if not kept:
        notes = (*notes, "no caption to compare with: nothing was retrieved")
    elif not chosen:
        notes = (*notes, "the kept posts have no elements: nothing was retrieved")
    trace = Trace(
        posts=posts,
        entropy=spread,
        n_eff=n_eff,
        kept=len(kept),
        total_budget=total,
        categories=scores,
        quotas=quotas,
        elements=chosen,
        back_filled=filled,
        notes=notes,
    )
    return Material(
        person_id=person.id,
        query=query,
        method="vprag",
        about=about_sentence(person, settings.about_words),
        elements=chosen,
        trace=trace,
    )


class _Attention(NamedTuple):
    places: NDArray[np.int64]
    """Places of the posts with a caption, in post order."""
    similarity: NDArray[np.float64]
    weights: NDArray[np.float64]
    ids: tuple[str, ...]


def _attend(
    person: Persona, query: Query, settings: MethodSettings, models: MethodModels
) -> _Attention:
    vectors = models.vectors(person)
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


def _choose(
    person: Persona,
    query: Query,
    models: MethodModels,
    kept: dict[int, float],
    budget: Sequence[CategoryScore],
    settings: MethodSettings,
) -> tuple[tuple[Element, ...], tuple[Quota, ...], tuple[CategoryScore, ...], int, tuple[str, ...]]:
    vectors = models.element_vectors(person)
    asked = models.query_element_vector(query.text)
    close = dict(
        zip(vectors.element_texts, (vectors.elements @ asked).astype(float).tolist(), strict=True)
    )
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
        pools = {
            place: _ranked(person.posts[place].elements.get(score.category, ()), close)
            for place in kept
        }
        pools = {place: pool for place, pool in pools.items() if pool}
        if not pools:
            continue
        found, rows, extra = _from_category(person, score, pools, kept, seen)
        chosen.extend(found)
        quotas.extend(rows)
        filled += extra
    if wanted is not None and kept and 0 < len(chosen) < wanted:
        notes.append(f"only {len(chosen)} of {wanted} phrases could be found")
    return tuple(chosen), tuple(quotas), tuple(scores), filled, tuple(notes)


def _ranked(phrases: Sequence[str], close: dict[str, float]) -> list[Candidate]:
    """Distinct phrases, nearest to the query first, ties in their own order."""
    distinct = [phrase for phrase in dict.fromkeys(phrases) if phrase.strip()]
    return sorted((Candidate(p, close[p]) for p in distinct), key=lambda c: -c.similarity)


def _from_category(
    person: Persona,
    score: CategoryScore,
    pools: dict[int, list[Candidate]],
    kept: dict[int, float],
    seen: set[str],
) -> tuple[list[Element], list[Quota], int]:
    """Allocate one category's budget over the kept posts and take the elements (V34, V35)."""
    places = list(pools)
    claims = np.array([kept[place] * len(pools[place]) for place in places])
    sizes = [len(pools[place]) for place in places]
    granted = largest_remainder(claims, score.budget, caps=sizes)
    shares = claims / claims.sum() * score.budget if claims.sum() > 0 else np.zeros(len(places))
    taken: dict[int, list[Candidate]] = {}
    for place, count in zip(places, granted, strict=True):
        taken[place] = _take(pools[place], int(count), seen)
    missing = min(score.budget, sum(sizes)) - sum(len(found) for found in taken.values())
    filled = 0
    # Duplicates left places open: the nearest unseen elements of the category fill them.
    spare = sorted(
        ((c, place) for place in places for c in pools[place] if _key(c.text) not in seen),
        key=lambda pair: -pair[0].similarity,
    )
    for candidate, place in spare:
        if filled >= missing:
            break
        if _key(candidate.text) not in seen:
            seen.add(_key(candidate.text))
            taken[place].append(candidate)
            filled += 1
    elements = [
        Element(
            text=candidate.text,
            category=score.category,
            post_id=person.posts[place].id,
            similarity=candidate.similarity,
        )
        for place, found in taken.items()
        for candidate in found
    ]
    elements.sort(key=lambda element: -element.similarity)
    rows = [
        Quota(
            category=score.category,
            post_id=person.posts[place].id,
            available=size,
            share=float(share),
            granted=int(count),
            taken=len(taken[place]),
        )
        for place, size, share, count in zip(places, sizes, shares, granted, strict=True)
    ]
    return elements, rows, filled


def _take(pool: Sequence[Candidate], count: int, seen: set[str]) -> list[Candidate]:
    found: list[Candidate] = []
    for candidate in pool:
        if len(found) >= count:
            break
        if _key(candidate.text) not in seen:
            seen.add(_key(candidate.text))
            found.append(candidate)
    return found


def _key(text: str) -> str:
    return " ".join(text.casefold().split())
