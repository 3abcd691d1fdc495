"""DINOv2, pictures only: the columns DIS (CHECKLIST P47, X3).

A picture's vector is the class token after the last layer norm, which is what the model of
the torch hub returns. That model also stretches its position table (37 × 37) to the picture
(16 × 16) by the factor (16 + 0.1) / 37 rather than 16 / 37; transformers does not. Cosines
move by it, so the table is stretched here, once, the released way.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from eyeprint.config import fingerprint_of
from eyeprint.errors import ModelUnavailable
from eyeprint.models.held_model import ImageEncoderSettings, PlacedEncoder
from eyeprint.models.kinds import Vectors
from eyeprint.models.picture_tensors import FRAMING, IMAGENET_MEAN, IMAGENET_STD
from eyeprint.records.pictures import Picture

HUB = "facebook/dinov2-small"
SIZE = 224
"""Side of the picture that the released evaluator feeds, whatever the model was trained on."""
OFFSET = 0.1
"""What the released model adds to the target side when it stretches positions."""
_RECIPE = 1


class DinoEncoder(PlacedEncoder):
    """The image encoder ``dino`` (``dino:PLACE`` for another folder or hub id).

    The files are found when it is made, and loaded with the first picture.

    Args:
        place: folder or hub id of a DINOv2 model saved by transformers; empty takes
            ViT-S/14 of Meta.
        settings: device, batch size, and whether the hub may be asked.

    Raises:
        MissingExtra: torch or transformers is not installed.
        ModelUnavailable: the files are not there, are of another kind of model, or its
            patches do not fit into 224 pixels.
    """

    KIND = "dino"
    HUB = HUB
    MODEL_TYPE = "dinov2"
    NOT_THIS = " Models with register tokens are another type."
    column = "DIS"

    def __init__(self, place: str = "", settings: ImageEncoderSettings | None = None) -> None:
        super().__init__(place, settings)
        patch = int(self.config.get("patch_size", 14))
        if SIZE % patch:
            raise ModelUnavailable(
                f"{self.files.folder}: patches of {patch} pixels do not fit into {SIZE}."
            )
        self.dim = int(self.config.get("hidden_size", 768))

    @staticmethod
    def made(library: Any, **about: Any) -> Any:
        """Return the module with its positions stretched, and what was said of loading it."""
        return _dino(library, **about)

    @property
    def fingerprint(self) -> str:
        """SHA-256 over weights, configuration, framing, its scale and the position rule."""
        return fingerprint_of(
            {
                "encoder": "dino",
                "recipe": _RECIPE,
                **self.digests(),
                "framing": FRAMING,
                "size": SIZE,
                "scale": [IMAGENET_MEAN, IMAGENET_STD],
                "position_offset": OFFSET,
            }
        )

    def encode_pictures(self, pictures: Sequence[Picture]) -> Vectors:
        """Return one unit row per picture, shape (n, dim)."""
        if not pictures:
            return np.zeros((0, self.dim), np.float32)
        return self._held.vectors(pictures, SIZE, (IMAGENET_MEAN, IMAGENET_STD), _rows)


def _rows(model: Any, batch: Any) -> Any:
    return model(pixel_values=batch).last_hidden_state[:, 0]


def _dino(library: Any, **about: Any) -> Any:
    import torch

    model, told = library.Dinov2Model.from_pretrained(**about)
    table = model.embeddings.position_embeddings
    side = SIZE // model.config.patch_size
    trained = round((table.shape[1] - 1) ** 0.5)
    if side != trained:
        # A table of the size of the input is used as it is, so this is the last stretching.
        grid = table[:, 1:].detach().float().reshape(1, trained, trained, -1).permute(0, 3, 1, 2)
        factor = (side + OFFSET) / trained
        grid = torch.nn.functional.interpolate(
            grid, scale_factor=(factor, factor), mode="bicubic", align_corners=False
        )
        rows = grid.permute(0, 2, 3, 1).reshape(1, side * side, -1)
        stretched = torch.cat([table[:, :1].detach().float(), rows], dim=1)
        model.embeddings.position_embeddings = torch.nn.Parameter(stretched, requires_grad=False)
    return model, told
