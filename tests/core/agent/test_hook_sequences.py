"""The exact event sequences of runs with hooks and odd results, N25 to N34 of the behaviour table."""

from __future__ import annotations

from typing import Any

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
from core.agent.tools import ToolInvocation, ToolResult
from core.ai.messages import SystemMessage, UserMessage
from core.ai.script import call, say
from tests.core.agent.rig import OTHER_MODEL, FakeTool, Rig, asks, boom, text_of

DONE = say("done")
FAILED_ONE = "AS TS M(user) A(toolUse) XS1 XE1! M(r1!) TE TS A(stop) TE AE"


async def test_087_n25_a_block_can_end_the_run() -> None:
    async def before(call: BeforeToolCall) -> ToolCallVerdict | None:
        return ToolCallVerdict(block=True, terminate=True)

    rig = Rig(asks("1"), tools=[FakeTool()], hooks=AgentHooks(before_tool_call=before))
    await rig.agent.prompt("user")
    assert rig.sequence == "AS TS M(user) A(toolUse) XS1 XE1! M(r1!) TE AE"


async def test_072_n26_a_tool_that_raises() -> None:
    looks: list[AfterToolCall] = []

    async def after(look: AfterToolCall) -> ToolResult | None:
        looks.append(look)
        return None

    rig = Rig(asks("1"), DONE, tools=[FakeTool(behaviour=boom)], hooks=AgentHooks(after_tool_call=after))
    await rig.agent.prompt("user")
    assert rig.sequence == FAILED_ONE
    assert text_of(rig.results()[0]) == "it broke"
    assert [look.is_error for look in looks] == [True]


async def test_076_n27_an_after_hook_that_raises() -> None:
    async def after(look: AfterToolCall) -> ToolResult | None:
        raise RuntimeError("after broke")

    rig = Rig(asks("1"), DONE, tools=[FakeTool()], hooks=AgentHooks(after_tool_call=after))
    await rig.agent.prompt("user")
    assert rig.sequence == FAILED_ONE
    assert text_of(rig.results()[0]) == "after broke"


async def test_n28_an_after_hook_overrides_content_error_and_end() -> None:
    async def after(look: AfterToolCall) -> ToolResult | None:
        return ToolResult(content=ToolResult.text("other").content, is_error=True, terminate=True)

    rig = Rig(asks("1"), tools=[FakeTool()], hooks=AgentHooks(after_tool_call=after))
    await rig.agent.prompt("user")
    assert rig.sequence == "AS TS M(user) A(toolUse) XS1 XE1! M(r1!) TE AE"
    assert text_of(rig.results()[0]) == "other"


async def test_080_n29_a_result_that_calls_itself_an_error() -> None:
    async def failing(invocation: ToolInvocation) -> ToolResult:
        return ToolResult.error("no", details={"why": 1})

    rig = Rig(asks("1"), DONE, tools=[FakeTool(behaviour=failing)])
    await rig.agent.prompt("user")
    assert rig.sequence == FAILED_ONE
    assert rig.results()[0].details == {"why": 1}


async def test_079_n30_a_tool_that_returns_nothing() -> None:
    async def nothing(invocation: ToolInvocation) -> ToolResult:
        result: Any = None
        return result

    rig = Rig(asks("1"), DONE, tools=[FakeTool(behaviour=nothing)])
    await rig.agent.prompt("user")
    assert rig.sequence == FAILED_ONE
    assert text_of(rig.results()[0]) == "The tool work returned nothing instead of a result."


async def test_078_n31_a_result_without_content() -> None:
    async def empty(invocation: ToolInvocation) -> ToolResult:
        return ToolResult()

    rig = Rig(asks("1"), DONE, tools=[FakeTool(behaviour=empty)])
    await rig.agent.prompt("user")
    assert rig.sequence == "AS TS M(user) A(toolUse) XS1 XE1 M(r1) TE TS A(stop) TE AE"
    assert rig.results()[0].to_wire()["content"] == []


async def test_041_n32_the_turn_hook_changes_model_level_tools_and_context() -> None:
    new = FakeTool("new")

    async def change(view: RunView) -> TurnChange | None:
        if view.model is OTHER_MODEL:
            return None
        context = [UserMessage.of("short"), *view.messages[1:]]
        return TurnChange(model=OTHER_MODEL, thinking_level="high", tools=[new], context=context)

    rig = Rig(
        asks("1"),
        asks(call("work", id="2"), call("new", id="3")),
        DONE,
        tools=[FakeTool()],
        hooks=AgentHooks(prepare_next_turn=change),
    )
    await rig.agent.prompt("user")
    assert rig.sequence == (
        "AS TS M(user) A(toolUse) XS1 XE1 M(r1) TE TS M(system) A(toolUse) XS2 XE2! XS3 XE3 M(r2!) M(r3) TE"
        " TS A(stop) TE AE"
    )
    system = next(message for message in rig.agent.state.messages if isinstance(message, SystemMessage))
    assert [tool.name for tool in system.tools_added or ()] == ["new"]
    assert [tool.name for tool in system.tools_removed or ()] == ["work"]
    second = rig.provider.requests[1]
    assert second.model is OTHER_MODEL
    assert second.options.thinking_level == "high"
    assert [tool.name for tool in second.tools] == ["new"]
    assert rig.requests()[1] == ["short", "A(toolUse)", "r1", "system"]
    assert text_of(rig.agent.state.messages[0]) == "user"


async def test_044_n33_a_stop_decision_leaves_the_queues_alone() -> None:
    async def stop(turn: FinishedTurn) -> TurnDecision | None:
        return TurnDecision(stop=True)

    rig = Rig(asks("1"), tools=[FakeTool()], hooks=AgentHooks(finish_turn=stop))
    rig.agent.follow_up("FU")
    rig.on("tool_execution_start", lambda _: rig.agent.steer("steer"))
    await rig.agent.prompt("user")
    assert rig.sequence == "AS TS M(user) A(toolUse) XS1 XE1 M(r1) TE AE"
    assert (len(rig.agent.steering), len(rig.agent.follow_ups)) == (1, 1)
    assert rig.end.cause == "stopped"


def continues_once(*messages: UserMessage | SystemMessage) -> AgentHooks:
    decisions = [TurnDecision(continue_with=messages)]

    async def finish(turn: FinishedTurn) -> TurnDecision | None:
        return decisions.pop() if decisions else None

    return AgentHooks(finish_turn=finish)


async def test_045_n34_a_continue_decision_gives_one_more_turn_with_its_message() -> None:
    rig = Rig(DONE, DONE, hooks=continues_once(UserMessage.of("go on")))
    await rig.agent.prompt("user")
    assert rig.sequence == "AS TS M(user) A(stop) TE TS M(go on) A(stop) TE AE"


async def test_045_n34_a_waiting_follow_up_shares_that_turn() -> None:
    rig = Rig(DONE, DONE, hooks=continues_once(UserMessage.of("go on")))
    rig.agent.follow_up("FU")
    await rig.agent.prompt("user")
    assert rig.sequence == "AS TS M(user) A(stop) TE TS M(go on) M(FU) A(stop) TE AE"
