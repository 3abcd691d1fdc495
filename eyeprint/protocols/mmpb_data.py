"""Which concepts and questions an MMPB run asks about, from whichever layout they lie in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice, zip_longest
from pathlib import Path
from typing import NamedTuple

from pydantic import Field

from eyeprint.config import Settings
from eyeprint.errors import UsageError, shown
from eyeprint.protocols.display import Display
from eyeprint.randomness import stream
from eyeprint.records.concept_data import ConceptData
from eyeprint.records.concept_files import open_concepts
from eyeprint.records.concept_labels import Labels
from eyeprint.records.concept_questions import GROUPS, TYPES
from eyeprint.records.concept_settings import ConceptSetting
from eyeprint.records.concepts import CATEGORIES

TOYBOX, HUB = "toybox", "hub"


class Chosen(Settings):
    """Which questions of the data, and how they are opened; empty lists are all."""

    categories: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    concepts: tuple[str, ...] = ()
    """Names of concepts."""
    mini: bool = False
    """Five drawn concepts: two people, an animal, an object, a character (M26)."""
    number: int | None = Field(default=None, ge=1)
    """Only so many questions, drawn by seed and spread evenly over the tasks."""
    revision: str | None = None
    """Commit of the released data, with ``hub``."""
    labels: Labels | None = None
    """How answers are labelled, where a file does not show it
    (:data:`eyeprint.records.concept_labels.LABELS`)."""
    unpack_to: str | None = None
    """Where pictures of Parquet files are unpacked; by default beside the file."""


class FoundData(NamedTuple):
    """The data of a run, and what is to be told of them."""

    data: ConceptData
    notes: tuple[str, ...]


def choose_data(
    data: str | Path | ConceptData,
    settings: Sequence[ConceptSetting],
    chosen: Chosen,
    seed: int,
    display: Display,
) -> FoundData:
    """Open data and keep the questions that are wanted and that every setting can ask.

    A concept that lacks a description or pictures that some setting shows is left out of all,
    for settings are compared on the same questions; a note names it.

    Raises:
        UsageError: no question is left. DataError: the data cannot be read.
    """
    opened = _opened(data, chosen, seed, display)
    for name, known, values in (
        ("category", CATEGORIES, chosen.categories),
        ("type", TYPES, chosen.types),
        ("group", GROUPS, chosen.groups),
    ):
        for value in values:
            if value not in known:
                raise UsageError(f"There is no {name} '{shown(value)}': {', '.join(known)}.")
    if chosen.mini:
        opened = opened.mini(seed)
    if chosen.categories:
        opened = opened.of_categories(chosen.categories)
    if chosen.concepts:
        opened = opened.of_concepts(chosen.concepts)
    if chosen.types or chosen.groups:
        types, groups = chosen.types or TYPES, chosen.groups or GROUPS
        opened = opened.subset(q.id for q in opened if q.type in types and q.group in groups)
    lacking = dict(_lacking(opened, settings))
    if lacking:
        opened = opened.subset(each.id for each in opened if each.concept not in lacking)
    if chosen.number is not None:
        opened = opened.subset(spread(opened, chosen.number, seed))
    notes = [*opened.notes]
    if lacking:
        name, why = next(iter(lacking.items()))
        notes.append(
            f"{_concepts_are(len(lacking))} left out for lack of what a setting shows; the first: "
            f"'{shown(name)}' has {why}."
        )
    if not opened.questions:
        fault = f" The first fault: {opened.faults[0]}" if opened.faults else ""
        raise UsageError(
            f"No question is left of {opened.root}.{' ' + notes[-1] if lacking else ''}{fault}"
        )
    return FoundData(opened, tuple(notes))


def spread(data: ConceptData, number: int, seed: int) -> list[str]:
    """Return the ids of so many questions, as many of each task as can be, in file order.

    A file goes task by task or concept by concept: its first questions would be of one kind.
    """
    drawn = {
        task: stream(seed, "questions of a task", task).shuffled(
            [each.id for each in data if each.task == task]
        )
        for task in dict.fromkeys(each.task for each in data)
    }
    rounds = zip_longest(*drawn.values())
    chosen = set(islice((id for turn in rounds for id in turn if id is not None), number))
    return [each.id for each in data if each.id in chosen]


def _opened(
    data: str | Path | ConceptData, chosen: Chosen, seed: int, display: Display
) -> ConceptData:
    if chosen.revision is not None and (isinstance(data, ConceptData) or str(data) != HUB):
        raise UsageError(f"A revision is one of the released data: it goes with --data {HUB}.")
    if isinstance(data, ConceptData):
        return data
    if str(data) == TOYBOX or str(data).startswith(f"{TOYBOX}:"):
        return _toybox(str(data), seed, display)
    if str(data) == HUB:
        from eyeprint.people.mmpb_hub import open_mmpb

        return open_mmpb(chosen.revision, chosen.unpack_to)
    display.stage("opening the data", None)
    return open_concepts(data, chosen.unpack_to, labels=chosen.labels)


def _toybox(words: str, seed: int, display: Display) -> ConceptData:
    """Draw a toybox of any size, or take the one that was kept."""
    from eyeprint.people.toybox_shipped import load_concepts, toybox_is_here

    if words == TOYBOX and toybox_is_here():
        return load_concepts(TOYBOX)  # A run always has a seed: it draws no other toybox.
    sizes = words.split(":")[1:]
    if len(sizes) > 2 or not all(size.isascii() and size.isdecimal() for size in sizes):
        raise UsageError(
            f"'{shown(words)}' is no toybox: toybox, toybox:CONCEPTS or toybox:CONCEPTS:QUESTIONS, "
            "such as toybox:111:10017."
        )
    concepts, questions = [*(int(size) for size in sizes), None, None][:2]
    begun = False

    def told(done: int, total: int) -> None:
        nonlocal begun
        if not begun:
            begun = True
            display.stage("drawing the toybox", total)
        if done % 64 == 0:
            display.advance(done)

    return load_concepts(TOYBOX, concepts=concepts, questions=questions, seed=seed, on_done=told)


def _concepts_are(count: int) -> str:
    return "1 concept is" if count == 1 else f"{count} concepts are"


def _lacking(data: ConceptData, settings: Sequence[ConceptSetting]) -> Iterator[tuple[str, str]]:
    levels = dict.fromkeys(setting.level for setting in settings if setting.level is not None)
    pictures = max((setting.images for setting in settings), default=0)
    for name in dict.fromkeys(question.concept for question in data.questions):
        concept = data.concepts[name]
        for level in levels:
            if not concept.description(level).strip():
                yield name, f"no {level} description"
                break
        else:
            if len(concept.images) < pictures:
                yield name, f"{len(concept.images)} reference pictures, and {pictures} are shown"
