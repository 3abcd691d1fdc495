"""Accuracy of every cell by every part, what became of answers, and letters said too often.

CHECKLIST M23 (accuracy; unread answers are wrong and counted), M18 (options are shuffled).
"""

from __future__ import annotations

import numpy as np

from eyeprint.records.concept_questions import OUTCOMES
from eyeprint.scores.mmpb_cell_records import Cell, LetterBias, PartFound, SettingFound
from eyeprint.scores.mmpb_fold import ABSENT, ANSWERED, SAID
from eyeprint.scores.mmpb_found import Mean, Outcomes
from eyeprint.scores.mmpb_grid import ONE_EACH
from eyeprint.scores.mmpb_view import RunView


def cells_of(view: RunView) -> tuple[Cell, ...]:
    """Return each model in each setting: shares, outcomes, bounds by part, and the macro mean."""
    return tuple(
        Cell(model=model, setting=label, macro=_macro(view, cell), parts=_parts(view, cell))
        for (model, label), cell in view.answers.cells.items()
    )


def settings_of_run(view: RunView) -> tuple[SettingFound, ...]:
    """Return the settings that have answers, with their mean lengths in tokens."""
    found = []
    for setting in view.answers.settings:
        dialogue, prompt = view.mean_tokens(setting.label)
        found.append(
            SettingFound(
                label=setting.label,
                setting=setting,
                dialogue_tokens=dialogue,
                prompt_tokens=prompt,
            )
        )
    return tuple(found)


def letter_biases(view: RunView) -> tuple[LetterBias, ...]:
    """Return what each cell says against what is right, for letters and for yes and no.

    Options are shuffled, so a model without bias says each letter as often as it is right.
    Only answers that were read count. Cells in which no such answer was read are left out.
    """
    found = []
    for (model, label), cell in view.answers.cells.items():
        said = view.answers.said[cell]
        read = (view.answers.outcome[cell] == ANSWERED) & (said != ABSENT)
        read &= view.answers.key != ABSENT
        for kind, names in (("letters", SAID[:4]), ("yes_no", SAID[4:])):
            codes = [SAID.index(name) for name in names]
            rows = read & np.isin(view.answers.key, codes) & np.isin(said, codes)
            n = int(rows.sum())
            if not n:
                continue
            shares = {c: int((said[rows] == c).sum()) / n for c in codes}
            keys = {c: int((view.answers.key[rows] == c).sum()) / n for c in codes}
            most = max(codes, key=lambda code: shares[code] - keys[code])
            excess = shares[most] - keys[most]
            found.append(
                LetterBias(
                    model=model,
                    setting=label,
                    kind="letters" if kind == "letters" else "yes_no",
                    n=n,
                    said={SAID[c]: share for c, share in shares.items()},
                    keys={SAID[c]: share for c, share in keys.items()},
                    largest=SAID[most] if excess > 0 else None,
                    excess=excess,
                )
            )
    return tuple(found)


def outcome_counts(view: RunView, cell: int) -> np.ndarray:
    """Return counts of outcomes: shape (parts, outcomes)."""
    outcome = view.answers.outcome[cell]
    tables = [view.grid.table(outcome == code).sum(axis=1) for code in range(len(OUTCOMES))]
    return np.stack(tables, axis=1).astype(np.int64)


def _parts(view: RunView, cell: int) -> dict[str, PartFound]:
    counts = outcome_counts(view, cell).tolist()
    found = {}
    for part, share, row in zip(view.grid.parts.parts, view.shares(cell), counts, strict=True):
        if not share.n:
            continue
        answered = row[ANSWERED]
        found[part.key] = PartFound(
            share=share,
            outcomes=Outcomes(**dict(zip(OUTCOMES, row, strict=True))),
            of_answered=share.right / answered if answered else None,
            if_all_right=(share.right + share.n - answered) / share.n,
        )
    return found


def _macro(view: RunView, cell: int) -> Mean:
    tasks = [part.key for part in view.grid.parts.parts if part.task]
    keys, right, n = view.rows_of(cell, tasks)
    values = [float(right[row].sum() / n[row].sum()) for row in range(len(keys))]
    found = view.grid.mean(values, list(view.grid.rates(right, n)))
    alone = int((np.count_nonzero(n, axis=1) < 2).sum())
    if found.reason is None and alone:
        # What one concept says of a task is the same in every resample: the interval would be
        # too narrow, and without any width where all tasks are so.
        reason = f"{alone} of {len(keys)} {ONE_EACH}"
        return found.model_copy(update={"low": None, "high": None, "reason": reason})
    return found
