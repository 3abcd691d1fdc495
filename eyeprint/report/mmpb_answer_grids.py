"""Tables of what became of MMPB's answers: outcomes, refusals, letters, blind models, readings."""

from __future__ import annotations

from collections import Counter

from eyeprint.report.grids import Cell, Grid
from eyeprint.report.mmpb_found_views import OUTCOMES
from eyeprint.report.mmpb_layout import breaks_of, model_cell, share_cell, unrepeated
from eyeprint.report.mmpb_summary_views import ResultsView
from eyeprint.report.mmpb_words import OUTCOME_WORDS, part_title, percent
from eyeprint.report.words import NONE

OUTCOME_TITLES = {name: title for name, title, _ in OUTCOME_WORDS}


def outcomes_grid(results: ResultsView) -> Grid:
    """Return what became of the answers of every cell."""
    used = [o for o in OUTCOMES if o == "answered" or results.outcomes.of(o)]
    rows = unrepeated(
        (
            model_cell(cell.model),
            Cell(cell.setting),
            Cell(f"{cell.outcomes.asked:,}"),
            *(_count(cell.outcomes.of(o), cell.outcomes.asked, o != "answered") for o in used),
        )
        for cell in results.cells
    )
    gone = [OUTCOME_TITLES[o].lower() for o in OUTCOMES if o not in used]
    return Grid(
        "outcomes",
        "What became of the answers",
        ("Model", "Setting", "Asked", *(OUTCOME_TITLES[o] for o in used)),
        rows,
        labels=2,
        note="All of them are in the denominator of accuracy."
        + (f" There were none of: {', '.join(gone)}." if gone else ""),
        breaks=breaks_of(rows),
    )


def _count(n: int, of: int, share: bool = True) -> Cell:
    return Cell(f"{n:,}", f"{100 * n / of:.1f} %" if n and of and share else "")


def refusals_grid(results: ResultsView) -> Grid | None:
    """Return refusals of every cell, by category and by kind of question (M30)."""
    if not any(one.refused for one in results.refusals):
        return None
    order = [p.key for p in results.parts if not p.trait and p.key != "all" and not p.task]
    there = {key for one in results.refusals for key in one.parts}
    keys = [key for key in order if key in there and " · " not in key]
    rows = unrepeated(
        (
            model_cell(one.model),
            Cell(one.setting),
            Cell(f"{one.asked:,}"),
            Cell(f"{one.refused:,}"),
            share_cell(one.share),
            *(_count(*one.parts[key]) if key in one.parts else Cell(NONE) for key in keys),
        )
        for one in results.refusals
    )
    return Grid(
        "refusals",
        "Refusals by model, setting and kind of question",
        ("Model", "Setting", "Asked", "Refused", "Share", *map(part_title, keys)),
        rows,
        labels=2,
        note="A lower bound: told by patterns of words. Answers that describe and do not commit "
        "are unread, not refused.",
        breaks=breaks_of(rows),
    )


def refused_tasks_grid(results: ResultsView) -> Grid | None:
    """Return refusals by task, over all settings of a model."""
    tasks = [part.key for part in results.parts if part.task]
    if not any(one.refused for one in results.refusals):
        return None
    rows = []
    for model in dict.fromkeys(one.model for one in results.refusals):
        own = [one for one in results.refusals if one.model == model]
        if not any(one.refused for one in own):
            continue
        cells = []
        for task in tasks:
            found = [one.parts[task] for one in own if task in one.parts]
            refused, asked = sum(r for r, _ in found), sum(n for _, n in found)
            cells.append(_count(refused, asked) if found else Cell(NONE))
        rows.append((model_cell(model), *cells))
    return Grid(
        "refused-tasks",
        "Refusals by task, all settings together",
        ("Model", *map(part_title, tasks)),
        tuple(rows),
    )


def patterns_grid(results: ResultsView) -> Grid | None:
    """Return by which patterns refusals were told, over all cells."""
    found: dict[str, Counter[str]] = {}
    for one in results.refusals:
        for pattern, count in one.patterns.items():
            found.setdefault(pattern, Counter())[one.model] += count
    if not found:
        return None
    models = [m.model for m in results.models if any(m.model in each for each in found.values())]
    order = sorted(found, key=lambda pattern: (-found[pattern].total(), pattern))
    return Grid(
        "patterns",
        "What refusals were told by",
        ("Pattern", *models, "All"),
        tuple(
            (
                Cell(pattern or "not by words: the server’s own filter"),
                *(Cell(f"{found[pattern][model]:,}") for model in models),
                Cell(f"{found[pattern].total():,}"),
            )
            for pattern in order
        ),
        note="Names of the patterns in the tables of refusals that eyeprint ships; examples of "
        "replies stand below.",
    )


def letters_grid(results: ResultsView) -> Grid | None:
    """Return what is said too often: a letter whatever the question, or yes (M18)."""
    if not results.letters:
        return None
    rows = []
    for one in results.letters:
        told = ", ".join(
            f"{name} {percent(share)} ({percent(one.keys.get(name))})"
            for name, share in one.said.items()
        )
        rows.append(
            (
                model_cell(one.model),
                Cell(one.setting),
                Cell("letters" if one.kind == "letters" else "yes or no"),
                Cell(f"{one.n:,}"),
                Cell(told),
                Cell(one.largest or NONE),
                Cell(percent(one.excess, sign=True)),
            )
        )
    made = unrepeated(rows, 2)
    return Grid(
        "letters",
        "Is one answer said whatever the question?",
        ("Model", "Setting", "Answers", "Read", "Said, and in brackets how often it is right",
         "Too often", "By points"),
        made,
        labels=3,
        note="Options are shuffled, so without a habit a model says each answer as often as it is "
        "right. Per cent of the answers read.",
        breaks=breaks_of(made),
        prose=frozenset({4}),
    )  # fmt: skip


def blind_grid(results: ResultsView) -> Grid | None:
    """Return models that saw a black picture, beside what they should reach (M21)."""
    rows = [
        (
            model_cell(one.model),
            Cell(one.setting),
            Cell(part_title(part.part) + (" *" if part.caveat else "")),
            Cell(f"{part.share.n:,}"),
            share_cell(part.share),
            Cell(percent(part.optimum)),
            Cell(percent(part.distance)),
            share_cell(part.seen),
            share_cell(part.concept_only),
        )
        for one in results.blind
        for part in one.parts
    ]
    if not rows:
        return None
    made = unrepeated(rows, 2)
    starred = any(part.caveat for one in results.blind for part in one.parts)
    star = (
        " * What is asked here may stand in the text that was told, so 50 holds only where the "
        "option that fits the concept alone says what the text says."
        if starred
        else ""
    )
    return Grid(
        "blind",
        "With a black picture",
        ("Model", "Setting", "Questions about", "Questions", "Black picture", "Optimum",
         "Away from it", "With the picture", "Says what fits the concept alone"),
        made,
        labels=3,
        note="The optimum is what a model reaches that knows the concept and cannot see: a target, "
        f"not a maximum. Per cent.{star}",
        breaks=breaks_of(made),
    )  # fmt: skip
