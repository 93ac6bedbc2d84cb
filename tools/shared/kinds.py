"""What a file is, told from its first bytes and never from its name."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from tools.shared.text_file import mark_of

SNIFFED = 8 * 1024
"""Bytes of a file that tell what it is."""

_JPEG_SIZES = frozenset({*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC})
_MAGIC = (
    (b"%PDF-", "a PDF document"),
    (b"PK\x03\x04", "a ZIP archive (or a document in one)"),
    (b"\x7fELF", "an ELF program"),
    (b"\x1f\x8b", "gzip data"),
    (b"BZh", "bzip2 data"),
    (b"\xfd7zXZ\x00", "xz data"),
    (b"\x28\xb5\x2f\xfd", "zstd data"),
    (b"SQLite format 3\x00", "an SQLite database"),
    (b"\x00asm", "a WebAssembly module"),
    (b"\xca\xfe\xba\xbe", "a Java class or Mach-O program"),
    (b"\xcf\xfa\xed\xfe", "a Mach-O program"),
    (b"II*\x00", "a TIFF image"),
    (b"MM\x00*", "a TIFF image"),
    (b"\x00\x00\x01\x00", "a Windows icon"),
    (b"OggS", "Ogg media"),
    (b"ID3", "MP3 audio"),
)


@dataclass(frozen=True, slots=True)
class ImageKind:
    """An image that models take; `width` and `height` in pixels, 0 when its header does not tell."""

    mime_type: str
    width: int
    height: int


def image_kind(data: bytes) -> ImageKind | None:
    """Return the kind of image that `data`, a file or its first bytes, is; None for anything else."""
    if data[:3] == b"\xff\xd8\xff" and data[3:4] != b"\xf7":
        return ImageKind("image/jpeg", *_jpeg_size(data))
    if data[:8] == b"\x89PNG\r\n\x1a\n" and data[8:16] == b"\x00\x00\x00\rIHDR" and len(data) >= 24:
        animated = b"acTL" in data[: data.find(b"IDAT") if b"IDAT" in data else None]
        return None if animated else ImageKind("image/png", *struct.unpack(">II", data[16:24]))
    if data[:6] in (b"GIF87a", b"GIF89a") and len(data) >= 13 and b"\x00" in data[6:64]:
        return ImageKind("image/gif", *struct.unpack("<HH", data[6:10]))
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return ImageKind("image/webp", *_webp_size(data))
    return None


def image_fault(data: bytes, kind: ImageKind) -> str | None:
    """Return why the complete file `data` is no image that can be shown; None when it looks whole."""
    whole = {
        "image/png": b"IEND" in data[-64:] or b"IEND" in data,
        "image/jpeg": data.rfind(b"\xff\xd9") > 0,
        "image/gif": b";" in data[-8:],
        "image/webp": len(data) >= 8 + int.from_bytes(data[4:8], "little"),
    }
    if not whole[kind.mime_type]:
        return "the file is cut off or corrupt: its end is missing"
    if kind.mime_type != "image/jpeg" and not (kind.width and kind.height):
        return "the file is corrupt: it has no width or height"
    return None


def binary_kind(sample: bytes) -> str | None:
    """Return what a file is that starts with `sample` when that is not text; None for text."""
    if sample[4:8] == b"ftyp":
        still = sample[8:12] in (b"heic", b"heix", b"mif1", b"avif", b"avis")
        return "a HEIC or AVIF image" if still else "MP4 or QuickTime media"
    for magic, kind in _MAGIC:
        if sample.startswith(magic):
            return kind
    if sample[:8] == b"\x89PNG\r\n\x1a\n":
        return "an animated or damaged PNG image"
    if sample[:2] == b"BM" and sample[6:10] == b"\0\0\0\0" and len(sample) > 26:
        return "a BMP image"
    if b"\0" in sample and mark_of(sample)[1] == "utf-8":
        return "binary data"
    return None


def _jpeg_size(data: bytes) -> tuple[int, int]:
    at = 2
    while at + 9 < len(data) and data[at] == 0xFF:
        marker = data[at + 1]
        if marker in _JPEG_SIZES:
            height, width = struct.unpack(">HH", data[at + 5 : at + 9])
            return width, height
        at += 1 if marker == 0xFF else 2 + int.from_bytes(data[at + 2 : at + 4], "big")
    return 0, 0


def _webp_size(data: bytes) -> tuple[int, int]:
    kind = data[12:16]
    if kind == b"VP8X" and len(data) >= 30:
        return 1 + int.from_bytes(data[24:27], "little"), 1 + int.from_bytes(data[27:30], "little")
    if kind == b"VP8 " and len(data) >= 30:
        width, height = struct.unpack("<HH", data[26:30])
        return width & 0x3FFF, height & 0x3FFF
    if kind == b"VP8L" and len(data) >= 25:
        bits = int.from_bytes(data[21:25], "little")
        return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    return 0, 0
