"""Wrong persons and shuffled profiles."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyeprint.errors import UnknownName, UsageError
from eyeprint.scores.person_space import PersonArrays, build_space
from eyeprint.scores.vptt_controls import ShuffledProfiles, shuffled_profile, wrong_person
from eyeprint.scores.vptt_score import score_prompts

ids = st.lists(st.text("abcd", min_size=1, max_size=3), unique=True, min_size=2, max_size=30)


@given(ids, st.integers(0, 99), st.randoms(use_true_random=False))
def test_v66_wrong_persons_are_a_permutation_without_fixed_point(people, seed, order):
    pairs = wrong_person(people, seed).of
    assert set(pairs) == set(pairs.values()) == set(people)
    assert all(person != other for person, other in pairs.items())
    again = list(people)
    order.shuffle(again)
    assert wrong_person(again, seed) == wrong_person(people, seed)


def test_v66_other_seeds_give_other_pairs_and_three_persons_both_cycles():
    found = {tuple(sorted(wrong_person("abc", seed).of.items())) for seed in range(40)}
    assert len(found) == 2


def test_v66_one_person_has_no_wrong_person():
    assert wrong_person(["a"], 1).of == {} and "one person" in wrong_person(["a"], 1).reason
    assert wrong_person([], 1).reason is not None
    with pytest.raises(UsageError, match="'b' occurs twice"):
        wrong_person(["b", "a", "b"], 1)


def make_people(counts, dim=5):
    rng = np.random.default_rng(0)
    people = {}
    for name, n in counts.items():
        captions = rng.normal(size=(n + 1, dim))
        captions[0] = 0.0
        texts = ["", *(f"{name} wrote number {i}" for i in range(n))]
        people[name] = PersonArrays(name, captions, texts, rng.normal(size=dim))
    return people


def test_v66_baselines_lift_is_zero_by_construction():
    people = make_people({"a": 3, "b": 2, "c": 4, "d": 1})
    prompt, vector = ["A photo of a garden"], np.ones((1, 5))
    own = {p: score_prompts(build_space(a), prompt, vector).score_c[0] for p, a in people.items()}
    pairs = wrong_person(list(people), 3).of
    lifts = [own[person] - own[pairs[person]] for person in people]
    assert sum(lifts) == pytest.approx(0, abs=1e-12) and any(lifts)


@given(
    st.dictionaries(st.sampled_from("abcdefgh"), st.integers(0, 5), min_size=1), st.integers(0, 9)
)
def test_v66_shuffled_captions_come_from_others_each_from_another_while_they_last(counts, seed):
    profiles = ShuffledProfiles(counts, seed)
    for person, n in counts.items():
        found = profiles.source(person)
        donors = [other for other in counts if other != person and counts[other]]
        if not donors:
            assert found.reason is not None and found.captions == ()
            continue
        assert len(found.captions) == n
        assert all(donor in donors and 0 <= i < counts[donor] for donor, i in found.captions)
        used = [donor for donor, _ in found.captions]
        uses = [used.count(donor) for donor in donors]
        assert max(uses) - min(uses) <= 1
        assert found.description in counts and found.description != person
        assert found == ShuffledProfiles(dict(reversed(counts.items())), seed).source(person)


def test_v66_a_shuffled_profile_gathers_vectors_with_their_texts():
    people = make_people({"a": 2, "b": 1, "c": 4, "d": 0})
    source = ShuffledProfiles({p: len(a.texts) - 1 for p, a in people.items()}, 5).source("a")
    profile = shuffled_profile(source, people.__getitem__)
    assert profile.id == "a/shuffled"
    assert np.array_equal(profile.description, people[source.description].description)
    for (donor, place), vector, text in zip(
        source.captions, profile.captions, profile.texts, strict=True
    ):
        assert text == f"{donor} wrote number {place}"
        assert np.array_equal(vector, people[donor].captions[place + 1])
    empty = shuffled_profile(ShuffledProfiles({"a": 0, "b": 2}, 1).source("a"), people.__getitem__)
    assert empty.captions.shape == (0, 5)


def test_v66_no_shuffled_profile_without_others():
    alone = ShuffledProfiles({"a": 3}, 1).source("a")
    assert "one person" in alone.reason and shuffled_profile(alone, {}.__getitem__) is None
    mute = ShuffledProfiles({"a": 3, "b": 0}, 1).source("a")
    assert mute.reason == "no other person has a caption with words"
    with pytest.raises(UnknownName, match="'z'"):
        ShuffledProfiles({"a": 3}, 1).source("z")


def test_v66_every_other_person_can_donate():
    counts = dict.fromkeys("abcdef", 1)
    donors = {ShuffledProfiles(counts | {"a": 1}, s).source("a").captions[0][0] for s in range(60)}
    abouts = {ShuffledProfiles(counts, s).source("c").description for s in range(60)}
    assert donors == set("bcdef") and abouts == set("abdef")
