"""Painters on this machine: text-to-image and editing pipelines of diffusers (X4, P41, P59–P64).

Weights are loaded with the first picture. Pictures are painted in a thread, one at a time
for each device, so that the event loop lives. Every picture has a generator of its own,
seeded by its request: the same request gives the same pixels alone, in any order and in a
resumed run. (The released scripts draw one generator for all rows, and the pictures of a
resumed run of theirs depend on where it stopped.)
"""

from __future__ import annotations

import inspect
import threading
import time
from functools import cached_property
from typing import Any

from eyeprint.config import Settings, fingerprint_of
from eyeprint.errors import UsageError
from eyeprint.models.kinds import Painted, PaintRequest
from eyeprint.models.painter_calls import (
    arguments_for,
    cut_note,
    parameters_of,
    read_output,
    unmet_by,
)
from eyeprint.models.painter_devices import (
    Stopped,
    free_memory,
    is_out_of_memory,
    on_device,
    stop_between_steps,
)
from eyeprint.models.painter_pipelines import (
    HOW,
    MEMORY_ADVICE,
    PipelineSettings,
    load_pipeline,
    resolved_dtype,
    versions,
)
from eyeprint.models.painter_table import (
    PainterName,
    PainterRow,
    name_with,
    painter_rows,
    read_painter_name,
    settings_with,
)
from eyeprint.models.painter_weights import PipelineWeights, find_pipeline
from eyeprint.models.torch_running import chosen_device


class DiffusersPainter:
    """One pipeline of diffusers.

    ``fingerprint`` covers the pipeline's class, the weights' identity, the number format and
    every setting that a picture depends on, with the table's values filled in. It leaves out
    the device and the versions of torch and diffusers: those change pixels by rounding, and a
    run may be resumed after an update or elsewhere. ``Painted.served_model`` tells the
    versions of each picture.
    """

    def __init__(self, name: PainterName, settings: PipelineSettings | None = None) -> None:
        self.settings = settings or PipelineSettings()
        self._read = name
        self._pipe: Any = None
        base = f"{name.family}/{name.model}"
        self.name = name_with(base, self.settings, HOW)
        row = name.row
        if row is not None:
            self._check_size(row)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"

    @cached_property
    def weights(self) -> PipelineWeights:
        """The weights: found, and not yet loaded.

        Raises:
            ModelUnavailable, UsageError: they are not there, or are of another pipeline.
        """
        row, settings = self._read.row, self.settings
        place = settings.weights or (row.hub_id if row is not None else self._read.model)
        found = find_pipeline(place, settings.revision, settings.download)
        if row is not None and found.pipeline != row.pipeline:
            raise UsageError(
                f"The painter '{self.name}' needs a {row.pipeline}, and {place} holds a "
                f"{found.pipeline}. Name it as {self._read.family}/{place}."
            )
        return found

    @cached_property
    def row(self) -> PainterRow:
        """The table's row, or one made for other weights after a row of the same class."""
        if self._read.row is not None:
            return self._read.row
        found = self.weights
        for row_name, row in painter_rows().items():
            if row_name.startswith(self._read.family + "/") and row.pipeline == found.pipeline:
                changes = {"hub_id": found.source, "variant": None, "released": False}
                alike = row.model_copy(update=changes)
                self._check_size(alike)
                return alike
        return self._unknown_row(found)

    def _unknown_row(self, found: PipelineWeights) -> PainterRow:
        import diffusers

        kind = getattr(diffusers, found.pipeline, None)
        takes = inspect.signature(kind.__call__).parameters if kind is not None else {}
        edits = "image" in takes and "mask_image" not in takes
        return PainterRow(
            hub_id=found.source,
            pipeline=found.pipeline,
            ways=("edit",) if edits else ("text",),
            references=1 if edits else 0,
        )

    def _check_size(self, row: PainterRow) -> None:
        sides = PaintRequest("size", width=self.settings.width, height=self.settings.height)
        reason = unmet_by(self.name, row, {"text"}, sides, "text")
        if reason is not None:
            raise UsageError(reason)

    @property
    def ways(self) -> frozenset[str]:
        """Which of text and edit it can do."""
        return frozenset(self.row.ways)

    @cached_property
    def device(self) -> str:
        """Where it runs."""
        return chosen_device(self.settings.device)

    @property
    def dtype(self) -> str:
        """Its number format."""
        return resolved_dtype(self.settings, self.row.dtype, self.device)

    @property
    def fingerprint(self) -> str:
        """See the class's text."""
        return fingerprint_of(self._identity())

    def _identity(self) -> dict[str, Any]:
        table = self.row.model_dump(mode="json", exclude={"hub_id", "released", "ways", "variant"})
        settings = self.settings.model_dump(mode="json", exclude=set(HOW) | {"weights", "revision"})
        # What is set replaces what the table says, so that saying the table's value again
        # makes no other painter.
        told = table | {key: value for key, value in settings.items() if value is not None}
        return {
            "painter": self._read.family,
            "recipe": 1,
            "weights": self.weights.identity,
            "settings": told | {"dtype": self.dtype},
        }

    async def paint(self, request: PaintRequest, way: str = "text") -> Painted:
        """Paint one picture in the device's thread.

        Raises:
            ModelUnavailable, UsageError: the weights cannot be loaded, or the device is not
                there: no picture of this painter can be made.
        """
        return await on_device(self.device, lambda stop: self._timed(request, way, stop))

    def _timed(self, request: PaintRequest, way: str, stop: threading.Event) -> Painted:
        started = time.perf_counter()
        reason = unmet_by(self.name, self.row, self.ways, request, way)
        if reason is not None:
            return Painted(None, "bad_request", reason)
        pipe = self.pipeline()
        try:
            painted = self.painted(pipe, request, stop)
        except Stopped:
            return Painted(None, "timeout", "Nobody waited for this picture any more.")
        except (ValueError, RuntimeError, MemoryError) as error:
            painted = self._failed(error)
        served = f"{self.weights.short} ({versions()})"
        return painted._replace(seconds=time.perf_counter() - started, served_model=served)

    def _failed(self, error: Exception) -> Painted:
        reason = (str(error) or type(error).__name__).strip().splitlines()[0][:300]
        if is_out_of_memory(error):
            free_memory()
            detail = f"{self.name}: the memory of {self.device} ran out ({reason}). {MEMORY_ADVICE}"
            return Painted(None, "out_of_memory", detail)
        return Painted(None, "bad_request", f"{self.name}: {reason}")

    def pipeline(self) -> Any:
        """Return the pipeline, loaded with the first call; call it in the device's thread only.

        Raises:
            ModelUnavailable, UsageError: see
                :func:`eyeprint.models.painter_pipelines.load_pipeline`.
        """
        self._pipe = load_pipeline(
            self.weights,
            self.settings,
            pipeline=self.row.pipeline,
            dtype=self.dtype,
            variant=self.row.variant if self.settings.weights is None else None,
        )
        return self._pipe

    def painted(self, pipe: Any, request: PaintRequest, stop: threading.Event) -> Painted:
        """Call the pipeline once; overridden by painters that prepare it first."""
        import torch

        def seed_of(seed: int) -> Any:
            return torch.Generator("cpu").manual_seed(seed % 2**63)

        takes = parameters_of(pipe)
        arguments = arguments_for(request, self.row, self.settings, takes, seed_of)
        if "callback_on_step_end" in takes:
            arguments["callback_on_step_end"] = stop_between_steps(stop)
        output = pipe(**arguments, output_type="np")
        painted = read_output(output, self.name, self.dtype)
        return painted._replace(detail=painted.detail or cut_note(pipe, request.prompt, self.row))


def diffusers_painter(name: str, settings: Settings | None = None) -> DiffusersPainter:
    """Return the painter of ``diffusers/qwen-image``, ``diffusers/HUB_ID`` or ``diffusers/PATH``.

    Raises:
        UsageError: a setting is wrong.

    >>> diffusers_painter("diffusers/Qwen/Qwen-Image?steps=20").name
    'diffusers/qwen-image?steps=20'
    """
    read = read_painter_name(name)
    given = settings_with(PipelineSettings, settings, read.options, name)
    return DiffusersPainter(read, given)
