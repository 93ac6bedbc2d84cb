"""The agent itself, one test for each numbered behaviour of 055 to 060 and 088 to 112."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from core.agent.agent import Agent, AgentBusy
from core.agent.events import AgentStart, EventBase, Fault, MessageEnd
from core.agent.tools import ToolInvocation, ToolResult
from core.ai.abort import AbortSignal
from core.ai.messages import AssistantMessage, CustomMessage, ImageContent, SystemMessage, TextContent, UserMessage
from core.ai.provider import stream_response
from core.ai.script import GateStep, Reply, Text, say
from core.ai.scripted import ScriptedProvider
from tests.core.agent.rig import MODEL, Doors, FakeTool, Rig, asks, label, spin

DONE = say("done")


def gated(text: str = "half") -> Reply:
    """A reply that stands still after `text` at the gate x."""
    return Reply(steps=(Text(text=text, unfinished=True), GateStep(name="x")))


async def test_088_a_new_agent() -> None:
    rig = Rig()
    state = rig.agent.state
    assert (state.thinking_level, state.tools, state.messages, state.is_streaming) == ("off", [], [], False)
    assert (rig.agent.steering.mode, rig.agent.follow_ups.mode) == ("one-at-a-time", "one-at-a-time")
    assert not rig.agent.sequential_tools
    assert not rig.agent.busy
    rig.agent.abort()
    await rig.agent.wait_for_idle()
    assert not rig.events


async def test_089_assigned_lists_are_copied() -> None:
    rig = Rig(DONE)
    messages: list[Any] = [UserMessage.of("a")]
    tools: list[Any] = [FakeTool()]
    rig.agent.state.messages, rig.agent.state.tools = messages, tools
    messages.append(UserMessage.of("b"))
    tools.clear()
    rig.agent.state.messages.append(UserMessage.of("c"))
    await rig.agent.prompt("user")
    assert rig.requests() == [["a", "c", "user"]]
    assert len(rig.provider.requests[0].tools) == 1


async def test_098_barriers_see_the_new_state_too() -> None:
    rig = Rig(DONE)
    seen: list[bool] = []

    def barrier(event: EventBase) -> None:
        if isinstance(event, MessageEnd):
            seen.append(rig.agent.state.messages[-1] is event.message)

    rig.agent.subscribe(barrier, barrier=True)
    await rig.agent.prompt("user")
    assert seen == [True, True]


async def test_098_a_finished_message_is_in_the_state_when_listeners_see_it() -> None:
    rig = Rig(DONE)
    seen: list[bool] = []
    rig.on("message_end", lambda event: seen.append(rig.agent.state.messages[-1] is event.message), times=2)
    await rig.agent.prompt("user")
    assert seen == [True, True]


async def test_099_an_announced_message_is_streaming_and_not_yet_in_the_transcript() -> None:
    rig = Rig(DONE)
    state = rig.agent.state
    seen: list[Any] = []
    rig.on("message_start", lambda event: seen.append((state.streaming_message is event.message, len(state.messages))))
    rig.on("message_end", lambda _: seen.append(state.streaming_message))
    await rig.agent.prompt("user")
    assert seen == [(True, 0), None]


async def test_100_the_run_lasts_until_its_listeners_are_done() -> None:
    rig = Rig(DONE)
    seen: list[bool] = []

    async def slow(event: EventBase) -> None:
        if event.to_wire()["type"] == "agent_end":
            await spin(30)
            seen.append(rig.agent.state.is_streaming and rig.agent.busy)

    rig.agent.subscribe(slow)
    running = asyncio.create_task(rig.agent.prompt("user"))
    await asyncio.sleep(0)
    assert rig.agent.busy
    await rig.agent.wait_for_idle()
    assert seen == [True]
    assert not rig.agent.state.is_streaming
    await running


@pytest.mark.parametrize("command", ["prompt", "continue_", "retry"])
async def test_101_a_listener_cannot_start_a_run(command: str) -> None:
    rig = Rig(DONE, DONE)
    refused: list[str] = []

    async def listener(event: EventBase) -> None:
        arguments = ("again",) if command == "prompt" else ()
        try:
            await getattr(rig.agent, command)(*arguments)
        except AgentBusy:
            refused.append(event.to_wire()["type"])

    rig.agent.subscribe(listener)
    await rig.agent.prompt("user")
    assert refused[0] == "agent_start"
    assert refused[-1] == "agent_end"
    refused.clear()
    await rig.agent.emit(Fault(source="host", error="while idle"))
    assert refused == ["fault"]


async def test_101_a_listener_that_would_wait_for_its_own_run_is_told_so() -> None:
    rig = Rig(DONE)
    refused: list[str] = []

    async def listener(event: EventBase) -> None:
        try:
            await rig.agent.wait_for_idle()
        except RuntimeError as error:
            refused.append(str(error))

    rig.agent.subscribe(listener)
    await asyncio.wait_for(rig.agent.prompt("user"), 5)
    assert refused
    await rig.agent.emit(Fault(source="host", error="while idle"))
    assert len(refused) == len(rig.events) - 1


async def test_102_listeners_settle_one_after_another() -> None:
    rig = Rig(DONE)
    order: list[str] = []

    async def first(event: EventBase) -> None:
        order.append("first begins")
        await spin(3)
        order.append("first ends")

    rig.agent.subscribe(first)
    rig.agent.subscribe(lambda _: order.append("second"))
    await rig.agent.prompt("user")
    assert order == ["first begins", "first ends", "second"] * (len(order) // 3)


async def test_103_a_listener_that_is_removed_meanwhile_is_not_called() -> None:
    rig = Rig(DONE, DONE)
    seen: list[str] = []

    def second(event: EventBase) -> None:
        seen.append(event.to_wire()["type"])

    rig.on("turn_start", lambda _: remove())
    remove = rig.agent.subscribe(second)
    await rig.agent.prompt("user")
    assert seen == ["agent_start"]
    assert remove() is False
    rig.agent.subscribe(second)
    rig.agent.subscribe(second)
    await rig.agent.prompt("user")
    assert seen.count("agent_start") == 2


@pytest.mark.parametrize("moment", ["turn_start", "message_start"])
async def test_105_the_prompt_is_not_lost_when_a_barrier_breaks_early(moment: str) -> None:
    rig = Rig(DONE)

    def breaks(event: EventBase) -> None:
        if event.to_wire()["type"] == moment:
            raise OSError("disk full")

    rig.agent.subscribe(breaks, barrier=True)
    await rig.agent.prompt("user")
    assert [label(message) for message in rig.agent.state.messages] == ["user", "A(error)"]


async def test_108_reset() -> None:
    rig = Rig(gated(), DONE, system_prompt="be brief")
    running = asyncio.create_task(rig.agent.prompt("user"))
    await rig.provider.gate("x").reached.wait()
    with pytest.raises(AgentBusy):
        rig.agent.reset()
    rig.agent.abort()
    await running
    rig.agent.steer("steer")
    rig.agent.follow_up("FU")
    rig.agent.reset()
    assert [message.role for message in rig.agent.state.messages] == ["system"]
    assert rig.agent.state.error_message is None
    assert (len(rig.agent.steering), len(rig.agent.follow_ups)) == (0, 0)
    await rig.agent.prompt("user")
    assert rig.requests()[-1] == ["system", "user"]


async def test_109_a_queue_mode_counts_from_the_next_drain() -> None:
    rig = Rig(DONE, DONE, DONE)
    for text in ("S1", "S2", "S3"):
        rig.agent.steer(text)

    def all_at_once(event: Any) -> None:
        rig.agent.steering.mode = "all"

    rig.on("turn_end", all_at_once)
    await rig.agent.prompt("user")
    assert rig.sequence == "AS TS M(user) M(S1) A(stop) TE TS M(S2) M(S3) A(stop) TE AE"


async def test_111_pending_calls() -> None:
    doors = Doors()
    rig = Rig(asks("1", "2"), DONE, tools=[FakeTool(behaviour=doors.behaviour)])
    running = asyncio.create_task(rig.agent.prompt("user"))
    await doors.begun("2")
    state = rig.agent.state
    assert state.pending_tool_calls == {"1", "2"}
    doors.open("2")
    await spin()
    assert state.pending_tool_calls == {"1"}
    doors.open("1")
    await running
    assert state.pending_tool_calls == frozenset()


async def test_112_a_prompt_of_text_and_images() -> None:
    rig = Rig(DONE)
    image = ImageContent(data="aa", mime_type="image/png")
    await rig.agent.prompt("look", [image])
    message = rig.agent.state.messages[0]
    assert isinstance(message, UserMessage)
    assert message.content == (TextContent(text="look"), image)


async def test_a_prompt_may_be_messages() -> None:
    rig = Rig(DONE)
    await rig.agent.prompt([CustomMessage(custom_type="x", content="note"), UserMessage.of("user")])
    assert rig.sequence == "AS TS M(custom) M(user) A(stop) TE AE"


@pytest.mark.parametrize("wrong", [1, [1], [None]])
async def test_what_is_no_message_is_refused_before_anything_happens(wrong: Any) -> None:
    rig = Rig(DONE)
    with pytest.raises(TypeError, match="A transcript takes messages"):
        await rig.agent.prompt(wrong)
    with pytest.raises(TypeError, match="A transcript takes messages"):
        rig.agent.steer(wrong)
    assert not rig.events
    assert len(rig.agent.steering) == 0


async def test_the_signal_is_that_of_the_active_run() -> None:
    rig = Rig(DONE)
    signals: list[AbortSignal | None] = []
    rig.on("agent_start", lambda _: signals.append(rig.agent.signal))
    await rig.agent.prompt("user")
    assert isinstance(signals[0], AbortSignal)
    assert rig.agent.signal is None


async def test_events_are_numbered_within_their_run() -> None:
    rig = Rig(asks("1"), DONE, DONE, tools=[FakeTool()])
    await rig.agent.prompt("user")
    first = list(rig.events)
    await rig.agent.prompt("user")
    second = rig.events[len(first) :]
    for events in (first, second):
        assert [event.seq for event in events] == list(range(len(events)))
        assert len({event.run_id for event in events}) == 1
    assert first[0].run_id != second[0].run_id
    assert [event.turn_index for event in first if event.to_wire()["type"] == "turn_end"] == [0, 1]


async def test_posted_events_belong_before_the_run_that_starts_after_them() -> None:
    rig = Rig(DONE)

    async def slow(event: EventBase) -> None:
        await spin(3)

    rig.agent.subscribe(slow)
    for _ in range(3):
        rig.agent.post(Fault(source="host", error="earlier"))
    await rig.agent.prompt("user")
    assert rig.sequence == "F(host) F(host) F(host) AS TS M(user) A(stop) TE AE"
    assert len({event.run_id for event in rig.events[:3]} - {rig.events[3].run_id}) == 1
    assert rig.events[3].seq == 0


async def test_a_host_event_is_delivered_when_emit_returns() -> None:
    rig = Rig(DONE)
    await rig.agent.emit(AgentStart())
    assert rig.sequence == "AS"
    rig.agent.post(AgentStart())
    assert rig.sequence == "AS"
    await rig.agent.flush()
    assert rig.sequence == "AS AS"


def test_one_agent_in_two_event_loops() -> None:
    provider = ScriptedProvider([asks("1", "2"), DONE, asks("3", "4"), DONE])

    async def run(prompt: str) -> None:
        await agent.prompt(prompt)

    async def slow(event: EventBase) -> None:
        await asyncio.sleep(0)

    agent = Agent(MODEL, lambda request, signal: stream_response(provider, request, signal), tools=[FakeTool()])
    agent.subscribe(slow)
    asyncio.run(run("a"))
    asyncio.run(run("b"))
    roles = [message.role for message in agent.state.messages]
    assert roles == ["user", "assistant", "toolResult", "toolResult", "assistant"] * 2


async def test_a_reply_carries_the_level_that_was_asked_for() -> None:
    rig = Rig(DONE)
    await rig.agent.prompt("user")
    assert isinstance(rig.last, AssistantMessage)
    assert rig.last.thinking_level == "off"


async def test_a_system_prompt_leads_the_transcript() -> None:
    rig = Rig(DONE, system_prompt="be brief")
    await rig.agent.prompt("user")
    first = rig.provider.requests[0].messages[0]
    assert isinstance(first, SystemMessage)
    assert (first.content, first.timestamp) == ("be brief", 0)


async def test_a_tool_may_steer_its_own_run() -> None:
    async def steering(invocation: ToolInvocation) -> ToolResult:
        rig.agent.steer("from the tool")
        return ToolResult.text("ok")

    rig = Rig(asks("1"), DONE, tools=[FakeTool(behaviour=steering)])
    await rig.agent.prompt("user")
    assert rig.sequence.endswith("TE TS M(from the tool) A(stop) TE AE")
