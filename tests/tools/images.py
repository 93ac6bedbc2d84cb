"""Small images as bytes, made without a library."""

import struct
import zlib


def png(width: int = 2, height: int = 2, *, animated: bool = False) -> bytes:
    """A PNG of one grey."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
    control = chunk(b"acTL", struct.pack(">II", 1, 0)) if animated else b""
    pixels = chunk(b"IDAT", zlib.compress(b"\0" * (width + 1) * height))
    return b"\x89PNG\r\n\x1a\n" + header + control + pixels + chunk(b"IEND", b"")


def jpeg(width: int = 3, height: int = 2) -> bytes:
    """The header and the end of a JPEG."""
    return b"\xff\xd8\xff\xe0\0\x04JF\xff\xc0\0\x0b\x08" + struct.pack(">HH", height, width) + b"\x01\x01\x11\0\xff\xd9"


def gif(width: int = 3, height: int = 2) -> bytes:
    """The header and the end of a GIF."""
    return b"GIF89a" + struct.pack("<HH", width, height) + b"\0\0\0;"


def webp(width: int = 3, height: int = 2) -> bytes:
    """The header of a lossless WebP."""
    bits = (width - 1) | (height - 1) << 14
    body = b"WEBPVP8L" + struct.pack("<I", 5) + b"\x2f" + struct.pack("<I", bits) + b"\0"
    return b"RIFF" + struct.pack("<I", len(body)) + body
