"""Chat models through the providers of inspect_ai (CHECKLIST X1; extra ``inspect``).

``inspect/PROVIDER/MODEL`` is any model that ``inspect eval --model PROVIDER/MODEL`` takes: Bedrock,
Vertex, Azure, Mistral and others that speak no OpenAI protocol, and those of other packages. Keys
and base URLs are those that Inspect's documentation names for the provider; arguments of a
provider follow a question mark, ``inspect/hf/OWNER/NAME?device=cuda:0``.

Providers are asked one call at a time, past inspect_ai's own loop around them: that retries
without an end by default, keeps every message it was given as long as the process lives (with
10,000 questions, all their pictures), and has a cache beside our ledger. Here waits are visible
and bounded, the budget is asked before each further call, and the ledger keeps the replies.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Callable
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from eyeprint.config import fingerprint_of
from eyeprint.errors import ModelUnavailable, UsageError, shown
from eyeprint.models.attempts import ask_to_try_again
from eyeprint.models.chat_http import HttpSettings
from eyeprint.models.chat_inspect_names import is_moved, plain_words, read_arguments
from eyeprint.models.chat_inspect_wire import (
    collapsed,
    failure_of_error,
    inspect_config,
    inspect_messages,
    need_inspect,
    reply_of_output,
    retry_after_of,
)
from eyeprint.models.chat_wire import Failure
from eyeprint.models.http_wire import Tries
from eyeprint.models.kinds import ChatRequest, Reply
from eyeprint.models.prices import FREE, Price, cost_of, price_of
from eyeprint.models.retries import Waiting, read_retry_after

PREFIX = "inspect/"
HERE = frozenset(
    {
        "hf",
        "llama-cpp-python",
        "mockllm",
        "nnterp",
        "ollama",
        "sglang",
        "transformer_lens",
        "vllm",
    }
)
"""Providers that run on a machine of yours: no call costs money."""
JSON_NOTE = "json_mode: asked for in words alone; inspect_ai's providers take schemas only"


class _Line(NamedTuple):
    """What belongs to one event loop."""

    loop: asyncio.AbstractEventLoop
    slots: asyncio.Semaphore


class InspectChat:
    """One model of one provider of inspect_ai. Calls may run at once, in any number of tasks.

    Args:
        name: the catalogue name, ``inspect/PROVIDER/MODEL``.
        settings: time limit, calls at once and retries, as for models on servers;
            ``connect_timeout`` and ``limit_field`` are the provider's own affair.
        price: the price to reckon with; by default that of ``PROVIDER/MODEL``.
        on_wait: told of every wait before a call is made again.
        arguments: what the provider is made with, besides those in the name (such as
            ``custom_outputs`` of ``mockllm``); they belong to no name.

    Raises:
        UsageError: provider or model is missing from the name, or the name holds a secret.
        MissingExtra: inspect_ai is not installed.
    """

    def __init__(
        self,
        name: str,
        *,
        settings: HttpSettings | None = None,
        price: Price | None = None,
        on_wait: Callable[[Waiting], None] | None = None,
        **arguments: Any,
    ) -> None:
        self.name = name
        base, _, query = name.partition("?")
        self.model = base.removeprefix(PREFIX)
        provider, _, model = self.model.partition("/")
        if base == self.model or not provider or not model:
            raise UsageError(f"'{shown(name)}' lacks a part: write inspect/PROVIDER/MODEL.")
        need_inspect(f"the chat model '{shown(name)}'")
        self.settings = settings or HttpSettings()
        known = FREE if provider in HERE else price_of(self.model)
        self.price = price if price is not None else known
        self.on_wait = on_wait
        self._arguments = read_arguments(name, query) | arguments
        self._made: Any | None = None
        self._line: _Line | None = None

    def __repr__(self) -> str:
        return f"InspectChat({self.name!r})"

    @property
    def ledger_name(self) -> str:
        """What ledgers know it by: the URL counts where it is not the provider's usual one.

        A model that cannot be made has no replies, so its plain name will do.
        """
        try:
            url = self.url
        except ModelUnavailable:
            return self.name
        return f"{self.name} at {url}" if url else self.name

    @property
    def url(self) -> str:
        """The base URL, where name or environment gives one; without user and query.

        Raises:
            ModelUnavailable, UsageError: see :meth:`load`.
        """
        self.load()
        client = getattr(self._api, "client", None)
        own = getattr(self._api, "base_url", None)
        if own is None and is_moved(self.model):
            own = getattr(client, "base_url", None)
        parts = urlsplit(str(own or ""))
        if not parts.hostname:
            return ""
        port = f":{parts.port}" if parts.port else ""
        return f"{parts.scheme}://{parts.hostname}{port}{parts.path}".rstrip("/")

    def load(self) -> None:
        """Make the provider's client (or load its weights) now; keys are looked for.

        Raises:
            ModelUnavailable: a key, a package or the weights are not there; the message is the
                provider's.
            UsageError: there is no such provider, or it takes no such argument.
        """
        if self._made is not None:
            return
        from inspect_ai.model import get_model

        hook = sys.excepthook
        try:
            self._made = get_model(self.model, memoize=False, **self._arguments)
        except (ValueError, TypeError) as error:
            raise UsageError(
                f"'{shown(self.name)}' is no model of inspect_ai: {plain_words(error)}"
            ) from error
        except Exception as error:
            raise ModelUnavailable(f"{self.name}: {plain_words(error)}") from error
        finally:
            # It hangs itself into the whole process, which is not its own here.
            sys.excepthook = hook
        self._once_only()

    async def reply(self, request: ChatRequest) -> Reply:
        """Answer one request; calls that may pass are made again, within bounds.

        Raises:
            ModelUnavailable, UsageError: see :meth:`load`; or a picture has no bytes.
            BudgetReached: a call failed, and the next one could pass the budget.
        """
        self.load()
        messages = inspect_messages(request.messages)
        started = time.perf_counter()
        key = getattr(self._api, "api_key", None)
        tries = Tries(self.name, self.settings.retry, str(key) if key else None, self.on_wait)
        one = ""
        while True:
            result, cost, retry_after = await self._call(messages, request)
            seconds = time.perf_counter() - started
            if isinstance(result, Reply):
                notes = [note for note in (tries.without_key(result.detail),) if note]
                notes += [JSON_NOTE] if request.json_mode else []
                told = {"seconds": seconds, "cost_usd": cost, "detail": "; ".join(notes)}
                return result.model_copy(update=told)
            failed = Reply(
                outcome="failed",
                failure=result.kind,
                detail=tries.told(result),
                seconds=seconds,
                maybe_billed=result.maybe_billed,
            )
            if not tries.again(result):
                return failed
            await ask_to_try_again(failed)
            one = one or fingerprint_of([self.name, request.model_dump(mode="json")])
            await asyncio.sleep(tries.wait(result, one, retry_after))

    async def _call(
        self, messages: list[Any], request: ChatRequest
    ) -> tuple[Reply | Failure, float | None, float | None]:
        """Make one call; return what came of it, its cost, and what the server asked to wait."""
        line = self._line_here()
        api = self._api  # after the line: another loop has another client
        config = self._config(request)
        roles = _collapsing(api)
        try:
            async with line.slots, asyncio.timeout(self.settings.timeout):
                # A provider may raise anything: here whatever it is comes back as a value.
                results: tuple[Any] = await asyncio.gather(
                    api.generate(
                        input=collapsed(messages, roles) if roles else messages,
                        tools=[],
                        tool_choice="none",
                        config=config,
                    ),
                    return_exceptions=True,
                )
        except TimeoutError:
            waited = f"{self.model} did not answer within {self.settings.timeout:g} s."
            return Failure("timeout", waited, True, True), None, None
        result = results[0]
        if isinstance(result, asyncio.CancelledError):
            raise result
        output = result[0] if isinstance(result, tuple) else result
        if isinstance(output, BaseException):
            decision = api.should_retry(output) if isinstance(output, Exception) else None
            asked = read_retry_after(retry_after_of(output, decision))
            return failure_of_error(output, decision), None, asked
        reply = reply_of_output(output)
        if isinstance(reply, Failure):
            return reply, None, None
        cost = cost_of(self.price, reply.usage)
        if cost is None and self.price is None:
            cost = getattr(output.usage, "total_cost", None)
        return reply, cost, None

    def _config(self, request: ChatRequest) -> Any:
        from inspect_ai.model import GenerateConfig

        config = self._model.config.merge(GenerateConfig(**inspect_config(request)))
        if config.max_tokens is None:
            # As inspect_ai does: some services take no request without a limit.
            for_config = getattr(self._api, "max_tokens_for_config", lambda _: None)
            config.max_tokens = for_config(config) or self._api.max_tokens()
        return config

    @property
    def _model(self) -> Any:
        if self._made is None:
            raise ModelUnavailable(f"{self.name} is not loaded.")
        return self._made

    @property
    def _api(self) -> Any:
        return self._model.api

    def _once_only(self) -> None:
        """Keep vendors' packages from calling again by themselves, unseen and unpaid for."""
        client = getattr(self._api, "client", None)
        if isinstance(getattr(client, "max_retries", None), int):
            client.max_retries = 0  # type: ignore[union-attr]

    def _line_here(self) -> _Line:
        loop = asyncio.get_running_loop()
        if self._line is None or self._line.loop is not loop:
            if self._line is not None:
                # Connections of a loop that has ended cannot be used from another one.
                self._forget_connections()
            self._line = _Line(loop, asyncio.Semaphore(self.settings.at_once))
        return self._line

    def _forget_connections(self) -> None:
        from inspect_ai.model import ModelAPI

        if type(self._api).aclose is ModelAPI.aclose:
            return  # it holds none that would have to be closed in its loop
        if type(self._api).close is not ModelAPI.close:
            self._api.close()  # a server that it has started; two would not fit
        self._made = None
        self.load()

    async def close(self) -> None:
        """Close the connections of the running loop; a later call opens new ones."""
        if self._made is None or self._line is None:
            return
        if self._line.loop is asyncio.get_running_loop():
            made, self._made, self._line = self._made, None, None
            await made.api.aclose()


def _collapsing(api: Any) -> frozenset[str]:
    asked = {
        "user": "collapse_user_messages",
        "assistant": "collapse_assistant_messages",
        "system": "collapse_system_messages",
    }
    return frozenset(role for role, name in asked.items() if getattr(api, name, bool)())


def inspect_chat(
    name: str,
    *,
    settings: Any | None = None,
    price: Price | None = None,
    on_wait: Callable[[Waiting], None] | None = None,
    needs_key: bool = True,
) -> InspectChat:
    """Return the model of a name such as ``inspect/bedrock/anthropic.claude-sonnet-4``.

    Args:
        name: the catalogue name.
        settings: :class:`~eyeprint.models.chat_http.HttpSettings`; others are passed over.
        price: the price to reckon with, where the table has none or a wrong one.
        on_wait: told of every wait before a call is made again.
        needs_key: whether the provider is made now, so that a missing key is told before
            anything starts.

    Raises:
        UsageError: the name lacks a part, or there is no such provider.
        ModelUnavailable: the provider's key or package is not there.
        MissingExtra: inspect_ai is not installed.
    """
    http = settings if isinstance(settings, HttpSettings) else None
    chat = InspectChat(name, settings=http, price=price, on_wait=on_wait)
    if needs_key:
        chat.load()
    return chat
