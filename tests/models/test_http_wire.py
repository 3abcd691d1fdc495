"""The wire that chats and encoders share: what errors stand for, and when calls are repeated."""

from __future__ import annotations

import ast
from pathlib import Path

import httpx2
import pytest

from eyeprint.models.chat_wire import Failure
from eyeprint.models.http_wire import Tries, client_options, failure_of
from eyeprint.models.retries import RetryPolicy, Waiting

KEY = "sk-secret"
PASSING = Failure("server_error", f"no, {KEY} is busy", True)


@pytest.mark.parametrize(
    ("error", "kind", "may_pass", "maybe_billed"),
    [
        (TimeoutError(), "timeout", True, True),
        (httpx2.ReadTimeout("x"), "timeout", True, True),
        (httpx2.ConnectError("x"), "connection", True, False),
        (httpx2.ProxyError("x"), "connection", True, False),
        (httpx2.ReadError("x"), "connection", True, True),
        (httpx2.RemoteProtocolError("x"), "connection", True, True),
        (httpx2.DecodingError("x"), "bad_reply", False, True),
        (httpx2.TooManyRedirects("x"), "bad_reply", False, True),
    ],
)
def test_x1_what_an_error_stands_for(
    error: httpx2.RequestError | TimeoutError, kind: str, may_pass: bool, maybe_billed: bool
) -> None:
    failure = failure_of(error, "http://h/v1", 1.5)
    assert (failure.kind, failure.may_pass, failure.maybe_billed) == (kind, may_pass, maybe_billed)
    assert "http://h/v1" in failure.detail


def test_x1_an_error_without_words_is_told_by_its_name() -> None:
    assert failure_of(httpx2.ReadError(""), "http://h/v1", 1.0).detail == "http://h/v1: ReadError"


def test_x1_tries_are_counted_bounded_and_told() -> None:
    waits: list[Waiting] = []
    tries = Tries("m", RetryPolicy(attempts=3, jitter=0.0), KEY, waits.append)
    assert tries.told(PASSING) == "no, [key] is busy", "the first call is not given up"
    while tries.again(PASSING):
        tries.wait(PASSING, "one")
    assert [(wait.attempt, wait.attempts, wait.seconds) for wait in waits] == [
        (1, 3, 1.0),
        (2, 3, 2.0),
    ]
    assert KEY not in str(waits)
    assert tries.told(PASSING) == "no, [key] is busy (given up after 3 calls)"
    assert not Tries("m", RetryPolicy(), None, None).again(PASSING._replace(may_pass=False))


def test_no_key_no_header_and_no_proxy_for_this_machine() -> None:
    here, there = client_options("http://localhost:1/v1", None), client_options("https://h/v1", KEY)
    assert ("authorization" in here["headers"], here["trust_env"]) == (False, False)
    assert there["headers"]["authorization"] == f"Bearer {KEY}"
    assert there["trust_env"]


def test_there_is_one_http_stack() -> None:
    """Nothing in the package imports another HTTP client, at the top or within functions."""
    others = {"openai", "httpx", "requests", "aiohttp", "urllib3"}
    for path in (Path(__file__).parents[2] / "eyeprint").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not others & {name.partition(".")[0] for name in names}, path
