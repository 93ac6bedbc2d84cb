"""Server-Sent Events: one incremental decoder for every wire format.

Follows the WHATWG rules: lines end in LF, CR or CRLF, wherever the network cut the bytes; several `data` lines are
joined by LF; comments and unknown fields are skipped; a leading byte order mark is dropped.
"""

from __future__ import annotations

from typing import NamedTuple

MAX_LINE_BYTES = 64 * 1024 * 1024
"""A longer line is a fault of the server, not an event."""


class SseEvent(NamedTuple):
    """`event` is the event's name, "" when it has none; `data` its text."""

    event: str
    data: str


class LineTooLong(ValueError):
    """A line without an end grew past `MAX_LINE_BYTES`."""


class SseDecoder:
    """Turns byte chunks into events. Cost is linear in the bytes, however they are cut."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self._pending = 0
        self._after_cr = False
        self._first_line = True
        self._event = ""
        self._data: list[str] = []

    def feed(self, chunk: bytes) -> list[SseEvent]:
        """Return the events that `chunk` completes. Raises LineTooLong."""
        if self._after_cr and chunk:
            self._after_cr = False
            if chunk[0] == 0x0A:
                chunk = chunk[1:]
        if b"\r" in chunk:
            self._after_cr = chunk.endswith(b"\r")
            chunk = chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        lines = chunk.split(b"\n")
        rest = lines.pop()
        if lines and self._pieces:
            self._pieces.append(lines[0])
            lines[0] = b"".join(self._pieces)
            self._pieces.clear()
            self._pending = 0
        if rest:
            self._pieces.append(rest)
            self._pending += len(rest)
            if self._pending > MAX_LINE_BYTES:
                raise LineTooLong(f"a line of the event stream is longer than {MAX_LINE_BYTES:,} bytes")
        events: list[SseEvent] = []
        for line in lines:
            self._line(line, events)
        return events

    def end(self) -> list[SseEvent]:
        """Return the event that the end of the stream completes: one whose final empty line is missing."""
        events: list[SseEvent] = []
        if self._pieces:
            self._line(b"".join(self._pieces), events)
            self._pieces.clear()
        self._line(b"", events)
        return events

    def _line(self, line: bytes, events: list[SseEvent]) -> None:
        if self._first_line:
            self._first_line = False
            line = line.removeprefix(b"\xef\xbb\xbf")
        if not line:
            if self._data:
                events.append(SseEvent(self._event, "\n".join(self._data)))
                self._data = []
            self._event = ""
            return
        name, _, value = line.partition(b":")
        if name == b"data":
            self._data.append(value.removeprefix(b" ").decode("utf-8", "replace"))
        elif name == b"event":
            self._event = value.removeprefix(b" ").decode("utf-8", "replace")
