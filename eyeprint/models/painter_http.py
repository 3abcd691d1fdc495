"""Pictures from any server that speaks the OpenAI images protocol (CHECKLIST X4).

``POST /images/generations`` paints from a prompt; ``POST /images/edits`` also gets the
reference pictures, as files of a form. Calls go over the wire of the chats
(:mod:`eyeprint.models.http_wire`): visible, bounded retries, keys in a header only. Where a
server answers with a URL instead of the picture, it is fetched the same way, without the
key, and again if that fails: the picture is paid for, so it is never asked for anew.

No ledger is kept here. A finished picture is a finished item of its run's folder, which a
resumed run does not ask for again (:mod:`eyeprint.store.paid_painter`). Hosted models do not
promise the same picture twice.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from pydantic import Field

from eyeprint.config import Settings, fingerprint_of
from eyeprint.errors import UnreadablePicture
from eyeprint.models.attempts import ask_to_try_again
from eyeprint.models.chat_wire import Failure, read_failure
from eyeprint.models.hosts import address_of
from eyeprint.models.http_wire import Tries, client_options, failure_of
from eyeprint.models.image_wire import (
    Answer,
    Fields,
    Form,
    Link,
    form_of,
    read_answer,
    refused_code,
    unmet,
)
from eyeprint.models.kinds import Painted, PaintRequest, Reply
from eyeprint.models.painter_table import name_with, read_options, settings_with
from eyeprint.models.picture_prices import (
    PaintPrice,
    PicturePrice,
    paint_price_of,
    picture_cost,
)
from eyeprint.models.retries import RetryPolicy, Waiting, read_retry_after

if TYPE_CHECKING:
    import httpx2

    from eyeprint.records.pictures import Picture

MOST_BYTES = 64 * 2**20
"""No picture that a server links to is larger; what is longer is not read to its end."""


class HttpPainterSettings(Settings):
    """How an images server is asked."""

    width: int | None = Field(default=None, ge=16, le=8192)
    """Pixels; ``None`` for both leaves the size to the server. A request's own size counts
    more."""
    height: int | None = Field(default=None, ge=16, le=8192)
    quality: str | None = None
    """Such as ``low``, ``medium`` or ``high``; ``None`` leaves it to the server."""
    fields: Literal["openai", "open"] | None = None
    """Which fields the server knows. "openai": model, prompt, n, size and quality. "open":
    also seed, negative_prompt, steps and guidance_scale, as servers of open models take them.
    ``None``: "openai" for that host, else "open"."""
    response_format: Literal["b64_json", "url"] | None = "b64_json"
    """How the picture is sent; never told to gpt-image models, which refuse the field."""
    price: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    """US dollars for one picture, at most; 0 for a server of your own. ``None``: what the
    price tables say, or unknown."""
    timeout: float = Field(default=300.0, gt=0)
    """Seconds for one call, from connecting to the last byte."""
    connect_timeout: float = Field(default=10.0, gt=0)
    """Seconds to reach the server."""
    at_once: int = Field(default=8, ge=1)
    """Calls under way at the same time."""
    retry: RetryPolicy = RetryPolicy()


HOW = frozenset({"price", "timeout", "connect_timeout", "at_once", "retry"})
"""Settings that change no picture."""


class _Line(NamedTuple):
    """What one event loop sends with: it cannot be used from another."""

    loop: asyncio.AbstractEventLoop
    server: httpx2.AsyncClient
    links: httpx2.AsyncClient
    """For pictures behind a URL: it may be another host's, so no key goes with it."""
    slots: asyncio.Semaphore


class HttpPainter:
    """One images model on one server. Calls may run at once, in any number of tasks."""

    ways = frozenset({"text", "edit"})

    def __init__(
        self,
        name: str,
        *,
        url: str,
        model: str,
        key: str | None = None,
        settings: HttpPainterSettings | None = None,
        price: PaintPrice | None = None,
        on_wait: Callable[[Waiting], None] | None = None,
    ) -> None:
        self.settings = settings or HttpPainterSettings()
        if price is None and self.settings.price is not None:
            price = PicturePrice(picture=self.settings.price)
        self.name = name_with(name, self.settings, HOW)
        self.url = url.rstrip("/")
        self.model = model
        self.price = price if price is not None else paint_price_of(name)
        """``None``: unknown."""
        self.on_wait = on_wait
        self._key = key
        usual: Fields = "openai" if name.startswith("openai/") else "open"
        self._fields: Fields = self.settings.fields or usual
        self._line: _Line | None = None

    def __repr__(self) -> str:
        return f"HttpPainter({self.name!r}, url={self.url!r})"

    @property
    def fingerprint(self) -> str:
        """SHA-256 over server, model and the settings that a picture depends on."""
        settings = self.settings.model_dump(mode="json", exclude=set(HOW))
        return fingerprint_of(
            {
                "painter": "http",
                "recipe": 1,
                "url": self.url,
                "model": self.model,
                "settings": settings | {"fields": self._fields},
            }
        )

    async def paint(self, request: PaintRequest, way: str = "text") -> Painted:
        """Paint one picture; calls that may pass are made again, within bounds.

        Raises:
            BudgetReached: a call failed, and the next one could pass the budget.
        """
        reason = unmet(self.name, request, way, self.ways, self._fields)
        if reason is not None:
            return Painted(None, "bad_request", reason)
        started = time.perf_counter()
        settings = self.settings
        form = form_of(
            request,
            way,
            self.model,
            self._fields,
            size=(settings.width, settings.height),
            quality=settings.quality,
            response_format=settings.response_format,
        )
        mark = fingerprint_of([self.name, way, request.prompt, request.key, request.seed])
        painted = await self._painted(form, mark)
        return painted._replace(seconds=time.perf_counter() - started)

    async def _painted(self, form: Form, mark: str) -> Painted:
        answer = await self._until_answered(lambda: self._ask(form), mark)
        if isinstance(answer, Painted):
            return answer
        cost = picture_cost(self.price, answer.usage)
        served = answer.served_model or self.model
        paid = Painted(None, cost_usd=cost, served_model=served, usage=answer.usage, billed=True)
        content = answer.content
        if isinstance(content, Link):
            url = content.url
            # The server is not asked again: the picture is painted, and paid for.
            fetched = await self._until_answered(lambda: self._fetch(url), mark, asks=False)
            if isinstance(fetched, Painted):
                return paid._replace(failure=fetched.failure, detail=fetched.detail)
            content = fetched.content
        try:
            picture = await asyncio.to_thread(self._opened, content)
        except UnreadablePicture as error:
            return paid._replace(failure="unreadable", detail=str(error))
        return paid._replace(picture=picture, detail=answer.note)

    def _opened(self, content: bytes | Link) -> Picture:
        from eyeprint.models.pictures import open_picture

        if isinstance(content, Link):
            raise UnreadablePicture(self.name, "the URL of the picture led to another URL")
        return open_picture(content, name=f"{self.name} answered with a picture")

    async def _until_answered(
        self,
        call: Callable[[], Awaitable[tuple[Answer | Reply | Failure, float | None]]],
        mark: str,
        *,
        asks: bool = True,
    ) -> Answer | Painted:
        """Make a call until it is answered or given up; then say why, as a painting.

        ``asks``: whether each further call costs money, so that a payer must grant it.
        """
        tries = Tries(self.name, self.settings.retry, self._key, self.on_wait)
        while True:
            result, retry_after = await call()
            if isinstance(result, Answer):
                return result
            if isinstance(result, Reply):
                return Painted(None, "refused", tries.without_key(result.detail), billed=None)
            if not tries.again(result):
                told = tries.told(result)
                return Painted(
                    None, result.kind, told, billed=None if result.maybe_billed else False
                )
            failed = Reply(
                outcome="failed",
                failure=result.kind,
                detail=tries.told(result),
                maybe_billed=result.maybe_billed,
            )
            if asks:
                await ask_to_try_again(failed)
            await asyncio.sleep(tries.wait(result, mark, retry_after))

    async def _ask(self, form: Form) -> tuple[Answer | Reply | Failure, float | None]:
        """Make one call; return what came of it and the Retry-After that came with it."""
        import httpx2

        line = self._line_here()
        name = "image" if len(form.files) == 1 else "image[]"
        sent: dict[str, Any] = (
            {
                "data": {key: str(value) for key, value in form.fields.items()},
                "files": [(name, (file, data, "image/png")) for file, data in form.files],
            }
            if form.files
            else {"json": form.fields}
        )
        try:
            async with line.slots, asyncio.timeout(self.settings.timeout):
                answer = await line.server.post(self.url + form.path, **sent)
        except (TimeoutError, httpx2.RequestError) as error:
            return failure_of(error, self.url, self.settings.timeout), None
        if answer.status_code == 200:
            return read_answer(answer.content), None
        return self._failure(answer)

    async def _fetch(self, url: str) -> tuple[Answer | Reply | Failure, float | None]:
        """Fetch the picture behind a URL: whole, and within bounds."""
        import httpx2

        line = self._line_here()
        pieces: list[bytes] = []
        size = 0
        try:
            async with (
                line.slots,
                asyncio.timeout(self.settings.timeout),
                line.links.stream("GET", url) as answer,
            ):
                async for piece in answer.aiter_bytes():
                    pieces.append(piece)
                    size += len(piece)
                    if size > MOST_BYTES:
                        what = f"The server's picture is larger than {MOST_BYTES:,} bytes."
                        return Failure("bad_reply", what, False), None
        except (TimeoutError, httpx2.RequestError, httpx2.InvalidURL) as error:
            if isinstance(error, httpx2.InvalidURL):
                return Failure(
                    "bad_reply", f"The server's URL cannot be read: {error}", False
                ), None
            return failure_of(error, "the picture's URL", self.settings.timeout), None
        if answer.status_code == 200:
            return Answer(b"".join(pieces)), None
        return self._failure(answer, b"".join(pieces))

    def _failure(
        self, answer: httpx2.Response, raw: bytes | None = None
    ) -> tuple[Reply | Failure, float | None]:
        content = answer.content if raw is None else raw
        failure = read_failure(answer.status_code, content)
        if isinstance(failure, Failure) and refused_code(content):
            failure = Reply(outcome="refused", detail=failure.detail)
        return failure, read_retry_after(answer.headers.get("retry-after"))

    def _line_here(self) -> _Line:
        loop = asyncio.get_running_loop()
        if self._line is not None and self._line.loop is loop:
            return self._line
        import httpx2

        def client(key: str | None, follow: bool) -> httpx2.AsyncClient:
            options = client_options(self.url, key)
            # JSON or a form: each request says which it is.
            del options["headers"]["content-type"]
            return httpx2.AsyncClient(
                timeout=httpx2.Timeout(None, connect=self.settings.connect_timeout),
                follow_redirects=follow,
                **options,
            )

        self._line = _Line(
            loop,
            client(self._key, False),
            client(None, True),
            asyncio.Semaphore(self.settings.at_once),
        )
        return self._line

    async def close(self) -> None:
        """Close the connections of the running loop; a later call opens new ones."""
        if self._line is not None and self._line.loop is asyncio.get_running_loop():
            line, self._line = self._line, None
            await line.server.aclose()
            await line.links.aclose()


def http_painter(
    name: str,
    *,
    settings: HttpPainterSettings | None = None,
    price: PaintPrice | None = None,
    on_wait: Callable[[Waiting], None] | None = None,
    needs_key: bool = True,
) -> HttpPainter:
    """Return the painter of ``openai/gpt-image-1`` or ``http://HOST/v1#MODEL``.

    Settings may follow the model: ``openai/gpt-image-1?quality=low``.

    Raises:
        UnknownName, UsageError, ModelUnavailable: see
            :func:`eyeprint.models.hosts.address_of`.

    >>> http_painter("http://127.0.0.1:8000/v1#flux?width=512").name
    'http://127.0.0.1:8000/v1#flux?width=512'
    """
    # A question mark before the model would be the URL's own query, which it must not have.
    start = name.find("#") + 1
    base, _, query = name[start:].partition("?")
    base = name[:start] + base
    found = address_of(base, needs_key)
    given = settings_with(HttpPainterSettings, settings, read_options(name, query), name)
    return HttpPainter(
        base,
        url=found.url,
        model=found.model,
        key=found.key,
        settings=given,
        price=price,
        on_wait=on_wait,
    )
