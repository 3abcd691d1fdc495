"""Encoders of the transformers library: found by name, loaded with the first picture, fed in
batches."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from eyeprint.config import Settings
from eyeprint.errors import ModelUnavailable
from eyeprint.models.image_weights import ModelFiles, find_model_files, read_config
from eyeprint.models.kinds import Vectors
from eyeprint.models.picture_tensors import centre_crop, normalised, pillow
from eyeprint.models.torch_running import (
    chosen_device,
    device_note,
    exact_inference,
    need_torch,
    quiet_transformers,
)
from eyeprint.models.weights_digests import weights_sha256
from eyeprint.records.pictures import Picture


class ImageEncoderSettings(Settings):
    """How CLIP and DINOv2 are found and run; none of it changes a vector beyond rounding."""

    device: str = "auto"
    """``auto`` (a CUDA device when there is one), ``cpu``, ``cuda``, ``cuda:1`` ..."""
    batch: int = Field(default=16, ge=1)
    """Pictures, or texts, that go through the model at once."""
    download: bool = True
    """Whether the hub may be asked when the weights are nowhere on this machine."""


class PlacedEncoder(ABC):
    """What CLIP and DINOv2 share: a name, files at a place, and a model held for them.

    Args:
        place: folder or hub id of a model saved by transformers; empty takes ``HUB``.
        settings: device, batch size, and whether the hub may be asked.

    Raises:
        MissingExtra: torch or transformers is not installed.
        ModelUnavailable: the files are not there, or are of another kind of model.
    """

    KIND: ClassVar[str]
    """What names of such encoders begin with."""
    HUB: ClassVar[str]
    MODEL_TYPE: ClassVar[str]
    """What the configuration must say."""
    FILES: ClassVar[tuple[str, ...]] = ("config.json",)
    """What must be there beside the weights."""
    NOT_THIS: ClassVar[str] = ""
    """A hint for models of another type."""

    def __init__(self, place: str, settings: ImageEncoderSettings | None) -> None:
        self.name = f"{self.KIND}:{place}" if place else self.KIND
        need_torch(f"the image encoder '{self.name}'", "transformers")
        self.settings = settings or ImageEncoderSettings()
        self._place = place
        self.files = find_model_files(
            place or self.HUB, self.FILES, download=self.settings.download
        )
        self.config = read_config(self.files.folder / "config.json")
        if self.config.get("model_type") != self.MODEL_TYPE:
            raise ModelUnavailable(
                f"{self.files.folder}: holds a model of type {self.config.get('model_type')!r}, "
                f"not {self.MODEL_TYPE}.{self.NOT_THIS}"
            )
        self._held = HeldModel(self.name, self.files, self.made, self.settings)

    @staticmethod
    @abstractmethod
    def made(library: Any, **about: Any) -> Any:
        """Return the module from the transformers library: see ``make`` of :class:`HeldModel`."""

    def __reduce__(self) -> tuple[Any, ...]:
        # Sent to a worker process, it loads the weights there.
        return type(self), (self._place, self.settings)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.files.source})"

    @property
    def note(self) -> str:
        """Where the model runs, in words."""
        return self._held.note

    def digests(self) -> dict[str, str]:
        """Return the SHA-256 of the weights and of each file beside them, by its bare name."""
        beside = {Path(name).stem: weights_sha256(self.files.folder / name) for name in self.FILES}
        return {"weights": weights_sha256(self.files.weights), **beside}


class HeldModel:
    """One model in evaluation mode, float32, on one device.

    Args:
        what: the encoder's name, for messages.
        files: where the model is.
        make: builds the module from the transformers library and a keyword dict for its
            ``from_pretrained``: ``lambda library, **kw: library.CLIPModel.from_pretrained(**kw)``.
        settings: device and batch size.
    """

    def __init__(
        self,
        what: str,
        files: ModelFiles,
        make: Callable[..., Any],
        settings: ImageEncoderSettings,
    ) -> None:
        self.what, self.files, self.settings = what, files, settings
        self._make = make
        self._model: Any = None
        self._lock = threading.Lock()

    @property
    def note(self) -> str:
        """Where the model runs, in words; imports torch."""
        return device_note(self.what, chosen_device(self.settings.device))

    def module(self) -> Any:
        """Return the loaded module; read once, whoever asks.

        Raises:
            ModelUnavailable: the weights are damaged, or are not all there.
        """
        with self._lock:
            if self._model is None:
                self._model = self._loaded()
            return self._model

    def vectors(
        self,
        pictures: Sequence[Picture],
        size: int,
        scale: tuple[tuple[float, ...], tuple[float, ...]],
        forward: Callable[[Any, Any], Any],
    ) -> Vectors:
        """Return unit rows of pictures that are framed to (size, size).

        Args:
            pictures: framed batch by batch, so that memory stays flat.
            size: side of the square that the model reads.
            scale: channel means and deviations.
            forward: from (module, batch of shape (n, 3, size, size)) to shape (n, dim).
        """

        def batches() -> Iterator[NDArray[np.float32]]:
            for start in range(0, len(pictures), self.settings.batch):
                part = pictures[start : start + self.settings.batch]
                yield normalised([centre_crop(pillow(each), size) for each in part], *scale)

        return self.unit_rows(batches(), forward)

    def unit_rows(
        self, batches: Iterator[NDArray[Any]], forward: Callable[[Any, Any], Any]
    ) -> Vectors:
        """Return ``forward`` of every batch, rows of length 1, shape (n, dim), float32."""
        module = self.module()
        device = chosen_device(self.settings.device)
        rows = []
        with exact_inference() as torch:
            for batch in batches:
                found = forward(module, torch.from_numpy(batch).to(device)).float()
                found = found / found.norm(dim=-1, keepdim=True)
                rows.append(found.cpu().numpy())
        return np.concatenate(rows)

    def _loaded(self) -> Any:
        import torch
        import transformers
        from safetensors import SafetensorError

        with quiet_transformers():
            try:
                model, told = self._make(
                    transformers,
                    pretrained_model_name_or_path=str(self.files.folder),
                    local_files_only=True,
                    output_loading_info=True,
                    dtype=torch.float32,
                )
            # A damaged file shows as any of these, by its format and by what is damaged.
            except (OSError, ValueError, RuntimeError, KeyError, SafetensorError) as error:
                raise ModelUnavailable(
                    f"{self.files.weights}: the weights of {self.what} cannot be loaded "
                    f"({str(error).splitlines()[0] if str(error) else type(error).__name__})."
                ) from error
        missing = sorted(told["missing_keys"])
        if missing:
            raise ModelUnavailable(
                f"{self.files.weights}: lacks {len(missing)} weights of {self.what}, the first is "
                f"{missing[0]}. Is the file whole, and of this model?"
            )
        return model.eval().to(chosen_device(self.settings.device))
