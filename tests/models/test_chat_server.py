"""Any chat behind the OpenAI protocol: what is asked arrives, whatever is wrong is told (X1)."""

from __future__ import annotations

import asyncio
import base64
import io
import json
import socket
import subprocess
import sys
import time
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer
from PIL import Image
from typer.testing import CliRunner

from eyeprint.cli import serve
from eyeprint.errors import ModelUnavailable, UsageError
from eyeprint.models.chat_http import HttpChat, HttpSettings, http_chat
from eyeprint.models.chat_server import ChatServer
from eyeprint.models.chat_server_connections import ServerSettings
from eyeprint.models.fakes import CountingChat, EchoChat, ScriptedChat
from eyeprint.models.kinds import ChatRequest, Message, Reply, Usage
from eyeprint.models.pictures import image_part, open_picture
from eyeprint.models.retries import RetryPolicy

NOISE = np.random.default_rng(11).integers(0, 256, (3, 30, 20, 3), np.uint8)
ONE, TWO, THREE = (open_picture(pixels) for pixels in NOISE)
FILTERED = Reply(text="No.", outcome="refused", finish_reason="content_filter")
ONCE = HttpSettings(retry=RetryPolicy(attempts=1), timeout=20)


def asked(text: str, **more: Any) -> ChatRequest:
    return ChatRequest(messages=(Message(role="user", text=text),), **more)


def ask(server: ChatServer, *requests: ChatRequest) -> list[Reply]:
    async def all_of_them() -> list[Reply]:
        chat = http_chat(server.model, settings=ONCE)
        try:
            return list(await asyncio.gather(*(chat.reply(each) for each in requests)))
        finally:
            await chat.close()

    return asyncio.run(all_of_them())


def raw(
    server: ChatServer, method: str, path: str, body: Any = None, **headers: str
) -> tuple[int, dict[str, Any]]:
    connection = HTTPConnection("127.0.0.1", server.port, timeout=10)
    data = body if isinstance(body, bytes | None) else json.dumps(body).encode()
    connection.request(method, path, data, headers)
    answer = connection.getresponse()
    told: dict[str, Any] = json.loads(answer.read())
    connection.close()
    return answer.status, told


def body_with(**changes: Any) -> dict[str, Any]:
    body = {"model": "echo", "messages": [{"role": "user", "content": "Hi"}]} | changes
    return {name: value for name, value in body.items() if value != "absent"}


def picture_body(url: str) -> dict[str, Any]:
    return body_with(
        messages=[{"role": "user", "content": [{"type": "image_url", "image_url": {"url": url}}]}]
    )


def data_url_of(image: Image.Image, kind: str) -> str:
    out = io.BytesIO()
    image.save(out, kind)
    return f"data:image/{kind.lower()};base64," + base64.b64encode(out.getvalue()).decode()


def test_x1_m3_the_chat_behind_the_server_gets_the_very_messages_and_settings() -> None:
    chat = ScriptedChat(lambda request: "B")
    request = ChatRequest(
        messages=(
            Message(role="system", text="You know <sks>."),
            Message.of("user", image_part(ONE), image_part(TWO), "These show <sks>. 'é\n\"我"),
            Message(role="assistant", text="I got it."),
            Message.of("user", "before", image_part(THREE), "after", "Options:\nA. x"),
        ),
        temperature=0.0,
        top_p=0.9,
        max_tokens=7,
        seed=3,
        stop=("\n\n", "END"),
        json_mode=True,
    )
    with ChatServer(chat) as server:
        (reply,) = ask(server, request)
    assert chat.requests == [request]  # texts, order and bytes of pictures, pixel hashes
    assert chat.requests[0].messages[1].images[1].sha256 == TWO.sha256
    assert (reply.text, reply.outcome, reply.served_model) == ("B", "answered", "scripted")
    counted = 100 * 3 + sum(len(each.text.split()) for each in request.messages)
    assert reply.usage == Usage(input_tokens=counted, output_tokens=1)


def test_x1_settings_that_were_left_out_stay_left_out() -> None:
    chat = ScriptedChat(["ok"])
    with ChatServer(chat) as server:
        ask(server, asked("Hi"))
    assert chat.requests == [asked("Hi")]


@pytest.mark.parametrize(
    ("behind", "before"),
    [
        (Reply(text="fine"), ("answered", "stop")),
        (Reply(text="A re", outcome="truncated", finish_reason="cut"), ("truncated", "length")),
        (Reply(text="", outcome="empty"), ("empty", "stop")),
        (Reply(text="", outcome="refused"), ("refused", "content_filter")),
        (FILTERED, ("refused", "content_filter")),
        (Reply(text="I'm sorry, but I can't help.", outcome="refused"), ("refused", "stop")),
    ],
)  # fmt: skip
def test_x1_outcomes_come_through_as_they_are(behind: Reply, before: tuple[str, str]) -> None:
    with ChatServer(ScriptedChat([behind])) as server:
        (reply,) = ask(server, asked("Hi"))
    assert (reply.outcome, reply.finish_reason) == before
    assert reply.text == behind.text
    assert reply.usage == Usage()  # nobody counted: unknown, not 0


@pytest.mark.parametrize(
    ("kind", "seen"),
    [
        ("timeout", "timeout"),
        ("connection", "server_error"),
        ("rate_limit", "rate_limit"),
        ("server_error", "server_error"),
        ("bad_request", "bad_request"),
        ("authentication", "authentication"),
        ("not_found", "not_found"),
    ],
)
def test_x1_failed_calls_keep_their_kind_and_their_words(kind: str, seen: str) -> None:
    behind = Reply(outcome="failed", failure=kind, detail="the reason")
    with ChatServer(ScriptedChat([behind])) as server:
        (reply,) = ask(server, asked("Hi"))
    assert (reply.outcome, reply.failure) == ("failed", seen)
    assert "the reason" in reply.detail


@pytest.mark.parametrize(
    ("error", "failure", "told"),
    [
        (ModelUnavailable("no weights in /x"), "not_found", "no weights in /x"),
        (UsageError("bad device"), "bad_request", "bad device"),
        (ZeroDivisionError("in a plug-in"), "server_error", "ZeroDivisionError: in a plug-in"),
    ],
)
def test_x1_a_chat_that_raises_is_told_of_and_the_server_lives(
    error: Exception, failure: str, told: str
) -> None:
    def answer(request: ChatRequest) -> str:
        if request.messages[0].text == "raise":
            raise error
        return "alive"

    with ChatServer(ScriptedChat(answer)) as server:
        (failed,) = ask(server, asked("raise"))
        (fine,) = ask(server, asked("Hi"))
    assert failed.failure == failure
    assert told in failed.detail
    assert fine.text == "alive"


def test_x1_64_calls_at_once_run_at_once_and_get_their_own_replies() -> None:
    chat = CountingChat(EchoChat(seconds=0.4))
    with ChatServer(chat) as server:
        replies = ask(server, *(asked(f"call {i}") for i in range(64)))
        assert server.calls == 64
    assert [reply.text for reply in replies] == [f"call {i}" for i in range(64)]
    assert chat.most_at_once == 64


@pytest.mark.parametrize(
    ("changes", "status", "told"),
    [
        ({"stream": True}, 400, "stream is not offered.* come whole"),
        ({"n": 2}, 400, "n is not offered"),
        ({"tools": [{"type": "function"}]}, 400, "tools is not offered"),
        ({"top_k": 5}, 400, "top_k is not offered"),
        ({"presence_penalty": 0.5}, 400, "presence_penalty"),
        ({"model": "other"}, 404, "'other' is not served here; 'echo' is"),
        ({"model": "absent"}, 400, "model must be"),
        ({"messages": []}, 400, "at least one message"),
        ({"messages": "Hi"}, 400, "must be a list"),
        ({"messages": ["Hi"]}, 400, r"messages\[0\] must be an object"),
        ({"messages": [{"role": "tool", "content": "x"}]}, 400, r"messages\[0\].role .* 'tool'"),
        ({"messages": [{"role": ["user"], "content": "x"}]}, 400, r"messages\[0\].role"),
        ({"messages": [{"role": "user"}]}, 400, r"messages\[0\].content"),
        ({"messages": [{"role": "user", "content": []}]}, 400, r"messages\[0\].content"),
        ({"messages": [{"role": "user", "content": [{"type": "x"}]}]}, 400, r"content\[0\]"),
        ({"messages": [{"role": "user", "content": [7]}]}, 400, r"content\[0\]"),
        ({"temperature": -1}, 400, "temperature must be at least 0"),
        ({"temperature": "hot"}, 400, "temperature must be a number"),
        ({"temperature": True}, 400, "temperature must be a number"),
        ({"temperature": float("nan")}, 400, "temperature must be a number"),
        ({"top_p": 1.5}, 400, "top_p must be in 0 to 1"),
        ({"max_tokens": 0}, 400, "max_tokens must be a whole number of at least 1"),
        ({"max_tokens": 3, "max_completion_tokens": 4}, 400, "differ"),
        ({"seed": 1.5}, 400, "seed must be a whole number"),
        ({"stop": ""}, 400, "none may be empty"),
        ({"stop": ["a"] * 17}, 400, "16 texts at most"),
        ({"response_format": {"type": "json_schema"}}, 400, "schemas are not offered"),
    ],
)  # fmt: skip
def test_x1_bad_requests_are_told_what_is_wrong(
    changes: dict[str, Any], status: int, told: str
) -> None:
    chat = CountingChat(EchoChat())
    with ChatServer(chat) as server:
        got, answer = raw(server, "POST", "/v1/chat/completions", body_with(**changes))
    assert got == status
    with pytest.raises(ValueError, match=told):  # the match is the test
        raise ValueError(answer["error"]["message"])
    assert chat.calls == 0


def test_x1_what_asks_for_nothing_is_let_through() -> None:
    harmless = {
        "stream": False, "n": 1, "presence_penalty": 0.0, "tools": [], "user": "me",
        "temperature": None, "response_format": {"type": "text"}, "stop": "END",
        "max_completion_tokens": 5, "max_tokens": 5,
    }  # fmt: skip
    chat = ScriptedChat(["ok"], name="echo")
    with ChatServer(chat) as server:
        status, answer = raw(server, "POST", "/v1/chat/completions", body_with(**harmless))
    assert (status, answer["choices"][0]["message"]["content"]) == (200, "ok")
    assert chat.requests == [asked("Hi", stop=("END",), max_tokens=5)]


@pytest.mark.parametrize("body", [b"", b"{", b"[1]", b"[" * 100_000, b'"Hi"', b"\xff\xfe"])
def test_x1_bodies_that_are_no_request(body: bytes) -> None:
    with ChatServer(EchoChat()) as server:
        status, answer = raw(server, "POST", "/v1/chat/completions", body)
        assert ask(server, asked("Hi"))[0].text == "Hi"
    assert status == 400
    assert answer["error"]["type"] == "invalid_request_error"


def test_x1_pictures_of_others_pass_the_gate() -> None:
    rgba = Image.new("RGBA", (3, 2), (255, 0, 0, 0))  # transparent: white after the gate
    jpeg = Image.fromarray(NOISE[0])
    chat = ScriptedChat(["ok", "ok"], name="echo")
    with ChatServer(chat) as server:
        for url in (data_url_of(rgba, "PNG"), data_url_of(jpeg, "JPEG")):
            assert raw(server, "POST", "/v1/chat/completions", picture_body(url))[0] == 200
    white, noise = (request.messages[0].images[0] for request in chat.requests)
    assert white.sha256 == open_picture(np.full((2, 3, 3), 255, np.uint8)).sha256
    assert open_picture(white.data).sha256 == white.sha256
    assert (noise.width, noise.height, noise.media_type) == (20, 30, "image/png")
    assert open_picture(noise.data).sha256 == noise.sha256


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("https://example.org/cat.png", "fetches nothing"),
        ("data:image/png;base64,@@@", "base64 is damaged"),
        ("data:image/png;base64,", "empty"),
        ("data:image/png;base64," + base64.b64encode(b"no picture").decode(), "picture"),
        ("data:text/plain,hello", "picture"),
    ],
)
def test_x1_pictures_that_are_none(url: str, told: str) -> None:
    with ChatServer(EchoChat()) as server:
        status, answer = raw(server, "POST", "/v1/chat/completions", picture_body(url))
    assert status == 400
    assert told in answer["error"]["message"]
    assert "messages[0].content[0]" in answer["error"]["message"]


def test_x1_limits_of_size_hold() -> None:
    small = ServerSettings(max_body_bytes=1000)
    with ChatServer(EchoChat(), settings=small) as server:
        long = body_with(messages=[{"role": "user", "content": "x" * 2000}])
        status, answer = raw(server, "POST", "/v1/chat/completions", long)
        assert raw(server, "POST", "/v1/chat/completions", body_with())[0] == 200
    assert status == 413
    assert "1000 are read at most" in answer["error"]["message"]


def test_x1_models_are_listed_and_other_paths_are_not_there() -> None:
    with ChatServer(EchoChat("local/a b")) as server:
        assert raw(server, "GET", "/v1/models")[1]["data"][0]["id"] == "local/a b"
        assert raw(server, "GET", "/v1/models/local/a%20b")[1]["id"] == "local/a b"
        assert raw(server, "GET", "/v1/models/other")[0] == 404
        assert raw(server, "GET", "/v1/chat/completions")[0] == 405
        assert raw(server, "POST", "/v1/models", {})[0] == 405
        assert raw(server, "POST", "/v2/x", {})[0] == 404
        assert raw(server, "GET", "/")[0] == 404
        assert ask(server, asked("Hi"))[0].text == "Hi"


@pytest.mark.parametrize("headers", [{"Origin": "https://evil.example"}, {"Host": "evil.example"}])
def test_x1_web_pages_of_others_are_turned_away(headers: dict[str, str]) -> None:
    chat = CountingChat(EchoChat())
    with ChatServer(chat) as server:
        assert raw(server, "POST", "/v1/chat/completions", body_with(), **headers)[0] == 403
        assert raw(server, "GET", "/v1/models", **headers)[0] == 403
    assert chat.calls == 0


def test_x1_a_client_that_goes_away_takes_its_call_with_it() -> None:
    chat = CountingChat(EchoChat(seconds=60))
    with ChatServer(chat) as server:
        body = json.dumps(body_with()).encode()
        with socket.create_connection(("127.0.0.1", server.port)) as line:
            head = "POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\n"
            line.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
            until(lambda: chat.at_once == 1)
        until(lambda: chat.at_once == 0)


def test_x1_closing_ends_calls_under_way_and_connections() -> None:
    chat = CountingChat(EchoChat(seconds=60))
    server = ChatServer(chat)

    async def meanwhile() -> Reply:
        client = http_chat(server.model, settings=ONCE)
        call = asyncio.create_task(client.reply(asked("Hi")))
        while chat.at_once == 0:
            await asyncio.sleep(0.01)
        await asyncio.to_thread(server.close)
        return await call

    reply = asyncio.run(meanwhile())
    assert (reply.outcome, reply.failure) == ("failed", "connection")
    assert chat.at_once == 0
    server.wait()
    server.close()  # closing twice is no error
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", server.port))


def test_x1_a_chat_over_http_is_closed_with_its_server() -> None:
    with ChatServer(EchoChat()) as behind:
        middle = HttpChat("relay", url=behind.url, model="echo", settings=ONCE)
        with ChatServer(middle) as server:
            assert ask(server, asked("through two"))[0].text == "through two"
        assert middle._line is None


def test_x1_a_taken_port_is_told() -> None:
    with (
        ChatServer(EchoChat()) as server,
        pytest.raises(UsageError, match=f"Port {server.port} .* Choose another"),
    ):
        ChatServer(EchoChat(), server.port)
    with pytest.raises(UsageError, match="Port 99999"):
        ChatServer(EchoChat(), 99999)


def test_x1_the_openai_package_can_talk_to_it() -> None:
    openai = pytest.importorskip("openai")
    url = data_url_of(Image.fromarray(NOISE[1]), "PNG")
    content = [
        {"type": "text", "text": "Who?"},
        {"type": "image_url", "image_url": {"url": url, "detail": "high"}},
    ]
    chat = ScriptedChat(["<sks>"])
    with ChatServer(chat) as server:
        client = openai.OpenAI(base_url=server.url, api_key="none", max_retries=0)
        with client:
            assert [model.id for model in client.models.list()] == ["scripted"]
            done = client.chat.completions.create(
                model="scripted", messages=[{"role": "user", "content": content}]
            )
            with pytest.raises(openai.BadRequestError, match="stream is not offered"):
                client.chat.completions.create(
                    model="scripted", messages=[{"role": "user", "content": "x"}], stream=True
                )
    assert (done.choices[0].message.content, done.choices[0].finish_reason) == ("<sks>", "stop")
    assert done.usage.prompt_tokens == 101
    assert chat.requests[0].messages[0].images[0].sha256 == TWO.sha256


def test_x1_m24_serve_prints_the_model_to_ask_for() -> None:
    app = "import typer; from eyeprint.cli import serve; a = typer.Typer(); serve.register(a); a()"
    process = subprocess.Popen(
        [sys.executable, "-c", app, "echo", "--port", "0"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert process.stdout is not None
        name = process.stdout.readline().strip()

        async def one() -> Reply:
            chat = http_chat(name, settings=ONCE)
            try:
                return await chat.reply(asked("Hi there"))
            finally:
                await chat.close()

        assert asyncio.run(one()).text == "Hi there"
        process.send_signal(2)
        _, told = process.communicate(timeout=20)
    finally:
        process.kill()
        process.wait()
    assert f"--model {name}" in told
    assert "Stopped after 1 calls." in told
    assert process.returncode == 0


def test_x1_serve_tells_of_unknown_names(tmp_path: Path) -> None:
    app = typer.Typer()
    serve.register(app)
    done = CliRunner().invoke(app, ["ecko"])
    assert isinstance(done.exception, UsageError)
    assert "Did you mean 'echo'" in str(done.exception)


def until(true: Any, seconds: float = 10) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        time.sleep(0.01)
