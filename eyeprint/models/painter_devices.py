"""One line for each device: pipelines run there one at a time, away from the event loop."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, TypeVar

from eyeprint.errors import EyeprintError, ModelUnavailable

T = TypeVar("T")

_LINES: dict[str, ThreadPoolExecutor] = {}
_LOCK = threading.Lock()
_SIGNS = ("out of memory", "can't allocate memory", "not enough memory")


class Stopped(Exception):
    """The one who waited for a picture has gone; raised between two steps of its painting."""


async def on_device(device: str, work: Callable[[threading.Event], T]) -> T:
    """Run work in the device's own thread, after what was asked for before, and wait for it.

    A graphics card that paints two pictures at once paints both slower, or runs out of
    memory. When the waiting is cancelled (Ctrl-C), work that has not begun is dropped, and
    work under way is told by the event that it is given.

    >>> asyncio.run(on_device("cpu", lambda stop: stop.is_set()))
    False
    """
    stop = threading.Event()
    future = asyncio.get_running_loop().run_in_executor(_line(device), work, stop)
    try:
        return await future
    except asyncio.CancelledError:
        stop.set()
        raise


def _line(device: str) -> ThreadPoolExecutor:
    kind, _, number = device.partition(":")
    mark = f"{kind}:{number or 0}"
    with _LOCK:
        if mark not in _LINES:
            _LINES[mark] = ThreadPoolExecutor(1, thread_name_prefix=f"eyeprint-{kind}")
        return _LINES[mark]


def stop_between_steps(stop: threading.Event) -> Callable[..., dict[str, Any]]:
    """Return a step callback for pipelines that ends a painting nobody waits for.

    Raises (when called):
        Stopped: the event is set.
    """

    def after_step(pipe: Any, step: int, timestep: Any, values: dict[str, Any]) -> dict[str, Any]:
        if stop.is_set():
            raise Stopped
        return {}

    return after_step


def is_out_of_memory(error: BaseException) -> bool:
    """Return whether an error says that memory ran out, on whichever device.

    >>> is_out_of_memory(RuntimeError("CUDA out of memory. Tried to allocate 2 GiB"))
    True
    """
    if isinstance(error, MemoryError):
        return True
    return isinstance(error, RuntimeError) and any(sign in str(error) for sign in _SIGNS)


def free_memory() -> None:
    """Give back what torch keeps for later, after memory ran out."""
    import gc

    import torch

    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()


@contextmanager
def told_why_not_loaded(source: str, device: str, advice: str) -> Iterator[None]:
    """Tell in one way why weights could not be loaded.

    Args:
        source: the folder or hub id.
        device: where they were to go.
        advice: what to do where memory does not hold them.

    Raises:
        ModelUnavailable: files are damaged or missing, or memory does not hold them.
    """
    from huggingface_hub.errors import HfHubHTTPError
    from safetensors import SafetensorError

    try:
        yield
    except EyeprintError:
        raise
    # What is damaged or missing shows as any of these, by the file and its format.
    except (
        OSError,
        ValueError,
        TypeError,
        KeyError,
        ImportError,
        AttributeError,
        RuntimeError,
        MemoryError,
        HfHubHTTPError,
        SafetensorError,
    ) as error:
        reason = (str(error) or type(error).__name__).strip().splitlines()[0][:300]
        if is_out_of_memory(error):
            free_memory()
            raise ModelUnavailable(
                f"{source} does not fit into the memory of {device} ({reason}). {advice}"
            ) from error
        raise ModelUnavailable(f"{source} cannot be loaded: {reason}") from error
