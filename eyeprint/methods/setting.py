"""What the methods may be told, and the models they may ask."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from eyeprint.config import Settings
from eyeprint.models.kinds import TextEncoder
from eyeprint.records.people import CATEGORIES, Persona
from eyeprint.records.work import BudgetMode
from eyeprint.store.embeddings import PersonVectors


class MethodSettings(Settings):
    """All settings of the methods and of the composer; defaults are the paper's where it says.

    Source: CHECKLIST V31–V38, V42–V45; gaps are told in docs/fidelity.md.
    """

    mode: BudgetMode = "free"
    """``free``: ``category_budget`` phrases a category (Q3); ``three_phrases``: the three best
    categories give one each (Q1, Q2; V37)."""
    retrieval_temperature: float = Field(default=0.1, gt=0)
    """τ of the softmax over posts (V31)."""
    category_budget: int = Field(default=3, ge=1)
    """Phrases per category in the free mode (V37)."""
    kept_posts_per_phrase: int = Field(default=2, ge=1)
    """K is at most this many times Q (V32 prints 2)."""
    word_limit: int = Field(default=150, ge=5)
    """Most words of a prompt, the query included; 150 in Q3 (V37)."""
    about_words: int = Field(default=25, ge=5)
    """Most words of S_p, the sentence about the person in VPRAG and Comb. prompts."""
    context_words: int = Field(default=8000, ge=1)
    """Most caption words that BRAG and Comb. put before a chat model; nearest captions first."""
    comb_element_share: float = Field(default=0.5, gt=0, lt=1)
    """Share of the word limit that the plain Comb. writer leaves to elements (V45)."""


PHRASES_WHEN_BUDGETED = 3
"""Phrases of the three-phrase mode, for every method (V37)."""


@dataclass
class MethodModels:
    """Encoders, and where a person's vectors come from.

    ``text`` embeds queries and captions; ``element`` embeds phrases and categories (V33, V35);
    they may be one. ``vectors`` and ``element_vectors`` return a person's vectors in the
    respective encoder. Query and category vectors are remembered, for the same few
    queries are put to thousands of people.
    """

    text: TextEncoder
    element: TextEncoder
    vectors: Callable[[Persona], PersonVectors]
    element_vectors: Callable[[Persona], PersonVectors]
    _remembered: dict[tuple[str, str], NDArray[np.float32]] = field(default_factory=dict)

    def query_vector(self, text: str) -> NDArray[np.float32]:
        """Return the query in the text encoder, shape (dim,)."""
        return self._vector("text", self.text, text)

    def query_element_vector(self, text: str) -> NDArray[np.float32]:
        """Return the query in the element encoder, shape (dim,)."""
        return self._vector("text" if self.element is self.text else "element", self.element, text)

    def category_vector(self, name: str) -> NDArray[np.float32]:
        """Return a category's vector: the element encoder on "name: description" (V33)."""
        about = CATEGORIES.get(name)
        return self._vector("element", self.element, f"{name}: {about}" if about else name)

    def _vector(self, role: str, encoder: TextEncoder, text: str) -> NDArray[np.float32]:
        key = (role, text)
        if key not in self._remembered:
            if len(self._remembered) >= 4096:
                self._remembered.clear()
            self._remembered[key] = encoder.encode([text])[0]
        return self._remembered[key]
