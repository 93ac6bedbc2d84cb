"""A session over a scripted provider, for tests."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Literal

from core.agent.events import EventBase
from core.agent.tools import Reservation, ToolInvocation, ToolResult
from core.ai.messages import UserMessage
from core.ai.model import Model
from core.ai.provider import stream_response
from core.ai.script import Reply
from core.ai.scripted import ReplyMaker, ScriptedProvider
from core.ai.wire import Json
from core.session.agent_session import AgentSession, SessionConfig, text_of
from core.session.entries import Header, iso_now
from core.session.retry import RetryPolicy
from core.session.store import SessionStore

MODEL = Model(id="m", name="m", api="scripted", provider="scripted")


class GateTool:
    """A tool that waits until the test lets it go."""

    name = label = "gate"
    description = "Waits"
    execution_mode: Literal["parallel", "sequential"] = "parallel"

    def __init__(self) -> None:
        self.running = asyncio.Event()
        self.go = asyncio.Event()

    @property
    def parameters(self) -> dict[str, Json]:
        return {"type": "object", "properties": {}}

    def prepare_arguments(self, raw: dict[str, Json]) -> dict[str, Json]:
        return raw

    def reserve(self, arguments: Mapping[str, Json]) -> Reservation | None:
        return None

    async def execute(self, call: ToolInvocation) -> ToolResult:
        self.running.set()
        await self.go.wait()
        return ToolResult.text("done")


class Rig:
    """The session, what its provider was asked, and every event."""

    def __init__(
        self,
        replies: Sequence[Reply | ReplyMaker] | ReplyMaker,
        *,
        path: Path | None = None,
        store: SessionStore | None = None,
        tools: Sequence[GateTool] = (),
        retry: RetryPolicy | None = None,
        sections: Callable[[], Mapping[str, str]] = dict,
    ) -> None:
        self.provider = ScriptedProvider(replies)
        self.store = store or SessionStore(Header("s1", iso_now(), "/tmp"), path)
        config = SessionConfig(
            model=MODEL,
            stream=lambda request, signal: stream_response(self.provider, request, signal),
            tools=tools,
            prompt_sections=sections,
            retry=retry or RetryPolicy(base_delay=0.0),
        )
        self.session = AgentSession(self.store, config)
        self.events: list[EventBase] = []
        self.session.subscribe(self.events.append)

    def types(self) -> list[str]:
        """Event types in order, block events left out."""
        names = [str(event.to_wire()["type"]) for event in self.events]
        return [name for name in names if name != "message_update"]

    async def until(self, condition: Callable[[], bool]) -> None:
        """Let the loop run until `condition` holds."""
        for _ in range(10_000):
            if condition():
                return
            await asyncio.sleep(0)
        raise AssertionError("the condition never held")

    def asked(self, index: int = -1) -> list[str]:
        """User texts of a request, in order."""
        messages = self.provider.requests[index].messages
        return [text_of(message) for message in messages if isinstance(message, UserMessage)]


def user(text: str) -> UserMessage:
    """A typed message."""
    return UserMessage.of(text)


def lines(path: Path) -> list[dict[str, Json]]:
    """The records of a session file."""
    return [json.loads(line) for line in path.read_bytes().splitlines()]
