"""Picture files that cameras, programs and accidents make, written by hand or by the library."""

from __future__ import annotations

import io
import struct
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageCms

# 4 x 3 pixels, no two alike, so that every turn and flip of it differs from every other.
SCENE: NDArray[np.uint8] = np.arange(36, dtype=np.uint8).reshape(3, 4, 3) * 7


def saved(image: Image.Image, format: str, **options: Any) -> bytes:
    """Return a file of an image."""
    out = io.BytesIO()
    image.save(out, format=format, **options)
    return out.getvalue()


def scene_file(format: str, **options: Any) -> bytes:
    """Return a file of the scene, without loss where the format can do that."""
    if format in ("WEBP", "AVIF"):
        options = {"lossless": True, **options} if format == "WEBP" else {"quality": 100, **options}
    return saved(Image.fromarray(SCENE), format, **options)


def png(width: int, height: int, depth: int, colour: int, rows: bytes, *more: bytes) -> bytes:
    """Return a PNG made of its header's numbers, raw rows (with filter bytes) and more chunks."""
    header = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, 0)
    chunks = [chunk(b"IHDR", header), *more, chunk(b"IDAT", zlib.compress(rows))]
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks) + chunk(b"IEND", b"")


def chunk(name: bytes, data: bytes) -> bytes:
    """Return a PNG chunk."""
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def with_orientation(format: str, orientation: Any) -> bytes:
    """Return the scene's pixels in a file whose EXIF says how to turn them."""
    exif = Image.Exif()
    exif[0x0112] = orientation
    return scene_file(format, exif=exif)


def upright(stored: NDArray[np.uint8], orientation: int) -> NDArray[np.uint8]:
    """Return what EXIF's definition of an orientation makes of stored pixels.

    The definition says which sides the stored first row and first column are: 6 = right
    and top, so the first row becomes the right side.
    """
    across = stored.transpose(1, 0, 2)
    return {
        1: stored,
        2: stored[:, ::-1],
        3: stored[::-1, ::-1],
        4: stored[::-1],
        5: across,
        6: across[:, ::-1],
        7: across[::-1, ::-1],
        8: across[::-1],
    }[orientation]


def without_adobe_marker(jpeg: bytes) -> bytes:
    """Return a JPEG without its APP14 segment, which says whose CMYK it is."""
    at = jpeg.index(b"\xff\xee")
    length = struct.unpack(">H", jpeg[at + 2 : at + 4])[0]
    return jpeg[:at] + jpeg[at + 2 + length :]


def swapped_profile() -> bytes:
    """Return an ICC profile in which red and blue are exchanged: no converter can miss it.

    It is the library's sRGB profile with the tags rXYZ and bXYZ renamed to each other.
    """
    made = bytearray(ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes())
    count = struct.unpack(">I", made[128:132])[0]
    for at in range(132, 132 + 12 * count, 12):
        name = bytes(made[at : at + 4])
        made[at : at + 4] = {b"rXYZ": b"bXYZ", b"bXYZ": b"rXYZ"}.get(name, name)
    text = bytes(made)
    # Its description says sRGB, in UTF-16; a profile of that name would be taken for it.
    return text.replace("sRGB".encode("utf-16-be"), "odd!".encode("utf-16-be")).replace(
        b"sRGB", b"odd!"
    )


def bombs() -> dict[str, bytes]:
    """Return small files whose headers announce at least 268 million pixels."""
    side = 40000
    gif = bytearray(saved(Image.new("P", (1, 1)), "GIF"))
    gif[6:10] = struct.pack("<HH", side, side)
    at = gif.index(b"\x2c") + 5
    gif[at : at + 4] = struct.pack("<HH", side, side)
    bmp = bytearray(saved(Image.new("RGB", (1, 1)), "BMP"))
    bmp[18:26] = struct.pack("<ii", side, side)
    jpeg = bytearray(scene_file("JPEG"))
    at = jpeg.index(b"\xff\xc0") + 5
    jpeg[at : at + 4] = struct.pack(">HH", side, side)
    webp = bytearray(saved(Image.fromarray(SCENE), "WEBP", lossless=True))
    at = webp.index(b"VP8L") + 9
    webp[at : at + 4] = struct.pack("<I", (16383) | (16383 << 14))
    tiff = bytearray(saved(Image.new("L", (1, 1)), "TIFF"))
    first = struct.unpack("<I", tiff[4:8])[0]
    for at in range(first + 2, len(tiff) - 11, 12):
        if struct.unpack("<H", tiff[at : at + 2])[0] in (256, 257):
            tiff[at + 2 : at + 12] = struct.pack("<HII", 4, 1, side)
    return {
        "PNG": png(side, side, 8, 0, b"\x00" * 1000),
        "GIF": bytes(gif),
        "BMP": bytes(bmp),
        "JPEG": bytes(jpeg),
        "WEBP": bytes(webp),
        "TIFF": bytes(tiff),
        "PPM": b"P5 40000 40000 255\n" + b"\x00" * 100,
    }
