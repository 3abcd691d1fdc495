"""The words of a command line or a task as a grid of settings."""

from __future__ import annotations

from typing import get_args

from eyeprint.errors import UsageError
from eyeprint.protocols.mmpb_settings import Grid, read_numbers, read_positions, read_words
from eyeprint.records.concept_settings import (
    CONTROLS,
    MOST_CONCEPTS,
    MOST_TURNS,
    PROMPTING,
    DialogueKind,
    Distractors,
)


def read_grid(
    *,
    inject: str = "text:moderate,image:2",
    turns: str = "0,10",
    dialogue: str = "general",
    position: str = "start",
    concepts: str = "1",
    distractors: str = "random",
    prompting: str = "zero_shot",
    form: str = "choice",
    blind: bool = False,
    controls: str = "none,wrong,shuffled",
) -> Grid:
    """Return the grid of comma-separated lists; ``blind`` adds the black pictures to the seen.

    Raises:
        UsageError: a word or number is not known; the option is named.

    >>> read_grid(inject="image:1,image:2", turns="0", prompting="all").inject
    ('image:1', 'image:2')
    """
    injected = tuple(
        dict.fromkeys(part.strip().lower() for part in inject.split(",") if part.strip())
    )
    if not injected:
        raise UsageError("--inject needs at least one of text:moderate, image:2, none ...")
    longest = max(read_numbers(turns, 0, MOST_TURNS, "--turns"))
    for place in read_positions(position):
        if isinstance(place, int) and place > longest:
            raise UsageError(
                f"--position {place} lies beyond every dialogue: the longest of --turns is "
                f"{longest}."
            )
    every = prompting.strip().lower() == "all"
    return Grid.checked(
        {
            "inject": injected,
            "turns": read_numbers(turns, 0, MOST_TURNS, "--turns"),
            "dialogue": read_words(dialogue, get_args(DialogueKind), "--dialogue"),
            "position": read_positions(position),
            "concepts": read_numbers(concepts, 1, MOST_CONCEPTS, "--concepts"),
            "distractors": read_words(distractors, get_args(Distractors), "--distractors"),
            "prompting": PROMPTING if every else read_words(prompting, PROMPTING, "--prompting"),
            "form": read_words(form, ("choice", "open"), "--form"),
            "blind": (False, True) if blind else (False,),
            "controls": read_words(controls, CONTROLS[1:], "--controls"),
        },
        "the grid",
    )
