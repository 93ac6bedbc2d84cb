"""Some lines of a file of any size, read in pieces: memory follows what is shown, not the file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from tools.shared.errors import ToolError
from tools.shared.files import OpenFile
from tools.shared.text_file import mark_of
from tools.shared.truncate import MAX_BYTES, MAX_LINES

CHUNK = 256 * 1024
MAX_PROC = 1024 * 1024
"""Bytes read of a file whose size the system gives as 0 (in /proc, say)."""

MAX_COUNTED = 32 * 1024 * 1024
"""Bytes behind what is shown up to which lines are still counted."""

MAX_WIDE = 64 * 1024 * 1024
"""Bytes of a UTF-16 or UTF-32 file, which is decoded as a whole."""


@dataclass(frozen=True, slots=True)
class Window:
    """Lines `first` to `last` (from 1) of a file, as bytes of UTF-8 without byte-order mark.

    `total` is the number of lines, None when they were not all counted. `cut` tells which limit of what a model is
    given ended the window: None when the file or the wanted number of lines did. `overlong` is the size of line `first`
    when it alone is too long; then there is no data.
    """

    data: bytes
    first: int
    last: int
    total: int | None
    cut: Literal["lines", "bytes"] | None = None
    overlong: int = 0


def read_window(file: OpenFile, offset: int, limit: int | None, stop: Callable[[], None]) -> Window:
    """Return up to `limit` lines from line `offset`, which counts from 1, or from the end when it is negative.

    Never more than fits in the limits of what a model is given. `stop` is called now and then and may raise to
    end this. Raises ToolError when the file has fewer lines.
    """
    if offset < 0:
        scan = _Scan(_pieces(file), stop)
        offset = max(1, scan.skip(None) + 1 + offset)
        file.rewind()
    offset = max(offset, 1)
    scan = _Scan(_pieces(file), stop)
    total = scan.skip(offset - 1)
    if offset > 1 and scan.at_end():
        raise ToolError(f"offset {offset} is behind the end of the file, which has {total} line{'s' * (total != 1)}.")
    wanted = MAX_LINES if limit is None else min(limit, MAX_LINES)
    kept, lines, cut, overlong = bytearray(), 0, None, 0
    while lines < wanted and not scan.at_end():
        line, size = scan.take_line(MAX_BYTES - len(kept))
        if size > MAX_BYTES - len(kept):
            cut, overlong = "bytes", 0 if lines else size
            break
        kept += line
        lines += 1
    if cut is None and not scan.at_end() and (limit is None or limit > MAX_LINES):
        cut = "lines"
    passed = offset - 1 + lines + (cut == "bytes")
    rest = scan.count_rest()
    return Window(bytes(kept), offset, offset + lines - 1, None if rest is None else passed + rest, cut, overlong)


class _Scan:
    """Goes through the lines of a file, one piece in memory at a time."""

    def __init__(self, pieces: Iterator[bytes], stop: Callable[[], None]) -> None:
        self._pieces = pieces
        self._stop = stop
        self._data = b""
        self._at = 0

    def at_end(self) -> bool:
        """Tell whether there is nothing more to read."""
        while self._at == len(self._data):
            self._stop()
            data = next(self._pieces, None)
            if data is None:
                return True
            self._data, self._at = data, 0
        return False

    def skip(self, lines: int | None) -> int:
        """Skip `lines` lines, or all of them; return how many there were to skip."""
        skipped, open_line = 0, False
        while (lines is None or skipped < lines) and not self.at_end():
            count = self._data.count(b"\n", self._at)
            if lines is None or skipped + count < lines:
                skipped += count
                open_line = not self._data.endswith(b"\n")
                self._at = len(self._data)
                continue
            for _ in range(lines - skipped):
                self._at = self._data.index(b"\n", self._at) + 1
            return lines
        return skipped + open_line

    def take_line(self, room: int) -> tuple[bytes, int]:
        """Go behind the next line; return it with its LF, unless it is larger than `room`, and its size without LF."""
        line, size = bytearray(), 0
        while not self.at_end():
            found = self._data.find(b"\n", self._at)
            end = len(self._data) if found < 0 else found + 1
            size += end - self._at - (found >= 0)
            if size <= room:
                line += self._data[self._at : end]
            self._at = end
            if found >= 0:
                break
        return bytes(line), size

    def count_rest(self) -> int | None:
        """Return how many lines are left; None when that would take too long to find out."""
        lines, seen, open_line = 0, 0, False
        while not self.at_end():
            seen += len(self._data) - self._at
            if seen > MAX_COUNTED:
                return None
            lines += self._data.count(b"\n", self._at)
            open_line = not self._data.endswith(b"\n")
            self._at = len(self._data)
        return lines + open_line


def _pieces(file: OpenFile) -> Iterator[bytes]:
    """Yield the content as UTF-8 without byte-order mark, as far as the file went when it was opened."""
    left = file.size or MAX_PROC
    head = file.read(min(CHUNK, left))
    mark, encoding = mark_of(head)
    if encoding != "utf-8":
        data = head + b"".join(_rest(file, min(left, MAX_WIDE) - len(head)))
        yield data[len(mark) :].decode(encoding, "replace").encode("utf-8", "replace")
        return
    yield head[len(mark) :]
    yield from _rest(file, left - len(head))


def _rest(file: OpenFile, left: int) -> Iterator[bytes]:
    while left > 0 and (data := file.read(min(CHUNK, left))):
        left -= len(data)
        yield data
