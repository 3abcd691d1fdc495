"""Aesthetic scores: craft measured offline, and the head on CLIP embeddings."""

import numpy as np
import pytest

from eyeprint.errors import DataError, ModelUnavailable
from eyeprint.models.aesthetics import (
    Aesthetics,
    HeuristicAesthetics,
    HeuristicSettings,
    LaionAesthetics,
)
from eyeprint.models.kinds import Vectors
from eyeprint.models.tensor_files import read_tensors
from eyeprint.records.pictures import Picture

SHAPES = {0: (10, 16), 2: (6, 10), 4: (5, 6), 6: (3, 5), 7: (1, 3)}


class Shades:
    """Stands in for CLIP: some vector of a picture's pixels, not of length 1."""

    name, column, dim, fingerprint = "shades", "CLS", 16, "shades-1"

    def encode_pictures(self, pictures) -> Vectors:
        rows = [np.resize(p.pixels.astype(np.float32).ravel(), self.dim) + 1 for p in pictures]
        return np.array(rows, np.float32)


def noise(seed: int, low: int = 0, high: int = 256) -> Picture:
    rng = np.random.default_rng(seed)
    return Picture.of(rng.integers(low, high, (24, 24, 3), dtype=np.uint8))


def head(seed: int = 1) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    found = {}
    for layer, shape in SHAPES.items():
        found[f"layers.{layer}.weight"] = rng.normal(size=shape).astype(np.float32)
        found[f"layers.{layer}.bias"] = rng.normal(size=shape[0]).astype(np.float32)
    found["layers.7.bias"] += 5
    return found


def test_p42_scores_lie_between_0_and_10_and_prefer_the_better_exposed():
    scorer = HeuristicAesthetics()
    assert isinstance(scorer, Aesthetics)
    assert scorer.name == "heuristic"
    assert scorer.scores([]).shape == (0,)
    good, dark, burnt = noise(1), noise(1, 0, 12), noise(1, 250, 256)
    scores = scorer.scores([good, dark, burnt])
    assert ((scores >= 0) & (scores <= 10)).all()
    assert scores[0] > scores[1] and scores[0] > scores[2]
    assert scorer.scores([dark])[0] == scores[1]


@pytest.mark.parametrize(
    ("part", "better", "worse"),
    [
        ("exposure", (128, 128, 128), (10, 10, 10)),
        ("colour", (180, 120, 90), (128, 128, 128)),
    ],
)
def test_parts_of_flat_pictures(part, better, worse):
    one, other = (
        HeuristicAesthetics().parts(Picture.of(np.full((32, 32, 3), rgb, np.uint8)))[part]
        for rgb in (better, worse)
    )
    assert one > other


def test_sharp_beats_blurred_and_thirds_beat_the_corner():
    board = (np.indices((64, 64)).sum(axis=0) // 8 % 2 * 200).astype(np.uint8)
    sharp = Picture.of(np.repeat(board[..., None], 3, axis=2))
    soft = board.astype(float)
    for _ in range(60):
        soft = (
            soft + np.roll(soft, 1, 0) + np.roll(soft, 1, 1) + np.roll(soft, (1, 1), (0, 1))
        ) / 4
    blurred = Picture.of(np.repeat(soft.astype(np.uint8)[..., None], 3, axis=2))
    parts = HeuristicAesthetics().parts
    assert parts(sharp)["sharpness"] > 1.5 * parts(blurred)["sharpness"]

    def spot(x: int, y: int) -> float:
        pixels = np.full((90, 90, 3), 60, np.uint8)
        pixels[y - 5 : y + 5, x - 5 : x + 5] = 220
        return parts(Picture.of(pixels))["balance"]

    assert spot(30, 60) > 0.9 and spot(45, 45) > 0.9
    assert spot(8, 8) < 0.2


def test_weights_of_parts_are_settings():
    only = HeuristicAesthetics(
        HeuristicSettings(exposure=0, contrast=0, colour=0, sharpness=0, balance=1)
    )
    picture = noise(3)
    assert only.scores([picture])[0] == pytest.approx(10 * only.parts(picture)["balance"])
    assert only.fingerprint != HeuristicAesthetics().fingerprint


@pytest.mark.parametrize("ending", ["npz", "safetensors"])
def test_p42_x3_the_five_layer_head_is_the_chain_of_its_layers(tmp_path, ending):
    path, weights = tmp_path / f"head.{ending}", head()
    if ending == "npz":
        np.savez(path, **weights)
    else:
        pytest.importorskip("safetensors.numpy").save_file(weights, path)
    scorer = LaionAesthetics(Shades(), path)
    assert isinstance(scorer, Aesthetics)
    pictures = [noise(seed) for seed in range(4)]
    expected = []
    for row in Shades().encode_pictures(pictures).astype(float):
        row = row / np.sqrt((row**2).sum())
        for layer in SHAPES:
            weight, bias = weights[f"layers.{layer}.weight"], weights[f"layers.{layer}.bias"]
            row = np.array([sum(w * r for w, r in zip(line, row, strict=True)) for line in weight])
            row = row + bias
        expected.append(min(10.0, max(0.0, row[0])))
    assert scorer.scores(pictures) == pytest.approx(np.array(expected), abs=1e-5)
    assert scorer.scores([]).shape == (0,)


def test_the_linear_head_and_the_fingerprint(tmp_path):
    path = tmp_path / "linear.npz"
    np.savez(path, weight=np.full((1, 16), 2.0), bias=np.array([1.0]))
    scorer = LaionAesthetics(Shades(), path)
    # A vector of equal entries of length 1 has entries 1/4: 16 * 2 / 4 + 1 = 9.
    white = Picture.of(np.full((8, 8, 3), 255, np.uint8))
    assert scorer.scores([white]) == pytest.approx(9.0)
    before = scorer.fingerprint
    np.savez(path, weight=np.full((1, 16), 3.0), bias=np.array([1.0]))
    assert LaionAesthetics(Shades(), path).fingerprint != before


def test_absent_weights_say_what_to_do(tmp_path):
    with pytest.raises(ModelUnavailable, match=r"nothing\.safetensors.*heuristic"):
        LaionAesthetics(Shades(), tmp_path / "nothing.safetensors")


@pytest.mark.parametrize(
    ("weights", "told"),
    [
        ({"weight": np.ones((1, 512)), "bias": np.ones(1)}, "reads vectors of length 512"),
        ({"weight": np.ones((2, 16)), "bias": np.ones(2)}, "no aesthetic head"),
        ({"other": np.ones(3)}, "found: other"),
        ({"layers.0.weight": np.ones((1, 16))}, "no bias"),
        ({"weight": np.ones(16), "bias": np.ones(1)}, "has shape"),
    ],
)
def test_other_files_are_refused_with_a_reason(tmp_path, weights, told):
    np.savez(tmp_path / "head.npz", **weights)
    with pytest.raises(DataError, match=told):
        LaionAesthetics(Shades(), tmp_path / "head.npz")


def test_tensor_files_of_other_types_and_damaged_ones(tmp_path):
    saved = pytest.importorskip("safetensors.numpy")
    half = tmp_path / "half.safetensors"
    saved.save_file({"a": np.array([[1.5, -2.0]], np.float16)}, half)
    assert read_tensors(half)["a"].tolist() == [[1.5, -2.0]]
    whole = tmp_path / "whole.safetensors"
    saved.save_file({"a": np.arange(3)}, whole)
    with pytest.raises(DataError, match="not a float"):
        read_tensors(whole)
    (tmp_path / "cut.safetensors").write_bytes(half.read_bytes()[:-2])
    (tmp_path / "bad.npz").write_bytes(b"PK nonsense")
    (tmp_path / "head.pth").write_bytes(b"pickle")
    for name in ("cut.safetensors", "bad.npz", "head.pth"):
        with pytest.raises(DataError, match=name.replace(".", r"\.")):
            read_tensors(tmp_path / name)
    with pytest.raises(ModelUnavailable):
        read_tensors(tmp_path / "absent.npz")


def test_bfloat16_is_read(tmp_path):
    """1.5 is 0x3FC0 and -2 is 0xC000 in bfloat16."""
    header = b'{"a":{"dtype":"BF16","shape":[2],"data_offsets":[0,4]}}'
    path = tmp_path / "b.safetensors"
    path.write_bytes(len(header).to_bytes(8, "little") + header + b"\xc0\x3f\x00\xc0")
    assert read_tensors(path)["a"].tolist() == [1.5, -2.0]
