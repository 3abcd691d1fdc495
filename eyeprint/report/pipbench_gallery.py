"""The visual page of a PIPBench report: references, target, and what every model painted (P80)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from eyeprint.report.pipbench_arena_view import VerdictView
from eyeprint.report.pipbench_columns import digits, models_of, split_title, table_columns
from eyeprint.report.pipbench_row_views import CopyView, OutputView, ShownCase, SmallView
from eyeprint.report.pipbench_table_views import ColumnView
from eyeprint.report.pipbench_view import FinishedPipbench
from eyeprint.report.words import counted, listed, number

MOST_VERDICTS = 40
"""Verdicts that are shown of one case."""


@dataclass(frozen=True)
class Shot:
    """One small picture with the words that stand for it."""

    title: str
    alt: str
    image: str | None
    width: int
    height: int
    fault: str = ""


@dataclass(frozen=True)
class Flag:
    """A copy flag: the sentence, and the reference to look at."""

    words: str
    reference: Shot | None


@dataclass(frozen=True)
class Card:
    """What one model painted for a case."""

    title: str
    tone: int
    shot: Shot
    numbers: tuple[tuple[str, str], ...]
    prompt: str
    """The prompt that the painter was given; empty when it is the short prompt itself."""
    used: str
    flag: Flag | None


@dataclass(frozen=True)
class Said:
    """One verdict in words."""

    judge: str
    told: str
    confidence: str
    reason: str


@dataclass(frozen=True)
class Block:
    """One case as it is shown."""

    label: str
    facts: str
    prompt: str
    references: tuple[Shot, ...]
    target: Shot | None
    cards: tuple[Card, ...]
    verdicts: tuple[Said, ...] = ()
    more_verdicts: int = 0
    flagged: int = 0


@dataclass
class _Heard:
    said: list[Said] = field(default_factory=list)
    more: int = 0


def gallery_blocks(run: FinishedPipbench) -> list[Block]:
    """Return the cases that are shown, with verdicts where they were judged.

    Raises:
        DataError: the gallery or the verdicts are missing or cut.
    """
    cases = list(run.gallery())
    heard = _verdicts(run, {case.case for case in cases})
    columns = table_columns(run.summary.overall.columns)
    return [_block(run, case, columns, heard.get(case.case, _Heard())) for case in cases]


def _block(
    run: FinishedPipbench, case: ShownCase, columns: Sequence[ColumnView], heard: _Heard
) -> Block:
    references = tuple(
        _shot(small, f"{place}", f"Reference {place} of case {case.case}")
        for place, small in enumerate(case.references, start=1)
    )
    target = None
    if case.target is not None:
        target = _shot(case.target, "Target", f"Target of case {case.case}: {case.prompt}")
    made = {output.model: output for output in case.outputs}
    cards = tuple(
        _card(made[model.label], model.title, model.tone, case, references, columns)
        for model in models_of(run)
        if model.label in made
    )
    flagged = sum(card.flag is not None for card in cards)
    facts = [f"person {case.person}", split_title(case.split)]
    if flagged:
        facts.append(counted(flagged, "copy flag"))
    return Block(
        label=f"Case {case.case}",
        facts=" · ".join(facts),
        prompt=case.prompt,
        references=references,
        target=target,
        cards=cards,
        verdicts=tuple(heard.said),
        more_verdicts=heard.more,
        flagged=flagged,
    )


def _shot(small: SmallView, title: str, alt: str) -> Shot:
    fault = "" if small.image else (small.fault or "no picture")
    return Shot(title, alt, small.image, small.size[0], small.size[1], fault)


def _card(
    output: OutputView,
    title: str,
    tone: int,
    case: ShownCase,
    references: Sequence[Shot],
    columns: Sequence[ColumnView],
) -> Card:
    numbers = tuple(
        (column.name, number(output.scores[column.name], digits(column)))
        for column in columns
        if output.scores.get(column.name) is not None
    )
    prompt = output.prompt or ""
    used = [str(place + 1) for place in output.used]
    many = "s" if len(used) > 1 else ""
    return Card(
        title=title,
        tone=tone,
        shot=_shot(output, title, f"Painted by {title} for: {case.prompt}"),
        numbers=numbers,
        prompt="" if prompt == case.prompt else prompt,
        used=f"The painter saw reference{many} {listed(used)}" if used else "",
        flag=_flag(output.copied, references),
    )


def _flag(copied: CopyView | None, references: Sequence[Shot]) -> Flag | None:
    if copied is None:
        return None
    known = 0 <= copied.reference < len(references)
    words = copied.words or f"Looks like reference {copied.reference + 1}: {listed(copied.by)}."
    return Flag(words, references[copied.reference] if known else None)


def _verdicts(run: FinishedPipbench, cases: set[str]) -> dict[str, _Heard]:
    titles = {model.label: model.title for model in models_of(run)}
    heard: dict[str, _Heard] = {}
    for judged in run.judged:
        for verdict in judged.verdicts():
            if verdict.case_id not in cases:
                continue
            found = heard.setdefault(verdict.case_id, _Heard())
            if len(found.said) < MOST_VERDICTS:
                found.said.append(said(verdict, titles))
            else:
                found.more += 1
    return heard


def said(verdict: VerdictView, titles: dict[str, str]) -> Said:
    """Put a verdict into words.

    >>> one = VerdictView(case_id="1", judge="j", model_a="x", model_b="y", choice="b")
    >>> said(one, {"y": "Fusion"}).told
    'Fusion over x'
    """
    first = titles.get(verdict.model_a, verdict.model_a)
    second = titles.get(verdict.model_b, verdict.model_b)
    if verdict.choice == "a":
        told = f"{first} over {second}"
    elif verdict.choice == "b":
        told = f"{second} over {first}"
    elif verdict.choice == "tie":
        unsure = ", for the judge was not sure" if verdict.tie == "low_confidence" else ""
        told = f"{first} and {second}: a tie{unsure}"
    else:
        told = f"{first} and {second}: no verdict ({verdict.outcome})"
    sure = "" if verdict.confidence is None else f"confidence {number(verdict.confidence, 2)}"
    return Said(verdict.judge, told, sure, verdict.reason or verdict.detail)
