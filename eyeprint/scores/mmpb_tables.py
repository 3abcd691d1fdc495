"""All tables of a run of MMPB out of its answers (CHECKLIST M21, M23, M25-M48)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from eyeprint.records.concept_questions import ConceptAnswer
from eyeprint.records.concept_settings import ConceptSetting
from eyeprint.scores.mmpb_cell_records import Cell, ModelFound
from eyeprint.scores.mmpb_cells import cells_of, letter_biases, settings_of_run
from eyeprint.scores.mmpb_compared import Lift
from eyeprint.scores.mmpb_contrasts import bias_table, contrasts_of
from eyeprint.scores.mmpb_curves import curves_of, granularity_of
from eyeprint.scores.mmpb_fairness import fairness_of, unknown_fairness_settings
from eyeprint.scores.mmpb_fold import fold_answers
from eyeprint.scores.mmpb_groups import access_of, costs_of, ranks_of
from eyeprint.scores.mmpb_model_facts import ModelFacts, unmatched
from eyeprint.scores.mmpb_pairs import drops_of, headline_lifts, humans_of, lifts_of, modality_of
from eyeprint.scores.mmpb_prompting import prompting_tables
from eyeprint.scores.mmpb_results import Headline, MmpbResults, MmpbTableSettings
from eyeprint.scores.mmpb_silence import blind_of, refusals_of, unaided_of
from eyeprint.scores.mmpb_view import RunView

FEW_CONCEPTS = 10
"""Under so many concepts, intervals that resample them are too narrow: results say so."""


def mmpb_results(
    rows: Iterable[ConceptAnswer],
    settings: Sequence[ConceptSetting],
    table_settings: MmpbTableSettings | None = None,
    facts: Mapping[str, ModelFacts] | None = None,
) -> MmpbResults:
    """Make every table that the answers have the cells for.

    Args:
        rows: answers in any order, read once and not held.
        settings: the grid; tables keep its order.
        table_settings: resamples, tests, thresholds.
        facts: what is known of models, by name
            (:func:`eyeprint.scores.mmpb_model_facts.read_model_facts`).

    Raises:
        DataError: see :func:`eyeprint.scores.mmpb_fold.fold_answers`.
    """
    table_settings, facts = table_settings or MmpbTableSettings(), facts or {}
    answers = fold_answers(rows, settings)
    view = RunView(answers, table_settings, facts)
    cells, lifts = cells_of(view), lifts_of(view)
    return MmpbResults(
        table_settings=table_settings,
        how=_how(table_settings),
        rows=answers.rows,
        questions=len(answers.questions),
        concepts=len(answers.concepts),
        models=tuple(
            ModelFound(
                model=model,
                human=model in view.people,
                access=view.facts[model].access,
                size_b=view.facts[model].size_b,
                rank=view.facts[model].rank,
            )
            for model in answers.models
        ),
        settings=settings_of_run(view),
        parts=view.grid.parts.parts,
        headline=_headline(view, cells, lifts),
        cells=cells,
        letters=letter_biases(view),
        lifts=lifts,
        unaided=unaided_of(view),
        drops=drops_of(view),
        modality=modality_of(view),
        access=access_of(view),
        bias=bias_table(view),
        contrasts=contrasts_of(view),
        granularity=granularity_of(view),
        curves=curves_of(view),
        prompting=prompting_tables(view),
        refusals=refusals_of(view),
        blind=blind_of(view),
        fairness=fairness_of(view),
        ranks=ranks_of(view),
        human=humans_of(view),
        costs=costs_of(view),
        notes=_notes(view, cells, facts),
    )


def _headline(view: RunView, cells: Sequence[Cell], lifts: Sequence[Lift]) -> Headline:
    own = {setting.label for setting in view.own}
    ranked = [c for c in cells if c.setting in own and c.model in view.machines]
    best = max(ranked, key=lambda c: c.parts["all"].share.value or 0.0, default=None)
    outcomes = [cell.parts["all"].outcomes for cell in cells]
    return Headline(
        lifts=headline_lifts(lifts),
        best_model=None if best is None else best.model,
        best_setting=None if best is None else best.setting,
        best=None if best is None else best.parts["all"].share,
        unread=sum(outcome.unread for outcome in outcomes),
        refused=sum(outcome.refused for outcome in outcomes),
    )


def _how(settings: MmpbTableSettings) -> str:
    return (
        "Accuracy is the share of questions answered right, of all that were asked: answers that "
        "were refused, empty, cut, failed or could not be read count as wrong, and are counted "
        f"apart. Intervals hold {settings.level:.0%} of {settings.draws:,} resamples of whole "
        "concepts, the same resamples everywhere. Settings are compared by the questions that "
        "both have; p-values flip the signs of whole concepts."
    )


def _notes(
    view: RunView, cells: Sequence[Cell], facts: Mapping[str, ModelFacts]
) -> tuple[str, ...]:
    notes = list(unmatched(view.machines, facts))
    notes += unknown_fairness_settings(view)
    concepts, asked = len(view.answers.concepts), len(view.answers.questions)
    if concepts == 1:
        notes.append("1 concept: there is no interval, for intervals resample concepts.")
    elif concepts < FEW_CONCEPTS:
        notes.append(f"{concepts} concepts: intervals that resample so few are too narrow.")
    partial = [cell for cell in cells if cell.parts["all"].share.n < asked]
    if partial:
        notes.append(
            f"{len(partial)} of {len(cells)} cells have answers to only some of the {asked:,} "
            "questions: their accuracies are over different questions, differences are not."
        )
    failed = sum(cell.parts["all"].outcomes.failed for cell in cells)
    if failed:
        graded = any(one.form == "open" for one in view.answers.settings)
        lack = "no reply, or none that the grader could grade," if graded else "no reply at all,"
        notes.append(
            f"{failed:,} question{'s' if failed != 1 else ''} had {lack} and "
            f"count{'s' if failed == 1 else ''} as wrong: run again to ask "
            f"{'them' if failed != 1 else 'it'}."
        )
    return tuple(notes)
