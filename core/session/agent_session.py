"""`AgentSession`: an agent whose transcript is a session file, and the life around its runs.

`busy` covers everything between the first prompt and the moment when nothing runs and nothing waits: runs, waits before
a retry, settling. Events of the session and of its agent reach subscribers in one order.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field

from core.agent.agent import Agent
from core.agent.events import AgentEnd, AgentStart, EventBase, MessageEnd, MessageStart
from core.agent.hooks import AgentHooks, RunView, TurnChange
from core.agent.queues import QueueMode
from core.agent.run import StreamFunction
from core.agent.tools import AgentTool, spec_of
from core.ai.abort import AbortSignal
from core.ai.messages import (
    AgentMessage,
    AssistantMessage,
    SystemMessage,
    TextContent,
    ThinkingLevel,
    ToolName,
    UserMessage,
)
from core.ai.model import Model, RequestOptions
from core.ai.system import replay_system
from core.ai.wire import Json
from core.session.convert import to_llm
from core.session.events import (
    AgentSettled,
    AutoRetryEnd,
    AutoRetryStart,
    EntryAppended,
    QueueUpdate,
    SessionNotice,
)
from core.session.retry import RetryPlan, RetryPolicy, plan_retry
from core.session.store import SessionStore
from core.session.tree import branch_state, context_of, path_to


@dataclass(frozen=True, slots=True)
class SessionConfig:
    """What a session runs with. `prompt_sections` gives the named parts of the system prompt, asked before each run."""

    model: Model
    stream: StreamFunction
    tools: Sequence[AgentTool] = ()
    thinking_level: ThinkingLevel = "off"
    prompt_sections: Callable[[], Mapping[str, str]] = dict
    options: RequestOptions = field(default_factory=RequestOptions)
    retry: RetryPolicy = field(default_factory=RetryPolicy)
    steering_mode: QueueMode = "one-at-a-time"
    follow_up_mode: QueueMode = "one-at-a-time"


class AgentSession:
    """One conversation. All methods belong to the event loop that runs it."""

    def __init__(self, store: SessionStore, config: SessionConfig) -> None:
        self.store = store
        self.retry_policy = config.retry
        self._sections = config.prompt_sections
        context = context_of(path_to(store.leaf, store.by_id))
        self.agent = Agent(
            config.model,
            config.stream,
            tools=config.tools,
            messages=[item.message for item in context],
            options=config.options,
            hooks=AgentHooks(convert_to_llm=to_llm, prepare_request=self._model_change),
            steering_mode=config.steering_mode,
            follow_up_mode=config.follow_up_mode,
        )
        self.agent.state.thinking_level = config.thinking_level
        self.agent.subscribe(self._record, barrier=True)
        self.agent.subscribe(self._notice_queue)
        self._driver: asyncio.Task[None] | None = None
        self._signal = AbortSignal()
        self._busy = False
        self._opening: list[AgentMessage] = []
        """The prompts of a run whose task has not had its first step yet: what is sent meanwhile comes behind them."""
        self._failures = 0
        self._shown_queues: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
        self._unsaved = False
        self._record_settings()

    # State

    @property
    def busy(self) -> bool:
        """True while a run, a wait before a retry, or settling is going on."""
        return self._busy

    @property
    def messages(self) -> Sequence[AgentMessage]:
        """The transcript as the model will read it."""
        return self.agent.state.messages

    @property
    def model(self) -> Model:
        """The model of the next request."""
        return self.agent.state.model

    @property
    def thinking_level(self) -> ThinkingLevel:
        """The thinking level of the next request."""
        return self.agent.state.thinking_level

    def queued(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the texts that wait: steering, follow-ups."""
        return _texts(self.agent.steering.items()), _texts(self.agent.follow_ups.items())

    def subscribe(self, listener: Callable[..., Awaitable[None] | None]) -> Callable[[], bool]:
        """Call `listener(event)` for each `SessionEvent`; returns a function that unsubscribes."""
        return self.agent.subscribe(listener)

    def to_wire(self, event: EventBase) -> dict[str, Json]:
        """Return pi's record of an event of this session; to be called while the event is being delivered."""
        record = event.to_wire()
        if isinstance(event, AgentEnd):
            record["willRetry"] = self._plan_retry(event.messages, self._failures + 1) is not None
        return record

    # Commands

    def steer(self, message: UserMessage) -> None:
        """Give the model a message at the next turn; starts a run when idle."""
        self.agent.steer(message)
        self._took_in()

    def follow_up(self, message: UserMessage) -> None:
        """Give the model a message when it would stop.

        When idle, starts one run: its prompts are any older steering messages, then older follow-ups, then this.
        """
        self.agent.follow_up(message)
        self._took_in()

    async def prompt(self, message: UserMessage) -> None:
        """Send a message and return when the session is idle again. Cancelling aborts the run."""
        self.follow_up(message)
        try:
            await self.wait_for_idle()
        except asyncio.CancelledError:
            self.abort("Cancelled")
            await self.wait_for_idle()
            raise

    def abort(self, reason: str = "Aborted") -> None:
        """Stop what is going on: stream, tools, waits. Messages that wait run next. Does nothing when idle."""
        self._signal.abort(reason)
        self.agent.abort(reason)

    def interrupt(self, reason: str = "Aborted") -> tuple[str, ...]:
        """Take all waiting messages back and abort, in one step that nothing can come between.

        Returns their texts: steering, then follow-ups.
        """
        opening, self._opening = self._opening, []
        steering, follow_ups = self.agent.take_queues(claimed=self._busy)
        self.abort(reason)
        self._post_queue()
        return _texts(opening) + _texts(steering) + _texts(follow_ups)

    def take_back(self) -> tuple[str, ...]:
        """Take all waiting messages back without stopping anything; those already on their way to the model stay."""
        opening, self._opening = self._opening, []
        steering, follow_ups = self.agent.take_queues()
        self._post_queue()
        return _texts(opening) + _texts(steering) + _texts(follow_ups)

    def set_model(self, model: Model) -> None:
        """Use another model from the next request on."""
        self.agent.state.model = model
        self._record_settings()

    def set_thinking_level(self, level: ThinkingLevel) -> None:
        """Use another thinking level from the next request on."""
        self.agent.state.thinking_level = level
        self._record_settings()

    async def wait_for_idle(self) -> None:
        """Return when nothing runs and nothing waits to run. Not to be called by a subscriber."""
        while self._driver is not None and not self._driver.done():
            await asyncio.wait({self._driver})

    async def close(self) -> None:
        """Abort, wait, and write what is not on disk yet. Raises OSError when that cannot be written."""
        self._opening = []
        self.agent.take_queues(claimed=True)
        self.abort("Closed")
        await self.wait_for_idle()
        await self.store.flush()

    # The life around runs

    def _took_in(self) -> None:
        if self._busy:
            self._post_queue()
            return
        self._busy = True
        self._signal = AbortSignal()
        self._opening = self._take_prompts()
        self._driver = asyncio.create_task(self._drive(), name="agent-session")

    async def _drive(self) -> None:
        """Run until nothing waits. The last look at the queues and turning idle are one step."""
        aborted = False
        try:
            while prompts := self._next_prompts():
                await self._run(prompts)
                aborted = self._signal.aborted
                if aborted:
                    self._signal = AbortSignal()  # what came in after the abort runs
                elif self.agent.state.last_cause == "error":
                    break
        finally:
            self._busy = False
            self.agent.post(AgentSettled(aborted=aborted or self._signal.aborted))
            await self.agent.flush()

    def _next_prompts(self) -> list[AgentMessage]:
        opening, self._opening = self._opening, []
        return opening or self._take_prompts()

    def _take_prompts(self) -> list[AgentMessage]:
        steering, follow_ups = self.agent.take_queues(claimed=True)
        self._post_queue()
        return [*steering, *follow_ups]

    async def _run(self, prompts: list[AgentMessage]) -> None:
        """One run, and again after failures that may pass."""
        self._failures = 0
        self._record_settings()
        system = self._system_update()
        await self.agent.prompt([*([system] if system else []), *prompts])
        while not self._signal.aborted:
            plan = self._plan_retry(self.agent.state.messages, self._failures + 1)
            if plan is None:
                break
            self._failures += 1
            if not await self._wait_before(plan):
                return
            await self.agent.continue_()
        if self._failures and self.agent.state.last_cause == "error":
            error = self.agent.state.error_message
            attempt, self._failures = self._failures, 0
            await self.agent.emit(AutoRetryEnd(success=False, attempt=attempt, final_error=error))

    def _plan_retry(self, messages: Sequence[AgentMessage], failures: int) -> RetryPlan | None:
        if self._signal.aborted:
            return None
        return plan_retry(self.retry_policy, messages[-1] if messages else None, failures)

    async def _wait_before(self, plan: RetryPlan) -> bool:
        """Hide the failed reply from the model, tell of the wait, and wait. False when that was aborted."""
        await self.agent.emit(
            AutoRetryStart(
                attempt=plan.attempt,
                max_attempts=plan.max_attempts,
                delay_ms=round(plan.delay * 1000),
                error_message=plan.error,
            )
        )
        await self._hide_last_reply()
        if await self._signal.sleep(plan.delay):
            return True
        attempt, self._failures = self._failures, 0
        await self.agent.emit(AutoRetryEnd(success=False, attempt=attempt))
        return False

    async def _hide_last_reply(self) -> None:
        """Take the failed reply out of the model's context; the file keeps it."""
        self.agent.state.messages.pop()
        target = next(entry for entry in reversed(self.store.entries) if entry.type == "message")
        entry = self.store.append("context_edit", {"targetId": target.id, "replacement": None})
        await self._save()
        await self.agent.emit(EntryAppended(entry=entry.data))

    # Hooks and subscribers

    async def _model_change(self, view: RunView) -> TurnChange | None:
        state = self.agent.state
        return TurnChange(model=None if view.model is state.model else state.model, thinking_level=state.thinking_level)

    async def _record(self, event: EventBase) -> None:
        """Write each finished message before anybody sees it."""
        if not isinstance(event, MessageEnd):
            return
        self.store.append_message(event.message)
        await self._save()
        message = event.message
        if self._failures and isinstance(message, AssistantMessage) and message.stop_reason not in ("error", "aborted"):
            attempt, self._failures = self._failures, 0
            self.agent.post(AutoRetryEnd(success=True, attempt=attempt))

    async def _save(self) -> None:
        """Write to disk. What cannot be written stays in memory, is said once, and is tried again later."""
        try:
            await self.store.flush()
        except OSError as error:
            if not self._unsaved:
                text = (
                    f"The session cannot be saved: {error}. The conversation goes on in memory; saving is tried again."
                )
                self.agent.post(SessionNotice(level="error", text=text))
            self._unsaved = True
        else:
            if self._unsaved:
                self.agent.post(SessionNotice(level="info", text="The session is saved again."))
            self._unsaved = False

    def _notice_queue(self, event: EventBase) -> None:
        if isinstance(event, MessageStart | AgentStart):
            self._post_queue()

    def _post_queue(self) -> None:
        queues = self.queued()
        if queues != self._shown_queues:
            self._shown_queues = queues
            self.agent.post(QueueUpdate(steering=queues[0], follow_up=queues[1]))

    # What the file knows of settings and prompt

    def _record_settings(self) -> None:
        """Note model and thinking level where the branch says otherwise; written with the next flush."""
        state, current = branch_state(path_to(self.store.leaf, self.store.by_id)), self.agent.state
        if (state.provider, state.model_id) != (current.model.provider, current.model.id):
            fields: dict[str, Json] = {"provider": current.model.provider, "modelId": current.model.id}
            self.store.append("model_change", fields)
        if state.thinking_level != current.thinking_level:
            self.store.append("thinking_level_change", {"thinkingLevel": current.thinking_level})

    def _system_update(self) -> SystemMessage | None:
        """Return the system message that brings the transcript's prompt and tools up to date, if one is needed."""
        wanted, tools = dict(self._sections()), [spec_of(tool) for tool in self.agent.state.tools]
        known = replay_system([m for m in self.agent.state.messages if isinstance(m, SystemMessage)])
        sections: dict[str, str | None] = {k: v for k, v in wanted.items() if known.sections.get(k) != v}
        sections.update({name: None for name in known.sections if name not in wanted})
        names = {tool.name for tool in tools}
        declared = {tool.name: tool for tool in known.tools}
        added = tuple(tool for tool in tools if declared.get(tool.name) != tool)
        removed = tuple(ToolName(name=name) for name in declared if name not in names)
        if not sections and not added and not removed:
            return None
        return SystemMessage(sections=sections or None, tools_added=added or None, tools_removed=removed or None)


def _texts(messages: Sequence[AgentMessage]) -> tuple[str, ...]:
    return tuple(text_of(message) for message in messages if isinstance(message, UserMessage))


def text_of(message: UserMessage) -> str:
    """Return the typed text of a user message."""
    if isinstance(message.content, str):
        return message.content
    return "\n".join(block.text for block in message.content if isinstance(block, TextContent))
