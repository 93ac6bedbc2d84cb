"""The little of HTTP/1.1 that a scripted server needs: read a request, respond, notice that the client left."""

from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus

HEADER_LIMIT = 1 << 20


@dataclass(frozen=True, slots=True)
class RawRequest:
    """A request as it came: header names in lower case."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


class ClientGone(ConnectionError):
    """The client closed the connection before the response was complete."""


class _Reader(asyncio.StreamReader):
    """A stream reader that tells at once when the other side closes, without reading."""

    def __init__(self) -> None:
        super().__init__(limit=HEADER_LIMIT)
        self.closed = asyncio.Event()

    def feed_eof(self) -> None:
        super().feed_eof()
        self.closed.set()

    def set_exception(self, exc: Exception) -> None:
        super().set_exception(exc)
        self.closed.set()


class Connection:
    """One client connection. Every write raises `ClientGone` once the client has closed."""

    def __init__(self, reader: _Reader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self.keep_alive = True

    @property
    def closed(self) -> asyncio.Event:
        """Set when the client has closed its side."""
        return self._reader.closed

    async def read_request(self) -> RawRequest | None:
        """The next request, or None when the client closed between requests."""
        try:
            head = await self._reader.readuntil(b"\r\n\r\n")
            lines = head.decode("latin-1").split("\r\n")
            method, path, _version = lines[0].split(" ", 2)
            headers = {}
            for line in lines[1:]:
                name, _, value = line.partition(":")
                if name:
                    headers[name.strip().lower()] = value.strip()
            body = await self._read_body(headers)
        except (asyncio.IncompleteReadError, ConnectionError):
            return None
        self.keep_alive = headers.get("connection", "").lower() != "close"
        return RawRequest(method, path, headers, body)

    async def _read_body(self, headers: dict[str, str]) -> bytes:
        if headers.get("transfer-encoding", "").lower() != "chunked":
            return await self._reader.readexactly(int(headers.get("content-length", "0")))
        parts: list[bytes] = []
        while size := int((await self._reader.readuntil(b"\r\n")).split(b";")[0], 16):
            parts.append((await self._reader.readexactly(size + 2))[:-2])
        await self._reader.readuntil(b"\r\n")
        return b"".join(parts)

    async def respond(self, status: int, content_type: str, body: bytes, headers: dict[str, str] | None = None) -> None:
        """A whole response."""
        extra = {"content-type": content_type, "content-length": str(len(body)), **(headers or {})}
        await self.write(_head(status, extra) + body)

    async def start_stream(self, content_type: str, headers: dict[str, str] | None = None) -> None:
        """The head of a chunked response with status 200."""
        base = {"content-type": content_type, "cache-control": "no-cache", "transfer-encoding": "chunked"}
        await self.write(_head(200, base | (headers or {})))

    async def send_chunk(self, data: bytes, bytes_per_chunk: int = 0) -> None:
        """`data` as one chunk, or as many of `bytes_per_chunk` bytes, each flushed on its own."""
        if not bytes_per_chunk:
            await self.write(b"%x\r\n%b\r\n" % (len(data), data))
            return
        for start in range(0, len(data), bytes_per_chunk):
            piece = data[start : start + bytes_per_chunk]
            await self.write(b"%x\r\n%b\r\n" % (len(piece), piece))
            await asyncio.sleep(0)

    async def end_stream(self) -> None:
        await self.write(b"0\r\n\r\n")

    async def write(self, data: bytes) -> None:
        if self.closed.is_set():
            raise ClientGone
        self._writer.write(data)
        try:
            await self._writer.drain()
        except ConnectionError as error:
            raise ClientGone from error

    async def wait(self, seconds: float) -> None:
        """Sleep, but not past the client's leaving."""
        if seconds <= 0:
            return
        try:
            await asyncio.wait_for(self.closed.wait(), seconds)
        except TimeoutError:
            return
        raise ClientGone

    async def wait_event(self, event: asyncio.Event) -> None:
        """Wait until `event` is set or the client leaves."""
        tasks = [asyncio.ensure_future(event.wait()), asyncio.ensure_future(self.closed.wait())]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
        if self.closed.is_set():
            raise ClientGone

    def reset(self) -> None:
        """Close with a TCP reset instead of an orderly end."""
        self.keep_alive = False
        sock = self._writer.get_extra_info("socket")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._writer.transport.abort()

    def close(self) -> None:
        """Close after what is unsent has gone out."""
        self._writer.close()

    def abort(self) -> None:
        """Close at once and drop what is unsent."""
        self._writer.transport.abort()


def _head(status: int, headers: dict[str, str]) -> bytes:
    try:
        phrase = HTTPStatus(status).phrase
    except ValueError:
        phrase = "Unnamed"
    lines = [f"HTTP/1.1 {status} {phrase}", *(f"{name}: {value}" for name, value in headers.items())]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


async def listen(accept: Callable[[Connection], None], port: int = 0) -> asyncio.Server:
    """Listen on 127.0.0.1 and hand each connection to `accept`, which must see to it that it is closed."""

    def protocol() -> asyncio.StreamReaderProtocol:
        reader = _Reader()
        return asyncio.StreamReaderProtocol(reader, lambda _, writer: accept(Connection(reader, writer)))

    return await asyncio.get_running_loop().create_server(protocol, "127.0.0.1", port)
