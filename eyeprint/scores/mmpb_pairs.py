"""Settings against each other by the same questions: lift, drops, modality, people.

CHECKLIST M26 (people), M27 (text against pictures), M42 (drop ratios); the lift over controls is
the headline: what a model gets right because it was told of the right concept.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from eyeprint.records.concept_settings import ConceptSetting, Control
from eyeprint.scores.mmpb_compared import Human, HumanAgainst, Lift, Modality, TurnDrop
from eyeprint.scores.mmpb_found import Difference
from eyeprint.scores.mmpb_grid import ONE, UNSEEN, Pairs
from eyeprint.scores.mmpb_parts import GROUPED, coarse
from eyeprint.scores.mmpb_view import RunView, alike, named

AGAINST: tuple[Control, ...] = ("wrong", "none", "shuffled")
"""Controls in the order of the headline: a wrong concept first."""


def lifts_of(view: RunView) -> tuple[Lift, ...]:
    """Return accuracy with the own concept minus that with each control, by the same questions.

    First each model over all its settings (``setting`` is ``None``; a question in each setting a
    pair), then each setting by itself. Concepts are resampled whole. Settings pair with the
    control that differs in nothing else.
    """
    keys = coarse(view.grid.parts.parts)
    places = view.grid.parts.places(keys)
    overall, single = [], []
    for model in view.answers.models:
        for control in AGAINST:
            total: Pairs | None = None
            for setting in view.answers.settings:
                other = _control(setting, control)
                left = view.cell(model, setting.label)
                right = None if other is None else view.cell(model, other.label)
                if left is None or right is None or other is None:
                    continue
                pairs = view.grid.pairs(left, right)
                if not pairs.n.any():
                    continue
                found = _named_at(view, keys, places, pairs)
                single.append(Lift(model=model, setting=setting.label, control=control,
                                   control_setting=other.label, parts=found))  # fmt: skip
                if not setting.blind:
                    total = pairs if total is None else total + pairs
            if total is not None:
                found = _named_at(view, keys, places, total)
                overall.append(Lift(model=model, setting=None, control=control,
                                    control_setting=None, parts=found))  # fmt: skip
    return (*overall, *single)


def headline_lifts(lifts: Sequence[Lift]) -> tuple[Lift, ...]:
    """Return one lift for each model: over all settings, over wrong concepts where there are.

    >>> headline_lifts(())
    ()
    """
    found: dict[str, Lift] = {}
    for lift in lifts:
        if lift.setting is None and lift.model not in found:
            found[lift.model] = lift
    return tuple(found.values())


def drops_of(view: RunView) -> tuple[TurnDrop, ...]:
    """Return what each model loses between any two lengths of dialogue, all else equal (M42).

    Concepts are told at the start. The setting of 0 turns belongs to every kind of dialogue.
    """
    found = []
    for shorter, longer in _by_turns(view):
        for model in view.machines:
            cells = view.cell(model, shorter.label), view.cell(model, longer.label)
            if cells[0] is None or cells[1] is None:
                continue
            pairs = view.grid.pairs(cells[0], cells[1])
            drops = view.grid.drops(_at(pairs, view.grid.parts.places(GROUPED)))
            keys = [key for key in GROUPED if key in view.grid.parts.place]
            parts = {
                key: drop
                for key, drop in zip(keys, drops, strict=True)
                if drop.difference.value is not None
            }
            if parts:
                found.append(
                    TurnDrop(
                        model=model,
                        shorter=shorter.label,
                        longer=longer.label,
                        turns=(shorter.turns, longer.turns),
                        inject=shorter.inject,
                        size_b=view.facts[model].size_b,
                        parts=parts,
                    )
                )
    return tuple(found)


def modality_of(view: RunView) -> tuple[Modality, ...]:
    """Return text minus pictures for each model, and the mean over models (M27).

    Every level of text meets every count of pictures of the same setting.
    """
    found = []
    keys = coarse(view.grid.parts.parts)
    places = view.grid.parts.places(keys)
    for group in alike(view.own, "inject"):
        texts = [s for s in group if s.level]
        for text, image in ((t, i) for t in texts for i in group if i.images):
            rows, models = [], view.models_in(text.label, image.label)
            for model in models:
                left, right = view.cell(model, text.label), view.cell(model, image.label)
                if left is None or right is None:
                    continue
                pairs = _at(view.grid.pairs(left, right), places)
                rows.append((model, pairs))
            labels = {"text": text.label, "image": image.label}
            if len(rows) > 1:
                means = mean_differences(view, [pairs for _, pairs in rows])
                found.append(Modality(model=None, models=len(rows), parts=named(keys, means),
                                      **labels))  # fmt: skip
            for model, pairs in rows:
                parts = named(keys, view.grid.differences(pairs))
                if parts:
                    found.append(Modality(model=model, models=1, parts=parts, **labels))
    return tuple(found)


def humans_of(view: RunView) -> tuple[Human, ...]:
    """Return people's shares, and how far models are from them on the same questions (M26)."""
    found = []
    keys = coarse(view.grid.parts.parts)
    places = view.grid.parts.places(keys)
    for model in view.people:
        for label in view.answers.labels_of(model):
            own = view.cell(model, label)
            if own is None:
                continue
            against = []
            for other in view.models_in(label):
                cell = view.cell(other, label)
                if cell is None:
                    continue
                parts = _named_at(view, keys, places, view.grid.pairs(own, cell))
                if parts:
                    against.append(HumanAgainst(model=other, setting=label, parts=parts))
            shares = view.some_shares(own, keys)
            found.append(Human(model=model, setting=label, parts=shares, against=tuple(against)))
    return tuple(found)


def mean_differences(view: RunView, pairs: Sequence[Pairs]) -> list[Difference]:
    """Return the mean over models of their own differences, each the same weight.

    A part that one of them lacks is a mean over the others. ``n`` counts the questions of all.
    """
    drawn = [view.grid.rates(one.left - one.right, one.n) for one in pairs]
    found = []
    for row in range(len(pairs[0].n)):
        have = [place for place, one in enumerate(pairs) if one.n[row].any()]
        sides = [
            (
                float(pairs[p].left[row].sum()),
                float(pairs[p].right[row].sum()),
                pairs[p].n[row].sum(),
            )
            for p in have
        ]
        if not have:
            found.append(Difference(value=None, low=None, high=None, left=None, right=None, n=0,
                                    concepts=0, paired=True, reason="no question"))  # fmt: skip
            continue
        left = float(np.mean([a / n for a, _, n in sides]))
        right = float(np.mean([b / n for _, b, n in sides]))
        concepts = int(np.count_nonzero(sum(pairs[p].n[row] for p in have)))
        low, high = view.grid.limits(np.mean([drawn[p][row] for p in have], axis=0)[None])[0]
        reason = ONE if concepts < 2 else UNSEEN if low is None else None
        if reason:
            low = high = None
        found.append(
            Difference(
                value=left - right,
                low=low,
                high=high,
                left=left,
                right=right,
                n=int(sum(n for _, _, n in sides)),
                concepts=concepts,
                paired=True,
                reason=reason,
            )
        )
    return found


def _control(setting: ConceptSetting, control: Control) -> ConceptSetting | None:
    """Return the setting that differs from one with own concepts in its control alone."""
    if setting.control != "own":
        return None
    changes = {"control": control} | ({"inject": "none"} if control == "none" else {})
    return setting.model_copy(update=changes).canonical()


def _by_turns(view: RunView) -> list[tuple[ConceptSetting, ConceptSetting]]:
    found = []
    at_start = [s for s in view.own if s.position == 0]
    for group in alike(at_start, "turns", "dialogue"):
        ordered = sorted(group, key=lambda s: s.turns)
        for place, shorter in enumerate(ordered):
            for longer in ordered[place + 1 :]:
                same_talk = shorter.turns == 0 or shorter.dialogue == longer.dialogue
                if shorter.turns < longer.turns and same_talk:
                    found.append((shorter, longer))
    return found


def _at(pairs: Pairs, places: list[int]) -> Pairs:
    return Pairs(pairs.left[places], pairs.right[places], pairs.n[places], pairs.won[places])


def _named_at(
    view: RunView, keys: list[str], places: list[int], pairs: Pairs
) -> dict[str, Difference]:
    return named(keys, view.grid.differences(_at(pairs, places), p=True))
