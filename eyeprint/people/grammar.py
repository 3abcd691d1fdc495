"""Sentence frames with slots, choices and marked phrases.

Notation (authored in ``data/grammar_*.toml``): ``{slot}`` is filled from the scene,
``{~slot}`` is only mentioned and need not fit place or hour, ``(x|y)`` is a choice,
``a/an`` becomes the right article, ``<f:...>`` marks its content as a visual element
of a category. A capital in a slot's name capitalises its value.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from eyeprint.errors import DataError
from eyeprint.people.phrases import ANY_HOUR, HOUR_BIT
from eyeprint.randomness import Stream

CATEGORY_CODES = {
    "f": "foreground",
    "b": "background",
    "m": "materials",
    "o": "objects",
    "l": "lighting",
    "a": "actions",
    "e": "environment",
    "p": "appearance",
}
_TOKEN = re.compile(r"\{(~?)(\w+)\}|<([fbmolaep]):|>|\(|\||\)")
_SUBJECT = re.compile(
    r"(?:^|[;:,] |\b(?:that|since|because|while|where|and|but|so|once|as|hence|when|what) )$",
    re.IGNORECASE,
)
_AN = re.compile(r"\b([Aa])/an (\S)(\S*)")


@dataclass(frozen=True, slots=True)
class Slot:
    """A place to be filled; ``mention`` slots need not fit the scene."""

    name: str
    mention: bool
    capital: bool
    subject: bool = False
    """For ``who``: whether a pronoun may stand here ("The {who} is ..." and the like)."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several pieces of text."""

    options: tuple[tuple[Any, ...], ...]


@dataclass(frozen=True, slots=True)
class Marked:
    """Text that is a visual element of one category."""

    category: str
    parts: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Frame:
    """One sentence pattern and where it fits; masks of 0 mean everywhere."""

    role: str
    parts: tuple[Any, ...]
    text: str
    kinds: frozenset[str] = frozenset()
    social: str = ""
    place: str = ""
    hours: int = ANY_HOUR
    needs: frozenset[str] = frozenset()
    """Slots without which the frame cannot stand, e.g. "place" or "view"."""
    slots: frozenset[str] = field(default_factory=frozenset)


def parse_line(text: str) -> tuple[Any, ...]:
    """Parse one line of a grammar table into parts.

    Raises:
        DataError: brackets do not match.

    >>> parse_line("The {who} is (tall|small).")[1].name
    'who'
    """
    position = 0

    def until(stops: str) -> tuple[tuple[Any, ...], str]:
        nonlocal position
        parts: list[Any] = []
        while True:
            found = _TOKEN.search(text, position)
            if found is None:
                if stops:
                    raise DataError(f"grammar line with an open bracket: {text!r}")
                if position < len(text):
                    parts.append(text[position:])
                position = len(text)
                return tuple(parts), ""
            if found.start() > position:
                parts.append(text[position : found.start()])
            position = found.end()
            token = found.group(0)
            if found.group(2):
                before = text[: found.start()]
                name = found.group(2)
                subject = before.lower().endswith("the ") and bool(_SUBJECT.search(before[:-4]))
                parts.append(Slot(name.lower(), bool(found.group(1)), name[0].isupper(), subject))
            elif found.group(3):
                inner, _ = until(">")
                parts.append(Marked(CATEGORY_CODES[found.group(3)], inner))
            elif token == "(":
                options: list[tuple[Any, ...]] = []
                stop = "|"
                while stop == "|":
                    inner, stop = until("|)")
                    options.append(inner)
                parts.append(Choice(tuple(options)))
            elif token in stops:
                return tuple(parts), token
            else:
                raise DataError(f"grammar line with a stray {token!r}: {text!r}")

    parts, _ = until("")
    return parts


def slots_of(parts: tuple[Any, ...]) -> frozenset[str]:
    """Return the names of all slots in the parts, mentioned ones with a leading "~"."""
    names: set[str] = set()
    for part in parts:
        if isinstance(part, Slot):
            names.add(("~" if part.mention else "") + part.name)
        elif isinstance(part, Marked):
            names |= slots_of(part.parts)
        elif isinstance(part, Choice):
            for option in part.options:
                names |= slots_of(option)
    return frozenset(names)


def frames_of(groups: list[dict[str, Any]]) -> list[Frame]:
    """Build the frames of one grammar table."""
    frames = []
    for group in groups:
        needs = frozenset(name[6:] for name in group if name.startswith("needs_") and group[name])
        hours = sum(HOUR_BIT[h] for h in group.get("hours", ())) or ANY_HOUR
        for line in group["lines"]:
            parts = parse_line(line)
            frames.append(
                Frame(
                    role=group["role"],
                    parts=parts,
                    text=line,
                    kinds=frozenset(group.get("kinds", ())),
                    social=group.get("social", ""),
                    place=group.get("place", ""),
                    hours=hours,
                    needs=needs,
                    slots=slots_of(parts),
                )
            )
    return frames


Filler = Callable[[Slot], "str | None"]


def render(
    parts: tuple[Any, ...],
    fill: Filler,
    draw: Stream,
    mark: Callable[[str, str], None],
) -> str | None:
    """Render parts to text; ``None`` when a slot cannot be filled.

    ``mark(category, text)`` is called for each marked phrase.
    """
    out: list[str] = []
    for part in parts:
        if isinstance(part, str):
            out.append(part)
            continue
        if isinstance(part, Slot):
            text = fill(part)
            if text is not None and part.capital:
                text = text[:1].upper() + text[1:]
            if text is not None and part.name == "who" and part.subject and text[0] == "=":
                # A pronoun replaces the article as well: "The {who}" becomes "She".
                before = out[-1]
                pronoun = text[1:]
                pronoun = pronoun.capitalize() if before[-4] == "T" else pronoun
                out[-1] = before[:-4]
                text = pronoun
        elif isinstance(part, Choice):
            text = render(draw.pick(part.options), fill, draw, mark)
        else:
            text = render(part.parts, fill, draw, mark)
            if text is not None:
                mark(part.category, text)
        if text is None:
            return None
        out.append(text)
    return "".join(out)


def with_articles(text: str) -> str:
    """Turn each ``a/an`` into the article that the next word asks for.

    >>> with_articles("A/an arm's-length view of a/an unit")
    "An arm's-length view of a unit"
    """

    def article(found: re.Match[str]) -> str:
        first, rest = found.group(2), found.group(3)
        word = (first + rest).lower()
        vowel = first.lower() in "aeiouáéíóúàèâêîôûåäöøæ"
        if word.startswith(("uni", "use", "eu", "one", "ut")) and not word.startswith("unin"):
            vowel = False
        if word.startswith(("hour", "honest", "heir")):
            vowel = True
        return f"{found.group(1)}{'n' if vowel else ''} {first}{rest}"

    return _AN.sub(article, text)
