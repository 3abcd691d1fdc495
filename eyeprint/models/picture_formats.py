"""What a file is, told from its bytes: a picture of which format, or what else it is.

Listing a folder must not cost the loading of a decoder, so the beginnings of the formats
are known here.
"""

from __future__ import annotations

from eyeprint.errors import shown

FORMATS = {
    "JPEG": "Jpeg",
    "PNG": "Png",
    "WEBP": "WebP",
    "GIF": "Gif",
    "TIFF": "Tiff",
    "BMP": "Bmp",
    "AVIF": "Avif",
    "JPEG2000": "Jpeg2K",
    "PPM": "Ppm",
    "QOI": "Qoi",
}
"""Formats that are read, each with the name of the library's module for it. None of them can
run a program or fetch a file, as some document formats can."""

ENDINGS = {
    ".png": "PNG",
    ".apng": "PNG",
    ".jpg": "JPEG",
    ".jpeg": "JPEG",
    ".jpe": "JPEG",
    ".jfif": "JPEG",
    ".webp": "WEBP",
    ".gif": "GIF",
    ".tif": "TIFF",
    ".tiff": "TIFF",
    ".bmp": "BMP",
    ".avif": "AVIF",
    ".jp2": "JPEG2000",
    ".j2k": "JPEG2000",
    ".ppm": "PPM",
    ".pgm": "PPM",
    ".pbm": "PPM",
    ".qoi": "QOI",
}
"""The format that a file's ending promises."""

_NO_PICTURES = (
    (b"version https://git-lfs", "a Git LFS pointer: fetch the file itself with git lfs pull"),
    (b"%PDF", "a PDF document: export its page as PNG"),
    (b"PK\x03\x04", "a ZIP archive: unpack it"),
    (b"8BPS", "a Photoshop document: export it as PNG"),
    (b"\x1f\x8b", "a gzip archive: unpack it"),
)


def format_of(head: bytes) -> str | None:
    """Return the format that a file's first 32 bytes show, or ``None`` when it is none of ours.

    >>> format_of(bytes.fromhex("89504e470d0a1a0a")), format_of(b"<!DOCTYPE html>")
    ('PNG', None)
    """
    if head.startswith(b"\x89PNG\r\n\x1a\n"):
        return "PNG"
    if head.startswith(b"\xff\xd8\xff"):
        return "JPEG"
    if head.startswith((b"GIF87a", b"GIF89a")):
        return "GIF"
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "WEBP"
    if head.startswith((b"II*\x00", b"MM\x00*", b"II+\x00", b"MM\x00+")):
        return "TIFF"
    if head.startswith(b"BM") and len(head) > 17 and head[15:18] == b"\x00\x00\x00":
        return "BMP"
    if head[4:8] == b"ftyp" and (b"avif" in head[8:32] or b"avis" in head[8:32]):
        return "AVIF"
    if head.startswith((b"\x00\x00\x00\x0cjP  \r\n\x87\n", b"\xff\x4f\xff\x51")):
        return "JPEG2000"
    if head[:1] == b"P" and head[1:2] in b"123456fy" and head[2:3] in b" \t\r\n#" and head[2:3]:
        return "PPM"
    if head.startswith(b"qoif"):
        return "QOI"
    return None


def what_it_is(data: bytes) -> str:
    """Return what bytes that are no picture of ours are, and what to do about it."""
    if not data:
        return "the file is empty: it has no bytes. Copy or make it again."
    for start, what in _NO_PICTURES:
        if data.startswith(start):
            return f"this is no picture but {what}."
    if data[4:8] == b"ftyp" and data[8:12] in (b"heic", b"heix", b"hevc", b"mif1", b"heim"):
        return "this is a HEIC picture, which cannot be read here. Save it as JPEG or PNG."
    text = data[:2048].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if text.startswith((b"<!doctype html", b"<html", b"<head", b"<body")):
        return "this is a web page (HTML), not a picture. Download the picture itself."
    if text.startswith((b"<svg", b"<?xml")) and b"<svg" in text:
        return "this is a drawing (SVG). Export it as PNG."
    if text and b"\x00" not in text and _is_text(data[:2048]):
        beginning = shown(data[:40].decode("utf-8", "replace"))
        return f"this is text, not a picture; it begins '{beginning}'."
    return f"these bytes are no picture. Formats that are read: {', '.join(FORMATS)}."


def _is_text(data: bytes) -> bool:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        # The sample may end inside a character.
        if error.start < len(data) - 3:
            return False
        text = data[: error.start].decode("utf-8")
    return all(letter.isprintable() or letter in "\t\r\n\f" for letter in text)
