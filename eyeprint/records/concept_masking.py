"""Real names out of every text that a model sees (CHECKLIST M8).

A concept's name is replaced with ``<sks>`` wherever it stands as a whole word: with underscores
as spaces or hyphens, with or without a possessive ending. A name of several words is found in
any case, a name of one word only as it is spelled.

A name can be an ordinary word too: a dog called "bull", a woman called Rose. Replaced blindly,
"A bull" among the options would become "A <sks>" and give the answer away, or spoil it. A
name of one word counts as an ordinary word when it is spelled in lower case, or when its lower
case form stands after an article anywhere in the data or in a text about another concept. Such
a word is replaced only where it stands as a name:

- never after an article or the like ("a bull", "this Rose");
- capitalised within a sentence ("when Rose sings");
- with a possessive ending ("bull's bowl");
- elsewhere but in options: before a verb ("Rose is ..."), and, in texts that have no ``<sks>``
  yet, at the beginning, or, in lower case, after a word that names follow ("Is bull here?").

What was left is told beside what was replaced, so that somebody can look.

:func:`mask_name` is for data of others, where a name is written as it is spelled. Texts that
models and reviewers write anew (:func:`masked`, :func:`names_in`) may spell it in any case, and
call people and characters by a part of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from eyeprint.records.concepts import SKS


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_ARTICLES = _words(
    "a an another one two three four five some any no each every both several many few "
    "the this that these those my your his her its our their whose which what"
)
_INDEFINITE = _words("a an another one two three some any no each every several")
_PRONOUNS = _words("i you he she it we they there someone anyone everyone")
_AUXILIARIES = _words(
    "is are was were am be do does did has have had can could will would shall should may might "
    "must"
)
_VERBS = _AUXILIARIES | _words(
    "likes dislikes loves hates enjoys prefers avoids wears looks sits stands appears seems "
    "carries holds lies wants needs chooses"
)
_BEFORE_NAMES = _AUXILIARIES | _words(
    "of with by to like likes about and or see sees show shows called named for from near beside "
    "behind below above under over around against facing holding watching than as if that when "
    "where while whether not"
)
_MARK = re.compile(r"<\s*sks\s*>", re.IGNORECASE)
_WORD_BEFORE = re.compile(r"([\w<>]+)[\s\"'“‘(]*\Z")
_WORD_AFTER = re.compile(r"\A[\s\"'”’)]*([\w<>]+)")
_SENTENCE_START = re.compile(r"(?:\A|[.!?:;]|\n)[\s\"'“‘(*\-–—]*\Z")
_POSSESSIVE = re.compile(r"\A['’]s?(?!\w)")
# Scripts without spaces between words, or whose endings are joined to names.
_JOINED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\ud7ff\uf900-\ufaff]")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_BY_PARTS = frozenset({"human", "character"})
"""Categories whose names are names part by part; of others, parts may be ordinary words, as in
"grumpy cat" or "red mug"."""
_LEAST = 3
"""Letters of a part of a name that is masked by itself."""
_PART_ENDS = re.compile(r"[\s_\-.]+")


class Masked(NamedTuple):
    """A text after masking."""

    text: str
    replaced: int
    """How many times the name was replaced."""
    left: int
    """How many times the word stands there still, taken for an ordinary one."""


def name_pattern(name: str) -> re.Pattern[str]:
    """Return what finds a name as whole words.

    >>> [m[0] for m in name_pattern("asian_doll").finditer("Asian doll, asian_doll, asian_dolls")]
    ['Asian doll', 'asian_doll']
    """
    words = [word for word in re.split(r"[\s_\-]+", name.strip()) if word]
    # A name that is nothing but marks is found as it is.
    several = len(words) > 1
    parts = [r"[\s_]?".join(re.escape(hump) for hump in _HUMP.split(word)) for word in words]
    body = r"[\s_\-]+".join(parts) or re.escape(name)
    body = re.sub("['’]", "['’]", body)
    # Marks at the ends of a name are found with it, and need not be there.
    bare = name.strip()
    lead = bare[: len(bare) - len(bare.lstrip("_-"))]
    trail = bare[len(bare.rstrip("_-")) :]
    if words:
        body = f"(?:{re.escape(lead)})?{body}(?:{re.escape(trail)})?"
    edges = words or [name]
    before = "" if _JOINED.match(edges[0]) else r"(?<![\w<])"
    after = "" if _JOINED.match(edges[-1][-1]) else r"(?!\w)"
    return re.compile(before + body + after, re.IGNORECASE if several else 0)


_cached_pattern = lru_cache(maxsize=4096)(name_pattern)


def ordinary_names(texts: Mapping[str, Iterable[str]]) -> frozenset[str]:
    """Return the names that are ordinary words too.

    Args:
        texts: name -> every text about that concept.

    >>> sorted(ordinary_names({"Rose": ["Is Rose here?"], "Boo": ["A rose"], "bull": []}))
    ['Rose', 'bull']
    """
    single = {name: name.strip().lower() for name in texts if _is_one_word(name)}
    wanted = set(single.values())
    about: dict[str, set[str]] = {word: set() for word in wanted}
    articled: set[str] = set()
    for owner, some in texts.items():
        for text in some:
            words = re.findall(r"[\w']+", text)
            for before, word in zip(["", *words], words, strict=False):
                word = word.removesuffix("'s").strip("'")
                if word in wanted and word.islower():
                    about[word].add(owner)
                    if before.lower() in _ARTICLES:
                        articled.add(word)
    return frozenset(
        name
        for name, word in single.items()
        if name.strip() == word or word in articled or about[word] - {name}
    )


def _is_one_word(name: str) -> bool:
    bare = name.strip()
    return bool(re.fullmatch(r"[^\W\d_]+", bare)) and not _JOINED.search(bare)


def mask_name(text: str, name: str, *, ordinary: bool = False, option: bool = False) -> Masked:
    """Return a text with a concept's name replaced by ``<sks>``.

    Other spellings of the mark, such as ``<SKS>``, are made ``<sks>``.

    Args:
        text: what a model would see.
        name: the real name.
        ordinary: whether the name is an ordinary word too (:func:`ordinary_names`).
        option: whether the text is an option of a question, which often is a bare phrase.

    >>> mask_name("Is Boo's bowl near Boo?", "Boo")
    Masked(text="Is <sks>'s bowl near <sks>?", replaced=2, left=0)
    >>> mask_name("Is bull near a bull?", "bull", ordinary=True)
    Masked(text='Is <sks> near a bull?', replaced=1, left=1)
    >>> mask_name("A bull", "bull", ordinary=True, option=True).text
    'A bull'
    """
    text = _MARK.sub(SKS, text)
    marked = SKS in text
    kept: list[str] = []
    replaced = left = end = 0
    for match in _cached_pattern(name).finditer(text):
        if (match.start() and text[match.start() - 1] == "<") or not match[0]:
            continue
        before, after = text[: match.start()], text[match.end() :]
        if ordinary:
            wanted = _stands_as_name(match[0], before, after, marked=marked, option=option)
        else:
            wanted = not _is_a_kind(match[0], before)
        if not wanted:
            left += 1
            continue
        kept += [text[end : match.start()], SKS]
        end = match.end()
        replaced += 1
    return Masked("".join([*kept, text[end:]]), replaced, left)


def _is_a_kind(found: str, before: str) -> bool:
    """Tell "an asian doll", any of its kind, from the one that is called so."""
    word = _word(_WORD_BEFORE, before)
    return found.islower() and "_" not in found and " " in found and word in _INDEFINITE


def _stands_as_name(found: str, before: str, after: str, *, marked: bool, option: bool) -> bool:
    ahead, behind = _word(_WORD_AFTER, after), _word(_WORD_BEFORE, before)
    starts = bool(_SENTENCE_START.search(before))
    # A name that is an article itself is none before its like.
    if behind in _ARTICLES and behind != found.lower() and not starts:
        return False
    if _POSSESSIVE.match(after) or (not found.islower() and not starts):
        return True
    if option or ahead in _PRONOUNS | _ARTICLES or ahead == SKS:
        return False
    # "Will is tall", but "Will she come"; only what is said of somebody follows a name.
    if starts and ahead in _VERBS:
        return True
    if marked:
        return False
    if starts:
        return found.lower() not in _AUXILIARIES | _ARTICLES | _PRONOUNS
    return behind in _BEFORE_NAMES


def _word(pattern: re.Pattern[str], text: str) -> str:
    match = pattern.search(text)
    return match[1].lower() if match else ""


@lru_cache(maxsize=1024)
def _any_spelling(name: str, category: str) -> re.Pattern[str] | None:
    parts = [part for part in _PART_ENDS.split(name) if part]
    # A number is no name: pictures "1" would be found in every text.
    if all(part.isdecimal() for part in parts):
        return None
    shapes = [r"[\s_\-.]*".join(map(re.escape, parts))]
    if category in _BY_PARTS and len(parts) > 1:
        shapes += sorted(
            {re.escape(part) for part in parts if len(part) >= _LEAST and part.isalpha()},
            key=lambda shape: (-len(shape), shape),
        )
    if _JOINED.search(name):
        return re.compile("|".join(shapes), re.IGNORECASE)
    return re.compile(rf"(?<![^\W_])(?:{'|'.join(shapes)})(?![^\W_])", re.IGNORECASE)


def _calls(text: str, name: str, category: str) -> Iterator[re.Match[str]]:
    """Yield where a text calls a concept by its name, in any spelling.

    Animals and objects are often called what they are: "a blue mug" tells nothing of a mug that
    is called "mug".
    """
    pattern = _any_spelling(name, category)
    for match in pattern.finditer(text) if pattern is not None else ():
        before, after = text[: match.start()], text[match.end() :]
        if category in _BY_PARTS:
            yield match
        elif name == name.lower() and name.isascii():
            if _stands_as_name(match[0], before, after, marked=SKS in text, option=False):
                yield match
        elif not (match[0].islower() and _word(_WORD_BEFORE, before) in _INDEFINITE):
            yield match


def names_in(text: str, name: str, category: str) -> tuple[str, ...]:
    """Return where a text calls a concept by its name, each spelling once.

    The whole name counts, in any case and with other signs between its parts; of people and
    characters, every part of three letters and more counts too. Of animals and objects, the
    ordinary word that a name may be does not.

    >>> names_in("Angelina and JOLIE", "Angelina_Jolie", "human")
    ('Angelina', 'JOLIE')
    >>> names_in("<sks> is a blue mug. Mug is on a shelf.", "mug", "object")
    ('Mug',)
    """
    return tuple(dict.fromkeys(match[0] for match in _calls(text, name, category)))


def masked(text: str, name: str, category: str) -> str:
    """Return a text with ``<sks>`` for what :func:`names_in` finds, in one spelling of it.

    >>> masked("Is Boo's bowl here? < SKS >", "boo", "animal")
    "Is <sks>'s bowl here? <sks>"
    >>> masked("<sks> is a blue mug.", "mug", "object")
    '<sks> is a blue mug.'
    """
    text = _MARK.sub(SKS, text)
    kept, end = [], 0
    for match in _calls(text, name, category):
        kept += [text[end : match.start()], SKS]
        end = match.end()
    if not kept:
        return text
    # "Angelina Jolie" is one mask, and so are two parts that stand side by side.
    return re.sub(rf"{SKS}(?:\s+{SKS})+", SKS, "".join([*kept, text[end:]]))
