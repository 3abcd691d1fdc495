"""How torch models are run here: found out without importing it, exact, on the best device."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

from eyeprint.errors import MissingExtra, UsageError


def need_torch(what: str, *packages: str) -> None:
    """Check that torch, and ``packages`` beside it, are installed; imports nothing.

    Raises:
        MissingExtra: one is not; the message names all that ``what`` needs.
    """
    wanted = ("torch", *packages)
    if any(find_spec(package) is None for package in wanted):
        raise MissingExtra(what, " and ".join(wanted), "images")


def chosen_device(wanted: str = "auto") -> str:
    """Return the device's torch name: ``auto`` takes a CUDA device when there is one.

    Raises:
        UsageError: torch does not know the device, or it is not on this machine.
    """
    import torch

    if wanted == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    try:
        kind = torch.device(wanted).type
    except RuntimeError as error:
        raise UsageError(f"'{wanted}' is no device of torch; use auto, cpu or cuda.") from error
    if kind == "cuda" and not torch.cuda.is_available():
        raise UsageError(f"The device '{wanted}' is not on this machine; use auto or cpu.")
    return wanted


def device_note(what: str, device: str) -> str:
    """Say where a model runs, with the graphics card's name.

    >>> device_note("clip", "cpu")
    'clip runs on the processor (cpu).'
    """
    if not device.startswith("cuda"):
        return f"{what} runs on the processor ({device})."
    import torch

    return f"{what} runs on {torch.cuda.get_device_name(device)} ({device})."


@contextmanager
def exact_inference() -> Iterator[Any]:
    """Run without gradients, and without TensorFloat-32.

    On graphics cards convolutions would otherwise keep 10 bits of each factor, so that a
    score there could differ in its third digit from the same score on a processor.
    """
    import torch

    with torch.inference_mode(), torch.backends.cudnn.flags(enabled=True, allow_tf32=False):
        yield torch


@contextmanager
def quiet_transformers() -> Iterator[None]:
    """Keep the library's progress bar and warnings off a screen that is not its own."""
    import transformers.utils.logging as logs

    level, bar = logs.get_verbosity(), logs.is_progress_bar_enabled()
    logs.set_verbosity_error()
    logs.disable_progress_bar()
    try:
        yield
    finally:
        logs.set_verbosity(level)
        if bar:
            logs.enable_progress_bar()
