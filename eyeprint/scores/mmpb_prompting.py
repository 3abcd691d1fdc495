"""Ways to put the question against zero-shot, with paired tests (CHECKLIST M39, M40)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from eyeprint.maths.paired_tests import clustered_omnibus, cochrans_q, holm, mcnemar_exact
from eyeprint.randomness import stream
from eyeprint.records.concept_settings import PROMPTING, ConceptSetting
from eyeprint.scores.mmpb_compared import PromptingTable, StrategyFound
from eyeprint.scores.mmpb_grid import Pairs
from eyeprint.scores.mmpb_parts import coarse
from eyeprint.scores.mmpb_view import RunView, alike, named


def prompting_tables(view: RunView) -> tuple[PromptingTable, ...]:
    """Return a table for each setting that was asked zero-shot and in another way too.

    All models together first (a question of each model a row; concepts are still what is
    resampled), where there are two or more, then each by itself.
    """
    found = []
    for group in alike(view.own, "prompting"):
        ways = sorted(group, key=lambda s: PROMPTING.index(s.prompting))
        if ways[0].prompting != "zero_shot" or len(ways) < 2:
            continue
        together = view.models_in(*(way.label for way in ways))
        if len(together) > 1:
            found.append(_table(view, None, together, ways))
        for model in view.machines:
            own = [way for way in ways if view.cell(model, way.label) is not None]
            if len(own) > 1 and own[0].prompting == "zero_shot":
                found.append(_table(view, model, (model,), own))
    return tuple(found)


def _table(
    view: RunView, model: str | None, models: Sequence[str], ways: Sequence[ConceptSetting]
) -> PromptingTable:
    keys = coarse(view.grid.parts.parts)
    places = view.grid.parts.places(keys)
    cells = [[view.answers.cells[one, way.label] for one in models] for way in ways]
    right, n = (sum(tables) for tables in zip(*(view.grid.sums(c) for c in cells[0]), strict=True))
    shares = view.grid.shares(right[places], n[places])
    found = [
        _strategy(view, keys, places, way, list(zip(own, cells[0], strict=True)))
        for way, own in zip(ways[1:], cells[1:], strict=True)
    ]
    return PromptingTable(
        model=model,
        base=ways[0].label,
        zero_shot={key: s for key, s in zip(keys, shares, strict=True) if s.n},
        strategies=_corrected(found),
        **_over_all(view, cells),
    )


def _strategy(
    view: RunView,
    keys: list[str],
    places: list[int],
    way: ConceptSetting,
    cells: list[tuple[int, int]],
) -> StrategyFound:
    """Compare one way with zero-shot over cells of (way, zero-shot)."""
    total: Pairs | None = None
    for own, base in cells:
        pairs = view.grid.pairs(own, base)
        total = pairs if total is None else total + pairs
    if total is None:
        return StrategyFound(strategy=way.prompting, setting=way.label, parts={}, holm={},
                             mcnemar={})  # fmt: skip
    rows = Pairs(total.left[places], total.right[places], total.n[places], total.won[places])
    parts = named(keys, view.grid.differences(rows, p=True))
    return StrategyFound(
        strategy=way.prompting,
        setting=way.label,
        parts=parts,
        holm={},
        mcnemar={key: mcnemar_exact(d.won or 0, d.lost or 0) for key, d in parts.items()},
    )


def _corrected(found: Sequence[StrategyFound]) -> tuple[StrategyFound, ...]:
    """Return strategies with p-values after Holm, part by part over all of them."""
    after: list[dict[str, float]] = [{} for _ in found]
    for key in dict.fromkeys(key for one in found for key in one.parts):
        tested = [
            (place, one.parts[key].p)
            for place, one in enumerate(found)
            if key in one.parts and one.parts[key].p is not None
        ]
        adjusted = holm([p for _, p in tested if p is not None])
        for (place, _), value in zip(tested, adjusted.tolist(), strict=True):
            after[place][key] = value
    return tuple(
        one.model_copy(update={"holm": own}) for one, own in zip(found, after, strict=True)
    )


def _over_all(view: RunView, cells: Sequence[Sequence[int]]) -> dict[str, float | int | None]:
    """Return the tests over all ways, on the questions that all have."""
    answers = view.answers
    tables, owners = [], []
    for column in zip(*cells, strict=True):
        rows = np.all([view.asked(cell) for cell in column], axis=0)
        tables.append(np.stack([answers.right[cell][rows] for cell in column], axis=1))
        owners.append(answers.concept[rows])
    table, owner = np.concatenate(tables), np.concatenate(owners)
    concepts = len(np.unique(owner))
    found: dict[str, float | int | None] = {
        "cochran_q": None,
        "cochran_p": None,
        "omnibus_p": None,
        "n": len(table),
        "concepts": concepts,
    }
    if len(table):
        cochran = cochrans_q(table)
        found |= {"cochran_q": cochran.q, "cochran_p": cochran.p}
    if concepts > 1:
        rng = stream(view.settings.seed, "mmpb tables", "omnibus").numpy()
        found["omnibus_p"] = clustered_omnibus(table, owner, rng, view.settings.permutations).p
    return found
