"""The findings of an MMPB run in sentences, the same in every format."""

from __future__ import annotations

from collections.abc import Sequence

from eyeprint.report.mmpb_found_views import DifferenceView, MeanView, OutcomesView, ShareView
from eyeprint.report.mmpb_summary_views import ResultsView
from eyeprint.report.mmpb_table_views import LiftView
from eyeprint.report.mmpb_view import FinishedMmpb
from eyeprint.report.words import NONE, bracket_ends, counted, listed, number

FEWEST_CONCEPTS, FEW_CONCEPTS = 5, 10
FEW_QUESTIONS = 100
SHOWN = 4
"""Models that one sentence names; further ones are counted."""
CONTROLS = {"none": "no concept", "wrong": "a wrong concept", "shuffled": "a shuffled concept"}
AGAINST = {
    "wrong": "than when it is told of a wrong one",
    "none": "than when it is told of nobody",
    "shuffled": "than when it is told of one that is put together from others",
}
OUTCOME_WORDS = (
    ("answered", "Read", "An answer was read from the reply. Only these can be right."),
    ("unread", "Unread", "There is a reply, but no single answer in it: it names two options, "
     "none of them, or something else. Counts as wrong."),
    ("refused", "Refused", "The model declines or evades: it cannot tell, or will not. Counts as "
     "wrong. Told by patterns of words, so it is a lower bound."),
    ("empty", "Empty", "The reply holds no text. Counts as wrong."),
    ("truncated", "Cut", "The reply was cut at the limit of tokens before an answer. Counts as "
     "wrong; a higher limit may help."),
    ("failed", "Failed", "No reply came, after all tries, or what the grader said of it could not "
     "be read. Counts as wrong until the same command is run again, which asks again."),
)  # fmt: skip
"""Outcome, its short name, and what it means and how it stands in the denominator."""


def percent(value: float | None, sign: bool = False) -> str:
    """Return a share in per cent with one decimal, or a dash.

    >>> percent(0.6384), percent(-0.05, sign=True), percent(None)
    ('63.8', '−5.0', '—')
    """
    return NONE if value is None else number(100 * value, 1, sign)


def ends(found: ShareView | MeanView | DifferenceView, sign: bool = False) -> str:
    """Return an interval in per cent, in brackets; "" without.

    >>> ends(ShareView(value=0.5, low=0.4, high=0.6)).split()
    ['[40.0,', '60.0]']
    """
    if found.low is None or found.high is None:
        return ""
    return bracket_ends(100 * found.low, 100 * found.high, 1, sign)


def with_ends(found: ShareView | MeanView | DifferenceView, sign: bool = False) -> str:
    """Return "value [low, high]" in per cent or points."""
    told = ends(found, sign)
    return percent(found.value, sign) + (f"\u00a0{told}" if told else "")


def part_title(key: str) -> str:
    """Return a part's key as it is printed.

    >>> part_title("all"), part_title("awareness · recognition · animal · same_species")
    ('All questions', 'Awareness · recognition · animal · same species')
    """
    text = "all questions" if key == "all" else key.replace("_", " ")
    return text[:1].upper() + text[1:]


def some(names: list[str]) -> str:
    """Return a few names as running text, and how many more there are.

    >>> some(["a", "b", "c", "d", "e", "f"])
    'a, b, c, d and 2 more'
    """
    if len(names) <= SHOWN + 1:
        return listed(names)
    return f"{', '.join(names[:SHOWN])} and {len(names) - SHOWN} more"


def headline(run: FinishedMmpb) -> list[str]:
    """Return the findings in sentences, the most important first.

    Whether knowing the right concept helps over a wrong one; which cell is best; how many
    answers were refused or could not be read; a caution where there is little to go by, which
    comes first where there is next to nothing.
    """
    results = run.results
    said = _lifts(results)
    said += _best(results)
    said.append(lost_sentence(results.outcomes, results.graded))
    caution = _caution(results)
    if caution:
        said.insert(0 if results.concepts < FEWEST_CONCEPTS else len(said), caution)
    return said


def ordered_lifts(results: ResultsView) -> list[LiftView]:
    """Return the headline's lifts of models, the largest first; people left out."""
    known = [
        lift
        for lift in results.headline.lifts
        if lift.whole.value is not None and lift.model in results.machines
    ]
    return sorted(known, key=lambda lift: -(lift.whole.value or 0.0))


def _lifts(results: ResultsView) -> list[str]:
    order = ordered_lifts(results)
    if not order:
        return [
            "Whether knowing the concept helps is not known: no question was asked with a wrong "
            "concept or with none beside the right one."
        ]
    best = order[0]
    found, against = best.whole, AGAINST.get(best.control, "than under a control")
    right = f"{percent(found.left)}\u00a0% right"
    shown = f"{with_ends(found, sign=True)} points"
    if found.side > 0:
        said = [
            f"{best.model} knows whom and what it is talking about: told of the right concept, it "
            f"answers {right}, {percent(found.value)} points\u00a0{ends(found)} more "
            f"{against}."
        ]
    elif found.low is None:
        why = (found.reason or "too few concepts").removesuffix(": no interval")
        said = [
            f"Told of the right concept, {best.model} answers {right}, {shown} against "
            f"{CONTROLS.get(best.control, best.control)}; there is no interval: {why}."
        ]
    else:
        whose = "No model is" if len(order) > 1 else f"{best.model} is not"
        who = best.model if len(order) > 1 else "it"
        said = [
            f"{whose} shown to know whom and what it is talking about: told of the right concept, "
            f"{who} answers {right}, which is not surely more {against} ({shown})."
        ]
    if len(order) > 1 and found.side > 0:
        said += _others(order)
    return said


def _others(order: list[LiftView]) -> list[str]:
    said = []
    helped = [lift for lift in order[1:] if lift.whole.side > 0]
    if helped:
        told = [f"{one.model} {with_ends(one.whole, sign=True)}" for one in helped]
        said.append(f"The concept helps, in points: {some(told)}.")
    without = [lift.model for lift in order[1:] if lift.whole.side <= 0]
    if without:
        verb = "does" if len(without) == 1 else "do"
        said.append(f"{some(without)} {verb} not surely do better with the right concept.")
    return said


def _best(results: ResultsView) -> list[str]:
    head = results.headline
    if head.best is None or head.best.value is None or head.best_model is None:
        return ["No question was asked with its own concept and a visible picture."]
    everything = results.part("all")
    guess = f"; guessing gives {percent(everything.chance)}\u00a0%" if everything else ""
    shown = f"{percent(head.best.value)}\u00a0% {ends(head.best)}".strip()
    if len(results.cells) == 1:
        return [f"It answers {shown} of the questions right{guess}."]
    return [f"The best accuracy is {shown}, of {head.best_model} with {head.best_setting}{guess}."]


def lost_sentence(outcomes: OutcomesView, graded: bool = False) -> str:
    """Say how many answers were refused, unread and otherwise lost, and that they count as wrong.

    Args:
        outcomes: what became of all answers.
        graded: whether free answers are among them.

    >>> lost_sentence(OutcomesView(answered=7, refused=2, unread=1))
    'Of 10 answers, 2 were refused and 1 could not be read; each counts as wrong.'
    """
    told = [
        (outcomes.refused, "refused"),
        (outcomes.unread, "could not be read"),
        (outcomes.empty, "empty"),
        (outcomes.truncated, "cut off before an answer"),
        (outcomes.failed, "never came or could not be graded" if graded else "never came"),
    ]
    found = []
    for count, words in told:
        if not count:
            continue
        verb = ("was " if count == 1 else "were ") if words in _PASSIVE else ""
        found.append(f"{count:,} {verb}{words}")
    if not found:
        return f"All {outcomes.asked:,} answers were read; none was refused."
    each = "each counts" if sum(count for count, _ in told) > 1 else "it counts"
    return f"Of {outcomes.asked:,} answers, {listed(found)}; {each} as wrong."


_PASSIVE = ("refused", "empty", "cut off before an answer")


def not_compared(changed: Sequence[str]) -> str:
    """Say why no published number stands beside the run's; "" where its protocol is as released.

    >>> not_compared(["instruction", "injection.order"])[53:]
    'it changed --instruction and order of --injection-settings.'
    """
    if not changed:
        return ""
    told = [
        f"{name.removeprefix(_INJECTED)} of --injection-settings"
        if name.startswith(_INJECTED)
        else _FLAGS.get(name, f"--{name.replace('_', '-')}")
        for name in changed
    ]
    return f"The paper’s numbers are not shown beside this run’s: it changed {listed(told)}."


_INJECTED = "injection."
_FLAGS = {"strip_dialogues": "--strip", "model_seed": "--model-seed"}


def _caution(results: ResultsView) -> str:
    concepts, questions = results.concepts, results.questions
    if concepts >= FEW_CONCEPTS and questions >= FEW_QUESTIONS:
        return ""
    about = f"{counted(questions, 'question')} about {counted(concepts, 'concept')}"
    if concepts < FEWEST_CONCEPTS:
        verb = "are" if questions > 1 else "is"
        return (
            f"{about} {verb} too few to say that one model or setting is better: what follows "
            "describes these questions only."
        )
    return f"These are {about}: an interval from so few says little about others."
