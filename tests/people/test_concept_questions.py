"""Questions about concepts: forms, the mix of F.4, shuffles, drafts (M16–M18, M20)."""

import asyncio
import json
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eyeprint.errors import CallFailed
from eyeprint.models.fakes import ScriptedChat
from eyeprint.models.kinds import Reply
from eyeprint.people.concept_drafts import drafted, laid_out, question_of
from eyeprint.people.concept_issues import ISSUES, mix_issues, text_issues
from eyeprint.people.concept_items import QuestionItem
from eyeprint.people.concept_question_templates import (
    _ABSENT,
    _HELD,
    _NOT_HELD,
    _PRESENT,
    preference_by_keywords,
    yes_no_by_template,
)
from eyeprint.people.concept_questions_chat import (
    QuestionSettings,
    question_by_chat,
    question_request,
)
from eyeprint.people.concept_tastes import assign_tastes
from eyeprint.records.concept_negation import is_negated
from eyeprint.records.concept_open import open_question
from eyeprint.records.concepts import Concept, Tastes
from tests.people.made_pictures import made_picture

ANA = Concept(
    name="Ana Lima", category="human", descriptions={"moderate": "<sks> has red hair."},
    preference="<sks> likes rock concerts.", images=("0.png",),
)  # fmt: skip
PICTURE, REFERENCE = made_picture(0, 24, 32), made_picture(1, 24, 32)
GOOD = {
    "question": "What is <sks> holding?",
    "right": "a paper cup.",
    "concept_only": "a camera",
    "image_only": ["a red bag", "a folded map"],
}


def item(kind: str = "coherency", group: str = "recognition", **more: object) -> QuestionItem:
    return QuestionItem("q-1", "Ana Lima", "human", kind, group, "a.png", **more)  # type: ignore[arg-type]


def asked(one: QuestionItem, *replies: str | Reply, **options: object):
    chat = ScriptedChat(replies)
    made = QuestionSettings(**options)  # type: ignore[arg-type]
    draft = question_by_chat(chat, one, ANA, PICTURE, [REFERENCE] * 5, made)
    return chat, asyncio.run(draft)


@pytest.mark.parametrize(
    ("kind", "negated", "answer"),
    [
        ("awareness", False, "Yes"), ("awareness", True, "No"),
        ("appropriateness", False, "No"), ("appropriateness", True, "Yes"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("group", ["recognition", "preference"])
def test_m16_m17_answers_follow_from_type_and_form(
    kind: str, negated: bool, answer: str, group: str
):
    draft = yes_no_by_template(item(kind, group, negated=negated, target="dislike"))
    question = question_of(draft, "a.png")
    assert question is not None
    assert (question.answer, question.negated, question.options) == (answer, negated, {})
    assert is_negated(question.question) == negated
    assert "<sks>" in question.question
    assert ("dislikes" in question.question) == (group == "preference")


def test_m16_every_template_is_in_its_form_and_ends_at_its_question_mark():
    for text in (*_PRESENT, *_HELD):
        assert not is_negated(text.replace("{side}", "dislike")), text
    for text in (*_ABSENT, *_NOT_HELD):
        assert is_negated(text.replace("{side}", "like")), text
    for text in (*_PRESENT, *_ABSENT, *_HELD, *_NOT_HELD):
        assert text_issues(text, (), "Ana", "human") == []


def test_m20_yes_no_questions_lose_what_follows_and_others_their_options():
    yes_no = question_of(yes_no_by_template(item("awareness", negated=False)), "a.png")
    _, draft = asked(item(), json.dumps(GOOD))
    options = question_of(draft, "a.png")
    assert yes_no is not None
    assert options is not None
    assert open_question(yes_no) == yes_no.question
    assert open_question(options) == "What is <sks> holding?"


def test_m18_a_model_drafts_labelled_options():
    chat, draft = asked(item(entities="multi"), json.dumps(GOOD))
    question = question_of(draft, "a.png", seed=3)
    assert question is not None
    assert question.options[question.answer] == "a paper cup"
    assert question.options[question.concept_only] == "a camera"
    assert sorted(question.options) == list("ABCD")
    assert question.entities == "multi"
    sent = chat.requests[0].messages[-1]
    assert len(sent.images) == 3, "two references and the picture"
    assert "together with others" in sent.text
    assert "Ana" not in sent.text
    assert ANA.preference not in sent.text, "recognition needs no taste"


@pytest.mark.parametrize(
    ("wrong", "issue", "told"),
    [
        ({"image_only": ["a red bag"]}, "distractor_mix", "1 option fits the picture only, not 2"),
        ({"image_only": ["a", "b", "c"]}, "distractor_mix", "3 options fit the picture only"),
        ({"concept_only": " "}, "distractor_mix", "no option fits the concept only"),
        ({"right": ""}, "none_right", "the right option is missing"),
        ({"right": "A camera!"}, "several_right", "stands among the options twice"),
        ({"right": "A. a cup"}, "form", "letters of their own"),
        ({"concept_only": "none of these"}, "form", "speaks of the others"),
        ({"right": "a paper cup with a green lid and steam over it"}, "length_cue", "much longer"),
        ({"question": "What is she holding?"}, "no_sks", "<sks> does not stand"),
        ({"question": "Is this <sks>? What is it?"}, "form", "one question"),
        ({"question": "Tell what <sks> holds."}, "form", "one question"),
    ],
)
def test_m18_a_draft_without_the_mix_is_an_issue_and_no_question(
    wrong: dict, issue: str, told: str
):
    bad = json.dumps(GOOD | wrong)
    chat, draft = asked(item(), bad, json.dumps(GOOD))
    assert told in chat.requests[1].messages[-1].text
    assert (draft.issues, draft.asked_again) == ((), True)
    _, draft = asked(item(), bad, bad, bad)
    assert issue in {found.issue for found in draft.issues}
    assert issue in ISSUES
    assert question_of(draft, "a.png") is None


def test_m8_names_in_a_draft_are_masked():
    _, draft = asked(item(), json.dumps(GOOD | {"question": "What is Ana Lima holding?"}))
    assert draft.question == "What is <sks> holding?"
    assert draft.issues == ()


@pytest.mark.parametrize(
    ("negated", "bad", "good"),
    [
        (True, "Is <sks> here?", "Is <sks> not here?"),
        (False, "Is <sks> not here?", "Is <sks> here?"),
    ],
)
def test_m16_a_model_drafts_yes_no_questions_in_the_form_asked(negated: bool, bad: str, good: str):
    one = item("awareness", negated=negated)
    chat, draft = asked(one, json.dumps({"question": bad}), json.dumps({"question": good}))
    assert draft.question == good
    assert "in the negative" in chat.requests[1].messages[-1].text
    assert ("Put it in the negative" in chat.requests[0].messages[-1].text) == negated
    assert draft.answer == ("No" if negated else "Yes")


def test_m17_preference_questions_are_drafted_with_the_preferences():
    text = question_request(
        item("coherency", "preference", topic="rock concerts", target="like"), ANA, PICTURE
    ).messages[-1]  # fmt: skip
    assert "<sks> likes rock concerts." in text.text
    assert "<sks> likes that" in text.text
    assert "nothing that <sks> is said to like" in text.text
    assert len(text.images) == 1


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        ("I'm sorry, but I can't identify people.", "refused"),
        (Reply(outcome="empty"), "empty"),
        (Reply(outcome="failed", failure="rate_limit"), "rate_limit"),
        ('{"question": ""}', "invalid"),
    ],
)
def test_x9_a_reply_that_is_no_draft_is_told_as_what_it_is(reply: str | Reply, kind: str):
    with pytest.raises(CallFailed) as error:
        asked(item(), *[reply] * 3)
    assert error.value.kind == kind


@given(st.text("0123456789abcdef", min_size=12, max_size=12), st.integers(0, 3))
@settings(max_examples=50, deadline=None)
def test_m18_options_are_shuffled_by_the_items_own_stream(name: str, seed: int):
    one = item()._replace(id=f"q-{name}")
    draft = drafted(one, "<sks>?", "m", right="r", concept_only="c", image_only=("x", "y"))
    layout = laid_out(draft, seed)
    assert sorted(layout.options.values()) == ["c", "r", "x", "y"]
    assert (layout.options[layout.answer], layout.options[layout.concept_only]) == ("r", "c")
    assert layout == laid_out(draft, seed)


def test_m18_every_letter_is_right_about_as_often():
    counts: Counter[str] = Counter()
    for n in range(2000):
        one = item()._replace(id=f"q-{n}")
        draft = drafted(one, "<sks>?", "m", right="r", concept_only="c", image_only=("x", "y"))
        layout = laid_out(draft)
        counts[f"answer {layout.answer}"] += 1
        counts[f"concept {layout.concept_only}"] += 1
    # 500 expected; 5 standard deviations of a binomial (n 2000, p 1/4) are 97.
    assert all(403 <= count <= 597 for count in counts.values())
    assert len(counts) == 8


@given(st.integers(0, 500), st.sampled_from(["like", "dislike"]))
@settings(max_examples=40, deadline=None)
def test_m18_offline_options_on_a_preference_have_the_mix(seed: int, side: str):
    tastes = assign_tastes("Ana", seed).tastes
    both = tastes["travel"]
    topic = (both.likes if side == "like" else both.dislikes)[0]
    one = item("coherency", "preference", topic=topic, target=side)
    draft = preference_by_keywords(one, tastes, seed)
    assert mix_issues(draft.right, draft.concept_only, draft.image_only) == []
    # What is shown is in three options: the picture alone does not decide. Two options are true
    # of the person: the concept alone does not either (F.4's optimum of 50 %).
    shown = [text for text in (draft.right, *draft.image_only) if text.startswith(f"{topic}, ")]
    assert len(shown) == 3
    assert draft.right == f"{topic}, which <sks> {side}s"
    other = draft.concept_only.removesuffix(f", which <sks> {side}s")
    every = [t for b in tastes.values() for t in (b.likes if side == "like" else b.dislikes)]
    assert other in every
    assert other != topic
    assert question_of(draft, "a.png", seed) is not None


def test_m18_without_another_taste_there_is_no_concept_only_option_and_no_question():
    tastes = {"travel": Tastes(likes=("rock concerts", "karaoke evenings"))}
    one = item("coherency", "preference", topic="rock concerts", target="like")
    draft = preference_by_keywords(one, tastes)
    assert [found.issue for found in draft.issues] == ["distractor_mix"]
    assert question_of(draft, "a.png") is None
