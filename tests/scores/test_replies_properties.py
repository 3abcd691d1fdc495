"""What holds of every reading, against slow twins and on any text (CHECKLIST M18, M23, X9)."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyeprint.models.kinds import Reply
from eyeprint.records.concept_questions import OUTCOMES
from eyeprint.scores.replies import read_answer, read_choice, read_score, read_yes_no
from tests.scores import reply_corpus, reply_corpus_yes_no
from tests.scores.reply_corpus import SCENES
from tests.scores.slow_replies import PAIRS, slow_letter, slow_texts
from tests.scores.test_replies import question

LETTERS = "ABCD"
WRAPS = [
    *(lambda inner, pair=pair: pair[0] + inner + pair[1] for pair in PAIRS),
    lambda inner: f"${inner}$",
    lambda inner: f"\\boxed{{{inner}}}",
    lambda inner: f"\\text{{{inner}}}",
    lambda inner: f"\\textbf{{{inner}}}",
    lambda inner: inner + ".",
    lambda inner: f" {inner} ",
    lambda inner: f"\n{inner}\n",
    lambda inner: f"Option {inner}",
]
WORDS = st.sampled_from(
    ["sks", "would", "enjoy", "red", "hats", "with", "friends", "near", "water", "today", "quite"]
)
ANY = st.text(max_size=200) | st.text("ABCD abcd.,()'\"\n*$\\{}<>/:-_ sknoyetiw?", max_size=200)


@given(st.sampled_from(LETTERS + LETTERS.lower()), st.lists(st.sampled_from(WRAPS), max_size=3))
def test_m18_strict_forms_are_read_as_the_slow_twin_reads_them(letter, wraps):
    text = letter
    for wrap in wraps:
        text = wrap(text)
    want = slow_letter(text, LETTERS)
    assert want == letter.upper(), "the twin reads what was wrapped"
    assert read_choice(text, SCENES).choice == want


@given(st.text("ABCDE()[]{}'\".*$ \n", min_size=1, max_size=8))
def test_m18_what_the_slow_twin_reads_is_read(text):
    want = slow_letter(text, LETTERS)
    if want is not None:
        assert read_choice(text, SCENES).choice == want


@given(st.lists(WORDS, max_size=6), st.lists(WORDS, max_size=6), st.sampled_from(LETTERS))
def test_m18_a_text_among_other_words_is_read_as_the_slow_twin_finds_it(before, after, key):
    reply = " ".join([*before, SCENES[key], *after])
    assert slow_texts(reply, SCENES) == {key}
    assert read_choice(reply, SCENES).choice == key


@given(st.lists(WORDS, max_size=4), st.sampled_from(["red scarf", "dark red scarf", "red"]))
def test_m18_of_texts_within_texts_the_longest_counts(before, said):
    options = {"A": "scarf", "B": "red scarf", "C": "dark red scarf"}
    reply = " ".join([*(word for word in before if word != "red"), said])
    found = slow_texts(reply, options)
    want = next(iter(found)) if len(found) == 1 else None
    assert read_choice(reply, options).choice == want


ALL_TEXTS = [
    (text, want)
    for name in ("STRICT", "STATED", "LANGUAGES", "TEXTS", "UNREAD")
    for text, want, _ in getattr(reply_corpus, name)
]


@pytest.mark.parametrize(
    "around", ["**{}**", "  {}  ", "\n\n{}\n", "{}\n\n", "> {}", "# {}", "*{}*"]
)
def test_m18_what_stands_around_a_reply_does_not_change_its_reading(around):
    changed = [
        (text, want, read_choice(around.format(text), SCENES).choice)
        for text, want in ALL_TEXTS
        if read_choice(around.format(text), SCENES).choice != want
    ]
    assert not changed


def test_m18_permuted_options_permute_what_is_read_from_texts():
    order = {"A": "C", "B": "D", "C": "B", "D": "A", None: None}
    permuted = {order[key]: text for key, text in SCENES.items()}
    permuted = dict(sorted(permuted.items()))
    texts = [row for row in reply_corpus.TEXTS if not row[0].startswith(("B. ", "Answer: B"))]
    for reply, want, why in texts:
        assert read_choice(reply, permuted).choice == order[want], (reply, why)


@given(ANY, st.sets(st.sampled_from("ABCDEF"), min_size=1))
def test_m23_a_reading_is_an_option_or_nothing(text, letters):
    options = {key: SCENES.get(key, "else") for key in sorted(letters)}
    reading = read_choice(text, options)
    assert reading.choice in (*options, None)
    assert set(reading.alternatives) <= set(options)
    assert reading.choice not in reading.alternatives
    assert read_choice(text, options) == reading


@given(ANY)
def test_m16_yes_no_is_total(text):
    reading = read_yes_no(text, "Is <sks> not here?")
    assert reading.choice in ("Yes", "No", None)
    assert set(reading.alternatives) <= {"Yes", "No"}


@given(ANY, st.sampled_from(["stop", "length", None]))
def test_x9_every_reply_has_one_of_six_outcomes(text, finish):
    for kind in ("choice", "Is <sks> here?"):
        read = read_answer(Reply(text=text, finish_reason=finish), question(kind))
        assert read.outcome in OUTCOMES
        assert (read.said is not None) == (read.outcome == "answered")


MOST = 100_000
REPEATED = [
    "A",
    "A ",
    "A, ",
    "A or ",
    "(",
    "$",
    "\\boxed{",
    "{",
    '{"answer": ',
    "<think>",
    "</think>",
]
REPEATED += ["<", "'", '"', "the beach ", "yes ", "No, ", "sks is not ", "I cannot ", "I'm sorry "]
REPEATED += [
    "答案是",
    "ا",
    "A.\n",
    "~~",
    "`",
    " ",
    "\n",
    "answer ",
    "|",
    "i do not have any ",
    "a-",
]


@pytest.mark.parametrize("part", REPEATED)
def test_x9_no_pattern_runs_away(part):
    """A pattern that backtracks takes minutes here; the limit is loose on purpose."""
    text = part * (MOST // len(part))
    begin = time.perf_counter()
    read_answer(Reply(text=text), question())
    read_answer(Reply(text=text), question("Is <sks> here?"))
    read_score(text)
    assert time.perf_counter() - begin < 30


def test_m23_the_end_of_a_reply_beyond_all_measure_is_read():
    assert read_choice("blah " * 50_000 + "\nAnswer: C", SCENES).choice == "C"
    assert read_yes_no("blah " * 50_000 + "\nAnswer: no").choice == "No"


def test_m16_wrapping_a_word_does_not_change_it():
    for asked, reply, want, why in reply_corpus_yes_no.ROWS:
        assert read_yes_no(f"  **{reply}**\n", asked).choice == want, (reply, why)
