"""Descriptions at four levels: shapes, names, drafts by a model and without one (M7, M8)."""

import asyncio
import json

import numpy as np
import pytest

from eyeprint.errors import CallFailed
from eyeprint.models.fakes import FlakyChat, ScriptedChat
from eyeprint.models.kinds import ChatRequest, Reply
from eyeprint.people.concept_description_checks import (
    description_issues,
    keywords_in,
    sentences_in,
    shape_fault,
)
from eyeprint.people.concept_descriptions import describe_offline
from eyeprint.people.concept_descriptions_chat import describe_by_chat, descriptions_request
from eyeprint.people.concept_sources import ConceptSource
from eyeprint.records.concept_masking import masked, names_in
from eyeprint.records.concepts import LEVELS
from eyeprint.records.pictures import Picture
from tests.people.made_pictures import made_picture

ANA = ConceptSource("Ana_Lima", "human", ("0.png",), kind="", notes="Ana always wears a ring.")
PICTURES = [made_picture(n, 24, 32) for n in range(5)]
GOOD = {
    "simple": ["curly red hair", "freckles", "round glasses"],
    "moderate": "<sks> has curly red hair, freckles and round glasses.",
    "detailed": "<sks> is a slim person with curly red hair. Freckles cover nose and cheeks, and "
    "round glasses with thin frames sit low on the nose.",
    "extended": [
        {
            "heading": "Overall",
            "text": "<sks> is slim and of middle height, with pale skin and long hands.",
        },
        {"heading": "Head", "text": "<sks> has curly red hair to the shoulders and many freckles."},
    ],
}


def asked(*replies: str | Reply) -> tuple[ScriptedChat, object]:
    chat = ScriptedChat(replies)
    return chat, asyncio.run(describe_by_chat(chat, ANA, PICTURES))


def test_m7_a_model_drafts_all_four_levels_in_one_call():
    chat, draft = asked(json.dumps(GOOD))
    assert tuple(draft.descriptions) == LEVELS
    assert draft.descriptions["simple"] == "<sks>: curly red hair, freckles, round glasses"
    assert draft.descriptions["extended"].startswith("Overall: <sks> is slim")
    assert draft.descriptions["extended"].count("\n\n") == 1
    assert (draft.issues, draft.drafter, draft.asked_again) == ((), "scripted", False)
    assert len(chat.requests[0].messages[-1].images) == 5


def test_m8_no_name_is_in_a_request_and_none_stays_in_a_draft():
    chat, draft = asked(json.dumps(GOOD | {"moderate": "Ana lima has red hair."}))
    sent = " ".join(message.text for message in chat.requests[0].messages)
    assert names_in(sent, "Ana_Lima", "human") == ()
    assert "<sks> always wears a ring." in sent
    assert draft.descriptions["moderate"] == "<sks> has red hair."
    assert draft.notes == ("the drafter used a name, now masked: Ana lima",)


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"simple": ["a", "b"]}, "has 2 keywords, not 3"),
        ({"moderate": "A person with red hair."}, "<sks> does not stand in it"),
        ({"moderate": "<sks> has red hair. <sks> is slim."}, "is 2 sentences, not one"),
        ({"detailed": "<sks> has red hair."}, "not a paragraph of several"),
        ({"extended": [{"text": "<sks> is slim."}]}, "is one paragraph, not several"),
        ({"moderate": " "}, "there is no text"),
    ],
)
def test_m7_a_draft_of_another_shape_is_asked_for_again(wrong: dict, told: str):
    chat, draft = asked(json.dumps(GOOD | wrong), json.dumps(GOOD))
    assert told in chat.requests[1].messages[-1].text
    assert draft.asked_again
    assert draft.issues == ()


def test_m7_what_stays_wrong_is_kept_and_told_to_humans():
    worse = GOOD | {"moderate": "Red hair. Freckles."}
    bad = GOOD | {"moderate": "<sks> has curly red hair and freckles. <sks> is slim."}
    _, draft = asked(json.dumps(worse), json.dumps(bad), json.dumps(worse))
    assert draft.descriptions["moderate"] == bad["moderate"]
    assert [(i.level, i.fault) for i in draft.issues] == [("moderate", "shape")]


def test_m7_text_of_one_picture_is_told_and_not_asked_for_again():
    text = "<sks> has curly hair and is sitting in front of a house."
    chat, draft = asked(json.dumps(GOOD | {"moderate": text}))
    assert len(chat.requests) == 1
    assert [i.fault for i in draft.issues] == ["one_picture"]
    assert "in front of, is sitting" in draft.issues[0].detail


@pytest.mark.parametrize(
    ("replies", "kind"),
    [
        (["I'm sorry, but I can't describe people."] * 3, "refused"),
        (["no"] * 3, "invalid"),
        ([Reply(outcome="empty")] * 3, "empty"),
        ([Reply(outcome="truncated", text='{"simple"')] * 3, "truncated"),
        ([Reply(outcome="failed", failure="timeout")], "timeout"),
    ],
)
def test_x9_without_a_usable_reply_there_is_no_description(replies: list, kind: str):
    with pytest.raises(CallFailed) as error:
        asked(*replies)
    assert error.value.kind == kind


def test_x9_a_call_that_fails_after_a_draft_is_tried_by_the_next_run():
    def script(request: ChatRequest) -> str:
        return json.dumps(GOOD | {"simple": ["a"]})

    good_first = FlakyChat(ScriptedChat(script), failures=0)
    assert asyncio.run(describe_by_chat(good_first, ANA, PICTURES)).issues
    with pytest.raises(CallFailed, match="told to fail"):
        asked(json.dumps(GOOD | {"simple": ["a"]}),
              Reply(outcome="failed", failure="server_error", detail="told to fail"))  # fmt: skip


def test_m7_offline_descriptions_tell_colours_and_have_the_right_shapes():
    found = describe_offline(PICTURES)
    assert description_issues(found, "Ana_Lima", "human") == ()
    flat = Picture.of(np.full((32, 32, 3), (200, 30, 30), np.uint8))
    one = describe_offline([flat])
    assert len(keywords_in(one["simple"])) == 3
    assert "red" in one["moderate"] or "crimson" in one["moderate"]
    assert [i.fault for i in description_issues(one, "x", "object")] == []


def test_m7_no_request_depends_on_the_name():
    other = ANA._replace(name="Bo", notes="Bo always wears a ring.")
    assert descriptions_request(ANA._replace(notes="Ana_Lima always wears a ring."), PICTURES) == (
        descriptions_request(other, PICTURES)
    )


@pytest.mark.parametrize(
    ("level", "text", "fine"),
    [
        ("simple", "<sks>: red, round and shiny.", True),
        ("simple", "<sks> is a red, round and very shiny little old ball.", False),
        ("moderate", "<sks> is tall, e.g. as tall as a door, i.e. very tall.", True),
        ("moderate", "<sks> is tall\n\nand thin.", False),
        ("moderate", "<sks> is 1.80 m tall and lives with Dr. Bell.", True),
        ("detailed", "<sks> is tall. It is thin.", True),
        ("detailed", "<sks> is tall.\n\nIt is thin.", False),
        ("extended", "<sks> is tall.\n \n<sks> is thin.", True),
    ],
)
def test_m7_shapes(level: str, text: str, fine: bool):
    assert (shape_fault(level, text) == "") == fine


def test_sentences_end_at_marks_before_capitals():
    assert len(sentences_in('"Is it?" <sks> asks. "Yes." It is.')) == 4


@pytest.mark.parametrize(
    ("text", "name", "category", "expected"),
    [
        ("angelina's hat", "Angelina", "human", "<sks>'s hat"),
        ("ANGELINA JOLIE-PITT", "angelina jolie", "human", "<sks>-PITT"),
        ("Jolie smiles", "angelina-jolie", "human", "<sks> smiles"),
        ("Al and Bo", "Al Bo", "human", "Al and Bo"),
        ("a red mug, Red_Mug", "red mug", "object", "a red mug, <sks>"),
        ("<sks> is a blue mug with a chip.", "mug", "object", "<sks> is a blue mug with a chip."),
        ("Mug has a chip. Its mug is blue.", "mug", "object", "<sks> has a chip. Its mug is blue."),
        ("Here REX sleeps, near rex's bed", "Rex", "animal", "Here <sks> sleeps, near <sks>'s bed"),
        ("a rex, and rex", "Rex", "animal", "a rex, and <sks>"),
        ("a mug that is red", "red mug", "object", "a mug that is red"),
        ("Annual", "Ann", "human", "Annual"),
        ("picture 7", "7", "object", "picture 7"),
        ("<SKS> and < sks >", "", "object", "<sks> and <sks>"),
        ("José!", "josé", "human", "<sks>!"),
        ("小明在这里", "小明", "human", "<sks>在这里"),
    ],
)
def test_m8_names_are_masked(text: str, name: str, category: str, expected: str):
    assert masked(text, name, category) == expected
