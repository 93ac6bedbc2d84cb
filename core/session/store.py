"""A session file: read tolerantly, written append-only.

Nothing reaches the disk before the first user or assistant message, so that a session in which nothing was said leaves
no file. From then on each entry is one write of one line. A file that was removed meanwhile is written anew as a whole.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic_core import from_json

from core.ai.messages import AgentMessage
from core.ai.wire import Json, json_line
from core.session.entries import Entry, Header, iso_now, new_entry_id

if TYPE_CHECKING:
    from aiofiles.threadpool.binary import AsyncFileIO

MAX_HEADER_BYTES = 1 << 20


class SessionFileError(Exception):
    """The file is not a session; the text names it and says why."""


def read_header(path: Path) -> Header | None:
    """Return the header of a session file; None when the file is empty. Raises SessionFileError and OSError."""
    with path.open("rb") as file:
        for line in iter(lambda: file.readline(MAX_HEADER_BYTES), b""):
            if line.strip():
                return _header_of(_parse(line), path)
    return None


def _header_of(data: Json, path: Path) -> Header:
    if not isinstance(data, dict) or data.get("type") != "session" or not isinstance(data.get("id"), str):
        raise SessionFileError(
            f"{path} is not a valid session file: its first line must be a session header with an id"
        )
    version = data.get("version", 1)
    if version != 3:
        raise SessionFileError(f"{path} is a version {version} session file; only version 3 is supported yet")
    cwd = data.get("cwd")
    return Header(data["id"], str(data.get("timestamp", "")), cwd if isinstance(cwd, str) else "", None, data)


def _parse(line: bytes) -> Json:
    try:
        return from_json(line)
    except ValueError:
        pass
    # The fast parser refuses unpaired surrogates; the standard one reads them.
    try:
        return json.loads(line)
    except ValueError:
        return None


class SessionStore:
    """Header and entries of one session, in memory and, unless `path` is None, on disk.

    The leaf is the entry that the next one is appended to; after loading it is the last line of the file.
    """

    def __init__(self, header: Header, path: Path | None) -> None:
        self.header = header
        self.path = path
        self.entries: list[Entry] = []
        self.by_id: dict[str, Entry] = {}
        self.leaf: str | None = None
        self.skipped_lines = 0
        """Lines that were no JSON objects with a type; they stay in the file."""
        self._written = 0
        """How many entries stand on disk."""
        self._exists = False
        self._lock = asyncio.Lock()

    @classmethod
    def load(cls, path: Path) -> SessionStore | None:
        """Return the session of a file; None when it is empty. Raises SessionFileError and OSError.

        Lines are split at LF alone; blank, malformed and unknown lines do no harm.
        """
        lines = [line for line in path.read_bytes().split(b"\n") if line.strip()]
        if not lines:
            return None
        store = cls(_header_of(_parse(lines[0].removeprefix(b"\xef\xbb\xbf")), path), path)
        for line in lines[1:]:
            data = _parse(line)
            if isinstance(data, dict) and isinstance(data.get("type"), str) and isinstance(data.get("id"), str):
                store._add(Entry.of(data))
            else:
                store.skipped_lines += 1
        store._exists = True
        store._written = len(store.entries)
        return store

    def _add(self, entry: Entry) -> None:
        self.entries.append(entry)
        self.by_id[entry.id] = entry
        self.leaf = entry.id

    def append(self, type: str, fields: dict[str, Json]) -> Entry:
        """Add an entry below the leaf, in memory; `flush` writes it."""
        entry_id = new_entry_id(self.by_id)
        data = {"type": type, "id": entry_id, "parentId": self.leaf, "timestamp": iso_now(), **fields}
        entry = Entry.of(data)
        self._add(entry)
        return entry

    def append_message(self, message: AgentMessage) -> Entry:
        """Add a message entry below the leaf."""
        entry = self.append("message", {"message": message.to_wire()})
        entry._message, entry._parsed = message, True
        return entry

    @property
    def _worth_writing(self) -> bool:
        return any(
            entry.type == "message" and entry.data["message"].get("role") in ("user", "assistant")
            for entry in self.entries
        )

    async def flush(self) -> None:
        """Write what is not on disk yet. Raises OSError; the entries then stay pending and the next call tries again.

        Each call is one write, so that another reader never sees half a batch of lines unless the disk fills up.
        """
        if self.path is None:
            return
        async with self._lock:
            if not self._exists and not self._worth_writing:
                return
            pending = self.entries[self._written :]
            if not pending:
                return
            count = len(self.entries)
            await asyncio.shield(asyncio.ensure_future(self._write(self.path, pending)))
            self._exists = True
            self._written = count

    async def _write(self, path: Path, pending: Sequence[Entry]) -> None:
        if not self._exists:
            await create_file(path, self._whole())
        elif await asyncio.to_thread(self._still_ours, path):
            await append_block(path, b"".join(json_line(entry.data) for entry in pending))
        else:
            # Removed or replaced while we ran: nobody's file is touched, ours is written anew as a whole.
            self.path = await asyncio.to_thread(_free_name, path)
            await create_file(self.path, self._whole())

    def _whole(self) -> bytes:
        return json_line(self.header.to_wire()) + b"".join(json_line(entry.data) for entry in self.entries)

    def _still_ours(self, path: Path) -> bool:
        try:
            header = read_header(path)
        except (OSError, SessionFileError):
            return False
        return header is not None and header.id == self.header.id


def _free_name(path: Path) -> Path:
    candidate, count = path, 0
    while candidate.exists():
        count += 1
        candidate = path.with_name(f"{path.stem}-{count}{path.suffix}")
    return candidate


def make_private_folder(folder: Path) -> None:
    """Create `folder` and what is missing above it, for its owner alone. Raises OSError."""
    for missing in reversed([folder, *folder.parents]):
        if not missing.exists():
            missing.mkdir(mode=0o700, exist_ok=True)


async def create_file(path: Path, block: bytes) -> None:
    """Create a file that only its owner can read, with `block` as its content. Raises OSError; leaves no part."""
    import aiofiles.os  # at the first message, not at start

    make_private_folder(path.parent)
    async with aiofiles.open(path, "xb", buffering=0, opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
        try:
            await _write_all(file, block)
        except OSError:
            await aiofiles.os.remove(path)
            raise


async def append_block(path: Path, block: bytes) -> None:
    """Append whole lines; a last line without an end gets one first. Raises OSError.

    Where the disk fills up half a line may stay; it is never cut off again, since another process may have gone on
    behind it. Readers pass over it.
    """
    import aiofiles

    async with aiofiles.open(path, "ab+", buffering=0) as file:
        size = await file.seek(0, os.SEEK_END)
        if size:
            await file.seek(size - 1)
            if await file.read(1) != b"\n":
                block = b"\n" + block
        await _write_all(file, block)


async def _write_all(file: AsyncFileIO, block: bytes) -> None:
    view = memoryview(block)
    while view:
        view = view[await file.write(view) :]
