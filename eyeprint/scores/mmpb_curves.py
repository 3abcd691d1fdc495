"""Granularity of injections, and curves over position, concepts and turns (M34, M36-M38, M44)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from eyeprint.records.concept_settings import ConceptSetting
from eyeprint.records.concepts import LEVELS
from eyeprint.scores.mmpb_compared import Axis, Curve, Grain, Granularity, Point
from eyeprint.scores.mmpb_parts import GROUPED
from eyeprint.scores.mmpb_view import RunView, alike

_GRAIN_PARTS = ("recognition", "all", "preference")


def granularity_of(view: RunView) -> tuple[Granularity, ...]:
    """Return injections of each model side by side, all else equal: levels, then pictures (M34)."""
    found = []
    for group in alike(view.own, "inject"):
        ordered = sorted(group, key=lambda s: (s.images, LEVELS.index(s.level or LEVELS[0])))
        for model in view.answers.models:
            grains = [
                Grain(
                    inject=setting.inject,
                    setting=setting.label,
                    parts=view.some_shares(cell, _GRAIN_PARTS),
                )
                for setting in ordered
                if (cell := view.cell(model, setting.label)) is not None
            ]
            if len(grains) > 1:
                base = group[0]
                found.append(
                    Granularity(
                        model=model,
                        base=_base(base, base.inject),
                        turns=base.turns,
                        grains=tuple(grains),
                    )
                )
    return tuple(found)


def curves_of(view: RunView) -> tuple[Curve, ...]:
    """Return each model along each axis that its settings span, all else equal.

    - ``position``: the turn after which the concept is told, from 0 to all turns (M36);
    - ``concepts``: how many are injected (M37); distractors do not matter for one;
    - ``turns``: turns of dialogue, with the concept at its start; each kind of talk is a curve,
      and the point at 0 turns belongs to all (M38). Points carry tokens (M44).
    """
    own = view.own
    talks = [s for s in own if s.position == 0]
    found = [
        *_along(view, "position", alike(own, "position"), lambda s: s.position),
        *_along(view, "concepts", _shared_origin(own, "concepts"), lambda s: s.concepts),
        *_along(view, "turns", _shared_origin(talks, "turns"), lambda s: s.turns),
    ]
    return tuple(found)


def _shared_origin(settings: Sequence[ConceptSetting], axis: Axis) -> list[list[ConceptSetting]]:
    """Group settings along an axis whose least point belongs to several kinds of curves."""
    kind = "dialogue" if axis == "turns" else "distractors"
    least = 0 if axis == "turns" else 1
    groups = []
    for group in alike(settings, axis, kind):
        origin = [s for s in group if getattr(s, axis) == least]
        kinds = dict.fromkeys(getattr(s, kind) for s in group if getattr(s, axis) != least)
        groups += [
            [*origin, *(s for s in group if getattr(s, axis) != least and getattr(s, kind) == own)]
            for own in kinds
        ]
    return groups


def _along(
    view: RunView,
    axis: Axis,
    groups: Sequence[Sequence[ConceptSetting]],
    x: Callable[[ConceptSetting], int],
) -> list[Curve]:
    found = []
    for group in groups:
        ordered = sorted(group, key=x)
        last = ordered[-1]
        for model in view.answers.models:
            points = []
            for setting in ordered:
                cell = view.cell(model, setting.label)
                if cell is not None:
                    sums = view.answers.sums[cell]
                    tokens = sums.dialogue_tokens / sums.counted if sums.counted else None
                    points.append(
                        Point(
                            x=x(setting),
                            setting=setting.label,
                            dialogue_tokens=tokens,
                            parts=view.some_shares(cell, GROUPED),
                        )
                    )
            if len({point.x for point in points}) > 1:
                found.append(
                    Curve(
                        axis=axis,
                        model=model,
                        series=_series(last, axis),
                        inject=last.inject,
                        dialogue=last.dialogue,
                        prompting=last.prompting,
                        turns=None if axis == "turns" else last.turns,
                        points=tuple(points),
                    )
                )
    return found


def _series(setting: ConceptSetting, axis: Axis) -> str:
    """Return a curve's name: its label without what the axis varies."""
    if axis == "turns":
        label = setting.model_copy(update={"turns": 1}).label
        return label.replace(" · 1 turn", "", 1)
    least = {"position": 0} if axis == "position" else {"concepts": 1}
    kind = " · of its kind" if axis == "concepts" and setting.distractors == "same_kind" else ""
    return setting.model_copy(update=least).label + kind


def _base(setting: ConceptSetting, part: str) -> str:
    """Return a label without one of its parts."""
    return " · ".join(word for word in setting.label.split(" · ") if word != part)
