"""Reads an option out of other words than its own: "standing on the stump of a tree" (M18, M20).

For replies in which no option is named by letter or text. An option counts when its words stand
close together in a sentence, in whatever order and form, or when a sentence says nothing but
words of it, among them what it names ("a gift" of "a wrapped gift", never "wrapped"). Words of
any other option beside them, a negation, or a word of the opposite taste, and nothing is read.
English only: of other languages no forms of words are known here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import NamedTuple

from eyeprint.scores.reply_decision import Decision, Reading
from eyeprint.scores.reply_marks import PLAIN, read_table
from eyeprint.scores.reply_parts import lowered, plain

LONGEST = 700
"""Characters of a reply beyond which nothing is read out of other words."""
_LOOSEST = 3
"""How many other words may stand between the words of an option."""
_SHORT = 10
"""Words of a reply that need not say of whom it speaks."""
_MANY = 3
"""Words of an option from which on a word of another may stand beside them ("sitting")."""
_WORD = re.compile(r"[a-z0-9]+(?:n't)?")
_PARTS = re.compile(r"[a-z0-9]+(?:n't)?|,")
_SENTENCE = re.compile(r"[^.!?;\n]+[.!?;\n]?")
_WHOM = re.compile(r"\b(?:sks|he|she|it|they|his|her|their|its|this|that)\b")
_DOUBT = re.compile(
    r"\b(?:if|whether|may|might|maybe|perhaps|could|or|unlike|other than|different|between|neither|"
    r"nor|fake|toy)\b"
)
_NOT_THIS = re.compile(r"\b(?:rather than|instead of|than)\b[^.!?;\n]*")
_OF_PICTURE = re.compile(
    r"\b(?:in|on|at|from) (?:the|this|that|your) "
    r"(?:image|picture|photo|scene|foreground|background)\b"
)


class _Option(NamedTuple):
    words: frozenset[str]
    heads: frozenset[str]
    """What it names, each of which can stand for it."""
    places: frozenset[str]
    """Its words of place: "under the table" is not "on the table"."""


@cache
def _words(name: str) -> frozenset[str]:
    return frozenset(read_table("choice_words.toml")["paraphrase"][name].split())


@cache
def _taste(name: str) -> re.Pattern[str]:
    return re.compile(read_table("yes_no_words.toml")["restating"][name], re.IGNORECASE)


def stem(word: str) -> str:
    """Return what the forms of an English word have in common.

    >>> stem("hikes"), stem("hiking"), stem("wrapped"), stem("beaches")
    ('hik', 'hik', 'wrap', 'beach')
    """
    if len(word) > 4 and word.endswith("ies"):
        word = word[:-3] + "y"
    elif len(word) > 4 and word.endswith(("ches", "shes", "sses", "xes")):
        word = word[:-2]
    elif len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending in ("ing", "ed"):
        if len(word) > len(ending) + 2 and word.endswith(ending):
            word = word[: -len(ending)]
            if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "lsz":
                word = word[:-1]
            break
    return word[:-1] if len(word) > 3 and word.endswith("e") else word


@lru_cache(maxsize=512)
def _options(options: tuple[tuple[str, str], ...]) -> dict[str, _Option]:
    """Return the options in stems; empty where they cannot be told apart by them."""
    made: dict[str, _Option] = {}
    for key, text in options:
        said = plain(text).lower()
        if not said.isascii():
            return {}
        parts: list[list[str]] = [[]]
        own = _PARTS.findall(said.replace("'s ", " "))
        for word in own:
            if word == "," or word in _words("joins") or word in _words("places"):
                parts.append([])
            elif word not in _words("function"):
                parts[-1].append(stem(word))
        words = frozenset(word for part in parts for word in part)
        if not words:
            return {}
        heads = frozenset(part[-1] for part in parts if part)
        # Of "sitting on a sofa" the sofa is told apart, not the sitting.
        things = heads - {stem(word) for word in own if word.endswith("ing")}
        heads = things or heads
        # Of "red and white", white alone is not said.
        heads = frozenset() if "and" in own else heads
        made[key] = _Option(words, heads, _words("places") & set(own))
    return made if len({one.words for one in made.values()}) == len(made) else {}


def _close(said: list[str], words: frozenset[str]) -> bool:
    """Return whether all of some words stand close together."""
    most = len(words) + _LOOSEST
    return any(words <= set(said[at : at + most]) for at in range(len(said)))


def _named(sentence: str, known: Mapping[str, _Option], frame: frozenset[str]) -> set[str]:
    own = _WORD.findall(_OF_PICTURE.sub(" ", sentence).replace("'s ", " "))
    places = _words("places") & set(own)
    passed = _words("function") | _words("places") | _words("joins")
    said = [stem(word) for word in own if word not in passed]
    rest = {word for word in said if word not in frame}
    full = {
        key
        for key, one in known.items()
        if len(one.words) > 1 and one.words <= set(said) and _close(said, one.words)
    }
    part = {key for key, one in known.items() if rest and rest <= one.words}
    part = {key for key in part if len(part) == 1 and rest & known[key].heads}
    found = full if len(full) == 1 else full | part
    return {
        key for key in found if not (places and known[key].places) or places & known[key].places
    }


def paraphrased(
    text: str, options: Mapping[str, str], question: str = "", *, aversive: bool = False
) -> Decision | None:
    """Return the option that a plain text names in other words, or ``None``.

    >>> options = {"A": "a pink cushion", "B": "a tree stump", "C": "a red cushion"}
    >>> paraphrased("She is standing on the stump of a tree.", options).reading.choice
    'B'
    >>> paraphrased("a cushion", options) is None, paraphrased("a green stump", options) is None
    (True, True)
    """
    known = _options(tuple(options.items()))
    if not known or len(text) > LONGEST:
        return None
    text = _NOT_THIS.sub("", lowered(text))
    every = frozenset(word for one in known.values() for word in one.words)
    asked = {stem(word) for word in _WORD.findall(plain(question).lower())}
    frame = (frozenset(map(stem, _words("frame"))) | asked) - every
    short = len(text.split()) <= _SHORT
    keys: set[str] = set()
    place = (0, len(text))
    for match in _SENTENCE.finditer(text):
        sentence = match[0]
        if sentence.endswith("?") or _DOUBT.search(sentence):
            continue
        if not short and not _WHOM.search(sentence):
            continue
        if _taste("negation").search(sentence):
            continue
        if _taste("liked" if aversive else "disliked").search(sentence):
            continue
        found = _named(sentence, known, frame)
        if found:
            keys |= found
            place = match.span()
    if len(keys) != 1:
        return None
    key = next(iter(keys))
    said = {stem(word) for word in _WORD.findall(text)}
    if _said_of_others(said, known, key):
        return None
    return Decision(Reading(key, "paraphrase"), PLAIN, *place)


def _said_of_others(said: set[str], known: Mapping[str, _Option], key: str) -> bool:
    own = known[key].words
    for other, one in known.items():
        beside = (said & one.words) - own
        if other != key and beside:
            whole = len(own) >= _MANY and own <= said
            if not whole or 2 * len(said & one.words) >= len(one.words):
                return True
    return False
