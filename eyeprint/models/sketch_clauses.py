"""Tells which words of a prompt name things, and which only tell of light, style or layout.

"With coloured fairground lights" asks for light and for no fairground, "an urban
engraving of a fox" for a way of drawing and no town, "in ocean blue" for a colour and no
sea. A prompt is cut into runs of words, at prepositions, conjunctions and stops; the last
word of a run decides what the run is about (``[heads]`` of ``data/sketch_looks.toml``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Literal, NamedTuple

from eyeprint.models.sketch_tables import word_lists

Role = Literal["", "light", "look", "mood", "style", "drawn", "palette", "likeness", "denied"]
"""What a word is part of; "" is content. "style" is a medium with its adjectives ("an urban
engraving of"), "drawn" a clause of style alone (", ink"), "likeness" what "like" compares to."""

KEPT: dict[Role, frozenset[str]] = {
    "light": frozenset({"time", "quality", "palette", "colour"}),
    "look": frozenset({"arrangement", "quality", "palette", "colour"}),
    "mood": frozenset({"arrangement", "quality", "palette"}),
    "style": frozenset({"style", "time", "quality", "palette", "arrangement", "weather"}),
    "palette": frozenset({"colour", "palette"}),
    "likeness": frozenset({"colour", "palette"}),
}
KEPT["drawn"] = KEPT["style"]
"""Kinds of meaning that a word keeps in a role."""

_ARTICLES = frozenset({"a", "an", "the"})
_JOINS = frozenset({"and", "or", "but"})
_OPENS: dict[Role, frozenset[str]] = {
    "light": frozenset({"", "and", "with", "in", "under", "by"}),
    "look": frozenset({"", "and", "with", "in", "from"}),
    "mood": frozenset({"", "and", "with", "in"}),
    "style": frozenset({"", "and", "as", "in", "like"}),
}
"""What may lead a run into a role; "" is the begin of a clause."""
_LIKE = frozenset({"like", "style", "inspired", "shaped"})
"""Second parts of compounds that only compare: "diary-like"."""


class _Run(NamedTuple):
    start: int
    end: int
    lead: str
    """The preposition or conjunction before it; "" at the begin of a clause."""
    clause: int
    """Which clause it is in: clauses end at stops."""


@cache
def _heads() -> dict[str, frozenset[str]]:
    return {name: frozenset(words) for name, words in word_lists("heads").items()}


def _runs(words: Sequence[str], breaks: frozenset[int]) -> list[_Run]:
    leads = _heads()["leads"] | _JOINS
    found: list[_Run] = []
    start, lead, clause = 0, "", 0
    for place in range(len(words) + 1):
        ends = place == len(words)
        stop = not ends and place in breaks
        if ends or stop or words[place] in leads:
            if place > start:
                found.append(_Run(start, place, lead, clause))
            if stop:
                start, lead, clause = place, "", clause + 1
            if not ends and words[place] in leads:
                # A clause may begin with its preposition: "with soft light".
                lead = "and" if words[place] in _JOINS else words[place]
                start = place + 1
    return found


def _head(words: Sequence[str], run: _Run) -> int:
    """Return the place of a run's last word that is no mere participle or adverb."""
    place = run.end - 1
    while place > run.start and words[place] in _heads()["trailing"]:
        place -= 1
    return place


def _is(word: str, group: str) -> bool:
    heads = _heads()[group]
    return word in heads or (word.endswith("s") and word[:-1] in heads)


def roles_of(
    words: Sequence[str],
    breaks: frozenset[int],
    compounds: frozenset[int],
    kinds_of: Callable[[Sequence[str]], frozenset[str]],
) -> tuple[list[Role], frozenset[int]]:
    """Return the role of every word, and the places of the words that decide one.

    Args:
        words: of the prompt, in lower case.
        breaks: places of words that a stop stands before.
        compounds: places of first parts of hyphened words.
        kinds_of: gives the kinds of meaning that a phrase has.

    >>> words = "a cat with coloured fairground lights".split()
    >>> roles_of(words, frozenset(), frozenset(), lambda phrase: frozenset())[0]
    ['', '', '', 'light', 'light', 'light']
    """
    roles: list[Role] = [""] * len(words)
    deciding: set[int] = set()
    before: Role = ""
    reach = False
    for number, run in enumerate(runs := _runs(words, breaks)):
        same = number > 0 and runs[number - 1].clause == run.clause
        head = _head(words, run)
        role = _role(words, run, head)
        if role:
            deciding.add(head)
            reach = role in ("light", "mood") or (
                role == "look" and not run.lead and not _is(words[head], "views")
            )
            _join_adjective(words, runs, number, roles, role, kinds_of)
        elif _is_palette(words, runs, number, before, kinds_of):
            role = "palette"
        elif same and reach and _goes_on(words, before, run):
            role = before
        elif run.lead == "like":
            role, reach = "likeness", False
        elif _is_drawn(words, run, kinds_of):
            role, reach = "drawn", False
        else:
            reach = False
        for place in range(run.start, run.end):
            roles[place] = role
        before = role
    for place in compounds:
        if words[place + 1] in _LIKE and not roles[place]:
            roles[place] = "style"
    _deny(words, breaks, roles)
    return roles, frozenset(deciding)


def _role(words: Sequence[str], run: _Run, head: int) -> Role:
    word = words[head]
    if _is(word, "light") and run.lead in _OPENS["light"]:
        # "City lights" alone are a thing to see; "with city lights" tells of the light.
        return "" if word == "lights" and run.lead in ("", "and") else "light"
    if _is(word, "mood") and run.lead in _OPENS["mood"]:
        return "mood"
    if (_is(word, "look") or _is(word, "views")) and run.lead in _OPENS["look"]:
        return "look"
    if _is(word, "medium") and run.lead in _OPENS["style"]:
        after = words[run.end] if run.end < len(words) else ""
        # "A dragon watercolour" shows a dragon; "an urban watercolour of a fox" no town.
        if after in _heads()["shows"] or (run.clause and not run.lead):
            return "style"
    return ""


def _goes_on(words: Sequence[str], before: Role, run: _Run) -> bool:
    """Tell whether a run in the same clause still belongs to what the one before it is."""
    if before == "light":
        if run.lead == "by":  # "filtered by leaves", but not "soft light by a window"
            return run.start > 1 and words[run.start - 2] in _heads()["trailing"]
        return run.lead in _heads()["sources"] or run.lead == "of"
    if before == "mood":
        return run.lead in ("of", "and")
    return before == "look"


def _is_palette(
    words: Sequence[str],
    runs: Sequence[_Run],
    number: int,
    before: Role,
    kinds_of: Callable[[Sequence[str]], frozenset[str]],
) -> bool:
    """Tell whether a run is a colour of a list: "in ocean blue, coral and foam white"."""
    run = runs[number]
    if words[run.start] in _ARTICLES or run.end - run.start > 4:
        return False
    coloured = any(
        "colour" in kinds_of(words[max(run.start, run.end - length) : run.end]) for length in (1, 2)
    )
    if not coloured:
        return False
    if run.lead == "of":
        return number > 0 and _is(words[runs[number - 1].end - 1], "hues")
    return run.lead in ("in", "with") or (run.lead in ("", "and") and before == "palette")


def _is_drawn(
    words: Sequence[str], run: _Run, kinds_of: Callable[[Sequence[str]], frozenset[str]]
) -> bool:
    """Tell whether a short run names a way of drawing and nothing to draw: "in ink", ", oil"."""
    if run.lead not in _OPENS["style"] or not (run.clause or run.lead in ("in", "as")):
        return False
    if run.end - run.start > 4:
        return False
    kinds = frozenset[str]().union(
        *(
            kinds_of(words[start : start + length])
            for start in range(run.start, run.end)
            for length in range(1, min(3, run.end - start) + 1)
        )
    )
    return "style" in kinds and not kinds & {"motif", "setting"}


def _join_adjective(
    words: Sequence[str],
    runs: Sequence[_Run],
    number: int,
    roles: list[Role],
    role: Role,
    kinds_of: Callable[[Sequence[str]], frozenset[str]],
) -> None:
    """Give the role to an adjective alone before it: "a stormy, restless mood"."""
    run = runs[number]
    if not number or run.lead not in ("", "and") or words[run.start] in _ARTICLES:
        return
    other = runs[number - 1]
    said = [p for p in range(other.start, other.end) if words[p] not in _ARTICLES]
    if len(said) == 1 and not kinds_of([words[said[0]]]) & {"motif", "setting", "style"}:
        roles[said[0]] = role


def _deny(words: Sequence[str], breaks: frozenset[int], roles: list[Role]) -> None:
    """Mark what follows "no" or "without", up to the next stop, preposition or article."""
    leads, negations = _heads()["leads"], word_lists("nothing")["negations"]
    for place, word in enumerate(words):
        if word not in negations:
            continue
        roles[place] = "denied"
        for later in range(place + 1, len(words)):
            joined = words[later - 1] in _JOINS
            if (
                later in breaks
                or words[later] == "but"
                or (words[later] in leads and words[later] != "of")
            ):
                break
            if joined and words[later] in _ARTICLES:
                break
            roles[later] = "denied"
