"""A real HTTP server with the OpenAI images endpoints, and faults on demand, in a thread.

``POST /v1/images/generations`` takes JSON, ``/v1/images/edits`` a form with files; both
answer with a small PNG whose colour depends on the prompt. ``GET /pictures/...`` serves the
same PNG for answers by URL. Set ``server.faults`` to a list of ``(status, headers, body)``:
each request to the images endpoints takes the first one away and gets it; ``link_faults``
does so for the pictures behind URLs. ``server.seen`` holds what came in.
"""

from __future__ import annotations

import base64
import hashlib
import io
import json
import threading
from email.parser import BytesParser
from email.policy import HTTP
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, NamedTuple, Self

from PIL import Image

Fault = tuple[int, dict[str, str], bytes]


class Seen(NamedTuple):
    """One request as it came in."""

    path: str
    headers: dict[str, str]
    fields: dict[str, Any]
    files: list[tuple[str, str, bytes]]
    """Field name, file name, bytes."""


def png_for(prompt: str, size: tuple[int, int] = (8, 6)) -> bytes:
    """Return a PNG of one colour, which depends on the prompt."""
    colour = hashlib.sha256(prompt.encode()).digest()[:3]
    out = io.BytesIO()
    Image.new("RGB", size, tuple(colour)).save(out, format="PNG")
    return out.getvalue()


class LocalImagesServer:
    """A running server: ``with LocalImagesServer() as server: server.model("m")``."""

    def __init__(self) -> None:
        self.faults: list[Fault] = []
        self.link_faults: list[Fault] = []
        self.seen: list[Seen] = []
        self.by_url = False
        self.usage: dict[str, Any] | None = None
        self.picture: bytes | None = None
        """Sent instead of the PNG."""
        outer = self

        class Handler(_Handler):
            server_of_tests = outer

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._http.serve_forever, daemon=True)
        self._thread.start()

    @property
    def root(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    def model(self, name: str = "m") -> str:
        """Return the catalogue name of a model on this server."""
        return f"{self.root}/v1#{name}"

    def reset(self) -> None:
        """Forget faults and what came in."""
        self.faults, self.link_faults, self.seen = [], [], []
        self.by_url, self.usage, self.picture = False, None, None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join(timeout=10)


class _Handler(BaseHTTPRequestHandler):
    server_of_tests: LocalImagesServer
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers["content-length"]))
        fields, files = self._read(raw)
        outer = self.server_of_tests
        outer.seen.append(Seen(self.path, dict(self.headers.items()), fields, files))
        if outer.faults:
            self._send(*outer.faults.pop(0))
            return
        prompt = fields["prompt"]
        if outer.by_url:
            entry = {"url": f"{outer.root}/pictures/{prompt.replace(' ', '_')}.png"}
        else:
            data = outer.picture if outer.picture is not None else png_for(prompt)
            entry = {"b64_json": base64.b64encode(data).decode()}
        answer = {"created": 1, "data": [entry]}
        if outer.usage is not None:
            answer["usage"] = outer.usage
        self._send(200, {}, json.dumps(answer).encode())

    def do_GET(self) -> None:
        outer = self.server_of_tests
        outer.seen.append(Seen(self.path, dict(self.headers.items()), {}, []))
        if outer.link_faults:
            self._send(*outer.link_faults.pop(0))
            return
        prompt = self.path.rpartition("/")[2].removesuffix(".png").replace("_", " ")
        self._send(200, {}, outer.picture if outer.picture is not None else png_for(prompt))

    def _read(self, raw: bytes) -> tuple[dict[str, Any], list[tuple[str, str, bytes]]]:
        kind = self.headers["content-type"]
        if kind == "application/json":
            return json.loads(raw), []
        form = BytesParser(policy=HTTP).parsebytes(
            b"content-type: " + kind.encode() + b"\r\n\r\n" + raw
        )
        fields: dict[str, Any] = {}
        files = []
        for part in form.iter_parts():
            name = part.get_param("name", header="content-disposition")
            if part.get_filename():
                files.append((name, part.get_filename(), part.get_payload(decode=True)))
            else:
                fields[name] = part.get_payload(decode=True).decode()
        return fields, files

    def _send(self, status: int, headers: dict[str, str], body: bytes) -> None:
        self.send_response(status)
        for key, value in headers.items():
            self.send_header(key, value)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
