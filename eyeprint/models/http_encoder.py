"""Text encoders behind any server with an OpenAI-compatible ``/embeddings`` (CHECKLIST X1, X2).

The paper's encoder is ``openai/text-embedding-3-small``. Hosted services, vLLM, Ollama,
llama.cpp and text-embeddings-inference speak the same protocol. Calls go over the same
wire as those of chats (:mod:`eyeprint.models.http_wire`), with the same visible and
bounded retries. Vectors are asked for in base64, a third of the size; servers that do
not know it send numbers.

Servers do not promise the same bits for the same text twice, and some change a little
with the batch. Vectors of people are therefore kept (``store/embeddings.py``) and not
asked for again.

**Long texts.** A server refuses a text that is longer than its model reads, so the text
is cut here, before it is sent, and counted: to as many characters as surely fit
``max_tokens`` tokens by :func:`most_tokens`. A short request is never changed.
"""

from __future__ import annotations

import base64
import json
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from eyeprint.config import Settings, fingerprint_of
from eyeprint.errors import CallFailed, UsageError
from eyeprint.models.chat_wire import Failure, clean_text, read_failure
from eyeprint.models.hosts import address_of
from eyeprint.models.http_wire import Tries, client_options, failure_of
from eyeprint.models.kinds import Encoded, Vectors
from eyeprint.models.retries import RetryPolicy, Waiting, read_retry_after
from eyeprint.records.json_text import parse_json

if TYPE_CHECKING:
    import httpx2

DIMS: Mapping[str, int] = {
    "text-embedding-3-small": 1536,
    "text-embedding-3-large": 3072,
    "text-embedding-ada-002": 1536,
}
"""Known lengths of vectors; other models are asked with one word."""

TOKEN_LIMITS: Mapping[str, int] = dict.fromkeys(DIMS, 8191)
"""Known limits of one text; other models get texts as they are, unless it is set."""


class HttpEncoderSettings(Settings):
    """How an embeddings server is called."""

    max_tokens: int | None = Field(default=None, ge=1)
    """Most tokens of one text; ``None`` takes :data:`TOKEN_LIMITS`, or does not cut."""
    dimensions: int | None = Field(default=None, ge=1)
    """Ask for shorter vectors, where the model can give them."""
    batch_texts: int = Field(default=128, ge=1, le=2048)
    """Most texts in one request."""
    batch_tokens: int = Field(default=100_000, ge=1)
    """Most tokens in one request, by the same reckoning as ``max_tokens``."""
    concurrency: int = Field(default=4, ge=1)
    """Requests under way at once."""
    timeout: float = Field(default=120.0, gt=0)
    """Seconds for one request."""
    retry: RetryPolicy = RetryPolicy()
    """When a failed request is made again, with its waits."""


def most_tokens(text: str) -> int:
    """Return a number of tokens that prose does not exceed in a byte-level tokeniser.

    Three bytes of ASCII a token (English has 4 to 5), and one token for every other byte,
    which no byte-level tokeniser can exceed.

    >>> most_tokens("a red door"), most_tokens("नदी")
    (4, 9)
    """
    size = len(text.encode("utf-8", "surrogatepass"))
    ascii_count = sum(map(str.isascii, text)) if size > len(text) else size
    return -(-ascii_count // 3) + size - ascii_count


def cut_to(text: str, limit: int) -> str:
    """Return the longest beginning of ``text`` within ``limit`` by :func:`most_tokens`."""
    if most_tokens(text) <= limit:
        return text
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if most_tokens(text[:middle]) <= limit else (low, middle - 1)
    return text[:low]


class HttpEncoder:
    """One embedding model on one server; rows are divided by their length.

    Raises (when encoding):
        CallFailed: the server gave no usable vectors; ``kind`` says why. Calls that may
            pass (time-outs, 408, 429, 5xx, no connection) were made again before.
    """

    def __init__(
        self,
        name: str,
        *,
        url: str,
        model: str,
        key: str | None = None,
        settings: HttpEncoderSettings | None = None,
        on_wait: Callable[[Waiting], None] | None = None,
    ) -> None:
        self.name, self.model = name, model
        self.url = url.rstrip("/")
        self.settings = settings or HttpEncoderSettings()
        self.on_wait = on_wait
        self.note = ""
        self._key = key
        self._dim = self.settings.dimensions or DIMS.get(model)
        self._client: tuple[int, httpx2.Client] | None = None
        self._limit = self.settings.max_tokens or TOKEN_LIMITS.get(model)

    def __repr__(self) -> str:
        return f"HttpEncoder({self.name!r}, url={self.url!r})"

    @property
    def fingerprint(self) -> str:
        """SHA-256 over the model, its endpoint, the vectors' length and the token limit."""
        return fingerprint_of(
            {
                "encoder": "http",
                "recipe": 1,
                "model": self.model,
                "url": self.url,
                "dimensions": self.settings.dimensions,
                "max_tokens": self._limit,
            }
        )

    @property
    def dim(self) -> int:
        """Length of a vector; for an unknown model the server is asked once."""
        if self._dim is None:
            self._dim = len(self._vectors(["length"])[0])
        return self._dim

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return one unit row per text; a blank text gets zeros and is not sent."""
        return self.encode_counted(texts).vectors

    def encode_counted(self, texts: Sequence[str]) -> Encoded:
        """Encode, and say which texts were cut before they were sent.

        Raises:
            UsageError: ``texts`` is one string rather than a sequence of strings.
        """
        if isinstance(texts, str):
            raise UsageError("encode() takes a list of texts, and was given one text.")
        whole = [clean_text(text) for text in texts]
        sent = [text if self._limit is None else cut_to(text, self._limit) for text in whole]
        cut = np.array([len(a) < len(b) for a, b in zip(sent, whole, strict=True)], dtype=np.bool_)
        distinct = [text for text in dict.fromkeys(sent) if text.strip()]
        batches = list(self._batches(distinct))
        with ThreadPoolExecutor(self.settings.concurrency) as pool:
            rows = [row for found in pool.map(self._vectors, batches) for row in found]
        by_text = dict(zip(distinct, rows, strict=True))
        vectors = np.zeros((len(texts), self.dim if texts else self._dim or 0), dtype=np.float32)
        for place, text in enumerate(sent):
            if text in by_text:
                vectors[place] = by_text[text]
        return Encoded(vectors, cut)

    def _batches(self, texts: Sequence[str]) -> Iterator[list[str]]:
        batch: list[str] = []
        tokens = 0
        for text in texts:
            size = most_tokens(text)
            full = len(batch) >= self.settings.batch_texts
            if batch and (full or tokens + size > self.settings.batch_tokens):
                yield batch
                batch, tokens = [], 0
            batch.append(text)
            tokens += size
        if batch:
            yield batch

    def _vectors(self, batch: Sequence[str]) -> NDArray[np.float32]:
        """Return the unit rows of one request, which is made again where that may help."""
        tries = Tries(self.name, self.settings.retry, self._key, self.on_wait)
        while True:
            result, retry_after = self._call(batch)
            if not isinstance(result, Failure):
                return self._checked(result, len(batch))
            if not tries.again(result):
                raise CallFailed(result.kind, self._told(result.kind, tries.told(result)))
            one = fingerprint_of([self.name, list(batch)])
            time.sleep(tries.wait(result, one, retry_after))

    def _call(self, batch: Sequence[str]) -> tuple[list[Any] | Failure, float | None]:
        """Make one call; return its list of vectors, or why there is none, and Retry-After."""
        import httpx2

        body: dict[str, Any] = {"model": self.model, "input": list(batch)}
        body["encoding_format"] = "base64"
        if self.settings.dimensions is not None:
            body["dimensions"] = self.settings.dimensions
        try:
            answer = self._client_here().post(
                f"{self.url}/embeddings", content=json.dumps(body).encode()
            )
        except httpx2.RequestError as error:
            return failure_of(error, self.url, self.settings.timeout), None
        if answer.status_code != 200:
            failure = read_failure(answer.status_code, answer.content)
            if not isinstance(failure, Failure):
                failure = Failure("bad_request", failure.detail, False)
            return failure, read_retry_after(answer.headers.get("retry-after"))
        return _data_of(answer.content), None

    def _checked(self, data: list[Any], count: int) -> NDArray[np.float32]:
        try:
            # Some servers answer out of order; the index says which text a row is of.
            rows = [_row_of(each) for each in sorted(data, key=lambda each: each["index"])]
            places = sorted(each["index"] for each in data)
            vectors = np.array(rows, dtype=np.float64)
        except (ValueError, TypeError, LookupError) as error:
            raise self._bad(f"its vectors cannot be read ({error})") from error
        if len(data) != count:
            raise self._bad(f"it sent {len(data)} vectors for {count} texts")
        if places != list(range(count)):
            raise self._bad("its vectors are not numbered 0, 1, 2 ... by 'index'")
        if vectors.ndim != 2 or (self._dim is not None and vectors.shape[1] != self._dim):
            wanted = "vectors" if self._dim is None else f"vectors of {self._dim} numbers"
            raise self._bad(f"{wanted} were expected, not rows of shape {vectors.shape[1:]}")
        with np.errstate(over="ignore"):
            lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        if not np.all(np.isfinite(lengths)) or not np.all(lengths > 0):
            raise self._bad("a vector holds NaN or infinity, or is all zero")
        self._dim = vectors.shape[1]
        unit_rows: NDArray[np.float32] = (vectors / lengths).astype(np.float32)
        return unit_rows

    def _bad(self, what: str) -> CallFailed:
        return CallFailed("bad_reply", self._told("bad_reply", f"The answer is odd: {what}."))

    def _told(self, kind: str, detail: str) -> str:
        hint = {
            "authentication": " Check the key in the environment.",
            "connection": " Is the server running, and the URL right?",
            "not_found": " Check the model's name and that the URL ends in /v1.",
            "bad_request": " If a text is too long for the model, set max_tokens.",
        }.get(kind, "")
        return f"{self.name}: {detail}{hint}"

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_client": None}

    def _client_here(self) -> httpx2.Client:
        # Connections cannot be shared with a forked child.
        if self._client is None or self._client[0] != os.getpid():
            import httpx2

            from eyeprint.models.answer_deadline import ending_after

            client = httpx2.Client(
                timeout=self.settings.timeout,
                event_hooks={"response": [ending_after(self.settings.timeout)]},
                **client_options(self.url, self._key),
            )
            self._client = (os.getpid(), client)
        return self._client[1]


def _data_of(raw: bytes) -> list[Any] | Failure:
    """Return the list in an embeddings answer, or why there is none."""
    try:
        # A vector with NaN is told as such, by whoever looks at the numbers.
        answer = parse_json(raw, non_finite_is_null=True)
    except ValueError as error:
        what = clean_text(str(error))[:200]
        return Failure("bad_reply", f"The answer is no list of embeddings ({what}).", False)
    data = answer.get("data") if isinstance(answer, dict) else None
    if not isinstance(data, list) or not data:
        return Failure("bad_reply", "The answer is no list of embeddings.", False)
    return data


def _row_of(item: Any) -> Any:
    """Return one vector: numbers, or float32 in base64, as servers choose."""
    given = item["embedding"]
    if isinstance(given, str):
        return np.frombuffer(base64.b64decode(given, validate=True), dtype="<f4")
    return given


def http_encoder(
    name: str,
    settings: HttpEncoderSettings | None = None,
    on_wait: Callable[[Waiting], None] | None = None,
) -> HttpEncoder:
    """Return the encoder of ``HOST/MODEL`` (``data/hosts.toml``) or ``http://HOST/v1#MODEL``.

    Raises:
        UnknownName, UsageError, ModelUnavailable: see
            :func:`eyeprint.models.hosts.address_of`.

    >>> http_encoder("http://127.0.0.1:8000/v1#bge-small").model
    'bge-small'
    """
    found = address_of(name)
    return HttpEncoder(
        name, url=found.url, model=found.model, key=found.key, settings=settings, on_wait=on_wait
    )
