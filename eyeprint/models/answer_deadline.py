"""An end to answers that never end: a limit on the whole of an answer, not on its pieces.

HTTP clients limit the wait for the next piece. A server that sends a blank every second
never exceeds that, and holds a call for ever. Imported only where calls are made.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import httpx2


class TimedStream(httpx2.SyncByteStream):
    """The body of an answer, which ends with ``ReadTimeout`` when its time is over."""

    def __init__(self, inner: httpx2.SyncByteStream, until: float) -> None:
        self._inner, self._until = inner, until

    def __iter__(self) -> Iterator[bytes]:
        for piece in self._inner:
            if time.monotonic() > self._until:
                raise httpx2.ReadTimeout("the answer goes on and on")
            yield piece

    def close(self) -> None:
        """Give the connection back."""
        self._inner.close()


def ending_after(seconds: float) -> Callable[[httpx2.Response], None]:
    """Return a response hook that gives a body ``seconds`` from the end of its headers.

    >>> ending_after(1.0)(httpx2.Response(200, stream=httpx2.ByteStream(b"a")))
    """

    def limit(response: httpx2.Response) -> None:
        if isinstance(response.stream, httpx2.SyncByteStream):
            response.stream = TimedStream(response.stream, time.monotonic() + seconds)

    return limit
