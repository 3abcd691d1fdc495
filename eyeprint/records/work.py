"""What is made for and about people: queries, retrieved material, drafts, scores.

Every record says whom and what it is about (person, query, method, writer), so a
row can be read alone. A value that could not be computed is ``None`` and its reason
stands beside it: "unscored" is a value, never a zero.
"""

from __future__ import annotations

from typing import Literal

from pydantic import ConfigDict, Field

from eyeprint.records.people import Record

QueryKind = Literal["generation", "editing"]
BudgetMode = Literal["free", "three_phrases"]


class Work(Record):
    """Base of the records made here: frozen, and closed against misspelt fields."""

    # "model" begins names of fields here, which older pydantic keeps for itself.
    model_config = ConfigDict(frozen=True, extra="forbid", protected_namespaces=())


class Query(Work):
    """What the person asks for, before personalisation (p)."""

    id: str
    text: str
    kind: QueryKind = "generation"


class Element(Work):
    """One retrieved phrase and where it comes from."""

    text: str
    category: str
    post_id: str
    similarity: float
    """Cosine of the phrase and the query in the element encoder."""


class PostWeight(Work):
    """How one post took part in a retrieval."""

    post_id: str
    similarity: float
    weight: float
    kept: bool


class Quota(Work):
    """How many phrases of one category one kept post was granted, and gave (V34)."""

    category: str
    post_id: str
    available: int
    share: float
    """Q_k · w_i n_i / Σ_j w_j n_j before rounding."""
    granted: int
    taken: int


class CategoryScore(Work):
    """A category's closeness to the query and its place in the order (V33)."""

    category: str
    similarity: float
    budget: int


class Trace(Work):
    """Why VPRAG chose what it chose (V40): everything the formulas produced."""

    posts: tuple[PostWeight, ...]
    entropy: float
    n_eff: float
    kept: int
    """K, after the clamps."""
    total_budget: int
    """Q, the sum of the category budgets."""
    categories: tuple[CategoryScore, ...]
    """In order of priority."""
    quotas: tuple[Quota, ...]
    elements: tuple[Element, ...]
    back_filled: int = 0
    """How many elements replaced duplicates."""
    notes: tuple[str, ...] = ()
    """What did not go as the formulas expect: empty categories, no usable captions ..."""


class Material(Work):
    """What a method hands to the composer: retrieved, not yet written."""

    person_id: str
    query: Query
    method: str
    about: str = ""
    """The one line about the person that the composer may use; never the PA description."""
    captions: tuple[str, ...] = ()
    """Captions in context, most useful first."""
    elements: tuple[Element, ...] = ()
    trace: Trace | None = None


class Draft(Work):
    """A personalised prompt, or the reason why there is none."""

    person_id: str
    query_id: str
    method: str
    writer: str
    """Either "plain" or the name of the chat model that wrote it."""
    prompt: str | None
    fault: str | None = None
    """Kind of failure when ``prompt`` is ``None``: empty, truncated, refused, failed ..."""
    detail: str = ""
    elements: tuple[Element, ...] = ()
    words_cut: int = 0
    """Words that the plain composer dropped to stay within the word limit."""


class PromptToScore(Work):
    """One row of a file of prompts from any source."""

    person: str
    prompt: str
    method: str = ""
    query: str = ""
    writer: str = ""


class VpttScore(Work):
    """The VPTT score of one prompt against one person: parts, combinations, reasons.

    All parts lie in [0, 1] save ``pa``, a cosine in [-1, 1]; higher is better for all.
    """

    pa: float | None
    gs: float | None
    cp: float | None
    nv: float | None
    score: float | None
    score_c: float | None
    unscored: dict[str, str] = Field(default_factory=dict)
    """Part -> why it is ``None``."""
