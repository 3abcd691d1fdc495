"""Embeddings over HTTP, against a real server on 127.0.0.1."""

from __future__ import annotations

import base64
import json
import os
import pickle
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eyeprint.errors import CallFailed, ModelUnavailable, UnknownName, UsageError
from eyeprint.models.http_encoder import (
    HttpEncoder,
    HttpEncoderSettings,
    cut_to,
    http_encoder,
    most_tokens,
)
from eyeprint.models.kinds import TextEncoder
from eyeprint.models.retries import RetryPolicy, Waiting

Answer = tuple[int, dict[str, str], Any]
FAST = RetryPolicy(attempts=3, first_wait=0.01, jitter=0.0, retry_after_cap=0.05)


def vector_of(text: str) -> list[float]:
    """Three numbers that tell texts apart, not of length 1."""
    return [float(len(text)), float(text.count("e")) + 1, float(ord(text[0]) % 7)]


class Server:
    """Keeps what was asked; ``script`` holds answers to give before the usual one."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.script: list[Answer | Callable[[dict[str, Any]], Answer]] = []
        self.as_base64 = False
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                server.asked.append(body)
                server.headers.append({k.lower(): v for k, v in self.headers.items()})
                answer = server.script.pop(0) if server.script else server.usual(body)
                status, headers, content = answer(body) if callable(answer) else answer
                raw = content if isinstance(content, bytes) else json.dumps(content).encode()
                self.send_response(status if self.path == "/v1/embeddings" else 404)
                for name, value in {"content-type": "application/json", **headers}.items():
                    self.send_header(name, value)
                self.send_header("content-length", str(len(raw)))
                with suppress(ConnectionError):  # the caller has given up waiting
                    self.end_headers()
                    self.wfile.write(raw)

            def log_message(self, *args: object) -> None:
                """Keep the test's output clean."""

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._http.server_port}/v1"
        serve = self._http.serve_forever
        threading.Thread(target=serve, args=(0.01,), daemon=True).start()

    def usual(self, body: dict[str, Any]) -> Answer:
        def form(row: list[float]) -> Any:
            if not self.as_base64 or body.get("encoding_format") != "base64":
                return row
            return base64.b64encode(np.array(row, dtype="<f4").tobytes()).decode()

        rows = [
            {"object": "embedding", "index": i, "embedding": form(vector_of(text))}
            for i, text in enumerate(body["input"])
        ]
        # Out of order, as some servers answer.
        usage = {"prompt_tokens": 1, "total_tokens": 1}
        return 200, {}, {"object": "list", "data": rows[::-1], "model": "m", "usage": usage}

    def close(self) -> None:
        self._http.shutdown()
        self._http.server_close()


@pytest.fixture
def server() -> Iterator[Server]:
    running = Server()
    yield running
    running.close()


def encoder_for(server: Server, **chosen: Any) -> HttpEncoder:
    how = HttpEncoderSettings(**{"retry": FAST, "concurrency": 1, **chosen})
    return HttpEncoder(f"{server.url}#m", url=server.url, model="m", key="k-1", settings=how)


def expected(texts: list[str]) -> np.ndarray:
    rows = np.array([vector_of(text) for text in texts])
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


@pytest.mark.parametrize("as_base64", [False, True])
def test_rows_follow_texts_and_have_length_one(server: Server, as_base64: bool) -> None:
    server.as_base64 = as_base64
    texts = ["a red door", "three blue doors", "a red door", "नदी"]
    encoder = encoder_for(server)
    vectors = encoder.encode(texts)
    np.testing.assert_allclose(vectors, expected(texts), atol=1e-6)
    assert vectors.dtype == np.float32
    assert isinstance(encoder, TextEncoder)
    # A repeated text is sent once.
    assert server.asked[0]["input"] == ["a red door", "three blue doors", "नदी"]
    assert server.asked[0]["model"] == "m"
    assert server.headers[0]["authorization"] == "Bearer k-1"


def test_blank_texts_are_not_sent_and_have_zero_rows(server: Server) -> None:
    vectors = encoder_for(server).encode(["", " \n", "door"])
    assert not vectors[:2].any()
    assert server.asked[0]["input"] == ["door"]


def test_no_texts_need_no_call(server: Server) -> None:
    assert len(encoder_for(server).encode([])) == 0
    assert server.asked == []


def test_texts_go_in_batches_and_come_back_in_order(server: Server) -> None:
    texts = [f"text {'e' * i}" for i in range(23)]
    encoder = encoder_for(server, batch_texts=4, concurrency=3)
    np.testing.assert_allclose(encoder.encode(texts), expected(texts), atol=1e-6)
    assert sorted(len(body["input"]) for body in server.asked) == [3, 4, 4, 4, 4, 4]


def test_batches_keep_a_token_limit(server: Server) -> None:
    # Thirty ASCII letters count as ten tokens each.
    encoder_for(server, batch_tokens=20).encode([letter * 30 for letter in "abcde"])
    assert sorted(len(body["input"]) for body in server.asked) == [1, 2, 2]


def test_long_texts_are_cut_before_they_are_sent_and_counted(server: Server) -> None:
    result = encoder_for(server, max_tokens=10).encode_counted(["a" * 31, "a" * 30, "नदी पर घर"])
    assert result.cut.tolist() == [True, False, True]
    # Thirty ASCII letters fit ten tokens; three Devanagari signs of three bytes make nine,
    # and the blank after them the tenth.
    assert server.asked[0]["input"] == ["a" * 30, "नदी "]


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=40), st.integers(1, 40))
def test_the_cut_is_the_longest_beginning_that_fits(text: str, limit: int) -> None:
    # Slow twin: try every beginning.
    fitting = [n for n in range(len(text) + 1) if most_tokens(text[:n]) <= limit]
    assert cut_to(text, limit) == text[: max(fitting)]


def test_x1_failures_that_may_pass_are_made_again_with_visible_waits(server: Server) -> None:
    waits: list[Waiting] = []
    server.script = [
        (429, {"retry-after": "0.03"}, {"error": {"message": "slow down"}}),
        (503, {}, {"error": {"message": "starting"}}),
    ]
    encoder = encoder_for(server)
    encoder.on_wait = waits.append
    np.testing.assert_allclose(encoder.encode(["door"]), expected(["door"]), atol=1e-6)
    # Call 1: the header's 0.03 s; call 2: 0.01 s doubled once.
    assert [(wait.kind, wait.seconds) for wait in waits] == [
        ("rate_limit", 0.03),
        ("server_error", 0.02),
    ]


def test_retries_end_and_say_how_many_there_were(server: Server) -> None:
    server.script = [(500, {"retry-after": "900"}, {"error": {"message": "broken"}})] * 5
    with pytest.raises(CallFailed, match=r"broken.*given up after 3 calls") as caught:
        encoder_for(server).encode(["door"])
    assert caught.value.kind == "server_error"
    assert len(server.asked) == 3


@pytest.mark.parametrize(
    ("status", "kind", "hint"),
    [
        (401, "authentication", "key"),
        (404, "not_found", "/v1"),
        (400, "bad_request", "max_tokens"),
    ],
)
def test_failures_that_stay_are_not_made_again(
    server: Server, status: int, kind: str, hint: str
) -> None:
    server.script = [(status, {}, {"error": {"message": "no, k-1 is refused"}})]
    with pytest.raises(CallFailed) as caught:
        encoder_for(server).encode(["door"])
    assert caught.value.kind == kind
    assert hint in str(caught.value)
    # A server may repeat the key: it must not reach logs.
    assert "k-1" not in str(caught.value)
    assert "[key]" in str(caught.value)
    assert len(server.asked) == 1


def _rows(*rows: list[float]) -> Any:
    data = [{"object": "embedding", "index": i, "embedding": r} for i, r in enumerate(rows)]
    return {"object": "list", "data": data, "model": "m", "usage": {"prompt_tokens": 1}}


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (_rows([1.0, 0.0, 0.0]), "1 vectors for 2 texts"),
        (_rows([1.0, 0.0, 0.0], [1.0, 0.0]), "cannot be read"),
        (_rows([1.0, 0.0, 0.0], [float("nan"), 0.0, 0.0]), "NaN"),
        (_rows([1.0, 0.0, 0.0], [0.0, 0.0, 0.0]), "all zero"),
        ({"object": "list", "data": [], "model": "m"}, "embedding"),
        ({"hello": 1}, "no list of embeddings"),
        (b"<html>It works!</html>", "no list of embeddings"),
        (b"[" * 100_000 + b"]" * 100_000, "no list of embeddings"),
        (_rows([1e300, 1e300, 0.0], [1.0, 0.0, 0.0]), "NaN or infinity"),
        ({"data": [{"index": 0, "embedding": [1.0]}] * 2, "model": "m"}, "numbered"),
    ],
)
@pytest.mark.filterwarnings("error")
def test_answers_that_are_no_vectors_are_refused(server: Server, content: Any, what: str) -> None:
    server.script = [(200, {}, content)]
    with pytest.raises(CallFailed, match=what) as caught:
        encoder_for(server).encode(["door", "gate"])
    assert caught.value.kind == "bad_reply"


@pytest.mark.parametrize(
    "answer",
    [
        (200, {"content-encoding": "gzip"}, b"no gzip at all"),
        (307, {"location": "/v1/embeddings"}, b""),
    ],
)
def test_answers_that_cannot_be_read_are_not_asked_for_again(server: Server, answer: Any) -> None:
    server.script = [answer] * 40
    with pytest.raises(CallFailed) as caught:
        encoder_for(server).encode(["door"])
    assert caught.value.kind == "bad_reply"
    assert "calls)" not in str(caught.value)


def test_a_change_of_length_is_refused(server: Server) -> None:
    encoder = encoder_for(server)
    encoder.encode(["door"])
    server.script = [(200, {}, _rows([1.0, 2.0]))]
    with pytest.raises(CallFailed, match="3 numbers were expected"):
        encoder.encode(["gate"])


def test_no_server_is_told_with_its_url(server: Server) -> None:
    server.close()
    with pytest.raises(
        CallFailed, match=r"127\.0\.0\.1.*given up after 3 calls.*running"
    ) as caught:
        encoder_for(server).encode(["door"])
    assert caught.value.kind == "connection"


def test_a_late_answer_is_a_timeout(server: Server) -> None:
    release = threading.Event()

    def late(body: dict[str, Any]) -> Answer:
        release.wait(5)
        return 500, {}, b""

    server.script = [late, late, late]
    with pytest.raises(CallFailed, match=r"within 0\.1 s") as caught:
        encoder_for(server, timeout=0.1).encode(["door"])
    release.set()
    assert caught.value.kind == "timeout"


def test_an_answer_that_never_ends_is_a_timeout() -> None:
    stop = threading.Event()

    class Dripping(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.send_response(200)
            self.end_headers()
            with suppress(OSError):
                while not stop.wait(0.02):
                    self.wfile.write(b" ")

        def log_message(self, *args: object) -> None:
            """Keep the test's output clean."""

    http = ThreadingHTTPServer(("127.0.0.1", 0), Dripping)
    threading.Thread(target=http.serve_forever, args=(0.01,), daemon=True).start()
    once = HttpEncoderSettings(timeout=0.2, retry=RetryPolicy(attempts=1))
    url = f"http://127.0.0.1:{http.server_port}/v1"
    try:
        with pytest.raises(CallFailed, match="did not answer within") as caught:
            HttpEncoder("drip", url=url, model="m", settings=once).encode(["door"])
        assert caught.value.kind == "timeout"
    finally:
        stop.set()
        http.shutdown()
        http.server_close()


def test_dim_of_an_unknown_model_is_asked_once(server: Server) -> None:
    encoder = encoder_for(server)
    assert (encoder.dim, encoder.dim) == (3, 3)
    assert len(server.asked) == 1
    known = HttpEncoder("openai/x", url=server.url, model="text-embedding-3-small")
    assert known.dim == 1536


def test_fingerprint_follows_model_endpoint_and_limits(server: Server) -> None:
    def of(url: str = "http://h/v1", model: str = "m", **chosen: Any) -> str:
        how = HttpEncoderSettings(**chosen)
        return HttpEncoder("n", url=url, model=model, settings=how).fingerprint

    assert of() == of(url="http://h/v1/") == of(batch_texts=3, timeout=1.0)
    prints = [of(), of(url="http://g/v1"), of(model="o"), of(dimensions=8), of(max_tokens=9)]
    assert len(set(prints)) == 5


def test_dimensions_are_asked_for(server: Server) -> None:
    encoder_for(server, dimensions=3).encode(["door"])
    assert server.asked[0]["dimensions"] == 3


def test_a_pickled_encoder_works(server: Server) -> None:
    encoder = encoder_for(server)
    encoder.encode(["door"])
    copy = pickle.loads(pickle.dumps(encoder))
    np.testing.assert_allclose(copy.encode(["gate"]), expected(["gate"]), atol=1e-6)


def test_names_lead_to_endpoints(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    encoder = http_encoder("openai/any", HttpEncoderSettings(retry=FAST))
    assert (encoder.url, encoder.model) == (server.url, "any")
    encoder.encode(["door"])
    assert server.headers[0]["authorization"] == "Bearer secret"
    assert "secret" not in repr(encoder) + encoder.fingerprint
    named = http_encoder(f"{server.url}#some/model")
    assert (named.url, named.model) == (server.url, "some/model")


def test_names_that_lead_nowhere_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("OPENAI_BASE_URL", "OPENAI_API_KEY"):
        if variable in os.environ:
            monkeypatch.delenv(variable)
    with pytest.raises(ModelUnavailable, match="OPENAI_API_KEY"):
        http_encoder("openai/text-embedding-3-small")
    with pytest.raises(UnknownName, match="Did you mean 'openai'"):
        http_encoder("opnai/x")
    with pytest.raises(UsageError, match="lacks the model"):
        http_encoder("http://h/v1")
    with pytest.raises(UsageError, match="no user, password") as caught:
        http_encoder("http://me:hunter2@h/v1#m")
    assert "hunter2" not in str(caught.value)
