"""A thousand refusals score nothing, every time (CHECKLIST M30, X9)."""

from __future__ import annotations

import re

import pytest

from eyeprint.models.kinds import Reply
from eyeprint.scores.refusals import evasion_patterns, find_evasion
from eyeprint.scores.replies import read_answer
from tests.scores.reply_refusals import DECLINES, MORE, refusals
from tests.scores.test_replies import question

KINDS = ["choice", "Is <sks> in the image?", "Is <sks> not present in this photo?"]


@pytest.mark.parametrize("kind", KINDS)
def test_m30_x9_a_thousand_refusals_score_nothing(kind):
    replies = refusals(1000)
    assert len(set(replies)) == 1000
    read = [(text, read_answer(Reply(text=text), question(kind))) for text in replies]
    assert not [(text, one) for text, one in read if one.outcome not in ("refused", "unread")]
    assert sum(one.outcome == "refused" for _, one in read) >= 990


@pytest.mark.parametrize("kind", [*KINDS, "Would <sks> like this? (A) Yes (B) No"])
def test_m30_refusals_in_other_words_score_nothing(kind):
    read = [(text, read_answer(Reply(text=text), question(kind))) for text in MORE]
    assert not [(text, one) for text, one in read if one.outcome not in ("refused", "unread")]
    assert sum(one.outcome == "refused" for _, one in read) >= 0.95 * len(MORE)


def test_m30_every_decline_is_found_and_names_its_pattern():
    known = {pattern.id for pattern in evasion_patterns()}
    for text in DECLINES:
        found = find_evasion(text)
        assert found is not None, text
        assert found.id in known or found.id.startswith("refusal:")


def test_m30_patterns_are_data_with_ids_of_their_own():
    patterns = evasion_patterns()
    ids = [pattern.id for pattern in patterns]
    assert len(set(ids)) == len(ids) >= 30
    assert all(re.fullmatch(r"[a-z-]+", one) for one in ids)


@pytest.mark.parametrize(
    "text",
    [
        "The image shows a woman in a park.",
        "A man with a red hat stands beside a dog.",
        "Yes, <sks> is in the image.",
        "No, <sks> does not appear in the image.",
        "B. the mountains",
        'The sign says "I cannot help you with that".',
        "sks can't help loving snow.",
        "",
        "是的",
        "<think>I cannot determine this.</think>B",
    ],
)
def test_m30_descriptions_and_answers_are_no_evasions(text):
    assert find_evasion(text) is None
