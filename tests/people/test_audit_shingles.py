"""Trigram keys and signatures against sets of real trigrams."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from eyeprint.maths.ngrams import word_trigrams, words
from eyeprint.people.audit_shingles import (
    MinHash,
    jaccard_of_keys,
    shared_trigrams,
    trigrams,
    word_runs,
)

texts = st.lists(st.text(alphabet="aб ,.猫", max_size=24), max_size=6)


@settings(deadline=None)
@given(texts)
def test_v62_keys_count_what_sets_of_trigrams_count(captions: list[str]):
    found = trigrams(word_runs(captions))
    sets = [word_trigrams(caption) for caption in captions]
    assert found.sizes.tolist() == [len(one) for one in sets]
    assert len(word_runs(captions).union(3)) == len(frozenset().union(*sets))


@settings(deadline=None)
@given(texts)
def test_shared_trigrams_are_those_of_every_pair(captions: list[str]):
    sets = [word_trigrams(caption) for caption in captions]
    wanted = {
        (i, j): len(sets[i] & sets[j])
        for i in range(len(sets))
        for j in range(i + 1, len(sets))
        if sets[i] & sets[j]
    }
    left, right, shared = shared_trigrams(trigrams(word_runs(captions)))
    keys = zip(left.tolist(), right.tolist(), strict=True)
    assert dict(zip(keys, shared.tolist(), strict=True)) == wanted


def runs_of(caption: str, length: int) -> set[tuple[str, ...]]:
    said = words(caption)
    return {tuple(said[i : i + length]) for i in range(len(said) - length + 1)}


@settings(deadline=None)
@given(texts, texts, st.integers(1, 6))
def test_jaccard_of_keys_is_jaccard_of_runs(one: list[str], other: list[str], length: int):
    a: set[tuple[str, ...]] = set().union(*(runs_of(caption, length) for caption in one))
    b: set[tuple[str, ...]] = set().union(*(runs_of(caption, length) for caption in other))
    wanted = len(a & b) / len(a | b) if a | b else 0.0
    found = jaccard_of_keys(word_runs(one).union(length), word_runs(other).union(length))
    assert found == wanted


def test_wordings_differ_exactly_when_the_words_do():
    found = word_runs(["A red door.", "a RED, door", "a red doors", "", "  !"])
    first, second, third, blank, marks = found.wordings
    assert first == second != third
    assert blank == marks == b""


def test_signatures_agree_in_a_share_of_places_that_is_the_jaccard_similarity():
    # |A ∩ B| = 200, |A ∪ B| = 400: J = 0.5. Standard error sqrt(.25/4000) = 0.008.
    keys = np.unique(np.random.default_rng(3).integers(0, 2**63, 400).astype(np.uint64))
    family = MinHash(4000)
    agree = family.signature(keys[:300]) == family.signature(keys[100:])
    assert abs(agree.mean() - 0.5) < 0.032


def test_a_signature_does_not_depend_on_blocks_of_keys():
    # 1,000 keys are four blocks; the least of the whole is the least of the parts' leasts.
    keys = np.unique(np.random.default_rng(4).integers(0, 2**63, 1000).astype(np.uint64))
    family = MinHash(16)
    parts = np.stack([family.signature(keys[i : i + 100]) for i in range(0, 1000, 100)])
    assert family.signature(keys).tolist() == parts.min(axis=0).tolist()


def test_an_empty_set_has_a_signature_of_ones():
    assert set(MinHash(5).signature(np.zeros(0, np.uint64)).tolist()) == {2**32 - 1}
