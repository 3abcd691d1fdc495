"""What kind of picture some bytes are, by how they begin."""

from __future__ import annotations

from collections.abc import Mapping

_STARTS: tuple[tuple[bytes, str], ...] = (
    (b"\x89PNG\r\n\x1a\n", ".png"),
    (b"\xff\xd8\xff", ".jpg"),
    (b"GIF87a", ".gif"),
    (b"GIF89a", ".gif"),
    (b"BM", ".bmp"),
    (b"II*\0", ".tif"),
    (b"MM\0*", ".tif"),
)
_BRANDS: Mapping[bytes, str] = {b"avif": ".avif", b"avis": ".avif", b"heic": ".heic"}
ENDINGS = frozenset(
    {".png", ".jpg", ".jpeg", ".gif", ".bmp", ".tif", ".tiff", ".webp", ".avif", ".heic"}
)
"""Endings of picture files, in lower case."""


def ending_of(picture: bytes) -> str:
    """Return the ending that a picture's file should have, or ``""`` when it is no picture.

    >>> ending_of(b"RIFF0000WEBPVP8 "), ending_of(b"hello")
    ('.webp', '')
    """
    for start, ending in _STARTS:
        if picture.startswith(start):
            return ending
    if picture[:4] == b"RIFF" and picture[8:12] == b"WEBP":
        return ".webp"
    if picture[4:8] == b"ftyp":
        return _BRANDS.get(picture[8:12], "")
    return ""
