"""Aesthetic scores, 0 to 10: which of a person's candidate pictures are worth keeping (P42).

The paper names no predictor (P42, a gap). Two are offered behind one interface:
:class:`HeuristicAesthetics` needs no weights and judges craft only (exposure, contrast,
colour, sharpness, balance); :class:`LaionAesthetics` is the well-known head on CLIP
embeddings, for those who have its weights. Scores of the two are never pooled: each
carries its name and fingerprint.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from eyeprint.config import Settings, fingerprint_of
from eyeprint.errors import DataError, ModelUnavailable
from eyeprint.maths.colour import Floats, lab_of, lightness_of
from eyeprint.models.kinds import ImageEncoder
from eyeprint.models.picture_colours import at_most
from eyeprint.models.picture_reading import colourfulness
from eyeprint.models.tensor_files import read_tensors
from eyeprint.models.weights_digests import weights_sha256
from eyeprint.records.pictures import Picture

_RECIPE = 1
_LONGER, _FINE = 96, 384


@runtime_checkable
class Aesthetics(Protocol):
    """Scores pictures for how good they look. 0 to 10, higher is better."""

    @property
    def name(self) -> str:
        """The scorer's name, such as ``heuristic``."""
        ...

    @property
    def fingerprint(self) -> str:
        """Identity of weights and settings; scores of two fingerprints never mix."""
        ...

    def scores(self, pictures: Sequence[Picture]) -> Floats:
        """Return one score per picture, shape (n,)."""
        ...


class HeuristicSettings(Settings):
    """Weights of the five parts; they are made to sum to 1."""

    exposure: float = Field(default=0.25, ge=0)
    contrast: float = Field(default=0.20, ge=0)
    colour: float = Field(default=0.20, ge=0)
    sharpness: float = Field(default=0.15, ge=0)
    balance: float = Field(default=0.20, gt=0)


class HeuristicAesthetics:
    """Five measures of craft, each in [0, 1], weighted and times 10.

    - exposure: 1 at a mean L* of 55, falling to 0 at 5 and 105; less what is clipped to
      black or white beyond 10 % of the picture;
    - contrast: 5th to 95th percentile of L* over 70, at most 1;
    - colour: 1 at a colourfulness (Hasler and Süsstrunk) of 55, 0.5 at 0 and at 140:
      monochrome and gaudy are both half as good;
    - sharpness: the strongest twentieth of steps between pixels against 25 L*, at most 1;
    - balance: what stands out (distance from the mean colour) lies near the middle of its
      weight or near a crossing of thirds, within a sixth of the diagonal.

    It knows nothing of what is shown, and is no stand-in for a person's taste.

    >>> gray = Picture.of(np.full((32, 32, 3), 128, np.uint8))
    >>> ramp = Picture.of(np.repeat(np.arange(0, 256, 8, np.uint8)[:, None, None], 3, 2)
    ...     * np.ones((1, 32, 1), np.uint8))
    >>> flat, graded = HeuristicAesthetics().scores([gray, ramp])
    >>> bool(0 <= flat < graded <= 10)
    True
    """

    name = "heuristic"

    def __init__(self, settings: HeuristicSettings | None = None) -> None:
        self.settings = settings or HeuristicSettings()

    @property
    def fingerprint(self) -> str:
        """SHA-256 over recipe and weights."""
        return fingerprint_of(
            {"aesthetics": "heuristic", "recipe": _RECIPE, "settings": self.settings.model_dump()}
        )

    def scores(self, pictures: Sequence[Picture]) -> Floats:
        """Return one score per picture, shape (n,), 0 to 10."""
        chosen = self.settings.model_dump()
        total = sum(chosen.values())
        rows = [self.parts(picture) for picture in pictures]
        return np.array(
            [10 * sum(chosen[k] * part for k, part in row.items()) / total for row in rows]
        )

    def parts(self, picture: Picture) -> dict[str, float]:
        """Return the five measures by name, each in [0, 1]."""
        lab = lab_of(at_most(picture, _LONGER))
        lightness = lab[..., 0]
        low, high = np.percentile(lightness, [5, 95])
        clipped = float(((lightness < 2) | (lightness > 99)).mean())
        exposure = max(0.0, 1 - abs(float(lightness.mean()) - 55) / 50)
        vivid = colourfulness(picture)
        away = (55 - vivid) / 110 if vivid < 55 else (vivid - 55) / 170
        return {
            "exposure": max(0.0, exposure - max(0.0, clipped - 0.10)),
            "contrast": min(1.0, float(high - low) / 70),
            "colour": max(0.0, 1 - away),
            "sharpness": _sharpness(picture),
            "balance": _balance(lab),
        }


def _sharpness(picture: Picture) -> float:
    lightness = lightness_of(at_most(picture, _FINE))
    if min(lightness.shape) < 2:
        return 0.0
    steps = np.hypot(np.diff(lightness, axis=0)[:, :-1], np.diff(lightness, axis=1)[:-1])
    cut = np.partition(steps.ravel(), int(0.95 * steps.size))[int(0.95 * steps.size) :]
    return min(1.0, float(cut.mean()) / 25)


def _balance(lab: Floats) -> float:
    """Return how near the weight of what stands out lies to the middle or to thirds, [0, 1]."""
    height, width = lab.shape[:2]
    stands_out = ((lab - lab.mean(axis=(0, 1))) ** 2).sum(axis=2)
    total = float(stands_out.sum())
    if total < 1e-6:
        return 0.5
    y = float((stands_out.sum(axis=1) * (np.arange(height) + 0.5)).sum() / total / height)
    x = float((stands_out.sum(axis=0) * (np.arange(width) + 0.5)).sum() / total / width)
    places = [(0.5, 0.5), *((a, b) for a in (1 / 3, 2 / 3) for b in (1 / 3, 2 / 3))]
    nearest = min(np.hypot(x - a, y - b) for a, b in places)
    return float(max(0.0, 1 - nearest / (np.sqrt(2) / 6)))


class LaionAesthetics:
    """A LAION-style aesthetic head on CLIP image embeddings, in NumPy.

    Reads a linear head (``weight`` (1, d), ``bias`` (1,)) or the five-layer head of the
    "improved" predictor (``layers.{0,2,4,6,7}.weight`` and ``.bias``, with nothing but dropout
    between, so that it too is linear). The head was trained on unit embeddings of CLIP
    ViT-L/14; a head of another width than the encoder's is refused.

    Scores are clipped to [0, 10]; most pictures lie between 3 and 7.

    Args:
        clip_encoder: turns pictures into unit vectors.
        weights_path: a .safetensors or .npz file.

    Raises:
        ModelUnavailable: there is no such file.
        DataError: it holds no head of a known layout, or one of another width.
    """

    name = "laion"

    def __init__(self, clip_encoder: ImageEncoder, weights_path: str | Path) -> None:
        self.encoder = clip_encoder
        self._path = Path(weights_path)
        if not self._path.is_file():
            raise ModelUnavailable(
                f"The aesthetic head was not found at {self._path}. Give the path of its weights "
                "(.safetensors or .npz), converted from the 'improved aesthetic predictor' for "
                "the CLIP model in use, or score with 'heuristic', which needs no weights."
            )
        self._layers = _head_of(read_tensors(self._path), self._path)
        width = self._layers[0][0].shape[1]
        if width != clip_encoder.dim:
            raise DataError(
                f"{self._path}: the head reads vectors of length {width}, and the encoder "
                f"'{clip_encoder.name}' makes {clip_encoder.dim}. Use the CLIP model that the head "
                "was trained on (768: ViT-L/14; 512: ViT-B/32)."
            )

    @property
    def fingerprint(self) -> str:
        """SHA-256 over the encoder's fingerprint and the weights' file."""
        return fingerprint_of(
            {
                "aesthetics": "laion",
                "recipe": _RECIPE,
                "encoder": self.encoder.fingerprint,
                "weights": weights_sha256(self._path),
            }
        )

    def scores(self, pictures: Sequence[Picture]) -> Floats:
        """Return one score per picture, shape (n,), 0 to 10."""
        if not pictures:
            return np.zeros(0)
        rows = self.encoder.encode_pictures(pictures).astype(np.float64)
        lengths = np.sqrt((rows**2).sum(axis=1, keepdims=True))
        rows = rows / np.maximum(lengths, 1e-12)
        for weight, bias in self._layers:
            rows = rows @ weight.T.astype(np.float64) + bias
        found: Floats = np.clip(rows[:, 0], 0, 10)
        return found


Layer = tuple[NDArray[np.float32], NDArray[np.float32]]


def _head_of(tensors: dict[str, NDArray[np.float32]], path: Path) -> list[Layer]:
    """Return weights and biases, first layer first."""
    if {"weight", "bias"} <= tensors.keys():
        names = [""]
    else:
        found = {name.split(".")[1] for name in tensors if name.startswith("layers.")}
        names = [f"layers.{k}." for k in sorted(found, key=lambda k: (len(k), k))]
    layers = []
    width = None
    for prefix in names:
        weight, bias = tensors.get(f"{prefix}weight"), tensors.get(f"{prefix}bias")
        if weight is None or bias is None:
            raise DataError(f"{path}: layer '{prefix}' has no weight, or no bias.")
        fits = weight.ndim == 2 and bias.shape == weight.shape[:1]
        if not fits or (width is not None and weight.shape[1] != width):
            raise DataError(f"{path}: layer '{prefix}' has shape {weight.shape}, {bias.shape}.")
        layers.append((weight, bias))
        width = weight.shape[0]
    if width != 1:
        raise DataError(
            f"{path}: no aesthetic head. Wanted 'weight' and 'bias', or "
            "'layers.0.weight' ... 'layers.7.bias' that end in one number; found: "
            f"{', '.join(sorted(tensors)[:6]) or 'nothing'}."
        )
    return layers
