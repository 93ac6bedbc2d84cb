"""The output of a command: the first and the last part as clean text for the model, all of it raw in a file."""

from __future__ import annotations

import os
import re
import secrets
import threading
from dataclasses import dataclass

from tools.details import Truncation
from tools.shared.errors import os_reason
from tools.shared.terminal_text import TerminalText
from tools.shared.truncate import (
    MAX_BYTES,
    MAX_LINES,
    format_size,
    truncate_head,
    truncate_tail,
    utf8_size,
)

HEAD_LINES = 200
HEAD_BYTES = 10 * 1024
"""What is kept of the start when the whole is too long: the first error of a long build is there."""

MAX_FILE = 1024 * 1024 * 1024
"""Bytes of the raw file at most; also never more than a tenth of what is free."""

_FIRST = 16 * 1024
_TAIL = 100_000
_SAMPLE = 8 * 1024
_NOT_TEXT = re.compile(rb"[^\t\n\r\b\x1b\x20-\x7e\x80-\xff]")


@dataclass(frozen=True, slots=True)
class OutputView:
    """What is shown of the output at one moment.

    `text` is within the limits. `truncation` is set when something was left out. `file` names the file with the raw
    output, if there is one; `file_note` says what is wrong with it.
    """

    text: str
    truncation: Truncation | None
    file: str | None
    file_note: str = ""


class CommandOutput:
    """Collects output in one thread while another looks at it."""

    def __init__(self, directory: str) -> None:
        """`directory` is where the raw file is made, when one is needed."""
        self._lock = threading.Lock()
        self._terminal = TerminalText()
        self._window = _Window()
        self._raw = _RawFile(directory)
        self._sample = b""
        self._ended = False
        self._detached = False

    def feed(self, data: bytes) -> None:
        """Take in bytes as they come; empty bytes are the end."""
        with self._lock:
            self._raw.feed(data)
            if not data:
                self._ended = True
                if self._detached:
                    self._raw.close(remove=False)
            if self._detached:
                return
            if len(self._sample) < _SAMPLE:
                self._sample += data[: _SAMPLE - len(self._sample)]
            self._window.add(self._terminal.feed(data))

    def view(self) -> OutputView:
        """Return what there is to see now."""
        with self._lock:
            return self._view()

    def finish(self) -> OutputView:
        """Return what there is to see at the end of the call.

        When the output has not ended, since something in the background goes on writing, it is only written to the file
        from now on, which then exists. Otherwise a file that holds no more than the view does is removed.
        """
        with self._lock:
            self._window.add(self._terminal.feed(b"", final=True))
            self._detached = True
            if not self._ended:
                self._raw.keep()
                return self._view()
            view = self._view()
            self._raw.close(remove=view.truncation is None)
            return view

    def _view(self) -> OutputView:
        if is_binary(self._sample):
            self._raw.keep()
            return OutputView(self._binary_notice(), self._window.binary(), self._raw.path, self._raw.note)
        text, truncation = self._window.view(self._terminal.line)
        if truncation is not None:
            self._raw.keep()
        shown = truncation is not None or (self._detached and not self._ended)
        return OutputView(text, truncation, self._raw.path if shown else None, self._raw.note if shown else "")

    def _binary_notice(self) -> str:
        dump = self._sample[:256]
        rows = [dump[at : at + 16] for at in range(0, len(dump), 16)]
        lines = [f"{at * 16:04x}  {row.hex(' '):47}  {_printable(row)}" for at, row in enumerate(rows)]
        size = format_size(self._raw.size)
        return f"[Binary output, {size}, not shown as text. Its first {len(dump)} bytes:]\n" + "\n".join(lines)


def is_binary(sample: bytes) -> bool:
    """Tell whether more than 30 % of `sample` are control characters or bytes that are not UTF-8."""
    if not sample:
        return False
    broken = sample.decode("utf-8", "surrogateescape")
    odd = sum(0xDC80 <= ord(char) <= 0xDCFF for char in broken) if not sample.isascii() else 0
    return (odd + len(_NOT_TEXT.findall(sample))) / len(sample) > 0.3


def _printable(row: bytes) -> str:
    return "".join(chr(code) if 32 <= code < 127 else "." for code in row)


class _Window:
    """The first part of a text and its last part, and how long all of it is."""

    def __init__(self) -> None:
        self._first = ""
        self._last: list[str] = []
        self._last_size = 0
        self._ends_open = False
        self._bytes = 0
        self._newlines = 0

    def add(self, text: str) -> None:
        """Append finished text."""
        if not text:
            return
        self._ends_open = not text.endswith("\n")
        self._bytes += utf8_size(text)
        self._newlines += text.count("\n")
        room = _FIRST - len(self._first)
        if room > 0:
            self._first += text[:room]
            text = text[room:]
        self._last.append(text)
        self._last_size += len(text)
        if self._last_size > 4 * _TAIL:
            self._last = ["".join(self._last)[-_TAIL:]]
            self._last_size = _TAIL

    def view(self, pending: str) -> tuple[str, Truncation | None]:
        """Return the text within the limits, with the line `pending` at its end, and how it was cut."""
        total_lines = self._newlines + bool(pending or self._ends_open)
        total_bytes = self._bytes + utf8_size(pending)
        text = "".join((self._first, *self._last, pending))
        if total_lines <= MAX_LINES and total_bytes - text.endswith("\n") <= MAX_BYTES:
            return text, None
        head = truncate_head(self._first, HEAD_LINES, HEAD_BYTES)
        start = head.content + "\n" if head.output_lines else ""
        rest = text[len(start) :]
        tail = truncate_tail(rest, MAX_LINES - head.output_lines, MAX_BYTES - len(start.encode()))
        hidden = total_lines - head.output_lines - tail.output_lines
        gap = f"[... {hidden} lines left out ...]\n" if hidden else ""
        content = start + gap + tail.content
        return content, Truncation(
            content=content,
            truncated=True,
            truncated_by="lines" if tail.truncated_by == "lines" else "bytes",
            total_lines=total_lines,
            total_bytes=total_bytes,
            output_lines=head.output_lines + tail.output_lines,
            output_bytes=utf8_size(start) + tail.output_bytes,
            last_line_partial=tail.last_line_partial,
            max_lines=MAX_LINES,
            max_bytes=MAX_BYTES,
        )

    def binary(self) -> Truncation:
        """Return the record for output of which nothing is shown."""
        return Truncation(
            content="",
            truncated=True,
            truncated_by="bytes",
            total_lines=self._newlines,
            total_bytes=self._bytes,
            max_lines=MAX_LINES,
            max_bytes=MAX_BYTES,
        )


class _RawFile:
    """Everything as it came: in memory while it is little, else in a file that only its owner can read."""

    def __init__(self, directory: str) -> None:
        self.size = 0
        self.path: str | None = None
        self.note = ""
        self._directory = directory
        self._held: list[bytes] = []
        self._lines = 0
        self._descriptor = -1
        self._limit = MAX_FILE
        self._closed = False

    def feed(self, data: bytes) -> None:
        """Take in bytes."""
        if self._closed:
            return
        self.size += len(data)
        if self.path is None and not self.note:
            self._lines += data.count(b"\n")
            self._held.append(data)
            if self.size > MAX_BYTES or self._lines > MAX_LINES:
                self.keep()
        elif self._descriptor >= 0:
            self._write(data)

    def keep(self) -> None:
        """Make the file, if it is not there yet."""
        if self.path is not None or self.note or self._closed:
            return
        path = os.path.join(self._directory, f"pi-bash-{secrets.token_hex(8)}.log")
        try:
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
            self._descriptor = os.open(path, flags, 0o600)
            space = os.statvfs(self._directory)
            self._limit = min(MAX_FILE, space.f_bavail * space.f_frsize // 10)
        except OSError as error:
            self.note = f"could not be saved: {os_reason(error)}"
        else:
            self.path = path
            for data in self._held:
                self._write(data)
        self._held.clear()

    def close(self, *, remove: bool) -> None:
        """End the file; `remove` it when nothing refers to it."""
        self._closed = True
        self._held.clear()
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1
        if remove and self.path is not None:
            os.unlink(self.path)
            self.path = None

    def _write(self, data: bytes) -> None:
        if self._descriptor < 0:
            return
        room = self._limit - os.lseek(self._descriptor, 0, os.SEEK_CUR)
        try:
            left = memoryview(data)[: max(room, 0)]
            while left:
                left = left[os.write(self._descriptor, left) :]
        except OSError as error:
            self.note = f"is incomplete: {os_reason(error)}"
        if room < len(data):
            self.note = f"holds the first {format_size(self._limit)} only"
        if self.note:
            os.close(self._descriptor)
            self._descriptor = -1
