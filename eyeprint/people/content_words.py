"""Short prompts that name what a picture shows and nothing of how it looks (P44).

X must make the evaluated model infer the style from the references. Words of style,
palette, light, camera, quality and mood (``data/style_words.toml``) are taken out of a
text; what they stood before stays.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from eyeprint.people.candidate_reading import subject_and_setting
from eyeprint.people.inverse_lexicon import lexicon
from eyeprint.people.tables import read_table

TABLE = "style_words.toml"
_GROUPS = ("style", "palette", "light", "camera", "quality", "mood")
_TOKEN = re.compile(r"[\w/.'’-]*\w|[,.;:]")
_VOWEL_SOUND = re.compile(r"(?!uni|use|usu|eu|one\b|ukul)[aeiou]|hour|honest", re.IGNORECASE)


class Content(NamedTuple):
    """What of a text names content, and the words that were left out."""

    text: str
    left_out: tuple[str, ...] = ()


@cache
def style_words() -> frozenset[str]:
    """Return the words that tell how a picture looks, lower-cased."""
    table = read_table(TABLE)
    return frozenset(word for group in _GROUPS for word in table[group]["words"].split())


@cache
def _other_words(group: str) -> frozenset[str]:
    return frozenset(read_table(TABLE)[group]["words"].split())


def content_of(text: str, subject: str = "", setting: str = "", most_words: int = 12) -> Content:
    """Return the content of an enriched prompt or caption as a short phrase.

    Args:
        text: the prompt; its first clause is read where no subject is given.
        subject: what the picture is about, where the prompt's writer said so.
        setting: where that is.
        most_words: whole phrases are left out from the end until so many are left.

    >>> content_of("A cinematic photograph of a lone orange fox on a hill, soft light").text
    'a lone fox on a hill'
    >>> content_of("An orange cat in warm golden light").text
    'a cat'
    >>> content_of("In the style of Van Gogh, stars over a village").text
    'stars over a village'
    """
    if not subject.strip():
        subject, setting = subject_and_setting(_from_content_on(text))
    return without_style(f"{subject} {setting}", most_words)


def _from_content_on(text: str) -> str:
    """Return a text from its first clause on that names something besides a style."""
    rest = text
    while True:
        clause, stop, more = rest.partition(",")
        if not stop or not more.strip() or without_style(clause).text:
            return rest if without_style(rest).text else text
        rest = more


def without_style(text: str, most_words: int = 12) -> Content:
    """Return a text without its words of style; phrases that hold nothing else go whole.

    >>> without_style("A misty pier, in pastel tones").text
    'a misty pier'
    """
    kept: list[list[str]] = []
    left_out: list[str] = []
    phrases, commas = _phrases(text)
    after = [phrase[0] for phrase in phrases[1:]] + [""]
    read = [
        _stripped(phrase, is_subject=place == 0 and after[place] != "of")
        for place, phrase in enumerate(phrases)
    ]
    light = frozenset(read_table(TABLE)["light"]["words"].split())
    for place, (rest, dropped) in enumerate(read):
        led = place or _leads(phrases[0][0])
        if led and dropped and not rest and after[place] == "of":
            # "by shadows of heroes" says what is there; "in the style of Monet" does not.
            if light.issuperset(dropped) and read[place + 1].kept:
                rest, dropped = phrases[place], []
            else:
                read[place + 1] = _Read([], read[place + 1].left_out)
        left_out += dropped
        if rest:
            # "over the sea" after a sunset that is gone: the sea.
            if kept and commas[place]:
                kept[-1][-1] += ","
            kept.append(rest if kept or not _leads(rest[0]) else rest[1:])
        elif kept and len(kept[-1]) > 1 and kept[-1][-1] in _other_words("before"):
            kept[-1].pop()
    while len(kept) > 1 and sum(map(len, kept)) > most_words:
        kept.pop()
    words = [word for phrase in kept for word in phrase][:most_words]
    while words and not _is_open(words[-1].rstrip(",")):
        words.pop()
    return Content(" ".join(_with_articles(words)).rstrip(","), tuple(left_out))


def style_words_in(text: str) -> tuple[str, ...]:
    """Return the words of a caption that :func:`without_style` would leave out.

    >>> style_words_in("a serene lake at sunset"), style_words_in("soft toys on a bed")
    (('serene', 'sunset'), ())
    """
    return without_style(text, most_words=1000).left_out


class _Read(NamedTuple):
    """One phrase: the words that are kept, and those of style that are not."""

    kept: list[str]
    left_out: list[str]


def _leads(word: str) -> bool:
    return word == "of" or lexicon().look_up(word).role in ("preposition", "conjunction")


def _phrases(text: str) -> tuple[list[list[str]], list[bool]]:
    """Return the lower-cased words of a text in phrases, each from a preposition or a stop on.

    Of two prepositions in a row the second begins no phrase: "out of the sea", "below round
    hills". Also returned: whether a comma, and no preposition, begins each phrase.
    """
    phrases: list[list[str]] = [[]]
    commas = [False]
    for token in _TOKEN.findall(text):
        word = token if token.isupper() and len(token) > 1 else token.lower()
        before = phrases[-1][-1] if phrases[-1] else ""
        if token in ",.;:":
            phrases.append([])
            commas.append(token == ",")
        elif before and len(phrases[-1]) == 1 and _leads(before) and _leads(word):
            phrases[-1].append(word)
        # "in a round pool": after an article, "round" is no preposition.
        elif _leads(word) and lexicon().look_up(before).role != "determiner":
            phrases.append([word])
            commas.append(False)
        else:
            phrases[-1].append(word)
    pairs = [pair for pair in zip(phrases, commas, strict=True) if pair[0]]
    return [phrase for phrase, _ in pairs], [comma for _, comma in pairs]


def _is_open(word: str) -> bool:
    if word == "other":  # "leaning on each other"
        return True
    return word != "of" and lexicon().look_up(word).role in ("open", "verb", "adverb")


def _stripped(phrase: list[str], is_subject: bool) -> _Read:
    """Return what is kept of one phrase."""
    open_places = [place for place, word in enumerate(phrase) if _is_open(word)]
    if not open_places:
        return _Read([], [])
    head = open_places[-1]
    if is_subject and phrase[head] in _other_words("things"):
        style = [place for place in open_places[:-1] if phrase[place] in style_words()]
    else:
        named = _other_words("names")
        style = [
            place
            for place in open_places
            if phrase[place] in style_words() and "-".join(phrase[place : place + 2]) not in named
        ]
        weak = _other_words("weak")
        if style and all(place in style or phrase[place] in weak for place in open_places):
            return _Read([], [phrase[place] for place in style])
        style = [place for place in style if place != head]
    kept = [word for place, word in enumerate(phrase) if place not in style]
    return _Read(kept, [phrase[place] for place in style])


def _with_articles(words: list[str]) -> list[str]:
    """Return the words with "a" or "an" as the word that now follows asks for."""
    found = []
    for place, word in enumerate(words):
        if word in ("a", "an") and place + 1 < len(words):
            word = "an" if _VOWEL_SOUND.match(words[place + 1]) else "a"
        found.append(word)
    return found
