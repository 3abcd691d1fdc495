"""Preference pools: which of a person's candidate pictures they would keep (P19, P42).

Agents' pools are the best by an aesthetic score, people's are picked by hand; pictures that
a person gave join the pool (P44: real pools average 8.49 although people pick 6 to 8).
Nothing here paints or opens pictures.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from pydantic import Field

from eyeprint.config import Settings
from eyeprint.people.choices import Choice
from eyeprint.randomness import stream

ChosenBy = Literal["hand", "score", "all"]


class PoolSettings(Settings):
    """How many pictures a pool keeps, and how many picks are expected."""

    keep: int = Field(default=7, ge=1)
    """Kept by score. The paper does not say; 1,231 pictures of 175 agents are 7.03 each."""
    fewest_picks: int = Field(default=6, ge=1)
    most_picks: int = Field(default=8, ge=1)
    """Picks by hand outside this range are told, and kept."""


class Candidate(NamedTuple):
    """One picture that a person may keep."""

    name: str
    """Its file's name in the person's folder, or its number: what choices call it."""
    source: str
    """Where the pixels are: a pixel hash, or a path."""
    prompt: str = ""
    """The enriched prompt that it was painted from (E)."""
    subject: str = ""
    setting: str = ""
    """What the prompt's writer says it shows, where it was told."""
    upload: bool = False
    """Given by the person, not painted for them."""


@dataclass(frozen=True)
class Pool:
    """One person's preferred pictures, the most preferred first where an order is known."""

    person_id: str
    pictures: tuple[Candidate, ...]
    chosen_by: ChosenBy
    notes: tuple[str, ...] = ()
    """What a person should know: too few picks, near-duplicates left out, unscored ones."""


AlikePairs = frozenset[tuple[int, int]]
"""Pairs (i, j), i < j, of which one is a copy of the other, by place in a list."""


def pool_by_score(
    person_id: str,
    candidates: Sequence[Candidate],
    scores: Sequence[float],
    alike: Callable[[Sequence[Candidate]], AlikePairs],
    settings: PoolSettings | None = None,
) -> Pool:
    """Keep the best candidates by score, never two near-duplicates; uploads stay first.

    Ties stand in the order of the candidates. A score that is no number leaves its
    candidate out, with a note.

    Args:
        person_id: whose candidates.
        candidates: painted ones and uploads.
        scores: one for each candidate, higher is better.
        alike: tells the near-duplicates among all candidates; asked once.
        settings: how many are kept; uploads come on top.

    >>> found = [Candidate(name, name) for name in "abcd"]
    >>> pool = pool_by_score("p", found, [1, 4, 3, 2], lambda _: frozenset({(1, 2)}),
    ...     PoolSettings(keep=2))
    >>> [picture.name for picture in pool.pictures]
    ['b', 'd']
    """
    settings = settings or PoolSettings()
    if len(scores) != len(candidates):
        raise ValueError(f"{len(candidates)} candidates have {len(scores)} scores")
    notes = []
    unscored = [n for n, score in enumerate(scores) if not math.isfinite(score)]
    if unscored:
        have = "1 candidate has" if len(unscored) == 1 else f"{len(unscored)} candidates have"
        notes.append(f"{have} no score, left out")
    painted = [n for n, one in enumerate(candidates) if not one.upload and math.isfinite(scores[n])]
    uploads = [n for n, one in enumerate(candidates) if one.upload]
    pairs = alike(candidates)
    kept: list[int] = []
    left_out = 0
    for number in (*uploads, *sorted(painted, key=lambda n: -scores[n])):
        if len(kept) - sum(n in uploads for n in kept) >= settings.keep:
            break
        if any((min(number, n), max(number, n)) in pairs for n in kept):
            left_out += 1
            continue
        kept.append(number)
    if left_out:
        were = "1 near-duplicate was" if left_out == 1 else f"{left_out} near-duplicates were"
        notes.append(f"{were} left out")
    painted_kept = [n for n in kept if n not in uploads]
    if len(painted_kept) < settings.keep:
        were = f"{len(painted_kept)} candidate{'' if len(painted_kept) == 1 else 's'}"
        notes.append(f"kept {were}, not {settings.keep}: there are no more")
    order = painted_kept + [n for n in kept if n in uploads]
    return Pool(person_id, tuple(candidates[n] for n in order), "score", tuple(notes))


def pool_by_hand(
    person_id: str,
    candidates: Sequence[Candidate],
    choices: Sequence[Choice] | None = None,
    settings: PoolSettings | None = None,
) -> Pool:
    """Keep what a person picked: the choices by rank, or all of a folder of chosen files.

    Uploads join whether they are among the choices or not. Picks outside 6 to 8 are told.

    >>> found = [Candidate("1.png", "x"), Candidate("2.png", "y")]
    >>> pool = pool_by_hand("p", found, [Choice("p", "2", None)])
    >>> pool.pictures[0].name, pool.notes
    ('2.png', ('1 picture was picked; 6 to 8 are usual',))
    """
    settings = settings or PoolSettings()
    notes = []
    painted = [one for one in candidates if not one.upload]
    if choices is None:
        picked = painted
    else:
        named = _by_name(candidates)
        unknown = [choice.picture for choice in choices if choice.picture not in named]
        if unknown:
            told = ", ".join(unknown[:3])
            name = "choice names" if len(unknown) == 1 else "choices name"
            notes.append(f"{len(unknown)} {name} no candidate: {told}")
        last = max((choice.rank or 0 for choice in choices), default=0) + 1
        ranked = sorted(choices, key=lambda choice: choice.rank or last)
        found = [named[choice.picture] for choice in ranked if choice.picture in named]
        picked = [one for one in dict.fromkeys(found) if not one.upload]
    if not picked:
        notes.append("no picture was picked")
    elif not settings.fewest_picks <= len(picked) <= settings.most_picks:
        were = "1 picture was" if len(picked) == 1 else f"{len(picked)} pictures were"
        usual = f"{settings.fewest_picks} to {settings.most_picks}"
        notes.append(f"{were} picked; {usual} are usual")
    uploads = [one for one in candidates if one.upload]
    chosen_by: ChosenBy = "hand" if choices is not None else "all"
    return Pool(person_id, (*picked, *uploads), chosen_by, tuple(notes))


def _by_name(candidates: Sequence[Candidate]) -> Mapping[str, Candidate]:
    """Return candidates by every name that a choice may use: with and without its ending."""
    named: dict[str, Candidate] = {}
    for one in candidates:
        named.setdefault(one.name.rpartition(".")[0] or one.name, one)
    named.update({one.name: one for one in candidates})
    return named


def shown_order(
    person_id: str, candidates: Sequence[Candidate], seed: int
) -> tuple[Candidate, ...]:
    """Return the candidates in the random order in which a person is shown them (P19).

    >>> found = [Candidate(str(n), str(n)) for n in range(9)]
    >>> sorted(shown_order("p", found, 7)) == found and shown_order("p", found, 7) != tuple(found)
    True
    """
    return tuple(stream(seed, "shown", person_id).shuffled(candidates))
