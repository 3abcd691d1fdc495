"""Everything that decides what an MMPB run computes, and the grid of its settings (M4, M22)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any, Literal

from pydantic import Field, model_validator

from eyeprint import __version__
from eyeprint.config import Settings
from eyeprint.errors import UsageError, shown
from eyeprint.methods.conversation import Instruction
from eyeprint.methods.injection import InjectionSettings
from eyeprint.records.concept_settings import (
    ConceptSetting,
    Control,
    DialogueKind,
    Distractors,
)

DEFAULT_INJECT = ("text:moderate", "image:2")
"""The paper's cold start: a sentence, or two pictures (M22)."""
DEFAULT_TURNS = (0, 10)
DEFAULT_CONTROLS: tuple[Control, ...] = ("none", "wrong", "shuffled")
OFFLINE_GRADER = "offline"


class Grid(Settings):
    """Which settings a run has: every combination of what is listed, each asked once.

    Controls are made of the settings with one concept, plainly asked, seen and closed: those that
    the headline compares.
    """

    inject: tuple[str, ...] = DEFAULT_INJECT
    turns: tuple[int, ...] = DEFAULT_TURNS
    dialogue: tuple[DialogueKind, ...] = ("general",)
    position: tuple[int | Literal["start", "end"], ...] = ("start",)
    """Turns before the injection; those beyond a dialogue's length are left out there."""
    concepts: tuple[int, ...] = (1,)
    distractors: tuple[Distractors, ...] = ("random",)
    prompting: tuple[str, ...] = ("zero_shot",)
    blind: tuple[bool, ...] = (False,)
    form: tuple[Literal["choice", "open"], ...] = ("choice",)
    controls: tuple[Control, ...] = DEFAULT_CONTROLS

    @model_validator(mode="before")
    @classmethod
    def _lists(cls, values: Any) -> Any:
        """Take one value where a list is meant: ``Grid(inject="image:2", turns=0)``."""
        if not isinstance(values, dict):
            return values
        return {
            name: value if isinstance(value, list | tuple) else (value,)
            for name, value in values.items()
        }


def grid_settings(grid: Grid) -> tuple[ConceptSetting, ...]:
    """Return the settings of a grid, each once, those with the same prefix beside each other.

    Raises:
        UsageError: a value is not known, or nothing is left.

    >>> [each.label for each in grid_settings(Grid(inject=("text:simple",), controls=("wrong",)))]
    ... # doctest: +NORMALIZE_WHITESPACE
    ['text:simple · 0 turns', 'text:simple · 10 turns', 'text:simple · wrong concept · 0 turns',
     'text:simple · wrong concept · 10 turns']
    """
    found: dict[str, ConceptSetting] = {}
    own = [each.canonical() for each in _own(grid)]
    for setting in own:
        found.setdefault(setting.label, setting)
    for control in grid.controls:
        for setting in own:
            made = control_of(setting, control)
            if made is not None:
                found.setdefault(made.label, made)
    if not found:
        raise UsageError("The grid holds no setting: every list needs a value.")
    return tuple(found.values())


def control_of(setting: ConceptSetting, control: Control) -> ConceptSetting | None:
    """Return the control of a setting, or ``None`` where it has none.

    >>> control_of(ConceptSetting(turns=10), "none").label
    'no concept · 10 turns'
    """
    if control == "own" or not is_plain(setting):
        return None
    changed = {"control": control} | ({"inject": "none"} if control == "none" else {})
    return ConceptSetting(**(setting.model_dump() | changed)).canonical()


def _own(grid: Grid) -> Iterator[ConceptSetting]:
    axes = product(
        grid.inject,
        grid.prompting,
        grid.concepts,
        grid.distractors,
        grid.form,
        grid.blind,
        grid.dialogue,
        grid.position,
        grid.turns,
    )
    for inject, prompting, count, distractors, form, blind, dialogue, position, turns in axes:
        place = {"start": 0, "end": turns}.get(str(position), position)
        if isinstance(place, int) and place > turns:
            continue
        if inject == "none" and prompting == "reminder":
            continue  # There is nothing to be reminded of.
        yield ConceptSetting.checked_values(
            {
                "inject": inject,
                "control": "none" if inject == "none" else "own",
                "turns": turns,
                "dialogue": dialogue,
                "position": place,
                "concepts": count,
                "distractors": distractors,
                "prompting": prompting,
                "blind": blind,
                "form": form,
            }
        )


def read_words(text: str, known: Sequence[str], option: str) -> tuple[str, ...]:
    """Return the words of a comma-separated option, each once; "" is none of them.

    Raises:
        UsageError: a word is not known.

    >>> read_words("wrong, none", ("own", "none", "wrong"), "--controls")
    ('wrong', 'none')
    """
    words = tuple(dict.fromkeys(part.strip().lower() for part in text.split(",") if part.strip()))
    for word in words:
        if word not in known:
            raise UsageError(f"{option} does not know '{shown(word)}'. Known: {', '.join(known)}.")
    return words


def read_numbers(text: str, low: int, high: int, option: str) -> tuple[int, ...]:
    """Return the whole numbers of a comma-separated option, each once.

    Raises:
        UsageError: one is no number, or out of range.

    >>> read_numbers("0, 10,10", 0, 100, "--turns")
    (0, 10)
    """
    found: dict[int, None] = {}
    for part in (part.strip() for part in text.split(",")):
        if not part:
            continue
        if not part.isascii() or not part.isdecimal() or not low <= int(part) <= high:
            raise UsageError(
                f"{option} takes whole numbers from {low} to {high} with commas between, and not "
                f"'{shown(part)}'."
            )
        found[int(part)] = None
    if not found:
        raise UsageError(f"{option} needs at least one number.")
    return tuple(found)


def read_positions(text: str) -> tuple[int | Literal["start", "end"], ...]:
    """Return injection positions: start, end, or numbers of turns before it.

    >>> read_positions("start,5,end")
    ('start', 5, 'end')
    """
    found: list[int | Literal["start", "end"]] = []
    for part in (part.strip().lower() for part in text.split(",") if part.strip()):
        if part == "start":
            found.append("start")
        elif part == "end":
            found.append("end")
        else:
            found += read_numbers(part, 0, 100, "--position (start, end, or turns before it)")
    if not found:
        raise UsageError("--position needs start, end, or a number of turns.")
    return tuple(dict.fromkeys(found))


class ModelAsked(Settings):
    """One model of a run."""

    name: str
    """The catalogue name, or the name that ready answers were given."""
    identity: str = ""
    """Fingerprint of weights and settings of a model in process, of the file of ready answers."""
    given: bool = False
    """Whether its answers were made elsewhere and are only read."""


class MmpbRun(Settings):
    """An MMPB run (M4, M22–M48). Equal settings give equal bytes with models that repeat.

    Data enter by fingerprint. What only decides how fast it goes is not here.
    """

    data: str
    """Fingerprint of concepts, questions and pictures."""
    questions: int
    models: tuple[ModelAsked, ...]
    settings: tuple[ConceptSetting, ...]
    injection: InjectionSettings = InjectionSettings()
    instruction: Instruction = "none"
    """What is added to a question; the released code adds nothing."""
    dialogues: str = ""
    """Digest of the dialogues."""
    strip_dialogues: bool = True
    """Whether turns that speak of a question's concept are passed over, and later ones take their
    place: the same for every model (M14)."""
    talk: Literal["same", "by_concept"] = "same"
    """Which dialogue comes first: the same for all, or one drawn for each concept, so that a loss
    over ten turns does not hang on one text. Every model hears the same either way."""
    given_setting: str = ""
    """Label of the setting that ready answers count for; empty: the first plain one."""
    temperature: float | None = 0.0
    top_p: float | None = None
    max_tokens: int | None = Field(default=1024, ge=1)
    model_seed: int | None = None
    """Sent to the models; ``None`` sends none."""
    max_side: int | None = Field(default=1024, ge=16)
    """Longest side of the pictures that are sent."""
    grader: str = OFFLINE_GRADER
    """Who grades free answers: "offline" or a chat model (M20)."""
    facts: str = ""
    """Digest of the table of model facts (leaderboard), where one was given."""
    seed: int = 0
    bootstraps: int = Field(default=2000, ge=100)
    version: str = __version__

    def setting_of_ready_answers(self) -> ConceptSetting:
        """Return the setting that answers made elsewhere count for (M26).

        Raises:
            UsageError: no setting has that label, or none is plainly asked.
        """
        for setting in self.settings:
            if self.given_setting and setting.label == self.given_setting:
                return setting
            if not self.given_setting and is_plain(setting):
                return setting
        labels = "; ".join(setting.label for setting in self.settings)
        said = "name one with --answers-in"
        if self.given_setting:
            said = f"'{shown(self.given_setting)}' is none of this run's"
        raise UsageError(
            f"Answers made elsewhere need the setting that they were given in: {said}. This run "
            f"has: {labels}."
        )


def is_plain(setting: ConceptSetting) -> bool:
    """Whether one concept of the question's own is told, the picture seen, the options shown.

    >>> is_plain(ConceptSetting()), is_plain(ConceptSetting(blind=True))
    (True, False)
    """
    return (
        setting.control == "own"
        and setting.concepts == 1
        and setting.prompting == "zero_shot"
        and not setting.blind
        and setting.form == "choice"
    )
