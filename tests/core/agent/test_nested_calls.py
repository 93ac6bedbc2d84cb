"""Tools that call tools: the same checks and hooks, no events, one reservation."""

from __future__ import annotations

import asyncio
from typing import Any

from core.agent.hooks import AfterToolCall, AgentHooks, BeforeToolCall, ToolCallVerdict
from core.agent.limits import RunLimits
from core.agent.tools import ToolInvocation, ToolResult, no_nested_calls
from core.ai.abort import AbortSignal
from core.ai.script import say
from core.ai.wire import Json
from tests.core.agent.calls import Lane
from tests.core.agent.rig import Behaviour, FakeTool, Rig, asks, says_ok, spin, text_of

DONE = say("done")


def outer(*calls: tuple[str, Any]) -> Behaviour:
    """A tool that makes `calls` one by one and returns their texts."""

    async def behaviour(invocation: ToolInvocation) -> ToolResult:
        results = [await invocation.run_tool_call(name, arguments) for name, arguments in calls]
        return ToolResult.text(", ".join(f"{'!' if r.is_error else ''}{r.plain_text}" for r in results))

    return behaviour


def rig_with(behaviour: Behaviour, *tools: FakeTool, **options: Any) -> Rig:
    return Rig(asks("1", tool="outer"), DONE, tools=[FakeTool("outer", behaviour), *tools], **options)


async def test_a_nested_call_runs_without_events_and_is_recorded() -> None:
    async def inner(invocation: ToolInvocation) -> ToolResult:
        invocation.on_update(ToolResult.text("not shown"))
        return await says_ok(invocation)

    parameters: dict[str, Json] = {"type": "object", "properties": {"n": {"type": "integer"}}}
    tool = FakeTool("inner", inner, parameters=parameters)
    rig = rig_with(outer(("inner", {"n": "1"})), tool)
    await rig.agent.prompt("user")
    assert rig.sequence == "AS TS M(user) A(toolUse) XS1 XE1 M(r1) TE TS A(stop) TE AE"
    assert tool.seen[0].arguments == {"n": 1}
    assert text_of(rig.results()[0]) == "ok 1/1"
    record = rig.results()[0].nested_calls
    assert isinstance(record["calls"][0].pop("durationMs"), int)
    assert record == {
        "calls": [{"id": "1/1", "name": "inner", "status": "ok", "arguments": {"n": "1"}}],
        "complete": True,
    }


async def test_failures_come_back_as_results() -> None:
    async def broken(invocation: ToolInvocation) -> ToolResult:
        raise RuntimeError("it broke")

    rig = rig_with(
        outer(("nope", {}), ("broken", {}), ("broken", {"x": {1}}), ("broken", None)), FakeTool("broken", broken)
    )
    await rig.agent.prompt("user")
    text = text_of(rig.results()[0])
    assert text.startswith("!There is no tool named 'nope'")
    assert "!it broke" in text
    assert "!set is not JSON data" in text
    records = rig.results()[0].nested_calls["calls"]
    assert [record["status"] for record in records] == ["error"] * 4
    assert list(records[1]) == ["id", "name", "arguments", "status", "durationMs", "error"]
    assert records[1]["error"] == "it broke"


async def test_hooks_apply_to_nested_calls() -> None:
    seen: list[str] = []

    async def before(look: BeforeToolCall) -> ToolCallVerdict | None:
        return ToolCallVerdict(block=look.call.id == "1/1", reason="not that")

    async def after(look: AfterToolCall) -> None:
        seen.append(look.call.id)

    hooks = AgentHooks(before_tool_call=before, after_tool_call=after)
    rig = rig_with(outer(("inner", {}), ("inner", {})), FakeTool("inner"), hooks=hooks)
    await rig.agent.prompt("user")
    assert text_of(rig.results()[0]) == "!not that, ok 1/2"
    assert seen == ["1/2", "1"]


async def test_a_nested_call_runs_under_the_reservation_of_its_parent() -> None:
    lane = Lane()
    inner = FakeTool("inner", reserving=lane.reserve)
    middle = FakeTool("middle", outer(("inner", {})))
    tool = FakeTool("outer", outer(("middle", {}), ("inner", {})), reserving=lane.reserve)
    rig = Rig(asks("1", tool="outer"), DONE, tools=[tool, middle, inner])
    await asyncio.wait_for(rig.agent.prompt("user"), 5)
    assert inner.ids == ["1/1/1", "1/2"]
    await spin()
    assert lane.held == 0


async def test_a_nested_call_of_a_parent_without_one_takes_its_own() -> None:
    lane = Lane()
    held: list[int] = []

    async def inner(invocation: ToolInvocation) -> ToolResult:
        held.append(lane.held)
        return await says_ok(invocation)

    rig = rig_with(outer(("inner", {}), ("inner", {})), FakeTool("inner", inner, reserving=lane.reserve))
    await asyncio.wait_for(rig.agent.prompt("user"), 5)
    await spin()
    assert held == [1, 1]
    assert lane.held == 0


async def test_an_abort_reaches_nested_calls_and_the_record_tells_what_was_left() -> None:
    begun = asyncio.Event()

    async def inner(invocation: ToolInvocation) -> ToolResult:
        begun.set()
        await asyncio.Event().wait()
        raise AssertionError

    rig = rig_with(outer(("inner", {})), FakeTool("inner", inner), limits=RunLimits(abort_grace=0))
    running = asyncio.create_task(rig.agent.prompt("user"))
    await begun.wait()
    rig.agent.abort()
    await asyncio.wait_for(running, 5)
    assert rig.sequence.endswith("XE1! M(r1!) TE TS A(aborted) TE AE")
    record = rig.results()[0].nested_calls
    assert [item["status"] for item in record["calls"]] == ["unfinished"]
    assert record["complete"] is False


async def test_long_arguments_are_recorded_by_their_size() -> None:
    rig = rig_with(outer(("inner", {"text": "x" * 10_000})), FakeTool("inner"))
    await rig.agent.prompt("user")
    record = rig.results()[0].nested_calls["calls"][0]
    assert "arguments" not in record
    assert record["argumentsBytes"] > 10_000


async def test_outside_of_a_run_there_is_nothing_to_call() -> None:
    invocation = ToolInvocation("1", {}, AbortSignal(), lambda partial: None)
    assert invocation.run_tool_call is no_nested_calls
    assert (await invocation.run_tool_call("inner", {})).is_error
