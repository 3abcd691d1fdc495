"""Single concepts against their category: is anybody served worse? (CHECKLIST M45)."""

from __future__ import annotations

from eyeprint.maths.paired_tests import holm
from eyeprint.maths.proportions import fisher_exact, newcombe
from eyeprint.records.concept_settings import ConceptSetting
from eyeprint.scores.mmpb_cell_records import ConceptGap, Fairness
from eyeprint.scores.mmpb_found import Share
from eyeprint.scores.mmpb_view import RunView

STANDARD: tuple[ConceptSetting, ...] = tuple(
    ConceptSetting(inject=inject, turns=turns)
    for turns in (0, 10)
    for inject in ("text:moderate", "image:2")
)
"""The paper's four settings (M22)."""


def fairness_of(view: RunView) -> tuple[Fairness, ...]:
    """Return each concept's accuracy minus that of its category, by model, setting, category.

    With k the concept, n its questions of N: p_k - p_all = (1 - n/N)(p_k - p_rest), so that
    Newcombe's interval of the latter, scaled, is that of the gap. The test is Fisher's against the
    rest, with Holm over all concepts of a cell. Both take a concept's questions as independent:
    the concept is what is asked about, so there is nothing larger to resample. Categories with one
    concept have nothing to be compared with, and are left out.
    """
    chosen = view.settings.fairness_settings
    own = [s.label for s in view.own]
    standard = [s.label for s in STANDARD if s.label in own]
    labels = [label for label in own if label in chosen] if chosen else standard or own[:1]
    found = []
    for model in view.machines:
        for label in labels:
            cell = view.cell(model, label)
            if cell is not None:
                found += _cell(view, model, label, cell)
    return tuple(found)


def unknown_fairness_settings(view: RunView) -> tuple[str, ...]:
    """Return a note for each label of ``fairness_settings`` that the run does not have."""
    own = {s.label for s in view.own}
    return tuple(
        f"Concepts were to be compared in '{label}', which this run does not have."
        for label in view.settings.fairness_settings
        if label not in own
    )


def _cell(view: RunView, model: str, label: str, cell: int) -> list[Fairness]:
    sums, counts = view.grid.sums(cell)
    whole = view.grid.parts.place["all"]
    right, n = sums[whole].astype(int).tolist(), counts[whole].astype(int).tolist()
    threshold, level = view.settings.fairness_gap, view.settings.level
    members: dict[str, list[int]] = {}
    for place, (category, _) in enumerate(view.answers.concepts):
        if n[place]:
            members.setdefault(category, []).append(place)
    members = {category: places for category, places in members.items() if len(places) > 1}
    totals = {
        category: (sum(right[p] for p in places), sum(n[p] for p in places))
        for category, places in members.items()
    }
    tests = {
        place: fisher_exact(
            right[place],
            n[place],
            totals[category][0] - right[place],
            totals[category][1] - n[place],
        )
        for category, places in members.items()
        for place in places
    }
    adjusted = dict(zip(tests, holm(list(tests.values())).tolist(), strict=True))
    found = []
    for category, places in members.items():
        all_right, all_n = totals[category]
        gaps = []
        for place in places:
            rest = all_right - right[place], all_n - n[place]
            scale = 1 - n[place] / all_n
            low, high = newcombe(right[place], n[place], *rest, level=level)
            share = right[place] / n[place]
            gap = share - all_right / all_n
            gaps.append(
                ConceptGap(
                    concept=view.answers.concepts[place][1],
                    share=Share(
                        n=n[place],
                        right=right[place],
                        value=share,
                        low=None,
                        high=None,
                        concepts=1,
                        reason="one concept only: no interval",
                    ),
                    gap=gap,
                    low=low * scale,
                    high=high * scale,
                    p=tests[place],
                    holm=adjusted[place],
                    flagged=abs(gap) >= threshold and adjusted[place] < 1 - level,
                )
            )
        overall = view.share(cell, category)
        if overall is None:
            continue
        found.append(
            Fairness.model_validate(
                {
                    "model": model,
                    "setting": label,
                    "category": category,
                    "overall": overall,
                    "concepts": tuple(sorted(gaps, key=lambda g: (g.gap, g.concept))),
                    "largest": max(abs(g.gap) for g in gaps),
                    "flagged": sum(g.flagged for g in gaps),
                    "threshold": threshold,
                }
            )
        )
    return found
