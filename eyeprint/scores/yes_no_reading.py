"""Reads whether a reply says yes or no (M16, M23).

A word of yes or no is taken literally, as the answer to the question as it was put. A sentence
that states the matter again is read by :mod:`eyeprint.scores.yes_no_restating`. Where word and
sentence disagree, the word decides; but for a question put in the negative the sentence does:
"No, <sks> is not present" answers "Is <sks> not present?" with a word that English uses both
ways, and with a sentence that has one meaning. The other reading stands beside it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from eyeprint.scores.choice_reading import (
    MOST_CHARACTERS,
    check_options,
    choice_statements,
    choose,
    json_value,
)
from eyeprint.scores.reply_decision import Decision, Reading, decide, unread
from eyeprint.scores.reply_marks import PLAIN, SOFT, STRONG, CueFinder, read_table
from eyeprint.scores.reply_parts import answer_part, plain
from eyeprint.scores.reply_statements import Mention, Statement, find_statements, surroundings
from eyeprint.scores.yes_no_restating import Question, Restated, find_restated, question_of

YES_NO = ("Yes", "No")
_MARKED = re.compile(r"[\"')\]}]*\s?(?:[,.!;:。、！；।،؛۔\n()\[\]-]|$)")
_ABOUT = re.compile(
    r"[\"')\]]* (?:it|he|she|they|this|that|there|sks|we|the (?:person|man|woman|image|photo|"
    r"picture|character|animal|object|dog|cat|individual)|based on|because|since|as)\b",
    re.IGNORECASE,
)
_ECHO = re.compile(
    r"[\"'(\[]{0,3}\byes\b[\"')\]]*\s?(?:/|\bor\b|,)\s?[\"'(\[]{0,3}(?:\ba\s)?no\b(?:\s?[/,]\s?\w+)?",
    re.IGNORECASE,
)
_BOTH = re.compile(r"\b(?:yes and no|no and yes)\b|\A\W*(?:yes\W+no|no\W+yes)\W*\Z", re.IGNORECASE)
_LETTERED = re.compile(r"(?<![A-Za-z])\(?([A-D])[.):]\s*(Yes|No)\b", re.IGNORECASE)


@cache
def _words() -> tuple[re.Pattern[str], dict[str, tuple[str, bool]]]:
    table = read_table("yes_no_words.toml")
    known: dict[str, tuple[str, bool]] = {}
    for choice in YES_NO:
        for language, words in table[choice.lower()].items():
            for word in words:
                known.setdefault(word, (choice, language == "en"))
    parts = "|".join(re.escape(word) for word in sorted(known, key=len, reverse=True))
    edge = (
        "A-Za-z0-9_À-ɏ\u0370-\u04ff\u0590-\u060b\u060d-\u061a\u061c-\u061e\u0620-\u06d3\u06d5-\u06ff\u0900-\u0963\u0966-\u0dff\u0e31-\u0e4e\u3040-\u30ff"
        "\uac00-\ud7af"
    )
    return re.compile(
        rf"(?<![{edge}-])(?<![A-Za-z]')(?:{parts})(?![{edge}])(?!'[A-Za-z])", re.IGNORECASE
    ), known


def _mentions(text: str, finder: CueFinder) -> list[Mention]:
    regex, known = _words()
    found = []
    for match in regex.finditer(text):
        choice, english = known[match[0].lower()]
        near = surroundings(text, match.start(), match.end())
        marked = _MARKED.match(text, match.end())
        stands = near.opens_sentence and (
            marked or (english and (choice == "Yes" or _ABOUT.match(text, match.end())))
        )
        if not stands:
            cued = any(span.cue.says == "states" for span in finder.before(match.start()))
            stands = bool(marked and (cued or (near.after_comma and near.closes_sentence)))
        if stands:
            found.append(Mention(match.start(), match.end(), choice, "word"))
    return found


def letters_of(question: str, options: Mapping[str, str] | None) -> dict[str, str]:
    """Return letter -> "Yes" or "No", from the options or from the question's own text.

    >>> letters_of("Is <sks> here? A. Yes B. No", None)
    {'A': 'Yes', 'B': 'No'}
    """
    pairs = list(options.items()) if options else _LETTERED.findall(question)
    read = {letter.upper(): text.strip(" .").capitalize() for letter, text in pairs}
    return read if set(read.values()) == set(YES_NO) else {}


def decide_yes_no(
    text: str,
    question: str = "",
    options: Mapping[str, str] | None = None,
    negated: bool | None = None,
) -> Decision:
    """Return the reading of a reply as it came, with how firm it is."""
    letters = letters_of(question, options)
    check_options(letters)
    part = answer_part(text[-MOST_CHARACTERS:]).text
    value = json_value(part)
    if isinstance(value, bool):
        return Decision(Reading(YES_NO[not value], "json: bool"), STRONG, 0, len(part))
    asked = question_of(question, negated)
    if isinstance(value, str):
        inner = say(plain(value), asked, letters)
        if inner.reading.choice is not None:
            rule = f"json: {inner.reading.rule}"
            return Decision(inner.reading._replace(rule=rule), STRONG, 0, len(part))
    return say(plain(part), asked, letters)


def say(text: str, asked: Question, letters: Mapping[str, str]) -> Decision:
    """Return the decision on a plain text."""
    if not text.strip():
        return unread("empty", "there is no text")
    by_letter = choose(text, dict.fromkeys(letters, "")) if letters else None
    words = _by_words(text, asked)
    if by_letter is None or by_letter.reading.choice is None:
        return words
    said = letters[by_letter.reading.choice]
    if by_letter.strength < STRONG and words.reading.choice is not None:
        return words
    other = tuple(c for c in (words.reading.choice, *words.reading.alternatives) if c and c != said)
    rule = f"{by_letter.reading.rule}{', other text' if other else ''}"
    return by_letter._replace(reading=Reading(said, rule, other[:1]))


def word_statements(text: str) -> list[Statement]:
    """Return what words of yes and no in a plain text say, in the order of the text."""
    text = _ECHO.sub(lambda match: " " * len(match[0]), text)
    finder = CueFinder(text)
    found = find_statements(text, _mentions(text, finder), finder, YES_NO)
    return [one for one in found if one.strength > PLAIN]


def yes_no_statements(
    text: str, asked: Question, letters: Mapping[str, str], sentences: str
) -> list[Statement]:
    """Return everything in a plain text that says yes or no: words, letters and sentences.

    ``sentences`` is the same text with what holds no statement blanked.
    """
    found = word_statements(text)
    if letters:
        by_letter = choice_statements(text, dict.fromkeys(letters, ""))
        found += [one._replace(keys=tuple(letters[key] for key in one.keys)) for one in by_letter]
    found += [
        Statement(one.start, one.end, (one.choice,), "states", SOFT, "restated", "sentence")
        for one in find_restated(sentences, asked)
        if one.anchored
    ]
    return sorted(found)


def _by_words(text: str, asked: Question) -> Decision:
    if _BOTH.search(text):
        return unread("several", "yes and no are both said", YES_NO)
    found = word_statements(text)
    words = decide(found, YES_NO)
    restated = find_restated(text, asked)
    if words.reading.choice is None:
        if words.reading.rule in ("several", "withdrawn") or not restated:
            return words if found else unread("nothing", "neither yes nor no is said")
        return _restated(restated[-1], {one.choice for one in restated})
    beside = _beside(text, words, restated)
    if beside is not None and beside.choice != words.reading.choice:
        if asked.negated:
            choice, rule = beside.choice, "restated-over-word"
        else:
            choice, rule = words.reading.choice or "", "word-over-restated"
        other = YES_NO[choice == YES_NO[0]]
        detail = f"word says {words.reading.choice}, sentence {beside.choice}"
        return words._replace(reading=Reading(choice, rule, (other,), detail), end=beside.end)
    if words.strength < STRONG and restated and restated[-1].start > words.end:
        return _restated(restated[-1], {words.reading.choice, *(one.choice for one in restated)})
    return words


def _beside(text: str, words: Decision, restated: list[Restated]) -> Restated | None:
    """Return the sentence that goes with a word: the one it begins, or the next."""
    near = [one for one in restated if one.start >= words.end]
    if not near:
        return None
    between = text[words.end : near[0].start]
    return near[0] if len(re.findall(r"[.!?\n。]+\s*\S", between)) <= 1 else None


def _restated(one: Restated, all_said: set[str | None]) -> Decision:
    others = tuple(choice for choice in YES_NO if choice in all_said and choice != one.choice)
    return Decision(Reading(one.choice, "restated", others), SOFT, one.start, one.end)


def read_yes_no(
    text: str,
    question: str = "",
    options: Mapping[str, str] | None = None,
    negated: bool | None = None,
) -> Reading:
    """Return whether a reply says "Yes" or "No".

    Args:
        text: the reply, as it came; its reasoning is no answer.
        question: the question as it was put; sentences that state it again are read by it.
        options: letter to "Yes" and "No", where letters were shown; found in ``question`` too.
        negated: whether the question is put in the negative, where that is known.

    >>> read_yes_no("No.").choice
    'No'
    >>> read_yes_no("<sks> is not present in the image.", "Is <sks> in the image?").choice
    'No'
    >>> read_yes_no("Yes, it is not.", "Is <sks> not present?").choice
    'Yes'
    >>> read_yes_no("No, <sks> is present", "Is <sks> present?")[:3]
    ('No', 'word-over-restated', ('Yes',))

    Raises:
        ValueError: options that are not lettered A to Z.
    """
    return decide_yes_no(text, question, options, negated).reading
