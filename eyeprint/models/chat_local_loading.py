"""Chat models of transformers: found by their configuration, loaded once, on one or many devices.

Two chats on the same weights and the same device share one model: they run in their device's
one thread.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any, Literal, NamedTuple
from weakref import WeakValueDictionary

from pydantic import Field

from eyeprint.config import Settings, canonical_json
from eyeprint.errors import MissingExtra, ModelUnavailable
from eyeprint.models.chat_local_processor import processor_of
from eyeprint.models.chat_local_weights import ChatWeights
from eyeprint.models.painter_devices import told_why_not_loaded
from eyeprint.models.torch_running import chosen_device, quiet_transformers

MEMORY_ADVICE = (
    "Set dtype=bfloat16, device_map=auto (spreads it over all devices), a smaller max_side, or "
    "serve it quantised and name it by its URL."
)
ELSEWHERE = "A server such as vLLM may run it: name it http://HOST:8000/v1#MODEL."


class LocalChatSettings(Settings):
    """Which weights are loaded, how they run, and what holds where requests are silent."""

    revision: str | None = None
    """Branch, tag or commit on the hub; what it stands for is in the ledger's name."""
    download: bool = True
    """Whether the hub may be asked for what is not on this machine."""
    device: str = "auto"
    """``auto`` (a CUDA device, else Apple's, else the processor), ``cuda:1``, ``mps``, ``cpu``."""
    device_map: Literal["auto", "balanced"] | None = None
    """Spread the layers over all CUDA devices and, with ``auto``, main memory (CHECKLIST M47: a
    model of 72–78 billion parameters takes three of 80 GB)."""
    dtype: Literal["auto", "float32", "bfloat16", "float16"] = "auto"
    """Number format; ``auto`` is the stored one on an accelerator and float32 on a processor."""
    max_tokens: int = Field(default=1024, ge=1)
    """Longest reply, where the request sets no limit."""
    max_side: int | None = Field(default=None, ge=1)
    """Longest side of pictures, before the model's own resizing; ``None`` leaves them."""


HOW = frozenset({"download", "device", "device_map", "revision"})
"""Settings that do not belong to a model's name: of the machine, or said by the commit."""


class LoadedChat(NamedTuple):
    """A model with what reads its messages."""

    held: _Held

    @property
    def model(self) -> Any:
        """The module, in evaluation mode."""
        return self.held.model

    @property
    def processor(self) -> Any:
        """The processor, or the tokenizer of a model that reads text alone."""
        return self.held.processor

    @property
    def tokenizer(self) -> Any:
        """The tokenizer."""
        return getattr(self.held.processor, "tokenizer", self.held.processor)

    @property
    def sees(self) -> bool:
        """Whether it reads pictures."""
        return self.held.sees


class _Held:
    def __init__(self, model: Any, processor: Any, sees: bool) -> None:
        self.model, self.processor, self.sees = model, processor, sees


_LOADED: WeakValueDictionary[str, _Held] = WeakValueDictionary()


def need_local(what: str) -> None:
    """Check that torch and transformers are installed; imports nothing.

    Raises:
        MissingExtra: one is not.
    """
    if any(find_spec(package) is None for package in ("torch", "transformers")):
        raise MissingExtra(what, "torch and transformers", "local")


def device_for(settings: LocalChatSettings) -> str:
    """Return the torch name of the device.

    Raises:
        UsageError: torch does not know it, or it is not on this machine.
    """
    import torch

    if settings.device == "auto" and not torch.cuda.is_available():
        return "mps" if torch.backends.mps.is_available() else "cpu"
    return chosen_device(settings.device)


def dtype_for(settings: LocalChatSettings, weights: ChatWeights, device: str) -> str:
    """Return the number format's name.

    >>> stored = ChatWeights("x", None, "x", {"dtype": "bfloat16"})
    >>> [dtype_for(LocalChatSettings(), stored, device) for device in ("cpu", "cuda")]
    ['float32', 'bfloat16']
    """
    if settings.dtype != "auto":
        return settings.dtype
    return "float32" if device == "cpu" else weights.stored_dtype


def load_local(
    weights: ChatWeights, settings: LocalChatSettings, device: str, dtype: str
) -> LoadedChat:
    """Return the model of these weights; the same one when asked again.

    Raises:
        ModelUnavailable: the library does not know it, it has no chat template, files are damaged
            or missing, or memory does not hold it.
    """
    mark = canonical_json([weights.source, weights.identity, device, settings.device_map, dtype])
    held = _LOADED.get(mark)
    if held is None:
        held = _loaded(weights, settings, device, dtype)
        _LOADED[mark] = held
    return LoadedChat(held)


def _loaded(weights: ChatWeights, settings: LocalChatSettings, device: str, dtype: str) -> _Held:
    where: dict[str, Any] = {}
    if weights.revision is not None:
        where = {"revision": weights.revision, "local_files_only": not settings.download}
    with told_why_not_loaded(weights.source, device, MEMORY_ADVICE):
        return _read(weights, settings, device, dtype, where)


def _read(
    weights: ChatWeights,
    settings: LocalChatSettings,
    device: str,
    dtype: str,
    where: dict[str, Any],
) -> _Held:
    import torch
    import transformers

    config = _configuration(weights, where)
    sees = type(config) in transformers.MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING
    if not sees and type(config) not in transformers.MODEL_FOR_CAUSAL_LM_MAPPING:
        raise ModelUnavailable(
            f"{weights.source}: a model of type {config.model_type} cannot chat."
        )
    if sees:
        kind, processor = (
            transformers.AutoModelForImageTextToText,
            processor_of(weights.source, config, **where),
        )
    else:
        kind = transformers.AutoModelForCausalLM
        processor = transformers.AutoTokenizer.from_pretrained(weights.source, **where)
    template = getattr(processor, "chat_template", None)
    if template is None and sees and processor.tokenizer.chat_template is not None:
        # Some releases keep it with the tokenizer only.
        processor.chat_template = template = processor.tokenizer.chat_template
    if template is None:
        raise ModelUnavailable(
            f"{weights.source} has no chat template, so it is no chat model, or its file "
            "chat_template.jinja is missing. Take the model's instruct or chat version."
        )
    placed: dict[str, Any] = {}
    if settings.device_map is not None:
        if find_spec("accelerate") is None:
            raise MissingExtra("device_map", "accelerate", "local")
        placed = {"device_map": settings.device_map}
    elif device != "cpu" and find_spec("accelerate") is not None:
        # Straight to the device, without a copy of everything in main memory first.
        placed = {"device_map": {"": device}}
    with quiet_transformers():
        model, told = kind.from_pretrained(
            weights.source, dtype=getattr(torch, dtype), output_loading_info=True, **placed, **where
        )
    missing = sorted(told["missing_keys"])
    if missing:
        raise ModelUnavailable(
            f"{weights.source}: {len(missing)} weights are missing, the first is {missing[0]}. "
            "Are the files whole, and of this model?"
        )
    if not placed:
        model = model.to(device)
    return _Held(model.eval(), processor, sees)


def _configuration(weights: ChatWeights, where: dict[str, Any]) -> Any:
    import transformers

    kind = weights.config.get("model_type")
    known = transformers.AutoConfig
    try:
        return known.from_pretrained(weights.source, **where)
    except (ValueError, KeyError, OSError) as error:
        own = " It brings code of its own, which is not run here." if _own_code(weights) else ""
        raise ModelUnavailable(
            f"{weights.source}: the installed transformers {transformers.__version__} knows no "
            f"model of type {kind!r}.{own} Update it (pip install -U transformers), or take a "
            f"version of the model that was made for transformers (often NAME-hf). {ELSEWHERE}"
        ) from error


def _own_code(weights: ChatWeights) -> bool:
    return "auto_map" in weights.config
