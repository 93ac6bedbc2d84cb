"""Hooks around requests and turns that fail, 152 and 153 of the behaviour table."""

from __future__ import annotations

from typing import Any

import pytest

from core.agent.hooks import (
    AgentHooks,
    TurnChange,
    TurnDecision,
)
from core.ai.messages import AssistantMessage, UserMessage
from core.ai.script import say
from tests.core.agent.rig import FakeTool, Rig, asks, hooks, label, text_of

DONE = say("done")


def broken(*args: Any) -> Any:
    raise RuntimeError("broken hook")


@pytest.mark.parametrize("name", ["finish_turn", "prepare_next_turn"])
async def test_152_a_hook_that_raises_after_the_reply_leaves_whole_turns(name: str) -> None:
    rig = Rig(asks("1"), tools=[FakeTool()], hooks=hooks(**{name: broken}))
    await rig.agent.prompt("user")
    assert rig.sequence == f"AS TS M(user) A(toolUse) XS1 XE1 M(r1) TE F(hook {name}) AE"
    assert rig.end.cause == rig.agent.state.last_cause == "error"
    assert [label(message) for message in rig.agent.state.messages] == ["user", "A(toolUse)", "r1"]


async def test_153_a_claimed_message_waits_on_when_a_hook_raises() -> None:
    rig = Rig(asks("1"), tools=[FakeTool()], hooks=AgentHooks(prepare_next_turn=broken))
    rig.on("tool_execution_start", lambda _: rig.agent.steer("steer"))
    await rig.agent.prompt("user")
    assert rig.sequence == "AS TS M(user) A(toolUse) XS1 XE1 M(r1) TE F(hook prepare_next_turn) AE"
    assert [text_of(message) for message in rig.agent.steering.items()] == ["steer"]


async def test_153_a_message_taken_in_stays_when_the_request_hook_raises() -> None:
    rig = Rig(hooks=AgentHooks(prepare_request=broken), steering_mode="all")
    rig.agent.steer("S1")
    rig.agent.steer("S2")
    await rig.agent.prompt("user")
    assert rig.sequence == "AS TS M(user) M(S1) M(S2) A(error) TE AE"


NO_MESSAGE: Any = ("text",)


@pytest.mark.parametrize("answer", ["text", TurnChange(messages=NO_MESSAGE)], ids=["no change", "no message"])
@pytest.mark.parametrize("name", ["prepare_next_turn", "prepare_request", "finish_turn"])
async def test_a_hook_that_answers_nonsense_counts_as_failed(name: str, answer: Any) -> None:
    async def nonsense(view: Any) -> Any:
        return answer

    rig = Rig(asks("1"), tools=[FakeTool()], hooks=hooks(**{name: nonsense}))
    await rig.agent.prompt("user")
    if name == "prepare_request":
        assert rig.sequence == "AS TS M(user) A(error) TE AE"
    else:
        assert rig.sequence == f"AS TS M(user) A(toolUse) XS1 XE1 M(r1) TE F(hook {name}) AE"


@pytest.mark.parametrize("stop", [False, True])
def test_a_decision_continues_with_what_a_model_answers_or_stops(stop: bool) -> None:
    messages: Any = (UserMessage.of("go on") if stop else AssistantMessage(),)
    with pytest.raises(ValueError, match="both stop" if stop else "user or system messages"):
        TurnDecision(stop=stop, continue_with=messages)
