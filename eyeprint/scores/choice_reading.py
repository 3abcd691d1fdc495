"""Reads which option a reply chooses: strictly first, then loosely (M18, M23)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from eyeprint.models.json_replies import read_json
from eyeprint.scores.choice_mentions import _scripts, find_mentions, tokens
from eyeprint.scores.choice_paraphrases import paraphrased
from eyeprint.scores.reply_decision import Decision, Reading, decide, unread
from eyeprint.scores.reply_marks import SOFT, STRONG, CueFinder, read_table
from eyeprint.scores.reply_parts import answer_part, lowered, plain
from eyeprint.scores.reply_statements import Statement, find_statements
from eyeprint.scores.reply_verdicts import mark_verdicts

MOST_CHARACTERS = 100_000
"""Of a longer reply only the end is read."""
_WHOLE = re.compile(
    r"(?:[\s\"'(\[{<*_~#.:-]|boxed answer: |(?:the|option|choice|letter|answer|opción)\b|"
    r"选项|選択肢|الخيار){0,30}(?P<sign>[^\W\d_][\u0300-\u036f\u0900-\u0963\u0966-\u0dff]?|هـ|الف)"
    r"[\s\"')\]}>.,;:!。*_~#]{0,30}",
    re.IGNORECASE,
)
_JSON_KEY = re.compile(
    r"[\"'](?:final_?\s?)?(?:answer|choice|option|response|prediction|label|selection|result|"
    r"selected|letter|verdict|output|ans)(?:_?(?:letter|option|choice|id))?[\"']\s*:",
    re.IGNORECASE,
)


@cache
def _none_regex() -> re.Pattern[str]:
    return re.compile(read_table("choice_words.toml")["none"]["regex"])


def json_value(text: str) -> object:
    """Return the value under a key such as "answer" of the JSON object in a reply, or ``None``.

    >>> json_value('{"reason": "A is wrong", "answer": "C"}')
    'C'
    """
    if "{" not in text or not _JSON_KEY.search(text):
        return None
    value = read_json(text).value
    if not isinstance(value, dict):
        return None
    found = None
    for key, item in value.items():
        if _JSON_KEY.fullmatch(f'"{key}":'):
            found = item
    return found


def check_options(options: Mapping[str, str]) -> None:
    """Raise ``ValueError`` for options that are not lettered A to Z."""
    for letter in options:
        if len(letter) != 1 or not ("A" <= letter <= "Z"):
            raise ValueError(f"options are lettered A to Z; '{letter}' is no such letter")


@cache
def _aversive_regex() -> re.Pattern[str]:
    return re.compile(read_table("choice_words.toml")["aversive"]["regex"], re.IGNORECASE)


def is_aversive(question: str) -> bool:
    """Return whether a question asks for what somebody dislikes.

    >>> is_aversive("What would <sks> rather avoid?"), is_aversive("What suits <sks> best?")
    (True, False)
    """
    return _aversive_regex().search(plain(question)) is not None


def choice_statements(
    text: str, options: Mapping[str, str], *, aversive: bool = False
) -> list[Statement]:
    """Return what a plain text says of the options, in the order of the text.

    ``aversive``: the options are what somebody may dislike, so that "she hates B" states B.
    """
    finder = CueFinder(text, aversive=aversive)
    mentions = find_mentions(text, options, finder)
    found = find_statements(text, mentions, finder, tuple(options))
    found = mark_verdicts(text, options, found)
    taken = [(one.start, one.end) for one in found]
    for match in _none_regex().finditer(lowered(text)):
        if not any(left <= match.start() < right for left, right in taken):
            found.append(Statement(match.start(), match.end(), (), "states", SOFT, "none-of-them"))
    return sorted(found)


def choose(text: str, options: Mapping[str, str], question: str = "") -> Decision:
    """Return the decision on a plain text."""
    if not text.strip():
        return unread("empty", "there is no text")
    whole = _whole(text, options)
    if whole is not None:
        return whole
    aversive = is_aversive(question)
    found = choice_statements(text, options, aversive=aversive)
    if found:
        return decide(found, tuple(options))
    other = paraphrased(text, options, question, aversive=aversive)
    return other or decide(found, tuple(options))


def _whole(text: str, options: Mapping[str, str]) -> Decision | None:
    if len(text) <= 60:
        match = _WHOLE.fullmatch(text)
        if match:
            sign = match["sign"]
            key = sign.upper() if sign.upper() in options else _scripts().get(sign, "")
            if key in options:
                same = tuple(
                    other
                    for other, said in options.items()
                    if other != key and said.strip().casefold() == sign.casefold()
                )
                return Decision(Reading(key, "letter", same), STRONG, 0, len(text))
    said = {key: tokens(value) for key, value in options.items()}
    longest = max((len(value) for value in options.values()), default=0)
    if len(text) > 2 * longest + 40:
        return None
    stripped = text.strip("\"' .").casefold()
    exact = [key for key, value in options.items() if value.strip(" .").casefold() == stripped]
    if len(exact) == 1:
        return Decision(Reading(exact[0], "text"), STRONG, 0, len(text))
    own = tokens(text)
    equal = [key for key, words in said.items() if words and words == own]
    if len(equal) == 1:
        return Decision(Reading(equal[0], "text-normalised"), STRONG, 0, len(text))
    return None


def decide_choice(text: str, options: Mapping[str, str], question: str = "") -> Decision:
    """Return the reading of a reply as it came, with how firm it is."""
    check_options(options)
    part = answer_part(text[-MOST_CHARACTERS:]).text
    value = json_value(part)
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if isinstance(value, str):
        inner = choose(plain(value), options, question)
        if inner.reading.choice is not None:
            rule = f"json: {inner.reading.rule}"
            return Decision(inner.reading._replace(rule=rule), STRONG, 0, len(value))
    if value is None and part.startswith("{") and isinstance(read_json(part).value, dict):
        return unread("json", "the JSON object has no key for an answer")
    return choose(plain(part), options, question)


def read_choice(text: str, options: Mapping[str, str], question: str = "") -> Reading:
    r"""Return which option a reply chooses.

    Args:
        text: the reply, as it came; its reasoning is no answer.
        options: letter to text, in the order in which they were shown.
        question: what was asked, where known: to a question on dislikes "she hates B" states B.

    >>> options = {"A": "the beach", "B": "the mountains", "C": "a city"}
    >>> read_choice(r"$\boxed{\text{C}}$", options).choice
    'C'
    >>> read_choice("A person like this picks the beach", options)
    Reading(choice='A', rule='would-pick', alternatives=(), detail='')
    >>> read_choice("The answer is debatable, yet B", options).choice
    'B'
    >>> read_choice("A or B", options)[:3]
    (None, 'several', ('A', 'B'))

    Raises:
        ValueError: options that are not lettered A to Z.
    """
    return decide_choice(text, options, question).reading
