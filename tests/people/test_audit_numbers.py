"""The statistics, counted by hand."""

from hypothesis import given
from hypothesis import strategies as st

from eyeprint.people.audit import compare
from eyeprint.people.audit_numbers import DistinctTexts, Tally
from eyeprint.people.shipped import load_people
from eyeprint.records.people import Persona
from tests.people.made_people import person


def numbers(*people: Persona):
    tally = Tally()
    for one in people:
        tally.add(one)
    return tally.numbers()


SMALL = (
    Persona(
        id="a",
        seed="One.",
        demographics={"age": 19, "country": "Chad", "city": "Sarh", "interests": ["Kites", "tea"]},
        vocabulary={"foreground": {"objects": ["cup", "tray", "Cup"]}},
        posts=[
            {"id": "1", "kind": "selfie", "caption": "one two", "elements": {"objects": ["cup"]}},
            {"id": "2", "caption": " "},
        ],
        build={"elements_before_pruning": 5, "regional_share": {"foreground": 0.5}},
    ),
    Persona(
        id="b",
        seed="One.",
        demographics={"age": 20, "gender": "man", "country": " chad ", "interests": ["kites"]},
        vocabulary={"foreground": {"objects": ["cup"]}},
        posts=[{"id": "1", "kind": "shared", "caption": "a b c d", "elements": {"objects": "pot"}}],
    ),
    Persona(id="c"),
)


def test_v23_counts_and_means_by_hand():
    found = numbers(*SMALL)
    assert (found.people, found.posts, found.valid_posts, found.seeds) == (3, 3, 2, 1)
    assert found.posts_per_person == 1
    # "Chad" and " chad " are one country, "Kites" and "kites" one interest.
    assert (found.countries, found.cities, found.unique_interests) == (1, 1, 2)
    assert found.by_country == {"Chad": 2}
    assert found.top_interests == {"kites": 2, "tea": 1}
    assert found.mean_interests == 1
    assert found.mean_caption_words == (2 + 4) / 2
    assert found.ages == {"10-19": 1, "20-29": 1, "unknown": 1}
    assert found.genders == {"unknown": 2, "man": 1}
    assert found.kinds == {"activity": 0, "appreciation": 0, "shared": 1, "selfie": 1, "none": 1}
    # Two posts: 0.7, 0.5, 0.5, 0.3 gives 1, 1, 0, 0; one post: 1, 0, 0, 0.
    assert found.kind_quotas == {"activity": 2, "appreciation": 1, "shared": 0, "selfie": 0}
    assert found.regional == {"foreground": 0.5}
    assert found.regional_known == 1


def test_v14_three_counts_of_elements_count_three_things():
    found = numbers(*SMALL)
    assert found.mean_elements_before == 5  # as drawn, of the one person whose record says it
    assert found.elements_before_known == 1
    assert found.mean_elements_after == (3 + 1 + 0) / 3  # as they stand
    assert found.unique_elements == 3  # cup, tray, Cup: different strings over all people
    assert found.unique_phrases == 2  # cup, pot
    told = {one.name: one for one in compare(found, None, None)}
    assert told["mean_elements_before"].paper == 45.3
    assert "known of 1 people" in told["mean_elements_before"].note
    assert told["mean_elements_after"].paper == 38.6
    assert told["unique_elements"].paper == 269_035


def test_v12_drawn_and_moved_places_are_counted_where_records_say_so():
    drawn = {"location_drawn": True, "location_overridden": True}
    kept = {"location_drawn": False, "location_overridden": False}
    found = numbers(Persona(id="a", build=drawn), Persona(id="b", build=kept), Persona(id="c"))
    assert (found.places_known, found.places_drawn, found.places_moved) == (2, 1, 1)
    assert "places_moved" in {one.name for one in compare(found, None, None)}
    assert "places_moved" not in {one.name for one in compare(numbers(), None, None)}


def test_nobody_has_no_means():
    found = numbers()
    assert found.people == 0
    assert found.mean_interests is None
    assert found.ages == {}


def test_v23_the_shipped_people():
    found = numbers(*load_people("mini"))
    assert (found.people, found.posts, found.countries) == (12, 360, 12)
    assert found.kinds == found.kind_quotas
    assert found.mean_elements_before is None


def test_v23_paper_figures_stand_beside_and_another_encoder_is_told():
    told = {one.name: one for one in compare(numbers(person()), 0.5, "minilm")}
    assert told["mean_pairwise_cosine"].paper == 0.611
    assert "here minilm: not comparable" in told["mean_pairwise_cosine"].note
    papers = {name: one.paper for name, one in told.items() if one.paper is not None}
    assert papers["countries"] == 174
    assert papers["occupations"] == 5460
    assert papers["unique_interests"] == 39003
    assert (papers["mean_interests"], papers["mean_traits"]) == (7.1, 5.7)
    assert papers["mean_caption_words"] == 187.2


@given(st.lists(st.lists(st.text(max_size=3))))
def test_distinct_texts_count_as_a_set_does(batches: list[list[str]]):
    counter = DistinctTexts()
    for batch in batches:
        counter.add(batch)
        counter.count()
    assert counter.count() == len({text for batch in batches for text in batch})
