"""Low-rank adapters of a backbone, tuned on a person's few references (P60).

DreamBooth's data with LoRA's weights, in a plain training loop: no prior preservation, one
instance prompt for all pictures. Only the adapter's matrices are trained; the backbone's
own weights are never written, and the adapter is taken out again when it has been used.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
from pydantic import Field

from eyeprint.config import Settings
from eyeprint.models.painter_devices import Stopped
from eyeprint.models.tuning_losses import Backbone
from eyeprint.randomness import stream
from eyeprint.records.pictures import Picture

ADAPTER = "eyeprint"
"""Name of the adapter within the backbone while it is there."""
TARGETS = ("to_k", "to_q", "to_v", "to_out.0")
"""Layers that get an adapter: the attention's projections."""


class TuningSettings(Settings):
    """How an adapter is tuned.

    The first block of values is what the released script sets; the rest are the defaults of
    the training script that it calls (the DreamBooth example of diffusers for Qwen-Image).
    """

    instance_prompt: str = "a photo of sks"
    """What every reference is called in training."""
    updates: int = Field(default=400, ge=1)
    """Steps of the optimiser."""
    accumulate: int = Field(default=4, ge=1)
    """Pictures of one step, one after the other, whose gradients are averaged."""
    learning_rate: float = Field(default=2e-4, gt=0)
    """Constant."""
    resolution: int = Field(default=1024, ge=16)
    """References are scaled to this short side and cut to a square of it."""
    seed: int = 0
    """Of crops, order, noise and first weights, together with the references."""

    rank: int = Field(default=4, ge=1)
    alpha: int = Field(default=4, ge=1)
    """The adapter counts alpha / rank times."""
    shift: float = Field(default=3.0, gt=0)
    """Shift of the noise grid, where the scheduler has a fixed one."""
    weight_decay: float = Field(default=1e-4, ge=0)
    most_gradient: float = Field(default=1.0, gt=0)
    """Norm to which gradients are cut."""


class Adapter(NamedTuple):
    """A tuned adapter."""

    weights: dict[str, Any]
    """Names and float32 tensors, on the CPU."""
    losses: tuple[float, ...]
    """Mean loss of each update."""

    @property
    def note(self) -> str:
        """What reports say of it; the same whether it was tuned now or before."""
        tenth = max(1, len(self.losses) // 10)
        first, last = np.mean(self.losses[:tenth]), np.mean(self.losses[-tenth:])
        return f"tuned by {len(self.losses)} updates, loss {first:.4f} to {last:.4f}"


def square(picture: Picture, resolution: int, across: float) -> Any:
    """Return a picture's pixels in [−1, 1], shape (1, 3, r, r): short side r, cut to a square.

    ``across`` in [0, 1) is where along the long side the square lies.
    """
    import torch
    from PIL import Image

    image = Image.fromarray(picture.pixels)
    scale = resolution / min(image.size)
    size = (
        max(resolution, round(image.width * scale)),
        max(resolution, round(image.height * scale)),
    )
    image = image.resize(size, Image.Resampling.BILINEAR)
    left = int((image.width - resolution + 1) * across)
    top = int((image.height - resolution + 1) * across)
    image = image.crop((left, top, left + resolution, top + resolution))
    values = torch.from_numpy(np.array(image, dtype=np.float32)).permute(2, 0, 1) / 127.5 - 1.0
    return values.unsqueeze(0)


@contextmanager
def with_layers(model: Any, settings: TuningSettings, seed: int) -> Iterator[None]:
    """Put an adapter's layers into a model, and take them out at the end, whatever happens."""
    import torch
    from peft import LoraConfig

    config = LoraConfig(
        r=settings.rank,
        lora_alpha=settings.alpha,
        init_lora_weights="gaussian",
        target_modules=list(TARGETS),
    )
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model.add_adapter(config, ADAPTER)
    try:
        yield
    finally:
        model.unload_lora()
        model.eval()


def tune(
    backbone: Backbone,
    references: Sequence[Picture],
    settings: TuningSettings,
    key: str,
    stop: threading.Event,
) -> Adapter:
    """Return an adapter tuned on the references; the layers must be in the model.

    Every update takes ``accumulate`` pictures of shuffled passes over the references. Crops,
    order, noise and first weights depend on ``settings.seed`` and ``key`` alone.

    Raises:
        Stopped: nobody waits for it any more.
    """
    import torch
    from peft import get_peft_model_state_dict

    draws = stream(settings.seed, "tune", key)
    generator = torch.Generator("cpu").manual_seed(draws.below(2**62))
    model = backbone.model
    with torch.no_grad():
        vae = backbone.pipe.vae
        known = [
            backbone.distribution(
                square(picture, settings.resolution, draws.random()).to(backbone.device, vae.dtype)
            )
            for picture in references
        ]
    model.requires_grad_(False)
    trained = []
    for name, parameter in model.named_parameters():
        if "lora_" in name:
            # Small steps are lost in half precision.
            parameter.data = parameter.data.float()
            parameter.requires_grad_(True)
            trained.append(parameter)
    optimiser = torch.optim.AdamW(
        trained, lr=settings.learning_rate, weight_decay=settings.weight_decay
    )
    model.train()
    order: list[int] = []
    losses = []
    with torch.enable_grad():
        for _ in range(settings.updates):
            total = 0.0
            for _ in range(settings.accumulate):
                if stop.is_set():
                    raise Stopped
                order = order or draws.shuffled(range(len(known)))
                latents = backbone.sample(known[order.pop()], generator)
                loss = backbone.loss(latents, generator) / settings.accumulate
                loss.backward()
                total += float(loss.detach())
            torch.nn.utils.clip_grad_norm_(trained, settings.most_gradient)
            optimiser.step()
            optimiser.zero_grad(set_to_none=True)
            losses.append(total)
    model.eval()
    state = get_peft_model_state_dict(model, adapter_name=ADAPTER)
    weights = {name: value.detach().float().cpu().contiguous() for name, value in state.items()}
    return Adapter(weights, tuple(losses))


def put_in(model: Any, adapter: Adapter) -> None:
    """Give the layers in a model an adapter's weights.

    Raises:
        ValueError: they are another model's.
    """
    from peft import set_peft_model_state_dict

    result = set_peft_model_state_dict(model, dict(adapter.weights), adapter_name=ADAPTER)
    if result is not None and result.unexpected_keys:
        raise ValueError(
            f"the adapter has weights that the model lacks: {result.unexpected_keys[0]}"
        )


def packed(adapter: Adapter) -> bytes:
    """Return an adapter as a safetensors file."""
    from safetensors.torch import save

    data: bytes = save(adapter.weights, metadata={"losses": json.dumps(adapter.losses)})
    return data


def unpacked(data: bytes) -> Adapter:
    """Return the adapter of a file that :func:`packed` made.

    Raises:
        ValueError: it is no such file.
    """
    from safetensors import SafetensorError
    from safetensors.torch import load

    try:
        head = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
        losses = json.loads(head["__metadata__"]["losses"])
        return Adapter(load(data), tuple(losses))
    except (SafetensorError, ValueError, LookupError, TypeError) as error:
        raise ValueError(f"no adapter of eyeprint: {error}") from error
