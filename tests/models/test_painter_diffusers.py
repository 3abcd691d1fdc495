"""Diffusers pipelines of random weights, loaded and run as real ones are (X4, P41, P59–P64)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("diffusers")

from eyeprint.errors import ModelUnavailable, UsageError  # noqa: E402
from eyeprint.models import painter_pipelines  # noqa: E402
from eyeprint.models.kinds import Painted, Painter, PaintRequest  # noqa: E402
from eyeprint.models.painter_calls import read_output  # noqa: E402
from eyeprint.models.painters import load_painter  # noqa: E402
from eyeprint.records.pictures import Picture  # noqa: E402
from tests.models import tiny_pipelines  # noqa: E402

pytestmark = pytest.mark.torch
tiny_pipelines.one_thread()

SAVE: dict[str, Callable[[Path], None]] = {
    "qwen": tiny_pipelines.save_qwen_image,
    "edit": tiny_pipelines.save_qwen_image_edit,
    "plus": lambda folder: tiny_pipelines.save_qwen_image_edit(folder, plus=True),
    "flux": tiny_pipelines.save_flux,
    "sdxl": tiny_pipelines.save_sdxl,
}
SMALL = "steps=2&width=64&height=64&device=cpu"


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    root = tmp_path_factory.mktemp("pipelines")

    def get(name: str) -> Path:
        if not (root / name).exists():
            SAVE[name](root / name)
        return root / name

    return get


@pytest.fixture
def small_edits(monkeypatch: pytest.MonkeyPatch) -> None:
    """The editing pipelines bring references to a megapixel: 23 s a picture on a processor."""
    from diffusers.pipelines.qwenimage import pipeline_qwenimage_edit as one
    from diffusers.pipelines.qwenimage import pipeline_qwenimage_edit_plus as many

    for module in (one, many):
        real = module.calculate_dimensions

        def small(area: int, ratio: float, real: Any = real) -> Any:
            return real(64 * 64, ratio)

        monkeypatch.setattr(module, "calculate_dimensions", small)


def paint(painter: Painter, request: PaintRequest, way: str = "text") -> Painted:
    return asyncio.run(painter.paint(request, way))


def picture(painter: Painter, request: PaintRequest, way: str = "text") -> Picture:
    result = paint(painter, request, way)
    assert result.picture is not None, result
    return result.picture


def noise(seed: int, size: tuple[int, int] = (40, 60)) -> Picture:
    return Picture.of(np.random.default_rng(seed).integers(0, 256, (*size, 3)).astype(np.uint8))


@pytest.mark.parametrize("name", ["qwen", "flux", "sdxl"])
def test_p64_one_request_is_one_picture_alone_and_in_any_order(
    saved: Callable[[str], Path], name: str
) -> None:
    requests = [PaintRequest("a red door", seed=n) for n in (3, 4)]
    painter = load_painter(f"diffusers/{saved(name)}?{SMALL}")
    first, second = (picture(painter, request) for request in requests)
    assert (first.width, first.height) == (64, 64)
    assert first != second, "the seed is the picture's own"
    # Loaded anew, in the other order, both at once.
    painter_pipelines._LOADED.clear()
    fresh = load_painter(f"diffusers/{saved(name)}?{SMALL}")

    async def together() -> list[Painted]:
        return list(await asyncio.gather(*(fresh.paint(each) for each in reversed(requests))))

    again = asyncio.run(together())
    assert [each.picture for each in again] == [second, first]
    assert picture(fresh, requests[0]._replace(prompt="a blue sea")) != first


@pytest.mark.parametrize("name", ["qwen", "sdxl"])
def test_x4_steps_guidance_negative_and_size_reach_the_pipeline(
    saved: Callable[[str], Path], name: str
) -> None:
    painter = load_painter(f"diffusers/{saved(name)}?{SMALL}")
    plain = PaintRequest("a red door", seed=3, negative="blur")
    base = picture(painter, plain)
    changed = [
        picture(painter, plain._replace(**change))
        for change in ({"steps": 3}, {"guidance": 9.0}, {"negative": "a quiet sea at night"})
    ]
    assert base not in changed
    assert len(set(changed)) == 3
    wide = picture(painter, plain._replace(width=96))
    assert (wide.width, wide.height) == (96, 64)
    odd = paint(painter, plain._replace(width=70))
    assert odd.failure == "bad_request"
    assert "multiples of" in odd.detail


def test_p61_references_and_their_order_reach_the_editors(
    saved: Callable[[str], Path], small_edits: None
) -> None:
    one = load_painter(f"diffusers/{saved('edit')}?steps=2&device=cpu")
    two = load_painter(f"diffusers/{saved('plus')}?steps=2&device=cpu")
    assert one.ways == two.ways == {"edit"}
    a, b = noise(1), noise(2)
    seen = PaintRequest("a red door", seed=3, references=(a,))
    first = picture(one, seen, "edit")
    assert picture(one, seen, "edit") == first
    assert picture(one, seen._replace(references=(b,)), "edit") != first
    both = picture(two, seen._replace(references=(a, b)), "edit")
    assert picture(two, seen._replace(references=(b, a)), "edit") != both
    assert picture(two, seen, "edit") != both
    assert paint(one, seen._replace(references=(a, b)), "edit").failure == "bad_request"


def test_p61_each_patch_of_a_reference_has_its_place_in_the_prompt(
    saved: Callable[[str], Path],
) -> None:
    from PIL import Image

    from eyeprint.models.qwen_processor import MARK, picture_processor

    processor = picture_processor(str(saved("plus")))
    images = [Image.fromarray(noise(n, size).pixels) for n, size in ((1, (28, 56)), (2, (56, 56)))]
    read = processor(text=f"x{MARK}y{MARK}z", images=images, return_tensors="pt")
    ids = read["input_ids"][0].tolist()
    mark = processor.tokenizer.convert_tokens_to_ids(MARK)
    # Patches of 14 pixels, merged 2 × 2: 28 × 56 is 1 × 2 places, 56 × 56 is 2 × 2.
    runs = [len(run) for run in "".join("#" if each == mark else " " for each in ids).split()]
    assert runs == [2, 4]
    assert read["image_grid_thw"].tolist() == [[1, 2, 4], [1, 4, 4]]
    with pytest.raises(ValueError, match="1 places for 2 pictures"):
        processor(text=f"x{MARK}", images=images, return_tensors="pt")


def test_x4_fingerprints_tell_apart_what_paints_other_pictures(
    saved: Callable[[str], Path], tmp_path: Path
) -> None:
    import shutil

    base = f"diffusers/{saved('sdxl')}"
    plain = load_painter(f"{base}?device=cpu")
    copy = tmp_path / "elsewhere"
    shutil.copytree(saved("sdxl"), copy)
    same = [
        f"{base}?device=cpu&steps=50",
        f"{base}?device=cpu&offload=none",
        f"diffusers/{copy}?device=cpu",
    ]
    others = ["steps=9", "guidance=2", "negative=blur", "width=64", "dtype=bfloat16"]
    assert {load_painter(name).fingerprint for name in same} == {plain.fingerprint}
    prints = {load_painter(f"{base}?device=cpu&{more}").fingerprint for more in others}
    assert len(prints) == len(others)
    assert plain.fingerprint not in prints


def edited(source: Path, target: Path, bias: float) -> Path:
    """Return a copy of a pipeline whose decoder adds ``bias`` to every pixel."""
    import shutil

    from safetensors.torch import load_file, save_file

    shutil.copytree(source, target)
    path = target / "vae" / "diffusion_pytorch_model.safetensors"
    weights = load_file(path)
    weights["decoder.conv_out.bias"] += bias
    save_file(weights, path, metadata={"format": "pt"})
    return target


@pytest.mark.parametrize(("bias", "what"), [(float("nan"), "no numbers"), (-1e4, "black")])
def test_x4_failed_arithmetic_is_no_picture(
    saved: Callable[[str], Path], tmp_path: Path, bias: float, what: str
) -> None:
    folder = edited(saved("sdxl"), tmp_path / "broken", bias)
    result = paint(load_painter(f"diffusers/{folder}?{SMALL}"), PaintRequest("a red door"))
    assert (result.picture, result.failure) == (None, "bad_reply")
    assert what in result.detail
    assert "dtype=float32" in result.detail


def test_x4_what_a_safety_checker_blanked_is_refused() -> None:
    black = np.zeros((1, 8, 8, 3))
    output = SimpleNamespace(images=black, nsfw_content_detected=[True])
    assert read_output(output, "p", "float32").failure == "refused"
    unchecked = SimpleNamespace(images=black + 0.5, nsfw_content_detected=None)
    found = read_output(unchecked, "p", "float32").picture
    assert found is not None
    assert found.pixels[0, 0, 0] == 128


def test_x4_out_of_memory_says_what_to_set(
    saved: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    from diffusers import UNet2DConditionModel

    def full(*args: Any, **kwargs: Any) -> None:
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 20.00 GiB.")

    painter = load_painter(f"diffusers/{saved('sdxl')}?{SMALL}")
    before = picture(painter, PaintRequest("a", seed=1))
    with monkeypatch.context() as patch:
        patch.setattr(UNet2DConditionModel, "forward", full)
        result = paint(painter, PaintRequest("a", seed=1))
    assert result.failure == "out_of_memory"
    assert "20.00 GiB" in result.detail
    assert "offload=model" in result.detail
    assert picture(painter, PaintRequest("a", seed=1)) == before, "the painter goes on"


def test_p64_prompts_that_are_cut_are_noted(saved: Callable[[str], Path]) -> None:
    long = "a quiet harbour at dawn, " * 12
    letters = len(long.replace(" ", ""))
    short = paint(load_painter(f"diffusers/{saved('sdxl')}?{SMALL}"), PaintRequest("a red door"))
    assert short.detail == ""
    result = paint(load_painter(f"diffusers/{saved('sdxl')}?{SMALL}"), PaintRequest(long))
    # One token a letter here, and two at the ends.
    assert result.detail == f"the painter read 77 of the prompt's {letters + 2} tokens"
    flux = paint(load_painter(f"diffusers/{saved('flux')}?{SMALL}"), PaintRequest(long))
    assert flux.detail == "", "its second encoder reads 512"


def test_x4_weights_of_another_kind_are_refused_by_name(saved: Callable[[str], Path]) -> None:
    painter = load_painter(f"diffusers/qwen-image?weights={saved('flux')}&{SMALL}")
    with pytest.raises(UsageError, match=r"needs a QwenImagePipeline.*holds a FluxPipeline"):
        paint(painter, PaintRequest("a"))
    right = load_painter(f"diffusers/qwen-image?weights={saved('qwen')}&{SMALL}")
    assert picture(right, PaintRequest("a"))


def test_x4_damaged_weights_are_told_with_their_place(
    saved: Callable[[str], Path], tmp_path: Path
) -> None:
    import shutil

    folder = tmp_path / "damaged"
    shutil.copytree(saved("sdxl"), folder)
    path = folder / "unet" / "diffusion_pytorch_model.safetensors"
    path.write_bytes(path.read_bytes()[:1000])
    with pytest.raises(ModelUnavailable, match="damaged cannot be loaded"):
        paint(load_painter(f"diffusers/{folder}?{SMALL}"), PaintRequest("a"))
    with pytest.raises(UsageError, match="no device"):
        paint(load_painter(f"diffusers/{saved('sdxl')}?device=abacus"), PaintRequest("a"))


def test_x4_a_hub_painter_loads_its_pinned_half_precision_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from huggingface_hub import constants

    commit = "0123456789abcdef0123456789abcdef01234567"
    repo = tmp_path / "models--stabilityai--stable-diffusion-xl-base-1.0"
    tiny_pipelines.save_sdxl(repo / "snapshots" / commit, variant="fp16")
    (repo / "refs").mkdir()
    (repo / "refs" / "main").write_text(commit)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    painter = load_painter(f"diffusers/sdxl?{SMALL}&download=false")
    result = paint(painter, PaintRequest("a red door"))
    assert result.picture is not None, result
    assert result.served_model is not None
    assert result.served_model.startswith(
        f"stabilityai/stable-diffusion-xl-base-1.0@{commit[:12]} ("
    )
    assert "torch" in result.served_model


def test_x4_offload_paints_the_same_picture(saved: Callable[[str], Path]) -> None:
    if not torch.cuda.is_available():
        pytest.skip("needs a CUDA device")
    base = f"diffusers/{saved('sdxl')}?steps=2&width=64&height=64&device=cuda&dtype=float32"
    request = PaintRequest("a red door", seed=3)
    plain = picture(load_painter(base), request)
    moved = picture(load_painter(f"{base}&offload=model"), request)
    assert np.abs(plain.pixels.astype(int) - moved.pixels).max() <= 1
