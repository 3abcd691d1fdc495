"""Phrases of a caption by what they show, found with patterns and a look-up table (V22).

A small chunker for descriptive English, not a parser. A noun phrase is a run of words
that are neither function words nor finite verbs, with the determiner before it and one
"of ..." after it; an action is a verb form with the few words that follow it. The head
noun decides the category, its modifiers, the words before it ("behind", "wearing") and its
place in the caption weigh in. Every phrase is a slice of the caption, verbatim.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from pydantic import Field

from eyeprint.config import Settings
from eyeprint.people.inverse_lexicon import Lexicon, Word, lexicon
from eyeprint.records.people import CATEGORIES

TOKEN = re.compile(r"[^\W_]+(?:[’'\-][^\W_]+)*|[.!?;:,()\[\]—–\"“”…]")
SENTENCE_END = frozenset(".!?…")
OPENING_BONUS = 4.2
"""What is named first is what the picture is about: evidence at the very start of a caption."""
OPENING_PART = 0.32
"""Part of the caption over which that evidence fades to nothing."""
CUE_BONUS = 2.0
BEHIND_BONUS = 3.2
"""Evidence for the background in a clause that began with "behind", "beyond" ..."""
BEHIND_REACH = 14
"""Words over which that evidence reaches."""
LONGEST_RUN = 6
PERSONAL = frozenset(("his", "her", "their", "my", "our"))
BARE_DETERMINERS = frozenset(
    (
        "the",
        "this",
        "that",
        "these",
        "those",
        "what",
        "which",
        "such",
        "any",
        "some",
        "its",
        "whose",
    )
)
"""Determiners that a phrase loses: "the fog" is "fog"; "a", numbers and "her" stay."""
RICHNESS = 0.15
"""Evidence for each word beside the head: "oiled yellow paper" says more than "paper"."""
BARE_PENALTY = 0.6


class ExtractSettings(Settings):
    """How captions are read without a model; the paper gives no procedure (V22)."""

    per_category: int = Field(default=3, ge=1, le=20)
    """Most phrases of one category in one caption; the best are taken."""
    min_score: float = Field(default=1.0, ge=0)
    """Evidence that a phrase needs (:data:`~eyeprint.people.inverse_lexicon.CERTAIN` = 3)."""
    longest_words: int = Field(default=6, ge=1)
    """Longest phrase, in words."""
    english_share: float = Field(default=0.2, ge=0, le=1)
    """Share of function words, or of known words, from which a caption counts as English."""


class Token(NamedTuple):
    """A word or a punctuation mark and where it stands."""

    text: str
    start: int
    end: int
    word: Word


class Phrase(NamedTuple):
    """A phrase of a caption with the evidence for its category."""

    text: str
    category: str
    score: float
    start: int
    head: Word
    """The word that the phrase is about."""


def is_english(text: str, settings: ExtractSettings | None = None) -> bool:
    """Tell whether a caption reads as English, the only language of the lexicon.

    >>> is_english("A red door at the end of the lane"), is_english("Une porte rouge au fond")
    (True, False)
    """
    share = (settings or ExtractSettings()).english_share
    words = [w for w in re.findall(r"[^\W\d_]+(?:[’'\-][^\W\d_]+)*", text.lower()) if w]
    if not words:
        return False
    look_up = lexicon().look_up
    found = [look_up(word) for word in words]
    function = sum(
        word.role not in ("open", "adverb") or w == "of"
        for w, word in zip(words, found, strict=True)
    )
    known = sum(bool(word.weights) for word in found)
    return function >= share * len(words) or known >= 2 * share * len(words)


def find_phrases(caption: str, settings: ExtractSettings | None = None) -> list[Phrase]:
    """Return every phrase that reaches ``min_score``, in the order of the caption.

    Phrases may overlap: an action holds the things it is done with.

    >>> for found in find_phrases("An old potter in the yard, wiping a copper bowl."):
    ...     print(found.category, found.text)
    foreground An old potter
    environment yard
    actions wiping a copper bowl
    objects a copper bowl
    """
    settings = settings or ExtractSettings()
    table = lexicon()
    tokens = [
        Token(m.group(), m.start(), m.end(), table.look_up(m.group().lower().replace("’", "'")))
        for m in TOKEN.finditer(caption)
    ]
    found = []
    for begin, end, pieces in _chunks(tokens, settings.longest_words):
        phrase = _judged(caption, tokens, begin, end, pieces, table)
        if phrase is not None and phrase.score >= settings.min_score:
            found.append(phrase)
    found += _actions(caption, tokens, settings.longest_words)
    return sorted(found, key=lambda phrase: (phrase.start, -len(phrase.text)))


def elements_of(caption: str, settings: ExtractSettings | None = None) -> dict[str, list[str]]:
    """Return the caption's elements: category -> phrases, the best of each, in text order.

    Empty for captions that are not English. No phrase stands in two categories.

    >>> for found in elements_of("A carpenter at his bench; behind him, rusty saws.").items():
    ...     print(*found)
    foreground ['A carpenter']
    background ['rusty saws']
    objects ['his bench']
    """
    settings = settings or ExtractSettings()
    if not is_english(caption, settings):
        return {}
    return best_of(find_phrases(caption, settings), settings)


def best_of(phrases: list[Phrase], settings: ExtractSettings) -> dict[str, list[str]]:
    """Return category -> the best phrases of it, in text order, out of one caption's phrases."""
    by_category: dict[str, list[Phrase]] = {}
    seen: set[str] = set()
    for phrase in phrases:
        key = phrase.text.lower()
        if key not in seen:
            seen.add(key)
            by_category.setdefault(phrase.category, []).append(phrase)
    chosen = {}
    for category in CATEGORIES:
        ranked = sorted(by_category.get(category, ()), key=lambda p: (-p.score, p.start))
        kept = _without_inner(ranked)[: settings.per_category]
        if kept:
            chosen[category] = [p.text for p in sorted(kept, key=lambda p: p.start)]
    return chosen


def _without_inner(ranked: list[Phrase]) -> list[Phrase]:
    kept: list[Phrase] = []
    for phrase in ranked:
        end = phrase.start + len(phrase.text)
        if all(end <= k.start or phrase.start >= k.start + len(k.text) for k in kept):
            kept.append(phrase)
    return kept


def _opens(token: Token) -> bool:
    """Tell whether a token can stand inside a noun phrase."""
    return token.word.role == "open" and (token.text[0].isalnum())


Chunk = tuple[int, int, list[list[int]]]
"""First token, one past the last token, and the runs that "of" joins."""


def _chunks(tokens: list[Token], longest: int) -> Iterator[Chunk]:
    at = 0
    while at < len(tokens):
        begin = at
        while at < len(tokens) and tokens[at].word.role == "determiner":
            at += 1
        run, at = _run(tokens, at)
        if not run:
            at = max(at, begin + 1)
            continue
        runs = [run]
        if at + 1 < len(tokens) and tokens[at].text.lower() == "of":
            after = at + 1
            while after < len(tokens) and tokens[after].word.role == "determiner":
                after += 1
            more, further = _run(tokens, after)
            if more and further - begin <= longest:
                runs.append(more)
                at = further
        while at - begin > longest and begin < runs[0][-1]:
            begin += 1  # a long pile of modifiers loses its first ones, never its head
        yield begin, at, runs
        if at < len(tokens) and tokens[at].text.lower() == "of":
            at += 1


def _run(tokens: list[Token], at: int) -> tuple[list[int], int]:
    """Return the tokens of one run of modifiers and nouns, and where it stopped."""
    run: list[int] = []
    while at < len(tokens) and len(run) < LONGEST_RUN:
        token = tokens[at]
        if not _opens(token) or token.text.lower() == "of":
            break
        if run and _is_predicate(tokens, run[-1], at):
            break
        if not run and token.word.verb == "s" and not _is_known_noun(token.word):
            return [], at + 1
        if not run and token.word.verb == "ing" and not token.word.weights:
            # "wiping a bowl" is an action; "a sagging wire" has its determiner before it.
            after_determiner = at > 0 and tokens[at - 1].word.role == "determiner"
            if not after_determiner:
                return [], at + 1
        run.append(at)
        at += 1
    return run, at


def _is_predicate(tokens: list[Token], before: int, at: int) -> bool:
    """Tell whether a word that could be a verb is one: it follows a noun and ends its phrase."""
    word, previous = tokens[at].word, tokens[before].word
    if not (word.verb or tokens[at].text.endswith("ed")) or not (
        previous.weights or previous.colour
    ):
        return False
    if word.verb in ("ing", "ed") or (not word.weights and tokens[at].text.endswith("ed")):
        return True
    if word.weights:
        # "stone walls" or "steam rises": a noun goes on, unless what follows asks for a verb.
        following = tokens[at + 1].word.role if at + 1 < len(tokens) else ""
        return following in ("determiner", "preposition", "adverb", "pronoun") and (
            word.verb == "s" and not previous.stem.endswith("s") and not _is_known_noun(word)
        )
    if word.verb == "base" and at + 1 < len(tokens):
        # "two cats share the mat": what follows is the verb's object or its place.
        return tokens[at + 1].word.role in ("determiner", "preposition", "pronoun")
    return word.verb == "s"


def _is_known_noun(word: Word) -> bool:
    return any(weight >= 2 for _, weight in word.weights)


def _judged(
    caption: str, tokens: list[Token], begin: int, end: int, runs: list[list[int]], table: Lexicon
) -> Phrase | None:
    """Return the phrase with its category, or ``None`` when its words say nothing."""
    last = len(runs) - 1
    about = last if last and tokens[runs[0][-1]].word.measure else 0
    head = tokens[runs[about][-1]]
    scores: dict[str, float] = {}
    for category, weight in head.word.weights:
        scores[category] = scores.get(category, 0.0) + weight
    for i, run in enumerate(runs):
        for place in run:
            if tokens[place] is head:
                continue
            for category, weight in tokens[place].word.modifier:
                # A word behind "of" tells what a thing is made of or belongs to: less.
                scores[category] = scores.get(category, 0.0) + weight * (0.7 if i > about else 1.0)
    if not scores and not head.word.weights:
        scores = {"objects": 0.5}
    before = [token.text.lower() for token in tokens[max(0, begin - 2) : begin]]
    for word in before:
        cued = table.cues.get(word)
        if cued == "environment" and cued not in scores:
            continue  # "in" stands before everything; only a place makes it a setting
        if cued is not None:
            scores[cued] = scores.get(cued, 0.0) + CUE_BONUS
    if "background" not in before and _is_behind(tokens, begin, table):
        scores["background"] = scores.get("background", 0.0) + BEHIND_BONUS
    while tokens[begin].text.lower() in BARE_DETERMINERS and begin < runs[0][0]:
        begin += 1
    first = tokens[begin]
    if first.text.lower() in PERSONAL and "appearance" in scores:
        scores["appearance"] += 1.0
    others = sum(map(len, runs)) - 1
    if (others or head.word.weights) and not scores.keys() <= {"lighting", "environment"}:
        fading = first.start / (OPENING_PART * max(1, len(caption)))
        bonus = OPENING_BONUS * max(0.0, 1.0 - fading)
        scores["foreground"] = scores.get("foreground", 0.0) + bonus
    category = max(scores, key=lambda name: (scores[name], name))
    text = caption[first.start : tokens[end - 1].end]
    evidence = scores[category] + (RICHNESS * others if others else -BARE_PENALTY)
    return Phrase(text, category, evidence, first.start, head.word)


def _is_behind(tokens: list[Token], begin: int, table: Lexicon) -> bool:
    """Tell whether the clause before a phrase has turned to what lies behind the subject."""
    for token in reversed(tokens[max(0, begin - BEHIND_REACH) : begin]):
        if token.text in SENTENCE_END:
            return False
        if table.cues.get(token.text.lower()) == "background":
            return True
    return False


def _actions(caption: str, tokens: list[Token], longest: int) -> Iterator[Phrase]:
    for at, token in enumerate(tokens):
        word = token.word
        previous = tokens[at - 1] if at else None
        if word.role != "open" or not (word.verb or word.pose):
            continue
        after_noun = previous is not None and previous.word.role in ("open", "pronoun")
        if word.verb == "ing" or word.pose:
            if previous is not None and previous.word.role == "determiner":
                continue
            if word.weights and not after_noun and _is_known_noun(word):
                continue
            score = 2.6 if after_noun or previous is None or not _opens(previous) else 2.0
        elif word.verb == "s" and previous is not None and _is_person(previous):
            score = 2.4
        else:
            continue
        end = at + 1
        while end < len(tokens) and end - at < longest and tokens[end].text[0].isalnum():
            if tokens[end].word.role == "conjunction" or (
                tokens[end].word.verb == "ing" and not tokens[end].word.weights
            ):
                break
            end += 1
            if tokens[end - 1].word.role == "open" and _closes(tokens, end):
                break
        while end > at + 1 and _dangles(tokens[end - 1]):
            end -= 1
        if end - at >= 2:
            text = caption[token.start : tokens[end - 1].end]
            yield Phrase(text, "actions", score, token.start, word)


def _dangles(token: Token) -> bool:
    """Tell whether a phrase must not end here: "of" joins, though it is no preposition here."""
    return token.word.role not in ("open", "adverb") or token.text.lower() == "of"


def _closes(tokens: list[Token], end: int) -> bool:
    """Tell whether an object is complete: the next word begins something else."""
    return end >= len(tokens) or tokens[end].word.role in (
        "preposition",
        "conjunction",
        "pronoun",
        "verb",
    )


def _is_person(token: Token) -> bool:
    if token.text.lower() in ("he", "she", "who"):
        return True
    return any(category in ("foreground", "appearance") for category, _ in token.word.weights)
