"""Small pictures of some cases for the report's visual page (P80)."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from eyeprint.protocols.pipbench_plan import PipbenchPlan
from eyeprint.protocols.pipbench_scoring import Gallery
from eyeprint.randomness import stream
from eyeprint.records.cases import Case
from eyeprint.records.pictures import Picture
from eyeprint.scores.image_settings import Seen

CASES = 12
"""Cases drawn, of different people as far as there are any."""
FLAGGED = 4
"""Further cases, in which a copy was flagged."""
SIDE = 176
"""Longest side of a small picture, in pixels."""


def gallery_rows(
    plan: PipbenchPlan, gallery: Gallery, rows: Iterable[Mapping[str, Any]]
) -> Iterator[dict[str, Any]]:
    """Yield one row for each case that is shown: small pictures as data addresses.

    ``rows`` is walked twice; only the rows of shown cases are held.
    """
    shown = shown_cases(plan, rows)
    by_case: dict[str, list[Mapping[str, Any]]] = {case.id: [] for case in shown}
    for row in rows:
        if row["case"] in by_case:
            by_case[row["case"]].append(row)
    for case in shown:
        yield {
            "case": case.id,
            "person": case.person_id,
            "split": case.split,
            "prompt": case.prompt,
            "references": [{"path": path} | small(gallery.seen(path)) for path in case.references],
            "target": None
            if case.target is None
            else {"path": case.target} | small(gallery.seen(case.target)),
            "outputs": [_output(gallery, row) for row in by_case[case.id]],
        }


def _output(gallery: Gallery, row: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "model": row["model"],
        "prompt": row["prompt"],
        "used": row["used"],
        "picture": row["picture"],
        "scores": row["scores"],
        "copy": row["copy"],
    } | small(gallery.output(row["picture"], row["fault"], row["detail"]))


def shown_cases(plan: PipbenchPlan, rows: Iterable[Mapping[str, Any]]) -> list[Case]:
    """Return the cases to show, in data order: one of each drawn person, then flagged ones."""
    drawn: list[str] = []
    people: dict[str, list[str]] = {}
    for case in plan.cases:
        people.setdefault(case.person_id, []).append(case.id)
    order = stream(plan.run.seed, "gallery", "people").shuffled(sorted(people))
    rounds = max((len(own) for own in people.values()), default=0)
    for turn in range(rounds):
        drawn += [people[person][turn] for person in order if turn < len(people[person])]
    chosen = dict.fromkeys(drawn[:CASES])
    # Once each: several models may copy in one case.
    flagged = dict.fromkeys(row["case"] for row in rows if row["copy"] is not None)
    chosen.update(dict.fromkeys([case for case in flagged if case not in chosen][:FLAGGED]))
    return [case for case in plan.cases if case.id in chosen]


def small(seen: Seen) -> dict[str, Any]:
    """Return a small picture as a data address, or why there is none.

    >>> import numpy as np
    >>> small(Picture.of(np.zeros((400, 200, 3), np.uint8)))["size"]
    [88, 176]
    """
    if not isinstance(seen, Picture):
        return {"image": None, "fault": seen}
    from PIL import Image

    image = Image.fromarray(seen.pixels)
    image.thumbnail((SIDE, SIDE), Image.Resampling.LANCZOS)
    out = io.BytesIO()
    image.save(out, "JPEG", quality=82, optimize=True)
    data = base64.b64encode(out.getvalue()).decode()
    return {"image": f"data:image/jpeg;base64,{data}", "size": list(image.size), "fault": None}
