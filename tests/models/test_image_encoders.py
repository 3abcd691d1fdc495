"""Image encoders and LPIPS by name; those with weights on tiny random models (X3)."""

import json
import pickle

import numpy as np
import pytest

from eyeprint.errors import MissingExtra, ModelUnavailable, UnknownName, UsageError
from eyeprint.models import image_encoders, torch_running
from eyeprint.models.image_encoders import image_encoder_names, load_image_encoder
from eyeprint.models.image_weights import find_model_files, read_config
from eyeprint.models.kinds import ImageEncoder, TextEncoder
from eyeprint.models.lpips import load_image_distance
from eyeprint.records.pictures import Picture
from tests.models.tiny_vision import save_clip, save_dino, save_lpips, some_pictures


def without(monkeypatch, package):
    def find(name):
        return None if name == package else object()

    monkeypatch.setattr(torch_running, "find_spec", find)


def test_x3_unknown_names_are_told_with_the_nearest():
    with pytest.raises(UnknownName, match="Did you mean 'palette'"):
        load_image_encoder("palete")
    with pytest.raises(UnknownName, match="image encoder 'clip:'"):
        load_image_encoder("clip:")
    with pytest.raises(UnknownName, match="picture distance 'ssim'"):
        load_image_distance("ssim")
    assert {"palette", "clip", "dino"} <= set(image_encoder_names())


@pytest.mark.parametrize("name", ["clip", "dino"])
@pytest.mark.parametrize("package", ["torch", "transformers"])
def test_x3_without_torch_the_extra_is_named(monkeypatch, name, package):
    without(monkeypatch, package)
    with pytest.raises(MissingExtra, match=r"eyeprint\[images\]") as caught:
        load_image_encoder(name)
    assert f"the image encoder '{name}' needs torch and transformers" in str(caught.value)


def test_x3_lpips_without_torch_names_the_extra(monkeypatch):
    without(monkeypatch, "torch")
    with pytest.raises(MissingExtra, match=r"'lpips' needs torch and safetensors.*\[images\]"):
        load_image_distance("lpips")


def test_a_plug_in_that_makes_something_else_is_refused(monkeypatch):
    monkeypatch.setattr(image_encoders, "model_of_plugin", lambda name: object())
    with pytest.raises(UsageError, match="lacks encode_pictures"):
        load_image_encoder("somebody/else")


def test_places_that_are_nowhere_are_told(tmp_path):
    with pytest.raises(ModelUnavailable, match="no folder and no name on the hub"):
        find_model_files("/no/such/folder")
    with pytest.raises(ModelUnavailable, match="not in the Hugging Face cache"):
        find_model_files("nobody/nothing", download=False)
    with pytest.raises(ModelUnavailable, match=r"lacks config.json, model.safetensors or"):
        find_model_files(str(tmp_path))
    (tmp_path / "config.json").write_text("[1]")
    with pytest.raises(ModelUnavailable, match="no JSON object"):
        read_config(tmp_path / "config.json")
    (tmp_path / "config.json").write_text("{")
    with pytest.raises(ModelUnavailable, match="cannot be read as a configuration"):
        read_config(tmp_path / "config.json")


def test_safetensors_are_preferred_to_other_weights(tmp_path):
    for name in ("config.json", "pytorch_model.bin"):
        (tmp_path / name).write_text("{}")
    assert find_model_files(str(tmp_path)).weights.name == "pytorch_model.bin"
    (tmp_path / "model.safetensors").write_text("")
    assert find_model_files(str(tmp_path)).weights.name == "model.safetensors"


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    folder = tmp_path_factory.mktemp("models")
    save_clip(folder / "clip")
    save_dino(folder / "dino")
    save_lpips(folder / "lpips")
    return folder


def copied(models, kind, tmp_path):
    folder = tmp_path / kind
    folder.mkdir()
    for file in (models / kind).iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    return folder


@pytest.mark.torch
@pytest.mark.parametrize(
    ("kind", "column", "reads"), [("clip", "CLS", True), ("dino", "DIS", False)]
)
def test_x3_rows_are_unit_in_order_and_alike_in_any_batch(models, kind, column, reads):
    name = f"{kind}:{models / kind}"
    encoder = load_image_encoder(name, device="cpu", batch=4)
    assert isinstance(encoder, ImageEncoder)
    assert isinstance(encoder, TextEncoder) == reads
    assert (encoder.name, encoder.column) == (name, column)
    pictures = some_pictures(7)
    rows = encoder.encode_pictures(pictures)
    assert rows.shape == (7, encoder.dim) and rows.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
    alone = np.concatenate([encoder.encode_pictures([each]) for each in pictures])
    np.testing.assert_allclose(rows, alone, atol=1e-5)
    assert encoder.encode_pictures([]).shape == (0, encoder.dim)
    assert "cpu" in encoder.note


@pytest.mark.torch
@pytest.mark.parametrize("kind", ["clip", "dino"])
def test_x3_fingerprints_follow_weights_and_not_places(models, kind, tmp_path):
    folder = copied(models, kind, tmp_path)
    first, second = (load_image_encoder(f"{kind}:{place}") for place in (models / kind, folder))
    assert first.fingerprint == second.fingerprint
    {"clip": save_clip, "dino": save_dino}[kind](folder, seed=9)
    assert load_image_encoder(f"{kind}:{folder}").fingerprint != first.fingerprint


@pytest.mark.torch
@pytest.mark.parametrize("kind", ["clip", "dino"])
def test_an_encoder_can_be_sent_to_a_worker(models, kind):
    encoder = load_image_encoder(f"{kind}:{models / kind}")
    again = pickle.loads(pickle.dumps(encoder))
    pictures = some_pictures(2)
    np.testing.assert_array_equal(
        encoder.encode_pictures(pictures), again.encode_pictures(pictures)
    )


@pytest.mark.torch
def test_p46_texts_longer_than_the_model_reads_are_cut_and_told(models):
    encoder = load_image_encoder(f"clip:{models / 'clip'}")
    # 10 tokens with both markers: 8 letters fit.
    found = encoder.encode_counted(["a red fog a", "a red fog aa", "", " \n"])
    assert found.cut.tolist() == [False, True, False, False]
    np.testing.assert_allclose(np.linalg.norm(found.vectors, axis=1), [1, 1, 0, 0], atol=1e-5)
    # All that is beyond the cut is not read.
    long, other, short = encoder.encode(["a red fog aaaa", "a red fog and sea", "a red fog a"])
    np.testing.assert_allclose(long, other, atol=1e-6)
    assert np.abs(long - short).max() > 1e-3
    assert encoder.encode([]).shape == (0, encoder.dim)
    with pytest.raises(UsageError, match="list of texts"):
        encoder.encode("a red sea")


@pytest.mark.torch
def test_p46_texts_are_cleaned_as_openai_does_and_half_surrogates_survive(models):
    encoder = load_image_encoder(f"clip:{models / 'clip'}")
    rows = encoder.encode(["sea & fog", "  SEA  &amp;amp; fog\n", "sea \ud83d"])
    np.testing.assert_allclose(rows[0], rows[1], atol=1e-6)
    assert np.isfinite(rows).all()


@pytest.mark.torch
def test_damaged_and_foreign_models_are_told(models, tmp_path):
    with pytest.raises(ModelUnavailable, match="of type 'dinov2', not clip"):
        folder = copied(models, "dino", tmp_path)
        (folder / "tokenizer.json").write_text("{}")
        load_image_encoder(f"clip:{folder}")
    clip = copied(models, "clip", tmp_path)
    with pytest.raises(ModelUnavailable, match="of type 'clip', not dinov2"):
        load_image_encoder(f"dino:{clip}")
    weights = clip / "model.safetensors"
    whole = weights.read_bytes()
    weights.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ModelUnavailable, match="cannot be loaded"):
        load_image_encoder(f"clip:{clip}").encode_pictures(some_pictures(1))
    weights.write_bytes(whole)
    (clip / "tokenizer.json").write_text('{"model": {"type": "WordPiece"}}')
    with pytest.raises(ModelUnavailable, match="cannot be read as a tokeniser"):
        load_image_encoder(f"clip:{clip}").encode(["a"])


@pytest.mark.torch
def test_weights_that_are_not_all_there_are_told(models, tmp_path):
    from safetensors.torch import load_file, save_file

    folder = copied(models, "dino", tmp_path)
    held = load_file(str(folder / "model.safetensors"))
    del held["layernorm.weight"]
    save_file(held, str(folder / "model.safetensors"), metadata={"format": "pt"})
    with pytest.raises(ModelUnavailable, match=r"lacks 1 weights.*layernorm.weight"):
        load_image_encoder(f"dino:{folder}").encode_pictures(some_pictures(1))


@pytest.mark.torch
def test_patches_that_do_not_fit_are_told(models, tmp_path):
    folder = copied(models, "dino", tmp_path)
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "patch_size": 15}))
    with pytest.raises(ModelUnavailable, match="patches of 15 pixels do not fit into 224"):
        load_image_encoder(f"dino:{folder}")


@pytest.mark.torch
def test_devices_that_are_not_there_are_told(models):
    torch = pytest.importorskip("torch")
    encoder = load_image_encoder(f"dino:{models / 'dino'}", device="pentium")
    with pytest.raises(UsageError, match="no device of torch"):
        encoder.encode_pictures(some_pictures(1))
    if not torch.cuda.is_available():
        with pytest.raises(UsageError, match="not on this machine"):
            torch_running.chosen_device("cuda")


@pytest.mark.torch
def test_p47_lpips_is_nothing_for_equal_pictures_and_symmetric(models):
    distance = load_image_distance(f"lpips:{models / 'lpips'}")
    a, b = some_pictures(2, sizes=((40, 40),))
    found = distance.distances([a, a, b], [a, b, a])
    assert found[0] == 0 and found[1] > 0.01
    assert found[1] == pytest.approx(found[2], abs=1e-6)
    assert distance.distances([], []).shape == (0,)
    with pytest.raises(ValueError, match="zip"):
        distance.distances([a], [])


@pytest.mark.torch
def test_p47_lpips_takes_negative_heads_as_they_are(models, tmp_path):
    torch = pytest.importorskip("torch")
    folder = copied(models, "lpips", tmp_path)
    heads = torch.load(folder / "vgg.pth", weights_only=True)
    a, b = some_pictures(2, sizes=((40, 40),))
    plain = load_image_distance(f"lpips:{folder}").distances([a], [b])[0]
    torch.save({name: -value for name, value in heads.items()}, folder / "vgg.pth")
    assert load_image_distance(f"lpips:{folder}").distances([a], [b])[0] == pytest.approx(-plain)


@pytest.mark.torch
@pytest.mark.parametrize("prefix", ["features.", "", "net.slice1.", "model.features."])
def test_p47_lpips_reads_the_names_of_other_libraries(models, tmp_path, prefix):
    save_lpips(tmp_path, prefix=prefix)
    a, b = some_pictures(2)
    other = load_image_distance(f"lpips:{tmp_path}")
    same = load_image_distance(f"lpips:{models / 'lpips'}")
    np.testing.assert_allclose(other.distances([a], [b]), same.distances([a], [b]), atol=1e-6)


@pytest.mark.torch
def test_lpips_files_that_do_not_fit_are_told(models, tmp_path):
    torch = pytest.importorskip("torch")
    folder = copied(models, "lpips", tmp_path)
    one = [Picture.of(np.zeros((20, 20, 3), np.uint8))]

    def ask():
        load_image_distance(f"lpips:{folder}").distances(one, one)

    torch.save({"lin0.model.1.weight": torch.zeros(1, 3, 1, 1)}, folder / "vgg.pth")
    with pytest.raises(ModelUnavailable, match="lin0 needs 4 weights, and has 3 weights"):
        ask()
    (folder / "vgg.pth").write_bytes(b"nothing")
    with pytest.raises(ModelUnavailable, match="cannot be read as weights"):
        ask()
    (folder / "vgg.pth").unlink()
    with pytest.raises(ModelUnavailable, match="lacks the linear heads"):
        ask()
    (folder / "vgg16.safetensors").unlink()
    torch.save({"features.0.weight": torch.zeros(2, 3, 3, 3)}, folder / "vgg16.pth")
    (folder / "vgg.pth").write_bytes((models / "lpips" / "vgg.pth").read_bytes())
    with pytest.raises(ModelUnavailable, match=r"lacks features\.0\.weight or its bias"):
        ask()
