"""A real OpenAI-compatible chat server in a process of its own, with faults on demand.

Written on a raw ``asyncio.Protocol`` so that it is never the bottleneck: it answers
thousands of requests a second. Start it with ``python chat_server.py``; it prints its
port. ``POST /control`` sets latency and fault rules, ``GET /counts`` tells what came in.
It lives on when a client is killed: that is what makes its counts a proof.

A rule is a dict; the first rule that matches a request decides:

- ``contains``: text that the last message must contain (default: any request)
- ``times``: how often it applies per distinct last message (default: always)
- ``status``, ``headers``, ``error``, ``code``: answer with an error
- ``text``, ``finish``, ``refusal``: answer with this message
- ``body``: answer 200 with exactly these characters, JSON or not
- ``hang``: never answer; ``drop``: close the connection instead of answering
- ``unless_field``/``if_field``: only when the request body lacks / has that field

Pictures of the last message are decoded; ``GET /counts`` tells their sizes and a hash of their
RGB bytes under ``pictures``, in reading order with the texts between them.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import io
import json
import sys
from collections import Counter
from typing import Any


class State:
    """What the server was told to do, and what it has seen."""

    def __init__(self) -> None:
        self.latency = 0.0
        self.rules: list[dict[str, Any]] = []
        self.received: Counter[str] = Counter()
        self.answered: Counter[str] = Counter()
        self.applied: Counter[tuple[int, str]] = Counter()
        self.last: dict[str, Any] = {}
        self.pictures: list[str | dict[str, Any]] = []
        self.in_flight = 0
        self.most_in_flight = 0

    def control(self, order: dict[str, Any]) -> None:
        self.latency = order.get("latency", self.latency)
        if "rules" in order:
            self.rules = order["rules"]
            self.applied.clear()
        if order.get("reset"):
            self.received.clear()
            self.answered.clear()
            self.most_in_flight = 0

    def rule_for(self, body: dict[str, Any], text: str) -> dict[str, Any] | None:
        for i, rule in enumerate(self.rules):
            if rule.get("contains", "") not in text:
                continue
            if "if_field" in rule and rule["if_field"] not in body:
                continue
            if "unless_field" in rule and rule["unless_field"] in body:
                continue
            if self.applied[i, text] >= rule.get("times", 1 << 60):
                continue
            self.applied[i, text] += 1
            return rule
        return None


def read_content(content: str | list[dict[str, Any]]) -> tuple[str, list[str | dict[str, Any]]]:
    """Return a message's text, and its parts with every picture decoded."""
    if isinstance(content, str):
        return content, [content]
    parts: list[str | dict[str, Any]] = []
    for part in content:
        if part["type"] == "text":
            parts.append(part["text"])
            continue
        from PIL import Image

        head, data = part["image_url"]["url"].split(",", 1)
        image = Image.open(io.BytesIO(base64.b64decode(data, validate=True)))
        rgb = image.convert("RGB")
        parts.append(
            {
                "head": head,
                "format": image.format,
                "size": rgb.size,
                "rgb_sha256": hashlib.sha256(rgb.tobytes()).hexdigest(),
            }
        )
    return "\n".join(part for part in parts if isinstance(part, str)), parts


def completion(body: dict[str, Any], text: str, rule: dict[str, Any]) -> bytes:
    """Return a chat completion whose text depends on the request's last message only."""
    mark = hashlib.sha256(text.encode()).hexdigest()[:12]
    content = rule.get("text", f"answer {mark} to {text[:60]}")
    message = {"role": "assistant", "content": content, "refusal": rule.get("refusal")}
    tokens = {"prompt_tokens": len(text) // 4 + 1, "completion_tokens": len(content or "") // 4 + 1}
    reply = {
        "id": f"chatcmpl-{mark}",
        "object": "chat.completion",
        "created": 1,
        "model": f"{body.get('model')}-served",
        "choices": [{"index": 0, "message": message, "finish_reason": rule.get("finish", "stop")}],
        "usage": tokens | {"total_tokens": sum(tokens.values())},
    }
    return json.dumps(reply).encode()


class Connection(asyncio.Protocol):
    """One keep-alive HTTP/1.1 connection."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.buffer = b""
        self.transport: asyncio.Transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        while True:
            head, separator, rest = self.buffer.partition(b"\r\n\r\n")
            if not separator:
                return
            lines = head.decode("latin-1").split("\r\n")
            headers = dict(line.lower().split(": ", 1) for line in lines[1:] if ": " in line)
            length = int(headers.get("content-length", "0"))
            if len(rest) < length:
                return
            self.buffer = rest[length:]
            method, path, _ = lines[0].split(" ", 2)
            self.handle(method, path, headers, rest[:length])

    def handle(self, method: str, path: str, headers: dict[str, str], raw: bytes) -> None:
        state = self.state
        if path == "/control":
            state.control(json.loads(raw))
            self.send(200, b"{}")
        elif path == "/counts":
            counts = {
                "received": state.received,
                "answered": state.answered,
                "last": state.last,
                "pictures": state.pictures,
                "most_in_flight": state.most_in_flight,
            }
            self.send(200, json.dumps(counts).encode())
        elif method == "POST" and path.endswith("/chat/completions"):
            self.chat(headers, json.loads(raw))
        else:
            self.send(404, b'{"error": {"message": "no such path"}}')

    def chat(self, headers: dict[str, str], body: dict[str, Any]) -> None:
        state = self.state
        text, state.pictures = read_content(body["messages"][-1]["content"])
        state.received[text] += 1
        state.last = {"headers": headers, "body": body}
        rule = state.rule_for(body, text) or {}
        if rule.get("hang"):
            return
        state.in_flight += 1
        state.most_in_flight = max(state.most_in_flight, state.in_flight)
        asyncio.get_running_loop().call_later(
            rule.get("latency", state.latency), self.answer, body, text, rule
        )

    def answer(self, body: dict[str, Any], text: str, rule: dict[str, Any]) -> None:
        self.state.in_flight -= 1
        if rule.get("drop"):
            self.transport.abort()
        elif "status" in rule:
            error = {"message": rule.get("error", "told to fail"), "code": rule.get("code")}
            self.send(rule["status"], json.dumps({"error": error}).encode(), rule.get("headers"))
        elif not self.transport.is_closing():
            raw = rule["body"].encode() if "body" in rule else completion(body, text, rule)
            self.send(200, raw)
            self.state.answered[text] += 1

    def send(self, status: int, body: bytes, headers: dict[str, str] | None = None) -> None:
        extra = "".join(f"{name}: {value}\r\n" for name, value in (headers or {}).items())
        head = (
            f"HTTP/1.1 {status} X\r\ncontent-type: application/json\r\n"
            f"content-length: {len(body)}\r\n{extra}\r\n"
        )
        self.transport.write(head.encode() + body)


async def serve() -> None:
    """Serve on a free loopback port until standard input is closed."""
    state = State()
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Connection(state), "127.0.0.1", 0, backlog=1024)
    sys.stdout.write(f"{server.sockets[0].getsockname()[1]}\n")
    sys.stdout.flush()
    # The parent holds our standard input open: when it ends, however it ends, so do we.
    await loop.run_in_executor(None, sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(serve())
