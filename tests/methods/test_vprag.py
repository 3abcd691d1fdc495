"""VPRAG against its slow twin, by hand, and at its edges."""

import hashlib
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eyeprint.methods.setting import MethodModels, MethodSettings
from eyeprint.methods.vprag import vprag
from eyeprint.models.kinds import Encoded
from eyeprint.records.people import CATEGORIES, Persona
from eyeprint.records.work import Query
from eyeprint.store.embeddings import VectorShelf
from tests.methods.slow_vprag import slow_vprag


class PointEncoder:
    """Each text is a point on a circle: an angle given by hand, else drawn from its hash."""

    name, fingerprint, dim = "point", "point", 2

    def __init__(self, angles: dict[str, float] | None = None) -> None:
        self.angles = angles or {}

    def angle(self, text: str) -> float:
        drawn = int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big") / 2**32
        return self.angles.get(text, math.tau * drawn)

    def encode_counted(self, texts):
        rows = [
            (math.cos(self.angle(t)), math.sin(self.angle(t))) if t.strip() else (0.0, 0.0)
            for t in texts
        ]
        vectors = np.array(rows, dtype=np.float32).reshape(-1, 2)
        return Encoded(vectors, np.zeros(len(rows), dtype=bool))

    def encode(self, texts):
        return self.encode_counted(texts).vectors


def models_of(encoder) -> MethodModels:
    shelf = VectorShelf(None, encoder)
    return MethodModels(encoder, encoder, shelf.of, shelf.of)


def persona(posts: list[tuple[str, dict[str, list[str]]]]) -> Persona:
    return Persona(
        id="p",
        posts=[
            {"id": f"p{i}", "caption": caption, "elements": elements}
            for i, (caption, elements) in enumerate(posts)
        ],
    )


def run(person: Persona, query: str = "q", encoder=None, **options):
    return vprag(
        person,
        Query(id="q", text=query),
        MethodSettings(**options),
        models_of(encoder or PointEncoder()),
    )


phrases = st.lists(st.sampled_from([f"thing {i}" for i in range(25)]), max_size=4)
elements = st.dictionaries(st.sampled_from([*CATEGORIES, "pets"]), phrases, max_size=5)
captions = st.one_of(st.just(""), st.sampled_from([f"caption {i}" for i in range(40)]))
posts = st.lists(st.tuples(captions, elements), max_size=12)


@settings(max_examples=150, deadline=None)
@given(
    posts,
    st.sampled_from([0.02, 0.1, 1.0]),
    st.integers(1, 4),
    st.booleans(),
    st.text("ab", min_size=1),
)
def test_v31_v32_v34_v35_fast_and_slow_agree(posts, tau, budget, three, query):
    person = persona(posts)
    encoder = PointEncoder()
    # Both twins see the float32 vectors, so that near-ties fall the same way.
    embed = lambda text: encoder.encode([text])[0].astype(float).tolist()  # noqa: E731
    slow = slow_vprag(person, query, embed, tau, budget, three)
    fast = run(
        person,
        query,
        encoder,
        retrieval_temperature=tau,
        category_budget=budget,
        mode="three_phrases" if three else "free",
    )
    kept = [post.post_id for post in fast.trace.posts if post.kept]
    assert sorted(kept) == sorted(slow["kept"])
    assert [(e.text, e.category) for e in fast.elements] == slow["elements"]


def test_v31_v32_weights_entropy_and_k_by_hand():
    # Cosines 1 and 0 at τ = 1: w = e/(e+1) = 0.731, 1/(e+1) = 0.269;
    # H = -(0.731 ln 0.731 + 0.269 ln 0.269) = 0.5823; n_eff = 1.790; K = 1.
    encoder = PointEncoder({"q": 0.0, "near": 0.0, "far": math.pi / 2})
    trace = run(persona([("far", {}), ("near", {})]), "q", encoder, retrieval_temperature=1.0).trace
    assert [post.weight for post in trace.posts] == pytest.approx([0.26894, 0.73106], abs=1e-5)
    assert trace.entropy == pytest.approx(0.58220, abs=1e-5)
    assert trace.n_eff == pytest.approx(1.78997, abs=1e-5)
    assert trace.kept == 1
    assert [post.kept for post in trace.posts] == [False, True]


def test_v32_equal_weights_keep_every_post_in_spite_of_rounding():
    trace = run(persona([("same", {})] * 30)).trace
    assert trace.n_eff == pytest.approx(30)
    assert trace.kept == 30


def test_v32_k_is_clamped_to_one_for_a_dominant_post():
    encoder = PointEncoder({"q": 0.0, "near": 0.0, "far": math.pi})
    trace = run(
        persona([("near", {}), ("far", {})]), "q", encoder, retrieval_temperature=0.01
    ).trace
    assert trace.n_eff == pytest.approx(1.0)
    assert trace.kept == 1


def test_v32_two_q_caps_k_in_the_three_phrase_mode():
    trace = run(persona([("same", {"objects": ["a cup"]})] * 30), mode="three_phrases").trace
    assert (trace.total_budget, trace.kept) == (3, 6)


def test_v32_ties_keep_the_earlier_posts():
    trace = run(persona([("same", {})] * 30), mode="three_phrases").trace
    assert [post.post_id for post in trace.posts if post.kept] == [f"p{i}" for i in range(6)]


def test_v33_categories_come_by_closeness_to_the_query():
    angles = {f"{name}: {text}": 0.1 * i for i, (name, text) in enumerate(CATEGORIES.items())}
    trace = run(persona([("c", {})]), "q", PointEncoder({"q": 0.3, **angles})).trace
    # Angles 0.0, 0.1 ... 0.7 around 0.3: 0.3 first, then 0.2 and 0.4, 0.1 and 0.5 ... in pairs
    # whose order rounding decides.
    order, names = [score.category for score in trace.categories], list(CATEGORIES)
    assert order[0] == names[3]
    assert [set(order[i : i + 2]) for i in (1, 3, 5)] == [
        {names[2], names[4]},
        {names[1], names[5]},
        {names[0], names[6]},
    ]
    assert order[7] == names[7]


def test_v34_a_quota_never_exceeds_what_a_post_has():
    found = run(persona([("c", {"objects": ["cup", "tray"]})]))
    (quota,) = found.trace.quotas
    assert (quota.available, quota.granted, quota.taken) == (2, 2, 2)
    assert quota.share == pytest.approx(3.0)


def test_v34_remainders_are_given_out_so_that_no_budget_is_lost():
    # Ten equal posts, one object each, budget 3: every floor is 0, three leftovers remain.
    material = run(persona([("c", {"objects": [f"thing {i}"]}) for i in range(10)]))
    assert len(material.elements) == 3


def test_v35_duplicates_are_dropped_and_their_places_filled():
    encoder = PointEncoder({"q": 0.0, "cup": 0.1, "Cup": 0.1, "tray": 0.2, "jug": 0.3})
    person = persona(
        [("same", {"objects": ["cup", "jug"]}), ("same", {"objects": ["Cup", "tray"]})]
    )
    material = run(person, "q", encoder)
    texts = [element.text for element in material.elements]
    assert texts == ["cup", "tray", "jug"]
    # One unit went to the back-fill only if a quota met a duplicate.
    assert sum(quota.taken for quota in material.trace.quotas) == 3


def test_v37_three_phrases_come_from_the_three_best_categories_that_have_any():
    person = persona([("c", {name: [f"{name} thing"] for name in list(CATEGORIES)[2:7]})])
    material = run(person, mode="three_phrases")
    assert len(material.elements) == len({e.category for e in material.elements}) == 3
    order = [score.category for score in material.trace.categories]
    having = [name for name in order if name in list(CATEGORIES)[2:7]]
    assert [e.category for e in material.elements] == having[:3]


@pytest.mark.parametrize("posts", [[], [("", {"objects": ["cup"]})], [("  ", {})] * 3])
def test_people_without_captions_get_nothing_and_a_note(posts):
    material = run(persona(posts))
    assert material.elements == ()
    assert "nothing was retrieved" in material.trace.notes[0]


def test_fewer_than_three_phrases_are_told():
    material = run(persona([("c", {"objects": ["cup"]})]), mode="three_phrases")
    assert "only 1 of 3" in material.trace.notes[0]


def test_v15_categories_of_a_persons_own_take_part():
    assert run(persona([("c", {"pets": ["a grey cat"]})])).elements[0].category == "pets"


@pytest.mark.parametrize("query", ["x", "एक शांत जगह", "مكان هادئ", "安静的地方", "word " * 3000])
def test_any_query_gives_a_whole_trace(query):
    material = run(persona([("c", {"objects": ["cup"]})] * 3), query)
    assert sum(post.weight for post in material.trace.posts) == pytest.approx(1.0)
    assert [element.text for element in material.elements] == ["cup"]


def test_v40_trace_survives_json():
    trace = run(persona([("c", {"objects": ["cup"]})])).trace
    assert type(trace).model_validate_json(trace.model_dump_json()) == trace
