"""Every table of an MMPB run by the section that it stands in, made once for page and exports."""

from __future__ import annotations

from typing import NamedTuple

from eyeprint.report.grids import Grid
from eyeprint.report.mmpb_accuracy_grids import (
    bias_grid,
    cells_grid,
    crossed_grid,
    lift_grid,
    overview_grid,
    parts_grid,
    tasks_grid,
    unaided_grid,
)
from eyeprint.report.mmpb_answer_grids import (
    blind_grid,
    letters_grid,
    outcomes_grid,
    patterns_grid,
    refusals_grid,
    refused_tasks_grid,
)
from eyeprint.report.mmpb_data_grid import data_grid
from eyeprint.report.mmpb_model_grids import (
    access_grid,
    cost_grid,
    fairness_grid,
    human_grid,
    published_grid,
    ranked_models_grid,
    ranks_grid,
)
from eyeprint.report.mmpb_replies import Gathered, rules_grid
from eyeprint.report.mmpb_setting_grids import (
    CONTRASTS,
    contrast_grid,
    curve_grid,
    drops_grid,
    granularity_grids,
    modality_grid,
    prompting_grid,
    prompting_tests_grid,
)
from eyeprint.report.mmpb_view import FinishedMmpb

Grids = tuple[Grid, ...]


class MmpbTables(NamedTuple):
    """The tables by section, in the order of the report; what has no content is left out."""

    accuracy: Grids
    published: Grids
    lift: Grids
    tasks: Grids
    bias: Grids
    told: Grids
    """Text against pictures, granularity, position, number of concepts."""
    talk: Grids
    prompting: Grids
    pictures: Grids
    """Entities, species, taste, negation, black pictures."""
    outcomes: Grids
    refusals: Grids
    models: Grids
    """Open against closed, ranks, people."""
    fairness: Grids
    data: Grids
    cost: Grids

    def in_order(self) -> list[Grid]:
        """Return all of them, one after the other."""
        return [grid for grids in self for grid in grids]


def mmpb_tables(run: FinishedMmpb, found: Gathered) -> MmpbTables:
    """Return every table of a run.

    Args:
        run: the finished run.
        found: what :func:`eyeprint.report.mmpb_replies.gather` took from its rows.
    """
    results = run.results
    return MmpbTables(
        accuracy=_some(overview_grid(results), cells_grid(results)),
        published=_some(published_grid(run)),
        lift=_some(lift_grid(results, together=True), lift_grid(results), unaided_grid(results)),
        tasks=_some(parts_grid(results), tasks_grid(results), crossed_grid(results)),
        bias=_some(bias_grid(results)),
        told=_some(
            modality_grid(results),
            *granularity_grids(results),
            curve_grid(results, "position"),
            curve_grid(results, "concepts"),
        ),
        talk=_some(drops_grid(results), curve_grid(results, "turns")),
        prompting=_some(prompting_grid(results), prompting_tests_grid(results)),
        pictures=_some(*(contrast_grid(results, each) for each in CONTRASTS), blind_grid(results)),
        outcomes=_some(outcomes_grid(results), rules_grid(found), letters_grid(results)),
        refusals=_some(refusals_grid(results), refused_tasks_grid(results), patterns_grid(results)),
        models=_some(
            access_grid(results),
            ranks_grid(results),
            ranked_models_grid(results),
            human_grid(results),
        ),
        fairness=_some(fairness_grid(results, flagged=True), fairness_grid(results)),
        data=_some(data_grid(run)),
        cost=_some(cost_grid(run)),
    )


def _some(*grids: Grid | None) -> Grids:
    return tuple(grid for grid in grids if grid is not None)
