"""Batches of calls that ask, share things and are aborted."""

from __future__ import annotations

import asyncio

from core.agent.hooks import AfterToolCall, BeforeToolCall
from core.agent.limits import RunLimits
from core.agent.tools import ToolInvocation, ToolResult
from tests.core.agent.calls import Lane, on, rig_with
from tests.core.agent.rig import Doors, FakeTool, says_ok, spin, text_of


async def test_calls_start_after_the_whole_batch_was_checked() -> None:
    tool = FakeTool()
    order: list[str] = []

    async def before(look: BeforeToolCall) -> None:
        await spin(3)
        order.append(f"asked {look.call.id}, ran {len(tool.seen)}")

    await rig_with(tool, "1", "2", before=before).agent.prompt("user")
    assert order == ["asked 1, ran 0", "asked 2, ran 0"]


async def test_approved_calls_start_while_a_hook_waits_for_a_person() -> None:
    tool = FakeTool()
    begun = asyncio.Event()

    async def begin(invocation: ToolInvocation) -> ToolResult:
        begun.set()
        return await says_ok(invocation)

    async def before(look: BeforeToolCall) -> None:
        if look.call.id == "2":
            await begun.wait()

    tool.behaviour = begin
    rig = rig_with(tool, "1", "2", before=before)
    await asyncio.wait_for(rig.agent.prompt("user"), 5)
    assert "XS1 XS2 XE1 XE2 M(r1) M(r2)" in rig.sequence


async def test_calls_that_touch_the_same_thing_run_in_call_order_and_others_meanwhile() -> None:
    doors, lane = Doors(), Lane()
    tool = FakeTool(behaviour=doors.behaviour, reserving=lane.reserve)
    rig = rig_with(tool, on("a", "1"), on("a", "2"), on("b", "3"))
    running = asyncio.create_task(rig.agent.prompt("user"))
    await doors.begun("3")
    await spin()
    assert tool.ids == ["1", "3"]
    doors.open("1", "2", "3")
    await asyncio.wait_for(running, 5)
    assert tool.ids == ["1", "3", "2"]
    assert lane.held == 0


async def test_an_abort_wakes_calls_that_wait_for_others() -> None:
    doors, lane = Doors(), Lane()
    tool = FakeTool(behaviour=doors.polite, reserving=lane.reserve)
    rig = rig_with(tool, on("a", "1"), on("a", "2"), limits=RunLimits(abort_grace=60))
    running = asyncio.create_task(rig.agent.prompt("user"))
    await doors.begun("1")
    await spin()
    rig.agent.abort()
    await asyncio.wait_for(running, 5)
    assert tool.ids == ["1"]
    assert text_of(rig.results()[1]) == "Aborted: the call was not run."
    assert rig.results()[1].duration_ms is None
    await spin()
    assert lane.held == 0


async def test_an_abort_wakes_a_call_whose_turn_never_comes() -> None:
    lane = Lane()
    lane.reserve({"path": "a"})
    rig = rig_with(FakeTool(reserving=lane.reserve), on("a", "1"), limits=RunLimits(abort_grace=60))
    running = asyncio.create_task(rig.agent.prompt("user"))
    await spin()
    rig.agent.abort()
    await asyncio.wait_for(running, 5)
    assert text_of(rig.results()[0]) == "Aborted: the call was not run."
    await spin()
    assert lane.held == 1


async def test_places_are_given_back_when_a_later_call_is_aborted_before_the_batch_starts() -> None:
    lane = Lane()
    tool = FakeTool(reserving=lane.reserve)

    async def before(look: BeforeToolCall) -> None:
        if look.call.id == "2":
            rig.agent.abort()

    rig = rig_with(tool, on("a", "1"), on("a", "2"), before=before)
    await rig.agent.prompt("user")
    await spin()
    assert not tool.seen
    assert lane.held == 0


async def test_a_lane_that_fails_is_the_error_of_its_call() -> None:
    lane = Lane(fails=True)
    looks: list[str] = []

    async def after(look: AfterToolCall) -> None:
        looks.append(look.call.id)

    rig = rig_with(FakeTool(reserving=lane.reserve), on("a", "1"), after=after)
    await rig.agent.prompt("user")
    await spin()
    assert text_of(rig.results()[0]) == "no lane"
    assert not looks
    assert lane.held == 0


async def test_the_place_is_held_while_the_after_hook_looks() -> None:
    lane = Lane()
    held: list[int] = []

    async def after(look: AfterToolCall) -> None:
        held.append(lane.held)

    rig = rig_with(FakeTool(reserving=lane.reserve), on("a", "1"), after=after)
    await rig.agent.prompt("user")
    assert held == [1]
