"""LPIPS-VGG, version 0.1, in plain torch: the columns LPIPS (CHECKLIST P47, P48, X3).

With unit-normalised features f_l (over channels) of five stages of VGG-16, heads w_l and
the mean over places::

    d(a, b) = Σ_l mean_xy Σ_c w_lc (f_lc(a) - f_lc(b))²

0 for equal pictures, without an upper bound; smaller is nearer. Pictures are made square,
256 × 256, scaled to [-1, 1], shifted and scaled as the published model does.

The released evaluator first brings the output to the reference's size, then both to the
square; so an output has other features beside references of another size, and this file
follows (``through_reference``). The features of one picture at 256 × 256 are 8 million
numbers, 32 MB: those of ``remember`` pictures are kept, the least recently used go first.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from eyeprint.config import Settings, fingerprint_of
from eyeprint.errors import UnknownName
from eyeprint.models.lpips_weights import LpipsFiles, find_lpips_files, read_lpips_weights
from eyeprint.models.picture_tensors import SQUARING, normalised, pillow, squared
from eyeprint.models.torch_running import (
    chosen_device,
    device_note,
    exact_inference,
    need_torch,
)
from eyeprint.models.weights_digests import weights_sha256
from eyeprint.records.pictures import Picture

SHIFT = (-0.030, -0.088, -0.188)
SCALE = (0.458, 0.448, 0.450)
_TINY = 1e-10
_RECIPE = 1

Features = tuple[Any, ...]
"""Per stage a tensor of shape (channels, places), unit over channels and times the root of
|w| / places, so that a distance is a plain sum of squares."""


class LpipsSettings(Settings):
    """How LPIPS is found and run. Only size and route change a distance."""

    trunk: str = ""
    """File, folder or hub id of VGG-16; empty searches."""
    heads: str = ""
    """File or folder of the linear heads; empty searches."""
    size: int = Field(default=256, ge=16)
    """Side of the square that pictures are resized to."""
    through_reference: bool = True
    """Resize an output to its reference's size first, as the released evaluator does; without
    it each picture has one set of features, whatever it is compared with."""
    device: str = "auto"
    """``auto`` (a CUDA device when there is one), ``cpu``, ``cuda`` ..."""
    batch: int | None = Field(default=None, ge=1)
    """Pictures that go through the trunk at once; ``None`` takes 1 on a processor, where more
    fall out of its caches and take a quarter longer, and 8 on a graphics card."""
    remember: int = Field(default=32, ge=2)
    """Pictures whose features are kept: 32 MB each at 256 × 256."""
    download: bool = True
    """Whether the hub may be asked for the trunk."""


class Seen(NamedTuple):
    """What one set of features belongs to."""

    sha256: str
    gray: bool
    through: tuple[int, int] | None


class LpipsDistance:
    """The picture distance ``lpips``.

    The files are found when it is made, and read with the first picture.

    Raises:
        MissingExtra: torch is not installed.
        ModelUnavailable: a file is nowhere.
    """

    name = "lpips"
    column = "LPIPS"

    def __init__(self, settings: LpipsSettings | None = None) -> None:
        need_torch("the picture distance 'lpips'", "safetensors")
        self.settings = settings or LpipsSettings()
        self.files = find_lpips_files(
            self.settings.trunk, self.settings.heads, self.settings.download
        )
        self.computed = 0
        """Pictures that went through the trunk so far."""
        self._network: _Network | None = None
        self._kept: OrderedDict[Seen, Features] = OrderedDict()
        self._lock = threading.RLock()

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.settings,)

    def __repr__(self) -> str:
        return f"LpipsDistance({self.files.source})"

    @property
    def note(self) -> str:
        """Where the model runs, in words; imports torch."""
        return device_note(self.name, chosen_device(self.settings.device))

    @property
    def fingerprint(self) -> str:
        """SHA-256 over both files, the square's size, the framing and the route."""
        return fingerprint_of(
            {
                "distance": "lpips-vgg 0.1",
                "recipe": _RECIPE,
                "trunk": weights_sha256(self.files.trunk),
                "heads": weights_sha256(self.files.heads),
                "size": self.settings.size,
                "framing": SQUARING,
                "through_reference": self.settings.through_reference,
            }
        )

    def features(self, pictures: Sequence[Picture], gray: bool = False) -> list[Features]:
        """Return the features of pictures at their own size; each distinct one computed once.

        They stay on the model's device: at 256 × 256, 32 MB for each distinct picture.
        """
        wanted = {Seen(each.sha256, gray, None): each for each in pictures}
        with self._lock, exact_inference():
            # Held here too: the list may be longer than what is remembered.
            found = {}
            for part in _parts(list(wanted), self._batch()):
                self._ensure({key: wanted[key] for key in part})
                found.update({key: self._kept[key] for key in part})
        return [found[Seen(each.sha256, gray, None)] for each in pictures]

    def distances(
        self, references: Sequence[Picture], outputs: Sequence[Picture], gray: bool = False
    ) -> NDArray[np.float64]:
        """Return d(references[i], outputs[i]) for every i, shape (n,).

        References used by several pairs are computed once while they are remembered: put
        the pairs of one case, and the cases of one person, side by side.

        Raises:
            ValueError: there are not as many outputs as references.
        """
        pairs = list(zip(references, outputs, strict=True))
        keys = [
            (Seen(a.sha256, gray, None), Seen(b.sha256, gray, self._through(a, b)))
            for a, b in pairs
        ]
        found = np.zeros(len(pairs))
        with self._lock, exact_inference() as torch:
            for start, stop in self._stretches(keys):
                wanted = {}
                for (left, right), (a, b) in zip(keys[start:stop], pairs[start:stop], strict=True):
                    wanted[left], wanted[right] = a, b
                self._ensure(wanted)
                rows = [
                    self._loaded().distance(self._kept[left], self._kept[right])
                    for left, right in keys[start:stop]
                ]
                found[start:stop] = torch.stack(rows).double().cpu().numpy()
        return found

    def _batch(self) -> int:
        if self.settings.batch is not None:
            return self.settings.batch
        return 8 if chosen_device(self.settings.device).startswith("cuda") else 1

    def _through(self, reference: Picture, output: Picture) -> tuple[int, int] | None:
        size = (reference.width, reference.height)
        direct = not self.settings.through_reference or size == (output.width, output.height)
        return None if direct else size

    def _stretches(self, keys: Sequence[tuple[Seen, Seen]]) -> Iterator[tuple[int, int]]:
        """Yield stretches of pairs that need no more features than are remembered."""
        start, held = 0, set[Seen]()
        for place, pair in enumerate(keys):
            if len(held | set(pair)) > self.settings.remember:
                yield start, place
                start, held = place, set()
            held |= set(pair)
        if keys:
            yield start, len(keys)

    def _ensure(self, wanted: dict[Seen, Picture]) -> None:
        """Compute what is not kept, and let go of what was used longest ago."""
        for key in wanted:
            if key in self._kept:
                self._kept.move_to_end(key)
        missing = [key for key in wanted if key not in self._kept]
        for part in _parts(missing, self._batch()):
            while self._kept and len(self._kept) + len(part) > self.settings.remember:
                oldest = next(iter(self._kept))
                if oldest in wanted:
                    break
                del self._kept[oldest]
            size = self.settings.size
            frames = [squared(pillow(wanted[key], key.gray), size, key.through) for key in part]
            # (2x - 1 - shift) / scale, x in [0, 1], in one step.
            mean = tuple((1 + shift) / 2 for shift in SHIFT)
            std = tuple(scale / 2 for scale in SCALE)
            made = self._loaded().features(normalised(frames, mean, std))
            self._kept.update(zip(part, made, strict=True))
            self.computed += len(part)

    def _loaded(self) -> _Network:
        if self._network is None:
            self._network = _Network(self.files, chosen_device(self.settings.device))
        return self._network


class _Network:
    """The trunk and the heads on a device."""

    def __init__(self, files: LpipsFiles, device: str) -> None:
        import torch

        weights = read_lpips_weights(files)
        self._device = device
        # On processors convolutions are a quarter faster with the channels innermost.
        cuda = device.startswith("cuda")
        self._order = torch.contiguous_format if cuda else torch.channels_last
        self._stages = [
            [
                (weight.to(device, memory_format=self._order), bias.to(device))
                for weight, bias in stage
            ]
            for stage in weights.convolutions
        ]
        self._heads = [head.to(device) for head in weights.heads]
        # Published heads are not negative; heads of one's own may be.
        self._signs = [head.sign() if bool((head < 0).any()) else None for head in self._heads]

    def features(self, batch: NDArray[np.float32]) -> list[Features]:
        import torch
        from torch.nn import functional

        values = torch.from_numpy(batch).to(self._device, memory_format=self._order)
        stages = []
        for place, layers in enumerate(self._stages):
            if place:
                values = functional.max_pool2d(values, 2)
            for weight, bias in layers:
                values = functional.conv2d(values, weight, bias, padding=1).relu_()
            unit = values / (values.square().sum(dim=1, keepdim=True).sqrt() + _TINY)
            scale = (self._heads[place].abs() / (values.shape[2] * values.shape[3])).sqrt()
            stages.append(unit.mul_(scale[:, None, None]).flatten(2))
        if len(batch) == 1:
            return [tuple(stage[0] for stage in stages)]
        # Copies: a view of one picture would keep the whole batch alive.
        return [tuple(stage[i].clone() for stage in stages) for i in range(len(batch))]

    def distance(self, left: Features, right: Features) -> Any:
        total: Any = 0
        for a, b, sign in zip(left, right, self._signs, strict=True):
            squares = (a - b).square_()
            total = total + (squares.sum() if sign is None else (sign @ squares).sum())
        return total


def _parts(keys: Sequence[Seen], size: int) -> Iterator[Sequence[Seen]]:
    for start in range(0, len(keys), size):
        yield keys[start : start + size]


def load_image_distance(name: str = "lpips", device: str = "auto") -> LpipsDistance:
    """Return the picture distance of that name: ``lpips``, or ``lpips:FOLDER`` with its files.

    The folder holds one of the trunk's and one of the heads' names of
    :mod:`eyeprint.models.lpips_weights`.

    Raises:
        UnknownName: no distance has that name.
        MissingExtra: it needs torch.
        ModelUnavailable: its weights are not there.
    """
    kind, _, place = name.partition(":")
    if kind != "lpips" or (not place and kind != name):
        raise UnknownName("picture distance", name, ["lpips", "lpips:FOLDER"])
    return LpipsDistance(LpipsSettings(trunk=place, heads=place, device=device))
