"""A call that runs: results, hooks, updates and aborts, one test for each numbered behaviour of 053 and 073 to 082."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

from core.agent.events import ToolExecutionEnd, ToolExecutionUpdate
from core.agent.hooks import AfterToolCall, BeforeToolCall, ToolCallVerdict
from core.agent.limits import RunLimits
from core.agent.tools import ToolInvocation, ToolResult
from core.ai.messages import ImageContent, Usage
from core.ai.script import call
from tests.core.agent.calls import DONE, Lane, rig_with
from tests.core.agent.rig import FakeTool, Rig, asks, hooks, label, says_ok, spin, text_of


async def test_073_the_after_hook_sees_only_calls_that_ran() -> None:
    seen: list[str] = []

    async def before(look: BeforeToolCall) -> ToolCallVerdict | None:
        return ToolCallVerdict(block=look.call.id == "1")

    async def after(look: AfterToolCall) -> None:
        seen.append(look.call.id)

    rig = rig_with(FakeTool(), "1", call("nope", id="2"), "3", before=before, after=after)
    await rig.agent.prompt("user")
    assert seen == ["3"]


async def test_074_details_of_the_after_hook_replace_all_and_keep_the_content() -> None:
    async def detailed(invocation: ToolInvocation) -> ToolResult:
        return ToolResult.text("content", details={"a": 1, "b": 2})

    async def after(look: AfterToolCall) -> ToolResult:
        return ToolResult(details={"a": 3})

    rig = rig_with(FakeTool(behaviour=detailed), "1", after=after)
    await rig.agent.prompt("user")
    assert text_of(rig.results()[0]) == "content"
    assert rig.results()[0].details == {"a": 3}


async def test_074_what_the_after_hook_leaves_none_stays() -> None:
    async def detailed(invocation: ToolInvocation) -> ToolResult:
        return ToolResult.error("content", details={"a": 1})

    async def after(look: AfterToolCall) -> ToolResult:
        return ToolResult(details=None, is_error=None, usage=None)

    rig = rig_with(FakeTool(behaviour=detailed), "1", after=after)
    await rig.agent.prompt("user")
    result = rig.results()[0]
    assert (text_of(result), result.details, result.is_error) == ("content", {"a": 1}, True)


async def test_074_new_content_of_the_after_hook_drops_the_structured_form() -> None:
    async def structured(invocation: ToolInvocation) -> ToolResult:
        return ToolResult(content=ToolResult.text("old").content, structured_content={"n": 1})

    async def after(look: AfterToolCall) -> ToolResult:
        return ToolResult.text("new") if look.call.id == "1" else ToolResult(usage=Usage(input=1))

    rig = rig_with(FakeTool(behaviour=structured), "1", "2", after=after)
    await rig.agent.prompt("user")
    ends = [event for event in rig.events if isinstance(event, ToolExecutionEnd)]
    assert [(event.result.plain_text, event.result.structured_content) for event in ends] == [
        ("new", None),
        ("old", {"n": 1}),
    ]
    assert rig.results()[1].usage == Usage(input=1)


async def test_075_the_after_hook_can_take_back_the_end_of_the_run() -> None:
    async def terminating(invocation: ToolInvocation) -> ToolResult:
        return ToolResult(terminate=True)

    async def after(look: AfterToolCall) -> ToolResult:
        return ToolResult(terminate=False)

    rig = rig_with(FakeTool(behaviour=terminating), "1", after=after)
    await rig.agent.prompt("user")
    assert len(rig.provider.requests) == 2


async def test_076_an_after_hook_that_raises_leaves_siblings_alone() -> None:
    async def after(look: AfterToolCall) -> ToolResult | None:
        if look.call.id == "1":
            raise RuntimeError("after broke")
        return None

    rig = rig_with(FakeTool(), "1", "2", after=after)
    await rig.agent.prompt("user")
    assert [label(result) for result in rig.results()] == ["r1!", "r2"]


class Odd(BaseException):
    """Not an Exception."""


@pytest.mark.parametrize("raised", [Odd("odd"), KeyError("key"), RuntimeError()], ids=["base", "key", "no text"])
async def test_077_whatever_a_tool_raises_is_its_result(raised: BaseException) -> None:
    async def raising(invocation: ToolInvocation) -> ToolResult:
        raise raised

    rig = rig_with(FakeTool(behaviour=raising), "1", "2")
    await rig.agent.prompt("user")
    assert [label(result) for result in rig.results()] == ["r1!", "r2!"]
    assert text_of(rig.results()[0]) == (str(raised) or "RuntimeError")


class Opaque:
    """No JSON data."""


@pytest.mark.parametrize("hook", [False, True], ids=["tool", "after hook"])
async def test_079_a_result_that_cannot_be_stored_is_an_error(hook: bool) -> None:
    circle: list[Any] = []
    circle.append(circle)
    bad = {"1": ToolResult.text("x", details=Opaque()), "2": ToolResult(structured_content=circle)}

    async def tool(invocation: ToolInvocation) -> ToolResult:
        return ToolResult.text("fine") if hook else bad[invocation.call_id]

    async def after(look: AfterToolCall) -> ToolResult | None:
        return bad[look.call.id] if hook else None

    rig = rig_with(FakeTool(behaviour=tool), "1", "2", after=after)
    await rig.agent.prompt("user")
    assert [label(result) for result in rig.results()] == ["r1!", "r2!"]
    assert text_of(rig.results()[0]) == "The result of the tool work is not JSON data: Opaque is not JSON data"


async def test_082_the_end_of_a_call_waits_for_slow_listeners_of_its_updates() -> None:
    shown: list[str] = []

    async def slow(event: Any) -> None:
        if isinstance(event, ToolExecutionUpdate):
            await spin(50)
            shown.append("update")
        if isinstance(event, ToolExecutionEnd):
            shown.append("end")

    async def updating(invocation: ToolInvocation) -> ToolResult:
        invocation.on_update(ToolResult.text("1"))
        invocation.on_update(ToolResult.text("2"))
        return await says_ok(invocation)

    rig = rig_with(FakeTool(behaviour=updating), "1")
    rig.agent.subscribe(slow)
    await rig.agent.prompt("user")
    assert shown == ["update", "update", "end"]


async def test_081_updates_from_threads() -> None:
    async def threaded(invocation: ToolInvocation) -> ToolResult:
        def work() -> None:
            for number in range(3):
                invocation.on_update(ToolResult.text(str(number)))

        await asyncio.to_thread(work)
        return await says_ok(invocation)

    tool = FakeTool(behaviour=threaded)
    rig = rig_with(tool, "1")
    await rig.agent.prompt("user")
    assert "XS1 XU1 XU1 XU1 XE1" in rig.sequence
    updates = [event.partial_result.plain_text for event in rig.events if isinstance(event, ToolExecutionUpdate)]
    assert updates == ["0", "1", "2"]
    late = threading.Thread(target=tool.seen[0].on_update, args=(ToolResult.text("late"),))
    late.start()
    late.join()
    await spin()
    assert rig.sequence.count("XU1") == 3


async def test_081_an_update_of_a_thread_is_told_while_the_tool_runs() -> None:
    told = threading.Event()

    async def threaded(invocation: ToolInvocation) -> ToolResult:
        def work() -> bool:
            invocation.on_update(ToolResult.text("so far"))
            return told.wait(10)

        return ToolResult.text(str(await asyncio.to_thread(work)))

    rig = rig_with(FakeTool(behaviour=threaded), "1")
    rig.on("tool_execution_update", lambda _: told.set())
    await rig.agent.prompt("user")
    assert text_of(rig.results()[0]) == "True"


async def test_081_updates_while_the_after_hook_looks_are_ignored() -> None:
    async def after(look: AfterToolCall) -> None:
        tool.seen[0].on_update(ToolResult.text("late"))
        await spin()

    tool = FakeTool()
    rig = rig_with(tool, "1", after=after)
    await rig.agent.prompt("user")
    assert "XU" not in rig.sequence


def test_081_an_update_after_the_loop_is_gone_is_ignored() -> None:
    tool = FakeTool()

    async def main() -> None:
        await rig_with(tool, "1").agent.prompt("user")

    asyncio.run(main())
    tool.seen[0].on_update(ToolResult.text("too late"))


async def test_081_a_partial_result_that_is_none_is_the_tools_own_error() -> None:
    async def wrong(invocation: ToolInvocation) -> ToolResult:
        partial: Any = "text"
        invocation.on_update(partial)
        return await says_ok(invocation)

    rig = rig_with(FakeTool(behaviour=wrong), "1")
    await rig.agent.prompt("user")
    assert label(rig.results()[0]) == "r1!"


async def test_durations_are_of_calls_that_ran_only() -> None:
    rig = rig_with(FakeTool(), "1", call("nope", id="2"))
    await rig.agent.prompt("user")
    first, second = rig.results()
    assert isinstance(first.duration_ms, int)
    ends = {event.tool_call_id: event.duration_ms for event in rig.events if isinstance(event, ToolExecutionEnd)}
    assert ends == {"1": first.duration_ms, "2": None}
    assert second.duration_ms is None
    assert "durationMs" not in second.to_wire()


async def test_result_content_may_hold_images() -> None:
    async def picture(invocation: ToolInvocation) -> ToolResult:
        return ToolResult(content=(ImageContent(data="aa", mime_type="image/png"),), details={})

    rig = rig_with(FakeTool(behaviour=picture), "1")
    await rig.agent.prompt("user")
    assert "details" not in rig.results()[0].to_wire()
    assert ToolResult(content=rig.results()[0].content).plain_text == "[image image/png]"


async def test_053_a_tool_that_ignores_the_abort_is_cancelled_after_its_grace() -> None:
    cancelled = asyncio.Event()

    async def deaf(invocation: ToolInvocation) -> ToolResult:
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()
        raise AssertionError

    tool = FakeTool(behaviour=deaf)
    rig = rig_with(tool, "1", limits=RunLimits(abort_grace=0.01))
    running = asyncio.create_task(rig.agent.prompt("user"))
    await spin()
    rig.agent.abort("Stop it")
    await asyncio.wait_for(running, 5)
    assert cancelled.is_set()
    assert text_of(rig.results()[0]) == "Stop it"
    assert rig.results()[0].duration_ms is not None


async def test_053_a_tool_that_ignores_even_cancellation_is_left_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.agent.guard.CANCEL_PATIENCE", 0.01)
    release = asyncio.Event()
    ended = asyncio.Event()
    looks: list[str] = []

    async def stubborn(invocation: ToolInvocation) -> ToolResult:
        while not release.is_set():
            try:
                await release.wait()
            except asyncio.CancelledError:
                continue
        invocation.on_update(ToolResult.text("too late"))
        ended.set()
        raise RuntimeError("nobody hears this")

    async def after(look: AfterToolCall) -> None:
        looks.append(look.result.plain_text)

    lane = Lane()
    tool = FakeTool(behaviour=stubborn, reserving=lane.reserve)
    rig = rig_with(tool, "1", after=after, limits=RunLimits(abort_grace=0.01))
    running = asyncio.create_task(rig.agent.prompt("user"))
    await spin()
    rig.agent.abort()
    await asyncio.wait_for(running, 5)
    assert looks == ["Aborted: the call was told to stop and is still finishing."]
    assert text_of(rig.results()[0]) == looks[0]
    assert rig.sequence.endswith("XE1! M(r1!) TE TS A(aborted) TE AE")
    assert lane.held == 1
    release.set()
    await ended.wait()
    await spin()
    assert lane.held == 0
    assert "XU1" not in rig.sequence


async def test_a_tool_that_cancels_itself_fails_alone() -> None:
    async def cancelling(invocation: ToolInvocation) -> ToolResult:
        if invocation.call_id == "1":
            raise asyncio.CancelledError
        return await says_ok(invocation)

    rig = rig_with(FakeTool(behaviour=cancelling), "1", "2")
    await rig.agent.prompt("user")
    assert [label(result) for result in rig.results()] == ["r1!", "r2"]
    assert text_of(rig.results()[0]) == "The tool was cancelled."
    assert rig.sequence.endswith("TS A(stop) TE AE")


@pytest.mark.parametrize("name", ["before_tool_call", "after_tool_call"])
async def test_a_hook_that_cancels_itself_fails_its_call_alone(name: str) -> None:
    async def cancelling(look: Any) -> Any:
        if look.call.id == "1":
            raise asyncio.CancelledError

    rig = Rig(asks("1", "2"), DONE, tools=[FakeTool()], hooks=hooks(**{name: cancelling}))
    await rig.agent.prompt("user")
    assert [label(result) for result in rig.results()] == ["r1!", "r2"]
    assert rig.sequence.endswith("TS A(stop) TE AE")


async def test_an_abort_does_not_wait_for_a_person_who_is_asked() -> None:
    asked = asyncio.Event()

    async def before(look: BeforeToolCall) -> ToolCallVerdict | None:
        asked.set()
        await asyncio.Event().wait()
        return None

    tool = FakeTool()
    rig = rig_with(tool, "1", "2", before=before, limits=RunLimits(abort_grace=0.01))
    running = asyncio.create_task(rig.agent.prompt("user"))
    await asked.wait()
    rig.agent.abort()
    await asyncio.wait_for(running, 5)
    assert rig.sequence == ("AS TS M(user) A(toolUse) XS1 XE1! XS2 XE2! M(r1!) M(r2!) TE TS A(aborted) TE AE")
    assert text_of(rig.results()[0]) == "Aborted: the call was not run."
    assert not tool.seen


async def test_an_abort_in_the_after_hook_keeps_the_result() -> None:
    asked = asyncio.Event()

    async def after(look: AfterToolCall) -> ToolResult | None:
        asked.set()
        await asyncio.Event().wait()
        return None

    rig = rig_with(FakeTool(), "1", after=after, limits=RunLimits(abort_grace=0.01))
    running = asyncio.create_task(rig.agent.prompt("user"))
    await asked.wait()
    rig.agent.abort()
    await asyncio.wait_for(running, 5)
    assert text_of(rig.results()[0]) == "ok 1"
