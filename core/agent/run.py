"""The state of one run: what the loop, the request and the tool pipeline share."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass, field, replace

from core.agent.dispatcher import Dispatcher
from core.agent.events import (
    AgentEnd,
    AgentStart,
    Fault,
    MessageEnd,
    MessageStart,
    StopCause,
    TurnEnd,
    TurnStart,
)
from core.agent.hooks import AgentHooks, RunView, TurnChange
from core.agent.queues import MessageQueue
from core.agent.tools import AgentTool, spec_of
from core.ai.abort import AbortSignal
from core.ai.builder import MessageBuilder
from core.ai.errors import ErrorInfo
from core.ai.messages import AgentMessage, AssistantMessage, SystemMessage, ToolName, ToolResultMessage
from core.ai.model import Model, ModelRequest, RequestOptions
from core.ai.stream import StreamEvent

StreamFunction = Callable[[ModelRequest, AbortSignal], AsyncGenerator[StreamEvent, None]]
"""Answers a request with a stream of events; `core.ai.provider.stream_response` is one."""


@dataclass(slots=True)
class RunConfig:
    """What a run starts with; a turn hook may change model, level and tools on the way."""

    model: Model
    stream: StreamFunction
    tools: Sequence[AgentTool] = ()
    options: RequestOptions = field(default_factory=RequestOptions)
    hooks: AgentHooks = field(default_factory=AgentHooks)
    sequential_tools: bool = False
    abort_grace: float = 0.3
    """Seconds a tool has after an abort before its task is cancelled."""


class Run:
    """One run: transcript, queues, signal, and the pairing of turn and message events."""

    def __init__(
        self,
        config: RunConfig,
        history: Sequence[AgentMessage],
        dispatcher: Dispatcher,
        signal: AbortSignal,
        steering: MessageQueue,
        follow_up: MessageQueue,
    ) -> None:
        self.config = config
        self.messages: list[AgentMessage] = list(history)
        self.new_messages: list[AgentMessage] = []
        self.dispatcher = dispatcher
        self.signal = signal
        self.steering = steering
        self.follow_up = follow_up
        self.turn_open = False
        self.turns = 0
        self._carried: list[AgentMessage] = []
        self._open_message: AgentMessage | None = None

    @property
    def view(self) -> RunView:
        """What hooks see."""
        return RunView(self.messages, self.config.tools, self.config.model, self.signal)

    # Pairing

    async def begin(self) -> None:
        """Open the run."""
        await self.dispatcher.emit(AgentStart())

    async def fault(self, source: str, error: str) -> None:
        """Report a failing hook or barrier, and close the open turn with a failed reply that says so."""
        await self.dispatcher.emit(Fault(source=source, error=error))
        if self.turn_open:
            text = f"The run was stopped: {source}: {error}"
            reply = MessageBuilder(self.config.model).failed(ErrorInfo(kind="unknown", message=text)).error
            await self.end_message(reply)
            await self.end_turn(reply)

    async def end(self, cause: StopCause) -> None:
        """Close the run; claimed messages go back to waiting."""
        self.steering.unclaim()
        self.follow_up.unclaim()
        await self.dispatcher.emit(AgentEnd(messages=tuple(self.new_messages), cause=cause))

    async def begin_turn(self) -> None:
        """Open a turn."""
        self.dispatcher.turn_index = self.turns
        self.turns += 1
        self.turn_open = True
        await self.dispatcher.emit(TurnStart())

    async def end_turn(self, message: AssistantMessage, results: tuple[ToolResultMessage, ...] = ()) -> None:
        """Close the open turn."""
        self.turn_open = False
        await self.dispatcher.emit(TurnEnd(message=message, tool_results=results))

    # Messages

    async def start_message(self, message: AgentMessage) -> None:
        """Announce a message."""
        self._open_message = message
        await self.dispatcher.emit(MessageStart(message=message))

    async def end_message(self, message: AgentMessage) -> None:
        """Put a message into the transcript, then tell of it; the start is told first where it was not yet."""
        self.messages.append(message)
        self.new_messages.append(message)
        if self._open_message is None:
            await self.start_message(message)
        self._open_message = None
        await self.dispatcher.emit(MessageEnd(message=message))

    # Queues

    def claim_steering(self) -> int:
        """Decide which steering messages the next turn takes; none after an abort."""
        return 0 if self.signal.aborted else self.steering.claim()

    def claim_follow_up(self) -> int:
        """Decide which follow-up messages the next turn takes; none after an abort."""
        return 0 if self.signal.aborted else self.follow_up.claim()

    def carry(self, messages: Sequence[AgentMessage]) -> None:
        """Add messages of a hook to the next turn."""
        self._carried.extend(messages)

    async def inject(self) -> None:
        """Bring carried and claimed messages into the transcript; nothing moves after an abort."""
        while self._carried:
            await self.end_message(self._carried.pop(0))
        for queue in (self.steering, self.follow_up):
            while not self.signal.aborted and (message := queue.commit()) is not None:
                await self.end_message(message)

    # Changes by hooks

    def apply(self, change: TurnChange | None) -> None:
        """Take over what a hook wants changed from the next request on."""
        if change is None:
            return
        if change.model is not None:
            self.config.model = change.model
        if change.thinking_level is not None:
            self.config.options = replace(self.config.options, thinking_level=change.thinking_level)
        if change.tools is not None:
            update = _tool_update(self.config.tools, change.tools)
            self.config.tools = tuple(change.tools)
            if update is not None:
                self.carry((update,))
        self.carry(change.messages)


def _tool_update(old: Sequence[AgentTool], new: Sequence[AgentTool]) -> SystemMessage | None:
    known, wanted = {tool.name for tool in old}, {tool.name for tool in new}
    added = tuple(spec_of(tool) for tool in new if tool.name not in known)
    removed = tuple(ToolName(name=name) for name in sorted(known - wanted))
    if not added and not removed:
        return None
    return SystemMessage(tools_added=added or None, tools_removed=removed or None)
