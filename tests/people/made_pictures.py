"""Pictures made for tests: smooth, detailed, and each unlike the others."""

import io
from pathlib import Path

import numpy as np
from PIL import Image

from eyeprint.models.pictures import open_picture, png_bytes
from eyeprint.records.pictures import Picture


def made_picture(seed: int, height: int = 96, width: int = 128) -> Picture:
    """Return coloured clouds with edges: the spectrum of photographs falls like theirs."""
    draw = np.random.default_rng(seed)
    frequency = np.hypot(np.fft.fftfreq(height)[:, None], np.fft.fftfreq(width)[None, :])
    layers = []
    for _ in range(3):
        noise = np.fft.fft2(draw.normal(size=(height, width))) / np.maximum(frequency, 0.01)
        layer = np.fft.ifft2(noise).real
        layers.append((layer - layer.mean()) / layer.std())
    base = layers[0]
    pixels = np.stack([128 + 45 * base + 20 * layer for layer in layers], axis=-1)
    return Picture.of(pixels.clip(0, 255).astype(np.uint8))


def image_of(picture: Picture) -> Image.Image:
    return Image.fromarray(picture.pixels)


def saved_again(image: Image.Image, quality: int = 60) -> bytes:
    """Return the bytes of a lossy copy."""
    out = io.BytesIO()
    image.convert("RGB").save(out, "JPEG", quality=quality)
    return out.getvalue()


def write_picture(path: Path, picture: Picture | Image.Image | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(picture, Image.Image):
        picture = open_picture(picture)
    path.write_bytes(picture if isinstance(picture, bytes) else png_bytes(picture))
    return path
