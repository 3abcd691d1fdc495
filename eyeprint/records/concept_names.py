"""Masking of all texts of a set of concepts, and what it did (CHECKLIST M8)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from eyeprint.errors import shown
from eyeprint.records.concept_masking import mask_name, ordinary_names
from eyeprint.records.concept_preferences import preference_text
from eyeprint.records.concept_questions import ConceptQuestion
from eyeprint.records.concepts import SKS, Concept

_CATEGORY = re.compile(r" \((?:human|animal|object|character)\)\Z")


@dataclass
class _Tally:
    """What masking did, and the first text of each kind."""

    texts: int = 0
    names: set[str] = field(default_factory=set)
    example: tuple[str, str] = ("", "")
    left: int = 0
    left_names: set[str] = field(default_factory=set)
    left_example: str = ""


def mask_all(
    concepts: Iterable[Concept], questions: Iterable[ConceptQuestion]
) -> tuple[tuple[Concept, ...], tuple[ConceptQuestion, ...], tuple[str, ...]]:
    """Return concepts and questions with ``<sks>`` for every name, and notes on what was done.

    Where a person has likes and dislikes by domain and no text of them, the text is made (M11).
    Each text loses the name of its own concept; another concept's name in it stays, for
    ``<sks>`` would make it mean the wrong one.

    >>> concepts, questions, notes = mask_all([Concept(name="Boo", category="animal",
    ...     descriptions={"simple": "Boo is a grey cat."})], [])
    >>> concepts[0].descriptions["simple"], notes[0][:54]
    ('<sks> is a grey cat.', 'The name of 1 concept was replaced by <sks> in 1 text:')
    """
    before, asked = tuple(concepts), tuple(questions)
    ordinary = ordinary_names(_texts(before, asked))
    tally = _Tally()

    def masked(text: str, key: str, *, option: bool = False) -> str:
        name = _bare(key)
        done = mask_name(text, name, ordinary=name in ordinary, option=option)
        if done.replaced:
            tally.texts += 1
            tally.names.add(key)
            tally.example = tally.example if tally.example[0] else (text, done.text)
        if done.left:
            tally.left += 1
            tally.left_names.add(name)
            tally.left_example = tally.left_example or text
        return done.text

    after = []
    for one in before:
        text = one.preference or preference_text(one.tastes)
        levels = {level: masked(told, one.name) for level, told in one.descriptions.items()}
        new = {"descriptions": levels, "preference": masked(text, one.name)}
        after.append(one.model_copy(update=new))
    ready = []
    for question in asked:
        key = question.concept
        options = {
            letter: masked(text, key, option=True) for letter, text in question.options.items()
        }
        changed = {"question": masked(question.question, key), "options": options}
        ready.append(question.model_copy(update=changed))
    return tuple(after), tuple(ready), (*_told(tally), *_unmarked(after))


def _bare(key: str) -> str:
    """Return a name without the category that tells it from another of the same name."""
    return _CATEGORY.sub("", key)


def _texts(
    concepts: Sequence[Concept], questions: Sequence[ConceptQuestion]
) -> Mapping[str, list[str]]:
    texts: dict[str, list[str]] = {}
    for one in concepts:
        some = texts.setdefault(_bare(one.name), [])
        some += [*one.descriptions.values(), one.preference or preference_text(one.tastes)]
    for question in questions:
        some = texts.setdefault(_bare(question.concept), [])
        some += [question.question, *question.options.values()]
    return texts


def _told(tally: _Tally) -> list[str]:
    notes = []
    if tally.texts:
        old, new = tally.example
        notes.append(
            f"{_names(len(tally.names))} replaced by {SKS} in {_texts_in(tally.texts)}: "
            f"'{shown(old)}' became '{shown(new)}'."
        )
    if tally.left:
        names = ", ".join(sorted(map(shown, tally.left_names))[:5])
        notes.append(
            f"Names that are ordinary words too ({names}) stand in {_texts_in(tally.left)} where "
            f"the word seems to be meant, such as '{shown(tally.left_example)}'."
        )
    return notes


def _names(count: int) -> str:
    return "The name of 1 concept was" if count == 1 else f"The names of {count} concepts were"


def _texts_in(count: int) -> str:
    return "1 text" if count == 1 else f"{count} texts"


def _unmarked(concepts: Iterable[Concept]) -> list[str]:
    """Return a note on descriptions and preferences that do not say of whom they speak (M7)."""
    without = [
        one.name
        for one in concepts
        for text in (*one.descriptions.values(), one.preference)
        if text and SKS not in text
    ]
    if not without:
        return []
    if len(without) == 1:
        return [
            f"A description or preference of '{shown(without[0])}' holds no {SKS}: a model cannot "
            "know of whom it speaks."
        ]
    return [
        f"{len(without)} descriptions or preferences, the first of '{shown(without[0])}', hold no "
        f"{SKS}: a model cannot know of whom they speak."
    ]
