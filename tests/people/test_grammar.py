"""Parsing and rendering of sentence frames."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyeprint.errors import DataError
from eyeprint.people.grammar import Slot, frames_of, parse_line, render, with_articles
from eyeprint.randomness import stream


def rendered(line, values):
    marks = []
    text = render(
        parse_line(line),
        lambda slot: values.get(slot.name),
        stream(1, "test", line),
        lambda category, phrase: marks.append((category, phrase)),
    )
    return text, marks


def test_marks_are_reported_with_their_filled_text():
    text, marks = rendered("Behind <b:a print of {~view}> hangs.", {"view": "the bay"})
    assert text == "Behind a print of the bay hangs."
    assert marks == [("background", "a print of the bay")]


def test_a_slot_without_value_makes_the_whole_frame_fail():
    assert rendered("One {thing} and (a|b).", {})[0] is None


def test_a_capital_slot_capitalises_its_value():
    assert rendered("{Wear} suits.", {"wear": "a red hat"})[0] == "A red hat suits."


def test_a_pronoun_takes_the_place_of_article_and_noun():
    assert rendered("The {who} waits.", {"who": "=she"})[0] == "She waits."
    assert (
        rendered("It rains, and the {who} waits.", {"who": "=he"})[0] == "It rains, and he waits."
    )


@pytest.mark.parametrize(
    ("line", "subject"),
    [
        ("The {who} waits.", True),
        ("One knows that the {who} waits.", True),
        ("A friend of the {who} waits.", False),
        ("It shows the {who}.", False),
    ],
)
def test_pronouns_are_only_allowed_where_the_noun_is_a_subject(line, subject):
    slot = next(part for part in parse_line(line) if isinstance(part, Slot))
    assert slot.subject is subject


@pytest.mark.parametrize("line", ["(a|b", "<f:open", "a) b", "x > y"])
def test_brackets_that_do_not_match_are_an_error(line):
    with pytest.raises(DataError, match="grammar line"):
        parse_line(line)


@pytest.mark.parametrize(
    ("word", "article"),
    [
        ("hour", "an"),
        ("unit", "a"),
        ("arm", "an"),
        ("one-eyed", "a"),
        ("Asante", "an"),
        ("uninvited", "an"),
        ("European", "a"),
    ],
)
def test_articles_follow_the_sound_of_the_next_word(word, article):
    assert with_articles(f"a/an {word}") == f"{article} {word}"
    assert with_articles(f"A/an {word}") == f"{article.capitalize()} {word}"


@given(st.text(alphabet="abc (){}<>|/", max_size=30))
def test_parsing_never_fails_in_another_way(text):
    try:
        parts = parse_line(text)
    except DataError:
        return
    assert isinstance(parts, tuple)


def test_tags_become_masks():
    group = {"role": "light", "hours": ["night"], "place": "in", "lines": ["x"]}
    frame = frames_of([group])[0]
    assert (frame.hours, frame.place, frame.needs) == (8, "in", frozenset())
