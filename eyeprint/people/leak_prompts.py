"""Short prompts and profiles that the benchmark and training rows have in common (P66)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from eyeprint.config import canonical_json
from eyeprint.maths.ngrams import Trigram, word_trigrams, words
from eyeprint.people.training_rows import TrainingPrompt
from eyeprint.records.profiles import Profile


class PromptMatch(NamedTuple):
    """Two prompts that say the same, or nearly."""

    a: str
    """The benchmark's."""
    b: TrainingPrompt
    overlap: float
    """1 for the same words in the same order, else the Jaccard share of word trigrams."""


def prompt_matches(
    prompts: Iterable[str], training: Sequence[TrainingPrompt], least: float
) -> list[PromptMatch]:
    """Return for each distinct prompt the training prompts that overlap with it.

    Case, punctuation and spaces do not count. Prompts under three words have no trigram,
    and are compared as a whole. Time grows with what is shared, not with all pairs.

    >>> rows = [TrainingPrompt("A red kite.", "t:1")]
    >>> prompt_matches(["a red  kite", "a kite"], rows, 0.8)[0].overlap
    1.0
    """
    distinct = tuple(dict.fromkeys(prompts))
    as_words = [tuple(words(text)) for text in distinct]
    runs = [word_trigrams(text) for text in distinct]
    same: dict[tuple[str, ...], list[int]] = defaultdict(list)
    holders: dict[Trigram, list[int]] = defaultdict(list)
    for number, found in enumerate(as_words):
        if found:
            same[found].append(number)
        for run in runs[number]:
            holders[run].append(number)
    matches = []
    for row in training:
        equal = same.get(tuple(words(row.text)), [])
        matches += [PromptMatch(distinct[number], row, 1.0) for number in equal]
        mine = word_trigrams(row.text)
        shared = Counter(number for run in mine for number in holders.get(run, ()))
        for number, count in sorted(shared.items()):
            overlap = count / (len(mine) + len(runs[number]) - count)
            if overlap >= least and number not in equal:
                matches.append(PromptMatch(distinct[number], row, overlap))
    return matches


def same_profiles(
    benchmark: Iterable[Profile], training: Iterable[Profile]
) -> list[tuple[str, str]]:
    """Return (benchmark id, training id) of profiles with the same answers.

    >>> same_profiles([Profile(id="a", answers={"Q12": 7})], [Profile(id="t", answers={"Q12": 7})])
    [('a', 't')]
    """
    mine: dict[str, list[str]] = defaultdict(list)
    for profile in benchmark:
        if profile.answers:
            mine[_answers(profile)].append(profile.id)
    return [
        (person, other.id)
        for other in training
        if other.answers
        for person in mine.get(_answers(other), ())
    ]


def _answers(profile: Profile) -> str:
    """Return the answers in one spelling: the order of several choices says nothing."""
    plain = {
        question: sorted(answer) if isinstance(answer, tuple) else answer
        for question, answer in profile.answers.items()
    }
    return canonical_json(plain)
