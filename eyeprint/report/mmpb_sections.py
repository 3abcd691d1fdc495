"""The sections of an MMPB page: what each asks, its figures, its tables, and what is folded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from eyeprint.report.grids import Grid
from eyeprint.report.mmpb_accuracy_grids import bias_sentence
from eyeprint.report.mmpb_curve_figures import curve_figures, granularity_figures
from eyeprint.report.mmpb_figures import (
    accuracy_figure,
    bias_figures,
    drop_figures,
    lift_figure,
    modality_figure,
    rank_figures,
    refusal_figure,
    split_figures,
)
from eyeprint.report.mmpb_heat import heat_blocks
from eyeprint.report.mmpb_layout import tones_of
from eyeprint.report.mmpb_model_grids import fairness_sentence
from eyeprint.report.mmpb_question_figures import (
    access_figure,
    blind_figures,
    contrast_figures,
    gap_figure,
    lost_figure,
    prompting_figures,
    unaided_figure,
)
from eyeprint.report.mmpb_row_views import UnaidedQuestionView
from eyeprint.report.mmpb_setting_grids import CONTRASTS
from eyeprint.report.mmpb_tables import MmpbTables
from eyeprint.report.mmpb_view import FinishedMmpb
from eyeprint.report.mmpb_words import lost_sentence, not_compared
from eyeprint.report.page import environment, grid_html

MOST_ROWS = 30
"""Rows up to which a table stands open; longer ones are folded."""
FIRST_UNAIDED = 50
FOLDED_CURVES = ("curve-position", "curve-concepts", "curve-turns", "granularity-all")
"""Tables of detail beside the lines that show them."""


@dataclass(frozen=True)
class Section:
    """One section; ``text``, ``found`` are plain text, the rest is safe HTML."""

    id: str
    label: str
    title: str
    text: str
    figures: Sequence[str]
    folded: Sequence[str]
    tables: Sequence[str]
    before: str = ""
    found: str = ""


def sections_of(run: FinishedMmpb, made: MmpbTables) -> list[Section]:
    """Return the sections that the run has anything for, in the order of the page."""
    results = run.results
    tones = tones_of(results)

    def tables(grids: Sequence[Grid], folded: Sequence[str] = ()) -> list[str]:
        return [shown(grid, tones, grid.id in folded) for grid in grids]

    def section(
        id: str,
        label: str,
        title: str,
        text: str,
        grids: Sequence[Grid],
        figures: Sequence[str] = (),
        *,
        open_figures: int = 2,
        folded: Sequence[str] = (),
        before: str = "",
        after: Sequence[str] = (),
        found: str = "",
    ) -> Section | None:
        if not grids and not any(figures):
            return None
        first, rest = split_figures(figures, open_figures)
        whole = [*tables(grids, folded), *after]
        return Section(id, label, title, text, first, rest, whole, before, found)

    made_all = [
        section(
            "accuracy-section", "Accuracy", "How often is it right?",
            "Every question that was asked counts, whatever became of its answer. A cell is one "
            "model in one setting.",
            (*made.accuracy, *made.published), folded=("cells",),
            before=accuracy_figure(results),
            found=not_compared(run.summary.changed),
        ),
        section(
            "lift", "Lift", "Does it help to know the concept?",
            "The same questions were asked with the right concept and under controls. What a "
            "model gets right without the right concept, it did not get from knowing whom it "
            "talks about.",
            made.lift, [lift_figure(results), unaided_figure(results)],
            folded=("lifts-each", "unaided"), after=_unaided(run),
        ),
        section(
            "tasks-section", "Tasks", "Which questions does it get right?",
            "15 tasks: three types of question about how people, animals, objects and characters "
            "look, and about what people like.",
            made.tasks, folded=("parts", "tasks", "crossed"), before=heat_blocks(results),
        ),
        section(
            "bias-section", "Bias", "Does it hold back, or see the concept everywhere?",
            "Appropriateness asks where the concept has no place, Awareness where it has one. A "
            "model that says no to everything is right in the first and wrong in the second.",
            made.bias, bias_figures(results), found=bias_sentence(results),
        ),
        section(
            "told", "Telling", "How should it be told?",
            "In words or in pictures, how much, how early, and beside how many other concepts; "
            "all else equal.",
            made.told,
            [
                modality_figure(results), *granularity_figures(results),
                *curve_figures(results, "position"), *curve_figures(results, "concepts"),
            ],
            open_figures=4, folded=FOLDED_CURVES,
        ),
        section(
            "talk", "Talk", "Does it still know after a long talk?",
            "The concept is told first, then there is talk of other things, then comes the "
            "question.",
            made.talk,
            [
                *curve_figures(results, "turns")[:2], *drop_figures(results)[:2],
                *curve_figures(results, "turns")[2:], *curve_figures(results, "tokens"),
                *drop_figures(results)[2:],
            ],
            open_figures=4, folded=FOLDED_CURVES,
        ),
        section(
            "prompting-section", "Prompting", "Does it matter how the question is put?",
            "The same questions, put in several ways.", made.prompting,
            prompting_figures(results), folded=("prompting-tests",),
        ),
        section(
            "pictures", "Pictures", "What is in the picture, and does it look?",
            "Questions are split by what their picture shows and how they are worded; and with a "
            "black picture there is nothing to see at all.",
            made.pictures, [*contrast_figures(results), *blind_figures(results)],
            open_figures=4, folded=tuple(f"contrast-{name}" for name in CONTRASTS),
        ),
        section(
            "outcomes-section", "Outcomes", "What became of the answers?",
            "An answer can be read, or lost in five ways. Each lost answer stays in the "
            "denominator and counts as wrong; the columns tell how many there are.",
            made.outcomes, [lost_figure(results)], folded=("letters",),
            found=lost_sentence(results.outcomes),
        ),
        section(
            "refusals-section", "Refusals", "Whom and what does it refuse?",
            "Replies that decline or evade, told by patterns of words.",
            made.refusals, [refusal_figure(results)],
        ),
        section(
            "models", "Models", "Which models?",
            "Models with open weights against closed ones, against a general leaderboard, and "
            "against people.",
            made.models, [access_figure(results), *rank_figures(results)], open_figures=4,
        ),
        section(
            "fairness-section", "Fairness", "Is it fair to every concept?",
            "Each concept’s accuracy against that of all concepts of its category.",
            made.fairness, [gap_figure(results)], folded=("fairness",),
            found=fairness_sentence(results),
        ),
        section(
            "data-section", "Data", "What was it asked about?",
            "Concepts, questions and pictures, counted in every way that tables above are split.",
            made.data,
        ),
    ]  # fmt: skip
    return [one for one in made_all if one is not None]


def shown(grid: Grid, tones: dict[str, int], folded: bool = False) -> str:
    """Return a table; a long one, or one of detail, is folded under its title."""
    html = grid_html(grid, tones)
    rows = len(grid.rows)
    if not folded and rows <= MOST_ROWS:
        return f'<div class="stacked">{html}</div>'
    return (
        environment()
        .get_template("mmpb_folded.html.j2")
        .render(title=grid.title, note=f"{rows:,} row{'s' if rows != 1 else ''}", html=html)
    )


def _unaided(run: FinishedMmpb) -> list[str]:
    """Return the first questions that were answered right without any concept."""
    found = run.unaided()
    first: list[UnaidedQuestionView] = list(islice(found, FIRST_UNAIDED))
    if not first:
        return []
    total = len(first) + sum(1 for _ in found)
    return [
        environment()
        .get_template("mmpb_unaided.html.j2")
        .render(rows=first, total=total, path=run.folder.name + "/answered_without.jsonl")
    ]
