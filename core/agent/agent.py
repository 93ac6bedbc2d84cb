"""`Agent`: a transcript, two queues and one run at a time."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace

from core.agent.dispatcher import Dispatcher
from core.agent.events import (
    EventBase,
    MessageEnd,
    MessageStart,
    StopCause,
    ToolExecutionEnd,
    ToolExecutionStart,
    TurnEnd,
)
from core.agent.hooks import AgentHooks
from core.agent.loop import run_loop
from core.agent.queues import MessageQueue, QueueMode
from core.agent.run import Run, RunConfig, StreamFunction
from core.agent.tools import AgentTool
from core.ai.abort import AbortSignal
from core.ai.messages import AgentMessage, AssistantMessage, ImageContent, SystemMessage, ThinkingLevel, UserMessage
from core.ai.model import Model, RequestOptions


class AgentBusy(RuntimeError):
    """A run is active: steer, queue a follow-up, or wait for idle."""


class NothingToContinue(RuntimeError):
    """The transcript ends with a reply and no message waits."""


@dataclass(slots=True)
class AgentState:
    """What an agent knows. `model`, `thinking_level` and `tools` are read when a run starts."""

    model: Model
    thinking_level: ThinkingLevel = "off"
    tools: Sequence[AgentTool] = ()
    messages: list[AgentMessage] = field(default_factory=list)
    is_streaming: bool = False
    streaming_message: AgentMessage | None = None
    pending_tool_calls: frozenset[str] = frozenset()
    error_message: str | None = None
    last_cause: StopCause | None = None


class Agent:
    """Runs prompts against a model with tools, and tells subscribers what happens.

    Subscribers get every event in one order and are awaited one by one; `state` already holds what an event says when
    they see it. One run at a time: `prompt` and `continue_` raise AgentBusy while one is active.
    """

    def __init__(
        self,
        model: Model,
        stream: StreamFunction,
        *,
        system_prompt: str = "",
        tools: Sequence[AgentTool] = (),
        messages: Sequence[AgentMessage] = (),
        options: RequestOptions | None = None,
        hooks: AgentHooks | None = None,
        steering_mode: QueueMode = "one-at-a-time",
        follow_up_mode: QueueMode = "one-at-a-time",
        sequential_tools: bool = False,
    ) -> None:
        base = [SystemMessage(content=system_prompt, timestamp=0)] if system_prompt else []
        self.state = AgentState(model, tools=tuple(tools), messages=[*base, *messages])
        self.options = options or RequestOptions()
        self.hooks = hooks or AgentHooks()
        self.sequential_tools = sequential_tools
        self.steering = MessageQueue(steering_mode)
        self.follow_ups = MessageQueue(follow_up_mode)
        self._stream = stream
        self._dispatcher = Dispatcher()
        self._dispatcher.subscribe(self._reduce, barrier=True)
        self._signal: AbortSignal | None = None
        self._run: asyncio.Task[StopCause] | None = None

    # Subscribing

    def subscribe(
        self, listener: Callable[..., Awaitable[None] | None], *, barrier: bool = False
    ) -> Callable[[], bool]:
        """Call `listener(event)` for each event; returns a function that unsubscribes.

        A barrier subscriber sees each event before the others and fails the run when it raises.
        """
        return self._dispatcher.subscribe(listener, barrier=barrier)

    def post(self, event: EventBase) -> None:
        """Deliver an event of the host in order with those of the run, without waiting."""
        self._dispatcher.post(event)

    async def emit(self, event: EventBase) -> None:
        """Deliver an event of the host and wait until all subscribers are done with it."""
        await self._dispatcher.emit(event)

    async def flush(self) -> None:
        """Return when everything posted so far was delivered."""
        await self._dispatcher.flush()

    # Running

    async def prompt(
        self, prompt: str | AgentMessage | Sequence[AgentMessage], images: Sequence[ImageContent] = ()
    ) -> None:
        """Run until nothing is left to do. Failures of the model are in the transcript, not raised.

        Cancelling the caller aborts the run; it ends with all its events before the cancellation goes on.
        """
        if isinstance(prompt, str):
            prompts: list[AgentMessage] = [UserMessage.of(prompt, tuple(images))]
        else:
            prompts = list(prompt) if isinstance(prompt, Sequence) else [prompt]
        await self._start(prompts, poll_first=True)

    async def continue_(self) -> None:
        """Run on from the transcript as it stands; after a reply, from what waits in the queues.

        Raises NothingToContinue when there is nothing to answer.
        """
        self._refuse_when_busy()
        tail = self.state.messages[-1] if self.state.messages else None
        if tail is None or isinstance(tail, SystemMessage):
            raise NothingToContinue("The transcript has no message to answer")
        if not isinstance(tail, AssistantMessage):
            await self._start([], poll_first=True)
            return
        for queue in (self.steering, self.follow_ups):
            if queue.claim():
                prompts = []
                while (message := queue.commit()) is not None:
                    prompts.append(message)
                await self._start(prompts, poll_first=queue is not self.steering)
                return
        raise NothingToContinue("The transcript ends with a reply and no message waits")

    def steer(self, message: AgentMessage) -> None:
        """Queue a message for the next turn of the run (or of the next run)."""
        self.steering.push(message)

    def follow_up(self, message: AgentMessage) -> None:
        """Queue a message for the moment when the run would end."""
        self.follow_ups.push(message)

    def abort(self, reason: str = "Aborted") -> None:
        """Stop the active run: stream, tools and waits. Does nothing when idle; queues stay as they are."""
        if self._signal is not None:
            self._signal.abort(reason)

    def take_queues(self, *, claimed: bool = False) -> tuple[tuple[AgentMessage, ...], tuple[AgentMessage, ...]]:
        """Remove and return what waits: steering, follow-ups. `claimed` as in MessageQueue.take."""
        return self.steering.take(claimed=claimed), self.follow_ups.take(claimed=claimed)

    @property
    def signal(self) -> AbortSignal | None:
        """The abort signal of the active run."""
        return self._signal

    async def wait_for_idle(self) -> None:
        """Return when no run is active. Never raises for the run's failures. Not to be called by a subscriber."""
        while self._run is not None and not self._run.done():
            await asyncio.wait({self._run})

    def reset(self) -> None:
        """Forget messages and queues; leading system messages stay. Raises AgentBusy while a run is active."""
        self._refuse_when_busy()
        self.state.messages = [message for message in self.state.messages if isinstance(message, SystemMessage)]
        self.state.error_message = None
        self.take_queues(claimed=True)

    def _refuse_when_busy(self) -> None:
        if self._run is not None and not self._run.done():
            raise AgentBusy("A run is active: use steer() or follow_up(), or wait for idle")

    async def _start(self, prompts: list[AgentMessage], *, poll_first: bool) -> None:
        self._refuse_when_busy()
        state = self.state
        signal = self._signal = AbortSignal()
        state.is_streaming, state.error_message = True, None
        self._dispatcher.begin_run(uuid.uuid4().hex)
        config = RunConfig(
            state.model,
            self._stream,
            tuple(state.tools),
            replace(self.options, thinking_level=state.thinking_level),
            self.hooks,
            self.sequential_tools,
        )
        run = Run(config, state.messages, self._dispatcher, signal, self.steering, self.follow_ups)
        self._run = task = asyncio.create_task(self._drive(run, prompts, poll_first), name="agent-run")
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError:
            signal.abort("Cancelled")
            await asyncio.wait({task})
            raise

    async def _drive(self, run: Run, prompts: list[AgentMessage], poll_first: bool) -> StopCause:
        try:
            self.state.last_cause = cause = await run_loop(run, prompts, poll_first=poll_first)
            return cause
        finally:
            self.state.is_streaming = False
            self.state.streaming_message = None
            self.state.pending_tool_calls = frozenset()
            self._signal = None

    def _reduce(self, event: EventBase) -> None:
        """Keep `state` in step; runs before every subscriber."""
        state = self.state
        if isinstance(event, MessageStart):
            state.streaming_message = event.message
        elif isinstance(event, MessageEnd):
            state.streaming_message = None
            state.messages.append(event.message)
        elif isinstance(event, ToolExecutionStart):
            state.pending_tool_calls |= {event.tool_call_id}
        elif isinstance(event, ToolExecutionEnd):
            state.pending_tool_calls -= {event.tool_call_id}
        elif isinstance(event, TurnEnd) and event.message.error_message is not None:
            state.error_message = event.message.error_message
