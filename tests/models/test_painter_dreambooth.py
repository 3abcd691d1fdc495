"""Painters that are tuned on the references first, on tiny pipelines (CHECKLIST P60)."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("diffusers")
pytest.importorskip("peft")

from eyeprint.errors import ModelUnavailable, UsageError  # noqa: E402
from eyeprint.models.kinds import Painted, Painter, PaintRequest  # noqa: E402
from eyeprint.models.lora_tuning import (  # noqa: E402
    TuningSettings,
    packed,
    square,
    tune,
    unpacked,
    with_layers,
)
from eyeprint.models.painter_devices import Stopped  # noqa: E402
from eyeprint.models.painter_dreambooth import DreamboothPainter  # noqa: E402
from eyeprint.models.painters import load_painter  # noqa: E402
from eyeprint.models.tuning_losses import BACKBONES, QwenBackbone  # noqa: E402
from eyeprint.records.pictures import Picture  # noqa: E402
from tests.models import tiny_pipelines  # noqa: E402

pytestmark = pytest.mark.torch
tiny_pipelines.one_thread()

PAINT = "steps=2&width=32&height=32&device=cpu"
TUNE = f"{PAINT}&updates=3&accumulate=1&resolution=32&learning_rate=0.02"
SAVE = {
    "qwen": tiny_pipelines.save_qwen_image,
    "flux": tiny_pipelines.save_flux,
    "sdxl": tiny_pipelines.save_sdxl,
    "sd": tiny_pipelines.save_stable_diffusion,
}


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    root = tmp_path_factory.mktemp("pipelines")

    def get(name: str) -> Path:
        if not (root / name).exists():
            SAVE[name](root / name)
        return root / name

    return get


def flat(*colour: int) -> Picture:
    return Picture.of(np.full((40, 60, 3), colour, np.uint8))


REFERENCES = (flat(200, 40, 40), flat(220, 90, 20))


def paint(painter: Painter, request: PaintRequest, way: str = "tune") -> Painted:
    return asyncio.run(painter.paint(request, way))


@pytest.mark.parametrize("name", ["qwen", "flux", "sdxl"])
def test_p60_an_adapter_changes_the_picture_and_leaves_the_backbone(
    saved: Callable[[str], Path], tmp_path: Path, name: str
) -> None:
    plain = load_painter(f"diffusers/{saved(name)}?{PAINT}")
    tuned = load_painter(f"dreambooth/{saved(name)}?{TUNE}&adapters={tmp_path}")
    assert isinstance(tuned, DreamboothPainter)
    assert tuned.ways == {"tune"}
    before = paint(plain, PaintRequest("sks a red door", seed=3), "text").picture
    part = BACKBONES[tuned.row.pipeline].part
    weights = {
        key: value.clone() for key, value in getattr(tuned.pipeline(), part).state_dict().items()
    }

    request = PaintRequest("a red door", seed=3, references=REFERENCES)
    first = paint(tuned, request)
    assert first.picture is not None, first
    assert first.picture != before
    assert first.detail.startswith("tuned by 3 updates, loss ")
    after = getattr(tuned.pipeline(), part).state_dict()
    assert list(after) == list(weights), "the adapter's layers are out again"
    assert all(torch.equal(after[key], value) for key, value in weights.items())
    assert paint(plain, PaintRequest("sks a red door", seed=3), "text").picture == before

    # From the file, the same picture and the same words.
    (file,) = tmp_path.iterdir()
    assert file.name == f"{tuned.adapter_key(request)}.safetensors"
    again = paint(tuned, request)
    assert (again.picture, again.detail) == (first.picture, first.detail)
    # Tuned anew, too.
    file.unlink()
    assert paint(tuned, request).picture == first.picture
    other = paint(tuned, request._replace(references=REFERENCES[:1]))
    assert other.picture is not None
    assert other.picture != first.picture


def test_p60_the_loss_on_the_references_falls(saved: Callable[[str], Path]) -> None:
    """Measured before and after with the same noise: the training's own losses are noisy."""
    painter = load_painter(f"dreambooth/{saved('qwen')}?{PAINT}&adapters=")
    assert isinstance(painter, DreamboothPainter)
    pipe = painter.pipeline()
    settings = TuningSettings(updates=25, accumulate=2, resolution=32, learning_rate=0.02)

    def measured(backbone: QwenBackbone) -> float:
        generator = torch.Generator().manual_seed(9)
        with torch.no_grad():
            known = backbone.distribution(square(REFERENCES[0], 32, 0.5))
            losses = [
                backbone.loss(backbone.sample(known, generator), generator) for _ in range(20)
            ]
        return float(torch.stack(losses).mean())

    with with_layers(pipe.transformer, settings, 1):
        backbone = QwenBackbone(pipe, settings.instance_prompt, settings.shift)
        before = measured(backbone)
        adapter = tune(backbone, REFERENCES, settings, "key", threading.Event())
        after = measured(backbone)
    assert len(adapter.losses) == 25
    assert after < 0.95 * before
    untrained = [value for name, value in adapter.weights.items() if "lora_B" in name]
    assert untrained
    assert all(value.abs().max() > 0 for value in untrained), "every layer has learnt"


def test_p60_what_the_flow_is_taught_is_noise_less_picture(saved: Callable[[str], Path]) -> None:
    """Twin: with a model that answers ε − x, the loss is 0; with one that answers 0, its square."""
    painter = load_painter(f"dreambooth/{saved('flux')}?{PAINT}&adapters=")
    assert isinstance(painter, DreamboothPainter)
    pipe = painter.pipeline()
    with torch.no_grad():
        backbone = BACKBONES["FluxPipeline"](pipe, "a photo of sks", 3.0)
        latents = torch.randn(1, 1, 8, 8, generator=torch.Generator().manual_seed(1))
        noise = torch.randn(1, 1, 8, 8, generator=torch.Generator().manual_seed(2))
        target = pipe._pack_latents(noise - latents, 1, 1, 8, 8)
        seen: dict[str, Any] = {}

        class Knows:
            config = pipe.transformer.config
            answer = target

            def __call__(self, **arguments: Any) -> Any:
                seen.update(arguments)
                return (self.answer,)

        backbone.model = Knows()
        known = float(backbone.loss(latents, torch.Generator().manual_seed(2)))
        Knows.answer = target * 0
        blind = float(backbone.loss(latents, torch.Generator().manual_seed(2)))
    assert known == 0.0
    assert blind == pytest.approx(float((noise - latents).square().mean()), rel=1e-5)
    # x_σ = (1 − σ) x + σ ε, with σ the timestep's place on the grid.
    level = float(seen["timestep"][0])
    mixed = pipe._pack_latents((1 - level) * latents + level * noise, 1, 1, 8, 8)
    assert torch.allclose(seen["hidden_states"], mixed, atol=1e-5)


def test_p60_bfloat16_backbones_are_tuned_in_float32(
    saved: Callable[[str], Path], tmp_path: Path
) -> None:
    painter = load_painter(f"dreambooth/{saved('qwen')}?{TUNE}&dtype=bfloat16&adapters={tmp_path}")
    result = paint(painter, PaintRequest("a red door", seed=3, references=REFERENCES))
    assert result.picture is not None, result
    (file,) = tmp_path.iterdir()
    adapter = unpacked(file.read_bytes())
    assert {value.dtype for value in adapter.weights.values()} == {torch.float32}


def test_p60_tuning_stops_when_nobody_waits(saved: Callable[[str], Path]) -> None:
    painter = load_painter(f"dreambooth/{saved('qwen')}?{TUNE}&adapters=")
    assert isinstance(painter, DreamboothPainter)
    pipe, stop = painter.pipeline(), threading.Event()
    stop.set()
    with pytest.raises(Stopped):
        painter.painted(pipe, PaintRequest("a", references=REFERENCES), stop)
    assert not any("lora" in name for name, _ in pipe.transformer.named_modules())


def test_p60_squares_are_cut_where_they_are_told() -> None:
    ramp = np.zeros((10, 30, 3), np.uint8)
    ramp[:, :, 0] = np.arange(30)[None, :] * 8
    for across, first in ((0.0, 0), (0.5, 10), (0.999, 20)):
        cut = square(Picture.of(ramp.copy()), 10, across)
        assert cut.shape == (1, 3, 10, 10)
        assert float(cut[0, 0, 0, 0]) == pytest.approx(first * 8 / 127.5 - 1, abs=1e-5)
    small = square(Picture.of(ramp.copy()), 20, 0.0)
    assert small.shape == (1, 3, 20, 20), "small pictures are enlarged"


def test_p60_adapters_of_others_are_told(saved: Callable[[str], Path], tmp_path: Path) -> None:
    painter = load_painter(f"dreambooth/{saved('qwen')}?{TUNE}&adapters={tmp_path}")
    assert isinstance(painter, DreamboothPainter)
    request = PaintRequest("a", references=REFERENCES)
    file = tmp_path / f"{painter.adapter_key(request)}.safetensors"
    file.write_bytes(b"half a file")
    with pytest.raises(ModelUnavailable, match="Delete it to have it tuned again"):
        paint(painter, request)
    file.unlink()
    assert paint(painter, request).picture is not None
    adapter = unpacked(file.read_bytes())
    assert unpacked(packed(adapter)).losses == adapter.losses


def test_p60_what_cannot_be_tuned_is_told(saved: Callable[[str], Path]) -> None:
    with pytest.raises(
        ModelUnavailable, match=r"needs a pipeline that can be tuned here.*StableDiffusionPipeline"
    ):
        paint(load_painter(f"dreambooth/{saved('sd')}"), PaintRequest("a", references=REFERENCES))
    with pytest.raises(UsageError, match="sequential"):
        load_painter(f"dreambooth/{saved('qwen')}?offload=sequential")
    with pytest.raises(UsageError, match="prompt_form"):
        load_painter(f"dreambooth/{saved('qwen')}?prompt_form=sks")
    painter = load_painter(f"dreambooth/{saved('qwen')}?{TUNE}&adapters=")
    assert paint(painter, PaintRequest("a")).failure == "bad_request"


def test_p60_the_released_settings_are_the_defaults() -> None:
    settings = TuningSettings()
    assert (settings.updates, settings.accumulate, settings.learning_rate) == (400, 4, 2e-4)
    assert (settings.resolution, settings.instance_prompt) == (1024, "a photo of sks")
    assert (settings.rank, settings.alpha, settings.seed) == (4, 4, 0)


def test_p60_settings_of_the_machine_paint_no_other_picture(saved: Callable[[str], Path]) -> None:
    base = f"dreambooth/{saved('qwen')}?device=cpu"
    plain = load_painter(base)
    same = load_painter(f"{base}&adapters=/tmp/x&gradient_checkpointing=false&offload=model")
    assert same.fingerprint == plain.fingerprint
    assert same.name == plain.name
    assert load_painter(f"{base}&rank=8").fingerprint != plain.fingerprint
