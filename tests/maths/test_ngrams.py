"""Trigrams against sets of tuples, in several scripts."""

import unicodedata

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyeprint.maths import ngrams
from eyeprint.maths.ngrams import index_captions, word_trigrams, words

texts = st.lists(
    st.sampled_from(["a", "red", "door", "Kite", "sea,", "café", "猫"]), max_size=14
).map(" ".join)


def slow_words(text):
    """Character by character."""
    found, current = [], ""
    for character in unicodedata.normalize("NFC", text.lower()):
        group = unicodedata.category(character)[0]
        if group in "LMN" and not ("\u4e00" <= character <= "\u9fff"):
            current += character
            continue
        found += [current] if current else []
        current = ""
        found += [character] if group in "LMN" else []
    return found + ([current] if current else [])


latin = st.characters(max_codepoint=0x2FFF, exclude_categories=["Cs"]).filter(
    lambda c: not (0x0E00 <= ord(c) <= 0x109F or 0x1780 <= ord(c) <= 0x17FF)
)


@given(st.text(latin))
def test_v62_words_agree_with_reading_character_by_character(text):
    assert words(text) == slow_words(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Don't don’t", ["don", "t", "don", "t"]),
        ("snake_case, 3rd-floor", ["snake", "case", "3rd", "floor"]),
        ("हिन्दी में लिखा", ["हिन्दी", "में", "लिखा"]),
        ("مَكْتَبَة صغيرة،", ["مَكْتَبَة", "صغيرة"]),
        ("我喜欢猫。", ["我", "喜", "欢", "猫"]),
        ("ひらがなABC", ["ひ", "ら", "が", "な", "abc"]),
        ("ที่นี่", ["ที่", "นี่"]),
        ("서울의 밤", ["서울의", "밤"]),
        ("cafe\u0301 CAFÉ", ["café", "café"]),
        ("", []),
        (" …!? ", []),
    ],
)
def test_v62_words_of_any_script(text, expected):
    assert words(text) == expected


def test_v62_trigrams_are_sets_and_short_texts_have_none():
    # "a b a b a" has the trigrams aba, bab, aba: two different ones.
    assert word_trigrams("a b a b a") == {("a", "b", "a"), ("b", "a", "b")}
    assert word_trigrams("two words") == frozenset()


@given(st.lists(texts, max_size=5), st.lists(texts, max_size=6))
def test_v62_overlap_agrees_with_sets(prompts, captions):
    found = index_captions(captions).overlap(prompts)
    expected = [[len(word_trigrams(p) & word_trigrams(c)) for c in captions] for p in prompts]
    assert found.shared.tolist() == expected
    assert found.sizes.tolist() == [len(word_trigrams(p)) for p in prompts]
    shares = found.largest_share()
    for share, prompt, row in zip(shares, prompts, expected, strict=True):
        grams = word_trigrams(prompt)
        if grams and captions:
            assert share == max(row) / len(grams)
        else:
            assert np.isnan(share)


def test_v62_blocks_of_prompts_and_captions_do_not_show(monkeypatch):
    rng = np.random.default_rng(1)
    pool = list("abcdef")
    captions = [" ".join(rng.choice(pool, 9)) for _ in range(11)]
    prompts = [" ".join(rng.choice(pool, 7)) for _ in range(10)]
    whole = index_captions(captions).overlap(prompts)
    monkeypatch.setattr(ngrams, "_PROMPT_BLOCK", 3)
    monkeypatch.setattr(ngrams, "_CAPTION_BLOCK", 4)
    monkeypatch.setattr(ngrams, "_BLOCK_CHARACTERS", 40)
    blocks = index_captions(captions).overlap(prompts)
    assert np.array_equal(whole.shared, blocks.shared)
    assert whole.shared.any()


def test_v62_trigrams_do_not_cross_captions():
    assert not index_captions(["a b", "c d"]).overlap(["a b c d"]).shared.any()


@given(st.lists(st.text(max_size=12), max_size=4), st.lists(st.text(max_size=12), max_size=4))
def test_v62_overlap_agrees_with_sets_for_any_characters(prompts, captions):
    found = index_captions(captions).overlap([*prompts, *captions])
    for row, prompt in zip(found.shared.tolist(), [*prompts, *captions], strict=True):
        assert row == [len(word_trigrams(prompt) & word_trigrams(c)) for c in captions]


def test_v62_one_text_longer_than_a_block():
    long = " ".join(f"word{i % 977}" for i in range(40_000))
    found = index_captions(["a b c", long, "word1 word2 word3 a b c"]).overlap([long, "a b c"])
    assert found.sizes.tolist() == [977, 1]
    assert found.shared.tolist() == [[0, 977, 1], [1, 0, 1]]


def test_v62_words_with_the_same_letters_are_told_apart():
    captions = ["listen silent enlist", "a aa aaa", "ab ba ab"]
    prompts = ["enlist silent listen", "aaa aa a", "ba ab ba"]
    assert not index_captions(captions).overlap(prompts).shared.any()
