"""Speed and memory of MMPB's tables, against filtering rows for every cell and part.

The straightforward way keeps all answers, and for each part of each cell filters them and
resamples concepts anew. It is run for some cells and extrapolated to all; it makes shares with
their intervals alone, ours makes every table.

    python benchmarks/mmpb_tables.py [--rows 200000] [--models 2] [--draws 2000] [--sample 1]
"""

from __future__ import annotations

import os

# Before numpy: threads of BLAS would measure how busy the machine is.
for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")

import argparse  # noqa: E402
import itertools  # noqa: E402
import resource  # noqa: E402
import time  # noqa: E402

import numpy as np  # noqa: E402

from eyeprint.maths.intervals import clustered_mean  # noqa: E402
from eyeprint.records.concept_questions import ConceptAnswer  # noqa: E402
from eyeprint.records.concept_settings import PROMPTING, ConceptSetting  # noqa: E402
from eyeprint.scores.mmpb_fold import fold_answers  # noqa: E402
from eyeprint.scores.mmpb_results import MmpbTableSettings  # noqa: E402
from eyeprint.scores.mmpb_tables import mmpb_results  # noqa: E402

QUESTIONS, CONCEPTS = 10_017, 111
CATEGORIES = ("human",) * 15 + ("animal", "animal", "object", "object", "character")


def grid() -> list[ConceptSetting]:
    """Settings of a full study: injections, turns, controls, prompting, positions, blind."""
    found = [
        ConceptSetting(inject=inject, turns=turns, control=control)
        for inject in ("text:moderate", "image:2")
        for turns in (0, 10)
        for control in ("own", "wrong")
    ]
    found += [ConceptSetting(inject="none", control="none", turns=turns) for turns in (0, 10)]
    found += [ConceptSetting(prompting=prompting) for prompting in PROMPTING[1:]]
    found += [ConceptSetting(turns=10, position=at) for at in (2, 4, 6, 8, 10)]
    return [*found, ConceptSetting(blind=True)]


def questions(rng: np.random.Generator) -> list[dict]:
    """Facts of as many questions as the paper has."""
    found = []
    for number in range(QUESTIONS):
        category = CATEGORIES[number % len(CATEGORIES)]
        kind = ("awareness", "appropriateness", "coherency")[int(rng.integers(3))]
        choice = kind == "coherency"
        group = "preference" if category == "human" and rng.random() < 0.5 else "recognition"
        found.append({
            "question": str(number), "concept": f"{category} {number % CONCEPTS}",
            "category": category, "type": kind, "group": group,
            "entities": ("single", "multi")[int(rng.integers(2))],
            "target": ("like", "dislike")[int(rng.integers(2))] if group == "preference" else None,
            "negated": None if choice else bool(rng.integers(2)),
            "chance": 0.25 if choice else 0.5,
            "key": "ABCD"[int(rng.integers(4))] if choice else "Yes",
        })  # fmt: skip
    return found


def stream_of(rows: int, models: int, seed: int = 0):
    """Yield answers without holding them: model by model, setting by setting."""
    rng = np.random.default_rng(seed)
    facts = questions(rng)
    cells = itertools.product([f"model {m}" for m in range(models)], grid())
    left = rows
    for model, setting in cells:
        right = rng.random(QUESTIONS) < 0.6
        outcome = np.where(rng.random(QUESTIONS) < 0.05, "refused", "answered")
        for fact, hit, became in zip(facts, right.tolist(), outcome.tolist(), strict=True):
            if not left:
                return
            left -= 1
            read = became == "answered"
            wrong = "D" if fact["type"] == "coherency" and fact["key"] != "D" else "No"
            yield ConceptAnswer.model_construct(
                **fact, topic="", concept_only="", model=model, setting=setting.label,
                outcome=became, said=(fact["key"] if hit else wrong) if read else None,
                right=hit and read, refusal="" if read else "sorry",
                dialogue_tokens=100 * setting.turns,
            )  # fmt: skip


def keys_of(row: ConceptAnswer) -> set[str]:
    """Every part that a row belongs to."""
    words = itertools.product((None, row.type), (None, row.group), (None, row.category))
    keys = {" · ".join(w for w in chosen if w) or "all" for chosen in words}
    negated = None if row.negated is None else "negated" if row.negated else "not negated"
    for trait in (row.entities, row.target, negated):
        if trait:
            keys |= {trait, f"{row.type} · {trait}"}
    return keys


def straightforward(rows: list[ConceptAnswer], draws: int) -> int:
    """Shares of one cell with their intervals, part by part; returns how many."""
    parts = sorted({key for row in rows for key in keys_of(row)})
    for part in parts:
        own = [row for row in rows if part in keys_of(row)]
        values = np.array([float(row.right) for row in own])
        clustered_mean(values, [row.concept for row in own], np.random.default_rng(0), draws)
    return len(parts)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rows", type=int, default=200_000)
    options.add_argument("--models", type=int, default=1)
    options.add_argument("--draws", type=int, default=2000)
    options.add_argument("--sample", type=int, default=1, help="cells that the twin is run for")
    given = options.parse_args()
    models = max(given.models, -(-given.rows // (QUESTIONS * len(grid()))))

    began = time.perf_counter()
    made = sum(1 for _ in stream_of(given.rows, models))
    making = time.perf_counter() - began
    began = time.perf_counter()
    folded = fold_answers(stream_of(given.rows, models), grid())
    folding = time.perf_counter() - began - making
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    began = time.perf_counter()
    settings = MmpbTableSettings(draws=given.draws)
    results = mmpb_results(stream_of(given.rows, models), grid(), settings)
    whole = time.perf_counter() - began - making
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    cells = len(results.cells)
    print(f"{made:,} answers, {cells} cells, {len(results.parts)} parts, {given.draws} draws")
    print(f"folding            {folding:8.2f} s   {1e6 * folding / made:.1f} µs an answer")
    print(
        f"every table        {whole:8.2f} s   peak {after:.0f} MB ({before:.0f} MB after folding)"
    )
    print(f"as JSON            {len(results.model_dump_json()) / 1e6:8.2f} MB")

    held = list(itertools.islice(stream_of(given.rows, models), given.sample * QUESTIONS))
    began = time.perf_counter()
    for place in range(given.sample):
        straightforward(held[place * QUESTIONS : (place + 1) * QUESTIONS], given.draws)
    twin = (time.perf_counter() - began) / given.sample * len(folded.cells)
    print(f"cell by cell       {twin:8.2f} s   shares alone, from {given.sample} cells")
    print(f"ratio              {twin / whole:8.1f}")


if __name__ == "__main__":
    main()
