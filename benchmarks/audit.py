"""Time and memory of the audit of people, and of finding twins without all pairs.

1. The whole audit over people of the offline writer, embeddings given (random vectors
   stand for them: they are the encoder's cost, not the audit's), with peak memory.
2. The same people's copies found by comparing all pairs of Python sets of runs of words, on as
   many as the twin does in reasonable time, against signatures and bands on the same ones.

Run: python benchmarks/audit.py [PEOPLE]        (2,000 by default; 10,000 in docs)
"""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from eyeprint.maths.diversity import jaccard
from eyeprint.maths.ngrams import words
from eyeprint.people.audit import Auditor
from eyeprint.people.audit_shingles import MinHash, word_runs
from eyeprint.people.audit_twins import TwinSettings, text_candidates, verified_copies
from eyeprint.people.build import build_personas
from eyeprint.people.shipped import load_people
from eyeprint.records.people import Persona

TWIN_PEOPLE = 300
DIM = 384


def peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def whole_audit(folder: Path) -> tuple[float, float, float]:
    """Return seconds of opening, of reading all, and of the report."""
    draws = np.random.default_rng(1)
    start = time.perf_counter()
    people = load_people(folder)
    opened = time.perf_counter()
    auditor = Auditor()
    vectors = draws.standard_normal((30, DIM)).astype(np.float32)
    for person in people:
        auditor.add(person, vectors[: len(person.posts)] + 0.1 * draws.standard_normal(DIM))
    read = time.perf_counter()
    report = auditor.report(people, str(folder))
    done = time.perf_counter()
    print(
        f"  {report.numbers.people:,} people, {report.breaks:,} broken rules, "
        f"{len(report.copies.pairs):,} copies of {report.copies.candidates:,} candidates"
    )
    return opened - start, read - opened, done - read


def all_pairs(people: list[Persona], limit: float, run: int) -> set[tuple[int, int]]:
    """The straightforward way: every pair of sets of runs of words."""
    sets = []
    for person in people:
        runs = [words(caption) for caption in person.captions]
        sets.append({tuple(r[i : i + run]) for r in runs for i in range(len(r) - run + 1)})
    pairs = ((i, j) for i in range(len(sets)) for j in range(i + 1, len(sets)))
    return {(i, j) for i, j in pairs if jaccard(sets[i], sets[j]) >= limit}


def by_bands(people: list[Persona], settings: TwinSettings) -> set[tuple[int, int]]:
    """Signatures and bands, verified on the runs."""
    keys = [word_runs(p.captions).union(settings.run) for p in people]
    family = MinHash(settings.bands * settings.rows)
    signatures = np.stack([family.signature(one) for one in keys])
    has_text = np.array([len(one) > 0 for one in keys])
    pairs, likely, looked = text_candidates(signatures, has_text, settings)
    found = verified_copies(pairs, likely, keys.__getitem__, settings, looked)
    return {(i, j) for i, j in found.pairs.tolist()}


def twins(folder: Path) -> None:
    settings = TwinSettings()
    people = list(load_people(folder)[:TWIN_PEOPLE])
    for at in range(10):
        posts = people[at].posts[:25] + people[-1 - at].posts[25:]
        people.append(people[at].model_copy(update={"id": f"twin-{at}", "posts": posts}))
    start = time.perf_counter()
    slow = all_pairs(people, settings.jaccard, settings.run)
    middle = time.perf_counter()
    fast = by_bands(people, settings)
    end = time.perf_counter()
    pairs = len(people) * (len(people) - 1) // 2
    print(
        f"copies among {len(people)} people ({pairs:,} pairs): all pairs {middle - start:.2f} s, "
        f"bands {end - middle:.2f} s, ratio {(middle - start) / (end - middle):.1f}; "
        f"found {len(fast & slow)} of {len(slow)}, {len(fast - slow)} too many"
    )
    per_pair = (middle - start) / pairs
    print(f"  all pairs of 10,000 people would take {per_pair * 49_995_000 / 60:.0f} minutes")


def main() -> None:
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "people"
        build_personas(n, 7, folder)
        before = peak_mb()
        opened, read, told = whole_audit(folder)
        total = opened + read + told
        print(
            f"audit of {n:,} people: {total:.1f} s ({1000 * total / n:.1f} ms a person; opening "
            f"{opened:.1f}, reading and checking {read:.1f}, twins and report {told:.1f}); "
            f"peak memory {peak_mb():,.0f} MB, {peak_mb() - before:,.0f} MB of it here"
        )
        twins(folder)


if __name__ == "__main__":
    main()
