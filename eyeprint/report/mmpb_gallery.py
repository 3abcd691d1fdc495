"""Questions of an MMPB run as a reader sees them: pictures, what was asked, and every reply."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from eyeprint.report.mmpb_layout import main_settings
from eyeprint.report.mmpb_replies import Gathered, shortened
from eyeprint.report.mmpb_row_views import AnswerView, ExampleView
from eyeprint.report.mmpb_summary_views import ResultsView
from eyeprint.report.mmpb_view import FinishedMmpb
from eyeprint.report.mmpb_words import OUTCOME_WORDS, part_title

MOST_SAID = 40
"""Replies shown of one question."""
OUTCOME_TITLES = {name: title for name, title, _ in OUTCOME_WORDS}


@dataclass(frozen=True)
class Said:
    """One reply and what was read from it."""

    model: str
    setting: str
    reply: str
    read: str
    """The answer in words, or what became of it."""
    why: str
    """The rule, the pattern of a refusal, or why there is no answer."""
    also: str
    """What else could be read."""
    right: bool
    lost: bool
    """Whether no answer was read."""
    about: str = ""
    """Question and right answer, where they are not told above."""


@dataclass(frozen=True)
class Block:
    """One question as it is shown."""

    label: str
    facts: str
    question: str
    picture: str
    alt: str
    references: tuple[str, ...]
    told: str
    preference: str
    options: tuple[tuple[str, str, str], ...]
    """(letter, text, remark): which one is right, and which fits the concept alone."""
    key: str
    said: tuple[Said, ...]
    more: int


def shown_settings(results: ResultsView) -> list[str]:
    """Return the settings whose replies are shown: the main ones, and one of each control."""
    found = main_settings(results)
    for control in ("none", "wrong", "shuffled"):
        found += [s.label for s in results.settings if s.setting.control == control][:1]
    found += [s.label for s in results.settings if s.setting.blind][:1]
    return list(dict.fromkeys(found))


def blocks_of(run: FinishedMmpb, examples: Sequence[ExampleView], found: Gathered) -> list[Block]:
    """Return the questions that are shown with their replies, models and settings in order."""
    models = {model.model: place for place, model in enumerate(run.results.models)}
    settings = {label: place for place, label in enumerate(shown_settings(run.results))}

    def place(one: AnswerView) -> tuple[int, int]:
        return settings.get(one.setting, 0), models.get(one.model, 0)

    blocks = []
    for example in examples:
        said = sorted(found.said.get(example.question.id, []), key=place)
        blocks.append(_block(example, said))
    return blocks


def _block(example: ExampleView, said: Sequence[AnswerView]) -> Block:
    asked = example.question
    facts = [part_title(example.task), f"concept {asked.concept}"]
    traits = [asked.entities and f"{asked.entities} entity", asked.target]
    facts += [str(trait).replace("_", " ") for trait in traits if trait]
    facts += ["negated"] if asked.negated else []
    options = []
    for letter, text in asked.options.items():
        remark = "right" if letter == asked.answer else ""
        if letter == asked.concept_only:
            remark = "fits the concept, but not the picture"
        options.append((letter, text, remark))
    kept = [said_of(one) for one in said[:MOST_SAID]]
    return Block(
        label=f"Question {asked.id}",
        facts=" · ".join(facts),
        question=asked.question,
        picture=example.picture,
        alt=f"The picture of question {asked.id}",
        references=example.references,
        told=example.moderate,
        preference=example.preference,
        options=tuple(options),
        key=asked.answer,
        said=tuple(kept),
        more=len(said) - len(kept),
    )


def said_of(one: AnswerView, about: bool = False) -> Said:
    """Put a row into words.

    >>> row = AnswerView(question="1", model="m", setting="s", key="A", outcome="answered",
    ...     said="A", right=True, rule="lone-letter", reply="A")
    >>> said_of(row).read, said_of(row).why
    ('A', 'lone-letter')
    """
    lost = one.outcome != "answered"
    why = one.refusal or one.detail if lost else one.rule
    return Said(
        model=one.model,
        setting=one.setting,
        reply=shortened(one.reply),
        read=OUTCOME_TITLES.get(one.outcome, one.outcome) if lost else str(one.said),
        why=shortened(why, 200),
        also=", ".join(one.alternatives),
        right=one.right,
        lost=lost,
        about=f"{one.question}: {one.key}" if about else "",
    )
