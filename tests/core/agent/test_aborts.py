"""Aborting and cancelling, 055 to 058 of the behaviour table and the rules for asyncio."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from core.agent.agent import Agent
from core.agent.events import EventBase
from core.agent.hooks import AgentHooks, RunView, TurnChange
from core.ai.abort import AbortSignal
from core.ai.model import ModelRequest
from core.ai.provider import stream_response
from core.ai.script import GateStep, Reply, Text, say
from core.ai.scripted import ScriptedProvider
from tests.core.agent.rig import MODEL, Doors, FakeTool, Rig, asks, text_of

DONE = say("done")


def gated(text: str = "half") -> Reply:
    """A reply that stands still after `text` at the gate x."""
    return Reply(steps=(Text(text=text, unfinished=True), GateStep(name="x")))


async def test_055_an_abort_while_idle_does_not_touch_the_next_run() -> None:
    rig = Rig(DONE)
    rig.agent.abort()
    await rig.agent.prompt("user")
    assert rig.sequence == "AS TS M(user) A(stop) TE AE"
    rig.agent.abort()
    assert rig.agent.signal is None


async def test_056_aborting_twice_is_aborting_once() -> None:
    rig = Rig(gated())
    running = asyncio.create_task(rig.agent.prompt("user"))
    await rig.provider.gate("x").reached.wait()
    rig.agent.abort("first")
    rig.agent.abort("second")
    await running
    assert rig.sequence == "AS TS M(user) A(aborted) TE AE"
    assert rig.agent.state.error_message == "first"


@pytest.mark.parametrize("moment", ["agent_start", "turn_start", "message_start", "message_end"])
async def test_058_an_abort_before_the_request_sends_nothing(moment: str) -> None:
    rig = Rig(DONE)
    rig.agent.steer("steer")
    rig.on(moment, lambda _: rig.agent.abort())
    await rig.agent.prompt("user")
    assert rig.sequence == "AS TS M(user) A(aborted) TE AE"
    assert not rig.provider.requests
    assert len(rig.agent.steering) == 1


@pytest.mark.parametrize("moment", ["request", "tool", "first step"])
async def test_cancelling_the_caller_aborts_the_run_with_all_its_events(moment: str) -> None:
    doors = Doors()
    first = gated() if moment == "request" else asks("1")
    rig = Rig(first, tools=[FakeTool(behaviour=doors.polite)])
    running = asyncio.create_task(rig.agent.prompt("user"))
    if moment == "request":
        await rig.provider.gate("x").reached.wait()
    elif moment == "tool":
        await doors.begun("1")
    else:
        await asyncio.sleep(0)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert not rig.agent.busy
    expected = {
        "request": "AS TS M(user) A(aborted) TE AE",
        "tool": "AS TS M(user) A(toolUse) XS1 XE1! M(r1!) TE TS A(aborted) TE AE",
        "first step": "AS TS M(user) A(aborted) TE AE",
    }
    assert rig.sequence == expected[moment]
    assert rig.agent.state.error_message == "Cancelled"


async def test_a_time_limit_around_a_prompt() -> None:
    rig = Rig(gated())
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.01):
            await rig.agent.prompt("user")
    assert rig.sequence == "AS TS M(user) A(aborted) TE AE"


async def test_taking_the_queues_and_aborting_is_one_step() -> None:
    rig = Rig(gated(), DONE)
    running = asyncio.create_task(rig.agent.prompt("user"))
    await rig.provider.gate("x").reached.wait()
    rig.agent.steer("S1")
    rig.agent.follow_up("F1")
    taken = rig.agent.take_queues(claimed=True)
    rig.agent.abort()
    await running
    assert [[text_of(message) for message in queue] for queue in taken] == [["S1"], ["F1"]]
    assert rig.sequence == "AS TS M(user) A(aborted) TE AE"
    assert (len(rig.agent.steering), len(rig.agent.follow_ups)) == (0, 0)


@pytest.mark.parametrize("queue", ["steer", "follow_up"])
async def test_a_claimed_message_waits_on_after_an_abort(queue: str) -> None:
    prepared: list[RunView] = []

    async def prepare(view: RunView) -> TurnChange | None:
        prepared.append(view)
        rig.agent.abort()
        return None

    rig = Rig(DONE, hooks=AgentHooks(prepare_next_turn=prepare))
    rig.on("message_update", lambda _: getattr(rig.agent, queue)("more"))
    await rig.agent.prompt("user")
    assert rig.sequence == "AS TS M(user) A(stop) TE TS A(aborted) TE AE"
    assert len(prepared) == 1
    assert [text_of(message) for waiting in rig.agent.take_queues() for message in waiting] == ["more"]


async def test_058_an_aborted_run_asks_no_hook_and_calls_no_stream() -> None:
    asked: list[str] = []

    async def prepare(view: RunView) -> TurnChange | None:
        asked.append("hook")
        rig.agent.abort()
        return None

    def stream(request: ModelRequest, signal: AbortSignal) -> Any:
        asked.append("stream")
        raise AssertionError

    rig = Rig(hooks=AgentHooks(prepare_request=prepare), stream=stream)
    await rig.agent.prompt("user")
    assert rig.sequence == "AS TS M(user) A(aborted) TE AE"
    assert asked == ["hook"]
    rig.on("message_start", lambda _: rig.agent.abort())
    await rig.agent.prompt("again")
    assert asked == ["hook"]


async def test_a_barrier_that_breaks_while_the_run_is_aborted_is_the_reason() -> None:
    rig = Rig(DONE)

    def breaks(event: EventBase) -> None:
        if event.to_wire()["type"] == "turn_start":
            rig.agent.abort()
            raise OSError("disk full")

    rig.agent.subscribe(breaks, barrier=True)
    await rig.agent.prompt("user")
    assert rig.sequence == "AS TS F(barrier turn_start) M(user) A(error) TE AE"
    assert rig.agent.state.error_message == "The run was stopped: barrier turn_start: OSError: disk full"
    assert rig.end.cause == "error"


async def test_an_abort_as_the_next_turn_starts_takes_no_message_in() -> None:
    rig = Rig(DONE)
    rig.on("message_update", lambda _: rig.agent.steer("more"))
    rig.on("turn_start", lambda event: rig.agent.abort() if event.turn_index == 1 else None, times=2)
    await rig.agent.prompt("user")
    assert rig.sequence == "AS TS M(user) A(stop) TE TS A(aborted) TE AE"
    assert len(rig.agent.steering) == 1


async def test_after_an_abort_no_turn_is_prepared() -> None:
    prepared: list[RunView] = []

    async def prepare(view: RunView) -> TurnChange | None:
        prepared.append(view)
        return None

    rig = Rig(asks("1"), tools=[FakeTool()], hooks=AgentHooks(prepare_next_turn=prepare))
    rig.on("turn_end", lambda _: rig.agent.abort())
    await rig.agent.prompt("user")
    assert rig.sequence == "AS TS M(user) A(toolUse) XS1 XE1 M(r1) TE TS A(aborted) TE AE"
    assert not prepared


async def test_a_claimed_message_can_be_taken_back_until_it_is_told() -> None:
    taken: list[Any] = []

    async def prepare(view: RunView) -> TurnChange | None:
        taken.append(rig.agent.take_queues(claimed=True))
        rig.agent.abort()
        return None

    rig = Rig(asks("1"), tools=[FakeTool()], hooks=AgentHooks(prepare_next_turn=prepare))
    rig.on("tool_execution_start", lambda _: rig.agent.steer("steer"))
    await rig.agent.prompt("user")
    assert [text_of(message) for message in taken[0][0]] == ["steer"]
    assert rig.sequence == "AS TS M(user) A(toolUse) XS1 XE1 M(r1) TE TS A(aborted) TE AE"


async def test_a_cancelled_run_tells_its_tools_and_ends() -> None:
    doors = Doors()
    rig = Rig(asks("1"), tools=[FakeTool(behaviour=doors.polite)])
    running = asyncio.create_task(rig.agent.prompt("user"))
    await doors.begun("1")
    next(task for task in asyncio.all_tasks() if task.get_name() == "agent-run").cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(running, 5)
    await rig.agent.wait_for_idle()
    assert rig.sequence.startswith("AS TS M(user) A(toolUse) XS1 XE1!")
    assert rig.sequence.endswith("TE AE")
    assert not rig.agent.state.is_streaming


def test_a_loop_that_is_torn_down_ends_the_run() -> None:
    doors = Doors()
    events: list[EventBase] = []

    async def main() -> None:
        provider = ScriptedProvider([asks("1", "2")])
        agent = Agent(
            MODEL,
            lambda request, signal: stream_response(provider, request, signal),
            tools=[FakeTool(behaviour=doors.behaviour)],
        )
        agent.subscribe(events.append)
        kept.append(asyncio.create_task(agent.prompt("user")))
        await doors.begun("2")

    kept: list[Any] = []
    asyncio.run(main())
    kinds = [event.to_wire()["type"] for event in events]
    assert kinds[-1] == "agent_end"
    for part in ("agent", "turn", "message"):
        assert kinds.count(f"{part}_start") == kinds.count(f"{part}_end"), part
