"""The two files of LPIPS-VGG: the trunk's convolutions and the linear heads.

The trunk is VGG-16 trained on ImageNet. Looked for in torch's cache of downloaded models
(``vgg16-397923af.pth``), then on the hub as ``timm/vgg16.tv_in1k``, which holds the same
weights. The heads are the 7 KB of the lpips package, version 0.1; looked for in the
installed packages ``lpips`` and ``torchmetrics``, neither of which is imported.

Names that are understood, of ``.safetensors`` files and of ``.pth`` files, which are read
without running any code of theirs: ``features.N.weight`` (torchvision, timm),
``net.sliceK.N.weight`` (a whole LPIPS model), ``N.weight``; heads
``linK.model.1.weight`` and ``lins.K.model.1.weight``. Other names are passed over.
"""

from __future__ import annotations

import os
import re
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple

from eyeprint.errors import ModelUnavailable
from eyeprint.models.image_weights import find_model_files

CONVOLUTIONS = ((0, 2), (5, 7), (10, 12, 14), (17, 19, 21), (24, 26, 28))
"""Places of the convolutions in torchvision's VGG-16, stage by stage; a stage ends with the
features that are compared (relu1_2, relu2_2, relu3_3, relu4_3, relu5_3)."""

TRUNK_HUB = "timm/vgg16.tv_in1k"
TRUNK_FILES = ("vgg16.safetensors", "model.safetensors", "vgg16.pth", "vgg16-397923af.pth")
HEADS_FILES = ("lpips_vgg.safetensors", "heads.safetensors", "lpips_vgg.pth", "vgg.pth")
"""Names by which the two files are found in a folder, the preferred ones first."""

_TRUNK = re.compile(r"(?:(?:model|net|vgg|module)\.)*(?:features\.|slice\d\.)?(\d+)\.(weight|bias)")
_HEAD = re.compile(r"(?:module\.)?lins?\.?(\d)\.model\.\d\.weight")


class LpipsFiles(NamedTuple):
    """Where the two files are, and in words where they came from."""

    trunk: Path
    heads: Path
    source: str


class LpipsWeights(NamedTuple):
    """Tensors of the trunk and the heads, float32, on the processor."""

    convolutions: tuple[tuple[tuple[Any, Any], ...], ...]
    """Stage by stage, (weight of shape (out, in, 3, 3), bias of shape (out,))."""
    heads: tuple[Any, ...]
    """Per stage the weights of its channels, shape (channels,)."""


def find_lpips_files(trunk: str = "", heads: str = "", download: bool = True) -> LpipsFiles:
    """Return the files' places.

    Args:
        trunk: a file, a folder with one of :data:`TRUNK_FILES`, or a hub id; empty searches.
        heads: a file or a folder with one of :data:`HEADS_FILES`; empty searches, the
            trunk's folder first when that was named.
        download: whether the hub may be asked for the trunk.

    Raises:
        ModelUnavailable: one is nowhere; says where it looked and what to do.
    """
    found_trunk, source = _trunk(trunk, download)
    return LpipsFiles(found_trunk, _heads(heads, found_trunk.parent if trunk else None), source)


def read_lpips_weights(files: LpipsFiles) -> LpipsWeights:
    """Read both files, and check that the shapes make one network; needs torch.

    Raises:
        ModelUnavailable: a file is damaged, lacks a tensor, or has one of another shape.
    """
    tensors = {}
    for name, value in read_tensors(files.trunk, _TRUNK).items():
        match = _TRUNK.fullmatch(name)
        if match is not None:
            tensors[int(match[1]), match[2]] = value.float()
    stages, width = [], 3
    for stage in CONVOLUTIONS:
        layers = []
        for place in stage:
            weight, bias = tensors.get((place, "weight")), tensors.get((place, "bias"))
            if weight is None or bias is None:
                raise ModelUnavailable(
                    f"{files.trunk}: lacks features.{place}.weight or its bias, so it is no VGG-16."
                )
            if tuple(weight.shape[1:]) != (width, 3, 3) or bias.shape != weight.shape[:1]:
                raise ModelUnavailable(
                    f"{files.trunk}: features.{place}.weight has the shape {tuple(weight.shape)}; "
                    f"({len(bias)}, {width}, 3, 3) would fit."
                )
            layers.append((weight, bias))
            width = len(bias)
        stages.append(tuple(layers))
    found = {}
    for name, value in read_tensors(files.heads, _HEAD).items():
        match = _HEAD.fullmatch(name)
        if match is not None:
            found[int(match[1])] = value.float().reshape(-1)
    for place, whole in enumerate(stages):
        head, channels = found.get(place), len(whole[-1][1])
        if head is None or len(head) != channels:
            has = "none" if head is None else f"{len(head)} weights"
            raise ModelUnavailable(
                f"{files.heads}: the head lin{place} needs {channels} weights, and has {has}."
            )
    return LpipsWeights(tuple(stages), tuple(found[i] for i in range(len(stages))))


def read_tensors(path: Path, wanted: re.Pattern[str]) -> dict[str, Any]:
    """Return the tensors of a file whose names match, others unread where the format allows.

    Raises:
        ModelUnavailable: the file cannot be read.
    """
    import pickle

    import torch
    from safetensors import SafetensorError, safe_open

    try:
        if path.suffix == ".safetensors":
            with safe_open(str(path), framework="pt") as file:
                return {n: file.get_tensor(n) for n in file.keys() if wanted.fullmatch(n)}  # noqa: SIM118
        held = torch.load(path, map_location="cpu", weights_only=True)
        held = held.get("state_dict", held)
        return {name: value for name, value in held.items() if wanted.fullmatch(name)}
    except (
        OSError, ValueError, RuntimeError, EOFError, AttributeError,
        pickle.UnpicklingError, SafetensorError,
    ) as error:  # fmt: skip
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise ModelUnavailable(f"{path}: cannot be read as weights ({reason}).") from error


def _trunk(named: str, download: bool) -> tuple[Path, str]:
    if named:
        path = Path(named).expanduser()
        if path.is_file():
            return path, f"file {path}"
        if path.is_dir():
            return _of_folder(path, TRUNK_FILES, "the trunk of LPIPS"), f"folder {path}"
        files = find_model_files(named, (), download=download)
        return files.weights, files.source
    home = Path(os.environ.get("TORCH_HOME") or Path.home() / ".cache" / "torch").expanduser()
    cached = home / "hub" / "checkpoints" / "vgg16-397923af.pth"
    if cached.is_file():
        return cached, "torch's cache"
    try:
        files = find_model_files(TRUNK_HUB, (), download=download)
    except ModelUnavailable as error:
        raise ModelUnavailable(
            f"The trunk of LPIPS (VGG-16) was not found. {error} Looked at {cached} too."
        ) from error
    return files.weights, files.source


def _heads(named: str, beside: Path | None) -> Path:
    if named:
        path = Path(named).expanduser()
        if path.is_file():
            return path
        return _of_folder(path, HEADS_FILES, "the linear heads of LPIPS")
    if beside is not None:
        there = [beside / name for name in HEADS_FILES if (beside / name).is_file()]
        if there:
            return there[0]
    for package, part in (
        ("lpips", "weights/v0.1/vgg.pth"),
        ("torchmetrics", "lpips_models/vgg.pth"),
    ):
        try:
            listed = metadata.distribution(package).files or []
        except metadata.PackageNotFoundError:
            continue
        for entry in listed:
            if entry.as_posix().endswith(part):
                return Path(str(entry.locate()))
    raise ModelUnavailable(
        "The linear heads of LPIPS were not found: neither lpips nor torchmetrics is installed, "
        "and no file was named. Get the 7 KB with: pip install --no-deps lpips"
    )


def _of_folder(folder: Path, names: tuple[str, ...], what: str) -> Path:
    there = [folder / name for name in names if (folder / name).is_file()]
    if not there:
        raise ModelUnavailable(f"{folder}: lacks {what}; one of {', '.join(names)} is looked for.")
    return there[0]
