"""The static encoder: its formula, its independence of batches, its shipped files."""

from __future__ import annotations

import json
import math
import pickle
import threading
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer

from eyeprint.errors import UsageError
from eyeprint.models import static_encoder
from eyeprint.models.kinds import TextEncoder
from eyeprint.models.static_encoder import (
    MOST_TOKENS,
    StaticEncoder,
    fit_report,
    read_weights,
    static_tokenizer,
)

DATA = Path(static_encoder.__file__).parent / "data"
GOLDEN = Path(__file__).parents[1] / "golden"
WORDS = ["red", "door", "harbour", "unfired", "kettle,", "at", "dusk.", "🌊", "नदी", "café", "\n"]


@cache
def tokenizer() -> Tokenizer:
    return static_tokenizer()


@cache
def shared() -> StaticEncoder:
    return StaticEncoder()


def slow_vector(text: str) -> np.ndarray:
    """The formula of the module's docstring, one token after another, in float64."""
    w = read_weights()
    # Blanks are those of str.split(): a form feed divides words, as in Python.
    ids = tokenizer().encode(" ".join(text.split()), add_special_tokens=False).ids[:MOST_TOKENS]
    dim = w.table.shape[1]
    if not ids:
        return np.zeros(dim)
    x = []
    for k in range(2):
        total = np.zeros(dim)
        for place, token in enumerate(ids):
            share = float(w.token_weights[k][token]) * float(w.position_weights[k][place])
            total += share * w.table[token].astype(np.float64)
        if not total.any():
            return np.zeros(dim)
        x.extend(total / np.linalg.norm(total))
    hidden = np.array(x) @ (w.inward * w.inward_scale) + w.bias
    hidden = np.maximum(hidden + (math.log(len(ids)) / 3 - 1) * w.length, 0)
    v = np.array(x) @ (w.mix * w.mix_scale) + hidden @ (w.outward * w.outward_scale)
    return v / np.linalg.norm(v)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.one_of(st.sampled_from(WORDS), st.text(max_size=6)), max_size=40))
def test_a_vector_equals_the_slow_formula(words: list[str]) -> None:
    text = " ".join(words)
    fast, slow = shared().encode([text])[0], slow_vector(text)
    if slow.any():
        np.testing.assert_allclose(fast, slow, atol=1e-4)
    else:
        assert not fast.any()


@settings(max_examples=30, deadline=None)
@given(st.lists(st.lists(st.sampled_from(WORDS), max_size=60), min_size=1, max_size=40), st.data())
def test_x6_a_vector_does_not_depend_on_the_texts_around_it(
    texts: list[list[str]], data: st.DataObject
) -> None:
    encoder = shared()
    joined = [" ".join(words) for words in texts]
    together = encoder.encode(joined)
    order = data.draw(st.permutations(range(len(joined))))
    assert np.array_equal(encoder.encode([joined[i] for i in order]), together[order])
    for place, text in enumerate(joined[:5]):
        assert np.array_equal(encoder.encode([text])[0], together[place])


def test_texts_beyond_one_inner_batch_keep_their_places(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [f"door number {i}" for i in range(23)]
    expected = StaticEncoder().encode(texts)
    monkeypatch.setattr(static_encoder, "_TEXTS_AT_ONCE", 5)
    assert np.array_equal(StaticEncoder().encode(texts), expected)


def test_encoder_satisfies_the_protocol_and_gives_unit_rows() -> None:
    encoder = StaticEncoder()
    assert isinstance(encoder, TextEncoder)
    assert encoder.encode([]).shape == (0, encoder.dim)
    rows = encoder.encode(["a red door", "x", "the of and"])
    assert rows.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-6)


def test_blank_texts_have_zero_rows() -> None:
    vectors = StaticEncoder().encode(["", " \n\t", "\x00", "a"])
    assert not vectors[:3].any()
    assert vectors[3].any()


def test_texts_over_254_tokens_are_cut_and_counted() -> None:
    result = StaticEncoder().encode_counted(["word " * 254, "word " * 255, "short"])
    assert result.cut.tolist() == [False, True, False]
    assert np.array_equal(result.vectors[0], result.vectors[1])


def test_half_a_surrogate_pair_is_read_as_an_unknown_character() -> None:
    encoder = StaticEncoder()
    assert np.array_equal(encoder.encode(["a \ud83d b"]), encoder.encode(["a � b"]))


def test_one_text_instead_of_a_list_is_refused() -> None:
    with pytest.raises(UsageError, match="list of texts"):
        StaticEncoder().encode("a red door")


def test_words_forgotten_under_memory_pressure_come_back_equal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    texts = [f"door {i} of the harbour" for i in range(30)]
    expected = StaticEncoder().encode(texts)
    monkeypatch.setattr(static_encoder, "_WORDS_REMEMBERED", 3)
    assert np.array_equal(StaticEncoder().encode(texts), expected)


def test_threads_may_share_an_encoder() -> None:
    texts = [f"door {i} of the harbour at {i % 24} o'clock" for i in range(300)]
    expected = StaticEncoder().encode(texts)
    shared, results = StaticEncoder(), []
    workers = [
        threading.Thread(target=lambda: results.append(shared.encode(texts))) for _ in range(4)
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert len(results) == 4
    assert all(np.array_equal(result, expected) for result in results)


def test_a_pickled_encoder_is_the_same_encoder() -> None:
    encoder = StaticEncoder(note="why")
    copy = pickle.loads(pickle.dumps(encoder))
    assert (copy.note, copy.fingerprint) == ("why", encoder.fingerprint)
    assert np.array_equal(copy.encode(["a door"]), encoder.encode(["a door"]))


def test_shipped_files_stay_within_eight_megabytes_and_name_their_licence() -> None:
    shipped = [DATA / name for name in ("static_encoder.npz", "static_vocab.txt")]
    assert sum(path.stat().st_size for path in shipped) <= 8_000_000
    notice = (DATA / "NOTICE").read_text(encoding="utf-8")
    for part in ("all-MiniLM-L6-v2", "Apache License, Version 2.0", "WordNet"):
        assert part in notice


def test_the_fit_met_its_goals_on_the_mini_personas() -> None:
    # The goals of the issue: 0.95 over all, a median of 0.7 within a method.
    # tools/distil_static_encoder.py measured this; benchmarks/encoders.py measures again.
    agreement = fit_report()["agreement"]
    assert agreement["score"]["overall"] >= 0.95
    assert agreement["score"]["median_within"] >= 0.7
    # Without NV, which no encoder can get wrong, the bar is higher and was just missed.
    assert agreement["score_c"]["overall"] >= 0.93
    assert agreement["score_c"]["median_within"] >= 0.7


@pytest.mark.minilm
def test_tokens_are_those_of_minilm() -> None:
    from eyeprint.models.minilm import load_tokenizer
    from eyeprint.models.minilm_weights import find_minilm

    theirs = load_tokenizer(find_minilm(download=False).tokenizer)
    ours = static_tokenizer()
    assert ours.get_vocab() == theirs.get_vocab()
    for text in json.loads((GOLDEN / "minilm_texts.json").read_text(encoding="utf-8")):
        expected = theirs.encode(text, add_special_tokens=False).ids
        assert ours.encode(text, add_special_tokens=False).ids == expected
        # And word by word, as the encoder looks them up.
        words = static_encoder._WordTokens()
        assert [token for word in text.split() for token in words[word]] == expected


@pytest.mark.minilm
def test_cosines_follow_minilm() -> None:
    from eyeprint.models.minilm import MiniLMEncoder, MiniLMSettings
    from eyeprint.people.shipped import load_people

    captions = [post.caption for post in load_people("mini")["mini-03"].posts][:12]
    texts = [*captions, "a clay jar", "a fishing boat", "my next post", "an empty room"]
    minilm = MiniLMEncoder(MiniLMSettings(download=False)).encode(texts)
    static = StaticEncoder().encode(texts)
    pairs = np.triu_indices(len(texts), 1)
    found = np.corrcoef((minilm @ minilm.T)[pairs], (static @ static.T)[pairs])[0, 1]
    assert found > 0.9
