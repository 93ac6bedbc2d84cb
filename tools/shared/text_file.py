"""Bytes of a file <-> text, such that every byte that is not edited comes back as it was.

UTF-8 is decoded with `surrogateescape`: bytes that are not valid UTF-8 (a legacy encoding) become lone surrogates and
are written back unchanged. A byte-order mark is taken off and put back; UTF-16 and UTF-32 are known by theirs only.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

from tools.shared.errors import ToolError

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SURROGATE = re.compile("[\ud800-\udfff]")
_ESCAPED = re.compile("[\udc80-\udcff]")


@dataclass(frozen=True, slots=True)
class TextFile:
    """A decoded file. `text` has its own line endings and no byte-order mark; `mark` is that mark or empty.

    `legacy` tells that some bytes are not valid UTF-8, so that the encoding is not known.
    """

    text: str
    encoding: str = "utf-8"
    mark: bytes = b""
    legacy: bool = False

    def encode(self, text: str) -> bytes:
        """Return the bytes of the file with `text` in it."""
        errors = "surrogateescape" if self.encoding == "utf-8" else "strict"
        return self.mark + text.encode(self.encoding, errors)

    def check_replacement(self, start: int, new: str) -> None:
        """Raise ToolError when putting `new` in place of a match at offset `start` could damage a legacy file.

        There, only ASCII may be written, and no match may follow an unknown byte: it could be the lead byte of a
        two-byte character whose second byte looks like ASCII.
        """
        if not self.legacy:
            return
        advice = "Convert it to UTF-8 first, for example with iconv through bash, or change it there."
        if not new.isascii():
            raise ToolError(
                "The file is not UTF-8 and its encoding is not known, so only ASCII can be written into it; "
                f"the new text has other characters. {advice}"
            )
        if start and _ESCAPED.match(self.text, start - 1):
            raise ToolError(
                "The file is not UTF-8 and its encoding is not known, and the byte before the text to replace may be "
                f"one character with its first byte. Let oldText start one character later. {advice}"
            )


def mark_of(data: bytes) -> tuple[bytes, str]:
    """Return the byte-order mark that `data` starts with and the encoding it stands for; `(b"", "utf-8")` without."""
    return next(((mark, name) for mark, name in _MARKS if data.startswith(mark)), (b"", "utf-8"))


def decode(data: bytes) -> TextFile:
    """Return `data` as text to edit. Raises ToolError for what is not text, or cannot be written back unchanged."""
    mark, encoding = mark_of(data)
    body = data[len(mark) :]
    if encoding != "utf-8":
        try:
            text = body.decode(encoding)
        except UnicodeDecodeError as error:
            raise ToolError(f"The file starts like {encoding.upper()} but is not valid: {error.reason}.") from None
        if text.encode(encoding) != body:
            raise ToolError(f"The file cannot be decoded as {encoding.upper()} without loss.")
        return TextFile(text, encoding, mark)
    if b"\0" in body:
        raise ToolError("The file is binary (it contains NUL bytes), which text tools would damage.")
    try:
        return TextFile(body.decode(), encoding, mark)
    except UnicodeDecodeError:
        return TextFile(body.decode("utf-8", "surrogateescape"), encoding, mark, legacy=True)


def without_surrogates(text: str) -> tuple[str, int]:
    """Return `text` with every lone surrogate replaced by U+FFFD, and how many there were."""
    if text.isascii():
        return text, 0
    return _SURROGATE.subn("\ufffd", text)


def to_lf(text: str) -> str:
    """Return `text` with CRLF and lone CR as LF."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def dominant_ending(text: str) -> str:
    """Return the line ending that most lines of `text` have; LF when there is none or a draw."""
    crlf = text.count("\r\n")
    return "\r\n" if crlf * 2 > text.count("\n") else "\n"
