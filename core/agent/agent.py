"""`Agent`: a transcript, two queues and one run at a time."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable, Sequence
from dataclasses import replace

from core.agent.dispatcher import Dispatcher, Listener
from core.agent.events import EventBase, StopCause
from core.agent.hooks import AgentHooks
from core.agent.limits import RunLimits
from core.agent.queues import MessageQueue, QueueMode
from core.agent.run import MESSAGE_TYPES, Run, RunConfig, StreamFunction
from core.agent.state import AgentState
from core.agent.tools import AgentTool
from core.ai.abort import AbortSignal
from core.ai.messages import AgentMessage, AssistantMessage, ImageContent, SystemMessage, UserMessage
from core.ai.model import Model, RequestOptions


class AgentBusy(RuntimeError):
    """A run is active: steer, queue a follow-up, or wait for idle."""


class NothingToContinue(RuntimeError):
    """The transcript does not end with what is to be answered, and no message waits."""


class Agent:
    """Runs prompts against a model with tools, and tells subscribers what happens.

    Subscribers get every event in one order and are awaited one by one; `state` already holds what an event says when
    they see it. One run at a time: `prompt`, `continue_` and `retry` raise AgentBusy while one is active, and always in
    a subscriber. Everything here belongs to one thread, that of the event loop.
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
        limits: RunLimits | None = None,
    ) -> None:
        base = [SystemMessage(content=system_prompt, timestamp=0)] if system_prompt else []
        self.state = AgentState(model, tools=tools, messages=[*base, *messages])
        self.options = options or RequestOptions()
        self.hooks = hooks or AgentHooks()
        self.sequential_tools = sequential_tools
        self.limits = limits or RunLimits()
        self.steering = MessageQueue(steering_mode)
        self.follow_ups = MessageQueue(follow_up_mode)
        self._stream = stream
        self._dispatcher = Dispatcher()
        self._dispatcher.subscribe(self.state.apply, barrier=True)
        self._signal: AbortSignal | None = None
        self._run: asyncio.Task[StopCause] | None = None

    # Subscribing

    def subscribe(self, listener: Listener, *, barrier: bool = False) -> Callable[[], bool]:
        """Call `listener(event)` for each event; returns a function that unsubscribes.

        What a listener raises is reported as a `fault` event and changes nothing else. A barrier subscriber sees each
        event before the others and ends the run when it raises.
        """
        return self._dispatcher.subscribe(listener, barrier=barrier)

    def post(self, event: EventBase) -> None:
        """Deliver an event of the host in order with those of the run, without waiting."""
        self._dispatcher.post(event)

    async def emit(self, event: EventBase) -> None:
        """Deliver an event of the host and wait until all subscribers are done with it.

        In a subscriber it does not wait.
        """
        self._dispatcher.post(event)
        await self._dispatcher.flush()

    async def flush(self) -> None:
        """Return when everything posted so far was delivered; in a subscriber at once."""
        await self._dispatcher.flush()

    # Running

    async def prompt(
        self, prompt: str | AgentMessage | Sequence[AgentMessage], images: Sequence[ImageContent] = ()
    ) -> None:
        """Run until nothing is left to do. Failures of the model are in the transcript, not raised.

        Cancelling the caller aborts the run; it ends with all its events before the cancellation goes on. Only who is
        cancelled twice does not wait for that.
        """
        if isinstance(prompt, str):
            prompts: list[AgentMessage] = [UserMessage.of(prompt, tuple(images))]
        else:
            prompts = [_message(item) for item in (prompt if isinstance(prompt, Sequence) else [prompt])]
        await self._start(prompts)

    async def continue_(self) -> None:
        """Run on from the transcript as it stands; after a reply, from what waits in the queues.

        Raises NothingToContinue when there is nothing to answer.
        """
        self._refuse_when_busy()
        tail = self._tail()
        if tail is None:
            raise NothingToContinue("The transcript has no message to answer")
        if not isinstance(tail, AssistantMessage):
            await self._start([])
            return
        for queue in (self.steering, self.follow_ups):
            if queue.claim():
                prompts = []
                while (message := queue.commit()) is not None:
                    prompts.append(message)
                await self._start(prompts, poll_first=queue is not self.steering)
                return
        raise NothingToContinue("The transcript ends with a reply and no message waits")

    async def retry(self) -> None:
        """Ask again after a reply that failed or was aborted. It stays in the transcript, but no model sees it.

        Raises NothingToContinue when the transcript does not end with such a reply.
        """
        self._refuse_when_busy()
        tail = self._tail()
        if not isinstance(tail, AssistantMessage) or tail.stop_reason not in ("error", "aborted"):
            raise NothingToContinue("The transcript does not end with a failed reply")
        await self._start([])

    def steer(self, message: str | AgentMessage) -> None:
        """Queue a message for the next turn of the run (or of the next run)."""
        self.steering.push(_message(message))

    def follow_up(self, message: str | AgentMessage) -> None:
        """Queue a message for the moment when the run would end."""
        self.follow_ups.push(_message(message))

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

    @property
    def busy(self) -> bool:
        """True while a run is active."""
        return self._run is not None and not self._run.done()

    async def wait_for_idle(self) -> None:
        """Return when no run is active. Never raises for the run's failures.

        Raises RuntimeError in a subscriber: the run waits for that.
        """
        if self.busy and self._dispatcher.delivering_here:
            raise RuntimeError("A subscriber cannot wait for the run that waits for it")
        while self._run is not None and not self._run.done():
            await asyncio.wait({self._run})

    def reset(self) -> None:
        """Forget messages and queues; system messages stay, as prompt and tools follow from all of them.

        Raises AgentBusy while a run is active.
        """
        self._refuse_when_busy()
        self.state.messages = [message for message in self.state.messages if isinstance(message, SystemMessage)]
        self.state.error_message = None
        self.take_queues(claimed=True)

    def _tail(self) -> AgentMessage | None:
        """The last message that is no system message."""
        return next((m for m in reversed(self.state.messages) if not isinstance(m, SystemMessage)), None)

    def _refuse_when_busy(self) -> None:
        if self.busy:
            raise AgentBusy("A run is active: use steer() or follow_up(), or wait for idle")
        if self._dispatcher.delivering_here:
            raise AgentBusy("A subscriber cannot run the agent: the run would wait for it")

    async def _start(self, prompts: list[AgentMessage], *, poll_first: bool = True) -> None:
        self._refuse_when_busy()
        state, signal = self.state, AbortSignal()
        config = RunConfig(
            state.model,
            self._stream,
            tuple(state.tools),
            replace(self.options, thinking_level=state.thinking_level),
            self.hooks,
            self.sequential_tools,
            self.limits,
        )
        run = Run(config, state.messages, self._dispatcher, signal, self.steering, self.follow_ups)
        self._signal = signal
        state.begin_run()
        self._run = task = asyncio.create_task(self._drive(run, prompts, poll_first), name="agent-run")
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError:
            signal.abort("Cancelled")
            await asyncio.wait({task})
            raise

    async def _drive(self, run: Run, prompts: list[AgentMessage], poll_first: bool) -> StopCause:
        from core.agent.loop import run_loop  # nothing of the loop is needed before the first prompt

        cause: StopCause | None = None
        try:
            await self._dispatcher.begin_run(uuid.uuid4().hex, run.fail)
            cause = await run_loop(run, prompts, poll_first=poll_first)
            return cause
        finally:
            self.state.end_run(cause)
            self._signal = None


def _message(value: str | AgentMessage) -> AgentMessage:
    if isinstance(value, str):
        return UserMessage.of(value)
    if not isinstance(value, MESSAGE_TYPES):
        raise TypeError(f"A transcript takes messages, not {type(value).__name__}")
    return value
