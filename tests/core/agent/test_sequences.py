"""The exact event sequences of ordinary runs, N1 to N37 of the behaviour table."""

from __future__ import annotations

import asyncio

import pytest

from core.agent.events import TurnEnd
from core.agent.hooks import (
    AgentHooks,
    BeforeToolCall,
    ToolCallVerdict,
)
from core.agent.tools import ToolInvocation, ToolResult
from core.ai.script import call, say
from tests.core.agent.rig import Doors, FakeTool, Rig, asks, boom, ends_the_run, label, notate, spin, text_of

DONE = say("done")


async def test_001_n01_a_prompt_without_tools() -> None:
    rig = Rig(DONE)
    await rig.agent.prompt("user")
    assert notate(rig.events, details=True) == "AS TS M(user) A(stop) TE[] AE"
    assert [label(message) for message in rig.end.messages] == ["user", "A(stop)"]


async def test_004_n02_one_tool() -> None:
    rig = Rig(asks("1"), DONE, tools=[FakeTool()])
    await rig.agent.prompt("user")
    expected = "AS TS M(user) A(toolUse) XS1 XE1 M(r1) TE[r1] TS A(stop) TE[] AE"
    assert notate(rig.events, details=True) == expected
    assert [label(message) for message in rig.end.messages] == ["user", "A(toolUse)", "r1", "A(stop)"]


async def test_005_n03_three_parallel_calls_that_end_in_another_order() -> None:
    doors = Doors()
    rig = Rig(asks("1", "2", "3"), DONE, tools=[FakeTool(behaviour=doors.behaviour)])
    running = asyncio.create_task(rig.agent.prompt("user"))
    for call_id in ("2", "3", "1"):
        await doors.begun(call_id)
        doors.open(call_id)
        await spin()
    await running
    assert notate(rig.events, details=True) == (
        "AS TS M(user) A(toolUse) XS1 XS2 XS3 XE2 XE3 XE1 M(r1) M(r2) M(r3) TE[r1,r2,r3] TS A(stop) TE[] AE"
    )


ONE_BY_ONE = "AS TS M(user) A(toolUse) XS1 XE1 M(r1) XS2 XE2 M(r2) XS3 XE3 M(r3) TE[r1,r2,r3] TS A(stop) TE[] AE"


async def test_007_n04_three_calls_one_by_one() -> None:
    rig = Rig(asks("1", "2", "3"), DONE, tools=[FakeTool()], sequential_tools=True)
    await rig.agent.prompt("user")
    assert notate(rig.events, details=True) == ONE_BY_ONE


async def test_008_n04_one_sequential_tool_makes_the_whole_batch_sequential() -> None:
    tools = [FakeTool(), FakeTool("careful", execution_mode="sequential")]
    rig = Rig(asks("1", call("careful", id="2"), "3"), DONE, tools=tools)
    await rig.agent.prompt("user")
    assert notate(rig.events, details=True) == ONE_BY_ONE


async def test_033_n05_steering_during_a_batch() -> None:
    doors = Doors()
    rig = Rig(asks("1", "2"), DONE, tools=[FakeTool(behaviour=doors.behaviour)])
    running = asyncio.create_task(rig.agent.prompt("user"))
    await doors.begun("2")
    rig.agent.steer("steer")
    doors.open("1", "2")
    await running
    assert rig.sequence == ("AS TS M(user) A(toolUse) XS1 XS2 XE1 XE2 M(r1) M(r2) TE TS M(steer) A(stop) TE AE")
    assert rig.requests()[1] == ["user", "A(toolUse)", "r1", "r2", "steer"]


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("one-at-a-time", "AS TS M(user) A(stop) TE TS M(S1) A(stop) TE TS M(S2) A(stop) TE AE"),
        ("all", "AS TS M(user) A(stop) TE TS M(S1) M(S2) A(stop) TE AE"),
    ],
    ids=["n06", "n07"],
)
async def test_034_n06_n07_two_steers_in_the_first_turn(mode: str, expected: str) -> None:
    rig = Rig(DONE, DONE, DONE, steering_mode=mode)
    rig.on("message_update", lambda _: (rig.agent.steer("S1"), rig.agent.steer("S2")))
    await rig.agent.prompt("user")
    assert rig.sequence == expected


async def test_030_n08_a_follow_up_goes_on_in_the_same_run() -> None:
    rig = Rig(DONE, DONE)
    rig.agent.follow_up("FU")
    await rig.agent.prompt("user")
    assert rig.sequence == "AS TS M(user) A(stop) TE TS M(FU) A(stop) TE AE"


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("one-at-a-time", "AS TS M(user) A(stop) TE TS M(F1) A(stop) TE TS M(F2) A(stop) TE AE"),
        ("all", "AS TS M(user) A(stop) TE TS M(F1) M(F2) A(stop) TE AE"),
    ],
)
async def test_031_n09_two_follow_ups(mode: str, expected: str) -> None:
    rig = Rig(DONE, DONE, DONE, follow_up_mode=mode)
    rig.agent.follow_up("F1")
    rig.agent.follow_up("F2")
    await rig.agent.prompt("user")
    assert rig.sequence == expected


async def test_035_n10_steering_goes_before_a_follow_up() -> None:
    rig = Rig(DONE, DONE, DONE)
    rig.on("message_update", lambda _: (rig.agent.follow_up("FU"), rig.agent.steer("steer")))
    await rig.agent.prompt("user")
    assert rig.sequence == "AS TS M(user) A(stop) TE TS M(steer) A(stop) TE TS M(FU) A(stop) TE AE"


async def test_032_n11_a_steer_before_the_prompt_joins_its_request() -> None:
    rig = Rig(DONE)
    rig.agent.steer("steer")
    await rig.agent.prompt("user")
    assert rig.sequence == "AS TS M(user) M(steer) A(stop) TE AE"
    assert rig.requests() == [["user", "steer"]]


async def test_n12_of_two_steers_before_the_prompt_the_second_gets_its_own_turn() -> None:
    rig = Rig(DONE, DONE)
    rig.agent.steer("S1")
    rig.agent.steer("S2")
    await rig.agent.prompt("user")
    assert rig.sequence == "AS TS M(user) M(S1) A(stop) TE TS M(S2) A(stop) TE AE"


async def test_011_n13_calls_run_whatever_the_stop_reason_says() -> None:
    rig = Rig(say("", call("work", id="1"), stop="stop"), DONE, tools=[FakeTool()])
    await rig.agent.prompt("user")
    assert rig.sequence == "AS TS M(user) A(stop) XS1 XE1 M(r1) TE TS A(stop) TE AE"


async def test_012_n14_tool_use_without_a_call_just_ends() -> None:
    rig = Rig(say("hm", stop="toolUse"))
    await rig.agent.prompt("user")
    assert rig.sequence == "AS TS M(user) A(toolUse) TE AE"


async def test_081_n15_updates_come_before_the_end_and_late_ones_not_at_all() -> None:
    shows = []

    async def updating(invocation: ToolInvocation) -> ToolResult:
        invocation.on_update(ToolResult.text("u1"))
        invocation.on_update(ToolResult.text("u2"))
        shows.append(invocation.on_update)
        return ToolResult.text("result")

    rig = Rig(asks("1"), DONE, tools=[FakeTool(behaviour=updating)])
    rig.on("tool_execution_end", lambda _: shows[0](ToolResult.text("late")))
    await rig.agent.prompt("user")
    shows[0](ToolResult.text("too late"))
    await spin()
    assert rig.sequence == "AS TS M(user) A(toolUse) XS1 XU1 XU1 XE1 M(r1) TE TS A(stop) TE AE"


async def test_037_n16_all_results_terminate() -> None:
    rig = Rig(asks("1", "2"), tools=[FakeTool(behaviour=ends_the_run)])
    await rig.agent.prompt("user")
    assert notate(rig.events, details=True) == ("AS TS M(user) A(toolUse) XS1 XS2 XE1 XE2 M(r1) M(r2) TE[r1,r2] AE")
    assert rig.end.cause == "terminated"


@pytest.mark.parametrize("queue", ["steer", "follow_up"])
async def test_039_n17_all_terminate_but_a_message_waits(queue: str) -> None:
    rig = Rig(asks("1"), DONE, tools=[FakeTool(behaviour=ends_the_run)])
    rig.on("tool_execution_start", lambda _: getattr(rig.agent, queue)("more"))
    await rig.agent.prompt("user")
    assert rig.sequence == "AS TS M(user) A(toolUse) XS1 XE1 M(r1) TE TS M(more) A(stop) TE AE"


@pytest.mark.parametrize("other", ["work", "unknown", "broken"])
async def test_038_040_n18_not_all_terminate(other: str) -> None:
    tools = [FakeTool(), FakeTool("last", ends_the_run), FakeTool("broken", boom)]
    rig = Rig(asks(call("last", id="1"), call(other, id="2")), DONE, tools=tools)
    await rig.agent.prompt("user")
    assert rig.sequence.endswith("TE TS A(stop) TE AE")
    assert len(rig.provider.requests) == 2


async def test_013_014_n19_calls_of_a_reply_cut_by_its_length_do_not_run() -> None:
    asked = []

    async def before(call: BeforeToolCall) -> ToolCallVerdict | None:
        asked.append(call)
        return None

    tool = FakeTool(behaviour=ends_the_run)
    cut = say("", call("work", id="1"), call("unknown", id="2"), stop="length")
    rig = Rig(cut, DONE, tools=[tool], hooks=AgentHooks(before_tool_call=before))
    await rig.agent.prompt("user")
    assert notate(rig.events, details=True) == (
        "AS TS M(user) A(length) XS1 XE1! M(r1!) XS2 XE2! M(r2!) TE[r1!,r2!] TS A(stop) TE[] AE"
    )
    assert not asked
    assert not tool.seen
    assert text_of(rig.results()[0]) == text_of(rig.results()[1])


async def test_015_n20_a_cut_reply_without_calls_just_ends() -> None:
    rig = Rig(say("cut", stop="length"))
    await rig.agent.prompt("user")
    assert rig.sequence == "AS TS M(user) A(length) TE AE"


FAILED_ONE = "AS TS M(user) A(toolUse) XS1 XE1! M(r1!) TE TS A(stop) TE AE"


async def test_061_n21_unknown_tool() -> None:
    rig = Rig(asks("1", tool="nope"), DONE, tools=[FakeTool()])
    await rig.agent.prompt("user")
    assert rig.sequence == FAILED_ONE
    assert text_of(rig.results()[0]) == "There is no tool named 'nope'. Available: work."


async def test_062_n22_invalid_arguments() -> None:
    tool = FakeTool(parameters={"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]})
    rig = Rig(asks(call("work", {"n": "many"}, id="1")), DONE, tools=[tool])
    await rig.agent.prompt("user")
    assert rig.sequence == FAILED_ONE
    assert rig.events[9].to_wire()["args"] == {"n": "many"}


async def test_068_n23_a_blocked_call_leaves_its_sibling_alone() -> None:
    async def before(call: BeforeToolCall) -> ToolCallVerdict | None:
        return ToolCallVerdict(block=True, reason="no") if call.call.id == "1" else None

    rig = Rig(asks("1", "2"), DONE, tools=[FakeTool()], hooks=AgentHooks(before_tool_call=before))
    await rig.agent.prompt("user")
    assert rig.sequence == "AS TS M(user) A(toolUse) XS1 XE1! XS2 XE2 M(r1!) M(r2) TE TS A(stop) TE AE"


async def test_069_n24_a_before_hook_that_raises() -> None:
    async def before(call: BeforeToolCall) -> ToolCallVerdict | None:
        raise RuntimeError("hook broke")

    rig = Rig(asks("1"), DONE, tools=[FakeTool()], hooks=AgentHooks(before_tool_call=before))
    await rig.agent.prompt("user")
    assert rig.sequence == FAILED_ONE
    assert text_of(rig.results()[0]) == "hook broke"


async def test_048_n35_an_empty_prompt() -> None:
    rig = Rig(DONE)
    await rig.agent.prompt([])
    assert rig.sequence == "AS TS A(stop) TE AE"


async def test_025_n36_an_empty_reply() -> None:
    rig = Rig(say(""))
    await rig.agent.prompt("user")
    assert rig.sequence == "AS TS M(user) A(stop) TE AE"
    assert rig.last.to_wire()["content"] == []


async def test_036_n37_a_follow_up_of_a_listener() -> None:
    rig = Rig(DONE, DONE)
    rig.on("turn_end", lambda event: isinstance(event, TurnEnd) and rig.agent.follow_up("FU"))
    rig.on("agent_end", lambda _: rig.agent.follow_up("too late"))
    await rig.agent.prompt("user")
    assert rig.sequence == "AS TS M(user) A(stop) TE TS M(FU) A(stop) TE AE"
    assert [text_of(message) for message in rig.agent.follow_ups.items()] == ["too late"]
