"""Speed and memory of the VPTT score, against the straightforward loop over prompts.

The loop does for each prompt what one writes first: QR of the captions, scikit-learn's
KMeans on their coordinates, Python sets of trigrams. It runs on a sample of the same
prompts, in one process, with one BLAS thread as each of ours has; its time for all prompts
is extrapolated. Embeddings are given; making the data is not timed.

    python benchmarks/vptt_score.py [--persons 10000] [--prompts 12] [--sample 120]
"""

from __future__ import annotations

import os

# Before numpy: threads of BLAS would measure how busy the machine is.
for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")

import argparse  # noqa: E402
import platform  # noqa: E402
import re  # noqa: E402
import resource  # noqa: E402
import time  # noqa: E402

import numpy as np  # noqa: E402

from eyeprint.scores.person_space import PersonArrays  # noqa: E402
from eyeprint.scores.vptt_score import ToScore, score_batch  # noqa: E402

CAPTIONS, DIM, CAPTION_SENTENCES, PROMPT_SENTENCES = 30, 384, 20, 10


def sentences(rng: np.random.Generator, count: int = 20_000) -> list[str]:
    """Ten-word sentences over 4,000 made-up words, the r-th as often as 1 / r.

    A person of 30 captions then has 6,000 words, about 1,800 of them different, as the
    mini personas have.
    """
    letters = np.array(list("abcdefghijklmnopqrstuvwxyz"))
    pool = ["".join(rng.choice(letters, rng.integers(2, 10))) for _ in range(4000)]
    picks = (len(pool) ** rng.random((count, 10))).astype(int) - 1
    return [" ".join(pool[i] for i in row).capitalize() + "." for row in picks]


def make_work(rng: np.random.Generator, lines: list[str], number: int, prompts: int) -> ToScore:
    """One person: captions around an own direction, prompts that copy a part of them."""
    middle = rng.normal(size=DIM) * 0.8
    vectors = (rng.normal(size=(CAPTIONS + prompts + 1, DIM)) + middle).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    picks = rng.integers(0, len(lines), (CAPTIONS, CAPTION_SENTENCES))
    texts = [" ".join(lines[i] for i in row) for row in picks]
    asked = []
    for _ in range(prompts):
        own = picks[rng.integers(CAPTIONS)][: rng.integers(0, PROMPT_SENTENCES + 1)].tolist()
        rest = rng.integers(0, len(lines), PROMPT_SENTENCES - len(own)).tolist()
        asked.append(" ".join(lines[i] for i in [*own, *rest]))
    person = PersonArrays(f"p-{number:05d}", vectors[:CAPTIONS], texts, vectors[-1])
    return ToScore(person, asked, vectors[CAPTIONS:-1])


def trigrams(text: str) -> set[tuple[str, ...]]:
    run = re.findall(r"\w+", text.lower())
    return {tuple(run[i : i + 3]) for i in range(len(run) - 2)}


def loop_score(item: ToScore, i: int) -> tuple[float, float, float, float]:
    """One prompt, from nothing."""
    from sklearn.cluster import KMeans

    v = item.vectors[i].astype(float)
    captions = item.person.captions.astype(float)
    basis = np.linalg.qr(captions.T)[0]
    inside = basis.T @ v
    found = KMeans(n_clusters=5, n_init=4, random_state=0).fit(captions @ basis)
    gaps = np.linalg.norm(found.cluster_centers_ - inside, axis=1)
    grams = trigrams(item.prompts[i])
    most = max(len(grams & trigrams(caption)) for caption in item.person.texts)
    return (
        float(v @ item.person.description),
        float(np.linalg.norm(inside)),
        float(np.exp(-gaps.min())),
        1 - most / len(grams),
    )


def processor_time() -> float:
    """Seconds of processor time of this process and of the workers that have ended."""
    mine, ended = (
        resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    return mine.ru_utime + mine.ru_stime + ended.ru_utime + ended.ru_stime


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--persons", type=int, default=10_000)
    options.add_argument("--prompts", type=int, default=12, help="prompts per person")
    options.add_argument("--sample", type=int, default=120, help="prompts that the loop scores")
    options.add_argument("--workers", type=int, default=2, help="processes of eyeprint")
    given = options.parse_args()
    rng = np.random.default_rng(7)
    lines = sentences(rng)
    block, spent, cpu, scored = 2500, 0.0, 0.0, 0
    loop_spent, loop_cpu, looped, differ = 0.0, 0.0, 0, np.zeros(4)
    for start in range(0, given.persons, block):
        stop = min(start + block, given.persons)
        work = [make_work(rng, lines, n, given.prompts) for n in range(start, stop)]
        began, busy = time.perf_counter(), processor_time()
        results = list(score_batch(work, workers=given.workers))
        spent += time.perf_counter() - began
        cpu += processor_time() - busy
        scored += sum(map(len, results))
        # A few prompts of each block go through the loop, so that both see the same machine.
        for n in range(min(len(work), -(-given.sample * block // given.persons))):
            if looped == given.sample:
                break
            i = n % given.prompts
            began, busy = time.perf_counter(), processor_time()
            theirs = loop_score(work[n], i)
            loop_spent += time.perf_counter() - began
            loop_cpu += processor_time() - busy
            looped += 1
            ours = [getattr(results[n], part)[i] for part in ("pa", "gs", "cp", "nv")]
            differ = np.maximum(differ, np.abs(np.subtract(ours, theirs)))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    each = loop_spent / looped
    print(f"{platform.machine()}, {os.cpu_count()} cores, {given.workers} used by eyeprint")
    print(f"eyeprint   {scored:>9,} prompts of {given.persons:,} persons: {spent:8.1f} s")
    print(f"the loop   {looped:>9,} prompts: {loop_spent:8.1f} s, all: {each * scored:8.0f} s")
    print(f"ratio      {each * scored / spent:9.0f} x, extrapolated from the sample")
    print(f"ratio      {loop_cpu / looped * scored / cpu:9.0f} x in processor time, one core each")
    print(f"peak RSS   {peak:9.0f} MB, of this process, the data included")
    print("largest difference, PA GS CP NV:", " ".join(f"{x:.6f}" for x in differ))
    print("(CP differs where k-means starts elsewhere)")


if __name__ == "__main__":
    main()
