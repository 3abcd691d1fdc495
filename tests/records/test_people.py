"""Validity of personas, and the text that PA compares with."""

import pytest
from pydantic import ValidationError

from eyeprint.people.shipped import load_people
from eyeprint.records.people import CATEGORIES, FACETS, Persona


def test_v2_a_persona_is_frozen_and_keeps_unknown_fields():
    person = Persona(id="a", shoe=4)
    assert person.model_dump(exclude_unset=True) == {"id": "a", "shoe": 4}
    with pytest.raises(ValidationError):
        person.id = "b"


def test_v2_elements_are_the_union_over_posts_in_order_of_appearance():
    posts = [
        {"id": "1", "elements": {"objects": ["cup", "tray"]}},
        {"id": "2", "elements": {"lighting": "dusk", "objects": ["cup"]}},
    ]
    assert Persona(id="a", posts=posts).elements == ("cup", "tray", "dusk")


def test_blank_captions_do_not_count_as_captions():
    posts = [{"id": "1", "caption": " \n"}, {"id": "2", "caption": "x"}]
    assert Persona(id="a", posts=posts).captions == ("x",)


@pytest.mark.parametrize(
    ("age", "start"),
    [(18, "An 18-"), (81, "An 81-"), (11, "An 11-"), (80, "An 80-"), (28, "A 28-")],
)
def test_v58_description_has_the_right_article(age: int, start: str):
    assert Persona(id="a", demographics={"age": age}).description().startswith(start)


def test_v58_description_of_a_person_known_by_nothing_is_empty():
    assert Persona(id="a", posts=[{"id": "1", "caption": "x"}]).description() == ""
    assert Persona(id="a", preferences=["likes rust"]).description() == (
        "A person. This person likes rust."
    )


def test_v13_unknown_gender_is_called_a_person():
    assert "unknown" not in Persona(id="a", demographics={"gender": "unknown"}).description()


def test_v14_v16_v17_v18_the_shipped_people_keep_the_rules_of_the_benchmark():
    kinds = {"activity": 11, "appreciation": 8, "shared": 7, "selfie": 4}
    for person in load_people("mini"):
        assert len(person.posts) == 30
        for kind, count in kinds.items():
            assert sum(post.kind == kind for post in person.posts) == count
        assert 15 <= len(person.preferences) <= 20
        assert set(person.vocabulary) == set(FACETS)
        for facet, groups in person.vocabulary.items():
            assert 15 <= sum(len(entries) for entries in groups.values()) <= 20, (person.id, facet)
        for post in person.posts:
            assert 150 <= len(post.caption.split()) <= 250
            assert set(post.elements) == set(CATEGORIES)
            # A phrase that opens a sentence of the caption is written there with a capital.
            lowered = post.caption.lower()
            for phrases in post.elements.values():
                assert all(phrase.lower() in lowered for phrase in phrases)
