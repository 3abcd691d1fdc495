"""Marking retrieved phrases in prompts that anybody may have written."""

import re
from html import unescape

from hypothesis import given
from hypothesis import strategies as st

from eyeprint.report.gallery import MOST_CHARACTERS, Phrase, marked, sheet


def inside(text: str, *phrases: str) -> list[str]:
    html, _ = marked(text, [Phrase(phrase) for phrase in phrases])
    return [unescape(found) for found in re.findall(r"<mark[^>]*>(.*?)</mark>", html, re.DOTALL)]


@given(st.text(max_size=80), st.lists(st.text(min_size=1, max_size=6), max_size=4))
def test_without_tags_the_prompt_is_what_it_was(text: str, phrases: list[str]):
    html, found = marked(text, [Phrase(p, "<c>", '"') for p in phrases])
    assert unescape(re.sub(r"</?mark[^>]*>", "", html)) == text
    assert found <= set(phrases)


@given(st.lists(st.sampled_from(["red", "Door", "old", "a", "&", "<b>"]), max_size=12))
def test_whole_words_agree_with_a_slow_twin(words: list[str]):
    """Slow twin: walk over the words and take each pair that equals the phrase."""
    expected, place = [], 0
    while place < len(words) - 1:
        if [w.lower() for w in words[place : place + 2]] == ["red", "door"]:
            expected.append(" ".join(words[place : place + 2]))
            place += 2
        else:
            place += 1
    assert inside(" ".join(words), "red door") == expected


def test_words_are_whole_and_case_and_spaces_do_not_matter():
    assert inside("A Red\n door, hundred doors, red door.", "red door") == [
        "Red\n door",
        "red door",
    ]
    assert inside("snake_case", "case") == []
    assert inside("(lamp)", "lamp") == ["lamp"]
    assert inside("a C++ book", "c++") == ["C++"]


def test_the_longest_of_overlapping_phrases_wins():
    assert inside("an old red door", "red door", "old red door") == ["old red door"]


def test_other_scripts():
    assert inside("傍晚的红色灯笼很亮", "红色灯笼") == ["红色灯笼"]
    # The vowel sign behind the last letter makes it another word.
    assert inside("कामी", "काम") == []
    assert inside("काम की", "काम") == ["काम"]
    assert inside("مصباح أحمر قديم", "مصباح أحمر") == ["مصباح أحمر"]


def test_blank_phrases_and_hints_are_harmless():
    html, _ = marked("tea", [Phrase(" "), Phrase("tea", '"><script>', "p1")])
    assert html == '<mark title="&quot;&gt;&lt;script&gt; · p1">tea</mark>'


def test_a_failed_row_and_an_endless_prompt():
    row = {"person": "p", "query": "q", "method": "brag", "prompt": None, "fault": "refused",
           "detail": "no"}  # fmt: skip
    assert sheet(row).fault == "refused: no"
    assert sheet(row).prompt_html == ""
    long = sheet({**row, "prompt": "x" * 9999})
    assert long.shortened and len(long.prompt_html) == MOST_CHARACTERS and long.fault == ""
