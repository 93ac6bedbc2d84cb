"""The exact event sequences of aborted, failing and odd runs, E1 to E12 of the behaviour table."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from typing import Any

import pytest

from core.agent.agent import AgentBusy
from core.agent.hooks import (
    AgentHooks,
    BeforeToolCall,
    ToolCallVerdict,
)
from core.agent.tools import ToolInvocation, ToolResult
from core.ai.abort import AbortSignal
from core.ai.builder import MessageBuilder
from core.ai.errors import ErrorInfo, error_of
from core.ai.messages import (
    AssistantMessage,
)
from core.ai.model import Model, ModelRequest
from core.ai.script import Fault, GateStep, Reply, Text, call, fail, say
from core.ai.stream import StreamEvent
from tests.core.agent.rig import Doors, FakeTool, Rig, asks, label, notate, says_ok, spin, text_of

DONE = say("done")
ERROR = ErrorInfo(kind="server", message="Out of order", status=500)

Adapter = Callable[[MessageBuilder], Sequence[StreamEvent]]


def raw(*adapters: Adapter) -> Callable[[ModelRequest, AbortSignal], AsyncGenerator[StreamEvent, None]]:
    """A stream function without the guarantees of the provider boundary."""
    left = list(adapters)

    async def stream(request: ModelRequest, signal: AbortSignal) -> AsyncGenerator[StreamEvent, None]:
        for event in left.pop(0)(MessageBuilder(request.model)):
            yield event

    return stream


def reply_of(rig: Rig) -> AssistantMessage:
    """The last message, which is a reply."""
    assert isinstance(rig.last, AssistantMessage)
    return rig.last


async def test_049_050_e01_abort_while_streaming() -> None:
    rig = Rig(Reply(steps=(Text(text="half", unfinished=True), GateStep(name="x"))))
    running = asyncio.create_task(rig.agent.prompt("user"))
    await rig.provider.gate("x").reached.wait()
    rig.agent.steer("steer")
    rig.agent.follow_up("FU")
    rig.agent.abort()
    await running
    assert rig.sequence == "AS TS M(user) A(aborted) TE AE"
    assert reply_of(rig).text == "half"
    assert (len(rig.agent.steering), len(rig.agent.follow_ups)) == (1, 1)
    assert rig.agent.state.error_message == reply_of(rig).error_message == "Aborted"
    assert rig.end.cause == rig.agent.state.last_cause == "aborted"


async def test_054_e02_abort_during_parallel_tools() -> None:
    doors = Doors()
    rig = Rig(asks("1", "2"), tools=[FakeTool(behaviour=doors.polite)])
    rig.agent.follow_up("FU")
    running = asyncio.create_task(rig.agent.prompt("user"))
    await doors.begun("2")
    rig.agent.steer("steer")
    rig.agent.abort()
    await running
    assert notate(rig.events, details=True) == (
        "AS TS M(user) A(toolUse) XS1 XS2 XE1! XE2! M(r1!) M(r2!) TE[r1!,r2!] TS A(aborted) TE[] AE"
    )
    assert len(rig.provider.requests) == 1
    assert (len(rig.agent.steering), len(rig.agent.follow_ups)) == (1, 1)


async def test_051_e02s_abort_during_the_first_of_three_sequential_calls() -> None:
    doors = Doors()
    tool = FakeTool(behaviour=doors.polite)
    rig = Rig(asks("1", "2", "3"), tools=[tool], sequential_tools=True)
    running = asyncio.create_task(rig.agent.prompt("user"))
    await doors.begun("1")
    rig.agent.abort()
    await running
    assert rig.sequence == (
        "AS TS M(user) A(toolUse) XS1 XE1! M(r1!) XS2 XE2! M(r2!) XS3 XE3! M(r3!) TE TS A(aborted) TE AE"
    )
    assert tool.ids == ["1"]
    assert text_of(rig.results()[2]) == "Aborted: the call was not run."


async def test_052_e02p_abort_in_the_before_hook_of_the_second_of_three_calls() -> None:
    tool = FakeTool()
    seen: list[str] = []

    async def before(asked: BeforeToolCall) -> ToolCallVerdict | None:
        seen.append(asked.call.id)
        if asked.call.id == "2":
            rig.agent.abort()
        return None

    rig = Rig(asks("1", "2", "3"), tools=[tool], hooks=AgentHooks(before_tool_call=before))
    await rig.agent.prompt("user")
    assert rig.sequence == (
        "AS TS M(user) A(toolUse) XS1 XS2 XE2! XS3 XE3! XE1! M(r1!) M(r2!) M(r3!) TE TS A(aborted) TE AE"
    )
    assert not tool.seen
    assert seen == ["1", "2"]


async def test_053_e02i_a_tool_that_ends_well_after_the_abort_keeps_its_result() -> None:
    async def ignoring(invocation: ToolInvocation) -> ToolResult:
        await invocation.signal.wait()
        await spin()
        return await says_ok(invocation)

    rig = Rig(asks("1"), tools=[FakeTool(behaviour=ignoring)])
    running = asyncio.create_task(rig.agent.prompt("user"))
    await spin()
    rig.agent.abort()
    await running
    assert rig.sequence == "AS TS M(user) A(toolUse) XS1 XE1 M(r1) TE TS A(aborted) TE AE"


async def test_e03_abort_between_turns_with_results_to_answer() -> None:
    rig = Rig(asks("1"), tools=[FakeTool()])
    rig.agent.follow_up("FU")
    rig.on("turn_end", lambda _: rig.agent.abort())
    await rig.agent.prompt("user")
    assert rig.sequence == "AS TS M(user) A(toolUse) XS1 XE1 M(r1) TE TS A(aborted) TE AE"
    assert len(rig.agent.follow_ups) == 1


@pytest.mark.parametrize("queued", ["nothing", "steer", "follow_up"])
async def test_060_e03_abort_after_the_last_turn(queued: str) -> None:
    rig = Rig(DONE)
    if queued != "nothing":
        rig.on("message_update", lambda _: getattr(rig.agent, queued)("more"))
    rig.on("turn_end", lambda _: rig.agent.abort())
    await rig.agent.prompt("user")
    assert rig.sequence == "AS TS M(user) A(stop) TE AE"
    assert len(rig.agent.steering) + len(rig.agent.follow_ups) == int(queued != "nothing")
    assert rig.end.cause == rig.agent.state.last_cause == "aborted"


@pytest.mark.parametrize("reply", [fail(ERROR), fail(ERROR, after="half")], ids=["before", "after the start"])
async def test_017_018_019_e04_a_provider_error(reply: Reply) -> None:
    rig = Rig(reply)
    rig.agent.steer("S1")
    rig.agent.steer("S2")
    rig.agent.follow_up("FU")
    await rig.agent.prompt("user")
    assert rig.sequence == "AS TS M(user) M(S1) A(error) TE AE"
    assert (len(rig.agent.steering), len(rig.agent.follow_ups)) == (1, 1)
    assert reply_of(rig).error_message == "Out of order"
    info = error_of(reply_of(rig))
    assert info is not None
    assert (info.kind, info.status) == ("server", 500)


async def test_016_e04_calls_of_a_failed_reply_never_run() -> None:
    tool = FakeTool()
    rig = Rig(Reply(steps=(call("work", id="1"), Fault(kind="error", error=ERROR))), tools=[tool])
    await rig.agent.prompt("user")
    assert rig.sequence == "AS TS M(user) A(error) TE AE"
    assert not tool.seen
    assert [block.id for block in reply_of(rig).tool_calls] == ["1"]


def broken(*args: Any) -> Any:
    raise RuntimeError("broken hook")


@pytest.mark.parametrize(
    "options",
    [
        {"stream": broken},
        {"hooks": AgentHooks(convert_to_llm=broken)},
        {"hooks": AgentHooks(transform_context=broken)},
        {"hooks": AgentHooks(get_api_key=broken)},
        {"hooks": AgentHooks(prepare_request=broken)},
    ],
    ids=["stream", "convert_to_llm", "transform_context", "get_api_key", "prepare_request"],
)
async def test_110_e05_what_raises_before_the_reply_fails_the_turn(options: dict[str, Any]) -> None:
    rig = Rig(DONE, **options)
    await rig.agent.prompt("user")
    assert rig.sequence == "AS TS M(user) A(error) TE AE"
    assert reply_of(rig).error_message == "broken hook"
    assert [label(message) for message in rig.end.messages] == ["user", "A(error)"]


async def test_e05_in_a_later_turn_all_new_messages_are_reported() -> None:
    keys: list[str] = ["k"]

    async def key(model: Model) -> str | None:
        return keys.pop()

    rig = Rig(asks("1"), tools=[FakeTool()], hooks=AgentHooks(get_api_key=key))
    await rig.agent.prompt("user")
    assert rig.sequence == "AS TS M(user) A(toolUse) XS1 XE1 M(r1) TE TS A(error) TE AE"
    assert [label(message) for message in rig.end.messages] == ["user", "A(toolUse)", "r1", "A(error)"]


KINDS = [
    "agent_start",
    "turn_start",
    "message_start",
    "message_update",
    "message_end",
    "tool_execution_start",
    "tool_execution_update",
    "tool_execution_end",
    "turn_end",
    "agent_end",
]
WITH_TOOL = "AS TS M(user) A(toolUse) XS1 XU1 XE1 M(r1) TE TS A(stop) TE AE"


async def updating(invocation: ToolInvocation) -> ToolResult:
    invocation.on_update(ToolResult.text("so far"))
    await spin()
    return await says_ok(invocation)


def raises_at(kind: str, only: int = 1) -> Callable[[Any], None]:
    left = [only]

    def listener(event: Any) -> None:
        if event.type == kind and left[0]:
            left[0] -= 1
            raise OSError(f"cannot take {kind}")

    return listener


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("only", [1, 1000], ids=["once", "always"])
async def test_104_105_e06_e07_a_listener_that_raises_changes_nothing(kind: str, only: int) -> None:
    rig = Rig(asks("1"), DONE, tools=[FakeTool(behaviour=updating)])
    rig.agent.subscribe(raises_at(kind, only))
    later: list[Any] = []
    rig.agent.subscribe(later.append)
    await rig.agent.prompt("user")
    faults = [event for event in rig.events if event.to_wire()["type"] == "fault"]
    assert faults
    assert {event.to_wire()["source"] for event in faults} == {f"listener {kind}"}
    assert notate([event for event in rig.events if event not in faults]) == WITH_TOOL
    assert later == rig.events
    assert rig.agent.state.last_cause == "finished"


BARRIER = {
    "agent_start": "AS F(barrier agent_start) TS M(user) A(error) TE AE",
    "turn_start": "AS TS F(barrier turn_start) M(user) A(error) TE AE",
    "message_start": "AS TS Ms(user) F(barrier message_start) Me(user) A(error) TE AE",
    "message_end": "AS TS M(user) F(barrier message_end) A(error) TE AE",
    "message_update": "AS TS M(user) Ms(A(pending)) F(barrier message_update) Me(A(error)) TE AE",
    "tool_execution_start": (
        "AS TS M(user) A(toolUse) XS1 F(barrier tool_execution_start) XE1! M(r1!) TE TS A(error) TE AE"
    ),
    "tool_execution_update": (
        "AS TS M(user) A(toolUse) XS1 XU1 F(barrier tool_execution_update) XE1 M(r1) TE TS A(error) TE AE"
    ),
    "tool_execution_end": (
        "AS TS M(user) A(toolUse) XS1 XU1 XE1 F(barrier tool_execution_end) M(r1) TE TS A(error) TE AE"
    ),
    "turn_end": "AS TS M(user) A(toolUse) XS1 XU1 XE1 M(r1) TE F(barrier turn_end) TS A(error) TE AE",
    "agent_end": "AS TS M(user) A(toolUse) XS1 XU1 XE1 M(r1) TE TS A(stop) TE AE F(barrier agent_end)",
}


@pytest.mark.parametrize("kind", KINDS)
async def test_e06_a_barrier_that_raises_ends_the_run_in_order(kind: str) -> None:
    rig = Rig(asks("1"), DONE, tools=[FakeTool(behaviour=updating)])
    rig.agent.subscribe(raises_at(kind), barrier=True)
    if kind != "agent_end":
        rig.agent.follow_up("FU")
    await rig.agent.prompt("user")
    assert rig.sequence == BARRIER[kind]
    assert rig.agent.state.last_cause == "error"
    assert [label(message) for message in rig.end.messages] == [label(m) for m in rig.agent.state.messages]
    if kind != "agent_end":
        assert rig.end.cause == "error"
        assert len(rig.agent.follow_ups) == 1
        reply = reply_of(rig)
        assert reply.error_message == f"The run was stopped: barrier {kind}: OSError: cannot take {kind}"
        info = error_of(reply)
        assert info is not None
        assert info.retryable is False


async def test_e06_a_barrier_that_raises_after_all_was_done() -> None:
    rig = Rig(DONE)
    rig.agent.subscribe(raises_at("turn_end"), barrier=True)
    await rig.agent.prompt("user")
    assert rig.sequence == "AS TS M(user) A(stop) TE F(barrier turn_end) AE"
    assert rig.end.cause == rig.agent.state.last_cause == "error"


async def test_e06_of_two_broken_barriers_the_first_is_the_reason() -> None:
    rig = Rig(DONE)
    rig.agent.subscribe(raises_at("turn_start"), barrier=True)
    rig.agent.subscribe(raises_at("message_start"), barrier=True)
    await rig.agent.prompt("user")
    assert rig.sequence == "AS TS F(barrier turn_start) Ms(user) F(barrier message_start) Me(user) A(error) TE AE"
    reply = reply_of(rig)
    assert reply.error_message == "The run was stopped: barrier turn_start: OSError: cannot take turn_start"


async def test_e06_a_broken_barrier_does_not_spoil_the_next_run() -> None:
    rig = Rig(DONE, DONE)
    rig.agent.subscribe(raises_at("turn_end"), barrier=True)
    await rig.agent.prompt("user")
    assert rig.agent.state.last_cause == "error"
    rig.events.clear()
    await rig.agent.prompt("again")
    assert rig.sequence == "AS TS M(again) A(stop) TE AE"
    assert rig.agent.state.last_cause == "finished"


async def test_020_021_e08_done_without_start() -> None:
    def adapter(reply: MessageBuilder) -> Sequence[StreamEvent]:
        index, opened = reply.open_text()
        return [opened, reply.append(index, "hello"), reply.close(index), reply.done("stop")]

    rig = Rig(stream=raw(adapter))
    await rig.agent.prompt("user")
    assert rig.sequence == "AS TS M(user) A(stop) TE AE"
    kinds = [event.to_wire()["type"] for event in rig.events]
    assert "message_update" not in kinds
    assert reply_of(rig).text == "hello"


@pytest.mark.parametrize("started", [False, True])
async def test_023_024_e09_e10_a_stream_that_ends_without_a_terminal_event(started: bool) -> None:
    rig = Rig(stream=raw(lambda reply: [reply.start()] if started else []))
    await rig.agent.prompt("user")
    assert rig.sequence == "AS TS M(user) A(error) TE AE"
    assert reply_of(rig).error_message == "The provider's stream ended before its terminal event"


async def test_022_e11_events_after_the_terminal_one_are_ignored() -> None:
    def adapter(reply: MessageBuilder) -> Sequence[StreamEvent]:
        index, opened = reply.open_text()
        events = [reply.start(), opened, reply.append(index, "one"), reply.close(index), reply.done("stop")]
        return [*events, reply.append(index, "two"), reply.failed(ERROR)]

    rig = Rig(stream=raw(adapter))
    await rig.agent.prompt("user")
    assert rig.sequence == "AS TS M(user) A(stop) TE AE"
    assert reply_of(rig).text == "one"


async def test_e11_a_second_start_is_ignored() -> None:
    rig = Rig(stream=raw(lambda reply: [reply.start(), reply.start(), reply.done("stop")]))
    await rig.agent.prompt("user")
    assert rig.sequence == "AS TS M(user) A(stop) TE AE"


async def test_a_stream_that_just_ends_after_an_abort_is_aborted() -> None:
    def adapter(reply: MessageBuilder) -> Sequence[StreamEvent]:
        rig.agent.abort()
        return [reply.start()]

    rig = Rig(stream=raw(adapter))
    await rig.agent.prompt("user")
    assert rig.sequence == "AS TS M(user) A(aborted) TE AE"


async def test_an_adapter_that_calls_itself_aborted_ends_the_run_so() -> None:
    rig = Rig(stream=raw(lambda reply: [reply.start(), reply.aborted("Not me")]))
    await rig.agent.prompt("user")
    assert rig.sequence == "AS TS M(user) A(aborted) TE AE"
    assert rig.end.cause == rig.agent.state.last_cause == "aborted"


async def test_090_091_e12_prompt_and_continue_while_running_are_refused() -> None:
    rig = Rig(Reply(steps=(GateStep(name="x"), Text(text="done"))))
    running = asyncio.create_task(rig.agent.prompt("user"))
    await rig.provider.gate("x").reached.wait()
    before = list(rig.events)
    for command in (rig.agent.prompt("no"), rig.agent.continue_(), rig.agent.retry()):
        with pytest.raises(AgentBusy):
            await command
    assert rig.events == before
    rig.provider.gate("x").open()
    await running
    assert rig.sequence == "AS TS M(user) A(stop) TE AE"
