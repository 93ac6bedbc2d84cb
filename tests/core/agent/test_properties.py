"""Whatever happens in whatever order: random replies, tools, messages, aborts, cancellations and broken subscribers.

One case is a script of turns and a list of acts, each at the n-th chance: chances are every event, every step of a tool
or hook, every await of the model's stream. No time is involved.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.agent.agent import AgentBusy
from core.agent.events import EventBase, Fault
from core.agent.hooks import (
    AfterToolCall,
    AgentHooks,
    BeforeToolCall,
    FinishedTurn,
    RunView,
    ToolCallVerdict,
    TurnChange,
    TurnDecision,
)
from core.agent.limits import RunLimits
from core.agent.tools import ToolInvocation, ToolResult
from core.ai.builder import MessageBuilder
from core.ai.errors import ErrorInfo, ProviderError
from core.ai.messages import AssistantMessage, ToolResultMessage, UserMessage
from core.ai.model import ModelRequest
from core.ai.provider import stream_response
from core.ai.stream import StreamEvent
from tests.core.agent.calls import Lane
from tests.core.agent.rig import FakeTool, Rig, notate, text_of

OUTCOMES = [
    "ok",
    "error",
    "raise",
    "cancel itself",
    "nothing",
    "terminate",
    "updates",
    "thread",
    "deaf",
    "steers",
    "shared",
]
ENDS = ["stop", "stop", "length", "error", "crash", "no terminal", "no start"]
ACTS = ["steer", "follow up", "abort", "cancel", "take back", "interrupt"]
ACTS += ["post", "emit", "listener raises", "barrier raises", "prompt"]


@dataclass(frozen=True)
class Turn:
    """What the model says once: texts, calls by outcome, and how the stream ends. `steps` are awaits between events."""

    calls: list[str]
    end: str
    steps: int


@dataclass(frozen=True)
class Act:
    """What happens at which chance."""

    what: str
    chance: int


@dataclass(frozen=True)
class Case:
    turns: list[Turn]
    acts: list[Act]
    modes: tuple[str, str]
    sequential: bool
    hooks: set[str]
    slow_listener: int
    max_turns: int | None


cases = st.builds(
    Case,
    turns=st.lists(
        st.builds(
            Turn,
            calls=st.lists(st.sampled_from(OUTCOMES), max_size=4),
            end=st.sampled_from(ENDS),
            steps=st.integers(0, 3),
        ),
        min_size=1,
        max_size=5,
    ),
    acts=st.lists(st.builds(Act, what=st.sampled_from(ACTS), chance=st.integers(0, 60)), max_size=6),
    modes=st.tuples(st.sampled_from(["one-at-a-time", "all"]), st.sampled_from(["one-at-a-time", "all"])),
    sequential=st.booleans(),
    hooks=st.sets(st.sampled_from(["before", "after", "block", "next", "finish", "continue", "raise"]), max_size=3),
    slow_listener=st.integers(0, 2),
    max_turns=st.sampled_from([None, 2, 4]),
)


@dataclass
class World:
    """Runs one case and remembers what was put in."""

    case: Case
    chances: int = 0
    said: list[str] = field(default_factory=list)
    taken: list[str] = field(default_factory=list)
    failing: list[str] = field(default_factory=list)
    asked: int = 0
    emits: int = 0

    def __post_init__(self) -> None:
        hooks = self.case.hooks
        self.lane = Lane()
        self.tools = [FakeTool(name, self.tool, reserving=self.reserve) for name in OUTCOMES]
        self.rig = Rig(
            stream=lambda request, signal: stream_response(self, request, signal),
            tools=self.tools,
            steering_mode=self.case.modes[0],
            follow_up_mode=self.case.modes[1],
            sequential_tools=self.case.sequential,
            limits=RunLimits(max_turns=self.case.max_turns, abort_grace=0),
            hooks=AgentHooks(
                before_tool_call=self.before if hooks & {"before", "block"} else None,
                after_tool_call=self.after if "after" in hooks else None,
                prepare_next_turn=self.next_turn if "next" in hooks else None,
                finish_turn=self.finish if hooks & {"finish", "continue"} else None,
            ),
        )
        self.agent = self.rig.agent
        self.running: asyncio.Task[None] | None = None
        self.agent.subscribe(self.listener)
        self.agent.subscribe(self.barrier, barrier=True)

    def reserve(self, arguments: Any) -> Any:
        return self.lane.reserve(arguments) if arguments.get("path") else None

    # Chances

    def chance(self) -> None:
        now = self.chances
        self.chances += 1
        for act in self.case.acts:
            if act.chance == now:
                self.do(act.what)

    def do(self, what: str) -> None:
        number = len(self.said)
        if what == "steer":
            self.say(f"S{number}", self.agent.steer)
        elif what == "follow up":
            self.say(f"F{number}", self.agent.follow_up)
        elif what == "abort":
            self.agent.abort()
        elif what == "cancel":
            if self.running is not None:
                self.running.cancel()
        elif what in ("take back", "interrupt"):
            for queue in self.agent.take_queues(claimed=what == "interrupt"):
                self.taken.extend(text_of(message) for message in queue)
            if what == "interrupt":
                self.agent.abort()
        elif what == "post":
            self.agent.post(Fault(source="posted", error=""))
        elif what == "emit":
            self.emits += 1
        elif what.endswith("raises"):
            self.failing.append(what.split()[0])

    def say(self, text: str, how: Any) -> None:
        self.said.append(text)
        how(text)

    async def step(self, times: int = 1) -> None:
        for _ in range(times):
            self.chance()
            await asyncio.sleep(0)

    def fail(self, what: str) -> None:
        if what in self.failing:
            self.failing.remove(what)
            raise OSError(f"{what} broke")

    # Subscribers

    async def listener(self, event: EventBase) -> None:
        self.chance()
        if any(act.what == "prompt" for act in self.case.acts) and not isinstance(event, Fault):
            with pytest.raises(AgentBusy):
                await self.agent.prompt("from a listener")
        while self.emits:
            self.emits -= 1
            await self.agent.emit(Fault(source="emitted", error=""))
        for _ in range(self.case.slow_listener):
            await asyncio.sleep(0)
        self.fail("listener")

    def barrier(self, event: EventBase) -> None:
        self.fail("barrier")

    # Hooks

    async def before(self, look: BeforeToolCall) -> ToolCallVerdict | None:
        await self.step()
        if "raise" in self.case.hooks and look.call.id.endswith("1"):
            raise OSError("hook broke")
        return ToolCallVerdict(block="block" in self.case.hooks and look.call.id.endswith("2"))

    async def after(self, look: AfterToolCall) -> ToolResult | None:
        await self.step()
        return ToolResult.text("changed") if look.call.id.endswith("3") else None

    async def next_turn(self, view: RunView) -> TurnChange | None:
        await self.step()
        if "raise" in self.case.hooks and len(view.messages) > 6:
            raise OSError("hook broke")
        return None

    async def finish(self, turn: FinishedTurn) -> TurnDecision | None:
        await self.step()
        if "continue" in self.case.hooks and len(self.said) % 3 == 0 and turn.message.stop_reason == "stop":
            self.said.append(f"H{len(self.said)}")
            return TurnDecision(continue_with=(UserMessage.of(self.said[-1]),))
        return None

    # The model and the tools

    async def stream(self, request: ModelRequest, reply: MessageBuilder) -> AsyncGenerator[StreamEvent, None]:
        turn = self.case.turns[self.asked] if self.asked < len(self.case.turns) else Turn([], "stop", 0)
        self.asked += 1
        await self.step(turn.steps)
        if turn.end != "no start":
            yield reply.start()
        index, opened = reply.open_text()
        yield opened
        await self.step(turn.steps)
        yield reply.append(index, "some text")
        yield reply.close(index)
        for number, outcome in enumerate(turn.calls):
            index, opened = reply.open_tool_call(f"c{self.asked}-{number}", outcome)
            yield opened
            yield reply.append(index, '{"path": "same"}' if outcome == "shared" else "{}")
            await self.step(turn.steps)
            yield reply.close(index)
        if turn.end == "error":
            raise ProviderError(ErrorInfo(kind="server", message="no"))
        if turn.end == "crash":
            raise RuntimeError("adapter broke")
        if turn.end == "no terminal":
            return
        yield reply.done("length" if turn.end == "length" else "stop")

    async def tool(self, call: ToolInvocation) -> ToolResult:
        outcome = next(tool.name for tool in self.tools if call in tool.seen)
        await self.step(2)
        if outcome == "raise":
            raise RuntimeError("tool broke")
        if outcome == "cancel itself":
            raise asyncio.CancelledError
        if outcome == "nothing":
            result: Any = None
            return result
        if outcome in ("updates", "thread"):
            for number in range(3):
                if outcome == "thread":
                    await asyncio.to_thread(call.on_update, ToolResult.text(str(number)))
                else:
                    call.on_update(ToolResult.text(str(number)))
                    await self.step()
        if outcome == "deaf":
            await asyncio.shield(asyncio.sleep(0))
            await self.step(30)
        if outcome == "steers":
            self.say(f"S{len(self.said)}", self.agent.steer)
        return ToolResult(
            content=ToolResult.text("result").content, is_error=outcome == "error", terminate=outcome == "terminate"
        )

    async def play(self) -> None:
        self.said.append("prompt")
        self.running = asyncio.create_task(self.agent.prompt("prompt"))
        await asyncio.wait({self.running})
        if not self.running.cancelled():
            self.running.result()
        await self.agent.wait_for_idle()  # who is cancelled twice does not wait for the end
        await self.agent.flush()


def check(world: World) -> None:
    """All that must hold, whatever happened."""
    agent, events = world.agent, world.rig.events
    shown = notate(events)

    # pairs and nesting, and the order of a batch
    own = [event for event in events if not isinstance(event, Fault)]
    kinds = [event.to_wire()["type"] for event in own]
    assert kinds[0] == "agent_start", shown
    assert kinds[-1] == "agent_end", shown
    assert kinds.count("agent_start") == kinds.count("agent_end") == 1
    turn = message = False
    calls: list[str] = []
    for event, kind in zip(own, kinds, strict=True):
        if kind == "turn_start":
            assert not turn, shown
            turn = True
        elif kind == "turn_end":
            assert turn, shown
            assert not message, shown
            assert not calls, shown
            turn = False
        elif kind == "message_start":
            assert turn, shown
            assert not message, shown
            message = True
        elif kind == "message_update":
            assert message, shown
        elif kind == "message_end":
            assert message, shown
            message = False
        elif kind == "tool_execution_start":
            assert turn, shown
            assert not message, shown
            calls.append(event.to_wire()["toolCallId"])
        elif kind in ("tool_execution_update", "tool_execution_end"):
            assert event.to_wire()["toolCallId"] in calls, shown
            if kind == "tool_execution_end":
                calls.remove(event.to_wire()["toolCallId"])
    assert not turn, shown

    # one total order
    assert [event.seq for event in events] == list(range(len(events))), shown
    assert len({event.run_id for event in events}) == 1

    # every call of a reply that was not broken off has exactly one result, in source order
    messages = agent.state.messages
    answered: list[str] = []
    for at, item in enumerate(messages):
        if isinstance(item, AssistantMessage) and item.stop_reason not in ("error", "aborted"):
            ids = [call.id for call in item.tool_calls]
            results = messages[at + 1 : at + 1 + len(ids)]
            assert [r.tool_call_id for r in results if isinstance(r, ToolResultMessage)] == ids, shown
            answered.extend(ids)
    assert [m.tool_call_id for m in messages if isinstance(m, ToolResultMessage)] == answered

    # every text is in the transcript, still in a queue, or taken back: once
    there = [text_of(item) for item in messages if isinstance(item, UserMessage)]
    waiting = [text_of(item) for queue in (agent.steering, agent.follow_ups) for item in queue.items()]
    said = Counter(world.said)
    # what a hook wanted to say in a turn that does not come is not said
    if world.rig.end.cause in ("max_turns", "error"):
        said.subtract(text for text in set(world.said) - set(there) if text.startswith("H"))
    assert Counter(there + waiting + world.taken) == +said, shown

    # the run tells of what it added
    assert list(world.rig.end.messages) == messages
    assert [e.to_wire()["message"] for e, k in zip(own, kinds, strict=True) if k == "message_end"] == [
        m.to_wire() for m in messages
    ]

    # idle, and nothing left behind
    state = agent.state
    assert not agent.busy
    assert not state.is_streaming
    assert state.streaming_message is None
    assert not state.pending_tool_calls
    assert agent.signal is None
    assert world.lane.held == 0
    assert state.last_cause == world.rig.end.cause or "barrier agent_end" in str(events[-1])


async def play(case: Case) -> None:
    world = World(case)
    before = asyncio.all_tasks()
    await asyncio.wait_for(world.play(), 20)
    for _ in range(5):
        await asyncio.sleep(0)
    check(world)
    assert asyncio.all_tasks() == before


@settings(max_examples=100, suppress_health_check=[HealthCheck.too_slow])
@given(case=cases)
def test_random_runs(case: Case) -> None:
    asyncio.run(play(case))


@pytest.mark.soak
@settings(max_examples=5_000, suppress_health_check=[HealthCheck.too_slow])
@given(case=cases)
def test_very_many_random_runs(case: Case) -> None:
    asyncio.run(play(case))
