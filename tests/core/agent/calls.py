"""A rig for one reply with calls, and a lock as tools have it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from core.agent.hooks import AgentHooks
from core.ai.messages import AssistantMessage, ToolCall
from core.ai.script import Call, call, say
from core.ai.wire import Json
from tests.core.agent.rig import FakeTool, Rig, asks

DONE = say("done")
NUMBER: dict[str, Json] = {
    "type": "object",
    "properties": {"n": {"type": "number"}, "list": {"type": "array"}},
    "required": ["n"],
}


def rig_with(tool: FakeTool, *calls: Call | str, before: Any = None, after: Any = None, **options: Any) -> Rig:
    """A rig whose model makes `calls` in its first turn."""
    asked = AgentHooks(before_tool_call=before, after_tool_call=after)
    return Rig(asks(*calls), DONE, tools=[tool], hooks=asked, **options)


def first_call(rig: Rig) -> ToolCall:
    """The first call of the transcript."""
    replies = [message for message in rig.agent.state.messages if isinstance(message, AssistantMessage)]
    return replies[0].tool_calls[0]


def first_reply(rig: Rig) -> AssistantMessage:
    """The first reply of the transcript."""
    return next(message for message in rig.agent.state.messages if isinstance(message, AssistantMessage))


class Lane:
    """A lock as tools have it: calls that touch the same thing go one after another, in the order of reservation."""

    def __init__(self, *, fails: bool = False) -> None:
        self.queue: list[Ticket] = []
        self.fails = fails

    @property
    def held(self) -> int:
        """How many tickets were not given back."""
        return len(self.queue)

    def reserve(self, arguments: Mapping[str, Json]) -> Ticket:
        ticket = Ticket(self, arguments.get("path"))
        self.queue.append(ticket)
        return ticket


class Ticket:
    """A place in the lane."""

    def __init__(self, lane: Lane, path: Json) -> None:
        self.lane = lane
        self.path = path
        self.released = asyncio.Event()

    async def acquire(self) -> None:
        if self.lane.fails:
            raise RuntimeError("no lane")
        earlier = self.lane.queue[: self.lane.queue.index(self)]
        for ticket in earlier:
            if ticket.path == self.path:
                await ticket.released.wait()

    def release(self) -> None:
        self.released.set()
        if self in self.lane.queue:
            self.lane.queue.remove(self)


def on(path: str, call_id: str) -> Call:
    """A call that touches `path`."""
    return call("work", {"path": path}, id=call_id)
