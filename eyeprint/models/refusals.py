"""Recognises replies that decline, in a dozen languages, and counts nothing else (X9).

A refusal is a reply that declines, not a text that mentions declining: "I can't" inside
a quotation, in the middle of a long prompt, or in "I can't help falling in love" is no
refusal. Patterns are data (``data/refusals.toml``), each with an id that reports carry.
They are tried on the first sentences only, after reasoning and quoted parts have been
taken out.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.resources import files
from typing import NamedTuple

OPENING_SENTENCES = 3
"""How many sentences of a reply can carry a refusal."""
OPENING_CHARACTERS = 600

_REASONING = re.compile(r"^\s*<(think|thinking|reasoning)>.*?</\1>", re.DOTALL | re.IGNORECASE)
_QUOTED = re.compile(
    r"```.*?(?:```|\Z)"
    r"|`[^`\n]*`"
    r'|"[^"]*(?:"|\Z)'
    r"|“[^”]*(?:”|\Z)"
    r"|„[^“”]*(?:[“”]|\Z)"
    r"|«[^»]*(?:»|\Z)"
    r"|「[^」]*(?:」|\Z)"
    r"|‘[^’\n]{2,}’(?!\w)"
    r"|(?<!\w)'[^'\n]+?'(?!\w)"
    r"|(?m:^[ \t]*>.*$)",
    re.DOTALL,
)
_QUOTE_MARK = re.compile("[`\"“„«「‘'>]")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？।])\s*|\n+")
_MARKUP = " \t\r\n*_#-–—•"


class RefusalMatch(NamedTuple):
    """Where and how a reply declines."""

    id: str
    """The pattern's id, such as ``en-unable``."""
    language: str
    sentence: str
    """The sentence that declines, as the reply has it but for quoted parts."""


class _Pattern(NamedTuple):
    id: str
    language: str
    regex: re.Pattern[str]


@cache
def refusal_patterns() -> tuple[_Pattern, ...]:
    """Return the patterns of ``data/refusals.toml``, compiled, in the order of the file."""
    text = files("eyeprint.models").joinpath("data/refusals.toml").read_text(encoding="utf-8")
    table = tomllib.loads(text)
    patterns = []
    for entry in table["pattern"]:
        regex = entry["regex"]
        for part, value in table["parts"].get(entry["language"], {}).items():
            regex = regex.replace("{" + part + "}", value)
        compiled = re.compile(regex, re.IGNORECASE)
        patterns.append(_Pattern(entry["id"], entry["language"], compiled))
    return tuple(patterns)


def _sentences(text: str) -> list[str]:
    """Return the opening sentences, quoted parts blanked, markup at both ends removed."""
    text = _REASONING.sub("", text)
    stripped = text.strip()
    if stripped[:1] in ("{", "["):
        # All text of a JSON value is quoted: what it says is for its reader to judge.
        return []
    opening = stripped[: OPENING_CHARACTERS * 2]
    if _QUOTE_MARK.search(opening):
        opening = _QUOTED.sub(" … ", opening)
    opening = opening[:OPENING_CHARACTERS]
    opening = opening.replace("’", "'").replace("ʼ", "'").replace("**", "").replace("__", "")
    # One split more than sentences: the last piece is the rest.
    pieces = _SENTENCE_END.split(opening.strip(_MARKUP), OPENING_SENTENCES)
    found = (piece.strip(_MARKUP) for piece in pieces[:OPENING_SENTENCES])
    return [piece for piece in found if piece]


def find_refusal(text: str) -> RefusalMatch | None:
    """Return how a reply declines, or ``None`` when it does not.

    >>> find_refusal("I'm sorry, but I can't help with that.").id
    'en-sorry-unable'
    >>> find_refusal("A café at dusk; I can't help falling in love with its lamps.") is None
    True
    >>> find_refusal('The sign reads "I cannot assist with that", in red neon.') is None
    True
    """
    for sentence in _sentences(text):
        for pattern in refusal_patterns():
            if pattern.regex.match(sentence):
                return RefusalMatch(pattern.id, pattern.language, sentence)
    return None
