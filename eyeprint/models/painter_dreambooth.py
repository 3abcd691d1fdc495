"""Painters that are tuned on a case's references before they paint: DreamBooth with LoRA (P60).

The prompt then carries the tuned word: "sks ..." as in the released scripts. Adapters are
kept on disk by what decides them (weights, settings, the references' pixels): a resumed run
tunes nothing twice, and two methods on the same references share one.
"""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import Any

from pydantic import Field

from eyeprint.config import Settings, fingerprint_of
from eyeprint.errors import ModelUnavailable, UsageError
from eyeprint.models.kinds import Painted, PaintRequest
from eyeprint.models.lora_tuning import (
    Adapter,
    TuningSettings,
    packed,
    put_in,
    tune,
    unpacked,
    with_layers,
)
from eyeprint.models.painter_diffusers import DiffusersPainter
from eyeprint.models.painter_pipelines import HOW, PipelineSettings
from eyeprint.models.painter_table import (
    PainterName,
    PainterRow,
    name_with,
    read_painter_name,
    settings_with,
)
from eyeprint.models.tuning_losses import BACKBONES
from eyeprint.randomness import stable_hash
from eyeprint.records.whole_files import write_whole

HOW_TUNED = HOW | {"adapters", "gradient_checkpointing"}
"""Settings that change no picture."""


class DreamboothSettings(PipelineSettings, TuningSettings):
    """How a pipeline is tuned, and how it paints afterwards."""

    prompt_form: str = Field(default="sks {prompt}", pattern=r"\{prompt\}")
    """What the tuned painter is told; ``{prompt}`` is the case's prompt."""
    adapters: str | None = None
    """Folder of tuned adapters; ``None`` is ``$EYEPRINT_CACHE/adapters``, else
    ``~/.cache/eyeprint/adapters``; an empty text keeps none."""
    gradient_checkpointing: bool = True
    """Compute parts of the network again in training, to keep less in memory."""


class DreamboothPainter(DiffusersPainter):
    """A pipeline that is tuned on the references of each request, and then paints its prompt.

    Raises (when made):
        UsageError: a setting does not go with tuning.
    """

    settings: DreamboothSettings

    def __init__(self, name: PainterName, settings: DreamboothSettings | None = None) -> None:
        super().__init__(name, settings or DreamboothSettings())
        self.name = name_with(f"{name.family}/{name.model}", self.settings, HOW_TUNED)
        if self.settings.offload == "sequential":
            raise UsageError(
                f"The painter '{self.name}' cannot be tuned with offload=sequential. "
                "Use offload=model, or a smaller resolution."
            )

    @property
    def ways(self) -> frozenset[str]:
        """It tunes, and does nothing else."""
        return frozenset({"tune"})

    def _unknown_row(self, found: Any) -> PainterRow:
        raise ModelUnavailable(
            f"The painter '{self.name}' needs a pipeline that can be tuned here: "
            f"{', '.join(sorted(BACKBONES))}. {found.source} is a {found.pipeline}."
        )

    def _identity(self) -> dict[str, Any]:
        identity = super()._identity()
        kept = {
            key: value for key, value in identity["settings"].items() if key not in HOW_TUNED - HOW
        }
        return identity | {"settings": kept}

    def adapter_key(self, request: PaintRequest) -> str:
        """Return what decides an adapter: weights, tuning settings, pixels in their order."""
        tuning = {name: getattr(self.settings, name) for name in TuningSettings.model_fields}
        return fingerprint_of(
            {
                "adapter": 1,
                "weights": self.weights.identity,
                "dtype": self.dtype,
                "tuning": tuning,
                "references": [picture.sha256 for picture in request.references],
            }
        )

    def painted(self, pipe: Any, request: PaintRequest, stop: threading.Event) -> Painted:
        """Tune, or find the adapter; paint with it; leave the pipeline as it was."""
        settings = self.settings
        backbone = BACKBONES[self.row.pipeline]
        model = getattr(pipe, backbone.part)
        key = self.adapter_key(request)
        with with_layers(model, settings, stable_hash(settings.seed, "adapter", key)):
            adapter = self._kept(key)
            if adapter is None:
                learner = backbone(pipe, settings.instance_prompt, settings.shift)
                if settings.gradient_checkpointing:
                    model.enable_gradient_checkpointing()
                try:
                    adapter = tune(learner, request.references, settings, key, stop)
                finally:
                    if settings.gradient_checkpointing:
                        model.disable_gradient_checkpointing()
                self._keep(key, adapter)
            put_in(model, adapter)
            told = settings.prompt_form.replace("{prompt}", request.prompt)
            plain = request._replace(prompt=told, references=())
            painted = super().painted(pipe, plain, stop)
        notes = [adapter.note, painted.detail] if painted.picture is not None else [painted.detail]
        return painted._replace(detail="; ".join(filter(None, notes)))

    @property
    def folder(self) -> Path | None:
        """Where adapters are kept, or ``None`` for nowhere."""
        if self.settings.adapters is not None:
            return Path(self.settings.adapters).expanduser() if self.settings.adapters else None
        cache = os.environ.get("EYEPRINT_CACHE") or Path.home() / ".cache" / "eyeprint"
        return Path(cache) / "adapters"

    def _kept(self, key: str) -> Adapter | None:
        if self.folder is None:
            return None
        path = self.folder / f"{key}.safetensors"
        if not path.is_file():
            return None
        try:
            return unpacked(path.read_bytes())
        except ValueError as error:
            raise ModelUnavailable(f"{path}: {error}. Delete it to have it tuned again.") from error

    def _keep(self, key: str, adapter: Adapter) -> None:
        if self.folder is not None:
            write_whole(self.folder / f"{key}.safetensors", [packed(adapter)])


def dreambooth_painter(name: str, settings: Settings | None = None) -> DreamboothPainter:
    """Return the painter of ``dreambooth/qwen-image``, ``dreambooth/HUB_ID`` or a path.

    Raises:
        UsageError: a setting is wrong.

    >>> dreambooth_painter("dreambooth/qwen-image?updates=100").name
    'dreambooth/qwen-image?updates=100'
    """
    read = read_painter_name(name)
    given = settings_with(DreamboothSettings, settings, read.options, name)
    return DreamboothPainter(read, given)
