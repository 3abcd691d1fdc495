"""What a prompt shows, read from its words: category, subject, setting, people, themes.

Used where a writer gave a bare text, or named a category in its own way (CHECKLIST P37:
the paper does not say how these are told). Word lists stand in
``people/data/candidate_words.toml``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from typing import Any

from eyeprint.maths.ngrams import words
from eyeprint.people.tables import read_table
from eyeprint.records.candidates import CATEGORIES, CandidateCategory, CandidatePrompt, Theme

TABLE = "candidate_words.toml"
_STOPS = re.compile(r"[,.;:()]")
SHOWN_THEMES: dict[CandidateCategory, Theme] = {
    "landscape": "nature",
    "urban": "urban",
    "still_life": "still_life",
    "abstract": "abstract",
}
"""The categories whose prompts have that theme whatever they show."""


def _any_of(terms: Iterable[str]) -> re.Pattern[str]:
    joined = "|".join(re.escape(term) for term in sorted(terms, key=len, reverse=True))
    return re.compile(rf"(?<!\w)(?:{joined})(?!\w)", re.IGNORECASE)


@dataclass(frozen=True)
class Words:
    """The word lists, ready to be looked for."""

    table: dict[str, Any]

    @cached_property
    def names(self) -> dict[str, CandidateCategory]:
        """Every name of a category, lower-cased."""
        return {name: c for c in CATEGORIES for name in (c, *self.table["names"][c])}

    @cached_property
    def content(self) -> dict[CandidateCategory, re.Pattern[str]]:
        """Category -> its nouns, in the order in which ties are decided."""
        return {c: _any_of(self.table["content"][c]) for c in self.table["content"]}

    @cached_property
    def people(self) -> re.Pattern[str]:
        """Human beings."""
        return _any_of(self.table["people"]["words"])

    @cached_property
    def animals(self) -> re.Pattern[str]:
        """Animals that a portrait may be of."""
        return _any_of(self.table["animals"]["words"])

    @cached_property
    def fits(self) -> tuple[tuple[re.Pattern[str], frozenset[str]], ...]:
        """Words of compositions and lights, and the categories that they suit."""
        return tuple(
            (_any_of(row["words"]), frozenset(row["categories"])) for row in self.table["fits"]
        )

    @cached_property
    def clashes(self) -> tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]:
        """Pairs of words that do not go together: candle light and a beach."""
        return tuple((_any_of(row["words"]), _any_of(row["others"])) for row in self.table["clash"])

    @cached_property
    def cultural(self) -> re.Pattern[str]:
        """Culture and story."""
        return _any_of(self.table["cultural"]["words"])

    @cached_property
    def plain(self) -> frozenset[str]:
        """Words that tell nothing of content."""
        return frozenset(self.table["plain"]["words"])

    @cached_property
    def medium(self) -> re.Pattern[str]:
        """What says only that there is a picture of something: "a photograph of"."""
        media = "|".join(re.escape(word) for word in self.table["media"]["words"])
        return re.compile(
            rf"^[^,.;:]{{0,80}}?\b(?:{media})\s+(?:of|showing|depicting|featuring)\s+", re.I
        )

    @cached_property
    def openers(self) -> re.Pattern[str]:
        """Where a setting begins."""
        return re.compile(rf"(?<=\s)(?:{'|'.join(self.table['setting']['openers'])})\s", re.I)

    @cached_property
    def ends(self) -> re.Pattern[str]:
        """Where a setting ends although no stop does."""
        return _any_of(self.table["setting"]["ends"])


@cache
def word_lists() -> Words:
    """Return the word lists that come with the package."""
    return Words(read_table(TABLE))


@lru_cache(maxsize=8192)
def content_words(text: str) -> frozenset[str]:
    """Return the words of a text that say something of its content.

    >>> sorted(content_words("A lone tree on the hill"))
    ['hill', 'lone', 'tree']
    """
    return frozenset(words(text)) - word_lists().plain


def category_named(name: str) -> CandidateCategory | None:
    """Return the category that a writer's name for it means, or ``None``.

    >>> category_named("Still-Life"), category_named("Creative hybrids"), category_named("opera")
    ('still_life', 'hybrid', None)
    """
    known = word_lists().names
    plain = " ".join(name.lower().replace("_", " ").split())
    return known.get(plain) or known.get(plain.replace(" ", "_")) or known.get(plain.rstrip("s"))


def category_of(text: str) -> CandidateCategory:
    """Return the category whose nouns a prompt holds most of; ties as the table orders them.

    The words up to the first stop are what a prompt is about, and count double.

    >>> category_of("A quiet photograph of a mountain lake at dawn, snow on the peaks")
    'landscape'
    """
    head = _STOPS.split(text, maxsplit=1)[0]
    found: dict[CandidateCategory, int] = {}
    for category, pattern in word_lists().content.items():
        found[category] = len(pattern.findall(text)) + len(pattern.findall(head))
    best = max(found.values())
    if best == 0:
        return "hybrid"
    return next(category for category, count in found.items() if count == best)


def shows_people(text: str) -> bool:
    """Tell whether a prompt's words name human beings.

    >>> shows_people("an old woman at a loom"), shows_people("a loom")
    (True, False)
    """
    return word_lists().people.search(text) is not None


def shows_animal(text: str) -> bool:
    """Tell whether a text names an animal that a portrait may be of.

    >>> shows_animal("a kitten in a box"), shows_animal("a box")
    (True, False)
    """
    return word_lists().animals.search(text) is not None


@lru_cache(maxsize=8192)
def suits(phrase: str, category: str) -> bool:
    """Tell whether a composition or light makes sense in a category; most suit all.

    >>> suits("top-down table view", "landscape"), suits("soft light", "landscape")
    (False, True)
    """
    return all(
        category in categories or pattern.search(phrase) is None
        for pattern, categories in word_lists().fits
    )


@lru_cache(maxsize=8192)
def goes_with(phrase: str, text: str) -> bool:
    """Tell whether a phrase of style, light or layout does not contradict a text.

    >>> goes_with("candle light", "a surfer on a beach"), goes_with("candle light", "a quiet room")
    (False, True)
    """
    return all(
        words.search(phrase) is None or others.search(text) is None
        for words, others in word_lists().clashes
    )


def in_latin_letters(text: str) -> bool:
    """Tell whether most letters of a text are Latin: prompts are to be English (P33).

    >>> in_latin_letters("a pagoda (塔) in mist"), in_latin_letters("雾中的塔")
    (True, False)
    """
    letters = [letter for letter in text if letter.isalpha()]
    # Latin letters, accents included, stand below U+0250; other scripts begin beyond.
    return 2 * sum(letter < "\u0250" for letter in letters) >= len(letters)


def is_cultural(text: str) -> bool:
    """Tell whether words of culture or story stand in a text (fifth category of P37).

    >>> is_cultural("paper lanterns on a festival night"), is_cultural("a loom")
    (True, False)
    """
    return word_lists().cultural.search(text) is not None


def subject_and_setting(text: str) -> tuple[str, str]:
    """Return the dominant subject and the setting of a prompt, as its first clause has them.

    Only a medium's "of" leads to the subject: "a row of boats" is one itself.

    >>> subject_and_setting("A cinematic photograph of a lone tree on a hill, soft light")
    ('a lone tree', 'on a hill')
    """
    lists = word_lists()
    rest = lists.medium.sub("", text.strip(), count=1)
    clause = _STOPS.split(rest, maxsplit=1)[0]
    clause = lists.ends.split(clause, maxsplit=1)[0].strip()
    opener = lists.openers.search(clause)
    if opener is None:
        return clause, ""
    return clause[: opener.start()].strip(), clause[opener.start() :].strip()


def described(
    text: str,
    *,
    category: str = "",
    subject: str = "",
    setting: str = "",
    people: bool | None = None,
    cultural: bool | None = None,
    keywords: Sequence[str] = (),
    priors: Sequence[str] = (),
) -> CandidatePrompt:
    """Return a prompt's record: what its writer told counts, the rest is read from its words.

    >>> described("Portrait of a smith at a forge, sparks in the dark.").subject
    'a smith'
    """
    if not subject.strip():
        subject, read = subject_and_setting(text)
        setting = setting or read
    kind = category_named(category) or category_of(text)
    shown = f"{subject} {setting}"
    themes: list[Theme] = [SHOWN_THEMES[kind]] if kind in SHOWN_THEMES else []
    if is_cultural(shown) if cultural is None else cultural:
        themes.append("cultural")
    if people is None:
        # A portrait is of a person, unless it is plainly of an animal.
        people = shows_people(shown) or (kind == "portrait" and not shows_animal(subject))
    return CandidatePrompt(
        text=text,
        category=kind,
        subject=subject.strip(),
        setting=setting.strip(),
        themes=tuple(themes),
        people=people,
        keywords=tuple(keywords),
        priors=tuple(priors),
    )
