"""Chat over HTTP against a real server in a process of its own (CHECKLIST X1)."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyeprint.errors import ModelUnavailable, UnknownName, UsageError
from eyeprint.models.chat_http import HttpSettings, http_chat
from eyeprint.models.chat_wire import (
    Failure,
    clean_text,
    outcome_of,
    read_completion,
    read_failure,
    request_body,
    usage_of,
)
from eyeprint.models.decoding import decoding_for
from eyeprint.models.hosts import hosts
from eyeprint.models.kinds import ChatRequest, Message, Reply, Usage
from eyeprint.models.prices import Price
from eyeprint.models.retries import RetryPolicy, Waiting, read_retry_after
from tests.servers.local_chat import LocalChatServer

KEY = "sk-very-secret-0123456789"
FAST = HttpSettings(retry=RetryPolicy(attempts=4, first_wait=0.01, retry_after_cap=0.05))


@pytest.fixture(scope="module")
def server() -> Iterator[LocalChatServer]:
    with LocalChatServer() as running:
        yield running


def ask(text: str, **parameters: Any) -> ChatRequest:
    return ChatRequest(messages=(Message(role="user", text=text),), **parameters)


def reply_to(
    server: LocalChatServer,
    text: str,
    rules: list[dict[str, Any]] | None = None,
    settings: HttpSettings = FAST,
    waits: list[Waiting] | None = None,
    **parameters: Any,
) -> Reply:
    server.control(rules=rules or [], latency=0.0, reset=True)
    chat = http_chat(server.model(), settings=settings, on_wait=(waits or []).append)
    if waits is not None:
        chat.on_wait = waits.append

    async def once() -> Reply:
        try:
            return await chat.reply(ask(text, **parameters))
        finally:
            await chat.close()

    return asyncio.run(once())


def test_x1_a_reply_carries_model_usage_finish_reason_and_time(server: LocalChatServer) -> None:
    reply = reply_to(server, "a red door", [{"latency": 0.05}])
    assert reply.outcome == "answered"
    assert reply.text.endswith("to a red door")
    assert reply.served_model == "m-served"
    assert reply.finish_reason == "stop"
    # The server counts a token for four characters, and one more: 10 // 4 + 1.
    assert reply.usage.input_tokens == 3
    assert 0.05 <= reply.seconds < 5
    assert reply.cost_usd is None, "a local server's price is unknown, not 0"


def test_x1_every_parameter_is_sent_and_unset_ones_are_not(server: LocalChatServer) -> None:
    reply_to(
        server, "hello", temperature=0.1, top_p=0.9, max_tokens=7, seed=42, stop=("END",),
        json_mode=True,
    )  # fmt: skip
    assert server.counts()["last"]["body"] == {
        "model": "m",
        "messages": [{"role": "user", "content": "hello"}],
        "temperature": 0.1,
        "top_p": 0.9,
        "max_tokens": 7,
        "seed": 42,
        "stop": ["END"],
        "response_format": {"type": "json_object"},
    }
    reply_to(server, "hello")
    assert set(server.counts()["last"]["body"]) == {"model", "messages"}


def test_x1_the_limit_field_is_a_setting_for_servers_that_refuse_one(
    server: LocalChatServer,
) -> None:
    picky = [{"if_field": "max_tokens", "status": 400, "error": "Unsupported parameter"}]
    refused = reply_to(server, "hello", picky, max_tokens=5)
    assert (refused.outcome, refused.failure) == ("failed", "bad_request")
    assert "Unsupported parameter" in refused.detail
    newer = FAST.model_copy(update={"limit_field": "max_completion_tokens"})
    assert reply_to(server, "hello", picky, newer, max_tokens=5).outcome == "answered"


@pytest.mark.parametrize(
    ("rule", "kind"),
    [
        ({"status": 429}, "rate_limit"),
        ({"status": 500}, "server_error"),
        ({"status": 503}, "server_error"),
        ({"status": 408}, "timeout"),
        ({"drop": True}, "connection"),
    ],
)
def test_x1_what_may_pass_is_tried_again_and_the_wait_is_visible(
    server: LocalChatServer, rule: dict[str, Any], kind: str
) -> None:
    waits: list[Waiting] = []
    reply = reply_to(server, "q", [rule | {"times": 2}], waits=waits)
    assert reply.outcome == "answered"
    assert [(wait.attempt, wait.kind, wait.attempts) for wait in waits] == [
        (1, kind, 4),
        (2, kind, 4),
    ]
    assert kind in str(waits[0])
    assert server.counts()["received"]["q"] == 3


def test_x1_retries_are_bounded_and_the_failure_keeps_its_kind(server: LocalChatServer) -> None:
    reply = reply_to(server, "q", [{"status": 429}])
    assert (reply.outcome, reply.failure) == ("failed", "rate_limit")
    assert "given up after 4 calls" in reply.detail
    assert server.counts()["received"]["q"] == 4


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, "bad_request"),
        (401, "authentication"),
        (403, "authentication"),
        (404, "not_found"),
        (422, "bad_request"),
    ],
)
def test_x1_other_client_errors_fail_at_once(
    server: LocalChatServer, status: int, kind: str
) -> None:
    reply = reply_to(server, "q", [{"status": status, "error": "no such thing"}])
    assert (reply.outcome, reply.failure) == ("failed", kind)
    assert f"HTTP {status}: no such thing" in reply.detail
    assert server.counts()["received"]["q"] == 1


def test_x1_a_used_up_account_is_not_asked_again(server: LocalChatServer) -> None:
    reply = reply_to(server, "q", [{"status": 429, "code": "insufficient_quota"}])
    assert reply.failure == "rate_limit"
    assert server.counts()["received"]["q"] == 1


def test_x1_a_hanging_server_is_a_timeout(server: LocalChatServer) -> None:
    settings = HttpSettings(timeout=0.1, retry=RetryPolicy(attempts=2, first_wait=0.01))
    reply = reply_to(server, "q", [{"hang": True, "times": 2}], settings)
    assert (reply.outcome, reply.failure) == ("failed", "timeout")
    assert server.counts()["received"]["q"] == 2


def test_x1_no_server_is_a_connection_failure() -> None:
    chat = http_chat("http://127.0.0.1:9/v1#m", settings=FAST)
    reply = asyncio.run(chat.reply(ask("q")))
    assert (reply.outcome, reply.failure) == ("failed", "connection")


def test_x1_retry_after_is_honoured_up_to_the_cap(server: LocalChatServer) -> None:
    waits: list[Waiting] = []
    settings = HttpSettings(
        retry=RetryPolicy(attempts=3, first_wait=0.001, jitter=0.0, retry_after_cap=0.2)
    )
    rules = [
        {"status": 429, "headers": {"Retry-After": "0.1"}, "times": 1},
        {"status": 429, "headers": {"Retry-After": "3600"}, "times": 1},
    ]
    reply = reply_to(server, "q", rules, settings, waits)
    assert [wait.seconds for wait in waits] == [0.1, 0.2]
    assert reply.seconds >= 0.3


@pytest.mark.parametrize(
    ("rule", "outcome"),
    [
        ({"text": ""}, "empty"),
        ({"text": " \n"}, "empty"),
        ({"text": None}, "empty"),
        ({"text": "A red do", "finish": "length"}, "truncated"),
        ({"text": "", "finish": "length"}, "truncated"),
        ({"text": None, "refusal": "I won't."}, "refused"),
        ({"text": "", "finish": "content_filter"}, "refused"),
        ({"text": "I'm sorry, but I can't assist with that."}, "refused"),
        ({"status": 400, "code": "content_filter"}, "refused"),
    ],
)
def test_x9_what_is_no_answer_is_called_what_it_is(
    server: LocalChatServer, rule: dict[str, Any], outcome: str
) -> None:
    assert reply_to(server, "q", [rule]).outcome == outcome


@pytest.mark.parametrize("body", ["", "<html>", "[]", "{}", '{"choices": []}', '{"choices":[{}]}'])
def test_x9_an_unreadable_answer_is_a_bad_reply(server: LocalChatServer, body: str) -> None:
    reply = reply_to(server, "q", [{"body": body}])
    assert (reply.outcome, reply.failure) == ("failed", "bad_reply")


def test_keys_reach_the_header_and_nothing_else(
    server: LocalChatServer,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setenv("EYEPRINT_API_KEY", KEY + "\n")
    caplog.set_level(logging.DEBUG)
    rules = [{"status": 401, "error": f"Incorrect API key provided: {KEY}"}]
    reply = reply_to(server, "q", rules)
    assert server.counts()["last"]["headers"]["authorization"].endswith(KEY)
    assert "[key]" in reply.detail
    chat = http_chat(server.model(), settings=FAST)
    shown = repr(chat) + reply.model_dump_json() + caplog.text + repr(vars(chat.settings))
    assert KEY not in shown


def test_without_a_key_no_authorization_is_sent(
    server: LocalChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("EYEPRINT_API_KEY", raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    reply_to(server, "q")
    assert "authorization" not in server.counts()["last"]["headers"]


def test_a_missing_key_is_told_with_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with pytest.raises(ModelUnavailable, match="OPENAI_API_KEY"):
        http_chat("openai/gpt-4o-mini")


def test_a_base_url_replaces_the_hosts_and_changes_the_ledger_name(
    server: LocalChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    assert http_chat("openai/gpt-4o-mini").ledger_name == "openai/gpt-4o-mini"
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    chat = http_chat("openai/gpt-4o-mini")
    assert chat.ledger_name == f"openai/gpt-4o-mini at {server.url}"
    server.control(rules=[], reset=True)
    reply = asyncio.run(chat.reply(ask("q", max_tokens=9)))
    # Three tokens in, a few out, at 0.15 and 0.60 dollars a million.
    assert reply.usage.output_tokens is not None
    assert reply.cost_usd == pytest.approx((1 * 0.15 + reply.usage.output_tokens * 0.60) / 1e6)
    assert server.counts()["last"]["body"]["max_completion_tokens"] == 9


@pytest.mark.parametrize(
    "name",
    ["http://me:hush@h/v1#m", "http://h/v1?api-key=hush#m", "http://h/v1", "openai/", "ftp://h#m"],
)
def test_bad_names_are_usage_errors_and_secrets_in_them_are_not_repeated(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with pytest.raises(UsageError) as caught:
        http_chat(name)
    assert "hush" not in str(caught.value)


def test_an_unknown_host_names_its_nearest() -> None:
    with pytest.raises(UnknownName, match="openai"):
        http_chat("opnai/gpt-4o-mini")


def test_a_key_with_odd_characters_is_refused_without_showing_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-“quoted”")
    with pytest.raises(UsageError) as caught:
        http_chat("openai/gpt-4o-mini")
    assert "quoted" not in str(caught.value)


def test_x17_calls_run_at_once_but_no_more_than_allowed(server: LocalChatServer) -> None:
    server.control(rules=[], latency=0.05, reset=True)
    chat = http_chat(server.model(), settings=HttpSettings(at_once=11))

    async def many() -> list[Reply]:
        replies = await asyncio.gather(*(chat.reply(ask(f"q{i}")) for i in range(40)))
        await chat.close()
        return replies

    replies = asyncio.run(many())
    assert {reply.outcome for reply in replies} == {"answered"}
    assert [reply.text.rsplit(" ", 1)[1] for reply in replies] == [f"q{i}" for i in range(40)]
    assert server.counts()["most_in_flight"] == 11


def test_one_chat_serves_one_loop_after_another(server: LocalChatServer) -> None:
    server.control(rules=[], latency=0.0)
    chat = http_chat(server.model())
    assert [asyncio.run(chat.reply(ask(q))).outcome for q in "abc"] == ["answered"] * 3


def test_odd_characters_in_a_request_and_a_reply_arrive(server: LocalChatServer) -> None:
    text = 'हिन्दी العربية 中文 "quoted" \\ \u2028 😀'
    reply = reply_to(server, text, [{"text": text}])
    assert reply.text == text
    assert server.counts()["last"]["body"]["messages"][0]["content"] == text


def test_clean_text_replaces_what_no_database_takes() -> None:
    assert clean_text("a\x00b\ud800c😀") == "a�b�c😀"


@given(st.text(st.characters()))
def test_clean_text_leaves_text_alone(text: str) -> None:
    cleaned = clean_text(text)
    cleaned.encode()
    if "\x00" not in text and not any("\ud800" <= sign <= "\udfff" for sign in text):
        assert cleaned == text
    assert clean_text(cleaned) == cleaned


def test_request_body_is_ascii_so_that_half_surrogates_can_be_sent() -> None:
    assert b"\\ud800" in request_body(ask("\ud800"), "m", "max_tokens")


def test_x16_hidden_reasoning_counts_as_output() -> None:
    usage = usage_of({"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 620})
    assert (usage.input_tokens, usage.output_tokens) == (100, 520)
    assert usage_of(None).input_tokens is None
    assert usage_of({"prompt_tokens": "7"}).input_tokens is None
    # A negative count would earn money, a huge one fits into no database.
    assert usage_of({"prompt_tokens": -5, "completion_tokens": 10**30}) == Usage()


def test_read_completion_joins_parts_of_content() -> None:
    parts = [{"type": "text", "text": "a "}, {"type": "image"}, {"type": "text", "text": "b"}]
    raw = json.dumps({"choices": [{"message": {"content": parts}, "finish_reason": "stop"}]})
    reply = read_completion(raw.encode())
    assert isinstance(reply, Reply)
    assert reply.text == "a b"
    assert reply.usage.output_tokens is None


@pytest.mark.parametrize(
    ("status", "may_pass"),
    [(302, False), (400, False), (429, True), (500, True), (502, True), (599, True)],
)
def test_read_failure_knows_what_may_pass(status: int, may_pass: bool) -> None:
    failure = read_failure(status, b'[{"error": {"message": "x"}}]')
    assert isinstance(failure, Failure)
    assert failure.may_pass is may_pass
    assert failure.detail.startswith(f"HTTP {status}: x")


def test_outcome_of_a_refusal_in_words_needs_the_reply_to_decline() -> None:
    assert outcome_of('The sign says "I cannot help with that."', "stop", None) == "answered"


def test_retry_waits_grow_are_capped_and_repeat() -> None:
    policy = RetryPolicy(first_wait=1.0, growth=2.0, longest_wait=5.0, jitter=0.5)
    waits = [policy.wait(attempt, "key") for attempt in range(1, 6)]
    assert waits == [policy.wait(attempt, "key") for attempt in range(1, 6)]
    for wait, base in zip(waits, [1, 2, 4, 5, 5], strict=True):
        assert base <= wait <= base * 1.5
    assert policy.wait(1, "key") != policy.wait(1, "other key")
    # Five waits, each at most 1.5 times the larger cap.
    assert RetryPolicy(retry_after_cap=60, longest_wait=5, jitter=0.5).longest() == 5 * 60 * 1.5


def test_retry_after_reads_seconds_and_dates() -> None:
    now = datetime(2026, 1, 1, 12, 0, 0, tzinfo=UTC)
    assert read_retry_after("Thu, 01 Jan 2026 12:00:30 GMT", now) == 30
    assert read_retry_after("Thu, 01 Jan 2026 11:00:00 GMT", now) is None
    for nonsense in (None, "", "soon", "-5", "nan", "inf", "1e300"):
        assert read_retry_after(nonsense, now) is None


def test_hosts_table_is_whole() -> None:
    table = hosts()
    assert {"openai", "gemini", "openrouter", "together", "ollama", "vllm"} <= set(table)
    for host in table.values():
        assert host.url.startswith("http")
        assert not host.url.endswith("/")


def test_v46_the_papers_decoding_and_its_gaps() -> None:
    # §16: Qwen T 0.1, top-p 0.9, 256 tokens, seed 42; 4o-mini T 0.1, seed 42; Gemini T 0.7,
    # top-p 0.95. What it leaves open is named.
    qwen = decoding_for("vllm/Qwen/Qwen2.5-7B-Instruct")
    assert (qwen.temperature, qwen.top_p, qwen.max_tokens, qwen.seed) == (0.1, 0.9, 256, 42)
    assert qwen.gaps == ()
    mini = decoding_for("openai/gpt-4o-mini")
    assert (mini.temperature, mini.seed, mini.top_p) == (0.1, 42, None)
    assert set(mini.gaps) == {"top_p", "max_tokens"}
    gemini = decoding_for("gemini/gemini-2.5-pro")
    assert (gemini.temperature, gemini.top_p, gemini.seed) == (0.7, 0.95, None)
    assert set(gemini.gaps) == {"max_tokens", "seed"}
    assert decoding_for("http://127.0.0.1:1/v1#qwen2.5:7b-instruct").preset == "qwen"
    assert decoding_for("echo").preset == "other"


def test_a_price_that_is_given_is_reckoned_with(server: LocalChatServer) -> None:
    server.control(rules=[{"text": "x"}], reset=True)
    chat = http_chat(server.model(), price=Price(input=1e6, output=2e6))
    # "q" is one token for the server, and so is "x": 1 + 2 dollars.
    assert asyncio.run(chat.reply(ask("q"))).cost_usd == pytest.approx(3.0)
