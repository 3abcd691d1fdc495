"""The one gate through which pixels enter, so that everybody sees the same ones.

A file, its bytes, an opened image or an array becomes a :class:`Picture`: the first
frame, upright, colours in sRGB, transparency on white, 8-bit RGB (CHECKLIST X3, X4;
DESIGN.md, "One image gate"). What the file was and what was done to it is in
``Picture.facts``. What cannot be read raises, with the file and the reason.
"""

from __future__ import annotations

import io
import re
import threading
from collections import OrderedDict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from eyeprint.config import Settings
from eyeprint.errors import UnreadablePicture
from eyeprint.models.kinds import ImagePart
from eyeprint.models.picture_decoding import check_size, decode, read_bytes, upright_in_memory
from eyeprint.models.picture_formats import ENDINGS, format_of
from eyeprint.models.picture_modes import eight_bits, to_rgb
from eyeprint.records.pictures import Picture, PictureFacts

if TYPE_CHECKING:
    from PIL import Image

__all__ = [
    "GateSettings",
    "UnreadablePicture",
    "gray",
    "image_part",
    "is_picture_file",
    "open_picture",
    "png_bytes",
    "resized",
]

_PNG_LEVEL = 3
_PARTS_KEPT_BYTES = 64 * 1024 * 1024
_NAME_ENDS = 60
_NO_LETTER = re.compile("[\ud800-\udfff]")


class GateSettings(Settings):
    """What the gate lets in, and what it lays transparent pictures on.

    >>> GateSettings().background
    (255, 255, 255)
    """

    max_pixels: int = Field(default=100_000_000, ge=1)
    """Most pixels that a file's header may announce; more is refused before decoding. 100
    million take 300 MB as RGB and about a gigabyte while they are decoded."""
    max_bytes: int = Field(default=500_000_000, ge=1)
    """Largest file that is read."""
    min_side: int = Field(default=1, ge=1)
    """Fewest pixels of a side."""
    background: tuple[int, int, int] = (255, 255, 255)
    """What shows through transparent places, RGB."""

    def model_post_init(self, context: Any, /) -> None:
        """Check the background's range."""
        if not all(0 <= part <= 255 for part in self.background):
            raise ValueError(f"background: three values in 0..255, not {self.background}")


def open_picture(
    source: str | Path | bytes | Image.Image | NDArray[Any],
    settings: GateSettings | None = None,
    name: str = "",
) -> Picture:
    """Return a picture of a file, its bytes, an opened image or an array.

    Args:
        source: a path; a file's bytes; an opened image of the imaging library (its current
            frame; the object is left as it is); or an array of shape (h, w), (h, w, 1),
            (h, w, 2), (h, w, 3) or (h, w, 4), which are gray, gray and alpha, RGB, RGBA, of
            dtype uint8, bool, uint16 or fractions in 0..1.
        settings: limits and background.
        name: what messages and ``facts.source`` call it; by default the path.

    Raises:
        UnreadablePicture: with the file and the reason.

    >>> import numpy as np
    >>> half = np.zeros((1, 2, 4), np.uint8); half[0, 0] = (255, 0, 0, 255)
    >>> picture = open_picture(half)
    >>> picture.pixels.tolist(), picture.facts.done
    ([[[255, 0, 0], [255, 255, 255]]], ('alpha on white',))
    """
    gate = settings or GateSettings()
    done: list[str] = []
    real, frames, deep, file_sha256 = "", 1, False, ""
    if isinstance(source, str | Path | bytes):
        if isinstance(source, bytes):
            told = _told(name) or f"a picture of {len(source):,} bytes"
            data = source
        else:
            told = _told(name or str(source))
            data = read_bytes(Path(source), told, gate.max_bytes)
        decoded = decode(data, told, gate.max_pixels, gate.min_side)
        image, real, frames, deep = decoded.image, decoded.format, decoded.frames, decoded.deep
        done += decoded.done
        file_sha256 = decoded.file_sha256
        name = name or ("" if isinstance(source, bytes) else str(source))
    elif isinstance(source, np.ndarray):
        image, notes = _of_array(source, _told(name) or "an array")
        check_size(_told(name) or "an array", image.size, gate.max_pixels, gate.min_side)
        done += notes
    else:
        told = _told(name) or "an image"
        check_size(told, source.size, gate.max_pixels, gate.min_side)
        image, notes = upright_in_memory(source, told)
        real = source.format or ""
        done += notes
    mode = image.mode
    image, notes = to_rgb(image, deep, gate.background)
    facts = PictureFacts(
        source=_clean(name),
        format=real,
        mode=mode,
        frames=frames,
        done=(*done, *notes),
        file_sha256=file_sha256,
    )
    return Picture.of(np.array(image), facts)


def _clean(name: str) -> str:
    """Return a path as text: names on disk need not be valid UTF-8."""
    return _NO_LETTER.sub("\ufffd", name)


def _told(name: str) -> str:
    """Return a name fit for a message: one line, and not endless; its end says most."""
    text = "".join(c if c.isprintable() else "\ufffd" for c in name)
    return text if len(text) <= 4 * _NAME_ENDS else f"{text[:_NAME_ENDS]}...{text[-_NAME_ENDS:]}"


def _of_array(values: NDArray[Any], name: str) -> tuple[Image.Image, list[str]]:
    from PIL import Image

    if values.ndim == 3 and values.shape[2] == 1:
        values = values[:, :, 0]
    channels = values.shape[2] if values.ndim == 3 else 1
    if values.ndim not in (2, 3) or channels not in (1, 2, 3, 4) or not values.size:
        hint = " (channels come last)" if values.ndim == 3 and values.shape[0] in (1, 3, 4) else ""
        raise UnreadablePicture(
            name, f"an array of shape {values.shape} is no picture: (h, w), (h, w, 3) ...{hint}."
        )
    notes: list[str] = []
    if values.dtype == np.bool_:
        values = values.astype(np.uint8) * 255
    elif values.dtype == np.uint16:
        values, note = eight_bits(values, sixteen=True)
        notes.append(note)
    elif values.dtype.kind == "f" and np.all((values >= 0) & (values <= 1)):
        values, note = eight_bits(values)
        notes.append(note)
    elif values.dtype != np.uint8:
        raise UnreadablePicture(
            name,
            f"an array of {values.dtype} with such values is no picture: give uint8, bool, "
            "uint16, or fractions in 0..1.",
        )
    return Image.fromarray(np.ascontiguousarray(values)), notes


def is_picture_file(path: str | Path) -> bool:
    """Return whether a file means to be a picture: by its ending, or else by its bytes.

    A broken ``.png`` counts, so that whoever lists a folder comes across it and is told;
    hidden files and folders do not.

    >>> is_picture_file("no/such/file.png")
    False
    """
    path = Path(path)
    try:
        if path.name.startswith(".") or not path.is_file():
            return False
        if path.suffix.lower() in ENDINGS:
            return True
        with path.open("rb") as file:
            return format_of(file.read(32)) is not None
    except (OSError, ValueError):
        # What cannot even be looked at, such as a name with a NUL, is no picture to list.
        return False


def _image(picture: Picture) -> Image.Image:
    from PIL import Image

    return Image.fromarray(picture.pixels)


def png_bytes(picture: Picture) -> bytes:
    """Return a PNG file of the picture, without metadata: equal pixels, equal bytes.

    Another version of the compression library may pack the same pixels into other bytes;
    identity is :attr:`Picture.sha256`, never this.

    >>> dot = open_picture(np.zeros((1, 1, 3), np.uint8))
    >>> open_picture(png_bytes(dot)) == dot
    True
    """
    out = io.BytesIO()
    _image(picture).save(out, format="PNG", compress_level=_PNG_LEVEL)
    return out.getvalue()


def gray(picture: Picture) -> Picture:
    """Return the picture without colour: three equal channels of luma.

    L = 0.299 R + 0.587 G + 0.114 B (ITU-R BT.601), as the released evaluator has it.

    >>> gray(open_picture(np.array([[[255, 0, 0]]], np.uint8))).pixels.tolist()
    [[[76, 76, 76]]]
    """
    luma = _image(picture).convert("L").convert("RGB")
    return Picture.of(np.array(luma), PictureFacts(source=picture.facts.source, done=("gray",)))


def resized(picture: Picture, width: int, height: int) -> Picture:
    """Return the picture at another size, bicubic with antialiasing; shape is not kept.

    Raises:
        ValueError: a side under 1.

    >>> resized(open_picture(np.zeros((2, 2, 3), np.uint8)), 5, 3).pixels.shape
    (3, 5, 3)
    """
    if (width, height) == (picture.width, picture.height):
        return picture
    from PIL import Image

    if min(width, height) < 1:
        raise ValueError(f"a picture of {width} x {height} pixels cannot be made")
    image = _image(picture).resize((width, height), Image.Resampling.BICUBIC)
    done = f"resized to {width} x {height}"
    return Picture.of(np.array(image), PictureFacts(source=picture.facts.source, done=(done,)))


def fitted_size(width: int, height: int, most: int) -> tuple[int, int]:
    """Return the size with both sides at most ``most``, in the same shape, never enlarged.

    >>> fitted_size(4000, 3000, 1024), fitted_size(10, 20, 1024), fitted_size(5000, 1, 100)
    ((1024, 768), (10, 20), (100, 1))
    """
    longest = max(width, height)
    if longest <= most:
        return width, height
    return max(1, round(width * most / longest)), max(1, round(height * most / longest))


class _Parts:
    """Message parts made lately: a judge sends the same picture in many pairs."""

    def __init__(self, most_bytes: int) -> None:
        self._most, self._bytes = most_bytes, 0
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[str, int | None], ImagePart] = OrderedDict()

    def get(self, key: tuple[str, int | None]) -> ImagePart | None:
        with self._lock:
            part = self._kept.get(key)
            if part is not None:
                self._kept.move_to_end(key)
            return part

    def put(self, key: tuple[str, int | None], part: ImagePart) -> None:
        with self._lock:
            if key in self._kept:
                return
            self._kept[key] = part
            self._bytes += len(part.data)
            while self._bytes > self._most:
                self._bytes -= len(self._kept.popitem(last=False)[1].data)


_PARTS = _Parts(_PARTS_KEPT_BYTES)


def image_part(picture: Picture, max_side: int | None = 1024) -> ImagePart:
    """Return the picture as a part of a message to a chat model.

    Args:
        picture: what to send.
        max_side: longest side of what is sent; larger pictures are made smaller, and the
            part's hash is that of the smaller one. ``None`` sends it as it is.

    Raises:
        ValueError: ``max_side`` under 1.

    >>> part = image_part(open_picture(np.zeros((20, 40, 3), np.uint8)), max_side=10)
    >>> part.width, part.height
    (10, 5)
    """
    if max_side is not None and max_side < 1:
        raise ValueError(f"max_side is at least 1, not {max_side}")
    key = (picture.sha256, max_side)
    kept = _PARTS.get(key)
    if kept is not None:
        return kept
    sent = picture
    if max_side is not None:
        sent = resized(picture, *fitted_size(picture.width, picture.height, max_side))
    part = ImagePart(sha256=sent.sha256, width=sent.width, height=sent.height, data=png_bytes(sent))
    _PARTS.put(key, part)
    return part
