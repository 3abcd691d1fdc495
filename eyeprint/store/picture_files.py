"""Pictures in a folder, each once, under the hash of its pixels: ``<sha256>.png``.

A picture is written whole or not at all, so a killed process leaves no half of one. What
is read is compared with its name: a file that was changed or damaged is told, never
passed on as the picture that it once was.
"""

from __future__ import annotations

import io
import re
import threading
from pathlib import Path
from typing import Literal

from eyeprint.errors import StoreError, UnreadablePicture, shown
from eyeprint.models.pictures import GateSettings, fitted_size, open_picture, png_bytes, resized
from eyeprint.records.pictures import Picture
from eyeprint.records.whole_files import write_whole

_NAME = re.compile(r"[0-9a-f]{64}")
# What was let in once is let in again, whatever its size.
_OWN_FILES = GateSettings(max_pixels=1 << 34, max_bytes=1 << 36)
_AGAIN = "Run the command that made its run again: it paints what is not there"
_QUALITY = 85
# Threads of one process would share the temporary name of a file.
_WRITING = threading.Lock()

ThumbnailFormat = Literal["JPEG", "PNG", "WEBP"]


class PictureFiles:
    """A folder of pictures by the hash of their pixels. Processes may share it.

    Args:
        folder: made when the first picture is put there.

    >>> import tempfile, numpy as np
    >>> files = PictureFiles(tempfile.mkdtemp())
    >>> sha = files.put(Picture.of(np.zeros((2, 3, 3), np.uint8)))
    >>> sha in files, files.get(sha).width, files.path(sha).suffix
    (True, 3, '.png')
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)

    def __repr__(self) -> str:
        return f"PictureFiles({str(self.folder)!r})"

    def path(self, sha256: str) -> Path:
        """Return where the picture of a hash is, or would be.

        Raises:
            StoreError: this is no hash, so no name of a file here.
        """
        if not _NAME.fullmatch(sha256):
            raise StoreError(
                f"'{shown(sha256)}' is not the hash of a picture (64 hex digits), so "
                f"{self.folder} cannot hold it. The record that names it is damaged."
            )
        return self.folder / f"{sha256}.png"

    def __contains__(self, sha256: object) -> bool:
        return (
            isinstance(sha256, str)
            and _NAME.fullmatch(sha256) is not None
            and self.path(sha256).is_file()
        )

    def put(self, picture: Picture) -> str:
        """Write the picture, unless it is there, and return its hash.

        Raises:
            CannotWrite: disk full or no permission; what was there is kept.
        """
        path = self.path(picture.sha256)
        if not path.is_file():
            data = png_bytes(picture)
            with _WRITING:
                if not path.is_file():
                    write_whole(path, [data])
        return picture.sha256

    def get(self, sha256: str) -> Picture:
        """Return the picture of a hash.

        Raises:
            StoreError: it is not there, or the file holds other pixels or none.
        """
        path = self.path(sha256)
        if not path.is_file():
            raise StoreError(f"{path}: the picture is not there. {_AGAIN}, or copy it back.")
        try:
            picture = open_picture(path, _OWN_FILES)
        except UnreadablePicture as error:
            raise StoreError(
                f"{path}: the file is damaged ({error.reason.rstrip('.')}). Delete it. {_AGAIN}."
            ) from error
        if picture.sha256 != sha256:
            raise StoreError(
                f"{path}: the file holds other pixels than its name says: it was changed or "
                f"swapped. Delete it. {_AGAIN}."
            )
        return picture

    def thumbnail(self, sha256: str, side: int, format: ThumbnailFormat = "JPEG") -> bytes:
        """Return a small file for reports, its longer side at most ``side`` pixels.

        Raises:
            StoreError: as :meth:`get`.
            ValueError: ``side`` under 1.
        """
        if side < 1:
            raise ValueError(f"a thumbnail's side is at least 1, not {side}")
        picture = self.get(sha256)
        small = resized(picture, *fitted_size(picture.width, picture.height, side))
        if format == "PNG":
            return png_bytes(small)
        from PIL import Image

        out = io.BytesIO()
        Image.fromarray(small.pixels).save(out, format=format, quality=_QUALITY)
        return out.getvalue()
