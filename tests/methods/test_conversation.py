"""What a model is told: injections, controls, several concepts, positions, prompting."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyeprint.errors import DataError, UsageError
from eyeprint.methods.conversation import (
    history,
    prompting_texts,
    query,
    query_text,
    spoken,
    target_name,
)
from eyeprint.methods.dialogues import dialogue
from eyeprint.methods.injection import (
    InjectionSettings,
    Shown,
    injection,
    names_of,
    other_concepts,
    shown_concepts,
)
from eyeprint.models.kinds import ImagePart, TextPart
from eyeprint.records.concept_questions import ConceptQuestion
from eyeprint.records.concept_settings import PROMPTING, ConceptSetting
from eyeprint.records.concepts import Concept

LEVELS = {
    "simple": "<sks>: red, round, chipped.",
    "moderate": "<sks> is a red round mug.",
    "detailed": "<sks> is a red round mug. Its rim is chipped.",
    "extended": "Shape: <sks> is round.\nColour: <sks> is red.",
}


def concept(name: str, category="object", **more) -> Concept:
    values = {
        "descriptions": {level: f"{text} ({name})" for level, text in LEVELS.items()},
        "preference": f"<sks> likes {name} walks." if category == "human" else "",
        "images": tuple(f"{name}/{k}.png" for k in range(5)),
    }
    return Concept(name=name, category=category, **(values | more))


CONCEPTS = {
    each.name: each
    for each in (
        *(concept(f"h{k}", "human") for k in range(4)),
        *(concept(f"a{k}", "animal") for k in range(4)),
        *(concept(f"o{k}") for k in range(52)),
    )
}
ASKED = ConceptQuestion(
    id="q1",
    concept="h1",
    category="human",
    type="coherency",
    group="recognition",
    question="What is <sks> holding?",
    options={"A": "A kite of <sks>", "B": "A drum", "C": "A fish", "D": "A rope"},
    answer="B",
    image="q.png",
)


def part(path: str) -> ImagePart:
    return ImagePart(sha256=f"{path:0>64}"[-64:], width=10, height=10, data=b"png")


def told(setting: ConceptSetting, question=ASKED, settings=None, seed=0):
    shown, place = shown_concepts(question, setting, CONCEPTS, seed, settings)
    return injection(shown, place, part, settings), shown, place


@pytest.mark.parametrize("level", list(LEVELS))
def test_m7_m11_text_of_every_level_stands_before_the_preference(level):
    messages, _, _ = told(ConceptSetting(inject=f"text:{level}"))
    assert [each.role for each in messages] == ["user", "assistant"]
    assert messages[0].text == f"{LEVELS[level]} (h1) <sks> likes h1 walks."
    assert messages[1].text == "I got it."
    assert not messages[0].images


@pytest.mark.parametrize("count", range(1, 6))
def test_m3_m11_pictures_are_shown_and_preferences_stay_text(count):
    messages, _, _ = told(ConceptSetting(inject=f"image:{count}"))
    assert [each.sha256.lstrip("0") for each in messages[0].images] == [
        f"h1/{k}.png" for k in range(count)
    ]
    seen = "This image shows" if count == 1 else "These images show"
    assert messages[0].text == f"{seen} <sks>. <sks> likes h1 walks."
    # Pictures stand before the text that speaks of them.
    assert isinstance(messages[0].parts[-1], TextPart)


def test_m11_the_order_of_the_two_texts_is_a_setting():
    messages, _, _ = told(
        ConceptSetting(inject="text:simple"), settings=InjectionSettings(order="preference_first")
    )
    assert messages[0].text.startswith("<sks> likes h1 walks. <sks>: red")


@pytest.mark.parametrize(("count", "place"), [(2, 1), (5, 2), (10, 5), (50, 25)])
def test_m37_the_target_stands_in_the_middle_as_number_0(count, place):
    messages, shown, at = told(ConceptSetting(concepts=count))
    assert (len(shown), at) == (count, place)
    assert "(h1)" in shown[place].description
    lines = messages[0].text.split("\n")
    assert len(lines) == count
    assert lines[place].startswith("<sks_0> is a red round mug. (h1) <sks_0> likes")
    numbers = [int(line.split("<sks_")[1].split(">")[0]) for line in lines]
    assert sorted(numbers) == list(range(count))
    assert "<sks>" not in messages[0].text
    assert not messages[0].parts  # One text, line by line.
    assert target_name(count, at) == "<sks_0>"


def test_m37_numbers_by_place_say_nothing_and_place_is_a_setting():
    settings = InjectionSettings(numbering="by_place", target_place=0.0)
    messages, _, at = told(ConceptSetting(concepts=3), settings=settings)
    assert at == 0
    assert [line[:7] for line in messages[0].text.split("\n")] == ["<sks_0>", "<sks_1>", "<sks_2>"]
    last = InjectionSettings(target_place=1.0)
    assert told(ConceptSetting(concepts=3), settings=last)[2] == 2


def test_m37_distractors_of_the_same_kind_are_of_the_category_and_never_the_target():
    _, shown, _ = told(ConceptSetting(concepts=4, distractors="same_kind"))
    names = {each.description.split("(")[1].rstrip(")") for each in shown}
    assert names == {"h0", "h1", "h2", "h3"}


def test_m37_distractors_are_drawn_from_the_items_stream():
    one = told(ConceptSetting(concepts=10))[1]
    assert one == told(ConceptSetting(concepts=10))[1]
    other = ASKED.model_copy(update={"id": "q2"})
    assert one != told(ConceptSetting(concepts=10), other)[1]
    assert one != told(ConceptSetting(concepts=10), seed=1)[1]
    by_concept = InjectionSettings(draw="concept")
    assert (
        told(ConceptSetting(concepts=10), ASKED, by_concept)[1]
        == told(ConceptSetting(concepts=10), other, by_concept)[1]
    )


def test_m37_too_few_concepts_say_how_many_there_are():
    with pytest.raises(UsageError, match=r"need 9 others.*have 3 for 'h1'"):
        told(ConceptSetting(concepts=10, distractors="same_kind"))


def test_m37_several_concepts_with_pictures_name_each_after_its_pictures():
    messages, _, _ = told(ConceptSetting(inject="image:2", concepts=3))
    parts = messages[0].parts
    kinds = ["picture" if isinstance(each, ImagePart) else "text" for each in parts]
    assert kinds == ["picture", "picture", "text"] * 3


def test_wrong_and_shuffled_controls_show_nothing_of_the_target():
    wrong, shown, _ = told(ConceptSetting(control="wrong"))
    assert "(h1)" not in wrong[0].text and "<sks> likes h1" not in wrong[0].text
    own = shown[0].description.split("(")[1].rstrip(")")
    assert own in ("h0", "h2", "h3") and f"likes {own} walks" in shown[0].preference
    _, mixed, _ = told(ConceptSetting(control="shuffled"))
    names = {
        mixed[0].description.split("(")[1].rstrip(")"),
        mixed[0].preference.split("likes ")[1].split()[0],
    }
    assert len(names) == 2 and "h1" not in names
    # Told differently from the wrong concept, also where there is no preference to mix.
    thing = ASKED.model_copy(update={"concept": "o1", "category": "object"})
    long = ConceptSetting(inject="text:detailed", control="shuffled")
    wrong_one = ConceptSetting(inject="text:detailed", control="wrong")
    assert told(long, thing)[1] != told(wrong_one, thing)[1]
    _, pictures, _ = told(ConceptSetting(inject="image:3", control="shuffled"))
    assert len({path.split("/")[0] for path in pictures[0].images} - {"h1"}) == 3
    assert told(ConceptSetting(inject="none", control="none"))[0] == ()


def test_m22_shuffled_preferences_are_not_those_of_the_wrong_concept():
    tastes = {
        name: each.model_copy(
            update={"preference": f"<sks> likes {name} one. <sks> likes {name} two."}
        )
        for name, each in CONCEPTS.items()
        if each.category == "human"
    }
    wrong = shown_concepts(ASKED, ConceptSetting(control="wrong"), tastes, 0)[0][0].preference
    mixed = shown_concepts(ASKED, ConceptSetting(control="shuffled"), tastes, 0)[0][0].preference
    assert wrong != mixed and "h1" not in mixed
    names = re.findall(r"likes (\w+) (one|two)\.", mixed)
    assert [word for _, word in names] == ["one", "two"] and names[0][0] != names[1][0]


def test_m37_distractors_are_of_the_same_kind_first():
    cats = {
        name: each.model_copy(update={"kind": "cat" if name in ("a0", "a1") else "dog"})
        for name, each in CONCEPTS.items()
        if each.category == "animal"
    }
    asked = ASKED.model_copy(update={"concept": "a1", "category": "animal"})
    setting = ConceptSetting(concepts=2, distractors="same_kind")
    for seed in range(5):
        assert "(a0)" in shown_concepts(asked, setting, cats, seed)[0][0].description
    # All of them are told of in any order: where one stands says nothing of its kind.
    setting = ConceptSetting(concepts=4, distractors="same_kind")
    places = {
        place
        for seed in range(20)
        for place, each in enumerate(shown_concepts(asked, setting, cats, seed)[0])
        if "(a0)" in each.description
    }
    assert places == {0, 1, 3}


def test_controls_take_the_same_category_first_and_need_another_concept():
    others = other_concepts(CONCEPTS["a1"], CONCEPTS, 3)
    assert [each.category for each in others[:3]] == ["animal"] * 3 and len(others) == 59
    alone = {"h1": CONCEPTS["h1"]}
    with pytest.raises(UsageError, match="needs another concept"):
        shown_concepts(ASKED, ConceptSetting(control="wrong"), alone, 0)


def test_a_concept_without_what_is_shown_is_named():
    bare = {"h1": concept("h1", "human", descriptions={}, images=("h1/0.png",))}
    with pytest.raises(DataError, match="'h1' has no moderate description"):
        shown_concepts(ASKED, ConceptSetting(), bare, 0)
    with pytest.raises(DataError, match="has 1 reference pictures, and 2"):
        shown_concepts(ASKED, ConceptSetting(inject="image:2"), bare, 0)


@pytest.mark.parametrize("position", range(11))
def test_m4_m36_the_injection_stands_after_so_many_turns(position):
    introduced = told(ConceptSetting())[0]
    talk = spoken(dialogue("general", 10))
    messages = history(introduced, talk, position)
    assert messages[2 * position : 2 * position + 2] == introduced
    assert messages[: 2 * position] + messages[2 * position + 2 :] == talk
    assert [each.role for each in messages] == ["user", "assistant"] * 11


def test_m18_m23_the_query_shows_picture_question_and_lettered_options():
    setting = ConceptSetting()
    message = query(part("q.png"), query_text(ASKED, setting, "<sks_0>"))
    assert isinstance(message.parts[0], ImagePart)
    assert message.text == (
        "What is <sks_0> holding?\nOptions:\nA. A kite of <sks_0>\nB. A drum\nC. A fish\nD. A rope"
    )
    short = query_text(ASKED, setting, instruction="short")
    assert short.endswith("\nAnswer with the letter of one option.")


def test_m20_free_answers_show_no_options():
    free = ConceptSetting(form="open")
    assert query_text(ASKED, free, instruction="short") == "What is <sks> holding?"
    yes_no = ConceptQuestion(
        id="1",
        concept="h1",
        category="human",
        type="awareness",
        group="recognition",
        question="Is <sks> here? Answer Yes or No.",
        answer="Yes",
        image="q.png",
    )
    assert query_text(yes_no, free) == "Is <sks> here?"
    # What a question says itself is not said twice.
    assert query_text(yes_no, ConceptSetting(), instruction="short") == yes_no.question


@pytest.mark.parametrize("prompting", PROMPTING)
def test_m39_m40_each_strategy_stands_before_the_question_and_names_the_target(prompting):
    text = query_text(ASKED, ConceptSetting(prompting=prompting), "<sks_0>")
    assert text.endswith(query_text(ASKED, ConceptSetting(), "<sks_0>"))
    assert ("<sks>" not in text) and "{name}" not in text
    before = text.removesuffix(query_text(ASKED, ConceptSetting(), "<sks_0>"))
    assert (before == "") == (prompting == "zero_shot")
    assert prompting == "zero_shot" or "<sks_0>" in before


def test_m40_examples_are_about_another_concept_and_chains_of_thought_end_in_an_answer():
    texts = prompting_texts()
    assert set(texts) == set(PROMPTING)
    for name in ("few_shot", "few_shot_cot"):
        assert texts[name].count("Question:") == 5 and "<abc>" in texts[name]
        answers = re.findall(r"\nAnswer: (\S+)", texts[name])
        # They lean to neither side, and show every form.
        assert sorted(answers[:5]) == ["C", "No", "No", "Yes", "Yes"]
        assert "likes" in texts[name] and "missing" in texts[name]
    assert texts["few_shot_cot"].count("Reasoning:") == 5
    assert "Reasoning:" not in texts["few_shot"]
    assert "Answer:" in texts["zero_shot_cot"]


@given(st.integers(1, 50), st.data())
def test_m37_names_are_a_permutation_with_the_target_first(count, data):
    place = data.draw(st.integers(0, count - 1))
    names = names_of(count, place, InjectionSettings())
    if count == 1:
        assert names == ["<sks>"]
        return
    assert names[place] == "<sks_0>"
    others = [name for at, name in enumerate(names) if at != place]
    assert others == [f"<sks_{k}>" for k in range(1, count)]


def test_empty_injection_has_no_acknowledgement():
    assert injection((), 0, part) == ()
    assert injection((Shown("<sks> is red.", "", ()),), 0, part)[0].parts == ()
