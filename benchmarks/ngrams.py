"""Trigram novelty: prompts per second of the index, against plain sets and cached sets.

python benchmarks/ngrams.py [--persons 60]
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from vptt_score import make_work, sentences, trigrams

from eyeprint.maths.ngrams import index_captions
from eyeprint.scores.vptt_score import ToScore


def naive(item: ToScore) -> list[float]:
    """Sets of the captions made anew for each prompt."""
    return [
        1 - max(len((own := trigrams(p)) & trigrams(c)) for c in item.person.texts) / len(own)
        for p in item.prompts
    ]


def cached(item: ToScore) -> list[float]:
    """Sets of the captions made once per person."""
    theirs = [trigrams(caption) for caption in item.person.texts]
    found = []
    for prompt in item.prompts:
        own = trigrams(prompt)
        found.append(1 - max(len(own & caption) for caption in theirs) / len(own))
    return found


def indexed(item: ToScore) -> list[float]:
    """One index per person, all prompts at once."""
    return (1 - index_captions(item.person.texts).overlap(item.prompts).largest_share()).tolist()


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--persons", type=int, default=60)
    given = options.parse_args()
    rng = np.random.default_rng(7)
    lines = sentences(rng)
    work = [make_work(rng, lines, n, 12) for n in range(given.persons)]
    indexed(work[0])
    spent = dict.fromkeys(("naive", "cached", "indexed"), 0.0)
    for item in work:
        found = []
        for way in (naive, cached, indexed):
            began = time.perf_counter()
            found.append(way(item))
            spent[way.__name__] += time.perf_counter() - began
        if not (np.allclose(found[0], found[1]) and np.allclose(found[0], found[2])):
            raise SystemExit("the three ways disagree")
    prompts = 12 * given.persons
    for name, seconds in spent.items():
        ratio = spent["naive"] / seconds
        print(
            f"{name:8} {prompts / seconds:8.0f} prompts/s  {ratio:5.1f} x naive, 30 captions each"
        )


if __name__ == "__main__":
    main()
