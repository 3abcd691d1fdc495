"""References as positive feedback in self-attention: FABRIC on Stable Diffusion 1.x (P63).

The authors' package needs an older diffusers; this is its method on the current one, with
its default schedule, and positive feedback only (PIPBench has no dislikes). The backbone is
much weaker than the others: its results are no evidence against the paradigm (P63).
"""

from __future__ import annotations

import threading
from types import SimpleNamespace
from typing import Any

import numpy as np
from pydantic import Field

from eyeprint.config import Settings
from eyeprint.errors import ModelUnavailable
from eyeprint.models.feedback_attention import Feedback, feedback_layers
from eyeprint.models.kinds import Painted, PaintRequest
from eyeprint.models.painter_calls import cut_note, read_output
from eyeprint.models.painter_devices import Stopped
from eyeprint.models.painter_diffusers import DiffusersPainter
from eyeprint.models.painter_pipelines import PipelineSettings
from eyeprint.models.painter_table import (
    PainterName,
    PainterRow,
    read_painter_name,
    settings_with,
)
from eyeprint.randomness import stable_hash
from eyeprint.records.pictures import Picture


class FabricSettings(PipelineSettings):
    """The schedule of feedback; the values are the defaults of the authors' package."""

    references: int = Field(default=4, ge=1)
    """The first of a case's references that are liked (released value)."""
    feedback_start: float = Field(default=0.33, ge=0, le=1)
    """Share of the steps at which the strong weight begins."""
    feedback_end: float = Field(default=0.66, ge=0, le=1)
    """Share of the steps at which it ends."""
    strong: float = Field(default=1.0, ge=0)
    """Weight of the references between start and end."""
    weak: float = Field(default=0.1, ge=0)
    """Weight of the references elsewhere."""
    bottleneck: float = Field(default=1.0, ge=0)
    """Factor of the weight in the middle of the U-Net; blocks between lie on a line."""
    size: int = Field(default=512, ge=16, multiple_of=8)
    """Width and height where neither request nor settings say, and that of the references."""


class FabricPainter(DiffusersPainter):
    """A Stable Diffusion pipeline whose self-attention sees the references."""

    settings: FabricSettings

    def __init__(self, name: PainterName, settings: FabricSettings | None = None) -> None:
        super().__init__(name, settings or FabricSettings())

    def _unknown_row(self, found: Any) -> PainterRow:
        raise ModelUnavailable(
            f"The painter '{self.name}' needs a StableDiffusionPipeline (Stable Diffusion 1.x), "
            f"and {found.source} is a {found.pipeline}."
        )

    def painted(self, pipe: Any, request: PaintRequest, stop: threading.Event) -> Painted:
        """Denoise with feedback; the pipeline is left as it was."""
        import torch

        with torch.no_grad(), feedback_layers(pipe.unet, self.settings.bottleneck) as feedback:
            images = self._denoised(pipe, request, feedback, stop)
        painted = read_output(SimpleNamespace(images=images), self.name, self.dtype)
        return painted._replace(detail=painted.detail or cut_note(pipe, request.prompt, self.row))

    def _denoised(
        self, pipe: Any, request: PaintRequest, feedback: Feedback, stop: threading.Event
    ) -> Any:
        import torch
        from diffusers import EulerAncestralDiscreteScheduler

        settings, device = self.settings, pipe._execution_device
        dtype = pipe.unet.dtype
        generator = torch.Generator("cpu").manual_seed(request.seed % 2**63)
        # The references' noise has a stream of its own: without weight they change nothing.
        aside = torch.Generator("cpu").manual_seed(stable_hash("fabric", request.seed) % 2**63)
        width = request.width or settings.width or settings.size
        height = request.height or settings.height or settings.size

        def noise(*shape: int) -> Any:
            return torch.randn(shape, generator=aside).to(device, dtype)

        words, refused = pipe.encode_prompt(
            request.prompt, device, 1, True, negative_prompt=self._negative(request)
        )
        nothing, _ = pipe.encode_prompt("", device, 1, False)
        # The pipeline keeps its own scheduler; others may paint with it.
        scheduler = EulerAncestralDiscreteScheduler.from_config(pipe.scheduler.config)
        steps = self._told(request.steps, settings.steps, self.row.steps, 20)
        scheduler.set_timesteps(steps, device=device)
        guidance = self._told(request.guidance, settings.guidance, self.row.guidance, 7.0)
        factor = pipe.vae_scale_factor
        shape = (1, pipe.unet.config.in_channels, height // factor, width // factor)
        latents = torch.randn(shape, generator=generator).to(device, dtype)
        latents = latents * scheduler.init_noise_sigma
        likes = self._latents(pipe, request.references[: settings.references], noise)
        first, last = round(steps * settings.feedback_start), round(steps * settings.feedback_end)
        for step, time in enumerate(scheduler.timesteps):
            if stop.is_set():
                raise Stopped
            weight = settings.strong if first <= step <= last else settings.weak
            if weight > 0:
                sigma = float(scheduler.sigmas[step])
                kept = 1.0 / (sigma**2 + 1.0)
                noised = kept**0.5 * likes + (1.0 - kept) ** 0.5 * noise(*likes.shape)
                with feedback.switched("remember"):
                    many = nothing.expand(len(likes), -1, -1)
                    pipe.unet(noised, time, encoder_hidden_states=many)
            twice = torch.cat([scheduler.scale_model_input(latents, time)] * 2)
            with feedback.switched("attend", weight):
                both = pipe.unet(
                    twice, time, encoder_hidden_states=torch.cat([refused, words])
                ).sample
            without, with_words = both.chunk(2)
            predicted = without + guidance * (with_words - without)
            latents = scheduler.step(predicted, time, latents, generator=generator).prev_sample
        pixels = pipe.vae.decode(latents.to(dtype) / pipe.vae.config.scaling_factor).sample
        return pipe.image_processor.postprocess(pixels, output_type="np")

    def _negative(self, request: PaintRequest) -> str:
        settings = self.settings.negative
        return request.negative or (settings if settings is not None else self.row.negative) or ""

    def _told(self, *values: Any) -> Any:
        return next(value for value in values if value is not None)

    def _latents(self, pipe: Any, references: tuple[Picture, ...], noise: Any) -> Any:
        """Return the references' latents, squeezed to a square as the authors' package does."""
        import torch
        from PIL import Image

        side = (self.settings.size, self.settings.size)
        rows = []
        for picture in references:
            values = np.array(Image.fromarray(picture.pixels).resize(side), dtype=np.float32)
            pixels = torch.from_numpy(values / 127.5 - 1.0).permute(2, 0, 1)[None]
            found = pipe.vae.encode(pixels.to(pipe._execution_device, pipe.vae.dtype)).latent_dist
            rows.append(found.mean + found.std * noise(*found.mean.shape))
        return (torch.cat(rows) * pipe.vae.config.scaling_factor).to(pipe.unet.dtype)


def fabric_painter(name: str, settings: Settings | None = None) -> FabricPainter:
    """Return the painter of ``fabric/dreamlike-photoreal``, ``fabric/HUB_ID`` or a path.

    Raises:
        UsageError: a setting is wrong.

    >>> fabric_painter("fabric/dreamlike-photoreal").ways == {"feedback"}
    True
    """
    read = read_painter_name(name)
    given = settings_with(FabricSettings, settings, read.options, name)
    return FabricPainter(read, given)
