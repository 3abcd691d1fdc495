"""Pipelines of diffusers, loaded when the first picture is asked for and shared after that.

Painters on the same weights, such as ``diffusers/qwen-image`` and ``dreambooth/qwen-image``,
share one pipeline: they run in their device's one thread, and leave it as they found it.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal
from weakref import WeakValueDictionary

from pydantic import Field

from eyeprint.config import Settings, canonical_json
from eyeprint.errors import ModelUnavailable
from eyeprint.models.painter_devices import told_why_not_loaded
from eyeprint.models.painter_table import Dtype
from eyeprint.models.painter_weights import PipelineWeights
from eyeprint.models.qwen_processor import picture_processor
from eyeprint.models.torch_running import chosen_device

_LOADED: WeakValueDictionary[str, Any] = WeakValueDictionary()
MEMORY_ADVICE = (
    "Set offload=model (or offload=sequential, slower and smaller), a smaller width and height, "
    "dtype=bfloat16, or vae_tiling=true."
)


class PipelineSettings(Settings):
    """Which weights are loaded, and how and where they run."""

    weights: str | None = None
    """A folder or hub id instead of the table's; it must hold the same kind of pipeline."""
    revision: str | None = None
    """Branch, tag or commit on the hub; what it stands for is in the fingerprint."""
    download: bool = True
    """Whether the hub may be asked for what is not on this machine."""
    device: str = "auto"
    """``auto`` (a CUDA device when there is one, else the processor), ``cuda``, ``cuda:1`` ..."""
    dtype: Dtype | Literal["auto"] = "auto"
    """Number format; ``auto`` is the table's on an accelerator and float32 on a processor."""
    offload: Literal["none", "model", "sequential"] = "none"
    """Keep weights in main memory and bring whole parts ("model") or single layers
    ("sequential") to the device when they are needed: less memory, slower."""
    device_map: Literal["balanced"] | None = None
    """``balanced`` spreads the parts over all devices."""
    vae_tiling: bool = False
    """Decode the picture in tiles: less memory, faint seams."""
    steps: int | None = Field(default=None, ge=1, le=1000)
    """Denoising steps; ``None`` takes the table's. A request's own value counts more; so too
    for guidance, negative, width and height."""
    guidance: float | None = Field(default=None, ge=0, le=100)
    """Strength of guidance; ``None`` takes the table's."""
    negative: str | None = None
    """Negative prompt; ``None`` takes the table's, an empty text gives none."""
    width: int | None = Field(default=None, ge=16, le=8192)
    """Pixels; ``None`` takes the pipeline's own size."""
    height: int | None = Field(default=None, ge=16, le=8192)


HOW = frozenset({"download", "device", "offload", "device_map"})
"""Settings of the machine. They are no part of a painter's identity: pictures of two devices
differ by rounding, and a run may move from one to the other."""


def resolved_dtype(settings: PipelineSettings, usual: Dtype, device: str) -> str:
    """Return the number format that is used on a device.

    >>> resolved_dtype(PipelineSettings(), "bfloat16", "cpu")
    'float32'
    """
    if settings.dtype != "auto":
        return settings.dtype
    return "float32" if device == "cpu" else usual


def load_pipeline(
    weights: PipelineWeights,
    settings: PipelineSettings,
    *,
    pipeline: str,
    dtype: str,
    variant: str | None = None,
) -> Any:
    """Return the pipeline of these weights, on its device; the same one when asked again.

    Args:
        weights: what :func:`eyeprint.models.painter_weights.find_pipeline` found.
        settings: device and so on.
        pipeline: class of the diffusers package.
        dtype: number format.
        variant: suffix of weight files on the hub, such as ``fp16``.

    Raises:
        ModelUnavailable: the class is not in the installed diffusers, the weights cannot be
            read or are not there, or the device's memory does not hold them.
        UsageError: the device is not on this machine.
    """
    device = chosen_device(settings.device)
    how = settings.model_dump(include={"offload", "device_map", "vae_tiling"})
    mark = canonical_json([weights.identity, pipeline, dtype, device, how])
    pipe = _LOADED.get(mark)
    if pipe is None:
        pipe = _load(weights, settings, pipeline, dtype, variant, device)
        _LOADED[mark] = pipe
    return pipe


def _load(
    weights: PipelineWeights,
    settings: PipelineSettings,
    pipeline: str,
    dtype: str,
    variant: str | None,
    device: str,
) -> Any:
    import diffusers
    import torch

    kind = getattr(diffusers, pipeline, None)
    if kind is None:
        raise ModelUnavailable(
            f"{weights.source} is a {pipeline}, which the installed diffusers "
            f"{diffusers.__version__} does not have. Update it: pip install -U diffusers"
        )
    where: dict[str, Any] = {}
    if weights.revision is not None:
        where = {"revision": weights.revision, "local_files_only": not settings.download}
    parts: dict[str, Any] = {"device_map": settings.device_map} if settings.device_map else {}
    if variant and (weights.revision is not None or _has_variant(weights.source, variant)):
        parts["variant"] = variant
    with told_why_not_loaded(weights.source, device, MEMORY_ADVICE):
        with _quiet():
            if pipeline.startswith("QwenImageEdit"):
                parts["processor"] = picture_processor(weights.source, **where)
            pipe = kind.from_pretrained(
                weights.source, torch_dtype=getattr(torch, dtype), **where, **parts
            )
        pipe.set_progress_bar_config(disable=True)
        if settings.vae_tiling:
            pipe.vae.enable_tiling()
        if settings.offload == "model":
            pipe.enable_model_cpu_offload(device=device)
        elif settings.offload == "sequential":
            pipe.enable_sequential_cpu_offload(device=device)
        elif not settings.device_map:
            pipe.to(device)
    return pipe


def _has_variant(folder: str, variant: str) -> bool:
    return next(Path(folder).expanduser().rglob(f"*.{variant}.*"), None) is not None


@contextmanager
def _quiet() -> Iterator[None]:
    """Silence the bars that loading would draw over ours, and a word about ``torch_dtype``.

    Newer versions of diffusers call it ``dtype``; those from 0.35 on know the older word.
    """
    import diffusers.utils.logging as of_diffusers
    import transformers.utils.logging as of_transformers

    was = [log for log in (of_diffusers, of_transformers) if log.is_progress_bar_enabled()]
    for log in was:
        log.disable_progress_bar()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)
            yield
    finally:
        for log in was:
            log.enable_progress_bar()


def versions() -> str:
    """Return the versions that pictures may depend on, for people.

    >>> versions().startswith("diffusers ") or versions() == ""
    True
    """
    from importlib.metadata import PackageNotFoundError, version

    try:
        return ", ".join(f"{name} {version(name)}" for name in ("diffusers", "torch"))
    except PackageNotFoundError:
        return ""
