"""BRAG: the person's captions in context (V44).

The paper names no retrieval step: all captions go before the writer. They are ordered
by their cosine with the query, so that a writer with a word limit meets the nearest
first, and bounded by ``context_words`` for people with thousands of posts.
"""

from __future__ import annotations

import numpy as np

from eyeprint.methods.setting import MethodModels, MethodSettings
from eyeprint.records.people import Persona
from eyeprint.records.work import Material, Query


def brag(person: Persona, query: Query, settings: MethodSettings, models: MethodModels) -> Material:
    """Return the person's captions, nearest to the query first."""
    return Material(
        person_id=person.id,
        query=query,
        method="brag",
        captions=nearest_captions(person, query, settings, models),
    )


def nearest_captions(
    person: Persona, query: Query, settings: MethodSettings, models: MethodModels
) -> tuple[str, ...]:
    """Return captions by falling cosine with the query, ties in post order.

    As many as fit in ``context_words``, but at least one when the person has any. A caption
    that occurs twice is given once.
    """
    vectors = models.vectors(person)
    similarity = vectors.captions @ models.query_vector(query.text)
    order = np.argsort(-similarity, kind="stable")
    chosen: dict[str, None] = {}
    words = 0
    for i in order:
        caption = person.posts[int(i)].caption.strip()
        if not caption or caption in chosen:
            continue
        words += len(caption.split())
        if chosen and words > settings.context_words:
            break
        chosen[caption] = None
    return tuple(chosen)
