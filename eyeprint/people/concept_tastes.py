"""Gives people likes and dislikes that do not contradict each other (M10–M12).

In each domain, keywords are drawn at random from the person's own stream. Contradictions are
found (:mod:`eyeprint.people.concept_conflicts`) and the dislike of each is drawn again, as the
paper's annotators replaced them by hand; what was replaced, and why, is kept.
"""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import Field

from eyeprint.config import Settings
from eyeprint.errors import DataError, shown
from eyeprint.people.concept_conflicts import Conflict, clashing, find_conflicts
from eyeprint.people.concept_tables import PreferenceTables, preference_tables
from eyeprint.randomness import Stream, stream
from eyeprint.records.concepts import Tastes
from eyeprint.records.work import Work


class TasteSettings(Settings):
    """How many keywords a person has in each domain."""

    likes: int = Field(default=2, ge=1)
    """Keywords liked in a domain (Listing 1)."""
    dislikes: int = Field(default=2, ge=1)
    """Keywords disliked in a domain."""
    redraws: int = Field(default=20, ge=0)
    """Random redraws of one dislike; then the first keyword that fits is taken."""


class Resolved(Work):
    """One contradiction that was drawn, and what came in its place."""

    kind: str
    """same, broader, family or words."""
    domain: str
    """Of the dislike that was given up."""
    like: str
    dislike: str
    instead: str
    why: str


class Assigned(Work):
    """What one person likes and dislikes, and how it came about."""

    tastes: dict[str, Tastes]
    """Domain -> likes and dislikes, in the order of the tables."""
    log: tuple[Resolved, ...] = ()


def assign_tastes(
    name: str,
    seed: int = 7,
    tables: PreferenceTables | None = None,
    settings: TasteSettings | None = None,
) -> Assigned:
    """Return a person's tastes: by seed and name alone, without a contradiction.

    Args:
        name: the concept's name; names the random stream.
        seed: the run's seed.
        tables: keywords and groups; the authored ones if left out.
        settings: how many.

    Raises:
        DataError: a domain has too few keywords, or none that fits is left.

    >>> made = assign_tastes("Angelina")
    >>> [len(both.likes + both.dislikes) for both in made.tastes.values()]
    [4, 4, 4, 4, 4]
    >>> find_conflicts(made.tastes)
    ()
    """
    tables, settings = tables or preference_tables(), settings or TasteSettings()
    draw = stream(seed, "concept tastes", name)
    wanted = settings.likes + settings.dislikes
    likes: dict[str, list[str]] = {}
    dislikes: dict[str, list[str]] = {}
    for domain in tables.domains:
        words = tables.of_domain(domain)
        if len(words) < wanted:
            raise DataError(
                f"The domain '{shown(domain)}' has {len(words)} keywords; {wanted} are needed "
                "for likes and dislikes. Add some to the table."
            )
        drawn = draw.sample(words, wanted)
        likes[domain], dislikes[domain] = drawn[: settings.likes], drawn[settings.likes :]
    liked = [word for words in likes.values() for word in words]
    log: list[Resolved] = []
    for conflict in _first_of_each(find_conflicts(_tastes(likes, dislikes), tables)):
        domain = conflict.dislike_domain
        taken = {*likes[domain], *dislikes[domain]}
        free = [word for word in tables.of_domain(domain) if word not in taken]
        instead = _fitting(draw, free, liked, tables, settings.redraws)
        if instead is None:
            raise DataError(
                f"No keyword of the domain '{shown(domain)}' can be disliked by somebody who "
                f"likes {', '.join(map(shown, liked))}. Add keywords to the table, or ask for "
                "fewer."
            )
        place = dislikes[domain].index(conflict.dislike)
        dislikes[domain][place] = instead
        log.append(
            Resolved(
                kind=conflict.kind, domain=domain, like=conflict.like, dislike=conflict.dislike,
                instead=instead, why=conflict.why,
            )
        )  # fmt: skip
    return Assigned(tastes=_tastes(likes, dislikes), log=tuple(log))


def _first_of_each(conflicts: tuple[Conflict, ...]) -> list[Conflict]:
    """Return one conflict for each dislike: it is replaced once, by what fits all likes."""
    found: dict[tuple[str, str], Conflict] = {}
    for conflict in conflicts:
        found.setdefault((conflict.dislike_domain, conflict.dislike), conflict)
    return list(found.values())


def _fitting(
    draw: Stream, free: list[str], liked: list[str], tables: PreferenceTables, redraws: int
) -> str | None:
    if not free:
        return None
    for _ in range(redraws):
        word = draw.pick(free)
        if not clashing(word, liked, tables):
            return word
    return next((word for word in free if not clashing(word, liked, tables)), None)


def _tastes(likes: Mapping[str, list[str]], dislikes: Mapping[str, list[str]]) -> dict[str, Tastes]:
    return {
        domain: Tastes(likes=tuple(likes[domain]), dislikes=tuple(dislikes[domain]))
        for domain in likes
    }
