"""From any mode of an image to 8-bit RGB, with a note of each step that changes pixels.

Rules that files do not settle are here and nowhere else:

- 16-bit gray is v / 257, rounded: 0..65535 becomes 0..255 and white stays white.
- 32-bit whole numbers are taken as 8-bit when all lie in 0..255, as 16-bit when all lie in
  0..65535, and are else stretched from their least to their greatest value.
- Fractions in 0..1 are multiplied by 255, in 0..255 rounded, else stretched; what is not
  finite becomes black.
- Transparency is laid on the background, in the colours after their profile was applied.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from eyeprint.errors import shown

if TYPE_CHECKING:
    from PIL import Image


def to_rgb(
    image: Image.Image, deep: bool, background: tuple[int, int, int]
) -> tuple[Image.Image, list[str]]:
    """Return an image in mode RGB and what was done to get there, in order.

    Args:
        image: upright; any mode.
        deep: its file has 16 bits per channel; of colours the decoder kept the upper 8.
        background: what shows through transparent places, RGB.
    """
    from PIL import Image

    done: list[str] = []
    profile = image.info.get("icc_profile")
    alpha: Image.Image | None = None
    if image.mode in ("I", "F") or image.mode.startswith("I;16"):
        image, alpha, note = _deep_gray(image, deep)
        done.append(note)
    elif deep:
        done.append("16 bits per channel cut to 8")
    if image.mode in ("RGBa", "La"):
        image = _with_info(image.convert(image.mode.replace("a", "A")), image)
    if image.mode in ("RGBA", "LA", "PA") or (alpha is None and "transparency" in image.info):
        image = _whole_transparency(image, deep).convert("RGBA")
        alpha = image.getchannel("A")
        image = image.convert("RGB")
    elif image.mode in ("P", "RGBX"):
        if image.mode == "P":
            done.append("palette to RGB")
        image = image.convert("RGB")
    elif image.mode in ("1", "YCbCr", "HSV"):
        done.append(f"{'1-bit' if image.mode == '1' else image.mode} to RGB")
        image = image.convert("RGB")
    image, note = _to_srgb(image, profile)
    done += [note] if note else []
    if image.mode != "RGB":
        done.append(f"{'gray' if image.mode == 'L' else image.mode} to RGB")
        image = image.convert("RGB")
    if alpha is not None and alpha.getextrema() != (255, 255):
        under = Image.new("RGB", image.size, background)
        under.paste(image, mask=alpha)
        image = under
        done.append(f"alpha on {_colour_name(background)}")
    elif alpha is not None:
        done.append("alpha dropped (all opaque)")
    return image, done


def _colour_name(colour: tuple[int, int, int]) -> str:
    known = {(255, 255, 255): "white", (0, 0, 0): "black"}
    return known.get(colour, "#{:02x}{:02x}{:02x}".format(*colour))


def _with_info(image: Image.Image, source: Image.Image) -> Image.Image:
    image.info = source.info
    return image


def _whole_transparency(image: Image.Image, deep: bool) -> Image.Image:
    """Fit the transparent colour of a 16-bit file to the 8 bits that the decoder kept."""
    key = image.info.get("transparency")
    if deep and isinstance(key, tuple):
        image.info = {**image.info, "transparency": tuple(part >> 8 for part in key)}
    return image


def _deep_gray(image: Image.Image, sixteen: bool) -> tuple[Image.Image, Image.Image | None, str]:
    """Return 8-bit gray, an alpha channel where one value means transparent, and a note."""
    from PIL import Image

    values: NDArray[Any] = np.asarray(image)
    key = image.info.get("transparency")
    alpha = None
    if isinstance(key, int):
        alpha = Image.fromarray(np.where(values == key, 0, 255).astype(np.uint8))
    levels, note = eight_bits(values, sixteen or image.mode.startswith("I;16"))
    return _with_info(Image.fromarray(levels), image), alpha, note


def eight_bits(values: NDArray[Any], sixteen: bool = False) -> tuple[NDArray[np.uint8], str]:
    """Return numbers as 0..255 by the rules of this module, and which rule it was.

    Args:
        values: whole numbers or fractions, any shape.
        sixteen: they are known to lie in 0..65535.

    >>> eight_bits(np.array([0, 257, 65535]), sixteen=True)[0].tolist()
    [0, 1, 255]
    >>> eight_bits(np.array([0.0, 0.5, 1.0]))[0].tolist()
    [0, 128, 255]
    """
    if sixteen:
        wide = values.astype(np.uint32)
        return ((wide + 128) // 257).astype(np.uint8), "16 bits to 8 (v / 257)"
    fractions = values.dtype.kind == "f"
    numbers = values.astype(np.float64)
    finite = np.isfinite(numbers)
    kept = numbers[finite]
    low, high = (float(kept.min()), float(kept.max())) if kept.size else (0.0, 0.0)
    if fractions and low >= 0 and high <= 1:
        scaled, note = numbers * 255, "fractions to 8 bits (v x 255)"
    elif low >= 0 and high <= 255:
        scaled, note = numbers, "values in 0..255 taken as 8 bits"
    elif not fractions and low >= 0 and high <= 65535:
        scaled, note = numbers / 257, "16 bits to 8 (v / 257)"
    else:
        scaled = (numbers - low) * (255 / (high - low)) if high > low else numbers * 0
        note = f"stretched to 8 bits from {low:g}..{high:g}"
    if not finite.all():
        note += f", {int((~finite).sum())} values not finite to black"
    scaled = np.where(finite, scaled, 0)
    return np.floor(np.clip(scaled, 0, 255) + 0.5).astype(np.uint8), note


def _to_srgb(image: Image.Image, profile: object) -> tuple[Image.Image, str]:
    """Apply a colour profile, where there is one, it is not sRGB's, and it fits the mode."""
    from PIL import ImageCms

    if image.mode not in ("RGB", "L", "CMYK", "LAB"):
        return image, ""
    if not isinstance(profile, bytes) or not profile:
        if image.mode != "LAB":
            return image, ""
        profile = b""
    try:
        target = ImageCms.createProfile("sRGB")
        if profile:
            source = ImageCms.ImageCmsProfile(io.BytesIO(profile))
            name = shown(" ".join(ImageCms.getProfileDescription(source).split()))
            if "srgb" in name.lower() and image.mode == "RGB":
                return image, ""
        else:
            source, name = ImageCms.ImageCmsProfile(ImageCms.createProfile("LAB")), "LAB"
        turned = ImageCms.profileToProfile(image, source, target, outputMode="RGB")
    except (ImageCms.PyCMSError, OSError, ValueError, TypeError, ImportError) as error:
        return image, f"colour profile not applied ({shown(' '.join(str(error).split()))})"
    if turned is None:
        return image, "colour profile not applied (nothing came back)"
    return turned, f"colour profile applied ({name or 'unnamed'}) to sRGB"
