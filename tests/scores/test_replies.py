"""Answers out of replies, row by row (CHECKLIST M16, M18, M23, X9)."""

from __future__ import annotations

import pytest

from eyeprint.models.kinds import Reply
from eyeprint.records.concept_questions import ConceptQuestion
from eyeprint.scores.replies import (
    read_answer,
    read_choice,
    read_score,
    read_scores,
    read_yes_no,
)
from tests.scores import reply_answers, reply_corpus, reply_corpus_yes_no
from tests.scores.reply_corpus import SCENES

ROWS = [
    (SCENES, *row)
    for name in ("STRICT", "STATED", "LANGUAGES", "TEXTS", "UNREAD", "REASONING")
    for row in getattr(reply_corpus, name)
] + reply_corpus.OTHER_OPTIONS


def question(kind: str = "choice") -> ConceptQuestion:
    """Return a question with options, or one of yes or no."""
    shared = {
        "id": "1",
        "concept": "Boo",
        "category": "human",
        "group": "recognition",
        "image": "a.png",
    }
    if kind == "choice":
        made = {"type": "coherency", "question": "Which?", "options": SCENES, "answer": "A"}
    else:
        made = {"type": "awareness", "question": kind, "answer": "Yes"}
    return ConceptQuestion.model_validate({**shared, **made})


@pytest.mark.parametrize(("options", "reply", "want", "why"), ROWS)
def test_m18_m23_choices_by_hand(options, reply, want, why):
    reading = read_choice(reply, options)
    assert reading.choice == want, (why, reading)
    assert reading.rule
    assert reading.choice not in reading.alternatives
    assert want is not None or reading.detail


@pytest.mark.parametrize(("asked", "reply", "want", "why"), reply_corpus_yes_no.ROWS)
def test_m16_yes_and_no_by_hand(asked, reply, want, why):
    reading = read_yes_no(reply, asked)
    assert reading.choice == want, (why, reading)
    assert reading.choice not in reading.alternatives


@pytest.mark.parametrize(("asked", "reply", "outcome", "said", "why"), reply_corpus_yes_no.REPLIES)
def test_m30_x9_refusals_and_answers_with_disclaimers(asked, reply, outcome, said, why):
    read = read_answer(Reply(text=reply), question(asked))
    assert (read.outcome, read.said) == (outcome, said), (why, read)
    assert outcome != "refused" or read.refusal


@pytest.mark.parametrize(("asked", "reply", "want"), reply_answers.ROWS)
def test_m23_answers_that_speak_of_doubt_are_answers(asked, reply, want):
    read = read_answer(Reply(text=reply), question(asked))
    assert read.said == want, read
    assert read.outcome == ("unread" if want is None else "answered") or read.refusal


def test_m23_the_corpus_is_large_enough_and_names_a_reason_for_each_row():
    whole = [*ROWS, *reply_corpus_yes_no.ROWS, *reply_corpus_yes_no.REPLIES]
    assert len(whole) >= 400
    assert all(row[-1] for row in whole)
    assert len({(str(row[0]), row[1]) for row in whole}) == len(whole)


@pytest.mark.parametrize(
    ("reply", "outcome"),
    [
        (Reply(outcome="failed", failure="timeout", detail="no answer in 60 s"), "failed"),
        (Reply(text="B", outcome="failed", failure="bad_reply"), "failed"),
        (Reply(text=""), "empty"),
        (Reply(text=" \n\t", outcome="empty"), "empty"),
        (Reply(text="<think>A</think>"), "empty"),
        (Reply(text="", finish_reason="length", outcome="truncated"), "truncated"),
        (Reply(text="<think>A</think>", finish_reason="length"), "truncated"),
        (Reply(text="<think>The answer is B"), "truncated"),
        (Reply(text="<think>The answer is B.", finish_reason="length"), "truncated"),
        (Reply(text="Looking at the", finish_reason="length"), "truncated"),
        (Reply(text="The answer is", outcome="truncated"), "truncated"),
        (Reply(text="Well, sks loves the beach, and", outcome="truncated"), "truncated"),
        (Reply(text="The answer is A", finish_reason="length"), "truncated"),
        (Reply(text="B", finish_reason="length"), "answered"),
        (Reply(text="B. the mountains", finish_reason="length"), "answered"),
        (Reply(text="The answer is B.\n\nThis is because", finish_reason="length"), "answered"),
        (Reply(text="B\n\nThe mountains fit, since", finish_reason="MAX_TOKENS"), "answered"),
        (Reply(text="I'm sorry, but I can't help wi", finish_reason="length"), "refused"),
        (Reply(text="", outcome="refused", finish_reason="content_filter"), "refused"),
        (Reply(text="B", finish_reason="content_filter"), "refused"),
        (Reply(text="", outcome="refused"), "refused"),
        (Reply(text="I can't help with that.", outcome="refused"), "refused"),
        (Reply(text="A tree."), "unread"),
        (Reply(text="A or B"), "unread"),
        (Reply(text="B"), "answered"),
    ],
)
def test_m23_x9_six_outcomes_are_told_apart(reply, outcome):
    read = read_answer(reply, question())
    assert read.outcome == outcome, read
    assert (read.said is None) == (outcome != "answered")


def test_x9_what_a_server_refuses_is_told_from_what_words_refuse():
    assert read_answer(Reply(outcome="refused"), question()).refusal == "server"
    worded = Reply(text="I can't help with that.", outcome="refused")
    assert read_answer(worded, question()).refusal == "cannot-judge"


def test_m23_a_refused_reply_that_answers_after_all_is_answered():
    """The client calls a reply refused by its first sentence; what follows may answer."""
    reply = Reply(
        text="I'm sorry, I can't identify real people. However, going by the description: B.",
        outcome="refused",
    )
    read = read_answer(reply, question())
    assert (read.outcome, read.said, read.refusal) == ("answered", "B", "cannot-judge")


def test_m23_alternatives_stand_beside_a_reading():
    assert read_choice("B. a city", SCENES).alternatives == ("C",)
    assert read_choice("The answer is B. C would be my pick too.", SCENES)[:1] == ("C",)
    assert read_choice("A or B", SCENES).alternatives == ("A", "B")
    assert read_choice("It can't be A, B or C", SCENES).alternatives == ("D",)
    assert read_yes_no("No, <sks> is present", "Is <sks> here?").alternatives == ("Yes",)


def test_m16_whether_a_question_is_negated_can_be_told_from_outside():
    asked = "Isn't <sks> in the image?"
    said = "<sks> is in the image."
    assert read_yes_no(said, asked).choice == "Yes"
    assert read_yes_no(said, asked, negated=True).choice == "No"


def test_m16_letters_of_yes_and_no_come_from_options_too():
    assert read_yes_no("B", options={"A": "No", "B": "Yes"}).choice == "Yes"
    assert read_yes_no("B", options={"A": "Cat", "B": "Dog"}).choice is None


def test_m18_options_are_lettered():
    with pytest.raises(ValueError, match="lettered A to Z"):
        read_choice("1", {"1": "the beach"})


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        ("4", 4),
        ("**4**", 4),
        ("4.5", 4.5),
        ("4,5", 4.5),
        ("4/5", 4),
        ("4 out of 5", 4),
        ("Score: 3.5", 3.5),
        ("I'd rate it 2 of 5.", 2),
        ('{"score": 3}', 3),
        ('{"reason": "9 lives", "score": "2/5"}', 2),
        ("Score: 2\nScore: 3", 3),
        ("评分：4", 4),
        ("There are 2 dogs. Score: 4", 4),
        ("<think>Score: 1</think>Score: 5", 5),
        ("0", 0),
        ("7", None),
        ("-1", None),
        ("3-4", None),
        ("8/10", None),
        ("80%", None),
        ("good", None),
        ("", None),
        ("2 dogs and 3 cats", None),
        ('{"score": true}', None),
        ('{"score": NaN}', None),
    ],
)
def test_m20_scores_are_read_within_their_scale(reply, value):
    assert read_score(reply).value == value, read_score(reply)


def test_m20_named_scores_come_from_lines_and_from_json():
    names = ["relevance", "image quality"]
    lines = read_scores("Relevance: 4/5\n**Image quality**: 2", names)
    assert [one.value for one in lines.values()] == [4, 2]
    json = read_scores('{"relevance": 4, "image_quality": 9}', names)
    assert [one.value for one in json.values()] == [4, None]
    assert read_scores("Relevance: 4", names)["image quality"].value is None
    assert read_score("Rating: 8/10", 1, 10).value == 8
