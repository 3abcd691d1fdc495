"""Start and question the chat server of ``chat_server.py`` from tests and benchmarks."""

from __future__ import annotations

import json
import subprocess
import sys
from http.client import HTTPConnection
from pathlib import Path
from types import TracebackType
from typing import Any, Self


class LocalChatServer:
    """A running server: ``with LocalChatServer(latency=0.2) as server: server.model("m")``."""

    def __init__(self, latency: float = 0.0, rules: list[dict[str, Any]] | None = None) -> None:
        self._process = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("chat_server.py"))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._process.stdout is not None
        self.port = int(self._process.stdout.readline())
        self.control(latency=latency, rules=rules or [])

    @property
    def url(self) -> str:
        """The base URL that clients are given."""
        return f"http://127.0.0.1:{self.port}/v1"

    def model(self, name: str = "m") -> str:
        """Return the catalogue name of a model on this server."""
        return f"{self.url}#{name}"

    def _ask(self, method: str, path: str, body: str | None = None) -> dict[str, Any]:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=10)
        connection.request(method, path, body)
        answer: dict[str, Any] = json.loads(connection.getresponse().read())
        connection.close()
        return answer

    def control(self, **order: Any) -> None:
        """Set ``latency`` (seconds) and ``rules``; ``reset=True`` clears the counts."""
        self._ask("POST", "/control", json.dumps(order))

    def counts(self) -> dict[str, Any]:
        """Return ``received`` and ``answered`` per last message, the ``last`` request, and the
        parts of its last message with their ``pictures`` decoded."""
        return self._ask("GET", "/counts")

    def close(self) -> None:
        """Stop the server."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(timeout=10)
        self._process.stdout.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
