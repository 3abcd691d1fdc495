"""Cuts a prompt into phrases that the sketch painter's tables know, each with its meanings.

Phrases are looked for longest first; a plural counts as its singular. Each phrase has the
role that its words play in the prompt (``sketch_clauses``).
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import NamedTuple

from eyeprint.models.colour_names import colours_by_word
from eyeprint.models.sketch_clauses import Role, roles_of
from eyeprint.models.sketch_tables import (
    motifs,
    numbers,
    palettes,
    qualities,
    settings,
    times,
    word_lists,
)

_LONGEST = 3
_WORD = re.compile(r"[^\W_]+(?:['’&-][^\W_]+)*")
_STOP = re.compile(r"[,.;:!?()\n—–]")


class Meaning(NamedTuple):
    """What one phrase stands for in one table."""

    kind: str
    """motif, setting, time, quality, palette, colour, style, arrangement, weather, number,
    negation, undrawn (a compound whose parts are not to be drawn) or stop."""
    name: str


@cache
def meanings() -> dict[str, tuple[Meaning, ...]]:
    """Return every phrase that the painter knows, with what it stands for.

    >>> [m.kind for m in meanings()["rowboat"]]
    ['motif']
    """
    found: dict[str, list[Meaning]] = {}

    def add(kind: str, name: str, words: tuple[str, ...]) -> None:
        for word in words:
            found.setdefault(" ".join(split_words(word)), []).append(Meaning(kind, name))

    for motif in motifs().values():
        add("motif", motif.name, (motif.name, *motif.words))
    for setting in settings().values():
        add("setting", setting.name, setting.words)
    for time in times().values():
        add("time", time.name, time.words)
    for quality in qualities().values():
        add("quality", quality.name, quality.words)
    for palette in palettes().values():
        add("palette", palette.name, palette.words)
    for table in ("style", "arrangement", "weather"):
        for name, words in word_lists(table if table == "weather" else f"{table}s").items():
            add(table, name, words)
    for word in colours_by_word():
        add("colour", word, (word,))
    for word in numbers():
        add("number", word, (word,))
    lists = word_lists("nothing")
    add("negation", "no", lists["negations"])
    add("undrawn", "undrawn", lists["undrawn"])
    add("stop", "stop", lists["stop"])
    return {phrase: tuple(dict.fromkeys(entry)) for phrase, entry in found.items()}


def split_words(text: str) -> list[str]:
    """Return a text's words in lower case, accents and typographic marks made plain.

    >>> split_words("A café, “sun-drenched” — at 5 o’clock")
    ['a', 'cafe', 'sun-drenched', 'at', '5', "o'clock"]
    """
    plain = unicodedata.normalize("NFKD", text.replace("’", "'"))
    plain = "".join(c for c in plain if not unicodedata.combining(c))
    return _WORD.findall(plain.casefold())


def _with_stops(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the words of a text, each with whether a stop stands before it."""
    stopped = False
    for clause in _STOP.split(text):
        for word in split_words(clause):
            yield word, stopped
            stopped = False
        stopped = True


def _singulars(word: str) -> Iterator[str]:
    yield word
    if word.endswith("'s"):
        yield word[:-2]
    if word.endswith("ies"):
        yield word[:-3] + "y"
    if word.endswith("ves"):
        yield word[:-3] + "f"
    if word.endswith("es"):
        yield word[:-2]
    if word.endswith("s") and not word.endswith("ss"):
        yield word[:-1]


_IRREGULAR = {"men": "man", "women": "woman", "children": "child", "mice": "mouse"}


def _meaning_of(words: list[str]) -> tuple[tuple[Meaning, ...], bool] | None:
    """Return what a phrase stands for, and whether it was a plural."""
    known = meanings()
    head, last = words[:-1], words[-1]
    for form in (_IRREGULAR.get(last, last), *_singulars(last)):
        entry = known.get(" ".join([*head, form]))
        if entry:
            return entry, form != last and not last.endswith("'s")
    return None


class Part(NamedTuple):
    """One phrase of a prompt."""

    phrase: str
    meanings: tuple[Meaning, ...]
    plural: bool
    start: int
    """Number of its first word."""
    end: int
    role: Role = ""
    stopped: bool = False
    """Whether a stop stands before it."""
    apart: bool = False
    """Whether an article after a stop parts it from what is before it."""

    @property
    def kinds(self) -> frozenset[str]:
        """Kinds of its meanings."""
        return frozenset(meaning.kind for meaning in self.meanings)

    def named(self, kind: str) -> str:
        """Return what it stands for in one table, or nothing."""
        return next((meaning.name for meaning in self.meanings if meaning.kind == kind), "")


def _words(text: str) -> tuple[list[str], frozenset[int], frozenset[int]]:
    """Return the words, the places with a stop before them, and first parts of compounds."""
    words: list[str] = []
    breaks: set[int] = set()
    compounds: set[int] = set()
    for word, stopped in _with_stops(text):
        if stopped and words:
            breaks.add(len(words))
        if "-" not in word or _meaning_of([word]) is not None:
            words.append(word)
        else:
            parts = word.split("-")
            compounds |= {len(words) + place for place in range(len(parts) - 1)}
            words += parts
    return words, frozenset(breaks), frozenset(compounds)


@lru_cache(maxsize=4096)
def _kinds_of(phrase: tuple[str, ...]) -> frozenset[str]:
    entry = _meaning_of(list(phrase))
    return frozenset(meaning.kind for meaning in entry[0]) if entry else frozenset()


_MATERIALS = frozenset({"glass", "rock", "crystal"})
"""Things whose words are materials before the name of a place: "a stone wall"."""
_HUMAN = frozenset({"person", "couple", "crowd", "dancer", "doll"})


def parts_of(text: str) -> list[Part]:
    """Return the prompt in phrases, longest first; unknown words stand alone without meaning.

    Of two things that follow one another as in "a café table" the last is meant.

    >>> [(part.phrase, part.role) for part in parts_of("a cat in soft window light")][-2:]
    [('window', 'light'), ('light', 'light')]
    """
    found = _phrases(text)
    for place, (part, after) in enumerate(itertools.pairwise(found)):
        if part.role or after.role or after.stopped or part.end != after.start:
            continue
        name, behind = part.named("motif"), after.named("motif")
        if not name or not (behind or (name in _MATERIALS and after.named("setting"))):
            continue
        if behind and motifs()[behind].place == "figure":
            continue
        doing = after.phrase.endswith("ing") and behind != "dancer"
        if doing or (behind == "face" and name not in _HUMAN):
            # A ship sailing is no boat beside a ship; a cat portrait shows a cat.
            found[place + 1] = after._replace(meanings=_NOTHING)
        else:
            kept = tuple(meaning for meaning in part.meanings if meaning.kind != "motif")
            found[place] = part._replace(meanings=kept or _NOTHING)
    return found


_NOTHING = (Meaning("stop", "stop"),)


def _phrases(text: str) -> list[Part]:
    words, breaks, compounds = _words(text)
    roles, deciding = roles_of(words, breaks, compounds, lambda phrase: _kinds_of(tuple(phrase)))
    found: list[Part] = []
    place = 0
    while place < len(words):
        stopped = place in breaks
        apart = place in breaks and words[place] in ("a", "an", "the")
        for length in range(min(_LONGEST, len(words) - place), 0, -1):
            phrase = words[place : place + length]
            if any(inside in breaks for inside in range(place + 1, place + length)):
                continue
            entry = _meaning_of(phrase)
            if entry:
                role = roles[place]
                if length > 1 and place + length - 1 in deciding:
                    role = ""  # "street lights" are a thing, and so is a "framed picture"
                found.append(
                    Part(" ".join(phrase), *entry, place, place + length, role, stopped, apart)
                )
                place += length
                break
        else:
            found.append(
                Part(words[place], (), False, place, place + 1, roles[place], stopped, apart)
            )
            place += 1
    return found
