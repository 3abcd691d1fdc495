"""Image encoders by name: one lazy table, and third-party encoders by entry point (X3).

=============================== ========= ==================================================
name                            columns   what it is
=============================== ========= ==================================================
``palette``                     PAL       colours, edges and layout; needs no weights
``clip``                        CLS       CLIP ViT-B/32 of OpenAI; reads texts too
``clip:PLACE``                  CLS       another CLIP: a folder, or OWNER/NAME@REVISION
``dino``                        DIS       DINOv2 ViT-S/14
``dino:PLACE``                  DIS       another DINOv2
NAME or NAME/...                its own   an entry point of the group ``eyeprint.models``: a
                                          callable from the whole name to an ImageEncoder
=============================== ========= ==================================================

``clip`` and ``dino`` need the extra ``images``. Numbers of two encoders are never pooled:
results carry their fingerprints.
"""

from __future__ import annotations

from eyeprint.errors import UnknownName, UsageError
from eyeprint.models.kinds import ImageEncoder
from eyeprint.models.plugins import MODELS, model_of_plugin, plugins

NAMES = ("palette", "clip", "clip:PLACE", "dino", "dino:PLACE")


def image_encoder_names() -> list[str]:
    """Return the names, and patterns of names, that :func:`load_image_encoder` knows.

    >>> "clip" in image_encoder_names()
    True
    """
    return [*NAMES, *plugins(MODELS)]


def load_image_encoder(
    name: str, device: str = "auto", batch: int | None = None, download: bool = True
) -> ImageEncoder:
    """Return the image encoder of that name. Weights are read with the first picture.

    Args:
        name: see the module's table.
        device: ``auto`` takes a CUDA device when there is one; the encoder's ``note`` says
            which it is. Of no meaning to ``palette`` and plug-ins.
        batch: pictures at once; ``None`` leaves it to the encoder.
        download: whether the hub may be asked for weights that are not on this machine.

    Raises:
        UnknownName: no encoder has that name.
        MissingExtra: it needs torch.
        ModelUnavailable: its weights are not there.
        UsageError: a plug-in makes no image encoder.

    >>> load_image_encoder("palette").column
    'PAL'
    """
    kind, _, place = name.partition(":")
    if name == "palette":
        from eyeprint.models.palette import PaletteEncoder

        return PaletteEncoder()
    if kind in ("clip", "dino") and (place or kind == name):
        from eyeprint.models.held_model import ImageEncoderSettings

        values = {"device": device, "download": download}
        settings = ImageEncoderSettings.model_validate(
            values if batch is None else {**values, "batch": batch}
        )
        if kind == "clip":
            from eyeprint.models.clip_encoder import ClipEncoder

            return ClipEncoder(place, settings)
        from eyeprint.models.dino_encoder import DinoEncoder

        return DinoEncoder(place, settings)
    made = model_of_plugin(name)
    if made is None:
        raise UnknownName("image encoder", name, image_encoder_names())
    if not isinstance(made, ImageEncoder):
        raise UsageError(
            f"The plug-in for '{name}' makes no image encoder: it lacks encode_pictures()."
        )
    return made
