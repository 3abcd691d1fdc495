"""What an MMPB run was asked about, counted as in the paper's Table 6 (CHECKLIST M5)."""

from __future__ import annotations

from itertools import pairwise

from eyeprint.report.grids import Cell, Grid
from eyeprint.report.mmpb_view import FinishedMmpb

_TITLES = {
    "all": "All",
    "category": "By category",
    "type": "By type",
    "group": "By group",
    "task": "By task",
}


def data_grid(run: FinishedMmpb) -> Grid | None:
    """Return concepts, questions and pictures of every cut of the data; cuts without any go."""
    counts = [each for each in run.summary.data.counts if each.questions or each.by == "all"]
    if not counts:
        return None
    rows = [
        (
            Cell(_TITLES.get(each.by, each.by), same=each.by == (before and before.by)),
            Cell(each.name),
            Cell(f"{each.concepts:,}"),
            Cell(f"{each.questions:,}"),
            Cell(f"{each.pictures:,}"),
            Cell(f"{each.references:,}"),
        )
        for before, each in pairwise([None, *counts])
        if each is not None
    ]
    breaks = {
        at
        for at, (before, each) in enumerate(pairwise([None, *counts]))
        if at and before is not None and each is not None and before.by != each.by
    }
    return Grid(
        id="data",
        title="What was asked about",
        columns=("", "Of", "Concepts", "Questions", "Pictures asked about", "Reference pictures"),
        rows=tuple(rows),
        labels=2,
        note="The paper's Table 6 is lost; its set has 111 concepts, 10,017 questions and 555 "
        "reference pictures.",
        breaks=frozenset(breaks),
    )
