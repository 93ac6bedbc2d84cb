"""Entries of a session file: one JSON object per line, linked into a tree by `parentId`.

The layout is pi's version 3. An entry keeps the object it was read from, so that unknown types and keys survive.
"""

from __future__ import annotations

import secrets
import time
import uuid
from collections.abc import Container
from dataclasses import dataclass, field
from datetime import UTC, datetime

from pydantic import ValidationError

from core.ai.messages import AgentMessage, parse_message
from core.ai.wire import Json

SESSION_VERSION = 3


@dataclass(slots=True)
class Entry:
    """One line after the header. `data` is the JSON object as it stands on disk; do not change it."""

    id: str
    parent_id: str | None
    type: str
    data: dict[str, Json]
    _message: AgentMessage | None = field(default=None, repr=False)
    _parsed: bool = field(default=False, repr=False)

    @classmethod
    def of(cls, data: dict[str, Json]) -> Entry:
        """Return the entry of a JSON object read from a file."""
        parent = data.get("parentId")
        return cls(str(data.get("id", "")), parent if isinstance(parent, str) else None, str(data["type"]), data)

    @property
    def timestamp(self) -> str:
        """ISO 8601 with milliseconds and Z."""
        return str(self.data.get("timestamp", ""))

    @property
    def message(self) -> AgentMessage | None:
        """The typed message of a `message` entry; None for other types and for shapes that are not known."""
        if not self._parsed:
            self._parsed = True
            if self.type == "message":
                try:
                    self._message = parse_message(self.data.get("message"))
                except ValidationError:
                    self._message = None
        return self._message


@dataclass(frozen=True, slots=True)
class Header:
    """Line 1 of a session file. `cwd` never changes for a session."""

    id: str
    timestamp: str
    cwd: str
    parent_session: str | None = None
    data: dict[str, Json] | None = None
    """The object as read, with keys that are not known here."""

    def to_wire(self) -> dict[str, Json]:
        """Return the JSON object."""
        if self.data is not None:
            return self.data
        out: dict[str, Json] = {
            "type": "session",
            "version": SESSION_VERSION,
            "id": self.id,
            "timestamp": self.timestamp,
            "cwd": self.cwd,
        }
        if self.parent_session is not None:
            out["parentSession"] = self.parent_session
        return out


def iso_now() -> str:
    """Return the current time as entries carry it: ISO 8601, milliseconds, Z."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def new_entry_id(taken: Container[str]) -> str:
    """Return 8 hex digits that are not in `taken`; a whole UUID should that fail a hundred times."""
    for _ in range(100):
        candidate = secrets.token_hex(4)
        if candidate not in taken:
            return candidate
    return str(uuid.uuid4())


def new_session_id() -> str:
    """Return a UUIDv7 (RFC 9562, section 5.7): sortable by time."""
    milliseconds = time.time_ns() // 1_000_000
    value = (milliseconds & (1 << 48) - 1) << 80 | secrets.randbits(80)
    value = value & ~(0xF << 76) | 0x7 << 76
    value = value & ~(0x3 << 62) | 0x2 << 62
    return str(uuid.UUID(int=value))
