"""What the scripted server remembers of a model request."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from pydantic import JsonValue

from tests.support.script import Api, JsonObject, Reply


@dataclass(eq=False)
class Request:
    """One model request and what became of it. Times are `time.monotonic()` seconds (one clock for all processes)."""

    number: int
    api: Api
    path: str
    headers: dict[str, str]
    body: JsonObject
    at: float
    problem: str | None = None
    """Why the server refused it with 400, if it did."""
    reply: Reply | None = None
    closed_early: bool = False
    """The client left before the response was complete."""
    first_delta_at: float = 0.0
    last_delta_at: float = 0.0
    deltas_sent: int = 0
    finished: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def messages(self) -> list[JsonObject]:
        """`body["messages"]`."""
        value = self.body.get("messages")
        return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []

    @property
    def roles(self) -> list[str]:
        return [str(message.get("role")) for message in self.messages]

    def text_of(self, index: int) -> str:
        """All text of message `index`, tool results included, joined by newlines."""
        return "\n".join(_texts(self.messages[index].get("content")))

    @property
    def text(self) -> str:
        """All text of all messages."""
        return "\n".join(self.text_of(index) for index in range(len(self.messages)))

    def record(self) -> JsonObject:
        """The request as JSON, for a server in another process."""
        return {
            "number": self.number,
            "api": self.api,
            "path": self.path,
            "headers": dict(self.headers),
            "body": self.body,
            "at": self.at,
            "problem": self.problem,
            "closed_early": self.closed_early,
            "first_delta_at": self.first_delta_at,
            "last_delta_at": self.last_delta_at,
            "deltas_sent": self.deltas_sent,
            "finished": self.finished.is_set(),
        }


def _texts(content: JsonValue) -> list[str]:
    if isinstance(content, str):
        return [content]
    if not isinstance(content, list):
        return []
    found: list[str] = []
    for block in content:
        if isinstance(block, dict):
            found.extend(_texts(block.get("text")) or _texts(block.get("content")))
    return found
