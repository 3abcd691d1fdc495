"""The shipped static encoder: token vectors distilled from all-MiniLM-L6-v2.

No network of layers reads the text; a text is two weighted sums of its tokens' vectors,
turned into one by a small readout. With E the table of token vectors, w two weights per
token and p two weights per position::

    s_k = Σ_i w_k[token_i] · p_k[i] · E[token_i]          k = 1, 2
    x   = (s_1 / ‖s_1‖, s_2 / ‖s_2‖)
    v   = x M + max(0, x A + (ln n / 3 - 1) g + b) C,  divided by its length, for n tokens

The second sum leans to the beginning of a text, where a prompt's request stands. Made
by ``tools/distil_static_encoder.py``; its fit, and how far its scores agree with
MiniLM's, are kept beside the weights and read by :func:`fit_report`.

It is some hundred times as fast as MiniLM and meant for a quick look: it knows words,
not sentences. Texts are read up to 254 tokens, as much as MiniLM reads; words it has
never seen are read as pieces. A text's vector does not depend on the texts beside it.
"""

from __future__ import annotations

import hashlib
import io
import json
import threading
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from eyeprint.config import fingerprint_of
from eyeprint.errors import ModelUnavailable, UsageError
from eyeprint.models.kinds import Encoded, Vectors

if TYPE_CHECKING:
    from tokenizers import Tokenizer

MOST_TOKENS = 254
"""Tokens read of a text: MiniLM's 256 without its two markers."""

_X_STEPS, _HIDDEN_STEPS = 2.0**18, 2.0**14
"""Steps to which the readout's inputs are rounded, so that its sums are exact."""
_LENGTHS = np.log(np.maximum(np.arange(MOST_TOKENS + 1), 1)) / 3 - 1
_TEXTS_AT_ONCE = 2048
_WORDS_REMEMBERED = 100_000
_WEIGHTS, _VOCABULARY, _REPORT = "static_encoder.npz", "static_vocab.txt", "static_fit.json"


class StaticWeights(NamedTuple):
    """The weights, as :func:`read_weights` takes them from the file's int8 and float16.

    The matrices of the readout hold whole numbers, with a scale for each column.
    """

    table: NDArray[np.float32]
    """E, shape (tokens, d)."""
    token_weights: NDArray[np.float32]
    """w, shape (2, tokens), not negative."""
    position_weights: NDArray[np.float32]
    """p, shape (2, MOST_TOKENS), not negative."""
    mix: NDArray[np.float64]
    """M, shape (2 d, d)."""
    mix_scale: NDArray[np.float64]
    inward: NDArray[np.float64]
    """A, shape (2 d, h)."""
    inward_scale: NDArray[np.float64]
    outward: NDArray[np.float64]
    """C, shape (h, d)."""
    outward_scale: NDArray[np.float64]
    length: NDArray[np.float64]
    """g, shape (h,)."""
    bias: NDArray[np.float64]
    """b, shape (h,)."""


def fit_report() -> dict[str, Any]:
    """Return how the weights were fitted, and how their scores agree with MiniLM's.

    ``agreement`` holds, for ``score`` and ``score_c``, Spearman's rho over all (person,
    task, method) of the mini personas (``overall``), within each method (``within``), and
    the median of those (``median_within``).

    >>> fit_report()["teacher"]
    'sentence-transformers/all-MiniLM-L6-v2'
    """
    report: dict[str, Any] = json.loads(_shipped(_REPORT).decode("utf-8"))
    return report


def _shipped(name: str) -> bytes:
    try:
        return files("eyeprint.models").joinpath("data", name).read_bytes()
    except OSError as error:
        raise ModelUnavailable(
            f"{name} is missing from the installed package ({error.strerror}). Install eyeprint "
            "again; from a checkout: python tools/distil_static_encoder.py"
        ) from error


@cache
def read_weights() -> StaticWeights:
    """Return the shipped weights, read once."""
    with np.load(io.BytesIO(_shipped(_WEIGHTS)), allow_pickle=False) as file:
        held = {name: file[name] for name in file.files}
    small = ("token_weights", "position_weights")
    readout = {
        name: held[name].astype(np.float64)
        for name in StaticWeights._fields
        if name not in (*small, "table")
    }
    return StaticWeights(
        table=held["table"].astype(np.float32) * held["table_scale"].astype(np.float32)[:, None],
        **{name: held[name].astype(np.float32) for name in small},
        **readout,
    )


@cache
def _fingerprint() -> str:
    parts = [hashlib.sha256(_shipped(name)).hexdigest() for name in (_WEIGHTS, _VOCABULARY)]
    return fingerprint_of({"encoder": "static", "recipe": 1, "files": parts, "most": MOST_TOKENS})


class _WordTokens(dict[str, tuple[int, ...]]):
    """Word (what stands between blanks) -> its token numbers, worked out once.

    The tokeniser never joins what blanks divide, so a text's tokens are its words'
    tokens in a row. Looking words up is ten times as fast as tokenising texts.
    """

    def __init__(self) -> None:
        super().__init__()
        self._tokenizer = static_tokenizer()

    def __missing__(self, word: str) -> tuple[int, ...]:
        try:
            found = tuple(self._tokenizer.encode(word, add_special_tokens=False).ids)
        except TypeError:
            # Half of a surrogate pair is no character.
            whole = word.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
            found = tuple(self._tokenizer.encode(whole, add_special_tokens=False).ids)
        if len(self) >= _WORDS_REMEMBERED:
            self.clear()
        self[word] = found
        return found


def static_tokenizer() -> Tokenizer:
    """Return MiniLM's tokeniser (uncased WordPiece), built from the shipped vocabulary."""
    from tokenizers import Tokenizer
    from tokenizers.models import WordPiece
    from tokenizers.normalizers import BertNormalizer
    from tokenizers.pre_tokenizers import BertPreTokenizer

    words = _shipped(_VOCABULARY).decode("utf-8").split("\n")
    numbers = {word: place for place, word in enumerate(words) if word}
    tokenizer = Tokenizer(WordPiece(numbers, unk_token="[UNK]", max_input_chars_per_word=100))
    tokenizer.normalizer = BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = BertPreTokenizer()
    return tokenizer


class StaticEncoder:
    """The text encoder ``static``. Weights are read with the first text.

    >>> encoder = StaticEncoder()
    >>> door, gate, soup = encoder.encode(["a wooden door", "a wooden gate", "hot soup"])
    >>> bool(door @ gate > door @ soup)
    True
    """

    name = "static"

    def __init__(self, note: str = "") -> None:
        self.note = note
        """What a report should say about the choice of this encoder."""
        self._lock = threading.Lock()
        self._words: _WordTokens | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.note,)

    @property
    def fingerprint(self) -> str:
        """SHA-256 over the shipped weights and vocabulary."""
        return _fingerprint()

    @property
    def dim(self) -> int:
        """Length of a vector."""
        return int(read_weights().mix.shape[1])

    @property
    def agreement(self) -> str:
        """How its scores agree with MiniLM's, as a sentence for reports that used it."""
        found = fit_report()["agreement"]
        score, score_c = found["score"], found["score_c"]
        return (
            "The static encoder is a quick look. On the mini personas its scores agree with "
            f"MiniLM's as follows (Spearman's rho over all prompts; median within a method): "
            f"score {score['overall']:.3f}; {score['median_within']:.3f}. "
            f"score-c {score_c['overall']:.3f}; {score_c['median_within']:.3f}."
        )

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return one unit row per text; a text without tokens gets zeros."""
        return self.encode_counted(texts).vectors

    def encode_counted(self, texts: Sequence[str]) -> Encoded:
        """Encode, and say which texts were longer than 254 tokens and were cut.

        Raises:
            UsageError: ``texts`` is one string rather than a sequence of strings.
        """
        if isinstance(texts, str):
            raise UsageError("encode() takes a list of texts, and was given one text.")
        with self._lock:
            words = self._words = self._words if self._words is not None else _WordTokens()
        weights = read_weights()
        vectors = np.empty((len(texts), self.dim), dtype=np.float32)
        cut = np.empty(len(texts), dtype=np.bool_)
        for start in range(0, len(texts), _TEXTS_AT_ONCE):
            part = slice(start, start + _TEXTS_AT_ONCE)
            tokens, counts, cut[part] = _tokens_of(texts[part], words)
            vectors[part] = _readout(_pooled(tokens, counts, weights), counts, weights)
        return Encoded(vectors, cut)


def _tokens_of(
    texts: Sequence[str], words: _WordTokens
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.bool_]]:
    """Return all tokens in a row, how many each text has, and which texts were cut."""
    lookup = words.__getitem__
    rows = [list(chain.from_iterable(map(lookup, text.split()))) for text in texts]
    lengths = np.fromiter(map(len, rows), np.int64, len(rows))
    cut = lengths > MOST_TOKENS
    for place in np.flatnonzero(cut).tolist():
        del rows[place][MOST_TOKENS:]
    counts = np.minimum(lengths, MOST_TOKENS)
    total = int(counts.sum())
    return np.fromiter(chain.from_iterable(rows), np.int32, total), counts, cut


def _pooled(
    tokens: NDArray[np.int32], counts: NDArray[np.int64], weights: StaticWeights
) -> NDArray[np.float32]:
    """Return x, shape (n, 2 d): both weighted sums of each text, each of length 1 or 0."""
    from scipy.sparse import csr_array

    ends = np.cumsum(counts)
    starts = np.concatenate([[0], ends])
    positions = np.arange(len(tokens)) - np.repeat(ends - counts, counts)
    size, dim = weights.table.shape
    pooled = np.empty((len(counts), 2 * dim), dtype=np.float32)
    for k in range(2):
        shares = weights.token_weights[k][tokens] * weights.position_weights[k][positions]
        # A sparse row adds its vectors one after another, in the order of the text:
        # no sum depends on the other rows.
        matrix = csr_array((shares, tokens, starts), shape=(len(counts), size))
        pooled[:, k * dim : (k + 1) * dim] = _unit(matrix @ weights.table)
    return pooled


def _readout(
    pooled: NDArray[np.float32], counts: NDArray[np.int64], weights: StaticWeights
) -> NDArray[np.float32]:
    """Return v, shape (n, d), rows of length 1, or 0 where a text has no tokens.

    The products are of whole numbers below 2^45, so float64 adds them without any
    rounding, in whatever order and on however many threads the BLAS library likes: a
    row's bits depend on nothing but the row.
    """
    x = np.rint(pooled.astype(np.float64) * _X_STEPS)
    hidden = (x @ weights.inward) * (weights.inward_scale / _X_STEPS) + weights.bias
    hidden += _LENGTHS[counts, None] * weights.length
    hidden = np.rint(np.maximum(hidden, 0) * _HIDDEN_STEPS)
    result = (x @ weights.mix) * (weights.mix_scale / _X_STEPS)
    result += (hidden @ weights.outward) * (weights.outward_scale / _HIDDEN_STEPS)
    result[~pooled.any(axis=1)] = 0
    return _unit(result.astype(np.float32))


def _unit(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    lengths = np.sqrt(np.einsum("nd,nd->n", rows, rows))
    scales: NDArray[np.float32] = np.divide(
        1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0
    )
    return rows * scales[:, None]
