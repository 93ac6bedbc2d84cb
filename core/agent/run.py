"""The state of one run: what the loop, the request and the tool pipeline share."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar, get_args

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
from core.agent.guard import guarded
from core.agent.hooks import AgentHooks, ConvertToLlm, RunView, TurnChange
from core.agent.limits import LimitWatch, RunLimits
from core.agent.queues import MessageQueue
from core.agent.tools import AgentTool, spec_of
from core.ai.abort import AbortSignal
from core.ai.builder import MessageBuilder
from core.ai.errors import ErrorInfo
from core.ai.messages import (
    AgentMessage,
    AssistantMessage,
    LlmMessage,
    SystemMessage,
    ToolName,
    ToolResultMessage,
)
from core.ai.model import Model, ModelRequest, RequestOptions
from core.ai.stream import StreamEvent

StreamFunction = Callable[[ModelRequest, AbortSignal], AsyncGenerator[StreamEvent, None]]
"""Answers a request with a stream of events; `core.ai.provider.stream_response` is one."""

T = TypeVar("T")

MESSAGE_TYPES: tuple[type, ...] = get_args(get_args(AgentMessage)[0])


@dataclass(slots=True)
class RunConfig:
    """What a run starts with; a turn hook may change model, level and tools on the way."""

    model: Model
    stream: StreamFunction
    tools: Sequence[AgentTool] = ()
    options: RequestOptions = field(default_factory=RequestOptions)
    hooks: AgentHooks = field(default_factory=AgentHooks)
    sequential_tools: bool = False
    limits: RunLimits = field(default_factory=RunLimits)


class Run:
    """One run: transcript, queues, signal, and the pairing of turn and message events.

    Everything that must stop the run goes through its abort signal, so that it always ends on the same way: each call
    gets a result, each start its end. `failure` tells a broken barrier from a person's abort.
    """

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
        self.failure = ""
        self.turn_open = False
        self.turns = 0
        self.limits = LimitWatch(config.limits)
        self._carried: list[AgentMessage] = []
        self._converted: list[LlmMessage] = []
        self._converted_count = 0
        self._open_message: AgentMessage | None = None

    @property
    def view(self) -> RunView:
        """What hooks see."""
        return RunView(self.messages, self.config.tools, self.config.model, self.signal)

    async def ask(self, hook: Awaitable[T]) -> T:
        """Return what a hook returns or raise what it raises; Interrupted when an abort cuts it short."""
        return await guarded(hook, self.signal, self.config.limits.abort_grace)

    def fail(self, text: str) -> None:
        """Stop the run because a barrier is broken."""
        if not self.failure:
            self.failure = f"The run was stopped: {text}"
            self.signal.abort(self.failure)

    # Pairing

    async def begin(self) -> None:
        """Open the run."""
        await self.dispatcher.emit(AgentStart())

    async def fault(self, source: str, error: str) -> None:
        """Report a failing hook."""
        await self.dispatcher.emit(Fault(source=source, error=error))

    async def end(self, cause: StopCause) -> StopCause:
        """Close the run and return why it ended; claimed messages go back to waiting."""
        self.steering.unclaim()
        self.follow_up.unclaim()
        if self.turn_open:  # only after an exception that nothing here expects
            reply = self.stopped_reply(MessageBuilder(self.config.model))
            await self.end_message(reply)
            await self.end_turn(reply)
        if self.failure:
            cause = "error"
        elif self.signal.aborted:
            cause = "aborted"
        await self.dispatcher.emit(AgentEnd(messages=tuple(self.new_messages), cause=cause))
        return "error" if self.failure else cause

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

    def stopped_reply(self, reply: MessageBuilder) -> AssistantMessage:
        """Return the reply of a turn that did not come to its own."""
        if self.signal.aborted:
            return reply.aborted(self.signal.reason).error
        return reply.failed(ErrorInfo(kind="unknown", message="The run ended in the middle of a turn")).error

    def converted(self, convert: ConvertToLlm) -> tuple[LlmMessage, ...]:
        """Return the transcript as `convert` makes it; each message is converted only once."""
        self._converted.extend(convert(self.messages[self._converted_count :]))
        self._converted_count = len(self.messages)
        return tuple(self._converted)

    # Queues

    def claim_steering(self) -> int:
        """Decide which steering messages the next turn takes; none after an abort."""
        return 0 if self.signal.aborted else self.steering.claim()

    def claim_follow_up(self) -> int:
        """Decide which follow-up messages the next turn takes; none after an abort."""
        return 0 if self.signal.aborted else self.follow_up.claim()

    @property
    def carries(self) -> bool:
        """True when messages of a hook wait for the next turn."""
        return bool(self._carried)

    def carry(self, messages: Sequence[AgentMessage]) -> None:
        """Add messages of a hook to the next turn. Raises TypeError for what is no message."""
        for message in messages:
            if not isinstance(message, MESSAGE_TYPES):
                raise TypeError(f"A transcript takes messages, not {type(message).__name__}")
        self._carried.extend(messages)

    async def inject(self) -> None:
        """Bring carried and claimed messages into the transcript; after an abort the claimed ones keep waiting."""
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
        if change.context is not None:
            self.messages = list(change.context)
            self._converted, self._converted_count = [], 0
        if change.tools is not None:
            update = _tool_update(self.config.tools, change.tools)
            self.config.tools = tuple(change.tools)
            if update is not None:
                self.carry((update,))
        self.carry(change.messages)


def _tool_update(old: Sequence[AgentTool], new: Sequence[AgentTool]) -> SystemMessage | None:
    """Return the system message that declares new and changed tools and withdraws the others."""
    known = {tool.name: spec_of(tool) for tool in old}
    specs = [spec_of(tool) for tool in new]
    added = tuple(spec for spec in specs if known.get(spec.name) != spec)
    removed = tuple(ToolName(name=name) for name in sorted(known.keys() - {spec.name for spec in specs}))
    if not added and not removed:
        return None
    return SystemMessage(tools_added=added or None, tools_removed=removed or None)
