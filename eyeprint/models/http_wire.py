"""What every call over HTTP has in common: chats and encoders go over the same wire.

httpx2 does the sending (imported only when a call is made). Here is how a client is
opened, what its errors stand for, and when a call is made again. Keys go into a header
and nowhere else: :meth:`Tries.without_key` takes them out of what servers say.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypedDict

from eyeprint.models.chat_wire import Failure, clean_text
from eyeprint.models.hosts import is_this_machine
from eyeprint.models.retries import RetryPolicy, Waiting

if TYPE_CHECKING:
    import ssl

    import httpx2


class ClientOptions(TypedDict):
    """Arguments of ``httpx2.Client`` and ``httpx2.AsyncClient``."""

    headers: dict[str, str]
    verify: ssl.SSLContext
    trust_env: bool


def client_options(url: str, key: str | None) -> ClientOptions:
    """Return how a client for a server is opened: headers, certificates, proxies.

    >>> client_options("http://127.0.0.1:1/v1", None)["trust_env"]
    False
    """
    import httpx2

    headers = {"content-type": "application/json", "user-agent": "eyeprint"}
    if key:
        headers["authorization"] = f"Bearer {key}"
    # A proxy that the environment names is not meant for this very machine.
    trust_env = not is_this_machine(url)
    verify = httpx2.create_ssl_context(trust_env=trust_env)
    return ClientOptions(headers=headers, verify=verify, trust_env=trust_env)


def failure_of(error: httpx2.RequestError | TimeoutError, url: str, timeout: float) -> Failure:
    """Return what an error of the client stands for.

    >>> failure_of(TimeoutError(), "http://h/v1", 2.0).detail
    'http://h/v1 did not answer within 2 s.'
    """
    import httpx2

    if isinstance(error, TimeoutError | httpx2.TimeoutException):
        return Failure("timeout", f"{url} did not answer within {timeout:g} s.", True, True)
    # Some errors of the client say nothing but their name: ReadError, RemoteProtocolError.
    detail = f"{url}: {clean_text(str(error)) or type(error).__name__}"
    if isinstance(error, httpx2.TransportError):
        # A line that broke after the request was sent leaves open what the server did.
        reached = not isinstance(error, httpx2.ConnectError | httpx2.ProxyError)
        return Failure("connection", detail, True, reached)
    # An answer came that cannot be read; the next one would be no other.
    return Failure("bad_reply", detail, False, True)


class Tries:
    """Counts the calls of one request, and says whether and when the next one is made.

    >>> tries = Tries("m", RetryPolicy(attempts=2, jitter=0.0), None, None)
    >>> failure = Failure("timeout", "no answer", True)
    >>> tries.again(failure), tries.wait(failure, "key"), tries.again(failure)
    (True, 1.0, False)
    >>> tries.told(failure)
    'no answer (given up after 2 calls)'
    """

    def __init__(
        self,
        name: str,
        policy: RetryPolicy,
        key: str | None,
        on_wait: Callable[[Waiting], Any] | None,
    ) -> None:
        self._name, self._policy, self._key, self._on_wait = name, policy, key, on_wait
        self.made = 1
        """Calls so far, the one under way included."""

    def again(self, failure: Failure) -> bool:
        """Whether another call is made after a failure."""
        return failure.may_pass and self.made < self._policy.attempts

    def wait(self, failure: Failure, request: str, retry_after: float | None = None) -> float:
        """Count the next call; return the seconds to wait before it, told to ``on_wait`` too.

        ``request`` tells requests apart: each has its own jitter.
        """
        policy = self._policy
        seconds = policy.wait(self.made, request, retry_after)
        if self._on_wait is not None:
            detail = self.without_key(failure.detail)
            self._on_wait(
                Waiting(self._name, self.made, policy.attempts, seconds, failure.kind, detail)
            )
        self.made += 1
        return seconds

    def told(self, failure: Failure) -> str:
        """Return why a call failed, and that it was given up if it was made again before."""
        given_up = self.made > 1 and not self.again(failure)
        after = f" (given up after {self.made} calls)" if given_up else ""
        return self.without_key(failure.detail) + after

    def without_key(self, detail: str) -> str:
        """Return a text without the key: some servers repeat what they were sent."""
        return detail.replace(self._key, "[key]") if self._key else detail
