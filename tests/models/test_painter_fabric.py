"""References as feedback in self-attention, on a tiny Stable Diffusion (CHECKLIST P63)."""

from __future__ import annotations

import asyncio
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("diffusers")

from eyeprint.errors import ModelUnavailable, UsageError  # noqa: E402
from eyeprint.models.feedback_attention import (  # noqa: E402
    attend,
    block_shares,
    feedback_layers,
)
from eyeprint.models.kinds import Painted, Painter, PaintRequest  # noqa: E402
from eyeprint.models.painter_fabric import FabricPainter, FabricSettings  # noqa: E402
from eyeprint.models.painters import load_painter  # noqa: E402
from eyeprint.records.pictures import Picture  # noqa: E402
from tests.models import tiny_pipelines  # noqa: E402

pytestmark = pytest.mark.torch
tiny_pipelines.one_thread()

SMALL = "steps=3&size=32&device=cpu"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("pipelines") / "sd"
    tiny_pipelines.save_stable_diffusion(path)
    return path


def flat(*colour: int) -> Picture:
    return Picture.of(np.full((40, 60, 3), colour, np.uint8))


REFERENCES = (flat(200, 40, 40), flat(20, 90, 220))
ASK = PaintRequest("a red door", seed=3, references=REFERENCES)


def paint(painter: Painter, request: PaintRequest = ASK, way: str = "feedback") -> Painted:
    return asyncio.run(painter.paint(request, way))


def fabric(folder: Path, more: str = "") -> FabricPainter:
    painter = load_painter(f"fabric/{folder}?{SMALL}{more}")
    assert isinstance(painter, FabricPainter)
    return painter


def test_p63_references_feed_back_and_the_same_request_is_the_same_picture(folder: Path) -> None:
    painter = fabric(folder)
    assert painter.ways == {"feedback"}
    first = paint(painter).picture
    assert first is not None
    assert (first.width, first.height) == (32, 32)
    assert paint(painter).picture == first
    assert paint(painter, ASK._replace(references=REFERENCES[:1])).picture != first
    assert paint(painter, ASK._replace(seed=4)).picture != first
    assert paint(fabric(folder, "&strong=0.3")).picture != first
    assert paint(fabric(folder, "&references=1")).picture != first
    # Weights are on a line from the outer blocks to the middle.
    assert paint(fabric(folder, "&bottleneck=0.2")).picture != first


def test_p63_without_weight_it_is_the_plain_pipeline(folder: Path) -> None:
    """Oracle: the library's own pipeline with the same scheduler, guidance and negative prompt."""
    from diffusers import EulerAncestralDiscreteScheduler, StableDiffusionPipeline

    painter = fabric(folder, "&strong=0&weak=0&negative=blur")
    ours = paint(painter).picture
    assert ours is not None
    pipe = StableDiffusionPipeline.from_pretrained(folder, safety_checker=None)
    pipe.scheduler = EulerAncestralDiscreteScheduler.from_config(pipe.scheduler.config)
    pipe.set_progress_bar_config(disable=True)
    theirs = pipe(
        "a red door",
        negative_prompt="blur",
        num_inference_steps=3,
        guidance_scale=7.0,
        width=32,
        height=32,
        generator=torch.Generator().manual_seed(3),
        output_type="np",
    ).images[0]
    assert np.abs(ours.pixels - theirs * 255).max() <= 1.0


def test_p63_weighted_attention_is_the_renormalised_softmax() -> None:
    """Slow twin: weigh each share, divide by the new sum, one query at a time."""
    from diffusers.models.attention_processor import Attention

    torch.manual_seed(5)
    layer = Attention(query_dim=8, heads=2, dim_head=4).eval()
    states, memory, weight = torch.randn(1, 5, 8), torch.randn(3, 5, 8), 0.3
    with torch.no_grad():
        found = attend(layer, states, memory, weight)[0]
        context = torch.cat([states[0], memory.reshape(15, 8)])
        queries, keys, values = layer.to_q(states[0]), layer.to_k(context), layer.to_v(context)
        rows = []
        for query in queries:
            heads = []
            for head in (slice(0, 4), slice(4, 8)):
                shares = torch.softmax(keys[:, head] @ query[head] * 4**-0.5, 0)
                shares = shares * torch.tensor([1.0] * 5 + [weight] * 15)
                heads.append((shares / shares.sum()) @ values[:, head])
            rows.append(torch.cat(heads))
        slow = layer.to_out[0](torch.stack(rows))
    assert torch.allclose(found, slow, atol=1e-6)


def test_p63_only_the_conditional_half_sees_the_references(folder: Path) -> None:
    pipe = fabric(folder).pipeline()
    generator = torch.Generator().manual_seed(1)
    states = torch.randn(2, 4, 32, 32, generator=generator)
    liked = torch.randn(1, 4, 32, 32, generator=generator)
    words = torch.randn(2, 7, 32, generator=generator)
    before = dict(pipe.unet.attn_processors)
    with torch.no_grad():
        plain = pipe.unet(states, 5, encoder_hidden_states=words).sample
        with feedback_layers(pipe.unet) as feedback:
            with feedback.switched("remember"):
                pipe.unet(liked, 5, encoder_hidden_states=words[:1])
            with feedback.switched("attend", 1.0):
                fed = pipe.unet(states, 5, encoder_hidden_states=words).sample
            untouched = pipe.unet(states, 5, encoder_hidden_states=words).sample
    assert torch.allclose(fed[0], plain[0], atol=1e-5)
    assert not torch.allclose(fed[1], plain[1], atol=1e-3)
    assert torch.allclose(untouched, plain, atol=1e-5)
    assert dict(pipe.unet.attn_processors) == before


def test_p63_the_pipeline_is_left_as_it_was(folder: Path) -> None:
    plain = load_painter(f"diffusers/{folder}?steps=2&width=32&height=32&device=cpu")
    before = paint(plain, PaintRequest("a red door", seed=3), "text").picture
    assert before is not None
    assert paint(fabric(folder)).picture is not None
    assert paint(plain, PaintRequest("a red door", seed=3), "text").picture == before


def test_p63_block_weights_run_from_the_outside_to_the_middle() -> None:
    assert block_shares(4, 1.0) == [1.0] * 5
    assert block_shares(4, 0.0) == [1.0, 0.75, 0.5, 0.25, 0.0]


def test_p63_the_schedule_of_the_authors_is_the_default() -> None:
    settings = FabricSettings()
    assert (settings.feedback_start, settings.feedback_end) == (0.33, 0.66)
    assert (settings.strong, settings.weak, settings.bottleneck) == (1.0, 0.1, 1.0)
    assert (settings.references, settings.size) == (4, 512)


def test_p63_what_does_not_go_is_told(folder: Path, tmp_path: Path) -> None:
    assert paint(fabric(folder), PaintRequest("a")).failure == "bad_request"
    assert paint(fabric(folder), ASK, "text").failure == "bad_request"
    with pytest.raises(UsageError, match="size"):
        load_painter(f"fabric/{folder}?size=100")
    tiny_pipelines.save_sdxl(tmp_path / "sdxl")
    with pytest.raises(ModelUnavailable, match=r"needs a StableDiffusionPipeline.*XLPipeline"):
        paint(load_painter(f"fabric/{tmp_path / 'sdxl'}"))
