"""VPRAG without a chat model: milliseconds per query in a warm process.

Goal: p50 ≤ 10 ms with MiniLM, ≤ 2 ms with static. Every query is new text (nothing is
remembered); the people's vectors are warm. The twin is the loop-and-dictionary version of
the tests, with the same encoder.
"""

import statistics
import sys
import time
from pathlib import Path

from eyeprint.errors import EyeprintError
from eyeprint.methods.rewrite import method_models, rewrite
from eyeprint.people.shipped import load_people

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.methods.slow_vprag import slow_vprag


def times(work, count: int) -> list[float]:
    found = []
    for i in range(count):
        start = time.perf_counter()
        work(i)
        found.append((time.perf_counter() - start) * 1000)
    return found


def main() -> None:
    people = list(load_people("mini"))
    for name in ("minilm", "static"):
        try:
            models = method_models(name)
        except EyeprintError as error:
            print(f"vprag {name}: {error}")
            continue
        for person in people:
            models.vectors(person).elements  # noqa: B018

        def fast(i: int, models=models) -> None:
            rewrite(f"A preferred outdoor spot, number {i}", people[i % 12], models=models)

        remembered: dict[str, list[float]] = {}
        for person in people[:1]:
            vectors = models.vectors(person)
            for text, row in zip(vectors.element_texts, vectors.elements, strict=True):
                remembered[text] = row.tolist()
            for post, row in zip(person.posts, vectors.captions, strict=True):
                remembered[post.caption] = row.tolist()

        def embed(text: str, models=models, remembered=remembered) -> list[float]:
            if text not in remembered:
                remembered[text] = models.text.encode([text])[0].tolist()
            return remembered[text]

        def slow(i: int, embed=embed) -> None:
            slow_vprag(people[0], f"Another outdoor spot, number {i}", embed, 0.1, 3, False)

        times(fast, 12)
        ours = times(fast, 200)
        theirs = times(slow, 10)
        middle = statistics.median(ours)
        print(
            f"vprag {name}: p50 {middle:.2f} ms, p95 {sorted(ours)[189]:.2f} ms; "
            f"straightforward twin p50 {statistics.median(theirs):.2f} ms, "
            f"ratio {statistics.median(theirs) / middle:.1f}"
        )


if __name__ == "__main__":
    main()
