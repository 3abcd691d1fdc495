"""Replies in the styles of many models, and what holds of reading them (M16, M18, M20, M30, X9)."""

from __future__ import annotations

import re
from collections import Counter
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyeprint.models.kinds import Reply
from eyeprint.models.refusals import refusal_patterns
from eyeprint.records.concept_questions import ConceptQuestion
from eyeprint.scores.choice_paraphrases import paraphrased, stem
from eyeprint.scores.refusals import BEYOND_ASCII, evasion_patterns
from eyeprint.scores.replies import read_answer, read_choice
from eyeprint.scores.reply_marks import cues
from eyeprint.scores.reply_parts import lowered
from tests.scores.reply_corpus_models import ANSWERS, ROWS, Row, posed


def _read(row: Row) -> str:
    reply = Reply(text=row.reply, finish_reason="length" if row.cut else "stop")
    read = read_answer(reply, posed(row.asked))
    return read.said if read.said is not None else read.outcome


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.style}-{row.asked}")
def test_m16_m18_m30_replies_in_the_styles_of_models(row):
    assert _read(row) in row.want, row


def test_m23_clear_answers_are_seldom_missed_and_never_read_as_another():
    assert len(ROWS) >= 700
    assert len({(row.asked, row.reply) for row in ROWS}) == len(ROWS)
    missed = sum(row.missed for row in ROWS)
    assert missed <= 0.03 * sum(row.clear or row.missed for row in ROWS)
    assert min(Counter(row.style for row in ROWS).values()) >= 30
    refused = [row for row in ROWS if row.want[0] == "refused"]
    assert len(refused) >= 40
    assert not [row for row in refused if _read(row) in ANSWERS]


@pytest.mark.parametrize("row", [row for row in ROWS if row.clear and not row.cut])
def test_m23_reasoning_before_a_reply_does_not_change_it(row):
    before = "<think>The answer is A. No, B. Yes. I cannot tell who this is.</think>\n"
    if "</think>" not in row.reply:
        read = read_answer(Reply(text=before + row.reply), posed(row.asked))
        assert read.said in row.want


SAID = {
    ("like", True): "<sks> would like this.",
    ("like", False): "<sks> would not like this.",
    ("dislike", True): "<sks> would dislike this.",
    ("dislike", False): "<sks> would not dislike this.",
}
ASKED = {
    ("like", False): "Would <sks> like this?",
    ("like", True): "Would <sks> not like this?",
    ("dislike", False): "Would <sks> dislike this?",
    ("dislike", True): "Would <sks> not dislike this?",
}
SHOWN = {
    True: "This picture shows something that <sks> {}s.",
    False: "This picture shows nothing that <sks> {}s.",
}
ASKED_OF_PICTURE = {
    False: "Does this picture show something that <sks> {}s? Answer Yes or No.",
    True: "Does this picture show nothing that <sks> {}s? Answer Yes or No.",
}


def _question(text: str, target: str, negated: bool) -> ConceptQuestion:
    return ConceptQuestion(
        id="1",
        concept="Boo",
        category="human",
        type="awareness",
        group="preference",
        question=text,
        answer="Yes",
        image="a.png",
        target=target,  # type: ignore[arg-type]
        negated=negated,
    )


@pytest.mark.parametrize("lead", ["", "I think that ", "Looking at the image, "])
@pytest.mark.parametrize(("target", "negated"), ASKED)
@pytest.mark.parametrize(("taste", "holds"), SAID)
def test_m16_m17_tastes_are_read_the_right_way_round(target, negated, taste, holds, lead):
    """A slow twin: whether it is liked, as said, against what the question asks after."""
    liked = holds == (taste == "like")
    asked_after_liked = (target == "like") != negated
    want = "Yes" if liked == asked_after_liked else "No"
    question = _question(ASKED[target, negated], target, negated)
    assert read_answer(Reply(text=lead + SAID[taste, holds]), question).said == want


@pytest.mark.parametrize("target", ["like", "dislike"])
@pytest.mark.parametrize("negated", [False, True])
@pytest.mark.parametrize("there", [False, True])
def test_m16_m17_what_a_picture_shows_of_a_taste_is_read(target, negated, there):
    question = _question(ASKED_OF_PICTURE[negated].format(target), target, negated)
    said = SHOWN[there].format(target)
    assert read_answer(Reply(text=said), question).said == ("Yes" if there != negated else "No")
    other = "dislike" if target == "like" else "like"
    of_other = SHOWN[True].format(other)
    assert read_answer(Reply(text=of_other), question).outcome == "unread"
    # A taste alone says nothing of the picture.
    assert read_answer(Reply(text=f"<sks> {target}s chess."), question).outcome == "unread"


OPTIONS = {
    "A": "a round purple rug",
    "B": "a purple cushion",
    "C": "a tree stump",
    "D": "a bed of flowers",
}
PARAPHRASED = [
    ("the stump of a tree", "C"),
    ("She is standing on a stump", "C"),
    ("a flower bed", "D"),
    ("It is a cushion, a purple one", "B"),
    ("the rug", "A"),
]
NOT_PARAPHRASED = [
    "a tree",
    "something purple",
    "a green cushion",
    "a round purple thing",
    "It may be a stump",
    "Is it a stump?",
    "It is not a stump",
    "the stump beside the cushion",
    "She dislikes the stump",
]


@pytest.mark.parametrize(("reply", "want"), PARAPHRASED)
def test_m18_m20_other_words_are_read_whatever_the_order_of_the_options(reply, want):
    for order in permutations("ABCD"):
        options = {key: OPTIONS[old] for key, old in zip("ABCD", order, strict=True)}
        reading = read_choice(reply, options)
        assert reading.choice is not None
        assert (options[reading.choice], reading.rule) == (OPTIONS[want], "paraphrase")


@pytest.mark.parametrize("reply", NOT_PARAPHRASED)
def test_m18_m20_what_is_not_said_is_not_read_out_of_other_words(reply):
    assert paraphrased(reply, OPTIONS) is None
    assert read_choice(reply, OPTIONS).choice is None


@given(st.lists(st.sampled_from([*" ".join(OPTIONS.values()).split(), "sks", "on"]), max_size=9))
def test_m18_m20_other_words_never_speak_against_the_slow_twin(words):
    """Whatever is read holds no word that only another option has."""
    found = paraphrased(" ".join(words), OPTIONS)
    if found is not None:
        said = {stem(word) for word in words} - {"a", "of"}
        own = {stem(word) for word in OPTIONS[found.reading.choice].split()} - {"a", "of"}
        theirs = {stem(word) for text in OPTIONS.values() for word in text.split()} - own
        assert said & own
        # An option of three words can stand beside a word of another.
        assert not said & theirs or (len(own) >= 3 and own <= said)


@given(st.permutations("ABCD"), st.sampled_from("ABCD"), st.sampled_from(["yes", "Correct.", "✓"]))
def test_m23_a_list_of_verdicts_has_one_answer(order, right, mark):
    bad = {"yes": "no", "Correct.": "Incorrect.", "✓": "✗"}[mark]
    lines = [f"{key}: {mark if key == right else bad}" for key in order]
    assert read_choice("\n".join(lines), OPTIONS).choice == right
    two = [f"{key}: {mark if key in ('A', 'C') else bad}" for key in order]
    assert read_choice("\n".join(two), OPTIONS).choice is None


@given(st.text(max_size=60) | st.text("İIıŞßΣaA", max_size=20))
def test_x9_small_letters_stand_where_the_text_does(text):
    assert len(lowered(text)) == len(text)


def test_x9_patterns_are_written_in_small_letters_and_scripts_are_told_by_ascii():
    """What reading relies on to be quick: patterns are matched on small letters."""
    escapes = re.compile(r"\\.|\(\?[a-zA-Z:=!<]+")
    own = [one.regex.pattern for one in evasion_patterns()]
    own += [cue.regex.pattern for side in ("before", "after") for cue in cues(side)]
    for pattern in own:
        bare = escapes.sub("", pattern)
        assert bare == bare.lower(), pattern
    for one in (*evasion_patterns(), *refusal_patterns()):
        if one.language in BEYOND_ASCII:
            assert not re.search("[A-Za-z]", escapes.sub("", one.regex.pattern)), one.id
