"""The connections of a local server: what HTTP asks for, before and after the chat.

The standard library reads the requests. Each connection has a thread of its own, in which
bodies are read and pictures decoded. A client that goes away before its reply takes its call
with it, and web pages are turned away.
"""

from __future__ import annotations

import json
import select
import socket
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import unquote, urlsplit

from pydantic import Field

from eyeprint.config import Settings
from eyeprint.errors import EyeprintError, ModelUnavailable, UsageError, shown
from eyeprint.models.chat_server_wire import (
    Answer,
    BadRequest,
    error_answer,
    model_told,
    models_answer,
    read_request,
    reply_answer,
)
from eyeprint.models.hosts import is_this_machine
from eyeprint.models.kinds import ChatRequest, Reply
from eyeprint.models.pictures import GateSettings

LOOK_AGAIN = 0.5
"""Seconds between two looks whether a waiting client is still there."""


class ServerSettings(Settings):
    """Limits of a server; none of it changes what a reply says."""

    max_body_bytes: int = Field(default=256_000_000, ge=1)
    """Largest request that is read; pictures come in it as base64."""
    idle_seconds: float = Field(default=300.0, gt=0)
    """Connections that send nothing for so long are closed."""
    gate: GateSettings = GateSettings()
    """Limits on pictures."""


class ConnectionServer(ThreadingHTTPServer):
    """Listens on 127.0.0.1, and knows its connections, so that none outlives it.

    Args:
        port: where to listen; 0 takes a free one.
        name: the served model's name.
        settings: limits.
        ask: puts a request to the model; called from any thread.
    """

    daemon_threads = True
    block_on_close = False
    # 64 clients that come at once all fit before one is accepted.
    request_queue_size = 512

    def __init__(
        self,
        port: int,
        name: str,
        settings: ServerSettings,
        ask: Callable[[ChatRequest], Future[Reply]],
    ) -> None:
        self.name, self.settings = name, settings
        self.calls = 0
        """Requests that were put to the model so far."""
        self._ask = ask
        self._open: set[socket.socket] = set()
        self._lock = threading.Lock()
        super().__init__(("127.0.0.1", port), _Connection)

    def ask(self, request: ChatRequest) -> tuple[int, Future[Reply]]:
        """Put a request to the model; return the call's number too."""
        with self._lock:
            self.calls += 1
            return self.calls, self._ask(request)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Give a connection to a thread of its own."""
        with self._lock:
            self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        """End a connection."""
        with self._lock:
            self._open.discard(request)
        super().shutdown_request(request)

    def drop_connections(self) -> None:
        """End the connections that are open."""
        with self._lock:
            for connection in self._open:
                try:
                    connection.shutdown(socket.SHUT_RDWR)
                except OSError:
                    continue  # The client was faster.

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Tell of an error in a thread; a client that went away is none of ours."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


class _Connection(BaseHTTPRequestHandler):
    """One connection, kept alive."""

    protocol_version = "HTTP/1.1"
    server_version = "eyeprint"
    sys_version = ""
    disable_nagle_algorithm = True
    server: ConnectionServer

    def setup(self) -> None:
        super().setup()
        self.connection.settimeout(self.server.settings.idle_seconds)

    def do_GET(self) -> None:
        name = self.server.name
        path = self._path()
        if self._turned_away():
            return
        if path == "/v1/models":
            self._send(models_answer(name))
        elif path == f"/v1/models/{name}":
            self._send(Answer(200, model_told(name)))
        elif path == "/v1/chat/completions":
            self._send(error_answer(405, "Requests are made with POST."), allow="POST")
        else:
            self._send(self._no_such_path(path))

    def do_POST(self) -> None:
        path = self._path()
        if self._turned_away():
            return
        raw = self._body()
        if raw is None:
            return
        if path == "/v1/chat/completions":
            self._complete(raw)
        elif path.startswith("/v1/models"):
            self._send(error_answer(405, "Models are listed with GET."), allow="GET")
        else:
            self._send(self._no_such_path(path))

    def log_message(self, format: str, *args: Any) -> None:
        """Write nothing: what is worth telling stands in the answers."""

    def _path(self) -> str:
        return unquote(urlsplit(self.path).path)

    def _no_such_path(self, path: str) -> Answer:
        return error_answer(
            404, f"No such path: {shown(path)}. There are /v1/chat/completions and /v1/models."
        )

    def _turned_away(self) -> bool:
        """Refuse web pages: any page in a browser here can send to 127.0.0.1."""
        host, origin = self.headers.get("host", ""), self.headers.get("origin")
        if is_this_machine(f"http://{host}") and (origin is None or is_this_machine(origin)):
            return False
        # What the body holds is not read, so that the connection cannot go on.
        self.close_connection = True
        self._send(error_answer(403, "This server answers programs on this machine alone."))
        return True

    def _body(self) -> bytes | None:
        length = self.headers.get("content-length", "")
        most = self.server.settings.max_body_bytes
        fault = None
        if not (length.isascii() and length.isdigit()):
            fault = error_answer(411, "A request needs its Content-Length.")
        elif int(length) > most:
            fault = error_answer(413, f"The request has {length} bytes; {most} are read at most.")
        if fault is not None:
            self.close_connection = True
            self._send(fault)
            return None
        raw = self.rfile.read(int(length))
        if len(raw) < int(length):
            self.close_connection = True
            return None
        return raw

    def _complete(self, raw: bytes) -> None:
        server = self.server
        try:
            request = read_request(raw, (server.name,), server.settings.gate)
        except BadRequest as fault:
            told = error_answer(fault.status, fault.message, param=fault.param, code=fault.code)
            self._send(told)
            return
        number, future = server.ask(request)
        if not self._awaited(future):
            self.close_connection = True
            return
        error = future.exception()
        if error is not None:
            self._send(_of_error(error))
        else:
            self._send(reply_answer(future.result(), server.name, number, int(time.time())))

    def _awaited(self, future: Future[Reply]) -> bool:
        """Wait for a call; return false when the client or the server has gone."""
        while True:
            try:
                future.exception(LOOK_AGAIN)
            except TimeoutError:
                if self._client_gone():
                    future.cancel()
                    return False
            except CancelledError:
                return False
            else:
                return True

    def _client_gone(self) -> bool:
        readable, _, _ = select.select([self.connection], [], [], 0)
        return bool(readable) and not self.connection.recv(1, socket.MSG_PEEK)

    def _send(self, answer: Answer, allow: str | None = None) -> None:
        body = json.dumps(answer.body).encode()
        self.send_response(answer.status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        if allow is not None:
            self.send_header("Allow", allow)
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)


def _of_error(error: BaseException) -> Answer:
    """Return the answer for a chat that raised instead of replying."""
    if isinstance(error, UsageError):
        return error_answer(400, str(error))
    if isinstance(error, ModelUnavailable):
        # Not 503: asking again would not help.
        return error_answer(404, str(error), "not_found", code="model_unavailable")
    if isinstance(error, EyeprintError):
        return error_answer(500, str(error), "server_error")
    told = shown(f"{type(error).__name__}: {error}")
    return error_answer(500, f"The model failed ({told}).", "server_error")
