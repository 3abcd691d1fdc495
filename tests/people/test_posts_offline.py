"""Posts: quotas, batches, scenarios and captions of the offline writer (V17, V18, V19)."""

import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyeprint.maths.ngrams import word_trigrams
from eyeprint.people.captions import CaptionSettings
from eyeprint.people.demographics import draw_demographics
from eyeprint.people.offline_writer import OfflineSettings, OfflineWriter, post_faults
from eyeprint.people.phrases import HOUR_BIT
from eyeprint.people.plans import PostSettings, batch_sizes, plan_posts
from eyeprint.people.posts import ScenarioDecks, repeats_a_word
from eyeprint.people.scenes import Decks, Scene
from eyeprint.people.tables import bundled_backstories, countries, senses
from eyeprint.people.vocabulary import draw_preferences, draw_vocabulary
from eyeprint.randomness import stream
from eyeprint.records.people import CATEGORIES, POST_KINDS, Persona

PEOPLE = 24


@pytest.fixture(scope="module")
def records():
    writer = OfflineWriter(11)
    texts = bundled_backstories()[:: len(bundled_backstories()) // PEOPLE][:PEOPLE]
    return [writer.person(f"p-{i:05d}", text).record for i, text in enumerate(texts)]


@pytest.fixture(scope="module")
def posts(records):
    return [post for record in records for post in record["posts"]]


def test_v10_thirty_posts_that_are_valid_records(records):
    for record in records:
        person = Persona.model_validate(record)
        assert len(person.posts) == len(person.captions) == 30


def test_v17_kinds_are_eleven_eight_seven_four(records):
    for record in records:
        kinds = Counter(post["kind"] for post in record["posts"])
        assert [kinds[kind] for kind in POST_KINDS] == [11, 8, 7, 4]


@given(st.integers(1, 90), st.integers(0, 50))
def test_v17_batches_hold_six_to_eight_where_that_is_possible(total, seed):
    settings = PostSettings(posts=total)
    sizes = batch_sizes(settings, stream(seed, "sizes", 0))
    assert sum(sizes) == total
    possible = any(6 * k <= total <= 8 * k for k in range(1, total + 1))
    assert all(6 <= size <= 8 for size in sizes) or not possible


def test_v17_time_and_company_vary(records):
    for record in records:
        assert len({post["time"] for post in record["posts"]}) >= 20
        social = Counter(post["social"] for post in record["posts"])
        assert social["solo"] >= 8 and social["group"] >= 8
        scenarios = [post["scenario"] for post in record["posts"]]
        assert len(set(scenarios)) == 30


def test_v17_every_hour_of_the_day_is_planned():
    plan = plan_posts(PostSettings(), stream(1, "plan", "p"))
    hours = Counter(hour for batch in plan for _, _, hour in batch)
    assert set(hours) == set(HOUR_BIT) and min(hours.values()) >= 4


def test_v18_captions_have_150_to_250_words(posts):
    counts = [len(post["caption"].split()) for post in posts]
    assert min(counts) >= 150 and max(counts) <= 250
    assert 180 <= sum(counts) / len(counts) <= 210


def test_v18_elements_stand_verbatim_in_their_caption(posts):
    for post in posts:
        assert set(post["elements"]) == set(CATEGORIES)
        for phrases in post["elements"].values():
            assert len(phrases) <= 4
            assert all(phrase in post["caption"] for phrase in phrases)
        everything = [p for phrases in post["elements"].values() for p in phrases]
        assert len(everything) == len(set(everything))


def test_v19_offline_posts_are_valid(posts):
    assert not [fault for post in posts for fault in post_faults(post, 150, 250, 5)]
    people = [post for post in posts if post["kind"] != "appreciation"]
    assert all(post["elements"]["actions"] and post["elements"]["appearance"] for post in people)


def test_v18_appreciation_posts_show_nobody(posts):
    for post in posts:
        if post["kind"] == "appreciation":
            assert post["social"] == "solo"
            # A garment on a hook may be the subject, but nobody wears it.
            assert all(p in post["scenario"] for p in post["elements"]["appearance"])


def test_v18_captions_of_one_person_share_under_12_percent_of_their_trigrams(records):
    for record in records:
        sets = [word_trigrams(post["caption"]) for post in record["posts"]]
        for i, one in enumerate(sets):
            for j, other in enumerate(sets):
                if i != j:
                    assert len(one & other) / len(one) < 0.12


@pytest.mark.parametrize(
    ("rules", "over"),
    [
        # Too short for the bounds, but no two alike: nothing is over the limit of overlap.
        ({"words_low": 400, "words_high": 500, "attempts": 2}, False),
        # Any trigram in common is too much: out of length or not, that is told by itself.
        ({"overlap_limit": 1e-9, "attempts": 2}, True),
        ({"overlap_limit": 1e-9, "words_low": 400, "words_high": 500, "attempts": 2}, True),
    ],
)
def test_v18_length_and_overlap_are_told_apart(rules, over):
    settings = OfflineSettings(captions=CaptionSettings(**rules))
    text = bundled_backstories()[0]
    draws = [stream(3, step, 0) for step in ("demographics", "vocabulary", "preferences")]
    sketch = draw_demographics("p-1", text, settings.demographics, draws[0])
    draw_vocabulary(sketch, settings.vocabulary, draws[1])
    draw_preferences(sketch, settings.vocabulary, draws[2])
    posts, writer = OfflineWriter(11, settings)._posts(sketch)
    assert (writer.over_limit > 0) == over
    # Each caption with a fault has been written as often as allowed.
    faulty = len(posts) if "words_low" in rules else writer.over_limit
    assert writer.rewritten >= faulty > 0


def test_v18_no_person_has_a_sentence_twice(records):
    for record in records:
        text = " ".join(post["caption"] for post in record["posts"])
        sentences = re.split(r"(?<=[.])\s", text)
        assert len(sentences) == len(set(sentences))


def test_v18_captions_read_as_sentences(posts):
    for post in posts:
        caption = post["caption"]
        assert not re.search(r"[{}<>|]|\ba/an\b|  | [,.;]|\.\.", caption), caption
        # Some doubled words are names (Nyege Nyege, diri ak djon djon) or meant ("to keep
        # the dark dark"), so only those that a slot beside a fixed word can cause.
        doubled = r"\b(a|an|the|of|in|on|at|with|and|to|for|from|by|is|it|that|as|or) \1\b"
        assert not re.search(doubled, caption, re.IGNORECASE), caption
        assert not re.search(r"\b[Aa] [aeioAEIO](?!ne\b|nce|u)\w", caption), caption
        for sentence in re.split(r"(?<=[a-z][.])\s", caption):
            assert sentence[0].isupper() or not sentence[0].isalpha(), sentence
        assert caption.endswith(".")


def test_v18_captions_name_place_and_preference(records):
    for record in records:
        country = countries()[record["demographics"]["country"]]
        visible = 0
        for post in record["posts"]:
            text = post["caption"]
            names = [*country.proper_names, record["demographics"]["city"]]
            local = any(phrase in text.lower() for phrase in country.regional)
            assert local or any(name in text for name in names)
            visible += any(preference in text for preference in record["preferences"])
        assert visible == len(record["posts"])


def test_v18_nothing_contradicts_the_hour():
    """No phrase of the country's lights that speaks of another hour than the scene's."""
    writer = OfflineWriter(5)
    text = "A Ghanaian bus driver who photographs her stops."
    record = writer.person("p-1", text).record
    table = {p.text: p for p in countries()["Ghana"].phrases["light"]}
    for post in record["posts"]:
        for phrase in post["elements"]["lighting"]:
            known = next((p for p in table.values() if p.bare == phrase), None)
            hours = senses().hours(post["time"])
            if known is not None and hours in HOUR_BIT.values():
                assert known.hours & hours, (post["time"], phrase)


def test_v18_a_scene_refuses_what_contradicts_it():
    read = senses().phrase
    scene = Scene(kind="activity", social="solo", hours=HOUR_BIT["night"], place="out")
    assert not scene.admits(read("light", "noon glare on tin", frozenset()))
    assert scene.admits(read("light", "moonlight on tin", frozenset()))
    scene.take(read("landscape", "the snow above Chamonix", frozenset()))
    assert not scene.admits(read("landscape", "the dunes near Erfoud", frozenset()))
    assert not scene.admits(read("light", "a summer heat haze at midnight", frozenset()))
    assert scene.admits(read("craft", "a carved stool", frozenset()))
    assert not scene.admits(read("craft", "a carved stool at Erfoud", frozenset()))


def test_v17_vehicles_do_not_stand_on_tables():
    big = senses().phrase("object", "a yellow petit taxi", frozenset())
    small = senses().phrase("object", "a steel thermos", frozenset())
    assert big.big and not small.big


def test_scenarios_do_not_repeat_a_word():
    assert repeats_a_word("tray on a tray")
    assert not repeats_a_word("a cup on a tray")


def test_v11_a_person_is_the_same_whoever_was_made_before():
    text = bundled_backstories()[5]
    alone = OfflineWriter(7).person("p-00005", text)
    writer = OfflineWriter(7)
    writer.person("p-00004", bundled_backstories()[4])
    assert writer.person("p-00005", text) == alone
    assert OfflineWriter(8).person("p-00005", text) != alone


def test_v11_the_same_seed_text_gives_different_people():
    text = "A weaver who saves thread ends."
    writer = OfflineWriter(7)
    first, second = (writer.person(f"p-{i}", text).record for i in (1, 2))
    assert first["demographics"] != second["demographics"]
    captions = {post["caption"] for post in first["posts"]}
    assert not captions & {post["caption"] for post in second["posts"]}


def test_v19_too_few_valid_posts_exclude_a_person():
    strict = OfflineSettings(least_valid_posts=31)
    made = OfflineWriter(7, strict).person("p-1", "A weaver.")
    assert made.record is None and "31 needed" in made.faults[0]


@pytest.mark.parametrize(
    ("caption", "elements", "fault"),
    [
        ("one two", {"objects": ["one"]}, "2 words"),
        ("one two three", {"objects": []}, "0 categories"),
        ("one two three", {"objects": ["four"]}, "'four' is not"),
    ],
)
def test_v19_what_makes_a_post_invalid(caption, elements, fault):
    faults = post_faults({"caption": caption, "elements": elements}, 3, 5, 1)
    assert len(faults) == 1 and fault in faults[0]


def test_v20_scenes_come_without_country_phrases_of_other_countries(records):
    for record in records[:6]:
        own = countries()[record["demographics"]["country"]]
        others = [c for c in countries().values() if c is not own]
        text = " ".join(post["caption"] for post in record["posts"])
        foreign = [p.text for c in others for p in c.phrases["landmark"] if p.text in text]
        shared = {p.text for p in own.phrases["landmark"]}
        assert not [p for p in foreign if p not in shared]


def test_scenario_templates_are_not_repeated_before_all_had_their_turn():
    from eyeprint.people.demographics import DemographicSettings, draw_demographics

    sketch = draw_demographics("p", "A potter.", DemographicSettings(), stream(1, "d", 1))
    decks = Decks(sketch, stream(1, "k", 1))
    scenes = ScenarioDecks(sketch, decks, PostSettings(), stream(1, "s", 1))
    texts = [scenes.scene(("activity", "solo", "day")).scenario.text for _ in range(40)]
    assert len(set(texts)) == 40
