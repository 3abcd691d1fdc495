"""What a backbone is taught by one picture: its loss, as each kind of pipeline trains (P60).

Rectified flow (Qwen-Image, Flux): x_σ = (1 − σ) x + σ ε, and the model predicts ε − x; σ is
drawn uniformly from the scheduler's training grid. Diffusion (SDXL): x_t is the scheduler's
noising of x at a uniform step t, and the model predicts ε (or v). The loss is the mean
squared error.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

FLUX_GUIDANCE = 3.5
"""What a guidance-distilled backbone is told while it is tuned."""


class Backbone(ABC):
    """One kind of pipeline in training: encodes pictures, and measures a loss on them.

    Args:
        pipe: the pipeline.
        prompt: what every picture is called.
        shift: shift of the noise grid, where the scheduler's is a fixed one.
    """

    part: str
    """Name of the pipeline's part that is tuned."""

    def __init__(self, pipe: Any, prompt: str, shift: float) -> None:
        import torch

        self.pipe, self.torch = pipe, torch
        self.device = pipe._execution_device
        self.model = getattr(pipe, self.part)
        self.dtype = self.model.dtype
        with torch.no_grad():
            self.prepare(prompt, shift)

    @abstractmethod
    def prepare(self, prompt: str, shift: float) -> None:
        """Encode the prompt and make the noise grid."""

    @abstractmethod
    def distribution(self, pixels: Any) -> Any:
        """Return the latent distribution of pixels in [−1, 1], shape (1, 3, h, w)."""

    @abstractmethod
    def scaled(self, latents: Any) -> Any:
        """Return latents as the backbone sees them."""

    @abstractmethod
    def loss(self, latents: Any, generator: Any) -> Any:
        """Return the loss on one picture's scaled latents, with noise from the generator."""

    def noise_like(self, latents: Any, generator: Any) -> Any:
        """Return standard normal noise, drawn on the CPU so that it is the same everywhere."""
        noise = self.torch.randn(latents.shape, generator=generator)
        return noise.to(latents.device, latents.dtype)

    def sample(self, distribution: Any, generator: Any) -> Any:
        """Draw latents from a distribution: mean + std · noise, scaled."""
        noise = self.noise_like(distribution.mean, generator)
        drawn = distribution.mean + distribution.std * noise
        return self.scaled(drawn).to(self.device, self.dtype)

    def mean_square(self, predicted: Any, target: Any) -> Any:
        """Return the mean squared error, in float32."""
        return ((predicted.float() - target.float()) ** 2).mean()

    def flow_grid(self, shift: float) -> None:
        """Make the grid of noise levels that training draws from."""
        scheduler = self.pipe.scheduler
        self.grid = type(scheduler).from_config(scheduler.config, shift=shift)

    def flow_level(self, generator: Any) -> tuple[Any, Any]:
        """Draw a noise level: (timestep of shape (1,), σ)."""
        count = self.grid.config.num_train_timesteps
        place = int(self.torch.randint(count, (1,), generator=generator))
        level = self.grid.sigmas[place].to(self.device, self.dtype)
        return self.grid.timesteps[place : place + 1].to(self.device, self.dtype), level


class QwenBackbone(Backbone):
    """Qwen-Image."""

    part = "transformer"

    def prepare(self, prompt: str, shift: float) -> None:
        """Encode the prompt and make the noise grid."""
        encoded = self.pipe.encode_prompt(prompt=prompt, device=self.device)
        self.words, self.mask = encoded
        config = self.pipe.vae.config
        shape = (1, config.z_dim, 1, 1, 1)
        self.mean = self.torch.tensor(config.latents_mean).view(shape).to(self.device)
        self.std = self.torch.tensor(config.latents_std).view(shape).to(self.device)
        self.flow_grid(shift)

    def distribution(self, pixels: Any) -> Any:
        """Return the latent distribution; this autoencoder reads films of one frame."""
        return self.pipe.vae.encode(pixels.unsqueeze(2)).latent_dist

    def scaled(self, latents: Any) -> Any:
        """Return (z − mean) / std per channel."""
        return (latents - self.mean.to(latents)) / self.std.to(latents)

    def loss(self, latents: Any, generator: Any) -> Any:
        """Return the rectified-flow loss."""
        _, channels, _, height, width = latents.shape
        noise = self.noise_like(latents, generator)
        time, level = self.flow_level(generator)
        noisy = (1 - level) * latents + level * noise
        predicted = self.model(
            hidden_states=self.pipe._pack_latents(noisy, 1, channels, height, width),
            encoder_hidden_states=self.words,
            encoder_hidden_states_mask=self.mask,
            timestep=time / 1000,
            img_shapes=[[(1, height // 2, width // 2)]],
            return_dict=False,
        )[0]
        target = self.pipe._pack_latents(noise - latents, 1, channels, height, width)
        return self.mean_square(predicted, target)


class FluxBackbone(Backbone):
    """FLUX.1."""

    part = "transformer"

    def prepare(self, prompt: str, shift: float) -> None:
        """Encode the prompt and make the noise grid."""
        encoded = self.pipe.encode_prompt(prompt=prompt, prompt_2=None, device=self.device)
        self.words, self.pooled, self.word_ids = encoded
        self.flow_grid(shift)

    def distribution(self, pixels: Any) -> Any:
        """Return the latent distribution."""
        return self.pipe.vae.encode(pixels).latent_dist

    def scaled(self, latents: Any) -> Any:
        """Return (z − shift) · scale."""
        config = self.pipe.vae.config
        return (latents - (config.shift_factor or 0.0)) * config.scaling_factor

    def loss(self, latents: Any, generator: Any) -> Any:
        """Return the rectified-flow loss."""
        _, channels, height, width = latents.shape
        noise = self.noise_like(latents, generator)
        time, level = self.flow_level(generator)
        noisy = (1 - level) * latents + level * noise
        distilled = self.model.config.guidance_embeds
        predicted = self.model(
            hidden_states=self.pipe._pack_latents(noisy, 1, channels, height, width),
            timestep=time / 1000,
            guidance=self.torch.tensor([FLUX_GUIDANCE], device=self.device) if distilled else None,
            pooled_projections=self.pooled,
            encoder_hidden_states=self.words,
            txt_ids=self.word_ids,
            img_ids=self.pipe._prepare_latent_image_ids(
                1, height // 2, width // 2, self.device, self.dtype
            ),
            return_dict=False,
        )[0]
        target = self.pipe._pack_latents(noise - latents, 1, channels, height, width)
        return self.mean_square(predicted, target)


class SdxlBackbone(Backbone):
    """Stable Diffusion XL."""

    part = "unet"

    def prepare(self, prompt: str, shift: float) -> None:
        """Encode the prompt and make the noise grid; ``shift`` has no meaning here."""
        from diffusers import DDPMScheduler

        encoded = self.pipe.encode_prompt(
            prompt=prompt, device=self.device, do_classifier_free_guidance=False
        )
        self.words, self.pooled = encoded[0], encoded[2]
        self.noising = DDPMScheduler.from_config(self.pipe.scheduler.config)

    def distribution(self, pixels: Any) -> Any:
        """Return the latent distribution."""
        return self.pipe.vae.encode(pixels).latent_dist

    def scaled(self, latents: Any) -> Any:
        """Return z · scale."""
        return latents * self.pipe.vae.config.scaling_factor

    def loss(self, latents: Any, generator: Any) -> Any:
        """Return the diffusion loss: on the noise, or on the velocity where the model says so."""
        count = self.noising.config.num_train_timesteps
        time = self.torch.randint(count, (1,), generator=generator).to(self.device)
        noise = self.noise_like(latents, generator)
        noisy = self.noising.add_noise(latents, noise, time)
        size = tuple(side * self.pipe.vae_scale_factor for side in latents.shape[2:])
        ids = self.torch.tensor([[*size, 0, 0, *size]], device=self.device, dtype=self.dtype)
        predicted = self.model(
            noisy,
            time,
            encoder_hidden_states=self.words,
            added_cond_kwargs={"text_embeds": self.pooled, "time_ids": ids},
            return_dict=False,
        )[0]
        by_velocity = self.noising.config.prediction_type == "v_prediction"
        target = self.noising.get_velocity(latents, noise, time) if by_velocity else noise
        return self.mean_square(predicted, target)


BACKBONES: dict[str, type[Backbone]] = {
    "QwenImagePipeline": QwenBackbone,
    "FluxPipeline": FluxBackbone,
    "StableDiffusionXLPipeline": SdxlBackbone,
}
"""Pipeline class -> how it is tuned."""
