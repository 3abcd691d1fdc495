"""Chat models in process, through transformers (CHECKLIST X1, M3, M24, M47; extra ``local``).

``local/OWNER/NAME`` is a model of the Hugging Face hub, ``local/PATH`` a folder. Models that
see (InternVL, Ovis2, LLaVA, Qwen-VL, DeepSeek-VL, Llama-Vision in the versions that
transformers runs without foreign code) get their pictures where they stand among the text;
models that read text alone are taken too, and say so when they are asked about a picture.
Weights are loaded with the first request, and replies are written in the device's one thread,
one after the other.

Replies are not shared between requests that begin alike: what a model has read of one prompt
cannot be reused in general when pictures follow, and a wrong reuse would change answers
unseen. A server such as vLLM does it; name it by its URL.
"""

from __future__ import annotations

import threading
import time
from functools import cached_property
from typing import TYPE_CHECKING, Any

from eyeprint.errors import ModelUnavailable, UnreadablePicture, UsageError
from eyeprint.models.chat_local_loading import (
    HOW,
    MEMORY_ADVICE,
    LocalChatSettings,
    device_for,
    dtype_for,
    load_local,
    need_local,
)
from eyeprint.models.chat_local_weights import ChatWeights, find_chat_weights
from eyeprint.models.chat_wire import clean_text, outcome_of
from eyeprint.models.kinds import ChatRequest, Reply, Usage
from eyeprint.models.painter_devices import Stopped, free_memory, is_out_of_memory, on_device
from eyeprint.models.painter_table import name_with, read_options
from eyeprint.models.prices import FREE

if TYPE_CHECKING:
    from eyeprint.models.chat_local_loading import LoadedChat

PREFIX = "local/"
JSON_NOTE = "json_mode: asked for in words alone; decoding here is not held to JSON"


class LocalChat:
    """One chat model on this machine.

    Args:
        place: a folder, or ``OWNER/NAME`` on the Hugging Face hub.
        settings: number format, device and so on.

    Raises:
        MissingExtra: torch or transformers is not installed.
    """

    in_process = True
    """It computes here: many calls at once gain nothing, and nothing is paid."""

    def __init__(self, place: str, settings: LocalChatSettings | None = None) -> None:
        self.settings = settings or LocalChatSettings()
        self.place = place
        self.price = FREE
        self.name = name_with(PREFIX + place, self.settings, HOW)
        need_local(f"the chat model '{self.name}'")
        self._loaded: LoadedChat | None = None

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"

    @cached_property
    def weights(self) -> ChatWeights:
        """The weights: found, and not yet loaded.

        Raises:
            ModelUnavailable: they are not there.
        """
        return find_chat_weights(self.place, self.settings.revision, self.settings.download)

    @cached_property
    def device(self) -> str:
        """Where it runs."""
        return device_for(self.settings)

    @property
    def dtype(self) -> str:
        """Its number format."""
        return dtype_for(self.settings, self.weights, self.device)

    @property
    def ledger_name(self) -> str:
        """What ledgers know it by: other weights or another number format, another model.

        Weights that are not there have no replies, so their plain name will do.
        """
        try:
            return f"{self.name} at {self.weights.identity}, {self.dtype}"
        except ModelUnavailable:
            return self.name

    def load(self) -> None:
        """Load the weights now, in this thread.

        Raises:
            ModelUnavailable, UsageError: see :meth:`reply`.
        """
        if self._loaded is None:
            self._loaded = load_local(self.weights, self.settings, self.device, self.dtype)

    async def reply(self, request: ChatRequest) -> Reply:
        """Answer one request in the device's thread.

        Raises:
            ModelUnavailable, UsageError: the weights are not there or cannot be loaded, or the
                device is not on this machine: no request can be answered.
        """
        return await on_device(self.device, lambda stop: self._timed(request, stop))

    def _timed(self, request: ChatRequest, stop: threading.Event) -> Reply:
        from eyeprint.models.chat_local_generation import TooLong

        self.load()
        started = time.perf_counter()
        served = f"{self.weights.identity} ({self.dtype}, {_versions()})"
        try:
            reply = self._written(request, stop)
        except Stopped:
            reply = _failed("timeout", "Nobody waited for this reply any more.")
        except (TooLong, UnreadablePicture) as error:
            reply = _failed("bad_request", f"{self.name}: {error}.")
        except (ValueError, TypeError, LookupError) as error:
            reply = _failed("bad_request", f"{self.name}: {_told(error)}")
        except (RuntimeError, MemoryError) as error:
            reply = self._stumbled(error)
        seconds = time.perf_counter() - started
        return reply.model_copy(update={"seconds": seconds, "served_model": served})

    def _written(self, request: ChatRequest, stop: threading.Event) -> Reply:
        from eyeprint.models.chat_local_generation import write
        from eyeprint.models.chat_local_prompts import prompt_of

        loaded = self._loaded
        if loaded is None:  # load() came first
            raise ModelUnavailable(f"{self.name} is not loaded.")
        if not loaded.sees and any(each.images for each in request.messages):
            return _failed(
                "bad_request",
                f"{self.name} reads text alone, and was asked with pictures. Take a model that "
                "sees, or describe the pictures in words.",
            )
        prompt = prompt_of(loaded, request.messages, self.settings.max_side)
        written = write(loaded, prompt, request, self.settings.max_tokens, stop)
        text = clean_text(written.text)
        notes = [*prompt.notes, *([JSON_NOTE] if request.json_mode else [])]
        return Reply(
            text=text,
            outcome=outcome_of(text, written.finish_reason, None),
            finish_reason=written.finish_reason,
            usage=Usage(input_tokens=prompt.tokens, output_tokens=written.tokens),
            cost_usd=0.0,
            detail="; ".join(notes),
        )

    def _stumbled(self, error: Exception) -> Reply:
        reason = _told(error)
        if is_out_of_memory(error):
            free_memory()
            return _failed(
                "server_error",
                f"{self.name}: the memory of {self.device} ran out ({reason}). {MEMORY_ADVICE}",
            )
        return _failed("server_error", f"{self.name}: {reason}")


def _told(error: Exception) -> str:
    return (str(error) or type(error).__name__).strip().splitlines()[0][:300]


def _failed(kind: str, detail: str) -> Reply:
    return Reply(outcome="failed", failure=kind, detail=detail)


def _versions() -> str:
    from importlib.metadata import version

    return ", ".join(f"{name} {version(name)}" for name in ("transformers", "torch"))


def local_chat(name: str, settings: Any | None = None, find: bool = True) -> LocalChat:
    """Return the model of ``local/PATH_OR_ID``, or ``local/PATH_OR_ID?dtype=bfloat16&device=cpu``.

    Args:
        name: the catalogue name.
        settings: :class:`LocalChatSettings`; settings of another kind of model are passed over.
        find: whether the weights are looked for now, and not with the first request.

    Raises:
        UsageError: the model is missing from the name, or a setting is wrong.
        ModelUnavailable: the weights are not there.
        MissingExtra: torch or transformers is not installed.
    """
    base, _, query = name.partition("?")
    place = base.removeprefix(PREFIX)
    if not place or base == place:
        raise UsageError(f"'{name}' lacks the model: write local/OWNER/NAME or local/FOLDER.")
    options = read_options(name, query)
    given = settings if isinstance(settings, LocalChatSettings) else LocalChatSettings()
    if options:
        values = given.model_dump(exclude_unset=True) | options
        given = LocalChatSettings.checked(values, where=f"chat model '{name}'")
    chat = LocalChat(place, given)
    if find:
        # Found once and kept; a name that leads nowhere is told before anything starts.
        _ = chat.weights
    return chat
