"""An agent on a scripted model, with tools that a test drives, and its events in a notation that reads at a glance.

Notation: AS AE TS TE are the start and end of run and turn; M(text) is start and end of a message, A(stop) of a reply
with that stop reason (its updates are part of it), XS1 XU1 XE1 are start, update and end of the call with the id 1, `!`
marks an error, F(source) a fault. Results show as M(r1). With details, TE lists the results: TE[r1,r2!].
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from core.agent.agent import Agent
from core.agent.events import (
    AgentEnd,
    EventBase,
    Fault,
    MessageEnd,
    MessageStart,
    MessageUpdate,
    ToolExecutionEnd,
    ToolExecutionStart,
    ToolExecutionUpdate,
    TurnEnd,
)
from core.agent.hooks import AgentHooks
from core.agent.tools import AgentTool, Reservation, ToolInvocation, ToolResult
from core.ai.abort import AbortSignal
from core.ai.messages import AgentMessage, AssistantMessage, TextContent, ToolResultMessage, UserMessage
from core.ai.model import ModelRequest
from core.ai.provider import stream_response
from core.ai.script import Call, Reply, call, say
from core.ai.scripted import ReplyMaker, ScriptedProvider, scripted_model
from core.ai.stream import StreamEvent
from core.ai.wire import Json

MODEL = scripted_model(id="model-a")
OTHER_MODEL = scripted_model(id="model-b")

Behaviour = Callable[[ToolInvocation], Awaitable[ToolResult]]


async def says_ok(invocation: ToolInvocation) -> ToolResult:
    """The default behaviour of a tool."""
    return ToolResult.text(f"ok {invocation.call_id}")


async def boom(invocation: ToolInvocation) -> ToolResult:
    """A tool that breaks."""
    raise RuntimeError("it broke")


async def ends_the_run(invocation: ToolInvocation) -> ToolResult:
    """A tool after which the model is not asked again."""
    return ToolResult(content=ToolResult.text("bye").content, terminate=True)


@dataclass(eq=False)
class FakeTool:
    """A tool that does what a test says; `seen` are its invocations."""

    name: str = "work"
    behaviour: Behaviour = says_ok
    execution_mode: Literal["parallel", "sequential"] = "parallel"
    parameters: dict[str, Json] = field(default_factory=lambda: {"type": "object"})
    prepare: Callable[[dict[str, Json]], dict[str, Json]] = lambda raw: raw
    reserving: Callable[[Mapping[str, Json]], Reservation | None] = lambda arguments: None
    seen: list[ToolInvocation] = field(default_factory=list)
    description: str = "Works"

    @property
    def label(self) -> str:
        return self.name.title()

    def prepare_arguments(self, raw: dict[str, Json]) -> dict[str, Json]:
        return self.prepare(raw)

    def reserve(self, arguments: Mapping[str, Json]) -> Reservation | None:
        return self.reserving(arguments)

    async def execute(self, call: ToolInvocation) -> ToolResult:
        self.seen.append(call)
        return await self.behaviour(call)

    @property
    def ids(self) -> list[str]:
        """The ids of the calls that ran, in the order in which they began."""
        return [invocation.call_id for invocation in self.seen]


class Doors:
    """Lets a test decide when each call of a tool ends: `behaviour` waits for its call id to be opened."""

    def __init__(self) -> None:
        self._begun: dict[str, asyncio.Event] = {}
        self._open: dict[str, asyncio.Event] = {}

    async def begun(self, call_id: str) -> None:
        """Return when the call has begun."""
        await self._begun.setdefault(call_id, asyncio.Event()).wait()

    def open(self, *call_ids: str) -> None:
        """Let calls end."""
        for call_id in call_ids:
            self._open.setdefault(call_id, asyncio.Event()).set()

    async def behaviour(self, invocation: ToolInvocation) -> ToolResult:
        self._begun.setdefault(invocation.call_id, asyncio.Event()).set()
        await self._open.setdefault(invocation.call_id, asyncio.Event()).wait()
        return await says_ok(invocation)

    async def polite(self, invocation: ToolInvocation) -> ToolResult:
        """The same, but an abort ends it with an error."""
        opened = asyncio.ensure_future(self.behaviour(invocation))
        aborted = asyncio.ensure_future(invocation.signal.wait())
        await asyncio.wait({opened, aborted}, return_when=asyncio.FIRST_COMPLETED)
        done = opened.done()
        for task in (opened, aborted):
            task.cancel()
        await asyncio.wait({opened, aborted})
        return opened.result() if done else ToolResult.error("stopped")


class Rig:
    """An agent whose events are collected in `events`. `agent_options` go to Agent."""

    def __init__(self, *replies: Reply | ReplyMaker, tools: Sequence[AgentTool] = (), **agent_options: Any) -> None:
        self.provider = ScriptedProvider(replies)
        options: dict[str, Any] = {"stream": self._stream, "tools": tools, **agent_options}
        self.agent = Agent(MODEL, **options)
        self.events: list[EventBase] = []
        self.agent.subscribe(self.events.append)

    def _stream(self, request: ModelRequest, signal: AbortSignal) -> AsyncGenerator[StreamEvent, None]:
        return stream_response(self.provider, request, signal)

    @property
    def sequence(self) -> str:
        """All events so far in the notation."""
        return notate(self.events)

    @property
    def end(self) -> AgentEnd:
        """The last agent_end."""
        return next(event for event in reversed(self.events) if isinstance(event, AgentEnd))

    @property
    def last(self) -> AgentMessage:
        """The last message of the transcript."""
        return self.agent.state.messages[-1]

    def requests(self) -> list[list[str]]:
        """The messages of each request, as labels."""
        return [[label(message) for message in request.messages] for request in self.provider.requests]

    def results(self) -> list[ToolResultMessage]:
        """The tool results of the transcript."""
        return [message for message in self.agent.state.messages if isinstance(message, ToolResultMessage)]

    def on(self, kind: str, action: Callable[[Any], object], *, times: int = 1) -> None:
        """Call `action(event)` from a listener at the first events of type `kind`."""
        left = [times]

        def listener(event: EventBase) -> None:
            if getattr(event, "type", "") == kind and left[0]:
                left[0] -= 1
                action(event)

        self.agent.subscribe(listener)


def hooks(**named: Any) -> AgentHooks:
    """Return hooks by name, of whatever type."""
    return AgentHooks(**named)


def asks(*calls: Call | str, text: str = "", tool: str = "work") -> Reply:
    """A reply with calls; a string is the id of a call of `tool` without arguments."""
    return say(text, *(call(tool, id=item) if isinstance(item, str) else item for item in calls))


def text_of(message: AgentMessage) -> str:
    """The text of a message, whatever its role."""
    content = getattr(message, "content", "")
    if isinstance(content, str):
        return content
    return "".join(block.text for block in content if isinstance(block, TextContent))


def label(message: AgentMessage) -> str:
    """`A(stop)` for a reply, `r1!` for a result, the text for anything else."""
    if isinstance(message, AssistantMessage):
        return f"A({message.stop_reason})"
    if isinstance(message, ToolResultMessage):
        return f"r{message.tool_call_id}{'!' if message.is_error else ''}"
    if isinstance(message, UserMessage):
        return text_of(message)
    return message.role


def notate(events: Sequence[EventBase], *, details: bool = False) -> str:
    """Return `events` in the notation. Broken pairs show: Ms(...) is a start without its end, Me(...) an end."""
    out: list[str] = []
    begun: AgentMessage | None = None
    for event in events:
        if isinstance(event, MessageStart):
            begun = event.message
            out.append(f"Ms({label(event.message)})")
        elif isinstance(event, MessageUpdate):
            if begun is None:
                out.append("U")
        elif isinstance(event, MessageEnd):
            mark = label(event.message)
            if begun is not None and begun.role == event.message.role and out and out[-1] == f"Ms({label(begun)})":
                out[-1] = mark if isinstance(event.message, AssistantMessage) else f"M({mark})"
            else:
                out.append(f"Me({mark})")
            begun = None
        else:
            out.append(_mark(event, details))
    return " ".join(out)


def _mark(event: EventBase, details: bool) -> str:
    if isinstance(event, ToolExecutionStart):
        return f"XS{event.tool_call_id}"
    if isinstance(event, ToolExecutionUpdate):
        return f"XU{event.tool_call_id}"
    if isinstance(event, ToolExecutionEnd):
        return f"XE{event.tool_call_id}{'!' if event.is_error else ''}"
    if isinstance(event, Fault):
        return f"F({event.source})"
    if isinstance(event, TurnEnd) and details:
        return f"TE[{','.join(label(result) for result in event.tool_results)}]"
    kind = getattr(event, "type", "?")
    return {"agent_start": "AS", "agent_end": "AE", "turn_start": "TS", "turn_end": "TE"}.get(kind, kind)


async def spin(times: int = 20) -> None:
    """Let everything that is ready go on."""
    for _ in range(times):
        await asyncio.sleep(0)
