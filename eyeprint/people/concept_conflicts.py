"""Finds likes and dislikes that contradict each other (M10).

A like and a dislike of one person clash when they are the same, when a group of the tables
holds both (one names the whole of which the other is a part, or both are of one family), or
when their words show it: one's words are all in the other's ("camping", "tent camping"), or
more than half of the words of both are shared.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Literal, NamedTuple

from eyeprint.people.concept_tables import PreferenceTables, preference_tables
from eyeprint.records.concepts import Tastes

ConflictKind = Literal["same", "broader", "family", "words"]
WORD_SHARE = 0.5
"""Share of the words of both that are common to them, above which they clash."""
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_EMPTY = frozenset(
    ("a", "an", "and", "the", "of", "in", "on", "at", "for", "with", "to", "by", "from", "or")
)
_SHORT = 4
"""Letters of a word that loses no plural ending."""


class Conflict(NamedTuple):
    """A like and a dislike that contradict each other."""

    kind: ConflictKind
    like: str
    like_domain: str
    dislike: str
    dislike_domain: str
    why: str


@lru_cache(maxsize=4096)
def words_of_keyword(text: str) -> frozenset[str]:
    """Return the words that carry the meaning, in lower case and the singular.

    >>> sorted(words_of_keyword("The Board Games of parties"))
    ['board', 'game', 'party']
    """
    words = _WORD.findall(text.casefold().replace("’", "'"))
    return frozenset(_singular(word) for word in words if word not in _EMPTY)


def _singular(word: str) -> str:
    word = word.removesuffix("'s").removesuffix("'")
    if len(word) <= _SHORT or word.endswith("ss"):
        return word
    if word.endswith("ies"):
        return word[:-3] + "y"
    if word.endswith(("ches", "shes", "sses", "xes")):
        return word[:-2]
    return word.removesuffix("s")


def clash(
    like: str, dislike: str, tables: PreferenceTables | None = None
) -> tuple[ConflictKind, str] | None:
    """Return how a like and a dislike contradict each other and why, or ``None``.

    Symmetric in its two texts, but for the wording.

    >>> clash("gaming keyboards", "technical gadgets")
    ('broader', "'technical gadgets' takes in 'gaming keyboards' (electronic devices)")
    >>> clash("tent camping", "camping")[0], clash("rock concerts", "beach resorts")
    ('words', None)
    """
    tables = tables or preference_tables()
    one, other = (" ".join(text.split()).casefold() for text in (like, dislike))
    first, second = words_of_keyword(one), words_of_keyword(other)
    if one == other or (first and first == second):
        return "same", f"'{like}' is liked and disliked"
    family = None
    for group in tables.groups:
        whole = {text.casefold() for text in group.whole}
        members = {text.casefold() for text in group.members}
        if not {one, other} <= whole | members:
            continue
        if one in whole or other in whole:
            broad, narrow = (like, dislike) if one in whole else (dislike, like)
            return "broader", f"'{broad}' takes in '{narrow}' ({group.name})"
        if group.family and family is None:
            family = f"'{like}' and '{dislike}' are near to each other ({group.name})"
    if family is not None:
        return "family", family
    if not first or not second:
        return None
    if first <= second or second <= first:
        broad, narrow = (like, dislike) if first <= second else (dislike, like)
        return "words", f"'{broad}' takes in '{narrow}' by its words"
    share = len(first & second) / len(first | second)
    if share > WORD_SHARE:
        return "words", f"'{like}' and '{dislike}' share {share:.0%} of their words"
    return None


def find_conflicts(
    tastes: Mapping[str, Tastes], tables: PreferenceTables | None = None
) -> tuple[Conflict, ...]:
    """Return all contradictions of one person's tastes, across domains too, in their order.

    >>> shop = Tastes(likes=("gaming keyboards",), dislikes=("technical gadgets",))
    >>> [conflict.kind for conflict in find_conflicts({"shopping": shop})]
    ['broader']
    """
    tables = tables or preference_tables()
    return tuple(
        Conflict(found[0], like, at, dislike, there, found[1])
        for at, like in _texts(tastes, "likes")
        for there, dislike in _texts(tastes, "dislikes")
        if (found := clash(like, dislike, tables)) is not None
    )


def repeated(tastes: Mapping[str, Tastes]) -> tuple[str, ...]:
    """Return likes that are told twice, and dislikes that are, in lower case."""
    found = []
    for side in ("likes", "dislikes"):
        seen = set[str]()
        for _, text in _texts(tastes, side):
            key = text.casefold()
            if key in seen:
                found.append(key)
            seen.add(key)
    return tuple(dict.fromkeys(found))


def clashing(keyword: str, others: Iterable[str], tables: PreferenceTables | None = None) -> bool:
    """Return whether a keyword contradicts any of the others."""
    return any(clash(keyword, other, tables) is not None for other in others)


def _texts(tastes: Mapping[str, Tastes], side: str) -> Iterator[tuple[str, str]]:
    for domain, both in tastes.items():
        for text in both.likes if side == "likes" else both.dislikes:
            yield domain, text
