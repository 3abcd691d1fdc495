"""Faces (V25, V26, V27)."""

from itertools import product

from eyeprint.people.faces import face_combinations, make_face, portrait_prompt
from eyeprint.people.tables import faces

WHO = {"age": 34, "gender": "unknown", "city": "Accra", "country": "Ghana", "occupation": "weaver"}


def test_v25_ten_attributes_with_four_to_six_options():
    options = faces()["attributes"]
    assert len(options) == 10
    assert all(4 <= len(found) <= 6 for found in options.values())
    assert all(len(set(found)) == len(found) for found in options.values())


def test_v25_a_face_depends_on_person_and_decade_only():
    face = make_face("p-00001", WHO)
    assert face == make_face("p-00001", WHO)
    assert face["attributes"] == make_face("p-00001", WHO | {"age": 39})["attributes"]
    others = [make_face("p-00001", WHO | {"age": 40}), make_face("p-00002", WHO)]
    assert all(other["attributes"] != face["attributes"] for other in others)
    assert 0 <= face["seed"] < 2**32


def test_v26_the_real_number_of_combinations():
    # Slow twin: enumerate the first half of the attributes and the rest apart, and the
    # modifiers apart; the number of all combinations is the product of the three counts.
    table = faces()
    attributes = list(table["attributes"].values())
    first = sum(1 for _ in product(*attributes[:5]))
    second = sum(1 for _ in product(*attributes[5:]))
    modifiers = sum(1 for _ in product(table["age"], *table["modifiers"].values()))
    assert face_combinations() == first * second * modifiers


def test_v26_every_option_is_drawn_by_somebody():
    seen = {}
    for i in range(400):
        for name, option in make_face(f"p-{i}", WHO)["attributes"].items():
            seen.setdefault(name, set()).add(option)
    assert seen == {name: set(found) for name, found in faces()["attributes"].items()}


def test_v26_age_details_follow_age():
    details = [make_face("p", WHO | {"age": age})["modifiers"]["age"] for age in (20, 40, 50, 80)]
    assert details == [
        "bright eyes",
        "faint smile lines",
        "fine lines around the eyes",
        "wisdom lines",
    ]


def test_v27_prompts_say_person_when_gender_is_unknown_and_leave_out_what_is_absent():
    modifiers = {"age": "bright eyes", "style": "a portrait", "expression": "a smile"}
    prompt = portrait_prompt(WHO, {"chin": "a small chin"}, modifiers)
    assert prompt == (
        "photo of a person, person, 34 years old, works as weaver, from Accra, Ghana, "
        "a small chin, bright eyes, a portrait, a smile, natural lighting"
    )
    assert "man" in portrait_prompt(WHO | {"gender": "man"}, {}, modifiers).split(", ")
    assert "None" not in portrait_prompt({}, {}, modifiers)
