"""The VPTT score by hand, against a slow twin, and on input of every odd shape."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eyeprint.errors import DataError, UsageError
from eyeprint.maths.ngrams import word_trigrams
from eyeprint.models.kinds import Encoded
from eyeprint.records.people import Persona
from eyeprint.scores.person_space import PersonArrays, VpttSettings, build_space, build_spaces
from eyeprint.scores.vptt_score import ToScore, combine, score_batch, score_prompts, vptt_score
from eyeprint.store.embeddings import person_vectors

WORDS = ["red", "door", "kite", "sea", "old", "lamp"]


def make_person(seed, n=6, dim=8, blank=(), name=None):
    rng = np.random.default_rng(seed)
    captions = rng.normal(size=(n, dim)) + 1.0
    captions[list(blank)] = 0.0
    texts = ["" if i in blank else " ".join(rng.choice(WORDS, 9)) for i in range(n)]
    return PersonArrays(name or f"p{seed}", captions, texts, rng.normal(size=dim))


def make_prompts(seed, n=4, dim=8):
    rng = np.random.default_rng(seed + 1000)
    return [" ".join(rng.choice(WORDS, 8)) for _ in range(n)], rng.normal(size=(n, dim)) + 0.5


def unit(vector):
    return vector / math.sqrt(sum(x * x for x in vector))


def twin(prompt, vector, person, space):
    """The formulas as printed, with Gram-Schmidt in the captions' own order.

    Only the centroids come from the space (k-means has its own twin); they are carried
    back into the ambient space, where distances are the same.
    """
    v = unit(vector)
    basis = []
    for caption in person.captions:
        if not any(caption):
            continue
        rest = unit(caption)
        for direction in basis:
            rest = rest - sum(rest * direction) * direction
        if math.sqrt(sum(rest * rest)) > 1e-6:
            basis.append(unit(rest))
    shadow = sum((sum(v * b) * b for b in basis), np.zeros(len(v)))
    pa = sum(v * unit(person.description))
    gs = sum(v * shadow) / math.sqrt(sum(shadow * shadow))
    centres = [c @ space.basis for c in space.centroids]
    cp = math.exp(-min(math.dist(shadow, c) for c in centres))
    grams = word_trigrams(prompt)
    nv = 1 - max(len(grams & word_trigrams(c)) for c in person.texts) / len(grams)
    score = 0.2 * pa + 0.3 * gs + 0.3 * cp + 0.2 * nv
    return pa, gs, cp, nv, score, (pa + gs + cp) / 3


@given(st.integers(0, 10_000), st.integers(1, 7))
def test_v64_every_part_agrees_with_the_slow_twin(seed, n):
    person = make_person(seed, n)
    space = build_space(person)
    texts, vectors = make_prompts(seed)
    found = score_prompts(space, texts, vectors)
    for i, (text, vector) in enumerate(zip(texts, vectors, strict=True)):
        ours = [c[i] for c in (found.pa, found.gs, found.cp, found.nv, found.score, found.score_c)]
        assert ours == pytest.approx(twin(text, vector, person, space), abs=2e-6)


def test_v58_to_v65_golden_by_hand():
    # Captions e1, e2 in three dimensions: B = span(e1, e2). With two clusters the centroids
    # are e1 and e2 themselves. Prompt v = (0.6, 0, 0.8): Bv = (0.6, 0).
    #   PA  = v . (0, 0, 1) = 0.8
    #   GS  = |Bv| = 0.6
    #   CP  = exp(-|(0.6, 0) - (1, 0)|) = exp(-0.4) = 0.670320
    #   NV  : prompt "a b c d" has abc, bcd; caption 1 "a b c" shares one: 1 - 1/2 = 0.5
    #   score   = .16 + .18 + .201096 + .1 = 0.641096
    #   score-c = (0.8 + 0.6 + 0.670320) / 3 = 0.690107
    person = PersonArrays("p", np.eye(3)[:2], ["a b c", "x y z"], np.array([0, 0, 2.0]))
    found = score_prompts(build_space(person), ["A b, c d"], np.array([[1.2, 0, 1.6]]))
    record = found.records()[0]
    assert (record.pa, record.gs, record.cp, record.nv) == (0.8, 0.6, 0.67032, 0.5)
    assert (record.score, record.score_c) == (0.641096, 0.690107)
    assert record.unscored == {}


@given(st.integers(0, 10_000))
def test_v59_any_order_of_captions_and_any_axes_give_the_same_numbers(seed):
    person = make_person(seed, n=9)
    texts, vectors = make_prompts(seed)
    order = np.random.default_rng(seed).permutation(9)
    shuffled = PersonArrays(
        person.id, person.captions[order], [person.texts[i] for i in order], person.description
    )
    plain = score_prompts(build_space(person), texts, vectors)
    moved = score_prompts(build_space(shuffled), texts, vectors)
    for name in ("pa", "gs", "cp", "nv", "score", "score_c"):
        assert getattr(plain, name) == pytest.approx(getattr(moved, name), abs=2e-6)


@given(st.integers(0, 10_000))
def test_v59_any_orthonormal_basis_of_the_span_gives_the_same_gs_and_cp(seed):
    space = build_space(make_person(seed))
    texts, vectors = make_prompts(seed)
    turn = np.linalg.qr(np.random.default_rng(seed).normal(size=(space.rank, space.rank))).Q
    turned = type(space)(
        space.id, turn @ space.basis, space.centroids @ turn.T, space.description,
        space.trigrams, space.captions,
    )  # fmt: skip
    plain, other = score_prompts(space, texts, vectors), score_prompts(turned, texts, vectors)
    assert plain.gs == pytest.approx(other.gs, abs=2e-6)
    assert plain.cp == pytest.approx(other.cp, abs=2e-6)


@given(st.integers(0, 10_000), st.integers(1, 7))
def test_v60_cp_is_measured_inside_the_basis_and_may_pass_the_ambient_bound(seed, n):
    """In ambient space CP <= exp(-sqrt(1 - GS²)); inside, only the triangle inequality holds."""
    space = build_space(make_person(seed, n))
    texts, vectors = make_prompts(seed)
    found = score_prompts(space, texts, vectors)
    for gs, cp, vector in zip(found.gs, found.cp, vectors, strict=True):
        ambient = min(math.dist(unit(vector), c @ space.basis) for c in space.centroids)
        assert cp >= math.exp(-ambient) - 1e-6
        inside = math.sqrt(max(0.0, ambient**2 - (1 - gs**2)))
        assert cp == pytest.approx(math.exp(-inside), abs=1e-3)


def test_v60_a_copied_caption_of_a_person_with_few_distinct_captions_has_cp_one():
    person = make_person(3, n=4)
    found = score_prompts(build_space(person), list(person.texts), person.captions)
    assert found.cp == pytest.approx(1.0) and found.gs == pytest.approx(1.0)
    assert found.nv.tolist() == [0.0] * 4


def test_v66_nv_by_policy():
    space, (texts, vectors) = build_space(make_person(1)), make_prompts(1)
    texts[0] = "two words"
    policies = ["published_zero", "one", "skip", "measured"]
    found = score_prompts(space, texts, vectors, policies)
    assert found.nv[:2].tolist() == [0.0, 1.0]
    assert found.nv[3] == score_prompts(space, texts, vectors).nv[3]
    skipped = found.records()[2]
    assert (skipped.nv, skipped.score) == (None, None) and skipped.score_c is not None
    assert skipped.unscored == {"nv": "novelty was not asked for"}
    assert VpttSettings(nv_unconditioned="one").nv_policy("persona_only") == "one"
    with pytest.raises(UsageError, match="policies"):
        score_prompts(space, texts, vectors, ["measured"])


def test_v62_a_prompt_under_three_words_has_no_nv_but_a_score_c():
    space = build_space(make_person(1))
    record = score_prompts(space, ["red door"], make_prompts(1, 1)[1]).records()[0]
    assert record.nv is None and record.score is None and record.score_c is not None
    assert record.unscored == {"nv": "the prompt has too few words for a trigram"}
    strict = VpttSettings(min_trigram_words=5)
    four = score_prompts(space, ["red door kite sea"], make_prompts(1, 1)[1], settings=strict)
    assert np.isnan(four.nv[0])


def test_v64_a_blank_prompt_is_unscored_in_every_part():
    record = score_prompts(build_space(make_person(1)), [" "], np.zeros((1, 8))).records()[0]
    assert set(record.unscored) == {"pa", "gs", "cp", "nv"}
    assert record.score is None and record.score_c is None and record.pa is None


@pytest.mark.parametrize("captions", [np.zeros((0, 8)), np.zeros((3, 8))])
def test_v59_a_person_without_captions_has_pa_only(captions):
    person = PersonArrays("p", captions, [""] * len(captions), np.ones(8))
    record = score_prompts(build_space(person), *make_prompts(1, 1)).records()[0]
    assert record.pa is not None and record.gs is None and record.score_c is None
    assert set(record.unscored.values()) == {"the person has no caption with words"}
    assert set(record.unscored) == {"gs", "cp", "nv"}


def test_v58_a_blank_description_leaves_pa_unscored():
    person = make_person(1)
    person = PersonArrays("p", person.captions, person.texts, np.zeros(8))
    record = score_prompts(build_space(person), *make_prompts(1, 1)).records()[0]
    assert record.unscored == {"pa": "the person's description is blank"}
    assert record.gs is not None and record.score is None


def test_v59_blank_captions_change_nothing():
    full = make_person(4, n=6, blank=(1, 4), name="p")
    words = [i for i in range(6) if i not in (1, 4)]
    short = PersonArrays(
        "p", full.captions[words], [full.texts[i] for i in words], full.description
    )
    texts, vectors = make_prompts(4)
    a, b = (score_prompts(build_space(p), texts, vectors).records() for p in (full, short))
    assert a == b


def test_v59_one_post_and_thirty_identical_captions_score_alike():
    one = make_person(5, n=1, name="p")
    thirty = PersonArrays("p", np.tile(one.captions, (30, 1)), one.texts * 30, one.description)
    texts, vectors = make_prompts(5)
    spaces = build_space(one), build_space(thirty)
    assert [space.rank for space in spaces] == [1, 1]
    assert [len(space.centroids) for space in spaces] == [1, 1]
    a, b = (score_prompts(space, texts, vectors).records() for space in spaces)
    assert a == b


def test_v59_five_thousand_captions():
    person = make_person(6, n=5000, dim=24)
    space = build_space(person)
    assert space.rank == 24 and space.centroids.shape == (5, 24)
    found = score_prompts(space, *make_prompts(6, dim=24))
    assert found.gs == pytest.approx(1.0)
    assert np.isfinite(found.score).all()


def test_v59_a_gallery_spans_the_basis_but_nv_sees_all_captions():
    person = make_person(7, n=6, blank=(0,))
    space = build_space(person, VpttSettings(basis_captions=2))
    assert space.rank == 2 and space.captions == 5
    copied = score_prompts(space, [person.texts[5]], person.captions[5:])
    assert copied.nv.tolist() == [0.0] and copied.gs[0] < 1


@settings(max_examples=20)
@given(st.lists(st.integers(0, 7), min_size=1, max_size=9), st.integers(1, 4))
def test_v5_the_batch_gives_each_person_the_same_bits_as_alone(sizes, chunk):
    work = []
    for seed, n in enumerate(sizes):
        person = make_person(seed, n, blank=(0,) if n % 3 == 2 else ())
        work.append(ToScore(person, *make_prompts(seed, 1 + seed % 3)))
    together = list(score_batch(iter(work), chunk=chunk))
    for item, found in zip(work, together, strict=True):
        space = build_space(item.person)
        for i, prompt in enumerate(item.prompts):
            alone = score_prompts(space, [prompt], item.vectors[i : i + 1])
            assert alone.records()[0] == found.records()[i]


def test_v5_workers_give_the_same_bits_in_order():
    work = [ToScore(make_person(seed, 1 + seed % 4), *make_prompts(seed)) for seed in range(7)]
    alone = [found.records() for found in score_batch(work)]
    pool = [found.records() for found in score_batch(iter(work), chunk=2, workers=2)]
    assert pool == alone


def test_v59_vectors_that_do_not_fit_are_named():
    space = build_space(make_person(1))
    with pytest.raises(UsageError, match="same encoder"):
        score_prompts(space, ["a b c"], np.zeros((1, 9)))
    with pytest.raises(UsageError, match="2 prompts"):
        score_prompts(space, ["a", "b"], np.zeros((1, 8)))
    with pytest.raises(DataError, match="prompt 0"):
        score_prompts(space, ["a b c"], np.full((1, 8), np.nan))
    with pytest.raises(ValueError, match="'p'"):
        PersonArrays("p", np.zeros((2, 8)), ["one"], np.zeros(8))
    with pytest.raises(ValueError, match="'p'"):
        PersonArrays("p", np.zeros((2, 8)), [], np.zeros(9))


def test_v62_nv_without_the_captions_texts_is_unscored():
    person = make_person(1)
    bare = PersonArrays("p", person.captions, [], person.description)
    record = score_prompts(build_space(bare), *make_prompts(1, 1)).records()[0]
    assert record.unscored == {"nv": "the texts of the captions were not given"}


def test_v64_settings_are_checked():
    with pytest.raises(UsageError, match="sum to 1"):
        VpttSettings.checked({"weights": (0.5, 0.5, 0.5, 0.5)})
    with pytest.raises(UsageError, match="basis_captions"):
        VpttSettings.checked({"basis_captions": 0})


def test_v64_v65_each_part_has_its_weight():
    score, score_c = combine(*np.eye(4), weights=(0.1, 0.2, 0.3, 0.4))
    assert score.tolist() == [0.1, 0.2, 0.3, 0.4]
    assert score_c == pytest.approx([1 / 3, 1 / 3, 1 / 3, 0])


class LetterEncoder:
    """Counts letters: a real, tiny encoder with the right interface."""

    name, fingerprint, dim = "letters", "letters-1", 26

    def encode_counted(self, texts):
        rows = np.array([[text.lower().count(chr(97 + i)) for i in range(26)] for text in texts])
        rows = rows.reshape(len(texts), 26).astype(np.float32)
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        return Encoded(rows / np.where(lengths > 0, lengths, 1), np.zeros(len(texts), bool))

    def encode(self, texts):
        return self.encode_counted(texts).vectors


PERSON = Persona(
    id="p",
    demographics={"age": 40, "country": "Chad", "interests": ["kites"]},
    posts=[
        {"id": "a", "caption": "A red kite over the old door."},
        {"id": "b", "caption": ""},
        {"id": "c", "caption": "Lamps by the sea."},
    ],
)


def test_v64_the_library_scores_texts_of_a_persona():
    copied, blank, missing = vptt_score(
        ["a red kite over the old door", "", None], PERSON, LetterEncoder()
    )
    assert copied.nv == 0.0 and copied.gs == pytest.approx(1.0, abs=1e-5)
    vectors = LetterEncoder().encode(["a red kite over the old door", PERSON.description()])
    assert copied.pa == pytest.approx(float(vectors[0] @ vectors[1]), abs=1e-5)
    assert blank.score is None and missing == blank


def test_v64_stored_vectors_give_the_same_scores():
    encoder, prompts = LetterEncoder(), ["a red kite by the sea", "lamps over an old door"]
    stored = person_vectors(PERSON, encoder)
    assert vptt_score(prompts, PERSON, encoder, vectors=stored) == vptt_score(
        prompts, PERSON, encoder
    )
    with pytest.raises(UsageError, match="another encoder"):
        vptt_score(prompts, PERSON, encoder, vectors=replace(stored, encoder="letters-2"))
    with pytest.raises(UsageError, match="'q'"):
        vptt_score(prompts, PERSON, encoder, vectors=replace(stored, person_id="q"))
    fewer = PERSON.model_copy(update={"posts": PERSON.posts[:2]})
    with pytest.raises(UsageError, match="2 posts, but 3 stored"):
        vptt_score(prompts, fewer, encoder, vectors=stored)


def test_v64_one_string_is_refused_with_what_to_do():
    with pytest.raises(UsageError, match=r"vptt_score\(\[prompt\], person\)"):
        vptt_score("a red kite", PERSON, LetterEncoder())


def test_v5_spaces_come_in_the_order_of_the_persons():
    people = [make_person(seed, n) for seed, n in enumerate([3, 0, 5, 3, 1])]
    assert [space.id for space in build_spaces(iter(people), chunk=2)] == [p.id for p in people]


def test_what_is_no_person_and_an_encoder_by_name_are_understood():
    from eyeprint.people.shipped import load_people

    people = load_people("mini")
    (found,) = vptt_score(["A red boat in the harbour"], people[0], encoder="static")
    assert found.gs is not None
    with pytest.raises(UsageError, match="takes one Persona"):
        vptt_score(["x"], people)
    assert VpttSettings().nv_policy("Baseline ") == "published_zero"
