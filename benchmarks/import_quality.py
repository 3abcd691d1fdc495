"""How well captions are read without a model: the extractor against the mini personas.

Their elements were annotated by hand. The extractor was tuned on mini-01 to mini-06;
mini-07 to mini-12 are held out. Precision and recall are over content words (words of
three letters or more that are no function words) of the phrases of one category in one
post; "placed" is the share of hand-annotated phrases that, judged alone in their caption,
come out in their own category (a coin of eight sides: 0.125).

Run: python benchmarks/import_quality.py
"""

from __future__ import annotations

import re
import time
from collections import defaultdict
from collections.abc import Iterable

from eyeprint.people.inverse_lexicon import lexicon
from eyeprint.people.inverse_phrases import elements_of, find_phrases
from eyeprint.people.shipped import load_people
from eyeprint.records.people import CATEGORIES, Persona

TUNED = tuple(f"mini-{i:02d}" for i in range(1, 7))


def content_words(phrases: Iterable[str]) -> set[str]:
    words = {w for phrase in phrases for w in re.findall(r"[^\W\d_]{3,}", phrase.lower())}
    return {w for w in words if lexicon().look_up(w).role == "open"}


def quality(people: Iterable[Persona]) -> dict[str, tuple[float, float, float]]:
    """Return category -> (precision, recall, placed), and "any" for all categories together."""
    hit, given, wanted = defaultdict(int), defaultdict(int), defaultdict(int)
    right, asked = defaultdict(int), defaultdict(int)
    for person in people:
        for post in person.posts:
            found = elements_of(post.caption)
            pairs = {c: (found.get(c, ()), post.elements.get(c, ())) for c in CATEGORIES}
            pairs["any"] = (
                [p for c in CATEGORIES for p in found.get(c, ())],
                [p for c in CATEGORIES for p in post.elements.get(c, ())],
            )
            for category, (ours, theirs) in pairs.items():
                a, b = content_words(ours), content_words(theirs)
                hit[category] += len(a & b)
                given[category] += len(a)
                wanted[category] += len(b)
            phrases = find_phrases(post.caption)
            for category in CATEGORIES:
                for phrase in post.elements.get(category, ()):
                    at = post.caption.lower().find(phrase.lower())
                    inside = [
                        p
                        for p in phrases
                        if p.start < at + len(phrase) and at < p.start + len(p.text)
                    ]
                    asked[category] += 1
                    asked["any"] += 1
                    if inside:
                        best = max(inside, key=lambda p: _shared(p.text, phrase))
                        right[category] += best.category == category
                        right["any"] += best.category == category
    return {
        c: (hit[c] / max(1, given[c]), hit[c] / max(1, wanted[c]), right[c] / max(1, asked[c]))
        for c in (*CATEGORIES, "any")
    }


def _shared(one: str, other: str) -> float:
    a, b = set(one.lower().split()), set(other.lower().split())
    return len(a & b) / len(a | b)


def main() -> None:
    people = load_people("mini")
    tuned = quality(p for p in people if p.id in TUNED)
    held_out = quality(p for p in people if p.id not in TUNED)
    print(f"{'':12}  tuned on: prec  recall placed   held out: prec  recall placed")
    for category in tuned:
        both = (tuned[category], held_out[category])
        cells = "".join(f"{'':10}{p:6.2f} {r:6.2f} {a:6.2f}" for p, r, a in both)
        print(f"{category:12}{cells}")
    captions = [c for person in people for c in person.captions] * 14
    start = time.perf_counter()
    for caption in captions:
        elements_of(caption)
    seconds = time.perf_counter() - start
    print(f"{len(captions)} captions in {seconds:.1f} s, {len(captions) / seconds:.0f} a second")


if __name__ == "__main__":
    main()
