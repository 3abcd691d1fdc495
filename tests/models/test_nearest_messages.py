"""What the offline model reads out of a dialogue."""

from __future__ import annotations

import pytest

from eyeprint.methods.conversation import prompting_text
from eyeprint.models.kinds import ImagePart, Message
from eyeprint.models.nearest_messages import read_dialogue, read_question
from eyeprint.records.concept_settings import PROMPTING


def dot(name: str) -> ImagePart:
    return ImagePart(sha256=name * 64, width=1, height=1, data=b"...")


ASK = Message.of("user", dot("f"), "Is <sks> in the image?")


def test_m11_pictures_and_tastes_are_read_in_either_order() -> None:
    for text in (
        "These images show <sks>. <sks> likes jazz bars, chess but dislikes loud malls and rain.",
        "<sks> likes jazz bars and chess but dislikes loud malls, rain. These images show <sks>.",
    ):
        told = read_dialogue([Message.of("user", dot("a"), dot("b"), text), ASK]).concept
        assert [part.sha256[0] for part in told.pictures] == ["a", "b"]
        assert told.likes == ("jazz bars", "chess")
        assert told.dislikes == ("loud malls", "rain")


def test_m37_several_concepts_keep_their_own_pictures_and_lines() -> None:
    told = Message.of(
        "user",
        dot("a"),
        "This image shows <sks_1>. <sks_1> likes tea.",
        dot("b"),
        dot("c"),
        "These images show <sks_0>.",
    )
    read = read_dialogue([told, Message.of("user", dot("f"), "Is <sks_0> here?")])
    assert list(read.concepts) == ["sks_1", "sks_0"]
    assert read.concepts["sks_1"].likes == ("tea",)
    assert [part.sha256[0] for part in read.concept.pictures] == ["b", "c"]
    lines = "<sks_1> is red.\nIt is old.\n<sks_0> is blue."
    both = read_dialogue([Message(role="user", text=lines), ASK])
    assert both.concepts["sks_1"].description == "<sks_1> is red. It is old."
    assert both.concept.description == "<sks_0> is blue."


def test_m37_a_number_that_was_never_told_is_nobody_and_no_number_the_target() -> None:
    told = Message(role="user", text="<sks_1> is red.\n<sks_0> is blue.")

    def asked_about(question: str, *others: Message) -> str:
        return read_dialogue([told, *others, Message(role="user", text=question)]).concept.name

    assert asked_about("Is <sks> here?") == "sks_0"
    assert asked_about("Is it raining?") == "sks_0"
    assert asked_about("Is <sks_7> here?") == "sks_7"
    lone = [Message(role="user", text="<sks> is red."), Message(role="user", text="<sks_7>?")]
    assert read_dialogue(lone).concept.name == "sks"


def test_m4_the_injection_may_stand_in_the_last_message_too() -> None:
    last = Message.of("user", dot("a"), "This image shows <sks>.", dot("f"), "Is <sks> here?")
    read = read_dialogue([last])
    assert [part.sha256[0] for part in read.concept.pictures] == ["a"]
    assert read.asked.picture == dot("f")
    assert read.asked.question == "Is <sks> here?"


def test_assistants_tell_nothing_and_other_turns_name_nobody() -> None:
    read = read_dialogue(
        [
            Message(role="assistant", text="<sks> is green."),
            Message(role="user", text="I like soup."),
            ASK,
        ]
    )
    assert read.concepts == {}
    assert read.concept.description == ""


@pytest.mark.parametrize(
    ("question", "kind", "negated"),
    [
        ("Is <sks> in the image?", "presence", False),
        ("Is <sks> not present in this photo?", "presence", True),
        ("Isn't <sks> shown here?", "presence", False),
        ("Is <sks> absent from the picture? Answer Yes or No.", "presence", True),
        ("Is it so that <sks> is not missing here?", "presence", False),
        ("Does the picture lack <sks>?", "presence", True),
        ("Would <sks> enjoy this?", "taste", False),
        ("Is there nothing here that <sks> likes?", "taste", True),
        ("What does <sks> look like here?", "other", False),
        ("Where is <sks>?", "other", False),
    ],
)
def test_m16_questions_are_told_apart(question: str, kind: str, negated: bool) -> None:
    asked = read_question(question)
    assert (asked.kind, asked.negated) == (kind, negated)


@pytest.mark.parametrize("prompting", PROMPTING)
def test_m40_the_question_is_found_behind_every_prompting(prompting: str) -> None:
    text = (
        f"{prompting_text(prompting, '<sks>')}\nWhat is <sks> holding?\nOptions:\n"  # type: ignore[arg-type]
        "A. A red, round kite\nB. <sks>'s cup\nAnswer with the letter of one option."
    )
    asked = read_question(text)
    assert asked.question == "What is <sks> holding?"
    assert asked.options == {"A": "A red, round kite", "B": "<sks>'s cup"}
    assert asked.reasons == prompting.endswith("cot")


def test_options_may_be_marked_otherwise() -> None:
    assert read_question("Which <sks>?\n(A) one\n**B.** two\nC: three").options == {
        "A": "one",
        "B": "two",
        "C": "three",
    }
