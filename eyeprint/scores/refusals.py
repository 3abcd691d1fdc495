"""Finds how a reply evades a question (CHECKLIST M30, X9).

Patterns are data: ``data/evasions.toml``, and those of :mod:`eyeprint.models.refusals`. They are
searched in every sentence of the answer part, not only at its beginning: whoever is asked a
question and says "I cannot determine that" anywhere has not answered it there. Whether an
answer stands beside the evasion is for :func:`eyeprint.scores.replies.read_answer` to say. A
text that only describes is no evasion, so that counts are lower bounds, as in the paper.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple

from eyeprint.models.refusals import refusal_patterns
from eyeprint.scores.reply_marks import read_table
from eyeprint.scores.reply_parts import answer_part, lowered, plain

HEAD, TAIL = 4000, 2000
"""Characters at the beginning and the end of an answer part in which evasions are sought."""
BEYOND_ASCII = frozenset(("zh", "ja", "ko", "ar", "hi", "ru"))
"""Languages whose patterns match nothing in a text of ASCII alone."""
_SENTENCE = re.compile(r"[^.!?\n。！？।]{1,500}[.!?。！？।]*")
_LEAD = re.compile(
    r"[\s\"'*#>(\[-]*(?:(?:[A-D][).:]|yes|no|well|ok(?:ay)?|look|hi|hello|hmm|answer:)[\s,.:;!-]+)?",
    re.IGNORECASE,
)
_QUOTED = re.compile(r'"[^"\n]{0,300}"|(?<!\w)\'[^\'\n]{2,300}\'(?!\w)')


class Evasion(NamedTuple):
    """Where and how a reply evades."""

    id: str
    """The pattern's id, such as ``cannot-judge``; of the shared refusals ``refusal:en-unable``."""
    language: str
    sentence: str
    """The sentence that evades, in the plain form."""
    start: int
    end: int
    """Where the matching words stand in the plain form of the answer part."""
    weak: bool
    """Whether it is none beside an answer: an apology, "unknown", "as an AI"."""


class _Pattern(NamedTuple):
    id: str
    language: str
    regex: re.Pattern[str]
    weak: bool
    at_edge: bool
    """Whether it asks for a sentence's beginning or end."""


@cache
def evasion_patterns() -> tuple[_Pattern, ...]:
    """Return the patterns of ``data/evasions.toml``, compiled, in the order of the file."""
    table = read_table("evasions.toml")
    made = []
    for entry in table["pattern"]:
        regex = entry["regex"]
        for part, value in table["parts"].items():
            regex = regex.replace("{" + part + "}", value)
        compiled = re.compile(regex)
        edge = re.search(r"(?<!\[)\^|\$", regex) is not None
        made.append(
            _Pattern(entry["id"], entry["language"], compiled, entry.get("weak", False), edge)
        )
    return tuple(made)


@cache
def turn_regex() -> re.Pattern[str]:
    """Return what turns a reply that evades into one that answers after all."""
    return re.compile(read_table("evasions.toml")["turn"]["regex"], re.IGNORECASE)


def _sentences(text: str) -> Iterator[tuple[int, str]]:
    for match in _SENTENCE.finditer(text):
        if match.start() < HEAD or match.end() > len(text) - TAIL:
            yield match.start(), match[0]


def find_evasions(text: str) -> Iterator[Evasion]:
    """Yield the evasions of a plain text, one a sentence, in order."""
    blanked = _QUOTED.sub(lambda match: "." * len(match[0]) if " " in match[0] else match[0], text)
    # A pattern that is nowhere in the text is in none of its sentences; only those that ask for
    # a sentence's beginning or end have to be tried on each.
    low = lowered(blanked)
    ascii_only = low.isascii()
    own = [
        one
        for one in evasion_patterns()
        if not (ascii_only and one.language in BEYOND_ASCII)
        and (one.at_edge or one.regex.search(low))
    ]
    shared = [
        one for one in refusal_patterns() if not (ascii_only and one.language in BEYOND_ASCII)
    ]
    for offset, sentence in _sentences(low):
        found = _strongest(offset, sentence, own, shared)
        if found is not None:
            said = blanked[offset : offset + len(sentence)].strip()
            yield found._replace(sentence=said)


def _strongest(
    offset: int, sentence: str, own: Sequence[_Pattern], shared: Sequence[Any]
) -> Evasion | None:
    weak: Evasion | None = None
    space = len(sentence) - len(sentence.lstrip())
    body = sentence[space:]
    lead = _LEAD.match(sentence)
    led = lead.end() if lead and lead.end() > space else 0
    for pattern in own:
        match, begin = pattern.regex.search(body), offset + space
        if match is None and led:
            match, begin = pattern.regex.search(sentence[led:]), offset + led
        if match is None:
            continue
        one = Evasion(
            pattern.id,
            pattern.language,
            body.strip(),
            begin + match.start(),
            begin + match.end(),
            pattern.weak,
        )
        if not pattern.weak:
            return one
        weak = weak or one
    for refusal in shared:
        match = refusal.regex.match(sentence, led) or refusal.regex.match(sentence, space)
        if match is not None:
            return Evasion(
                f"refusal:{refusal.id}",
                refusal.language,
                body.strip(),
                offset + match.start(),
                offset + match.end(),
                weak=False,
            )
    return weak


def find_evasion(text: str) -> Evasion | None:
    """Return how a reply evades, as it came, or ``None``; the first that is not weak.

    >>> find_evasion("I'm sorry, but I can't identify people in images.").id
    'cannot-judge'
    >>> find_evasion("Unknown").id
    'unknown'
    >>> find_evasion("The image shows a woman in a park.") is None
    True
    """
    weak = None
    for one in find_evasions(plain(answer_part(text).text)):
        if not one.weak:
            return one
        weak = weak or one
    return weak
