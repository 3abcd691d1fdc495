"""Reads lists that pass a verdict on each option ("A: no ... C: yes") (M23).

Two lines at least begin with different options and say yes or no of them. One yes is the answer;
several, or none, are no answer, and then the lines only list.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from eyeprint.scores.choice_mentions import text_mentions
from eyeprint.scores.reply_marks import PLAIN, STRONG
from eyeprint.scores.reply_statements import Role, Statement

_LINE = re.compile(
    r"^[ \t]*(?:(?:option|choice|answer)[ \t]+)?[\"'(\[]?(?P<key>[A-Za-z])[\"')\]]?"
    r"(?P<mark>[ \t]?[.:)\]-]|[ \t]?(?=[(\"]|[✓✅✔☑✗❌✘✖])|(?=[ \t]+(?:is|-)[ \t]))"
    r"(?P<rest>[^\n]*)$",
    re.MULTILINE,
)
_GOOD = r"yes|correct|true|right|match(?:es)?|[✓✅✔☑]"
_BAD = (
    r"no|nope|incorrect|false|wrong|not (?:correct|right|true|a match|it|this|sks|present|in the "
    r"(?:image|picture|photo)|shown|visible|held)|no match|doesn't match|does not match|[✗❌✘✖]"
)
_VERDICT = re.compile(
    rf"(?:^|[:.()\[\],;?!-]|\bis|\b(?:this|that|it) is|\b(?:this|that|it)'s)[ \t]*"
    rf"[\"'(\[]?(?:(?P<good>{_GOOD})|(?P<bad>{_BAD}))"
    r"(?=[\"')\]]*[ \t]*(?:[.,;:!)\]-]|$|because\b|since\b|as\b))",
    re.IGNORECASE,
)
_TEXT_FIRST = re.compile(r"[ \t\"'(\[]*(?:(?:the|an?)[ \t])?", re.IGNORECASE)
_AT_END = re.compile(r"(?:(?P<good>[✓✅✔☑])|(?P<bad>[✗❌✘✖]))[ \t]*$")


class _Line(NamedTuple):
    start: int
    end: int
    key: str
    good: bool | None


def _lines(text: str, options: Mapping[str, str]) -> list[_Line]:
    found = []
    for match in _LINE.finditer(text):
        key = match["key"]
        if key not in options:
            continue
        said = _AT_END.search(match["rest"]) or _VERDICT.search(match["rest"])
        good = None if said is None else said["good"] is not None
        found.append(_Line(match.start("key"), match.end(), key, good))
    lettered = {line.end for line in found}
    for mention in text_mentions(text, options):
        begin = text.rfind("\n", 0, mention.start) + 1
        stop = text.find("\n", mention.end)
        stop = len(text) if stop < 0 else stop
        if stop in lettered or _TEXT_FIRST.fullmatch(text, begin, mention.start) is None:
            continue
        said = _VERDICT.search(text, mention.end, stop) or _AT_END.search(text, mention.end, stop)
        if said is not None:
            found.append(_Line(mention.start, stop, mention.key, said["good"] is not None))
    return sorted(found)


def mark_verdicts(text: str, options: Mapping[str, str], found: list[Statement]) -> list[Statement]:
    """Return the statements with those of a list of verdicts in place of what they came from.

    >>> options = {"A": "a flag", "B": "a key"}
    >>> mark_verdicts("A: no\\nB: yes", options, [])[1][2:6]
    (('B',), 'states', 2, 'verdict')
    >>> mark_verdicts("A. a flag\\nB. a key", options, [])
    []
    """
    if "\n" not in text or any(_VERDICT.match(said) for said in options.values()):
        return found
    lines = _lines(text, options)
    told = [line for line in lines if line.good is not None]
    if len(told) < 2 or len({line.key for line in told}) < len(told):
        return found
    several = sum(line.good is True for line in told) > 1

    def made(line: _Line) -> Statement:
        if not line.good:
            return Statement(
                line.start, line.end, (line.key,), "denies", PLAIN, "verdict", cue="verdict"
            )
        role: Role = "lists" if several else "states"
        return Statement(
            line.start, line.end, (line.key,), role, PLAIN if several else STRONG, "verdict"
        )

    inside = [line for line in lines if line.good is not None or several]
    kept = [one for one in found if not any(line.start <= one.start < line.end for line in inside)]
    # A line without a verdict, in a list that passes them, lists its option.
    bare = {line.start: line for line in lines if line.good is None}
    kept = [
        one._replace(role="lists", strength=PLAIN)
        if one.start in bare and one.rule in ("line", "lettered-line")
        else one
        for one in kept
    ]
    return sorted([*kept, *map(made, told)])
