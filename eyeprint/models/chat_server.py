"""Any chat behind a local server that speaks the OpenAI protocol (CHECKLIST X1).

``with ChatServer(chat) as server`` serves on 127.0.0.1 until the block ends; ``eyeprint serve
NAME`` does the same for a shell. Other programs then ask an offline baseline or a model on
this machine as they would ask any service, and our own runs can be tried over real HTTP
without a key.

Connections are read and pictures decoded in a thread each; the chat itself runs in one event
loop, as in a run. A client that goes away before its reply takes its call with it.
"""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import Future
from types import TracebackType
from typing import Self

from eyeprint.errors import UsageError
from eyeprint.models.chat_server_connections import ConnectionServer, ServerSettings
from eyeprint.models.kinds import Chat, ChatRequest, Reply


class ChatServer:
    """Puts a chat behind ``/v1/chat/completions`` and ``/v1/models`` on 127.0.0.1.

    Args:
        chat: the model that answers; it is asked from one event loop, any number of calls at
            once.
        port: where to listen; 0 takes a free one.
        settings: limits.

    Raises:
        UsageError: the port is taken, or is not allowed.

    >>> from eyeprint.models.fakes import EchoChat
    >>> with ChatServer(EchoChat()) as server:
    ...     server.model == f"http://127.0.0.1:{server.port}/v1#echo"
    True
    """

    def __init__(self, chat: Chat, port: int = 0, settings: ServerSettings | None = None) -> None:
        self.chat = chat
        self.settings = settings or ServerSettings()
        self._lock = threading.Lock()
        self._closed = threading.Event()
        try:
            self._http = ConnectionServer(port, chat.name, self.settings, self._ask)
        except (OSError, OverflowError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise UsageError(
                f"Port {port} of 127.0.0.1 cannot be served ({reason}). Choose another one, or 0 "
                "for any that is free."
            ) from error
        self.port = self._http.server_port
        self._loop = asyncio.new_event_loop()
        self._threads = [
            threading.Thread(target=self._run_loop, name="eyeprint-serve-chat", daemon=True),
            threading.Thread(
                target=self._http.serve_forever,
                kwargs={"poll_interval": 0.05},
                name="eyeprint-serve-http",
                daemon=True,
            ),
        ]
        for thread in self._threads:
            thread.start()

    def __repr__(self) -> str:
        return f"ChatServer({self.chat.name!r}, port={self.port})"

    @property
    def url(self) -> str:
        """The base URL that clients are given."""
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def model(self) -> str:
        """The served model's name in our catalogue: ``http://127.0.0.1:PORT/v1#NAME``."""
        return f"{self.url}#{self.chat.name}"

    @property
    def calls(self) -> int:
        """Requests that were put to the chat so far."""
        return self._http.calls

    def wait(self) -> None:
        """Return when the server is closed; a Ctrl-C passes through."""
        self._closed.wait()

    def close(self) -> None:
        """Stop listening, drop open connections and calls under way, and close the chat."""
        with self._lock:
            if self._closed.is_set():
                return
            self._closed.set()
        self._http.shutdown()
        self._http.server_close()
        self._http.drop_connections()
        self._loop.call_soon_threadsafe(self._loop.stop)
        for thread in self._threads:
            thread.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _run_loop(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_forever()
            self._loop.run_until_complete(self._end())
        finally:
            self._loop.close()

    async def _end(self) -> None:
        under_way = asyncio.all_tasks() - {asyncio.current_task()}
        for task in under_way:
            task.cancel()
        await asyncio.gather(*under_way, return_exceptions=True)
        # Chats over HTTP keep connections of the loop that they are asked from.
        close = getattr(self.chat, "close", None)
        if asyncio.iscoroutinefunction(close):
            await close()
        await self._loop.shutdown_default_executor()

    def _ask(self, request: ChatRequest) -> Future[Reply]:
        return asyncio.run_coroutine_threadsafe(self.chat.reply(request), self._loop)
