"""The catalogue of painters, their settings, weights and lines, without torch (CHECKLIST X4)."""

from __future__ import annotations

import asyncio
import json
import os
import random
import threading
import time
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest

from eyeprint.errors import MissingExtra, ModelUnavailable, UnknownName, UsageError
from eyeprint.models import painters, plugins
from eyeprint.models.kinds import Painted, Painter, PaintRequest
from eyeprint.models.painter_calls import arguments_for, unmet_by
from eyeprint.models.painter_devices import Stopped, on_device, stop_between_steps
from eyeprint.models.painter_pipelines import PipelineSettings, resolved_dtype
from eyeprint.models.painter_table import painter_rows, read_painter_name
from eyeprint.models.painter_weights import find_pipeline
from eyeprint.models.painters import load_painter, painter_names


class Chalk:
    name, fingerprint, ways = "chalk/white", "c", frozenset({"text"})

    async def paint(self, request: PaintRequest, way: str = "text") -> Painted:
        return Painted(None, "refused", request.prompt)


def chalk(name: str) -> Chalk:
    return Chalk()


def test_x4_the_released_settings_are_the_defaults() -> None:
    """Golden: the scripts released with PIPBench, read by hand."""
    rows = painter_rows()
    few = "lowres, bad anatomy, bad hands, cropped, worst quality"
    many = f"{few}, low quality, jpeg artifacts, ugly, duplicate"
    golden = {
        "diffusers/qwen-image": ("Qwen/Qwen-Image", 50, 4.0, few, "bfloat16"),
        "diffusers/qwen-image-edit": ("Qwen/Qwen-Image-Edit", 50, 4.0, many, "bfloat16"),
        "diffusers/qwen-image-edit-2509": ("Qwen/Qwen-Image-Edit-2509", 50, 4.0, many, "bfloat16"),
        "diffusers/sdxl": ("stabilityai/stable-diffusion-xl-base-1.0", 50, 5.0, None, "float16"),
        "dreambooth/qwen-image": ("Qwen/Qwen-Image", 50, 4.0, few, "bfloat16"),
        "fabric/dreamlike-photoreal": (
            "dreamlike-art/dreamlike-photoreal-2.0", 20, 7.0, few, "float16",
        ),
    }  # fmt: skip
    assert {name for name, row in rows.items() if row.released} == set(golden)
    for name, values in golden.items():
        row = rows[name]
        assert (row.hub_id, row.steps, row.guidance, row.negative, row.dtype) == values, name
        assert name in painter_names()


def test_x4_a_hub_id_that_the_table_knows_is_the_tables_painter() -> None:
    assert read_painter_name("diffusers/Qwen/Qwen-Image").model == "qwen-image"
    assert read_painter_name("dreambooth/Qwen/Qwen-Image").row is not None
    assert read_painter_name("diffusers//models/mine").model == "/models/mine"
    assert read_painter_name("diffusers/acme/other").row is None


@pytest.mark.parametrize(
    ("name", "error", "what"),
    [
        ("skecth", UnknownName, "Did you mean 'sketch'"),
        ("sketch?x=1", UsageError, "unknown setting"),
        ("diffusers/", UsageError, "lacks the model"),
        ("fabric", UsageError, "fabric/dreamlike-photoreal"),
        ("http://127.0.0.1:1/v1", UsageError, "lacks the model"),
    ],
)
def test_x4_wrong_names_say_what_is_right(
    name: str, error: type[Exception], what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(painters, "find_spec", lambda package: object())
    with pytest.raises(error) as caught:
        load_painter(name)
    assert what in str(caught.value)


@pytest.mark.parametrize("name", ["diffusers/sdxl", "dreambooth/sdxl", "fabric/acme/x"])
def test_x4_without_torch_the_extra_is_named(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(painters, "find_spec", lambda package: None)
    with pytest.raises(MissingExtra, match=r"torch and diffusers.*eyeprint\[images\]"):
        load_painter(name)


def test_x4_a_plug_in_brings_a_painter(monkeypatch: pytest.MonkeyPatch) -> None:
    point = EntryPoint("chalk", f"{__name__}:chalk", plugins.MODELS)
    monkeypatch.setattr(EntryPoint, "load", lambda self: chalk)
    monkeypatch.setattr(plugins, "entry_points", lambda group: [point])
    painter = load_painter("chalk/white")
    assert isinstance(painter, Painter)
    assert "chalk" in painter_names()
    monkeypatch.setattr(EntryPoint, "load", lambda self: lambda name: object())
    with pytest.raises(UsageError, match="makes no painter"):
        load_painter("chalk/white")


def test_x4_settings_follow_the_name_and_are_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(painters, "find_spec", lambda package: object())
    painter = load_painter("diffusers/sdxl?steps=9&width=768&device=cpu")
    assert painter.name == "diffusers/sdxl?steps=9&width=768", "the device paints no other picture"
    assert painter.ways == {"text"}
    for query, what in [
        ("stpes=9", "did you mean 'steps'"),
        ("steps=0", "steps"),
        ("width=777", "multiples of 8"),
        ("steps", "must be settings"),
        ("steps=1&steps=2", "twice"),
    ]:
        with pytest.raises(UsageError, match=what):
            load_painter(f"diffusers/sdxl?{query}")
    given = PipelineSettings(steps=3, guidance=2.0)
    assert "guidance=2.0&steps=4" in load_painter("diffusers/sdxl?steps=4", settings=given).name
    with pytest.raises(UsageError, match="takes PipelineSettings"):
        load_painter("diffusers/sdxl", settings=painter_rows()["diffusers/sdxl"])


def test_x4_the_sketch_painter_is_loaded_with_its_settings() -> None:
    plain, wide = load_painter("sketch"), load_painter("sketch?side=512")
    assert (plain.name, wide.name) == ("sketch", "sketch?side=512")
    assert plain.fingerprint != wide.fingerprint
    result = asyncio.run(wide.paint(PaintRequest("a red door", seed=1)))
    assert result.picture is not None
    assert result.picture.width == 512


def pipeline_folder(folder: Path, data: bytes = b"w" * 100, name: str = "FluxPipeline") -> Path:
    (folder / "unet").mkdir(parents=True)
    index = {"_class_name": name, "unet": ["diffusers", "UNet"], "_diffusers_version": "0"}
    (folder / "model_index.json").write_text(json.dumps(index))
    (folder / "unet" / "model.safetensors").write_bytes(data)
    (folder / "README.md").write_text(str(folder))
    return folder


def test_x4_a_folders_identity_is_its_weights(tmp_path: Path) -> None:
    one, two = pipeline_folder(tmp_path / "a"), pipeline_folder(tmp_path / "b")
    found = find_pipeline(str(one))
    assert (found.pipeline, found.revision) == ("FluxPipeline", None)
    assert found.identity == find_pipeline(str(two)).identity, "places and model cards do not count"
    other = pipeline_folder(tmp_path / "c", b"w" * 99 + b"x")
    assert find_pipeline(str(other)).identity != found.identity


def test_x4_another_training_of_large_weights_is_seen(tmp_path: Path) -> None:
    """Equal names, sizes and headers; the tensors differ, as after any training."""
    draws = random.Random(3)
    header = b"h" * 5000
    one = pipeline_folder(tmp_path / "a", header + draws.randbytes(3_000_000))
    two = pipeline_folder(tmp_path / "b", header + draws.randbytes(3_000_000))
    assert find_pipeline(str(one)).identity != find_pipeline(str(two)).identity


def test_x4_what_is_no_pipeline_is_told(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailable, match=r"holds no model_index\.json"):
        find_pipeline(str(tmp_path))
    (tmp_path / "model_index.json").write_text("{}")
    with pytest.raises(ModelUnavailable, match="does not name a pipeline"):
        find_pipeline(str(tmp_path))
    with pytest.raises(ModelUnavailable, match="no folder and no name"):
        find_pipeline("three/part/name")


def test_x4_hub_weights_are_known_by_their_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from huggingface_hub import constants

    commit = "0123456789abcdef0123456789abcdef01234567"
    repo = tmp_path / "models--acme--flux"
    pipeline_folder(repo / "snapshots" / commit)
    (repo / "refs").mkdir()
    (repo / "refs" / "main").write_text(commit)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    found = find_pipeline("acme/flux", download=False)
    assert found.identity == f"acme/flux@{commit}"
    assert found.revision == commit, "what is loaded is what was identified"
    assert found.short == "acme/flux@0123456789ab"
    with pytest.raises(ModelUnavailable, match="hf download acme/other"):
        find_pipeline("acme/other", download=False)


def test_x4_number_formats_follow_the_device() -> None:
    assert resolved_dtype(PipelineSettings(), "bfloat16", "cuda:1") == "bfloat16"
    assert resolved_dtype(PipelineSettings(), "bfloat16", "cpu") == "float32"
    assert resolved_dtype(PipelineSettings(dtype="float16"), "bfloat16", "cpu") == "float16"


QWEN = painter_rows()["diffusers/qwen-image"]
TAKES = {"prompt", "negative_prompt", "true_cfg_scale", "num_inference_steps", "width", "height"}


def arguments(request: PaintRequest, settings: PipelineSettings | None = None) -> dict[str, Any]:
    return arguments_for(request, QWEN, settings or PipelineSettings(), TAKES, lambda seed: seed)


def test_x4_request_beats_settings_and_settings_beat_the_table() -> None:
    plain = arguments(PaintRequest("a", seed=5))
    assert plain == {
        "prompt": "a",
        "generator": 5,
        "num_inference_steps": 50,
        "true_cfg_scale": 4.0,
        "negative_prompt": QWEN.negative,
    }
    mine = PipelineSettings(steps=9, guidance=2.0, negative="blur", width=64)
    told = arguments(PaintRequest("a"), mine)
    assert (told["num_inference_steps"], told["true_cfg_scale"], told["width"]) == (9, 2.0, 64)
    assert told["negative_prompt"] == "blur"
    own = arguments(PaintRequest("a", negative="ink", steps=3, guidance=0.0, width=32), mine)
    assert (own["num_inference_steps"], own["true_cfg_scale"], own["width"]) == (3, 0.0, 32)
    assert own["negative_prompt"] == "ink"
    none = arguments(PaintRequest("a"), PipelineSettings(negative=""))
    assert none["negative_prompt"] == " ", "these pipelines drop guidance without any"


def test_x4_flux_takes_no_negative_prompt() -> None:
    flux = painter_rows()["diffusers/flux-dev"]
    takes = TAKES | {"guidance_scale"}
    with pytest.raises(ValueError, match="no negative prompt"):
        arguments_for(PaintRequest("a", negative="x"), flux, PipelineSettings(), takes, int)
    told = arguments_for(PaintRequest("a"), flux, PipelineSettings(), takes, int)
    assert told["guidance_scale"] == 3.5
    assert "negative_prompt" not in told


def test_p61_editing_takes_as_many_references_as_its_model() -> None:
    from tests.models.test_painter_http import dot

    one, two = (
        painter_rows()["diffusers/qwen-image-edit"],
        painter_rows()["diffusers/qwen-image-edit-2509"],
    )
    pair = PaintRequest("a", references=(dot(1), dot(2)))
    reason = unmet_by("edit", one, one.ways, pair, "edit")
    assert reason is not None
    assert "takes 1 reference, and was given 2" in reason
    assert "2509" in reason
    assert unmet_by("edit", two, two.ways, pair, "edit") is None
    assert unmet_by("edit", two, two.ways, PaintRequest("a"), "edit") is not None
    assert unmet_by("edit", two, two.ways, pair, "text") is not None
    assert unmet_by("edit", one, ("text",), pair, "text") is not None
    assert unmet_by("edit", two, two.ways, pair._replace(width=100), "edit") is not None


def test_x4_a_device_does_one_thing_at_a_time_and_the_loop_lives() -> None:
    inside: list[int] = []
    most = []

    def work(stop: threading.Event) -> str:
        inside.append(1)
        most.append(len(inside))
        time.sleep(0.02)
        inside.pop()
        return threading.current_thread().name

    async def all_of_them() -> tuple[list[str], int]:
        ticks = 0

        async def tick() -> None:
            nonlocal ticks
            while True:
                await asyncio.sleep(0.002)
                ticks += 1

        clock = asyncio.create_task(tick())
        names = await asyncio.gather(*(on_device("test-device:0", work) for _ in range(4)))
        clock.cancel()
        return names, ticks

    names, ticks = asyncio.run(all_of_them())
    assert max(most) == 1
    assert len(set(names)) == 1
    assert ticks >= 4


def test_x4_work_that_nobody_waits_for_is_told_or_dropped() -> None:
    begun, told, ran = threading.Event(), threading.Event(), []

    def long(stop: threading.Event) -> None:
        begun.set()
        if stop.wait(10):
            told.set()

    async def cancelled() -> None:
        first = asyncio.create_task(on_device("test-device:1", long))
        second = asyncio.create_task(on_device("test-device:1", lambda stop: ran.append(1)))
        await asyncio.to_thread(begun.wait, 10)
        for task in (second, first):
            task.cancel()
        await asyncio.gather(first, second, return_exceptions=True)
        await on_device("test-device:1", lambda stop: None)

    asyncio.run(cancelled())
    assert told.is_set()
    assert ran == []
    stop = threading.Event()
    after_step = stop_between_steps(stop)
    assert after_step(None, 0, 1, {}) == {}
    stop.set()
    with pytest.raises(Stopped):
        after_step(None, 1, 1, {})


def test_x4_looking_up_names_imports_nothing_heavy() -> None:
    import subprocess
    import sys

    code = (
        "import sys; from eyeprint.models.painters import painter_names; painter_names(); "
        "print(sorted({'torch', 'diffusers', 'httpx2', 'PIL'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env=dict(os.environ),
    )
    assert done.stdout.strip() == "[]"
