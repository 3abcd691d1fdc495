"""Which lines of a dialogue speak of what a concept is or likes (CHECKLIST M14).

The paper strips lines that are related to a concept out of its dialogues, and does not say how
they were told. The rule here: a dialogue's texts are cut into sentences, and a sentence
conflicts with a concept where it holds

- ``<sks>``, or the concept's own name, written as it is (``"name"``),
- all the words of something that the concept likes or dislikes (``"taste"``), or
- two different words, or as many as is asked for, of its description and kind (``"look"``).

Words are whole ones: "tea" is not in "team". They are compared without case and without common
English endings (plural, -ing, -ed), so that "hikes" is found for "hiking"; Chinese, Japanese and
Korean terms, which have no spaces around them, are found anywhere. Words of
``data/conflict_words.toml`` do not count: stop words never, general nouns such as "music" only
where a term has nothing else. The description is the one of three keywords (``simple``), or else
the shortest; the longer ones share words with any sentence about anything.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from typing import Literal, NamedTuple

from eyeprint.errors import UsageError
from eyeprint.methods.dialogues import Dialogue, Turn
from eyeprint.records.concepts import Concept

Why = Literal["name", "taste", "look"]
Role = Literal["user", "assistant"]
LEAST_WORDS = 2
"""Words of a description in one sentence that make it a conflict."""
_SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[.!?][\"'”’)])\s+|(?<=[。！？])|\n+")
_WORD = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*")
_UNSPACED = re.compile("[\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7ff\uf900-\ufaff]")
_PHRASE = re.compile(r"[.,;:!?()\n]+|\b(?:and|or|but|while|whereas)\b", re.IGNORECASE)
_SKS = re.compile(r"<sks(_\d+)?>")


class Conflict(NamedTuple):
    """One sentence that speaks of a concept."""

    turn: int
    """Which turn of those given, from 0."""
    role: Role
    """Who says it."""
    line: str
    why: Why
    words: tuple[str, ...]
    """What in the line told it, as written there."""


class Kept(NamedTuple):
    """Turns without a conflict, and what was left out for them."""

    turns: tuple[Turn, ...]
    left_out: tuple[int, ...]
    """Numbers, from 0, of the turns that were passed over."""
    conflicts: tuple[Conflict, ...]
    """Why."""


class _Term(NamedTuple):
    """One thing to look for: all of its words, each given as its joined form and its parts."""

    words: tuple[tuple[str, tuple[str, ...]], ...]


class _Terms(NamedTuple):
    name: re.Pattern[str]
    tastes: tuple[_Term, ...]
    look: tuple[_Term, ...]


def conflicts(
    talk: Dialogue | Sequence[Turn], concept: Concept, least_words: int = LEAST_WORDS
) -> list[Conflict]:
    """Return the sentences of some turns that speak of a concept, in the order of the turns.

    Args:
        talk: a dialogue, or turns.
        concept: whom or what they must not speak of.
        least_words: how many words of its description make a conflict, from 1. With 1, any
            sentence with the word "blue" conflicts with a blue mug.

    Raises:
        UsageError: ``least_words`` is less than 1.

    >>> from eyeprint.records.concepts import Tastes
    >>> ann = Concept(name="Ann", category="human", tastes={"travel": Tastes(likes=["hiking"])})
    >>> found = conflicts([Turn("What next?", "Rest. Long hikes tire.")], ann)
    >>> [(one.turn, one.role, one.line, one.words) for one in found]
    [(0, 'assistant', 'Long hikes tire.', ('hikes',))]
    """
    if least_words < 1:
        raise UsageError(f"least_words is {least_words}; a conflict needs 1 word or more.")
    turns = talk.turns if isinstance(talk, Dialogue) else talk
    terms = _terms(concept)
    found = []
    for number, turn in enumerate(turns):
        for role, text in (("user", turn.user), ("assistant", turn.assistant)):
            for line, words in _sentences(text):
                told = _told(line, words, terms, least_words)
                if told:
                    found.append(Conflict(number, role, line, *told))  # type: ignore[arg-type]
    return found


def without_conflicts(
    turns: Sequence[Turn],
    concept: Concept,
    count: int | None = None,
    least_words: int = LEAST_WORDS,
) -> Kept:
    """Return the first turns that do not speak of a concept, and which ones were left out.

    A turn is left out whole, so that users and assistants keep taking turns; later turns move
    up in its place. What follows a gap may refer back to what is no longer there.

    Args:
        turns: those to take from, for example all that a kind of dialogue has.
        concept: whom or what they must not speak of.
        count: how many turns are wanted; all that can be had by default.
        least_words: see :func:`conflicts`.

    Raises:
        UsageError: fewer turns than are wanted have no conflict, or ``least_words`` is below 1.

    >>> mug = Concept(name="x", category="object", kind="mug",
    ...     descriptions={"simple": "<sks> is a blue, striped mug."})
    >>> talk = [Turn("Hi.", "A blue mug?"), Turn("No.", "A blue sky!"), Turn("So.", "Yes.")]
    >>> kept = without_conflicts(talk, mug, 2)
    >>> kept.turns == (talk[1], talk[2]), kept.left_out, kept.conflicts[0].words
    (True, (0,), ('blue', 'mug'))
    """
    wanted = len(turns) if count is None else count
    kept: list[Turn] = []
    left_out: list[int] = []
    why: list[Conflict] = []
    for number, turn in enumerate(turns):
        if len(kept) >= wanted:
            break
        found = conflicts((turn,), concept, least_words)
        if found:
            left_out.append(number)
            why += [one._replace(turn=number) for one in found]
        else:
            kept.append(turn)
    if count is not None and len(kept) < count:
        raise UsageError(
            f"{count} turns are wanted, but only {len(kept)} of {len(turns)} say nothing of "
            f"{concept.name}. Ask for fewer, or give other dialogues."
        )
    return Kept(tuple(kept), tuple(left_out), tuple(why))


def _told(
    line: str, words: dict[str, str], terms: _Terms, least: int
) -> tuple[Why, tuple[str, ...]] | None:
    """Return why a sentence conflicts and by which words, or ``None``."""
    named = _SKS.search(line) or terms.name.search(line)
    if named:
        return "name", (named.group(),)
    for term in terms.tastes:
        found = _found(term, line, words)
        if found:
            return "taste", found
    seen = [_found(term, line, words) for term in terms.look]
    looks = tuple(dict.fromkeys(word for found in seen for word in found))
    if terms.look and sum(map(bool, seen)) >= min(least, len(terms.look)):
        return "look", looks
    return None


def _found(term: _Term, line: str, words: dict[str, str]) -> tuple[str, ...]:
    """Return a term's words as the line has them; nothing unless all are there."""
    found: list[str] = []
    for joined, parts in term.words:
        if _UNSPACED.search(joined):
            if joined not in line.casefold():
                return ()
            found.append(joined)
        elif joined in words:
            found.append(words[joined])
        elif len(parts) > 1 and all(part in words for part in parts):
            found += [words[part] for part in parts]
        else:
            return ()
    return tuple(dict.fromkeys(found))


@lru_cache(maxsize=4096)
def _sentences(text: str) -> tuple[tuple[str, dict[str, str]], ...]:
    """Return a text's sentences, each with its words: bare form -> as written."""
    found = []
    for piece in _SENTENCE.split(text):
        line = piece.strip()
        words: dict[str, str] = {}
        for match in _WORD.finditer(line):
            joined, parts = _bare_word(match.group())
            words.setdefault(joined, match.group())
            for part in parts:
                words.setdefault(part, match.group())
        if words or "<sks" in line:
            found.append((line, words))
    return tuple(found)


@lru_cache(maxsize=512)
def _terms_of(
    name: str, tastes: tuple[str, ...], look: str, stop: frozenset[str], generic: frozenset[str]
) -> _Terms:
    liked = [term for phrase in tastes for term in _term(phrase, stop, generic)]
    words = [word for term in _term(look, stop, generic) for word in term.words]
    return _Terms(
        re.compile(rf"(?<!\w){re.escape(name)}(?!\w)"),
        tuple(dict.fromkeys(liked)),
        tuple(dict.fromkeys(_Term((word,)) for word in words)),
    )


def _terms(concept: Concept) -> _Terms:
    told = [t for taste in concept.tastes.values() for t in (*taste.likes, *taste.dislikes)]
    if not told:
        told = _PHRASE.split(_SKS.sub(" ", concept.preference))
    written = [text for text in concept.descriptions.values() if text]
    look = concept.description("simple") or min(written, key=len, default="")
    return _terms_of(
        concept.name,
        tuple(told),
        _SKS.sub(" ", f"{look} {concept.kind}"),
        _words_of("stop"),
        _words_of("generic"),
    )


def _term(phrase: str, stop: frozenset[str], generic: frozenset[str]) -> Iterable[_Term]:
    """Yield what to look for of a phrase, unless it has only stop words."""
    words = [_bare_word(match.group()) for match in _WORD.finditer(phrase)]
    words = [word for word in words if word[0] not in stop]
    telling = tuple(word for word in words if word[0] not in generic) or tuple(words)
    if telling:
        yield _Term(telling)


@cache
def _words_of(group: str) -> frozenset[str]:
    text = files("eyeprint.methods").joinpath("data/conflict_words.toml").read_text("utf-8")
    return frozenset(_bare_word(word)[0] for word in tomllib.loads(text)[group].split())


def _bare_word(word: str) -> tuple[str, tuple[str, ...]]:
    """Return a word without its endings, joined where it has hyphens, and its parts.

    >>> _bare_word("K-pop"), _bare_word("Movies")[0] == _bare_word("movie")[0]
    (('kpop', ('k', 'pop')), True)
    """
    whole = re.sub(r"['’]s$", "", word.casefold())
    parts = tuple(_without_ending(part) for part in whole.split("-"))
    return _without_ending(re.sub("[-'’]", "", whole)), parts


def _without_ending(word: str) -> str:
    """Return a word of four letters or more without plural, -ing, -ed and final e; y is i.

    >>> [_without_ending(word) for word in ("hobbies", "swimming", "striped", "stripe", "gas")]
    ['hobbi', 'swim', 'strip', 'strip', 'gas']
    """
    if len(word) <= 3 or not word.isascii():
        return word
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending in ("ing", "ed"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word.removesuffix(ending)
            break
    if len(word) > 3:
        word = word.removesuffix("e")
    if word.endswith("y"):
        word = word[:-1] + "i"
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] else word
