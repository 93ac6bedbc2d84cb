"""Limits of a run: turns, and identical failing calls."""

from __future__ import annotations

from typing import Any

import pytest

from core.agent.limits import RunLimits
from core.agent.tools import ToolInvocation, ToolResult
from core.ai.script import call, say
from tests.core.agent.rig import FakeTool, Rig, asks

DONE = say("done")


async def test_limit_of_turns() -> None:
    rig = Rig(lambda _: asks("1"), lambda _: asks("2"), tools=[FakeTool()], limits=RunLimits(max_turns=2))
    rig.agent.follow_up("FU")
    await rig.agent.prompt("user")
    assert len(rig.provider.requests) == 2
    assert rig.end.cause == rig.agent.state.last_cause == "max_turns"
    assert rig.sequence.endswith("XS2 XE2 M(r2) TE AE")
    assert len(rig.agent.follow_ups) == 1


async def test_limit_of_turns_leaves_a_steer_waiting_and_a_run_that_ends_by_itself_alone() -> None:
    rig = Rig(DONE, DONE, limits=RunLimits(max_turns=1))
    rig.on("turn_end", lambda _: rig.agent.steer("late"))
    await rig.agent.prompt("user")
    assert rig.end.cause == "max_turns"
    assert len(rig.agent.steering) == 1
    rig.agent.take_queues()
    await rig.agent.prompt("user")
    assert rig.end.cause == "finished"


async def failing(invocation: ToolInvocation) -> ToolResult:
    return ToolResult.error("cannot")


def repeating(tool: FakeTool, *, limit: int | None = 3, arguments: Any = None, stop_at: int = 30) -> Rig:
    def reply(request: Any) -> Any:
        turn = len(rig.provider.requests)
        if turn == stop_at:
            return DONE
        return say("", call(tool.name, arguments(turn) if arguments else {"n": 1}, id=f"c{turn}"))

    rig = Rig(*[reply] * stop_at, tools=[tool], limits=RunLimits(repeated_failures=limit))
    return rig


async def test_limit_of_identical_failing_calls() -> None:
    rig = repeating(FakeTool(behaviour=failing))
    await rig.agent.prompt("user")
    assert len(rig.provider.requests) == 3
    assert rig.end.cause == rig.agent.state.last_cause == "repeated_call"
    assert rig.sequence.endswith("XSc3 XEc3! M(rc3!) TE AE")


async def test_no_limit_when_switched_off_and_ten_by_default() -> None:
    rig = repeating(FakeTool(behaviour=failing), limit=None)
    await rig.agent.prompt("user")
    assert rig.end.cause == "finished"
    assert RunLimits().repeated_failures == 10


@pytest.mark.parametrize("other", ["arguments", "success", "text", "patience"])
async def test_polling_and_trying_otherwise_are_never_stopped(other: str, monkeypatch: pytest.MonkeyPatch) -> None:
    tool = FakeTool()

    async def behave(invocation: ToolInvocation) -> ToolResult:
        if other == "success":
            return ToolResult.text("not yet")
        return ToolResult.error(f"cannot {len(tool.seen) if other == 'text' else ''}")

    tool.behaviour = behave
    if other == "patience":
        monkeypatch.setattr("core.agent.limits.POLL_MS", 0)
    rig = repeating(tool, arguments=(lambda turn: {"n": turn}) if other == "arguments" else None)
    await rig.agent.prompt("user")
    assert rig.end.cause == "finished"
    assert len(rig.provider.requests) == 30


async def test_a_new_message_starts_the_count_of_failures_anew() -> None:
    rig = repeating(FakeTool(behaviour=failing))
    rig.on("turn_end", lambda _: rig.agent.steer("try this"), times=2)
    await rig.agent.prompt("user")
    assert rig.end.cause == "repeated_call"
    assert len(rig.provider.requests) == 5
