"""all-MiniLM-L6-v2 on ONNX Runtime in float32: the default text encoder.

A text becomes at most 256 WordPiece tokens; six Transformer layers; the mean of the
token states, divided by its length: 384 numbers (Wang et al. 2020; Reimers and
Gurevych 2019). Equal to sentence-transformers to cosine 0.99999 and better.

**What is guaranteed.** A text's vector depends on the text and the weights, not on the
texts that are encoded with it, their order, the size of a batch, or the number of
threads: texts share a batch only when they have the same number of tokens, so nothing
is padded, and every operation of the graph works on a row in the same order whatever
the number of rows. Vectors are therefore equal byte by byte when a run is resumed, or
split among workers, on one kind of processor with one version of ONNX Runtime. Other
processors and versions may differ in the last bits (about 1e-7).

Safe to use from several threads, and in processes forked after it was loaded.
"""

from __future__ import annotations

import json
import os
import threading
import weakref
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from eyeprint.config import Settings, fingerprint_of
from eyeprint.errors import ModelUnavailable, UsageError
from eyeprint.models.kinds import Encoded, Vectors
from eyeprint.models.minilm_graph import minilm_graph
from eyeprint.models.minilm_weights import REVISION, MiniLMFiles, find_minilm
from eyeprint.models.weights_digests import weights_sha256

if TYPE_CHECKING:
    import onnxruntime
    from tokenizers import Tokenizer

DIM = 384
_RECIPE = 1
"""Raised when the computation changes in a way that could change vectors."""


class MiniLMSettings(Settings):
    """How MiniLM is found and run; only ``max_tokens`` and the weights change vectors."""

    folder: Path | None = None
    """Folder with ``model.safetensors`` and ``tokenizer.json``; ``None`` searches."""

    revision: str = REVISION
    """Commit of the model on the Hugging Face hub."""

    download: bool = True
    """Whether the hub may be asked when the weights are nowhere on this machine."""

    max_tokens: int = Field(default=256, ge=3, le=512)
    """Tokens read of a text, with the two markers; 256 as the model's authors define."""

    threads: int | None = Field(default=None, ge=1)
    """Processor threads; ``None`` takes the processors this process may use, at most 8."""

    batch_tokens: int = Field(default=512, ge=1)
    """Tokens in one batch; small batches stay in the processor's cache."""


class MiniLMEncoder:
    """The text encoder ``minilm``.

    The weights are found when it is made, and loaded with the first text.

    Raises:
        ModelUnavailable: the weights are not found, or ONNX Runtime refuses them.
        DataError: the weights' file is damaged.
    """

    name = "minilm"
    dim = DIM

    def __init__(self, settings: MiniLMSettings | None = None) -> None:
        self.settings = settings = settings or MiniLMSettings()
        self.files: MiniLMFiles = find_minilm(settings.folder, settings.revision, settings.download)
        self.note = ""
        self._lock = threading.Lock()
        self._session: onnxruntime.InferenceSession | None = None
        self._tokenizer: Tokenizer | None = None
        _LOADED.add(self)

    def __reduce__(self) -> tuple[Any, ...]:
        # Sent to a worker process, it loads the weights there.
        return type(self), (self.settings,)

    def __repr__(self) -> str:
        return f"MiniLMEncoder({self.files.source})"

    @property
    def fingerprint(self) -> str:
        """SHA-256 over the weights', the tokeniser's hash and the token limit."""
        return fingerprint_of(
            {
                "encoder": self.name,
                "recipe": _RECIPE,
                "weights": weights_sha256(self.files.weights),
                "tokenizer": weights_sha256(self.files.tokenizer),
                "max_tokens": self.settings.max_tokens,
            }
        )

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return one unit row per text, shape (n, 384); a text without tokens gets zeros."""
        return self.encode_counted(texts).vectors

    def encode_counted(self, texts: Sequence[str]) -> Encoded:
        """Encode, and say which texts were longer than ``max_tokens`` and were cut.

        Raises:
            UsageError: ``texts`` is one string rather than a sequence of strings.
        """
        if isinstance(texts, str):
            raise UsageError("encode() takes a list of texts, and was given one text.")
        session, tokenizer = self._loaded()
        place: dict[str, int] = {}
        rows = np.fromiter((place.setdefault(t, len(place)) for t in texts), np.int64, len(texts))
        tokens = [_token_ids(tokenizer, text) for text in place]
        limit = self.settings.max_tokens
        cut = np.fromiter((len(ids) > limit for ids in tokens), np.bool_, len(tokens))
        vectors = np.zeros((len(tokens), DIM), dtype=np.float32)
        kept = [ids if len(ids) <= limit else [*ids[: limit - 1], ids[-1]] for ids in tokens]
        for batch in equal_length_batches([len(ids) for ids in kept], self.settings.batch_tokens):
            ids = np.array([kept[i] for i in batch], dtype=np.int64)
            vectors[batch] = session.run(None, {"input_ids": ids})[0]
        return Encoded(vectors[rows], cut[rows])

    def _loaded(self) -> tuple[onnxruntime.InferenceSession, Tokenizer]:
        with self._lock:
            if self._session is None or self._tokenizer is None:
                self._tokenizer = load_tokenizer(self.files.tokenizer)
                self._session = _start_session(self.files.weights, self.settings.threads)
            return self._session, self._tokenizer


def equal_length_batches(lengths: Sequence[int], batch_tokens: int) -> Iterator[NDArray[np.int64]]:
    """Yield groups of places with equal length, shortest first, each in order of place.

    Texts of two tokens or fewer (the markers alone) are left out. No group holds more
    than ``batch_tokens`` tokens, save a group of one.

    >>> [batch.tolist() for batch in equal_length_batches([4, 3, 4, 2, 4], 8)]
    [[1], [0, 2], [4]]
    """
    by_length: dict[int, list[int]] = {}
    for place, length in enumerate(lengths):
        if length > 2:
            by_length.setdefault(length, []).append(place)
    for length in sorted(by_length):
        places, step = by_length[length], max(1, batch_tokens // length)
        for start in range(0, len(places), step):
            yield np.array(places[start : start + step], dtype=np.int64)


def load_tokenizer(path: Path) -> Tokenizer:
    """Read a ``tokenizer.json`` without the limits that were saved in it.

    The file of all-MiniLM-L6-v2 cuts and pads at 128 tokens, half of what the model reads.

    Raises:
        ModelUnavailable: the file cannot be read as a tokeniser.
    """
    from tokenizers import Tokenizer

    try:
        text = path.read_text(encoding="utf-8")
        # tokenizers raises a bare Exception for every fault of a file: look first.
        kind = json.loads(text)["model"]["type"]
        if kind != "WordPiece":
            raise ValueError(f"a model of type {kind}, not WordPiece")
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ModelUnavailable(f"{path}: cannot be read as a tokeniser ({error!r}).") from error
    tokenizer = Tokenizer.from_str(text)
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def _token_ids(tokenizer: Tokenizer, text: str) -> list[int]:
    # One by one: the forward pass takes fifty times as long, and a batch would start
    # the tokeniser's own thread pool, which does not survive a fork.
    try:
        return tokenizer.encode(text).ids
    except TypeError:
        if not isinstance(text, str):
            raise
        # Half of a surrogate pair (from "\\ud83d" in a JSON file) is no character.
        whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return tokenizer.encode(whole).ids


def available_threads(limit: int = 8) -> int:
    """Return how many processors this process may use, at most ``limit``."""
    affinity = getattr(os, "sched_getaffinity", None)
    count = len(affinity(0)) if affinity is not None else os.cpu_count() or 1
    return min(limit, count)


def _start_session(weights: Path, threads: int | None) -> onnxruntime.InferenceSession:
    import onnxruntime
    from onnxruntime.capi import onnxruntime_pybind11_state as state

    # A file of the Hugging Face cache is a link out of its folder, which ONNX Runtime
    # refuses to follow for external weights: name the file itself.
    weights = weights.resolve()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads or available_threads()
    options.add_session_config_entry(
        "session.model_external_initializers_file_folder_path", str(weights.parent)
    )
    refusals = (state.Fail, state.InvalidGraph, state.NoSuchFile, state.RuntimeException)
    try:
        return onnxruntime.InferenceSession(
            minilm_graph(weights), options, providers=["CPUExecutionProvider"]
        )
    except refusals as error:
        raise ModelUnavailable(f"{weights}: ONNX Runtime refused the model ({error}).") from error


_LOADED: weakref.WeakSet[MiniLMEncoder] = weakref.WeakSet()
_ABANDONED: list[object] = []


def _forget_sessions_after_fork() -> None:
    # The threads of a session do not exist in a forked child, and a lock may have been
    # held: start anew, and never destroy the old session, which would wait for them.
    for encoder in _LOADED:
        _ABANDONED.append(encoder._session)
        encoder._session = None
        encoder._lock = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_sessions_after_fork)
