"""Dialogues that stand between an injection and its question (CHECKLIST M14, M15, M38, M44).

The paper's own dialogues are not in it. These were written for this package: twelve on general
topics, ten that touch on looks (``recognition``) and ten on tastes (``preference``), ten turns
each. They name no concept, show no picture, and their user tells nothing about anybody's looks
or tastes, so that whatever a model forgets, it was not contradicted. Every model is told the
same turns in the same order; longer dialogues are several, one after another.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from importlib import resources
from itertools import chain
from typing import NamedTuple, get_args

from eyeprint.errors import DataError, UnknownName, UsageError
from eyeprint.records.concept_settings import DialogueKind

KINDS: tuple[DialogueKind, ...] = get_args(DialogueKind)
"""``general``, ``recognition``, ``preference``."""
_FOLDER = "talk"


class Turn(NamedTuple):
    """What the user says, and what the assistant says to it."""

    user: str
    assistant: str


class Dialogue(NamedTuple):
    """Some turns about one topic."""

    id: str
    """Unique among the dialogues it came with."""
    topic: str
    """What it is about, in a few words; ``""`` where a file of others does not say."""
    kind: str
    """One of :data:`KINDS`; ``""`` in dialogues of others."""
    turns: tuple[Turn, ...]


@cache
def dialogues(kind: DialogueKind) -> tuple[Dialogue, ...]:
    """Return the dialogues of a kind that come with the package, in their fixed order.

    Raises:
        UnknownName: there is no such kind.
        DataError: a file is damaged.

    >>> dialogues("general")[0].topic
    'How compound interest works'
    >>> {len(one.turns) for kind in KINDS for one in dialogues(kind)}
    {10}
    """
    if kind not in KINDS:
        raise UnknownName("kind of dialogue", kind, KINDS)
    found = []
    for name, held in _files(kind):
        try:
            table = tomllib.loads(held.decode())
            turns = tuple(Turn(row["user"], row["assistant"]) for row in table["turn"])
            topic = table["topic"]
        except (ValueError, KeyError, TypeError) as error:
            place = f"eyeprint/methods/{_FOLDER}/{kind}/{name}"
            raise DataError(f"{place}: {error}. Reinstall eyeprint.") from error
        id = name.removesuffix(".toml").partition("_")[2]
        found.append(Dialogue(id, topic, kind, turns))
    return tuple(found)


def _files(kind: str) -> list[tuple[str, bytes]]:
    """Return name and bytes of a kind's files, in the order of the numbers they begin with."""
    folder = resources.files("eyeprint.methods") / _FOLDER / kind
    files = [file for file in folder.iterdir() if file.name.endswith(".toml")]
    return [(file.name, file.read_bytes()) for file in sorted(files, key=lambda f: f.name)]


def dialogue(kind: DialogueKind, turns: int, first: int = 0) -> tuple[Turn, ...]:
    """Return the first turns of a kind's dialogues, told one after another.

    Args:
        kind: ``general``, ``recognition`` or ``preference``.
        turns: how many, from 0 to all that the kind has.
        first: which dialogue comes first, from 0; those before it come last.

    Raises:
        UnknownName: there is no such kind.
        UsageError: there are not so many turns, or dialogues.

    >>> dialogue("general", 0)
    ()
    >>> dialogue("general", 10)[:3] == dialogue("general", 3)
    True
    """
    return first_turns(dialogues(kind), turns, first, f"{kind} dialogues")


def first_turns(
    told: Sequence[Dialogue], turns: int, first: int = 0, what: str = "dialogues"
) -> tuple[Turn, ...]:
    """Return the first turns of some dialogues, told one after another.

    Args:
        told: the dialogues, for example of :func:`eyeprint.methods.dialogue_files.read_dialogues`.
        turns: how many; the last dialogue that is needed is cut after a whole turn.
        first: which dialogue comes first, from 0; those before it come last.
        what: what they are called in messages.

    Raises:
        UsageError: there are not so many turns, or dialogues.

    >>> a = Dialogue("a", "", "", (Turn("1", "one"),))
    >>> b = Dialogue("b", "", "", (Turn("2", "two"),))
    >>> first_turns((a, b), 2, first=1)
    (Turn(user='2', assistant='two'), Turn(user='1', assistant='one'))
    """
    held = sum(len(one.turns) for one in told)
    if not 0 <= turns <= held:
        raise UsageError(f"{turns} turns of dialogue: the {what} have 0 to {held}.")
    if first and not 0 <= first < len(told):
        raise UsageError(f"first dialogue {first}: the {what} are numbered 0 to {len(told) - 1}.")
    turned = (*told[first:], *told[:first])
    return tuple(chain.from_iterable(one.turns for one in turned))[:turns]


@cache
def dialogues_digest() -> str:
    """Return the SHA-256 (64 hex digits) of all texts: runs on other texts are other runs."""
    state = sha256()
    for kind in KINDS:
        for one in dialogues(kind):
            for part in (kind, one.id, *chain.from_iterable(one.turns)):
                state.update(sha256(part.encode()).digest())
    return state.hexdigest()
