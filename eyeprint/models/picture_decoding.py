"""From a file's bytes to decoded pixels, whatever the file calls itself.

The size in the header is compared with a limit before anything is decoded, and what the
bytes are decides how they are read, never the ending. No switch of the imaging library
is turned: those are shared by all threads and by the program around us.
"""

from __future__ import annotations

import errno
import hashlib
import importlib
import io
import stat
import struct
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from eyeprint.errors import UnreadablePicture, shown
from eyeprint.models.picture_formats import ENDINGS, FORMATS, format_of, what_it_is

if TYPE_CHECKING:
    from PIL import Image

# Everything that decoders raise on damaged or hostile bytes.
DECODING_ERRORS = (
    OSError,
    EOFError,
    SyntaxError,
    ValueError,
    LookupError,
    TypeError,
    ArithmeticError,
    AttributeError,
    NotImplementedError,
    RuntimeError,
    MemoryError,
    struct.error,
    zlib.error,
)

_TURNS = {
    2: "FLIP_LEFT_RIGHT",
    3: "ROTATE_180",
    4: "FLIP_TOP_BOTTOM",
    5: "TRANSPOSE",
    6: "ROTATE_270",
    7: "TRANSVERSE",
    8: "ROTATE_90",
}
_ORIENTATION = 0x0112
_PHOTOMETRIC = 0x0106


class Decoded(NamedTuple):
    """The first frame, upright, in its own mode, with what is known of its file."""

    image: Image.Image
    format: str
    frames: int
    deep: bool
    """Whether the file holds 16 bits per colour channel, of which the decoder kept 8."""
    done: tuple[str, ...]
    file_sha256: str


def read_bytes(path: Path, name: str, max_bytes: int) -> bytes:
    """Return a file's bytes.

    Raises:
        UnreadablePicture: missing, a folder, no permission, empty, larger than
            ``max_bytes``, or no regular file.
    """
    try:
        about = path.stat()
        if stat.S_ISDIR(about.st_mode):
            raise UnreadablePicture(name, "this is a folder. Name a picture file inside it.")
        if not stat.S_ISREG(about.st_mode):
            raise UnreadablePicture(name, "this is no regular file but a device, pipe or socket.")
        if about.st_size > max_bytes:
            raise UnreadablePicture(
                name,
                f"the file has {about.st_size:,} bytes; the limit is {max_bytes:,}. Make it "
                "smaller, or raise max_bytes.",
            )
        return path.read_bytes()
    except OSError as error:
        raise UnreadablePicture(name, _why_not(error)) from error
    except ValueError as error:
        raise UnreadablePicture(name, f"no file can have such a name ({error}).") from error


def _why_not(error: OSError) -> str:
    match error.errno:
        case errno.ENOENT | errno.ENOTDIR:
            return "there is no such file. Check the path."
        case errno.EACCES | errno.EPERM:
            return "there is no permission to read it. Change the file's permissions."
        case errno.ENAMETOOLONG:
            return "the name is too long for this system. Choose a shorter one."
        case errno.ELOOP:
            return "the link leads back to itself. Point it at a file."
    return f"it cannot be read ({error.strerror or error})."


def check_size(name: str, size: tuple[int, int], max_pixels: int, min_side: int) -> None:
    """Refuse a picture that is too large to decode or too small to mean anything.

    Raises:
        UnreadablePicture: more than ``max_pixels``, or a side under ``min_side``.
    """
    width, height = size
    if width * height > max_pixels:
        what = f"{width:,} x {height:,} pixels"
        raise UnreadablePicture(name, _too_large(what, max_pixels))
    if min(size) < min_side:
        raise UnreadablePicture(
            name, f"{width} x {height} pixels: a side is shorter than {min_side} (min_side)."
        )


def _too_large(what: str, limit: int) -> str:
    return (
        f"{what} are more than the limit of {limit:,}: this may be a decompression bomb. Make "
        "the picture smaller, or raise max_pixels."
    )


def decode(data: bytes, name: str, max_pixels: int, min_side: int) -> Decoded:
    """Decode the first frame of a file.

    Args:
        data: the file.
        name: for messages; its ending is compared with the real format.
        max_pixels: most pixels that the header may announce.
        min_side: fewest pixels of a side.

    Raises:
        UnreadablePicture: no picture, damaged, cut short, too large or too small.
    """
    from PIL import Image, ImageFile

    real = format_of(data[:32])
    if real is None:
        raise UnreadablePicture(name, what_it_is(data))
    done = []
    promised = ENDINGS.get(Path(name).suffix.lower())
    if promised is not None and promised != real:
        done.append(f"read as {real} in spite of its ending {Path(name).suffix}")
    try:
        image = _header(data, real)
        check_size(name, image.size, max_pixels, min_side)
        deep = _is_deep(image, real)
        turned = _orientation(image) if real == "TIFF" else None
        image.load()
        check_size(name, image.size, max_pixels, min_side)
    except ImportError as error:
        raise UnreadablePicture(name, f"this installation cannot read {real} ({error}).") from error
    except UnreadablePicture:
        raise
    except Image.DecompressionBombError as error:
        # Some decoders compare with the library's own limit before we see the size.
        least = min(max_pixels, 2 * (Image.MAX_IMAGE_PIXELS or max_pixels))
        raise UnreadablePicture(name, _too_large("its pixels", least)) from error
    except DECODING_ERRORS as error:
        reason = shown(str(error)) or type(error).__name__
        raise UnreadablePicture(
            name, f"the {real} file is damaged or cut short ({reason}). Copy or make it again."
        ) from error
    frame, notes = _upright(image, turned)
    if ImageFile.LOAD_TRUNCATED_IMAGES:
        notes.append("not checked for being cut short (LOAD_TRUNCATED_IMAGES is on)")
    frames, fault = _frames(image)
    notes += fault
    if frames > 1:
        notes.append(f"first of {frames} frames")
    return Decoded(frame, real, frames, deep, (*done, *notes), hashlib.sha256(data).hexdigest())


def _header(data: bytes, real: str) -> Any:
    """Open a file without decoding it.

    Not by the library's own opener: that one warns of and refuses sizes by a limit which
    is shared by the whole process. Ours is checked before anything is decoded.
    """
    from PIL import Image

    importlib.import_module(f"PIL.{FORMATS[real]}ImagePlugin")
    factory, accept = Image.OPEN[real]
    verdict = accept(data[:16]) if accept is not None else True
    if isinstance(verdict, str):
        raise ImportError(verdict)
    if not verdict:
        raise SyntaxError("its beginning is not as the format wants it")
    return factory(io.BytesIO(data), "")


def _is_deep(image: Any, real: str) -> bool:
    """Return whether a file has 16 bits per channel; to be asked before it is decoded."""
    if real == "PPM":
        return bool(image.mode == "I")
    return "16" in str(image.tile[0].args if image.tile else "")


def _as_meant(image: Any, frame: Image.Image) -> tuple[Image.Image, list[str]]:
    """Undo what the decoder takes for granted of files that are otherwise."""
    from PIL import Image, ImageChops

    if image.format == "JPEG" and frame.mode == "CMYK" and "adobe" not in image.info:
        # The inks of every CMYK JPEG are turned round, as Adobe's programs write them; a
        # file without Adobe's marker holds them as they are.
        return _like(frame, ImageChops.invert(frame)), ["inks taken as they are (no Adobe marker)"]
    if image.format == "TIFF" and frame.mode.startswith("I;16"):
        # That 0 is white is heeded for 8 bits only.
        tags = getattr(image, "tag_v2", {})
        if tags.get(_PHOTOMETRIC) == 0:
            turned = 65535 - np.asarray(frame).astype(np.uint16)
            return _like(frame, Image.fromarray(turned)), ["0 is white: turned round"]
    return frame, []


def _like(frame: Image.Image, other: Image.Image) -> Image.Image:
    other.info = frame.info
    return other


def _orientation(image: Any) -> int | str | None:
    """Return the EXIF orientation as it is in the file: 1 to 8, something wrong, or ``None``."""
    try:
        value = image.getexif().get(_ORIENTATION)
    except DECODING_ERRORS:
        return "unreadable"
    if value is None or (type(value) is int and 1 <= value <= 8):
        return value
    return f"unknown ({shown(str(value))})"


def _upright(image: Any, turned: int | str | None) -> tuple[Image.Image, list[str]]:
    """Return the loaded frame, upright.

    ``turned`` is the orientation of a format whose decoder has turned it already.
    """
    from PIL import Image

    orientation = turned if turned is not None else _orientation(image)
    frame, notes = _as_meant(image, image.copy())
    if isinstance(orientation, str):
        return frame, [*notes, f"left as stored (EXIF orientation {orientation})"]
    if orientation in (None, 1):
        return frame, notes
    if turned is None:
        turn = Image.Transpose[_TURNS[int(orientation or 1)]]
        frame = _like(frame, frame.transpose(turn))
    return frame, [*notes, f"turned upright (orientation {orientation})"]


def _frames(image: Any) -> tuple[int, list[str]]:
    """Count frames; those after the first may be damaged without harm to the first."""
    try:
        return int(getattr(image, "n_frames", 1)), []
    except DECODING_ERRORS:
        return 1, ["frames after the first are damaged"]


def upright_in_memory(image: Image.Image, name: str) -> tuple[Image.Image, list[str]]:
    """Return an already opened image, loaded and upright; the caller's object is not turned.

    Raises:
        UnreadablePicture: its file is damaged, cut short or closed.
    """
    try:
        turned = _orientation(image) if image.format == "TIFF" else None
        fresh = getattr(image, "_im", None) is None
        image.load()
        return _upright(image, turned if fresh else None)
    except DECODING_ERRORS as error:
        raise UnreadablePicture(
            name, f"the image cannot be decoded ({shown(str(error)) or type(error).__name__})."
        ) from error
