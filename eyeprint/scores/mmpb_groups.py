"""Models by what is known of them: open against closed, rank on a leaderboard, cost.

CHECKLIST M25, M28, M29, M46, M47.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from eyeprint.maths.proportions import spearman_test
from eyeprint.randomness import stream
from eyeprint.records.concept_questions import GROUPS, TYPES
from eyeprint.records.concepts import CATEGORIES
from eyeprint.scores.mmpb_cell_records import Cost
from eyeprint.scores.mmpb_compared import AccessGap, Correlation, RankedModel, RankTable
from eyeprint.scores.mmpb_found import Difference, Mean
from eyeprint.scores.mmpb_grid import UNSEEN
from eyeprint.scores.mmpb_parts import ALL, coarse
from eyeprint.scores.mmpb_view import RunView

RANKED = (ALL, *GROUPS, *CATEGORIES, *TYPES)
"""Parts that are held against ranks (M29, M46)."""


def access_of(view: RunView) -> tuple[AccessGap, ...]:
    """Return means over open and over closed models: over settings first, then in each.

    Each model has the same weight; intervals resample concepts, the same for all models, and
    hold the models as they are.
    """
    labels = [s.label for s in view.own]
    sides = {
        access: [m for m in view.machines if view.facts[m].access == access]
        for access in ("open", "closed")
    }
    if not all(sides.values()):
        return ()
    everyone = [*sides["open"], *sides["closed"]]
    common = [l for l in labels if all(view.cell(m, l) is not None for m in everyone)]  # noqa: E741
    found = [_gap(view, None, sides, common)] if common else []
    for label in labels:
        here = {
            access: [m for m in models if view.cell(m, label) is not None]
            for access, models in sides.items()
        }
        if all(here.values()):
            found.append(_gap(view, label, here, [label]))
    return tuple(found)


def ranks_of(view: RunView) -> tuple[RankTable, ...]:
    """Return models by general rank with their accuracies: over settings first, then in each.

    Left out with under two ranked models; a correlation needs three.
    """
    labels = [s.label for s in view.own]
    ranked = [m for m in view.machines if view.facts[m].rank is not None]
    common = [l for l in labels if all(view.cell(m, l) is not None for m in ranked)]  # noqa: E741
    tables: list[tuple[str | None, list[str], list[str]]] = []
    if common:
        tables.append((None, ranked, common))
    for label in labels:
        here = [m for m in ranked if view.cell(m, label) is not None]
        tables.append((label, here, [label]))
    return tuple(_ranks(view, *table) for table in tables if len(table[1]) > 1)


def costs_of(view: RunView) -> tuple[Cost, ...]:
    """Return what the answers of each model took, whenever they were paid.

    Calls and seconds are of a run's starts, which tables do not know.
    """
    found = []
    for model in view.answers.models:
        cells = [row for (own, _), row in view.answers.cells.items() if own == model]
        sums = [view.answers.sums[cell] for cell in cells]
        questions = sum(int(view.asked(cell).sum()) for cell in cells)
        paid = [s.cost_usd for s in sums if s.cost_usd is not None]
        cost = sum(paid) if paid else None
        found.append(
            Cost(
                model=model,
                questions=questions,
                input_tokens=_known([s.input_tokens for s in sums]),
                output_tokens=_known([s.output_tokens for s in sums]),
                cost_usd=cost,
                rows_without_cost=sum(s.without_cost for s in sums),
                usd_per_1000=None if cost is None else 1000 * cost / questions,
                prompt_tokens=sum(s.prompt_tokens for s in sums),
                shared_tokens=sum(s.shared_tokens for s in sums),
            )
        )
    return tuple(found)


def _known(told: Sequence[int | None]) -> int | None:
    there = [tokens for tokens in told if tokens is not None]
    return sum(there) if there else None


def _gap(
    view: RunView, setting: str | None, sides: Mapping[str, Sequence[str]], labels: Sequence[str]
) -> AccessGap:
    keys = coarse(view.grid.parts.parts)
    values, drawn = {}, {}
    counted = dict.fromkeys(keys, 0)
    for access, models in sides.items():
        cells = [view.answers.cells[m, label] for m in models for label in labels]
        values[access], drawn[access] = _mean_rates(view, cells, keys)
        for key in keys:
            counted[key] += sum(s.n for c in cells if (s := view.share(c, key)) is not None)
    means: dict[str, dict[str, Mean]] = {"open": {}, "closed": {}}
    differences = {}
    for row, key in enumerate(keys):
        sides_of = [values[access][row] for access in ("open", "closed")]
        if any(np.isnan(sides_of)):
            continue
        ends = view.grid.limits(np.stack([drawn["open"][row], drawn["closed"][row],
                                          drawn["closed"][row] - drawn["open"][row]]))  # fmt: skip
        part = view.grid.parts.place[key]
        concepts = int(np.count_nonzero(view.grid.sums(view.answers.cells[
            sides["open"][0], labels[0]])[1][part]))  # fmt: skip
        if concepts < 2:
            ends = [(None, None)] * 3
        reason = None if ends[2][0] is not None else UNSEEN
        for place, access in enumerate(("open", "closed")):
            means[access][key] = Mean(value=sides_of[place], low=ends[place][0],
                                      high=ends[place][1], over=len(sides[access]),
                                      reason=reason)  # fmt: skip
        differences[key] = Difference(
            value=sides_of[1] - sides_of[0],
            low=ends[2][0],
            high=ends[2][1],
            left=sides_of[1],
            right=sides_of[0],
            n=counted[key],
            concepts=concepts,
            paired=False,
            reason=reason,
        )
    return AccessGap(
        setting=setting,
        open=tuple(sides["open"]),
        closed=tuple(sides["closed"]),
        open_means=means["open"],
        closed_means=means["closed"],
        closed_minus_open=differences,
    )


def _mean_rates(
    view: RunView, cells: Sequence[int], keys: Sequence[str]
) -> tuple[list[float], NDArray[np.float64]]:
    """Return the mean share over cells, by part, and the same in each resample."""
    places = view.grid.parts.places(keys)
    values = np.zeros(len(places))
    drawn = np.zeros((len(places), view.settings.draws))
    for cell in cells:
        right, n = (table[places] for table in view.grid.sums(cell))
        counts = n.sum(axis=1)
        values += np.where(counts > 0, right.sum(axis=1) / np.maximum(counts, 1), np.nan)
        drawn += view.grid.rates(right, n)
    return (values / len(cells)).tolist(), drawn / len(cells)


def _ranks(
    view: RunView, setting: str | None, models: Sequence[str], labels: Sequence[str]
) -> RankTable:
    rows = []
    for model in models:
        cells = [view.answers.cells[model, label] for label in labels]
        parts: dict[str, float | None] = {}
        for key in RANKED:
            shares = [view.share(cell, key) for cell in cells]
            values = [s.value for s in shares if s is not None and s.value is not None]
            parts[key] = float(np.mean(values)) if len(values) == len(cells) else None
        rows.append(RankedModel(model=model, rank=view.facts[model].rank or 0.0, parts=parts))
    rows.sort(key=lambda row: (row.rank, row.model))
    found = {key: _correlation(view, rows, key) for key in RANKED}
    return RankTable(
        setting=setting,
        models=tuple(rows),
        correlations={key: one for key, one in found.items() if one.n},
    )


def _correlation(view: RunView, rows: Sequence[RankedModel], key: str) -> Correlation:
    pairs = [(row.rank, value) for row in rows if (value := row.parts[key]) is not None]
    n = len(pairs)
    if n < 3:
        reason = f"{n} models: a correlation needs three"
        return Correlation(rho=None, p=None, n=n, per_rank=None, reason=reason)
    # Better ranks are smaller numbers.
    ranks, values = -np.array([p[0] for p in pairs]), np.array([p[1] for p in pairs])
    rng = stream(view.settings.seed, "mmpb tables", "ranks").numpy()
    found = spearman_test(ranks, values, rng, view.settings.permutations)
    if np.isnan(found.rho):
        reason = "all ranks, or all accuracies, are equal"
        return Correlation(rho=None, p=None, n=n, per_rank=None, reason=reason)
    away = ranks - ranks.mean()
    slope = float(away @ (values - values.mean()) / (away @ away))
    return Correlation(rho=found.rho, p=found.p, n=n, per_rank=slope)
